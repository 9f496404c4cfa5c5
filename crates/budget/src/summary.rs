//! What a value is like: counts, shapes and figures instead of rows.

mod frame;

pub(crate) use frame::is_one as is_frame;

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::halves::{text_of, value_of};
use crate::names::free_name;
use crate::numbers::Numbers;
use crate::printed::{ceil, floor};
use crate::skim::{DEEPEST, Fields, Items, SEED, end_of, mixed};
use crate::times::Times;

/// Fields that are told of before objects get less room.
const PLENTY: usize = 20_000;
/// Fields of an object that are told of then.
const FEW: usize = 20;
/// Fields of rows that are told of.
const MOST_FIELDS: usize = 60;
/// Fields of rows that are counted beyond those.
const MOST_COUNTED: usize = 100_000;
/// Different texts of a field that are counted.
const MOST_TEXTS: usize = 1000;
/// Long texts among them.
const MOST_LONG_TEXTS: usize = 50;
/// Letters of a text that are shown at its beginning, and at its end.
const LETTERS: usize = 200;
/// Bytes of a list inside a row that is shown as it is.
const SHORT: usize = 120;

/// A summary, as JSON, of which at most so many tokens will be shown.
pub(crate) fn of(text: &str, most: usize) -> String {
    Telling { most, told: 0 }.about(text.trim(), 0, 0).0.to_string()
}

struct Telling {
    most: usize,
    /// Fields that have been told of.
    told: usize,
}

impl Telling {
    /// What the value is like that starts here, and where it ends.
    fn about(&mut self, text: &str, start: usize, depth: usize) -> (Value, usize) {
        match text.as_bytes().get(start) {
            Some(b'[') => about_list(text, start, depth),
            Some(b'{') if !frame::is_one(&text[start..]) => self.about_object(text, start, depth),
            first => {
                let end = end_of(text.as_bytes(), start);
                let written = text.get(start..end).unwrap_or_default();
                let value = match first {
                    Some(b'{') => frame::about(written),
                    _ => plain_or_text(written),
                };
                (value, end)
            }
        }
    }

    fn about_object(&mut self, text: &str, start: usize, depth: usize) -> (Value, usize) {
        let room = match self.told {
            _ if depth >= DEEPEST => 0,
            0..PLENTY => self.most,
            _ => FEW,
        };
        let mut told = Map::new();
        let mut more = 0;
        let mut fields = Fields::from(text, start);
        while let Some((key, value)) = fields.next_key() {
            let end = if told.len() < room {
                self.told += 1;
                let (value, end) = self.about(text, value, depth + 1);
                told.insert(name(key), value);
                end
            } else {
                more += 1;
                end_of(text.as_bytes(), value)
            };
            fields.go_on(end);
        }
        if room == 0 && more > 0 {
            return (json!({ "type": "object", "fields": more }), fields.end());
        }
        leave_out(&mut told, more, "");
        (Value::Object(told), fields.end())
    }
}

/// Says how many fields are missing.
pub(crate) fn leave_out(told: &mut Map<String, Value>, more: usize, sign: &str) {
    if more > 0 {
        let name = free_name(|name| told.contains_key(name));
        told.insert(name, json!(format!("{more}{sign} more fields")));
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
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

fn name(key: &str) -> String {
    text_of(key).unwrap_or_default()
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

/// What the list is like that starts here, and where it ends.
fn about_list(text: &str, start: usize, depth: usize) -> (Value, usize) {
    let mut items = Items::from(text, start);
    let (mut rows, ends) = Rows::read(&mut items);
    let Some((first, last)) = ends else { return (json!([]), items.end()) };
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
    (Value::Object(told), items.end())
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
    leave_out(&mut shown, more, "");
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
    /// Fields of those that are, in the order they were met, and where each is.
    columns: Vec<(String, Column)>,
    places: HashMap<String, usize>,
    objects: usize,
    lists: usize,
    /// The shortest and the longest of the lists, and what their members are like.
    lengths: (usize, usize),
    inner: Column,
    /// Other fields, and the most fields that one row has.
    more_fields: HashSet<u64>,
    longest: usize,
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
    times: Times,
    /// How many of the texts are what Python's numbers without a value come as.
    not_finite: [usize; 3],
    others: usize,
}

/// What those are.
const NOT_FINITE: [&str; 3] = ["\"NaN\"", "\"Infinity\"", "\"-Infinity\""];

impl Rows {
    /// Reads a list, and gives its first and its last member.
    fn read<'a>(items: &mut Items<'a>) -> (Self, Option<(&'a str, &'a str)>) {
        let mut rows = Self::default();
        let (mut first, mut last) = (None, None);
        loop {
            let mut at = 0;
            let item = items.next_meeting(|key, value| {
                if let Some(column) = rows.column(at, key) {
                    column.add(value);
                }
                at += 1;
            });
            let Some(item) = item else { break };
            rows.longest = rows.longest.max(at);
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
        let place = match self.columns.get(at).filter(|column| column.0 == key) {
            Some(_) => Some(at),
            None => self.places.get(key).copied(),
        };
        if let Some(place) = place {
            return self.columns.get_mut(place).map(|column| &mut column.1);
        }
        if self.columns.len() >= MOST_FIELDS {
            if self.more_fields.len() < MOST_COUNTED {
                self.more_fields.insert(mixed(SEED, key));
            }
            return None;
        }
        self.places.insert(key.to_owned(), self.columns.len());
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
        let is_counted = self.more_fields.len() < MOST_COUNTED || objects == 1;
        let more = self.more_fields.len().max(self.longest.saturating_sub(MOST_FIELDS));
        leave_out(&mut fields, more, if is_counted { "" } else { "+" });
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
                self.times.add(value);
                if let Some(which) = NOT_FINITE.iter().position(|written| *written == value) {
                    self.not_finite[which] += 1;
                }
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
            _ if self.numbers.add(value) => {}
            _ => self.others += 1,
        }
    }

    /// Whether its texts are what numbers without a value come as: those of which some have none
    /// are numbers still.
    fn is_numeric(&self) -> bool {
        let is_plain = self.truths == [0, 0] && self.others == 0;
        let has_words = self.not_finite.iter().sum::<usize>() < self.text_count;
        !has_words && (is_plain || !self.numbers.is_empty())
    }

    /// What is known of it, among so many rows.
    fn told(self, rows: usize, all: bool) -> Value {
        let mut told = Map::new();
        let mut kinds = Vec::new();
        let is_numeric = self.is_numeric();
        if !self.numbers.is_empty() {
            kinds.push("number");
            told.extend(self.numbers.figures(all));
        }
        if self.truths != [0, 0] {
            kinds.push("boolean");
            told.insert("true".to_owned(), json!(self.truths[1]));
            told.insert("false".to_owned(), json!(self.truths[0]));
        }
        if is_numeric && self.text_count > 0 {
            let found = NOT_FINITE.iter().zip(self.not_finite).filter(|(_, count)| *count > 0);
            let found: Map<String, Value> =
                found.map(|(written, count)| (name(written), json!(count))).collect();
            told.insert("not_finite".to_owned(), Value::Object(found));
            // An infinity is a value, and the only one if there was no number.
            if kinds.is_empty() && self.not_finite[1..] != [0, 0] {
                kinds.push("number");
            }
        } else if self.text_count > 0 {
            kinds.push("text");
            let mut texts: Vec<String> = self.texts.iter().map(|text| name(text)).collect();
            texts.sort_unstable();
            let distinct = texts.len();
            // A number, unless it is only known that there are more.
            let said =
                if self.many_texts { json!(format!("{distinct}+")) } else { json!(distinct) };
            told.insert("distinct".to_owned(), said);
            texts.truncate(if distinct <= 12 && !self.many_texts { 12 } else { 3 });
            told.insert("examples".to_owned(), json!(texts));
        }
        if self.others > 0 {
            kinds.push("nested");
        }
        if let Some([earliest, latest]) = self.times.ends().filter(|_| kinds == ["text"]) {
            told.insert("earliest".to_owned(), json!(earliest));
            told.insert("latest".to_owned(), json!(latest));
        }
        if kinds.is_empty() {
            kinds.push("null");
            told.insert("count".to_owned(), json!(0));
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
