//! A reply that comes in pieces, cut into frames: server-sent events, or one JSON text a line.
//!
//! Whoever answers may send lines that never end, so that both a line and the whole are bounded.

/// Bytes that one line may have.
const MOST_LINE: usize = 1 << 20;
/// Bytes that a whole reply may have.
const MOST_BYTES: usize = 16 << 20;

/// How a reply is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events; what counts is their data.
    Events,
    /// One text a line.
    Lines,
    /// One text in all: what came where events were asked for, and is none.
    Whole,
}

/// There is more than is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum TooLong {
    /// One line.
    #[error("it has a line of more than {MOST_LINE} bytes")]
    Line,
    /// All of it.
    #[error("it has more than {MOST_BYTES} bytes")]
    Whole,
}

/// What came so far and is not a frame yet.
#[derive(Debug)]
pub(super) struct Frames {
    framing: Framing,
    rest: Vec<u8>,
    /// Where in `rest` nobody has looked for the end of a line.
    looked: usize,
    data: Option<String>,
    seen: usize,
    /// A line has come that says something.
    has_lines: bool,
}

impl Frames {
    pub(super) fn new(framing: Framing) -> Self {
        Self { framing, rest: Vec::new(), looked: 0, data: None, seen: 0, has_lines: false }
    }

    /// Takes what came; each whole frame is given away.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        self.seen = self.seen.saturating_add(bytes.len());
        if self.seen > MOST_BYTES {
            return Err(TooLong::Whole);
        }
        self.rest.extend_from_slice(bytes);
        let first = self.rest.iter().find(|byte| !byte.is_ascii_whitespace());
        if self.framing == Framing::Events && !self.has_lines && matches!(first, Some(b'{' | b'['))
        {
            // No field of an event begins like this: some answer an error, or all at once, as JSON.
            self.framing = Framing::Whole;
        }
        if self.framing == Framing::Whole {
            return Ok(Vec::new());
        }
        let mut frames = Vec::new();
        while let Some(at) = self.rest[self.looked..].iter().position(|byte| *byte == b'\n') {
            let end = self.looked + at;
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.looked = 0;
            self.has_lines |= !line.trim_ascii().is_empty();
            if line.len() > MOST_LINE {
                return Err(TooLong::Line);
            }
            self.line(&String::from_utf8_lossy(&line), &mut frames)?;
        }
        self.looked = self.rest.len();
        if self.looked > MOST_LINE {
            return Err(TooLong::Line);
        }
        Ok(frames)
    }

    /// Whether it comes as was asked for.
    pub(super) fn is_stream(&self) -> bool {
        self.framing != Framing::Whole
    }

    /// A last frame that nothing came after.
    pub(super) fn end(mut self) -> Vec<String> {
        let mut frames = Vec::new();
        let rest = std::mem::take(&mut self.rest);
        // What is too long was refused when it came.
        let _ = self.line(&String::from_utf8_lossy(&rest), &mut frames);
        frames.extend(self.data.take());
        frames
    }

    fn line(&mut self, line: &str, frames: &mut Vec<String>) -> Result<(), TooLong> {
        let line = line.trim_end_matches(['\n', '\r']);
        match self.framing {
            Framing::Lines | Framing::Whole if line.trim().is_empty() => {}
            Framing::Lines | Framing::Whole => frames.push(line.to_owned()),
            Framing::Events if line.is_empty() => frames.extend(self.data.take()),
            Framing::Events => {
                // Names of events, numbers and comments say nothing that the data does not.
                let Some(data) = line.strip_prefix("data:") else { return Ok(()) };
                let data = data.strip_prefix(' ').unwrap_or(data);
                match &mut self.data {
                    None => self.data = Some(data.to_owned()),
                    Some(before) if before.len() + data.len() < MOST_LINE => {
                        before.push('\n');
                        before.push_str(data);
                    }
                    Some(_) => return Err(TooLong::Line),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_whole_however_they_come() {
        let text = "event: a\r\ndata: {\"x\":\r\ndata: 1}\r\n\r\n: alive\n\ndata:[DONE]\n\n";
        for size in 1..text.len() {
            let mut frames = Frames::new(Framing::Events);
            let mut all = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                all.extend(frames.push(piece).unwrap());
            }
            all.extend(frames.end());
            assert_eq!(all, ["{\"x\":\n1}", "[DONE]"], "{size}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
        for framing in [Framing::Events, Framing::Lines] {
            let mut frames = Frames::new(framing);
            let piece = vec![b'x'; 64 << 10];
            let refused = (0..1000).find_map(|_| frames.push(&piece).err());
            assert_eq!(refused, Some(TooLong::Line), "{framing:?}");
            assert!(frames.rest.len() <= MOST_LINE + piece.len());
        }
    }

    #[test]
    fn frames_without_an_end_are_refused_too() {
        let mut frames = Frames::new(Framing::Lines);
        let refused = (0..100_000)
            .find_map(|_| frames.push(&[b'{'; 1023]).err().or_else(|| frames.push(b"\n").err()));
        assert_eq!(refused, Some(TooLong::Whole));
    }

    #[test]
    fn json_where_events_were_asked_for_is_one_frame() {
        let text = "\n {\"error\":\n {\"message\": \"no\"}}\n";
        for size in 1..text.len() {
            let mut frames = Frames::new(Framing::Events);
            for piece in text.as_bytes().chunks(size) {
                assert_eq!(frames.push(piece).unwrap(), Vec::<String>::new());
            }
            assert!(!frames.is_stream());
            let [one] = &frames.end()[..] else { panic!("{size}") };
            assert!(serde_json::from_str::<serde_json::Value>(one).is_ok(), "{one}");
        }
    }

    #[test]
    fn the_last_line_needs_no_end() {
        let mut frames = Frames::new(Framing::Lines);
        assert_eq!(frames.push(b"{}\n\n{\"a\":1}").unwrap(), ["{}"]);
        assert_eq!(frames.end(), ["{\"a\":1}"]);
    }
}
