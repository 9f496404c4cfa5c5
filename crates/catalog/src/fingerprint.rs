//! A short name for exactly one definition of a tool.
//!
//! Two definitions have the same fingerprint when nothing that a model or a caller could notice
//! differs; the order of keys in an object is not noticeable.

use std::fmt;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::Tool;

/// SHA-256 of a definition in canonical form, as 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint of a whole definition.
    #[must_use]
    pub fn of(tool: &Tool) -> Self {
        let parts = Parts::of(tool);
        let mut hash = Sha256::new();
        for part in [
            &tool.name.0,
            &parts.description.0,
            &parts.parameters.0,
            &parts.result.0,
            &parts.annotations.0,
        ] {
            // Lengths first, so that no text can pass for the end of one part and the next.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(hex(&hash.finalize()))
    }

    /// The hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn of_value(value: &Value) -> Self {
        let mut canonical = String::new();
        write_canonical(value, &mut canonical);
        Self(hex(&Sha256::digest(canonical.as_bytes())))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Fingerprints of the parts of a definition, so that a change can be named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parts {
    pub(crate) description: Fingerprint,
    pub(crate) parameters: Fingerprint,
    pub(crate) result: Fingerprint,
    pub(crate) annotations: Fingerprint,
}

impl Parts {
    pub(crate) fn of(tool: &Tool) -> Self {
        let annotations = serde_json::to_value(&tool.annotations).unwrap_or_default();
        Self {
            description: Fingerprint::of_value(&Value::Array(vec![
                tool.title.clone().into(),
                tool.description.clone().into(),
            ])),
            parameters: Fingerprint::of_value(&tool.input_schema),
            result: Fingerprint::of_value(tool.output_schema.as_ref().unwrap_or(&Value::Null)),
            annotations: Fingerprint::of_value(&annotations),
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// JSON without spaces and with the keys of every object sorted.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            out.push('{');
            for (position, key) in keys.into_iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                let _ = write!(out, "{}:", Value::from(key.as_str()));
                write_canonical(&map[key], out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
}
