//! A schema as a server sent it, made into a validator.

mod mend;
mod references;

use serde_json::{Map, Value};

use jsonschema::{Draft, PatternOptions, Validator};

/// How many steps a pattern may go back before it counts as not decidable.
const BACKTRACK_LIMIT: usize = 10_000;
/// How large a compiled pattern may be, in bytes.
const PATTERN_BYTES: usize = 1 << 20;

/// A validator for `schema`; `None` when it is no schema that can be compiled. It never follows a
/// reference out of the schema.
pub(super) fn validator(schema: &Value) -> Option<Validator> {
    let Value::Object(map) = schema else { return None };
    let draft = draft(map.get("$schema"));
    let mut schema = schema.clone();
    references::settle(&mut schema);
    adjust(&mut schema);
    mend::mend(&mut schema, draft);
    if let Value::Object(map) = &mut schema {
        // It was looked at; an address that nobody knows would be refused.
        map.shift_remove("$schema");
    }
    let options = jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_validate_formats(false)
        .should_ignore_unknown_formats(true);
    let linear = || PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
    // What only an engine that goes back can match gets one that soon gives up.
    let bounded = || {
        PatternOptions::fancy_regex()
            .backtrack_limit(BACKTRACK_LIMIT)
            .size_limit(PATTERN_BYTES)
            .dfa_size_limit(PATTERN_BYTES)
    };
    let build = |schema: &Value| {
        options
            .clone()
            .with_pattern_options(linear())
            .build(schema)
            .or_else(|_| options.clone().with_pattern_options(bounded()).build(schema))
            .ok()
    };
    if let Some(validator) = build(&schema) {
        return Some(validator);
    }
    // What cannot be read allows anything; the rest is still checked.
    mend::drop_unreadable(&mut schema, &|schema| build(schema).is_some());
    build(&schema)
}

fn draft(address: Option<&Value>) -> Draft {
    let address = address.and_then(Value::as_str).unwrap_or_default();
    let drafts = [
        ("draft-04", Draft::Draft4),
        ("draft-06", Draft::Draft6),
        ("draft-07", Draft::Draft7),
        ("2019-09", Draft::Draft201909),
    ];
    drafts
        .into_iter()
        .find(|(name, _)| address.contains(name))
        .map_or(Draft::Draft202012, |(_, draft)| draft)
}

/// Makes a schema mean what its author meant, as far as a validator goes.
fn adjust(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(adjust),
        Value::Object(map) => {
            allow_null(map);
            if map.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty) {
                map.shift_remove("enum");
            }
            drop_impossible_requirements(map);
            for (keyword, value) in map.iter_mut() {
                if !["const", "default", "enum", "example", "examples"].contains(&keyword.as_str())
                {
                    adjust(value);
                }
            }
        }
        _ => {}
    }
}

/// `nullable` is `OpenAPI`, not JSON Schema.
fn allow_null(map: &mut Map<String, Value>) {
    if map.get("nullable") != Some(&Value::Bool(true)) {
        return;
    }
    match map.get_mut("type") {
        Some(Value::Array(types)) => types.push("null".into()),
        Some(one) => *one = Value::Array(vec![one.take(), "null".into()]),
        None => {}
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        let mut known = Vec::new();
        types.retain(|one| {
            !known.contains(one) && {
                known.push(one.clone());
                true
            }
        });
    }
    if let Some(Value::Array(values)) = map.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

/// A key that is required and forbidden at once would make the tool impossible to call.
fn drop_impossible_requirements(map: &mut Map<String, Value>) {
    if map.get("additionalProperties") != Some(&Value::Bool(false))
        || map.contains_key("patternProperties")
    {
        return;
    }
    let known: Vec<String> = match map.get("properties") {
        Some(Value::Object(properties)) => properties.keys().cloned().collect(),
        Some(_) => return,
        None => Vec::new(),
    };
    if let Some(Value::Array(required)) = map.get_mut("required") {
        required.retain(|name| {
            name.as_str().is_some_and(|name| known.iter().any(|known| known == name))
        });
    }
}
