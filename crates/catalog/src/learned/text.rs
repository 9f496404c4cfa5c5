//! What is known of the texts at one place of a result.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::words;

/// More different words than this, and they are no category.
const MOST_WORDS: usize = 8;
/// Texts that must have been seen before words are believed to be all there are,
const ENOUGH_TEXTS: u64 = 20;
/// in so many results,
const ENOUGH_RESULTS: u64 = 3;
/// each of them so often.
const ENOUGH_EACH: u64 = 3;

/// Texts. `words` is `None` where they are plain text, for good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub(super) struct Text {
    seen: u64,
    results: u64,
    words: Option<BTreeMap<u32, Word>>,
}

/// One word. What it says is known from when it was last met in this process, or from the store
/// if it qualified.
#[derive(Debug, Clone, Default, PartialEq)]
struct Word {
    seen: u64,
    text: Option<String>,
}

impl Text {
    /// Of a result in which texts at this place have not been met so far.
    pub(super) fn new(category: bool) -> Self {
        Self { seen: 0, results: 1, words: category.then(BTreeMap::new) }
    }

    /// One more text in the same result.
    pub(super) fn add(&mut self, text: &str) {
        self.seen = self.seen.saturating_add(1);
        let Some(known) = &mut self.words else { return };
        if !words::is_word(text) {
            self.words = None;
            return;
        }
        let word = known.entry(words::mark(text)).or_default();
        let same = word.text.get_or_insert_with(|| text.to_owned()) == text;
        word.seen = word.seen.saturating_add(1);
        if !same || known.len() > MOST_WORDS {
            self.words = None;
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.seen = self.seen.saturating_add(other.seen);
        self.results = self.results.saturating_add(other.results);
        let (Some(known), Some(others)) = (&mut self.words, other.words) else {
            self.words = None;
            return;
        };
        let mut mixed = false;
        for (mark, other) in others {
            let word = known.entry(mark).or_default();
            word.seen = word.seen.saturating_add(other.seen);
            mixed |= word.text.is_some() && other.text.is_some() && word.text != other.text;
            word.text = word.text.take().or(other.text);
        }
        if mixed || known.len() > MOST_WORDS {
            self.words = None;
        }
    }

    /// Forgets words: the place is no category after all.
    pub(super) fn make_plain(&mut self) {
        self.words = None;
    }

    /// All words there are, sorted, if they are few and have been for a while. A single one is
    /// no category, but a name or a setting of whoever called.
    pub(super) fn choices(&self) -> Option<Vec<&str>> {
        let known = self.words.as_ref()?;
        let often = known.values().all(|word| word.seen >= ENOUGH_EACH);
        if known.len() < 2 || !often || self.seen < ENOUGH_TEXTS || self.results < ENOUGH_RESULTS {
            return None;
        }
        let mut choices: Vec<&str> =
            known.values().map(|word| word.text.as_deref()).collect::<Option<_>>()?;
        choices.sort_unstable();
        Some(choices)
    }

    /// What is stored of it takes at most so many bytes.
    pub(super) fn weight(&self) -> usize {
        // Marks and counts have up to 10 and 20 digits.
        let word = |word: &Word| 50 + word.text.as_ref().map_or(0, String::len);
        90 + self.words.iter().flat_map(BTreeMap::values).map(word).sum::<usize>()
    }

    /// What was read from a file could have been written by us.
    pub(super) fn is_sound(&self) -> bool {
        let sound = |(mark, word): (&u32, &Word)| {
            let spelled = |text: &String| words::is_word(text) && words::mark(text) == *mark;
            word.seen <= self.seen && word.text.as_ref().is_none_or(spelled)
        };
        let few = |known: &BTreeMap<u32, Word>| known.len() <= MOST_WORDS;
        self.words.as_ref().is_none_or(|known| few(known) && known.iter().all(sound))
    }
}

/// As it is stored: what words say is left out until they have qualified.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(rename = "n")]
    seen: u64,
    #[serde(rename = "r")]
    results: u64,
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    words: Option<BTreeMap<u32, (u64, Option<String>)>>,
}

impl From<Text> for Stored {
    fn from(text: Text) -> Self {
        let qualified = text.choices().is_some();
        let stored =
            |(mark, word): (u32, Word)| (mark, (word.seen, word.text.filter(|_| qualified)));
        let words = text.words.map(|words| words.into_iter().map(stored).collect());
        Self { seen: text.seen, results: text.results, words }
    }
}

impl From<Stored> for Text {
    fn from(stored: Stored) -> Self {
        let word = |(mark, (seen, text))| (mark, Word { seen, text });
        let words = stored.words.map(|words| words.into_iter().map(word).collect());
        Self { seen: stored.seen, results: stored.results, words }
    }
}
