//! Server-sent events as the standard has them, in the words that their parser takes.
//!
//! The parser gives up a whole stream at a line that the standard lets pass, and with it the answer
//! two lines below. So each line is looked at on its way there:
//!
//! * **A field without a colon** has an empty value, if it is one of the four there are.
//! * **A `retry` that is no number**, and a line of another field, is passed over.

/// The longest start of a line that is looked at. All fields are shorter.
const LONGEST: usize = 256;

/// Lines on their way to the parser, in pieces of any size.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// The start of a line whose field is not known yet.
    start: Vec<u8>,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The field is being read.
    #[default]
    Start,
    /// The rest of the line goes on as it is.
    Passing,
    /// The rest of the line goes nowhere.
    Dropping,
}

impl Fields {
    /// The same bytes, mended.
    pub(super) fn mended(&mut self, mut bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + self.start.len() + 1);
        while !bytes.is_empty() {
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.part(part, &mut out);
            bytes = rest;
            if let Some((ending, after)) = rest.split_first() {
                self.end(&mut out);
                out.push(*ending);
                bytes = after;
            }
        }
        out
    }

    /// Some of a line.
    fn part(&mut self, part: &[u8], out: &mut Vec<u8>) {
        match self.state {
            State::Passing => out.extend_from_slice(part),
            State::Dropping => {}
            State::Start => {
                let room = LONGEST.saturating_sub(self.start.len()).min(part.len());
                let (now, later) = part.split_at(room);
                self.start.extend_from_slice(now);
                let is_retry = self.start.starts_with(b"retry:");
                if self.start.contains(&b':') && !is_retry {
                    out.append(&mut self.start);
                    out.extend_from_slice(later);
                    self.state = State::Passing;
                } else if !later.is_empty() {
                    self.drop_line(out);
                }
            }
        }
    }

    /// The end of a line.
    fn end(&mut self, out: &mut Vec<u8>) {
        if self.state == State::Start {
            let start = self.start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.start);
            if let Some(value) = start.strip_prefix(b"retry:") {
                let value = value.strip_prefix(b" ").unwrap_or(value);
                let number = std::str::from_utf8(value).ok();
                let is_number = value.iter().all(u8::is_ascii_digit)
                    && number.is_some_and(|number| number.parse::<u64>().is_ok());
                if is_number {
                    out.append(&mut self.start);
                } else {
                    self.drop_line(out);
                }
            } else if matches!(start, b"data" | b"event" | b"id") {
                out.append(&mut self.start);
                out.push(b':');
            } else if !start.is_empty() {
                self.drop_line(out);
            }
        }
        self.start.clear();
        self.state = State::Start;
    }

    /// A comment stands in its place: an empty line would end the event.
    fn drop_line(&mut self, out: &mut Vec<u8>) {
        out.push(b':');
        self.start.clear();
        self.state = State::Dropping;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_the_standard_lets_pass_do_not_end_the_stream() {
        for (theirs, parsers) in [
            ("data\n\n", "data:\n\n"),
            ("event\r\ndata: x\r\n\r\n", "event:\r\ndata: x\r\n\r\n"),
            ("retry: abc\ndata: x\n\n", ":\ndata: x\n\n"),
            ("retry:\r\ndata: x\r\n\r\n", ":\r\ndata: x\r\n\r\n"),
            ("retry: 99999999999999999999\n", ":\n"),
            ("retry: 10\n", "retry: 10\n"),
            ("retry\nnoise\n\n", ":\n:\n\n"),
            (": a comment\nid: 7\ndata:{\"a\":1}\n\n", ": a comment\nid: 7\ndata:{\"a\":1}\n\n"),
            ("\u{feff}data: x\n\n", "\u{feff}data: x\n\n"),
            ("other: field\n\n", "other: field\n\n"),
        ] {
            assert_eq!(through(theirs.as_bytes(), 1_000), parsers, "{theirs:?}");
            assert_eq!(through(theirs.as_bytes(), 1), parsers, "{theirs:?}, byte by byte");
        }
    }

    #[test]
    fn long_lines_go_on_in_pieces() {
        let long = format!("data: {}\n\n", "x".repeat(100_000));
        assert_eq!(through(long.as_bytes(), 1_000), long);
        let noise = format!("{}\ndata: x\n\n", "y".repeat(1_000));
        assert_eq!(through(noise.as_bytes(), 300), ":\ndata: x\n\n");
    }

    fn through(text: &[u8], piece: usize) -> String {
        let mut fields = Fields::default();
        let mended = text.chunks(piece).flat_map(|chunk| fields.mended(chunk)).collect();
        String::from_utf8(mended).unwrap()
    }
}
