//! JSON within other text: lines of objects, fenced blocks, an object behind a few words.

use std::ops::Range;

use crate::reader::{self, JsonError, Text, Visitor};

/// How often a text may be read in vain, so that the time stays in line with its length.
const READ_IN_VAIN: usize = 16;

/// Where objects and lists stand in a text, from left to right, none within another. A text that is one text in
/// JSON counts as well.
pub(crate) fn documents(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if text.trim_start().starts_with('"') && reader::read(text, &mut Nobody).is_ok() {
        found.push(0..text.len());
        return found;
    }
    let mut left = text.len().saturating_mul(READ_IN_VAIN);
    let mut from = 0;
    while let Some(at) = text[from..].find(['{', '[']).map(|at| from + at) {
        match end_of_first(&text[at..]) {
            Ok(length) => {
                found.push(at..at + length);
                from = at + length;
            }
            Err(read) => {
                from = at + 1;
                left = match left.checked_sub(read) {
                    Some(left) => left,
                    None => break,
                };
            }
        }
    }
    found
}

/// Where the value ends that a text begins with; if it begins with none, how far it was read to find that.
fn end_of_first(text: &str) -> Result<usize, usize> {
    match reader::read(text, &mut Nobody) {
        Ok(()) => Ok(text.trim_end().len()),
        Err(JsonError::Invalid { at, expected: "the end" }) => Ok(text[..at].trim_end().len()),
        Err(JsonError::Invalid { at, .. } | JsonError::TooDeep { at }) => Err(at),
    }
}

/// Hears nothing: only whether it is JSON counts.
struct Nobody;

impl Visitor for Nobody {
    fn begins(&mut self, _is_object: bool) {}

    fn ends(&mut self) {}

    fn key(&mut self, _text: &Text<'_>) {}

    fn string(&mut self, _text: &Text<'_>) {}

    fn number(&mut self, _digits: &str, _start: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        documents(text).into_iter().map(|one| &text[one]).collect()
    }

    #[test]
    fn objects_and_lists_are_found_wherever_they_stand() {
        assert_eq!(parts("{\"a\":1}\n{\"a\":[2]}\n"), ["{\"a\":1}", "{\"a\":[2]}"]);
        assert_eq!(parts("see [1] and ```{\"a\": \"}\"}``` {x}"), ["[1]", "{\"a\": \"}\"}"]);
        assert_eq!(parts("[text](to) {\"a\": [1, {\"b\": 2}, "), ["{\"b\": 2}"]);
        assert_eq!(parts(" \"a [1]\" "), [" \"a [1]\" "]);
        assert_eq!(parts("\"a\" [1]"), ["[1]"]);
        assert!(parts("nothing").is_empty());
    }

    #[test]
    fn what_is_open_everywhere_is_not_read_again_and_again() {
        for one in ["[", "{\"a\":", "[\"", "[1,[1],", "[[1],"] {
            documents(&one.repeat(200_000));
        }
    }
}
