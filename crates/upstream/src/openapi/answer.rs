//! What an HTTP service answered, as a tool's result.
//!
//! The body is read as it comes and never held beyond what is allowed. JSON becomes structured
//! content, whatever its type; text, pictures and sound become parts of their kind; other bytes
//! become an enclosed resource. A status that means failure becomes a result that says so; one that
//! leaves open whether something was changed is no answer at all.

use std::error::Error as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use catalog::{ServerName, ToolName};
use futures_util::StreamExt as _;
use http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response};
use serde_json::Value;
use url::Url;

use super::base::shown;
use super::body::{essence, is_json, is_text};
use super::document::shortened;
use crate::digits;
use crate::error::{CallFailure, ConnectError};
use crate::result::{Part, Resource, ToolResult};
use crate::trace;

/// Bytes of a failure's body that are passed on.
const MOST_FAILURE_BYTES: usize = 2048;

/// Redirects that are followed, one after the other.
const MOST_REDIRECTS: usize = 5;

/// The code for arguments that a tool cannot be called with.
const INVALID_PARAMETERS: i64 = -32602;

/// Follows redirects within one origin only. Configured headers are secrets more often than not,
/// and an HTTP client takes away but the well-known ones when a redirect leads elsewhere.
pub(crate) fn redirects() -> Policy {
    Policy::custom(|attempt| {
        let previous = attempt.previous();
        let stays = previous.last().is_some_and(|url| url.origin() == attempt.url().origin());
        if stays && previous.len() <= MOST_REDIRECTS { attempt.follow() } else { attempt.stop() }
    })
}

/// Whose answer it is, and how large it may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller<'c> {
    pub(crate) server: &'c ServerName,
    pub(crate) tool: &'c ToolName,
    pub(crate) allowed: usize,
    /// Whether all it can do is read.
    pub(crate) only_reads: bool,
}

impl Caller<'_> {
    /// Sends a request and reads the answer.
    pub(crate) async fn send(self, request: RequestBuilder) -> Result<ToolResult, CallFailure> {
        let request = match trace::current() {
            Some(parent) => parent.on(request),
            None => request,
        };
        let response = request.send().await.map_err(|error| self.failed(error))?;
        self.read(response).await
    }

    /// The call was refused before anything was sent.
    pub(crate) fn refused(self, message: String) -> CallFailure {
        CallFailure::Refused {
            server: self.server.clone(),
            tool: self.tool.clone(),
            code: INVALID_PARAMETERS,
            message,
        }
    }

    async fn read(self, response: Response) -> Result<ToolResult, CallFailure> {
        let status = response.status();
        let headers = response.headers().clone();
        let url = response.url().clone();
        if status.is_success() || status == StatusCode::NOT_MODIFIED {
            let bytes = self.body(response).await?;
            return Ok(converted(&headers, &url, bytes));
        }
        if status.is_redirection() {
            return Ok(failure(format!("HTTP {status}: {}", redirect(&headers, &url))));
        }
        let (bytes, is_whole) = beginning(response).await;
        let said = explained(self.server, status, &headers, &bytes, is_whole);
        if !self.only_reads && leaves_open(status) {
            let (server, tool) = (self.server.clone(), self.tool.clone());
            return Err(CallFailure::Unreadable { server, tool, problem: said });
        }
        Ok(failure(said))
    }

    /// The whole body, if it is not larger than allowed.
    async fn body(self, response: Response) -> Result<Vec<u8>, CallFailure> {
        let too_large = || CallFailure::TooLarge {
            server: self.server.clone(),
            tool: self.tool.clone(),
            allowed: self.allowed,
        };
        let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
        if announced.is_some_and(|length| length > self.allowed) {
            return Err(too_large());
        }
        let mut bytes = Vec::with_capacity(announced.unwrap_or(0).min(1 << 20));
        let mut stream = response.bytes_stream();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| self.broken(error))?;
            if bytes.len() + chunk.len() > self.allowed {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    /// Why nothing came back, and whether the call may have been carried out.
    fn failed(self, error: reqwest::Error) -> CallFailure {
        if error.is_connect() {
            let place = error.url().map_or_else(String::new, shown);
            let reason = reason(error);
            return ConnectError::Unusable { server: self.server.clone(), place, reason }.into();
        }
        if error.is_builder() {
            return self.refused(reason(error));
        }
        self.broken(error)
    }

    fn broken(self, error: reqwest::Error) -> CallFailure {
        CallFailure::Broken {
            server: self.server.clone(),
            tool: self.tool.clone(),
            reason: reason(error),
        }
    }
}

/// Whether a status says nothing about what was done: whoever stands before a service answers with it when
/// the service takes too long, and a service when it came to grief half-way.
fn leaves_open(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT
}

/// What went wrong, down to its cause, without the address: its query may hold secrets.
pub(crate) fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_words = cause.to_string();
        if !words.contains(&cause_words) {
            words = format!("{words}: {cause_words}");
        }
        source = cause.source();
    }
    shortened(&words, 500)
}

/// The first bytes of a failure's body. Whether it can be read to its end does not matter any more.
async fn beginning(response: Response) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(Ok(chunk)) = stream.next().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MOST_FAILURE_BYTES {
            bytes.truncate(MOST_FAILURE_BYTES);
            return (bytes, false);
        }
    }
    (bytes, true)
}

fn redirect(headers: &HeaderMap, url: &Url) -> String {
    let target = headers.get(LOCATION).and_then(|location| location.to_str().ok());
    match target.and_then(|target| url.join(target).ok()) {
        Some(target) if target.origin() == url.origin() => "too many redirects".to_owned(),
        Some(target) => {
            format!(
                "redirected to {}, which is not followed since it is another host",
                shown(&target)
            )
        }
        None => "redirected without saying where".to_owned(),
    }
}

fn failure(text: String) -> ToolResult {
    ToolResult { structured: None, content: vec![Part::Text { text }], is_error: true }
}

/// A status that means failure, in words.
fn explained(
    server: &ServerName,
    status: StatusCode,
    headers: &HeaderMap,
    bytes: &[u8],
    is_whole: bool,
) -> String {
    let hint = if status == StatusCode::UNAUTHORIZED {
        format!(
            " (the service wants other credentials; setting `headers` of server {:?})",
            server.0
        )
    } else {
        String::new()
    };
    let after = headers.get(RETRY_AFTER).and_then(|after| after.to_str().ok());
    let after =
        after.map_or_else(String::new, |after| format!(" (retry after {})", shortened(after, 60)));
    let is_shown = match media_type(headers) {
        Some(kind) => is_json(&essence(&kind)) || is_text(&essence(&kind)),
        None => true,
    };
    let body = String::from_utf8_lossy(bytes);
    let body = body.trim();
    let body = if is_shown && !body.is_empty() { format!(": {body}") } else { String::new() };
    let end = if is_whole || body.is_empty() { "" } else { "… (shortened)" };
    format!("HTTP {status}{hint}{after}{body}{end}")
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    Some(headers.get(CONTENT_TYPE)?.to_str().ok()?.to_owned())
}

fn converted(headers: &HeaderMap, url: &Url, bytes: Vec<u8>) -> ToolResult {
    if bytes.is_empty() {
        return structured(Value::Null);
    }
    let declared = media_type(headers).unwrap_or_default();
    let kind = essence(&declared);
    if is_json(&kind) || kind.is_empty() {
        // The promise is broken often enough that the text itself is worth more than an error.
        if let Ok(value) = serde_json::from_slice(&bytes) {
            let text = std::str::from_utf8(&bytes).ok();
            return match text.and_then(|text| digits::lost(&value, text)) {
                Some(text) => {
                    let content = vec![Part::Text { text }];
                    ToolResult { structured: None, content, is_error: false }
                }
                None => structured(value),
            };
        }
    }
    let media_type =
        if kind.is_empty() { "application/octet-stream".to_owned() } else { kind.clone() };
    let is_media = kind.starts_with("image/") || kind.starts_with("audio/");
    let is_text = !is_media && (is_text(&kind) || is_json(&kind) || kind.is_empty());
    let part = match text(&declared, bytes) {
        Ok(text) if is_text => Part::Text { text },
        Ok(text) => binary(url, media_type, text.as_bytes()),
        Err(bytes) => binary(url, media_type, &bytes),
    };
    ToolResult { structured: None, content: vec![part], is_error: false }
}

fn structured(value: Value) -> ToolResult {
    ToolResult { structured: Some(value), content: Vec::new(), is_error: false }
}

/// Text in the encodings that are still met; the bytes back if they are no text.
fn text(declared: &str, bytes: Vec<u8>) -> Result<String, Vec<u8>> {
    let declared = declared.to_ascii_lowercase();
    let is_latin =
        ["iso-8859-1", "latin1", "windows-1252"].iter().any(|name| declared.contains(name));
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if is_latin => Ok(error.into_bytes().into_iter().map(char::from).collect()),
        Err(error) => Err(error.into_bytes()),
    }
}

fn binary(url: &Url, media_type: String, bytes: &[u8]) -> Part {
    let data = STANDARD.encode(bytes);
    if media_type.starts_with("image/") {
        Part::Image { data, media_type }
    } else if media_type.starts_with("audio/") {
        Part::Audio { data, media_type }
    } else {
        Part::Resource(Resource {
            uri: shown(url),
            media_type: Some(media_type),
            text: None,
            blob: Some(data),
        })
    }
}
