//! Why a model did not reply.

use std::time::Duration;

/// Why a model did not reply. The variants answer one question: what is there to be done?
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// It cannot be reached.
    #[error("{provider} cannot be reached at {host}: {reason}; check `[ask] url` and the network")]
    Unreachable {
        /// Who.
        provider: &'static str,
        /// Where.
        host: String,
        /// Why not.
        reason: String,
    },
    /// It refused the request.
    #[error("{provider} answered {status}: {said}; {next}")]
    Status {
        /// Who.
        provider: &'static str,
        /// The HTTP status.
        status: u16,
        /// In its own words.
        said: String,
        /// What to do next.
        next: &'static str,
    },
    /// It wants to be left alone for longer than anybody waits.
    #[error(
        "{provider} takes no more requests now and says to wait {} s, longer than the {} s that are waited; try again later",
        wait.as_secs(), most.as_secs()
    )]
    Busy {
        /// Who.
        provider: &'static str,
        /// How long it says.
        wait: Duration,
        /// How long is waited.
        most: Duration,
    },
    /// Its reply broke off, each time.
    #[error("the reply of {provider} broke off {tries} times; try again later")]
    Cut {
        /// Who.
        provider: &'static str,
        /// How often it was asked.
        tries: u32,
    },
    /// Its reply is not what its format says.
    #[error(
        "the reply of {provider} cannot be read: {problem}; check that `[ask] provider` and `[ask] url` belong together"
    )]
    Unreadable {
        /// Who.
        provider: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// It said in the middle of its reply that it cannot go on.
    #[error("{provider} broke off: {said}; try again later")]
    Told {
        /// Who.
        provider: &'static str,
        /// In its own words.
        said: String,
    },
    /// It took too long.
    #[error("the reply of {provider} took longer than {} s (`[ask] timeout`)", most.as_secs())]
    TooSlow {
        /// Who.
        provider: &'static str,
        /// How long it may take.
        most: Duration,
    },
    /// What is set cannot be used.
    #[error("{0}")]
    Settings(String),
}

/// A failed request, and whether making it again may help.
pub(super) struct Failure {
    pub(super) error: ModelError,
    pub(super) passes: bool,
    /// How long the provider says to wait.
    pub(super) wait: Option<Duration>,
}

impl Failure {
    pub(super) fn lasting(error: ModelError) -> Self {
        Self { error, passes: false, wait: None }
    }

    pub(super) fn passing(error: ModelError) -> Self {
        Self { error, passes: true, wait: None }
    }
}
