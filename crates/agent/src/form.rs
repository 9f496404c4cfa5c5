//! The form of an answer: text, JSON by a schema, or a document by a template.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::template::{Template, TemplateError};

/// Bytes that a schema may have.
const MOST_SCHEMA: usize = 64 << 10;
/// How large a compiled pattern may be, in bytes.
const PATTERN_BYTES: usize = 1 << 20;
/// Mistakes that are told at once.
const MOST_MISTAKES: usize = 5;

/// The form of an answer.
#[derive(Debug, Default)]
pub enum Form {
    /// Words.
    #[default]
    Text,
    /// JSON that fits a schema.
    Json(Schema),
    /// A document that a template has the form of.
    Document(Template),
}

/// Why a form cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormError {
    /// The schema is too large.
    #[error("the schema has {0} bytes; at most {MOST_SCHEMA} can be used")]
    Large(usize),
    /// It is no schema.
    #[error("the schema cannot be used: {0}")]
    Schema(String),
    /// The template cannot be used.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

/// A JSON Schema that answers are held against.
#[derive(Debug)]
pub struct Schema {
    text: String,
    validator: Validator,
}

impl Schema {
    /// Reads a schema. It never leads out of itself.
    pub fn new(schema: &Value) -> Result<Self, FormError> {
        let text = schema.to_string();
        if text.len() > MOST_SCHEMA {
            return Err(FormError::Large(text.len()));
        }
        if !schema.is_object() {
            return Err(FormError::Schema("it must be a JSON object".to_owned()));
        }
        let patterns =
            PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
        let validator = jsonschema::options()
            .offline()
            .should_ignore_unknown_formats(true)
            .with_pattern_options(patterns)
            .build(schema)
            .map_err(|error| FormError::Schema(error.to_string()))?;
        Ok(Self { text, validator })
    }

    /// As a model reads it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The JSON of an answer, or what is wrong with it.
    pub fn read(&self, answer: &str) -> Result<Value, String> {
        let text = crate::blocks::json(answer);
        let value: Value =
            serde_json::from_str(&text).map_err(|error| format!("this is no JSON: {error}"))?;
        let mistakes = self.validator.iter_errors(&value).take(MOST_MISTAKES);
        let mistakes: Vec<String> = mistakes
            .map(|mistake| format!("{}: {mistake}", place(mistake.instance_path().as_str())))
            .collect();
        if mistakes.is_empty() { Ok(value) } else { Err(mistakes.join("; ")) }
    }
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "the whole" } else { pointer }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_that_does_not_fit_says_where() {
        let schema = json!({"type": "object", "required": ["total"],
            "properties": {"total": {"type": "integer"}, "list": {"items": {"type": "string"}}}});
        let schema = Schema::new(&schema).unwrap();
        assert_eq!(schema.read("```json\n{\"total\": 3}\n```").unwrap(), json!({"total": 3}));
        let wrong = schema.read(r#"{"total": "3", "list": ["a", 4]}"#).unwrap_err();
        assert!(wrong.contains("/total") && wrong.contains("/list/1"), "{wrong}");
        assert!(schema.read("three").unwrap_err().contains("no JSON"));
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        assert!(Schema::new(&json!({"type": 5})).is_err());
        assert!(Schema::new(&json!([])).is_err());
        assert!(Schema::new(&json!({"$ref": "https://elsewhere.example/schema"})).is_err());
        let large = Schema::new(&json!({"description": "x".repeat(70_000)})).unwrap_err();
        assert!(matches!(large, FormError::Large(_)), "{large}");
    }
}
