//! What was sent and must not come back: found in an answer, and replaced by what stands for it.

use std::borrow::Cow;
use std::fmt::Write as _;

use privacy::{Piece, edited_json};
use serde_json::{Map, Value};
use upstream::{Part, Resource, ToolResult};

use super::percent;

/// Something that an answer must not have, and what it has instead.
#[derive(Clone)]
pub(super) struct Echo {
    value: String,
    /// As it is written within JSON, and within JSON that is a text there.
    escaped: Vec<String>,
    instead: String,
    /// It is found as a whole word only: a short name is part of many words.
    is_word: bool,
}

/// A single word of fewer letters may be part of another word by chance,
const LONG_WORD: usize = 12;
/// and so may anything of fewer letters, digits and signs.
const LONG: usize = 6;

impl Echo {
    /// Personal data that was put back; `is_glued` where that made it part of a longer word, as which it may
    /// come back.
    pub(super) fn of_token(value: &str, token: &str, is_glued: bool) -> Self {
        Self::new(value, token, is_short(value) && !is_glued)
    }

    /// A secret.
    pub(super) fn of_secret(value: &str, handle: &str) -> Self {
        Self::new(value, handle, false)
    }

    fn new(value: &str, instead: &str, is_word: bool) -> Self {
        let escaped = escapes(value);
        Self { value: value.to_owned(), escaped, instead: instead.to_owned(), is_word }
    }

    /// How long what is looked for is.
    pub(super) fn length(&self) -> usize {
        self.value.len()
    }

    /// Whether it is in a number.
    fn is_in(&self, number: &str) -> bool {
        self.value == number || !self.is_word && number.contains(&self.value)
    }

    /// The text without it, however it is written there; `None` where it is not in it.
    fn replaced(&self, text: &str) -> Option<String> {
        let mut replaced = None;
        // What is escaped more often is longer, and has the others in it.
        for form in self.escaped.iter().chain([&self.value]) {
            let text = replaced.as_deref().unwrap_or(text);
            replaced = self.without(text, form).or(replaced);
        }
        let text = replaced.as_deref().unwrap_or(text);
        let found = |start: Option<char>, end: Option<char>| {
            !self.is_word || !is_part(start) && !is_part(end)
        };
        percent::replaced(text, &self.value, &self.instead, &found).or(replaced)
    }

    fn without(&self, text: &str, form: &str) -> Option<String> {
        if !text.contains(form) {
            return None;
        }
        if !self.is_word {
            return Some(text.replace(form, &self.instead));
        }
        let mut replaced = String::with_capacity(text.len());
        let mut from = 0;
        for (at, found) in text.match_indices(form) {
            let end = at + found.len();
            if is_part(text[..at].chars().next_back()) || is_part(text[end..].chars().next()) {
                continue;
            }
            replaced.push_str(&text[from..at]);
            replaced.push_str(&self.instead);
            from = end;
        }
        replaced.push_str(&text[from..]);
        Some(replaced)
    }
}

/// Whether a value may be part of other words by chance.
pub(super) fn is_short(value: &str) -> bool {
    let length = value.chars().count();
    length < LONG || length < LONG_WORD && value.chars().all(char::is_alphabetic)
}

fn is_part(letter: Option<char>) -> bool {
    letter.is_some_and(char::is_alphanumeric)
}

/// A text without any of them.
pub(super) fn in_text(echoes: &[Echo], text: &mut String) {
    if echoes.is_empty() {
        return;
    }
    let without = |text: &str| {
        let clean = echoes
            .iter()
            .fold(Cow::Borrowed(text), |text, echo| echo.replaced(&text).map_or(text, Cow::Owned));
        match clean {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean),
        }
    };
    if let Some(clean) = changed(text, &without, &|number| in_number(echoes, number)) {
        *text = clean;
    }
}

/// A text that is changed wherever it says something: what is JSON stays JSON, and keeps every byte that is
/// not changed. `None` where nothing is.
pub(super) fn changed(
    text: &str,
    in_words: &dyn Fn(&str) -> Option<String>,
    in_number: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    if text.trim_start().starts_with(['{', '[']) {
        let edited = edited_json(text, &mut |piece| match piece {
            Piece::Key(key) => in_words(key),
            Piece::Text(text) => changed(text, in_words, in_number),
            // In JSON it becomes a text, which needs quotes.
            Piece::Number(number) => in_number(number),
        });
        match edited {
            Ok(Cow::Borrowed(_)) => return None,
            Ok(Cow::Owned(changed)) => return Some(changed),
            Err(_no_json) => {}
        }
    }
    in_words(text)
}

fn in_number(echoes: &[Echo], number: &str) -> Option<String> {
    let echo = echoes.iter().find(|echo| echo.is_in(number))?;
    Some(number.replace(&echo.value, &echo.instead))
}

/// A value without any of them.
pub(super) fn in_json(echoes: &[Echo], value: &mut Value) {
    if echoes.is_empty() {
        return;
    }
    match value {
        Value::String(text) => in_text(echoes, text),
        Value::Number(number) => {
            if let Some(text) = in_number(echoes, &number.to_string()) {
                *value = Value::String(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| in_json(echoes, item)),
        Value::Object(fields) => {
            let taken = std::mem::take(fields);
            let clean = |(mut key, mut value): (String, Value)| {
                for echo in echoes {
                    if let Some(replaced) = echo.replaced(&key) {
                        key = replaced;
                    }
                }
                in_json(echoes, &mut value);
                (key, value)
            };
            *fields = taken.into_iter().map(clean).collect::<Map<_, _>>();
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// A tool's answer without any of them.
pub(super) fn in_result(echoes: &[Echo], result: &mut ToolResult) {
    if echoes.is_empty() {
        return;
    }
    if let Some(structured) = &mut result.structured {
        in_json(echoes, structured);
    }
    result.content.iter_mut().for_each(|part| in_part(echoes, part));
}

/// One part of an answer without any of them; pictures and sound are not looked into.
pub(super) fn in_part(echoes: &[Echo], part: &mut Part) {
    match part {
        Part::Text { text } => in_text(echoes, text),
        Part::Resource(resource) => in_resource(echoes, resource),
        Part::Link { uri, name, description, .. } => {
            for text in [uri, name].into_iter().chain(description) {
                in_text(echoes, text);
            }
        }
        Part::Other { value } => in_json(echoes, value),
        Part::Image { .. } | Part::Audio { .. } => {}
    }
}

pub(super) fn in_resource(echoes: &[Echo], resource: &mut Resource) {
    for text in [Some(&mut resource.uri), resource.text.as_mut()].into_iter().flatten() {
        in_text(echoes, text);
    }
}

/// A text as it stands in JSON, and in JSON that is a text there, with letters as they are and with ASCII only;
/// the longest first, and none that is the text itself.
pub(super) fn escapes(text: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for once in [ascii(&escaped(text)), escaped(text)] {
        forms.push(escaped(&once));
        forms.push(once);
    }
    forms.retain(|form| form != text);
    forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    forms.dedup();
    forms
}

fn escaped(text: &str) -> String {
    let quoted = Value::String(text.to_owned()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// With escapes for all letters that are not ASCII, as many write JSON.
fn ascii(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            written.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            // Writing to a string does not fail.
            let _ = write!(written, "\\u{unit:04x}");
        }
    }
    written
}
