//! Requests of a server that rmcp does not read.
//!
//! A server that asks waits for an answer, so whatever is wrong with what it sent, it becomes a request
//! that rmcp takes, and that [`mcp`](crate::mcp) answers:
//!
//! * **Small oddities are mended**: no `jsonrpc`, and `[]` or `null` for no parameters.
//! * **Parameters that make no sense are left out.** What is left is refused.
//! * **A number that rmcp has no type for** is carried as text, and is itself again in our answer.

use rmcp::model::{
    ClientJsonRpcMessage, CustomRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    ServerRequest,
};
use serde_json::{Map, Value};

use super::{Envelope, head_has, number_of};

/// Begins the text that stands for a number which rmcp has no type for.
const MARK: &str = "\u{1}number ";

/// The message that something with a method is meant to be; `None` where nobody waits for an answer and it
/// cannot be read.
pub(super) fn meant(bytes: &[u8]) -> Option<ServerJsonRpcMessage> {
    let Ok(Value::Object(mut fields)) = serde_json::from_slice(bytes) else {
        return is_asked(bytes).then(|| number_of(bytes)).flatten().map(|id| refused("", id));
    };
    let id = fields.get("id").filter(|id| !id.is_null()).cloned();
    // An answer has these, and a request that has them too would be read as neither.
    fields.retain(|key, _| ["id", "method", "params"].contains(&key.as_str()));
    fields.insert("jsonrpc".to_owned(), "2.0".into());
    let is_nothing =
        |params: &Value| params.is_null() || params.as_array().is_some_and(Vec::is_empty);
    if fields.get("params").is_some_and(is_nothing) {
        fields.remove("params");
    }
    let Some(id) = id else {
        fields.remove("id");
        return typed(fields);
    };
    let id = numbered(id);
    fields.insert("id".to_owned(), id.clone().into_json_value());
    let method = fields.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(typed(fields).unwrap_or_else(|| refused(&method, id)))
}

/// The same as text, for one that rmcp would pass over; `None` where it reads what came.
pub(crate) fn readable(text: &str) -> Option<String> {
    let envelope: Envelope<'_> = serde_json::from_str(text).ok()?;
    envelope.method?;
    if serde_json::from_str::<ServerJsonRpcMessage>(text).is_ok() {
        return None;
    }
    serde_json::to_string(&meant(text.as_bytes())?).ok()
}

/// Whether these bytes, which are no JSON, seem to be a request.
pub(crate) fn is_asked(bytes: &[u8]) -> bool {
    head_has(bytes, b"method")
}

/// A message as it leaves, with the numbers of requests as they came.
pub(crate) fn leaving(message: &ClientJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    let id = match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    };
    let carried = match id {
        Some(RequestId::String(text)) => text.strip_prefix(MARK),
        _ => None,
    };
    let Some(carried) = carried else { return serde_json::to_vec(message) };
    let mut whole = serde_json::to_value(message)?;
    whole["id"] = serde_json::from_str(carried)?;
    serde_json::to_vec(&whole)
}

fn typed(fields: Map<String, Value>) -> Option<ServerJsonRpcMessage> {
    serde_json::from_value(Value::Object(fields)).ok()
}

fn numbered(id: Value) -> RequestId {
    let carried = RequestId::String(format!("{MARK}{id}").into());
    serde_json::from_value(id).unwrap_or(carried)
}

/// A request that is refused by what it is called.
fn refused(method: &str, id: RequestId) -> ServerJsonRpcMessage {
    let method = if method.is_empty() { "what could not be read" } else { method };
    let request: ServerRequest = CustomRequest::new(method, None).into();
    JsonRpcMessage::request(request, id)
}
