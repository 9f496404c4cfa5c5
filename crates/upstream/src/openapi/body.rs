//! The body of a request: which media type, how it is encoded, where its parts come from.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::document::{Document, Unresolved};
use super::style::{Format, Style};

/// How a body is encoded.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Coding {
    Json,
    /// `application/x-www-form-urlencoded`.
    Form(HashMap<String, Encoding>),
    /// `multipart/form-data`.
    Multipart(HashMap<String, Encoding>),
    /// Text as it is.
    Text,
    /// Bytes, given as base64 or as text.
    Binary,
}

/// What a document says about one field of a form.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Encoding {
    /// How a value is written, if that was said.
    pub(super) format: Option<Format>,
    /// The media type of its part.
    pub(super) media_type: Option<String>,
    /// Its values are files.
    pub(super) is_file: bool,
}

/// Which arguments make up the body.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Layout {
    /// One argument is the whole body.
    Whole(String),
    /// Each of these arguments is a field of it.
    Fields {
        names: HashSet<String>,
        /// Arguments that nothing else claims are fields too.
        takes_others: bool,
    },
}

/// The body of an operation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    pub(super) required: bool,
    pub(super) media_type: String,
    pub(super) coding: Coding,
    pub(super) layout: Layout,
}

/// What a document says about a body.
pub(super) struct Described<'d> {
    pub(super) required: bool,
    pub(super) description: Option<&'d str>,
    pub(super) media_type: String,
    pub(super) coding: Coding,
    pub(super) schema: Option<&'d Value>,
}

/// Reads `requestBody` and chooses the media type that is easiest to fill in.
pub(super) fn read<'d>(
    document: &'d Document,
    operation: &'d Value,
) -> Result<Option<Described<'d>>, Unresolved> {
    let Some(body) = operation.get("requestBody") else { return Ok(None) };
    let body = document.resolve(body)?;
    let content = body.get("content").and_then(Value::as_object).into_iter().flatten();
    let ranked = content.map(|(name, media)| {
        let schema = media.get("schema").and_then(|schema| document.resolve(schema).ok());
        (kind(name, schema), name, media)
    });
    let Some((kind, name, media)) = ranked.min_by_key(|(kind, ..)| *kind) else { return Ok(None) };
    let schema = media.get("schema");
    let coding = match kind {
        Kind::Json | Kind::JsonLike => Coding::Json,
        Kind::Multipart => Coding::Multipart(encodings(document, media)),
        Kind::Form => Coding::Form(encodings(document, media)),
        Kind::Text => Coding::Text,
        Kind::Binary => Coding::Binary,
    };
    Ok(Some(Described {
        required: body.get("required") == Some(&Value::Bool(true)),
        description: body.get("description").and_then(Value::as_str),
        media_type: concrete(name, kind),
        coding,
        schema,
    }))
}

/// Kinds of media types, the preferred first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Json,
    JsonLike,
    Multipart,
    Form,
    Text,
    Binary,
}

fn kind(media_type: &str, schema: Option<&Value>) -> Kind {
    let essence = essence(media_type);
    match essence.as_str() {
        "application/json" => Kind::Json,
        "multipart/form-data" => Kind::Multipart,
        "application/x-www-form-urlencoded" => Kind::Form,
        // Whoever does not care takes JSON, unless it is described as a string of bytes.
        "*/*" | "application/*" if schema.is_some_and(|schema| !is_file(schema)) => Kind::JsonLike,
        _ if is_json(&essence) => Kind::JsonLike,
        _ if is_text(&essence) => Kind::Text,
        _ => Kind::Binary,
    }
}

/// The media type to send for one that may be a pattern.
fn concrete(media_type: &str, kind: Kind) -> String {
    match kind {
        _ if !media_type.contains('*') => media_type.trim().to_owned(),
        Kind::Json | Kind::JsonLike => "application/json".to_owned(),
        Kind::Text => "text/plain".to_owned(),
        _ => "application/octet-stream".to_owned(),
    }
}

/// A media type without its parameters, in lower case.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a media type without parameters is JSON.
pub(super) fn is_json(essence: &str) -> bool {
    essence.ends_with("/json") || essence.ends_with("+json")
}

/// Whether a media type without parameters is text.
pub(super) fn is_text(essence: &str) -> bool {
    let named = ["graphql", "javascript", "jsonl", "ndjson", "sql", "toml", "xml", "yaml"];
    essence.starts_with("text/")
        || essence.ends_with("+xml")
        || essence.ends_with("+yaml")
        || essence
            .strip_prefix("application/")
            .is_some_and(|rest| named.contains(&rest.trim_start_matches("x-")))
}

fn encodings(document: &Document, media: &Value) -> HashMap<String, Encoding> {
    let mut found: HashMap<String, Encoding> = HashMap::new();
    let said = media.get("encoding").and_then(Value::as_object);
    for (name, encoding) in said.into_iter().flatten() {
        let text = |key| encoding.get(key).and_then(Value::as_str);
        let media_type = text("contentType").and_then(|list| list.split(',').next()).map(str::trim);
        found.insert(
            name.clone(),
            Encoding {
                format: encoding_format(encoding),
                media_type: media_type.filter(|one| !one.contains('*')).map(str::to_owned),
                is_file: media_type.is_some_and(is_file_type),
            },
        );
    }
    let schema = media.get("schema").and_then(|schema| document.resolve(schema).ok());
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let Ok(property) = document.resolve(property) else { continue };
        let item = property.get("items").and_then(|items| document.resolve(items).ok());
        if let Some(file) =
            [Some(property), item].into_iter().flatten().find(|schema| is_file(schema))
        {
            let encoding = found.entry(name.clone()).or_default();
            encoding.is_file = true;
            let media_type = file.get("contentMediaType").and_then(Value::as_str);
            encoding.media_type =
                encoding.media_type.take().or_else(|| media_type.map(str::to_owned));
        }
    }
    found
}

fn encoding_format(encoding: &Value) -> Option<Format> {
    let keys = ["style", "explode", "allowReserved"];
    if !keys.iter().any(|key| encoding.get(*key).is_some()) {
        return None;
    }
    let style = match encoding.get("style").and_then(Value::as_str) {
        Some("spaceDelimited") => Style::SpaceDelimited,
        Some("pipeDelimited") => Style::PipeDelimited,
        Some("deepObject") => Style::DeepObject,
        _ => Style::Form,
    };
    Some(Format {
        style,
        explode: encoding.get("explode").and_then(Value::as_bool).unwrap_or(style == Style::Form),
        reserved: encoding.get("allowReserved") == Some(&Value::Bool(true)),
    })
}

fn is_file_type(media_type: &str) -> bool {
    let essence = essence(media_type);
    !is_json(&essence) && !is_text(&essence)
}

/// Whether a schema describes bytes: `format: binary` in the older dialect, a media type
/// without an encoding in the newer one.
fn is_file(schema: &Value) -> bool {
    let is_string = schema.get("type").is_none_or(|kind| kind == "string");
    let has_bytes =
        schema.get("contentMediaType").is_some() && schema.get("contentEncoding").is_none();
    is_string && (schema.get("format").is_some_and(|format| format == "binary") || has_bytes)
}

/// What a file looks like as an argument.
pub(super) fn file_schema(description: Option<&str>) -> Value {
    let mut schema = json!({
        "anyOf": [
            { "type": "string", "contentEncoding": "base64" },
            {
                "type": "object",
                "properties": {
                    "base64": { "type": "string", "description": "The content as base64." },
                    "text": { "type": "string", "description": "The content as text, instead of `base64`." },
                    "filename": { "type": "string" },
                    "media_type": { "type": "string" }
                },
                "additionalProperties": false
            }
        ]
    });
    schema["description"] = match description.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => json!(format!("{text} (A file: its content as base64, or an object.)")),
        None => json!("A file: its content as base64, or an object."),
    };
    schema
}
