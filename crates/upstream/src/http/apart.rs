//! Several messages in one event or document: each is taken as if it had come alone.
//!
//! rmcp reads one message from each, passes over an array without a word, and stops reading a stream
//! with the first answer. So an array becomes one event for each message in it, with the answer after
//! whatever the server asks and tells besides.

use futures_util::stream::{self, StreamExt as _};
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::SseError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use sse_stream_rmcp::Sse;

use super::client::understood;
use super::events::Events;
use crate::message::batch::{self, Untaken};
use crate::message::{self, UNREADABLE};
use crate::shallow::mended;

/// The events of a stream, each of one message, for whoever waits for an answer to `id`.
pub(super) fn one_by_one(events: Events, id: Option<RequestId>) -> Events {
    let each = events.map(move |event| match event {
        Ok(event) => apart(event, id.as_ref()).into_iter().map(Ok).collect(),
        Err(problem) => vec![Err::<Sse, SseError>(problem)],
    });
    each.flat_map(stream::iter).boxed()
}

/// The same for a document, if it is an array. Nothing comes after it, so that there is always an answer.
pub(super) fn document(bytes: &[u8], id: &RequestId) -> Option<Events> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if !batch::is_batch(bytes) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut events = apart(Sse::default().data(text), Some(id));
    if !events.iter().any(|event| rank(event, id) == Rank::Ours) {
        let text =
            "the answer is not readable: none of the messages that came instead has its number";
        events.extend(failing(id, text));
    }
    Some(stream::iter(events.into_iter().map(Ok)).boxed())
}

/// The messages of an event, each in one of its own.
fn apart(event: Sse, id: Option<&RequestId>) -> Vec<Sse> {
    let Some(data) = event.data.as_deref().filter(|data| batch::is_batch(data.as_bytes())) else {
        return vec![understood(event, id)];
    };
    let bytes = data.as_bytes();
    let whole = match batch::members(bytes) {
        // Half a letter in one of them is no reason to lose all.
        Err(Untaken::NoJson) => mended(bytes),
        _ => None,
    };
    let members = match batch::members(whole.as_deref().unwrap_or(bytes)) {
        Ok(members) => members,
        Err(Untaken::TooMany) if let Some(id) = id => {
            return failing(id, &batch::said_too_many()).into_iter().collect();
        }
        Err(_) => return vec![event],
    };
    let one = |member: &&RawValue| {
        let alone = Sse { data: Some(member.get().to_owned()), ..event.clone() };
        readable(understood(alone, id), id)
    };
    let mut events: Vec<Sse> = members.iter().filter_map(one).collect();
    if let Some(id) = id {
        events.sort_by_key(|event| rank(event, id));
    }
    events
}

/// What rmcp reads of one message of several; one that it does not read would take those after it along.
fn readable(event: Sse, id: Option<&RequestId>) -> Option<Sse> {
    let data = event.data.as_deref()?;
    let Err(problem) = serde_json::from_str::<ServerJsonRpcMessage>(data) else {
        return Some(event);
    };
    let id = id.filter(|id| rank(&event, id) == Rank::Ours)?;
    failing(id, &message::described(&problem.to_string(), data.as_bytes()))
}

/// In which order messages that came at once are passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// What the server asks or tells.
    Asked,
    /// The answer that is waited for.
    Ours,
    /// Whatever answers something else.
    Other,
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(default)]
    method: Option<IgnoredAny>,
}

fn rank(event: &Sse, id: &RequestId) -> Rank {
    let data = event.data.as_deref().unwrap_or_default();
    match serde_json::from_str::<Envelope>(data) {
        Ok(Envelope { method: Some(_), .. }) => Rank::Asked,
        Ok(Envelope { id: Some(found), .. }) if found == *id => Rank::Ours,
        _ => Rank::Other,
    }
}

/// An event that fails a request.
fn failing(id: &RequestId, text: &str) -> Option<Sse> {
    let error = message::error(UNREADABLE, text.to_owned(), None, Some(id.clone()));
    serde_json::to_string(&error).ok().map(|text| Sse::default().data(text))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(data: &str, id: Option<i64>) -> Vec<Value> {
        let id = id.map(RequestId::Number);
        let events = apart(Sse::default().data(data.to_owned()), id.as_ref());
        let data = events.into_iter().filter_map(|event| event.data);
        data.map(|data| serde_json::from_str(&data).unwrap()).collect()
    }

    #[test]
    fn the_answer_comes_after_what_the_server_asks_and_tells() {
        let answer = json!({"jsonrpc": "2.0", "id": 3, "result": {}});
        let asked = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
        let told = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        let other = json!({"jsonrpc": "2.0", "id": 4, "result": {}});
        let batch = json!([other, answer, 5, [answer], "x", asked, told]).to_string();
        assert_eq!(
            of(&batch, Some(3)),
            [asked.clone(), told.clone(), answer.clone(), other.clone()]
        );
        assert_eq!(of(&batch, None), [other, answer.clone(), asked, told]);
        assert_eq!(of(&answer.to_string(), Some(3)), [answer]);
    }

    #[test]
    fn one_that_cannot_be_read_fails_whoever_waits_for_it() {
        let said = of(r#"[{"jsonrpc":"2.0","id":3,"error":"no"}]"#, Some(3));
        assert_eq!((&said[0]["id"], &said[0]["error"]["code"]), (&json!(3), &json!(UNREADABLE.0)));
        assert!(of(r#"[{"jsonrpc":"2.0","id":4,"error":"no"}]"#, Some(3)).is_empty());
        // What a server asks is answered all the same.
        let said = of(r#"[{"id":1.5,"method":"roots/list","params":[]}]"#, None);
        assert_eq!(said[0]["method"], "roots/list");
    }

    #[test]
    fn too_many_fail_whoever_waits() {
        let batch = format!("[{}]", vec!["{}"; batch::MOST + 1].join(","));
        let said = of(&batch, Some(3));
        let words = said[0]["error"]["message"].as_str().unwrap();
        assert!(said.len() == 1 && words.contains("more than 1000 messages"), "{said:?}");
    }

    #[tokio::test]
    async fn a_document_always_has_an_answer() {
        let id = RequestId::Number(3);
        assert!(document(b"{}", &id).is_none());
        let events: Vec<_> = document(b"\xEF\xBB\xBF [] ", &id).unwrap().collect().await;
        let [Ok(event)] = &events[..] else { panic!("{events:?}") };
        assert!(event.data.as_deref().unwrap().contains("none of the messages"), "{event:?}");
    }
}
