//! Shapes as Python annotations, and objects as `TypedDict` classes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use catalog::schema::{Field, Object, Schema, Shape};
use serde_json::Value;

use super::literal;
use crate::{text, words};

/// How deep an annotation may nest before the rest of it is `Any`.
const DEEPEST: usize = 24;
/// Longest comment beside a field, in characters.
const LONGEST_COMMENT: usize = 300;
/// Where a line with a comment is broken.
const LINE: usize = 100;

/// Writes the types of one module and remembers what they need imported.
pub(crate) struct Types<'a> {
    names: &'a [String],
    /// The objects that have no class yet at this point of the file.
    later: Vec<bool>,
    /// An object that may have further keys says so to a type checker, not only to a reader.
    open: bool,
    /// What was only seen so far may be anything the next time.
    tentative: bool,
    /// Names to import from `typing`.
    pub typing: BTreeSet<&'static str>,
}

impl<'a> Types<'a> {
    /// `names` are those of the objects in one schema.
    pub(crate) fn new(names: &'a [String]) -> Self {
        Self {
            names,
            later: vec![true; names.len()],
            open: false,
            tentative: false,
            typing: BTreeSet::new(),
        }
    }

    /// The same for a file that only a type checker reads.
    pub(crate) fn for_checker(names: &'a [String]) -> Self {
        Self { open: true, ..Self::new(names) }
    }

    /// The same for a type that was learned: where its fields are, and nothing that is certain.
    pub(crate) fn tentative(names: &'a [String]) -> Self {
        Self { tentative: true, ..Self::for_checker(names) }
    }

    /// The annotation for `shape`, in quotes if it mentions a class that comes later.
    pub(crate) fn annotation(&mut self, shape: &Shape) -> String {
        let mut out = String::new();
        self.write(shape, 0, &mut out);
        out
    }

    fn quoted(&mut self, shape: &Shape) -> String {
        let annotation = self.annotation(shape);
        let mut mentioned = Vec::new();
        crate::type_names::references(shape, &mut mentioned);
        let early =
            mentioned.iter().any(|&index| self.later.get(index).is_some_and(|later| *later));
        if early { literal::string(&annotation) } else { annotation }
    }

    fn write(&mut self, shape: &Shape, depth: usize, out: &mut String) {
        if depth > DEEPEST {
            return out.push_str(self.typing("Any"));
        }
        if self.tentative {
            return self.write_tentative(shape, depth, out);
        }
        match shape {
            Shape::Any => out.push_str(self.typing("Any")),
            Shape::Null => out.push_str("None"),
            Shape::Boolean => out.push_str("bool"),
            Shape::Integer => out.push_str("int"),
            Shape::Number => out.push_str("float"),
            Shape::String => out.push_str("str"),
            Shape::Literal(values) => self.write_literal(values, out),
            Shape::List(item) => self.write_of("list[", item, depth, out),
            Shape::Map(item) => self.write_of("dict[str, ", item, depth, out),
            Shape::Tuple { items, rest } => self.write_tuple(items, rest.as_deref(), depth, out),
            Shape::Object(index) => {
                let names = self.names;
                match names.get(*index) {
                    Some(name) => out.push_str(name),
                    None => out.push_str(self.typing("Any")),
                }
            }
            Shape::Union(shapes) => {
                for (index, shape) in shapes.iter().enumerate() {
                    if index > 0 {
                        out.push_str(" | ");
                    }
                    self.write(shape, depth + 1, out);
                }
            }
        }
    }

    /// The structure alone, and always "or anything else".
    fn write_tentative(&mut self, shape: &Shape, depth: usize, out: &mut String) {
        match shape {
            Shape::List(item) => self.write_of("list[", item, depth, out),
            Shape::Map(item) => self.write_of("dict[str, ", item, depth, out),
            Shape::Object(index) if self.names.get(*index).is_some() => {
                out.push_str(&self.names[*index]);
            }
            Shape::Union(shapes) => {
                for shape in shapes {
                    self.write_tentative(shape, depth + 1, out);
                    out.push_str(" | ");
                }
                return out.push_str(self.typing("Any"));
            }
            _ => return out.push_str(self.typing("Any")),
        }
        out.push_str(" | ");
        out.push_str(self.typing("Any"));
    }

    fn write_of(&mut self, opening: &str, item: &Shape, depth: usize, out: &mut String) {
        out.push_str(opening);
        self.write(item, depth + 1, out);
        out.push(']');
    }

    fn write_tuple(
        &mut self,
        items: &[Shape],
        rest: Option<&Shape>,
        depth: usize,
        out: &mut String,
    ) {
        out.push_str("tuple[");
        for (index, item) in items.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            self.write(item, depth + 1, out);
        }
        match rest {
            None if items.is_empty() => out.push_str("()"),
            None => {}
            Some(rest) if items.is_empty() => {
                self.write(rest, depth + 1, out);
                out.push_str(", ...");
            }
            Some(rest) => {
                out.push_str(", *tuple[");
                self.write(rest, depth + 1, out);
                out.push_str(", ...]");
            }
        }
        out.push(']');
    }

    /// `Literal` takes strings, whole numbers, booleans and `None`; other values are only
    /// their type.
    fn write_literal(&mut self, values: &[Value], out: &mut String) {
        let exact = |value: &Value| match value {
            Value::Number(number) => number.is_i64() || number.is_u64(),
            Value::Array(_) | Value::Object(_) => false,
            _ => true,
        };
        let listed = values.len() <= words::MOST_LITERALS;
        let (exact, rough): (Vec<&Value>, Vec<&Value>) =
            values.iter().partition(|value| listed && exact(value));
        let mut parts = BTreeSet::new();
        for value in rough {
            parts.insert(match value {
                Value::Null => "None",
                Value::Bool(_) => "bool",
                Value::Number(number) if number.is_f64() => "float",
                Value::Number(_) => "int",
                Value::String(_) => "str",
                Value::Array(_) | Value::Object(_) => self.typing("Any"),
            });
        }
        let mut parts: Vec<String> = parts.into_iter().map(str::to_owned).collect();
        if !exact.is_empty() {
            let values: Vec<String> = exact.into_iter().map(literal::value).collect();
            parts.insert(0, format!("{}[{}]", self.typing("Literal"), values.join(", ")));
        }
        if parts.is_empty() {
            parts.push(self.typing("Any").to_owned());
        }
        out.push_str(&parts.join(" | "));
    }

    fn typing(&mut self, name: &'static str) -> &'static str {
        self.typing.insert(name);
        name
    }

    /// The classes for `order`, which lists objects of `schema`.
    pub(crate) fn classes(&mut self, schema: &Schema, order: &[usize]) -> String {
        let mut out = String::new();
        for &index in order {
            let Some(object) = schema.definitions.get(index) else { continue };
            self.class(index, object, &mut out);
            self.later[index] = false;
        }
        out
    }

    fn class(&mut self, index: usize, object: &Object, out: &mut String) {
        let name = self.names[index].clone();
        self.typing("TypedDict");
        let further = object
            .extra
            .as_ref()
            .map(|extra| format!("    # Any other key holds {}.\n", self.annotation(extra)));
        // Any other key that may hold anything is what a schema allows that says nothing of other keys.
        let says = object.extra.as_ref().filter(|extra| **extra != Shape::Any);
        let more = match (self.open && !self.tentative, says, object.closed) {
            (true, Some(_), _) => format!(", extra_items={}", self.typing("Any")),
            (true, None, true) => ", closed=True".to_owned(),
            _ => String::new(),
        };
        if object.fields.iter().all(|field| literal::is_field_name(&field.name)) {
            let _ = write!(out, "class {name}(TypedDict{more}):\n{}", described(object));
            for field in &object.fields {
                let annotation = self.field(field);
                commented(field, &format!("    {}: {annotation}", field.name), "", out);
            }
            out.push_str(further.as_deref().unwrap_or_default());
            if object.fields.is_empty() {
                out.push_str("    pass\n");
            }
        } else {
            let _ = writeln!(out, "{name} = TypedDict(\"{name}\", {{");
            for field in &object.fields {
                let annotation = self.field(field);
                let key = literal::string(&field.name);
                commented(field, &format!("    {key}: {annotation}"), ",", out);
            }
            out.push_str(further.as_deref().unwrap_or_default());
            let _ = writeln!(out, "}}{more})");
        }
        out.push_str("\n\n");
    }

    fn field(&mut self, field: &Field) -> String {
        let annotation = self.quoted(&field.shape);
        if field.required {
            return annotation;
        }
        format!("{}[{annotation}]", self.typing("NotRequired"))
    }
}

/// An object's docstring, if there is something to say.
fn described(object: &Object) -> String {
    let description = object.description.as_deref().unwrap_or_default();
    let description = text::paragraph(description, 500);
    if description.is_empty() {
        return String::new();
    }
    format!("    {}\n\n", literal::docstring(&description, "    "))
}

/// A field's line with what it means beside or above it.
fn commented(field: &Field, line: &str, end: &str, out: &mut String) {
    let comment = words::meaning(field, LONGEST_COMMENT, literal::value);
    let comment = comment.replace('\n', " ");
    let _ = if comment.is_empty() {
        writeln!(out, "{line}{end}")
    } else if line.chars().count() + comment.chars().count() + 4 <= LINE {
        writeln!(out, "{line}{end}  # {comment}")
    } else {
        writeln!(out, "    # {comment}\n{line}{end}")
    };
}
