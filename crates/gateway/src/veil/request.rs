//! One request to a host: values in the place of tokens, written as the place wants them.
//!
//! In an address and in a form a value is written with percent signs, so that no letter of it ends the field
//! that it stands in and begins another. In a body of bytes, tokens are found where they are text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use privacy::Vault;
use serde_json::{Map, Value};

use super::cover::may_stand_for_something;
use super::percent::encoded;
use super::{Cover, VeilError};

/// What forms are sent as.
const FORM: &str = "application/x-www-form-urlencoded";

impl Cover<'_> {
    /// A request as its host gets it. Secrets are not put in: no host is named for them.
    ///
    /// # Errors
    /// When values cannot be read.
    pub async fn request(&self, request: Value) -> Result<Value, VeilError> {
        let Value::Object(mut fields) = request else { return Ok(request) };
        let bytes = fields.get("body").and_then(bytes_of);
        let text = bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let mut sent = fields.clone();
        if let Some(text) = text {
            sent.insert("body".to_owned(), Value::String(text));
        }
        let sent = Value::Object(sent);
        if !self.fills_requests() || !may_stand_for_something(&sent) {
            return Ok(Value::Object(fields));
        }
        let Some(known) = self.values_for(&sent).await? else { return Ok(Value::Object(fields)) };
        let is_form = is_form(&fields);
        if let Some(Value::String(url)) = fields.get_mut("url") {
            *url = in_address(&known, url);
        }
        if let Some(headers) = fields.get_mut("headers") {
            in_texts(headers, &|text| known.restore_text(text).into_owned());
        }
        let in_body = |text: &str| {
            let whole = if is_form {
                known.restore_as(text, |_, value| encoded(value))
            } else {
                known.restore(text)
            };
            whole.into_owned()
        };
        match (fields.get_mut("body"), bytes) {
            (Some(body), Some(bytes)) => {
                let whole = STANDARD.encode(in_bytes(&bytes, &in_body));
                *body = Value::Object(Map::from_iter([("base64".to_owned(), whole.into())]));
            }
            (Some(body), None) => in_texts(body, &in_body),
            (None, _) => {}
        }
        Ok(Value::Object(fields))
    }
}

/// A body of bytes.
fn bytes_of(body: &Value) -> Option<Vec<u8>> {
    STANDARD.decode(body.get("base64")?.as_str()?).ok()
}

/// Whether the headers say that the body is a form.
fn is_form(fields: &Map<String, Value>) -> bool {
    let headers = fields.get("headers").and_then(Value::as_array);
    headers.into_iter().flatten().any(|header| {
        let part = |at: usize| header.get(at).and_then(Value::as_str).unwrap_or_default();
        part(0).eq_ignore_ascii_case("content-type")
            && part(1).split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(FORM)
    })
}

/// An address with values. An address that is a value as a whole, and a machine's in the place of the host, are
/// written as they are.
fn in_address(known: &Vault, url: &str) -> String {
    let host_ends = url.find("://").map_or(0, |scheme| {
        let host = scheme + "://".len();
        url[host..].find(['/', '?', '#']).map_or(url.len(), |end| host + end)
    });
    let written = |at: usize, value: &str| {
        let is_machine = at < host_ends && value.parse::<std::net::IpAddr>().is_ok();
        if at == 0 || is_machine { value.to_owned() } else { encoded(value) }
    };
    known.restore_as(url, written).into_owned()
}

/// Every text in a value, changed; names of fields are ours.
fn in_texts(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| in_texts(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|value| in_texts(value, change)),
        _ => {}
    }
}

/// Bytes with everything changed that is text.
fn in_bytes(bytes: &[u8], change: &impl Fn(&str) -> String) -> Vec<u8> {
    let mut changed = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        changed.extend_from_slice(change(chunk.valid()).as_bytes());
        changed.extend_from_slice(chunk.invalid());
    }
    changed
}
