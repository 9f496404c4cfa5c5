//! Names of people: which texts can be one, and names behind a label in running text.
//!
//! A name looks like nothing in particular, so it is never guessed from running text alone. It
//! needs a field or a label that says so ("Customer: Jane Doe") or the form of a mail header
//! (`Jane Doe <jane@example.com>`); and even then it must not hold a word of companies or goods.

use crate::fields::Fields;
use crate::words::{self, Cue};

/// The longest name, in bytes.
const LONGEST: usize = 80;
/// How far behind a bare "Name:" the labels of things are looked for.
const NEIGHBOURS: usize = 240;

/// What stands small inside names.
const PARTICLES: &[&str] = &[
    "van", "von", "de", "der", "den", "del", "della", "di", "da", "dos", "das", "do", "du", "la",
    "le", "el", "al", "bin", "ibn", "ben", "y", "e", "zu", "zur", "ter", "ten", "af", "av", "of",
    "st", "vom", "och", "abu", "bint", "d", "i",
];

/// Titles that stand before names, without their points.
const TITLES: &[&str] = &[
    "dr", "prof", "med", "phil", "jur", "nat", "rer", "habil", "dipl", "ing", "mag", "dott", "dra",
    "sr", "sra", "mr", "mrs", "ms", "mme", "hr", "sig", "dent", "vet", "univ", "rev", "hon",
    "capt", "lt", "sgt", "ir", "drs", "mgr", "bc",
];

/// Whether a whole text can be a name in a field that holds nothing else.
pub(crate) fn is_loose(text: &str) -> bool {
    // "DOE^JANE^A" is how hospitals write it, "John Smith (deceased)" how people do.
    let plain =
        |one: char| one.is_alphabetic() || is_mark(one) || " .'’-,·・\u{a0}^()\"“”„".contains(one);
    let letters = text.chars().filter(|one| one.is_alphabetic()).count();
    text.len() <= LONGEST
        && (letters >= 2 || text.chars().all(is_unspaced))
        && text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '"' | '“' | '„'))
        && text.chars().all(plain)
        && text.split_whitespace().count() <= 6
        && !is_placeholder(text)
}

/// Whether a whole text looks like the name of a person: capitalised words, none of a company.
pub(crate) fn is_strict(text: &str) -> bool {
    prefix(text).is_some_and(|found| found.end == text.len() && found.words >= 2)
}

/// The same, also with the last name first: "Doe, Jane".
pub(crate) fn is_person(text: &str) -> bool {
    is_strict(text) || is_turned(text)
}

/// Whether a whole text is a last name, a comma and what comes before it otherwise.
pub(crate) fn is_turned(text: &str) -> bool {
    let two = text.split_once(", ").filter(|(_, first)| !first.contains(','));
    two.is_some_and(|(last, first)| {
        let is_short = |part: &str| part.split(' ').count() <= 3;
        is_one_word(last) && is_one_word(first) && is_short(last) && is_short(first)
    })
}

/// Whether a whole text can be one part of a person's name.
pub(crate) fn is_one_word(text: &str) -> bool {
    prefix(text).is_some_and(|found| found.end == text.len())
}

fn is_placeholder(text: &str) -> bool {
    let folded = words::folded(text);
    let known = [
        "n/a",
        "na",
        "none",
        "null",
        "unknown",
        "undefined",
        "anonymous",
        "test",
        "unbekannt",
        "inconnu",
        "desconocido",
        "tbd",
        "true",
        "false",
        "string",
        "yes",
        "no",
        "required",
        "optional",
        "first name",
        "last name",
        "name",
    ];
    known.contains(&folded.as_str())
}

/// The marks that Indian scripts hang on their letters.
fn is_mark(one: char) -> bool {
    ('\u{900}'..='\u{dff}').contains(&one)
}

/// A name at the start of a text.
struct Prefix {
    end: usize,
    words: usize,
}

/// Reads capitalised words, with particles between them, from the start of `text`.
fn prefix(text: &str) -> Option<Prefix> {
    let mut end = 0;
    let mut count = 0;
    let mut at = 0;
    let mut small = 0;
    while count < 5 && at < LONGEST {
        let rest = &text[at..];
        let length = word_length(rest);
        let word = &rest[..length];
        if word.is_empty() {
            break;
        }
        if count > 0 && is_next_label(word, &rest[length..]) {
            break;
        }
        let is_title = word.ends_with('.')
            && TITLES.contains(&words::folded(word.trim_end_matches('.')).as_str());
        if is_title && rest[length..].starts_with(' ') {
            at += length + 1;
            count += usize::from(count == 0);
            continue;
        }
        let is_particle =
            PARTICLES.contains(&word) && count + small > 0 || PARTICLES.contains(&word) && at == 0;
        if is_particle && small < 3 {
            small += 1;
        } else if is_capitalised(word) {
            if is_of_a_company(word) {
                return None;
            }
            end = at + word.trim_end_matches(['\'', '’', '-']).len();
            count += if word.chars().any(is_unspaced) && word.chars().count() <= 6 { 2 } else { 1 };
            small = 0;
        } else {
            break;
        }
        at += length;
        // "Jane Doe. Next sentence", but "J. Doe" and "Dr. Doe".
        if word.ends_with('.') && word.chars().count() > 4 {
            break;
        }
        match text[at..].chars().next() {
            Some(space @ (' ' | '\u{a0}' | '\u{3000}' | '・' | '·' | '^')) => {
                at += space.len_utf8();
            }
            _ => break,
        }
        at += nickname(&text[at..]).unwrap_or(0);
    }
    // "J. Smith." ends in a sentence, "Jr." in a name: a single letter keeps its point.
    let whole = text.get(..end)?;
    let last = whole.rsplit([' ', '-']).next().unwrap_or_default();
    if last.ends_with('.') && last.chars().count() > 3 && end < text.len() {
        end -= 1;
    }
    (count > 0).then_some(Prefix { end, words: count })
}

/// "AG" and "Technologies" are words of companies; "Sá" and "Ag" are not.
fn is_of_a_company(word: &str) -> bool {
    let bare = word.trim_end_matches('.');
    // "Åsa" and "Sas" are people, "ASA" is not.
    let short = bare.chars().count() <= 2 && bare != "Co"
        || ["asa", "sas", "spa"].contains(&words::folded(bare).as_str());
    words::is_not_people(&words::folded(bare)) && (!short || bare.chars().all(char::is_uppercase))
}

fn word_length(text: &str) -> usize {
    text.chars()
        .take_while(|one| {
            one.is_alphabetic() || is_mark(*one) || matches!(one, '\'' | '’' | '-' | '.')
        })
        .map(char::len_utf8)
        .sum()
}

fn is_capitalised(word: &str) -> bool {
    let Some(first) = word.chars().next() else {
        return false;
    };
    let starts = first.is_uppercase() || first.is_alphabetic() && !first.is_lowercase();
    let dots = word.matches('.').count();
    let letters = word.chars().filter(|one| one.is_alphabetic()).count();
    starts && (dots == 0 || dots <= 2 && letters <= 3 || word.ends_with('.') && dots == 1)
        // "ERROR" and "HTTP" are no names, "DOE" is one; only the words around could tell.
        && (letters <= 12 || word.chars().any(char::is_lowercase) || word.chars().any(is_unspaced))
}

fn is_unspaced(one: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&one) || ('\u{ac00}'..='\u{d7af}').contains(&one)
}

/// Whether a capitalised word behind a name begins what comes next on the line: "Jane Doe MRN: 12", "… IBAN DE89…".
fn is_next_label(word: &str, rest: &str) -> bool {
    let cue = words::cue(&words::folded(word.trim_end_matches('.')));
    let is_colon = rest.starts_with([':', '=', '：']);
    let capitals = word.chars().count() >= 2 && word.chars().all(char::is_uppercase);
    let number = rest.trim_start_matches(['.', ' ', '#']);
    let is_number = number.len() < rest.len()
        && number
            .split(' ')
            .next()
            .is_some_and(|next| next.bytes().any(|one| one.is_ascii_digit()) && next.len() >= 3);
    is_colon
        || (cue != Cue::NONE && !cue.has(Cue::ROLE) || capitals)
            && (is_number || capitals && cue != Cue::NONE)
}

/// How long a nickname is that stands here within a name: `"Bill" ` in `William "Bill" Gates`.
fn nickname(rest: &str) -> Option<usize> {
    let close = match rest.chars().next()? {
        '"' => '"',
        '“' | '„' => '”',
        '(' => ')',
        _ => return None,
    };
    let inside = &rest[rest.chars().next()?.len_utf8()..];
    let end = inside.find(close)?;
    let name = &inside[..end];
    let plain = name.chars().all(char::is_alphabetic) && name.chars().count() <= 16;
    let length = rest.len() - inside.len() + end + close.len_utf8();
    let goes_on =
        rest[length..].strip_prefix(' ').is_some_and(|next| next.starts_with(char::is_uppercase));
    (plain && name.starts_with(char::is_uppercase) && goes_on).then_some(length + 1)
}

/// The names behind labels in a text.
pub(crate) fn find(text: &str, fields: &Fields, mut each: impl FnMut(usize, usize)) {
    for (at, mark) in text.char_indices() {
        match mark {
            ':' | '=' | '：' | '>' => {
                if let Some((start, end)) = labelled(text, at, at + mark.len_utf8(), fields) {
                    each(start, end);
                }
            }
            '<' => {
                if let Some((start, end)) = before_mail(text, at) {
                    each(start, end);
                }
            }
            _ => {}
        }
    }
}

/// The name behind the label that ends at `at`; the value may begin from `after` on.
fn labelled(text: &str, at: usize, after: usize, fields: &Fields) -> Option<(usize, usize)> {
    let value = text[after..].trim_start_matches([' ', '\t', '\u{a0}', '\u{3000}', '"', '\'', '*']);
    let start = text.len() - value.len();
    let first = value.chars().next()?;
    if start > after + 8
        || first.is_lowercase() && !value.starts_with(['v', 'd'])
        || !first.is_alphabetic()
    {
        return None;
    }
    let cue = label_cue(label(text, at), text[at..].starts_with('='), fields)?;
    let mut name = prefix(value)?;
    if cue.has(Cue::NAME | Cue::ROLE) {
        name.end += turned_rest(value, name.end);
    }
    // "Red Hat, Inc."
    let follows = value[name.end..].trim_start_matches([',', ' ']);
    if is_of_a_company(&follows[..word_length(follows)]) && !follows.contains([':', '=']) {
        return None;
    }
    let next = value[name.end..].trim_start_matches([' ', '\u{a0}']).chars().next();
    let ends = next.is_none_or(|next| !next.is_alphanumeric() && next != '_' && next != '@');
    let glued = value[name.end..]
        .starts_with(|next: char| next.is_alphanumeric() || "_@/\\:=(".contains(next));
    let found = if cue.has(Cue::NAME) {
        !glued
    } else if cue.has(Cue::ROLE) {
        name.words >= 2 && !glued
    } else {
        ends && !glued && is_person_around(text, at, start + name.end, name.words >= 2, fields)
    };
    (found && !is_placeholder(&value[..name.end])).then_some((start, start + name.end))
}

/// How much of "DOE, JANE A" follows the last name behind a label, if that is how it is written.
fn turned_rest(value: &str, end: usize) -> usize {
    let last = &value[..end];
    let Some(first) = value[end..].strip_prefix(", ").filter(|_| !last.contains(' ')) else {
        return 0;
    };
    let line = first.split(['\n', '|', ';']).next().unwrap_or_default();
    let loud = last.chars().filter(|one| one.is_alphabetic()).all(char::is_uppercase);
    let Some(found) = prefix(first) else { return 0 };
    let ends = line[found.end..].trim().is_empty();
    if found.words <= 3 && (ends || loud) && !line[found.end..].starts_with([':', '=']) {
        found.end + 2
    } else {
        0
    }
}

/// Whether a bare "Name:" is a person's, by the labels that follow it.
fn is_person_around(text: &str, at: usize, end: usize, several: bool, fields: &Fields) -> bool {
    let to = text.floor_char_boundary((end + NEIGHBOURS).min(text.len()));
    let from = text.floor_char_boundary(at.saturating_sub(NEIGHBOURS));
    let mut cues = Cue::NONE;
    for part in [&text[from..at], &text[end..to]] {
        for (place, _) in part.match_indices([':', '=', '：']) {
            cues |= fields.cue(label(part, place));
        }
    }
    let personal = cues.is_personal();
    let thing = cues.has(Cue::THING | Cue::ID);
    if several { personal || !thing } else { cues.has(Cue::NAME) }
}

/// The label that ends at `at`: the words before it, back to what cannot be part of one.
pub(crate) fn label(text: &str, at: usize) -> &str {
    let from = text.floor_char_boundary(at.saturating_sub(40));
    let head = text[from..at].trim_end_matches([' ', '"', '\'', '*', '\u{a0}', '\\']);
    let start = head
        .rfind(|one: char| {
            !(one.is_alphabetic() || is_mark(one) || matches!(one, ' ' | '_' | '-' | '\''))
        })
        .map_or(0, |before| before + head[before..].chars().next().map_or(1, char::len_utf8));
    head[start..].trim_start_matches(['-', ' ', '*', '\''])
}

fn label_cue(label: &str, is_equals: bool, fields: &Fields) -> Option<Cue> {
    let wanted = Cue::NAME | Cue::ROLE | Cue::BARE_NAME;
    // As a visiting card writes it.
    if label == "FN" {
        return Some(Cue::NAME);
    }
    let cue = fields.cue(label);
    if cue.has(wanted) && label.split_whitespace().count() <= 4 {
        return Some(cue);
    }
    // "INFO customer_name=…": the last word, if it says all; "login ok user=…" as logs write it.
    let last = label.rsplit(' ').next()?;
    let cue = fields.cue(last);
    let says_all = cue.has(Cue::NAME) || is_equals && cue.has(Cue::ROLE);
    (last.len() < label.len() && says_all).then_some(cue)
}

/// The name before an address in angle brackets that starts at `at`.
fn before_mail(text: &str, at: usize) -> Option<(usize, usize)> {
    let to = text.floor_char_boundary((at + 80).min(text.len()));
    let inside = text[at + 1..to].split_once('>')?.0;
    // Behind a token there is no @ any more, but then the name before it was taken along with it.
    if !inside.contains('@') {
        return None;
    }
    let from = text.floor_char_boundary(at.saturating_sub(LONGEST));
    let head = text[from..at].trim_end_matches([' ', '"']);
    let start = head
        .rfind(['\n', ',', ':', ';', '"', '<', '>', '=', '(', '|'])
        .map_or(0, |before| before + 1);
    let name = head[start..].trim_start();
    let end = from + head.len();
    if is_strict(name) {
        return Some((end - name.len(), end));
    }
    // "could not deliver to Jane Doe <…>": the words from the first capital on.
    let mut words = name.match_indices(' ').map(|(space, _)| &name[space + 1..]);
    let name = words.find(|rest| rest.starts_with(char::is_uppercase) && is_strict(rest))?;
    Some((end - name.len(), end))
}
