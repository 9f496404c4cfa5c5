//! What a tool and its fields are for, in words that suit both languages.

use std::fmt::Write as _;

use catalog::schema::{Field, Shape};
use serde_json::Value;

use crate::target::Target;
use crate::text;

/// How much of a description is kept, in characters. The longest seen had over 18,000.
const LONGEST_DESCRIPTION: usize = 4_000;
/// How much is kept of what the result means.
const LONGEST_RESULT: usize = 800;
/// How long a default or an example may be to be worth showing.
const LONGEST_VALUE: usize = 80;
/// How many values a type lists one by one. Beyond that it is only the type of its values.
pub(crate) const MOST_LITERALS: usize = 200;
/// How many rules of one field, and how many notes of one schema, are passed on.
const MOST_RULES: usize = 8;

/// What the server says the tool does, or at least which tool it is.
pub(crate) fn summary(target: &Target<'_>) -> String {
    let tool = target.tool;
    let said = [&tool.description, &tool.title, &tool.annotations.title];
    let said = said.into_iter().flatten().map(|text| text::paragraph(text, LONGEST_DESCRIPTION));
    said.into_iter().find(|text| !text.is_empty()).unwrap_or_else(|| {
        let name = text::one_line(&tool.name.0, LONGEST_VALUE);
        format!("{name} of {}.", text::one_line(target.server, LONGEST_VALUE))
    })
}

/// What a field means: its description, rules, default and an example. `write` writes values in
/// the language at hand.
pub(crate) fn meaning(field: &Field, limit: usize, write: fn(&Value) -> String) -> String {
    let mut meaning = text::paragraph(field.description.as_deref().unwrap_or_default(), limit);
    let mut facts: Vec<String> = field
        .rules
        .iter()
        .take(MOST_RULES)
        .map(|rule| text::one_line(rule, LONGEST_VALUE * 2))
        .collect();
    let short = |value| Some(write(value)).filter(|text| text.len() <= LONGEST_VALUE);
    if let Some(default) = field.default.as_ref().filter(|value| !value.is_null()).and_then(short) {
        facts.push(format!("default {default}"));
    }
    if let Shape::Literal(values) = &field.shape {
        if values.len() > MOST_LITERALS {
            let some: Vec<String> = values.iter().filter_map(short).take(20).collect();
            facts.push(format!("one of {} values: {}, …", values.len(), some.join(", ")));
        }
    } else if let Some(example) = field.examples.iter().find_map(short) {
        facts.push(format!("e.g. {example}"));
    }
    facts.retain(|fact| !fact.is_empty());
    if !facts.is_empty() {
        let space = if meaning.is_empty() { "" } else { " " };
        let _ = write!(meaning, "{space}({})", facts.join("; "));
    }
    meaning
}

/// What comes back, where the type does not say it all.
pub(crate) fn returns(target: &Target<'_>) -> Option<String> {
    match target.learned {
        Some(1) => return Some("learned from 1 result; not promised by the server".to_owned()),
        Some(seen) => {
            return Some(format!("learned from {seen} results; not promised by the server"));
        }
        None => {}
    }
    let Some(output) = target.output else {
        return Some("parsed JSON, or text; the server does not say which".to_owned());
    };
    let object = match output.root {
        Shape::Object(index) => output.definitions.get(index)?,
        _ => return None,
    };
    let described = text::paragraph(object.description.as_deref()?, LONGEST_RESULT);
    (!described.is_empty()).then_some(described)
}

/// What the types do not say.
pub(crate) fn notes(target: &Target<'_>) -> Vec<String> {
    let output = target.output.iter().flat_map(|output| &output.notes);
    let notes = target.input.notes.iter().chain(output).take(MOST_RULES);
    notes.map(|note| text::one_line(note, 200)).collect()
}
