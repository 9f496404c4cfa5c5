//! Schemas of a document as JSON Schema 2020-12.
//!
//! References are not expanded, since schemas refer to themselves and to each other: each schema
//! that is referred to becomes one definition, converted once, and a tool carries the definitions
//! it needs as `$defs`. Two bounds keep a hostile or merely huge document from filling memory:
//!
//! * an [`Allowance`] for everything that is converted, however often it is repeated;
//! * a size for the definitions of one tool. The nearest are carried, those beyond the size
//!   become schemas that accept anything and say so.

use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value, json};

use super::document::{Dialect, Document, reference, shortened};
use super::names::Names;

/// Levels of a schema that are read; those below accept anything.
const MOST_LEVELS: usize = 64;

/// Bytes of an example that is kept. Larger ones cost more tokens than they are worth.
const MOST_EXAMPLE_BYTES: usize = 512;

/// Bytes of a description inside a schema.
pub(super) const MOST_DESCRIPTION_BYTES: usize = 4096;

/// What one schema costs besides its texts.
const SCHEMA_COST: usize = 64;

/// What stands in for a definition that is not carried.
const LEFT_OUT: &str = "Anything; its definition is left out for its size.";

/// How much may still be made out of a document.
#[derive(Debug)]
pub(super) struct Allowance(Cell<usize>);

impl Allowance {
    pub(super) fn new(bytes: usize) -> Self {
        Self(Cell::new(bytes))
    }

    /// Takes a share, if that much is left.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let left = self.0.get().checked_sub(bytes);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Which way values go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the service: what is read-only is not sent.
    Input,
    /// From the service: what is write-only does not come.
    Output,
}

/// A converted schema and the definitions it refers to directly.
#[derive(Debug, Default)]
pub(super) struct Converted {
    pub(super) schema: Value,
    pub(super) uses: Vec<usize>,
}

/// The schemas of one document that go one way.
pub(super) struct Schemas<'d> {
    document: &'d Document,
    direction: Direction,
    allowance: &'d Allowance,
    definitions: Vec<Definition<'d>>,
    by_reference: HashMap<String, usize>,
    names: Names,
    /// Definitions before this one are converted.
    settled: usize,
}

struct Definition<'d> {
    name: String,
    source: &'d Value,
    schema: Value,
    uses: Vec<usize>,
    bytes: usize,
}

impl<'d> Schemas<'d> {
    pub(super) fn new(
        document: &'d Document,
        direction: Direction,
        allowance: &'d Allowance,
    ) -> Self {
        Self {
            document,
            direction,
            allowance,
            definitions: Vec::new(),
            by_reference: HashMap::new(),
            names: Names::default(),
            settled: 0,
        }
    }

    /// Converts a schema, and every definition it leads to.
    pub(super) fn convert(&mut self, schema: &'d Value) -> Converted {
        let mut uses = Vec::new();
        let schema = self.node(schema, &mut uses, 0);
        // A queue rather than recursion: definitions can form a chain as long as the document.
        while self.settled < self.definitions.len() {
            let mut inner = Vec::new();
            let source = self.definitions[self.settled].source;
            let converted = self.node(source, &mut inner, 0);
            let definition = &mut self.definitions[self.settled];
            definition.bytes = definition.name.len() + size(&converted);
            definition.schema = converted;
            definition.uses = inner;
            self.settled += 1;
        }
        Converted { schema, uses }
    }

    /// Bytes of the definitions that [`Schemas::closed`] would add.
    pub(super) fn closure_bytes(&self, uses: &[usize], most: usize) -> usize {
        let mut bytes = 0;
        self.visit(uses, most, |definition, is_carried| {
            bytes +=
                if is_carried { definition.bytes } else { definition.name.len() + LEFT_OUT.len() };
        });
        bytes
    }

    /// A schema that stands on its own: with its definitions, the nearest first, as far as
    /// they fit.
    pub(super) fn closed(&self, converted: Converted, most: usize) -> Value {
        let Converted { mut schema, uses } = converted;
        let mut definitions = Map::new();
        self.visit(&uses, most, |definition, is_carried| {
            let schema = if is_carried {
                definition.schema.clone()
            } else {
                json!({ "description": LEFT_OUT })
            };
            definitions.insert(definition.name.clone(), schema);
        });
        if let Some(object) = schema.as_object_mut().filter(|_| !definitions.is_empty()) {
            object.insert("$defs".to_owned(), Value::Object(definitions));
        }
        schema
    }

    fn visit(&self, uses: &[usize], most: usize, mut seen_one: impl FnMut(&Definition<'d>, bool)) {
        let mut left = most;
        let mut seen: HashSet<usize> = HashSet::new();
        let mut queue: VecDeque<usize> =
            uses.iter().copied().filter(|&at| seen.insert(at)).collect();
        while let Some(at) = queue.pop_front() {
            let definition = &self.definitions[at];
            let is_carried = definition.bytes <= left;
            if is_carried {
                left -= definition.bytes;
                queue.extend(definition.uses.iter().copied().filter(|&at| seen.insert(at)));
            }
            seen_one(definition, is_carried);
        }
    }

    fn node(&mut self, schema: &'d Value, uses: &mut Vec<usize>, level: usize) -> Value {
        let source = match schema {
            Value::Object(source) => source,
            Value::Bool(_) => return schema.clone(),
            _ => return json!({}),
        };
        if level > MOST_LEVELS || !self.allowance.take(SCHEMA_COST) {
            return json!({ "description": LEFT_OUT });
        }
        let has_reference = reference(schema).is_some();
        let mut out = Map::new();
        for (key, value) in source {
            // Next to a reference the older dialect allows nothing; these two are so common
            // there, and so clear, that they are heeded anyway.
            let is_heeded = !has_reference
                || self.document.dialect() == Dialect::V31
                || matches!(key.as_str(), "$ref" | "description" | "nullable");
            if is_heeded {
                self.keyword(key, value, &mut out, uses, level);
            }
        }
        self.without_hidden(source, &mut out);
        with_exclusive_limits(source, &mut out);
        with_null(source, out)
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &'d Value,
        out: &mut Map<String, Value>,
        uses: &mut Vec<usize>,
        level: usize,
    ) {
        let converted = match key {
            "$ref" => return self.reference(value, out, uses),
            "description" => return describe(out, value, self.allowance),
            "example" => return add_examples(out, std::iter::once(value), self.allowance),
            "examples" => {
                return add_examples(out, value.as_array().into_iter().flatten(), self.allowance);
            }
            "format" if value == "byte" => {
                out.insert("contentEncoding".to_owned(), json!("base64"));
                return;
            }
            // An early way to write a tuple.
            "items" if value.is_array() => {
                let items = self.list(value, uses, level);
                out.insert("prefixItems".to_owned(), items);
                return;
            }
            "items"
            | "contains"
            | "additionalProperties"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else"
            | "unevaluatedItems"
            | "unevaluatedProperties" => self.node(value, uses, level + 1),
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => match value.as_array() {
                Some(list) if !list.is_empty() => self.list(value, uses, level),
                _ => return,
            },
            "properties" | "patternProperties" | "dependentSchemas" => match value.as_object() {
                Some(map) => self.map(map, uses, level),
                None => return,
            },
            _ if is_copied(key, value) && self.allowance.take(size(value)) => value.clone(),
            _ => return,
        };
        out.insert(key.to_owned(), converted);
    }

    fn list(&mut self, value: &'d Value, uses: &mut Vec<usize>, level: usize) -> Value {
        let items = value.as_array().into_iter().flatten();
        items.map(|item| self.node(item, uses, level + 1)).collect()
    }

    fn map(&mut self, map: &'d Map<String, Value>, uses: &mut Vec<usize>, level: usize) -> Value {
        let mut out = Map::new();
        for (name, schema) in map {
            if !self.is_hidden(schema) {
                self.allowance.take(name.len());
                out.insert(name.clone(), self.node(schema, uses, level + 1));
            }
        }
        Value::Object(out)
    }

    fn reference(&mut self, value: &'d Value, out: &mut Map<String, Value>, uses: &mut Vec<usize>) {
        let Some(name) = value.as_str() else { return };
        match self.document.schema_at(name) {
            Ok((target, source)) => {
                let at = self.definition(target, source);
                uses.push(at);
                out.insert(
                    "$ref".to_owned(),
                    json!(format!("#/$defs/{}", self.definitions[at].name)),
                );
            }
            Err(problem) => add_note(out, &format!("Anything: the schema {problem}.")),
        }
    }

    fn definition(&mut self, target: &str, source: &'d Value) -> usize {
        if let Some(&at) = self.by_reference.get(target) {
            return at;
        }
        let at = self.definitions.len();
        let name = self.names.claim(&definition_name(target));
        self.definitions.push(Definition {
            name,
            source,
            schema: Value::Null,
            uses: Vec::new(),
            bytes: 0,
        });
        self.by_reference.insert(target.to_owned(), at);
        at
    }

    /// Properties that do not go this way need not be there.
    fn without_hidden(&self, source: &'d Map<String, Value>, out: &mut Map<String, Value>) {
        let properties = source.get("properties").and_then(Value::as_object);
        let Some(required) = out.get_mut("required").and_then(Value::as_array_mut) else { return };
        required.retain(|name| {
            let property = name.as_str().and_then(|name| properties?.get(name));
            !property.is_some_and(|property| self.is_hidden(property))
        });
    }

    /// Whether a property does not go this way.
    pub(super) fn is_hidden(&self, property: &'d Value) -> bool {
        let key = match self.direction {
            Direction::Input => "readOnly",
            Direction::Output => "writeOnly",
        };
        let is_marked = |schema: &Value| schema.get(key) == Some(&Value::Bool(true));
        is_marked(property)
            || reference(property)
                .and_then(|name| self.document.schema_at(name).ok())
                .is_some_and(|(_, target)| is_marked(target))
    }
}

/// Bytes of a value as JSON.
fn size(value: &Value) -> usize {
    // Counted without writing, since writing is most of the cost of converting.
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 3,
        Value::Array(items) => 2 + items.iter().map(size).sum::<usize>(),
        Value::Object(map) => {
            2 + map.iter().map(|(key, value)| key.len() + 4 + size(value)).sum::<usize>()
        }
    }
}

/// Keywords that mean the same on both sides, if their value is of the right kind at all.
fn is_copied(key: &str, value: &Value) -> bool {
    match key {
        "type" => value.is_string() || value.is_array(),
        "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
        "required" => value.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
        "const" | "default" => true,
        "title" | "format" | "pattern" | "contentEncoding" | "contentMediaType" => {
            value.is_string()
        }
        "deprecated" | "uniqueItems" => value.is_boolean(),
        "dependentRequired" => value.is_object(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
        | "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
        | "maxProperties" | "minContains" | "maxContains" => value.is_number(),
        _ => false,
    }
}

/// `minimum: 3, exclusiveMinimum: true` as `exclusiveMinimum: 3`.
fn with_exclusive_limits(source: &Map<String, Value>, out: &mut Map<String, Value>) {
    for (inclusive, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")]
    {
        if source.get(exclusive) == Some(&Value::Bool(true))
            && let Some(limit) = out.shift_remove(inclusive)
        {
            out.insert(exclusive.to_owned(), limit);
        }
    }
}

/// `nullable: true` as a type, a value or an alternative, whatever the schema is made of.
fn with_null(source: &Map<String, Value>, mut out: Map<String, Value>) -> Value {
    if source.get("nullable") != Some(&Value::Bool(true)) {
        return Value::Object(out);
    }
    if let Some(Value::Array(values)) = out.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    match out.get_mut("type") {
        Some(Value::Array(types)) if !types.contains(&json!("null")) => types.push(json!("null")),
        Some(Value::Array(_)) => {}
        Some(kind) => *kind = json!([kind.take(), "null"]),
        None => {
            let is_narrower = ["$ref", "allOf", "anyOf", "oneOf", "const", "not"];
            if is_narrower.iter().any(|key| out.contains_key(*key)) {
                let mut outer = Map::new();
                for key in ["title", "description", "default", "examples", "deprecated"] {
                    outer.extend(out.shift_remove(key).map(|value| (key.to_owned(), value)));
                }
                outer.insert("anyOf".to_owned(), json!([out, { "type": "null" }]));
                return Value::Object(outer);
            }
        }
    }
    Value::Object(out)
}

fn describe(out: &mut Map<String, Value>, value: &Value, allowance: &Allowance) {
    let Some(text) = value.as_str().map(str::trim).filter(|text| !text.is_empty()) else { return };
    let text = shortened(text, MOST_DESCRIPTION_BYTES);
    if allowance.take(text.len()) {
        match out.get_mut("description") {
            // A note that came first, from a reference.
            Some(Value::String(note)) => *note = format!("{text} ({note})"),
            _ => drop(out.insert("description".to_owned(), Value::String(text))),
        }
    }
}

fn add_note(out: &mut Map<String, Value>, note: &str) {
    let text = match out.get("description").and_then(Value::as_str) {
        Some(description) => format!("{description} ({note})"),
        None => note.to_owned(),
    };
    out.insert("description".to_owned(), Value::String(text));
}

/// Adds examples that are short enough, at most three in all.
pub(super) fn add_examples<'v>(
    out: &mut Map<String, Value>,
    examples: impl Iterator<Item = &'v Value>,
    allowance: &Allowance,
) {
    // Where a reference stands for an example, nobody who reads the schema could follow it.
    let fitting = examples
        .filter(|example| size(example) <= MOST_EXAMPLE_BYTES && reference(example).is_none());
    let mut all: Vec<Value> =
        out.get("examples").and_then(Value::as_array).cloned().unwrap_or_default();
    for example in fitting {
        if all.len() < 3 && !all.contains(example) && allowance.take(size(example)) {
            all.push(example.clone());
        }
    }
    if !all.is_empty() {
        out.insert("examples".to_owned(), Value::Array(all));
    }
}

/// `#/components/schemas/Pet/properties/tag` as `Pet_tag`. Only letters that need no escaping
/// in a reference remain.
fn definition_name(target: &str) -> String {
    let pointer =
        percent_encoding::percent_decode_str(target).decode_utf8_lossy().replace("~1", "/");
    let path = pointer.strip_prefix("#/components/schemas/").map_or_else(
        || pointer.rsplit('/').next().unwrap_or_default().to_owned(),
        |path| path.replace("/properties/", "_"),
    );
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name: String = path.chars().take(100).map(|c| if fits(c) { c } else { '_' }).collect();
    if name.is_empty() { "schema".to_owned() } else { name }
}

#[cfg(test)]
#[path = "schema/tests.rs"]
mod tests;
