//! Whose request a server is dealing with when it says or asks something.
//!
//! Progress names a request by its token, and over HTTP a question arrives on the stream of the
//! request it belongs to. Everywhere else a server's word names nobody. It is then taken for the
//! one request that is under way, if there is only one and none was given up before without an
//! answer; otherwise it belongs to nobody, because a question that reaches the wrong person is
//! worse than one that is refused.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use rmcp::model::{
    JsonRpcMessage, ProgressToken, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::InboundStreamOrigin;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::feed::lock;
use crate::passing::Event;

/// Requests without an answer that are remembered.
const GIVEN_UP: usize = 1_000;

/// Requests of one connection that are under way.
#[derive(Default)]
pub(super) struct Relay {
    under_way: Mutex<UnderWay>,
    /// Held while a request is sent, until it is known here.
    pub(super) sending: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct UnderWay {
    passed: HashMap<RequestId, Passed>,
    own: HashSet<RequestId>,
    given_up: HashSet<RequestId>,
}

struct Passed {
    token: ProgressToken,
    logs: bool,
    events: mpsc::Sender<Event>,
}

/// For whom a request was sent.
pub(super) enum For<'a> {
    /// For us, or a program.
    Us,
    /// For a client that hears what happens, log messages too if it wants them.
    Client { events: &'a mpsc::Sender<Event>, logs: bool },
}

impl Relay {
    pub(super) fn sent(&self, id: RequestId, token: ProgressToken, whom: &For<'_>) {
        let mut under_way = lock(&self.under_way);
        match whom {
            For::Us => {
                under_way.own.insert(id);
            }
            For::Client { events, logs } => {
                let events = mpsc::Sender::clone(events);
                under_way.passed.insert(id, Passed { token, logs: *logs, events });
            }
        }
    }

    pub(super) fn answered(&self, id: &RequestId) {
        let mut under_way = lock(&self.under_way);
        under_way.passed.remove(id);
        under_way.own.remove(id);
    }

    /// Nobody waits for this answer any more; the server may not know that yet.
    pub(super) fn given_up(&self, id: RequestId) {
        self.answered(&id);
        let mut under_way = lock(&self.under_way);
        // One is as good as many: nothing is certain until all of them are answered.
        if under_way.given_up.len() < GIVEN_UP {
            under_way.given_up.insert(id);
        }
    }

    /// Who is to answer a question that came from `origin`.
    pub(super) fn asked(
        &self,
        origin: Option<&InboundStreamOrigin>,
    ) -> Option<mpsc::Sender<Event>> {
        let under_way = lock(&self.under_way);
        let passed = match origin {
            Some(InboundStreamOrigin::OutboundRequest(id)) => under_way.passed.get(id),
            Some(InboundStreamOrigin::Unassociated) => None,
            None => under_way.only_one(),
        };
        passed.map(|passed| passed.events.clone())
    }

    /// Looks at a message in the order in which they come: what a server tells before its answer
    /// is heard before it.
    pub(super) fn seen(&self, message: &ServerJsonRpcMessage) {
        match message {
            JsonRpcMessage::Notification(told) => self.told(&told.notification),
            JsonRpcMessage::Response(answer) => self.late(&answer.id),
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.late(id);
                }
            }
            JsonRpcMessage::Request(_) => {}
        }
    }

    fn late(&self, id: &RequestId) {
        let mut under_way = lock(&self.under_way);
        if under_way.given_up.len() < GIVEN_UP {
            under_way.given_up.remove(id);
        }
    }

    fn told(&self, notification: &ServerNotification) {
        let under_way = lock(&self.under_way);
        let (passed, method, params) = match notification {
            ServerNotification::ProgressNotification(progress) => {
                let params = &progress.params;
                let mut passed = under_way.passed.values();
                let found = passed.find(|passed| passed.token == params.progress_token);
                let told = json!({
                    "progress": params.progress, "total": params.total, "message": params.message,
                });
                (found, "notifications/progress", told)
            }
            ServerNotification::LoggingMessageNotification(log) => {
                let told = serde_json::to_value(&log.params).unwrap_or(Value::Null);
                let found = under_way.only_one().filter(|passed| passed.logs);
                (found, "notifications/message", told)
            }
            _ => return,
        };
        if let Some(passed) = passed {
            // A client that does not keep up misses some; the connection is not held up for it.
            let _ = passed.events.try_send(Event::Told { method, params });
        }
    }
}

impl UnderWay {
    fn only_one(&self) -> Option<&Passed> {
        let alone = self.own.is_empty() && self.given_up.is_empty() && self.passed.len() == 1;
        self.passed.values().next().filter(|_| alone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_goes_to_the_only_client_whose_request_is_under_way() {
        let (relay, mut heard) = with_clients(1);
        assert!(ask(&relay, None));
        assert!(heard[0].try_recv().is_ok());
    }

    #[test]
    fn a_question_that_may_be_anybodys_goes_to_nobody() {
        let (two, _heard) = with_clients(2);
        assert!(!ask(&two, None));

        let (beside_ours, _heard) = with_clients(1);
        beside_ours.sent(number(9), token(9), &For::Us);
        assert!(!ask(&beside_ours, None));

        let (after_another, _heard) = with_clients(2);
        after_another.given_up(number(0));
        assert!(!ask(&after_another, None));
        assert!(!ask(&after_another, Some(&InboundStreamOrigin::Unassociated)));
    }

    #[test]
    fn a_question_on_the_stream_of_a_request_is_that_clients() {
        let (relay, mut heard) = with_clients(2);
        assert!(ask(&relay, Some(&InboundStreamOrigin::OutboundRequest(number(1)))));
        assert!(heard[0].try_recv().is_err());
        assert!(heard[1].try_recv().is_ok());
        relay.answered(&number(1));
        assert!(!ask(&relay, Some(&InboundStreamOrigin::OutboundRequest(number(1)))));
    }

    fn with_clients(count: i64) -> (Relay, Vec<mpsc::Receiver<Event>>) {
        let relay = Relay::default();
        let heard = (0..count).map(|client| {
            let (events, heard) = mpsc::channel(4);
            let whom = For::Client { events: &events, logs: true };
            relay.sent(number(client), token(client), &whom);
            heard
        });
        let heard = heard.collect();
        (relay, heard)
    }

    fn ask(relay: &Relay, origin: Option<&InboundStreamOrigin>) -> bool {
        let Some(events) = relay.asked(origin) else { return false };
        events.try_send(Event::Told { method: "asked", params: Value::Null }).is_ok()
    }

    fn number(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    fn token(number: i64) -> ProgressToken {
        ProgressToken(number_or_text(number))
    }

    fn number_or_text(number: i64) -> rmcp::model::NumberOrString {
        rmcp::model::NumberOrString::Number(number)
    }
}
