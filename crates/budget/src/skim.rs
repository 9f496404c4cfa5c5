//! Reads JSON of any size once, and keeps what could ever be shown.
//!
//! The text is valid JSON, because it was checked when it came in; if it were not, the worst that
//! happens here is a strange tree.

use std::collections::HashSet;

use memchr::memchr2;

/// Levels deeper than this are only counted.
const DEEPEST: usize = 12;
/// Kinds of rows of which the first is always kept.
const MOST_KINDS: usize = 8;
/// Bytes of a text that are looked at one by one.
const SHORT: usize = 16;
/// Rows that are looked at for being of another kind.
const MOST_OTHERS: usize = 4000;

/// The text that is written in JSON with its quotes. Python's may have half a letter, which no text of
/// ours can hold: it becomes the sign for a broken one.
pub(crate) fn text_of(written: &str) -> Option<String> {
    serde_json::from_str(written).ok().or_else(|| {
        let bytes: serde_bytes::ByteBuf = serde_json::from_str(written).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    })
}

/// A part of a value.
#[derive(Debug)]
pub(crate) enum Node<'a> {
    /// A number, `true`, `false`, `null`, as written.
    Plain(&'a str),
    /// A text with its quotes, as written.
    Text(&'a str),
    /// A list: how many it has, and those that might be shown, by position.
    List { total: usize, kept: Vec<(usize, Node<'a>)> },
    /// An object: how many fields, and those that might be shown, in their order.
    Object { total: usize, kept: Vec<(&'a str, Node<'a>)> },
}

/// What is kept of long lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The beginning, the first of each kind, and the last ones.
    Ends,
    /// Only the beginning.
    Start,
    /// Some from everywhere.
    Spread,
}

/// Reads a text.
pub(crate) fn skim(text: &str, most: usize, keep: Keep) -> Node<'_> {
    let text = text.trim();
    Skimming { most, keep }.node(text, 0)
}

struct Skimming {
    most: usize,
    keep: Keep,
}

impl Skimming {
    fn node<'a>(&self, text: &'a str, depth: usize) -> Node<'a> {
        match text.as_bytes().first() {
            Some(b'"') => Node::Text(text),
            Some(b'[') => self.list(text, depth),
            Some(b'{') => self.object(text, depth),
            _ => Node::Plain(text),
        }
    }

    /// How many of a list are kept at a depth.
    fn room(&self, depth: usize) -> usize {
        let most = match depth {
            0 | 1 => 1000,
            2 => 200,
            3 => 50,
            _ => 20,
        };
        if depth > DEEPEST { 0 } else { most.min(self.most) }
    }

    fn list<'a>(&self, text: &'a str, depth: usize) -> Node<'a> {
        let spans: Vec<&str> = Items::of(text).collect();
        let total = spans.len();
        let chosen = self.chosen(&spans, self.room(depth));
        let kept = chosen.into_iter().map(|at| (at, self.node(spans[at], depth + 1))).collect();
        Node::List { total, kept }
    }

    /// Which of a list are kept, in their order.
    fn chosen(&self, spans: &[&str], room: usize) -> Vec<usize> {
        let total = spans.len();
        if total <= room {
            return (0..total).collect();
        }
        if room == 0 {
            return Vec::new();
        }
        match self.keep {
            Keep::Start => (0..room).collect(),
            Keep::Spread => spread(total, room),
            Keep::Ends => {
                let mut chosen: Vec<usize> = (0..room).collect();
                let mut kinds: HashSet<u64> = spans[..room].iter().map(|one| kind(one)).collect();
                for at in others(spans, room) {
                    if kinds.len() >= MOST_KINDS {
                        break;
                    }
                    if kinds.insert(kind(spans[at])) {
                        chosen.push(at);
                    }
                }
                if chosen.last() != Some(&(total - 1)) {
                    chosen.push(total - 1);
                }
                chosen
            }
        }
    }

    fn object<'a>(&self, text: &'a str, depth: usize) -> Node<'a> {
        let room = self.room(depth).min(500);
        let mut total = 0;
        let mut kept = Vec::new();
        for (key, value) in Fields::of(text) {
            total += 1;
            if kept.len() < room {
                kept.push((key, self.node(value, depth + 1)));
            }
        }
        Node::Object { total, kept }
    }
}

/// Rows after the first `room` that may be of another kind: some from everywhere, and those that
/// are shorter or longer than the first ones. To look at each would take longer than all the rest.
fn others(spans: &[&str], room: usize) -> Vec<usize> {
    let lengths = spans[..room].iter().map(|one| one.len());
    let usual = lengths.clone().min().unwrap_or(0)..=lengths.max().unwrap_or(0);
    let odd = (room..spans.len()).filter(|at| !usual.contains(&spans[*at].len())).take(MOST_OTHERS);
    let mut others: Vec<usize> = odd.collect();
    others.extend(spread(spans.len() - room, MOST_OTHERS).into_iter().map(|at| at + room));
    others.sort_unstable();
    others.dedup();
    others
}

/// So many positions from everywhere, the first and the last among them.
pub(crate) fn spread(total: usize, room: usize) -> Vec<usize> {
    match room {
        0 => Vec::new(),
        1 => vec![0],
        _ if total <= room => (0..total).collect(),
        _ => (0..room).map(|at| at * (total - 1) / (room - 1)).collect(),
    }
}

/// What a row is like: its type, or the names of its fields.
pub(crate) fn kind(text: &str) -> u64 {
    match text.as_bytes().first() {
        Some(b'{') => Fields::of(text).fold(SEED, |sum, (key, _)| mixed(sum, key)),
        Some(b't' | b'f') => u64::from(b't'),
        Some(first @ (b'"' | b'[' | b'n')) => u64::from(*first),
        _ => u64::from(b'0'),
    }
}

/// Where a kind's number starts.
pub(crate) const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// A kind's number with one more name in it. Two kinds that get the same are shown as one, no more.
pub(crate) fn mixed(sum: u64, name: &str) -> u64 {
    name.bytes().fold(sum, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The members of a list, one after another.
pub(crate) struct Items<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Items<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, at: 1 }
    }

    /// The next member. If it is an object, its fields are met on the way, which spares a second
    /// look at it.
    pub(crate) fn next_meeting(
        &mut self,
        mut meet: impl FnMut(&'a str, &'a str),
    ) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let start = past(bytes, self.at, b',');
        if bytes.get(start) != Some(&b'{') {
            return self.next();
        }
        let mut fields = Fields { text: self.text, at: start + 1 };
        for (key, value) in &mut fields {
            meet(key, value);
        }
        self.at = (past(bytes, fields.at, b',') + 1).min(bytes.len());
        self.text.get(start..self.at)
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let start = past(bytes, self.at, b',');
        if start >= bytes.len() || bytes[start] == b']' {
            return None;
        }
        let end = end_of(bytes, start);
        self.at = end;
        self.text.get(start..end)
    }
}

/// The fields of an object: names with their quotes, and values.
pub(crate) struct Fields<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, at: 1 }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let bytes = self.text.as_bytes();
        let start = past(bytes, self.at, b',');
        if bytes.get(start) != Some(&b'"') {
            return None;
        }
        let end = end_of_text(bytes, start);
        let value = past(bytes, end, b':');
        let last = end_of(bytes, value);
        self.at = last;
        Some((self.text.get(start..end)?, self.text.get(value..last)?))
    }
}

/// The next place that is neither white space nor `mark`.
fn past(bytes: &[u8], mut at: usize, mark: u8) -> usize {
    while bytes.get(at).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == mark) {
        at += 1;
    }
    at
}

/// Where the value that starts here ends. Always further on, so that nobody stands still.
fn end_of(bytes: &[u8], start: usize) -> usize {
    match bytes.get(start) {
        Some(b'"') => end_of_text(bytes, start),
        Some(b'{' | b'[') => {
            let mut depth = 0_usize;
            let mut at = start;
            while let Some(byte) = bytes.get(at) {
                match byte {
                    b'"' => {
                        at = end_of_text(bytes, at);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth = depth.saturating_sub(1);
                        if depth == 0 {
                            return at + 1;
                        }
                    }
                    _ => {}
                }
                at += 1;
            }
            bytes.len()
        }
        Some(_) => {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || b",]}".contains(byte);
            bytes[start..].iter().position(ends).map_or(bytes.len(), |length| {
                // A stray bracket ends nothing, but must be passed.
                start + length.max(1)
            })
        }
        None => bytes.len(),
    }
}

/// Where a text ends whose opening quote is here.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    // Most are short, and are over before a search for the end would have begun.
    for byte in bytes.get(at..).unwrap_or_default().iter().take(SHORT) {
        match byte {
            b'"' => return at + 1,
            b'\\' => break,
            _ => at += 1,
        }
    }
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}
