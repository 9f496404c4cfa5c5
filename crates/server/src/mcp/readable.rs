//! A client's lines, made readable: whatever it writes with a number is answered.
//!
//! rmcp passes over a line that it cannot read, and whoever wrote it waits forever; over HTTP it answers
//! with bare words. JSON of a text that was cut within a letter, or nested deeper than anybody reads, is
//! no reason for that.

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, DuplexStream,
};
use tokio_util::task::AbortOnDropHandle;

use super::batch;
use crate::arriving::{Bodies, LATER, Unread};

/// What a request is called instead that cannot be read.
pub(super) const UNREADABLE: &str = "tidegate/unreadable";

/// What is said of it.
pub(super) const UNREAD: &str = "the request cannot be read: it is nested deeper than 128 levels, its `method` is no text, or its `params` are no object";

/// What a request is called instead that is too long.
pub(super) const TOO_LONG: &str = "tidegate/too-long";

/// What stands for a line of several messages that are not taken at once.
pub(super) const BATCH: &str = "tidegate/batch";

/// What stands for a line that is no JSON at all.
pub(super) const NO_JSON: &str = "tidegate/no-json";

/// What is said of such a line.
pub(super) const NOT_JSON: &str = "this line is not JSON, or is nested deeper than 128 levels";

/// What is said of what is too long.
pub(super) fn said_too_long() -> String {
    format!(
        "the request has more than {BODY} bytes; write large data to a file of the session, or fetch it in the program"
    )
}

/// Bytes on their way.
const PIPE: usize = 256 << 10;

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<Given<'a>>,
}

/// What goes with a request, whatever it asks for.
#[derive(Deserialize)]
struct Given<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// The same lines, each of them readable; and the task that sees to it.
pub(super) fn lines<R>(reading: R) -> (DuplexStream, AbortOnDropHandle<()>)
where
    R: AsyncRead + Send + Unpin + 'static,
{
    let (mut to, from) = tokio::io::duplex(PIPE);
    let task = tokio::spawn(async move {
        let mut reading = BufReader::new(reading);
        let mut line = Vec::new();
        let mut takes_batches = false;
        while next_line(&mut reading, &mut line).await {
            if let Some(revision) = batch::revision_of(&line) {
                takes_batches = revision == batch::REVISION;
            }
            let written = match readable(&line) {
                _ if line.len() > BODY => to.write_all(&too_long(&line)).await,
                _ if is_batch(&line) => to.write_all(&apart(&line, takes_batches)).await,
                None if is_nothing(&line) => to.write_all(&told_of(NO_JSON)).await,
                None => to.write_all(&line).await,
                Some(other) => to.write_all(&other).await,
            };
            if written.is_err() {
                return;
            }
            line.clear();
        }
    });
    (from, AbortOnDropHandle::new(task))
}

/// The next line, of which no more is kept than is needed to answer it; false when there is none.
async fn next_line(reading: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> bool {
    loop {
        let Ok(bytes) = reading.fill_buf().await else { return false };
        let end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(bytes.len());
        if taken == 0 {
            return !line.is_empty();
        }
        line.extend_from_slice(&bytes[..taken]);
        if line.len() > BODY + 2 * TAIL {
            // Of what is too long, its beginning and its end say which request it was.
            line.drain(BODY + 1..line.len() - TAIL);
        }
        reading.consume(taken);
        if end.is_some() {
            return true;
        }
    }
}

/// Whether a line that is not empty is no JSON.
fn is_nothing(line: &[u8]) -> bool {
    !line.trim_ascii().is_empty() && serde_json::from_slice::<IgnoredAny>(line).is_err()
}

/// Whether a line has several messages.
fn is_batch(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"[")
        && serde_json::from_slice::<Vec<&RawValue>>(line).is_ok()
}

/// The messages of a batch, each in a line of its own.
fn apart(line: &[u8], is_taken: bool) -> Vec<u8> {
    let Some(messages) = batch::lines_of(line).filter(|_| is_taken) else { return told_of(BATCH) };
    let mut lines = Vec::new();
    for message in messages {
        let message = message.get().as_bytes();
        // A message within it is none of several.
        match readable(message) {
            _ if is_batch(message) => lines.extend(told_of(BATCH)),
            Some(other) => lines.extend(other.trim_ascii_end()),
            None => lines.extend(message),
        }
        lines.push(b'\n');
    }
    lines
}

/// A notification that stands for a line of which nobody can tell which request it was.
fn told_of(method: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\"}}\n").into_bytes()
}

/// A request in place of one that is too long; a notification where nobody can tell which one it was.
fn too_long(line: &[u8]) -> Vec<u8> {
    let envelope = serde_json::from_slice::<Envelope<'_>>(line).ok();
    let (id, meta) = match envelope {
        Some(Envelope { id: Some(id), method: Some(_), params }) => {
            // The newest revision says with each request who asks.
            let meta = params.and_then(|params| params.meta).map_or("{}", RawValue::get);
            (id.get().to_owned(), meta.to_owned())
        }
        // More than is kept of it was sent.
        None if let Some(id) = id_of_cut(line) => (id, "{}".to_owned()),
        None => return told_of(TOO_LONG),
        // It asked for no answer.
        Some(_) => {
            tracing::warn!(most = BODY, "a message that is too long to be read was passed over");
            return Vec::new();
        }
    };
    let params = format!("{{\"_meta\":{meta}}}");
    let request = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{TOO_LONG}\",\"params\":{params}}}\n"
    );
    request.into_bytes()
}

/// The most bytes of what a client says of itself, which every one of its sessions keeps.
const INTRODUCTION: usize = 16 << 10;

/// The most bytes of a message.
pub(super) const BODY: usize = 16 << 20;

/// What is kept of the end of a longer one.
const TAIL: usize = 64 << 10;

/// The id of a request of which only the beginning and the end are there.
fn id_of_cut(line: &[u8]) -> Option<String> {
    let find = |text: &[u8], key: &[u8]| text.windows(key.len()).position(|window| window == key);
    let head = &line[..line.len().min(TAIL)];
    let head = &head[..find(head, b"\"params\"").unwrap_or(head.len())];
    let tail = &line[line.len().saturating_sub(TAIL)..];
    // It is said before the parameters, or after them as the last thing.
    let id = if let Some(at) = find(head, ID) {
        head[at + ID.len()..].split(|byte| matches!(byte, b',' | b'}')).next()?
    } else {
        let tail = tail.trim_ascii_end().strip_suffix(b"}")?;
        &tail[tail.windows(ID.len()).rposition(|window| window == ID)? + ID.len()..]
    };
    let id: Value = serde_json::from_slice(id).ok()?;
    (id.is_string() || id.is_i64()).then(|| id.to_string())
}

const ID: &[u8] = b"\"id\":";

/// The same for a request over HTTP, whose body comes within some time.
pub(super) async fn body(State(bodies): State<Bodies>, request: Request, next: Next) -> Response {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_json = kind.is_some_and(|kind| kind.starts_with("application/json"));
    if request.method() != Method::POST || !is_json {
        return in_words(next.run(request).await).await;
    }
    let (mut parts, body) = request.into_parts();
    let bytes = match bodies.read(body).await {
        Ok(bytes) => bytes,
        Err(unread) => return refused(&unread, &bodies),
    };
    if let Some(other) = readable(&bytes) {
        if let Some(id) = id_of_unreadable(&other) {
            let error = json!({ "code": -32600, "message": UNREAD });
            let told = json!({ "jsonrpc": "2.0", "id": id, "error": error });
            return (StatusCode::BAD_REQUEST, Json(told)).into_response();
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        return in_words(next.run(Request::from_parts(parts, Body::from(other))).await).await;
    }
    match serde_json::from_slice::<Value>(&bytes) {
        Err(error) => {
            return failed(StatusCode::BAD_REQUEST, -32700, &format!("this is not JSON: {error}"));
        }
        Ok(message) if bytes.len() > INTRODUCTION && introduces(&message) => {
            let words = format!(
                "`initialize` has {} bytes, more than the {INTRODUCTION} that may be said of a client, which are kept as long as it stays; say less in `capabilities` and `clientInfo`",
                bytes.len()
            );
            return failed(StatusCode::PAYLOAD_TOO_LARGE, -32600, &words);
        }
        Ok(Value::Array(messages)) if parts.extensions.get::<batch::Taken>().is_some() => {
            return batch::answered(parts, messages, next).await;
        }
        Ok(message) => {
            if let Some(words) = wrong(&message) {
                return failed(StatusCode::BAD_REQUEST, -32600, words);
            }
        }
    }
    let mut response = next.run(Request::from_parts(parts, Body::from(bytes))).await;
    // It is JSON; what it says is no message.
    if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    in_words(response).await
}

/// Whether a client says here what it is.
fn introduces(message: &Value) -> bool {
    let is_it =
        |message: &Value| message.get("method").is_some_and(|method| method == "initialize");
    match message {
        Value::Array(messages) => messages.iter().any(is_it),
        message => is_it(message),
    }
}

/// What is said of a body that was not read.
fn refused(unread: &Unread, bodies: &Bodies) -> Response {
    let most = bodies.rules().each;
    match unread {
        Unread::Late => {
            let words = format!("{}; send it again", bodies.said_late());
            failed(StatusCode::REQUEST_TIMEOUT, -32600, &words)
        }
        Unread::Full => {
            let words = format!("{}; try again in a few seconds", bodies.said_full());
            let mut response = failed(StatusCode::TOO_MANY_REQUESTS, -32000, &words);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(LATER));
            response
        }
        Unread::Broken(error) => {
            let words = format!("the body of the request broke off: {error}; send it again");
            failed(StatusCode::BAD_REQUEST, -32600, &words)
        }
        Unread::TooLong => {
            let words = format!(
                "the request has more than the {most} bytes that a message may have (setting `body-bytes`); pass less data, or upload it as a file of the session"
            );
            failed(StatusCode::PAYLOAD_TOO_LARGE, -32600, &words)
        }
    }
}

/// A refusal in bare words, as the protocol says it.
pub(super) async fn in_words(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_told = kind.is_some_and(|kind| kind.contains("json") || kind.contains("event-stream"));
    let status = response.status();
    if is_told || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let words = axum::body::to_bytes(body, WORDS).await.unwrap_or_default();
    let words = String::from_utf8_lossy(&words).trim().to_owned();
    let words = if words.is_empty() { status.to_string() } else { words };
    let told = failed(status, -32600, &words);
    for name in [header::CONTENT_TYPE, header::CONTENT_LENGTH] {
        parts.headers.remove(&name);
    }
    let (fresh, body) = told.into_parts();
    parts.headers.extend(fresh.headers);
    Response::from_parts(parts, body)
}

/// The most bytes of a refusal in bare words.
const WORDS: usize = 4 << 10;

/// Why JSON is no message of the protocol, if it is none.
pub(super) fn wrong(message: &Value) -> Option<&'static str> {
    let id = message.get("id");
    match message {
        Value::Array(_) => Some(batch::REFUSED),
        Value::Object(_) if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") => {
            Some("this is no JSON-RPC message: it lacks \"jsonrpc\": \"2.0\"")
        }
        Value::Object(_) if id.is_some_and(|id| !id.is_string() && !id.is_i64()) => {
            Some("`id` must be a text or a whole number of 64 bits")
        }
        Value::Object(fields)
            if !["method", "result", "error"].iter().any(|key| fields.contains_key(*key)) =>
        {
            Some("this is no JSON-RPC message: it has no `method`, and is no answer either")
        }
        Value::Object(_) => None,
        _ => Some("this is no JSON-RPC message: it must be an object"),
    }
}

pub(super) fn failed(status: StatusCode, code: i32, words: &str) -> Response {
    let error = json!({ "code": code, "message": words });
    (status, Json(json!({ "jsonrpc": "2.0", "id": null, "error": error }))).into_response()
}

/// The id of a request that takes the place of one that cannot be read.
fn id_of_unreadable(line: &[u8]) -> Option<Value> {
    let message: Value = serde_json::from_slice(line).ok()?;
    (message["method"] == UNREADABLE).then(|| message["id"].clone())
}

/// Another line for one that cannot be read.
fn readable(line: &[u8]) -> Option<Vec<u8>> {
    // Parameters that are no object, and a method that is no text, are passed over too.
    let fits = |message: Value| {
        message.get("params").is_none_or(|given| given.is_object() || given.is_null())
            && message.get("method").is_none_or(Value::is_string)
    };
    let reads = |line: &[u8]| serde_json::from_slice::<Value>(line).is_ok_and(fits);
    if line.trim_ascii().is_empty() || reads(line) {
        return None;
    }
    if let Some(mended) = upstream::whole_letters(line)
        && reads(&mended)
    {
        return Some(mended);
    }
    let envelope: Envelope<'_> = serde_json::from_slice(line).ok()?;
    let id = envelope.id.filter(|_| envelope.method.is_some())?;
    let request = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"{UNREADABLE}"}}"#, id.get());
    Some(format!("{request}\n").into_bytes())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::arriving::BodyRules;

    #[test]
    fn what_is_no_message_is_told_apart() {
        let of = |text: &str| wrong(&serde_json::from_str(text).unwrap()).is_some();
        assert!(!of(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#));
        assert!(!of(r#"{"jsonrpc":"2.0","method":"x"}"#));
        let not = ["[]", "5", r#"{"id":1,"method":"ping"}"#, r#"{"jsonrpc":"2.0","id":1.5}"#];
        assert!(not.into_iter().all(of));
    }

    #[test]
    fn what_has_a_number_is_readable() {
        let of =
            |line: &str| readable(line.as_bytes()).map(|line| String::from_utf8(line).unwrap());
        assert_eq!(of("{\"id\":1,\"method\":\"ping\"}\n"), None);
        assert_eq!(
            of("{\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\\ud83d\"}}\n").unwrap(),
            "{\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\\ufffd\"}}\n"
        );
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let said = of(&format!("{{\"id\":\"a\",\"method\":\"x\",\"params\":{deep}}}\n")).unwrap();
        assert_eq!(said, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tidegate/unreadable\"}\n");
        assert_eq!(of("nonsense\n"), None);
        assert!(is_nothing(b"nonsense\n") && !is_nothing(b" \n") && !is_nothing(b"null\n"));
        let said = of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}\n").unwrap();
        assert_eq!(said, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tidegate/unreadable\"}\n");
    }

    #[tokio::test]
    async fn half_a_body_is_answered_too() {
        let layer = axum::middleware::from_fn_with_state(
            Bodies::new(BodyRules { within: Duration::from_millis(20), ..BodyRules::default() }),
            body,
        );
        let door: axum::Router =
            axum::Router::new().route("/", axum::routing::post(async || "read")).layer(layer);
        let half = futures_util::stream::once(async { Ok::<_, std::io::Error>("{\"jsonrpc\":") });
        let half = futures_util::StreamExt::chain(half, futures_util::stream::pending());
        let request = Request::post("/")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from_stream(half))
            .unwrap();
        let answer = tower::ServiceExt::oneshot(door, request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::REQUEST_TIMEOUT);
        let told = axum::body::to_bytes(answer.into_body(), WORDS).await.unwrap();
        let told: Value = serde_json::from_slice(&told).unwrap();
        assert!(told["error"]["message"].as_str().unwrap().contains("`body-time`"), "{told}");
    }

    #[tokio::test]
    async fn what_is_far_too_long_is_answered_too() {
        for (head, tail) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":""#, "\"}}\n"),
            (r#"{"jsonrpc":"2.0","method":"tools/call","params":{"a":""#, "\"},\"id\": 7}\n"),
        ] {
            let text = format!("{head}{}{tail}{{\"id\":8}}\n", "x".repeat(3 * BODY));
            let mut reading = BufReader::new(text.as_bytes());
            let mut line = Vec::new();
            assert!(next_line(&mut reading, &mut line).await);
            assert!(line.len() <= BODY + 3 * TAIL, "{}", line.len());
            let request: Value = serde_json::from_slice(&too_long(&line)).unwrap();
            assert_eq!((&request["id"], &request["method"]), (&json!(7), &json!(TOO_LONG)));
            line.clear();
            assert!(next_line(&mut reading, &mut line).await);
            assert_eq!(line, b"{\"id\":8}\n");
        }
    }
}
