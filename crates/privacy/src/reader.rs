//! Reading JSON in place: every text and number with where it stands.
//!
//! Nothing is built. A visitor hears of keys, texts and numbers together with their places in the
//! source, and edits are made there, so that whatever is not edited keeps its bytes: the order of
//! keys, the digits of numbers, the way characters are escaped.

/// How deep objects and lists may be nested.
const DEEPEST: usize = 128;

/// Why a text cannot be read as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// It is not JSON; look through it as text.
    #[error("not JSON: expected {expected} at byte {at}")]
    Invalid {
        /// Where.
        at: usize,
        /// What should have stood there.
        expected: &'static str,
    },
    /// It is nested deeper than anything sensible.
    #[error("JSON nested deeper than {DEEPEST} levels at byte {at}")]
    TooDeep {
        /// Where.
        at: usize,
    },
}

/// Who hears what is read. Places are bytes in the source.
pub(crate) trait Visitor {
    /// An object begins, or a list.
    fn begins(&mut self, is_object: bool);
    /// The innermost object or list ends.
    fn ends(&mut self);
    /// A field's name.
    fn key(&mut self, text: &Text<'_>);
    /// A text that is a value.
    fn string(&mut self, text: &Text<'_>);
    /// A number, as it is written, and where it starts.
    fn number(&mut self, digits: &str, start: usize);
    /// Another value: true, false or null.
    fn other(&mut self) {}
}

/// A text in JSON: what it says and where.
pub(crate) struct Text<'a> {
    /// Without escapes. Half a surrogate pair reads as U+FFFD.
    pub(crate) decoded: &'a str,
    /// Where it starts in the source, behind the quote.
    pub(crate) start: usize,
    /// Where it ends in the source, before the quote.
    pub(crate) end: usize,
    /// Places where decoded and source drift apart: the decoded one, then the source's.
    jumps: &'a [(usize, usize)],
}

impl Text<'_> {
    /// Where the decoded byte `at` stands in the source. It must be the start of a character.
    pub(crate) fn source(&self, at: usize) -> usize {
        let next = self.jumps.partition_point(|(decoded, _)| *decoded <= at);
        match next.checked_sub(1) {
            Some(last) => self.jumps[last].1 + (at - self.jumps[last].0),
            None => self.start + at,
        }
    }
}

/// Reads `json` to its end.
pub(crate) fn read(json: &str, visitor: &mut impl Visitor) -> Result<(), JsonError> {
    let mut reader = Reader {
        json,
        bytes: json.as_bytes(),
        at: 0,
        open: Vec::new(),
        decoded: String::new(),
        jumps: Vec::new(),
    };
    reader.document(visitor)
}

struct Reader<'a> {
    json: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// What is open: true for an object.
    open: Vec<bool>,
    decoded: String,
    jumps: Vec<(usize, usize)>,
}

impl Reader<'_> {
    fn document(&mut self, visitor: &mut impl Visitor) -> Result<(), JsonError> {
        loop {
            let opened = self.value(visitor)?;
            if !opened && !self.close(visitor)? {
                break;
            }
        }
        self.spaces();
        if self.at < self.bytes.len() { Err(self.expected("the end")) } else { Ok(()) }
    }

    /// Reads one value, or the beginning of one. Whether a value follows directly.
    fn value(&mut self, visitor: &mut impl Visitor) -> Result<bool, JsonError> {
        self.spaces();
        match self.peek() {
            Some(one @ (b'{' | b'[')) => {
                if self.open.len() == DEEPEST {
                    return Err(JsonError::TooDeep { at: self.at });
                }
                let is_object = one == b'{';
                self.at += 1;
                visitor.begins(is_object);
                self.spaces();
                if self.peek() == Some(if is_object { b'}' } else { b']' }) {
                    self.at += 1;
                    visitor.ends();
                    return Ok(false);
                }
                self.open.push(is_object);
                if is_object {
                    self.key(visitor)?;
                }
                Ok(true)
            }
            Some(b'"') => {
                let (start, end) = self.string()?;
                visitor.string(&self.text(start, end));
                Ok(false)
            }
            Some(b'-' | b'0'..=b'9') => {
                let start = self.at;
                self.number()?;
                visitor.number(&self.json[start..self.at], start);
                Ok(false)
            }
            _ => {
                let word = ["true", "false", "null"]
                    .into_iter()
                    .find(|word| self.bytes[self.at..].starts_with(word.as_bytes()));
                self.at += word.ok_or_else(|| self.expected("a value"))?.len();
                visitor.other();
                Ok(false)
            }
        }
    }

    /// Goes on behind a value: closes what ends there. Whether another value follows.
    fn close(&mut self, visitor: &mut impl Visitor) -> Result<bool, JsonError> {
        while let Some(is_object) = self.open.last().copied() {
            self.spaces();
            let closing = if is_object { b'}' } else { b']' };
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    if is_object {
                        self.spaces();
                        self.key(visitor)?;
                    }
                    return Ok(true);
                }
                Some(one) if one == closing => {
                    self.at += 1;
                    self.open.pop();
                    visitor.ends();
                }
                _ => return Err(self.expected(if is_object { ", or }" } else { ", or ]" })),
            }
        }
        Ok(false)
    }

    fn key(&mut self, visitor: &mut impl Visitor) -> Result<(), JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a field's name"));
        }
        let (start, end) = self.string()?;
        visitor.key(&self.text(start, end));
        self.spaces();
        if self.peek() != Some(b':') {
            return Err(self.expected(":"));
        }
        self.at += 1;
        Ok(())
    }

    fn text(&self, start: usize, end: usize) -> Text<'_> {
        let decoded =
            if self.jumps.is_empty() { &self.json[start..end] } else { self.decoded.as_str() };
        Text { decoded, start, end, jumps: &self.jumps }
    }

    /// Reads a text, from its quote on: where it starts and ends between the quotes.
    fn string(&mut self) -> Result<(usize, usize), JsonError> {
        self.at += 1;
        let start = self.at;
        self.jumps.clear();
        self.decoded.clear();
        let mut copied = start;
        loop {
            let plain =
                self.bytes[self.at..].iter().position(|one| matches!(one, b'"' | b'\\' | 0..0x20));
            self.at += plain.ok_or_else(|| self.expected("a closing quote"))?;
            match self.bytes[self.at] {
                b'"' => break,
                b'\\' => {
                    self.decoded.push_str(&self.json[copied..self.at]);
                    self.jumps.push((self.decoded.len(), self.at));
                    let one = self.escape()?;
                    self.decoded.push(one);
                    self.jumps.push((self.decoded.len(), self.at));
                    copied = self.at;
                }
                _ => return Err(self.expected("no control character")),
            }
        }
        let end = self.at;
        if !self.jumps.is_empty() {
            self.decoded.push_str(&self.json[copied..end]);
        }
        self.at += 1;
        Ok((start, end))
    }

    /// Reads one escape, from its backslash on.
    fn escape(&mut self) -> Result<char, JsonError> {
        let one = self.bytes.get(self.at + 1).copied();
        self.at += 2;
        Ok(match one {
            Some(plain @ (b'"' | b'\\' | b'/')) => char::from(plain),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.hex()?;
                if !(0xd800..0xdc00).contains(&first) || !self.bytes[self.at..].starts_with(b"\\u")
                {
                    return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                let back = self.at;
                self.at += 2;
                let second = self.hex()?;
                if (0xdc00..0xe000).contains(&second) {
                    let both = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                    return Ok(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                self.at = back;
                char::REPLACEMENT_CHARACTER
            }
            _ => return Err(self.expected("an escape")),
        })
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let digits = self
            .json
            .get(self.at..self.at + 4)
            .filter(|four| four.bytes().all(|one| one.is_ascii_hexdigit()));
        let value = digits.and_then(|four| u32::from_str_radix(four, 16).ok());
        let value = value.ok_or_else(|| self.expected("four hexadecimal digits"))?;
        self.at += 4;
        Ok(value)
    }

    fn number(&mut self) -> Result<(), JsonError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.at;
        self.digits()?;
        if self.bytes[whole] == b'0' && self.at > whole + 1 {
            return Err(self.expected("no leading zero"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while self.peek().is_some_and(|one| one.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn expected(&self, expected: &'static str) -> JsonError {
        JsonError::Invalid { at: self.at, expected }
    }
}
