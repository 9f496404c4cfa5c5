//! A log that many threads write to.
//!
//! ```text
//! append ─┐
//! note ───┼──► queue ──► one thread: lines ──► safe ──► head ──► whoever waits
//! append ─┘
//! ```
//!
//! Whatever is in the queue is written together, so a hundred threads that wait cost the disk as
//! much as one. [`Log::append`] comes back when its entry is safe from a loss of power. What
//! [`Log::note`] takes is handed to the system at once, so that it survives the end of this
//! process, and is safe within a second.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::disk::{Disk, Options};
use crate::entry::{Entry, Prepared};
use crate::error::LogError;
use crate::redact::Redaction;
use crate::retain::{Removal, Retention};
use crate::seal::Anchor;

/// Bytes that may wait to be written.
const MOST_WAITING: usize = 4 << 20;
/// How long notes wait after the disk did not take them.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// A log that is open. Dropping it writes what waits.
#[derive(Debug)]
pub struct Log {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
    disk: Mutex<Disk>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Pending>,
    bytes: usize,
    is_closing: bool,
    trouble: Option<LogError>,
}

struct Pending {
    /// Nothing, for whoever only wants to know that all before is safe.
    entry: Option<Arc<Prepared>>,
    answer: Option<Sender<Result<u64, LogError>>>,
}

impl Log {
    /// Opens the log in a folder, or makes one there.
    ///
    /// What a crash has left is repaired, and an entry says so. What no crash leaves is
    /// [`LogError::Damaged`].
    pub fn open(folder: &Path, options: &Options) -> Result<Self, LogError> {
        let disk = Mutex::new(Disk::open(folder, options)?);
        let shared = Arc::new(Shared { queue: Mutex::default(), wake: Condvar::new(), disk });
        let (of_thread, seal_after) = (Arc::clone(&shared), options.seal_after);
        let writer = std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || of_thread.write(seal_after))
            .map_err(LogError::disk("start a thread for"))?;
        Ok(Self { shared, writer: Some(writer) })
    }

    /// Adds an entry and comes back when it is safe; gives its number.
    ///
    /// Waits for the disk: not for a thread that others share.
    pub fn append(&self, entry: Entry) -> Result<u64, LogError> {
        let entry = entry.prepare().map_err(LogError::disk("prepare an entry of"))?;
        self.ask(Some(Arc::new(entry)))
    }

    /// Adds an entry that is safe within a second, and does not wait for it.
    ///
    /// An error says that too much waits already and the entry was not taken. [`Log::trouble`] says
    /// whether the disk takes what is noted.
    pub fn note(&self, entry: Entry) -> Result<(), LogError> {
        let entry = entry.prepare().map_err(LogError::disk("prepare an entry of"))?;
        self.shared.push(Pending { entry: Some(Arc::new(entry)), answer: None })
    }

    /// Comes back when everything that was noted is safe; gives the number of the next line.
    pub fn sync(&self) -> Result<u64, LogError> {
        self.ask(None)
    }

    fn ask(&self, entry: Option<Arc<Prepared>>) -> Result<u64, LogError> {
        let (answer, answered) = mpsc::channel();
        self.shared.push(Pending { entry, answer: Some(answer) })?;
        let gone = || std::io::Error::other("the thread that writes has ended");
        answered.recv().map_err(|_| LogError::disk("write to")(gone()))?
    }

    /// Takes the entries of some lines away; see [`search`](fn@crate::search) for their numbers.
    ///
    /// The places stay and say who took the entry away, when and why; the chain can still be
    /// verified. What the disk held under the old file is for the file system to forget.
    pub fn redact(
        &self,
        lines: impl IntoIterator<Item = u64>,
        by: &str,
        why: &str,
    ) -> Result<Redaction, LogError> {
        let lines: BTreeSet<u64> = lines.into_iter().collect();
        self.sync()?;
        lock(&self.shared.disk).redact(&lines, by, why)
    }

    /// Removes the oldest segments that need not be kept; `None` if there are none.
    pub fn retain(&self, rules: &Retention) -> Result<Option<Removal>, LogError> {
        self.sync()?;
        lock(&self.shared.disk).retain(rules)
    }

    /// The last line that is safe. Kept elsewhere, it proves later that the log was not cut or put
    /// back to an older state, whoever has the key.
    #[must_use]
    pub fn head(&self) -> Anchor {
        let sealed = lock(&self.shared.disk).sealed;
        Anchor { seq: sealed.seq, hash: sealed.hash }
    }

    /// Why the last write came to nothing, if it did.
    #[must_use]
    pub fn trouble(&self) -> Option<LogError> {
        lock(&self.shared.queue).trouble.clone()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        lock(&self.shared.queue).is_closing = true;
        self.shared.wake.notify_all();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Shared {
    fn push(&self, pending: Pending) -> Result<(), LogError> {
        let length = pending.entry.as_ref().map_or(0, |entry| entry.bytes.len());
        let mut queue = lock(&self.queue);
        if queue.bytes + length > MOST_WAITING && queue.bytes > 0 && length > 0 {
            return Err(LogError::Full);
        }
        queue.bytes += length;
        queue.waiting.push(pending);
        drop(queue);
        self.wake.notify_one();
        Ok(())
    }

    /// What the thread does until the log is dropped.
    fn write(&self, seal_after: Duration) {
        // When what was written has to be safe, or what was not has to be tried again.
        let mut due: Option<Instant> = None;
        loop {
            let (batch, is_closing) = self.take(due);
            let is_due = due.is_some_and(|due| due <= Instant::now());
            let seal = is_closing || is_due || batch.iter().any(|one| one.answer.is_some());
            let entries: Vec<_> = batch.iter().filter_map(|one| one.entry.clone()).collect();
            let written = lock(&self.disk).write(&entries, seal);
            let failed = written.is_err();
            due = match &written {
                Ok(_) if seal => None,
                Ok(_) => due.or_else(|| Some(Instant::now() + seal_after)),
                Err(_) => Some(Instant::now() + RETRY_AFTER),
            };
            match written {
                Ok(first) => self.answer(batch, first),
                Err(failed) => self.give_back(batch, &failed),
            }
            if is_closing && (failed || lock(&self.queue).waiting.is_empty()) {
                return;
            }
        }
    }

    /// Waits until there is something to write, or it is time.
    fn take(&self, due: Option<Instant>) -> (Vec<Pending>, bool) {
        let mut queue = lock(&self.queue);
        loop {
            let is_resting = queue.trouble.is_some() && due.is_some_and(|due| due > Instant::now());
            let somebody_waits = queue.waiting.iter().any(|one| one.answer.is_some());
            let is_ready = somebody_waits || (!queue.waiting.is_empty() && !is_resting);
            if is_ready || queue.is_closing || due.is_some_and(|due| due <= Instant::now()) {
                queue.bytes = 0;
                return (std::mem::take(&mut queue.waiting), queue.is_closing);
            }
            queue = match due {
                None => self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(due) => {
                    let left = due.saturating_duration_since(Instant::now());
                    let waited = self.wake.wait_timeout(queue, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn answer(&self, batch: Vec<Pending>, first: u64) {
        lock(&self.queue).trouble = None;
        let mut seq = first;
        for one in batch {
            if let Some(answer) = one.answer {
                // Whoever asked may have given up.
                let _ = answer.send(Ok(seq));
            }
            seq += u64::from(one.entry.is_some());
        }
    }

    /// Tells those who wait; what was only noted is kept for another attempt.
    fn give_back(&self, batch: Vec<Pending>, failed: &crate::disk::Failed) {
        let mut queue = lock(&self.queue);
        queue.trouble = Some(failed.error.clone());
        let mut again = Vec::new();
        for one in batch {
            match one.answer {
                Some(answer) => {
                    let _ = answer.send(Err(failed.error.clone()));
                }
                None if failed.is_written => {}
                None => {
                    queue.bytes += one.entry.as_ref().map_or(0, |entry| entry.bytes.len());
                    again.push(Pending { answer: None, ..one });
                }
            }
        }
        again.append(&mut queue.waiting);
        queue.waiting = again;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
