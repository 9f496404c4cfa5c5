//! Makes a schema readable that breaks the rules of its language: each broken part goes by itself.

use jsonschema::Draft;
use serde_json::{Map, Value};

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
const TEXTS: [&str; 5] = ["title", "description", "$comment", "format", "$id"];
const NUMBERS: [&str; 5] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const COUNTS: [&str; 6] =
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
/// Keywords whose members are schemas by name.
const BY_NAME: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords that are schemas, or lists of them.
const SCHEMAS: [&str; 14] = [
    "items",
    "prefixItems",
    "additionalItems",
    "additionalProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "allOf",
    "anyOf",
    "oneOf",
    "unevaluatedProperties",
];

/// Reads older spellings as what they mean, and drops what means nothing.
pub(super) fn mend(schema: &mut Value, draft: Draft) {
    let Value::Object(map) = schema else { return };
    if draft != Draft::Draft4 {
        exclusive(map, "exclusiveMinimum", "minimum");
        exclusive(map, "exclusiveMaximum", "maximum");
    }
    if draft == Draft::Draft202012
        && map.get("items").is_some_and(Value::is_array)
        && let Some(items) = map.shift_remove("items")
    {
        // A tuple, as it was written before.
        map.insert("prefixItems".to_owned(), items);
        if let Some(rest) = map.shift_remove("additionalItems") {
            map.insert("items".to_owned(), rest);
        }
    }
    drop_nonsense(map);
    for (keyword, value) in map.iter_mut() {
        if BY_NAME.contains(&keyword.as_str()) {
            if let Value::Object(named) = value {
                named.values_mut().for_each(|one| mend(one, draft));
            }
        } else if SCHEMAS.contains(&keyword.as_str()) {
            match value {
                Value::Array(all) => all.iter_mut().for_each(|one| mend(one, draft)),
                one => mend(one, draft),
            }
        }
    }
}

/// `"exclusiveMinimum": true` beside `"minimum": 0`.
fn exclusive(map: &mut Map<String, Value>, keyword: &str, bound: &str) {
    let Some(Value::Bool(is_exclusive)) = map.get(keyword) else { return };
    if *is_exclusive && let Some(number) = map.shift_remove(bound) {
        map.insert(keyword.to_owned(), number);
    } else {
        map.shift_remove(keyword);
    }
}

fn drop_nonsense(map: &mut Map<String, Value>) {
    if let Some(required) = map.get_mut("required") {
        *required = names(required.take());
    }
    // Nothing here is looked up by these, and addresses that are none would be refused.
    map.shift_remove("$id");
    map.shift_remove("id");
    let is_type = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    map.retain(|keyword, value| match keyword.as_str() {
        "required" => value.as_array().is_some_and(|names| !names.is_empty()),
        "$anchor" | "$dynamicAnchor" => false,
        "additionalProperties"
        | "unevaluatedProperties"
        | "items"
        | "additionalItems"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames" => is_schema(value) || value.is_array(),
        "dependencies" | "dependentRequired" | "dependentSchemas" => {
            let fits = |one: &Value| is_schema(one) || one.is_array();
            value.as_object().is_some_and(|all| all.values().all(fits))
        }
        "type" => match &*value {
            Value::Array(types) => !types.is_empty() && types.iter().all(is_type),
            one => is_type(one),
        },
        "enum" => value.is_array(),
        "properties" | "patternProperties" | "$defs" | "definitions" => {
            if let Value::Object(named) = value {
                named.retain(|_, one| is_schema(one));
            }
            value.is_object()
        }
        "allOf" | "anyOf" | "oneOf" => value.as_array().is_some_and(|all| !all.is_empty()),
        "pattern" | "$ref" => value.is_string(),
        "uniqueItems" => value.is_boolean(),
        keyword if TEXTS.contains(&keyword) => value.is_string(),
        keyword if NUMBERS.contains(&keyword) => value.is_number(),
        keyword if COUNTS.contains(&keyword) => value.is_u64(),
        _ => true,
    });
}

/// The names in a list, each once; one name is a list of one.
fn names(value: Value) -> Value {
    let all = match value {
        Value::Array(all) => all,
        Value::String(one) => vec![Value::String(one)],
        _ => Vec::new(),
    };
    let mut names: Vec<Value> = Vec::new();
    for name in all.into_iter().filter(Value::is_string) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Value::Array(names)
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// Lets every part that cannot be read allow anything: first single keywords, then whole properties.
pub(super) fn drop_unreadable(schema: &mut Value, builds: &dyn Fn(&Value) -> bool) {
    let whole = schema.clone();
    drop_keywords(schema, &whole, builds);
    if builds(schema) {
        return;
    }
    let shared: Map<String, Value> = ["$defs", "definitions"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), schema.get(name)?.clone())))
        .collect();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for property in properties.values_mut() {
        let mut alone = shared.clone();
        alone.insert("allOf".to_owned(), Value::Array(vec![property.clone()]));
        if !builds(&Value::Object(alone)) {
            *property = Value::Bool(true);
        }
    }
    if builds(schema) {
        return;
    }
    // What the parameters are, and no more.
    let Value::Object(map) = schema else { return };
    map.retain(|keyword, _| {
        ["type", "properties", "required", "$defs", "definitions"].contains(&keyword.as_str())
    });
}

/// Patterns that no engine reads, and references to what is not there.
fn drop_keywords(schema: &mut Value, whole: &Value, builds: &dyn Fn(&Value) -> bool) {
    match schema {
        Value::Array(all) => all.iter_mut().for_each(|one| drop_keywords(one, whole, builds)),
        Value::Object(map) => {
            let leads = |reference: &str| {
                reference
                    .strip_prefix('#')
                    .is_some_and(|pointer| pointer.is_empty() || whole.pointer(pointer).is_some())
            };
            if map.get("$ref").and_then(Value::as_str).is_some_and(|reference| !leads(reference)) {
                map.shift_remove("$ref");
            }
            let reads = |pattern: &str| builds(&serde_json::json!({ "pattern": pattern }));
            if map.get("pattern").and_then(Value::as_str).is_some_and(|one| !reads(one)) {
                map.shift_remove("pattern");
            }
            if let Some(Value::Object(patterns)) = map.get_mut("patternProperties") {
                patterns.retain(|pattern, _| reads(pattern));
            }
            for (keyword, value) in map.iter_mut() {
                if !["const", "default", "enum", "example", "examples"].contains(&keyword.as_str())
                {
                    drop_keywords(value, whole, builds);
                }
            }
        }
        _ => {}
    }
}
