//! Where a value differs from the only one that there may be.

use serde_json::Value;

use super::super::{Problem, words};
use super::{Segment, named, path_in_words};

/// Where a value first differs from the only one that there may be: of two objects, "an object" says nothing.
pub(super) fn difference(path: &[Segment], expected: &Value, given: &Value) -> Problem {
    let below = |segment: Segment| -> Vec<Segment> {
        path.iter().cloned().chain(std::iter::once(segment)).collect()
    };
    let here = |message| Problem { path: path_in_words(path.iter().cloned()), message };
    match (expected, given) {
        (Value::Object(expected), Value::Object(given)) => {
            for (key, expected) in expected {
                let at = below(key.as_str().into());
                match given.get(key) {
                    None => {
                        let message = format!(
                            "{} should be {}, and is missing",
                            named(&at),
                            words::in_full(expected)
                        );
                        return Problem { path: path_in_words(at.into_iter()), message };
                    }
                    Some(given) if given != expected => return difference(&at, expected, given),
                    Some(_) => {}
                }
            }
            match given.keys().find(|key| !expected.contains_key(*key)) {
                Some(key) => {
                    here(format!("{} has no key \"{}\"", named(path), words::shortened(key)))
                }
                None => here(format!("{} does not fit", named(path))),
            }
        }
        (Value::Array(expected), Value::Array(given)) if expected.len() == given.len() => {
            let mut pairs = expected.iter().zip(given).enumerate();
            match pairs.find(|(_, (expected, given))| expected != given) {
                Some((at, (expected, given))) => {
                    difference(&below(Segment::Position(at)), expected, given)
                }
                None => here(format!("{} does not fit", named(path))),
            }
        }
        (expected, given) => here(format!(
            "{} should be {}, not {}",
            named(path),
            words::in_full(expected),
            words::in_full(given)
        )),
    }
}
