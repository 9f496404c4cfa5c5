//! Fields that are read of results, against what their servers declare.

use catalog::CatalogTool;
use catalog::schema::{Object, Schema, Shape};
use typescript::{Read, Step, Unawaited};

use super::range;
use crate::finding::{Code, Mistake, Weight, raises};
use crate::nearest::{is_slip, nearest};

/// What every object has, whatever its schema says.
const ANYWAY: [&str; 9] = [
    "constructor",
    "content",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "then",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// What is wrong with a field that is read, and whether that is certain.
pub(super) fn wrong(tool: &CatalogTool, read: &Read) -> Option<(bool, Mistake)> {
    let schema = tool.output()?;
    let (Step::Field(name), way) = read.steps.split_last()? else { return None };
    let object = object_at(schema, way)?;
    if ANYWAY.contains(&name.as_str()) || object.fields.iter().any(|field| field.name == *name) {
        return None;
    }
    let names = || object.fields.iter().map(|field| field.name.as_str());
    let near = nearest(name, names());
    // Schemas that do not close their objects allow further fields, also by saying that those may hold anything, so
    // only a slip of the pen is certain to be meant as one of those declared.
    let says_more = object.extra.as_ref().is_some_and(|extra| *extra != Shape::Any);
    let is_wrong = object.closed || !says_more && names().any(|one| is_slip(name, one));
    if !is_wrong && near.is_none() {
        return None;
    }
    let mistake = Mistake {
        range: range(read.range),
        code: Code::UnknownField,
        weight: Weight::Call,
        message: format!("what {}() gives has no field '{name}' here", tool.typescript()),
        valid: names().map(str::to_owned).collect(),
        nearest: near.map(str::to_owned),
        usage: None,
        raises: raises::NOTHING,
    };
    Some((is_wrong && read.is_certain, mistake))
}

/// The longest call that is shown as it is written.
const SHOWN: usize = 60;

/// A field that is read of a call that nobody awaits, as it is written in the program.
pub(super) fn unawaited(tool: &CatalogTool, read: &Unawaited, written: Option<&str>) -> Mistake {
    let (name, field) = (tool.typescript(), &read.field.name);
    let short = written.filter(|call| call.len() <= SHOWN && !call.contains('\n'));
    let call = short.map_or_else(|| format!("{name}(...)"), str::to_owned);
    Mistake {
        range: range(read.field.range),
        code: Code::MissingAwait,
        weight: Weight::Call,
        message: format!(
            "the call of {name}() is not awaited: what it gives at once is a promise, which has no '{field}'; write `await {call}`"
        ),
        valid: Vec::new(),
        nearest: None,
        usage: None,
        raises: raises::NOTHING,
    }
}

/// The object that a way leads to, where it can be one alone.
fn object_at<'s>(schema: &'s Schema, way: &[Step]) -> Option<&'s Object> {
    let mut shape = &schema.root;
    for step in way {
        shape = match (shape, step) {
            (Shape::Object(index), Step::Field(name)) => {
                let object = schema.definitions.get(*index)?;
                &object.fields.iter().find(|field| field.name == *name)?.shape
            }
            (Shape::List(item), Step::Item) => item,
            _ => return None,
        };
    }
    match shape {
        Shape::Object(index) => schema.definitions.get(*index),
        _ => None,
    }
}
