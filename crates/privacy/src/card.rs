//! Payment cards: digits in the usual groups, an issuer that there is, and the Luhn check.

use crate::checks;
use crate::run::{Group, all_before, digits, lengths};
use crate::words::Cue;

/// How many groups from the first on are a card number.
pub(crate) fn at(text: &[u8], groups: &[Group], cue: Cue) -> Option<usize> {
    let asked = cue.has(Cue::CARD);
    if cue.has(Cue::ID | Cue::VERSION) && !asked {
        return None;
    }
    let count = grouping(groups)?;
    let mut buffer = Vec::with_capacity(20);
    let number = digits(text, &groups[..count], &mut buffer);
    let known = if count == 1 { is_usual_length(number, asked) } else { true };
    (known && is_issued(number) && checks::luhn(number)).then_some(count)
}

/// How many groups are written as card numbers are.
fn grouping(groups: &[Group]) -> Option<usize> {
    const USUAL: [&[usize]; 5] =
        [&[4, 4, 4, 4, 3], &[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4], &[4, 4, 5]];
    if groups[0].len() >= 13 {
        return (groups[0].len() <= 19).then_some(1);
    }
    let count = USUAL.into_iter().find(|usual| lengths(groups, usual))?.len();
    let same = [b' ', b'-', b'.'].iter().any(|one| all_before(&groups[..count], *one));
    let goes_on =
        groups.get(count).is_some_and(|next| next.before == groups[1].before && next.len() == 4);
    (same && !goes_on).then_some(count)
}

/// In one piece, only the lengths in use today are taken unasked: EANs have 13 digits and posts on
/// the internet are numbered with 18 or 19, and every tenth of those passes the check.
fn is_usual_length(number: &[u8], asked: bool) -> bool {
    match number.len() {
        16 => true,
        15 => number[0] == b'3',
        14 => asked || matches!(&number[..2], b"36" | b"38" | b"30"),
        _ => asked,
    }
}

/// Whether a card scheme issues numbers that begin so, with this length.
fn is_issued(number: &[u8]) -> bool {
    let length = number.len();
    let first = |count: usize| checks::number(&number[..count]);
    let visa = number[0] == b'4' && matches!(length, 13 | 16 | 19);
    let mastercard =
        length == 16 && (matches!(first(2), 51..=55) || matches!(first(4), 2221..=2720));
    let amex = length == 15 && matches!(first(2), 34 | 37);
    let diners = matches!(length, 14..=19)
        && (matches!(first(3), 300..=305) || matches!(first(2), 36 | 38 | 39));
    let discover =
        length >= 16 && (first(4) == 6011 || first(2) == 65 || matches!(first(3), 644..=649));
    let jcb = length >= 16 && matches!(first(4), 3528..=3589);
    let unionpay = length >= 16 && first(2) == 62;
    let maestro = matches!(first(4), 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763);
    visa || mastercard || amex || diners || discover || jcb || unionpay || maestro
}

/// Whether a whole text has the shape of a card number, for fields that are called so.
pub(crate) fn is_card_shaped(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    let usual = matches!(digits.len(), 15 | 16)
        || (12..=19).contains(&digits.len()) && checks::luhn(&digits);
    usual && text.bytes().all(|one| one.is_ascii_digit() || matches!(one, b' ' | b'-'))
}
