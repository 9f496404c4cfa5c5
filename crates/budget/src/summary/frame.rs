//! Tables and series that came from pandas, told of as pandas does.

use serde_json::{Map, Value, json};

use super::{Column, MOST_FIELDS, Rows, example, leave_out, short, value_of};
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
            "rows" => {
                told.insert("head".to_owned(), head(value));
                let figures = numbered(told.get("columns"), value);
                told.insert("describe".to_owned(), figures);
            }
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

/// Figures of columns some of which have one name: `a`, `a.1`, `a.2`, as analyses call them.
fn numbered(names: Option<&Value>, rows: &str) -> Value {
    let mut columns: Vec<Column> = Vec::new();
    let mut count = 0;
    for row in Items::of(rows) {
        count += 1;
        for (at, cell) in Items::of(row).enumerate().take(MOST_FIELDS) {
            if columns.len() <= at {
                columns.push(Column::default());
            }
            columns[at].add(cell);
        }
    }
    let names: Vec<String> =
        names.and_then(Value::as_array).into_iter().flatten().map(label).collect();
    let more = names.len().saturating_sub(columns.len());
    let mut figures = Map::new();
    for (name, column) in names.iter().zip(columns) {
        let numbered = (1..).map(|number| format!("{name}.{number}"));
        let mut free = std::iter::once(name.clone()).chain(numbered);
        let is_free =
            |one: &String| !figures.contains_key(one) && (one == name || !names.contains(one));
        let free = free.find(is_free).unwrap_or_default();
        figures.insert(free, column.told(count, true));
    }
    leave_out(&mut figures, more, "");
    Value::Object(figures)
}

/// The name of a column; the levels of one are joined.
fn label(name: &Value) -> String {
    match name {
        Value::String(text) => text.clone(),
        Value::Array(levels) => levels.iter().map(label).collect::<Vec<_>>().join("."),
        other => other.to_string(),
    }
}

fn head(rows: &str) -> Value {
    let whole = |text: &str| match text.as_bytes().first() {
        Some(b'[') => value_of(text).unwrap_or_default(),
        _ => example(text),
    };
    Items::of(rows).take(HEAD).map(whole).collect()
}
