//! A line of the log, as bytes.
//!
//! ```text
//! {"seq":7,"prev":"<hash of line 6>","content":"<hash of the entry>","entry":{…}}
//! {"seq":8,"prev":"<hash of line 7>","content":"<hash of the entry>","redacted":{…}}
//! ```
//!
//! A line has one spelling. Any JSON reader can read it, but [`decode_line`] takes only what
//! [`encode`] writes, to the byte: a space more would be a change that no hash covers.

use serde::{Deserialize, Serialize};

use crate::entry::{Entry, Prepared};
use crate::hash::Hash;

/// The longest line, with its end. An entry of the greatest size, every letter of it escaped, is
/// shorter.
pub(crate) const MOST_LINE: usize = 2 << 20;

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub seq: u64,
    /// The hash of the line before.
    pub prev: Hash,
    /// The hash of the entry's bytes, which stays when the entry goes.
    pub content: Hash,
    /// What it says.
    pub body: Body<'a>,
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body<'a> {
    /// An entry, as JSON that was not looked at yet.
    Entry(&'a [u8]),
    /// That there was one, as JSON that was not looked at yet: a [`Mark`].
    Redacted(&'a [u8]),
}

/// What stands in place of an entry that was taken away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// When it was taken away, in milliseconds since 1970.
    pub at: u64,
    /// Who did it.
    pub by: String,
    /// Why.
    pub why: String,
}

impl Line<'_> {
    /// The hash that the next line names.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of_line(self.seq, self.prev, self.content)
    }

    /// Whether the entry is the one that was written. One that was taken away is no other.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        match self.body {
            Body::Entry(bytes) => Hash::of(bytes) == self.content,
            Body::Redacted(_) => true,
        }
    }

    /// The entry, if it is there and can be read.
    #[must_use]
    pub fn entry(&self) -> Option<Entry> {
        match self.body {
            Body::Entry(bytes) => serde_json::from_slice(bytes).ok(),
            Body::Redacted(_) => None,
        }
    }

    /// What stands in its place, if it was taken away.
    #[must_use]
    pub fn mark(&self) -> Option<Mark> {
        match self.body {
            Body::Entry(_) => None,
            Body::Redacted(bytes) => serde_json::from_slice(bytes).ok(),
        }
    }
}

/// Reads one line, without its end. Takes any bytes and gives `None` for all that are no line.
///
/// The entry inside is not looked at: its hash says whether it is what was written.
#[must_use]
pub fn decode_line(bytes: &[u8]) -> Option<Line<'_>> {
    let rest = bytes.strip_prefix(b"{\"seq\":")?;
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let (digits, rest) = rest.split_at_checked(digits)?;
    let seq = number(digits)?;
    let (prev, rest) = hash_in(rest.strip_prefix(b",\"prev\":\"")?)?;
    let (content, rest) = hash_in(rest.strip_prefix(b"\",\"content\":\"")?)?;
    let rest = rest.strip_prefix(b"\",\"")?.strip_suffix(b"}")?;
    let body = if let Some(entry) = rest.strip_prefix(b"entry\":") {
        Body::Entry(object(entry)?)
    } else {
        Body::Redacted(object(rest.strip_prefix(b"redacted\":")?)?)
    };
    Some(Line { seq, prev, content, body })
}

fn number(digits: &[u8]) -> Option<u64> {
    if digits.first().is_none_or(|first| *first == b'0') {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn hash_in(bytes: &[u8]) -> Option<(Hash, &[u8])> {
    let (hash, rest) = bytes.split_at_checked(64)?;
    Some((Hash::from_hex(hash)?, rest))
}

fn object(bytes: &[u8]) -> Option<&[u8]> {
    let inside = bytes.strip_prefix(b"{")?.strip_suffix(b"}")?;
    (!inside.contains(&b'\n')).then_some(bytes)
}

/// Writes a line, with its end, and gives its hash.
pub(crate) fn encode(seq: u64, prev: Hash, entry: &Prepared, out: &mut Vec<u8>) -> Hash {
    begin(seq, prev, entry.content, "entry", out);
    out.extend_from_slice(&entry.bytes);
    out.extend_from_slice(b"}\n");
    Hash::of_line(seq, prev, entry.content)
}

/// Writes a line without its entry; `mark` is the JSON of a [`Mark`].
pub(crate) fn encode_redacted(line: &Line<'_>, mark: &[u8], out: &mut Vec<u8>) {
    begin(line.seq, line.prev, line.content, "redacted", out);
    out.extend_from_slice(mark);
    out.extend_from_slice(b"}\n");
}

fn begin(seq: u64, prev: Hash, content: Hash, field: &str, out: &mut Vec<u8>) {
    let text = format!(r#"{{"seq":{seq},"prev":"{prev}","content":"{content}","{field}":"#);
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::word::Kind;

    fn written(seq: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let entry = Entry::new(Kind::Login).prepare().unwrap();
        encode(seq, Hash::of(b"before"), &entry, &mut bytes);
        assert_eq!(bytes.pop(), Some(b'\n'));
        bytes
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let bytes = written(7);
        let line = decode_line(&bytes).unwrap();
        assert_eq!((line.seq, line.prev), (7, Hash::of(b"before")));
        assert!(line.is_whole());
        assert_eq!(line.entry().unwrap().kind, Kind::Login);
        let mark = serde_json::to_vec(&Mark { at: 1, by: "b".into(), why: "w".into() }).unwrap();
        let mut redacted = Vec::new();
        encode_redacted(&line, &mark, &mut redacted);
        redacted.pop();
        let without = decode_line(&redacted).unwrap();
        assert_eq!(without.hash(), line.hash());
        assert_eq!(without.mark().unwrap().why, "w");
        assert_eq!(without.entry(), None);
    }

    #[test]
    fn any_json_reader_can_read_a_line() {
        let value: serde_json::Value = serde_json::from_slice(&written(1)).unwrap();
        assert_eq!(value["seq"], 1);
        assert_eq!(value["entry"]["kind"], "login");
    }

    #[test]
    fn a_line_has_one_spelling() {
        let bytes = written(12);
        let text = String::from_utf8(bytes).unwrap();
        for other in [
            text.replace("\"seq\":12", "\"seq\":012"),
            text.replace("\"seq\":12", "\"seq\": 12"),
            text.replace("\"entry\":{", "\"entry\": {"),
            format!("{text} "),
            text.replace("\"seq\":12", "\"seq\":99999999999999999999"),
        ] {
            assert_eq!(decode_line(other.as_bytes()), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = decode_line(&bytes).map(|line| (line.hash(), line.entry(), line.mark()));
        }

        #[test]
        fn no_part_of_a_line_makes_it_panic(seq in 1_u64.., from in 0_usize..400, to in 0_usize..400) {
            let bytes = written(seq);
            let part = bytes.get(from..to).unwrap_or_default();
            let _ = decode_line(part);
        }
    }
}
