//! `multipart/form-data`, written out.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::body::Encoding;
use super::style::scalar;

/// Why a file could not be read from its argument.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileProblem {
    #[error("the parameter `{0}` is not valid base64; for text give an object: {{\"text\": …}}")]
    NotBase64(String),
    #[error(
        "the parameter `{0}` is a file: give its content as base64, or an object with `base64` or `text`, and perhaps `filename` and `media_type`"
    )]
    NotAFile(String),
}

/// A file as it was given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct File {
    pub(super) content: Vec<u8>,
    filename: Option<String>,
    pub(super) media_type: Option<String>,
}

/// Reads a file from an argument: base64, or an object that says more.
pub(super) fn file(argument: &str, value: &Value) -> Result<File, FileProblem> {
    let decoded = |text: &str| {
        let packed: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        STANDARD.decode(packed).map_err(|_| FileProblem::NotBase64(argument.to_owned()))
    };
    if let Value::String(text) = value {
        return Ok(File { content: decoded(text)?, ..File::default() });
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let content = match (text("base64"), text("text")) {
        (Some(base64), _) => decoded(base64)?,
        (None, Some(text)) => text.as_bytes().to_vec(),
        (None, None) => return Err(FileProblem::NotAFile(argument.to_owned())),
    };
    let owned = |key| text(key).map(str::to_owned);
    Ok(File { content, filename: owned("filename"), media_type: owned("media_type") })
}

/// The body and its boundary.
pub(super) fn write(
    fields: &Map<String, Value>,
    encoding: impl Fn(&str) -> Encoding,
) -> Result<(String, Vec<u8>), FileProblem> {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for (name, value) in fields {
        let encoding = encoding(name);
        let values = match value {
            Value::Null => continue,
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        for value in values {
            parts.push(part(name, value, &encoding)?);
        }
    }
    let boundary = boundary(&parts);
    let mut body = Vec::new();
    for part in parts {
        body.extend_from_slice(format!("--{boundary}\r\n").as_bytes());
        body.extend_from_slice(&part);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((boundary, body))
}

/// Made from the content, so that the same request has the same bytes; long enough that no
/// content contains its own.
fn boundary(parts: &[Vec<u8>]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    // Thirty bytes make forty letters without padding.
    URL_SAFE_NO_PAD.encode(&hash.finalize()[..30])
}

fn part(name: &str, value: &Value, encoding: &Encoding) -> Result<Vec<u8>, FileProblem> {
    let name_shown = quoted(name);
    if !encoding.is_file {
        let media_type = match (&encoding.media_type, value) {
            (Some(media_type), _) => Some(media_type.as_str()),
            (None, Value::Object(_) | Value::Array(_)) => Some("application/json"),
            // Plain text is what a part without a type is.
            _ => None,
        };
        let mut part = format!("Content-Disposition: form-data; name=\"{name_shown}\"\r\n");
        part.extend(media_type.map(|media_type| format!("Content-Type: {}\r\n", line(media_type))));
        part.push_str("\r\n");
        part.push_str(&scalar(value));
        return Ok(part.into_bytes());
    }
    let file = file(name, value)?;
    let filename = file.filename.as_deref().unwrap_or(name);
    let media_type = file
        .media_type
        .as_deref()
        .or(encoding.media_type.as_deref())
        .unwrap_or("application/octet-stream");
    let mut part = format!(
        "Content-Disposition: form-data; name=\"{name_shown}\"; filename=\"{}\"\r\nContent-Type: {}\r\n\r\n",
        quoted(filename),
        line(media_type)
    )
    .into_bytes();
    part.extend_from_slice(&file.content);
    Ok(part)
}

/// What may not stand between quotes, escaped as browsers do it.
fn quoted(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value that cannot begin another header.
fn line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}
