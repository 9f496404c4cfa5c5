//! Results cut to what a model can take: counted in tokens, cut by structure, always JSON.
//!
//! ```text
//! text ──► skim ──► tree of what might stay ──► render, smaller each time ──► fits
//! ```
//!
//! `skim` reads JSON of any size once and keeps only what could ever be shown. `render` writes that
//! within limits; `fit` tries limits from generous to tight until the tokens suffice. `summary`
//! and `outline` say what a value is like instead of showing it. `printed` cuts plain text.
//!
//! What counts as informative: keys come before values, single values before the rows of lists, the
//! first of each kind of row before more of one kind, the beginning and the end before the middle.
//! Same input, same bytes. Nothing here reads a file or a clock.

#![forbid(unsafe_code)]

mod fit;
mod halves;
mod names;
mod numbers;
mod outline;
mod page;
mod printed;
mod render;
mod share;
mod skim;
mod summary;
mod times;
mod tokens;

pub use fit::{Fitted, fit};
pub use page::page;
pub use printed::{beginning, shortened, together};
pub use share::{Cut, Shown, Whole, share};
pub use tokens::{count, count_text};

use serde::{Deserialize, Serialize};

/// The least that a result may be cut to: less could not say that something was cut.
pub const LEAST_TOKENS: usize = 50;

/// How a value is made to fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Whatever fits stays; of what does not, the most informative part.
    #[default]
    Auto,
    /// Counts, shapes and figures instead of rows.
    Summarize,
    /// Fields and their types instead of values.
    Schema,
    /// Rows from everywhere, evenly.
    Sample,
    /// The beginning.
    Truncate,
    /// Everything, however much it is.
    None,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Auto, Self::Summarize, Self::Schema, Self::Sample, Self::Truncate, Self::None];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Summarize => "summarize",
            Self::Schema => "schema",
            Self::Sample => "sample",
            Self::Truncate => "truncate",
            Self::None => "none",
        }
    }
}

impl std::str::FromStr for Strategy {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|one| one.name() == given).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("there is no strategy {given:?}; there are {known}")
        })
    }
}
