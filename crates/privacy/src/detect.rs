//! The detector: everything personal in a text, sorted and without overlaps.
//!
//! What is found settles what else is found: a street that an e-mail address cuts in two may still
//! hold a telephone number in one half. So a text is looked through again with what was found
//! masked, until nothing new turns up. That makes tokenising a text twice the same as once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use regex::Regex;

use crate::fields::Fields;
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
        self.find_in(text, Cue::NONE)
    }

    /// The same for a text in a field that says `field`.
    pub(crate) fn find_in(&self, text: &str, field: Cue) -> Vec<Found> {
        let mut found = self.once(text, field);
        if found.is_empty() {
            return found;
        }
        for _ in 1..ROUNDS {
            let masked = Masked::new(text, &found);
            let more = self.once(&masked.text, field);
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

    fn once(&self, text: &str, field: Cue) -> Vec<Found> {
        let mut found = Vec::new();
        let glance = Glance::at(text);
        if glance.digits || glance.at {
            scan::scan(text, field, &mut found);
        }
        if glance.digits && glance.spaces && self.wants(&Kind::Address) {
            address::find(text, |start, end| found.push(Found { start, end, kind: Kind::Address }));
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
        found.retain(|one| self.wants(&one.kind));
        for (kind, regex) in &self.own {
            let matches = regex.find_iter(text).filter(|one| !one.is_empty());
            found.extend(matches.map(|one| Found {
                start: one.start(),
                end: one.end(),
                kind: kind.clone(),
            }));
        }
        if !found.is_empty() && text.contains('_') {
            let tokens = token::spans(text, &self.prefixes);
            found.retain(|one| {
                let next = tokens.partition_point(|(_, end)| *end <= one.start);
                tokens.get(next).is_none_or(|(start, _)| *start >= one.end)
            });
        }
        without_overlaps(found)
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

/// Of those that overlap, the one whose kind ranks first, then the longest.
fn without_overlaps(mut found: Vec<Found>) -> Vec<Found> {
    if found.len() < 2 {
        return found;
    }
    found.sort_by_key(|one| (one.kind.rank(), usize::MAX - (one.end - one.start), one.start));
    let mut kept: BTreeMap<usize, Found> = BTreeMap::new();
    for one in found {
        let before = kept.range(..one.end).next_back();
        if before.is_none_or(|(_, before)| before.end <= one.start) {
            kept.insert(one.start, one);
        }
    }
    kept.into_values().collect()
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
