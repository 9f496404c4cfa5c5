//! What all servers have in common: who we are, how children are started, what servers may ask.

use std::ffi::OsString;
use std::sync::Arc;

use crate::auth::{MemoryTokens, TokenStore};

/// What [`Upstreams`](crate::Upstreams) needs to know besides the servers themselves.
#[derive(Clone)]
pub struct Options {
    /// What we call ourselves to servers.
    pub client: String,
    /// Our version, as told to servers.
    pub version: String,
    /// Our own environment. Children get the few variables of it that every program needs.
    pub environment: Vec<(OsString, OsString)>,
    /// The command that runs [`supervise`](crate::supervise), to which the parent's pid and the
    /// child's command line are appended. Without it children survive us when we are killed.
    pub supervisor: Option<Vec<OsString>>,
    /// Where log-ins are kept.
    pub tokens: Arc<dyn TokenStore>,
    /// What servers get that ask for the roots of a workspace.
    pub roots: Roots,
    /// What servers get that ask for a person's choice.
    pub elicitation: Elicitation,
    /// Servers may ask the clients whose requests are passed on to them, so they are told that
    /// there is somebody to ask. What is not passed on is still answered as above.
    pub asks_clients: bool,
}

/// What servers get that ask for the roots of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Roots {
    /// A refusal. We do not claim to have any.
    #[default]
    Refuse,
    /// These, as `file://` addresses.
    Listed(Vec<String>),
}

/// What servers get that ask for a person's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Elicitation {
    /// A refusal. We do not claim that there is anybody to ask.
    #[default]
    Refuse,
    /// "Declined", as if somebody had been asked.
    Decline,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            client: "tidegate".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            environment: Vec::new(),
            supervisor: None,
            tokens: Arc::new(MemoryTokens::default()),
            roots: Roots::default(),
            elicitation: Elicitation::default(),
            asks_clients: false,
        }
    }
}
