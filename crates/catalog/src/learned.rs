//! What a tool returns, learned from what it returned.
//!
//! Most servers do not say what their tools return. What came back so far says it well enough
//! to write a program with: which fields there are, which of them are always there, what is in
//! the lists. [`Learned`] keeps that for one definition of one tool, and nothing else:
//!
//! * **Whatever was looked at fits.** A type is only ever widened, so in whatever order results
//!   come and shapes are merged, every value that went in is a value of the type that comes out.
//! * **A shape is not data.** No number, no text and no key that changes is kept. `words` says
//!   which few words may stay, and why that is safe.
//! * **It stays small.** Depth, fields, words and bytes are bounded; what does not fit is
//!   [`Shape::any`], which is true of everything. Of a very large value a part is looked at.
//!
//! Reading order: `shape` (what is kept), `sight` (values in), `convert` (types out), `words`
//! (what may be kept in writing), `stored` (shapes as bytes, and back from bytes nobody vouches
//! for).

mod convert;
mod object;
mod shape;
mod sight;
mod stored;
mod text;
mod words;

use serde::{Deserialize, Serialize};

use crate::Fingerprint;
use crate::schema::Schema;

pub use shape::Shape;
pub use sight::Sight;
pub use stored::MAX_BYTES;

/// After so many results in a row that added nothing, not every result is worth a look.
const SETTLED: u64 = 100;

/// What one definition of a tool returned so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "stored::Unchecked")]
pub struct Learned {
    fingerprint: Fingerprint,
    seen: u64,
    steady: u64,
    shape: Shape,
}

impl Learned {
    /// Nothing yet, about the tool with this definition.
    #[must_use]
    pub fn new(fingerprint: Fingerprint) -> Self {
        Self { fingerprint, seen: 0, steady: 0, shape: Shape::default() }
    }

    /// One result, on its own.
    #[must_use]
    pub fn from_one(fingerprint: Fingerprint, result: &Sight<'_>) -> Self {
        Self { seen: 1, shape: Shape::of(result), ..Self::new(fingerprint) }
    }

    /// Adds what was learned elsewhere about the same definition. What is about another one is
    /// left out: a tool that changed may return something else.
    pub fn merge(&mut self, other: &Self) {
        if self.fingerprint != other.fingerprint {
            return;
        }
        let before = self.outline();
        self.shape.merge(other.shape.clone());
        self.seen = self.seen.saturating_add(other.seen);
        let same = before == self.outline();
        self.steady = if same { self.steady.saturating_add(other.seen) } else { 0 };
    }

    /// The definition it is about.
    #[must_use]
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// How many results were looked at.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// How many had been looked at when the type last changed.
    #[must_use]
    pub fn changed_at(&self) -> u64 {
        self.seen.saturating_sub(self.steady)
    }

    /// Many results in a row added nothing.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.steady >= SETTLED
    }

    /// What is known of the results.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The type of the results; a field that is not always there says how often it was.
    #[must_use]
    pub fn schema(&self) -> Schema {
        convert::schema(&self.shape, convert::Counts::Told)
    }

    /// The type without how often anything was seen.
    fn outline(&self) -> Schema {
        convert::schema(&self.shape, convert::Counts::Left)
    }
}

#[cfg(test)]
mod tests;
