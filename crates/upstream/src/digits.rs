//! Structured content whose integers have more than 64 bits.
//!
//! What reads JSON here would make floating-point numbers of them, and of an identifier another one. So
//! the text of such content goes along with it, and reaches the program digit by digit, as JSON in a text
//! does.

use catalog::digits;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Where the `_meta` of an answer has the text of its structured content: over HTTP it is read as a type that
/// keeps nothing else.
const KEY: &str = "tidegate/digits";
/// The least floating-point number that an integer of 64 bits may have become, or its opposite.
const LEAST: f64 = 9_223_372_036_854_775_808.0;

#[derive(Deserialize)]
struct Sent<'a> {
    #[serde(borrow, rename = "structuredContent")]
    structured: &'a RawValue,
}

/// Puts the text of structured content into an answer that was read from `text`, where numbers of it lost digits.
pub(crate) fn keep(answer: &mut Value, text: &str) {
    take(answer);
    let Value::Object(fields) = answer else { return };
    // Few answers have a number that large, and the others are not read a second time.
    if !fields.get("structuredContent").is_some_and(may_have_lost) {
        return;
    }
    if let Ok(Sent { structured }) = serde_json::from_str(text)
        && let Some(text) = text_of(structured.get())
    {
        let meta = fields.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(meta) = meta {
            meta.insert(KEY.to_owned(), text.into());
        }
    }
}

/// A message whose answer is to be kept so; nothing for any other.
pub(crate) fn kept_in(message: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Whole<'a> {
        #[serde(borrow)]
        result: &'a RawValue,
    }
    if !digits::numbers(message).any(digits::is_wide) {
        return None;
    }
    let sent: Whole<'_> = serde_json::from_str(message).ok()?;
    let mut whole: Value = serde_json::from_str(message).ok()?;
    keep(whole.get_mut("result")?, sent.result.get());
    Some(whole.to_string())
}

/// Takes it out again.
pub(crate) fn take(answer: &mut Value) -> Option<String> {
    let fields = answer.as_object_mut()?;
    let meta = fields.get_mut("_meta")?.as_object_mut()?;
    let digits = meta.remove(KEY)?;
    if meta.is_empty() {
        fields.remove("_meta");
    }
    match digits {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The text of a value, where the value lost digits that the text has.
pub(crate) fn lost(value: &Value, text: &str) -> Option<String> {
    if may_have_lost(value) { text_of(text) } else { None }
}

fn text_of(json: &str) -> Option<String> {
    let json = json.trim();
    let is_read_as_json = json.starts_with(['{', '[']);
    (is_read_as_json && digits::numbers(json).any(digits::is_wide)).then(|| without_escapes(json))
}

/// The same JSON whose texts have no escapes that need not be: whoever looks for a credential or for personal
/// data in it looks for letters.
fn without_escapes(json: &str) -> String {
    let mut plain = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('"') {
        let (before, from_here) = rest.split_at(at);
        let mut texts = serde_json::Deserializer::from_str(from_here).into_iter::<String>();
        let Some(Ok(text)) = texts.next() else { break };
        plain.push_str(before);
        plain.push_str(&Value::String(text).to_string());
        rest = &from_here[texts.byte_offset()..];
    }
    plain.push_str(rest);
    plain
}

fn may_have_lost(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.is_f64() && number.as_f64().is_some_and(|number| number.abs() >= LEAST)
        }
        Value::Array(items) => items.iter().any(may_have_lost),
        Value::Object(fields) => fields.values().any(may_have_lost),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Option<String> {
        let mut answer = serde_json::from_str(text).unwrap();
        keep(&mut answer, text);
        take(&mut answer)
    }

    #[test]
    fn a_whole_message_is_changed_only_where_its_answer_lost_digits() {
        let lost = r#"{"id": 1, "result": {"structuredContent": {"id": 18446744073709551617}, "_meta": {"a": 1}}}"#;
        let mut kept: Value = serde_json::from_str(&kept_in(lost).unwrap()).unwrap();
        let answer = &mut kept["result"];
        assert_eq!(take(answer).as_deref(), Some(r#"{"id": 18446744073709551617}"#));
        assert_eq!(answer["_meta"].to_string(), r#"{"a":1}"#);
        assert_eq!(kept_in(r#"{"id": 1, "result": {"structuredContent": {"id": 5}}}"#), None);
    }

    #[test]
    fn the_text_goes_along_only_where_digits_are_lost() {
        let wide =
            r#"{"content": [], "structuredContent": {"id": 123456789012345678901234567890}}"#;
        assert_eq!(kept(wide).as_deref(), Some(r#"{"id": 123456789012345678901234567890}"#));
        let escaped = r#"{"structuredContent": {"n\u0061me": "J\u00fcrgen \"x\"", "id": [-18446744073709551617]}}"#;
        assert_eq!(
            kept(escaped).as_deref(),
            Some(r#"{"name": "Jürgen \"x\"", "id": [-18446744073709551617]}"#)
        );
        for narrow in [
            r#"{"structuredContent": {"id": 18446744073709551615, "x": 1e30}}"#,
            r#"{"structuredContent": {"id": "123456789012345678901234567890"}}"#,
            r#"{"structuredContent": 123456789012345678901234567890}"#,
            r#"{"content": [{"n": 123456789012345678901234567890}], "_meta": {"tidegate/digits": "{}"}}"#,
            "[123456789012345678901234567890]",
        ] {
            assert_eq!(kept(narrow), None, "{narrow}");
        }
    }
}
