//! Documents by template: the form is the template's, a model fills in values only.
//!
//! `{{ name }}` is a place to fill. In YAML and JSON a value is written as JSON, quoted and escaped, so that
//! no value changes the form of the document around it.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde_json::{Map, Value, json};

/// Bytes that a template may have.
const MOST_BYTES: usize = 64 << 10;
/// Places that it may have.
const MOST_PLACES: usize = 200;

/// What a document is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TemplateFormat {
    /// Anything: values stand as they are.
    #[default]
    Text,
    /// YAML.
    Yaml,
    /// JSON.
    Json,
}

impl FromStr for TemplateFormat {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        match given {
            "text" => Ok(Self::Text),
            "yaml" | "yml" => Ok(Self::Yaml),
            "json" => Ok(Self::Json),
            _ => Err(format!("there is no format {given:?}; there are text, yaml and json")),
        }
    }
}

/// Why a template cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// It is too large.
    #[error("the template has {0} bytes; at most {MOST_BYTES} can be used")]
    Large(usize),
    /// There is nothing to fill.
    #[error("the template has no place to fill; write one as {{{{ name }}}}")]
    Empty,
    /// There is too much to fill.
    #[error("the template has more than {MOST_PLACES} places to fill")]
    Many,
    /// A place is not as it must be.
    #[error("{0:?} is no place to fill; write one as {{{{ name }}}}, with letters, digits and _")]
    Place(String),
}

/// A document with places to fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
    format: TemplateFormat,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Place(String),
}

impl Template {
    /// Reads a template.
    pub fn new(text: &str, format: TemplateFormat) -> Result<Self, TemplateError> {
        if text.len() > MOST_BYTES {
            return Err(TemplateError::Large(text.len()));
        }
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once("{{") {
            let wrong = |inside: &str| TemplateError::Place(inside.chars().take(40).collect());
            let (inside, next) = after.split_once("}}").ok_or_else(|| wrong(after))?;
            let name = inside.trim();
            if !engine::is_variable(name) {
                return Err(wrong(inside));
            }
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::Place(name.to_owned()));
            rest = next;
        }
        parts.push(Part::Text(rest.to_owned()));
        match parts.len() / 2 {
            0 => Err(TemplateError::Empty),
            many if many > MOST_PLACES => Err(TemplateError::Many),
            _ => Ok(Self { parts, format }),
        }
    }

    /// The schema of what fills it.
    #[must_use]
    pub fn schema(&self) -> Value {
        let names: BTreeSet<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Place(name) => Some(name.as_str()),
                Part::Text(_) => None,
            })
            .collect();
        let properties: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        json!({ "type": "object", "properties": properties, "required": names,
            "additionalProperties": false })
    }

    /// As a model reads it.
    #[must_use]
    pub fn text(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Place(name) => format!("{{{{ {name} }}}}"),
        };
        self.parts.iter().map(part).collect()
    }

    /// The document with these values, or what is wrong with it.
    pub fn fill(&self, values: &Value) -> Result<String, String> {
        let mut document = String::new();
        let mut skip = false;
        for (at, part) in self.parts.iter().enumerate() {
            match part {
                Part::Text(text) => {
                    let text = if std::mem::take(&mut skip) { &text[1..] } else { text };
                    document.push_str(text);
                }
                Part::Place(name) => {
                    let next = self.parts.get(at + 1);
                    let closes = matches!(next, Some(Part::Text(text)) if text.starts_with('"'));
                    skip = self.put(&mut document, &values[name.as_str()], closes);
                }
            }
        }
        self.check(&document)?;
        Ok(document)
    }

    /// Writes one value; true if the quote after it belongs to it.
    fn put(&self, document: &mut String, value: &Value, closes: bool) -> bool {
        if self.format == TemplateFormat::Text {
            document.push_str(&plain(value));
            return false;
        }
        let line = document.rsplit('\n').next().unwrap_or_default();
        let is_inside = line.matches('"').count() % 2 == 1;
        if is_inside && closes && document.ends_with('"') {
            document.pop();
            document.push_str(&value.to_string());
            return true;
        }
        if is_inside {
            let quoted = Value::String(plain(value)).to_string();
            document.push_str(&quoted[1..quoted.len() - 1]);
        } else {
            document.push_str(&value.to_string());
        }
        false
    }

    fn check(&self, document: &str) -> Result<(), String> {
        let wrong = |error: String| format!("the filled document cannot be read: {error}");
        match self.format {
            TemplateFormat::Text => Ok(()),
            TemplateFormat::Json => serde_json::from_str::<Value>(document)
                .map(drop)
                .map_err(|error| wrong(error.to_string())),
            TemplateFormat::Yaml => serde_saphyr::from_str::<Value>(document)
                .map(drop)
                .map_err(|error| wrong(error.to_string())),
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_never_change_the_form_of_a_document() {
        let text =
            "title: {{ title }}\nby: \"{{ who }}\"\nnote: \"for {{ who }}\"\nrows: {{ rows }}\n";
        let template = Template::new(text, TemplateFormat::Yaml).unwrap();
        let hostile = "x\"\nadmin: true # ";
        let values = json!({"title": hostile, "who": hostile, "rows": [1, {"a": "b: c"}]});
        let document = template.fill(&values).unwrap();
        let read: Value = serde_saphyr::from_str(&document).unwrap();
        let wanted = json!({"title": hostile, "by": hostile, "note": format!("for {hostile}"),
            "rows": [1, {"a": "b: c"}]});
        assert_eq!(read, wanted, "{document}");
    }

    #[test]
    fn plain_text_has_values_as_they_are() {
        let template =
            Template::new("Dear {{ name }},\n{{n}} left.", TemplateFormat::Text).unwrap();
        assert_eq!(template.fill(&json!({"name": "Ann", "n": 3})).unwrap(), "Dear Ann,\n3 left.");
        assert_eq!(template.schema()["required"], json!(["n", "name"]));
    }

    #[test]
    fn what_is_no_template_is_refused() {
        let of = |text: &str| Template::new(text, TemplateFormat::Yaml).unwrap_err();
        assert_eq!(of("a: b"), TemplateError::Empty);
        assert!(matches!(of("a: {{ b.c }}"), TemplateError::Place(_)));
        assert!(matches!(of("a: {{ b"), TemplateError::Place(_)));
        assert_eq!(of(&"{{ a }}".repeat(201)), TemplateError::Many);
    }
}
