//! Changing texts and numbers where they stand in JSON: every other byte stays as it was.

use std::borrow::Cow;

use crate::reader::{self, JsonError, Text, Visitor};

/// What stands at one place of a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'t> {
    /// A field's name, without the escapes of JSON.
    Key(&'t str),
    /// A text, without the escapes of JSON.
    Text(&'t str),
    /// A number, as it is written.
    Number(&'t str),
}

/// The JSON with the texts that `change` gives in the places of keys, texts and numbers; borrowed if it gives
/// none.
///
/// # Errors
/// When it is not JSON, or nested too deep to be looked through.
pub fn edited_json<'j>(
    json: &'j str,
    change: &mut dyn FnMut(Piece<'_>) -> Option<String>,
) -> Result<Cow<'j, str>, JsonError> {
    let mut editor = Editor { json, change, from: 0, edited: String::new() };
    reader::read(json, &mut editor)?;
    if editor.from == 0 {
        return Ok(Cow::Borrowed(json));
    }
    editor.edited.push_str(&json[editor.from..]);
    Ok(Cow::Owned(editor.edited))
}

struct Editor<'j, 'c> {
    json: &'j str,
    change: &'c mut dyn FnMut(Piece<'_>) -> Option<String>,
    /// What stands before is in `edited`.
    from: usize,
    edited: String,
}

impl Editor<'_, '_> {
    fn put(&mut self, start: usize, end: usize, text: Option<String>) {
        let Some(text) = text else { return };
        self.edited.push_str(&self.json[self.from..start]);
        self.edited.push_str(&serde_json::Value::String(text).to_string());
        self.from = end;
    }
}

impl Visitor for Editor<'_, '_> {
    fn begins(&mut self, _is_object: bool) {}

    fn ends(&mut self) {}

    fn key(&mut self, text: &Text<'_>) {
        let changed = (self.change)(Piece::Key(text.decoded));
        self.put(text.start - 1, text.end + 1, changed);
    }

    fn string(&mut self, text: &Text<'_>) {
        let changed = (self.change)(Piece::Text(text.decoded));
        self.put(text.start - 1, text.end + 1, changed);
    }

    fn number(&mut self, digits: &str, start: usize) {
        let changed = (self.change)(Piece::Number(digits));
        self.put(start, start + digits.len(), changed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_changed_keeps_its_bytes() {
        let json = "{ \"b\" : 123456789012345678901234567890, \"a\":[1e2, \"x\\u00e4\\\"\", 7] }";
        let mut change = |piece: Piece<'_>| match piece {
            Piece::Key("a") => Some("c".to_owned()),
            Piece::Text("xä\"") => Some("y\n".to_owned()),
            Piece::Number("7") => Some("seven".to_owned()),
            _ => None,
        };
        assert_eq!(
            edited_json(json, &mut change).unwrap(),
            "{ \"b\" : 123456789012345678901234567890, \"c\":[1e2, \"y\\n\", \"seven\"] }"
        );
        assert!(matches!(edited_json(json, &mut |_| None), Ok(Cow::Borrowed(_))));
        assert!(edited_json("{\"a\": 1} {", &mut |_| None).is_err());
    }
}
