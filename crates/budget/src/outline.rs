//! The shape of a value: fields and types instead of values.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::skim::{Fields, Items, spread};

/// Levels that are gone into.
const DEEPEST: usize = 8;
/// Rows of a list that are looked at, from everywhere in it.
const MOST_ROWS: usize = 10_000;
/// Tables of different shapes that are told of at one place.
const MOST_FRAMES: usize = 5;
/// Fields that are counted beyond those that are told of.
const MOST_COUNTED: usize = 100_000;
/// Fields of an object that are told of.
const MOST_FIELDS: usize = 100;

/// An outline, as JSON.
pub(crate) fn of(text: &str) -> String {
    Shape::of(text.trim(), 0).told().to_string()
}

/// A table or a series that came from pandas says what it is itself.
fn frame(text: &str) -> Value {
    let fields = Fields::of(text).filter_map(|(key, value)| {
        let key: String = serde_json::from_str(key).ok()?;
        let is_about = ["$type", "name", "shape", "columns", "dtypes", "dtype", "index_name"];
        let told = is_about.contains(&key.as_str()).then(|| serde_json::from_str(value).ok())??;
        Some((key, told))
    });
    let mut told: Map<String, Value> = fields.collect();
    // The types have the names already, where no two columns have one name.
    if told.get("dtypes").is_some_and(Value::is_object) {
        told.shift_remove("columns");
    }
    Value::Object(told)
}

/// What values at one place are like.
#[derive(Debug, Default)]
struct Shape {
    /// Names of the plain types that were met, in a fixed order.
    plain: std::collections::BTreeSet<&'static str>,
    list: Option<(usize, Box<Shape>)>,
    object: Option<Object>,
    /// Tables and series, those that are alike once.
    frames: Vec<Value>,
}

#[derive(Debug, Default)]
struct Object {
    seen: usize,
    fields: Vec<(String, usize, Shape)>,
    more: HashSet<String>,
}

impl Shape {
    fn of(text: &str, depth: usize) -> Self {
        let mut shape = Self::default();
        shape.add(text, depth);
        shape
    }

    fn add(&mut self, text: &str, depth: usize) {
        match text.as_bytes().first() {
            Some(b'"') => drop(self.plain.insert("string")),
            Some(b't' | b'f') => drop(self.plain.insert("boolean")),
            Some(b'n') => drop(self.plain.insert("null")),
            Some(b'[') if depth < DEEPEST => {
                let items: Vec<&str> = Items::of(text).collect();
                let (count, inner) = self.list.get_or_insert_default();
                *count = (*count).max(items.len());
                for at in spread(items.len(), MOST_ROWS) {
                    inner.add(items[at], depth + 1);
                }
            }
            Some(b'{') if crate::summary::is_frame(text) => {
                let frame = frame(text);
                if self.frames.len() < MOST_FRAMES && !self.frames.contains(&frame) {
                    self.frames.push(frame);
                }
            }
            Some(b'{') if depth < DEEPEST => {
                self.object.get_or_insert_default().add(text, depth);
            }
            Some(b'[') => drop(self.plain.insert("list")),
            Some(b'{') => drop(self.plain.insert("object")),
            _ if text.contains(['.', 'e', 'E']) => drop(self.plain.insert("number")),
            _ => drop(self.plain.insert("integer")),
        }
    }

    fn told(&self) -> Value {
        let mut kinds: Vec<Value> = self.plain.iter().map(|kind| json!(kind)).collect();
        if let Some((count, inner)) = &self.list {
            let mut list = json!({ "list": inner.told(), "count": count });
            if *count > MOST_ROWS {
                list["looked_at"] = json!(MOST_ROWS);
            }
            kinds.push(list);
        }
        if let Some(object) = &self.object {
            kinds.push(object.told());
        }
        kinds.extend(self.frames.iter().cloned());
        match kinds.len() {
            0 => json!("nothing"),
            1 => kinds.swap_remove(0),
            _ => json!({ "any_of": kinds }),
        }
    }
}

impl Object {
    fn add(&mut self, text: &str, depth: usize) {
        self.seen += 1;
        for (key, value) in Fields::of(text) {
            if let Some(known) = self.fields.iter_mut().find(|(name, ..)| name == key) {
                known.1 += 1;
                known.2.add(value, depth + 1);
            } else if self.fields.len() < MOST_FIELDS {
                self.fields.push((key.to_owned(), 1, Shape::of(value, depth + 1)));
            } else if self.more.len() < MOST_COUNTED && !self.more.contains(key) {
                self.more.insert(key.to_owned());
            }
        }
    }

    fn told(&self) -> Value {
        let mut told = Map::new();
        for (key, count, shape) in &self.fields {
            let mut name: String = serde_json::from_str(key).unwrap_or_default();
            if *count < self.seen {
                name.push('?');
            }
            told.insert(name, shape.told());
        }
        if !self.more.is_empty() {
            let more = format!("{} more fields", self.more.len());
            told.insert("$left_out".to_owned(), json!(more));
        }
        Value::Object(told)
    }
}
