//! Where a template's places are in its document: which scalars hold them, and how each of these is written.
//!
//! It is read once, with a word in each place that stands nowhere else. A scalar with such words in it is a slot,
//! which is written as a whole: whatever a value has in it, no quote, line or sign of the template is next to it.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::Value;

use super::TemplateFormat;

/// A template whose places are words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) text: String,
    /// The word of each place, in their order.
    pub(super) words: Vec<String>,
    /// The scalars that hold them, in their order.
    pub(super) slots: Vec<Slot>,
    /// What it says, document by document.
    pub(super) says: Vec<Value>,
}

/// A scalar that holds places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    /// Where it is, with its quotes.
    pub(super) range: Range<usize>,
    /// What it says, with words in it.
    pub(super) says: String,
    pub(super) kind: Kind,
}

/// How a slot is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is this place and nothing else, so that it becomes the value, whatever that is.
    Whole(usize),
    /// A text, in quotes.
    Quoted,
    /// A text in lines of its own, below `|` or `>`.
    Block,
}

impl Marked {
    /// Reads a template's texts, between each two of which there is a place.
    pub(super) fn new(texts: &[&str], format: TemplateFormat) -> Result<Self, String> {
        let mut salt = 0_u32;
        while texts.iter().any(|text| text.contains(&format!("place{salt}x"))) {
            salt += 1;
        }
        let words: Vec<String> =
            (1..texts.len()).map(|number| format!("place{salt}x{number}end")).collect();
        let mut text = String::new();
        let mut quotes = Quotes::default();
        for (at, part) in texts.iter().enumerate() {
            text.push_str(part);
            quotes.read(part);
            match words.get(at) {
                // JSON knows no words without quotes.
                Some(word) if format == TemplateFormat::Json && !quotes.is_open => {
                    text.push('"');
                    text.push_str(word);
                    text.push('"');
                }
                Some(word) => text.push_str(word),
                None => {}
            }
        }
        let says = read(&text, format)?;
        let mut marked = Self { text, words, slots: Vec::new(), says };
        marked.slots = match format {
            TemplateFormat::Json => marked.in_json(),
            _ => marked.in_yaml()?,
        };
        Ok(marked)
    }

    /// The places that are a whole slot.
    pub(super) fn is_whole(&self, place: usize) -> bool {
        self.slots.iter().any(|slot| slot.kind == Kind::Whole(place))
    }

    fn slot(&self, range: Range<usize>, says: &str, is_key: bool, is_block: bool) -> Option<Slot> {
        if !self.words.iter().any(|word| says.contains(word.as_str())) {
            return None;
        }
        let place = self.words.iter().position(|word| word == says);
        let kind = match place {
            _ if is_block => Kind::Block,
            Some(place) if !is_key => Kind::Whole(place),
            _ => Kind::Quoted,
        };
        Some(Slot { range, says: says.to_owned(), kind })
    }

    fn in_json(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        let mut quotes = Quotes::default();
        let mut begin = 0;
        for (at, letter) in self.text.char_indices() {
            let was_open = quotes.is_open;
            quotes.letter(letter);
            match (was_open, quotes.is_open) {
                (false, true) => begin = at,
                (true, false) => {
                    let range = begin..at + 1;
                    let is_key = self.text[at + 1..].trim_start().starts_with(':');
                    let says: Option<String> = serde_json::from_str(&self.text[range.clone()]).ok();
                    slots.extend(says.and_then(|says| self.slot(range, &says, is_key, false)));
                }
                _ => {}
            }
        }
        slots
    }

    /// Where the sign is above lines that begin at this byte.
    fn sign_above(&self, start: usize) -> Option<usize> {
        let before = &self.text[..start];
        let line_start = before.rfind('\n')?;
        // Empty lines may stand between the two.
        let above = before[..line_start].trim_end();
        let begin = above.rfind('\n').map_or(0, |end| end + 1);
        sign_in(&above[begin..]).map(|at| begin + at)
    }

    fn in_yaml(&self) -> Result<Vec<Slot>, String> {
        let mut slots = Vec::new();
        // Of each collection that is open: whether it is a mapping whose next node is a key.
        let mut open: Vec<Option<bool>> = Vec::new();
        for next in Parser::new_from_str(&self.text) {
            let (event, span) = next.map_err(|error| error.to_string())?;
            if matches!(event, Event::MappingEnd | Event::SequenceEnd) {
                open.pop();
                continue;
            }
            if !event.is_node() {
                continue;
            }
            let is_key = match open.last_mut() {
                Some(Some(is_key)) => {
                    *is_key = !*is_key;
                    !*is_key
                }
                _ => false,
            };
            match event {
                Event::MappingStart(..) => open.push(Some(true)),
                Event::SequenceStart(..) => open.push(None),
                Event::Scalar(says, style, ..) => {
                    let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                    let range =
                        span.byte_range().filter(|range| self.text.get(range.clone()).is_some());
                    // The parser's range begins with the first letter below the sign.
                    let range = match range {
                        Some(range) if is_block => {
                            self.sign_above(range.start).map(|start| start..range.end)
                        }
                        range => range,
                    };
                    slots.extend(range.and_then(|range| self.slot(range, &says, is_key, is_block)));
                }
                _ => {}
            }
        }
        Ok(slots)
    }
}

/// Where `|` or `>` stands at the end of a line, with what may follow it there: `|2-`, `> # a remark`.
fn sign_in(line: &str) -> Option<usize> {
    let is_sign = |(at, _): &(usize, &str)| {
        let rest = line[*at + 1..]
            .trim_start_matches(|one: char| "+-".contains(one) || one.is_ascii_digit());
        let remark = rest.trim_start();
        remark.is_empty() || remark.len() < rest.len() && remark.starts_with('#')
    };
    line.match_indices(['|', '>']).find(is_sign).map(|(at, _)| at)
}

/// What a document says, or several.
pub(super) fn read(document: &str, format: TemplateFormat) -> Result<Vec<Value>, String> {
    match format {
        TemplateFormat::Text => Ok(Vec::new()),
        TemplateFormat::Json => serde_json::from_str(document)
            .map(|value| vec![value])
            .map_err(|error| error.to_string()),
        TemplateFormat::Yaml => {
            serde_saphyr::from_multiple(document).map_err(|error| error.to_string())
        }
    }
}

/// Whether a text of JSON is within quotes at its end.
#[derive(Default)]
struct Quotes {
    is_open: bool,
    is_escaped: bool,
}

impl Quotes {
    fn read(&mut self, text: &str) {
        text.chars().for_each(|letter| self.letter(letter));
    }

    fn letter(&mut self, letter: char) {
        match letter {
            _ if std::mem::take(&mut self.is_escaped) => {}
            '\\' if self.is_open => self.is_escaped = true,
            '"' => self.is_open = !self.is_open,
            _ => {}
        }
    }
}
