//! What a collector of traces is sent, and what servers are told of it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::{Value, json};

use crate::gateway::Gateway;

/// The trace of whoever asks, their span in it, and what goes along with it.
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";
const STATE: &str = "rojo=00f067aa0ba902b7,other@congo=t61";

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

/// A server whose one tool is at this address.
fn sums(tool: &str) -> String {
    format!(
        "[servers.sums]\n[[servers.sums.tools]]\nname = \"add\"\nurl = \"{tool}/add\"\n\
         inputSchema = {{ type = \"object\" }}\n"
    )
}

/// What a request over MCP that runs a program says of itself, with this besides.
fn over_mcp(code: &str, besides: Value) -> (String, &'static str) {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let Value::Object(besides) = besides else { panic!("{besides} is no object") };
    meta.as_object_mut().unwrap().extend(besides);
    let params = json!({ "name": "execute_python", "arguments": { "code": code }, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let headers = "Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\n\
                   Mcp-Method: tools/call\r\nMcp-Name: execute_python\r\n";
    (body.to_string(), headers)
}

fn attribute(span: &Span, key: &str) -> String {
    let found = span.attributes.iter().find(|one| one.key == key);
    format!("{:?}", found.and_then(|one| one.value.as_ref()))
}

#[test]
fn a_run_and_its_calls_are_spans_and_servers_are_told_of_theirs() {
    let (collector, spans) = taker("");
    let (tool, calls) = taker("{\"sum\": 3}");
    let gateway = Gateway::with(&sums(&tool), &[("TIDEGATE_OTLP_ENDPOINT", &collector)]);
    // A list may be written in several headers.
    let (first, second) = STATE.split_once(',').unwrap();
    let header = format!(
        "traceparent: 00-{TRACE}-{CALLER}-01\r\ntracestate: {first}\r\ntracestate: {second}\r\n"
    );
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
    assert_eq!(hex(&run.trace_id), TRACE);
    assert_eq!(hex(&run.parent_span_id), CALLER);
    assert_eq!((&*run.trace_state, &*call.trace_state), (STATE, STATE));
    assert_eq!((&*run.name, &*call.name), ("run", "sums.add"));
    assert_eq!(call.parent_span_id, run.span_id);
    assert!(attribute(run, "tidegate.run.id").contains(ended["run_id"].as_str().unwrap()));
    assert!(attribute(run, "tidegate.status").contains("succeeded"));
    assert!(call.start_time_unix_nano >= run.start_time_unix_nano / 1_000_000 * 1_000_000);

    let got = calls.recv_timeout(PATIENCE).unwrap();
    let told = format!("traceparent: 00-{TRACE}-{}-01", hex(&call.span_id));
    assert!(got.headers.contains(&told), "{told} is not in {:?}", got.headers);
    assert!(got.headers.contains(&format!("tracestate: {STATE}")), "{:?}", got.headers);
}

/// Comes back when no run has a place: what rests lies in an image then.
fn until_all_rest(gateway: &Gateway) {
    let begun = Instant::now();
    while !gateway.ask("GET", "/metrics", "", "").contains("\ntidegate_running 0") {
        assert!(begun.elapsed() < PATIENCE, "the run never rested");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_that_goes_on_in_another_process_stays_in_its_trace() {
    let (collector, bodies) = taker("");
    let (tool, calls) = taker("{\"sum\": 3}");
    let variables = [
        ("TIDEGATE_OTLP_ENDPOINT", &*collector),
        ("TIDEGATE_DURABLE", "true"),
        ("TIDEGATE_FREEZE_AFTER", "500ms"),
    ];
    let mut gateway = Gateway::with(&sums(&tool), &variables);
    let code = "import asyncio\nfrom servers.sums import add\nawait add()\nawait asyncio.sleep(10)\nreturn (await add())['sum']";
    let header = format!("traceparent: 00-{TRACE}-{CALLER}-01\r\ntracestate: {STATE}\r\n");
    let body = json!({ "code": code }).to_string();
    let id = gateway.object("POST", "/execute?async=true", &header, &body)["run_id"].clone();
    let told = || calls.recv_timeout(PATIENCE).unwrap().headers;
    let before = told();
    until_all_rest(&gateway);
    gateway.again();
    let after = told();

    let mut spans: Vec<Span> = Vec::new();
    while spans.len() < 3 {
        let got = bodies.recv_timeout(PATIENCE).unwrap();
        let sent = ExportTraceServiceRequest::decode(&*got.body).unwrap();
        let scopes = sent.resource_spans.into_iter().flat_map(|one| one.scope_spans);
        spans.extend(scopes.flat_map(|one| one.spans));
    }
    let run = spans.iter().find(|span| span.name == "run").unwrap();
    assert_eq!((hex(&run.trace_id), hex(&run.parent_span_id)), (TRACE.into(), CALLER.into()));
    assert!(attribute(run, "tidegate.run.id").contains(id.as_str().unwrap()), "{run:?}");
    let made: Vec<&Span> = spans.iter().filter(|span| span.name == "sums.add").collect();
    assert_eq!(made.len(), 2, "{spans:#?}");
    assert!(made.iter().all(|call| call.parent_span_id == run.span_id), "{spans:#?}");
    for headers in [before, after] {
        let is_told = |call: &&Span| {
            headers.contains(&format!("traceparent: 00-{TRACE}-{}-01", hex(&call.span_id)))
        };
        assert_eq!(made.iter().copied().filter(is_told).count(), 1, "{headers:?}");
        assert!(headers.contains(&format!("tracestate: {STATE}")), "{headers:?}");
    }
}

#[test]
fn what_goes_along_with_a_trace_is_carried_through_both_doors_or_dropped() {
    let (collector, _spans) = taker("");
    let (tool, calls) = taker("{\"sum\": 3}");
    let gateway = Gateway::with(&sums(&tool), &[("TIDEGATE_OTLP_ENDPOINT", &collector)]);
    let code = "from servers.sums import add\nreturn (await add())['sum']";
    let parent = format!("00-{TRACE}-{CALLER}-01");
    let carried = |what: &str| {
        let got = calls.recv_timeout(PATIENCE).unwrap();
        let parent = format!("traceparent: 00-{TRACE}-");
        assert!(
            got.headers.iter().any(|line| line.starts_with(&parent)),
            "{what}: {:?}",
            got.headers
        );
        let mut states = got.headers.into_iter().filter(|line| line.starts_with("tracestate"));
        let state = states.next();
        assert_eq!(states.next(), None, "{what}");
        state
    };
    let whole = Some(format!("tracestate: {STATE}"));

    let besides = json!({ "traceparent": parent, "tracestate": STATE });
    let (body, headers) = over_mcp(code, besides);
    gateway.ask("POST", "/mcp", headers, &body);
    assert_eq!(carried("in _meta"), whole);
    let (body, headers) = over_mcp(code, json!({}));
    let headers = format!("{headers}traceparent: {parent}\r\ntracestate: {STATE}\r\n");
    gateway.ask("POST", "/mcp", &headers, &body);
    assert_eq!(carried("in headers"), whole);

    let within = |state: &str| {
        let headers = format!("traceparent: {parent}\r\ntracestate: {state}\r\n");
        gateway.run_within(code, &headers);
        carried(state)
    };
    assert_eq!(within("a=1,a=2"), None);
    assert_eq!(within("no list"), None);
    let long = format!("a={},b={},c=1", "x".repeat(200), "y".repeat(250));
    let most: Vec<String> = (0..20).map(|at| format!("k{at}={}", "v".repeat(40))).collect();
    assert_eq!(within(&long), Some(format!("tracestate: {long}")));
    let kept = within(&most.join(",")).unwrap();
    assert!(kept.len() <= "tracestate: ".len() + 512, "{kept}");
    assert!(kept.starts_with(&format!("tracestate: {}", most[..11].join(","))), "{kept}");
}

#[test]
fn without_a_collector_servers_are_told_nothing() {
    let (tool, calls) = taker("{\"sum\": 3}");
    let gateway = Gateway::with(&sums(&tool), &[]);
    gateway.run("from servers.sums import add\nawait add()");
    let got = calls.recv_timeout(PATIENCE).unwrap();
    assert!(!got.headers.iter().any(|line| line.starts_with("trace")), "{:?}", got.headers);
}
