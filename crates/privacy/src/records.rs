//! Personal data in JSON: by what values look like, and by the fields they stand in.
//!
//! A field called `phone` makes its value a telephone number if it has the shape of one. A name
//! needs more: `first_name` holds one whatever it says, `customer` if it looks like a person, and
//! a mere `name` only if the object around it is a person's, by its other fields (`email`) or by
//! where it stands (`"customer": {…}`), and not a product's (`price`).
//!
//! A text that is JSON itself, as tools like to return, is read as JSON again; so are the parts of
//! a text that are: lines of objects, events of a stream, a fenced block. A whole name that was found
//! in one field is found in the texts of all others.
//!
//! Databases and spreadsheets answer with lists in a list; then the fields are what the first of them names,
//! or a list called `columns` beside them.

use std::collections::HashMap;

use crate::columns::Cells;
use crate::reader::{self, JsonError, Text, Visitor};
use crate::recurring::Names;
use crate::words::Cue;
use crate::{Detector, Kind, address, card, codes, columns, embedded, names, phone, run};

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
        let nobody = Names::default();
        let mut finder = Finder::new(self, 0, Cue::NONE, &nobody);
        reader::read(json, &mut finder)?;
        let (found, known) = finder.done();
        if !is_named_again(json, &known, &found) {
            return Ok(found);
        }
        let mut finder = Finder::new(self, 0, Cue::NONE, &known);
        reader::read(json, &mut finder)?;
        Ok(finder.done().0)
    }

    /// The same for a text, parts of which may be JSON.
    pub(crate) fn find_mixed(&self, text: &str) -> Vec<FoundInJson> {
        let nobody = Names::default();
        let mut finder = Finder::new(self, 0, Cue::NONE, &nobody);
        finder.mixed(text);
        let (found, known) = finder.done();
        if !is_named_again(text, &known, &found) {
            return found;
        }
        let mut finder = Finder::new(self, 0, Cue::NONE, &known);
        finder.mixed(text);
        finder.done().0
    }
}

/// Whether one of these people is named where nothing was found.
fn is_named_again(text: &str, known: &Names, found: &[FoundInJson]) -> bool {
    let mut again = false;
    if !known.is_empty() {
        known.find(text, &mut |start, end| {
            let next = found.partition_point(|one| one.end <= start);
            again |= found.get(next).is_none_or(|one| one.start >= end);
        });
    }
    again
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
    /// First and last names, in their order.
    parts: Vec<String>,
    /// For a list, what its place among other lists makes of its values.
    cells: Cells,
    is_object: bool,
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
    /// Who was named elsewhere.
    named: &'d Names,
    found: Vec<FoundInJson>,
    /// Whole names that were found here.
    names: Names,
    frames: Vec<Frame>,
    cues: HashMap<String, Cue>,
}

impl<'d> Finder<'d> {
    fn new(detector: &'d Detector, level: usize, root: Cue, named: &'d Names) -> Self {
        Self {
            detector,
            level,
            root,
            named,
            found: Vec::new(),
            names: Names::default(),
            frames: Vec::new(),
            cues: HashMap::new(),
        }
    }

    /// What was found, from left to right, and the names among it.
    fn done(mut self) -> (Vec<FoundInJson>, Names) {
        self.found.sort_by_key(|one| one.start);
        for one in self.found.iter().filter(|one| one.kind == Kind::Name) {
            self.names.add(&one.value);
        }
        (self.found, self.names)
    }

    /// Looks through a text: what is JSON in it as JSON, and the rest as text.
    fn mixed(&mut self, text: &str) {
        let documents = if self.level <= DEEPEST_TEXT && text.contains('"') {
            embedded::documents(text)
        } else {
            Vec::new()
        };
        let is_whole = documents.len() == 1
            && text[..documents[0].start].trim().is_empty()
            && text[documents[0].end..].trim().is_empty();
        let root = self.root;
        let mut around = String::new();
        let mut from = 0;
        // Lists of numbers are text: what stands around them says what they are.
        for document in documents.into_iter().filter(|one| text[one.clone()].contains('"')) {
            let before = self.found.len();
            self.root = if is_whole { root } else { Cue::NONE };
            let is_json = reader::read(&text[document.clone()], self).is_ok();
            self.frames.clear();
            if !is_json {
                self.found.truncate(before);
                continue;
            }
            for one in &mut self.found[before..] {
                one.start += document.start;
                one.end += document.start;
            }
            around.push_str(&text[from..document.start]);
            around.extend(std::iter::repeat_n('\0', document.len()));
            from = document.end;
        }
        self.root = root;
        if is_whole && from > 0 {
            return;
        }
        around.push_str(&text[from..]);
        for one in self.detector.find_in(&around, root, self.named) {
            let value = around[one.start..one.end].to_owned();
            if value.contains('\0') {
                continue;
            }
            let (start, end, kind, level) = (one.start, one.end, one.kind, self.level);
            self.found.push(FoundInJson { start, end, kind, value, is_number: false, level });
        }
    }

    fn current(&self) -> Cue {
        self.frames.last().map_or(self.root, |frame| frame.current)
    }

    /// A value begins in the innermost object or list: the text that is given, or something else.
    fn next_value(&mut self, text: Option<&str>) {
        let wants = self.frames.last().is_some_and(|frame| frame.cells.may_be_header());
        let cue =
            text.filter(|text| wants && columns::may_name(text)).map(|text| self.cue_of(text));
        if let Some(frame) = self.frames.last_mut()
            && let Some(cue) = frame.cells.next(cue)
        {
            frame.current = cue;
        }
    }

    /// What the values of a list that begins now are, by the lists before it.
    fn cells(&self, is_object: bool) -> Cells {
        if is_object {
            return Cells::default();
        }
        match self.frames.as_slice() {
            [.., around] if around.is_object => around.cells.of_a_field(),
            [.., object, rows] if object.is_object => rows.cells.of_a_row(Some(&object.cells)),
            [.., rows] => rows.cells.of_a_row(None),
            [] => Cells::default(),
        }
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

    /// Looks through a text that stands in a field.
    fn within(&mut self, text: &Text<'_>, cue: Cue) -> bool {
        let mut inner = Finder::new(self.detector, self.level + 1, cue, self.named);
        inner.cues = std::mem::take(&mut self.cues);
        inner.mixed(text.decoded);
        self.cues = std::mem::take(&mut inner.cues);
        let (found, names) = inner.done();
        self.names.extend(&names);
        let any = !found.is_empty();
        self.found.extend(found.into_iter().map(|one| FoundInJson {
            start: text.source(one.start),
            end: text.source(one.end),
            ..one
        }));
        any
    }
}

impl Visitor for Finder<'_> {
    fn begins(&mut self, is_object: bool) {
        self.next_value(None);
        let under = self.current();
        let cells = self.cells(is_object);
        self.frames.push(Frame {
            under,
            current: if is_object { Cue::NONE } else { under },
            personal: cells.count(Cue::is_personal),
            things: cells.count(|cue| cue.has(Cue::THING) && !cue.is_personal()),
            has_name: cells.count(|cue| cue.has(Cue::NAME)) > 0,
            pending: Vec::new(),
            parts: Vec::new(),
            cells,
            is_object,
        });
    }

    fn ends(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if let (Some(header), Some(around)) = (frame.cells.header(), self.frames.last_mut()) {
            around.cells.heads(header);
        }
        if let [first, .., last] = frame.parts.as_slice() {
            self.names.add(&frame.parts.join(" "));
            self.names.add(&format!("{first} {last}"));
            self.names.add(&format!("{last} {first}"));
        }
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
        let digits = text.decoded.bytes().filter(u8::is_ascii_digit).count();
        let found = if text.decoded.contains(['@', '%']) || digits >= 4 {
            self.detector.find_in(text.decoded, Cue::NONE, self.named)
        } else {
            Vec::new()
        };
        // A name that is somebody's number says nothing, just as little as the token in its place will.
        let mut cue = if found.is_empty() { self.cue_of(text.decoded) } else { Cue::NONE };
        let parts = found.into_iter().map(|one| self.part(text, one.start, one.end, one.kind));
        let parts: Vec<_> = parts.collect();
        self.found.extend(parts);
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
            frame.cells.named(text.decoded);
            frame.current = cue;
            frame.personal += usize::from(cue.is_personal());
            frame.things += usize::from(cue.has(Cue::THING) && !cue.is_personal());
            frame.has_name |= cue.has(Cue::NAME);
        }
    }

    fn string(&mut self, text: &Text<'_>) {
        self.next_value(Some(text.decoded));
        let cue = self.current();
        let trimmed = text.decoded.trim();
        if trimmed.is_empty() {
            return;
        }
        if let Some(kind) = self.by_field(trimmed, cue) {
            if kind == Kind::Name
                && cue.has(Cue::NAME)
                && names::is_one_word(trimmed)
                && let Some(frame) = self.frames.last_mut()
            {
                frame.parts.push(trimmed.to_owned());
            }
            let whole = self.whole(text, kind);
            self.found.push(whole);
            return;
        }
        let is_pending = !self.within(text, cue)
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
    }

    fn other(&mut self) {
        self.next_value(None);
    }

    fn number(&mut self, digits: &str, start: usize) {
        self.next_value(None);
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
            (address::is_address_shaped(text, cue.has(Cue::STREET)) || address::is_labelled(text))
                && !is_ip(text)
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
