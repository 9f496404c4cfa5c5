//! TypeScript in, JavaScript out: what a program is before a guest sees it.
//!
//! ```text
//! text ──► fence ──► bounds ──► strip (types away) ──► rewrite (module to function) ──► Prepared
//! ```
//!
//! A program is an ES module with three liberties: `return` at its top level, a trailing
//! expression that is its value, and variables that the session's next program still has. No
//! engine runs such a thing, so it becomes one function that does.
//!
//! The text comes from a model or worse. It is read with limits on length and nesting
//! ([`bounds`]), because the parser calls itself for every level of it; nothing here panics.
//! Whatever goes wrong later is said in the lines of the text as it was sent: [`Prepared::place`].

#![forbid(unsafe_code)]

mod bounds;
mod edits;
mod fence;
mod place;
mod read;
mod reading;
mod refuse;
mod rewrite;
mod strip;
mod unplaced;
mod written;

pub use bounds::{LONGEST, MOST_CHAINED, MOST_NESTED};
pub use place::{Place, Problem};
pub use reading::{
    Call, Construct, Import, Named, Part, Range, Read, Reading, Step, Target, Unawaited, Written,
};

use place::Map;

/// What a guest runs, and the way back to what was written.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// An expression whose value is a function: `(async function ($tidegate) {…})`.
    pub code: String,
    /// Whether that function is async. Programs always are; modules are when they await.
    pub is_async: bool,
    map: Map,
}

impl Prepared {
    /// Where in the user's text line `line` and column `column` of the code come from, all from 1.
    #[must_use]
    pub fn place(&self, line: u32, column: u32) -> Option<Place> {
        self.map.place(line, column)
    }

    /// The way back, as numbers that [`Place::find`] reads: it outlives this value in a guest.
    #[must_use]
    pub fn positions(&self) -> &[[u32; 4]] {
        self.map.tokens()
    }
}

/// Prepares a program: what a session runs.
pub fn program(text: &str) -> Result<Prepared, Problem> {
    prepare(text, rewrite::Kind::Program)
}

/// Prepares a file that programs import.
pub fn module(text: &str) -> Result<Prepared, Problem> {
    prepare(text, rewrite::Kind::Module)
}

/// Reads what a program imports, calls and reads of results; `None` where it cannot run, which
/// [`program`] says more about.
#[must_use]
pub fn reading(text: &str) -> Option<Reading> {
    let text = &*fence::removed(text);
    bounds::check(text).ok()?;
    read::read(text)
}

fn prepare(text: &str, kind: rewrite::Kind) -> Result<Prepared, Problem> {
    let text = &*fence::removed(text);
    bounds::check(text)?;
    let stripped = strip::strip(text)?;
    rewrite::rewrite(&stripped, kind, text)
}

#[cfg(test)]
mod tests;
