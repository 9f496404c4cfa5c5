//! The languages that programs are written in.
//!
//! A session has one language, and so has an engine. Which one it is matters to whoever starts
//! guests, shows programs to people, or looks at them before they run; an engine's contract is the
//! same for all.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a program is written in.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Python 3.
    #[default]
    Python,
    /// TypeScript, and so JavaScript.
    #[serde(rename = "typescript")]
    TypeScript,
}

/// A text that names no language.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no language that programs can be written in; there are \"python\" and \"typescript\""
)]
pub struct UnknownLanguage(pub String);

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Python, Self::TypeScript];

    /// As settings, requests and records name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::TypeScript => "typescript",
        }
    }

    /// As people write it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::TypeScript => "TypeScript",
        }
    }

    /// How its files end.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Python => "py",
            Self::TypeScript => "ts",
        }
    }

    /// The media type of its source.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Python => "text/x-python",
            Self::TypeScript => "text/typescript",
        }
    }

    /// The language of a file, by how its name ends; `None` if that says nothing.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "py" => Some(Self::Python),
            "ts" | "mts" | "js" | "mjs" => Some(Self::TypeScript),
            _ => None,
        }
    }

    /// What a language is meant by a word that models and people write, as the tag of a block of code.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        match tag.to_ascii_lowercase().as_str() {
            "python" | "py" | "python3" => Some(Self::Python),
            "typescript" | "ts" | "javascript" | "js" | "mjs" | "mts" => Some(Self::TypeScript),
            _ => None,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let is_it = |one: &Self| text.eq_ignore_ascii_case(one.name());
        Self::ALL.into_iter().find(is_it).ok_or_else(|| UnknownLanguage(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn a_language_is_stored_by_the_name_it_is_asked_for_by() {
        for language in Language::ALL {
            assert_eq!(language.name().parse(), Ok(language));
            assert_eq!(serde_json::to_value(language).unwrap(), language.name());
            assert_eq!(Language::of_ending(language.ending()), Some(language));
            assert_eq!(Language::of_tag(language.name()), Some(language));
        }
        assert_eq!("Python".parse(), Ok(Language::Python));
        let refused = "ruby".parse::<Language>().unwrap_err().to_string();
        assert!(refused.contains("\"ruby\"") && refused.contains("\"typescript\""), "{refused}");
    }
}
