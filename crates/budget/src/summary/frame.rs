//! Tables and series that came from pandas, told of as pandas does.

use serde_json::{Map, Value, json};

use super::{Column, Rows, example, short, value_of};
use crate::skim::{Fields, Items};

/// Rows that are shown.
const HEAD: usize = 5;

/// Whether an object is a table or a series: that is what it says first.
pub(crate) fn is_one(text: &str) -> bool {
    let says = |at: usize, what| text.get(at..).is_some_and(|rest: &str| rest.starts_with(what));
    let kind = Fields::of(text).next_key().filter(|(key, _)| *key == "\"$type\"");
    kind.is_some_and(|(_, at)| says(at, "\"dataframe\"") || says(at, "\"series\""))
}

/// What it is, in a few words.
pub(super) fn in_words(text: &str) -> String {
    let field =
        |wanted: &str| Fields::of(text).find(|(key, _)| *key == wanted).map(|(_, value)| value);
    let kind = super::name(field("\"$type\"").unwrap_or_default());
    match field("\"shape\"") {
        Some(shape) => format!("{kind} of shape {shape}"),
        None => kind,
    }
}

/// Shape and types, the first rows, and figures of each column.
pub(super) fn about(text: &str) -> Value {
    let mut told = Map::new();
    for (key, value) in Fields::of(text) {
        let key = super::name(key);
        match key.as_str() {
            "records" => {
                told.insert("head".to_owned(), head(value));
                told.insert(
                    "describe".to_owned(),
                    Rows::read(&mut Items::of(value)).0.fields(true),
                );
            }
            "values" => {
                told.insert("head".to_owned(), head(value));
                let mut column = Column::default();
                let mut count = 0;
                for item in Items::of(value) {
                    column.add(item);
                    count += 1;
                }
                told.insert("describe".to_owned(), column.told(count, true));
            }
            // Columns of the same name: rows without names.
            "rows" => drop(told.insert("head".to_owned(), head(value))),
            "index" => {
                let ends = (Items::of(value).next(), Items::of(value).last());
                if let (Some(first), Some(last)) = ends {
                    let ends = json!({"first": short(first), "last": short(last)});
                    told.insert(key, ends);
                }
            }
            _ => drop(told.insert(key, value_of(value).unwrap_or_default())),
        }
    }
    // The types have the names of the columns already.
    if told.get("dtypes").is_some_and(Value::is_object) {
        told.shift_remove("columns");
    }
    Value::Object(told)
}

fn head(rows: &str) -> Value {
    let whole = |text: &str| match text.as_bytes().first() {
        Some(b'[') => value_of(text).unwrap_or_default(),
        _ => example(text),
    };
    Items::of(rows).take(HEAD).map(whole).collect()
}
