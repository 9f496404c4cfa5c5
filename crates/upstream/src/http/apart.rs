//! Several messages in one event or document: each is taken as if it had come alone.
//!
//! rmcp reads one message from each, passes over an array without a word, and stops reading a stream
//! with the first answer. So an array becomes one event for each message in it, with the answer after
//! whatever the server asks and tells besides.

use futures_util::stream::{self, StreamExt as _};
use rmcp::model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::SseError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use sse_stream_rmcp::Sse;

use super::aside::aside;
use super::client::understood;
use super::events::Events;
use crate::digits;
use crate::message::batch::{self, Untaken};
use crate::message::{self, UNREADABLE};
use crate::shallow::mended;

/// The events of a stream, each of one message, for whoever waits for an answer to `id`.
pub(super) fn one_by_one(events: Events, id: Option<RequestId>) -> Events {
    let each = events.then(move |event| {
        let id = id.clone();
        async move {
            match event {
                Ok(event) => {
                    let bytes = event.data.as_ref().map_or(0, String::len);
                    let alone = aside(bytes, move || apart(event, id.as_ref())).await;
                    alone.into_iter().map(|(_, event)| Ok(event)).collect()
                }
                Err(problem) => vec![Err::<Sse, SseError>(problem)],
            }
        }
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
    if !events.iter().any(|(rank, _)| *rank == Rank::Ours) {
        let text =
            "the answer is not readable: none of the messages that came instead has its number";
        events.extend(failing(id, text));
    }
    Some(stream::iter(events.into_iter().map(|(_, event)| Ok(event))).boxed())
}

/// The messages of an event, each in one of its own.
fn apart(mut event: Sse, id: Option<&RequestId>) -> Vec<(Rank, Sse)> {
    let is_batch = |data: &mut String| batch::is_batch(data.as_bytes());
    // Taken out, because what is left of the event is copied for each of them.
    let Some(data) = event.data.take_if(is_batch) else {
        return vec![(Rank::Other, understood(event, id))];
    };
    let bytes = data.as_bytes();
    let whole;
    let members = match batch::members(bytes) {
        // Half a letter in one of them is no reason to lose all.
        Err(Untaken::NoJson) => {
            whole = mended(bytes);
            whole.as_deref().map_or(Err(Untaken::NoJson), batch::members)
        }
        read => read,
    };
    match members {
        Ok(members) => ordered(&members, &event, id),
        Err(Untaken::TooMany) if let Some(id) = id => {
            failing(id, &batch::said_too_many()).into_iter().collect()
        }
        Err(_) => vec![(Rank::Other, Sse { data: Some(data), ..event })],
    }
}

/// Each message in an event like `like`, with the answer after what the server asks and tells.
fn ordered(members: &[&RawValue], like: &Sse, id: Option<&RequestId>) -> Vec<(Rank, Sse)> {
    let one = |member: &&RawValue| readable(member.get(), like, id);
    let mut events: Vec<_> = members.iter().filter_map(one).collect();
    if id.is_some() {
        events.sort_by_key(|(rank, _)| *rank);
    }
    events
}

/// What rmcp reads of one message of several; one that it does not read would take those after it along.
fn readable(text: &str, like: &Sse, id: Option<&RequestId>) -> Option<(Rank, Sse)> {
    let alone = |text| Sse { data: Some(text), ..like.clone() };
    if let Ok(message) = serde_json::from_str(text) {
        let text = digits::kept_in(text).unwrap_or_else(|| text.to_owned());
        return Some((rank(&message, id), alone(text)));
    }
    let event = understood(alone(text.to_owned()), id);
    let data = event.data.as_deref()?;
    match serde_json::from_str(data) {
        Ok(message) => Some((rank(&message, id), event)),
        Err(problem) => {
            let id = id.filter(|id| answers(data, id))?;
            failing(id, &message::described(&problem.to_string(), data.as_bytes()))
        }
    }
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

fn rank(message: &ServerJsonRpcMessage, id: Option<&RequestId>) -> Rank {
    match message {
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => Rank::Asked,
        JsonRpcMessage::Response(answer) if Some(&answer.id) == id => Rank::Ours,
        JsonRpcMessage::Error(answer) if id.is_some() && answer.id.as_ref() == id => Rank::Ours,
        _ => Rank::Other,
    }
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(default)]
    method: Option<IgnoredAny>,
}

/// Whether a message that cannot be read is the answer to a request.
fn answers(data: &str, id: &RequestId) -> bool {
    serde_json::from_str::<Envelope>(data)
        .is_ok_and(|said| said.method.is_none() && said.id.as_ref() == Some(id))
}

/// An event that fails a request.
fn failing(id: &RequestId, text: &str) -> Option<(Rank, Sse)> {
    let error = message::error(UNREADABLE, text.to_owned(), None, Some(id.clone()));
    let text = serde_json::to_string(&error).ok()?;
    Some((Rank::Ours, Sse::default().data(text)))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use futures_util::FutureExt as _;
    use serde_json::{Value, json};

    use super::*;

    fn of(data: &str, id: Option<i64>) -> Vec<Value> {
        let id = id.map(RequestId::Number);
        let events = apart(Sse::default().data(data.to_owned()), id.as_ref());
        let data = events.into_iter().filter_map(|(_, event)| event.data);
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

    /// An array of a thousand messages of `bytes` each, the answer first.
    fn long(bytes: usize) -> String {
        let answer = json!({"jsonrpc": "2.0", "id": 3, "result": {}});
        let params = json!({"level": "info", "data": "x".repeat(bytes)});
        let told = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
        format!("[{answer},{}]", vec![told.to_string(); 999].join(","))
    }

    #[test]
    fn a_thousand_messages_take_about_as_long_as_their_bytes_in_one() {
        let many = long(20_000);
        let one = json!({"jsonrpc": "2.0", "id": 3, "result": {"text": "x".repeat(many.len())}});
        let one = one.to_string();
        let id = RequestId::Number(3);
        let taken = |data: &str| {
            let event = Sse::default().data(data.to_owned());
            let begun = Instant::now();
            let count = apart(event, Some(&id)).len();
            (begun.elapsed(), count)
        };
        let fastest = |data: &str| (0..3).map(|_| taken(data)).min().unwrap();
        let (alone, together) = (fastest(&one), fastest(&many));
        assert_eq!((alone.1, together.1), (1, 1_000));
        // A copy of all of them for each would take seconds.
        let most = 20 * alone.0 + Duration::from_millis(200);
        assert!(together.0 < most, "{together:?} {alone:?}");
    }

    #[test]
    fn a_long_array_is_read_beside_the_calls_to_other_servers() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.max_blocking_threads(1).build().unwrap().block_on(async {
            let event = Sse::default().data(long(1_000));
            let events = stream::iter([Ok::<Sse, SseError>(event)]).boxed();
            let mut events = one_by_one(events, Some(RequestId::Number(3)));
            // While the only other thread is busy, nothing is read, and this one is free.
            let (free, busy) = std::sync::mpsc::channel::<()>();
            let held = tokio::task::spawn_blocking(move || busy.recv());
            assert!(events.next().now_or_never().is_none());
            free.send(()).unwrap();
            held.await.unwrap().unwrap();
            let read: Vec<_> = events.collect().await;
            let last = read.last().unwrap().as_ref().unwrap().data.as_deref().unwrap();
            assert_eq!((read.len(), last.contains("result")), (1_000, true));
        });
    }
}
