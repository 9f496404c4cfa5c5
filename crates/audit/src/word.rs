//! The words an entry is sorted by: its kind and its outcome.
//!
//! Both are written as `snake_case` words. A word that this version does not know is kept as it
//! is, so that a log written by a newer version can be read, searched and exported by an older one.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$each])* $variant,)*
            /// A word that this version does not know.
            Other(Box<str>),
        }

        impl $name {
            /// All that this version knows.
            pub const KNOWN: &[Self] = &[$(Self::$variant),*];

            /// As it is written.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)*
                    other => Self::Other(other.into()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(|word| Self::from(word.as_str()))
            }
        }
    };
}

words! {
    /// What an entry is about.
    Kind {
        /// The gateway began its work.
        Started = "started",
        /// The gateway ended its work in good order.
        Stopped = "stopped",
        /// A program was accepted.
        RunStarted = "run_started",
        /// A program came to its end, whichever that was.
        RunEnded = "run_ended",
        /// A program called a tool.
        Call = "call",
        /// A rule allowed a call, denied it, or wanted somebody asked.
        Decision = "decision",
        /// Somebody was asked, and what came of it.
        Approval = "approval",
        /// A program, session or owner came to a limit.
        LimitHit = "limit_hit",
        /// The rules were changed.
        PolicyChanged = "policy_changed",
        /// A setting was changed.
        ConfigChanged = "config_changed",
        /// Somebody logged in, or tried to.
        Login = "login",
        /// Somebody asked for what is not theirs.
        AccessRefused = "access_refused",
        /// Something was unlike what this owner usually does.
        Anomaly = "anomaly",
        /// Entries were taken away, and their places kept.
        Redacted = "redacted",
        /// The oldest entries were removed.
        Removed = "removed",
        /// The log was found as a crash had left it, and repaired.
        Recovered = "recovered",
    }
}

words! {
    /// How it went.
    Outcome {
        /// It was done.
        Ok = "ok",
        /// It was tried and went wrong.
        Failed = "failed",
        /// A rule allows it.
        Allow = "allow",
        /// A rule forbids it.
        Deny = "deny",
        /// A rule wants somebody asked.
        Ask = "ask",
        /// Somebody was asked.
        Asked = "asked",
        /// They answered; what became of each call is another entry.
        Answered = "answered",
        /// They agreed.
        Given = "given",
        /// They did not.
        Refused = "refused",
        /// They did not answer in time.
        Expired = "expired",
    }
}

impl Kind {
    /// Whether the log itself writes such entries and needs them to be verified. They are not
    /// redacted: without them a redaction or a removal could not be told from tampering.
    pub(crate) fn is_bookkeeping(&self) -> bool {
        matches!(self, Self::Redacted | Self::Removed | Self::Recovered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written_and_unknown_ones_are_kept() {
        for kind in Kind::KNOWN {
            assert_eq!(&Kind::from(kind.name()), kind);
        }
        let kind: Kind = serde_json::from_str(r#""from_tomorrow""#).unwrap();
        assert_eq!(kind, Kind::Other("from_tomorrow".into()));
        assert_eq!(serde_json::to_string(&kind).unwrap(), r#""from_tomorrow""#);
        assert_eq!(serde_json::to_string(&Outcome::Deny).unwrap(), r#""deny""#);
    }
}
