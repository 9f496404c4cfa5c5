//! Values and texts as TypeScript writes them. Nothing that goes in here can end the literal.

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
                let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

/// A JSON value as an expression, or as the type that only this value has.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Object(entries) => {
            let entry =
                |(name, item): (&String, &Value)| format!("{}: {}", key(name), self::value(item));
            let entries: Vec<String> = entries.iter().map(entry).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// A property's name, in quotes where it needs them.
pub(crate) fn key(name: &str) -> String {
    // `__proto__` in an expression sets the prototype instead.
    if is_identifier(name) && name != "__proto__" { name.to_owned() } else { string(name) }
}

/// A word of letters, digits, `_` and `$`. Reserved words are among them.
pub(crate) fn is_identifier(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    name.bytes().all(plain)
        && !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// A documentation comment that says `text`, which is clean and may have several lines.
pub(crate) fn comment(text: &str, indent: &str) -> String {
    let text = text.replace("*/", "*\\/");
    if !text.contains('\n') {
        return format!("{indent}/** {text} */\n");
    }
    let mut out = format!("{indent}/**\n");
    for line in text.split('\n') {
        let space = if line.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{indent} *{space}{line}");
    }
    let _ = writeln!(out, "{indent} */");
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn neither_a_string_nor_a_comment_can_end_early() {
        assert_eq!(string("a\"b\\\n\u{2028}`${x}"), r#""a\"b\\\n\u{2028}`${x}""#);
        assert_eq!(comment("a */ b", ""), "/** a *\\/ b */\n");
        assert_eq!(comment("a\n\n/b", "  "), "  /**\n   * a\n   *\n   * /b\n   */\n");
    }

    #[test]
    fn json_is_written_as_typescript() {
        let json = json!({"a-b": [true, null, 1.5], "c": {}, "__proto__": "x"});
        assert_eq!(value(&json), r#"{ "a-b": [true, null, 1.5], c: {}, "__proto__": "x" }"#);
    }
}
