//! What is looked at in requests of every format.

use http::request::Parts;
use serde_json::Value;

/// What is wrong with a request.
#[derive(Debug, Default)]
pub(crate) struct Complaints(pub(crate) Vec<String>);

impl Complaints {
    /// Complains unless something holds.
    pub(crate) fn unless(&mut self, holds: bool, words: impl FnOnce() -> String) {
        if !holds {
            self.0.push(words());
        }
    }

    /// A header must have this value.
    pub(crate) fn header(&mut self, parts: &Parts, name: &str, wanted: &str) {
        let given = parts.headers.get(name).and_then(|value| value.to_str().ok());
        // The value may be a key, which no message repeats.
        self.unless(given == Some(wanted), || format!("the header {name} is missing or wrong"));
    }

    /// The path must be this one.
    pub(crate) fn path(&mut self, parts: &Parts, wanted: &str) {
        let given = parts.uri.to_string();
        self.unless(given == wanted, || format!("{given} is not {wanted}"));
    }

    /// A text that is not empty must be at `place`.
    pub(crate) fn text(&mut self, value: &Value, place: &str) {
        let is_there = value.as_str().is_some_and(|text| !text.trim().is_empty());
        self.unless(is_there, || format!("{place} is no text, or empty: {value}"));
    }

    /// A tool must have a name that providers take, and parameters that are an object's.
    pub(crate) fn tool(&mut self, name: &Value, description: &Value, parameters: &Value) {
        let fits = name.as_str().is_some_and(|name| {
            let letter = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
            (1..=64).contains(&name.len()) && name.chars().all(letter)
        });
        self.unless(fits, || format!("{name} cannot be the name of a tool"));
        self.unless(description.is_string(), || format!("the tool {name} has no description"));
        let is_object = parameters["type"] == "object";
        self.unless(is_object, || format!("the parameters of {name} are no object's"));
    }
}

/// The items of a list.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
