//! Servers over HTTP: a real one over both transports, and small ones that misbehave.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "support/npm.rs"]
mod npm;
mod support;

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use serde_json::{Value, json};
use support::{call, http, name, server, start, state, status, text, tools};
use upstream::{
    Auth, CallFailure, ConnectError, Http, NoteKind, Secret, ServerState, Source, Wire,
};

const PACKAGE: &str = "@modelcontextprotocol/server-everything@2026.8.31";

#[tokio::test]
async fn a_real_server_works_over_streamable_http() {
    let everything = Everything::start("streamableHttp");
    let upstreams = start([server("everything", http(&everything.url("mcp"), Wire::Auto))]);
    real_calls_work(&upstreams).await;
    assert_eq!(status(&upstreams, "everything").protocol.as_deref(), Some("2025-11-25"));
    upstreams.close().await;
}

#[tokio::test]
async fn a_real_server_works_over_the_older_transport() {
    let everything = Everything::start("sse");
    let auto = server("everything", http(&everything.url("sse"), Wire::Auto));
    let upstreams = start([auto]);
    real_calls_work(&upstreams).await;
    upstreams.close().await;

    let upstreams = start([server("everything", http(&everything.url("sse"), Wire::Sse))]);
    real_calls_work(&upstreams).await;

    let upstreams = start([server("everything", http(&everything.url("sse"), Wire::Streamable))]);
    let problem = upstreams.listing(&name("everything")).await.unwrap_err();
    assert!(problem.to_string().contains("HTTP 404"), "{problem}");
}

async fn real_calls_work(upstreams: &upstream::Upstreams) {
    let names = tools(upstreams, "everything").await.unwrap();
    assert!(names.len() >= 10 && names.contains(&"echo".to_owned()), "{names:?}");
    let echo = call(upstreams, "everything", "echo", json!({"message": "hi"})).await;
    assert_eq!(text(echo), "Echo: hi");
    let sum = call(upstreams, "everything", "get-sum", json!({"a": 2, "b": 3})).await;
    assert!(text(sum).contains('5'));
    let picture = call(upstreams, "everything", "get-tiny-image", json!({})).await.unwrap();
    assert!(picture.content.iter().any(|part| matches!(part, upstream::Part::Image { .. })));
    let steps = json!({"duration": 0.2, "steps": 2});
    call(upstreams, "everything", "trigger-long-running-operation", steps).await.unwrap();
    let notes = status(upstreams, "everything").notes;
    assert!(notes.iter().any(|note| note.kind == NoteKind::Progress), "{notes:?}");
    assert!(!upstreams.resources(&name("everything")).await.unwrap().is_empty());
    assert!(!upstreams.prompts(&name("everything")).await.unwrap().is_empty());
    let prompt = upstreams
        .prompt(&name("everything"), "simple-prompt", serde_json::Map::new())
        .await
        .unwrap();
    assert!(!prompt.messages.is_empty());
}

#[tokio::test]
async fn a_server_that_went_away_and_came_back_is_found_again() {
    for mode in ["streamableHttp", "sse"] {
        let everything = Everything::start(mode);
        let path = if mode == "sse" { "sse" } else { "mcp" };
        let upstreams = start([server("everything", http(&everything.url(path), Wire::Auto))]);
        let echo = json!({"message": "hi"});
        assert_eq!(text(call(&upstreams, "everything", "echo", echo.clone()).await), "Echo: hi");
        let port = everything.port;
        drop(everything);
        let failure = call(&upstreams, "everything", "echo", echo.clone()).await.unwrap_err();
        assert!(!failure.to_string().is_empty(), "{failure}");
        let _again = Everything::start_at(mode, port);
        let mut last = None;
        let back = async {
            loop {
                match call(&upstreams, "everything", "echo", echo.clone()).await {
                    Ok(result) => return text(Ok(result)),
                    Err(failure) => last = Some(failure.to_string()),
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let back = tokio::time::timeout(Duration::from_secs(60), back).await;
        assert_eq!(back.as_deref(), Ok("Echo: hi"), "{mode}: {last:?}");
    }
}

#[tokio::test]
async fn the_newest_revision_is_spoken_with_its_headers() {
    let seen: Seen = Arc::default();
    let url = serve(Router::new().route("/mcp", post(modern)).with_state(seen.clone())).await;
    let upstreams = start([server("modern", http(&format!("{url}/mcp"), Wire::Auto))]);
    assert_eq!(text(call(&upstreams, "modern", "echo", json!({"text": "hi"})).await), "hi");
    assert_eq!(status(&upstreams, "modern").protocol.as_deref(), Some("2026-07-28"));
    let failure = call(&upstreams, "modern", "asks", json!({})).await.unwrap_err();
    assert!(matches!(failure, CallFailure::WantsInput { .. }), "{failure:?}");
    let seen = seen.lock().unwrap();
    let methods: Vec<_> =
        seen.iter().map(|headers| headers["mcp-method"].to_str().unwrap().to_owned()).collect();
    assert_eq!(methods[..2], ["server/discover", "tools/list"]);
    let last = seen.last().unwrap();
    assert_eq!(
        (&last["mcp-protocol-version"], &last["mcp-name"]),
        (&"2026-07-28".parse().unwrap(), &"asks".parse().unwrap())
    );
}

#[tokio::test]
async fn a_revision_that_is_refused_and_named_at_once_is_asked_for_again() {
    let seen: Seen = Arc::default();
    let picky = |State(seen): State<Seen>, headers: HeaderMap, body: String| async move {
        if !seen.lock().unwrap().is_empty() {
            return modern(State(seen), headers, body).await;
        }
        seen.lock().unwrap().push(headers);
        let request: Value = serde_json::from_str(&body).unwrap();
        let error = json!({
            "code": -32022, "message": "Unsupported protocol version", "data": {"supported": ["2026-07-28"]},
        });
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "error": error});
        (StatusCode::BAD_REQUEST, axum::Json(answer)).into_response()
    };
    let url = serve(Router::new().route("/mcp", post(picky)).with_state(seen.clone())).await;
    let upstreams = start([server("picky", http(&format!("{url}/mcp"), Wire::Auto))]);
    assert_eq!(tools(&upstreams, "picky").await.unwrap(), ["echo"]);
    assert_eq!(status(&upstreams, "picky").protocol.as_deref(), Some("2026-07-28"));
    let methods: Vec<_> =
        seen.lock().unwrap().iter().map(|headers| headers["mcp-method"].clone()).collect();
    assert_eq!(methods, ["server/discover", "server/discover", "tools/list"]);
}

type Seen = Arc<Mutex<Vec<HeaderMap>>>;

/// A server of the newest revision that has seen nothing but posts.
async fn modern(State(seen): State<Seen>, headers: HeaderMap, body: String) -> Response {
    seen.lock().unwrap().push(headers);
    let request: Value = serde_json::from_str(&body).unwrap();
    let result = match (request["method"].as_str().unwrap(), request["params"]["name"].as_str()) {
        ("server/discover", _) => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 0, "cacheScope": "private",
        }),
        ("tools/list", _) => json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
        }),
        (_, Some("asks")) => json!({
            "resultType": "input_required", "requestState": "s",
            "inputRequests": {"q": {"method": "elicitation/create", "params": {
                "mode": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}},
            }}},
        }),
        _ => {
            let text = &request["params"]["arguments"]["text"];
            json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
        }
    };
    axum::Json(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).into_response()
}

/// A server of 2025-11-25 without sessions, whose answers to calls are up to the test.
fn legacy(answer: fn(&Value) -> Response) -> Router {
    let handle = move |body: String| async move {
        let request: Value = serde_json::from_str(&body).unwrap();
        let result = match request["method"].as_str().unwrap() {
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"},
            }),
            "tools/list" => json!({"tools": [{"name": "t", "inputSchema": true}]}),
            "tools/call" => return answer(&request["id"]),
            method if method.starts_with("notifications/") => {
                return StatusCode::ACCEPTED.into_response();
            }
            _ => return (StatusCode::BAD_REQUEST, "what?").into_response(),
        };
        axum::Json(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).into_response()
    };
    Router::new().route("/mcp", post(handle))
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    for kind in ["application/json", "text/event-stream"] {
        let answer = if kind == "application/json" { endless_json } else { endless_events };
        let url = serve(legacy(answer)).await;
        let mut narrow = server("endless", http(&format!("{url}/mcp"), Wire::Auto));
        narrow.answer_bytes = 1 << 20;
        let upstreams = start([narrow]);
        let failure = call(&upstreams, "endless", "t", json!({})).await.unwrap_err();
        assert!(matches!(failure, CallFailure::TooLarge { .. }), "{kind}: {failure:?}");
    }
}

fn endless_json(_: &Value) -> Response {
    endless("application/json")
}

fn endless_events(_: &Value) -> Response {
    endless("text/event-stream")
}

fn endless(kind: &'static str) -> Response {
    let chunks =
        futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b'a'; 64 << 10]));
    ([(header::CONTENT_TYPE, kind)], Body::from_stream(chunks)).into_response()
}

#[tokio::test]
async fn an_odd_answer_is_still_an_answer() {
    let url = serve(legacy(|id| {
        let result = json!({"content": [{"type": "hologram"}], "structuredContent": 5});
        axum::Json(json!({"jsonrpc": "2.0", "id": id, "result": result})).into_response()
    }))
    .await;
    let upstreams = start([server("odd", http(&format!("{url}/mcp"), Wire::Auto))]);
    let result = call(&upstreams, "odd", "t", json!({})).await.unwrap();
    assert_eq!(result.structured, Some(json!(5)));
    assert!(matches!(&result.content[..], [upstream::Part::Other { .. }]));
    let listing = upstreams.listing(&name("odd")).await.unwrap();
    assert_eq!(listing.tools[0].input_schema, json!(true));
}

#[tokio::test]
async fn integers_beyond_64_bits_keep_their_digits_as_one_document_and_as_an_event() {
    let answers: [fn(&Value) -> Response; 2] =
        [|id| as_document(&wide(id)), |id| as_event(&wide(id))];
    for answer in answers {
        let url = serve(legacy(answer)).await;
        let upstreams = start([server("wide", http(&format!("{url}/mcp"), Wire::Auto))]);
        let result = call(&upstreams, "wide", "t", json!({})).await.unwrap();
        assert_eq!(result.structured, None);
        assert_eq!(text(Ok(result)), r#"{"id":100000000000000000000001}"#);
    }
}

#[tokio::test]
async fn an_answer_that_is_not_json_is_told_as_that_as_one_document_and_as_an_event() {
    let answers: [fn(&Value) -> Response; 2] =
        [|id| as_document(&damaged(id)), |id| as_event(&damaged(id))];
    for answer in answers {
        let url = serve(legacy(answer)).await;
        let upstreams = start([server("damaged", http(&format!("{url}/mcp"), Wire::Auto))]);
        let failure = call(&upstreams, "damaged", "t", json!({})).await.unwrap_err();
        assert!(
            matches!(&failure, CallFailure::Unreadable { problem, .. } if problem.contains("NaN")),
            "{failure:?}"
        );
    }
}

#[tokio::test]
async fn lines_that_mean_nothing_do_not_cost_the_answer_below_them() {
    let url = serve(legacy(|id| {
        let answer =
            json!({"jsonrpc": "2.0", "id": id, "result": {"content": [], "structuredContent": 5}});
        let events = format!("retry: abc\nevent\ndata\n\nnonsense\nid: 1\ndata: {answer}\n\n");
        ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response()
    }))
    .await;
    let upstreams = start([server("odd", http(&format!("{url}/mcp"), Wire::Auto))]);
    let result = call(&upstreams, "odd", "t", json!({})).await.unwrap();
    assert_eq!(result.structured, Some(json!(5)));
}

#[tokio::test]
async fn nothing_instead_of_an_answer_fails_the_call_at_once() {
    let nothing: [fn(&Value) -> Response; 2] =
        [|_| StatusCode::ACCEPTED.into_response(), |_| StatusCode::NO_CONTENT.into_response()];
    for answer in nothing {
        let url = serve(legacy(answer)).await;
        let upstreams = start([server("silent", http(&format!("{url}/mcp"), Wire::Auto))]);
        let failed = tokio::time::timeout(
            Duration::from_secs(4),
            call(&upstreams, "silent", "t", json!({})),
        );
        let failure = failed.await.expect("it is said at once").unwrap_err();
        assert!(failure.to_string().contains("HTTP 20"), "{failure}");
    }
}

/// A server of 2025-03-26 that answers everything with several messages at once, and keeps what it is answered.
fn batching(write: fn(&str) -> Response, answered: Arc<Mutex<Vec<Value>>>) -> Router {
    let answer = move |body: &str| {
        let request: Value = serde_json::from_str(body).unwrap();
        let Some(method) = request["method"].as_str() else {
            answered.lock().unwrap().push(request);
            return StatusCode::ACCEPTED.into_response();
        };
        let result = match method {
            "initialize" => json!({
                "protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"},
            }),
            "tools/list" => json!({"tools": [
                {"name": "t", "inputSchema": true}, {"name": "many", "inputSchema": true},
                {"name": "none", "inputSchema": true},
            ]}),
            "tools/call" => json!({"content": [], "structuredContent": 5}),
            method if method.starts_with("notifications/") => {
                return StatusCode::ACCEPTED.into_response();
            }
            _ => return (StatusCode::BAD_REQUEST, "what?").into_response(),
        };
        let own = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        let note = json!({"level": "info", "data": "on it"});
        let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": note});
        let ping = json!({"jsonrpc": "2.0", "id": "p1", "method": "ping"});
        let batch = match request["params"]["name"].as_str() {
            Some("many") => json!(vec![own; 1_001]),
            Some("none") => json!([note]),
            Some(_) => json!([own, "nonsense", note, ping]),
            None => json!([own]),
        };
        write(&batch.to_string())
    };
    let handle = move |body: String| {
        let response = answer(&body);
        async move { response }
    };
    Router::new().route("/mcp", post(handle))
}

#[tokio::test]
async fn several_messages_at_once_are_each_taken_as_if_alone() {
    for (is_event, write) in
        [(false, as_document as fn(&str) -> Response), (true, as_event as fn(&str) -> Response)]
    {
        let answered: Arc<Mutex<Vec<Value>>> = Arc::default();
        let url = serve(batching(write, answered.clone())).await;
        let upstreams = start([server("batches", http(&format!("{url}/mcp"), Wire::Auto))]);
        let result = call(&upstreams, "batches", "t", json!({})).await.unwrap();
        assert_eq!(result.structured, Some(json!(5)));
        // What the server asked beside the answer is answered.
        let ponged = || answered.lock().unwrap().iter().any(|said| said["id"] == "p1");
        let noted =
            || status(&upstreams, "batches").notes.iter().any(|note| note.text.contains("on it"));
        let both = async {
            while !(ponged() && noted()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), both).await.expect("both are taken");

        let failure = call(&upstreams, "batches", "many", json!({})).await.unwrap_err();
        assert!(failure.to_string().contains("more than 1000 messages"), "{failure}");
        if !is_event {
            // After an event the answer may still come, after a document nothing does.
            let failure = call(&upstreams, "batches", "none", json!({})).await.unwrap_err();
            assert!(failure.to_string().contains("none of the messages"), "{failure}");
        }
    }
}

fn wide(id: &Value) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"structuredContent":{{"id":100000000000000000000001}}}}}}"#
    )
}

fn damaged(id: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"structuredContent":NaN}}}}"#)
}

fn as_document(body: &str) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.to_owned()).into_response()
}

fn as_event(body: &str) -> Response {
    let event = format!("event: message\ndata: {body}\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], event).into_response()
}

#[tokio::test]
async fn an_answer_that_is_a_web_page_is_shown() {
    let url =
        serve(legacy(|_| (StatusCode::BAD_GATEWAY, "<h1>upstream\n down</h1>").into_response()))
            .await;
    let upstreams = start([server("page", http(&format!("{url}/mcp"), Wire::Auto))]);
    let failure = call(&upstreams, "page", "t", json!({})).await.unwrap_err();
    assert!(
        failure.to_string().contains("HTTP 502 Bad Gateway: <h1>upstream down</h1>"),
        "{failure}"
    );
    assert!(matches!(failure, CallFailure::Unreadable { .. }), "{failure:?}");
}

#[tokio::test]
async fn credentials_do_not_follow_a_redirect_to_another_host() {
    let seen: Seen = Arc::default();
    let note = |State(seen): State<Seen>, headers: HeaderMap| async move {
        seen.lock().unwrap().push(headers);
        StatusCode::OK
    };
    let elsewhere = serve(Router::new().route("/mcp", any(note)).with_state(seen.clone())).await;
    let target = format!("{elsewhere}/mcp");
    let redirect =
        move || async move { (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, target)]) };
    let url = serve(Router::new().route("/mcp", any(redirect))).await;
    let headers = BTreeMap::from([("X-Api-Key".to_owned(), Secret::new("k".to_owned()))]);
    let source = Http {
        url: format!("{url}/mcp").parse().unwrap(),
        headers,
        auth: Auth::None,
        wire: Wire::Auto,
    };
    let upstreams = start([server("away", Source::Http(source))]);
    let problem = upstreams.listing(&name("away")).await.unwrap_err();
    assert!(problem.to_string().contains("HTTP 307"), "{problem}");
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_server_that_wants_a_log_in_is_named_with_the_command() {
    for challenge in [None, Some("Bearer")] {
        let refuse = move || async move {
            let mut response = StatusCode::UNAUTHORIZED.into_response();
            if let Some(challenge) = challenge {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge.parse().unwrap());
            }
            response
        };
        let url = serve(Router::new().route("/mcp", any(refuse))).await;
        for wire in [Wire::Auto, Wire::Sse] {
            let upstreams = start([server("locked", http(&format!("{url}/mcp"), wire))]);
            let problem = upstreams.listing(&name("locked")).await.unwrap_err();
            assert!(matches!(problem, ConnectError::LoginNeeded { .. }), "{wire:?}: {problem:?}");
            assert!(problem.to_string().contains("run `tidegate login locked`"), "{problem}");
            assert!(matches!(state(&upstreams, "locked"), ServerState::WantsLogin { .. }));
        }
    }
}

#[tokio::test]
async fn messages_are_not_sent_to_another_origin() {
    let stream = || async {
        (
            [(header::CONTENT_TYPE, "text/event-stream")],
            "event: endpoint\ndata: http://127.0.0.1:9/take\n\n",
        )
    };
    let url = serve(Router::new().route("/sse", get(stream))).await;
    let upstreams = start([server("evil", http(&format!("{url}/sse"), Wire::Sse))]);
    let problem = upstreams.listing(&name("evil")).await.unwrap_err();
    assert!(problem.to_string().contains("which is another origin"), "{problem}");
}

#[tokio::test]
async fn nobody_there_is_said_so() {
    let port = free_port();
    let upstreams = start([server(
        "gone",
        http(&format!("http://127.0.0.1:{port}/mcp?key=secret"), Wire::Auto),
    )]);
    let problem = upstreams.listing(&name("gone")).await.unwrap_err().to_string();
    assert!(problem.contains("connecting failed") && problem.contains("refused"), "{problem}");
    assert!(!problem.contains("secret"), "{problem}");
}

async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The reference server, installed from npm, over one of its HTTP transports.
struct Everything {
    process: Child,
    port: u16,
}

impl Everything {
    fn start(mode: &str) -> Self {
        Self::start_at(mode, free_port())
    }

    fn start_at(mode: &str, port: u16) -> Self {
        let process = Command::new("node")
            .arg(installed())
            .arg(mode)
            .env("PORT", port.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { process, port }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }
}

impl Drop for Everything {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn installed() -> PathBuf {
    let modules = npm::install("server-everything", PACKAGE);
    modules.join("@modelcontextprotocol/server-everything/dist/index.js")
}
