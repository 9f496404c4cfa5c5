//! Values in addresses and forms: written there with percent signs, and found there however they are written.

use memchr::memmem;

/// How often what is written with percent signs is read: an address within an address within an address.
const DEEPEST: usize = 3;

/// A value as it stands within an address or a form. One that already is written like that stays as it is.
pub(super) fn encoded(value: &str) -> String {
    if is_encoded(value) {
        return value.to_owned();
    }
    let letter = |byte: u8| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    value.bytes().map(letter).collect()
}

/// Letters that stand for themselves everywhere in an address.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)
}

fn is_encoded(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (mut at, mut signs) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        match code(bytes, at) {
            Some(_) => (at, signs) = (at + 3, signs + 1),
            None if is_plain(*byte) => at += 1,
            None => return false,
        }
    }
    signs > 0
}

/// The byte that is written at a percent sign.
fn code(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    let value = digit(at + 1).zip(digit(at + 2)).filter(|_| bytes[at] == b'%');
    value.and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
}

/// The text with `instead` for a value that is written in it as addresses and forms do; `None` where it is
/// not. `fits` decides by the letters before and after.
pub(super) fn replaced(
    text: &str,
    value: &str,
    instead: &str,
    fits: &dyn Fn(Option<char>, Option<char>) -> bool,
) -> Option<String> {
    // Nobody writes letters and digits with percent signs, so most texts need no closer look.
    let words = value.split(|letter: char| !letter.is_ascii_alphanumeric());
    let longest = words.max_by_key(|word| word.len()).unwrap_or_default();
    if value.is_empty() || !text.contains(['%', '+']) || !text.contains(longest) {
        return None;
    }
    let wanted: Vec<u8> = value.bytes().map(spaced).collect();
    let mut decoded = Decoded::plain(text);
    for _ in 0..DEEPEST {
        let has_codes = decoded.decode();
        let found = decoded.find(&wanted, fits);
        if !found.is_empty() {
            let mut whole = String::with_capacity(text.len());
            let mut from = 0;
            for (start, end) in found {
                // What is no whole letter is not the value.
                let Some(before) = text.get(from..start).filter(|_| text.is_char_boundary(end))
                else {
                    continue;
                };
                whole.push_str(before);
                whole.push_str(instead);
                from = end;
            }
            whole.push_str(&text[from..]);
            return Some(whole);
        }
        if !has_codes {
            break;
        }
    }
    None
}

/// In forms a plus is a space.
fn spaced(byte: u8) -> u8 {
    if byte == b'+' { b' ' } else { byte }
}

/// A text read with its percent signs, and where each byte of it stands in the source.
struct Decoded {
    bytes: Vec<u8>,
    /// One more than there are bytes: the last is where the source ends.
    places: Vec<usize>,
}

impl Decoded {
    fn plain(text: &str) -> Self {
        Self { bytes: text.bytes().collect(), places: (0..=text.len()).collect() }
    }

    /// Reads the percent signs once; whether there were any.
    fn decode(&mut self) -> bool {
        let mut has_codes = false;
        let (mut at, mut to) = (0, 0);
        while at < self.bytes.len() {
            let code = code(&self.bytes, at);
            has_codes |= code.is_some();
            self.places[to] = self.places[at];
            self.bytes[to] = spaced(code.unwrap_or(self.bytes[at]));
            at += if code.is_some() { 3 } else { 1 };
            to += 1;
        }
        self.places[to] = self.places[at];
        self.bytes.truncate(to);
        self.places.truncate(to + 1);
        has_codes
    }

    fn find(
        &self,
        wanted: &[u8],
        fits: &dyn Fn(Option<char>, Option<char>) -> bool,
    ) -> Vec<(usize, usize)> {
        let letter = |at: Option<usize>| {
            let byte = *self.bytes.get(at?)?;
            // Of a letter that is not ASCII, only that it is one counts.
            Some(if byte.is_ascii() { char::from(byte) } else { 'x' })
        };
        let mut found: Vec<(usize, usize)> = Vec::new();
        for at in memmem::find_iter(&self.bytes, wanted) {
            let end = at + wanted.len();
            if fits(letter(at.checked_sub(1)), letter(Some(end))) {
                found.push((self.places[at], self.places[end]));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str, value: &str) -> String {
        replaced(text, value, "T", &|_, _| true).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_value_is_found_however_an_address_writes_it() {
        let value = "Flat 3 & 4, Straße/x";
        for written in [
            "Flat%203%20%26%204%2C%20Stra%C3%9Fe%2Fx",
            "Flat%203%20%26%204%2c%20Stra%c3%9fe%2fx",
            "Flat+3+%26+4,+Stra%C3%9Fe/x",
            "Flat%25203%2520%2526%25204%252C%2520Stra%25C3%259Fe%252Fx",
        ] {
            assert_eq!(without(&format!("ä?a={written}&b=1%"), value), "ä?a=T&b=1%");
        }
        assert_eq!(without("?p=%2B49+151", "+49 151"), "?p=T");
        assert_eq!(without("100% + 3 %zz %", "3 %"), "100% + Tzz %");
        assert_eq!(without("?a=b%20c", "b d"), "?a=b%20c");
    }

    #[test]
    fn what_is_written_into_an_address_means_the_value_and_nothing_else() {
        assert_eq!(encoded("a+b@example.de"), "a%2Bb%40example.de");
        assert_eq!(encoded("x&admin=1#?/ä"), "x%26admin%3D1%23%3F%2F%C3%A4");
        assert_eq!(encoded("kim%40example.com"), "kim%40example.com");
        assert_eq!(encoded("5% of"), "5%25%20of");
    }
}
