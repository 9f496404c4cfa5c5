//! A part of a value, for whoever wants all of it piece by piece.

use serde_json::value::RawValue;

use crate::skim::{Fields, Items};

/// How many members there are of what `pointer` leads to, and `limit` of them from `offset` on.
/// A text's members are its letters; of anything else there is one. `pointer` is empty for the
/// whole, or `/rows/3/name`.
#[must_use]
pub fn page(
    value: &RawValue,
    pointer: &str,
    offset: usize,
    limit: usize,
) -> Option<(usize, Box<RawValue>)> {
    let mut text = value.get().trim();
    let steps = match pointer.strip_prefix('/') {
        Some(steps) => steps.split('/').collect(),
        None if pointer.is_empty() => Vec::new(),
        None => return None,
    };
    for step in steps {
        let step = step.replace("~1", "/").replace("~0", "~");
        text = match text.as_bytes().first()? {
            b'[' => Items::of(text).nth(step.parse().ok()?)?,
            b'{' => {
                let is_it =
                    |key: &str| serde_json::from_str::<String>(key).is_ok_and(|key| key == step);
                Fields::of(text).find(|(key, _)| is_it(key))?.1
            }
            _ => return None,
        };
    }
    let (total, part) = match text.as_bytes().first()? {
        b'[' => {
            let items: Vec<&str> = Items::of(text).collect();
            let part: Vec<&str> = items.iter().skip(offset).take(limit).copied().collect();
            (items.len(), format!("[{}]", part.join(",")))
        }
        b'{' => {
            let fields: Vec<(&str, &str)> = Fields::of(text).collect();
            let part = fields.iter().skip(offset).take(limit);
            let part: Vec<String> = part.map(|(key, value)| format!("{key}:{value}")).collect();
            (fields.len(), format!("{{{}}}", part.join(",")))
        }
        b'"' => {
            let whole: String = serde_json::from_str(text).ok()?;
            let part: String = whole.chars().skip(offset).take(limit).collect();
            (whole.chars().count(), serde_json::Value::String(part).to_string())
        }
        _ => (1, text.to_owned()),
    };
    Some((total, RawValue::from_string(part).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, pointer: &str, offset: usize, limit: usize) -> Option<(usize, String)> {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        page(&raw, pointer, offset, limit).map(|(total, part)| (total, part.get().to_owned()))
    }

    #[test]
    fn pages_lists_objects_and_texts() {
        let text = r#"{"rows": [1, 2, {"a/b": "xyz"}], "n": 3}"#;
        assert_eq!(of(text, "", 1, 5), Some((2, r#"{"n":3}"#.to_owned())));
        assert_eq!(of(text, "/rows", 1, 1), Some((3, "[2]".to_owned())));
        assert_eq!(of(text, "/rows/2/a~1b", 1, 9), Some((3, "\"yz\"".to_owned())));
        assert_eq!(of(text, "/n", 0, 9), Some((1, "3".to_owned())));
        assert_eq!(of(text, "/rows/9", 0, 9), None);
        assert_eq!(of(text, "rows", 0, 9), None);
    }
}
