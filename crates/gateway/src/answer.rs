//! What a program gets for a server's answer.
//!
//! A program wants the data, not the envelope it came in. Where one value says it all, that
//! value is sent; where an answer has several parts or anything but text, all of them are, and
//! the guest makes objects of them. The shapes are read by `guest/tools.py`:
//!
//! ```text
//! {"v": any}                                     the value
//! {"t": "text"}                                  text that is not JSON
//! {"structured": any, "has_structured": bool, "content": [parts]}
//! ```

use std::borrow::Cow;

use catalog::learned::Sight;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use upstream::{Part, Resource, ToolResult};

/// The largest text that is looked at for JSON.
const MAX_JSON: usize = 256 << 20;

/// The answer in the form a guest reads.
///
/// # Errors
/// Never for values that came as JSON; kept because serialising says it might.
pub fn answer(result: &ToolResult) -> serde_json::Result<Box<RawValue>> {
    if let Some(structured) = &result.structured
        && result.content.iter().all(|part| repeats(part, structured))
    {
        return to_raw_value(&Only { v: structured });
    }
    if let (None, [Part::Text { text }]) = (&result.structured, &result.content[..]) {
        return match as_json(text) {
            // The text is passed on as it came, so that no digit of a number is lost.
            Some(json) => RawValue::from_string(format!("{{\"v\":{}}}", json.get())),
            None => to_raw_value(&Plain { t: text }),
        };
    }
    to_raw_value(&Parts {
        structured: result.structured.as_ref(),
        has_structured: result.structured.is_some(),
        content: &result.content,
    })
}

/// What a program sees of an answer, for whoever learns from it. The guest's `content.py` has
/// the same rules.
pub(crate) fn sight(result: &ToolResult) -> Sight<'_> {
    let parts = || result.content.iter().map(part);
    match (&result.structured, &result.content[..]) {
        (Some(value), content) => {
            let only_text = content.iter().all(|part| matches!(part, Part::Text { .. }));
            if only_text || value.is_object() || value.is_array() {
                return Sight::Value(value);
            }
            Sight::Several(std::iter::once(Sight::Value(value)).chain(parts()).collect())
        }
        (None, []) => Sight::Nothing,
        (None, [Part::Text { text }]) if as_json(text).is_none() => Sight::Text(text),
        (None, [only]) => part(only),
        (None, _) => Sight::Several(parts().collect()),
    }
}

fn part(part: &Part) -> Sight<'_> {
    match part {
        Part::Text { text } if text.trim_start().starts_with(['{', '[']) => Sight::Json(text),
        Part::Text { text } | Part::Resource(Resource { text: Some(text), .. }) => {
            Sight::Text(text)
        }
        Part::Other { value } => Sight::Value(value),
        _ => Sight::Opaque,
    }
}

/// What a program is told of a failure that came without a word.
const UNSAID: &str = "the tool failed and did not say why";

/// What a tool said that failed, in one text.
pub(crate) fn words(result: &ToolResult) -> Cow<'_, str> {
    match (texts(&result.content), &result.structured) {
        (Some(texts), _) => texts,
        (None, Some(structured)) => structured.to_string().into(),
        (None, None) => UNSAID.into(),
    }
}

/// The same of a failure that was kept: what the tool itself said.
pub(crate) fn kept_words(message: &str) -> &str {
    if message == UNSAID { "" } else { message }
}

/// All texts of an answer in one, where it has any.
pub(crate) fn texts(content: &[Part]) -> Option<Cow<'_, str>> {
    let texts = content.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::Resource(resource) => resource.text.as_deref(),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    match &texts[..] {
        [] => None,
        [text] => Some((*text).into()),
        texts => Some(texts.join("\n").into()),
    }
}

/// Structured content that the texts beside it do not say, as JSON.
pub(crate) fn untold(result: &ToolResult) -> Option<String> {
    let structured = result.structured.as_ref()?;
    let texts = || {
        result.content.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        })
    };
    let one_says = |value: &Value| texts().any(|text| says(text, value));
    let is_told = one_says(structured)
        || match structured.as_object().map(|object| (object.len(), object.get("result"))) {
            Some((1, Some(inner))) if one_says(inner) => true,
            // As one text an item.
            Some((1, Some(Value::Array(items)))) => {
                !items.is_empty()
                    && texts().count() == items.len()
                    && texts().zip(items).all(|(text, item)| says(text, item))
            }
            _ => false,
        };
    (!is_told).then(|| structured.to_string())
}

/// Bytes of the parts that are no text, as they came: of a picture those of its base64.
pub(crate) fn other_bytes(content: &[Part]) -> usize {
    let bytes = |part: &Part| match part {
        Part::Text { .. } => 0,
        Part::Image { data, .. } | Part::Audio { data, .. } => data.len(),
        Part::Resource(resource) => resource.blob.as_ref().map_or(0, String::len),
        Part::Link { uri, name, description, .. } => {
            uri.len() + name.len() + description.as_ref().map_or(0, String::len)
        }
        Part::Other { value } => value.to_string().len(),
    };
    content.iter().map(bytes).sum()
}

/// An answer that was kept in the form a guest reads.
#[derive(Debug)]
pub(crate) enum KeptAnswer {
    /// One value as JSON, or one text.
    Text(String),
    /// Several parts.
    Parts(ToolResult),
}

/// What `answer` had made of a result.
pub(crate) fn kept(answer: &RawValue) -> KeptAnswer {
    let text = answer.get();
    match serde_json::from_str::<Kept<'_>>(text) {
        Err(_) => KeptAnswer::Text(text.to_owned()),
        Ok(Kept { v: Some(value), .. }) => KeptAnswer::Text(value.get().to_owned()),
        Ok(Kept { t: Some(text), .. }) => KeptAnswer::Text(text),
        Ok(Kept { structured, content, .. }) => {
            KeptAnswer::Parts(ToolResult { structured, content, is_error: false })
        }
    }
}

#[derive(Deserialize)]
struct Kept<'a> {
    #[serde(borrow, default)]
    v: Option<&'a RawValue>,
    #[serde(default)]
    t: Option<String>,
    #[serde(default)]
    structured: Option<Value>,
    #[serde(default)]
    content: Vec<Part>,
}

#[derive(Serialize)]
struct Only<'a> {
    v: &'a Value,
}

#[derive(Serialize)]
struct Plain<'a> {
    t: &'a str,
}

#[derive(Serialize)]
struct Parts<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    structured: Option<&'a Value>,
    has_structured: bool,
    content: &'a [Part],
}

/// Servers send structured content a second time as text for clients that know only that.
fn repeats(part: &Part, structured: &Value) -> bool {
    let Part::Text { text } = part else { return false };
    let same = serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structured);
    // A list is sent as one text an item by some, and single values bare.
    same || match structured.as_object().map(|object| (object.len(), object.get("result"))) {
        Some((1, Some(Value::String(inner)))) => inner == text,
        Some((1, Some(Value::Array(items)))) => items.iter().any(|item| says(text, item)),
        Some((1, Some(inner))) => says(text, inner),
        _ => false,
    }
}

fn says(text: &str, value: &Value) -> bool {
    value.as_str() == Some(text)
        || serde_json::from_str::<Value>(text).is_ok_and(|said| said == *value)
}

/// Only objects and lists: a text that happens to read `42` or `true` stays text.
fn as_json(text: &str) -> Option<Box<RawValue>> {
    let begins = text.trim_start().as_bytes().first()?;
    if !matches!(begins, b'{' | b'[') || text.len() > MAX_JSON {
        return None;
    }
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> Part {
        Part::Text { text: text.into() }
    }

    fn shown(structured: Option<Value>, content: Vec<Part>) -> String {
        let result = ToolResult { structured, content, is_error: false };
        answer(&result).unwrap().get().to_owned()
    }

    #[test]
    fn structured_content_comes_first_and_its_repetition_is_dropped() {
        assert_snapshot!(
            shown(Some(json!({"a": 1})), vec![text("{ \"a\": 1 }")]),
            @r#"{"v":{"a":1}}"#
        );
        assert_snapshot!(
            shown(Some(json!({"result": ["x", "y"]})), vec![text("x"), text("y")]),
            @r#"{"v":{"result":["x","y"]}}"#
        );
    }

    #[test]
    fn words_beside_structured_content_are_not_lost() {
        assert_snapshot!(
            shown(Some(json!({"a": 1})), vec![text("Found one.")]),
            @r#"{"structured":{"a":1},"has_structured":true,"content":[{"type":"text","text":"Found one."}]}"#
        );
    }

    #[test]
    fn json_in_a_single_text_is_passed_on_digit_by_digit() {
        assert_snapshot!(
            shown(None, vec![text("{\"n\": 12345678901234567890.50}")]),
            @r#"{"v":{"n": 12345678901234567890.50}}"#
        );
    }

    #[test]
    fn a_text_that_happens_to_be_a_number_stays_text() {
        assert_snapshot!(shown(None, vec![text("42")]), @r#"{"t":"42"}"#);
        assert_snapshot!(shown(None, vec![text("[not json")]), @r#"{"t":"[not json"}"#);
    }

    fn seen(structured: Option<Value>, content: Vec<Part>) -> String {
        format!("{:?}", sight(&ToolResult { structured, content, is_error: false }))
    }

    #[test]
    fn what_is_learned_from_is_what_the_program_gets() {
        let picture = || Part::Image { data: "AAAA".into(), media_type: "image/png".into() };
        assert_snapshot!(seen(Some(json!({"a": 1})), vec![text("Found."), picture()]), @r#"Value(Object {"a": Number(1)})"#);
        assert_snapshot!(seen(Some(json!(1)), vec![text("Found.")]), @"Value(Number(1))");
        assert_snapshot!(seen(Some(json!(1)), vec![picture()]), @"Several([Value(Number(1)), Opaque])");
        assert_snapshot!(seen(None, vec![text(" [1]")]), @r#"Json(" [1]")"#);
        assert_snapshot!(seen(None, vec![text("[not json")]), @r#"Text("[not json")"#);
        assert_snapshot!(seen(None, vec![text("42")]), @r#"Text("42")"#);
        assert_snapshot!(seen(None, vec![text("a"), picture()]), @r#"Several([Text("a"), Opaque])"#);
        assert_snapshot!(seen(None, vec![]), @"Nothing");
    }

    #[test]
    fn several_parts_all_arrive() {
        let picture = Part::Image { data: "AAAA".into(), media_type: "image/png".into() };
        assert_snapshot!(
            shown(None, vec![text("a"), picture]),
            @r#"{"has_structured":false,"content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA","media_type":"image/png"}]}"#
        );
    }

    #[test]
    fn structured_content_is_told_by_texts_that_say_all_of_it() {
        let untold = |structured, content: Vec<Part>| {
            untold(&ToolResult { structured: Some(structured), content, is_error: false })
        };
        let picture = || Part::Image { data: "AAAA".into(), media_type: "image/png".into() };
        assert_eq!(untold(json!({"a": 1}), vec![text("{ \"a\": 1 }"), picture()]), None);
        assert_eq!(untold(json!({"result": "x"}), vec![text("x"), picture()]), None);
        assert_eq!(untold(json!({"result": ["x", 2]}), vec![text("x"), text("2")]), None);
        let some = untold(json!({"result": ["x", 2]}), vec![text("x"), picture()]);
        assert_eq!(some.as_deref(), Some(r#"{"result":["x",2]}"#));
        assert_eq!(untold(json!([1, 2]), vec![text("short")]).as_deref(), Some("[1,2]"));
        assert_eq!(untold(json!([1, 2]), vec![picture()]).as_deref(), Some("[1,2]"));
    }

    #[test]
    fn what_is_kept_of_an_answer_is_read_again() {
        let kept = |structured, content: Vec<Part>| {
            let result = ToolResult { structured, content, is_error: false };
            (kept(&answer(&result).unwrap()), result)
        };
        let picture = || Part::Image { data: "AAAA".into(), media_type: "image/png".into() };
        let link =
            Part::Link { uri: "a:b".into(), name: "c".into(), description: None, media_type: None };
        let other = Part::Other { value: json!({"type": "new"}) };
        for (structured, content) in [
            (Some(json!({"a": 1})), vec![text("Found one."), picture()]),
            (None, vec![picture(), link, other]),
            (None, vec![]),
        ] {
            let (KeptAnswer::Parts(read), result) = kept(structured, content) else {
                panic!("this has several parts");
            };
            assert_eq!(read, result);
        }
        let (read, _) = kept(Some(json!({"a": 1})), vec![]);
        assert!(matches!(read, KeptAnswer::Text(text) if text == "{\"a\":1}"));
        let (read, _) = kept(None, vec![text("plain")]);
        assert!(matches!(read, KeptAnswer::Text(text) if text == "plain"));
    }
}
