//! Why a server could not be reached, and why a call did not come back.

use std::time::Duration;

use catalog::{ServerName, ToolName};

/// Why a server is not connected.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// There is no such server.
    #[error("there is no server called {name:?}; configured are: {configured}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Those there are.
        configured: String,
    },
    /// The program could not be started or ended at once.
    #[error("server {:?} could not be started with `{command}`: {reason}{stderr}", .server.0)]
    Start {
        /// Which server.
        server: ServerName,
        /// The command line, secrets hidden.
        command: String,
        /// What went wrong.
        reason: String,
        /// What it wrote to standard error, or nothing.
        stderr: String,
    },
    /// It could not be reached or does not speak what we do.
    #[error("server {:?} at {place} cannot be used: {reason}", .server.0)]
    Unusable {
        /// Which server.
        server: ServerName,
        /// Its address or command.
        place: String,
        /// What went wrong.
        reason: String,
    },
    /// It did not get ready in time.
    #[error(
        "server {:?} was not ready within {} s (setting `connect-timeout`)", .server.0, .allowed.as_secs_f64()
    )]
    Late {
        /// Which server.
        server: ServerName,
        /// How long it had.
        allowed: Duration,
    },
    /// Its configuration is not complete.
    #[error("{problem}")]
    Misconfigured {
        /// Which server.
        server: ServerName,
        /// Which setting, and what to do.
        problem: String,
    },
    /// It wants a log-in.
    #[error("server {:?} wants a log-in; run `tidegate login {server}`{detail}", .server.0)]
    LoginNeeded {
        /// Which server.
        server: ServerName,
        /// Why, if it said so: ": the stored one was refused".
        detail: String,
    },
}

impl ConnectError {
    /// Which server, if it is one of those that are configured.
    #[must_use]
    pub fn server(&self) -> Option<&ServerName> {
        match self {
            Self::Unknown { .. } => None,
            Self::Start { server, .. }
            | Self::Unusable { server, .. }
            | Self::Late { server, .. }
            | Self::Misconfigured { server, .. }
            | Self::LoginNeeded { server, .. } => Some(server),
        }
    }

    /// The same without what the server wrote to standard error, which may be long and is told to
    /// who looks after servers.
    #[must_use]
    pub fn in_short(&self) -> String {
        match self {
            Self::Start { server, command, reason, stderr: _ } => Self::Start {
                server: server.clone(),
                command: command.clone(),
                reason: reason.clone(),
                stderr: String::new(),
            }
            .to_string(),
            other => other.to_string(),
        }
    }
}

/// Why a call brought no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CallFailure {
    /// The call never left.
    #[error(transparent)]
    NotConnected(#[from] ConnectError),
    /// No answer in time; whether it was carried out is not known.
    #[error(
        "{server}.{tool} did not answer within {} s (setting `{setting}` of server {:?}); it may still have been carried out", .allowed.as_secs_f64(), .server.0
    )]
    Late {
        /// Which server.
        server: ServerName,
        /// Which tool.
        tool: ToolName,
        /// How long it had.
        allowed: Duration,
        /// The setting that says so.
        setting: &'static str,
    },
    /// The connection broke before the answer came; whether it was carried out is not known.
    #[error(
        "{server}.{tool}: the connection broke before an answer came ({reason}); it may still have been carried out"
    )]
    Broken {
        /// Which server.
        server: ServerName,
        /// Which tool.
        tool: ToolName,
        /// What was seen.
        reason: String,
    },
    /// Something came that is no answer of the protocol; what the call did is not known.
    #[error(
        "{server}.{tool}: {problem}; that is what came instead of an answer, and the call may still have been carried out"
    )]
    Unreadable {
        /// Which server.
        server: ServerName,
        /// Which tool.
        tool: ToolName,
        /// What came, or what is wrong with it and where.
        problem: String,
    },
    /// The server refused the request itself: unknown tool, invalid parameters.
    #[error("{server}.{tool}: the server refused the call: {message} (code {code})")]
    Refused {
        /// Which server.
        server: ServerName,
        /// Which tool.
        tool: ToolName,
        /// The protocol's error code.
        code: i64,
        /// The server's words.
        message: String,
    },
    /// The answer is larger than allowed.
    #[error(
        "{server}.{tool} answered with more than {allowed} bytes (setting `max-answer-bytes` of server {:?}); ask for less at a time", .server.0
    )]
    TooLarge {
        /// Which server.
        server: ServerName,
        /// Which tool.
        tool: ToolName,
        /// What is allowed.
        allowed: usize,
    },
    /// The server asked for something back that we do not give.
    #[error("{server}.{tool} wants {wanted} from its client, which this gateway does not give")]
    WantsInput {
        /// Which server.
        server: ServerName,
        /// Which tool.
        tool: ToolName,
        /// What it asked for: "a choice of the user (elicitation)".
        wanted: String,
    },
}

impl CallFailure {
    /// Whether it is unknown if the call took effect.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        matches!(
            self,
            Self::Late { .. }
                | Self::Broken { .. }
                | Self::Unreadable { .. }
                | Self::TooLarge { .. }
        )
    }
}
