//! Why the log did not take an entry, or did not open.

use std::io;
use std::sync::Arc;

use serde::Serialize;

/// Why something could not be written to the log, or the log not be opened.
///
/// The variants answer who has to act: whoever runs the machine, whoever looks after the log's
/// integrity, or the caller. Many wait for one write, so the error can be cloned.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The disk is full, or broken, or not ours. What was to be written is not in the log, or not
    /// known to be safe; what was there before still is.
    #[error("could not {action} the audit log")]
    Disk {
        /// What was tried, as an infinitive.
        action: &'static str,
        /// What the system said.
        source: Arc<io::Error>,
    },

    /// The log is not what was written. Nothing is added to it, because that would look like a
    /// continuation; [`set_aside`](crate::set_aside) puts it away for whoever examines it.
    #[error("the audit log was damaged: {0}")]
    Damaged(Damage),

    /// More waits to be written than the disk takes. The caller may wait and try again.
    #[error("too much waits to be written to the audit log")]
    Full,

    /// Another process has the log open, and this cannot be done beside it.
    #[error("the audit log is in use")]
    InUse,
}

impl LogError {
    /// For `map_err`: says what was tried.
    pub(crate) fn disk(action: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Disk { action, source: Arc::new(source) }
    }
}

/// What no crash leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "damage")]
#[non_exhaustive]
pub enum Damage {
    /// There is a key and no head, or lines and no head.
    #[error("its head is missing")]
    HeadMissing,
    /// The head was not written with the key.
    #[error("its head was not written with its key")]
    HeadForged,
    /// There are lines and no key.
    #[error("its key is missing")]
    KeyMissing,
    /// There are fewer lines than the head says.
    #[error("it ends at line {found}, and line {sealed} was written")]
    Truncated {
        /// What the head says.
        sealed: u64,
        /// What there is.
        found: u64,
    },
    /// A line does not follow from the one before, or says what was not written.
    #[error("line {seq} was changed")]
    Changed {
        /// Which.
        seq: u64,
    },
    /// The line that the head names is another one.
    #[error("line {seq} is not the one that was written")]
    Replaced {
        /// Which.
        seq: u64,
    },
}
