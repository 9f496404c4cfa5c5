//! What sessions and runs are called. Nobody can guess the name of another's.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A name that is no name of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is no {kind}; one starts with `{prefix}` and has 32 digits")]
pub struct NoId {
    given: String,
    kind: &'static str,
    prefix: &'static str,
}

/// The name of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

/// The name of a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

/// The name of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConversationId(String);

impl ConversationId {
    const PREFIX: &str = "c_";

    /// A name nobody has.
    #[must_use]
    pub fn fresh() -> Self {
        Self(fresh(Self::PREFIX))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SessionId {
    const PREFIX: &str = "s_";

    /// A name nobody has.
    #[must_use]
    pub fn fresh() -> Self {
        Self(fresh(Self::PREFIX))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl RunId {
    const PREFIX: &str = "r_";

    /// What all that an owner does without programs is called.
    #[must_use]
    pub(super) fn of_owner(owner: &str) -> Self {
        use sha2::Digest as _;
        let mut half = [0; 16];
        half.copy_from_slice(&sha2::Sha256::digest(owner.as_bytes())[..16]);
        Self(format!("{}{}", Self::PREFIX, Uuid::from_bytes(half).simple()))
    }

    /// A name nobody has.
    #[must_use]
    pub fn fresh() -> Self {
        Self(fresh(Self::PREFIX))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn fresh(prefix: &str) -> String {
    format!("{prefix}{}", Uuid::new_v4().simple())
}

fn checked(given: &str, kind: &'static str, prefix: &'static str) -> Result<String, NoId> {
    let digits = given.strip_prefix(prefix);
    let digits = digits.filter(|digits| digits.len() == 32);
    let lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    match digits.filter(|digits| digits.bytes().all(lower)) {
        Some(_) => Ok(given.to_owned()),
        None => Err(NoId { given: given.chars().take(80).collect(), kind, prefix }),
    }
}

macro_rules! texts {
    ($name:ident, $kind:literal) => {
        impl FromStr for $name {
            type Err = NoId;

            fn from_str(given: &str) -> Result<Self, NoId> {
                checked(given, $kind, Self::PREFIX).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NoId;

            fn try_from(given: String) -> Result<Self, NoId> {
                given.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

texts!(SessionId, "session");
texts!(RunId, "run");
texts!(ConversationId, "conversation");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_can_be_read_and_nothing_else() {
        let id = SessionId::fresh();
        assert_eq!(id.as_str().parse::<SessionId>(), Ok(id.clone()));
        assert!(id.as_str().parse::<RunId>().is_err());
        for wrong in ["", "s_", "s_../../etc/passwd", "s_0123456789ABCDEF0123456789ABCDEF"] {
            assert!(wrong.parse::<SessionId>().is_err(), "{wrong}");
        }
    }
}
