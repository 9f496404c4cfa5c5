//! Settings: what counts as personal, as an operator writes it.

use serde::{Deserialize, Serialize};

use crate::Kind;

/// The longest name an own pattern may have.
const LONGEST_NAME: usize = 24;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Which kinds are looked for: `email`, `phone`, `name`, `address`, `card`, `iban`,
    /// `national_number`, `ip`. All of them unless stated.
    pub kinds: Vec<String>,
    /// Further things to look for, each with a name and a regular expression.
    pub patterns: Vec<Pattern>,
    /// Further fields whose text is a person's name, whatever it looks like: `["spieler", "Pate"]`.
    /// Upper and lower case, accents, `_` and `-` make no difference.
    pub name_fields: Vec<String>,
}

/// One thing of the operator's own to look for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pattern {
    /// What it is called; tokens begin with it: `employee` gives `EMPLOYEE_…`.
    pub name: String,
    /// What it looks like, as a regular expression of the Rust crate `regex`.
    pub regex: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kinds: Kind::BUILT_IN.iter().map(|kind| kind.name().to_owned()).collect(),
            patterns: Vec::new(),
            name_fields: Vec::new(),
        }
    }
}

/// Why settings cannot be used. All of them are for the operator to mend.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A kind that there is not.
    #[error("there is no kind {given:?} of personal data; write one of {}", known_kinds())]
    UnknownKind {
        /// What was written.
        given: String,
    },
    /// A pattern's name that cannot become part of a token.
    #[error(
        "the pattern name {given:?} cannot start a token; write a letter, then letters, digits, _ or -, \
         at most 24 in all, such as \"employee_id\""
    )]
    PatternName {
        /// What was written.
        given: String,
    },
    /// Two patterns, or a pattern and a built-in kind, whose tokens could not be told apart.
    #[error("the pattern name {given:?} gives the same tokens as {other:?}; give it another name")]
    PatternNameTaken {
        /// What was written.
        given: String,
        /// What has the same prefix.
        other: String,
    },
    /// A regular expression that is none.
    #[error(
        "the regular expression of pattern {name:?} cannot be read; look-around and back-references \
         are not supported, and \\ is written \\\\ between double quotes"
    )]
    PatternRegex {
        /// The pattern's name.
        name: String,
        /// What is wrong with it, and where.
        source: Box<regex::Error>,
    },
    /// A regular expression that matches the empty text, and so everywhere.
    #[error(
        "the regular expression of pattern {name:?} matches the empty text; write + instead of *"
    )]
    PatternEmpty {
        /// The pattern's name.
        name: String,
    },
    /// A name field without a letter.
    #[error(
        "the name field {given:?} has no letter; write the field's name as it stands in the JSON"
    )]
    NameField {
        /// What was written.
        given: String,
    },
}

fn known_kinds() -> String {
    Kind::BUILT_IN.iter().map(Kind::name).collect::<Vec<_>>().join(", ")
}

/// Whether tokens may begin with this name.
pub(crate) fn is_pattern_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_' || one == '-')
}
