//! Several messages at once, which revision 2025-03-26 had: an array of them.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

/// The most messages of one array that are read.
pub(crate) const MOST: usize = 1_000;

/// Why an array is not taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untaken {
    /// It has more messages than are read.
    TooMany,
    /// It is no JSON.
    NoJson,
}

/// What is said to whoever waits for an answer that may be among too many.
pub(crate) fn said_too_many() -> String {
    format!("the answer is not readable: it is an array of more than {MOST} messages")
}

/// Whether these bytes begin like an array.
pub(crate) fn is_batch(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"[")
}

/// The messages of an array, as they are written. No more of them are kept than are read.
pub(crate) fn members(bytes: &[u8]) -> Result<Vec<&RawValue>, Untaken> {
    let read: Result<Members<'_>, serde_json::Error> = serde_json::from_slice(bytes);
    read.map(|members| members.0).map_err(|problem| match problem.classify() {
        Category::Data => Untaken::TooMany,
        Category::Io | Category::Syntax | Category::Eof => Untaken::NoJson,
    })
}

struct Members<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Each)
    }
}

struct Each;

impl<'de> Visitor<'de> for Each {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of at most {MOST} messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = sequence.next_element::<&'de RawValue>()? {
            if members.len() == MOST {
                return Err(A::Error::custom("too many"));
            }
            members.push(member);
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_has_so_many_messages_and_no_more() {
        let of = |count: usize| format!("[{}]", vec!["{}"; count].join(","));
        let count = |text: &str| members(text.as_bytes()).map(|members| members.len());
        assert_eq!(count(&of(0)), Ok(0));
        assert_eq!(count(&of(MOST)), Ok(MOST));
        assert_eq!(count(&of(MOST + 1)), Err(Untaken::TooMany));
        assert_eq!(count("[{}, {]"), Err(Untaken::NoJson));
        assert_eq!(count("[{}"), Err(Untaken::NoJson));
    }
}
