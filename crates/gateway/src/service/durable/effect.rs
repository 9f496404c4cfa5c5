//! What a call may do out there, and so whether it may be made twice.

use serde::{Deserialize, Serialize};

/// What a call may do, from the most harmless on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It changes nothing.
    Read,
    /// It changes something, and twice is as good as once.
    Idempotent,
    /// It changes something, or nobody said that it does not.
    Write,
}

impl Effect {
    /// What annotations say, of a server that is believed.
    #[must_use]
    pub fn of(annotations: &catalog::Annotations) -> Self {
        match (annotations.read_only_hint, annotations.idempotent_hint) {
            (Some(true), _) => Self::Read,
            (_, Some(true)) => Self::Idempotent,
            _ => Self::Write,
        }
    }

    /// The setting by which an operator says so.
    #[must_use]
    pub fn setting(self) -> &'static str {
        match self {
            Self::Read => "read-only",
            Self::Idempotent => "idempotent",
            Self::Write => "writes",
        }
    }

    /// Whether a call whose fate is unknown may be made again.
    #[must_use]
    pub fn may_be_repeated(self) -> bool {
        self != Self::Write
    }
}
