//! What a collector of traces is sent, and what servers are told of it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

use crate::gateway::Gateway;

/// How long spans may take to come: they are sent every five seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// One request that somebody got.
struct Got {
    path: String,
    headers: Vec<String>,
    body: Vec<u8>,
}

/// Takes whatever is posted, answers with `answer`, and tells of it.
fn taker(answer: &'static str) -> (String, Receiver<Got>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, tell) = (stream.unwrap(), tell.clone());
            std::thread::spawn(move || take(stream, answer, &tell));
        }
    });
    (address, told)
}

fn take(stream: std::net::TcpStream, answer: &str, tell: &Sender<Got>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let length = lines.iter().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        reader.read_exact(&mut body).unwrap();
        let path = lines[0].split(' ').nth(1).unwrap().to_owned();
        let _ = tell.send(Got { path, headers: lines, body });
        let length = answer.len();
        let _ = write!(
            reader.get_mut(),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{answer}"
        );
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn attribute(span: &Span, key: &str) -> String {
    let found = span.attributes.iter().find(|one| one.key == key);
    format!("{:?}", found.and_then(|one| one.value.as_ref()))
}

#[test]
fn a_run_and_its_calls_are_spans_and_servers_are_told_of_theirs() {
    let (collector, spans) = taker("");
    let (tool, calls) = taker("{\"sum\": 3}");
    let config = format!(
        "[servers.sums]\n[[servers.sums.tools]]\nname = \"add\"\nurl = \"{tool}/add\"\n\
         inputSchema = {{ type = \"object\" }}\n"
    );
    let gateway = Gateway::with(&config, &[("TIDEGATE_OTLP_ENDPOINT", &collector)]);
    let (trace, caller) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let header = format!("traceparent: 00-{trace}-{caller}-01\r\n");
    let code = "from servers.sums import add\nreturn (await add())['sum']";
    let ended = gateway.run_within(code, &header);
    assert_eq!(ended["return_value"], 3, "{ended}");

    let got = spans.recv_timeout(PATIENCE).unwrap();
    assert_eq!(got.path, "/v1/traces");
    let sent = ExportTraceServiceRequest::decode(&*got.body).unwrap();
    let resource = sent.resource_spans[0].resource.as_ref().unwrap();
    let service = resource.attributes.iter().find(|one| one.key == "service.name").unwrap();
    assert!(format!("{service:?}").contains("tidegate"), "{service:?}");
    let spans: Vec<&Span> = sent
        .resource_spans
        .iter()
        .flat_map(|one| &one.scope_spans)
        .flat_map(|one| &one.spans)
        .collect();
    let [call, run] = spans[..] else { panic!("{spans:#?}") };
    assert_eq!(hex(&run.trace_id), trace);
    assert_eq!(hex(&run.parent_span_id), caller);
    assert_eq!((&*run.name, &*call.name), ("run", "sums.add"));
    assert_eq!(call.parent_span_id, run.span_id);
    assert!(attribute(run, "tidegate.run.id").contains(ended["run_id"].as_str().unwrap()));
    assert!(attribute(run, "tidegate.status").contains("succeeded"));
    assert!(call.start_time_unix_nano >= run.start_time_unix_nano / 1_000_000 * 1_000_000);

    let got = calls.recv_timeout(PATIENCE).unwrap();
    let told = format!("traceparent: 00-{trace}-{}-01", hex(&call.span_id));
    assert!(got.headers.contains(&told), "{told} is not in {:?}", got.headers);
}

#[test]
fn without_a_collector_servers_are_told_nothing() {
    let (tool, calls) = taker("{\"sum\": 3}");
    let config = format!(
        "[servers.sums]\n[[servers.sums.tools]]\nname = \"add\"\nurl = \"{tool}/add\"\n\
         inputSchema = {{ type = \"object\" }}\n"
    );
    let gateway = Gateway::with(&config, &[]);
    gateway.run("from servers.sums import add\nawait add()");
    let got = calls.recv_timeout(PATIENCE).unwrap();
    assert!(!got.headers.iter().any(|line| line.starts_with("traceparent")), "{:?}", got.headers);
}
