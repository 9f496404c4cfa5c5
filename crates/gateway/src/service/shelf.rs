//! The sessions there are, and how many each owner has, without counting them for every request.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::ids::SessionId;
use super::session::Entry;

/// All sessions.
#[derive(Default)]
pub(super) struct Shelf {
    all: HashMap<SessionId, Arc<Entry>>,
    owned: HashMap<String, u64>,
    /// Those that nobody asked to keep, the oldest first. Some are kept or gone by now.
    passing: VecDeque<Arc<Entry>>,
}

impl Shelf {
    pub(super) fn get(&self, id: &SessionId) -> Option<&Arc<Entry>> {
        self.all.get(id)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.all.values()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn insert(&mut self, entry: Arc<Entry>) {
        *self.owned.entry(entry.owner.clone()).or_default() += 1;
        if entry.passing.load(Ordering::Relaxed) {
            self.passing.push_back(Arc::clone(&entry));
        }
        self.all.insert(entry.id.clone(), entry);
        // Those that went from the middle are forgotten together, before there are many.
        if self.passing.len() > 2 * self.all.len() + 64 {
            let all = &self.all;
            self.passing.retain(|entry| all.contains_key(&entry.id));
        }
    }

    pub(super) fn remove(&mut self, id: &SessionId) {
        let Some(entry) = self.all.remove(id) else { return };
        if let Some(count) = self.owned.get_mut(&entry.owner) {
            *count -= 1;
            if *count == 0 {
                self.owned.remove(&entry.owner);
            }
        }
    }

    /// How many an owner has.
    pub(super) fn owned_by(&self, owner: &str) -> u64 {
        self.owned.get(owner).copied().unwrap_or_default()
    }

    /// The oldest session of which this holds, that nobody asked to keep and nobody uses.
    pub(super) fn unwanted(&mut self, fits: impl Fn(&Entry) -> bool) -> Option<Arc<Entry>> {
        let is_passing = |entry: &Arc<Entry>| {
            entry.passing.load(Ordering::Relaxed) && self.all.contains_key(&entry.id)
        };
        while self.passing.front().is_some_and(|first| !is_passing(first)) {
            self.passing.pop_front();
        }
        let mut those = self.passing.iter();
        those.find(|entry| fits(entry) && is_passing(entry) && entry.is_unwanted()).cloned()
    }
}
