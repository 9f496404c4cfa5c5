//! What was sent and must not come back: found in an answer, and replaced by what stands for it.

use serde_json::{Map, Value};
use upstream::{Part, Resource, ToolResult};

/// Something that an answer must not have, and what it has instead.
#[derive(Clone)]
pub(super) struct Echo {
    value: String,
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
        let length = value.chars().count();
        let is_short =
            length < LONG || length < LONG_WORD && value.chars().all(char::is_alphabetic);
        Self { value: value.to_owned(), instead: token.to_owned(), is_word: is_short && !is_glued }
    }

    /// How long what is looked for is.
    pub(super) fn length(&self) -> usize {
        self.value.len()
    }

    /// Whether it is in a number.
    fn is_in(&self, number: &str) -> bool {
        self.value == number || !self.is_word && number.contains(&self.value)
    }

    /// A secret, in the ways in which it is usually written.
    pub(super) fn of_secret(value: &str, handle: &str) -> Vec<Self> {
        let once = escaped(value);
        let twice = escaped(&once);
        let mut forms = vec![twice, once, percent(value), value.to_owned()];
        forms.dedup();
        let echo = |value| Self { value, instead: handle.to_owned(), is_word: false };
        forms.into_iter().map(echo).collect()
    }

    fn replace(&self, text: &mut String) {
        if !text.contains(&self.value) {
            return;
        }
        if !self.is_word {
            *text = text.replace(&self.value, &self.instead);
            return;
        }
        let mut replaced = String::with_capacity(text.len());
        let mut from = 0;
        for (at, found) in text.match_indices(&self.value) {
            let is_part = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
            let end = at + found.len();
            if is_part(text[..at].chars().next_back()) || is_part(text[end..].chars().next()) {
                continue;
            }
            replaced.push_str(&text[from..at]);
            replaced.push_str(&self.instead);
            from = end;
        }
        replaced.push_str(&text[from..]);
        *text = replaced;
    }
}

/// A text without any of them.
pub(super) fn in_text(echoes: &[Echo], text: &mut String) {
    let is_there = |echo: &&Echo| text.contains(&echo.value);
    let there: Vec<&Echo> = echoes.iter().filter(is_there).collect();
    if there.is_empty() {
        return;
    }
    // A number in JSON becomes a text, which needs quotes.
    if text.trim_start().starts_with(['{', '['])
        && let Ok(mut json) = serde_json::from_str::<Value>(text)
    {
        in_json(echoes, &mut json);
        *text = json.to_string();
        return;
    }
    for echo in &there {
        echo.replace(text);
    }
}

/// A value without any of them.
pub(super) fn in_json(echoes: &[Echo], value: &mut Value) {
    if echoes.is_empty() {
        return;
    }
    match value {
        Value::String(text) => in_text(echoes, text),
        Value::Number(number) => {
            let number = number.to_string();
            if let Some(echo) = echoes.iter().find(|echo| echo.is_in(&number)) {
                *value = Value::String(number.replace(&echo.value, &echo.instead));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| in_json(echoes, item)),
        Value::Object(fields) => {
            let taken = std::mem::take(fields);
            let clean = |(mut key, mut value): (String, Value)| {
                for echo in echoes {
                    echo.replace(&mut key);
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

/// A text as it stands in JSON.
fn escaped(text: &str) -> String {
    let quoted = Value::String(text.to_owned()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A text as it stands in an address.
fn percent(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(byte);
    let letter = |byte: u8| {
        if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(letter).collect()
}
