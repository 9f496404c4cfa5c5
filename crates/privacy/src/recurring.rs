//! People who were named in a field or behind a label, wherever the same answer names them again.
//!
//! Only whole names are looked for, of at least two words: a first name alone is too often a word.

use std::collections::HashMap;

use memchr::memmem;

use crate::scan::is_unspaced;

/// How many names of scripts without spaces are looked for; each costs a pass of its own.
const MOST_UNSPACED: usize = 64;
/// The fewest letters of a name without spaces.
const FEWEST_UNSPACED: usize = 3;

/// Whole names of people.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// By their first word.
    spaced: HashMap<String, Vec<String>>,
    unspaced: Vec<String>,
}

impl Names {
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut known = Self::default();
        for name in names {
            known.add(name);
        }
        known
    }

    /// Takes a name if it is a whole one.
    pub(crate) fn add(&mut self, name: &str) {
        let name = name.trim();
        let is_plain =
            |one: char| one.is_alphabetic() || matches!(one, ' ' | '-' | '\'' | '’' | '.');
        if !name.chars().all(is_plain) {
            return;
        }
        if name.chars().all(is_unspaced) {
            let is_whole = name.chars().count() >= FEWEST_UNSPACED;
            if is_whole
                && self.unspaced.len() < MOST_UNSPACED
                && !self.unspaced.iter().any(|one| one == name)
            {
                self.unspaced.push(name.to_owned());
            }
            return;
        }
        let words = name.split(' ').filter(|word| word.chars().count() >= 2).count();
        let first = first_word(name);
        if words < 2 || first.is_empty() {
            return;
        }
        let alike = self.spaced.entry(first.to_owned()).or_default();
        if !alike.iter().any(|one| one == name) {
            alike.push(name.to_owned());
        }
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        for name in other.spaced.values().flatten().chain(&other.unspaced) {
            self.add(name);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spaced.is_empty() && self.unspaced.is_empty()
    }

    /// Where these names stand in a text, as words of their own.
    pub(crate) fn find(&self, text: &str, each: &mut impl FnMut(usize, usize)) {
        for name in &self.unspaced {
            for at in memmem::find_iter(text.as_bytes(), name.as_bytes()) {
                each(at, at + name.len());
            }
        }
        if self.spaced.is_empty() {
            return;
        }
        let mut at = 0;
        while let Some(start) = text[at..].find(char::is_alphabetic).map(|next| at + next) {
            let word = first_word(&text[start..]);
            at = start + word.len().max(1);
            while !text.is_char_boundary(at) {
                at += 1;
            }
            let is_within = text[..start]
                .chars()
                .next_back()
                .is_some_and(|before| before.is_alphanumeric() || before == '_');
            let Some(names) = self.spaced.get(word).filter(|_| !is_within) else { continue };
            let ends = |name: &&String| {
                let rest = text[start..].strip_prefix(name.as_str());
                rest.is_some_and(|rest| {
                    !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
                })
            };
            if let Some(name) = names.iter().filter(ends).max_by_key(|name| name.len()) {
                each(start, start + name.len());
                at = start + name.len();
            }
        }
    }
}

fn first_word(text: &str) -> &str {
    let end = text.find(|one: char| !one.is_alphabetic()).unwrap_or(text.len());
    &text[..end]
}
