//! The shape of a value: fields and types instead of values.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::halves::{text_of, value_of};
use crate::names::LEFT_OUT;
use crate::skim::{DEEPEST, Fields, Items, SEED, end_of, mixed};

/// The plain types, in the order in which they are told.
const PLAIN: [&str; 8] =
    ["boolean", "bytes", "integer", "list", "null", "number", "object", "string"];
/// Tables of different shapes that are told of at one place.
const MOST_FRAMES: usize = 5;
/// Fields that are counted beyond those that are told of.
const MOST_COUNTED: usize = 100_000;
/// Fields of an object that are told of, or more if there are more tokens.
const MOST_FIELDS: usize = 100;
/// Fields that are told of before objects get less room.
const PLENTY: usize = 20_000;
/// Fields of an object that are told of then.
const FEW: usize = 20;

/// An outline, as JSON, of which at most so many tokens will be shown.
pub(crate) fn of(text: &str, most: usize) -> String {
    let mut shape = Shape::default();
    let told = Cell::new(0);
    shape.add(text.trim(), 0, Place { depth: 0, most: most.max(MOST_FIELDS), told: &told });
    shape.told().to_string()
}

/// Where a value is.
#[derive(Clone, Copy)]
struct Place<'a> {
    depth: usize,
    most: usize,
    /// Fields that are told of, everywhere.
    told: &'a Cell<usize>,
}

impl Place<'_> {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// How many fields of an object are told of here.
    fn room(self) -> usize {
        if self.told.get() < PLENTY { self.most } else { FEW }
    }
}

/// Whether an object is something else that says what it is.
fn says_itself(text: &str) -> bool {
    crate::summary::is_frame(text) || is_bytes(text)
}

/// Whether an object is how bytes are written.
fn is_bytes(text: &str) -> bool {
    // Not read any further than it may be bytes, since whatever has a name is asked.
    let kind = Fields::of(text).next_key().filter(|(key, _)| *key == "\"$type\"");
    kind.is_some_and(|(_, at)| text[at..].starts_with("\"bytes\""))
        && Fields::of(text).map(|(key, _)| key).eq(["\"$type\"", "\"base64\""])
}

/// A table or a series that came from pandas says what it is itself.
fn frame(text: &str) -> Value {
    let fields = Fields::of(text).filter_map(|(key, value)| {
        let key: String = text_of(key)?;
        let is_about = ["$type", "name", "shape", "columns", "dtypes", "dtype", "index_name"];
        let told = is_about.contains(&key.as_str()).then(|| value_of(value))??;
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
    /// Which of [`PLAIN`] were met.
    plain: [bool; PLAIN.len()],
    list: Option<Box<List>>,
    object: Option<Box<Object>>,
    /// Tables and series, those that are alike once.
    frames: Vec<Value>,
    more_frames: BTreeSet<u64>,
}

/// Lists at one place: the shortest, the longest, and what their members are like.
#[derive(Debug)]
struct List {
    least: usize,
    most: usize,
    inner: Shape,
}

#[derive(Debug, Default)]
struct Object {
    seen: usize,
    fields: Vec<Field>,
    /// Where each of them is, by its name as written.
    places: HashMap<String, usize>,
    /// Other names, and the most fields that one object has.
    more: HashSet<u64>,
    longest: usize,
}

#[derive(Debug)]
struct Field {
    name: String,
    /// How many objects have it, and the last one that does.
    count: usize,
    last: usize,
    shape: Shape,
}

impl Shape {
    /// Adds the value that starts here, and says where it ends.
    fn add(&mut self, text: &str, start: usize, place: Place<'_>) -> usize {
        let bytes = text.as_bytes();
        match bytes.get(start) {
            Some(b'[') if place.depth < DEEPEST => return self.add_list(text, start, place),
            Some(b'{') if place.depth < DEEPEST && !says_itself(&text[start..]) => {
                return self.object.get_or_insert_default().add(text, start, place);
            }
            _ => {}
        }
        let end = end_of(bytes, start);
        let text = text.get(start..end).unwrap_or_default();
        let kind = match bytes.get(start) {
            Some(b'{') if is_bytes(text) => "bytes",
            Some(b'"') => "string",
            Some(b't' | b'f') => "boolean",
            Some(b'n') => "null",
            Some(b'[') => "list",
            Some(b'{') if crate::summary::is_frame(text) => {
                self.add_frame(frame(text));
                return end;
            }
            Some(b'{') => "object",
            _ if text.contains(['.', 'e', 'E']) => "number",
            _ => "integer",
        };
        if let Some(at) = PLAIN.iter().position(|one| *one == kind) {
            self.plain[at] = true;
        }
        end
    }

    fn add_list(&mut self, text: &str, start: usize, place: Place<'_>) -> usize {
        let new = || Box::new(List { least: usize::MAX, most: 0, inner: Shape::default() });
        let list = self.list.get_or_insert_with(new);
        let place = place.deeper();
        let mut items = Items::from(text, start);
        let mut count = 0;
        while let Some(begin) = items.next_start() {
            items.go_on(list.inner.add(text, begin, place));
            count += 1;
        }
        list.least = list.least.min(count);
        list.most = list.most.max(count);
        items.end()
    }

    fn add_frame(&mut self, frame: Value) {
        if self.frames.contains(&frame) {
            return;
        }
        if self.frames.len() < MOST_FRAMES {
            self.frames.push(frame);
        } else if self.more_frames.len() < MOST_COUNTED {
            self.more_frames.insert(mixed(SEED, &frame.to_string()));
        }
    }

    fn told(&self) -> Value {
        let met = PLAIN.iter().zip(self.plain).filter(|(_, is_met)| *is_met);
        let mut kinds: Vec<Value> = met.map(|(kind, _)| json!(kind)).collect();
        if let Some(list) = &self.list {
            let List { least, most, inner } = &**list;
            let count = if least == most { json!(most) } else { json!([least, most]) };
            kinds.push(json!({ "list": inner.told(), "count": count }));
        }
        if let Some(object) = &self.object {
            kinds.push(object.told());
        }
        kinds.extend(self.frames.iter().cloned());
        if !self.more_frames.is_empty() {
            kinds.push(json!({ LEFT_OUT: format!("{} more tables", self.more_frames.len()) }));
        }
        match kinds.len() {
            0 => json!("nothing"),
            1 => kinds.swap_remove(0),
            _ => json!({ "any_of": kinds }),
        }
    }
}

impl Object {
    /// Adds the object that starts here, and says where it ends.
    fn add(&mut self, text: &str, start: usize, place: Place<'_>) -> usize {
        self.seen += 1;
        let deeper = place.deeper();
        let mut fields = Fields::from(text, start);
        let mut at = 0;
        while let Some((key, value)) = fields.next_key() {
            let end = match self.field(at, key, place) {
                Some(field) => field.shape.add(text, value, deeper),
                None => end_of(text.as_bytes(), value),
            };
            fields.go_on(end);
            at += 1;
        }
        self.longest = self.longest.max(at);
        fields.end()
    }

    /// The field of this name; it mostly is where it was in the object before. Of too many, no more
    /// than their number is known.
    fn field(&mut self, at: usize, key: &str, place: Place<'_>) -> Option<&mut Field> {
        let is_there = self.fields.get(at).is_some_and(|field| field.name == key);
        let known = if is_there { Some(at) } else { self.places.get(key).copied() };
        let Some(known) = known.or_else(|| self.placed(key, place)) else {
            if self.more.len() < MOST_COUNTED {
                self.more.insert(mixed(SEED, key));
            }
            return None;
        };
        let field = self.fields.get_mut(known)?;
        if field.last < self.seen {
            field.last = self.seen;
            field.count += 1;
        }
        Some(field)
    }

    /// A place for a name that is written in a new way, if there is room.
    fn placed(&mut self, key: &str, place: Place<'_>) -> Option<usize> {
        let is_same = |field: &Field| text_of(&field.name) == text_of(key);
        let same = || self.fields.iter().position(is_same);
        let at = match key.contains('\\').then(same).flatten() {
            Some(known) => known,
            None if self.fields.len() < place.room() => {
                let (name, shape) = (key.to_owned(), Shape::default());
                self.fields.push(Field { name, count: 0, last: 0, shape });
                place.told.set(place.told.get() + 1);
                self.fields.len() - 1
            }
            None => return None,
        };
        self.places.insert(key.to_owned(), at);
        Some(at)
    }

    fn told(&self) -> Value {
        let mut told = Map::new();
        for field in &self.fields {
            let mut name = text_of(&field.name).unwrap_or_default();
            // In quotes where it would look like a name that is not always there.
            if name.ends_with(['?', '"']) {
                name = Value::String(name).to_string();
            }
            if field.count < self.seen {
                name.push('?');
            }
            told.insert(name, field.shape.told());
        }
        let is_counted = self.more.len() < MOST_COUNTED || self.seen == 1;
        let more = self.more.len().max(self.longest.saturating_sub(self.fields.len()));
        crate::summary::leave_out(&mut told, more, if is_counted { "" } else { "+" });
        Value::Object(told)
    }
}
