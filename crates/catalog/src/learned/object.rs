//! What is known of the objects at one place of a result: a record, or a map with changing keys.
//!
//! Which of the two it is shows only over time, so a key has three states:
//!
//! ```text
//! once seen: a mark ──seen again──► a field ──keys turn out to change──► part of the map
//! ```
//!
//! Keys that cannot be names of fields go to the rest at once. An object without fields is a
//! map. When keys change (see [`Object::keys_change`]) everything joins the rest, and never
//! comes back: so no value that fitted a field is lost from the type.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::shape::Shape;
use super::words;

/// More different keys than this are no fields.
pub(super) const MOST_KEYS: usize = 200;
/// How often a key must have been seen to be written down.
const ENOUGH: u64 = 2;

/// Objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Object {
    /// How many objects there were.
    #[serde(rename = "n")]
    pub(super) seen: u64,
    /// By mark. Empty in a map.
    #[serde(rename = "k", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) keys: BTreeMap<u32, Key>,
    /// What all other keys hold.
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    pub(super) rest: Option<Box<Shape>>,
    /// How many of these there were.
    #[serde(rename = "m", default, skip_serializing_if = "is_zero")]
    pub(super) others: u64,
    /// Keys change, for good.
    #[serde(rename = "c", default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_map: bool,
}

/// One key, and what it holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub(super) struct Key {
    pub(super) seen: u64,
    text: Option<String>,
    pub(super) shape: Shape,
}

impl Key {
    /// The name of the field, once it is one.
    pub(super) fn field(&self) -> Option<&str> {
        self.text.as_deref().filter(|_| self.seen >= ENOUGH)
    }

    fn join(&mut self, other: Self) {
        self.seen = self.seen.saturating_add(other.seen);
        self.text = self.text.take().or(other.text);
        self.shape.join(other.shape);
    }
}

impl Object {
    /// The mark of a key that is or may become a field, which it is known by from now on. Keys
    /// that are too many, or cannot be told apart, make this a map.
    pub(super) fn mark(&mut self, key: &str) -> Option<u32> {
        if self.is_map {
            return None;
        }
        let mark = words::mark(key);
        let known = self.keys.get(&mark).map(|known| known.text.as_deref());
        if known == Some(Some(key)) {
            return Some(mark);
        }
        if !words::is_key(key) {
            return None;
        }
        let is_another = known.is_some_and(|text| text.is_some());
        if is_another || (known.is_none() && self.keys.len() >= MOST_KEYS) {
            self.make_map();
            return None;
        }
        self.keys.entry(mark).or_default().text = Some(key.to_owned());
        Some(mark)
    }

    /// What the key with this mark holds, or all that have none.
    pub(super) fn held_by(&mut self, mark: Option<u32>) -> &mut Shape {
        if let Some(mark) = mark {
            return &mut self.keys.entry(mark).or_default().shape;
        }
        self.others = self.others.saturating_add(1);
        self.rest.get_or_insert_default()
    }

    /// Counts a key that an object has, once for each object.
    pub(super) fn count(&mut self, mark: u32) {
        if let Some(key) = self.keys.get_mut(&mark) {
            key.seen = key.seen.saturating_add(1);
        }
    }

    pub(super) fn join(&mut self, mut other: Self) {
        self.seen = self.seen.saturating_add(other.seen);
        if self.is_map || other.is_map || self.contradicts(&other) {
            self.make_map();
            other.make_map();
        }
        self.others = self.others.saturating_add(other.others);
        for (mark, key) in std::mem::take(&mut other.keys) {
            self.keys.entry(mark).or_default().join(key);
        }
        if let Some(rest) = other.rest {
            self.rest.get_or_insert_default().join(*rest);
        }
        if self.keys.len() > MOST_KEYS {
            self.make_map();
        }
    }

    /// Two keys have the same mark.
    fn contradicts(&self, other: &Self) -> bool {
        let text =
            |keys: &BTreeMap<u32, Key>, mark| keys.get(mark).and_then(|key| key.text.clone());
        other.keys.keys().any(|mark| {
            let both = text(&self.keys, mark).zip(text(&other.keys, mark));
            both.is_some_and(|(one, other)| one != other)
        })
    }

    /// Decides what the objects are, once all that is known of them is in.
    pub(super) fn settle(&mut self) {
        for key in self.keys.values_mut() {
            key.shape.settle();
        }
        if !self.is_map && self.keys_change() {
            self.make_map();
        }
        if let Some(rest) = &mut self.rest {
            rest.settle();
        }
    }

    /// Keys are data: most of them cannot be names, or hardly any comes back, or all hold the
    /// same kind of record.
    fn keys_change(&self) -> bool {
        let count = u64::try_from(self.keys.len()).unwrap_or(u64::MAX);
        let sightings = self.keys.values().fold(0, |sum: u64, key| sum.saturating_add(key.seen));
        let once = self.keys.values().filter(|key| key.seen < ENOUGH).count();
        let mostly_others = self.others > 0 && self.others >= sightings;
        let rarely = count >= 8
            && self.seen >= 3
            && sightings.saturating_mul(4) < count.saturating_mul(self.seen);
        let never_again = self.seen >= 4 && once >= 16 && once * 2 > self.keys.len();
        mostly_others || rarely || never_again || self.holds_one_kind()
    }

    /// Four keys or more, all of which hold records with about the same keys.
    fn holds_one_kind(&self) -> bool {
        if self.keys.len() < 4 {
            return false;
        }
        let mut all: BTreeMap<u32, usize> = BTreeMap::new();
        let mut sizes = Vec::new();
        for key in self.keys.values() {
            let Some(record) = key.shape.record() else { return false };
            sizes.push(record.keys.len());
            record.keys.keys().for_each(|mark| *all.entry(*mark).or_default() += 1);
        }
        all.len() >= 2 && sizes.iter().all(|size| size * 2 >= all.len())
    }

    /// What fields held is what the keys of the map hold, from now on.
    pub(super) fn make_map(&mut self) {
        self.is_map = true;
        for key in std::mem::take(&mut self.keys).into_values() {
            self.others = self.others.saturating_add(key.seen);
            self.rest.get_or_insert_default().join(key.shape);
        }
        if let Some(rest) = &mut self.rest {
            rest.make_plain();
        }
    }

    /// What keys hold that are no fields.
    pub(super) fn beside_fields(&self) -> Option<Shape> {
        let pending = self.keys.values().filter(|key| key.field().is_none());
        let mut shapes = self.rest.iter().map(|rest| &**rest).chain(pending.map(|key| &key.shape));
        // As it would come back from disk: a name that is not written down yet may not become one
        // by being added up here.
        let as_stored = |shape: &Shape| {
            let mut shape = shape.clone();
            shape.forget_names();
            shape
        };
        let mut all = as_stored(shapes.next()?);
        shapes.for_each(|shape| all.join(as_stored(shape)));
        all.make_plain();
        Some(all)
    }

    /// Forgets what keys are called that are no fields yet.
    pub(super) fn forget_names(&mut self) {
        for key in self.keys.values_mut() {
            key.text = key.text.take().filter(|_| key.seen >= ENOUGH);
            key.shape.forget_names();
        }
        if let Some(rest) = &mut self.rest {
            rest.forget_names();
        }
    }

    /// What is stored of it takes at most so many bytes.
    pub(super) fn weight(&self) -> usize {
        // A mark, a count, the text, and what stands around them.
        let key = |key: &Key| 60 + key.text.as_ref().map_or(0, String::len) + key.shape.weight();
        100 + self.keys.values().map(key).sum::<usize>()
            + self.rest.as_ref().map_or(0, |rest| rest.weight())
    }

    /// What was read from a file could have been written by us.
    pub(super) fn is_sound(&self, depth: usize) -> bool {
        let sound = |(mark, key): (&u32, &Key)| {
            let spelled = |text: &String| words::is_key(text) && words::mark(text) == *mark;
            key.seen <= self.seen
                && key.text.as_ref().is_none_or(spelled)
                && key.shape.is_sound(depth + 1)
        };
        self.keys.len() <= MOST_KEYS
            && (self.keys.is_empty() || !self.is_map)
            && self.keys.iter().all(sound)
            && self.rest.as_ref().is_none_or(|rest| rest.is_sound(depth + 1))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// As it is stored: what a key is called is left out until it is a field.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(rename = "n")]
    seen: u64,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(rename = "s")]
    shape: Shape,
}

impl From<Key> for Stored {
    fn from(key: Key) -> Self {
        let text = key.field().map(str::to_owned);
        Self { seen: key.seen, text, shape: key.shape }
    }
}

impl From<Stored> for Key {
    fn from(stored: Stored) -> Self {
        Self { seen: stored.seen, text: stored.text, shape: stored.shape }
    }
}
