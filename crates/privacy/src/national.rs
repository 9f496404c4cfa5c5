//! National numbers made of digits: social security, tax and identity numbers.
//!
//! A number with a good check digit is taken wherever it stands, unless a word before it says that
//! it is an order or an article. One with a weak check, or none, needs a word such as "SSN".

use crate::checks;
use crate::run::{Group, all_before, digits, lengths};
use crate::words::Cue;

/// How many groups from the first on are a national number, and how many bytes of a check
/// letter follow the last.
pub(crate) fn at(text: &[u8], groups: &[Group], cue: Cue) -> Option<(usize, usize)> {
    let asked = cue.has(Cue::NATIONAL);
    if cue.has(Cue::ID | Cue::VERSION) && !asked {
        return None;
    }
    let mut buffer = Vec::with_capacity(20);
    let mut of =
        |count: usize| digits(text, &groups[..count.min(groups.len())], &mut buffer).to_vec();
    if let Some(found) = with_letter(text, groups, asked, &of(4)) {
        return Some(found);
    }
    let found = match groups[0].len() {
        1 | 2 => short_first(groups, asked, &mut of),
        3 => three_first(groups, asked, cue, &mut of),
        4 if lengths(groups, &[4, 4, 4]) => {
            let code = of(3);
            let alone =
                groups.get(3).is_none_or(|next| next.before != groups[1].before || next.len() != 4);
            let indian =
                code[0] >= b'2' && checks::verhoeff(&code) && (asked || !is_years(text, groups));
            (alone && same(&groups[..3]) && (indian || asked && checks::japanese(&code)))
                .then_some(3)
        }
        4 if asked && lengths(groups, &[4, 6]) => Some(2),
        6 => six_first(groups, asked, &mut of),
        8 if lengths(groups, &[8, 4]) && matches!(groups[1].before, b'-') => {
            checks::swedish(&of(2)[2..]).then_some(2)
        }
        _ => unbroken(&of(1), asked).then_some(1),
    };
    found.or_else(|| if asked { dashed(groups) } else { None }).map(|count| (count, 0))
}

/// Whatever else is written with dashes behind "National ID". A social security number that is
/// never issued is not made one by the word before it.
fn dashed(groups: &[Group]) -> Option<usize> {
    let total: usize = groups.iter().map(|group| group.len()).sum();
    let other = groups.len() > 1 && all_before(groups, b'-') && !lengths(groups, &[3, 2, 4]);
    (other && (8..=16).contains(&total)).then_some(groups.len())
}

/// "2023-2024-2025" counts years.
fn is_years(text: &[u8], groups: &[Group]) -> bool {
    groups[..3].iter().all(|group| matches!(&text[group.start..group.start + 2], b"19" | b"20"))
}

fn same(groups: &[Group]) -> bool {
    all_before(groups, b' ') || all_before(groups, b'-')
}

/// French, German, Belgian and Argentinian numbers, and the Chilean ones.
fn short_first(
    groups: &[Group],
    asked: bool,
    of: &mut impl FnMut(usize) -> Vec<u8>,
) -> Option<usize> {
    if lengths(groups, &[1, 2, 2, 2, 3, 3, 2]) && same(&groups[..7]) && checks::french(&of(7)) {
        return Some(7);
    }
    if lengths(groups, &[1, 4, 5, 2, 1]) && same(&groups[..5]) {
        let usual = asked || groups[1].before == b'-';
        return (usual && checks::thai(&of(5))).then_some(5);
    }
    if lengths(groups, &[2, 3, 3, 3]) && same(&groups[..4]) && checks::german_tax(&of(4)) {
        return Some(4);
    }
    let belgian =
        lengths(groups, &[2, 2, 2, 3, 2]) && groups[3].before == b'-' && groups[4].before != b' ';
    if belgian && checks::belgian(&of(5)) {
        return Some(5);
    }
    if lengths(groups, &[2, 8, 1]) && all_before(&groups[..3], b'-') && checks::argentinian(&of(3))
    {
        return Some(3);
    }
    let dotted = groups.len() >= 4
        && lengths(&groups[1..], &[3, 3, 1])
        && all_before(&groups[..3], b'.')
        && groups[3].before == b'-';
    let code = of(4);
    (dotted && checks::chilean(&code[..code.len() - 1], code[code.len() - 1])).then_some(4)
}

/// American, Canadian, Brazilian, Swiss and British numbers.
fn three_first(
    groups: &[Group],
    asked: bool,
    cue: Cue,
    of: &mut impl FnMut(usize) -> Vec<u8>,
) -> Option<usize> {
    if lengths(groups, &[3, 2, 4]) {
        let usual = all_before(&groups[..3], b'-') || asked && all_before(&groups[..3], b' ');
        return (usual && checks::american(&of(3))).then_some(3);
    }
    if lengths(groups, &[3, 3, 3, 2]) && all_before(&groups[..3], b'.') && groups[3].before == b'-'
    {
        return checks::brazilian(&of(4)).then_some(4);
    }
    if lengths(groups, &[3, 4, 4, 2])
        && (all_before(&groups[..4], b'.') || all_before(&groups[..4], b' '))
    {
        return checks::swiss(&of(4)).then_some(4);
    }
    if lengths(groups, &[3, 3, 3, 2])
        && (asked || groups[3].before == b' ' && groups[1].before == b'-')
    {
        return checks::russian(&of(4)).then_some(4);
    }
    if lengths(groups, &[3, 3, 4]) && asked {
        return (same(&groups[..3]) && checks::nhs(&of(3))).then_some(3);
    }
    if lengths(groups, &[3, 3, 3]) && same(&groups[..3]) {
        let code = of(3);
        let dashes = groups[1].before == b'-' && !cue.has(Cue::PHONE);
        let canadian = (asked || !matches!(code[0], b'0' | b'8')) && checks::luhn(&code);
        let other = asked
            && (checks::dutch(&code)
                || checks::portuguese(&code)
                || checks::australian(&code)
                || checks::hungarian(&code));
        return (canadian && (asked || dashes) || other).then_some(3);
    }
    None
}

/// Swedish, Danish, Czech, Norwegian and Korean numbers.
fn six_first(
    groups: &[Group],
    asked: bool,
    of: &mut impl FnMut(usize) -> Vec<u8>,
) -> Option<usize> {
    let between = groups.get(1).map_or(0, |group| group.before);
    let code = of(2);
    let day = |month: &[u8], day: &[u8]| checks::is_day(checks::number(month), checks::number(day));
    if lengths(groups, &[6, 4]) {
        let found = match between {
            b'-' => checks::swedish(&code) || asked && day(&code[2..4], &code[..2]),
            b'/' => checks::czech(&code),
            _ => asked && day(&code[2..4], &code[..2]),
        };
        return found.then_some(2);
    }
    if lengths(groups, &[6, 5]) {
        return (between == b' ' && checks::norwegian(&code)).then_some(2);
    }
    if lengths(groups, &[6, 7]) && between == b'-' {
        return (matches!(code[6], b'1'..=b'8') && day(&code[2..4], &code[4..6])).then_some(2);
    }
    None
}

/// Numbers written without separators.
fn unbroken(code: &[u8], asked: bool) -> bool {
    match code.len() {
        9 => {
            asked
                && (checks::american(code)
                    || checks::dutch(code)
                    || checks::portuguese(code)
                    || checks::australian(code)
                    || checks::hungarian(code)
                    || checks::luhn(code))
        }
        10 => asked,
        11 => {
            checks::german_tax(code)
                || checks::polish(code)
                || checks::norwegian(code)
                || checks::turkish(code)
                || asked
                    && (checks::brazilian(code)
                        || checks::belgian(code)
                        || checks::baltic(code)
                        || checks::croatian(code)
                        || checks::greek(code)
                        || checks::russian(code))
        }
        12 => {
            asked
                && (checks::verhoeff(code)
                    || checks::swedish(&code[2..])
                    || checks::japanese(code)
                    || checks::luhn(code))
        }
        13 => {
            checks::swiss(code)
                || checks::south_african(code)
                || checks::romanian(code)
                || asked && (code[0] != b'0' || checks::yugoslav(code))
        }
        15 => checks::french(code),
        18 => checks::chinese(code),
        _ => false,
    }
}

/// Numbers whose last place is a letter directly behind the digits or behind a dash.
fn with_letter(text: &[u8], groups: &[Group], asked: bool, code: &[u8]) -> Option<(usize, usize)> {
    let letter_after = |count: usize| {
        let end = groups[count - 1].end;
        let dash = usize::from(text.get(end) == Some(&b'-'));
        let letter = *text.get(end + dash)?;
        let ends = !text
            .get(end + dash + 1)
            .is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_');
        (letter.is_ascii_uppercase() && ends).then_some((letter, dash + 1))
    };
    if groups[0].len() == 8 {
        let (letter, bytes) = letter_after(1)?;
        return checks::spanish(&code[..8], letter).then_some((1, bytes));
    }
    if lengths(groups, &[2, 3, 3]) && all_before(&groups[..3], b'.') {
        let (letter, bytes) = letter_after(3)?;
        let found = checks::spanish(&code[..8], letter)
            || letter == b'K' && checks::chilean(&code[..8], letter);
        return found.then_some((3, bytes));
    }
    if lengths(groups, &[6, 3]) && groups[1].before == b'-' {
        let (letter, bytes) = letter_after(2)?;
        return (bytes == 1 && checks::finnish(&code[..6], &code[6..9], letter))
            .then_some((2, bytes));
    }
    if groups[0].len() == 7 && asked {
        let end = groups[0].end;
        let letters =
            text[end..].iter().take(3).take_while(|one| one.is_ascii_alphanumeric()).count();
        let whole = text.get(groups[0].start..end + letters)?;
        return checks::irish(whole).then_some((1, letters));
    }
    if groups[0].len() == 17 {
        let (letter, bytes) = letter_after(1)?;
        let mut whole = code[..17].to_vec();
        whole.push(letter);
        return (bytes == 1 && checks::chinese(&whole)).then_some((1, bytes));
    }
    None
}
