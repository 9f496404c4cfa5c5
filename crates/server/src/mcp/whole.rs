//! Large answers over HTTP, as one JSON message instead of an event in a stream.
//!
//! Clients bound what one event may hold, the official one for Python to 1 MiB, and not what a body may: a
//! picture that a program drew would not get through. So where the first thing that is said in answer to a request
//! is a large answer, it goes as what it is. Whatever comes before that, or takes longer, goes as a stream.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::{Stream, StreamExt as _, stream};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::batch;

/// The most bytes of an answer in an event. The rest of what clients allow is for what stands around it.
const FITS: usize = 512 << 10;

/// How long an answer is waited for before what there is goes as a stream: a client that is to come back for it
/// has to be told how.
const SOON: Duration = Duration::from_secs(1);

/// Gives a large answer that comes first and soon as one message.
pub(super) async fn whole(request: Request, next: Next) -> Response {
    let is_asked = request.method() == Method::POST;
    let response = next.run(request).await;
    // Several are answered in one stream, whatever one of them holds.
    let is_one = response.extensions().get::<batch::Together>().is_none();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
    if is_asked && is_one && is_stream { as_one(response).await } else { response }
}

async fn as_one(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let mut events = body.into_data_stream();
    let mut read = Vec::new();
    let first = tokio::time::timeout(SOON, first_said(&mut events, &mut read)).await;
    match first {
        Ok(Some(said)) if said.len() > FITS && is_answer(&said) => {
            parts.headers.remove("x-accel-buffering");
            let json = HeaderValue::from_static("application/json");
            parts.headers.insert(header::CONTENT_TYPE, json);
            Response::from_parts(parts, Body::from(said))
        }
        _ => {
            let before = (!read.is_empty()).then(|| Ok(Bytes::from(read)));
            Response::from_parts(parts, Body::from_stream(stream::iter(before).chain(events)))
        }
    }
}

/// The first message of a stream, with all that was read until then in `read`.
async fn first_said<E>(
    events: &mut (impl Stream<Item = Result<Bytes, E>> + Unpin),
    read: &mut Vec<u8>,
) -> Option<Vec<u8>> {
    let mut begins = 0;
    while let Some(part) = events.next().await {
        // Where the last part ended, half of the end of an event may stand.
        let mut look = read.len().saturating_sub(1).max(begins);
        read.extend_from_slice(&part.ok()?);
        while let Some(at) = read[look..].windows(2).position(|two| two == b"\n\n") {
            let ends = look + at;
            if let Some(said) = said(&read[begins..ends]) {
                return Some(said);
            }
            (begins, look) = (ends + 2, ends + 2);
        }
    }
    None
}

/// What one event says; nothing where it only keeps the stream alive.
fn said(event: &[u8]) -> Option<Vec<u8>> {
    let lines = event.split(|byte| *byte == b'\n');
    let data = lines.filter_map(|line| line.strip_prefix(b"data:"));
    let data: Vec<&[u8]> = data.map(|line| line.strip_prefix(b" ").unwrap_or(line)).collect();
    let said = data.join(&b'\n');
    (!said.is_empty()).then_some(said)
}

/// Whether a message is the answer to a request.
fn is_answer(message: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Envelope {
        id: Option<IgnoredAny>,
        method: Option<IgnoredAny>,
    }
    let envelope = serde_json::from_slice::<Envelope>(message);
    envelope.is_ok_and(|envelope| envelope.id.is_some() && envelope.method.is_none())
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;

    use super::*;

    fn streamed(parts: Vec<String>) -> Response {
        let parts = parts.into_iter().map(|part| Ok::<_, std::io::Error>(Bytes::from(part)));
        let mut response = Body::from_stream(stream::iter(parts)).into_response();
        let kind = HeaderValue::from_static("text/event-stream");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response
    }

    async fn given(parts: Vec<String>) -> (String, String) {
        let response = as_one(streamed(parts)).await;
        let kind = response.headers()[header::CONTENT_TYPE].to_str().unwrap().to_owned();
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (kind, String::from_utf8(body.to_vec()).unwrap())
    }

    fn answer(letters: usize) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"{}\"}}", "x".repeat(letters))
    }

    const PRIMING: &str = "data: \nid: 0/1\nretry: 3000\n\n";

    #[tokio::test]
    async fn a_large_answer_goes_as_one_message_however_it_comes() {
        let large = answer(FITS);
        let event = format!("id: 1/1\ndata: {large}\n\n");
        let (head, tail) = event.split_at(event.len() - 1);
        for parts in [
            vec![format!("{PRIMING}{event}")],
            vec![PRIMING.to_owned(), event.clone()],
            vec![": alive\n\n".to_owned(), head.to_owned(), tail.to_owned()],
        ] {
            let (kind, said) = given(parts).await;
            assert_eq!(kind, "application/json");
            assert!(said == large);
        }
    }

    #[tokio::test]
    async fn whatever_else_is_said_goes_as_it_came() {
        let told = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n";
        let large = format!("data: {}\n\n", answer(FITS));
        let asks = large.replacen("\"id\"", "\"method\":\"ping\",\"id\"", 1);
        for parts in [
            vec![PRIMING.to_owned(), format!("data: {}\n\n", answer(10))],
            vec![PRIMING.to_owned(), told.to_owned(), large.clone()],
            vec![asks],
            vec![PRIMING.to_owned()],
            vec![],
        ] {
            let whole = parts.concat();
            let (kind, said) = given(parts).await;
            assert_eq!(kind, "text/event-stream");
            assert!(said == whole);
        }
    }
}
