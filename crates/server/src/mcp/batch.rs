//! Several messages at once, which revision 2025-03-26 had, and no other.
//!
//! They are taken apart, and each goes the way of one that came alone. Over HTTP their answers come in one
//! stream of events, as they are ready; over standard streams each has a line of its own.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use futures_util::stream::{BoxStream, select_all};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::readable::{failed, in_words, wrong};

/// The revision that had them.
pub(super) const REVISION: &str = "2025-03-26";

/// The most messages of one batch.
const MOST: usize = 50;

/// The most bytes of an answer that is no stream.
const ANSWER: usize = 1 << 20;

/// What is said of a batch that is not taken.
pub(super) const REFUSED: &str = "this is a batch of messages, which revision 2025-03-26 has and no other, with at least one and 50 at most; send them one by one";

/// Goes with a request in whose session batches are taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken;

/// Goes with a stream that answers several messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Together;

/// The messages of a line that is a batch and is taken.
pub(super) fn lines_of(line: &[u8]) -> Option<Vec<&RawValue>> {
    let messages: Vec<&RawValue> = serde_json::from_slice(line).ok()?;
    (1..=MOST).contains(&messages.len()).then_some(messages)
}

/// The revision that a line asks for, if it is what a client begins with.
pub(super) fn revision_of(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Begins {
        method: String,
        params: Asked,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Asked {
        protocol_version: String,
    }

    let begins: Begins = serde_json::from_slice(line).ok()?;
    (begins.method == "initialize").then_some(begins.params.protocol_version)
}

/// Answers each message of a batch as if it had come alone.
pub(super) async fn answered(mut parts: Parts, messages: Vec<Value>, next: Next) -> Response {
    if !(1..=MOST).contains(&messages.len()) {
        return failed(StatusCode::BAD_REQUEST, -32600, REFUSED);
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    let mut answers = Vec::new();
    for message in messages {
        let response = if let Some(words) = wrong(&message) {
            refused(&message, words)
        } else {
            let body = Body::from(message.to_string());
            let request = Request::from_parts(parts.clone(), body);
            in_words(next.clone().run(request).await).await
        };
        if response.status() != StatusCode::ACCEPTED {
            answers.push(events(response));
        }
    }
    if answers.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    let mut response = Body::from_stream(select_all(answers)).into_response();
    response.extensions_mut().insert(Together);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// One that is no message, with its id where it has one.
fn refused(message: &Value, words: &str) -> Response {
    let id = message.get("id").filter(|id| id.is_string() || id.is_i64());
    let error = json!({ "code": -32600, "message": words });
    let told = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    (StatusCode::BAD_REQUEST, Json(told)).into_response()
}

/// An answer as events: it is a stream of them, or one message.
fn events(response: Response) -> BoxStream<'static, Result<Bytes, axum::Error>> {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
    let body = response.into_body();
    if is_stream {
        return body.into_data_stream().boxed();
    }
    let whole = async move {
        let bytes = axum::body::to_bytes(body, ANSWER).await?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(Bytes::from(format!("event: message\ndata: {}\n\n", text.trim())))
    };
    futures_util::stream::once(whole).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_has_so_many_messages_and_no_more() {
        let of = |count: usize| format!("[{}]", vec!["{}"; count].join(","));
        let taken = |count: usize| lines_of(of(count).as_bytes()).map(|found| found.len());
        assert_eq!((taken(1), taken(MOST)), (Some(1), Some(MOST)));
        assert_eq!((taken(0), taken(MOST + 1)), (None, None));
        assert!(REFUSED.contains(REVISION) && REFUSED.contains(&MOST.to_string()));
    }

    #[test]
    fn only_what_a_client_begins_with_says_its_revision() {
        let asks = |method: &str| {
            let params = json!({ "protocolVersion": REVISION, "capabilities": {} });
            let line = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
            revision_of(line.to_string().as_bytes())
        };
        assert_eq!(asks("initialize").as_deref(), Some(REVISION));
        assert_eq!(asks("ping"), None);
    }
}
