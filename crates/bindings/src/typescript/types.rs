//! Shapes as TypeScript types, and objects as interfaces.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use catalog::schema::{Field, Object, Schema, Shape};
use serde_json::Value;

use super::literal;
use crate::{text, words};

/// How deep a type may nest before the rest of it is left open.
const DEEPEST: usize = 24;
/// How much is kept of what a field or an object means, in characters.
const LONGEST_MEANING: usize = 800;

/// Writes the types of one schema.
#[derive(Clone, Copy)]
pub(crate) struct Types<'a> {
    /// What the schema's objects are called.
    pub names: &'a [String],
    /// The type of what nobody described. `unknown` takes everything a caller has; `any`
    /// lets a reader look inside.
    pub open: &'static str,
}

impl Types<'_> {
    /// The type for `shape`.
    pub(crate) fn of(self, shape: &Shape) -> String {
        let mut out = String::new();
        self.write(shape, 0, &mut out);
        out
    }

    fn write(self, shape: &Shape, depth: usize, out: &mut String) {
        if depth > DEEPEST {
            return out.push_str(self.open);
        }
        match shape {
            Shape::Any => out.push_str(self.open),
            Shape::Null => out.push_str("null"),
            Shape::Boolean => out.push_str("boolean"),
            Shape::Integer | Shape::Number => out.push_str("number"),
            Shape::String => out.push_str("string"),
            Shape::Literal(values) => out.push_str(&one_of(values)),
            Shape::List(item) => {
                let simple = !matches!(**item, Shape::Union(_) | Shape::Literal(_));
                out.push_str(if simple { "" } else { "(" });
                self.write(item, depth + 1, out);
                out.push_str(if simple { "[]" } else { ")[]" });
            }
            Shape::Tuple { items, rest } => self.write_tuple(items, rest.as_deref(), depth, out),
            Shape::Map(item) => {
                out.push_str("Record<string, ");
                self.write(item, depth + 1, out);
                out.push('>');
            }
            Shape::Object(index) => {
                out.push_str(self.names.get(*index).map_or(self.open, String::as_str));
            }
            Shape::Union(shapes) => {
                for (index, shape) in shapes.iter().enumerate() {
                    out.push_str(if index > 0 { " | " } else { "" });
                    self.write(shape, depth + 1, out);
                }
            }
        }
    }

    fn write_tuple(self, items: &[Shape], rest: Option<&Shape>, depth: usize, out: &mut String) {
        out.push('[');
        for (index, item) in items.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            self.write(item, depth + 1, out);
        }
        if let Some(rest) = rest {
            out.push_str(if items.is_empty() { "...(" } else { ", ...(" });
            self.write(rest, depth + 1, out);
            out.push_str(")[]");
        }
        out.push(']');
    }

    /// The interfaces for `order`, which lists objects of `schema`.
    pub(crate) fn interfaces(self, schema: &Schema, order: &[usize]) -> String {
        let mut out = String::new();
        for &index in order {
            let (Some(object), Some(name)) = (schema.definitions.get(index), self.names.get(index))
            else {
                continue;
            };
            self.interface(name, object, &mut out);
        }
        out
    }

    fn interface(self, name: &str, object: &Object, out: &mut String) {
        let described = object.description.as_deref().unwrap_or_default();
        document(&text::paragraph(described, LONGEST_MEANING), "", out);
        let _ = writeln!(out, "export interface {name} {{");
        for field in &object.fields {
            self.property(field, out);
        }
        if object.extra.is_some() {
            // A narrower type would have to suit every property above as well.
            let _ = writeln!(out, "  [key: string]: {};", self.open);
        }
        out.push_str("}\n\n");
    }

    fn property(self, field: &Field, out: &mut String) {
        document(&words::meaning(field, LONGEST_MEANING, literal::value), "  ", out);
        let mark = if field.required { "" } else { "?" };
        let _ = writeln!(out, "  {}{mark}: {};", literal::key(&field.name), self.of(&field.shape));
    }
}

/// The type of exactly these values, or of all such values when they are too many.
fn one_of(values: &[Value]) -> String {
    if values.len() <= words::MOST_LITERALS {
        let values: Vec<String> = values.iter().map(literal::value).collect();
        return values.join(" | ");
    }
    let kinds: BTreeSet<&str> = values
        .iter()
        .map(|value| match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            _ => "string",
        })
        .collect();
    kinds.into_iter().collect::<Vec<_>>().join(" | ")
}

/// A comment, if there is something to say.
fn document(text: &str, indent: &str, out: &mut String) {
    if !text.is_empty() {
        out.push_str(&literal::comment(text, indent));
    }
}
