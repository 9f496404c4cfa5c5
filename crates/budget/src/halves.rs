//! Python's texts, which may have half a letter: one that no text of ours can hold.
//!
//! Such a half is written as an escape, `\ud800`, and becomes one sign for a broken letter.

use memchr::memchr;
use serde_json::Value;

/// The text that is written in JSON with its quotes.
pub(crate) fn text_of(written: &str) -> Option<String> {
    serde_json::from_str(written).or_else(|_| serde_json::from_str(&mended(written))).ok()
}

/// The value that is written in JSON.
pub(crate) fn value_of(written: &str) -> Option<Value> {
    serde_json::from_str(written).or_else(|_| serde_json::from_str(&mended(written))).ok()
}

/// The letters of a text that is written in JSON with its quotes, each as it is written.
pub(crate) fn letters(written: &str) -> impl Iterator<Item = &str> {
    let inner = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let mut rest = inner.unwrap_or_default();
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let length = match bytes.first()? {
            b'\\' => match (escaped(bytes, 0), escaped(bytes, 6)) {
                (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
                (Some(_), _) => 6,
                (None, _) => 2,
            },
            _ => rest.chars().next()?.len_utf8(),
        };
        let (letter, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(letter)
    })
}

/// JSON with a sign for a broken letter where half of one is written.
fn mended(written: &str) -> String {
    let bytes = written.as_bytes();
    let mut out = String::with_capacity(written.len());
    let (mut from, mut at) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        at += found;
        match (escaped(bytes, at), escaped(bytes, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str(&written[from..at]);
                out.push_str("\\ufffd");
                at += 6;
                from = at;
            }
            _ => at += 2,
        }
    }
    out.push_str(&written[from..]);
    out
}

/// The number that is escaped here, as in `\u1234`.
fn escaped(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_as_they_are_written() {
        let written = r#""a\n\\é\u00e9\ud83d\ude00\ud800x\"\udc00""#;
        let each: Vec<&str> = letters(written).collect();
        let expected = [
            "a",
            r"\n",
            r"\\",
            "é",
            r"\u00e9",
            r"\ud83d\ude00",
            r"\ud800",
            "x",
            r#"\""#,
            r"\udc00",
        ];
        assert_eq!(each, expected);
        assert_eq!(letters("\"\"").count(), 0);
    }

    #[test]
    fn each_half_is_one_sign_and_two_halves_are_a_letter() {
        let written = r#""\ud800\ud83d\ude00\udc00\\ud800""#;
        assert_eq!(text_of(written).as_deref(), Some("\u{fffd}😀\u{fffd}\\ud800"));
        let value = value_of(r#"{"\udfff": ["\uD800"]}"#);
        assert_eq!(value, Some(serde_json::json!({ "\u{fffd}": ["\u{fffd}"] })));
    }
}
