//! Finding entries, newest or oldest first.
//!
//! A search reads one segment at a time and gives what it reads; that it is what was written, only
//! [`verify`](fn@crate::verify) says. While others write, a search sees what was there when it came to
//! a segment.

use std::io;
use std::ops::Range;
use std::path::Path;

use crate::entry::Entry;
use crate::filter::{Filter, Order};
use crate::folder::{self, Folder};
use crate::line::{Mark, decode_line};
use crate::seal::Checkpoint;

/// The largest segment that is read; far more than is ever written.
const MOST_BYTES: u64 = 1 << 30;

/// A line that was looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its number.
    pub seq: u64,
    /// What it says.
    pub what: What,
    /// The line itself, as it is in the log: its hashes allow a check without the log.
    pub line: String,
}

/// What a line that was found says.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// An entry.
    Entry(Box<Entry>),
    /// That there was one. Found only by a search that asks nothing of an entry.
    Redacted(Mark),
}

impl Hit {
    /// The entry, if it was not taken away.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        match &self.what {
            What::Entry(entry) => Some(entry),
            What::Redacted(_) => None,
        }
    }
}

/// Why a search does not go on, or passed something over.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A segment could not be read. The search goes on with the next one.
    #[error("could not read segment {segment} of the audit log")]
    Disk {
        /// Which.
        segment: u64,
        /// What the system said.
        source: io::Error,
    },
    /// Something in the log is no line. The search goes on behind it.
    #[error("segment {segment} of the audit log has something at byte {at} that is no line")]
    NoLine {
        /// In which segment.
        segment: u64,
        /// Where.
        at: usize,
    },
}

/// Looks for entries.
pub fn search(folder: &Path, filter: &Filter) -> io::Result<Search> {
    let folder = Folder::new(folder, None);
    let first = Checkpoint::peek(&folder)?.map_or(1, |checkpoint| checkpoint.segment);
    let mut segments = folder.segments()?;
    segments.retain(|segment| *segment >= first);
    // The next one is taken from the end.
    if filter.order == Order::OldestFirst {
        segments.reverse();
    }
    let left = filter.limit.unwrap_or(usize::MAX);
    Ok(Search { folder, filter: filter.clone(), segments, open: None, left })
}

/// What [`search`] finds, one after another.
#[derive(Debug)]
pub struct Search {
    folder: Folder,
    filter: Filter,
    segments: Vec<u64>,
    open: Option<Open>,
    left: usize,
}

/// The segment that is being searched.
#[derive(Debug)]
struct Open {
    segment: u64,
    bytes: Vec<u8>,
    /// What was not looked at yet.
    rest: Range<usize>,
}

impl Iterator for Search {
    type Item = Result<Hit, SearchError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.left > 0 {
            if self.open.is_none() {
                let segment = self.segments.pop()?;
                match self.open(segment) {
                    Ok(open) => self.open = open,
                    Err(source) => return Some(Err(SearchError::Disk { segment, source })),
                }
            }
            let Some(open) = &mut self.open else { continue };
            let Some(line) = open.next(self.filter.order) else {
                self.open = None;
                continue;
            };
            match hit(&open.bytes[line.clone()], &self.filter) {
                Some(Some(hit)) => {
                    self.left -= 1;
                    return Some(Ok(hit));
                }
                Some(None) => {}
                None => {
                    let (segment, at) = (open.segment, line.start);
                    return Some(Err(SearchError::NoLine { segment, at }));
                }
            }
        }
        None
    }
}

impl Search {
    fn open(&self, segment: u64) -> io::Result<Option<Open>> {
        // Retention may have removed it since it was listed.
        let Some(mut bytes) = folder::read(&self.folder.segment(segment), MOST_BYTES)? else {
            return Ok(None);
        };
        // What has no end is being written, or was torn.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(whole);
        let rest = 0..bytes.len();
        Ok(Some(Open { segment, bytes, rest }))
    }
}

impl Open {
    /// Where the next line is, without its end.
    fn next(&mut self, order: Order) -> Option<Range<usize>> {
        let rest = self.bytes.get(self.rest.clone()).filter(|rest| !rest.is_empty())?;
        match order {
            Order::OldestFirst => {
                let end = self.rest.start + rest.iter().position(|byte| *byte == b'\n')?;
                let line = self.rest.start..end;
                self.rest.start = end + 1;
                Some(line)
            }
            Order::NewestFirst => {
                let before = &rest[..rest.len() - 1];
                let begin = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let line = self.rest.start + begin..self.rest.end - 1;
                self.rest.end = line.start;
                Some(line)
            }
        }
    }
}

/// What a line is to a search: nothing that can be read, or read and perhaps wanted.
#[expect(
    clippy::option_option,
    reason = "the outer says whether it is a line, as the caller reads"
)]
fn hit(bytes: &[u8], filter: &Filter) -> Option<Option<Hit>> {
    let line = decode_line(bytes)?;
    let what = if let Some(mark) = line.mark() {
        filter.is_open().then_some(What::Redacted(mark))
    } else {
        let entry = line.entry()?;
        filter.matches(&entry).then(|| What::Entry(Box::new(entry)))
    };
    let text = std::str::from_utf8(bytes).ok()?;
    Some(what.map(|what| Hit { seq: line.seq, what, line: text.to_owned() }))
}
