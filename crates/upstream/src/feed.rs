//! What a server says without being asked: log messages, progress, stray lines, standard error,
//! and that its tools have changed.
//!
//! One feed belongs to one configured server and outlives its connections, so that what a
//! crashed child said last can still be read. Everything in it is bounded.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use catalog::ServerName;
use tokio::sync::{broadcast, watch};

use crate::mask::Mask;
use crate::passing::Happening;

/// Messages kept.
const NOTES: usize = 200;
/// Bytes kept of one message.
const NOTE_BYTES: usize = 1_024;
/// Bytes kept of standard error.
const STDERR_BYTES: usize = 64 << 10;
/// Bytes of standard error shown in an error message.
const STDERR_SHOWN: usize = 4 << 10;

/// Something a server said without being asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// When it arrived.
    pub at: SystemTime,
    /// What kind of thing it is.
    pub kind: NoteKind,
    /// Its text, shortened.
    pub text: String,
}

/// The kinds of [`Note`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A log message of the server.
    Log,
    /// Progress of a call.
    Progress,
    /// A line on standard output that is not part of the protocol.
    Stray,
    /// A request of the server to us, and what became of it.
    Asked,
    /// Something we noticed about the server.
    Noticed,
}

/// Everything one server said unasked.
#[derive(Debug)]
pub(crate) struct Feed {
    /// Whose it is, for the log.
    server: String,
    notes: Mutex<VecDeque<Note>>,
    stderr: Mutex<VecDeque<u8>>,
    mask: Arc<Mask>,
    tools: watch::Sender<Tools>,
    happenings: broadcast::Sender<Happening>,
}

/// How often a server said that its tools changed, and how much of that has been followed up.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tools {
    pub(crate) changed: u64,
    seen: u64,
}

impl Tools {
    pub(crate) fn are_stale(&self) -> bool {
        self.seen < self.changed
    }
}

impl Default for Feed {
    fn default() -> Self {
        Self {
            server: String::new(),
            notes: Mutex::default(),
            stderr: Mutex::default(),
            mask: Arc::default(),
            tools: watch::Sender::new(Tools::default()),
            happenings: broadcast::Sender::new(1),
        }
    }
}

impl Feed {
    /// A feed whose happenings go where those of others go too.
    pub(crate) fn telling(server: &ServerName, happenings: broadcast::Sender<Happening>) -> Self {
        let (server, mask) = (server.0.clone(), Mask::known());
        Self { server, mask, happenings, ..Self::default() }
    }

    /// What must not be heard of it.
    pub(crate) fn mask(&self) -> &Arc<Mask> {
        &self.mask
    }

    pub(crate) fn note(&self, kind: NoteKind, text: &str) {
        let text = shortened(&self.mask.standard_error(text.to_owned(), false), NOTE_BYTES);
        tracing::debug!(
            server = self.server.as_str(),
            ?kind,
            text = text.as_str(),
            "server said something unasked"
        );
        let mut notes = lock(&self.notes);
        if notes.len() == NOTES {
            notes.pop_front();
        }
        notes.push_back(Note { at: SystemTime::now(), kind, text });
    }

    pub(crate) fn notes(&self) -> Vec<Note> {
        lock(&self.notes).iter().cloned().collect()
    }

    /// Forgets standard error: a new process starts.
    pub(crate) fn clear_stderr(&self) {
        lock(&self.stderr).clear();
    }

    pub(crate) fn stderr(&self, bytes: &[u8]) {
        let mut kept = lock(&self.stderr);
        let bytes = &bytes[bytes.len().saturating_sub(STDERR_BYTES)..];
        let surplus = (kept.len() + bytes.len()).saturating_sub(STDERR_BYTES);
        kept.drain(..surplus);
        kept.extend(bytes);
    }

    /// All that is kept of standard error.
    pub(crate) fn stderr_text(&self) -> String {
        let kept: Vec<u8> = lock(&self.stderr).iter().copied().collect();
        let is_cut = kept.len() == STDERR_BYTES;
        // Half a letter that the cut left would hide what follows it.
        let halves = kept.iter().take_while(|&&byte| is_cut && byte & 0xC0 == 0x80).count();
        let text = String::from_utf8_lossy(&kept[halves.min(3)..]);
        self.mask.standard_error(text.into_owned(), is_cut)
    }

    /// The end of standard error as the tail of an error message, or nothing.
    pub(crate) fn stderr_shown(&self) -> String {
        let text = self.stderr_text();
        let text = text.trim();
        if text.is_empty() {
            return String::new();
        }
        let mut from = text.len().saturating_sub(STDERR_SHOWN);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let omitted = if from > 0 { "…" } else { "" };
        format!("; it wrote to standard error:\n{omitted}{}", &text[from..])
    }

    /// The server says that its tools have changed.
    pub(crate) fn tools_changed(&self) {
        self.tools.send_modify(|tools| tools.changed += 1);
    }

    /// The tools were asked for after the server had said so this often.
    pub(crate) fn tools_seen(&self, changed: u64) {
        self.tools.send_modify(|tools| tools.seen = tools.seen.max(changed));
    }

    /// Something happened that clients may want to know of.
    pub(crate) fn happened(&self, what: Happening) {
        let what = match what {
            Happening::ResourceUpdated { uri } => {
                Happening::ResourceUpdated { uri: self.mask.text(uri) }
            }
            other => other,
        };
        // Nobody may be interested.
        let _ = self.happenings.send(what);
    }

    pub(crate) fn tools(&self) -> watch::Receiver<Tools> {
        self.tools.subscribe()
    }
}

/// `text`, cut at a character boundary if it is longer than `bytes`.
pub(crate) fn shortened(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

/// A panic elsewhere leaves nothing half done here.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_notes_are_kept_and_long_ones_are_cut() {
        let feed = Feed::default();
        for number in 0..NOTES + 5 {
            feed.note(NoteKind::Log, &format!("{number} {}", "é".repeat(NOTE_BYTES)));
        }
        let notes = feed.notes();
        assert_eq!(notes.len(), NOTES);
        assert!(notes[0].text.starts_with("5 "));
        assert!(notes[0].text.len() <= NOTE_BYTES + '…'.len_utf8());
    }

    #[test]
    fn standard_error_keeps_its_end() {
        let feed = Feed::default();
        feed.stderr(&vec![b'a'; STDERR_BYTES * 2]);
        feed.stderr(b"the end");
        let text = feed.stderr_text();
        assert_eq!(text.len(), STDERR_BYTES);
        assert!(text.ends_with("athe end"));
        assert!(feed.stderr_shown().len() < STDERR_SHOWN + 100);
    }
}
