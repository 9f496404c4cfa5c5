//! The detector: everything personal in a text, sorted and without overlaps.
//!
//! What is found settles what else is found: a street that an e-mail address cuts in two may still
//! hold a telephone number in one half. So a text is looked through again with what was found
//! masked, until nothing new turns up. That makes tokenising a text twice the same as once.
//!
//! Parts of a text that are JSON are read as JSON; see [`records`](crate::records).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use regex::Regex;

use crate::fields::Fields;
use crate::recurring::Names;
use crate::view::View;
use crate::words::Cue;
use crate::{Kind, Settings, SettingsError, address, names, scan, settings, tables, token};

/// How often a text is looked through at most.
const ROUNDS: usize = 5;

/// Something personal in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
}

/// Finds personal data in texts and JSON. Made once from settings, used from any thread.
#[derive(Debug)]
pub struct Detector {
    kinds: Vec<Kind>,
    own: Vec<(Kind, Regex)>,
    prefixes: Vec<String>,
    pub(crate) fields: Fields,
}

impl Detector {
    /// Checks the settings and makes a detector of them.
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        let mut kinds = Vec::new();
        for given in &settings.kinds {
            let kind = Kind::BUILT_IN.into_iter().find(|kind| kind.name() == given);
            kinds.push(kind.ok_or_else(|| SettingsError::UnknownKind { given: given.clone() })?);
        }
        let mut prefixes: Vec<String> = Kind::BUILT_IN.iter().map(Kind::prefix).collect();
        let mut own: Vec<(Kind, Regex)> = Vec::new();
        for pattern in &settings.patterns {
            own.push(compile(pattern, &prefixes)?);
            prefixes.extend(own.last().map(|(kind, _)| kind.prefix()));
        }
        let fields = Fields::new(&settings.name_fields)
            .map_err(|given| SettingsError::NameField { given })?;
        Ok(Self { kinds, own, prefixes, fields })
    }

    /// What is personal in a text, from left to right, not overlapping.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Found> {
        let found = self.find_mixed(text).into_iter();
        found.map(|one| Found { start: one.start, end: one.end, kind: one.kind }).collect()
    }

    /// The same for a text in a field that says `field`, among others in which people were named.
    pub(crate) fn find_in(&self, text: &str, field: Cue, names: &Names) -> Vec<Found> {
        let view = View::new(text);
        let mut found = self.find_meant(&view.text, field, names);
        for one in &mut found {
            (one.start, one.end) = (view.source(one.start), view.source(one.end));
        }
        if !self.own.is_empty() && view.text != text {
            // Patterns of one's own may ask for the very escapes that are gone there.
            found.extend(self.own_in(text));
            return without_overlaps(text, self.beside_tokens(text, found));
        }
        found
    }

    fn own_in(&self, text: &str) -> impl Iterator<Item = Found> {
        self.own.iter().flat_map(move |(kind, regex)| {
            let matches = regex.find_iter(text).filter(|one| !one.is_empty());
            matches.map(|one| Found { start: one.start(), end: one.end(), kind: kind.clone() })
        })
    }

    /// What does not touch a token that the text holds already.
    fn beside_tokens(&self, text: &str, mut found: Vec<Found>) -> Vec<Found> {
        if !found.is_empty() && text.contains('_') {
            let tokens = token::spans(text, &self.prefixes);
            found.retain(|one| {
                let next = tokens.partition_point(|(_, end)| *end <= one.start);
                tokens.get(next).is_none_or(|(start, _)| *start >= one.end)
            });
        }
        found
    }

    fn find_meant(&self, text: &str, field: Cue, names: &Names) -> Vec<Found> {
        let mut found = self.once(text, field, names);
        if found.is_empty() {
            return found;
        }
        for _ in 1..ROUNDS {
            let masked = Masked::new(text, &found);
            let more = self.once(&masked.text, field, names);
            if more.is_empty() {
                break;
            }
            found.extend(more.into_iter().map(|one| masked.unmask(one)));
            found.sort_unstable_by_key(|one| one.start);
        }
        found
    }

    /// Whether this kind is looked for.
    pub(crate) fn wants(&self, kind: &Kind) -> bool {
        self.kinds.contains(kind)
    }

    /// Everything in a text that may be a token, for whoever keeps values elsewhere than in a vault.
    #[must_use]
    pub fn possible_tokens<'t>(&self, text: &'t str) -> BTreeSet<&'t str> {
        token::possible(text, &self.prefixes)
    }

    /// Whether a text already holds a token, or what looks like one.
    pub(crate) fn has_token(&self, text: &str) -> bool {
        !token::spans(text, &self.prefixes).is_empty()
    }

    fn once(&self, text: &str, field: Cue, known: &Names) -> Vec<Found> {
        let mut found = Vec::new();
        let glance = Glance::at(text);
        if glance.digits || glance.at || text.contains("(at)") || text.contains("[at]") {
            scan::scan(text, field, &mut found);
        }
        if glance.digits && glance.spaces && self.wants(&Kind::Address) {
            address::find(text, |start, end| found.push(Found { start, end, kind: Kind::Address }));
        }
        if glance.label && self.wants(&Kind::Address) {
            address::labelled(text, &self.fields, |start, end| {
                if !self.has_token(&text[start..end]) {
                    found.push(Found { start, end, kind: Kind::Address });
                }
            });
        }
        if glance.label && self.wants(&Kind::Name) {
            names::find(text, &self.fields, |start, end| {
                found.push(Found { start, end, kind: Kind::Name });
            });
        }
        if glance.rows {
            tables::find(text, &self.fields, |start, end, kind| {
                if !self.has_token(&text[start..end]) {
                    found.push(Found { start, end, kind });
                }
            });
        }
        if self.wants(&Kind::Name) {
            let mut again = |start, end| found.push(Found { start, end, kind: Kind::Name });
            known.find(text, &mut again);
            let labelled = found.iter().filter(|one| one.kind == Kind::Name);
            let names = Names::new(labelled.map(|one| &text[one.start..one.end]));
            names.find(text, &mut |start, end| found.push(Found { start, end, kind: Kind::Name }));
        }
        found.retain(|one| self.wants(&one.kind));
        found.extend(self.own_in(text));
        let found = self.beside_tokens(text, found);
        without_overlaps(text, found)
    }
}

fn compile(
    pattern: &settings::Pattern,
    prefixes: &[String],
) -> Result<(Kind, Regex), SettingsError> {
    let name = pattern.name.clone();
    if !settings::is_pattern_name(&name) {
        return Err(SettingsError::PatternName { given: name });
    }
    let kind = Kind::Own(Arc::from(name.as_str()));
    if let Some(other) = prefixes.iter().find(|other| **other == kind.prefix()) {
        return Err(SettingsError::PatternNameTaken { given: name, other: other.to_lowercase() });
    }
    let regex = Regex::new(&pattern.regex).map_err(|source| SettingsError::PatternRegex {
        name: name.clone(),
        source: Box::new(source),
    })?;
    if regex.is_match("") {
        return Err(SettingsError::PatternEmpty { name });
    }
    Ok((kind, regex))
}

/// What a text has at all, so that most of them need no closer look.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "five things that are independent of each other")]
struct Glance {
    digits: bool,
    /// Spaces, or letters of scripts that have none.
    spaces: bool,
    at: bool,
    label: bool,
    /// Several lines, with something between cells.
    rows: bool,
}

impl Glance {
    fn at(text: &str) -> Self {
        let mut glance = Self::default();
        let (mut lines, mut cells) = (false, false);
        for one in text.bytes() {
            lines |= one == b'\n';
            cells |= matches!(one, b',' | b';' | b'\t' | b'|');
            match one {
                b'0'..=b'9' => glance.digits = true,
                b'@' => glance.at = true,
                b' ' | b'\n' | 0xc2 | 0xe2..=0xee => glance.spaces = true,
                b':' | b'=' | b'<' | b'>' => glance.label = true,
                // The first byte of a full-width colon.
                0xef => (glance.label, glance.spaces) = (true, true),
                _ => {}
            }
        }
        glance.rows = lines && cells;
        glance
    }
}

/// Of those that overlap, the one whose kind ranks first, then the longest. What is left of an address or
/// a telephone number beside it stays personal.
fn without_overlaps(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    if found.len() < 2 {
        return found;
    }
    give_way_to_phones(text, &mut found);
    found.sort_by_key(|one| (one.kind.rank(), usize::MAX - (one.end - one.start), one.start));
    let mut kept: BTreeMap<usize, Found> = BTreeMap::new();
    for one in found {
        let in_the_way = kept.range(..one.end).rev().take_while(|(_, other)| other.end > one.start);
        let (first, last) = in_the_way.fold((one.end, one.start), |(first, last), (_, other)| {
            (first.min(other.start), last.max(other.end))
        });
        if first >= last {
            kept.insert(one.start, one);
            continue;
        }
        for (start, end) in [(one.start, first), (last, one.end)] {
            if let Some((start, end)) = rest(text, start, end, &one.kind) {
                kept.insert(start, Found { start, end, kind: one.kind.clone() });
            }
        }
    }
    kept.into_values().collect()
}

/// "+41 21 345 67 89, Avenue de la Gare 12": the number before a street may be the last part of a telephone number.
fn give_way_to_phones(text: &str, found: &mut Vec<Found>) {
    let mut phones: Vec<(usize, usize)> = found
        .iter()
        .filter(|one| {
            one.kind == Kind::Phone && text[one.start..one.end].starts_with(['+', '0', '('])
        })
        .map(|one| (one.start, one.end))
        .collect();
    if phones.is_empty() {
        return;
    }
    phones.sort_unstable();
    for one in found.iter_mut().filter(|one| one.kind == Kind::Address) {
        let before = phones.partition_point(|(start, _)| *start < one.start);
        let Some((_, end)) = before.checked_sub(1).map(|before| phones[before]) else { continue };
        if end > one.start {
            let (start, end) = rest(text, end.min(one.end), one.end, &Kind::Address)
                .unwrap_or((one.start, one.start));
            (one.start, one.end) = (start, end);
        }
    }
    found.retain(|one| one.start < one.end);
}

/// What is still personal between two places of something that was cut.
fn rest(text: &str, start: usize, end: usize, kind: &Kind) -> Option<(usize, usize)> {
    let part = text.get(start..end)?;
    let is_edge = |one: char| !one.is_alphanumeric() && one != '+';
    let from = start + part.len() - part.trim_start_matches(is_edge).len();
    let part = part.trim_matches(is_edge);
    let count = |wanted: fn(char) -> bool| part.chars().filter(|one| wanted(*one)).count();
    let digits = count(|one| one.is_ascii_digit());
    let is_worth = match kind {
        Kind::Address => digits > 0 && count(char::is_alphabetic) >= 4,
        Kind::Phone => digits >= 6,
        _ => false,
    };
    is_worth.then_some((from, from + part.len()))
}

/// A text with what was found replaced by what tokens look like.
struct Masked {
    text: String,
    /// Where each mask ends, and how many bytes were put in and taken out up to there.
    ends: Vec<(usize, usize, usize)>,
}

impl Masked {
    fn new(text: &str, found: &[Found]) -> Self {
        let mut masked = Self { text: String::with_capacity(text.len()), ends: Vec::new() };
        let (mut from, mut put_in, mut taken_out) = (0, 0, 0);
        for one in found {
            masked.text.push_str(&text[from..one.start]);
            let mask = one.kind.prefix() + token::MASK;
            masked.text.push_str(&mask);
            put_in += mask.len();
            taken_out += one.end - one.start;
            masked.ends.push((masked.text.len(), put_in, taken_out));
            from = one.end;
        }
        masked.text.push_str(&text[from..]);
        masked
    }

    /// The same thing where it stands in the text itself.
    fn unmask(&self, one: Found) -> Found {
        let before = self.ends.partition_point(|(end, ..)| *end <= one.start);
        let (put_in, taken_out) =
            before.checked_sub(1).map_or((0, 0), |at| (self.ends[at].1, self.ends[at].2));
        let move_back = |at: usize| at + taken_out - put_in;
        Found { start: move_back(one.start), end: move_back(one.end), kind: one.kind }
    }
}
