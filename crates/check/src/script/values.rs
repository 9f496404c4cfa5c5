//! Arguments as far as they are written down, as JSON.

use serde_json::{Map, Number, Value};
use typescript::{Part, Range, Written};

use crate::finding::Code;

/// Whole numbers beyond this are not exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Arguments, and the places in them that are not known.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) value: Value,
    /// Paths such as `filter.labels`, as `catalog` writes them.
    holes: Vec<String>,
    /// Paths of objects that may have other keys besides.
    open: Vec<String>,
    /// Where a key stands, and where its value does.
    places: Vec<(String, Range, Range)>,
}

impl Given {
    /// The arguments of a call; what kind of thing they are if that is no object.
    pub(super) fn of(part: Option<&Part>) -> Result<Self, (&'static str, Range)> {
        let mut given = Self { value: Value::Object(Map::new()), ..Self::default() };
        let Some(part) = part else { return Ok(given) };
        let kind = match &part.value {
            Written::Object { .. } => {
                given.value = given.json(part, "").unwrap_or_default();
                return Ok(given);
            }
            // The guest takes both for no arguments.
            Written::Null | Written::Undefined => return Ok(given),
            Written::Unknown => {
                given.holes.push(String::new());
                return Ok(given);
            }
            Written::Boolean(_) => "a truth value",
            Written::Number(_) => "a number",
            Written::Text(_) => "text",
            Written::Array(_) => "an array",
        };
        Err((kind, part.range))
    }

    /// The value, with holes where only running would tell; `None` for what is not sent.
    fn json(&mut self, part: &Part, path: &str) -> Option<Value> {
        Some(match &part.value {
            Written::Null => Value::Null,
            Written::Undefined => return None,
            Written::Boolean(value) => (*value).into(),
            Written::Text(text) => text.as_str().into(),
            Written::Number(value) => number(*value).unwrap_or_else(|| self.hole(path)),
            Written::Unknown => self.hole(path),
            Written::Array(items) => {
                let mut values = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    let inner = format!("{path}[{at}]");
                    self.places.push((inner.clone(), item.range, item.range));
                    values.push(self.json(item, &inner).unwrap_or_default());
                }
                Value::Array(values)
            }
            Written::Object { entries, is_open } => {
                if *is_open {
                    self.open.push(path.to_owned());
                }
                let mut object = Map::new();
                for (key, part) in entries {
                    let inner = if path.is_empty() {
                        key.name.clone()
                    } else {
                        format!("{path}.{}", key.name)
                    };
                    self.places.push((inner.clone(), key.range, part.range));
                    if let Some(value) = self.json(part, &inner) {
                        object.insert(key.name.clone(), value);
                    }
                }
                Value::Object(object)
            }
        })
    }

    fn hole(&mut self, path: &str) -> Value {
        self.holes.push(path.to_owned());
        Value::Null
    }

    /// Whether nothing certain can be said about what is at `path`.
    pub(super) fn is_open(&self, path: &str, code: Code) -> bool {
        let may_come = |open: &String| {
            // What is missing may be among the keys that are not known, and what is said of an object as a
            // whole may be about those.
            code == Code::MissingArgument && is_within(open, path) || is_within(path, open)
        };
        let has_hole = |hole: &String| {
            // That a key is none of its object's does not depend on what is under it.
            if code == Code::UnknownArgument && hole == path {
                return false;
            }
            is_within(hole, path) || is_within(path, hole)
        };
        self.open.iter().any(may_come) || self.holes.iter().any(has_hole)
    }

    /// The part that begins at a byte, with its key or with its value: its path, and where its value stands.
    pub(super) fn part_at(&self, at: u32) -> Option<(&str, Range)> {
        let mut places = self.places.iter().rev();
        let (path, _, value) =
            places.find(|(_, key, value)| key.start == at || value.start == at)?;
        Some((path, *value))
    }

    /// Where the part at `path` stands: its key for one that should not be there, else its value.
    pub(super) fn place(&self, path: &str, code: Code) -> Option<Range> {
        let (_, key, value) = self.places.iter().rev().find(|(one, ..)| one == path)?;
        Some(if code == Code::UnknownArgument { *key } else { *value })
    }
}

/// Whether a path leads into another, or to the same place.
fn is_within(outer: &str, inner: &str) -> bool {
    outer.is_empty()
        || inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// A number as JSON writes it.
#[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough")]
fn number(value: f64) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(source: &str) -> Given {
        let source = format!("callMCPTool('x', {source})");
        let reading = typescript::reading(&source).unwrap();
        let arguments = reading.calls[0].arguments.clone().unwrap();
        Given::of(arguments.get(1)).unwrap()
    }

    #[test]
    fn what_is_written_is_json_and_the_rest_is_a_hole() {
        let found = given("{ a: 1, b: [true, x], 'c': { d: `t`, e: undefined }, f: -1.5 }");
        assert_eq!(found.value, json!({"a": 1, "b": [true, null], "c": {"d": "t"}, "f": -1.5}));
        assert!(found.is_open("b[1]", Code::WrongType) && !found.is_open("a", Code::WrongType));
        assert!(found.is_open("b", Code::WrongType));
        assert!(!found.is_open("c.e", Code::MissingArgument));
    }

    #[test]
    fn what_may_come_from_elsewhere_is_not_missing_and_what_is_written_is_there() {
        let found = given("{ ...rest, tittle: name }");
        assert!(found.is_open("title", Code::MissingArgument));
        assert!(!found.is_open("tittle", Code::UnknownArgument));
        assert!(found.is_open("tittle", Code::WrongType));
    }
}
