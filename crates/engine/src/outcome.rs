//! How a program ended, in the names every front door uses.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::limits::LimitKind;

/// Which of the two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The end of one run, whichever way it ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether the program reached its own end.
    pub success: bool,
    /// What it returned; `null` when there was nothing or it failed.
    pub return_value: Box<RawValue>,
    /// What it printed.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Why it did not succeed.
    pub error: Option<ProgramError>,
    /// Pictures and other files the run produced besides its value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// What the reader should know: nothing was returned, the session was rolled back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Wall-clock milliseconds from start to end, rest included.
    pub execution_time_ms: f64,
    /// What the run used.
    pub usage: Usage,
}

impl Outcome {
    /// The outcome of a run that did not get to its end, before anything else is known of it.
    #[must_use]
    pub fn failed(error: ProgramError) -> Self {
        Self {
            success: false,
            return_value: RawValue::NULL.to_owned(),
            stdout: String::new(),
            stderr: String::new(),
            error: Some(error),
            artifacts: Vec::new(),
            note: None,
            execution_time_ms: 0.0,
            usage: Usage::default(),
        }
    }
}

/// Why a program failed, with everything needed to mend it in one try.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramError {
    /// The exception's class, or `LimitExceeded`, `Exited`, `Crashed`, `Cancelled`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The exception's own words.
    pub message: String,
    /// Line in the user's program, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in that line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// That line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_line: Option<String>,
    /// The traceback, without the engine's own frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
    /// What to try next, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The limit that was met, if that is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitKind>,
}

/// Something a run produced besides its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// A file name.
    pub name: String,
    /// Its media type, such as `image/png`.
    pub media_type: String,
    /// The content.
    #[serde(with = "as_base64")]
    pub data: Vec<u8>,
}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Wall-clock time, not counting rest.
    #[serde(rename = "wall_ms", with = "as_millis")]
    pub wall: Duration,
    /// CPU time of the guest.
    #[serde(rename = "cpu_ms", with = "as_millis")]
    pub cpu: Duration,
    /// Memory held beyond the base image at the end.
    pub memory_bytes: u64,
    /// Host calls made.
    pub calls: u64,
    /// Bytes of standard output.
    pub stdout_bytes: u64,
    /// Bytes of standard error.
    pub stderr_bytes: u64,
    /// Bytes of all files in the workspace.
    pub workspace_bytes: u64,
}

mod as_millis {
    //! Durations as milliseconds with a fraction, which is what people compare.
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64((value.as_secs_f64() * 1e6).round() / 1e3)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let millis = f64::deserialize(from)?;
        Duration::try_from_secs_f64(millis / 1e3).map_err(serde::de::Error::custom)
    }
}

mod as_base64 {
    //! Bytes as base64 text, because JSON has no bytes.
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(value))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        STANDARD.decode(text).map_err(serde::de::Error::custom)
    }
}
