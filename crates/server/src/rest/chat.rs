//! Conversations over a WebSocket: questions in, what happens out.
//!
//! A client sends `{"type": "ask", …}` with the fields of `POST /api/v1/ask`, `{"type": "resume", "conversation": …,
//! "after": n}` or `{"type": "cancel"}`. It is sent events, each with its `conversation` and its number `seq`. A
//! question goes on when the connection is lost: whoever comes back resumes, and is sent what it missed.

use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, Answering, Ask, Live, Totals};
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use gateway::service::conversations::Turn;
use gateway::service::ids::ConversationId;
use gateway::service::{Caller, TraceParent};
use http::HeaderMap;
use metrics::counter;
use serde_json::{Value, json};

use super::Door;
use super::access::Standing;
use super::ask;
use super::execute::trace;
use super::given::Fields;
use super::problem::Problem;

/// How many times what a message may have is read of one, so that whoever sent it is told in words.
const READ: usize = 2;
/// How often a silent client is asked whether it is still there.
const ALIVE: Duration = Duration::from_secs(30);
/// How often it is looked up whether a client may still be here.
const LOOK: Duration = Duration::from_secs(3);

/// Opens a conversation's connection.
pub(crate) async fn chat(
    State(door): State<Door>,
    standing: Standing,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Problem> {
    // Who cannot ask anything now is told so before anything is opened.
    ask::agent(door.options.agent.as_ref())?;
    let answering = door.options.agent.clone();
    let trace = trace(&headers);
    let most = door.options.bodies.rules().each;
    let read = most.saturating_mul(READ);
    let upgrade = upgrade.max_message_size(read).max_frame_size(read);
    Ok(upgrade.on_upgrade(move |socket| async move {
        Chat { answering, standing, trace, socket, most, live: None, seen: 0 }.serve().await;
    }))
}

/// One client's connection.
struct Chat {
    /// Who answers may change between two questions.
    answering: Option<Answering>,
    standing: Standing,
    /// The trace that the connection belongs to, and each question asked over it.
    trace: Option<TraceParent>,
    socket: WebSocket,
    /// Bytes that one message may have.
    most: usize,
    /// The question that is followed.
    live: Option<Arc<Live>>,
    /// How many of its events were sent.
    seen: usize,
}

impl Chat {
    async fn serve(mut self) {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut alive = tokio::time::interval_at(tokio::time::Instant::now() + ALIVE, ALIVE);
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
                    Some(Ok(Message::Close(_))) | None => return,
                    Some(Err(error)) => return self.give_up(&error.to_string()).await,
                },
                _ = look.tick() => self.look().await,
                _ = alive.tick() => self.socket.send(Message::Ping(axum::body::Bytes::new())).await.map_err(drop),
            };
            if kept.is_err() {
                return;
            }
        }
    }

    /// Whether the client may still be here; where it may not, the connection is closed and nothing else goes on.
    async fn look(&mut self) -> Result<(), ()> {
        self.caller().await.map(drop).or_else(|refused| refused.map(drop).ok_or(()))
    }

    /// Who the client is now. Where that cannot be known at the moment, the problem is given; where it is nobody
    /// any more, the connection is closed and nothing is.
    async fn caller(&mut self) -> Result<Caller, Option<Problem>> {
        match self.standing.now().await {
            Ok(caller) => Ok(caller),
            Err(problem) if problem.is_ours() => Err(Some(problem)),
            Err(problem) => {
                let (_, words) = problem.words();
                self.close(close_code::POLICY, &words).await;
                Err(None)
            }
        }
    }

    /// Closes a connection over which came what nobody reads.
    async fn give_up(&mut self, problem: &str) {
        let (code, words) = if problem.contains("too long") {
            (
                close_code::SIZE,
                format!("a message has at most {} bytes (setting `body-bytes`)", self.most),
            )
        } else {
            (close_code::PROTOCOL, format!("what was sent cannot be read: {problem}"))
        };
        self.close(code, &words).await;
    }

    async fn close(&mut self, code: u16, words: &str) {
        // A frame that closes holds 123 bytes of words.
        let end = words.floor_char_boundary(123);
        let reason = words[..end].to_owned().into();
        // Whoever is gone needs no reason.
        let _ = self.socket.send(Message::Close(Some(CloseFrame { code, reason }))).await;
    }

    async fn pass_on(&mut self, events: &[agent::Event]) -> Result<(), ()> {
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

    async fn hear(&mut self, text: &str) -> Result<(), ()> {
        if text.len() > self.most {
            let (had, most) = (text.len(), self.most);
            let message = format!(
                "the message has {had} bytes; at most {most} can be sent (setting `body-bytes`); pass less as `context`"
            );
            return self.refuse("too_large", &message).await;
        }
        let obeyed = match self.caller().await {
            Ok(caller) => self.obey(&caller, text).await,
            Err(Some(problem)) => Err(problem.words()),
            Err(None) => return Err(()),
        };
        match obeyed {
            Ok(()) => Ok(()),
            Err((code, message)) => self.refuse(&code, &message).await,
        }
    }

    async fn obey(&mut self, caller: &Caller, text: &str) -> Result<(), (String, String)> {
        let mut fields =
            Fields::read(&HeaderMap::new(), text.as_bytes()).map_err(Problem::words)?;
        let kind: String = fields.need("type").map_err(Problem::words)?;
        match kind.as_str() {
            "ask" => {
                let ask = ask::read(fields).map_err(Problem::words)?;
                let ask = Ask { trace: self.trace.clone(), ..ask };
                counter!("tidegate_requests_total", "kind" => "ask").increment(1);
                let begun = self.agent()?.begin(caller, ask).await;
                let live = begun.map_err(|error| Problem::from(error).words())?;
                (self.live, self.seen) = (Some(live), 0);
                Ok(())
            }
            "resume" => {
                let id: ConversationId = fields.need("conversation").map_err(Problem::words)?;
                let after: Option<u64> = fields.take("after").map_err(Problem::words)?;
                fields.end().map_err(Problem::words)?;
                self.resume(caller, &id, after).await
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
        caller: &Caller,
        id: &ConversationId,
        after: Option<u64>,
    ) -> Result<(), (String, String)> {
        let agent = self.agent()?;
        let live = agent.live(caller, id);
        let (turns, totals) = match agent.conversation(caller, id).await {
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

    async fn refuse(&mut self, code: &str, message: &str) -> Result<(), ()> {
        self.send(&json!({ "type": "refused", "code": code, "message": message })).await
    }

    async fn send(&mut self, told: &Value) -> Result<(), ()> {
        self.socket.send(Message::Text(told.to_string().into())).await.map_err(drop)
    }
}
