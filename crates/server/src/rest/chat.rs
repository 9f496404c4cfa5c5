//! Conversations over a WebSocket: questions in, what happens out.
//!
//! A client sends `{"type": "ask", …}` with the fields of `POST /api/v1/ask`, `{"type": "resume", "conversation": …,
//! "after": n}` or `{"type": "cancel"}`. It is sent events, each with its `conversation` and its number `seq`. A
//! question goes on when the connection is lost: whoever comes back resumes, and is sent what it missed.

use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, Answering, Ask, Live, Totals};
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use gateway::service::conversations::Turn;
use gateway::service::ids::ConversationId;
use gateway::service::{Caller, TraceParent};
use http::HeaderMap;
use metrics::counter;
use serde_json::{Value, json};

use super::Door;
use super::access::Runner;
use super::ask;
use super::execute::trace;
use super::given::Fields;
use super::problem::Problem;

/// Bytes that one message may have.
const MOST_MESSAGE: usize = 1 << 20;
/// How often a silent client is asked whether it is still there.
const ALIVE: Duration = Duration::from_secs(30);

/// Opens a conversation's connection.
pub(crate) async fn chat(
    State(door): State<Door>,
    Runner(caller): Runner,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Problem> {
    // Who cannot ask anything now is told so before anything is opened.
    ask::agent(door.options.agent.as_ref())?;
    let answering = door.options.agent.clone();
    let trace = trace(&headers);
    let upgrade = upgrade.max_message_size(MOST_MESSAGE).max_frame_size(MOST_MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| async move {
        Chat { answering, caller, trace, socket, live: None, seen: 0 }.serve().await;
    }))
}

/// One client's connection.
struct Chat {
    /// Who answers may change between two questions.
    answering: Option<Answering>,
    caller: Caller,
    /// The trace that the connection belongs to, and each question asked over it.
    trace: Option<TraceParent>,
    socket: WebSocket,
    /// The question that is followed.
    live: Option<Arc<Live>>,
    /// How many of its events were sent.
    seen: usize,
}

impl Chat {
    async fn serve(mut self) {
        loop {
            let live = self.live.clone();
            let seen = self.seen;
            let follows = async move {
                match live {
                    Some(live) => live.events_after(seen).await,
                    None => std::future::pending().await,
                }
            };
            let kept = tokio::select! {
                events = follows => self.pass_on(&events).await,
                message = self.socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => self.hear(text.as_str()).await,
                    Some(Ok(Message::Binary(_))) => self.refuse("invalid_request", "messages are JSON texts").await,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                },
                () = tokio::time::sleep(ALIVE) => self.socket.send(Message::Ping(axum::body::Bytes::new())).await,
            };
            if kept.is_err() {
                return;
            }
        }
    }

    async fn pass_on(&mut self, events: &[agent::Event]) -> Result<(), axum::Error> {
        if events.is_empty() {
            self.live = None;
            return Ok(());
        }
        for event in events {
            let mut told = serde_json::to_value(event).unwrap_or_default();
            if let Some(live) = &self.live {
                told["conversation"] = json!(live.conversation());
            }
            told["seq"] = json!(self.seen);
            self.seen += 1;
            self.send(&told).await?;
        }
        Ok(())
    }

    async fn hear(&mut self, text: &str) -> Result<(), axum::Error> {
        match self.obey(text).await {
            Ok(()) => Ok(()),
            Err((code, message)) => self.refuse(&code, &message).await,
        }
    }

    async fn obey(&mut self, text: &str) -> Result<(), (String, String)> {
        let mut fields =
            Fields::read(&HeaderMap::new(), text.as_bytes()).map_err(Problem::words)?;
        let kind: String = fields.need("type").map_err(Problem::words)?;
        match kind.as_str() {
            "ask" => {
                let ask = ask::read(fields).map_err(Problem::words)?;
                let ask = Ask { trace: self.trace.clone(), ..ask };
                counter!("tidegate_requests_total", "kind" => "ask").increment(1);
                let begun = self.agent()?.begin(&self.caller, ask).await;
                let live = begun.map_err(|error| Problem::from(error).words())?;
                (self.live, self.seen) = (Some(live), 0);
                Ok(())
            }
            "resume" => {
                let id: ConversationId = fields.need("conversation").map_err(Problem::words)?;
                let after: Option<u64> = fields.take("after").map_err(Problem::words)?;
                fields.end().map_err(Problem::words)?;
                self.resume(&id, after).await
            }
            "cancel" => {
                fields.end().map_err(Problem::words)?;
                match &self.live {
                    Some(live) => live.cancel(),
                    None => {
                        return Err((
                            "nothing_to_cancel".to_owned(),
                            "no question is being answered here".to_owned(),
                        ));
                    }
                }
                Ok(())
            }
            other => {
                let known = "there are ask, resume and cancel";
                let shown: String = other.chars().take(80).collect();
                Err((
                    "invalid_request".to_owned(),
                    format!("there is no message {shown:?}; {known}"),
                ))
            }
        }
    }

    /// Says what was said before, and follows what is under way.
    async fn resume(
        &mut self,
        id: &ConversationId,
        after: Option<u64>,
    ) -> Result<(), (String, String)> {
        let agent = self.agent()?;
        let live = agent.live(&self.caller, id);
        let (turns, totals) = match agent.conversation(&self.caller, id).await {
            Ok(one) => {
                let totals = Totals::of(&one);
                (one.turns, totals)
            }
            // The first question of a conversation is kept when it is over.
            Err(_) if live.is_some() => (Vec::new(), Totals::default()),
            Err(error) => return Err(Problem::from(error).words()),
        };
        let said = |turn: &Turn| {
            json!({ "question": turn.question, "answer": turn.answer, "at": turn.at,
                "tokens": turn.tokens, "cost": turn.cost })
        };
        let history: Vec<Value> = turns.iter().map(said).collect();
        let told = json!({ "type": "history", "conversation": id, "turns": history,
            "totals": totals, "follows": live.is_some() });
        // A connection that is lost now is noticed at the next message.
        let _ = self.send(&told).await;
        self.seen = after.and_then(|after| usize::try_from(after).ok()).unwrap_or(0);
        self.live = live;
        Ok(())
    }

    /// Who answers now.
    fn agent(&self) -> Result<Arc<Agent>, (String, String)> {
        ask::agent(self.answering.as_ref()).map_err(Problem::words)
    }

    async fn refuse(&mut self, code: &str, message: &str) -> Result<(), axum::Error> {
        self.send(&json!({ "type": "refused", "code": code, "message": message })).await
    }

    async fn send(&mut self, told: &Value) -> Result<(), axum::Error> {
        self.socket.send(Message::Text(told.to_string().into())).await
    }
}
