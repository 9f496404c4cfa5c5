//! The log as one process writes it, with the file lock held for as long as a write takes.
//!
//! Everything here keeps one order: lines, then the disk is told to keep them, then the head. What
//! was written and is not under the head yet can still be cut back and written again, so it is
//! remembered until it is.
//!
//! Another process may write to the same folder. Whoever takes the lock looks whether the head or
//! the end of the last segment moved, and reads on from there. The last segment is only ever added
//! to; segments before it may be replaced (by a redaction) or go (by retention).

use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::entry::{Entry, Prepared};
use crate::error::{Damage, LogError};
use crate::folder::{self, Folder};
use crate::line::encode;
use crate::seal::{Found, Head, HeadFile, Key, head_in};
use crate::walk::{self, Place, Walked};
use crate::word::Kind;

/// How a log is kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// A segment with more bytes than this is followed by another one.
    pub segment_bytes: u64,
    /// Where the key is, if not in the log's folder. Elsewhere is better: whoever can write to the
    /// folder and read the key can forge the log.
    pub key_file: Option<PathBuf>,
    /// What is noted is safe after this long.
    pub seal_after: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { segment_bytes: 16 << 20, key_file: None, seal_after: Duration::from_millis(500) }
    }
}

/// Why a write came to nothing.
pub(crate) struct Failed {
    pub(crate) error: LogError,
    /// The lines are in the log all the same, and will be under the head with the next ones.
    pub(crate) is_written: bool,
}

impl From<LogError> for Failed {
    fn from(error: LogError) -> Self {
        Self { error, is_written: false }
    }
}

/// The log's files, and how far they are known.
pub(crate) struct Disk {
    pub(crate) folder: Folder,
    pub(crate) key: Key,
    pub(crate) segment_bytes: u64,
    pub(crate) lock: Arc<File>,
    /// Held for as long as the log is open.
    pub(crate) _alive: File,
    pub(crate) head_file: HeadFile,
    /// The head's file as it was read or written last.
    pub(crate) head_bytes: Vec<u8>,
    /// The last segment.
    pub(crate) segment: File,
    pub(crate) end: Place,
    pub(crate) sealed: Place,
    /// Written by us after the head's line.
    pub(crate) unsealed: Vec<Arc<Prepared>>,
    /// To be written before anything else.
    pub(crate) first: Vec<Arc<Prepared>>,
}

/// The file lock, until dropped.
pub(crate) struct Held(Arc<File>);

impl Held {
    pub(crate) fn take(lock: &Arc<File>) -> Result<Self, LogError> {
        lock.lock().map_err(LogError::disk("lock"))?;
        Ok(Self(Arc::clone(lock)))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl Disk {
    /// Writes entries and, if asked, comes back when they are safe. Gives the number of the first.
    pub(crate) fn write(&mut self, batch: &[Arc<Prepared>], seal: bool) -> Result<u64, Failed> {
        let _held = self.hold()?;
        self.put(batch, seal)
    }

    /// Takes the file lock and learns what others have done.
    pub(crate) fn hold(&mut self) -> Result<Held, LogError> {
        let held = Held::take(&self.lock)?;
        self.catch_up()?;
        Ok(held)
    }

    fn catch_up(&mut self) -> Result<(), LogError> {
        let reads = LogError::disk("read");
        if !self.head_file.is_in_place(&self.folder).map_err(&reads)? {
            return Err(LogError::Damaged(Damage::HeadMissing));
        }
        let bytes = self.head_file.bytes().map_err(&reads)?;
        let length = self.segment.metadata().map_err(&reads)?.len();
        let path = self.folder.segment(self.end.segment);
        let is_last = folder::is_in_place(&self.segment, &path).map_err(&reads)?
            && !self.folder.segment(self.end.segment + 1).exists();
        let is_same_head = bytes == self.head_bytes;
        if is_same_head && is_last && length == self.end.bytes {
            return Ok(());
        }
        let Found::Head { head, .. } = head_in(&bytes, &self.key) else {
            return Err(LogError::Damaged(Damage::HeadForged));
        };
        let goes_on = is_last
            && head.segment <= self.end.segment
            && length >= self.end.bytes
            && (is_same_head || head.seq >= self.end.seq);
        let walked = if goes_on {
            walk::on(&self.folder, self.end, self.sealed, &head)?
        } else {
            walk::whole(&self.folder, &head)?
        };
        if head.seq >= self.end.seq {
            self.unsealed.clear();
        } else if !goes_on {
            // Somebody's disk failed, and they cut the log back to its head.
            self.first.append(&mut self.unsealed);
        }
        self.head_bytes = bytes;
        self.settle(&walked, json!({}))
    }

    /// Goes on after the last line that counts, and says so if something was cut.
    pub(crate) fn settle(
        &mut self,
        walked: &Walked,
        mut found: serde_json::Value,
    ) -> Result<(), LogError> {
        let path = self.folder.segment(walked.end.segment);
        self.segment = folder::appendable(&path).map_err(LogError::disk("open"))?;
        (self.end, self.sealed) = (walked.end, walked.sealed);
        if walked.is_torn {
            let cuts = LogError::disk("cut the torn end of");
            let length = self.segment.metadata().map_err(&cuts)?.len();
            self.segment.set_len(self.end.bytes).map_err(&cuts)?;
            self.segment.sync_all().map_err(&cuts)?;
            found["cut_bytes"] = json!(length.saturating_sub(self.end.bytes));
        }
        if found.as_object().is_some_and(|found| !found.is_empty()) {
            found["after_line"] = json!(self.end.seq);
            let entry = Entry { details: found, ..Entry::new(Kind::Recovered) };
            self.first.push(Arc::new(entry.prepare().map_err(LogError::disk("repair"))?));
        }
        Ok(())
    }

    /// [`Disk::write`] for whoever holds the lock.
    ///
    /// All of a batch is written or nothing of it, unless only the head could not be.
    pub(crate) fn put(&mut self, batch: &[Arc<Prepared>], seal: bool) -> Result<u64, Failed> {
        let is_empty = batch.is_empty() && self.first.is_empty();
        if self.end.bytes >= self.segment_bytes && !is_empty {
            self.roll()?;
        }
        let begin = self.end;
        let first = begin.seq + self.first.len() as u64 + 1;
        let mut bytes = Vec::new();
        for entry in self.first.iter().chain(batch) {
            self.end.seq += 1;
            self.end.hash = encode(self.end.seq, self.end.hash, entry, &mut bytes);
        }
        self.end.bytes += bytes.len() as u64;
        if let Err(error) = self.segment.write_all(&bytes) {
            // Half a line would have to be told from tampering by whoever reads next.
            let _ = self.segment.set_len(begin.bytes);
            self.end = begin;
            return Err(LogError::disk("write to")(error).into());
        }
        self.unsealed.append(&mut self.first);
        let before = self.unsealed.len();
        self.unsealed.extend(batch.iter().cloned());
        if seal {
            self.seal().inspect_err(|failed| {
                if !failed.is_written {
                    self.first.truncate(before);
                }
            })?;
        }
        Ok(first)
    }

    /// Comes back when everything written is safe and under the head.
    pub(crate) fn seal(&mut self) -> Result<(), Failed> {
        if self.end.seq == self.sealed.seq {
            return Ok(());
        }
        if let Err(error) = self.segment.sync_data() {
            // The system may have forgotten what it could not write, and would say that all is well
            // when asked again. So it is written again.
            let _ = self.segment.set_len(self.sealed.bytes);
            self.end = self.sealed;
            self.first.append(&mut self.unsealed);
            return Err(LogError::disk("keep what was written to")(error).into());
        }
        self.write_head()
    }

    /// Writes the head for what is already safe.
    pub(crate) fn write_head(&mut self) -> Result<(), Failed> {
        let Place { segment, seq, hash, .. } = self.end;
        let written = self.head_file.write(&self.key, &Head { segment, seq, hash });
        let read = written.and_then(|()| self.head_file.bytes());
        self.head_bytes = read.map_err(|error| {
            // A copy may have been written, so what it covers has to stay.
            Failed { error: LogError::disk("write the head of")(error), is_written: true }
        })?;
        self.sealed = self.end;
        self.unsealed.clear();
        Ok(())
    }

    /// Begins another segment, after the last one is safe. One without lines is not followed by
    /// another: whoever looks for the end looks no further back than two.
    pub(crate) fn roll(&mut self) -> Result<(), LogError> {
        if self.end.bytes == 0 {
            return Ok(());
        }
        self.seal().map_err(|failed| failed.error)?;
        let begin = || -> io::Result<File> {
            let file = folder::appendable(&self.folder.segment(self.end.segment + 1))?;
            self.folder.sync()?;
            Ok(file)
        };
        self.segment = begin().map_err(LogError::disk("begin a segment of"))?;
        self.end = Place { segment: self.end.segment + 1, bytes: 0, ..self.end };
        self.sealed = self.end;
        Ok(())
    }
}
