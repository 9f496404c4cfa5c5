//! What is known of the values at one place of a result: everything they have been, at once.
//!
//! A shape is a sum: null or a number or text or a list or an object, whichever were met. To
//! merge two is to add them up, which can be done in any order, and never takes anything away.

use serde::{Deserialize, Serialize};

use super::object::Object;
use super::stored::MAX_BYTES;
use super::text::Text;

/// How deep a shape goes. What is further inside may be anything.
pub(super) const DEEPEST: usize = 12;

/// `null` was met.
pub(super) const NULL: u8 = 1;
/// `true` or `false` was met.
pub(super) const BOOLEAN: u8 = 2;
/// A whole number was met.
pub(super) const INTEGER: u8 = 4;
/// Another number was met.
pub(super) const FLOAT: u8 = 8;
/// Something was met of which nothing is known.
const ANY: u8 = 16;

/// What is known of the values at one place. The default is that none has been met.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shape {
    #[serde(rename = "v", skip_serializing_if = "is_none")]
    pub(super) kinds: u8,
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Text>,
    /// The items of all lists together.
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pub(super) items: Option<Box<Shape>>,
    #[serde(rename = "o", skip_serializing_if = "Option::is_none")]
    pub(super) object: Option<Box<Object>>,
}

impl Shape {
    /// Anything at all.
    #[must_use]
    pub fn any() -> Self {
        Self { kinds: ANY, ..Self::default() }
    }

    /// Nothing is known but that something was met.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.kinds & ANY != 0
    }

    /// Adds what `other` knows. Whatever fitted either fits the sum.
    pub fn merge(&mut self, other: Self) {
        self.join(other);
        self.settle();
        self.keep_small();
    }

    pub(super) fn join(&mut self, other: Self) {
        if self.is_any() || other.is_any() {
            *self = Self::any();
            return;
        }
        self.kinds |= other.kinds;
        match (&mut self.text, other.text) {
            (Some(own), Some(other)) => own.join(other),
            (own, other) => *own = own.take().or(other),
        }
        match (&mut self.items, other.items) {
            (Some(own), Some(other)) => own.join(*other),
            (own, other) => *own = own.take().or(other),
        }
        match (&mut self.object, other.object) {
            (Some(own), Some(other)) => own.join(*other),
            (own, other) => *own = own.take().or(other),
        }
    }

    /// Decides what objects are, innermost first.
    pub(super) fn settle(&mut self) {
        if let Some(items) = &mut self.items {
            items.settle();
        }
        if let Some(object) = &mut self.object {
            object.settle();
        }
    }

    /// Gives up what is deepest until the rest can be stored.
    pub(super) fn keep_small(&mut self) {
        let mut depth = DEEPEST;
        while self.weight() > MAX_BYTES && depth > 0 {
            depth -= 1;
            self.cut(depth);
        }
    }

    fn cut(&mut self, depth: usize) {
        if depth == 0 {
            if self.items.is_some() || self.object.is_some() {
                *self = Self::any();
            }
            return;
        }
        if let Some(items) = &mut self.items {
            items.cut(depth - 1);
        }
        if let Some(object) = &mut self.object {
            object.keys.values_mut().for_each(|key| key.shape.cut(depth - 1));
            object.rest.iter_mut().for_each(|rest| rest.cut(depth - 1));
        }
    }

    /// Texts here, or in lists here, are not of one category any more.
    pub(super) fn make_plain(&mut self) {
        if let Some(text) = &mut self.text {
            text.make_plain();
        }
        if let Some(items) = &mut self.items {
            items.make_plain();
        }
    }

    /// Forgets what keys are called that are no fields yet, here and below.
    pub(super) fn forget_names(&mut self) {
        if let Some(items) = &mut self.items {
            items.forget_names();
        }
        if let Some(object) = &mut self.object {
            object.forget_names();
        }
    }

    /// Objects with fields, and nothing else.
    pub(super) fn record(&self) -> Option<&Object> {
        let alone = self.kinds & !NULL == 0 && self.text.is_none() && self.items.is_none();
        self.object.as_deref().filter(|object| alone && !object.is_map)
    }

    /// What is stored of it takes at most so many bytes.
    pub(super) fn weight(&self) -> usize {
        30 + self.text.as_ref().map_or(0, Text::weight)
            + self.items.as_ref().map_or(0, |items| items.weight())
            + self.object.as_ref().map_or(0, |object| object.weight())
    }

    /// What was read from a file could have been written by us.
    pub(super) fn is_sound(&self, depth: usize) -> bool {
        let bare = self.text.is_none() && self.items.is_none() && self.object.is_none();
        depth <= DEEPEST + 1
            && self.kinds < ANY * 2
            && (!self.is_any() || (bare && self.kinds == ANY))
            && self.text.as_ref().is_none_or(Text::is_sound)
            && self.items.as_ref().is_none_or(|items| items.is_sound(depth + 1))
            && self.object.as_ref().is_none_or(|object| object.is_sound(depth))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(kinds: &u8) -> bool {
    *kinds == 0
}
