//! Runs of digits: the groups a number is written in, and what stands between them.
//!
//! Everything numeric is recognised on groups ("030", "12345678" with a space between) rather
//! than on text, so that one place decides where a number begins and ends.

/// More groups than any number is written in.
const MOST_GROUPS: usize = 10;
/// More digits than any number has.
const MOST_DIGITS: usize = 40;

/// One group of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// What stands before it: 0 for nothing, a space, `-`, `.`, `/`, or `(` and `)` with or
    /// without a space.
    pub(crate) before: u8,
}

impl Group {
    pub(crate) fn len(self) -> usize {
        self.end - self.start
    }
}

/// Groups of digits with single separators, from left to right.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) groups: Vec<Group>,
    /// The first byte: a `+` or `(` before the first group, or the group itself.
    pub(crate) start: usize,
    /// Whether a `+` stands before the first group.
    pub(crate) plus: bool,
}

impl Run {
    /// Reads the run that starts at `start`, which is a digit, `+` or `(`.
    pub(crate) fn read(&mut self, text: &[u8], start: usize) -> bool {
        self.groups.clear();
        self.start = start;
        let mut at = start;
        self.plus = text[at] == b'+';
        if self.plus {
            at += 1;
        }
        let mut before = 0;
        if text.get(at) == Some(&b'(') {
            before = b'(';
            at += 1;
        }
        while let Some(end) = digits_from(text, at) {
            self.groups.push(Group { start: at, end, before });
            if self.groups.len() == MOST_GROUPS || end - start > MOST_DIGITS {
                break;
            }
            let Some((separator, next)) = separator(text, end) else {
                break;
            };
            before = separator;
            at = next;
        }
        !self.groups.is_empty()
    }

    /// Where the run ends.
    pub(crate) fn end(&self) -> usize {
        self.groups.last().map_or(self.start + 1, |group| group.end)
    }
}

fn digits_from(text: &[u8], start: usize) -> Option<usize> {
    let count =
        text[start..].iter().take(MOST_DIGITS + 1).take_while(|one| one.is_ascii_digit()).count();
    (count > 0).then_some(start + count)
}

/// What separates two groups, and where the second begins.
fn separator(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    match *text.get(at)? {
        b')' if digit(at + 1) => Some((b')', at + 1)),
        b')' if matches!(text.get(at + 1), Some(b' ' | b'-')) && digit(at + 2) => {
            Some((b')', at + 2))
        }
        b' ' if text.get(at + 1) == Some(&b'(') && digit(at + 2) => Some((b'(', at + 2)),
        b'(' if digit(at + 1) => Some((b'(', at + 1)),
        one @ (b' ' | b'-' | b'.' | b'/') if digit(at + 1) => Some((one, at + 1)),
        // " / " and " - " as Germans write them between area and number.
        b' ' if matches!(text.get(at + 1), Some(b'/' | b'-'))
            && text.get(at + 2) == Some(&b' ')
            && digit(at + 3) =>
        {
            Some((b'/', at + 3))
        }
        // No-break spaces and hyphens: U+00A0, U+202F, U+2011.
        0xc2 if text.get(at + 1) == Some(&0xa0) && digit(at + 2) => Some((b' ', at + 2)),
        0xe2 if text.get(at + 1) == Some(&0x80) && digit(at + 3) => match text.get(at + 2) {
            Some(0xaf) => Some((b' ', at + 3)),
            Some(0x91) => Some((b'-', at + 3)),
            _ => None,
        },
        _ => None,
    }
}

/// The digits of some groups in a row, without what stands between.
pub(crate) fn digits<'b>(text: &[u8], groups: &[Group], into: &'b mut Vec<u8>) -> &'b [u8] {
    into.clear();
    for group in groups {
        into.extend_from_slice(&text[group.start..group.end]);
    }
    into
}

/// Whether all separators between these groups are `separator`.
pub(crate) fn all_before(groups: &[Group], separator: u8) -> bool {
    groups.iter().skip(1).all(|group| group.before == separator)
}

/// Whether these groups have exactly these lengths.
pub(crate) fn lengths(groups: &[Group], wanted: &[usize]) -> bool {
    groups.len() >= wanted.len()
        && groups.iter().zip(wanted).all(|(group, wanted)| group.len() == *wanted)
}
