//! Requests of programs: only where they may go, no more than they may bring.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use upstream::{
    Anywhere, Hosts, OnTheWay, PrivateAddresses, Redirect, Web, WebAnswer, WebBody, WebError,
    WebRequest, WebSettings,
};

/// A server that answers every request with what `answer` writes, and keeps what it was asked.
struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(answer: impl Fn(&str, &mut dyn std::io::Write) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (heard, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, heard, answer) =
                    (stream.unwrap(), Arc::clone(&heard), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let request = read_request(&mut stream);
                    heard.lock().unwrap().push(request.clone());
                    answer(&request, &mut stream);
                });
            }
        });
        Self { address, asked }
    }

    /// One that answers with a status line, headers and a text.
    fn saying(head: &str, body: &str) -> Self {
        let text = said(head, body);
        Self::new(move |_, out| drop(out.write_all(text.as_bytes())))
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn said(head: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

fn read_request(stream: &mut std::net::TcpStream) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0) {
        text.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&text).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).unwrap();
    head + &String::from_utf8_lossy(&body)
}

/// A network in which these hosts and private addresses may be reached.
fn web(hosts: &[&str], private: &[&str]) -> Web {
    Web::new(WebSettings {
        hosts: Hosts::new(hosts.iter().copied()).unwrap(),
        private: PrivateAddresses::new(private.iter().copied()).unwrap(),
        answer_bytes: 1 << 20,
        timeout: Duration::from_secs(20),
    })
}

/// One in which a server may be reached.
fn reaching(server: &Server) -> Web {
    let address = server.address.to_string();
    web(&[&address], &[&address])
}

fn get(url: &str) -> WebRequest {
    WebRequest {
        method: "GET".into(),
        url: url.into(),
        headers: Vec::new(),
        body: None,
        timeout: None,
    }
}

fn text(answer: &WebAnswer) -> &str {
    match &answer.body {
        WebBody::Text(text) => text,
        WebBody::Base64(bytes) => panic!("these are bytes: {bytes}"),
    }
}

#[tokio::test]
async fn an_answer_comes_with_status_headers_and_text_and_nothing_of_ours_goes_along() {
    let server = Server::saying(
        "200 OK\r\nContent-Type: application/json\r\nSet-Cookie: a=b",
        r#"{"a": 1}"#,
    );
    let web = reaching(&server);
    for _ in 0..2 {
        let answer = web.fetch(get(&server.url("/x?y=1")), &Anywhere).await.unwrap();
        assert_eq!((answer.status, text(&answer)), (200, r#"{"a": 1}"#));
        assert_eq!(answer.headers["content-type"], "application/json");
    }
    for asked in server.asked() {
        let asked = asked.to_ascii_lowercase();
        assert!(asked.starts_with("get /x?y=1 http/1.1"), "{asked}");
        assert!(!asked.contains("cookie") && !asked.contains("authorization"), "{asked}");
    }
}

#[tokio::test]
async fn nothing_may_be_reached_that_nobody_named() {
    let error = Web::default().fetch(get("https://example.com/"), &Anywhere).await.unwrap_err();
    assert!(matches!(error, WebError::NotAllowed(_)), "{error:?}");
    assert!(error.to_string().contains("`allow` under [network]"), "{error}");
    let server = Server::saying("200 OK", "secret");
    let elsewhere = web(&["api.example.com"], &[&server.address.to_string()]);
    let error = elsewhere.fetch(get(&server.url("/")), &Anywhere).await.unwrap_err();
    assert!(matches!(error, WebError::NotAllowed(_)), "{error:?}");
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn an_address_that_is_not_public_is_not_reached_however_it_is_written() {
    let server = Server::saying("200 OK", "secret");
    let port = server.address.port();
    let hosts = [
        "127.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "localhost",
        "0.0.0.0",
        "[::]",
        "169.254.169.254",
        "10.0.0.1",
        "100.64.0.1",
    ];
    let hosts = hosts.map(|host| format!("{host}:{port}"));
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let web = web(&hosts, &[]);
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.1",
        "127.1",
        "127.0.0.1.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:7f00:0001]",
        "localhost",
        "LOCALHOST",
        "0.0.0.0",
        "0",
        "[::]",
        "169.254.169.254",
        "2852039166",
        "10.0.0.1",
        "100.64.0.1",
    ] {
        let error = web.fetch(get(&format!("http://{host}:{port}/")), &Anywhere).await.unwrap_err();
        assert!(matches!(error, WebError::NotAllowed(_)), "{host}: {error:?}");
        assert!(error.to_string().contains("allow-private"), "{host}: {error}");
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_name_that_leads_to_an_address_that_was_named_may_be_reached_at_that_port_only() {
    let server = Server::saying("200 OK", "here");
    let other = Server::saying("200 OK", "elsewhere");
    let (port, closed) = (server.address.port(), other.address.port());
    let web = web(
        &[&format!("localhost:{port}"), &format!("localhost:{closed}")],
        &[&format!("127.0.0.1:{port}"), &format!("[::1]:{port}")],
    );
    let answer = web.fetch(get(&format!("http://localhost:{port}/")), &Anywhere).await.unwrap();
    assert_eq!(text(&answer), "here");
    let error =
        web.fetch(get(&format!("http://localhost:{closed}/")), &Anywhere).await.unwrap_err();
    assert!(matches!(error, WebError::NotAllowed(_)), "{error:?}");
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn tricks_in_addresses_lead_nowhere() {
    let server = Server::saying("200 OK", "secret");
    let address = server.address;
    let web = web(&["allowed.example"], &[&address.to_string()]);
    for url in [
        format!("http://allowed.example@{address}/"),
        format!("http://allowed.example:x@{address}/"),
        format!("http://{address}\\@allowed.example/"),
        format!("http://{address}#@allowed.example/"),
        format!("http://{address}?@allowed.example/"),
        format!("http://allowed.example%00.{address}/"),
        format!("http://allowed.example%2f@{address}/"),
        "file:///etc/passwd".to_owned(),
        "ftp://allowed.example/".to_owned(),
        "gopher://allowed.example/".to_owned(),
        "data:text/plain,x".to_owned(),
        "//allowed.example/".to_owned(),
        "http://".to_owned(),
        "http://allowed.example:0/".to_owned(),
        format!("http://allowed.example/{}", "a".repeat(10_000)),
    ] {
        let error = web.fetch(get(&url), &Anywhere).await.unwrap_err();
        let refused = matches!(error, WebError::NotAllowed(_) | WebError::Wrong(_));
        assert!(refused, "{}: {error:?}", &url[..url.len().min(60)]);
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_redirect_goes_only_where_a_request_may_go() {
    let inside = Server::saying("200 OK", "secret");
    let port = inside.address.port();
    for location in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "https://elsewhere.example/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "http://user:pw@127.0.0.1/".to_owned(),
        "http://".to_owned(),
    ] {
        let front = Server::saying(&format!("302 Found\r\nLocation: {location}"), "");
        let address = front.address.to_string();
        // What is inside may be named by any program, and is not public.
        let hosts = [&address, &format!("127.0.0.1:{port}"), &format!("localhost:{port}")];
        let web = web(&hosts.map(String::as_str), &[&address]);
        let error = web.fetch(get(&front.url("/")), &Anywhere).await.unwrap_err();
        assert!(matches!(error, WebError::SentOn(_)), "{location}: {error:?}");
        assert_eq!(front.asked().len(), 1);
    }
    assert!(inside.asked().is_empty());
}

#[tokio::test]
async fn redirects_are_followed_and_do_not_carry_secrets_to_another_host() {
    let last = Server::saying("200 OK", "arrived");
    let location = last.url("/there");
    let front = Server::saying(&format!("307 Temporary Redirect\r\nLocation: {location}"), "");
    let (a, b) = (front.address.to_string(), last.address.to_string());
    let web = web(&[&a, &b], &[&a, &b]);
    let request = WebRequest {
        method: "post".into(),
        headers: vec![
            ("Authorization".into(), "Bearer s3cret".into()),
            ("X-Own".into(), "kept".into()),
        ],
        body: Some(WebBody::Text("the body".into())),
        ..get(&front.url("/"))
    };
    let answer = web.fetch(request.clone(), &Anywhere).await.unwrap();
    assert_eq!((text(&answer), answer.url.as_str()), ("arrived", location.as_str()));
    assert!(front.asked()[0].contains("Bearer s3cret"));
    let there = &last.asked()[0];
    assert!(there.starts_with("POST /there") && there.ends_with("the body"), "{there}");
    assert!(!there.contains("s3cret") && there.contains("kept"), "{there}");

    let seen = Server::saying(&format!("303 See Other\r\nLocation: {location}"), "");
    let address = seen.address.to_string();
    let web = self::web(&[&address, &b], &[&address, &b]);
    web.fetch(WebRequest { url: seen.url("/"), ..request }, &Anywhere).await.unwrap();
    assert!(last.asked()[1].starts_with("GET /there"));
    let around = Server::new(|_, out| {
        drop(out.write_all(said("302 Found\r\nLocation: /again", "").as_bytes()));
    });
    let error = reaching(&around).fetch(get(&around.url("/")), &Anywhere).await.unwrap_err();
    assert!(error.to_string().contains("more than 5 redirects"), "{error}");
    assert_eq!(around.asked().len(), 6);
}

#[test]
fn a_host_has_one_name_however_it_is_written() {
    for url in [
        "https://ok.test/x",
        "https://ok.test./x",
        "https://OK.test:443",
        "https://ok.test.:443/",
        "http://ok.test:443/",
        "http://ok.test:80/",
        "https://ok.test:80/",
        "http://ok%2Etest/",
        "http://ok。test/",
    ] {
        assert_eq!(upstream::host_of(url).as_deref(), Some("ok.test"), "{url}");
    }
    for url in ["http://ok.test:8080/", "http://ok.test.:8080/", "https://OK.TEST:8080"] {
        assert_eq!(upstream::host_of(url).as_deref(), Some("ok.test:8080"), "{url}");
    }
    assert_eq!(upstream::host_of("http://[::1]:80/").as_deref(), Some("[::1]"));
}

/// Lets requests be sent on to some hosts only, and keeps what it was asked.
struct Only {
    hosts: Vec<String>,
    asked: Mutex<Vec<(String, bool)>>,
}

#[async_trait::async_trait]
impl OnTheWay for Only {
    async fn goes_on(&self, next: &Redirect<'_>) -> Result<(), String> {
        let host = upstream::host_of(next.url).unwrap();
        let name = format!("{} {host}", next.method);
        self.asked.lock().unwrap().push((name.clone(), next.has_body));
        if self.hosts.contains(&host) { Ok(()) } else { Err(format!("{name} is denied")) }
    }
}

#[tokio::test]
async fn every_redirect_is_asked_about_before_it_is_followed() {
    let last = Server::saying("200 OK", "arrived");
    let b = last.address.to_string();
    for (status, method, has_body) in
        [("307 Temporary Redirect", "POST", true), ("303 See Other", "GET", false)]
    {
        let front = Server::saying(&format!("{status}\r\nLocation: {}", last.url("/x")), "");
        let a = front.address.to_string();
        let web = web(&[&a, &b], &[&a, &b]);
        let request = WebRequest {
            method: "POST".into(),
            body: Some(WebBody::Text("LEAK".into())),
            ..get(&front.url("/"))
        };
        let before = last.asked().len();
        let nobody = Only { hosts: Vec::new(), asked: Mutex::default() };
        let error = web.fetch(request.clone(), &nobody).await.unwrap_err();
        assert!(
            matches!(&error, WebError::SentOn(said) if said.contains("is denied")),
            "{error:?}"
        );
        assert_eq!(*nobody.asked.lock().unwrap(), [(format!("{method} {b}"), has_body)]);
        assert_eq!((front.asked().len(), last.asked().len()), (1, before));
        let this = Only { hosts: vec![b.clone()], asked: Mutex::default() };
        assert_eq!(text(&web.fetch(request, &this).await.unwrap()), "arrived");
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_not_read_to_its_end() {
    let endless = Server::new(|_, out| {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        drop(out.write_all(head.as_bytes()));
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        while out.write_all(chunk.as_bytes()).is_ok() {}
    });
    let error = reaching(&endless).fetch(get(&endless.url("/")), &Anywhere).await.unwrap_err();
    assert!(error.to_string().contains("more than 1048576 bytes"), "{error}");
    assert!(error.to_string().contains("`max-bytes`"), "{error}");
}

#[tokio::test]
async fn a_body_that_grows_when_it_is_unpacked_is_measured_unpacked() {
    let bomb = packed_zeros(20_000);
    assert!(bomb.len() < 40_000, "{}", bomb.len());
    let server = Server::new(move |_, out| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            bomb.len()
        );
        drop(out.write_all(head.as_bytes()).and_then(|()| out.write_all(&bomb)));
    });
    let error = reaching(&server).fetch(get(&server.url("/")), &Anywhere).await.unwrap_err();
    assert!(error.to_string().contains("more than 1048576 bytes"), "{error}");
    // The same packing of less is read, so that it is the size that was refused.
    let small = packed_zeros(100);
    let server = Server::new(move |_, out| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            small.len()
        );
        drop(out.write_all(head.as_bytes()).and_then(|()| out.write_all(&small)));
    });
    let answer = reaching(&server).fetch(get(&server.url("/")), &Anywhere).await.unwrap();
    let WebBody::Base64(bytes) = answer.body else { panic!("zeros are no text") };
    assert_eq!(bytes.len(), (100 * 258_usize + 1).div_ceil(3) * 4);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let slow = Server::new(|_, out| {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";
        drop(out.write_all(head.as_bytes()));
        while out.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let request = WebRequest { timeout: Some(0.5), ..get(&slow.url("/")) };
    let error = reaching(&slow).fetch(request, &Anywhere).await.unwrap_err();
    assert!(matches!(error, WebError::NotAnswered(_)), "{error:?}");
    let silent = Server::new(|_, _| std::thread::sleep(Duration::from_secs(60)));
    let request = WebRequest { timeout: Some(0.5), ..get(&silent.url("/")) };
    let error = reaching(&silent).fetch(request, &Anywhere).await.unwrap_err();
    assert!(error.to_string().contains("within 0.5 s"), "{error}");
}

#[tokio::test]
async fn what_follows_from_the_connection_cannot_be_set() {
    let server = Server::saying("200 OK", "x");
    let web = reaching(&server);
    for (name, value) in [
        ("Host", "elsewhere.example"),
        ("Content-Length", "5"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "close"),
        ("Proxy-Authorization", "x"),
        ("X-Bad", "a\r\nX-Injected: 1"),
        ("X Bad", "a"),
        ("", "a"),
    ] {
        let headers = vec![(name.to_owned(), value.to_owned())];
        let error = web
            .fetch(WebRequest { headers, ..get(&server.url("/")) }, &Anywhere)
            .await
            .unwrap_err();
        assert!(matches!(error, WebError::Wrong(_)), "{name}: {error:?}");
    }
    for method in ["CONNECT", "TRACE", "GET / HTTP/1.1\r\nX: y", ""] {
        let request = WebRequest { method: method.into(), ..get(&server.url("/")) };
        let error = web.fetch(request, &Anywhere).await.unwrap_err();
        assert!(matches!(error, WebError::Wrong(_)), "{method:?}: {error:?}");
    }
    for timeout in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let request = WebRequest { timeout: Some(timeout), ..get(&server.url("/")) };
        assert!(
            matches!(web.fetch(request, &Anywhere).await, Err(WebError::Wrong(_))),
            "{timeout}"
        );
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_host_that_is_not_there_is_told_apart_from_one_that_does_not_answer() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let web = web(&[&gone], &[&gone]);
    let error = web.fetch(get(&format!("http://{gone}/")), &Anywhere).await.unwrap_err();
    assert!(matches!(error, WebError::NotSent(_)), "{error:?}");
    let rude = Server::new(|_, _| {});
    let error = reaching(&rude).fetch(get(&rude.url("/")), &Anywhere).await.unwrap_err();
    assert!(matches!(error, WebError::NotAnswered(_)), "{error:?}");
}

/// `times` 258 zeros and one more, as gzip that is a thousandth of that: one literal, and then
/// the order to repeat it.
fn packed_zeros(times: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.low_first(0b1, 1); // The last block,
    bits.low_first(0b01, 2); // with the fixed codes.
    bits.high_first(0b0011_0000, 8); // The letter 0.
    for _ in 0..times {
        bits.high_first(0b1100_0101, 8); // 258 letters
        bits.high_first(0b0_0000, 5); // from one before.
    }
    bits.high_first(0b000_0000, 7); // The end.
    let length = u32::try_from(times * 258 + 1).unwrap();
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    bytes.extend(bits.done());
    bytes.extend(crc_of_zeros(length).to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    fn push(&mut self, bit: u32) {
        if self.count.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if bit == 1 {
            *self.bytes.last_mut().unwrap() |= 1 << (self.count % 8);
        }
        self.count += 1;
    }

    fn low_first(&mut self, value: u32, bits: u32) {
        (0..bits).for_each(|at| self.push(value >> at & 1));
    }

    fn high_first(&mut self, value: u32, bits: u32) {
        (0..bits).rev().for_each(|at| self.push(value >> at & 1));
    }

    fn done(self) -> Vec<u8> {
        self.bytes
    }
}

fn crc_of_zeros(length: u32) -> u32 {
    let mut crc = u32::MAX;
    for _ in 0..length {
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}
