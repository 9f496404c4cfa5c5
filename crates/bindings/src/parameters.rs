//! What a tool is called with: one list of parameters, whatever the schema's root is.

use std::borrow::Cow;
use std::collections::HashMap;

use catalog::schema::{self, Field, Object, Schema, Shape};

/// The parameters of a tool.
#[derive(Debug)]
pub(crate) struct Parameters<'a> {
    /// The known ones, required ones first.
    pub fields: Cow<'a, [Field]>,
    /// What any other argument may hold, where others are allowed.
    pub extra: Option<&'a Shape>,
    /// Those of one way to call the tool, required ones first. The same as `fields` unless
    /// there are several.
    pub first: &'a [Field],
    /// The schema describes several kinds of arguments, of which `fields` is the sum.
    pub merged: bool,
}

/// Reads the parameters out of an input schema.
///
/// The protocol sends arguments as an object, so a root of any other kind means that
/// nothing is known about them.
pub(crate) fn parameters(input: &Schema) -> Parameters<'_> {
    let open = |extra| Parameters {
        fields: Cow::Borrowed(&[]),
        extra: Some(extra),
        first: &[],
        merged: false,
    };
    match &input.root {
        Shape::Object(index) => input.definitions.get(*index).map_or_else(
            || open(&Shape::Any),
            |object| Parameters {
                fields: Cow::Borrowed(&object.fields),
                extra: object.extra.as_ref(),
                first: &object.fields,
                merged: false,
            },
        ),
        Shape::Map(values) => open(values),
        Shape::Union(shapes) => merged(input, shapes).unwrap_or_else(|| open(&Shape::Any)),
        _ => open(&Shape::Any),
    }
}

/// One list of parameters for a choice of objects; `None` when it is not only objects.
fn merged<'a>(input: &'a Schema, shapes: &'a [Shape]) -> Option<Parameters<'a>> {
    let mut objects: Vec<&'a Object> = Vec::new();
    let mut extra = None;
    for shape in shapes {
        match shape {
            Shape::Object(index) => objects.push(input.definitions.get(*index)?),
            Shape::Map(_) => extra = Some(&Shape::Any),
            Shape::Null => {}
            _ => return None,
        }
    }
    let in_all = extra.is_none() && !shapes.contains(&Shape::Null);
    // How many of the objects require a field decides whether all do.
    let mut fields: Vec<(Field, usize)> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for object in &objects {
        for field in &object.fields {
            let position = *positions.entry(&field.name).or_insert(fields.len());
            match fields.get_mut(position) {
                Some((known, _)) => widen(known, field),
                None => fields.push((field.clone(), 0)),
            }
            fields[position].1 += usize::from(field.required);
        }
        if object.extra.is_some() {
            extra = Some(&Shape::Any);
        }
    }
    let settle =
        |(field, required)| Field { required: in_all && required == objects.len(), ..field };
    let mut fields: Vec<Field> = fields.into_iter().map(settle).collect();
    fields.sort_by_key(|field| !field.required);
    let first = objects.first().map_or(&[] as &[Field], |object| &object.fields);
    Some(Parameters { fields: Cow::Owned(fields), extra, first, merged: true })
}

/// Makes `known` take what `other` takes, too.
fn widen(known: &mut Field, other: &Field) {
    if known.shape != other.shape {
        let both = [known.shape.clone(), other.shape.clone()];
        known.shape = schema::union(both).unwrap_or(Shape::Any);
        known.rules.clear();
    }
    if known.default != other.default {
        known.default = None;
    }
    if known.description.is_none() {
        known.description.clone_from(&other.description);
    }
}

/// The schema says in so many words that null is a value here.
pub(crate) fn mentions_null(shape: &Shape) -> bool {
    match shape {
        Shape::Null => true,
        Shape::Literal(values) => values.iter().any(serde_json::Value::is_null),
        Shape::Union(shapes) => shapes.iter().any(mentions_null),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, field, object};

    #[test]
    fn a_choice_of_objects_is_one_list_with_only_the_common_ones_required() {
        let by_id = object(
            &[],
            vec![field("id", Shape::Integer, true), field("kind", Shape::String, true)],
        );
        let by_name = object(
            &["b"],
            vec![field("kind", Shape::Null, true), field("name", Shape::String, true)],
        );
        let root = Shape::Union(vec![Shape::Object(0), Shape::Object(1)]);
        let schema = fixture::schema(root, vec![by_id, by_name]);

        let found = parameters(&schema);
        let names: Vec<_> =
            found.fields.iter().map(|field| (field.name.as_str(), field.required)).collect();
        assert_eq!(names, [("kind", true), ("id", false), ("name", false)]);
        assert_eq!(found.fields[0].shape, Shape::Union(vec![Shape::String, Shape::Null]));
        assert!(found.merged && found.extra.is_none());
    }

    #[test]
    fn a_root_that_is_no_object_takes_anything() {
        for root in [Shape::String, Shape::Any, Shape::Union(vec![Shape::String, Shape::Null])] {
            let schema = fixture::schema(root, vec![]);
            let found = parameters(&schema);
            assert!(found.fields.is_empty());
            assert_eq!(found.extra, Some(&Shape::Any));
        }
    }
}
