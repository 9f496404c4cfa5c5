//! The properties of a body, where they can stand among a tool's arguments.
//!
//! `create_pet(name="Rex", tag="dog")` reads better than `create_pet(body={"name": …})`, so a
//! body that is a plain object is taken apart. Anything less plain stays whole.

use serde_json::{Map, Value};

use super::document::Document;
use super::schema::Schemas;

/// Properties that are taken apart; more are easier to handle as one object.
const MOST: usize = 500;

/// Levels of `allOf` that are looked through.
const MOST_LEVELS: usize = 8;

/// Keywords that constrain an object in ways a flat list of arguments cannot keep.
const NOT_PLAIN: [&str; 13] = [
    "anyOf",
    "const",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "if",
    "not",
    "oneOf",
    "patternProperties",
    "propertyNames",
    "then",
    "unevaluatedProperties",
];

/// The properties of a plain object.
#[derive(Debug, Default)]
pub(super) struct Fields<'d> {
    /// By name, in the document's order.
    pub(super) properties: Vec<(&'d str, &'d Value)>,
    /// Those that must be there.
    pub(super) required: Vec<&'d str>,
    /// What further properties may hold, if the document says that there may be any.
    pub(super) further: Option<&'d Value>,
}

/// Takes an object's schema apart, if it is plain enough.
pub(super) fn of<'d>(
    document: &'d Document,
    schemas: &Schemas<'d>,
    schema: &'d Value,
) -> Option<Fields<'d>> {
    let mut fields = Fields::default();
    gather(document, schema, &mut fields, 0)?;
    let is_sent = |name: &str, properties: &[(&str, &Value)]| {
        properties.iter().any(|(known, _)| *known == name)
    };
    fields.properties.retain(|(_, property)| !schemas.is_hidden(property));
    let Fields { properties, required, .. } = &mut fields;
    required.retain(|name| is_sent(name, properties));
    let is_usable = !fields.properties.is_empty() && fields.properties.len() <= MOST;
    is_usable.then_some(fields)
}

fn gather<'d>(
    document: &'d Document,
    schema: &'d Value,
    fields: &mut Fields<'d>,
    level: usize,
) -> Option<()> {
    let schema = document.resolve(schema).ok()?.as_object()?;
    if level > MOST_LEVELS || !is_plain(schema) {
        return None;
    }
    for (name, property) in
        schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        if fields.properties.len() > MOST
            || fields.properties.iter().any(|(known, _)| known == name)
        {
            return None;
        }
        fields.properties.push((name, property));
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    fields.required.extend(required.filter_map(Value::as_str));
    match schema.get("additionalProperties") {
        None | Some(Value::Bool(false)) => {}
        Some(further) => fields.further = Some(further),
    }
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        gather(document, part, fields, level + 1)?;
    }
    Some(())
}

fn is_plain(schema: &Map<String, Value>) -> bool {
    let is_object = match schema.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.len() == 1 && kinds[0] == "object",
        Some(_) => false,
        None => {
            schema.contains_key("properties")
                || schema.contains_key("allOf")
                || schema.contains_key("required")
        }
    };
    is_object
        && schema.get("nullable") != Some(&Value::Bool(true))
        && !NOT_PLAIN.iter().any(|keyword| schema.contains_key(*keyword))
}
