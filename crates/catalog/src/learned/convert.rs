//! What was learned, as the type that bindings are made from.

use super::object::{Key, Object};
use super::shape::{BOOLEAN, FLOAT, INTEGER, NULL, Shape};
use super::text::Text;
use crate::schema::{self, Field, Schema};

/// Whether a type says how often things were seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// It does.
    Told,
    /// It is the type alone, to be compared.
    Left,
}

/// The type of everything that was met.
pub(super) fn schema(shape: &Shape, counts: Counts) -> Schema {
    let mut writer = Writer { counts, definitions: Vec::new() };
    let root = writer.shape(shape, &[]);
    Schema { root, definitions: writer.definitions, notes: Vec::new() }
}

struct Writer {
    counts: Counts,
    definitions: Vec<schema::Object>,
}

impl Writer {
    fn shape(&mut self, shape: &Shape, path: &[String]) -> schema::Shape {
        let mut kinds = Vec::new();
        if shape.is_any() {
            return schema::Shape::Any;
        }
        if let Some(object) = &shape.object {
            kinds.push(self.object(object, path));
        }
        if let Some(items) = &shape.items {
            let item = self.shape(items, &below(path, "item"));
            kinds.push(schema::Shape::List(Box::new(item)));
        }
        kinds.extend(shape.text.as_ref().map(text));
        let scalars = [
            (BOOLEAN, schema::Shape::Boolean),
            (INTEGER, schema::Shape::Integer),
            (FLOAT, schema::Shape::Number),
            (NULL, schema::Shape::Null),
        ];
        kinds.extend(
            scalars.into_iter().filter(|(kind, _)| shape.kinds & kind != 0).map(|(_, shape)| shape),
        );
        schema::union(kinds).unwrap_or(schema::Shape::Any)
    }

    fn object(&mut self, object: &Object, path: &[String]) -> schema::Shape {
        let mut fields: Vec<(&str, &Key)> =
            object.keys.values().filter_map(|key| Some((key.field()?, key))).collect();
        // By name: the order in which they came would depend on which result came first.
        fields.sort_by_key(|(name, key)| (key.seen < object.seen, *name));
        let beside = object.beside_fields();
        if fields.is_empty() {
            let values = beside.map(|beside| self.shape(&beside, &below(path, "value")));
            return schema::Shape::Map(Box::new(values.unwrap_or(schema::Shape::Any)));
        }
        let index = self.definitions.len();
        self.definitions.push(schema::Object {
            path: path.to_vec(),
            description: None,
            fields: Vec::new(),
            extra: None,
            closed: false,
        });
        let fields = fields.into_iter().map(|(name, key)| self.field(object, name, key, path));
        let fields = fields.collect();
        let extra = beside.map(|beside| self.shape(&beside, &below(path, "value")));
        self.definitions[index].fields = fields;
        self.definitions[index].extra = extra;
        schema::Shape::Object(index)
    }

    fn field(&mut self, object: &Object, name: &str, key: &Key, path: &[String]) -> Field {
        let required = key.seen >= object.seen;
        let told = !required && self.counts == Counts::Told;
        Field {
            name: name.to_owned(),
            shape: self.shape(&key.shape, &below(path, name)),
            required,
            description: None,
            default: None,
            examples: Vec::new(),
            rules: told
                .then(|| format!("in {} of {}", key.seen, object.seen))
                .into_iter()
                .collect(),
        }
    }
}

fn text(text: &Text) -> schema::Shape {
    match text.choices() {
        Some(choices) => schema::Shape::Literal(choices.into_iter().map(Into::into).collect()),
        None => schema::Shape::String,
    }
}

fn below(path: &[String], word: &str) -> Vec<String> {
    path.iter().cloned().chain([word.to_owned()]).collect()
}
