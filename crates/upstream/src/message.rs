//! Messages of a server: from bytes to what rmcp takes.
//!
//! rmcp tries each result against every type it knows and drops what fits none, which leaves the
//! caller waiting. So results of ordinary requests pass through here as plain JSON and are read
//! by [`mcp`](crate::mcp), and whatever cannot be passed on fails the request it belongs to:
//!
//! * **Nobody is left waiting.** An answer that is too large or not readable becomes an error of
//!   the request whose number it carries.
//! * **Nor is a server.** What it asks is answered, also where rmcp cannot read it; see [`asked`].
//! * **Only the handshake is typed.** rmcp reads those answers itself.

pub(crate) mod asked;
pub(crate) mod batch;

use std::borrow::Cow;
use std::collections::HashMap;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, CustomResult, ErrorCode, ErrorData,
    JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::digits;
use crate::shallow::mended;

/// Stands for an answer that was too large. Outside the numbers that JSON-RPC reserves.
pub(crate) const TOO_LARGE: ErrorCode = ErrorCode(-31_901);
/// Stands for an answer that could not be read.
pub(crate) const UNREADABLE: ErrorCode = ErrorCode(-31_902);

/// How much of the two ends of an overlong message is searched for its number.
pub(crate) const ENDS: usize = 1 << 10;

/// Bytes before and after what is wrong with a message that are shown.
const NEAR: usize = 24;

/// What came of some bytes.
#[derive(Debug)]
pub(crate) enum Received {
    /// Messages, mostly one.
    Messages(Vec<ServerJsonRpcMessage>),
    /// Something that is no message.
    Stray,
}

/// The requests that wait for an answer, and how to read it.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    pending: HashMap<RequestId, Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Discover,
    Initialize,
    Subscription,
    Plain,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default, borrow)]
    method: Option<&'a RawValue>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

impl Inbox {
    /// Remembers a message that is about to be sent.
    pub(crate) fn sending(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                let kind = match &request.request {
                    ClientRequest::DiscoverRequest(_) => Kind::Discover,
                    ClientRequest::InitializeRequest(_) => Kind::Initialize,
                    ClientRequest::SubscriptionsListenRequest(_) => Kind::Subscription,
                    _ => Kind::Plain,
                };
                self.pending.insert(request.id.clone(), kind);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.pending.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Reads one message, or several in an array.
    pub(crate) fn received(&mut self, bytes: &[u8]) -> Received {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii();
        match bytes.first() {
            Some(b'{') => self.object(bytes),
            Some(b'[') => match batch::members(bytes) {
                Ok(parts) => {
                    let read =
                        parts.iter().flat_map(|part| match self.object(part.get().as_bytes()) {
                            Received::Messages(messages) => messages,
                            Received::Stray => Vec::new(),
                        });
                    Received::Messages(read.collect())
                }
                Err(batch::Untaken::TooMany) => {
                    Received::Messages(self.fail_all(UNREADABLE, &batch::said_too_many()))
                }
                Err(batch::Untaken::NoJson) => Received::Stray,
            },
            _ => Received::Stray,
        }
    }

    fn object(&mut self, bytes: &[u8]) -> Received {
        match self.one(bytes) {
            Ok(message) => Received::Messages(vec![message]),
            Err(problem) => match mended(bytes).map(|bytes| self.one(&bytes)) {
                Some(Ok(message)) => Received::Messages(vec![message]),
                _ => self.unreadable(bytes, &problem),
            },
        }
    }

    /// A message was too long to keep; `head` and `tail` are its two ends.
    pub(crate) fn too_large(
        &mut self,
        head: &[u8],
        tail: &[u8],
        limit: usize,
    ) -> Vec<ServerJsonRpcMessage> {
        if asked::is_asked(head) {
            // It carries a number of the server's own, and no answer of ours is lost with it.
            return asked::meant(head).into_iter().collect();
        }
        let text = format!("the answer has more than {limit} bytes");
        let number = number_in_head(head).or_else(|| number_in_tail(tail));
        let found = number.and_then(|id| self.take(&id));
        self.failed(found.map(|(id, _)| id), TOO_LARGE, &text)
    }

    /// Fails every request that still waits.
    pub(crate) fn fail_all(&mut self, code: ErrorCode, text: &str) -> Vec<ServerJsonRpcMessage> {
        self.failed(None, code, text)
    }

    /// Fails `id`, or all that wait when it is not known whose answer it was.
    fn failed(
        &mut self,
        id: Option<RequestId>,
        code: ErrorCode,
        text: &str,
    ) -> Vec<ServerJsonRpcMessage> {
        let ids = match id {
            Some(id) => vec![id],
            None => self
                .pending
                .extract_if(|_, kind| *kind != Kind::Subscription)
                .map(|(id, _)| id)
                .collect(),
        };
        ids.into_iter().map(|id| error(code, text.to_owned(), None, Some(id))).collect()
    }

    fn one(&mut self, bytes: &[u8]) -> Result<ServerJsonRpcMessage, String> {
        let envelope: Envelope<'_> =
            serde_json::from_slice(bytes).map_err(|problem| problem.to_string())?;
        if envelope.method.is_some() {
            return match serde_json::from_slice(bytes) {
                Ok(message) => Ok(message),
                Err(problem) => asked::meant(bytes).ok_or_else(|| problem.to_string()),
            };
        }
        let id = envelope.id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
        if let Some(result) = envelope.result {
            let id = id.ok_or("an answer without a number")?;
            // Read first: an answer that is too deep still finds its request waiting.
            let mut value: Value =
                serde_json::from_str(result.get()).map_err(|problem| problem.to_string())?;
            digits::keep(&mut value, result.get());
            let (id, kind) = self.take(&id).unwrap_or((id, Kind::Plain));
            return Ok(ServerJsonRpcMessage::response(result_of(kind, value), id));
        }
        let Some(problem) = envelope.error else {
            return Err("it has neither `method` nor `result` nor `error`".to_owned());
        };
        let problem: Value =
            serde_json::from_str(problem.get()).map_err(|problem| problem.to_string())?;
        let id = match id {
            Some(id) => self.take(&id).map_or(id, |(id, _)| id),
            None => self.only_one().ok_or("an error without a number")?,
        };
        Ok(error_of(problem, id))
    }

    /// Removes a waiting request; servers sometimes make a text of its number.
    fn take(&mut self, id: &RequestId) -> Option<(RequestId, Kind)> {
        if let Some(found) = self.pending.remove_entry(id) {
            return Some(found);
        }
        let RequestId::String(text) = id else { return None };
        self.pending.remove_entry(&RequestId::Number(text.parse().ok()?))
    }

    fn only_one(&mut self) -> Option<RequestId> {
        let mut waiting = self.pending.iter().filter(|(_, kind)| **kind != Kind::Subscription);
        let id = waiting.next().map(|(id, _)| id.clone()).filter(|_| waiting.next().is_none())?;
        self.pending.remove(&id);
        Some(id)
    }

    /// A line that looks like a message and is none: fails its request, if it names one.
    fn unreadable(&mut self, bytes: &[u8], problem: &str) -> Received {
        // The number of a request is the server's own, though one of ours may have the same.
        if asked::is_asked(bytes) {
            return match asked::meant(bytes) {
                Some(message) => Received::Messages(vec![message]),
                None => Received::Stray,
            };
        }
        match number_of(bytes).and_then(|id| self.take(&id)) {
            Some((id, _)) => {
                Received::Messages(self.failed(Some(id), UNREADABLE, &described(problem, bytes)))
            }
            None => Received::Stray,
        }
    }
}

/// The number of a message that cannot be read, where its ends are plain.
pub(crate) fn number_of(bytes: &[u8]) -> Option<RequestId> {
    let tail = &bytes[bytes.len().saturating_sub(ENDS)..];
    number_in_head(bytes).or_else(|| number_in_tail(tail))
}

/// What is wrong with a message, and where.
pub(crate) fn described(problem: &str, bytes: &[u8]) -> String {
    let Err(error) = serde_json::from_slice::<Value>(bytes) else {
        return format!("the answer is not readable: {problem}");
    };
    if error.line() != 1 {
        return format!("the answer is not readable: {error}");
    }
    let at = error.column().min(bytes.len());
    let near = &bytes[at.saturating_sub(NEAR)..bytes.len().min(at + NEAR)];
    format!("the answer is not readable: {error}, near `{}`", String::from_utf8_lossy(near).trim())
}

/// An answer in the type that its reader expects.
fn result_of(kind: Kind, mut value: Value) -> ServerResult {
    // What the handshake must contain but some servers leave out.
    let defaults: &[(&str, Value)] = match kind {
        Kind::Plain => return ServerResult::CustomResult(CustomResult(value)),
        Kind::Subscription => &[],
        Kind::Discover => &[
            ("resultType", json!("complete")),
            ("capabilities", json!({})),
            ("ttlMs", json!(0)),
            ("cacheScope", json!("private")),
        ],
        Kind::Initialize => {
            &[("capabilities", json!({})), ("serverInfo", json!({"name": "", "version": ""}))]
        }
    };
    if let Value::Object(fields) = &mut value {
        for (key, default) in defaults {
            fields.entry(*key).or_insert_with(|| default.clone());
        }
        if let Some(capabilities) = fields.get_mut("capabilities") {
            as_objects(capabilities);
        }
    }
    let read = match kind {
        Kind::Discover => serde_json::from_value(value.clone()).map(ServerResult::DiscoverResult),
        Kind::Initialize => {
            serde_json::from_value(value.clone()).map(ServerResult::InitializeResult)
        }
        Kind::Subscription | Kind::Plain => serde_json::from_value(value.clone()),
    };
    read.unwrap_or(ServerResult::CustomResult(CustomResult(value)))
}

/// Empty lists as what is meant by them: PHP does not tell them from empty objects.
fn as_objects(capabilities: &mut Value) {
    if capabilities.as_array().is_some_and(Vec::is_empty) {
        *capabilities = json!({});
    }
    for one in capabilities.as_object_mut().into_iter().flat_map(Map::values_mut) {
        as_objects(one);
    }
}

fn error_of(mut problem: Value, id: RequestId) -> ServerJsonRpcMessage {
    let code =
        problem.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
    let message = match problem.get_mut("message").map(Value::take) {
        Some(Value::String(message)) => message,
        Some(other) => other.to_string(),
        None => problem.to_string(),
    };
    let data = problem.get_mut("data").map(Value::take);
    error(code.map_or(ErrorCode::INTERNAL_ERROR, ErrorCode), message, data, Some(id))
}

/// A message that fails a request.
pub(crate) fn error(
    code: ErrorCode,
    message: impl Into<Cow<'static, str>>,
    data: Option<Value>,
    id: Option<RequestId>,
) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(code, message, data), id)
}

/// The `id` among the first members of an object, as far as these are plain.
fn number_in_head(bytes: &[u8]) -> Option<RequestId> {
    serde_json::from_slice(in_head(bytes, b"id")?).ok()
}

/// Whether a key is among the first members of an object, as far as these are plain.
fn head_has(bytes: &[u8], wanted: &[u8]) -> bool {
    in_head(bytes, wanted).is_some()
}

/// What a key has among the first members of an object, as far as these are plain.
fn in_head<'a>(bytes: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let mut rest = bytes[..bytes.len().min(ENDS)].trim_ascii_start().strip_prefix(b"{")?;
    loop {
        let (key, after) = string(rest.trim_ascii_start())?;
        rest = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let (value, after) = scalar(rest)?;
        if key == wanted {
            return Some(value);
        }
        rest = after.trim_ascii_start().strip_prefix(b",")?;
    }
}

/// The `id` among the last members of an object, as far as these are plain.
fn number_in_tail(bytes: &[u8]) -> Option<RequestId> {
    let key = b"\"id\"";
    let at = bytes.windows(key.len()).rposition(|window| window == key)?;
    let rest = bytes[at + key.len()..].trim_ascii_start().strip_prefix(b":")?;
    let (value, mut rest) = scalar(rest.trim_ascii_start())?;
    loop {
        rest = rest.trim_ascii_start();
        if let Some(end) = rest.strip_prefix(b"}") {
            return if end.trim_ascii().is_empty() {
                serde_json::from_slice(value).ok()
            } else {
                None
            };
        }
        let (_, after) = string(rest.strip_prefix(b",")?.trim_ascii_start())?;
        (_, rest) = scalar(after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start())?;
    }
}

/// The text between quotes at the start, and what follows it.
fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(b"\"")?;
    let mut escaped = false;
    let end = rest.iter().position(|byte| {
        let ends = !escaped && *byte == b'"';
        escaped = !escaped && *byte == b'\\';
        ends
    })?;
    Some((&rest[..end], &rest[end + 1..]))
}

/// A text, number or word at the start, quotes included, and what follows it.
fn scalar(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    if bytes.first() == Some(&b'"') {
        let (text, rest) = string(bytes)?;
        return Some((&bytes[..text.len() + 2], rest));
    }
    let end =
        bytes.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"+-.".contains(byte)))?;
    if end == 0 { None } else { Some(bytes.split_at(end)) }
}

#[cfg(test)]
mod tests;
