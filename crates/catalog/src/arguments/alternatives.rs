//! Which of several kinds of object somebody meant.
//!
//! A key whose value only one of them allows says the most, such as `"kind": "circle"`. Then come the
//! keys that were given: the kind that knows more of them was meant.

use std::cmp::Reverse;

use serde_json::{Map, Value};

use crate::nearest;
use crate::schema::{Object, Schema, Shape};

/// How well an object fits what was given. A larger one fits better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// Keys with a value from a list that has it, less those with one that has not.
    marks: isize,
    /// Keys that it knows.
    known: usize,
    /// Keys that are nearly ones it knows.
    near: usize,
    missing: Reverse<usize>,
}

/// How well `object` fits.
pub(super) fn fit(object: &Object, given: &Map<String, Value>) -> Fit {
    let mut fit = Fit { marks: 0, known: 0, near: 0, missing: Reverse(0) };
    for field in &object.fields {
        match (given.get(&field.name), &field.shape) {
            (Some(value), Shape::Literal(values)) => {
                fit.known += 1;
                fit.marks += if values.contains(value) { 1 } else { -1 };
            }
            (Some(_), _) => fit.known += 1,
            (None, _) => fit.missing.0 += usize::from(field.required),
        }
    }
    let is_near = |name: &&String| {
        let fields = object.fields.iter().map(|field| (field.name.as_str(), ()));
        !object.fields.iter().any(|field| field.name == **name)
            && !nearest::to(name, fields, 1).is_empty()
    };
    fit.near = given.keys().filter(is_near).count();
    fit
}

/// The objects among `shapes`.
pub(super) fn objects<'s>(
    schema: &'s Schema,
    shapes: &'s [Shape],
) -> impl Iterator<Item = (&'s Shape, &'s Object)> {
    shapes.iter().filter_map(|shape| match shape {
        Shape::Object(index) => Some((shape, schema.definitions.get(*index)?)),
        _ => None,
    })
}

/// The one of `shapes` that `value` was most likely meant to be, if it is an object.
pub(super) fn meant<'s>(
    schema: &'s Schema,
    shapes: &'s [Shape],
    value: &Value,
) -> Option<&'s Shape> {
    let given = value.as_object()?;
    // Of those that fit equally well the first.
    objects(schema, shapes)
        .min_by_key(|(_, object)| Reverse(fit(object, given)))
        .map(|(shape, _)| shape)
}
