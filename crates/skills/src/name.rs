//! What a skill is called, and who sees it.
//!
//! A name is a Python identifier in small letters, because programs import it. `NAME_v3` is version 3
//! of `NAME`, so no skill's own name may end like that.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The longest name.
const MAX_NAME: usize = 64;

/// Words that Python, or the package that skills are imported from, needs for itself.
const TAKEN: &[&str] = &[
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "skills",
    "servers",
    "save_skill",
    "search_skills",
];

/// Why a text is not the name of a skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} cannot be the name of a skill: {problem}")]
pub struct NameError {
    /// What was given, cut to what can be shown.
    pub name: String,
    /// What is wrong with it, and what would not be.
    pub problem: &'static str,
}

/// The name of a skill, as programs import it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// Takes a text as a name, if it is one.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let wrong = |problem| {
            let name = text.chars().take(MAX_NAME).collect();
            Err(NameError { name, problem })
        };
        if text.len() > MAX_NAME {
            return wrong("it is longer than 64 letters");
        }
        let starts = text.starts_with(|letter: char| letter.is_ascii_lowercase());
        let plain =
            |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        if !starts || !text.chars().all(plain) {
            return wrong(
                "use small letters, digits and _, starting with a letter, such as high_spenders",
            );
        }
        if TAKEN.contains(&text) {
            return wrong("the word has a meaning in programs; use another one");
        }
        let ending = text.rsplit_once("_v").map_or("", |(_, number)| number);
        if !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_digit()) {
            return wrong("names that end in _v and a number are versions; leave that away");
        }
        Ok(Self(text.to_owned()))
    }

    /// Reads `NAME` or `NAME_v3`, as programs write it.
    pub fn with_version(text: &str) -> Result<(Self, Option<u32>), NameError> {
        match split_version(text) {
            Some((name, version)) => Ok((Self::new(name)?, Some(version))),
            None => Ok((Self::new(text)?, None)),
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `high_spenders_v3` is version 3 of `high_spenders`.
fn split_version(text: &str) -> Option<(&str, u32)> {
    let (name, number) = text.rsplit_once("_v")?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| number.parse().ok()).flatten().map(|version| (name, version))
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(&text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

/// Who sees a skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "of", content = "who")]
pub enum Scope {
    /// One owner.
    Owner(String),
    /// Everybody in a team.
    Team(String),
    /// Everybody.
    Global,
}

impl Scope {
    /// The name of its folder. Owners and teams are called anything, so only a digest is in a path.
    pub(crate) fn folder(&self) -> String {
        match self {
            Self::Owner(owner) => format!("owner-{}", short(owner)),
            Self::Team(team) => format!("team-{}", short(team)),
            Self::Global => "global".to_owned(),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner(_) => formatter.write_str("own"),
            Self::Team(team) => write!(formatter, "team {team}"),
            Self::Global => formatter.write_str("global"),
        }
    }
}

fn short(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..16])
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whoever looks for skills.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reader {
    /// Who it is.
    pub owner: String,
    /// The teams they are in.
    pub teams: Vec<String>,
}

impl Reader {
    /// Whoever sees no more than all do who see this scope.
    #[must_use]
    pub fn of(scope: &Scope) -> Self {
        let (owner, teams) = match scope {
            Scope::Owner(owner) => (owner.clone(), Vec::new()),
            // Nobody is called nothing.
            Scope::Team(team) => (String::new(), vec![team.clone()]),
            Scope::Global => (String::new(), Vec::new()),
        };
        Self { owner, teams }
    }

    /// What they see; where two scopes have a skill of one name, the first has the say.
    #[must_use]
    pub fn scopes(&self) -> Vec<Scope> {
        let teams = self.teams.iter().cloned().map(Scope::Team);
        let own = Scope::Owner(self.owner.clone());
        std::iter::once(own).chain(teams).chain([Scope::Global]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_a_program_can_import() {
        for good in ["high_spenders", "a", "x2", "total_value"] {
            assert_eq!(Name::new(good).unwrap().as_str(), good);
        }
        let long = "a".repeat(65);
        for bad in ["", "High", "2x", "_x", "a-b", "a.b", "../a", "lambda", "skills", "é", &long] {
            assert!(Name::new(bad).is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn a_number_behind_a_name_is_its_version() {
        let (name, version) = Name::with_version("high_spenders_v12").unwrap();
        assert_eq!((name.as_str(), version), ("high_spenders", Some(12)));
        let (name, version) = Name::with_version("tv_v").unwrap();
        assert_eq!((name.as_str(), version), ("tv_v", None));
        assert!(Name::new("high_spenders_v12").is_err());
    }

    #[test]
    fn owners_with_hostile_names_stay_in_their_own_folder() {
        let folders =
            ["../../etc", "a/b", "", "a"].map(|owner| Scope::Owner(owner.to_owned()).folder());
        for folder in &folders {
            assert!(folder.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
        }
        assert_ne!(Scope::Owner("a".to_owned()).folder(), Scope::Team("a".to_owned()).folder());
    }
}
