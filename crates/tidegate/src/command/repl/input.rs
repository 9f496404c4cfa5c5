//! When a program typed line by line is complete.
//!
//! A simple rule rather than a parser: open brackets and strings go on, and so does a
//! block (a line that ends in a colon, or a decorator) until a blank line. Whatever
//! the rule gets wrong, Python says what is wrong with it.

use engine::Language;

use super::script;

/// What a look at some source shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scan {
    /// The source can be run as it is.
    pub(super) is_complete: bool,
    /// The last line at top level assigns to something.
    pub(super) assigns: bool,
}

impl Scan {
    /// Looks at `source`.
    pub(super) fn of(language: Language, source: &str) -> Self {
        match language {
            Language::Python => Self::of_python(source),
            // What an assignment gives is shown, as other prompts of the language do.
            Language::TypeScript => {
                Self { is_complete: script::is_complete(source), assigns: script::declares(source) }
            }
        }
    }

    fn of_python(source: &str) -> Self {
        let mut reader = Reader::default();
        source.lines().for_each(|line| reader.line(line));
        let is_complete = !reader.is_open() && reader.block != Block::Begun;
        Self { is_complete, assigns: reader.assigns }
    }
}

/// Whether a block was begun.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Block {
    #[default]
    None,
    Begun,
    /// By a blank line.
    Ended,
}

/// Reads source line by line.
#[derive(Default)]
struct Reader {
    /// Brackets opened and not closed.
    depth: usize,
    /// The quotes that end the string we are in.
    quotes: Option<&'static str>,
    /// The last line ends in a backslash.
    continued: bool,
    block: Block,
    assigns: bool,
}

impl Reader {
    /// Whether the next line belongs to this one.
    fn is_open(&self) -> bool {
        self.depth > 0 || self.quotes.is_some() || self.continued
    }

    fn line(&mut self, line: &str) {
        let begins = !self.is_open();
        if begins && line.trim().is_empty() {
            if self.block == Block::Begun {
                self.block = Block::Ended;
            }
            return;
        }
        if begins {
            self.assigns = false;
        }
        let is_top = begins && !line.starts_with(char::is_whitespace);
        let last = self.characters(line, is_top);
        self.continued = self.depth == 0 && self.quotes.is_none() && last == Some('\\');
        let decorates = begins && line.trim_start().starts_with('@');
        if !self.is_open() && (last == Some(':') || decorates) || self.block == Block::Ended {
            self.block = Block::Begun;
        }
    }

    /// Reads one line; gives its last character that means something.
    fn characters(&mut self, line: &str, is_top: bool) -> Option<char> {
        let (mut rest, mut last) = (line, None);
        while let Some(c) = rest.chars().next() {
            if let Some(quotes) = self.quotes {
                rest = self.within_text(rest, quotes);
                continue;
            }
            let after = &rest[c.len_utf8()..];
            match c {
                '#' => break,
                '\'' | '"' => {
                    let quotes = opening(rest);
                    self.quotes = Some(quotes);
                    last = Some(c);
                    rest = &rest[quotes.len()..];
                    continue;
                }
                '(' | '[' | '{' => self.depth += 1,
                ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                '=' if is_top && self.depth == 0 => {
                    let compares = matches!(last, Some('=' | '!' | '<' | '>' | ':'));
                    self.assigns |= !compares && !after.starts_with('=');
                }
                _ => {}
            }
            if !c.is_whitespace() {
                last = Some(c);
            }
            rest = after;
        }
        // A short string ends with its line, whether it was closed or not.
        if self.quotes.is_some_and(|quotes| quotes.len() == 1) {
            self.quotes = None;
        }
        last
    }

    /// Reads on inside a string; gives what is left of the line.
    fn within_text<'a>(&mut self, rest: &'a str, quotes: &str) -> &'a str {
        if let Some(after) = rest.strip_prefix(quotes) {
            self.quotes = None;
            return after;
        }
        let mut characters = rest.chars();
        if characters.next() == Some('\\') {
            characters.next();
        }
        characters.as_str()
    }
}

fn opening(rest: &str) -> &'static str {
    ["'''", "\"\"\"", "'", "\""].into_iter().find(|quotes| rest.starts_with(quotes)).unwrap_or("'")
}

#[cfg(test)]
mod tests {
    use super::Scan;

    #[test]
    fn one_line_is_a_program() {
        for source in
            ["1 + 1", "print('a: #(')", "x = {'a': 1}", "f(\n1)", "'''a\nb'''", "s = 'open"]
        {
            assert!(Scan::of_python(source).is_complete, "{source:?}");
        }
    }

    #[test]
    fn open_brackets_strings_and_blocks_want_more() {
        for source in [
            "f(",
            "x = [1,\n2,",
            "'''a",
            "def f():",
            "if x:  # why",
            "a + \\",
            "@cache",
            "def f():\n  pass",
        ] {
            assert!(!Scan::of_python(source).is_complete, "{source:?}");
        }
    }

    #[test]
    fn a_blank_line_ends_a_block_but_not_a_text() {
        assert!(Scan::of_python("def f():\n  return 1\n ").is_complete);
        assert!(!Scan::of_python("x = '''\n").is_complete);
        assert!(!Scan::of_python("f(\n\n").is_complete);
    }

    #[test]
    fn an_assignment_is_told_from_a_comparison_and_a_keyword() {
        for source in ["x = 1", "x += 1", "a, b = 1, 2", "x: int = 1", "f(1)\nx = 2"] {
            assert!(Scan::of_python(source).assigns, "{source:?}");
        }
        for source in [
            "x == 1",
            "x <= 1",
            "f(a=1)",
            "'a = b'",
            "x = 1\nx",
            "(y := 1)",
            "for x in y:\n  z = 1\n",
        ] {
            assert!(!Scan::of_python(source).assigns, "{source:?}");
        }
    }
}
