//! Parameters of an operation: where each goes, how it is written, what it may be.

use http::HeaderMap;
use http::header::HeaderName;
use serde_json::{Map, Value, json};

use super::document::{Document, Unresolved, shortened};
use super::schema::{Allowance, Converted, MOST_DESCRIPTION_BYTES, Schemas, add_examples};
use super::style::{Format, Style};

/// Parameters one operation may have.
const MOST: usize = 500;

/// What a parameter costs besides its schema.
const COST: usize = 128;

/// Headers that are not a matter of parameters: the first three by `OpenAPI`'s rules, the others
/// because they say where a request ends and whom it reaches.
const NOT_PARAMETERS: [&str; 11] = [
    "accept",
    "content-type",
    "authorization",
    "connection",
    "content-length",
    "host",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Where a parameter goes. In the order in which clashing names are given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Path,
    Query,
    Header,
    Cookie,
}

impl Place {
    fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

/// One parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameter {
    /// What the tool's argument is called.
    pub(super) argument: String,
    /// What the service calls it.
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) format: Format,
    pub(super) required: bool,
    /// Sent when a required parameter is not given.
    pub(super) default: Option<Value>,
}

/// A parameter and what the document says about its values.
pub(super) struct Described<'d> {
    pub(super) parameter: Parameter,
    source: Option<&'d Value>,
    schema: Option<&'d Value>,
}

/// Reads the parameters of an operation: its own, then those of its path that it does not
/// replace. What cannot be read is left out and noted.
pub(super) fn read<'d>(
    document: &'d Document,
    lists: [Option<&'d Value>; 2],
    fixed: &HeaderMap,
    allowance: &Allowance,
    notes: &mut Vec<String>,
) -> Vec<Described<'d>> {
    let mut found: Vec<Described<'d>> = Vec::new();
    for entry in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
        if found.len() >= MOST || !allowance.take(COST) {
            notes.push("Further parameters are left out.".to_owned());
            break;
        }
        match one(document, entry) {
            Ok(Some(described)) => {
                let parameter = &described.parameter;
                let is_replaced = found.iter().any(|other| {
                    other.parameter.place == parameter.place
                        && other.parameter.name == parameter.name
                });
                if !is_replaced && !is_ours(parameter, fixed) {
                    found.push(described);
                }
            }
            Ok(None) => {}
            Err(problem) => notes.push(format!("A parameter is left out: {problem}.")),
        }
    }
    found.sort_by_key(|described| described.parameter.place);
    found
}

/// A path's placeholder that the document forgot to describe.
pub(super) fn undescribed<'d>(name: &str) -> Described<'d> {
    let format = Format { style: Style::Simple, explode: false, reserved: false };
    let parameter = Parameter {
        argument: name.to_owned(),
        name: name.to_owned(),
        place: Place::Path,
        format,
        required: true,
        default: None,
    };
    Described { parameter, source: None, schema: None }
}

/// Gives every parameter an argument name of its own: `id`, and `id_query` for the second.
pub(super) fn name_arguments(parameters: &mut [Described<'_>]) {
    let mut taken = std::collections::HashSet::new();
    for Described { parameter, .. } in parameters {
        let mut argument = parameter.name.clone();
        while !taken.insert(argument.clone()) {
            argument = format!("{argument}_{}", parameter.place.word());
        }
        parameter.argument = argument;
    }
}

impl<'d> Described<'d> {
    /// The schema of the argument.
    pub(super) fn convert(&self, schemas: &mut Schemas<'d>, allowance: &Allowance) -> Converted {
        let Some(source) = self.source else {
            return Converted { schema: json!({ "type": "string" }), uses: Vec::new() };
        };
        let mut converted =
            self.schema.map_or_else(Converted::default, |schema| schemas.convert(schema));
        if !converted.schema.is_object() {
            converted.schema = json!({});
        }
        if let Value::Object(schema) = &mut converted.schema {
            add_own_words(source, schema, allowance);
        }
        converted
    }
}

/// What a parameter says about itself, besides its schema.
fn add_own_words(source: &Value, schema: &mut Map<String, Value>, allowance: &Allowance) {
    let text = source.get("description").and_then(Value::as_str).map(str::trim);
    let text =
        text.filter(|text| !text.is_empty()).map(|text| shortened(text, MOST_DESCRIPTION_BYTES));
    if let Some(text) = text.filter(|text| allowance.take(text.len())) {
        schema.insert("description".to_owned(), json!(text));
    }
    let examples = source.get("examples").and_then(Value::as_object);
    let values = examples.into_iter().flatten().filter_map(|(_, example)| example.get("value"));
    add_examples(schema, source.get("example").into_iter().chain(values), allowance);
    if source.get("deprecated") == Some(&Value::Bool(true)) {
        schema.insert("deprecated".to_owned(), json!(true));
    }
}

/// One parameter, or nothing for those that are not ours to set.
fn one<'d>(document: &'d Document, entry: &'d Value) -> Result<Option<Described<'d>>, Unresolved> {
    let source = document.resolve(entry)?;
    let Some(name) = source.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())
    else {
        return Ok(None);
    };
    let place = match source.get("in").and_then(Value::as_str) {
        Some("path") => Place::Path,
        Some("query") => Place::Query,
        Some("header") => Place::Header,
        Some("cookie") => Place::Cookie,
        _ => return Ok(None),
    };
    let (schema, is_json) = schema_of(source);
    let default = schema
        .and_then(|schema| document.resolve(schema).ok())
        .and_then(|schema| schema.get("default"))
        .filter(|default| !default.is_null() && *default != "")
        .cloned();
    let is_required = place == Place::Path || source.get("required") == Some(&Value::Bool(true));
    let parameter = Parameter {
        argument: name.to_owned(),
        name: name.to_owned(),
        place,
        format: format(source, place, is_json),
        required: is_required,
        default,
    };
    Ok(Some(Described { parameter, source: Some(source), schema }))
}

/// The schema of a parameter, and whether its value is written as JSON.
fn schema_of(source: &Value) -> (Option<&Value>, bool) {
    let content =
        source.get("content").and_then(Value::as_object).and_then(|content| content.iter().next());
    match content {
        Some((media_type, described)) => (described.get("schema"), media_type.contains("json")),
        None => (source.get("schema"), false),
    }
}

fn format(source: &Value, place: Place, is_json: bool) -> Format {
    let named = source.get("style").and_then(Value::as_str).unwrap_or_default();
    let style = match (place, named) {
        _ if is_json => Style::Json,
        (Place::Path, "label") => Style::Label,
        (Place::Path, "matrix") => Style::Matrix,
        (Place::Path | Place::Header, _) => Style::Simple,
        (Place::Query, "spaceDelimited") => Style::SpaceDelimited,
        (Place::Query, "pipeDelimited") => Style::PipeDelimited,
        (Place::Query, "deepObject") => Style::DeepObject,
        (Place::Query | Place::Cookie, _) => Style::Form,
    };
    Format {
        style,
        explode: source.get("explode").and_then(Value::as_bool).unwrap_or(style == Style::Form),
        reserved: source.get("allowReserved") == Some(&Value::Bool(true)),
    }
}

/// Headers and cookies that the settings give, or that nobody may give.
fn is_ours(parameter: &Parameter, fixed: &HeaderMap) -> bool {
    match parameter.place {
        Place::Cookie => fixed.contains_key(http::header::COOKIE),
        Place::Header => HeaderName::from_bytes(parameter.name.as_bytes()).map_or(true, |name| {
            NOT_PARAMETERS.contains(&name.as_str()) || fixed.contains_key(&name)
        }),
        Place::Path | Place::Query => false,
    }
}
