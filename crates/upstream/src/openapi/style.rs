//! How a value is written into a path, a query, a header or a cookie.
//!
//! `OpenAPI` calls these styles; they are those of RFC 6570. Where the styles say nothing, which is
//! objects inside lists and inside objects, the inner value is written as JSON; only `deepObject`
//! has a way to write it down to the last level, the one that forms on the web use.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Everything but the characters that never mean anything in an address.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A value that may contain reserved characters. Those that would end the value or the query
/// are still encoded.
const RESERVED_VALUE: &AsciiSet = &VALUE
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';');

/// The name of a query parameter. `$filter` is common and some services compare it undecoded.
const NAME: &AsciiSet = &VALUE.remove(b'$');

/// What may not stand in a cookie.
const COOKIE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b',').add(b';').add(b'\\').add(b'%');

/// Levels of a `deepObject` that become brackets; below them is JSON.
const MOST_BRACKETS: usize = 8;

/// One of the ways to write a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
    /// As JSON text: the parameter was described by a media type.
    Json,
}

/// A style with its two switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) style: Style,
    /// Every item and field stands for itself.
    pub(super) explode: bool,
    /// Reserved characters may stand as they are.
    pub(super) reserved: bool,
}

impl Format {
    /// What is used where a document says nothing about a query parameter.
    pub(super) const FORM: Self = Self { style: Style::Form, explode: true, reserved: false };
}

/// A value for the path. Nothing in it can end its segment.
pub(super) fn in_path(name: &str, value: &Value, format: Format) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, VALUE).to_string();
    let joined = |separator: &str, pair: &str| joined(value, separator, pair, &encoded);
    let explode = format.explode;
    match format.style {
        Style::Label => format!(".{}", if explode { joined(".", "=") } else { joined(",", ",") }),
        Style::Matrix => {
            let name = encoded(name);
            match value {
                Value::Array(items) if explode => {
                    let items = items.iter().map(|item| encoded(&scalar(item)));
                    items.map(|item| [";", &name, "=", &item].concat()).collect()
                }
                Value::Object(_) if explode => format!(";{}", joined(";", "=")),
                _ => format!(";{name}={}", joined(",", ",")),
            }
        }
        Style::Json => encoded(&value.to_string()),
        _ => joined(",", if explode { "=" } else { "," }),
    }
}

/// A value for a header, unencoded.
pub(super) fn in_header(value: &Value, format: Format) -> String {
    match format.style {
        Style::Json => value.to_string(),
        _ => joined(value, ",", if format.explode { "=" } else { "," }, &str::to_owned),
    }
}

/// `name=value` pairs for a query or a form, encoded. None for a list or an object without
/// content.
pub(super) fn in_query(name: &str, value: &Value, format: Format) -> Vec<String> {
    let set = if format.reserved { RESERVED_VALUE } else { VALUE };
    let encoded = |text: &str| utf8_percent_encode(text, set).to_string();
    let named = |name: &str, text: String| format!("{}={text}", utf8_percent_encode(name, NAME));
    match (format.style, value) {
        (Style::Json, _) => vec![named(name, encoded(&value.to_string()))],
        (_, Value::Array(items)) if items.is_empty() => Vec::new(),
        (_, Value::Object(fields)) if fields.is_empty() => Vec::new(),
        (Style::DeepObject, Value::Array(_) | Value::Object(_)) => {
            let mut pairs = Vec::new();
            deep(name, value, 0, &mut |name, text| pairs.push(named(name, encoded(text))));
            pairs
        }
        (_, Value::Array(items)) if format.explode => {
            items.iter().map(|item| named(name, encoded(&scalar(item)))).collect()
        }
        (_, Value::Object(fields)) if format.explode => {
            fields.iter().map(|(name, field)| named(name, encoded(&scalar(field)))).collect()
        }
        (style, _) => {
            let separator = match style {
                Style::SpaceDelimited => "%20",
                Style::PipeDelimited => "%7C",
                _ => ",",
            };
            vec![named(name, joined(value, separator, separator, &encoded))]
        }
    }
}

/// `name=value` pairs for a cookie, encoded.
pub(super) fn in_cookie(name: &str, value: &Value, format: Format) -> Vec<String> {
    let encoded = |text: &str| utf8_percent_encode(text, COOKIE).to_string();
    let name_is = |text: String| format!("{}={text}", encoded(name));
    match value {
        _ if format.style == Style::Json => vec![name_is(encoded(&value.to_string()))],
        Value::Array(items) if format.explode => {
            items.iter().map(|item| name_is(encoded(&scalar(item)))).collect()
        }
        Value::Object(fields) if format.explode => fields
            .iter()
            .map(|(name, field)| format!("{}={}", encoded(name), encoded(&scalar(field))))
            .collect(),
        // A comma may not stand in a cookie, so the separator is encoded too.
        _ => vec![name_is(joined(value, "%2C", "%2C", &encoded))],
    }
}

/// The parts of a value, each encoded, with separators between them: `pair` between a key and
/// its value, `separator` elsewhere.
fn joined(value: &Value, separator: &str, pair: &str, encoded: &dyn Fn(&str) -> String) -> String {
    let parts: Vec<String> = match value {
        Value::Array(items) => items.iter().map(|item| encoded(&scalar(item))).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| format!("{}{pair}{}", encoded(name), encoded(&scalar(field))))
            .collect(),
        _ => return encoded(&scalar(value)),
    };
    parts.join(separator)
}

/// `a[b][0]=…`, down to the last level.
fn deep(name: &str, value: &Value, level: usize, found: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::Object(fields) if level < MOST_BRACKETS => {
            for (key, field) in fields {
                deep(&format!("{name}[{key}]"), field, level + 1, found);
            }
        }
        Value::Array(items) if level < MOST_BRACKETS => {
            for (at, item) in items.iter().enumerate() {
                deep(&format!("{name}[{at}]"), item, level + 1, found);
            }
        }
        _ => found(name, &scalar(value)),
    }
}

/// A value as the text that people would write. Objects and lists become JSON.
pub(super) fn scalar(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        // `3.0` is a whole number to JSON and a syntax error to many services.
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => {
                Cow::Owned(format!("{float:.0}"))
            }
            _ => Cow::Owned(number.to_string()),
        },
        _ => Cow::Owned(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;

    const STYLES: [Style; 8] = [
        Style::Simple,
        Style::Label,
        Style::Matrix,
        Style::Form,
        Style::SpaceDelimited,
        Style::PipeDelimited,
        Style::DeepObject,
        Style::Json,
    ];

    #[test]
    fn paths_follow_the_styles() {
        assert_snapshot!(table(&STYLES[..3], |value, format| in_path("color", value, format)), @"
        Simple false: blue   a%20b,c   R,100,G,x%2Cy
        Simple true: blue   a%20b,c   R=100,G=x%2Cy
        Label false: .blue   .a%20b,c   .R,100,G,x%2Cy
        Label true: .blue   .a%20b.c   .R=100.G=x%2Cy
        Matrix false: ;color=blue   ;color=a%20b,c   ;color=R,100,G,x%2Cy
        Matrix true: ;color=blue   ;color=a%20b;color=c   ;R=100;G=x%2Cy
        ");
    }

    #[test]
    fn queries_follow_the_styles() {
        assert_snapshot!(
            table(&STYLES[3..], |value, format| in_query("color", value, format).join("&")),
            @"
        Form false: color=blue   color=a%20b,c   color=R,100,G,x%2Cy
        Form true: color=blue   color=a%20b&color=c   R=100&G=x%2Cy
        SpaceDelimited false: color=blue   color=a%20b%20c   color=R%20100%20G%20x%2Cy
        SpaceDelimited true: color=blue   color=a%20b&color=c   R=100&G=x%2Cy
        PipeDelimited false: color=blue   color=a%20b%7Cc   color=R%7C100%7CG%7Cx%2Cy
        PipeDelimited true: color=blue   color=a%20b&color=c   R=100&G=x%2Cy
        DeepObject false: color=blue   color%5B0%5D=a%20b&color%5B1%5D=c   color%5BR%5D=100&color%5BG%5D=x%2Cy
        DeepObject true: color=blue   color%5B0%5D=a%20b&color%5B1%5D=c   color%5BR%5D=100&color%5BG%5D=x%2Cy
        Json false: color=%22blue%22   color=%5B%22a%20b%22%2C%22c%22%5D   color=%7B%22R%22%3A100%2C%22G%22%3A%22x%2Cy%22%7D
        Json true: color=%22blue%22   color=%5B%22a%20b%22%2C%22c%22%5D   color=%7B%22R%22%3A100%2C%22G%22%3A%22x%2Cy%22%7D
        "
        );
    }

    #[test]
    fn headers_and_cookies_follow_the_styles() {
        assert_snapshot!(table(&[Style::Simple, Style::Json], in_header), @r#"
        Simple false: blue   a b,c   R,100,G,x,y
        Simple true: blue   a b,c   R=100,G=x,y
        Json false: "blue"   ["a b","c"]   {"R":100,"G":"x,y"}
        Json true: "blue"   ["a b","c"]   {"R":100,"G":"x,y"}
        "#);
        assert_snapshot!(
            table(&[Style::Form], |value, format| in_cookie("color", value, format).join("; ")),
            @"
        Form false: color=blue   color=a%20b%2Cc   color=R%2C100%2CG%2Cx%2Cy
        Form true: color=blue   color=a%20b; color=c   R=100; G=x%2Cy
        "
        );
    }

    #[test]
    fn nothing_in_a_value_reaches_the_structure_around_it() {
        let nasty = json!("a/b\\..?x=1&y#z;%2e+é\r\n");
        let format = Format { reserved: true, ..Format::FORM };
        assert_snapshot!(in_path("p", &nasty, format), @"a%2Fb%5C..%3Fx%3D1%26y%23z%3B%252e%2B%C3%A9%0D%0A");
        assert_snapshot!(in_query("p[&]", &nasty, format).join("&"), @"p%5B%26%5D=a/b%5C..?x%3D1%26y%23z;%252e%2B%C3%A9%0D%0A");
        assert_snapshot!(in_query("p[&]", &nasty, Format::FORM).join("&"), @"p%5B%26%5D=a%2Fb%5C..%3Fx%3D1%26y%23z%3B%252e%2B%C3%A9%0D%0A");
        assert_snapshot!(in_cookie("p;", &nasty, format).join("; "), @"p%3B=a/b%5C..?x=1&y#z%3B%252e+%C3%A9%0D%0A");
    }

    #[test]
    fn deep_objects_are_written_to_the_last_level() {
        let format = Format { style: Style::DeepObject, ..Format::FORM };
        let value = json!({"a": {"b": [1, {"c": true}]}, "d": null});
        assert_snapshot!(in_query("f", &value, format).join("&"), @"f%5Ba%5D%5Bb%5D%5B0%5D=1&f%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=true&f%5Bd%5D=null");
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        let texts = [json!(3.0), json!(-0.5), json!(1e300), json!(18_446_744_073_709_551_615_u64)];
        let texts: Vec<_> = texts.iter().map(scalar).collect();
        assert_eq!(texts, ["3", "-0.5", "1e+300", "18446744073709551615"]);
    }

    /// Every style with and without `explode`, for a word, a list and an object.
    fn table(styles: &[Style], write: impl Fn(&Value, Format) -> String) -> String {
        let values = [json!("blue"), json!(["a b", "c"]), json!({"R": 100, "G": "x,y"})];
        let mut lines = Vec::new();
        for &style in styles {
            for explode in [false, true] {
                let written = values
                    .iter()
                    .map(|value| write(value, Format { style, explode, reserved: false }));
                lines.push(format!(
                    "{style:?} {explode}: {}",
                    written.collect::<Vec<_>>().join("   ")
                ));
            }
        }
        lines.join("\n")
    }
}
