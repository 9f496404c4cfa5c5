//! A name, cut into words.

use unicode_normalization::UnicodeNormalization;

/// Only so many characters of a name are looked at; what follows goes into the suffix.
const LOOKED_AT: usize = 160;

/// Scripts whose letters are used outside ASCII. Python and JavaScript both take any letter that
/// their own version of Unicode knows; these have been in all of them for years, while one of the
/// newest letters would be an identifier here and a syntax error there.
const SCRIPTS: [(char, char); 15] = [
    ('\u{c0}', '\u{24f}'),    // Latin
    ('\u{370}', '\u{52f}'),   // Greek, Cyrillic
    ('\u{531}', '\u{587}'),   // Armenian
    ('\u{5d0}', '\u{5ea}'),   // Hebrew
    ('\u{620}', '\u{6d3}'),   // Arabic
    ('\u{900}', '\u{97f}'),   // Devanagari
    ('\u{980}', '\u{9fb}'),   // Bengali
    ('\u{b80}', '\u{bff}'),   // Tamil
    ('\u{e01}', '\u{e59}'),   // Thai
    ('\u{1e00}', '\u{1eff}'), // more Latin
    ('\u{3041}', '\u{30fa}'), // Hiragana, Katakana
    ('\u{30fc}', '\u{30ff}'), // without the middle dot, which Python does not know
    ('\u{3400}', '\u{4dbf}'), // Han
    ('\u{4e00}', '\u{9fa5}'), // Han
    ('\u{ac00}', '\u{d7a3}'), // Hangul
];

/// The words of a name, in lower case: `getHTTPStatus-2` is `get`, `http`, `status`, `2`. Words
/// consist of letters and digits only; there may be none.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let characters = name.chars().take(LOOKED_AT);
    let characters: Vec<char> =
        if name.is_ascii() { characters.collect() } else { characters.nfkc().collect() };
    let mut words = vec![String::new()];
    for (position, character) in characters.iter().copied().enumerate() {
        if !is_continue(character) {
            words.push(String::new());
            continue;
        }
        if begins_word(&characters, position) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(character);
        }
    }
    words.iter().map(|word| lower(word)).filter(|word| !word.is_empty()).collect()
}

/// What is left of a name when case and punctuation are ignored: how names are compared as a
/// last resort.
#[must_use]
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|character| character.to_ascii_lowercase())
            .collect();
    }
    name.nfkc()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether [`words`] did not look at the whole name.
pub(super) fn is_cut(name: &str) -> bool {
    name.len() > LOOKED_AT && name.chars().nth(LOOKED_AT).is_some()
}

pub(super) fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    let Some(first) = characters.next() else { return String::new() };
    let upper: String = first.to_uppercase().collect();
    // `ŉ` becomes two characters of which the first is no letter.
    if !upper.chars().all(is_continue) {
        return word.to_owned();
    }
    upper + characters.as_str()
}

/// Words that were joined. What stood in two of them may now be one letter, as it is for whoever compares names.
pub(super) fn composed(joined: String) -> String {
    if joined.is_ascii() { joined } else { joined.nfkc().collect() }
}

/// May an identifier begin with it?
pub(super) fn is_start(character: char) -> bool {
    character.is_ascii_alphabetic()
        || (is_known(character) && unicode_ident::is_xid_start(character))
}

/// May it be inside an identifier? The underscore is not asked about: it separates words.
pub(super) fn is_continue(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || (is_known(character) && unicode_ident::is_xid_continue(character))
}

fn is_known(character: char) -> bool {
    SCRIPTS.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

fn lower(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.to_lowercase().nfkc().filter(|character| is_continue(*character)).collect()
}

/// `characters[position]` begins a word although a letter or digit precedes it.
fn begins_word(characters: &[char], position: usize) -> bool {
    let at = |offset: usize| characters.get(position + offset).copied();
    let (Some(before), Some(this)) = (position.checked_sub(1).map(|p| characters[p]), at(0)) else {
        return false;
    };
    if !this.is_uppercase() {
        return false;
    }
    if !before.is_uppercase() {
        return is_continue(before);
    }
    let ends_a_run = at(1).is_some_and(char::is_lowercase);
    // The `s` of `URLs` makes a plural, not a word that begins with `L`.
    let plural = at(1) == Some('s') && !at(2).is_some_and(char::is_lowercase);
    ends_a_run && !plural
}
