//! Telephone numbers: international ones by country, national ones by how they are grouped.
//!
//! `+49 …` is taken when the country has numbers of that length. Without a country, the grouping
//! must be one that some country uses and that dates, prices and article numbers are not written
//! in; anything less needs a word such as "Tel." before it. A word such as "order" refuses it.

use crate::run::{Group, Run, all_before, digits, lengths};
use crate::words::Cue;

/// Country codes with the fewest and most digits that follow them.
const COUNTRIES: &[(&str, usize, usize)] = &[
    ("1", 10, 10),
    ("7", 10, 10),
    ("20", 8, 10),
    ("27", 9, 9),
    ("30", 10, 10),
    ("31", 9, 9),
    ("32", 8, 9),
    ("33", 9, 9),
    ("34", 9, 9),
    ("36", 8, 9),
    ("39", 6, 11),
    ("40", 9, 9),
    ("41", 9, 9),
    ("43", 5, 12),
    ("44", 9, 10),
    ("45", 8, 8),
    ("46", 7, 9),
    ("47", 8, 8),
    ("48", 9, 9),
    ("49", 6, 12),
    ("51", 8, 9),
    ("52", 10, 11),
    ("53", 8, 8),
    ("54", 10, 11),
    ("55", 10, 11),
    ("56", 9, 9),
    ("57", 8, 10),
    ("58", 10, 10),
    ("60", 8, 10),
    ("61", 9, 9),
    ("62", 8, 12),
    ("63", 9, 10),
    ("64", 8, 10),
    ("65", 8, 8),
    ("66", 8, 9),
    ("81", 9, 10),
    ("82", 8, 10),
    ("84", 9, 10),
    ("86", 10, 11),
    ("90", 10, 10),
    ("91", 10, 10),
    ("92", 9, 10),
    ("93", 9, 9),
    ("94", 9, 9),
    ("95", 7, 10),
    ("98", 10, 10),
    ("212", 9, 9),
    ("213", 8, 9),
    ("216", 8, 8),
    ("218", 8, 9),
    ("220", 7, 7),
    ("221", 9, 9),
    ("225", 8, 10),
    ("233", 9, 9),
    ("234", 8, 10),
    ("237", 8, 9),
    ("243", 9, 9),
    ("244", 9, 9),
    ("250", 9, 9),
    ("251", 9, 9),
    ("254", 9, 9),
    ("255", 9, 9),
    ("256", 9, 9),
    ("260", 9, 9),
    ("263", 8, 9),
    ("351", 9, 9),
    ("352", 6, 9),
    ("353", 7, 9),
    ("354", 7, 7),
    ("355", 8, 9),
    ("356", 8, 8),
    ("357", 8, 8),
    ("358", 6, 11),
    ("359", 7, 9),
    ("370", 8, 8),
    ("371", 8, 8),
    ("372", 7, 8),
    ("373", 8, 8),
    ("374", 8, 8),
    ("375", 9, 9),
    ("376", 6, 6),
    ("377", 8, 9),
    ("380", 9, 9),
    ("381", 8, 9),
    ("382", 8, 8),
    ("383", 8, 8),
    ("385", 8, 9),
    ("386", 8, 8),
    ("387", 8, 8),
    ("389", 8, 8),
    ("420", 9, 9),
    ("421", 9, 9),
    ("423", 7, 7),
    ("502", 8, 8),
    ("503", 8, 8),
    ("504", 8, 8),
    ("505", 8, 8),
    ("506", 8, 8),
    ("507", 7, 8),
    ("509", 8, 8),
    ("591", 8, 8),
    ("593", 8, 9),
    ("595", 9, 9),
    ("598", 8, 8),
    ("852", 8, 8),
    ("853", 8, 8),
    ("855", 8, 9),
    ("856", 8, 10),
    ("880", 8, 10),
    ("886", 8, 9),
    ("960", 7, 7),
    ("961", 7, 8),
    ("962", 8, 9),
    ("963", 8, 9),
    ("964", 8, 10),
    ("965", 8, 8),
    ("966", 8, 9),
    ("967", 7, 9),
    ("968", 8, 8),
    ("970", 8, 9),
    ("971", 8, 9),
    ("972", 8, 9),
    ("973", 8, 8),
    ("974", 8, 8),
    ("975", 7, 8),
    ("976", 8, 8),
    ("977", 8, 10),
    ("992", 9, 9),
    ("993", 8, 8),
    ("994", 9, 9),
    ("995", 9, 9),
    ("996", 9, 9),
    ("998", 9, 9),
];

/// How many groups from the first on are an international number, `+` or `00` before it.
pub(crate) fn international(text: &[u8], run: &Run, from: usize) -> Option<usize> {
    let groups = &run.groups[from..];
    let mut buffer = Vec::with_capacity(24);
    let skipped = usize::from(!(run.plus && from == 0)) * 2;
    if skipped == 2 && !text[groups[0].start..groups[0].end].starts_with(b"00") {
        return None;
    }
    // The country's code stands in the first group, or behind a "00" of its own.
    let first = &text[groups[0].start + skipped.min(groups[0].len())..groups[0].end];
    if !first.is_empty()
        && !COUNTRIES.iter().any(|(code, ..)| first.starts_with(code.as_bytes()))
        && first.len() < 3
    {
        return None;
    }
    // The "(0)" of "+49 (0)30 …" is dialled only inside the country.
    let trunk = groups
        .get(1)
        .is_some_and(|group| group.before == b'(' && group.len() == 1 && text[group.start] == b'0');
    let mut best = None;
    for count in 1..=groups.len() {
        if count > 1
            && matches!(groups[count - 1].before, b'/')
            && count != 2
            && count != 3 + usize::from(trunk)
        {
            break;
        }
        let all = digits(text, &groups[..count], &mut buffer);
        let national = all.len().saturating_sub(skipped + usize::from(trunk && count > 1));
        let (code, fewest, most) = country(all.get(skipped..)?)?;
        if national > code + most {
            break;
        }
        if national >= code + fewest {
            best = Some(count);
        }
    }
    best
}

/// The country that digits begin with: how long its code is, how many digits follow.
fn country(digits: &[u8]) -> Option<(usize, usize, usize)> {
    let found = COUNTRIES.iter().find(|(code, ..)| digits.starts_with(code.as_bytes()));
    match (found, digits) {
        (Some((code, fewest, most)), _) => Some((code.len(), *fewest, *most)),
        // A code cut short by a group's end, or one we have no lengths for.
        (None, [b'1'..=b'9', ..]) => Some((3, 6, 9)),
        (None, _) => None,
    }
}

/// How many groups from the first on are a national number.
pub(crate) fn national(text: &[u8], groups: &[Group], cue: Cue) -> Option<usize> {
    if cue.has(Cue::ID | Cue::VERSION | Cue::NATIONAL | Cue::CARD | Cue::IBAN)
        && !cue.has(Cue::PHONE)
    {
        return None;
    }
    let asked = cue.has(Cue::PHONE);
    american(text, groups, asked)
        .or_else(|| eastern(text, groups))
        .or_else(|| trunk(text, groups))
        .or_else(|| grouped(text, groups))
        .or_else(|| mobile(text, groups, asked))
        .or_else(|| if asked { any(text, groups) } else { None })
}

/// `(212) 555-0187`, `212-555-0187`, `1-800-555-0199`, `415 555 0132`.
fn american(text: &[u8], groups: &[Group], asked: bool) -> Option<usize> {
    let country = usize::from(lengths(groups, &[1, 3, 3, 4]) && text[groups[0].start] == b'1');
    let rest = &groups[country..];
    if !lengths(rest, &[3, 3, 4]) || !matches!(text[rest[0].start], b'2'..=b'9') {
        return None;
    }
    let bracket = rest[1].before == b')' && matches!(rest[2].before, b'-' | b' ' | b'.');
    let alike = rest[1].before == rest[2].before && matches!(rest[1].before, b'-' | b'.');
    let spaces =
        all_before(&rest[..3], b' ') && (asked || matches!(text[rest[1].start], b'2'..=b'9'));
    let mixed = rest[1].before == b' '
        && rest[2].before == b'-'
        && matches!(text[rest[1].start], b'2'..=b'9');
    let joined = country == 0
        || rest[0].before == rest[1].before
        || rest[0].before == b'('
        || rest[0].before == b' ';
    ((bracket || alike || spaces || mixed) && joined).then_some(country + 3)
}

/// `8 (495) 123-45-67` and `8-800-555-35-35` as Russia dials them, `0 (212) 345 67 89` as Turkey does.
fn eastern(text: &[u8], groups: &[Group]) -> Option<usize> {
    let five = lengths(groups, &[1, 3, 3, 2, 2]);
    let first = text[groups[0].start];
    if !five || !matches!(first, b'8' | b'0') || !matches!(groups[1].before, b'(' | b' ' | b'-') {
        return None;
    }
    let alike = groups[3].before == groups[4].before && matches!(groups[3].before, b'-' | b' ');
    alike.then_some(5)
}

/// Numbers with the leading zero of Europe and Asia: `030/2345678`, `07700 900461`, `06 12 34 56 78`.
fn trunk(text: &[u8], groups: &[Group]) -> Option<usize> {
    let first = groups[0];
    if !(2..=6).contains(&first.len()) || text[first.start] != b'0' || text[first.start + 1] == b'0'
    {
        return None;
    }
    if lengths(groups, &[2, 2, 2, 2, 2]) {
        let same = [b' ', b'.', b'-', b'/'].iter().any(|one| all_before(&groups[..5], *one));
        let goes_on = groups.get(5).is_some_and(|next| next.len() == 2);
        return (same && !goes_on).then_some(5);
    }
    let mut best = None;
    let mut total = first.len();
    for (at, group) in groups.iter().enumerate().skip(1) {
        let allowed = match group.before {
            b' ' | b'-' => true,
            b'/' | b')' => at == 1,
            _ => false,
        };
        // A single digit only as the direct dialling of a switchboard.
        if !allowed || group.len() == 1 && group.before != b'-' {
            break;
        }
        total += group.len();
        if (9..=12).contains(&total) && is_usual(&groups[..=at], total) {
            best = Some(at + 1);
        }
        if total >= 12 || at == 5 {
            break;
        }
    }
    best
}

/// Whether somebody groups a number with a leading zero like this.
///
/// Article numbers have zeros in front, too; they have longer groups behind shorter ones, or a
/// short group behind the last dash.
fn is_usual(groups: &[Group], total: usize) -> bool {
    let [_, rest @ .., last] = groups else {
        return false;
    };
    if rest.is_empty() {
        return last.len() >= 3;
    }
    if groups.iter().skip(1).all(|group| group.before == b'-') {
        return last.len() == 4
            && matches!(total, 10 | 11)
            && rest.iter().all(|group| group.len() >= 2);
    }
    let short = |group: &Group| (2..=4).contains(&group.len());
    rest.iter().all(short)
        && (short(last) || last.before == b'-')
        && groups[1..].iter().any(|group| group.len() >= 3)
        || groups.len() == 3 && groups[1].before == b')' && last.len() <= 3
        || groups.len() == 4 && rest.iter().chain([last]).all(|group| group.len() == 2)
}

/// Groupings without a leading zero that only telephone numbers have.
fn grouped(text: &[u8], groups: &[Group]) -> Option<usize> {
    let first = text[groups[0].start];
    let second = text.get(groups[0].start + 1).copied().unwrap_or(0);
    let spaces = |count: usize| all_before(&groups[..count], b' ');
    // Spain and Poland: 91 123 45 67; 612 34 56 78.
    if first != b'0' && (lengths(groups, &[2, 3, 2, 2]) || lengths(groups, &[3, 2, 2, 2])) {
        return (spaces(4) || all_before(&groups[..4], b'-')).then_some(4);
    }
    // Brazil: (11) 91234-5678.
    let brazilian =
        lengths(groups, &[2, 5, 4]) || lengths(groups, &[2, 4, 4]) && groups[1].before == b')';
    if brazilian
        && first != b'0'
        && groups[2].before == b'-'
        && matches!(groups[1].before, b')' | b' ')
    {
        let mobile = groups[1].len() == 4 || text[groups[1].start] == b'9';
        return mobile.then_some(3);
    }
    // China: 138 1234 5678.
    let chinese = lengths(groups, &[3, 4, 4]) && first == b'1' && second >= b'3';
    (chinese && (spaces(3) || all_before(&groups[..3], b'-'))).then_some(3)
}

/// Mobile numbers in one piece, of lengths and beginnings that little else has.
fn mobile(text: &[u8], groups: &[Group], asked: bool) -> Option<usize> {
    let whole = &text[groups[0].start..groups[0].end];
    let found = match whole {
        [b'0', b'1', b'5'..=b'7', ..] => matches!(whole.len(), 11 | 12),
        [b'0', b'7', ..] | [b'0', b'8' | b'9', b'0', ..] => whole.len() == 11,
        [b'0', b'5' | b'6' | b'9', ..] => asked && whole.len() == 10,
        _ => false,
    };
    found.then_some(1)
}

/// Whatever has the digits of a telephone number, after a word that promises one.
fn any(text: &[u8], groups: &[Group]) -> Option<usize> {
    let mut total = 0;
    let mut best = None;
    // "0 89 / 55 02 71": the zero may stand by itself.
    let area = 1 + usize::from(groups[0].len() == 1 && text[groups[0].start] == b'0');
    for (at, group) in groups.iter().enumerate().take(6) {
        if at > 0 && (matches!(group.before, b'.' | b'(') || group.before == b'/' && at != area) {
            break;
        }
        total += group.len();
        if (7..=12).contains(&total) && (at > 0 || group.len() >= 9 || text[group.start] == b'0') {
            best = Some(at + 1);
        }
        if total >= 12 {
            break;
        }
    }
    // Millions are written in threes, too, but not after "Tel.".
    best
}

/// Whether the first three groups are a date.
pub(crate) fn is_date(text: &[u8], groups: &[Group]) -> bool {
    let year = |group: Group| {
        group.len() == 4 && matches!(&text[group.start..group.start + 2], b"19" | b"20")
    };
    let [one, two, three, ..] = groups else {
        return false;
    };
    let small = |group: &Group| group.len() <= 2;
    two.before == three.before
        && small(two)
        && (year(*one) && small(three) || small(one) && year(*three))
}

/// Whether a whole text has the shape of a telephone number, for fields that are called so.
pub(crate) fn is_phone_shaped(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let start = text.bytes().find(|one| !matches!(one, b'+' | b'(' | b' '));
    // What is longer than numbers get is an extension: "x12", "ext. 12".
    let body = text.split_once(['x', 'e', 'E', 'X']).map_or(text, |(body, _)| body);
    let plain =
        body.chars().all(|one| one.is_ascii_digit() || " +()-./\u{a0}\u{2011}".contains(one));
    (6..=17).contains(&digits) && plain && start.is_some_and(|one| one.is_ascii_digit())
}
