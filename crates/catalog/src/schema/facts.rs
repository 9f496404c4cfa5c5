//! Everything that is said about one value.
//!
//! A value may be described in several places at once: beside a `$ref` and at its target, in
//! every branch of an `allOf`, in `properties` of several of these. [`Facts`] is all of it
//! together, not yet interpreted. Places that say nothing about the value's type, only what it
//! is for, are not part of the [`Key`], so that `{"$ref": X, "description": …}` is `X`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::choice::Choice;
use super::document::{Document, Target};

/// What the keywords of a schema are about: a bit for each of these. Most schemas have three
/// keywords and there are fifty, so looking at those that are there is a lot quicker than asking
/// for each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Topics(u8);

impl Topics {
    const TYPE: u8 = 1;
    const VALUES: u8 = 2;
    const OBJECT: u8 = 4;
    const ARRAY: u8 = 8;
    const CONDITION: u8 = 16;
    const ANY_OF: u8 = 32;
    const ONE_OF: u8 = 64;
    /// Limits, which imply a type where none is given.
    const LIMIT: u8 = 128;

    fn of(map: &Map<String, Value>) -> Self {
        Self(map.keys().fold(0, |topics, keyword| topics | Self::of_keyword(keyword)))
    }

    fn of_keyword(keyword: &str) -> u8 {
        match keyword {
            "type" | "nullable" => Self::TYPE,
            "const" | "enum" => Self::VALUES,
            "properties"
            | "required"
            | "additionalProperties"
            | "patternProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "minProperties"
            | "maxProperties" => Self::OBJECT,
            "items" | "prefixItems" | "additionalItems" | "minItems" | "maxItems"
            | "uniqueItems" | "contains" => Self::ARRAY,
            "if" | "then" | "else" | "not" | "dependencies" | "dependentRequired"
            | "dependentSchemas" => Self::CONDITION,
            "anyOf" => Self::ANY_OF,
            "oneOf" => Self::ONE_OF,
            "format" | "pattern" | "minLength" | "maxLength" | "contentEncoding"
            | "contentMediaType" | "minimum" | "maximum" | "exclusiveMinimum"
            | "exclusiveMaximum" | "multipleOf" => Self::LIMIT,
            _ => 0,
        }
    }

    fn has(self, topic: u8) -> bool {
        self.0 & topic != 0
    }
}

/// How many pairs of values are compared.
const MOST_COMPARED: usize = 1_000_000;

/// The types of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    /// By its name, or by one of the names that servers wrongly use.
    fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "null" | "none" => Self::Null,
            "boolean" | "bool" => Self::Boolean,
            "integer" | "int" => Self::Integer,
            "number" | "float" | "double" => Self::Number,
            "string" | "str" => Self::String,
            "array" | "list" => Self::Array,
            "object" | "dict" => Self::Object,
            _ => return None,
        })
    }

    /// `value` is of this type.
    pub(super) fn fits(self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Boolean => value.is_boolean(),
            Self::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::Number => value.is_number(),
            Self::String => value.is_string(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

/// A schema that describes the value, as far as it has not been dealt with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) schema: &'a Value,
    /// Which of its choices were made: [`Choice::bit`] of each.
    pub(super) made: u8,
    /// What a reference to it is called.
    pub(super) name: Option<&'a str>,
}

impl<'a> Part<'a> {
    pub(super) fn new(schema: &'a Value) -> Self {
        Self { schema, made: 0, name: None }
    }

    /// It says nothing about the type beyond the choices that were made.
    pub(super) fn says_no_more(&self) -> bool {
        let Value::Object(map) = self.schema else { return false };
        let mut topics = Topics::of(map).0;
        for (bit, topic) in [(Choice::ANY_OF, Topics::ANY_OF), (Choice::ONE_OF, Topics::ONE_OF)] {
            if self.made & bit != 0 {
                topics &= !topic;
            }
        }
        topics == 0
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self.schema).addr()
    }
}

/// Which schemas describe a value; two values with the same key have the same shape.
pub(super) type Key = Vec<(usize, u8)>;

/// All that is said about one value.
#[derive(Clone, Default)]
pub(super) struct Facts<'a> {
    /// The schemas that say something about its type.
    pub(super) parts: Vec<Part<'a>>,
    /// All schemas that speak of it, outermost first, for words and limits.
    pub(super) said: Vec<&'a Map<String, Value>>,
    /// The types it may have; `None` when none was given.
    pub(super) types: Option<Vec<Type>>,
    pub(super) nullable: bool,
    /// The values it may have.
    pub(super) values: Option<Vec<&'a Value>>,
    pub(super) properties: Vec<(&'a str, Vec<&'a Value>)>,
    pub(super) required: Vec<&'a str>,
    /// Keys that only a condition speaks of.
    pub(super) conditional: Vec<(&'a str, &'a Value)>,
    pub(super) further_keys: Vec<&'a Value>,
    pub(super) no_further_keys: bool,
    pub(super) patterns: Vec<&'a Value>,
    pub(super) leading_items: Vec<Vec<&'a Value>>,
    pub(super) items: Vec<&'a Value>,
    pub(super) choices: Vec<Choice<'a>>,
    /// Nothing can fit.
    pub(super) impossible: bool,
    /// What could not be made sense of.
    pub(super) remarks: Vec<String>,
}

impl<'a> Facts<'a> {
    /// Gathers what `parts` say, following references. `budget` is what may still be looked at;
    /// nothing further is when it is used up.
    pub(super) fn gather(document: &Document<'a>, parts: &[Part<'a>], budget: &mut usize) -> Self {
        let mut facts = Self::default();
        let mut known: Vec<usize> = Vec::new();
        let mut met_again = false;
        let mut waiting: Vec<Part<'a>> = parts.iter().rev().copied().collect();
        while let Some(part) = waiting.pop() {
            if known.contains(&part.address()) {
                met_again = true;
                continue;
            }
            // A long chain makes the search above slow, and a long list takes long to go
            // through. Either costs what it takes.
            let cost = 1 + (known.len() + entries(part.schema)) / 4;
            if *budget < cost {
                *budget = 0;
                break;
            }
            *budget -= cost;
            known.push(part.address());
            facts.add(document, part, &mut waiting);
        }
        if met_again && facts.parts.is_empty() {
            facts.remarks.push("the reference leads back to itself and says nothing".to_owned());
        }
        facts
    }

    pub(super) fn key(&self) -> Key {
        let mut key: Key = self.parts.iter().map(|part| (part.address(), part.made)).collect();
        key.sort_unstable();
        key
    }

    /// What the only place that describes its type is called, if it was referred to.
    pub(super) fn name(&self) -> Option<&'a str> {
        if let [only] = self.parts[..] { only.name } else { None }
    }

    /// The first that is said under `key`, outermost first.
    pub(super) fn first(&self, key: &str) -> Option<&'a Value> {
        self.said.iter().find_map(|schema| schema.get(key))
    }

    /// The types that its keywords make sense for, when no type was given.
    pub(super) fn implied_types(&self) -> Vec<Type> {
        if self.parts.iter().all(Part::says_no_more) {
            return Vec::new();
        }
        let of_numbers = ["int32", "int64", "float", "double", "number", "integer"];
        let uses = |keywords: &[&str]| {
            self.said
                .iter()
                .any(|schema| keywords.iter().any(|keyword| schema.contains_key(*keyword)))
        };
        let format = self.first("format").and_then(Value::as_str);
        let mut types = Vec::new();
        if uses(&[
            "properties",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
        ]) || !self.required.is_empty()
        {
            types.push(Type::Object);
        }
        if uses(&[
            "items",
            "prefixItems",
            "additionalItems",
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
        ]) {
            types.push(Type::Array);
        }
        if uses(&["pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"])
            || format.is_some_and(|format| !of_numbers.contains(&format))
        {
            types.push(Type::String);
        }
        if uses(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"])
            || format.is_some_and(|format| of_numbers.contains(&format))
        {
            types.push(Type::Number);
        }
        types
    }

    fn add(&mut self, document: &Document<'a>, part: Part<'a>, waiting: &mut Vec<Part<'a>>) {
        match part.schema {
            Value::Bool(true) => {}
            Value::Bool(false) => self.impossible = true,
            Value::Object(map) => {
                self.said.push(map);
                let topics = Topics::of(map);
                if topics != Topics::default() {
                    self.parts.push(part);
                    self.add_keywords(map, topics, part.made);
                }
                self.follow(document, map, waiting);
            }
            // `"properties": {"limit": "integer"}` is wrong and clear.
            Value::String(name) if Type::named(name).is_some() => {
                self.parts.push(part);
                self.restrict_types(Type::named(name).into_iter().collect());
            }
            other => self.remarks.push(format!("{} is not a schema", kind(other))),
        }
    }

    /// Puts what else describes the value before everything that waits.
    fn follow(
        &mut self,
        document: &Document<'a>,
        map: &'a Map<String, Value>,
        waiting: &mut Vec<Part<'a>>,
    ) {
        match map.get("allOf") {
            Some(Value::Array(all)) => waiting.extend(all.iter().rev().map(Part::new)),
            Some(_) => self.remarks.push("allOf is not a list".to_owned()),
            None => {}
        }
        for keyword in ["$recursiveRef", "$dynamicRef", "$ref"] {
            let Some(reference) = map.get(keyword) else { continue };
            match reference.as_str().and_then(|reference| document.target(reference)) {
                Some(Target { schema, name }) => waiting.push(Part { schema, made: 0, name }),
                None => {
                    self.remarks.push(format!("the reference {} leads nowhere", short(reference)));
                }
            }
        }
    }

    fn add_keywords(&mut self, map: &'a Map<String, Value>, topics: Topics, made: u8) {
        if topics.has(Topics::TYPE) {
            self.add_types(map);
            self.nullable |= map.get("nullable") == Some(&Value::Bool(true));
        }
        if topics.has(Topics::VALUES) {
            self.add_values(map);
        }
        if topics.has(Topics::OBJECT) {
            self.add_object(map);
        }
        if topics.has(Topics::ARRAY) {
            self.add_array(map);
        }
        if topics.has(Topics::CONDITION) {
            self.add_conditions(map);
        }
        for (keyword, topic, bit) in
            [("anyOf", Topics::ANY_OF, Choice::ANY_OF), ("oneOf", Topics::ONE_OF, Choice::ONE_OF)]
        {
            if !topics.has(topic) || made & bit != 0 {
                continue;
            }
            match map.get(keyword) {
                Some(Value::Array(alternatives)) if !alternatives.is_empty() => {
                    let part = self.parts.len() - 1;
                    self.choices.push(Choice { part, bit, alternatives });
                }
                _ => self.remarks.push(format!("{keyword} lists no schemas")),
            }
        }
    }

    fn add_values(&mut self, map: &'a Map<String, Value>) {
        if let Some(value) = map.get("const") {
            self.restrict_values(vec![value]);
        }
        match map.get("enum") {
            Some(Value::Array(values)) if !values.is_empty() => {
                self.restrict_values(values.iter().collect());
            }
            Some(_) => self.remarks.push("enum lists no values".to_owned()),
            None => {}
        }
    }

    fn add_types(&mut self, map: &'a Map<String, Value>) {
        let named: Vec<&Value> = match map.get("type") {
            None => return,
            Some(Value::Array(types)) => types.iter().collect(),
            Some(one) => vec![one],
        };
        let types: Vec<Type> =
            named.iter().filter_map(|name| Type::named(name.as_str()?)).collect();
        match named.iter().find(|name| name.as_str().and_then(Type::named).is_none()) {
            // Whatever it is, it allows more than the types beside it.
            Some(unknown) if unknown.as_str() != Some("any") => {
                self.remarks.push(format!("the type {} is unknown", short(unknown)));
            }
            Some(_) => {}
            None if types.is_empty() => self.remarks.push("type lists no types".to_owned()),
            None => self.restrict_types(types),
        }
    }

    fn restrict_types(&mut self, types: Vec<Type>) {
        let Some(before) = self.types.take() else {
            self.types = Some(types);
            return;
        };
        let both = before
            .iter()
            .flat_map(|one| types.iter().map(|other| (*one, *other)))
            .filter_map(|pair| match pair {
                (one, other) if one == other => Some(one),
                (Type::Integer, Type::Number) | (Type::Number, Type::Integer) => {
                    Some(Type::Integer)
                }
                _ => None,
            });
        let mut remaining: Vec<Type> = Vec::new();
        for one in both {
            if !remaining.contains(&one) {
                remaining.push(one);
            }
        }
        self.impossible |= remaining.is_empty();
        self.types = Some(remaining);
    }

    fn restrict_values(&mut self, values: Vec<&'a Value>) {
        self.values = Some(match self.values.take() {
            None => values,
            // Comparing each with each is worth it only as long as they are few.
            Some(before) if before.len().saturating_mul(values.len()) > MOST_COMPARED => before,
            Some(before) => before.into_iter().filter(|value| values.contains(value)).collect(),
        });
        self.impossible |= self.values.as_ref().is_some_and(Vec::is_empty);
    }

    fn add_object(&mut self, map: &'a Map<String, Value>) {
        match map.get("properties") {
            Some(Value::Object(properties)) => self.add_properties(properties),
            Some(_) => self.remarks.push("properties is not an object".to_owned()),
            None => {}
        }
        match map.get("required") {
            Some(Value::Array(names)) => {
                self.required.extend(names.iter().filter_map(Value::as_str));
            }
            // One name stands for a list of it, also where arguments are checked.
            Some(Value::String(name)) => self.required.extend([name.as_str()]),
            // Draft 3 and many a mistake: the value itself must be there.
            Some(Value::Bool(_)) | None => {}
            Some(_) => self.remarks.push("required is not a list".to_owned()),
        }
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            match map.get(keyword) {
                Some(Value::Bool(false)) => self.no_further_keys = true,
                Some(schema) => self.further_keys.push(schema),
                None => {}
            }
        }
        if let Some(Value::Object(patterns)) = map.get("patternProperties") {
            self.patterns.extend(patterns.values());
        }
    }

    fn add_properties(&mut self, properties: &'a Map<String, Value>) {
        let known: HashMap<&str, usize> = self
            .properties
            .iter()
            .enumerate()
            .map(|(position, (name, _))| (*name, position))
            .collect();
        for (name, schema) in properties {
            match known.get(name.as_str()) {
                Some(position) => self.properties[*position].1.push(schema),
                None => self.properties.push((name, vec![schema])),
            }
        }
    }

    fn add_conditions(&mut self, map: &'a Map<String, Value>) {
        let mut branches: Vec<&'a Value> =
            ["then", "else"].iter().filter_map(|keyword| map.get(*keyword)).collect();
        if map.contains_key("if") {
            self.remarks.push("what fits depends on other values (if, then, else)".to_owned());
        }
        if map.contains_key("not") {
            self.remarks.push("some values do not fit (not)".to_owned());
        }
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let Some(Value::Object(dependents)) = map.get(keyword) else { continue };
            for (key, dependent) in dependents {
                match dependent {
                    Value::Array(names) => {
                        let names: Vec<String> = names.iter().map(Value::to_string).collect();
                        self.remarks.push(format!("with \"{key}\" goes {}", names.join(", ")));
                    }
                    schema => {
                        self.remarks.push(format!("more is expected when \"{key}\" is given"));
                        branches.push(schema);
                    }
                }
            }
        }
        for branch in branches {
            if let Some(Value::Object(properties)) = branch.get("properties") {
                self.conditional
                    .extend(properties.iter().map(|(name, schema)| (name.as_str(), schema)));
            }
        }
    }

    fn add_array(&mut self, map: &'a Map<String, Value>) {
        let (leading, rest) = match (map.get("prefixItems"), map.get("items")) {
            (Some(Value::Array(leading)), rest) => (Some(leading), rest),
            (_, Some(Value::Array(leading))) => (Some(leading), map.get("additionalItems")),
            (_, rest) => (None, rest),
        };
        self.items.extend(rest);
        for (position, schema) in leading.into_iter().flatten().enumerate() {
            match self.leading_items.get_mut(position) {
                Some(schemas) => schemas.push(schema),
                None => self.leading_items.push(vec![schema]),
            }
        }
    }
}

/// How many things a schema lists, its names, values and alternatives together.
fn entries(schema: &Value) -> usize {
    let Value::Object(map) = schema else { return 0 };
    map.values()
        .map(|value| match value {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 1,
        })
        .sum()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A value as JSON, cut when it is long.
pub(super) fn short(value: &Value) -> String {
    let mut text: String = match value {
        Value::String(text) => format!("\"{}\"", text.chars().take(80).collect::<String>()),
        Value::Array(_) | Value::Object(_) => return kind(value).to_owned(),
        scalar => scalar.to_string(),
    };
    text.retain(|character| !character.is_control());
    text
}
