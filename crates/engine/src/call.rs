//! Host calls: the only way a program reaches anything outside its sandbox.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Names one call within one guest. Never reused while the guest lives, so a
/// late answer cannot be mistaken for another call's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub u64);

/// Something the program asked the host to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HostCall {
    /// Which call this is.
    pub id: CallId,
    /// What is called. The host decides what names mean.
    pub name: String,
    /// The arguments, checked to be JSON and otherwise untouched.
    pub arguments: Box<RawValue>,
}

/// The answer to one [`HostCall`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallResult {
    /// The call this answers.
    pub id: CallId,
    /// What the `await` yields, or raises.
    pub result: Result<Box<RawValue>, CallError>,
}

impl CallResult {
    /// A call that worked.
    #[must_use]
    pub fn ok(id: CallId, value: Box<RawValue>) -> Self {
        Self { id, result: Ok(value) }
    }

    /// A call that did not. The program sees a `ToolError` with this message.
    #[must_use]
    pub fn failed(id: CallId, message: impl Into<String>) -> Self {
        Self { id, result: Err(CallError { kind: "ToolError".into(), message: message.into() }) }
    }
}

/// Why a host call failed, in words for the program and the model behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct CallError {
    /// A short machine-readable kind.
    pub kind: String,
    /// What happened and what to do instead.
    pub message: String,
}
