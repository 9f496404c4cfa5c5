//! A provider of models for tests and the demo: it speaks the real wire formats, says what a script says, and looks
//! closely at every request.
//!
//! ```text
//! request ──► checked (headers, fields, order of roles, names of calls) ──► script ──► streamed, well or badly
//! ```
//!
//! A request that breaks the format is answered with 400, as the real one would do, and noted among
//! [`Scripted::complaints`]. Reading order: [`Turn`] (what can be said), then one file for each format.
#![forbid(unsafe_code)]

mod anthropic;
mod gemini;
mod look;
mod ollama;
mod openai;
mod turn;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use http::request::Parts;
use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

pub use self::turn::{Piece, Turn};

/// The key that is wanted.
pub const KEY: &str = "sk-scripted-0123456789abcdef";

/// The model that is wanted.
pub const MODEL: &str = "scripted-1";

/// Bytes that a request may have.
const MOST_BODY: usize = 8 << 20;

/// Whose format is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Chat completions.
    OpenAi,
    /// Messages.
    Anthropic,
    /// `generateContent`.
    Gemini,
    /// `/api/chat`.
    Ollama,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Asked {
    /// How many came before it.
    pub number: usize,
    /// Where it went.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Value,
}

impl Asked {
    /// The whole of it as text, to look for words in.
    #[must_use]
    pub fn text(&self) -> String {
        self.body.to_string()
    }
}

type Script = Box<dyn FnMut(&Asked) -> Turn + Send>;

struct House {
    format: Format,
    script: Mutex<Script>,
    asked: Mutex<Vec<Asked>>,
    complaints: Mutex<Vec<String>>,
    /// Replies whose reader went away before their end.
    left: watch::Sender<usize>,
}

/// A provider that listens.
pub struct Scripted {
    address: SocketAddr,
    house: Arc<House>,
    _serving: AbortOnDropHandle<()>,
}

impl Scripted {
    /// One that says these things, one after another.
    pub async fn saying(format: Format, turns: impl IntoIterator<Item = Turn>) -> Self {
        let mut turns: VecDeque<Turn> = turns.into_iter().collect();
        let over = || Turn::Status(500, None, "the script is over".to_owned());
        Self::by(format, move |_| turns.pop_front().unwrap_or_else(over)).await
    }

    /// One that says what a function makes of each request.
    ///
    /// # Panics
    /// If this machine lets nobody listen.
    pub async fn by(format: Format, script: impl FnMut(&Asked) -> Turn + Send + 'static) -> Self {
        let house = Arc::new(House {
            format,
            script: Mutex::new(Box::new(script)),
            asked: Mutex::default(),
            complaints: Mutex::default(),
            left: watch::Sender::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine");
        let address = listener.local_addr().expect("a listener has an address");
        let router = Router::new().fallback(answer).with_state(Arc::clone(&house));
        let serving = tokio::spawn(async move {
            // It ends with the test.
            let _ = axum::serve(listener, router).await;
        });
        Self { address, house, _serving: AbortOnDropHandle::new(serving) }
    }

    /// What `[ask] url` would be.
    #[must_use]
    pub fn url(&self) -> String {
        match self.house.format {
            Format::OpenAi => format!("http://{}/v1", self.address),
            _ => format!("http://{}", self.address),
        }
    }

    /// Every request that came.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.house.asked).clone()
    }

    /// What was wrong with requests.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        lock(&self.house.complaints).clone()
    }

    /// Waits until so many readers went away before the end of what they were told.
    ///
    /// # Panics
    /// If they have not within half a minute.
    pub async fn was_left(&self, times: usize) {
        let mut left = self.house.left.subscribe();
        let waiting = left.wait_for(|left| *left >= times);
        let waited = tokio::time::timeout(Duration::from_secs(30), waiting).await;
        assert!(waited.is_ok(), "nobody went away");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(State(house): State<Arc<House>>, request: axum::extract::Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, MOST_BODY).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let body = serde_json::from_slice(&bytes).unwrap_or_default();
    let asked = {
        let mut all = lock(&house.asked);
        let path = parts.uri.to_string();
        let asked = Asked { number: all.len(), path, headers: parts.headers.clone(), body };
        all.push(asked.clone());
        asked
    };
    let wrong = checked(house.format, &parts, &asked.body);
    if let Some(first) = wrong.first() {
        let told = json!({ "error": { "type": "invalid_request_error", "message": first } });
        lock(&house.complaints).extend(wrong.iter().cloned());
        return (StatusCode::BAD_REQUEST, axum::Json(told)).into_response();
    }
    let turn = (lock(&house.script))(&asked);
    if let Turn::Status(status, retry_after, words) = turn {
        return refused(status, retry_after, &words);
    }
    let (kind, pieces) = match house.format {
        Format::OpenAi => ("text/event-stream", openai::pieces(&turn)),
        Format::Anthropic => ("text/event-stream", anthropic::pieces(&turn)),
        Format::Gemini => ("text/event-stream", gemini::pieces(&turn)),
        Format::Ollama => ("application/x-ndjson", ollama::pieces(&turn)),
    };
    let body = streamed(pieces, house);
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}

fn refused(status: u16, retry_after: Option<u64>, words: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let told = json!({ "error": { "type": "error", "message": words } });
    let mut response = (status, axum::Json(told)).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn checked(format: Format, parts: &Parts, body: &Value) -> Vec<String> {
    let mut wrong = look::Complaints::default();
    wrong.unless(parts.method == http::Method::POST, || format!("{} is no POST", parts.method));
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    wrong.unless(kind == Some("application/json"), || format!("content-type is {kind:?}"));
    wrong.unless(body.is_object(), || "the body is no JSON object".to_owned());
    match format {
        Format::OpenAi => openai::look(parts, body, &mut wrong),
        Format::Anthropic => anthropic::look(parts, body, &mut wrong),
        Format::Gemini => gemini::look(parts, body, &mut wrong),
        Format::Ollama => ollama::look(parts, body, &mut wrong),
    }
    wrong.0
}

/// Sends pieces one by one, as far as anybody reads them.
fn streamed(pieces: Vec<Piece>, house: Arc<House>) -> Body {
    let (send, receive) = mpsc::channel::<Result<Bytes, std::io::Error>>(1);
    tokio::spawn(async move {
        for piece in pieces {
            let sent = match piece {
                Piece::Text(text) => send.send(Ok(text.into())).await,
                Piece::Break => send.send(Err(std::io::Error::other("cut"))).await,
                Piece::Hold => {
                    send.closed().await;
                    house.left.send_modify(|left| *left += 1);
                    return;
                }
                Piece::Flood => flood(&send).await,
            };
            if sent.is_err() {
                house.left.send_modify(|left| *left += 1);
                return;
            }
        }
    });
    let rows = stream::unfold(receive, |mut receive| async {
        let next = receive.recv().await?;
        Some((next, receive))
    });
    Body::from_stream(rows)
}

type Sending = mpsc::Sender<Result<Bytes, std::io::Error>>;

/// A line without an end, for as long as anybody reads it.
async fn flood(
    send: &Sending,
) -> Result<(), mpsc::error::SendError<Result<Bytes, std::io::Error>>> {
    let piece = Bytes::from(vec![b'x'; 64 << 10]);
    loop {
        send.send(Ok(piece.clone())).await?;
    }
}
