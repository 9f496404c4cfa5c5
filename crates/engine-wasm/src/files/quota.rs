//! How much of `/workspace` a session may fill, and what it met when it tried more.

use std::fmt;

use engine::Limits;

use super::errno::Errno;

/// The longest a file can be whatever the quota says. Files live in memory, and
/// every 64 KiB of length takes a slot even where nothing was written.
pub(super) const MAX_FILE: u64 = 4 << 30;

/// The most descriptors there can be whatever the quota says.
pub(super) const MAX_OPEN: usize = 4096;

/// The most files and folders there can be whatever the quota says.
pub(super) const MAX_FILES: u64 = 1 << 20;

/// What a session may do with its workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    /// Whether it may change anything at all.
    pub(crate) writable: bool,
    /// Bytes of all files together. Holes count as if they were written.
    pub(crate) workspace_bytes: u64,
    /// Bytes of one file.
    pub(crate) file_bytes: u64,
    /// Files and folders together.
    pub(crate) files: u64,
    /// Files and folders open at the same time, in any folder.
    pub(crate) open_files: u64,
}

impl From<&Limits> for Quota {
    fn from(limits: &Limits) -> Self {
        Self {
            writable: limits.workspace_writable,
            workspace_bytes: limits.workspace_bytes,
            file_bytes: limits.file_bytes,
            files: limits.files,
            open_files: limits.open_files,
        }
    }
}

impl Default for Quota {
    fn default() -> Self {
        Self::from(&Limits::default())
    }
}

/// Which part of the quota was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    /// `/workspace` cannot be written to.
    NotWritable,
    /// The file is there, and a run that may not write does not see it.
    Hidden,
    /// [`Quota::workspace_bytes`].
    WorkspaceBytes,
    /// [`Quota::file_bytes`].
    FileBytes,
    /// [`Quota::files`].
    Files,
    /// [`Quota::open_files`].
    OpenFiles,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (setting, unit) = match self.kind {
            RefusalKind::NotWritable => return f.write_str("`workspace-writable` is false here"),
            RefusalKind::Hidden => {
                return f.write_str(
                    "`workspace-writable` is false here, and such a run finds the workspace empty; \
                     the session's files are there for a run at the session's own level",
                );
            }
            RefusalKind::WorkspaceBytes => ("workspace-bytes", " bytes"),
            RefusalKind::FileBytes => ("file-bytes", " bytes"),
            RefusalKind::Files => ("files", ""),
            RefusalKind::OpenFiles => ("open-files", ""),
        };
        write!(f, "`{setting}` is {}{unit} here", self.allowed)
    }
}

impl RefusalKind {
    /// What the guest is told. Too many files is `EDQUOT` ("Quota exceeded") and not
    /// `ENOSPC`, so that it can be told from too many bytes: deleting one large
    /// file helps against the one and not against the other.
    pub(crate) fn errno(self) -> Errno {
        match self {
            Self::NotWritable => Errno::ReadOnly,
            Self::Hidden => Errno::NotFound,
            Self::WorkspaceBytes => Errno::NoSpace,
            Self::FileBytes => Errno::FileTooLarge,
            Self::Files => Errno::QuotaExceeded,
            Self::OpenFiles => Errno::TooManyOpen,
        }
    }
}

/// The quota said no. Kept so that the host can explain the `OSError`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// What was met.
    pub(crate) kind: RefusalKind,
    /// What is allowed, in the quota's own unit; 0 for [`RefusalKind::NotWritable`].
    pub(crate) allowed: u64,
}

impl Quota {
    /// May anything be changed?
    pub(super) fn change(&self) -> Result<(), Refusal> {
        refuse_unless(self.writable, RefusalKind::NotWritable, 0)
    }

    /// May a file of `old` bytes become `new` bytes long, when all files have `used`?
    /// Shrinking is always allowed, so that a lowered quota can be met.
    pub(super) fn resize(&self, used: u64, old: u64, new: u64) -> Result<(), Refusal> {
        if new <= old {
            return Ok(());
        }
        let file_bytes = self.file_bytes.min(MAX_FILE);
        refuse_unless(new <= file_bytes, RefusalKind::FileBytes, file_bytes)?;
        let fits = used.saturating_add(new - old) <= self.workspace_bytes;
        refuse_unless(fits, RefusalKind::WorkspaceBytes, self.workspace_bytes)
    }

    /// May there be one more file or folder besides `present`?
    pub(super) fn add_file(&self, present: u64) -> Result<(), Refusal> {
        let files = self.files.min(MAX_FILES);
        refuse_unless(present < files, RefusalKind::Files, files)
    }

    /// May there be one more descriptor besides `open`?
    pub(super) fn open_file(&self, open: usize) -> Result<(), Refusal> {
        let allowed = self.open_files.min(MAX_OPEN as u64);
        refuse_unless((open as u64) < allowed, RefusalKind::OpenFiles, allowed)
    }
}

fn refuse_unless(allowed: bool, kind: RefusalKind, limit: u64) -> Result<(), Refusal> {
    if allowed { Ok(()) } else { Err(Refusal { kind, allowed: limit }) }
}
