//! Small schemas for tests.

use catalog::schema::{Field, Object, Schema, Shape};

pub(crate) fn field(name: &str, shape: Shape, required: bool) -> Field {
    Field {
        name: name.to_owned(),
        shape,
        required,
        description: None,
        default: None,
        examples: Vec::new(),
        rules: Vec::new(),
    }
}

pub(crate) fn object(path: &[&str], fields: Vec<Field>) -> Object {
    let path = path.iter().map(|&word| word.to_owned()).collect();
    Object { path, description: None, fields, extra: None, closed: false }
}

pub(crate) fn schema(root: Shape, definitions: Vec<Object>) -> Schema {
    Schema { root, definitions, notes: Vec::new() }
}
