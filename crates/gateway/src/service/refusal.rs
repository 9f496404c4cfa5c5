//! Why something was not done, in words and codes that stay the same.

use std::time::Duration;

use engine::{FileError, FreezeError, Language, SessionError};

use super::gate::Full;
use super::ids::{RunId, SessionId};
use super::store::StoreError;
use crate::engines::NoEngine;

/// Why a service did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no engine for the program, or none yet.
    #[error(transparent)]
    NoEngine(#[from] NoEngine),
    /// There is no such session, or it is somebody else's.
    #[error("there is no session {0}; leave `session` out to start a fresh one")]
    NoSession(SessionId),
    /// The session is no more.
    #[error("the session {session} is no more: {why}; leave `session` out to start a fresh one")]
    Gone {
        /// Which.
        session: SessionId,
        /// Why.
        why: &'static str,
    },
    /// There is no such session whose files a fresh one could share.
    #[error(
        "there is no session {0}, which `workspace_of` names; leave `workspace_of` out to start with files of its own"
    )]
    NoneToShare(SessionId),
    /// The session whose files a fresh one was to share is no more.
    #[error(
        "the session {session}, which `workspace_of` names, is no more: {why}; leave `workspace_of` out to start with files of its own"
    )]
    GoneToShare {
        /// Which.
        session: SessionId,
        /// Why.
        why: &'static str,
    },
    /// Another program runs in it, and the caller does not want to wait.
    #[error(
        "a program is running in the session {0}; wait for it, or leave `if_busy` out to queue behind it"
    )]
    Busy(SessionId),
    /// A session has one language, and the program is in another.
    #[error(
        "`language` is \"{asked}\", and the session {session} has {has}; a session has one language, so write the program in that, or leave `session` out for a fresh one, which has the files of this one with `workspace_of`"
    )]
    OtherLanguage {
        /// Which session.
        session: SessionId,
        /// What was asked for.
        asked: Language,
        /// What it has, as people write it.
        has: &'static str,
    },
    /// A run that another was to take over from is not one that did not succeed.
    #[error("{run}, which `resume_from` names, cannot be taken up: {why}")]
    NotResumable {
        /// Which.
        run: RunId,
        /// Why not, and what to do.
        why: String,
    },
    /// A run cannot go from one gateway to another.
    #[error("{run} cannot be moved, {why}")]
    NotMovable {
        /// Which.
        run: RunId,
        /// Why not, and what to do.
        why: &'static str,
    },
    /// A run rests that only a gateway goes on with which keeps runs.
    #[error(
        "{0} rests, because this gateway was started without `durable`; start it with `--durable true`, and the run goes on and can be ended or moved"
    )]
    Paused(RunId),
    /// What was given cannot be gone on with here, or there is nothing to give.
    #[error("{0}")]
    Immovable(String),
    /// Too many wait.
    #[error(transparent)]
    Full(#[from] Full),
    /// The owner has as much as one may have.
    #[error("{what}: {now} of {most} (setting `{setting}`); delete sessions you no longer need")]
    Quota {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        now: u64,
        /// How much there may be.
        most: u64,
        /// The setting that says so.
        setting: &'static str,
    },
    /// Something in the request is not as it must be.
    #[error("`{field}` {problem}")]
    Invalid {
        /// Which part.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// Something in the request is well-formed, and cannot be as it is here: a variable called `if`, a team
    /// that the caller is not in, a program longer than the operator lets it be.
    #[error("`{field}` {problem}")]
    Unfit {
        /// Which part.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no such run, or it is somebody else's.
    #[error("there is no run {0}")]
    NoRun(RunId),
    /// No call of a run waits for this caller's answer.
    #[error(
        "no call of run {0} waits for an approval that you could give; it may have been answered, or be over"
    )]
    NothingToApprove(RunId),
    /// The run has no such file.
    #[error("the run {run} has no artifact {name:?}")]
    NoArtifact {
        /// Which run.
        run: RunId,
        /// What was asked for.
        name: String,
    },
    /// The run's result has nothing there, or is not there yet.
    #[error("the run {run} has no result at {pointer:?}: {why}")]
    NoPart {
        /// Which run.
        run: RunId,
        /// What was asked for.
        pointer: String,
        /// Why.
        why: &'static str,
    },
    /// There is no such skill, or it is somebody else's.
    #[error("{0}; `search_skills()` finds those there are")]
    NoSkill(String),
    /// A skill was not saved, or not taken away.
    #[error("{0}")]
    Skill(String),
    /// About the session's files.
    #[error(transparent)]
    File(#[from] FileError),
    /// The session's state is of no use.
    #[error(
        "the session cannot be continued: {0}; start a fresh one: leave out `session`, also where you take a run of it up with `resume_from`"
    )]
    Session(String),
    /// A run that was frozen cannot be thawed.
    #[error(
        "this run cannot go on here: {0}; what it has done stays done. Run its program again with `resume_from` and without `session`: that repeats nothing that was done"
    )]
    Unthawed(String),
    /// The sandbox broke.
    #[error("the sandbox failed: {0}")]
    Sandbox(String),
    /// What we keep could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The process is ending.
    #[error("this gateway is shutting down; try again in a moment")]
    Draining,
}

impl Refusal {
    /// A word for programs, which stays the same.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoEngine(NoEngine::Installing { .. }) => "installing",
            Self::NoEngine(NoEngine::NotOffered(_)) | Self::Invalid { .. } | Self::Unfit { .. } => {
                "invalid_request"
            }
            Self::NoEngine(_) => "no_runtime",
            Self::NoSession(_) | Self::NoneToShare(_) => "unknown_session",
            Self::Gone { .. } | Self::GoneToShare { .. } => "session_gone",
            Self::Busy(_) => "session_busy",
            Self::OtherLanguage { .. } => "other_language",
            Self::NotResumable { .. } => "not_resumable",
            Self::Paused(_) => "run_paused",
            Self::NotMovable { .. } | Self::Immovable(_) => "not_movable",
            Self::Full(_) => "too_many_requests",
            Self::Quota { .. } => "quota_exceeded",
            Self::NoRun(_) => "unknown_run",
            Self::NothingToApprove(_) => "nothing_to_approve",
            Self::NoArtifact { .. } => "unknown_artifact",
            Self::NoPart { .. } => "unknown_part",
            Self::NoSkill(_) => "unknown_skill",
            Self::Skill(_) => "skill_refused",
            Self::File(FileError::Missing { .. }) => "unknown_file",
            Self::File(FileError::Refused { .. }) => "file_refused",
            Self::Session(_) | Self::Unthawed(_) => "session_unusable",
            Self::File(_) | Self::Sandbox(_) => "sandbox_failed",
            Self::Store(error) if error.is_full() => "storage_full",
            Self::Store(_) => "storage_failed",
            Self::Draining => "shutting_down",
        }
    }

    /// When another attempt makes sense, if one does.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Full(full) => Some(full.retry_after),
            Self::NoEngine(NoEngine::Installing { .. }) => Some(Duration::from_secs(5)),
            Self::Draining => Some(Duration::from_secs(2)),
            _ => None,
        }
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Start(error) => Self::Session(error.to_string()),
            error => Self::Sandbox(error.to_string()),
        }
    }
}

impl From<FreezeError> for Refusal {
    fn from(error: FreezeError) -> Self {
        Self::Sandbox(error.to_string())
    }
}
