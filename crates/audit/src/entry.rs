//! One thing that happened: when, what, whose, and how it went.
//!
//! An entry is bounded before it is written. Whatever a program or a server puts into it, a line
//! of the log stays short enough to be read at once, and nothing is refused for being too long:
//! what does not fit is replaced by its beginning, its length and its SHA-256.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::hash::{Hash, to_hex};
use crate::random;
use crate::word::{Kind, Outcome};

/// Bytes of details, as JSON, that are kept whole.
const MOST_DETAILS: usize = 16 << 10;
/// Letters of details that are kept of what is longer.
const KEPT_DETAILS: usize = 2 << 10;
/// Levels of details that are kept; a reader of JSON gives up at 128.
const MOST_LEVELS: usize = 48;
/// Bytes of a program that are kept; of a longer one there is the hash.
const MOST_SOURCE: usize = 256 << 10;
/// Letters of a name.
const MOST_NAME: usize = 512;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// What it is about.
    pub kind: Kind,
    /// On whose behalf; empty if nobody's.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// In which session; empty if in none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// In which run; empty if in none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The tool, as `server.tool`, or the setting, limit or rule.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// How it went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Whatever else is worth knowing.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
    /// The program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// A program, as the log keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// All of it.
    Text(String),
    /// Enough to prove later which one it was.
    Sha256(Hash),
}

impl Source {
    /// Keeps only the hash of a program.
    #[must_use]
    pub fn hashed(text: &str) -> Self {
        Self::Sha256(Hash::of(text.as_bytes()))
    }
}

/// The time now, in milliseconds since 1970.
#[must_use]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl Entry {
    /// An entry of now that says no more than what it is about.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            time: now(),
            kind,
            owner: String::new(),
            session: String::new(),
            run: String::new(),
            subject: String::new(),
            outcome: None,
            details: Value::Null,
            source: None,
        }
    }

    /// What a rule said to a call, and why.
    #[must_use]
    pub fn decision(tool: &str, outcome: Outcome, rule: &str, reason: &str) -> Self {
        let details = json!({ "rule": rule, "reason": reason });
        Self {
            subject: tool.to_owned(),
            outcome: Some(outcome),
            details,
            ..Self::new(Kind::Decision)
        }
    }

    /// What came of asking somebody.
    #[must_use]
    pub fn approval(tool: &str, outcome: Outcome, by: &str) -> Self {
        let details = json!({ "by": by });
        Self {
            subject: tool.to_owned(),
            outcome: Some(outcome),
            details,
            ..Self::new(Kind::Approval)
        }
    }

    /// Cuts whatever is longer than the log keeps.
    fn bounded(mut self) -> Self {
        for name in [&mut self.owner, &mut self.session, &mut self.run, &mut self.subject] {
            shorten(name);
        }
        if let Kind::Other(word) = &self.kind {
            self.kind = Kind::Other(bounded_word(word));
        }
        if let Some(Outcome::Other(word)) = &self.outcome {
            self.outcome = Some(Outcome::Other(bounded_word(word)));
        }
        if levels(&self.details, MOST_LEVELS) >= MOST_LEVELS {
            self.details = shortened(&self.details.to_string());
        }
        if let Some(Source::Text(text)) = &self.source
            && text.len() > MOST_SOURCE
        {
            self.source = Some(Source::hashed(text));
        }
        self
    }

    /// The bytes that are written, and their hash.
    pub(crate) fn prepare(self) -> io::Result<Prepared> {
        let mut entry = self.bounded();
        if !entry.details.is_null() {
            let text = serde_json::to_string(&entry.details)?;
            if text.len() > MOST_DETAILS {
                entry.details = shortened(&text);
            }
        }
        let mut bytes = serde_json::to_vec(&entry)?;
        // Without it, whoever sees the hash that a redacted entry leaves could try out what the
        // entry said: owners and tools are few.
        let salt = random::bytes::<16>()?;
        bytes.pop();
        bytes.extend_from_slice(format!(r#","salt":"{}"}}"#, to_hex(&salt)).as_bytes());
        let content = Hash::of(&bytes);
        Ok(Prepared { bytes, content })
    }
}

/// An entry as it is written.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) bytes: Vec<u8>,
    pub(crate) content: Hash,
}

fn shorten(name: &mut String) {
    if let Some((at, _)) = name.char_indices().nth(MOST_NAME) {
        name.truncate(at);
        name.push('…');
    }
}

fn bounded_word(word: &str) -> Box<str> {
    let mut word = word.to_owned();
    shorten(&mut word);
    word.into()
}

fn shortened(text: &str) -> Value {
    let beginning: String = text.chars().take(KEPT_DETAILS).collect();
    json!({
        "beginning": beginning,
        "bytes": text.len(),
        "sha256": Hash::of(text.as_bytes()),
    })
}

/// How many levels a value has; no more are counted than asked for.
fn levels(value: &Value, most: usize) -> usize {
    if most == 0 {
        return 0;
    }
    let deepest = match value {
        Value::Array(items) => items.iter().map(|item| levels(item, most - 1)).max(),
        Value::Object(fields) => fields.values().map(|item| levels(item, most - 1)).max(),
        _ => return 0,
    };
    1 + deepest.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(prepared: &Prepared) -> Entry {
        serde_json::from_slice(&prepared.bytes).unwrap()
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let mut entry = Entry::decision("crm.delete", Outcome::Deny, "no-deletes", "writes");
        entry.owner = "ann".into();
        entry.source = Some(Source::hashed("print(1)"));
        assert_eq!(read(&entry.clone().prepare().unwrap()), entry);
    }

    #[test]
    fn two_equal_entries_have_different_hashes() {
        let entry = Entry::new(Kind::Login);
        let (one, other) = (entry.clone().prepare().unwrap(), entry.prepare().unwrap());
        assert_ne!(one.content, other.content);
    }

    #[test]
    fn what_is_too_long_is_replaced_by_its_beginning_and_its_hash() {
        let mut entry = Entry::new(Kind::Call);
        entry.owner = "ö".repeat(10_000);
        entry.details = json!({ "text": "\u{1}".repeat(1 << 20) });
        entry.source = Some(Source::Text("x".repeat(MOST_SOURCE + 1)));
        let prepared = entry.prepare().unwrap();
        assert!(prepared.bytes.len() < 64 << 10);
        let read = read(&prepared);
        assert_eq!(read.owner.chars().count(), MOST_NAME + 1);
        assert_eq!(read.details["bytes"], 6 * (1 << 20) + 11);
        assert!(matches!(read.source, Some(Source::Sha256(_))));
    }

    #[test]
    fn details_that_no_reader_would_take_are_kept_as_text() {
        let mut entry = Entry::new(Kind::Call);
        for _ in 0..500 {
            entry.details = json!([entry.details]);
        }
        assert!(read(&entry.prepare().unwrap()).details["beginning"].is_string());
    }
}
