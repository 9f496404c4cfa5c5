//! A tool as the words it can be found by, each with how much it says about the tool.
//!
//! A word counts by where it stands: most in the name, less in the descriptions of parameters.
//! How long a field is counts against a fixed ordinary length, not against the average of the
//! catalog. So what a tool's words weigh depends on that tool alone, and stays when servers come
//! and go.

use std::collections::HashMap;

use serde_json::Value;

use super::Tuning;
use super::words::words;
use crate::{Listing, Tool};

/// How often a word adds to its field, at most.
const COUNTED: u16 = 20;
/// How deep parameters are looked at.
const DEPTH: usize = 4;
/// How many parameters are looked at, those of nested objects included.
const PARAMETERS: usize = 200;
/// How many characters of one parameter's description are looked at.
const PARAMETER_TEXT: usize = 400;

/// Where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Name,
    Title,
    /// The first sentence of the description says what the tool does.
    First,
    Rest,
    Parameters,
    ParameterTexts,
    Server,
    ServerText,
}

impl Field {
    pub(super) const COUNT: usize = 8;

    /// How many words of it are looked at.
    fn most(self) -> usize {
        match self {
            Self::Name | Self::Title | Self::Server => 40,
            Self::First => 80,
            Self::Rest | Self::Parameters | Self::ParameterTexts => 400,
            Self::ServerText => 120,
        }
    }

    /// How many words it ordinarily has.
    fn ordinary(self) -> f32 {
        match self {
            Self::Name | Self::Title => 3.0,
            Self::First => 10.0,
            Self::Rest | Self::ParameterTexts | Self::ServerText => 25.0,
            Self::Parameters => 4.0,
            Self::Server => 2.0,
        }
    }

    /// How far a longer field makes each of its words count less, from 0 to 1.
    fn length_matters(self) -> f32 {
        match self {
            Self::Name | Self::Title | Self::Server => 0.3,
            Self::First => 0.5,
            Self::Rest | Self::Parameters | Self::ParameterTexts => 0.75,
            Self::ServerText => 0.9,
        }
    }
}

/// The words of one field, with how often each occurs.
#[derive(Debug)]
pub(super) struct Counted {
    field: Field,
    counts: HashMap<String, u16>,
    length: usize,
}

impl Counted {
    pub(super) fn new(field: Field) -> Self {
        Self { field, counts: HashMap::new(), length: 0 }
    }

    pub(super) fn add(&mut self, text: &str) {
        let room = self.field.most().saturating_sub(self.length);
        // Forty characters for each word that still counts; ordinary text needs fewer.
        let end = text.char_indices().nth(room * 40).map_or(text.len(), |(at, _)| at);
        for word in words(&text[..end], room) {
            self.length += 1;
            for word in word.pieces.into_iter().chain([word.whole]) {
                let count = self.counts.entry(word).or_default();
                *count = (*count + 1).min(COUNTED);
            }
        }
    }

    /// Adds to `weights` what each word weighs here.
    pub(super) fn weigh(&self, tuning: &Tuning, weights: &mut HashMap<String, f32>) {
        let field = self.field;
        let weight = tuning.fields[field as usize];
        if weight <= 0.0 {
            return;
        }
        let matters = field.length_matters();
        #[expect(clippy::cast_precision_loss, reason = "a field has some hundred words")]
        let length = 1.0 - matters + matters * self.length as f32 / field.ordinary();
        for (word, count) in &self.counts {
            *weights.entry(word.clone()).or_default() += weight * f32::from(*count) / length;
        }
    }
}

/// The words that all tools of a server share.
pub(super) fn of_server(listing: &Listing) -> [Counted; 2] {
    let [mut name, mut text] = [Field::Server, Field::ServerText].map(Counted::new);
    name.add(&listing.server.0);
    text.add(listing.title.as_deref().unwrap_or_default());
    text.add(listing.description.as_deref().unwrap_or_default());
    [name, text]
}

/// The words of one tool.
pub(super) fn of_tool(tool: &Tool) -> Vec<Counted> {
    use Field::{First, Name, ParameterTexts, Parameters, Rest, Title};
    let [mut name, mut title, mut first, mut rest, mut parameters, mut texts] =
        [Name, Title, First, Rest, Parameters, ParameterTexts].map(Counted::new);
    name.add(&tool.name.0);
    title.add(tool.title.as_deref().or(tool.annotations.title.as_deref()).unwrap_or_default());
    let (one, others) = first_sentence(tool.description.as_deref().unwrap_or_default());
    first.add(one);
    rest.add(others);
    let mut left = PARAMETERS;
    add_parameters(&tool.input_schema, DEPTH, &mut left, &mut |key, text| {
        parameters.add(key);
        texts.add(cut(text, PARAMETER_TEXT));
    });
    vec![name, title, first, rest, parameters, texts]
}

/// The first sentence or line, and what follows.
pub(super) fn first_sentence(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next_is_space = characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends = match character {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => next_is_space,
            _ => false,
        };
        if ends {
            return text.split_at(at + character.len_utf8());
        }
    }
    (text, "")
}

/// The first `most` characters.
pub(super) fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

fn add_parameters(
    schema: &Value,
    depth: usize,
    left: &mut usize,
    each: &mut impl FnMut(&str, &str),
) {
    if depth == 0 {
        return;
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (key, property) in properties {
            if *left == 0 {
                return;
            }
            *left -= 1;
            each(key, property.get("description").and_then(Value::as_str).unwrap_or_default());
            add_parameters(property, depth - 1, left, each);
        }
    }
    if let Some(items) = schema.get("items") {
        add_parameters(items, depth - 1, left, each);
    }
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn the_first_sentence_ends_at_a_full_stop_or_a_line() {
        assert_eq!(
            first_sentence("Reads v1.2 files. Then more."),
            ("Reads v1.2 files.", " Then more.")
        );
        assert_eq!(first_sentence("One\ntwo"), ("One\n", "two"));
        assert_eq!(first_sentence("搜索。返回"), ("搜索。", "返回"));
        assert_eq!(first_sentence(""), ("", ""));
    }
}
