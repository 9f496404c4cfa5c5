//! Finding the end of a log: of one just opened, or of one that another process went on with.
//!
//! Only the last two segments are read. What lies before is for [`verify`](fn@crate::verify): opening
//! must not take longer the older a log gets. Whatever follows the head's line was written and not
//! confirmed to anybody. It counts up to the first line that does not; a crash tears there.

use std::io;

use crate::error::{Damage, LogError};
use crate::folder::{Folder, Lines, Next};
use crate::hash::Hash;
use crate::line::{Line, decode_line};
use crate::seal::Head;

/// A place between two lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// In which segment.
    pub(crate) segment: u64,
    /// After so many bytes of it.
    pub(crate) bytes: u64,
    /// After which line.
    pub(crate) seq: u64,
    /// The hash of that line.
    pub(crate) hash: Hash,
}

/// What was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walked {
    /// After the last line that counts.
    pub(crate) end: Place,
    /// After the head's line; in the last segment, or at its beginning.
    pub(crate) sealed: Place,
    /// Whether something follows that does not count.
    pub(crate) is_torn: bool,
}

/// Finds the end of a log of which only the head is known.
pub(crate) fn whole(folder: &Folder, head: &Head) -> Result<Walked, LogError> {
    let segments = folder.segments().map_err(LogError::disk("list"))?;
    let last_two = &segments[segments.len().saturating_sub(2)..];
    let Some(first) = last_two.first() else {
        let nothing = Place { segment: 1, bytes: 0, seq: 0, hash: Hash::ZERO };
        return Walk::new(nothing, None, head)?.finish();
    };
    let start = start_of(folder, *first).map_err(LogError::disk("read"))?;
    // A log whose very first line was torn has no line to begin with.
    let start = start.unwrap_or(Place { segment: *first, bytes: 0, seq: 0, hash: Hash::ZERO });
    let mut walk = Walk::new(start, None, head)?;
    for (at, segment) in last_two.iter().enumerate() {
        walk.through(folder, *segment, at + 1 == last_two.len())?;
    }
    walk.finish()
}

/// Finds the end of a log that was known up to `from` and whose last segment is still the same.
pub(crate) fn on(
    folder: &Folder,
    from: Place,
    sealed: Place,
    head: &Head,
) -> Result<Walked, LogError> {
    let mut walk = Walk::new(from, Some(sealed), head)?;
    walk.through(folder, from.segment, true)?;
    walk.finish()
}

/// Where a segment begins, as its first line tells.
pub(crate) fn start_of(folder: &Folder, segment: u64) -> io::Result<Option<Place>> {
    let mut lines = Lines::open(&folder.segment(segment), 0)?;
    let Next::Line(bytes) = lines.next()? else { return Ok(None) };
    Ok(decode_line(bytes).map(|line| Place {
        segment,
        bytes: 0,
        seq: line.seq - 1,
        hash: line.prev,
    }))
}

struct Walk<'a> {
    at: Place,
    sealed: Option<Place>,
    head: &'a Head,
    is_torn: bool,
}

impl<'a> Walk<'a> {
    fn new(at: Place, sealed: Option<Place>, head: &'a Head) -> Result<Self, LogError> {
        let mut walk = Self { at, sealed, head, is_torn: false };
        walk.arrive()?;
        Ok(walk)
    }

    /// Compares with the head where the head is.
    fn arrive(&mut self) -> Result<(), LogError> {
        if self.at.seq != self.head.seq {
            return Ok(());
        }
        if self.at.hash != self.head.hash {
            return Err(LogError::Damaged(Damage::Replaced { seq: self.at.seq }));
        }
        self.sealed = Some(self.at);
        Ok(())
    }

    fn through(&mut self, folder: &Folder, segment: u64, is_last: bool) -> Result<(), LogError> {
        let reads = LogError::disk("read");
        if segment != self.at.segment {
            self.at = Place { segment, bytes: 0, ..self.at };
            self.arrive()?;
        }
        let mut lines = Lines::open(&folder.segment(segment), self.at.bytes).map_err(&reads)?;
        loop {
            let line = match lines.next().map_err(&reads)? {
                Next::End => return Ok(()),
                Next::Torn => None,
                Next::Line(bytes) => decode_line(bytes)
                    .filter(|line| line.seq == self.at.seq + 1 && line.prev == self.at.hash)
                    .filter(Line::is_whole)
                    .map(|line| (line.hash(), bytes.len() as u64 + 1)),
            };
            let Some((hash, length)) = line else { return self.stop(is_last) };
            self.at =
                Place { bytes: self.at.bytes + length, seq: self.at.seq + 1, hash, ..self.at };
            self.arrive()?;
        }
    }

    /// A line that does not count. After the head's line and in the last segment, it is what a
    /// crash leaves: a segment is begun only when the one before is safe.
    fn stop(&mut self, is_last: bool) -> Result<(), LogError> {
        if !is_last || self.at.seq < self.head.seq {
            return Err(LogError::Damaged(Damage::Changed { seq: self.at.seq + 1 }));
        }
        self.is_torn = true;
        Ok(())
    }

    fn finish(self) -> Result<Walked, LogError> {
        let Some(sealed) = self.sealed else {
            let (sealed, found) = (self.head.seq, self.at.seq);
            return Err(LogError::Damaged(Damage::Truncated { sealed, found }));
        };
        // The head's line may be the last of the segment before; what can be cut begins here.
        let sealed = if sealed.segment == self.at.segment {
            sealed
        } else {
            Place { segment: self.at.segment, bytes: 0, ..sealed }
        };
        Ok(Walked { end: self.at, sealed, is_torn: self.is_torn })
    }
}
