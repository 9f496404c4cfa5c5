//! One flat object for everything an operation takes: parameters and the fields of its body.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::body::{self, Body, Coding, Layout};
use super::document::{Document, shortened};
use super::fields::{self, Fields};
use super::parameter::{self, Parameter};
use super::schema::{Allowance, Converted, MOST_DESCRIPTION_BYTES, Schemas};

/// What an operation takes, and how to send it.
pub(super) struct Input {
    pub(super) schema: Converted,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Body>,
}

/// The arguments of a tool while they are put together.
#[derive(Default)]
struct Arguments {
    properties: Map<String, Value>,
    required: Vec<String>,
    uses: Vec<usize>,
    further: Option<Value>,
}

impl Arguments {
    fn add(&mut self, name: &str, converted: Converted, is_required: bool) {
        self.uses.extend(converted.uses);
        self.properties.insert(name.to_owned(), converted.schema);
        if is_required {
            self.required.push(name.to_owned());
        }
    }

    fn into_schema(self) -> Converted {
        let mut schema = json!({ "type": "object", "properties": self.properties });
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        schema["additionalProperties"] = self.further.unwrap_or(Value::Bool(false));
        Converted { schema, uses: self.uses }
    }
}

/// Puts parameters and body together.
pub(super) fn flat<'d>(
    document: &'d Document,
    schemas: &mut Schemas<'d>,
    allowance: &Allowance,
    parameters: &[parameter::Described<'d>],
    body: Option<body::Described<'d>>,
) -> Input {
    let mut arguments = Arguments::default();
    for described in parameters {
        let Parameter { argument, required, default, .. } = &described.parameter;
        let converted = described.convert(schemas, allowance);
        arguments.add(argument, converted, *required && default.is_none());
    }
    let body =
        body.map(|described| add_body(document, schemas, allowance, described, &mut arguments));
    let parameters = parameters.iter().map(|described| described.parameter.clone()).collect();
    Input { schema: arguments.into_schema(), parameters, body }
}

fn add_body<'d>(
    document: &'d Document,
    schemas: &mut Schemas<'d>,
    allowance: &Allowance,
    described: body::Described<'d>,
    arguments: &mut Arguments,
) -> Body {
    let can_be_fields =
        matches!(described.coding, Coding::Json | Coding::Form(_) | Coding::Multipart(_));
    let fields = described
        .schema
        .filter(|_| can_be_fields)
        .and_then(|schema| fields::of(document, schemas, schema))
        .filter(|fields| {
            !fields.properties.iter().any(|(name, _)| arguments.properties.contains_key(*name))
        });
    let layout = match fields {
        Some(fields) => add_fields(schemas, &described, &fields, arguments),
        None => add_whole(schemas, allowance, &described, arguments),
    };
    let body::Described { required, media_type, coding, .. } = described;
    Body { required, media_type, coding, layout }
}

fn add_fields<'d>(
    schemas: &mut Schemas<'d>,
    described: &body::Described<'d>,
    fields: &Fields<'d>,
    arguments: &mut Arguments,
) -> Layout {
    let mut names = HashSet::new();
    for &(name, property) in &fields.properties {
        let converted = match &described.coding {
            Coding::Multipart(encodings)
                if encodings.get(name).is_some_and(|encoding| encoding.is_file) =>
            {
                file_field(property)
            }
            _ => schemas.convert(property),
        };
        // Without a body there are no fields, so a body that need not be there requires none.
        arguments.add(name, converted, described.required && fields.required.contains(&name));
        names.insert(name.to_owned());
    }
    if let Some(further) = fields.further {
        let converted = schemas.convert(further);
        arguments.uses.extend(converted.uses);
        arguments.further = Some(converted.schema);
    }
    Layout::Fields { names, takes_others: fields.further.is_some() }
}

fn file_field(property: &Value) -> Converted {
    let file = body::file_schema(property.get("description").and_then(Value::as_str));
    let is_list = property.get("type").is_some_and(|kind| kind == "array");
    let schema = if is_list { json!({ "type": "array", "items": file }) } else { file };
    Converted { schema, uses: Vec::new() }
}

fn add_whole<'d>(
    schemas: &mut Schemas<'d>,
    allowance: &Allowance,
    described: &body::Described<'d>,
    arguments: &mut Arguments,
) -> Layout {
    let text = described.description.map(str::trim).filter(|text| !text.is_empty());
    let text = text.map(|text| shortened(text, MOST_DESCRIPTION_BYTES));
    let text = text.filter(|text| allowance.take(text.len()));
    let mut converted = match (&described.coding, described.schema) {
        (Coding::Binary, _) => {
            Converted { schema: body::file_schema(text.as_deref()), uses: Vec::new() }
        }
        (Coding::Text, _) => {
            let words = format!("Text of type {}.", shortened(&described.media_type, 100));
            Converted {
                schema: json!({ "type": "string", "description": words }),
                uses: Vec::new(),
            }
        }
        (_, Some(schema)) => schemas.convert(schema),
        (_, None) => Converted { schema: json!({}), uses: Vec::new() },
    };
    if let (Some(text), Some(object)) = (text, converted.schema.as_object_mut()) {
        object.entry("description").or_insert_with(|| json!(text));
    }
    let mut name = "body".to_owned();
    while arguments.properties.contains_key(&name) {
        name = format!("request_{name}");
    }
    arguments.add(&name, converted, described.required);
    Layout::Whole(name)
}
