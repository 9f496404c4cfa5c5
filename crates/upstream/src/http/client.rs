//! The HTTP client under the Streamable HTTP transport.
//!
//! rmcp has one that reads answers of any size into memory. This one holds no more than is
//! configured, and tells apart what a caller can do something about.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt;
use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta as _, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use serde::de::IgnoredAny;
use serde_json::Value;
use sse_stream_rmcp::Sse;

use super::apart;
use super::aside::aside;
use super::events::{Events, events, is_too_large};
use crate::digits;
use crate::feed::{Feed, shortened};
use crate::message::{self, TOO_LARGE, UNREADABLE, asked};
use crate::shallow::mended;
use crate::trace::{self, TraceParent};

const JSON: &str = "application/json";
const EVENT_STREAM: &str = "text/event-stream";
const SESSION: &str = "Mcp-Session-Id";
const LAST_EVENT: &str = "Last-Event-Id";
/// Bytes of an error page that are read.
const PAGE: usize = 64 << 10;
/// Bytes of an error page that are shown.
const SHOWN: usize = 500;

/// Why an HTTP request brought no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpProblem {
    /// The server said no.
    #[error("HTTP {status}: {body}")]
    Status {
        /// With this status.
        status: StatusCode,
        /// The beginning of what it wrote.
        body: String,
    },
    /// The request or its answer got lost.
    #[error("{}", with_causes(.0))]
    Request(#[from] reqwest::Error),
    /// The answer is larger than allowed.
    #[error("the answer has more than {0} bytes")]
    TooLarge(usize),
}

/// reqwest says "error sending request" and leaves the rest to its causes. Addresses may carry
/// keys, so they are left out.
pub(crate) fn with_causes(problem: &reqwest::Error) -> String {
    let mut text = if problem.is_connect() {
        "connecting failed".to_owned()
    } else {
        "the request failed".to_owned()
    };
    let mut source = std::error::Error::source(problem);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

type Failure = StreamableHttpError<HttpProblem>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// A client whose answers are bounded.
#[derive(Clone)]
pub(crate) struct BoundedClient {
    http: reqwest::Client,
    limit: usize,
    feed: Arc<Feed>,
}

impl BoundedClient {
    pub(crate) fn new(http: reqwest::Client, limit: usize, feed: Arc<Feed>) -> Self {
        Self { http, limit, feed }
    }

    /// rmcp begins a new session by itself, with what may be another server by now.
    fn session_expired(&self) -> Failure {
        self.feed.tools_changed();
        Failure::SessionExpired
    }

    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let has_session = session.is_some();
        let request = self.http.post(uri).header(ACCEPT, format!("{JSON}, {EVENT_STREAM}"));
        let written = asked::leaving(message).map_err(|problem| Failure::Io(problem.into()))?;
        let request = request.header(CONTENT_TYPE, JSON).body(written);
        let mut request = prepared(request, session, token, headers);
        if let Some(parent) = parent(message) {
            request = parent.on(request);
        }
        let response = request.send().await.map_err(HttpProblem::from).map_err(Failure::Client)?;
        let response = admitted(response)?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            // Within a session the answer to something accepted may still come by its stream.
            let may_come = status == StatusCode::ACCEPTED && has_session;
            if matches!(message, JsonRpcMessage::Request(_)) && !may_come {
                let text = format!("HTTP {status} to a request, which has to be answered");
                return Err(Failure::UnexpectedServerResponse(text.into()));
            }
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(self.session_expired());
        }
        if !status.is_success() {
            return self.refused(message, has_session, response).await;
        }
        let session =
            response.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let kind = content_type(&response);
        if kind.starts_with(EVENT_STREAM) {
            let events =
                answered_in_any_case(events(response, self.limit), number(message), self.limit);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let expects_answer = matches!(message, JsonRpcMessage::Request(_));
        if !kind.starts_with(JSON) && expects_answer {
            let body = body(response, PAGE).await.unwrap_or_default();
            let shown = format!("a {kind:?} instead of an answer: {}", page(&body));
            return Err(Failure::UnexpectedServerResponse(shown.into()));
        }
        let answer = match body(response, self.limit).await {
            Ok(bytes) => {
                let id = number(message);
                aside(bytes.len(), move || whole(&bytes, id, session)).await
            }
            Err(HttpProblem::TooLarge(limit)) => {
                let answer = too_large(number(message), limit);
                Ok(StreamableHttpPostResponse::Json(answer, session))
            }
            Err(problem) => return Err(Failure::Client(problem)),
        };
        match answer {
            Ok(answer) => Ok(answer),
            // Nobody waits for an answer to a notification.
            Err(_) if !expects_answer => Ok(StreamableHttpPostResponse::Accepted),
            Err(problem) => Err(Failure::UnexpectedServerResponse(problem.into())),
        }
    }

    /// A status that says no, perhaps with an error of the protocol in its body.
    async fn refused(
        &self,
        message: &ClientJsonRpcMessage,
        has_session: bool,
        response: reqwest::Response,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let status = response.status();
        let bytes = body(response, PAGE).await.unwrap_or_default();
        if has_session && status == StatusCode::BAD_REQUEST && speaks_of_session(&bytes) {
            return Err(self.session_expired());
        }
        let is_discover = matches!(message, JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::DiscoverRequest(_)));
        let is_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let said = match serde_json::from_slice::<ServerJsonRpcMessage>(&bytes) {
            Ok(JsonRpcMessage::Error(error)) if !is_login => Some(error.error),
            _ => None,
        };
        let said = match said {
            // A server of before 2026-07-28 refuses what it does not know with any status.
            None if is_discover && status.is_client_error() && !is_login => {
                Some(ErrorData::invalid_request(format!("HTTP {status}"), None))
            }
            said => said,
        };
        match (said, number(message)) {
            (Some(error), Some(id)) => Ok(StreamableHttpPostResponse::Json(
                ServerJsonRpcMessage::error(error, Some(id)),
                None,
            )),
            _ if status == StatusCode::UNAUTHORIZED => {
                Err(Failure::UnexpectedServerResponse(format!("HTTP {status}").into()))
            }
            _ => Err(Failure::Client(HttpProblem::Status { status, body: page(&bytes) })),
        }
    }
}

impl StreamableHttpClient for BoundedClient {
    type Error = HttpProblem;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post(&uri, &message, session_id, auth_header, custom_headers).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        let request =
            prepared(self.http.delete(uri.as_ref()), Some(session_id), auth_header, custom_headers);
        let response = request.send().await.map_err(HttpProblem::from).map_err(Failure::Client)?;
        match response.status() {
            status if status.is_success() => Ok(()),
            StatusCode::METHOD_NOT_ALLOWED => Err(Failure::ServerDoesNotSupportDeleteSession),
            status => Err(Failure::Client(HttpProblem::Status { status, body: String::new() })),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<Events, Failure> {
        let mut request = self.http.get(uri.as_ref()).header(ACCEPT, EVENT_STREAM);
        if let Some(last) = last_event_id {
            request = request.header(LAST_EVENT, last);
        }
        let request = prepared(request, session_id, auth_header, custom_headers);
        let response = request.send().await.map_err(HttpProblem::from).map_err(Failure::Client)?;
        let response = admitted(response)?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(Failure::ServerDoesNotSupportSse),
            status if !status.is_success() => {
                let body = page(&body(response, PAGE).await.unwrap_or_default());
                Err(Failure::Client(HttpProblem::Status { status, body }))
            }
            _ if !content_type(&response).starts_with(EVENT_STREAM) => {
                Err(Failure::UnexpectedContentType(Some(content_type(&response))))
            }
            _ => Ok(apart::one_by_one(events(response, self.limit), None)),
        }
    }
}

/// Whether a refusal is about a session that the server does not know any more. The protocol has
/// a status of its own for that (404), which not every server has heard of.
fn speaks_of_session(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).to_ascii_lowercase().contains("session")
}

/// The trace that a request belongs to: proxies on the way read headers, not messages.
fn parent(message: &ClientJsonRpcMessage) -> Option<TraceParent> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let meta = request.request.get_meta();
    let said = |key: &str| meta.get(key).and_then(Value::as_str);
    let parent = TraceParent::parse(said(trace::TRACEPARENT)?)?;
    Some(parent.with_state(said(trace::TRACESTATE)))
}

/// A request with what goes with every one of them.
fn prepared(
    request: reqwest::RequestBuilder,
    session: Option<Arc<str>>,
    token: Option<String>,
    headers: Headers,
) -> reqwest::RequestBuilder {
    let mut request = request.headers(headers.into_iter().collect());
    if let Some(session) = session {
        request = request.header(SESSION, session.as_ref());
    }
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    request
}

/// A response that does not ask who we are.
fn admitted(response: reqwest::Response) -> Result<reqwest::Response, Failure> {
    let challenge =
        response.headers().get(WWW_AUTHENTICATE).and_then(|challenge| challenge.to_str().ok());
    match (response.status(), challenge) {
        (StatusCode::UNAUTHORIZED, Some(challenge)) => {
            Err(Failure::AuthRequired(AuthRequiredError::new(challenge.to_owned())))
        }
        (StatusCode::FORBIDDEN, Some(challenge)) if challenge.contains("insufficient_scope") => {
            Err(Failure::InsufficientScope(InsufficientScopeError::new(challenge.to_owned(), None)))
        }
        _ => Ok(response),
    }
}

/// Events that end with an answer to request `id` even when the answer was too large to pass on.
fn answered_in_any_case(events: Events, id: Option<RequestId>, limit: usize) -> Events {
    let waits = id.clone();
    let answered = events.map(move |event| match event {
        Ok(event) => Ok(event),
        Err(problem) if is_too_large(&problem) => match &id {
            Some(id) => {
                let error = message::error(
                    TOO_LARGE,
                    format!("more than {limit} bytes"),
                    None,
                    Some(id.clone()),
                );
                serde_json::to_string(&error)
                    .map(|text| Sse::default().data(text))
                    .map_err(|_| problem)
            }
            None => Err(problem),
        },
        Err(problem) => Err(problem),
    });
    apart::one_by_one(answered.boxed(), waits)
}

/// An event as rmcp reads it. One that is not JSON and has the number of the request fails it: rmcp would pass it over,
/// and nothing else would come.
pub(super) fn understood(event: Sse, id: Option<&RequestId>) -> Sse {
    let Some(data) = event.data.as_deref().filter(|data| !data.trim().is_empty()) else {
        return event;
    };
    if let Some(request) = asked::readable(data) {
        return Sse { data: Some(request), ..event };
    }
    let Err(problem) = serde_json::from_str::<IgnoredAny>(data) else {
        return match digits::kept_in(data) {
            Some(kept) => Sse { data: Some(kept), ..event },
            None => event,
        };
    };
    let bytes = data.as_bytes();
    if let Some(mended) = mended(bytes).and_then(|bytes| String::from_utf8(bytes).ok())
        && serde_json::from_str::<IgnoredAny>(&mended).is_ok()
    {
        return Sse { data: Some(mended), ..event };
    }
    if id.is_none() || asked::is_asked(bytes) || message::number_of(bytes).as_ref() != id {
        return event;
    }
    let text = message::described(&problem.to_string(), bytes);
    let error = message::error(UNREADABLE, text, None, id.cloned());
    match serde_json::to_string(&error) {
        Ok(text) => Sse { data: Some(text), ..event },
        Err(_) => event,
    }
}

fn too_large(id: Option<RequestId>, limit: usize) -> ServerJsonRpcMessage {
    message::error(TOO_LARGE, format!("more than {limit} bytes"), None, id)
}

/// What a body says: several messages as a stream, or one.
fn whole(
    bytes: &[u8],
    id: Option<RequestId>,
    session: Option<String>,
) -> Result<StreamableHttpPostResponse, String> {
    if let Some(events) = id.as_ref().and_then(|id| apart::document(bytes, id)) {
        return Ok(StreamableHttpPostResponse::Sse(events, session));
    }
    Ok(StreamableHttpPostResponse::Json(read(bytes, id)?, session))
}

/// The message in a body; an error for request `id` when it is JSON that we do not understand.
fn read(bytes: &[u8], id: Option<RequestId>) -> Result<ServerJsonRpcMessage, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mended = || serde_json::from_slice(&mended(bytes)?).ok();
    let kept = std::str::from_utf8(bytes).ok().and_then(digits::kept_in);
    let bytes = kept.as_ref().map_or(bytes, String::as_bytes);
    match serde_json::from_slice(bytes).or_else(|problem| mended().ok_or(problem)) {
        Ok(message) => Ok(message),
        Err(problem) if id.is_some() => {
            let text = format!("the answer is not readable: {problem}: {}", page(bytes));
            Ok(message::error(UNREADABLE, text, None, id))
        }
        Err(problem) => Err(problem.to_string()),
    }
}

fn number(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}

fn content_type(response: &reqwest::Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.unwrap_or_default().to_ascii_lowercase()
}

/// A whole body of at most `limit` bytes.
async fn body(mut response: reqwest::Response, limit: usize) -> Result<Vec<u8>, HttpProblem> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if bytes.len() + chunk.len() > limit {
            return Err(HttpProblem::TooLarge(limit));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The beginning of a page, on one line.
fn page(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_of_byte_order_before_an_answer_is_passed_over() {
        let id = Some(RequestId::Number(1));
        let answer = read(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", id);
        assert!(matches!(answer, Ok(JsonRpcMessage::Response(_))), "{answer:?}");
    }
}
