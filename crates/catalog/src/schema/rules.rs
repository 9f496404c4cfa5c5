//! Limits of a value, in words.

use serde_json::{Map, Value};

/// Integers beyond this are what a generator writes for "any integer that JavaScript can hold".
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
/// The longest pattern that is repeated.
const LONGEST_PATTERN: usize = 160;

/// What rules are made from.
const KEYWORDS: [&str; 19] = [
    "contains",
    "contentEncoding",
    "contentMediaType",
    "deprecated",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "propertyNames",
    "uniqueItems",
];

/// The rules that `schemas` together impose on one value, each once.
pub(super) fn rules(schemas: &[&Map<String, Value>]) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    for schema in
        schemas.iter().filter(|schema| schema.keys().any(|key| KEYWORDS.contains(&key.as_str())))
    {
        for rule in of_one(schema) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    rules
}

fn of_one(schema: &Map<String, Value>) -> Vec<String> {
    let mut rules = Vec::new();
    numbers(schema, &mut rules);
    counts(schema, ["minLength", "maxLength"], ["character", "characters"], &mut rules);
    counts(schema, ["minItems", "maxItems"], ["item", "items"], &mut rules);
    counts(schema, ["minProperties", "maxProperties"], ["key", "keys"], &mut rules);
    texts(schema, &mut rules);
    if flag(schema, "uniqueItems") {
        rules.push("no item twice".to_owned());
    }
    if let Some(needed) = schema.get("contains").and_then(|contains| contains.get("const")) {
        rules.push(format!("contains {needed}"));
    }
    if let Some(Value::Object(names)) = schema.get("propertyNames") {
        rules.extend(key_rule(names));
    }
    if flag(schema, "deprecated") {
        rules.push("deprecated".to_owned());
    }
    rules
}

fn numbers(schema: &Map<String, Value>, rules: &mut Vec<String>) {
    let limit = |key: &str| {
        schema.get(key).filter(|limit| {
            limit.as_f64().is_some_and(|limit| limit.is_finite() && limit.abs() < SAFE_INTEGER)
        })
    };
    // Draft 4 says with a boolean that the other limit is exclusive.
    let least = if flag(schema, "exclusiveMinimum") { "more than" } else { "at least" };
    let most = if flag(schema, "exclusiveMaximum") { "less than" } else { "at most" };
    for (key, words) in [
        ("minimum", least),
        ("exclusiveMinimum", "more than"),
        ("maximum", most),
        ("exclusiveMaximum", "less than"),
        ("multipleOf", "a multiple of"),
    ] {
        rules.extend(limit(key).map(|limit| format!("{words} {limit}")));
    }
}

fn counts(
    schema: &Map<String, Value>,
    [least, most]: [&str; 2],
    [one, many]: [&str; 2],
    rules: &mut Vec<String>,
) {
    let count = |key: &str| schema.get(key).and_then(whole);
    let named = |count: u64| if count == 1 { one } else { many };
    match (count(least).filter(|least| *least > 0), count(most)) {
        (Some(least), Some(most)) if least == most => {
            rules.push(format!("exactly {least} {}", named(least)));
        }
        (least, most) => {
            rules.extend(least.map(|least| format!("at least {least} {}", named(least))));
            rules.extend(most.map(|most| format!("at most {most} {}", named(most))));
        }
    }
}

/// A count, also one written `2.0`.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        ((0.0..SAFE_INTEGER).contains(&number) && number.fract() == 0.0)
            .then(|| format!("{number:.0}").parse().ok())
            .flatten()
    })
}

fn texts(schema: &Map<String, Value>, rules: &mut Vec<String>) {
    let text = |key: &str| schema.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let format = text("format").map(|format| format!("format {}", shortened(format)));
    let known_format = format.is_some();
    rules.extend(format);
    match text("pattern") {
        Some(pattern) if pattern.len() <= LONGEST_PATTERN => {
            rules.push(format!("matches {pattern}"));
        }
        // A generator writes out what the format already says.
        Some(_) if known_format => {}
        Some(pattern) => rules.push(format!("matches {}", shortened(pattern))),
        None => {}
    }
    rules.extend(
        text("contentEncoding").map(|encoding| format!("encoded as {}", shortened(encoding))),
    );
    rules.extend(text("contentMediaType").map(|media| format!("contains {}", shortened(media))));
}

fn key_rule(names: &Map<String, Value>) -> Option<String> {
    if let Some(Value::Array(values)) = names.get("enum") {
        let values: Vec<String> = values.iter().take(20).map(Value::to_string).collect();
        let more = if values.len() == 20 { ", …" } else { "" };
        return Some(format!("each key is one of {}{more}", values.join(", ")));
    }
    let pattern = names.get("pattern")?.as_str()?;
    Some(format!("each key matches {}", shortened(pattern)))
}

fn flag(schema: &Map<String, Value>, key: &str) -> bool {
    schema.get(key) == Some(&Value::Bool(true))
}

fn shortened(text: &str) -> String {
    let mut shortened: String = text.chars().take(LONGEST_PATTERN).collect();
    if shortened.len() < text.len() {
        shortened.push('…');
    }
    shortened
}
