//! What an examination of a log found.

use std::fmt;

use serde::Serialize;

use crate::seal::Anchor;

/// Problems that are listed one by one; of more there is only the number.
pub(crate) const MOST_PROBLEMS: usize = 1000;

/// What an examination found. A log is as it was written if [`Verdict::is_ok`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Lines that were read and hold an entry.
    pub entries: u64,
    /// Lines whose entry was taken away, and whose taking away is an entry.
    pub redacted: u64,
    /// The last line that retention removed, if it removed any.
    pub removed_through: Option<u64>,
    /// Segments that were read.
    pub segments: u64,
    /// The number of the last line.
    pub last: u64,
    /// What the head says, if it is authentic.
    pub head: Option<Anchor>,
    /// Lines after the head's: written and not confirmed yet, because somebody is writing or did
    /// when they crashed. That nobody else wrote them is not proven.
    pub unsealed: u64,
    /// Whether a line after the head's is torn. The next who opens the log cuts it.
    pub is_torn: bool,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// How many more problems there are than are listed.
    pub more_problems: u64,
}

impl Verdict {
    /// Whether nothing was changed, removed or added but by the log itself.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn problem(&mut self, problem: Problem) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.more_problems += 1;
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Problem {
    /// The entry is not the one that was written.
    ChangedEntry {
        /// Of which line.
        seq: u64,
    },
    /// The line does not name the one before it.
    BrokenLink {
        /// Which line.
        seq: u64,
    },
    /// Lines are missing, or not in order.
    WrongNumber {
        /// The number that comes next.
        expected: u64,
        /// The number that was there.
        found: u64,
    },
    /// Something that is no line.
    NoLine {
        /// In which segment.
        segment: u64,
        /// Where a line with this number should be.
        expected: u64,
    },
    /// Segments are missing.
    MissingSegments {
        /// The first.
        from: u64,
        /// The last.
        to: u64,
    },
    /// The log ends too early.
    Truncated {
        /// The last line there is.
        found: u64,
        /// The last line that was written.
        sealed: u64,
    },
    /// The line that the head names is another one: what came before it was written anew.
    Replaced {
        /// Which line.
        seq: u64,
    },
    /// There is no head.
    HeadMissing,
    /// The head was not written with the key.
    HeadForged,
    /// One of the head's two copies was not written with the key. A loss of power while it was
    /// written can leave that too, on a disk that tears sectors.
    HeadCopyDamaged,
    /// There is no key, or the file holds none: nothing proves where the log ends.
    KeyMissing,
    /// The checkpoint was not written with the key: segments may have been removed by anybody.
    CheckpointForged,
    /// An entry was taken away, and no entry says so.
    RedactedByNobody {
        /// The first such line.
        from: u64,
        /// The last such line in a row.
        to: u64,
    },
    /// An entry says that this one was taken away, and it is there.
    NotRedacted {
        /// The first such line.
        from: u64,
        /// The last such line in a row.
        to: u64,
    },
    /// A line that somebody remembers is another one, or gone.
    AnchorLost {
        /// Which line.
        seq: u64,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangedEntry { seq } => write!(f, "line {seq}: its entry was changed"),
            Self::BrokenLink { seq } => write!(f, "line {seq}: does not follow the one before it"),
            Self::WrongNumber { expected, found } => {
                write!(f, "line {expected}: line {found} stands in its place")
            }
            Self::NoLine { segment, expected } => {
                write!(f, "line {expected}: cannot be read, in segment {segment}")
            }
            Self::MissingSegments { from, to } if from == to => {
                write!(f, "segment {from} is missing")
            }
            Self::MissingSegments { from, to } => {
                write!(f, "segments {from} to {to} are missing")
            }
            Self::Truncated { found, sealed } => {
                write!(f, "cut off: ends at line {found}, and line {sealed} was written")
            }
            Self::Replaced { seq } => {
                write!(f, "line {seq}: not the one that was written; lines up to it were replaced")
            }
            Self::HeadMissing => f.write_str("the head is missing: the end may have been cut off"),
            Self::HeadForged => f.write_str("the head was not written with the key"),
            Self::HeadCopyDamaged => f.write_str("one of the two copies of the head is damaged"),
            Self::KeyMissing => {
                f.write_str("the key is missing: nothing proves where the log ends")
            }
            Self::CheckpointForged => f.write_str("the checkpoint was not written with the key"),
            Self::RedactedByNobody { from, to } => {
                write!(f, "lines {from} to {to}: redacted, and no entry says by whom")
            }
            Self::NotRedacted { from, to } => {
                write!(f, "lines {from} to {to}: said to be redacted, and still there")
            }
            Self::AnchorLost { seq } => write!(f, "line {seq}: not the one that was remembered"),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_ok() { "as it was written" } else { "not as it was written" };
        write!(f, "{state}: {} entries in {} segments", self.entries, self.segments)?;
        if self.redacted > 0 {
            write!(f, ", {} redacted", self.redacted)?;
        }
        if let Some(seq) = self.removed_through {
            write!(f, ", removed by retention up to line {seq}")?;
        }
        if self.unsealed > 0 {
            write!(f, ", {} not confirmed yet", self.unsealed)?;
        }
        if self.is_torn {
            f.write_str(", a torn last line")?;
        }
        let more = self.more_problems;
        self.problems.iter().try_for_each(|problem| write!(f, "\n{problem}"))?;
        if more > 0 { write!(f, "\nand {more} more problems") } else { Ok(()) }
    }
}
