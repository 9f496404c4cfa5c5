//! How much work a schema can make.
//!
//! A few lines of schema can describe the same value in a million ways, and a validator would
//! try them all. What is counted here bounds that before it begins.

use std::collections::HashMap;

use serde_json::Value;

use crate::schema::document::Document;

/// How large a schema may be when every reference is replaced by what it leads to.
const MOST_UNFOLDED: u64 = 2_000_000;
/// How deep references and schemas may be nested in each other.
const DEEPEST: usize = 400;

/// Keywords whose schemas describe the very same value again.
const IN_PLACE: [&str; 9] =
    ["$dynamicRef", "$recursiveRef", "$ref", "allOf", "anyOf", "else", "if", "oneOf", "then"];
/// Keywords that hold values, not schemas.
const VALUES: [&str; 5] = ["const", "default", "enum", "example", "examples"];

/// What is known about a schema's size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    unfolded: u64,
    /// In how many ways one value can be described.
    ways: u64,
    recursive: bool,
}

impl Work {
    pub(super) fn of(schema: &Value) -> Self {
        let document = Document::new(schema);
        let mut count =
            Count { document, known: HashMap::new(), depth: 0, recursive: false, ways: 1 };
        let size = count.size(schema);
        Self { unfolded: size.unfolded, ways: count.ways, recursive: count.recursive }
    }

    /// Checking takes a time that somebody can wait for.
    pub(super) fn is_bounded(&self) -> bool {
        self.unfolded <= MOST_UNFOLDED
    }

    /// How many steps it can take to find everything that is wrong with `arguments`.
    pub(super) fn steps(&self, arguments: &Value) -> u64 {
        if !self.recursive {
            return 0;
        }
        self.ways.saturating_pow(u32::try_from(depth(arguments)).unwrap_or(u32::MAX))
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

#[derive(Clone, Copy)]
struct Size {
    unfolded: u64,
    ways: u64,
}

struct Count<'a> {
    document: Document<'a>,
    /// `None` while it is being counted.
    known: HashMap<usize, Option<Size>>,
    depth: usize,
    recursive: bool,
    ways: u64,
}

impl<'a> Count<'a> {
    fn size(&mut self, schema: &'a Value) -> Size {
        let leaf = Size { unfolded: 1, ways: 1 };
        let too_much = Size { unfolded: u64::MAX, ways: u64::MAX };
        if !schema.is_object() && !schema.is_array() {
            return leaf;
        }
        let address = std::ptr::from_ref(schema).addr();
        match self.known.get(&address) {
            Some(Some(size)) => return *size,
            Some(None) => {
                self.recursive = true;
                return leaf;
            }
            None if self.depth == DEEPEST => return too_much,
            None => {}
        }
        self.known.insert(address, None);
        self.depth += 1;
        let size = self.fresh(schema);
        self.depth -= 1;
        self.known.insert(address, Some(size));
        self.ways = self.ways.max(size.ways);
        size
    }

    fn fresh(&mut self, schema: &'a Value) -> Size {
        let mut unfolded: u64 = 1;
        let mut ways: u64 = 0;
        match schema {
            Value::Array(items) => {
                for item in items {
                    let size = self.size(item);
                    unfolded = unfolded.saturating_add(size.unfolded);
                    ways = ways.saturating_add(size.ways);
                }
            }
            Value::Object(map) => {
                for (keyword, value) in map {
                    if VALUES.contains(&keyword.as_str()) {
                        continue;
                    }
                    let size = match value
                        .as_str()
                        .filter(|_| keyword.ends_with("Ref") || keyword == "$ref")
                    {
                        Some(reference) => match self.document.target(reference) {
                            Some(target) => self.size(target.schema),
                            None => continue,
                        },
                        None => self.size(value),
                    };
                    unfolded = unfolded.saturating_add(size.unfolded);
                    if IN_PLACE.contains(&keyword.as_str()) {
                        ways = ways.saturating_add(size.ways);
                    }
                }
            }
            _ => {}
        }
        Size { unfolded, ways: ways.max(1) }
    }
}
