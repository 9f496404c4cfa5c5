//! What a JSON Schema says, reduced to what a type in a program can say.
//!
//! [`read`] never fails: a schema that cannot be understood becomes [`Shape::Any`] with a
//! note, so that a tool is never lost over its schema.
//!
//! Reading goes in three steps. `document` finds what a reference leads to. `facts` gathers
//! everything that is said about one value, across `$ref` and `allOf`. `reader` turns these
//! facts into a shape and writes down the objects on the way; `union` and `rules` help it.

mod choice;
pub(crate) mod document;
mod facts;
mod order;
mod reader;
mod rules;
mod union;

use serde_json::Value;

pub use union::union;

/// The type of a value, as far as Python and TypeScript can both express it.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Anything.
    Any,
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// Text.
    String,
    /// One of these scalars: strings, numbers, booleans, null. Never empty, no duplicates.
    Literal(Vec<Value>),
    /// A list of one kind of thing.
    List(Box<Shape>),
    /// A list whose first items have their own shapes; `rest` is that of any further ones.
    Tuple {
        /// The leading items.
        items: Vec<Shape>,
        /// Further items; `None` when there are none.
        rest: Option<Box<Shape>>,
    },
    /// An object whose keys are data.
    Map(Box<Shape>),
    /// An object with known keys, written down in [`Schema::definitions`].
    Object(usize),
    /// One of several. At least two, flat, no duplicates, [`Shape::Null`] last.
    Union(Vec<Shape>),
}

/// An object with known keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// A name for it, unique within the schema, in words: `["issue", "labels", "item"]`. Empty
    /// for the root.
    pub path: Vec<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its fields, required ones first, otherwise in the schema's order.
    pub fields: Vec<Field>,
    /// What further keys may hold; `None` when there may be none or nothing was said.
    pub extra: Option<Shape>,
    /// The schema says that there are no further keys.
    pub closed: bool,
}

/// One field of an object, or one parameter of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The key, exactly as it must be sent.
    pub name: String,
    /// What it holds.
    pub shape: Shape,
    /// It must be there.
    pub required: bool,
    /// What it means.
    pub description: Option<String>,
    /// What the server takes when it is absent.
    pub default: Option<Value>,
    /// Values the schema gives as examples.
    pub examples: Vec<Value>,
    /// Further rules in words: "at least 1", "at most 100 characters", "format date-time".
    pub rules: Vec<String>,
}

/// A schema, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// The type of the whole.
    pub root: Shape,
    /// The objects that shapes refer to, each before those it refers to where that is possible.
    pub definitions: Vec<Object>,
    /// What could not be expressed, in words for whoever reads the binding.
    pub notes: Vec<String>,
}

/// Reads a schema of any draft.
///
/// * The root is `Object(0)` with an empty path when it is an object with known keys, or one that
///   says that it has none: `"properties": {}`. An object that says nothing of its keys is a
///   [`Shape::Map`], the root like any other.
/// * A reference that is used twice, or that leads back to itself, is one definition.
/// * What a schema only implies is taken for said: `properties` without a type is an object,
///   `required` names a field although `properties` does not, and a tuple that says nothing
///   about further items has none.
#[must_use]
pub fn read(schema: &Value) -> Schema {
    reader::Reader::new(schema, reader::BUDGET).read()
}

/// Reads the schema of arguments. A call sends an object whatever the schema describes; of one that
/// describes nothing of the kind, all that is known is that it is wrong.
#[must_use]
pub fn read_arguments(schema: &Value) -> Schema {
    let found = read(schema);
    let Some(kind) = found.root.instead_of_an_object() else { return found };
    let note = format!(
        "the server describes its arguments as {kind}, but a call sends an object; what it takes is not known: try named arguments"
    );
    let notes = std::iter::once(note).chain(found.notes).collect();
    Schema { root: Shape::Map(Box::new(Shape::Any)), definitions: Vec::new(), notes }
}

/// Reads the schema of a result. An object without any known key is a [`Shape::Map`] there: what it
/// holds comes from the server, and nobody has to be told that there is nothing to give.
#[must_use]
pub fn read_result(schema: &Value) -> Schema {
    let mut schema = read(schema);
    if let Shape::Object(index) = schema.root
        && schema.definitions.get(index).is_some_and(|object| object.fields.is_empty())
    {
        schema.root = Shape::Map(Box::new(Shape::Any));
        schema.definitions.clear();
    }
    schema
}

impl Shape {
    /// `null` fits.
    #[must_use]
    pub fn admits_null(&self) -> bool {
        match self {
            Self::Any | Self::Null => true,
            Self::Union(shapes) => shapes.iter().any(Self::admits_null),
            Self::Literal(values) => values.contains(&Value::Null),
            _ => false,
        }
    }

    /// What it is, in words, if no object fits.
    pub(crate) fn instead_of_an_object(&self) -> Option<&'static str> {
        match self {
            Self::Any | Self::Map(_) | Self::Object(_) => None,
            Self::Null => Some("null"),
            Self::Boolean => Some("true or false"),
            Self::Integer | Self::Number => Some("a number"),
            Self::String => Some("text"),
            Self::Literal(_) => Some("one of a few fixed values"),
            Self::List(_) | Self::Tuple { .. } => Some("a list"),
            Self::Union(shapes) => shapes
                .iter()
                .all(|shape| shape.instead_of_an_object().is_some())
                .then_some("something else than an object"),
        }
    }
}

#[cfg(test)]
mod tests;
