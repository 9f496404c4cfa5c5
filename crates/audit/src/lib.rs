//! What happened, in a log that shows when somebody changes it, and what in it is unusual.
//!
//! ```text
//! Entry ──► Log ──► segments of lines, each naming the hash of the one before
//!                   head: the last line, under a key
//!                      │
//!                      ├──► verify   is it as it was written
//!                      ├──► search, export, report   what does it say
//!                      └──► redact, retain   what it no longer says, and that it did
//!
//! Observation ──► anomaly::Watch ──► flags, each explained in figures
//! ```
//!
//! Three things hold throughout and are easy to break by accident:
//!
//! * Lines before head. A head never names a line that a loss of power could still take, so a head
//!   that is ahead of the log means that somebody cut it.
//! * A line has one spelling, and every byte of it is under a hash.
//! * Nothing is taken away without an entry that says so, and that entry comes first.
//!
//! What the log proves and what it does not is written at [`verify()`].

#![forbid(unsafe_code)]

pub mod anomaly;
mod calendar;
mod disk;
mod entry;
mod error;
mod export;
mod filter;
mod folder;
mod hash;
mod line;
mod log;
mod open;
mod random;
mod redact;
mod report;
mod retain;
mod seal;
mod search;
mod verdict;
mod verify;
mod walk;
mod word;

pub use calendar::iso;
pub use disk::Options;
pub use entry::{Entry, Source, now};
pub use error::{Damage, LogError};
pub use export::{Exported, Format, export};
pub use filter::{Filter, Order};
pub use hash::Hash;
pub use line::{Body, Line, Mark, decode_line};
pub use log::Log;
pub use open::set_aside;
pub use redact::Redaction;
pub use report::{Count, Report, Slot, report, violation};
pub use retain::{Removal, Retention};
pub use seal::Anchor;
pub use search::{Hit, Search, SearchError, What, search};
pub use verdict::{Problem, Verdict};
pub use verify::{Examination, verify, verify_with};
pub use word::{Kind, Outcome};
