//! The files of a session, for whoever brings some or wants some back.

use crate::guest::{FreezeError, StartError, StepError};

/// Something to do with a workspace from outside, while no program runs in it. Paths are
/// relative to `/workspace`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileTask {
    /// Say which files there are.
    List,
    /// Give a file's content.
    Read(String),
    /// Put a file there, with the folders on the way.
    Write(String, Vec<u8>),
    /// Take a file away.
    Remove(String),
}

/// One file of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path below `/workspace`.
    pub path: String,
    /// How long it is.
    pub bytes: u64,
}

/// What came of a [`FileTask`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAnswer {
    /// The files there are, by path.
    Files(Vec<FileEntry>),
    /// A file's content.
    Content(Vec<u8>),
    /// It was done.
    Done,
}

/// Why a [`FileTask`] was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// There is no such file.
    #[error("there is no file {path:?} in the workspace")]
    Missing {
        /// What was asked for.
        path: String,
    },
    /// The path leads elsewhere, or a limit is met.
    #[error("{path:?} cannot be changed: {reason}")]
    Refused {
        /// What was asked for.
        path: String,
        /// Why not, with the setting if one is met.
        reason: String,
    },
    /// No guest could be had.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The state before could not be kept safe.
    #[error(transparent)]
    Freeze(#[from] FreezeError),
    /// The sandbox broke.
    #[error(transparent)]
    Step(#[from] StepError),
}
