//! JSON Schemas that answers of models are held against.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Bytes that a schema may have.
const MOST_SCHEMA: usize = 64 << 10;
/// How large a compiled pattern may be, in bytes.
const PATTERN_BYTES: usize = 1 << 20;
/// Mistakes that are told at once.
const MOST_MISTAKES: usize = 5;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It is too large.
    #[error("the schema has {0} bytes; at most {MOST_SCHEMA} can be used")]
    Large(usize),
    /// It is none.
    #[error("the schema cannot be used: {0}")]
    Schema(String),
}

/// A JSON Schema that answers are held against.
#[derive(Debug)]
pub struct Schema {
    text: String,
    validator: Validator,
}

impl Schema {
    /// Reads a schema. It never leads out of itself.
    pub fn new(schema: &Value) -> Result<Self, SchemaError> {
        let text = schema.to_string();
        if text.len() > MOST_SCHEMA {
            return Err(SchemaError::Large(text.len()));
        }
        if !schema.is_object() {
            return Err(SchemaError::Schema("it must be a JSON object".to_owned()));
        }
        let patterns =
            PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
        let validator = jsonschema::options()
            .offline()
            .should_ignore_unknown_formats(true)
            .with_pattern_options(patterns)
            .build(schema)
            .map_err(|error| SchemaError::Schema(error.to_string()))?;
        Ok(Self { text, validator })
    }

    /// As a model reads it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The JSON of an answer, without the fence that it may stand in; or what is wrong with it.
    pub fn read(&self, answer: &str) -> Result<Value, String> {
        let value: Value = serde_json::from_str(unfenced(answer))
            .map_err(|error| format!("this is no JSON: {error}"))?;
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

/// What is in the first fenced block that says it is JSON or says nothing, or else all of a text.
fn unfenced(text: &str) -> &str {
    let mut rest = text;
    while let Some(at) = rest.find("```") {
        let fence = &rest[at..];
        let marks = fence.len() - fence.trim_start_matches('`').len();
        let Some((tag, body)) = fence[marks..].split_once('\n') else { break };
        // A fence is closed by one that is as long.
        let Some(end) = body.find(&format!("\n{}", &fence[..marks])) else { break };
        if ["", "json"].contains(&tag.trim()) {
            return body[..end].trim();
        }
        rest = &body[end + 1 + marks..];
    }
    text.trim()
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
    fn json_is_found_in_its_fence_and_another_fence_is_passed_over() {
        let schema = Schema::new(&json!({"type": "array"})).unwrap();
        let read = |text: &str| schema.read(text);
        assert_eq!(read("Here:\n```json\n[1]\n```\nThat is all."), Ok(json!([1])));
        assert_eq!(read("```text\nno\n```\n```\n[2]\n```"), Ok(json!([2])));
        assert_eq!(read(" [3] "), Ok(json!([3])));
        assert_eq!(read("````json\n[\"```\"]\n````"), Ok(json!(["```"])));
        assert!(read("```json\n[1]").is_err());
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        assert!(Schema::new(&json!({"type": 5})).is_err());
        assert!(Schema::new(&json!([])).is_err());
        assert!(Schema::new(&json!({"$ref": "https://elsewhere.example/schema"})).is_err());
        let large = Schema::new(&json!({"description": "x".repeat(70_000)})).unwrap_err();
        assert!(matches!(large, SchemaError::Large(_)), "{large}");
    }
}
