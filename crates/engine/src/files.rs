//! The files of a session, for whoever brings some or wants some back.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

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
    /// Give all files as they are, for another session.
    Copy,
    /// Have the files of another session in place of one's own. No limit is asked: there is no less than
    /// was allowed where they were written, and what is too much can only become less.
    Replace(Workspace),
}

/// All files of a workspace at one moment. Sessions of every language take them from one another, as long as
/// their engines are of one kind; until one of them writes, the bytes are there once.
#[derive(Clone)]
pub struct Workspace(Arc<dyn Any + Send + Sync>);

impl Workspace {
    /// What an engine has for files.
    #[must_use]
    pub fn new<T: Any + Send + Sync>(files: T) -> Self {
        Self(Arc::new(files))
    }

    /// The same again, for the kind of engine that made it.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Workspace").finish_non_exhaustive()
    }
}

impl PartialEq for Workspace {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Workspace {}

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
    /// All files, for another session.
    Workspace(Workspace),
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
