//! What was unusual about a run, as the door shows it.

use audit::anomaly::{Flag, Level, Reason};
use serde::Serialize;
use utoipa::ToSchema;

/// Something that was unlike anything an owner did before.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Anomaly)]
pub(crate) struct AnomalyShown {
    /// What kind: `burst`, `new_tool`, `volume`, `denials`.
    #[schema(value_type = String)]
    kind: Reason,
    /// Whether somebody should look (`alert`), or it is only worth knowing (`notice`).
    #[schema(value_type = String)]
    level: Level,
    /// The tool, or what was measured.
    subject: String,
    /// What was found.
    observed: u64,
    /// What is usual.
    usual: u64,
    /// From where on it is flagged.
    threshold: u64,
    /// All of this in a sentence.
    explanation: String,
}

impl From<&Flag> for AnomalyShown {
    fn from(flag: &Flag) -> Self {
        Self {
            kind: flag.reason,
            level: flag.level,
            subject: flag.subject.clone(),
            observed: flag.observed,
            usual: flag.usual,
            threshold: flag.threshold,
            explanation: flag.explanation.clone(),
        }
    }
}
