//! Requests of other people's clients, passed on to a server as they came.
//!
//! What a server says and asks while it deals with such a request goes back to the client that
//! made it, and to nobody else. Everything here is JSON as the protocol writes it: what is passed
//! on is not ours to read.

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use crate::error::{CallFailure, ConnectError};

/// Events that may wait for a client. What a server tells beyond that is lost; what it asks is not.
const WAITING: usize = 256;

/// A request to pass on.
#[derive(Debug, Clone)]
pub struct Passing {
    /// Such as `tools/call`.
    pub method: &'static str,
    /// Its parameters, without `_meta`.
    pub params: Map<String, Value>,
    /// What of its `_meta` is meant for the server.
    pub meta: Map<String, Value>,
    /// What the client can be asked for, as the protocol describes capabilities.
    pub capabilities: Value,
    /// The least level of log messages that the client wants, if it wants any.
    pub log_level: Option<String>,
    /// Where everything goes that is for the client.
    pub events: mpsc::Sender<Event>,
}

impl Passing {
    /// A request, and what is heard while it is under way.
    #[must_use]
    pub fn new(method: &'static str, params: Map<String, Value>) -> (Self, mpsc::Receiver<Event>) {
        let (events, heard) = mpsc::channel(WAITING);
        let passing = Self {
            method,
            params,
            meta: Map::new(),
            capabilities: Value::Object(Map::new()),
            log_level: None,
            events,
        };
        (passing, heard)
    }

    /// The same request, of which somebody else hears first what happens meanwhile.
    pub(crate) fn overheard(&self) -> (Self, mpsc::Receiver<Event>) {
        let (events, heard) = mpsc::channel(WAITING);
        (Self { events, ..self.clone() }, heard)
    }
}

/// What a server wants of the client whose request it deals with.
#[derive(Debug)]
pub enum Event {
    /// Something to know: progress (`notifications/progress`, without its token) or a log message
    /// (`notifications/message`).
    Told {
        /// The notification.
        method: &'static str,
        /// Its parameters.
        params: Value,
    },
    /// Something to answer, such as `elicitation/create`.
    Asked {
        /// The request.
        method: &'static str,
        /// Its parameters.
        params: Value,
        /// Takes the client's answer.
        answer: oneshot::Sender<Result<Value, Refused>>,
    },
}

/// An error of the protocol, as it came.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} (code {code})")]
pub struct Refused {
    /// The protocol's error code.
    pub code: i32,
    /// In words.
    pub message: String,
    /// What came with it.
    pub data: Option<Value>,
}

/// Why a request that was passed on brought no result.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum PassFailure {
    /// The server said no.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// There was no answer.
    #[error(transparent)]
    Failed(#[from] CallFailure),
}

impl From<ConnectError> for PassFailure {
    fn from(problem: ConnectError) -> Self {
        Self::Failed(problem.into())
    }
}

/// What a server can do besides calling tools.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a capability that a server has or has not"
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// It has prompts.
    pub prompts: bool,
    /// It has resources.
    pub resources: bool,
    /// It completes arguments.
    pub completions: bool,
    /// It logs.
    pub logging: bool,
}

/// Something that happened at a server and may be of interest to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// It has other prompts than before.
    PromptsChanged,
    /// It has other resources than before.
    ResourcesChanged,
    /// A resource that somebody watches has changed.
    ResourceUpdated {
        /// Its address.
        uri: String,
    },
}
