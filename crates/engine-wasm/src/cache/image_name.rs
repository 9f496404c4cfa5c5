//! What an image may be called, and which names are taken.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The name of an image: lower-case letters, digits and hyphens, at most 40.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ImageName(String);

/// A text that cannot name an image. Whoever chose it must choose another.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} cannot name an image: use 1 to 40 lower-case letters, digits and hyphens, and no hyphen first"
)]
pub struct BadImageName(String);

impl ImageName {
    /// The names that `tidegate runtime install` gives, which users cannot take.
    pub const BUILT_IN: [&'static str; 5] =
        ["first", "base", "science", "typescript-first", "typescript"];

    /// The memory as the module's data leaves it, before anything ran.
    #[must_use]
    pub fn first() -> Self {
        Self("first".to_owned())
    }

    /// What a session starts from unless told otherwise.
    #[must_use]
    pub fn base() -> Self {
        Self("base".to_owned())
    }

    /// With scipy, scikit-learn, matplotlib and statsmodels imported.
    #[must_use]
    pub fn science() -> Self {
        Self("science".to_owned())
    }

    /// As [`first`](Self::first), of the TypeScript guest.
    #[must_use]
    pub fn typescript_first() -> Self {
        Self("typescript-first".to_owned())
    }

    /// As [`base`](Self::base), of the TypeScript guest.
    #[must_use]
    pub fn typescript() -> Self {
        Self("typescript".to_owned())
    }

    /// Whether it belongs to the runtime.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        Self::BUILT_IN.contains(&self.0.as_str())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ImageName {
    type Err = BadImageName;

    fn from_str(text: &str) -> Result<Self, BadImageName> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for ImageName {
    type Error = BadImageName;

    fn try_from(text: String) -> Result<Self, BadImageName> {
        let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        let fits =
            (1..=40).contains(&text.len()) && !text.starts_with('-') && text.bytes().all(allowed);
        if fits { Ok(Self(text)) } else { Err(BadImageName(text)) }
    }
}

impl From<ImageName> for String {
    fn from(name: ImageName) -> Self {
        name.0
    }
}

impl fmt::Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::ImageName;

    #[test]
    fn a_name_is_safe_as_a_file_name_and_on_a_command_line() {
        for good in ["a", "0", "my-image-2", &"x".repeat(40)] {
            assert_eq!(good.parse::<ImageName>().unwrap().as_str(), good);
        }
        for bad in ["", "-a", "A", "a.b", "a/b", "..", "a@b", "ä", "a b", &"x".repeat(41)] {
            assert!(bad.parse::<ImageName>().is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn a_bad_name_is_refused_in_a_record_too() {
        assert!(serde_json::from_str::<ImageName>(r#""../../etc""#).is_err());
    }
}
