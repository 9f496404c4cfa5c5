//! What a tool says of its answers, where these have tokens in the place of personal data.
//!
//! A token is a text, also where the tool has a number, and it is as long as tokens are. A client that compares
//! an answer with what was said of it would refuse one that says otherwise, so less is said: nothing that fits
//! without tokens stops fitting, and no token makes an answer unfit.

use serde_json::{Map, Value, json};

/// What says how a text is written, or what an answer may not be; what fits none of it may do so with a token.
const NARROW: [&str; 14] = [
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "not",
    "if",
    "then",
    "else",
    "maxContains",
    "propertyNames",
    "unevaluatedItems",
];
/// Keys under which every value is a schema,
const NAMED: [&str; 4] = ["properties", "$defs", "definitions", "dependentSchemas"];
/// lists of them,
const LISTED: [&str; 4] = ["anyOf", "allOf", "prefixItems", "items"];
/// and single ones.
const SINGLE: [&str; 4] = ["items", "additionalProperties", "additionalItems", "contains"];
/// Text with a token in it.
const TOKEN: &str = "[A-Z0-9]_[0-9a-z]{12}";

/// The schema of an answer that may have tokens anywhere.
pub(super) fn widened(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut wide = Map::new();
    let mut all = Vec::new();
    // The name of a field may be personal, and is a token then.
    let is_by_name = schema.contains_key("patternProperties");
    for (key, value) in schema {
        match (key.as_str(), value) {
            ("patternProperties" | "unevaluatedProperties", _) => {}
            ("additionalProperties", _) if is_by_name => {}
            (narrow, _) if NARROW.contains(&narrow) => {}
            ("type", kind) => {
                wide.insert(key.clone(), or_text(kind));
            }
            ("enum" | "const", _) => {
                let token = json!({ "type": "string", "pattern": TOKEN });
                all.push(json!({ "anyOf": [{ key: value }, token] }));
            }
            // A text fits several where a number fitted one.
            ("oneOf", Value::Array(one)) => {
                all.push(json!({ "anyOf": one.iter().map(any).collect::<Vec<_>>() }));
            }
            (named, Value::Object(fields)) if NAMED.contains(&named) => {
                let fields = fields.iter().map(|(name, one)| (name.clone(), any(one)));
                wide.insert(key.clone(), Value::Object(fields.collect()));
            }
            (listed, Value::Array(one)) if LISTED.contains(&listed) => {
                wide.insert(key.clone(), one.iter().map(any).collect());
            }
            (single, one) if SINGLE.contains(&single) => {
                wide.insert(key.clone(), any(one));
            }
            _ => {
                wide.insert(key.clone(), value.clone());
            }
        }
    }
    if !all.is_empty() {
        let before = wide.remove("allOf");
        all.extend(
            before.and_then(|mut all| all.as_array_mut().map(std::mem::take)).unwrap_or_default(),
        );
        wide.insert("allOf".to_owned(), Value::Array(all));
    }
    wide
}

fn any(schema: &Value) -> Value {
    // What is no object allows everything, or nothing.
    schema.as_object().map_or_else(|| schema.clone(), |schema| Value::Object(widened(schema)))
}

/// A number may be a text.
fn or_text(kind: &Value) -> Value {
    let mut kinds = match kind {
        Value::Array(kinds) => kinds.clone(),
        one => vec![one.clone()],
    };
    let has = |name: &str| kinds.iter().any(|kind| kind == name);
    if has("string") || !(has("integer") || has("number")) {
        return kind.clone();
    }
    kinds.push("string".into());
    Value::Array(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_tokens_fits_and_so_does_one_without() {
        let schema = json!({
            "type": "object",
            "required": ["mobile", "mail"],
            "additionalProperties": false,
            "properties": {
                "mobile": { "type": "integer", "minimum": 1 },
                "mail": { "type": "string", "format": "email", "maxLength": 20, "pattern": "@" },
                "card": { "oneOf": [{ "type": "number" }, { "type": "string" }] },
                "owner": { "enum": ["Anna Meier", null], "description": "Whose it is." },
                "all": { "type": "array", "items": { "$ref": "#/$defs/number" } },
                "by_mail": { "type": "object", "patternProperties": { "@": { "type": "integer" } }, "additionalProperties": false },
                "format": { "type": ["boolean", "null"] },
            },
            "$defs": { "number": { "type": ["integer", "null"] } },
        });
        let wide = Value::Object(widened(schema.as_object().unwrap()));
        let token = "PHONE_k3v9q2xw7m45";
        let plain = json!({
            "mobile": 491_701_234_567_u64, "mail": "a@b.de", "card": 4, "owner": "Anna Meier", "all": [1, null],
            "by_mail": { "a@b.de": 1 }, "format": null,
        });
        let hidden = json!({
            "mobile": token, "mail": token, "card": token, "owner": "NAME_k3v9q2xw7m45", "all": [token],
            "by_mail": { token: token }, "format": true,
        });
        let fits = |schema: &Value, answer: &Value| jsonschema::is_valid(schema, answer);
        assert!(fits(&schema, &plain) && !fits(&schema, &hidden));
        assert!(fits(&wide, &plain) && fits(&wide, &hidden), "{wide:#}");
        // What no token changes is said as before.
        assert!(!fits(&wide, &json!({ "mobile": 1, "mail": "x", "more": 1 })));
        assert!(!fits(&wide, &json!({ "mobile": 1, "mail": "x", "owner": "Bob" })));
        assert!(!fits(&wide, &json!({ "mobile": 0, "mail": "x" })));
        assert_eq!(wide["properties"]["owner"]["description"], "Whose it is.");
    }
}
