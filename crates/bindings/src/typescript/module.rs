//! The file of one tool.

use std::fmt::Write as _;

use catalog::schema::{Schema, Shape};
use serde_json::Value;

use super::literal;
use super::types::Types;
use crate::parameters::parameters;
use crate::suggestion::Suggestions;
use crate::target::Target;
use crate::type_names::{TypeNames, in_order};
use crate::words;

/// The function of `client.ts` that every file imports. The catalog calls no tool so.
const CALL: &str = "callMCPTool";

/// What every object has, as TypeScript knows it.
const OBJECTS_HAVE: [&str; 7] = [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// The whole file.
pub(crate) fn module(target: &Target<'_>) -> String {
    let Typed { types, head, gives } = typed(target);
    let mut out = format!("import {{ {CALL} }} from \"../client.js\";\n\n{types}");
    out.push_str(&literal::comment(&said(target), ""));
    let _ = write!(
        out,
        "export async {head} {{\n  return await {CALL}<{gives}>({}, {}, input);\n}}\n",
        literal::string(target.server),
        literal::string(&target.tool.name.0),
    );
    out
}

/// How the function is called, below the types of what it takes and gives.
pub(crate) fn typed_signature(target: &Target<'_>) -> String {
    let Typed { types, head, .. } = typed(target);
    let mut out = String::with_capacity(types.len() + head.len());
    for line in types.lines() {
        // Who reads it knows that what is declared can be used.
        out.push_str(line.strip_prefix("export ").unwrap_or(line));
        out.push('\n');
    }
    let _ = write!(out, "async {head}");
    out
}

/// A function's line, the types that stand before it, and what it gives.
struct Typed {
    types: String,
    head: String,
    gives: String,
}

fn typed(target: &Target<'_>) -> Typed {
    let function = target.typescript;
    let taken = [function, CALL, "Array", "Promise", "Record"];
    let names = TypeNames::choose(function, target.input, target.output, &taken);
    let input = Types { names: &names.input, open: "unknown" };
    let output = Types { names: &names.output, open: "any" };
    let mut types = String::new();
    let takes = takes(target.input, input, &names.input_root, &mut types);
    let gives = gives(target.output, output, &names.output_root, &mut types);
    let input = if !may_be_empty(target.input) {
        format!("input: {takes}")
    } else if names_what_objects_have(target.input) {
        format!("input?: {takes}")
    } else {
        format!("input: {takes} = {{}}")
    };
    let head = format!("function {function}({input}): Promise<{gives}>");
    Typed { types, head, gives }
}

/// The type of the input, with what it needs written before it.
fn takes(schema: &Schema, types: Types<'_>, name: &str, out: &mut String) -> String {
    let root = &schema.root;
    let objects = |shape: &Shape| matches!(shape, Shape::Object(_) | Shape::Map(_));
    match root {
        Shape::Object(_) | Shape::Map(_) => {
            out.push_str(&types.interfaces(schema, &in_order(&schema.definitions, [root])));
            types.of(root)
        }
        Shape::Union(shapes) if shapes.iter().all(objects) => {
            out.push_str(&types.interfaces(schema, &in_order(&schema.definitions, [root])));
            let _ = write!(out, "export type {name} = {};\n\n", types.of(root));
            name.to_owned()
        }
        _ => "Record<string, unknown>".to_owned(),
    }
}

/// The type of the result, with what it needs written before it.
fn gives(schema: Option<&Schema>, types: Types<'_>, name: &str, out: &mut String) -> String {
    let Some(schema) = schema else { return types.open.to_owned() };
    out.push_str(&types.interfaces(schema, &in_order(&schema.definitions, [&schema.root])));
    let written = types.of(&schema.root);
    if matches!(schema.root, Shape::Object(_) | Shape::Any) {
        return written;
    }
    let _ = write!(out, "export type {name} = {written};\n\n");
    name.to_owned()
}

/// Nothing has to be said to call this tool.
fn may_be_empty(schema: &Schema) -> bool {
    let optional = |shape: &Shape| match shape {
        Shape::Object(index) => schema
            .definitions
            .get(*index)
            .is_none_or(|object| object.fields.iter().all(|field| !field.required)),
        _ => true,
    };
    match &schema.root {
        Shape::Union(shapes) => shapes.iter().any(optional),
        root => optional(root),
    }
}

/// Whether a parameter is called like something that every object has: then `{}` has one of another type.
fn names_what_objects_have(schema: &Schema) -> bool {
    let takes = |shape: &Shape| match shape {
        Shape::Object(index) => schema.definitions.get(*index).is_some_and(|object| {
            object.fields.iter().any(|field| OBJECTS_HAVE.contains(&field.name.as_str()))
        }),
        _ => false,
    };
    match &schema.root {
        Shape::Union(shapes) => shapes.iter().any(takes),
        root => takes(root),
    }
}

/// What the function says about itself.
fn said(target: &Target<'_>) -> String {
    let mut said = words::summary(target);
    let parameters = parameters(target.input);
    for note in words::notes(target) {
        let _ = write!(said, "\n\nNote: {note}");
    }
    if let Some(returns) = words::returns(target) {
        let _ = write!(said, "\n\n@returns {returns}");
    }
    let suggestions = Suggestions::new(target.input);
    let required = parameters.first.iter().filter(|field| field.required);
    let input: serde_json::Map<String, Value> =
        required.map(|field| (field.name.clone(), suggestions.of(field))).collect();
    let input =
        if input.is_empty() { String::new() } else { literal::value(&Value::Object(input)) };
    let _ = write!(said, "\n\n@example const result = await {}({input});", target.typescript);
    said
}
