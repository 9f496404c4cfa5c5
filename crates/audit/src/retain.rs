//! Removing what is too old or too much, from the beginning, a segment at a time.
//!
//! First an entry says what will go, then the checkpoint says where the log begins from now on,
//! then the segments go. A crash after the checkpoint leaves segments that no longer belong to the
//! log; whoever opens it next removes them.

use std::fs;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::disk::Disk;
use crate::entry::{Entry, now};
use crate::error::LogError;
use crate::folder::{Lines, Next};
use crate::line::decode_line;
use crate::seal::Checkpoint;
use crate::walk::start_of;
use crate::word::{Kind, Outcome};

/// What is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Entries older than this may go.
    pub max_age: Option<Duration>,
    /// When all segments together are larger, the oldest go.
    pub max_bytes: Option<u64>,
}

/// What was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    /// The last line that went.
    pub through: u64,
    /// How many segments went.
    pub segments: u64,
    /// How many bytes they had.
    pub bytes: u64,
}

impl Disk {
    /// Removes what need not be kept; `None` if that is nothing.
    ///
    /// The segment that is written to stays, so a log is never empty afterwards.
    pub(crate) fn retain(&mut self, rules: &Retention) -> Result<Option<Removal>, LogError> {
        let retains = LogError::disk("remove old entries of");
        let _held = self.hold()?;
        self.finish_redaction()?;
        let oldest = rules
            .max_age
            .map(|age| now().saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)));
        if let Some(oldest) = oldest
            && self.first_time(self.end.segment).map_err(&retains)?.is_some_and(|at| at < oldest)
        {
            self.roll()?;
        }
        let Some((removal, checkpoint)) = self.removable(rules, oldest).map_err(&retains)? else {
            return Ok(None);
        };
        let details = json!({
            "through": removal.through,
            "hash": checkpoint.hash,
            "segments": removal.segments,
            "bytes": removal.bytes,
            "max_age_days": rules.max_age.map(|age| age.as_secs() / 86_400),
            "max_bytes": rules.max_bytes,
        });
        let entry = Entry { outcome: Some(Outcome::Ok), details, ..Entry::new(Kind::Removed) };
        let entry = Arc::new(entry.prepare().map_err(&retains)?);
        self.put(&[entry], true).map_err(|failed| failed.error)?;
        checkpoint.write(&self.folder, &self.key).map_err(&retains)?;
        self.remove_leftovers()?;
        Ok(Some(removal))
    }

    fn removable(
        &self,
        rules: &Retention,
        oldest: Option<u64>,
    ) -> io::Result<Option<(Removal, Checkpoint)>> {
        let mut segments = Vec::new();
        for segment in self.folder.segments()? {
            segments.push((segment, fs::metadata(self.folder.segment(segment))?.len()));
        }
        let mut kept: u64 = segments.iter().map(|(_, bytes)| bytes).sum();
        let mut removal = Removal { through: 0, segments: 0, bytes: 0 };
        let mut begin = None;
        for (at, (segment, bytes)) in segments.iter().enumerate() {
            let Some((next, _)) = segments.get(at + 1) else { break };
            let is_too_much = rules.max_bytes.is_some_and(|most| kept > most);
            let is_too_old = match oldest {
                // A segment in which nothing can be read any more has nothing worth keeping.
                Some(oldest) => self.last_time(*segment)?.is_none_or(|at| at < oldest),
                None => false,
            };
            if *segment >= self.end.segment || !(is_too_much || is_too_old) {
                break;
            }
            // One that was begun and not written to yet cannot say what it follows.
            let follows = start_of(&self.folder, *next)?;
            let Some(start) = follows.or((*next == self.end.segment).then_some(self.end)) else {
                break;
            };
            kept -= bytes;
            removal.segments += 1;
            removal.bytes += bytes;
            removal.through = start.seq;
            begin = Some(Checkpoint { segment: *next, seq: start.seq, hash: start.hash });
        }
        Ok(begin.map(|checkpoint| (removal, checkpoint)))
    }

    /// Removes the segments before the checkpoint.
    pub(crate) fn remove_leftovers(&self) -> Result<(), LogError> {
        let removes = LogError::disk("remove old entries of");
        let checkpoint = match Checkpoint::read(&self.folder, &self.key) {
            Ok(Some(checkpoint)) => checkpoint,
            Ok(None) => return Ok(()),
            // Whoever forged it shall not have anything removed; verifying reports it.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(()),
            Err(error) => return Err(removes(error)),
        };
        for segment in self.folder.segments().map_err(&removes)? {
            if segment < checkpoint.segment {
                fs::remove_file(self.folder.segment(segment)).map_err(&removes)?;
            }
        }
        self.folder.sync().map_err(&removes)
    }

    /// The time of the first entry of a segment that can be read.
    fn first_time(&self, segment: u64) -> io::Result<Option<u64>> {
        let mut lines = Lines::open(&self.folder.segment(segment), 0)?;
        loop {
            let time = match lines.next()? {
                Next::Line(bytes) => time_in(bytes),
                Next::Torn => None,
                Next::End => return Ok(None),
            };
            if time.is_some() {
                return Ok(time);
            }
        }
    }

    /// The latest time in a segment.
    fn last_time(&self, segment: u64) -> io::Result<Option<u64>> {
        let mut lines = Lines::open(&self.folder.segment(segment), 0)?;
        let mut last = None;
        loop {
            match lines.next()? {
                Next::Line(bytes) => last = last.max(time_in(bytes)),
                Next::Torn => {}
                Next::End => return Ok(last),
            }
        }
    }
}

/// The time is the first field of an entry; reading all of it as JSON would take ten times as long.
fn time_in(bytes: &[u8]) -> Option<u64> {
    let crate::line::Body::Entry(entry) = decode_line(bytes)?.body else { return None };
    let digits = entry.strip_prefix(b"{\"time\":")?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}
