//! Values and texts as Python writes them. Nothing that goes in here can end the literal.

use std::fmt::Write as _;

use serde_json::Value;

use crate::text;

/// A string literal in double quotes.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            character if text::is_hidden(character) => {
                let code = u32::from(character);
                let _ = match code {
                    0..=0xff => write!(out, "\\x{code:02x}"),
                    0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

/// A JSON value as a Python expression.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let entry =
                |(key, item): (&String, &Value)| format!("{}: {}", string(key), self::value(item));
            let entries: Vec<String> = entries.iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// A docstring that says `text`, which is clean and may have several lines.
pub(crate) fn docstring(text: &str, indent: &str) -> String {
    let mut out = String::from("\"\"\"");
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.push_str("\\\\"),
            // No two quotes in a row are left, and none next to the closing ones.
            '"' if matches!(characters.peek(), None | Some('"')) => out.push_str("\\\""),
            '\n' => {
                out.push('\n');
                if characters.peek().is_some_and(|&next| next != '\n') {
                    out.push_str(indent);
                }
            }
            character => out.push(character),
        }
    }
    if text.contains('\n') {
        out.push('\n');
        out.push_str(indent);
    }
    out.push_str("\"\"\"");
    out
}

/// A word that can be written as it is where Python wants a field's name.
///
/// Names that begin with two underscores are not: a class body would mangle them.
pub(crate) fn is_field_name(name: &str) -> bool {
    let first = name.as_bytes().first();
    first.is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with("__")
        && !is_keyword(name)
}

/// A word that Python keeps for itself everywhere.
pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&name).is_ok()
}

/// In the order of their bytes.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_string_cannot_end_early() {
        assert_eq!(
            string("a\"b\\c\nd\u{0}e\u{202e}\u{e0041}"),
            r#""a\"b\\c\nd\x00e\u202e\U000e0041""#
        );
    }

    #[test]
    fn a_docstring_cannot_end_early() {
        assert_eq!(docstring("\"\"\"x\\\"\"\"", ""), r#""""\"\""x\\\"\"\"""""#);
        assert_eq!(docstring("a\n\nb \"c\"", "  "), "\"\"\"a\n\n  b \"c\\\"\n  \"\"\"");
    }

    #[test]
    fn json_is_written_as_python() {
        let json = json!({"a": [true, false, null, 1.5, -2, "x"]});
        assert_eq!(value(&json), r#"{"a": [True, False, None, 1.5, -2, "x"]}"#);
    }

    #[test]
    fn keywords_and_private_names_are_not_field_names() {
        assert!(KEYWORDS.is_sorted());
        let fine = ["a", "_", "type", "match", "a1"].map(is_field_name);
        assert_eq!(fine, [true; 5]);
        let not = ["", "1a", "a-b", "class", "None", "__a", "é"].map(is_field_name);
        assert_eq!(not, [false; 7]);
    }
}
