//! Codes that begin with a letter: IBANs and national numbers with letters in them.

use crate::Kind;
use crate::checks;
use crate::words::Cue;

/// How long an IBAN is, by country.
const IBAN_LENGTHS: &str = "\
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 \
GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 \
MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 \
TN24 TR26 UA29 VA22 VG24 XK20";

/// The code that starts at `start`, where a word starts: where it ends and what it is.
///
/// `word_end` is where the letters and digits from `start` on end.
pub(crate) fn at(
    text: &[u8],
    start: usize,
    word_end: usize,
    cue: impl Fn() -> Cue,
) -> Option<(usize, Kind)> {
    let word = &text[start..word_end];
    if let Some(end) = iban(text, start) {
        return Some((end, Kind::Iban));
    }
    let national = |end: usize| Some((end, Kind::NationalNumber));
    match word.len() {
        2 => {
            let end = spaced_british(text, start)?;
            (!cue().has(Cue::ID)).then_some((end, Kind::NationalNumber))
        }
        9 if british(word) && !(cue().has(Cue::ID)) => national(word_end),
        9 if checks::singaporean(word) && cue().has(Cue::NATIONAL) => national(word_end),
        10 if checks::taiwanese(word) && cue().has(Cue::NATIONAL) => national(word_end),
        9 if foreigner(word) => national(word_end),
        8 if dashed_foreigner(text, start).is_some() => national(start + 10),
        10 if indian(word) && (matches!(word[3], b'P') || cue().has(Cue::NATIONAL)) => {
            national(word_end)
        }
        16 if is_italian(word) => national(word_end),
        18 if is_mexican(word) => national(word_end),
        7..=12 if is_document(word) && cue().has(Cue::NATIONAL) => national(word_end),
        _ => None,
    }
}

/// Where the IBAN that starts here ends: right length for its country, and the check holds.
pub(crate) fn iban(text: &[u8], start: usize) -> Option<usize> {
    let head = text.get(start..start + 4)?;
    let is_head = head[0].is_ascii_alphabetic()
        && head[1].is_ascii_alphabetic()
        && head[2].is_ascii_digit()
        && head[3].is_ascii_digit();
    if !is_head {
        return None;
    }
    let wanted = iban_length(head)?;
    let mut code = Vec::with_capacity(wanted);
    let mut at = start;
    while code.len() < wanted {
        let one = *text.get(at)?;
        if one.is_ascii_alphanumeric() {
            code.push(one);
        } else if !matches!(one, b' ' | b'-') || !text.get(at + 1)?.is_ascii_alphanumeric() {
            return None;
        }
        at += 1;
    }
    let ends = !text.get(at).is_some_and(u8::is_ascii_alphanumeric);
    (ends && checks::mod_97(&code)).then_some(at)
}

fn iban_length(head: &[u8]) -> Option<usize> {
    let country = [head[0].to_ascii_uppercase(), head[1].to_ascii_uppercase()];
    let entry =
        IBAN_LENGTHS.split_whitespace().find(|entry| entry.as_bytes().starts_with(&country))?;
    entry[2..].parse().ok()
}

/// Whether a whole text has the shape of an IBAN, for fields that are called so.
pub(crate) fn is_iban_shaped(text: &str) -> bool {
    let code: Vec<u8> = text.bytes().filter(|one| !matches!(one, b' ' | b'-')).collect();
    (15..=34).contains(&code.len())
        && code[..2].iter().all(u8::is_ascii_alphabetic)
        && code[2..4].iter().all(u8::is_ascii_digit)
        && code.iter().all(u8::is_ascii_alphanumeric)
}

/// A British national insurance number: letters that are issued, six digits, A to D.
fn british(word: &[u8]) -> bool {
    let [first, second, digits @ .., last] = word else {
        return false;
    };
    digits.len() == 6
        && digits.iter().all(u8::is_ascii_digit)
        && matches!(last, b'A'..=b'D')
        && b"ABCEGHJKLMNOPRSTWXYZ".contains(first)
        && b"ABCEGHJKLMNPRSTWXYZ".contains(second)
        && !matches!(&word[..2], b"BG" | b"GB" | b"KN" | b"NK" | b"NT" | b"TN" | b"ZZ")
}

/// The same written "AB 12 34 56 C".
fn spaced_british(text: &[u8], start: usize) -> Option<usize> {
    let spaced = text.get(start..start + 13)?;
    if !spaced.is_ascii() || [2, 5, 8, 11].iter().any(|at| spaced[*at] != b' ') {
        return None;
    }
    let word: Vec<u8> = spaced.iter().copied().filter(|one| *one != b' ').collect();
    let ends = !text.get(start + 13).is_some_and(u8::is_ascii_alphanumeric);
    (ends && british(&word)).then_some(start + 13)
}

/// A Spanish foreigner's number: X, Y or Z, seven digits, the letter.
fn foreigner(word: &[u8]) -> bool {
    let Some(first @ (b'X' | b'Y' | b'Z')) = word.first() else {
        return false;
    };
    let mut digits = vec![b'0' + (first - b'X')];
    digits.extend_from_slice(&word[1..8]);
    digits.iter().all(u8::is_ascii_digit) && checks::spanish(&digits, word[8])
}

/// The same with a dash before the letter.
fn dashed_foreigner(text: &[u8], start: usize) -> Option<usize> {
    let whole = text.get(start..start + 10)?;
    if whole[8] != b'-' {
        return None;
    }
    let mut word = whole[..8].to_vec();
    word.push(whole[9]);
    let ends = !text.get(start + 10).is_some_and(u8::is_ascii_alphanumeric);
    (ends && foreigner(&word)).then_some(start + 10)
}

/// An Indian PAN: five letters, the fourth saying whose, four digits, a letter.
fn indian(word: &[u8]) -> bool {
    word[..5].iter().all(u8::is_ascii_uppercase)
        && word[5..9].iter().all(u8::is_ascii_digit)
        && word[9].is_ascii_uppercase()
}

fn is_italian(word: &[u8]) -> bool {
    // Two people with the same code get letters for digits, L for 0 up to V for 9.
    let digit = |one: &u8| one.is_ascii_digit() || b"LMNPQRSTUV".contains(one);
    let upper = word.to_ascii_uppercase();
    upper[..6].iter().all(u8::is_ascii_uppercase)
        && b"ABCDEHLMPRST".contains(&upper[8])
        && [6, 7, 9, 10, 12, 13, 14].iter().all(|at| digit(&upper[*at]))
        && upper[11].is_ascii_uppercase()
        && checks::italian(&upper)
}

fn is_mexican(word: &[u8]) -> bool {
    word[..4].iter().all(u8::is_ascii_uppercase)
        && word[4..10].iter().all(u8::is_ascii_digit)
        && matches!(word[10], b'H' | b'M' | b'X')
        && word[17].is_ascii_digit()
        && checks::mexican(word)
}

/// A passport or identity card: capitals and digits. A country and eight digits or more are the
/// number of a company for value added tax.
fn is_document(word: &[u8]) -> bool {
    let digits_from = |at: usize| word[at..].iter().all(u8::is_ascii_digit);
    if word.len() >= 10 && digits_from(2) {
        return false;
    }
    word.iter().all(|one| one.is_ascii_uppercase() || one.is_ascii_digit())
        && word.iter().filter(|one| one.is_ascii_digit()).count() >= 4
}
