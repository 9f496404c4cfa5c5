//! Personal data in JSON: by what values look like, and by the fields they stand in.
//!
//! A field called `phone` makes its value a telephone number if it has the shape of one. A name
//! needs more: `first_name` holds one whatever it says, `customer` if it looks like a person, and
//! a mere `name` only if the object around it is a person's, by its other fields (`email`) or by
//! where it stands (`"customer": {…}`), and not a product's (`price`).
//!
//! A text that is JSON itself, as tools like to return, is read as JSON again.

use std::collections::HashMap;

use crate::reader::{self, JsonError, Text, Visitor};
use crate::words::Cue;
use crate::{Detector, Kind, address, card, codes, names, phone, run};

/// How many texts inside texts are read as JSON.
const DEEPEST_TEXT: usize = 3;

/// Something personal in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundInJson {
    /// Where it starts in the JSON as written, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
    /// What it says, without the escapes of JSON.
    pub value: String,
    /// Whether it is a number, and so the token has to bring its own quotes.
    pub is_number: bool,
    /// In how many texts that are JSON themselves it stands: so often are quotes escaped.
    pub(crate) level: usize,
}

impl Detector {
    /// What is personal in a JSON text, from left to right, not overlapping.
    pub fn find_json(&self, json: &str) -> Result<Vec<FoundInJson>, JsonError> {
        let mut finder = Finder::new(self, 0, Cue::NONE);
        reader::read(json, &mut finder)?;
        Ok(finder.sorted())
    }
}

/// One open object or list.
struct Frame {
    /// What the field says that it stands in.
    under: Cue,
    /// What the field says that is read now; for a list, the list's own.
    current: Cue,
    /// How many fields a person would have, and how many a thing.
    personal: usize,
    things: usize,
    /// Whether there is a first or last name among them.
    has_name: bool,
    /// Names that are a person's if the object is.
    pending: Vec<Pending>,
}

struct Pending {
    found: FoundInJson,
    several_words: bool,
}

struct Finder<'d> {
    detector: &'d Detector,
    level: usize,
    /// What the field says that all of this stands in.
    root: Cue,
    found: Vec<FoundInJson>,
    frames: Vec<Frame>,
    cues: HashMap<String, Cue>,
}

impl<'d> Finder<'d> {
    fn new(detector: &'d Detector, level: usize, root: Cue) -> Self {
        Self { detector, level, root, found: Vec::new(), frames: Vec::new(), cues: HashMap::new() }
    }

    fn sorted(mut self) -> Vec<FoundInJson> {
        self.found.sort_by_key(|one| one.start);
        self.found
    }

    fn current(&self) -> Cue {
        self.frames.last().map_or(self.root, |frame| frame.current)
    }

    fn cue_of(&mut self, key: &str) -> Cue {
        if let Some(cue) = self.cues.get(key) {
            return *cue;
        }
        let cue =
            if self.detector.has_token(key) { Cue::NONE } else { self.detector.fields.cue(key) };
        self.cues.insert(key.to_owned(), cue);
        cue
    }

    fn part(&self, text: &Text<'_>, start: usize, end: usize, kind: Kind) -> FoundInJson {
        FoundInJson {
            start: text.source(start),
            end: text.source(end),
            kind,
            value: text.decoded[start..end].to_owned(),
            is_number: false,
            level: self.level,
        }
    }

    /// The whole of a text without the spaces around it.
    fn whole(&self, text: &Text<'_>, kind: Kind) -> FoundInJson {
        let start = text.decoded.len() - text.decoded.trim_start().len();
        self.part(text, start, text.decoded.trim_end().len().max(start), kind)
    }

    /// What a whole text is by the field it stands in.
    fn by_field(&self, text: &str, cue: Cue) -> Option<Kind> {
        let found =
            shapes(cue).find(|(kind, fits)| self.detector.wants(kind) && fits(text, cue))?;
        (!self.detector.has_token(text)).then_some(found.0)
    }

    /// Reads a text as JSON if it is JSON.
    fn nested(&mut self, text: &Text<'_>, cue: Cue) -> bool {
        let looks = text.decoded.trim_start().starts_with(['{', '[']);
        if !looks || self.level == DEEPEST_TEXT {
            return false;
        }
        let mut inner = Finder::new(self.detector, self.level + 1, cue);
        inner.cues = std::mem::take(&mut self.cues);
        let is_json = reader::read(text.decoded, &mut inner).is_ok();
        self.cues = std::mem::take(&mut inner.cues);
        if is_json {
            self.found.extend(inner.found.into_iter().map(|one| FoundInJson {
                start: text.source(one.start),
                end: text.source(one.end),
                ..one
            }));
        }
        is_json
    }
}

impl Visitor for Finder<'_> {
    fn begins(&mut self, is_object: bool) {
        let under = self.current();
        self.frames.push(Frame {
            under,
            current: if is_object { Cue::NONE } else { under },
            personal: 0,
            things: 0,
            has_name: false,
            pending: Vec::new(),
        });
    }

    fn ends(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let role = frame.under.has(Cue::ROLE | Cue::NAME);
        let group = frame.under.has(Cue::GROUP | Cue::THING) && !role;
        let personal =
            frame.personal + usize::from(role) * 2 + usize::from(frame.under.has(Cue::ADDRESS));
        let things = frame.things + usize::from(group) * 2;
        for pending in frame.pending {
            if personal > things && (pending.several_words || frame.has_name || role) {
                self.found.push(pending.found);
            }
        }
    }

    fn key(&mut self, text: &Text<'_>) {
        let mut cue = self.cue_of(text.decoded);
        // "name": {"first": …, "last": …}
        let under = self.frames.last().map_or(Cue::NONE, |frame| frame.under);
        if under.has(Cue::BARE_NAME)
            && matches!(
                text.decoded,
                "first" | "last" | "middle" | "given" | "family" | "full" | "text"
            )
        {
            cue = Cue::NAME;
        }
        // "firstname": {"value": …}
        if under.is_personal() && matches!(text.decoded, "value" | "display_value" | "displayValue")
        {
            cue = under;
        }
        // "address": {"line1": …}
        if under.has(Cue::ADDRESS) && text.decoded.starts_with("line") {
            cue = Cue::STREET;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.current = cue;
            frame.personal += usize::from(cue.is_personal());
            frame.things += usize::from(cue.has(Cue::THING) && !cue.is_personal());
            frame.has_name |= cue.has(Cue::NAME);
        }
        if text.decoded.contains('@') {
            let mails =
                self.detector.find(text.decoded).into_iter().filter(|one| one.kind == Kind::Email);
            let mails: Vec<_> =
                mails.map(|one| self.part(text, one.start, one.end, Kind::Email)).collect();
            self.found.extend(mails);
        }
    }

    fn string(&mut self, text: &Text<'_>) {
        let cue = self.current();
        let trimmed = text.decoded.trim();
        if trimmed.is_empty() {
            return;
        }
        if let Some(kind) = self.by_field(trimmed, cue) {
            let whole = self.whole(text, kind);
            self.found.push(whole);
            return;
        }
        if self.nested(text, cue) {
            return;
        }
        let found = self.detector.find_in(text.decoded, cue);
        let is_pending = found.is_empty()
            && cue.has(Cue::BARE_NAME)
            && self.detector.wants(&Kind::Name)
            && (names::is_one_word(trimmed) || names::is_turned(trimmed))
            && !self.detector.has_token(trimmed);
        if is_pending {
            let found = self.whole(text, Kind::Name);
            let several_words = names::is_person(trimmed);
            if let Some(frame) = self.frames.last_mut() {
                frame.pending.push(Pending { found, several_words });
            }
        }
        let parts: Vec<_> =
            found.into_iter().map(|one| self.part(text, one.start, one.end, one.kind)).collect();
        self.found.extend(parts);
    }

    fn number(&mut self, digits: &str, start: usize) {
        if !(7..=19).contains(&digits.len()) || !digits.bytes().all(|one| one.is_ascii_digit()) {
            return;
        }
        let cue = self.current();
        let kind = if cue.has(Cue::CARD) && digits.len() >= 13 {
            Kind::Card
        } else if cue.has(Cue::NATIONAL) && (8..=15).contains(&digits.len()) {
            Kind::NationalNumber
        } else if cue.has(Cue::PHONE) && digits.len() <= 15 {
            Kind::Phone
        } else if is_card(digits, cue) {
            Kind::Card
        } else {
            return;
        };
        if self.detector.wants(&kind) {
            let (end, value) = (start + digits.len(), digits.to_owned());
            self.found.push(FoundInJson {
                start,
                end,
                kind,
                value,
                is_number: true,
                level: self.level,
            });
        }
    }
}

/// Whether a text has a shape, in a field that says so.
pub(crate) type Fits = fn(&str, Cue) -> bool;

/// What a field that says `cue` may hold as a whole, the most certain first.
pub(crate) fn shapes(cue: Cue) -> impl Iterator<Item = (Kind, Fits)> {
    let known: [(Cue, Kind, Fits); 7] = [
        (Cue::CARD, Kind::Card, |text, _| card::is_card_shaped(text)),
        (Cue::NATIONAL, Kind::NationalNumber, |text, _| is_national_shaped(text)),
        (Cue::PHONE, Kind::Phone, |text, _| phone::is_phone_shaped(text) && !is_ip(text)),
        (Cue::IBAN, Kind::Iban, |text, _| codes::is_iban_shaped(text)),
        (Cue::ADDRESS | Cue::STREET, Kind::Address, |text, cue| {
            address::is_address_shaped(text, cue.has(Cue::STREET)) && !is_ip(text)
        }),
        (Cue::NAME, Kind::Name, |text, _| names::is_loose(text)),
        (Cue::ROLE, Kind::Name, |text, _| names::is_person(text)),
    ];
    known.into_iter().filter(move |(says, ..)| cue.has(*says)).map(|(_, kind, fits)| (kind, fits))
}

/// Whether a bare number is a card's by its check digit alone.
fn is_card(digits: &str, cue: Cue) -> bool {
    let group = run::Group { start: 0, end: digits.len(), before: 0 };
    matches!(digits.len(), 15 | 16) && card::at(digits.as_bytes(), &[group], cue).is_some()
}

/// Whether a whole text has the shape of a national number.
fn is_national_shaped(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let plain = text
        .bytes()
        .all(|one| one.is_ascii_alphanumeric() || matches!(one, b' ' | b'-' | b'.' | b'/' | b'+'));
    let words = text
        .split(' ')
        .filter(|word| word.len() > 3 && word.bytes().all(|one| one.is_ascii_alphabetic()));
    text.len() <= 24
        && digits >= 4
        && (6..=20).contains(&(digits + letters(text)))
        && plain
        && words.count() == 0
}

fn letters(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_alphabetic).count()
}

fn is_ip(text: &str) -> bool {
    text.parse::<std::net::IpAddr>().is_ok() || text.parse::<std::net::SocketAddr>().is_ok()
}
