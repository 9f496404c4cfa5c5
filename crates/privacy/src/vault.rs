//! The vault: which value each token stands for.
//!
//! It is a plain value: whoever tokenises owns it, stores it beside the session it belongs to,
//! and drops it with the session. It holds a bounded number of values; beyond that the oldest
//! goes and is counted, and its token can no longer be put back.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Kind, token::Key};

/// How many values a vault holds unless told otherwise.
const DEFAULT_LIMIT: usize = 100_000;
/// How often another token is tried when one is taken.
const ATTEMPTS: usize = 3;

/// Tokens and the values they stand for.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Vault {
    limit: usize,
    dropped: u64,
    entries: HashMap<String, Entry>,
    order: VecDeque<String>,
}

/// One value.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// As it was written.
    pub(crate) value: String,
    /// Whether it was a number in JSON, and so has to become one again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_number: bool,
}

/// A vault as it is stored: entries in the order they came in.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    limit: usize,
    dropped: u64,
    entries: Vec<(String, Entry)>,
}

impl Vault {
    /// An empty vault that holds at most `limit` values, at least one.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), dropped: 0, entries: HashMap::new(), order: VecDeque::new() }
    }

    /// How many values it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many values had to go because newer ones came.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The value that a token stands for, as it was written.
    #[must_use]
    pub fn value(&self, token: &str) -> Option<&str> {
        self.entries.get(token).map(|entry| entry.value.as_str())
    }

    /// Everything it holds: token, value as it was written, and whether that was a number.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        self.entries
            .iter()
            .map(|(token, entry)| (token.as_str(), entry.value.as_str(), entry.is_number))
    }

    /// The value that a token stands for, and whether that was a number in JSON.
    #[must_use]
    pub fn get(&self, token: &str) -> Option<(&str, bool)> {
        self.entries.get(token).map(|entry| (entry.value.as_str(), entry.is_number))
    }

    /// Whether it knows a token.
    #[must_use]
    pub fn contains(&self, token: &str) -> bool {
        self.entries.contains_key(token)
    }

    /// Takes a value that was kept elsewhere, unless it knows the token.
    pub fn put(&mut self, token: &str, value: &str, is_number: bool) {
        if !self.contains(token) {
            self.insert(token.to_owned(), Entry { value: value.to_owned(), is_number });
        }
    }

    pub(crate) fn entry(&self, token: &str) -> Option<&Entry> {
        self.entries.get(token)
    }

    /// The token of a value, which the vault then knows.
    ///
    /// Should two values have the same token, the second gets a longer one. `None` says that even
    /// those are taken, which no real data does.
    pub(crate) fn keep(
        &mut self,
        key: &Key,
        kind: &Kind,
        value: &str,
        is_number: bool,
    ) -> Option<String> {
        for attempt in 0..ATTEMPTS {
            let token = key.token(kind, value, is_number, attempt);
            match self.entries.get(&token) {
                Some(entry) if entry.value == value && entry.is_number == is_number => {
                    return Some(token);
                }
                Some(_) => {}
                None => {
                    self.insert(token.clone(), Entry { value: value.to_owned(), is_number });
                    return Some(token);
                }
            }
        }
        None
    }

    fn insert(&mut self, token: String, entry: Entry) {
        while self.entries.len() >= self.limit {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            self.entries.remove(&oldest);
            self.dropped += 1;
        }
        self.order.push_back(token.clone());
        self.entries.insert(token, entry);
    }
}

impl Default for Vault {
    fn default() -> Self {
        Self::new(DEFAULT_LIMIT)
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its values are what must not be printed.
        to.debug_struct("Vault")
            .field("len", &self.len())
            .field("dropped", &self.dropped)
            .finish_non_exhaustive()
    }
}

impl From<Stored> for Vault {
    fn from(stored: Stored) -> Self {
        let mut vault = Self::new(stored.limit);
        for (token, entry) in stored.entries {
            if !vault.entries.contains_key(&token) {
                vault.insert(token, entry);
            }
        }
        vault.dropped += stored.dropped;
        vault
    }
}

impl From<Vault> for Stored {
    fn from(mut vault: Vault) -> Self {
        let entries = vault
            .order
            .into_iter()
            .filter_map(|token| vault.entries.remove(&token).map(|entry| (token, entry)))
            .collect();
        Self { limit: vault.limit, dropped: vault.dropped, entries }
    }
}
