//! What is kept of one server: its tools, and which of them has which word.
//!
//! Made once for a listing and then shared by every index that has this listing.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::Tuning;
use super::fields::{cut, of_server, of_tool};
use crate::catalog::CatalogServer;
use crate::names::{self, fold, words};
use crate::{Listing, Tool};

/// How many characters of a description are embedded; the model reads no further anyway.
const EMBEDDED: usize = 600;

/// A text that is to be embedded, and what names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The SHA-256 of the text. A vector that was computed for it stays right for ever.
    pub digest: [u8; 32],
    /// The text.
    pub text: String,
}

impl Text {
    fn new(text: String) -> Self {
        Self { digest: Sha256::digest(text.as_bytes()).into(), text }
    }
}

/// One tool that has a word, and how much the word says about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) tool: u32,
    pub(super) weight: f32,
}

/// One tool.
#[derive(Debug)]
pub(super) struct Entry {
    /// Its name and identifiers without case and punctuation.
    pub(super) spellings: Vec<String>,
    /// The words of its name that tell it from its siblings, in order of the alphabet.
    pub(super) name: Vec<String>,
    /// What stands for its meaning.
    pub(super) text: Text,
}

/// One server.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) listing: Arc<Listing>,
    pub(super) entries: Vec<Entry>,
    /// What stands for the meaning of the server.
    pub(super) text: Text,
    /// Every word, and the tools that have it.
    pub(super) words: Vec<(Arc<str>, Vec<Posting>)>,
}

impl Part {
    pub(super) fn new(server: &CatalogServer, tuning: &Tuning) -> Self {
        let listing = server.listing();
        let shared = of_server(listing);
        let mut postings: HashMap<String, Vec<Posting>> = HashMap::new();
        for (tool, entry) in (0_u32..).zip(server.tools()) {
            let mut weights = HashMap::new();
            for counted in of_tool(entry.tool()).iter().chain(&shared) {
                counted.weigh(tuning, &mut weights);
            }
            for (word, weight) in weights {
                let weight = weight * (tuning.saturation + 1.0) / (weight + tuning.saturation);
                postings.entry(word).or_default().push(Posting { tool, weight });
            }
        }
        let mut words: Vec<(Arc<str>, Vec<Posting>)> = postings
            .into_iter()
            .map(|(word, mut postings)| {
                postings.shrink_to_fit();
                (word.into(), postings)
            })
            .collect();
        words.sort_by(|(one, _), (other, _)| one.cmp(other));
        let own = names::words(&server.name().0);
        let entries = server
            .tools()
            .iter()
            .map(|tool| Entry {
                spellings: spellings([&tool.name().0, tool.python(), tool.typescript()]),
                name: telling(names::words(&tool.name().0), &own),
                text: Text::new(embedded_tool(tool.tool())),
            })
            .collect();
        Self {
            listing: Arc::clone(listing),
            entries,
            text: Text::new(embedded_server(listing)),
            words,
        }
    }
}

/// What remains of a thing's names without case and punctuation, each once.
pub(super) fn spellings<const N: usize>(names: [&str; N]) -> Vec<String> {
    let mut spellings: Vec<String> = names.into_iter().map(fold).collect();
    spellings.retain(|spelling| !spelling.is_empty());
    spellings.sort();
    spellings.dedup();
    spellings
}

/// Words between the others, which nobody looks for.
const BETWEEN: [&str; 18] = [
    "a", "an", "and", "at", "by", "for", "from", "in", "into", "me", "my", "new", "of", "on",
    "please", "the", "to", "with",
];

/// What of a name's words, or of a question's, tells a tool from its siblings, in order of the alphabet: neither those
/// of its server nor those between the others. A name of which nothing would be left is left whole.
pub(super) fn telling(words: Vec<String>, server: &[String]) -> Vec<String> {
    let tells = |word: &&String| !server.contains(word) && !BETWEEN.contains(&word.as_str());
    let mut left: Vec<String> = words.iter().filter(tells).cloned().collect();
    if left.is_empty() {
        left = words;
    }
    left.sort();
    left.dedup();
    left
}

fn embedded_tool(tool: &Tool) -> String {
    let name = words(&tool.name.0).join(" ");
    match tool.description.as_deref().or(tool.title.as_deref()).map(str::trim) {
        Some(text) if !text.is_empty() => format!("{name}: {}", cut(text, EMBEDDED)),
        _ => name,
    }
}

fn embedded_server(listing: &Listing) -> String {
    let name = words(&listing.server.0).join(" ");
    match listing.description.as_deref().or(listing.title.as_deref()).map(str::trim) {
        Some(text) if !text.is_empty() => format!("{name}: {}", cut(text, EMBEDDED)),
        _ => name,
    }
}
