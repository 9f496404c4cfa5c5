//! Putting tokens in, and putting values back.

use std::borrow::Cow;
use std::sync::Arc;

use crate::reader::{self, JsonError, Text, Visitor};
use crate::{Detector, FoundInJson, Key, Vault, embedded, token};

/// How many texts inside texts are read as JSON when values are put back.
const DEEPEST_TEXT: usize = 3;

/// Replaces personal data by tokens.
#[derive(Debug)]
pub struct Tokenizer {
    detector: Arc<Detector>,
    key: Key,
}

impl Tokenizer {
    /// What is looked for, and the key that tokens are made with.
    #[must_use]
    pub fn new(detector: impl Into<Arc<Detector>>, key: Key) -> Self {
        Self { detector: detector.into(), key }
    }

    /// What is looked for.
    #[must_use]
    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    /// Whatever a tool answered, with tokens: as JSON if it is an object or a list, else as text.
    pub fn tokenize<'t>(&self, answer: &'t str, vault: &mut Vault) -> Cow<'t, str> {
        if is_structured(answer)
            && let Ok(json) = self.tokenize_json(answer, vault)
        {
            return json;
        }
        self.tokenize_text(answer, vault)
    }

    /// The text with tokens for what is personal in it; borrowed if nothing is.
    pub fn tokenize_text<'t>(&self, text: &'t str, vault: &mut Vault) -> Cow<'t, str> {
        let mut edits = Edits::new(text);
        for one in self.detector.find_mixed(text) {
            if let Some(token) = vault.keep(&self.key, &one.kind, &one.value, one.is_number) {
                edits.replace(one.start, one.end, &quoted(&one, token));
            }
        }
        edits.done()
    }

    /// The JSON with tokens for what is personal in it; borrowed if nothing is.
    ///
    /// It stays JSON, with every other byte as it was. A number becomes a text. On an error the
    /// input is not JSON, or is nested too deep to be looked through as JSON: look through it with
    /// [`tokenize_text`](Self::tokenize_text) instead.
    pub fn tokenize_json<'t>(
        &self,
        json: &'t str,
        vault: &mut Vault,
    ) -> Result<Cow<'t, str>, JsonError> {
        let mut edits = Edits::new(json);
        for one in self.detector.find_json(json)? {
            if let Some(token) = vault.keep(&self.key, &one.kind, &one.value, one.is_number) {
                edits.replace(one.start, one.end, &quoted(&one, token));
            }
        }
        Ok(edits.done())
    }
}

/// The token as it stands in the JSON: a number's brings quotes, escaped as deep as it stands.
fn quoted(found: &FoundInJson, token: String) -> String {
    if !found.is_number {
        return token;
    }
    let quote = escaped("\"", found.level);
    format!("{quote}{token}{quote}")
}

/// Whether a text begins as objects and lists do.
fn is_structured(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

impl Vault {
    /// What [`Tokenizer::tokenize`] gave, with the values put back.
    #[must_use]
    pub fn restore<'t>(&self, answer: &'t str) -> Cow<'t, str> {
        if is_structured(answer)
            && let Ok(json) = self.restore_json(answer)
        {
            return json;
        }
        self.restore_text(answer)
    }

    /// The text with values for the tokens in it that the vault knows; borrowed if there are none.
    #[must_use]
    pub fn restore_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut edits = Edits::new(text);
        for edit in self.put_back(text, 0) {
            edits.replace(edit.start, edit.end, &edit.text);
        }
        edits.done()
    }

    /// The same with what `written` makes of each value, by where its token stands: in addresses and forms a
    /// value is written otherwise than in a text.
    #[must_use]
    pub fn restore_as<'t>(
        &self,
        text: &'t str,
        mut written: impl FnMut(usize, &str) -> String,
    ) -> Cow<'t, str> {
        let mut edits = Edits::new(text);
        for (start, end, entry) in self.tokens(text) {
            edits.replace(start, end, &written(start, &entry.value));
        }
        edits.done()
    }

    /// What is to be put back in a text that stands in `level` texts of JSON. Where parts of it are JSON
    /// themselves, they stay JSON.
    fn put_back(&self, text: &str, level: usize) -> Vec<Edit> {
        let tokens = self.tokens(text);
        if tokens.is_empty() {
            return Vec::new();
        }
        let documents = if level > DEEPEST_TEXT { Vec::new() } else { embedded::documents(text) };
        let is_within = |at: usize| {
            let next = documents.partition_point(|document| document.end <= at);
            documents.get(next).is_some_and(|document| document.contains(&at))
        };
        let plain = tokens.into_iter().filter(|(start, ..)| !is_within(*start));
        let mut edits: Vec<Edit> = plain
            .map(|(start, end, entry)| Edit { start, end, text: escaped(&entry.value, level) })
            .collect();
        for document in documents {
            let mut inner = Restorer { vault: self, level, edits: Vec::new() };
            // It was read before: it is JSON.
            let _ = reader::read(&text[document.clone()], &mut inner);
            edits.extend(inner.edits.into_iter().map(|edit| Edit {
                start: document.start + edit.start,
                end: document.start + edit.end,
                text: edit.text,
            }));
        }
        edits.sort_by_key(|edit| edit.start);
        edits
    }

    /// The JSON with values for the tokens in its texts and field names; borrowed if there are none.
    ///
    /// A text that is nothing but the token of a number becomes that number again.
    pub fn restore_json<'t>(&self, json: &'t str) -> Result<Cow<'t, str>, JsonError> {
        let mut restorer = Restorer { vault: self, level: 0, edits: Vec::new() };
        reader::read(json, &mut restorer)?;
        let mut edits = Edits::new(json);
        for edit in restorer.edits {
            edits.replace(edit.start, edit.end, &edit.text);
        }
        Ok(edits.done())
    }

    /// The known tokens in a text that touch a letter or a digit: with their values in place, those are
    /// parts of longer words.
    pub fn glued<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        self.tokens(text).into_iter().filter_map(move |(start, end, _)| {
            let touches =
                is_word(text[..start].chars().next_back()) || is_word(text[end..].chars().next());
            touches.then(|| &text[start..end])
        })
    }

    /// The known tokens in a text, from left to right.
    fn tokens(&self, text: &str) -> Vec<(usize, usize, &crate::vault::Entry)> {
        let bytes = text.as_bytes();
        let mut found = Vec::new();
        let mut from = 0;
        for at in memchr::memchr_iter(b'_', bytes) {
            let known = token::candidates(bytes, at)
                .filter(|(start, _)| *start >= from)
                .find_map(|(start, end)| Some((start, end, self.entry(&text[start..end])?)));
            if let Some((start, end, entry)) = known {
                found.push((start, end, entry));
                from = end;
            }
        }
        found
    }
}

/// A replacement in the source.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

struct Restorer<'v> {
    vault: &'v Vault,
    level: usize,
    edits: Vec<Edit>,
}

impl Restorer<'_> {
    fn texts(&mut self, text: &Text<'_>) {
        let edits = self.vault.put_back(text.decoded, self.level + 1).into_iter();
        self.edits.extend(edits.map(|edit| Edit {
            start: text.source(edit.start),
            end: text.source(edit.end),
            text: edit.text,
        }));
    }

    fn nested(&mut self, text: &Text<'_>) -> bool {
        if self.level == DEEPEST_TEXT || !is_structured(text.decoded) {
            return false;
        }
        let mut inner = Restorer { vault: self.vault, level: self.level + 1, edits: Vec::new() };
        let is_json = reader::read(text.decoded, &mut inner).is_ok();
        if is_json {
            self.edits.extend(inner.edits.into_iter().map(|edit| Edit {
                start: text.source(edit.start),
                end: text.source(edit.end),
                text: edit.text,
            }));
        }
        is_json
    }
}

impl Visitor for Restorer<'_> {
    fn begins(&mut self, _is_object: bool) {}

    fn ends(&mut self) {}

    fn key(&mut self, text: &Text<'_>) {
        self.texts(text);
    }

    fn string(&mut self, text: &Text<'_>) {
        if !text.decoded.contains('_') {
            return;
        }
        match self.vault.entry(text.decoded) {
            Some(entry) if entry.is_number => {
                self.edits.push(Edit {
                    start: text.start - 1,
                    end: text.end + 1,
                    text: entry.value.clone(),
                });
            }
            _ if self.nested(text) => {}
            _ => self.texts(text),
        }
    }

    fn number(&mut self, _digits: &str, _start: usize) {}
}

/// A text escaped for JSON, `times` over.
fn escaped(text: &str, times: usize) -> String {
    (0..times).fold(text.to_owned(), |text, _| {
        let quoted = serde_json::Value::String(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    })
}

/// A text being replaced in places, from left to right.
struct Edits<'t> {
    text: &'t str,
    from: usize,
    edited: String,
}

impl<'t> Edits<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, from: 0, edited: String::new() }
    }

    fn replace(&mut self, start: usize, end: usize, by: &str) {
        self.edited.push_str(&self.text[self.from..start]);
        self.edited.push_str(by);
        self.from = end;
    }

    fn done(mut self) -> Cow<'t, str> {
        if self.from == 0 {
            return Cow::Borrowed(self.text);
        }
        self.edited.push_str(&self.text[self.from..]);
        Cow::Owned(self.edited)
    }
}
