//! Reads JSON of any size once, and keeps what could ever be shown.
//!
//! The text is valid JSON, because it was checked when it came in; if it were not, the worst that
//! happens here is a strange tree.

use std::cell::OnceCell;
use std::collections::HashSet;

use memchr::memchr2;

use crate::halves::text_of;
use crate::names::LEFT_OUT;

/// Levels deeper than this are only counted.
pub(crate) const DEEPEST: usize = 64;
/// Parts that are kept before deep lists get less room.
const PLENTY: usize = 100_000;
/// Kinds of rows of which the first is always kept.
const MOST_KINDS: usize = 8;
/// Bytes of a text that are looked at one by one.
const SHORT: usize = 16;
/// Members of a list that are read before it is known how many there are.
const FIRST: usize = 64;
/// Rows that are looked at for being of another kind.
const MOST_OTHERS: usize = 4000;

/// A part of a value.
#[derive(Debug)]
pub(crate) enum Node<'a> {
    /// A number, `true`, `false`, `null`, as written.
    Plain(&'a str),
    /// A text.
    Text(Text<'a>),
    /// A list: how many it has, and those that might be shown, by position.
    List { total: usize, kept: Vec<(usize, Node<'a>)> },
    /// An object: how many fields, with a sign if there are more, and those that might be shown, in
    /// their order.
    Object { total: usize, sign: &'a str, kept: Vec<(&'a str, Node<'a>)> },
}

impl Node<'_> {
    /// Whether it has members.
    pub(crate) fn is_nested(&self) -> bool {
        matches!(self, Self::List { .. } | Self::Object { .. })
    }
}

/// A text of a value.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    /// With its quotes, as written.
    pub(crate) written: &'a str,
    /// As it is meant, and how many letters it has, once somebody asked.
    whole: OnceCell<Box<(String, usize)>>,
}

impl<'a> Text<'a> {
    fn of(written: &'a str) -> Self {
        Self { written, whole: OnceCell::new() }
    }

    /// As it is meant, and how many letters it has. Reading a long one takes a while, and it is
    /// asked for at every attempt to make it fit.
    pub(crate) fn whole(&self) -> (&str, usize) {
        let whole = self.whole.get_or_init(|| {
            let whole = text_of(self.written).unwrap_or_default();
            let letters = whole.chars().count();
            Box::new((whole, letters))
        });
        (&whole.0, whole.1)
    }
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

/// Reads a text. Of a summary (`is_told`), what it says it left out counts as if it were there.
pub(crate) fn skim(text: &str, most: usize, keep: Keep, is_told: bool) -> Node<'_> {
    Skimming { most, keep, is_told, parts: 0 }.node(text.trim(), 0, 0).0
}

struct Skimming {
    most: usize,
    keep: Keep,
    is_told: bool,
    /// How many parts have been kept.
    parts: usize,
}

impl Skimming {
    /// The value that starts here, and where it ends. What is kept is read once, however deep it is.
    fn node<'a>(&mut self, text: &'a str, start: usize, depth: usize) -> (Node<'a>, usize) {
        self.parts += 1;
        let bytes = text.as_bytes();
        match bytes.get(start) {
            Some(b'[') => self.list(text, start, depth),
            Some(b'{') => self.object(text, start, depth),
            first => {
                let end = end_of(bytes, start);
                let written = text.get(start..end).unwrap_or_default();
                let is_text = first == Some(&b'"');
                (if is_text { Node::Text(Text::of(written)) } else { Node::Plain(written) }, end)
            }
        }
    }

    /// How many of a list or an object are kept at a depth: no more than there are tokens.
    fn room(&self, depth: usize) -> usize {
        let most = match depth {
            _ if depth > DEEPEST => 0,
            _ if self.parts < PLENTY => self.most,
            0 | 1 => 1000,
            2 => 200,
            3 => 50,
            _ => 20,
        };
        most.min(self.most)
    }

    fn list<'a>(&mut self, text: &'a str, start: usize, depth: usize) -> (Node<'a>, usize) {
        let room = self.room(depth);
        // Those that are read on the way. Of those spread it is not known yet which are kept.
        let certain = if self.keep == Keep::Spread { room.min(FIRST) } else { room };
        let mut items = Items::from(text, start);
        let mut met = Met::default();
        let mut kept = Vec::new();
        while let Some(begin) = items.next_start() {
            let end = if kept.len() < certain {
                let (node, end) = self.node(text, begin, depth + 1);
                kept.push((met.starts.len(), node));
                end
            } else {
                end_of(text.as_bytes(), begin)
            };
            items.go_on(end);
            met.add(begin, end - begin, room);
        }
        let chosen = self.chosen(text, &met, room);
        kept.retain(|(at, _)| chosen.binary_search(at).is_ok());
        for at in chosen.into_iter().skip(kept.len()) {
            kept.push((at, self.node(text, met.starts[at], depth + 1).0));
        }
        (Node::List { total: met.starts.len(), kept }, items.end())
    }

    /// Which of a list are kept, in their order.
    fn chosen(&self, text: &str, met: &Met, room: usize) -> Vec<usize> {
        let total = met.starts.len();
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
                let kind_of = |at: usize| kind(text.get(met.starts[at]..).unwrap_or_default());
                let mut kinds: HashSet<u64> = (0..room).map(kind_of).collect();
                for at in met.others(room) {
                    if kinds.len() >= MOST_KINDS {
                        break;
                    }
                    if kinds.insert(kind_of(at)) {
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

    fn object<'a>(&mut self, text: &'a str, start: usize, depth: usize) -> (Node<'a>, usize) {
        let room = self.room(depth);
        let mut fields = Fields::from(text, start);
        let mut total = 0;
        let mut kept = Vec::new();
        let mut last = None;
        while let Some((key, value)) = fields.next_key() {
            total += 1;
            let end = if kept.len() < room {
                let (node, end) = self.node(text, value, depth + 1);
                kept.push((key, node));
                end
            } else {
                end_of(text.as_bytes(), value)
            };
            fields.go_on(end);
            last = self.is_told.then(|| (key, text.get(value..end).unwrap_or_default()));
        }
        let mut sign = "";
        if let Some((more, said)) = last.and_then(left_out) {
            kept.truncate(total - 1);
            (total, sign) = (total - 1 + more, said);
        }
        (Node::Object { total, sign, kept }, fields.end())
    }
}

/// How many fields a summary says were left out of an object, in the last one that it has.
fn left_out<'a>((key, value): (&str, &'a str)) -> Option<(usize, &'a str)> {
    let count = value.strip_prefix('"')?.strip_suffix(" more fields\"")?;
    let digits = count.trim_end_matches('+');
    let is_name = key.strip_prefix('"').is_some_and(|name| name.starts_with(LEFT_OUT));
    is_name.then(|| Some((digits.parse().ok()?, &count[digits.len()..])))?
}

/// The members of a list, as far as it matters which of them are kept. Where they end does not:
/// of millions of numbers that would be most of the memory, and most of the time.
#[derive(Default)]
struct Met {
    starts: Vec<usize>,
    /// The shortest and the longest of the first ones, and those after them that are neither.
    usual: Option<(usize, usize)>,
    odd: Vec<usize>,
}

impl Met {
    /// Adds a member of so many bytes; the first are those for which there is room.
    fn add(&mut self, start: usize, length: usize, room: usize) {
        let (least, most) = self.usual.unwrap_or((length, length));
        if self.starts.len() < room {
            self.usual = Some((least.min(length), most.max(length)));
        } else if !(least..=most).contains(&length) && self.odd.len() < MOST_OTHERS {
            self.odd.push(self.starts.len());
        }
        self.starts.push(start);
    }

    /// Rows after the first `room` that may be of another kind: some from everywhere, and those
    /// that are shorter or longer than the first ones. To look at each would take longer than all
    /// the rest.
    fn others(&self, room: usize) -> Vec<usize> {
        let mut others = self.odd.clone();
        let more = self.starts.len() - room;
        others.extend(spread(more, MOST_OTHERS).into_iter().map(|at| at + room));
        others.sort_unstable();
        others.dedup();
        others
    }
}

/// So many positions from everywhere, the first and the last among them.
pub(crate) fn spread(total: usize, room: usize) -> Vec<usize> {
    match room {
        _ if total <= room => (0..total).collect(),
        0 => Vec::new(),
        1 => vec![0],
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
        Self::from(text, 0)
    }

    /// Of the list that starts here.
    pub(crate) fn from(text: &'a str, start: usize) -> Self {
        Self { text, at: start + 1 }
    }

    /// Where the next member starts. It comes again until somebody has gone past it.
    pub(crate) fn next_start(&mut self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        self.at = past(bytes, self.at, b',');
        bytes.get(self.at).filter(|byte| **byte != b']').map(|_| self.at)
    }

    /// The next member starts here or later.
    pub(crate) fn go_on(&mut self, at: usize) {
        self.at = at;
    }

    /// Where the list ends, once there are no more.
    pub(crate) fn end(&self) -> usize {
        (self.at + 1).min(self.text.len())
    }

    /// The next member. If it is an object, its fields are met on the way, which spares a second
    /// look at it.
    pub(crate) fn next_meeting(
        &mut self,
        mut meet: impl FnMut(&'a str, &'a str),
    ) -> Option<&'a str> {
        let start = self.next_start()?;
        if self.text.as_bytes().get(start) != Some(&b'{') {
            return self.next();
        }
        let mut fields = Fields::from(self.text, start);
        for (key, value) in &mut fields {
            meet(key, value);
        }
        self.at = fields.end();
        self.text.get(start..self.at)
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let start = self.next_start()?;
        self.at = end_of(self.text.as_bytes(), start);
        self.text.get(start..self.at)
    }
}

/// The fields of an object: names with their quotes, and values.
pub(crate) struct Fields<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self::from(text, 0)
    }

    /// Of the object that starts here.
    pub(crate) fn from(text: &'a str, start: usize) -> Self {
        Self { text, at: start + 1 }
    }

    /// The next name, and where its value starts.
    pub(crate) fn next_key(&mut self) -> Option<(&'a str, usize)> {
        let bytes = self.text.as_bytes();
        self.at = past(bytes, self.at, b',');
        if bytes.get(self.at) != Some(&b'"') {
            return None;
        }
        let end = end_of_text(bytes, self.at);
        let key = self.text.get(self.at..end)?;
        self.at = past(bytes, end, b':');
        Some((key, self.at))
    }

    /// The next name stands here or later.
    pub(crate) fn go_on(&mut self, at: usize) {
        self.at = at;
    }

    /// Where the object ends, once there are no more.
    pub(crate) fn end(&self) -> usize {
        (self.at + 1).min(self.text.len())
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let (key, value) = self.next_key()?;
        self.at = end_of(self.text.as_bytes(), value);
        Some((key, self.text.get(value..self.at)?))
    }
}

/// The next place that is neither white space nor `mark`.
fn past(bytes: &[u8], mut at: usize, mark: u8) -> usize {
    while bytes.get(at).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == mark) {
        at += 1;
    }
    at
}

/// What ends a number or a word. Looked up, since it is asked of most bytes of long lists.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut at = 0;
    while at < b",]} \t\n\x0C\r".len() {
        ends[b",]} \t\n\x0C\r"[at] as usize] = true;
        at += 1;
    }
    ends
};

/// Where the value that starts here ends. Always further on, so that nobody stands still.
pub(crate) fn end_of(bytes: &[u8], start: usize) -> usize {
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
            // A stray bracket ends nothing, but must be passed.
            let mut at = start + 1;
            while bytes.get(at).is_some_and(|byte| !ENDS[usize::from(*byte)]) {
                at += 1;
            }
            at
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_spread_over_those_that_there_are() {
        assert!(spread(0, 1).is_empty());
        assert_eq!(spread(3, 1), [0]);
        assert_eq!(spread(2, 5), [0, 1]);
        assert_eq!(spread(101, 3), [0, 50, 100]);
    }
}
