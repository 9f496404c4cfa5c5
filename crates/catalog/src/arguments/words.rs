//! Parameters and values in few words. Types are written as in Python, which is what most
//! programs are written in.

use std::borrow::Borrow;

use serde_json::Value;

use crate::schema::{Field, Shape};

/// How many parameters are listed.
const MOST_FIELDS: usize = 60;
/// How many characters all of them together may take.
const LONGEST_LIST: usize = 4_000;
/// How many values of an enumeration are listed.
const MOST_VALUES: usize = 15;
/// How many kinds of object, and how many keys of each, are listed.
const MOST_KEYS: usize = 8;
/// How many characters of a text or a value are repeated.
const LONGEST: usize = 60;

/// `*owner: str, body: str`: required ones are marked.
pub(super) fn fields<F: Borrow<Field>>(fields: &[F]) -> String {
    let mut words: Vec<String> = fields
        .iter()
        .take(MOST_FIELDS)
        .map(|field| {
            let field = field.borrow();
            let mark = if field.required { "*" } else { "" };
            format!("{mark}{}: {}", shortened(&field.name), shape(&field.shape))
        })
        .collect();
    if fields.len() > MOST_FIELDS {
        words.push(format!("and {} more", fields.len() - MOST_FIELDS));
    }
    let words = words.join(", ");
    match words.char_indices().nth(LONGEST_LIST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// `{*kind, *radius}, {*kind, side}`: the keys of each kind of object, required ones marked.
pub(super) fn keys(kinds: &[&[Field]]) -> String {
    let mut words: Vec<String> = Vec::new();
    for fields in kinds.iter().take(MOST_KEYS) {
        let mark = |field: &Field| if field.required { "*" } else { "" };
        let mut keys: Vec<String> = fields
            .iter()
            .take(MOST_KEYS)
            .map(|field| format!("{}{}", mark(field), shortened(&field.name)))
            .collect();
        if fields.len() > MOST_KEYS {
            keys.push("…".to_owned());
        }
        words.push(format!("{{{}}}", keys.join(", ")));
    }
    if kinds.len() > MOST_KEYS {
        words.push(format!("and {} more", kinds.len() - MOST_KEYS));
    }
    words.join(", ")
}

/// A shape in few words.
#[must_use]
pub fn shape(of: &Shape) -> String {
    match of {
        Shape::Any => "Any".to_owned(),
        Shape::Null => "None".to_owned(),
        Shape::Boolean => "bool".to_owned(),
        Shape::Integer => "int".to_owned(),
        Shape::Number => "float".to_owned(),
        Shape::String => "str".to_owned(),
        Shape::Literal(values) => format!("Literal[{}]", listed(values)),
        Shape::List(item) => format!("list[{}]", shape(item)),
        Shape::Tuple { items, rest } => {
            let mut items: Vec<String> = items.iter().map(shape).collect();
            items.extend(rest.iter().map(|rest| format!("*{}", shape(rest))));
            format!("tuple[{}]", items.join(", "))
        }
        Shape::Map(value) => format!("dict[str, {}]", shape(value)),
        Shape::Object(_) => "dict".to_owned(),
        Shape::Union(shapes) => {
            let mut words: Vec<String> = Vec::new();
            for of in shapes.iter().take(MOST_VALUES) {
                let word = shape(of);
                if !words.contains(&word) {
                    words.push(word);
                }
            }
            words.join(" | ")
        }
    }
}

/// Values, separated by commas; only the first when there are many.
pub(super) fn listed(values: &[Value]) -> String {
    let mut words: Vec<String> = values.iter().take(MOST_VALUES).map(in_full).collect();
    if values.len() > MOST_VALUES {
        words.push(format!("and {} more", values.len() - MOST_VALUES));
    }
    words.join(", ")
}

/// A value as JSON, cut when it is long.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::String(text) => Value::from(shortened(text)).to_string(),
        Value::Array(items) => match items.len() {
            0 => "an empty list".to_owned(),
            1 => "a list of 1 item".to_owned(),
            count => format!("a list of {count} items"),
        },
        Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        scalar => scalar.to_string(),
    }
}

/// A value as JSON, also where it is a list or an object: "an object" names none of several.
pub(super) fn in_full(of: &Value) -> String {
    match of {
        Value::Array(_) | Value::Object(_) => shortened(&of.to_string()),
        of => value(of),
    }
}

pub(super) fn shortened(text: &str) -> String {
    let mut shortened: String = text.chars().take(LONGEST).collect();
    if shortened.len() < text.len() {
        shortened.push('…');
    }
    shortened
}
