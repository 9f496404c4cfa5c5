//! JSON as its own text: laid out for reading, numbers untouched.
//!
//! A value may hold integers that no number type here can; so the tree keeps the
//! text of every leaf instead of parsing it. Whoever wrote the value may be hostile:
//! one nested too deep to walk is a leaf as a whole.

/// Levels a value may have to be laid out.
const DEPTH: usize = 128;

/// A JSON value that borrows its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node<'a> {
    /// A number, a string in its quotes, `true`, `false` or `null`.
    Leaf(&'a str),
    /// An array.
    List(Vec<Node<'a>>),
    /// An object: keys in their quotes, in the order they were written.
    Map(Vec<(&'a str, Node<'a>)>),
}

impl<'a> Node<'a> {
    /// Reads valid JSON; anything else becomes one leaf.
    pub(super) fn parse(text: &'a str) -> Self {
        let mut rest = Rest { text, depth: 0 };
        rest.value().unwrap_or(Self::Leaf(text))
    }

    /// The text of a string.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Leaf(text) if text.starts_with('"') => serde_json::from_str(text).ok(),
            _ => None,
        }
    }

    /// The value under `key`.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(entries) = self else { return None };
        let is_key = |quoted: &str| quoted.get(1..quoted.len() - 1) == Some(key);
        entries.iter().find(|(quoted, _)| is_key(quoted)).map(|(_, value)| value)
    }

    /// The elements of an array.
    pub(super) fn list(&self) -> Option<&[Self]> {
        if let Self::List(elements) = self { Some(elements) } else { None }
    }

    /// On one line.
    pub(super) fn flat(&self) -> String {
        let mut text = String::new();
        self.write_flat(&mut text);
        text
    }

    /// On one line where that fits into `width` columns, else broken and indented.
    pub(super) fn pretty(&self, width: usize) -> String {
        let mut text = String::new();
        self.write_pretty(&mut text, 0, width);
        text
    }

    fn write_flat(&self, to: &mut String) {
        match self {
            Self::Leaf(text) => to.push_str(text),
            Self::List(elements) => {
                to.push('[');
                for (index, element) in elements.iter().enumerate() {
                    to.push_str(if index == 0 { "" } else { ", " });
                    element.write_flat(to);
                }
                to.push(']');
            }
            Self::Map(entries) => {
                to.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    to.push_str(if index == 0 { "" } else { ", " });
                    to.push_str(key);
                    to.push_str(": ");
                    value.write_flat(to);
                }
                to.push('}');
            }
        }
    }

    fn write_pretty(&self, to: &mut String, indent: usize, width: usize) {
        if self.is_empty() || self.fits(width.saturating_sub(indent)) {
            return self.write_flat(to);
        }
        let new_line = |to: &mut String, first: bool| {
            to.push_str(if first { "\n" } else { ",\n" });
            to.extend(std::iter::repeat_n(' ', indent + 2));
        };
        match self {
            Self::Leaf(text) => return to.push_str(text),
            Self::List(elements) => {
                to.push('[');
                for (index, element) in elements.iter().enumerate() {
                    new_line(to, index == 0);
                    element.write_pretty(to, indent + 2, width);
                }
            }
            Self::Map(entries) => {
                to.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    new_line(to, index == 0);
                    to.push_str(key);
                    to.push_str(": ");
                    value.write_pretty(to, indent + 2, width);
                }
            }
        }
        to.push('\n');
        to.extend(std::iter::repeat_n(' ', indent));
        to.push(if matches!(self, Self::List(_)) { ']' } else { '}' });
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Leaf(_) => false,
            Self::List(elements) => elements.is_empty(),
            Self::Map(entries) => entries.is_empty(),
        }
    }

    fn fits(&self, width: usize) -> bool {
        self.room_left(width).is_some()
    }

    /// What is left of `width` after this on one line; gives up as soon as nothing is.
    fn room_left(&self, width: usize) -> Option<usize> {
        match self {
            Self::Leaf(text) => width.checked_sub(text.chars().count()),
            Self::List(elements) => elements
                .iter()
                .try_fold(width.checked_sub(2)?, |left, one| one.room_left(left)?.checked_sub(2)),
            Self::Map(entries) => {
                entries.iter().try_fold(width.checked_sub(2)?, |left, (key, one)| {
                    one.room_left(left)?.checked_sub(key.chars().count() + 4)
                })
            }
        }
    }
}

/// What is still to be read.
struct Rest<'a> {
    text: &'a str,
    depth: usize,
}

impl<'a> Rest<'a> {
    fn value(&mut self) -> Option<Node<'a>> {
        match self.peek()? {
            '[' | '{' => self.container(),
            '"' => self.string().map(Node::Leaf),
            _ => {
                let ends = |c: char| c == ',' || c == ']' || c == '}' || c.is_ascii_whitespace();
                let end = self.text.find(ends).unwrap_or(self.text.len());
                Some(Node::Leaf(self.take(end)))
            }
        }
    }

    fn container(&mut self) -> Option<Node<'a>> {
        self.depth = Some(self.depth + 1).filter(|depth| *depth <= DEPTH)?;
        let node = if self.peek()? == '[' { self.list() } else { self.map() };
        self.depth -= 1;
        node
    }

    fn list(&mut self) -> Option<Node<'a>> {
        self.take(1);
        let mut elements = Vec::new();
        while self.peek()? != ']' {
            elements.push(self.value()?);
            self.comma()?;
        }
        self.take(1);
        Some(Node::List(elements))
    }

    fn map(&mut self) -> Option<Node<'a>> {
        self.take(1);
        let mut entries = Vec::new();
        while self.peek()? != '}' {
            let key = self.string()?;
            (self.peek()? == ':').then(|| self.take(1))?;
            entries.push((key, self.value()?));
            self.comma()?;
        }
        self.take(1);
        Some(Node::Map(entries))
    }

    fn string(&mut self) -> Option<&'a str> {
        (self.peek()? == '"').then_some(())?;
        let mut escaped = false;
        let end = self.text.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        Some(self.take(end + 2))
    }

    /// Reads over a comma, if there is one.
    fn comma(&mut self) -> Option<()> {
        if self.peek()? == ',' {
            self.take(1);
        }
        Some(())
    }

    fn peek(&mut self) -> Option<char> {
        self.text = self.text.trim_ascii_start();
        self.text.chars().next()
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.text.split_at(length);
        self.text = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_on_one_line_and_the_rest_is_indented() {
        let raw = r#"{"short":[1,2],"empty":{},"long":["aaaaaaaaaa","bbbbbbbbbb"]}"#;
        insta::assert_snapshot!(Node::parse(raw).pretty(24), @r#"
        {
          "short": [1, 2],
          "empty": {},
          "long": [
            "aaaaaaaaaa",
            "bbbbbbbbbb"
          ]
        }
        "#);
    }

    #[test]
    fn numbers_keep_every_digit() {
        let raw = "[123456789012345678901234567890, 0.1000]";
        assert_eq!(Node::parse(raw).flat(), raw);
    }

    #[test]
    fn strings_end_at_their_own_quote() {
        let node = Node::parse(r#"{"a\"]}":"\\","b":"x"}"#);
        assert_eq!(node.get("b").and_then(Node::text).as_deref(), Some("x"));
        assert_eq!(node.flat(), r#"{"a\"]}": "\\", "b": "x"}"#);
    }

    #[test]
    fn a_value_nested_too_deep_is_shown_as_it_is() {
        let raw = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Node::parse(&raw), Node::Leaf(&raw));
    }

    #[test]
    fn half_a_value_is_shown_as_it_is() {
        assert_eq!(Node::parse(r#"{"a":[1"#), Node::Leaf(r#"{"a":[1"#));
    }
}
