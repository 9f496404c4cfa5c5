//! What a value is like: counts, shapes and figures instead of rows.

mod frame;

pub(crate) use frame::is_one as is_frame;

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::numbers::Numbers;
use crate::printed::{ceil, floor};
use crate::skim::{Fields, Items};

/// Levels of objects that are gone into.
const DEEPEST: usize = 8;
/// Fields of rows that are told of.
const MOST_FIELDS: usize = 60;
/// Different texts of a field that are counted.
const MOST_TEXTS: usize = 1000;
/// Long texts among them.
const MOST_LONG_TEXTS: usize = 50;
/// Letters of a text that are shown at its beginning, and at its end.
const LETTERS: usize = 200;
/// Bytes of a list inside a row that is shown as it is.
const SHORT: usize = 120;

/// A summary, as JSON.
pub(crate) fn of(text: &str) -> String {
    about(text.trim(), 0).to_string()
}

fn about(text: &str, depth: usize) -> Value {
    match text.as_bytes().first() {
        Some(b'[') => about_list(text, depth),
        Some(b'{') if frame::is_one(text) => frame::about(text),
        Some(b'{') if depth < DEEPEST => {
            let fields = Fields::of(text);
            Value::Object(fields.map(|(key, value)| (name(key), about(value, depth + 1))).collect())
        }
        Some(b'{') => json!({ "type": "object", "fields": Fields::of(text).count() }),
        Some(b'"') => about_text(text),
        _ => plain(text),
    }
}

/// A number, `true`, `false` or `null`. A number of more digits than others can read is a text.
fn plain(text: &str) -> Value {
    let is_long = text.len() > 15 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_long && text.parse::<i64>().is_err() {
        let shown: String = text.chars().take(2 * LETTERS).collect();
        let more = text.len() - shown.len();
        return json!(if more > 0 { format!("{shown}... ({} digits)", text.len()) } else { shown });
    }
    serde_json::from_str(text).unwrap_or_default()
}

/// A text as it is meant. Python's may have half a letter, which nobody else can read.
fn name(key: &str) -> String {
    crate::skim::text_of(key).unwrap_or_default()
}

fn about_text(text: &str) -> Value {
    let whole = name(text);
    if whole.len() <= 2 * LETTERS {
        return Value::String(whole);
    }
    json!({
        "type": "text",
        "characters": whole.chars().count(),
        "lines": whole.lines().count(),
        "head": whole[..floor(&whole, LETTERS)],
        "tail": whole[ceil(&whole, whole.len() - LETTERS)..],
    })
}

fn about_list(text: &str, depth: usize) -> Value {
    let (mut rows, ends) = Rows::read(text);
    let Some((first, last)) = ends else { return json!([]) };
    let end = |text: &str| match depth < DEEPEST {
        true if frame::is_one(text) => frame::about(text),
        true => example(text),
        false => short(text),
    };
    let mut told = Map::new();
    told.insert("type".to_owned(), json!("list"));
    told.insert("count".to_owned(), json!(rows.count));
    rows.tell(&mut told);
    told.insert("first".to_owned(), end(first));
    if rows.count > 1 {
        told.insert("last".to_owned(), end(last));
    }
    Value::Object(told)
}

/// A row as it is, but for what is long in it.
fn example(text: &str) -> Value {
    if !text.starts_with('{') {
        return short(text);
    }
    let fields = Fields::of(text).take(MOST_FIELDS);
    let mut shown: Map<String, Value> =
        fields.map(|(key, value)| (name(key), short(value))).collect();
    let more = Fields::of(text).count().saturating_sub(MOST_FIELDS);
    if more > 0 {
        shown.insert("$left_out".to_owned(), json!(format!("{more} more fields")));
    }
    Value::Object(shown)
}

/// A value of a row that is shown as an example.
fn short(text: &str) -> Value {
    match text.as_bytes().first() {
        // One that is short says more than how long it is.
        Some(b'[') if text.len() <= SHORT && !text[1..].contains(['[', '{']) => {
            Items::of(text).map(plain_or_text).collect()
        }
        Some(b'[') => json!(format!("list of {}", Items::of(text).count())),
        Some(b'{') if frame::is_one(text) => json!(frame::in_words(text)),
        Some(b'{') => json!(format!("object of {}", Fields::of(text).count())),
        Some(b'"') => about_text(text),
        _ => plain(text),
    }
}

fn plain_or_text(text: &str) -> Value {
    if text.starts_with('"') { about_text(text) } else { plain(text) }
}

/// What the members of a list have in common.
#[derive(Default)]
struct Rows {
    count: usize,
    /// Members that are no rows.
    plain: Column,
    /// Fields of those that are, in the order they were met.
    columns: Vec<(String, Column)>,
    objects: usize,
    lists: usize,
    /// The shortest and the longest of the lists, and what their members are like.
    lengths: (usize, usize),
    inner: Column,
    more_fields: HashSet<String>,
}

/// What is known of one field.
#[derive(Default)]
struct Column {
    count: usize,
    nulls: usize,
    truths: [usize; 2],
    numbers: Numbers,
    texts: HashSet<String>,
    text_count: usize,
    many_texts: bool,
    others: usize,
}

impl Rows {
    /// Reads a list, and gives its first and its last member.
    fn read(text: &str) -> (Self, Option<(&str, &str)>) {
        let mut rows = Self::default();
        let (mut first, mut last) = (None, None);
        let mut items = Items::of(text);
        loop {
            let mut at = 0;
            let item = items.next_meeting(|key, value| {
                if let Some(column) = rows.column(at, key) {
                    column.add(value);
                }
                at += 1;
            });
            let Some(item) = item else { break };
            first = first.or(Some(item));
            last = Some(item);
            rows.add(item);
        }
        (rows, first.zip(last))
    }

    fn add(&mut self, item: &str) {
        self.count += 1;
        match item.as_bytes().first() {
            // Its fields have been met.
            Some(b'{') => self.objects += 1,
            Some(b'[') => {
                let mut length = 0;
                for member in Items::of(item) {
                    length += 1;
                    self.inner.add(member);
                }
                let (least, most) = self.lengths;
                let least = if self.lists == 0 { length } else { least.min(length) };
                self.lengths = (least, most.max(length));
                self.lists += 1;
            }
            _ => self.plain.add(item),
        }
    }

    /// The column of a field; it mostly is where it was in the row before.
    fn column(&mut self, at: usize, key: &str) -> Option<&mut Column> {
        let fits = |column: &(String, Column)| column.0 == key;
        let place = match self.columns.get(at).filter(|column| fits(column)) {
            Some(_) => Some(at),
            None => self.columns.iter().position(fits),
        };
        if let Some(place) = place {
            return self.columns.get_mut(place).map(|column| &mut column.1);
        }
        if self.columns.len() >= MOST_FIELDS {
            if self.more_fields.len() < MOST_TEXTS {
                self.more_fields.insert(key.to_owned());
            }
            return None;
        }
        self.columns.push((key.to_owned(), Column::default()));
        self.columns.last_mut().map(|column| &mut column.1)
    }

    fn tell(&mut self, told: &mut Map<String, Value>) {
        if self.lists > 0 {
            let (least, most) = self.lengths;
            told.insert("lists".to_owned(), json!(self.lists));
            let lengths = if least == most { json!(most) } else { json!([least, most]) };
            told.insert("of_length".to_owned(), lengths);
            let inner = std::mem::take(&mut self.inner);
            let count = inner.count;
            told.insert("members".to_owned(), inner.told(count, false));
        }
        if self.plain.count > 0 {
            let plain = std::mem::take(&mut self.plain);
            told.insert("values".to_owned(), plain.told(self.count, false));
        }
        if self.objects > 0 {
            told.insert("fields".to_owned(), self.fields(false));
        }
    }
}

impl Rows {
    /// What is known of the fields; of those of a table everything.
    fn fields(&mut self, all: bool) -> Value {
        let columns = std::mem::take(&mut self.columns);
        let objects = self.objects;
        let told = |(key, column): (String, Column)| (name(&key), column.told(objects, all));
        let mut fields: Map<String, Value> = columns.into_iter().map(told).collect();
        if !self.more_fields.is_empty() {
            let more = self.more_fields.len();
            let sign = if more < MOST_TEXTS { "" } else { "+" };
            fields.insert("$left_out".to_owned(), json!(format!("{more}{sign} more fields")));
        }
        Value::Object(fields)
    }
}

impl Column {
    fn add(&mut self, value: &str) {
        self.count += 1;
        match value.as_bytes().first() {
            Some(b'n') => self.nulls += 1,
            Some(b't') => self.truths[1] += 1,
            Some(b'f') => self.truths[0] += 1,
            Some(b'"') => {
                self.text_count += 1;
                // Once there are too many, nobody needs to know which.
                if !self.many_texts && !self.texts.contains(value) {
                    if self.texts.len() < MOST_TEXTS && value.len() <= 200 {
                        self.texts.insert(value.to_owned());
                    } else if self.texts.len() < MOST_LONG_TEXTS {
                        // Long ones are told apart by their beginning and their length.
                        let start = &value[1..floor(value, 100)];
                        self.texts.insert(format!("\"{start}... ({} bytes)\"", value.len()));
                    } else {
                        self.many_texts = true;
                    }
                }
            }
            Some(b'{' | b'[') => self.others += 1,
            _ => match value.parse() {
                Ok(number) => self.numbers.add(number, value),
                Err(_) => self.others += 1,
            },
        }
    }

    /// What is known of it, among so many rows.
    fn told(self, rows: usize, all: bool) -> Value {
        let mut told = Map::new();
        let mut kinds = Vec::new();
        if !self.numbers.is_empty() {
            kinds.push("number");
            told.extend(self.numbers.figures(all));
        }
        if self.truths != [0, 0] {
            kinds.push("boolean");
            told.insert("true".to_owned(), json!(self.truths[1]));
            told.insert("false".to_owned(), json!(self.truths[0]));
        }
        if self.text_count > 0 {
            kinds.push("text");
            let mut texts: Vec<String> = self.texts.iter().map(|text| name(text)).collect();
            texts.sort_unstable();
            let distinct = texts.len();
            let more = if self.many_texts { "+" } else { "" };
            told.insert("distinct".to_owned(), json!(format!("{distinct}{more}")));
            texts.truncate(if distinct <= 12 && !self.many_texts { 12 } else { 3 });
            told.insert("examples".to_owned(), json!(texts));
        }
        if self.others > 0 {
            kinds.push("nested");
        }
        if kinds.is_empty() {
            kinds.push("null");
        }
        let mut whole = Map::new();
        whole.insert("type".to_owned(), json!(kinds.join(" or ")));
        if self.nulls > 0 {
            whole.insert("null".to_owned(), json!(self.nulls));
        }
        if self.count < rows {
            whole.insert("absent".to_owned(), json!(rows - self.count));
        }
        whole.extend(told);
        Value::Object(whole)
    }
}
