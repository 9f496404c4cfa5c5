//! Values for examples, made of what the schema says.

use std::cell::Cell;

use catalog::schema::{Field, Schema, Shape};
use serde_json::{Map, Value};

/// How long a suggested value may be; longer ones are replaced by a made-up one.
const LONGEST_VALUE: usize = 60;
/// How many levels of objects are filled in.
const DEEPEST: usize = 3;
/// How many values one call is made of.
const MOST_VALUES: usize = 200;

/// Makes up values for one call.
pub(crate) struct Suggestions<'a> {
    schema: &'a Schema,
    /// How many more values are made up. Objects in objects multiply.
    left: Cell<usize>,
}

impl<'a> Suggestions<'a> {
    pub(crate) fn new(schema: &'a Schema) -> Self {
        Self { schema, left: Cell::new(MOST_VALUES) }
    }

    /// A value for `field`: one that the schema names, or one of the right type.
    pub(crate) fn of(&self, field: &Field) -> Value {
        self.field(field, 0)
    }

    fn field(&self, field: &Field, depth: usize) -> Value {
        let default = field.default.iter().filter(|value| !value.is_null());
        let named = field.examples.iter().chain(default);
        let short = |value: &&Value| value.to_string().len() <= LONGEST_VALUE;
        let named = named.into_iter().find(short).cloned();
        named.unwrap_or_else(|| self.made_up(&field.shape, &field.rules, depth))
    }

    fn made_up(&self, shape: &Shape, rules: &[String], depth: usize) -> Value {
        let Some(left) = self.left.get().checked_sub(1) else { return "...".into() };
        self.left.set(left);
        let inner = |shape| self.made_up(shape, &[], depth + 1);
        let deep = depth >= DEEPEST;
        match shape {
            Shape::Any | Shape::String => text(rules).into(),
            Shape::Null => Value::Null,
            Shape::Boolean => Value::Bool(true),
            Shape::Integer | Shape::Number => number(rules),
            Shape::Literal(values) => values.first().cloned().unwrap_or_default(),
            Shape::List(_) | Shape::Tuple { .. } if deep => Value::Array(Vec::new()),
            Shape::Map(_) | Shape::Object(_) if deep => Value::Object(Map::new()),
            Shape::List(item) => Value::Array(vec![inner(item)]),
            Shape::Tuple { items, .. } => items.iter().map(inner).collect(),
            Shape::Map(item) => [("key".to_owned(), inner(item))].into_iter().collect(),
            Shape::Object(index) => self.object(*index, depth),
            Shape::Union(shapes) => shapes.first().map_or(Value::Null, inner),
        }
    }

    fn object(&self, index: usize, depth: usize) -> Value {
        let fields = self.schema.definitions.get(index).map(|object| object.fields.as_slice());
        let required = fields.unwrap_or_default().iter().filter(|field| field.required);
        let entry = |field: &Field| (field.name.clone(), self.field(field, depth + 1));
        required.take_while(|_| self.left.get() > 0).map(entry).collect()
    }
}

/// A text that follows the format, where one is named that servers insist on.
fn text(rules: &[String]) -> &'static str {
    let format = rules.iter().find_map(|rule| rule.strip_prefix("format "));
    match format {
        Some("date-time") => "2026-01-31T09:00:00Z",
        Some("date") => "2026-01-31",
        Some("time") => "09:00:00",
        Some("uri" | "url") => "https://example.com",
        Some("email") => "someone@example.com",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "...",
    }
}

/// The smallest number that is allowed, or one.
fn number(rules: &[String]) -> Value {
    let least = rules.iter().find_map(|rule| rule.strip_prefix("at least ")?.parse::<i64>().ok());
    least.unwrap_or(1).into()
}
