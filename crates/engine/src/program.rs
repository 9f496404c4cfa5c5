//! What somebody wants run: source code and the values it starts with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// Variables by name. The values are JSON text, checked and otherwise untouched: a number
/// of any length arrives as it was sent.
pub type Context = BTreeMap<String, Box<RawValue>>;

/// One program, as the model or the user wrote it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Program {
    /// The source. Markdown fences around it are the engine's to remove.
    pub source: String,
    /// Values that become variables before the first line runs. They travel as
    /// data and are never pasted into the source.
    #[serde(default)]
    pub context: Context,
}

impl Program {
    /// A program without context.
    #[must_use]
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), context: Context::new() }
    }

    /// The same program with one more variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        // Writing a JSON value as JSON cannot fail; null would be the least surprise if it did.
        let value = serde_json::value::to_raw_value(&value.into());
        self.context.insert(name.into(), value.unwrap_or_else(|_| RawValue::NULL.to_owned()));
        self
    }
}

/// Words that Python keeps for itself.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Whether a program could have a variable of this name, and it means nothing to Python itself.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        && !KEYWORDS.contains(&name)
        && !(name.starts_with("__") && name.ends_with("__"))
}

#[cfg(test)]
mod tests {
    use super::is_variable;

    #[test]
    fn only_names_that_a_program_can_use_are_variables() {
        assert!(["a", "_b", "größe", "class_"].into_iter().all(is_variable));
        assert!(!["", "1a", "a-b", "class", "None", "__builtins__"].into_iter().any(is_variable));
    }
}
