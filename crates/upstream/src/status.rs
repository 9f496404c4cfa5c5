//! How servers are doing, for people and for the programs that show it to them.

use std::time::{Duration, SystemTime};

use catalog::ServerName;

use crate::feed::Note;

/// How one server is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// Which server.
    pub name: ServerName,
    /// Whether it is connected.
    pub state: ServerState,
    /// Since when it is in this state.
    pub since: SystemTime,
    /// Since when no attempt to connect has succeeded, and why the last one did not.
    pub failing: Option<(SystemTime, String)>,
    /// How many tools it has, as far as is known.
    pub tools: Option<usize>,
    /// The revision of the protocol that was agreed on.
    pub protocol: Option<String>,
    /// What the server calls itself, with its version.
    pub server: Option<String>,
    /// Why it seems to run programs itself, if it does.
    pub code_mode: Option<String>,
    /// What it has and is not offered, each with the reason.
    pub left_out: Vec<String>,
    /// The last things it said without being asked.
    pub notes: Vec<Note>,
    /// The end of what it wrote to standard error.
    pub stderr: String,
}

/// Whether a server is connected.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// Nobody has asked for it, or the connection ended for the reason given.
    NotConnected {
        /// How the last connection ended.
        last: Option<String>,
    },
    /// It is being connected to.
    Connecting,
    /// It can be called.
    Connected,
    /// The last attempt to connect failed.
    Failed {
        /// Why.
        reason: String,
        /// When it is tried again at the earliest.
        again_in: Duration,
    },
    /// Somebody has to log in first.
    WantsLogin {
        /// What it said, with the command to run.
        reason: String,
    },
}
