//! What somebody wants run: source code and the values it starts with.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One program, as the model or the user wrote it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Program {
    /// The source. Markdown fences around it are the engine's to remove.
    pub source: String,
    /// Values that become variables before the first line runs. They travel as
    /// data and are never pasted into the source.
    #[serde(default)]
    pub context: Map<String, Value>,
}

impl Program {
    /// A program without context.
    #[must_use]
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), context: Map::new() }
    }

    /// The same program with one more variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.context.insert(name.into(), value.into());
        self
    }
}
