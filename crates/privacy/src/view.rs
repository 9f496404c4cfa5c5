//! A text as its reader means it: `\n` is an end of line, `%40` an `@`, and `０` a digit.
//!
//! Half a JSON document, a line of a log or the query of an address holds values between escapes.
//! They are looked for in a text without them, and what is found is led back to where it stands, so that
//! the text itself keeps its bytes.

use std::borrow::Cow;

/// A text without escapes, and where each part of it stands in the one it was made of.
pub(crate) struct View<'t> {
    pub(crate) text: Cow<'t, str>,
    /// Places where the two drift apart: the one here, then the source's.
    jumps: Vec<(usize, usize)>,
}

impl<'t> View<'t> {
    pub(crate) fn new(source: &'t str) -> Self {
        if !source.bytes().any(may_begin) {
            return Self { text: Cow::Borrowed(source), jumps: Vec::new() };
        }
        let (mut text, mut jumps) = (String::new(), Vec::new());
        let (mut copied, mut at) = (0, 0);
        let mut form = Form::default();
        while let Some(next) = source[at..].bytes().position(may_begin) {
            at += next;
            let is_space = source.as_bytes()[at] == b'+' && form.is_space(source, at);
            let Some((meant, length)) =
                is_space.then_some((' ', 1)).or_else(|| meant(&source[at..]))
            else {
                // All backslashes of a row at once: looking at each row once keeps the time in line.
                let slashes = source[at..].len() - source[at..].trim_start_matches('\\').len();
                at += slashes.max(source[at..].chars().next().map_or(1, char::len_utf8));
                continue;
            };
            text.push_str(&source[copied..at]);
            jumps.push((text.len(), at));
            text.push(meant);
            at += length;
            jumps.push((text.len(), at));
            copied = at;
        }
        if jumps.is_empty() {
            return Self { text: Cow::Borrowed(source), jumps };
        }
        text.push_str(&source[copied..]);
        Self { text: Cow::Owned(text), jumps }
    }

    /// Where the byte `at`, the start of a character, stands in the source.
    pub(crate) fn source(&self, at: usize) -> usize {
        let next = self.jumps.partition_point(|(here, _)| *here <= at);
        next.checked_sub(1).map_or(at, |last| self.jumps[last].1 + (at - self.jumps[last].0))
    }
}

/// Whether something that stands for another character may begin with this byte.
fn may_begin(byte: u8) -> bool {
    // Digits of Arabic, Persian, the scripts of India and Thai, and full-width letters.
    matches!(byte, b'\\' | b'%' | b'+' | 0xd9 | 0xdb | 0xe0 | 0xef)
}

/// The field of a form or of an address's query that was looked at last: `name=Jane+Doe` among others.
#[derive(Default)]
struct Form {
    /// Where it ends; each field is looked at once.
    end: usize,
    is_field: bool,
}

impl Form {
    /// Whether the `+` at `at` is a space.
    fn is_space(&mut self, source: &str, at: usize) -> bool {
        let bytes = source.as_bytes();
        if at >= self.end {
            let stops = |one: &u8| {
                matches!(
                    one,
                    b' ' | b'\n' | b'\r' | b'\t' | b'"' | b'\'' | b'<' | b'>' | b'&' | b'?'
                )
            };
            let start = bytes[self.end..at]
                .iter()
                .rposition(stops)
                .map_or(self.end, |stop| self.end + stop + 1);
            self.end = bytes[at..].iter().position(stops).map_or(bytes.len(), |stop| at + stop);
            let joined =
                start.checked_sub(1).is_some_and(|before| matches!(bytes[before], b'&' | b'?'))
                    || bytes.get(self.end) == Some(&b'&');
            let field = &source[start..self.end];
            // An address that was not encoded keeps its plus.
            let is_mail = field.contains('@') || field.contains("%40");
            let equals = source[start..at].find('=');
            self.is_field = joined && !is_mail && equals.is_some_and(|equals| equals > 0);
        }
        // "tel=+49+30+…" has one that is meant.
        let within = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at)).is_some_and(|one| !matches!(one, b'=' | b'&' | b'+'))
        };
        self.is_field && within(at.checked_sub(1)) && within(Some(at + 1))
    }
}

/// The character that a text begins with in another form, and how long that form is.
fn meant(text: &str) -> Option<(char, usize)> {
    let first = text.chars().next()?;
    match first {
        '\\' => escape(text),
        '%' => {
            let code = text.get(1..3).filter(|code| is_hex(code))?;
            let byte = u8::from_str_radix(code, 16).ok()?;
            (b' '..=b'~').contains(&byte).then_some((char::from(byte), 3))
        }
        '＠' => Some(('@', 3)),
        '＋' => Some(('+', 3)),
        '－' => Some(('-', 3)),
        '．' => Some(('.', 3)),
        '（' => Some(('(', 3)),
        '）' => Some((')', 3)),
        _ => digit(first).map(|digit| (digit, first.len_utf8())),
    }
}

/// An escape of JSON, escaped again or not: any number of backslashes before its letter.
fn escape(text: &str) -> Option<(char, usize)> {
    let slashes = text.len() - text.trim_start_matches('\\').len();
    let rest = &text[slashes..];
    let one = match rest.bytes().next()? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        quote @ (b'"' | b'\'' | b'/') => char::from(quote),
        b'u' => {
            let code = rest.get(1..5).filter(|code| is_hex(code))?;
            let code = u32::from_str_radix(code, 16).ok()?;
            // Half of a pair is no letter.
            return Some((
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                slashes + 5,
            ));
        }
        _ => return None,
    };
    Some((one, slashes + 1))
}

fn is_hex(code: &str) -> bool {
    code.bytes().all(|one| one.is_ascii_hexdigit())
}

/// The digit that a digit of another script is.
fn digit(letter: char) -> Option<char> {
    const ZEROS: [u32; 8] = [0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xe50, 0xff10];
    let code = u32::from(letter);
    let value =
        ZEROS.into_iter().find_map(|zero| code.checked_sub(zero).filter(|value| *value < 10));
    value.and_then(|value| char::from_digit(value, 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_led_back_to_what_is_written() {
        let source = r"a\nb\\nc j\u00f6rg%40x.de ٠١ ０９ \d 5%";
        let view = View::new(source);
        assert_eq!(view.text, "a\nb\nc jörg@x.de 01 09 \\d 5%");
        let at = |part: &str| view.text.find(part).map(|at| view.source(at)).unwrap();
        assert_eq!(&source[at("jörg")..at(" 01")], r"j\u00f6rg%40x.de");
        assert_eq!(&source[at("09")..at(" \\d")], "０９");
        assert_eq!(view.source(view.text.len()), source.len());
    }

    #[test]
    fn a_plus_is_a_space_in_forms_alone() {
        let view = |text| View::new(text).text.into_owned();
        assert_eq!(view("q?a=Jane+Doe&tel=+49+30+12&x=a+b"), "q?a=Jane Doe&tel=+49 30 12&x=a b");
        for text in ["a=b+c", "x & y=b+c", "m=a+b@c.de&d=1", "m=a+b%c.de", "1+2&3+4"] {
            assert_eq!(view(text), text);
        }
    }

    #[test]
    fn a_text_without_escapes_is_itself() {
        assert!(matches!(View::new("ä plain text, 100 % of it").text, Cow::Borrowed(_)));
    }
}
