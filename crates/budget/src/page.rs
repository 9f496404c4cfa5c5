//! A part of a value, for whoever wants all of it piece by piece.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::halves::{letters, text_of};
use crate::skim::{Fields, Items};

/// Members of a page where nobody says how many.
const USUAL: usize = 100;

/// How many members there are of what `pointer` leads to, and `limit` of them from `offset` on.
/// A text's members are its letters; of anything else there is one. `pointer` is empty for the
/// whole, or `/rows/3/name`. Without a limit there are 100 members, and of a text as many letters as
/// there is room for.
///
/// A page has at most about `most` bytes: it ends early, and a member that is too long by itself is
/// told of with the pointer that leads to it.
#[must_use]
pub fn page(
    value: &RawValue,
    pointer: &str,
    offset: usize,
    limit: Option<usize>,
    most: usize,
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
                let is_it = |key: &str| text_of(key).is_some_and(|key| key == step);
                Fields::of(text).find(|(key, _)| is_it(key))?.1
            }
            _ => return None,
        };
    }
    let (total, part) = match text.as_bytes().first()? {
        b'[' => {
            let items: Vec<&str> = Items::of(text).collect();
            let part = items.iter().enumerate().skip(offset).take(limit.unwrap_or(USUAL));
            let part = part.map(|(at, item)| told(item, || format!("{pointer}/{at}"), most));
            (items.len(), format!("[{}]", joined(part, most)))
        }
        b'{' => {
            let fields: Vec<(&str, &str)> = Fields::of(text).collect();
            let part = fields.iter().skip(offset).take(limit.unwrap_or(USUAL));
            let part = part.map(|(key, value)| {
                let name = || text_of(key).unwrap_or_default();
                let step = || name().replace('~', "~0").replace('/', "~1");
                if key.len() > most / 4 {
                    return too_long_a_key(&name(), most);
                }
                format!("{key}:{}", told(value, || format!("{pointer}/{}", step()), most))
            });
            (fields.len(), format!("{{{}}}", joined(part, most)))
        }
        b'"' => {
            let mut part = String::new();
            let limit = limit.unwrap_or(most).min(most / 4);
            for letter in letters(text).skip(offset).take(limit) {
                if part.len() + letter.len() > most {
                    break;
                }
                part.push_str(letter);
            }
            (letters(text).count(), format!("\"{part}\""))
        }
        _ => (1, text.to_owned()),
    };
    Some((total, RawValue::from_string(part).ok()?))
}

/// A member as it is, or what it is and where.
fn told(text: &str, pointer: impl Fn() -> String, most: usize) -> Cow<'_, str> {
    if text.len() <= most / 2 {
        return Cow::Borrowed(text);
    }
    let what = match text.as_bytes().first() {
        Some(b'[') => format!("list of {}", Items::of(text).count()),
        Some(b'{') => format!("object of {}", Fields::of(text).count()),
        _ => format!("text of {} bytes", text.len()),
    };
    Cow::Owned(serde_json::json!({ "$left_out": what, "$pointer": pointer() }).to_string())
}

/// The beginning of a key that no page has room for, and how long it is.
fn too_long_a_key(name: &str, most: usize) -> String {
    let start: String = name.chars().take(most / 16).collect();
    let key = serde_json::Value::String(format!("{start}…"));
    format!("{key}:{{\"$left_out\":\"field with a name of {} bytes\"}}", name.len())
}

/// As many members as there is room for, and at least one.
fn joined(members: impl Iterator<Item = impl AsRef<str>>, most: usize) -> String {
    let mut out = String::new();
    for member in members {
        let member = member.as_ref();
        if !out.is_empty() {
            if out.len() + member.len() > most {
                break;
            }
            out.push(',');
        }
        out.push_str(member);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, pointer: &str, offset: usize, limit: usize) -> Option<(usize, String)> {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        page(&raw, pointer, offset, Some(limit), 1 << 20)
            .map(|(total, part)| (total, part.get().to_owned()))
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

    #[test]
    fn without_a_limit_a_page_of_text_is_full_and_one_of_rows_has_a_hundred() {
        let value = serde_json::json!({ "text": "x".repeat(9000), "rows": vec![1; 500] });
        let raw = RawValue::from_string(value.to_string()).unwrap();
        let (total, text) = page(&raw, "/text", 0, None, 1 << 14).unwrap();
        assert_eq!((total, text.get().len()), (9000, (1 << 14) / 4 + 2));
        let (total, rows) = page(&raw, "/rows", 0, None, 1 << 14).unwrap();
        assert_eq!((total, rows.get().matches('1').count()), (500, 100));
    }

    #[test]
    fn a_key_longer_than_a_page_is_cut() {
        let value = serde_json::json!({ "k".repeat(9000): 1, "n": 2 });
        let raw = RawValue::from_string(value.to_string()).unwrap();
        let (total, part) = page(&raw, "", 0, Some(10), 1000).unwrap();
        assert_eq!(total, 2);
        assert!(part.get().len() < 1000);
        assert!(part.get().contains("a name of 9000 bytes"), "{}", part.get());
    }

    #[test]
    fn no_page_is_longer_than_asked_for_and_everything_can_be_reached() {
        let rows: Vec<usize> = (0..5000).collect();
        let value = serde_json::json!({ "a/b": "x".repeat(9000), "rows": rows, "n": 1 });
        let raw = RawValue::from_string(value.to_string()).unwrap();
        let read = |pointer: &str, offset| {
            let (total, part) = page(&raw, pointer, offset, Some(10_000), 1000).unwrap();
            assert!(part.get().len() <= 1100, "{}", part.get().len());
            (total, serde_json::from_str::<serde_json::Value>(part.get()).unwrap())
        };
        let (total, whole) = read("", 0);
        assert_eq!((total, &whole["n"]), (3, &1.into()));
        assert_eq!(whole["rows"]["$pointer"], "/rows");
        assert_eq!(whole["a/b"]["$pointer"], "/a~1b");
        let mut found = Vec::new();
        while found.len() < 5000 {
            let (_, part) = read("/rows", found.len());
            found.extend(part.as_array().unwrap().clone());
        }
        assert_eq!(serde_json::Value::from(found), value["rows"]);
        let (total, part) = read("/a~1b", 0);
        assert_eq!((total, part.as_str().unwrap().len()), (9000, 250));
    }
}
