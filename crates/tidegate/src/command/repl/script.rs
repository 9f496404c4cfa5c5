//! When a TypeScript program typed line by line is complete.
//!
//! As simple a rule as the one for Python: open brackets, texts and comments go on, and so does a line
//! whose end cannot be the end of a statement. Regular expressions are not told from divisions, so one with a
//! bracket or a quote that stands alone wants a blank line after it. A blank line ends whatever was begun
//! outside a text or a comment.

/// Whether `source` can be run as it is.
pub(super) fn is_complete(source: &str) -> bool {
    !Reader::of(source).is_open()
}

/// Whether the last statement declares something, which other prompts do not repeat either.
pub(super) fn declares(source: &str) -> bool {
    Reader::of(source).declares
}

/// How declarations begin.
const DECLARING: [&str; 10] =
    ["let", "const", "var", "function", "class", "import", "export", "interface", "type", "enum"];

/// What goes on after the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A bracket.
    Bracket,
    /// What stands in `${…}`, until its brace.
    Place,
    /// A template, until its backtick.
    Template,
    /// A comment, until `*/`.
    Comment,
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    /// The line before ends in a way that no statement does.
    dangles: bool,
    /// The last statement at top level declares something.
    declares: bool,
}

/// How lines end that go on.
const DANGLING: [&str; 14] =
    ["=", "=>", "&&", "||", "??", "+", "-", "*", "%", "?", ":", ",", ".", "\\"];

impl Reader {
    fn of(source: &str) -> Self {
        let mut reader = Self::default();
        source.lines().for_each(|line| reader.line(line));
        reader
    }

    fn is_open(&self) -> bool {
        self.dangles || !self.open.is_empty()
    }

    fn line(&mut self, line: &str) {
        let is_text = |open: &Open| matches!(open, Open::Template | Open::Comment);
        if line.trim().is_empty() && !self.open.last().is_some_and(is_text) {
            self.open.clear();
            self.dangles = false;
            return;
        }
        if !self.is_open() && line.starts_with(|letter: char| letter.is_alphabetic()) {
            let word = line.split(|letter: char| !letter.is_alphanumeric()).next();
            self.declares = word.is_some_and(|word| DECLARING.contains(&word));
        }
        let mut code = String::new();
        let mut rest = line;
        while let Some(letter) = rest.chars().next() {
            rest = self.step(rest, letter, &mut code);
        }
        let end = code.trim_end();
        // `x++` is whole.
        let is_step = end.ends_with("++") || end.ends_with("--");
        self.dangles = !is_step && DANGLING.iter().any(|one| end.ends_with(one));
    }

    /// Reads on; what is code and no text is kept in `code`.
    fn step<'a>(&mut self, rest: &'a str, letter: char, code: &mut String) -> &'a str {
        let after = &rest[letter.len_utf8()..];
        match self.open.last() {
            Some(Open::Comment) => {
                let Some(end) = rest.strip_prefix("*/") else { return after };
                self.open.pop();
                return end;
            }
            Some(Open::Template) => {
                if let Some(place) = rest.strip_prefix("${") {
                    self.open.push(Open::Place);
                    return place;
                }
                match letter {
                    '`' => drop(self.open.pop()),
                    '\\' => return skipped(after),
                    _ => {}
                }
                return after;
            }
            _ => {}
        }
        if rest.starts_with("//") {
            return "";
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            self.open.push(Open::Comment);
            return comment;
        }
        code.push(letter);
        match letter {
            '\'' | '"' => return within_text(after, letter),
            '`' => self.open.push(Open::Template),
            '(' | '[' | '{' => self.open.push(Open::Bracket),
            // One too many is for the parser to say.
            ')' | ']' | '}' => drop(self.open.pop()),
            _ => {}
        }
        after
    }
}

/// What follows a text in quotes, which ends with its line whether it was closed or not.
fn within_text(mut rest: &str, quote: char) -> &str {
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        match letter {
            '\\' => rest = skipped(after),
            _ if letter == quote => return after,
            _ => rest = after,
        }
    }
    rest
}

fn skipped(rest: &str) -> &str {
    let mut letters = rest.chars();
    letters.next();
    letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::{declares, is_complete};

    #[test]
    fn a_declaration_is_told_from_an_assignment() {
        for source in ["let x = 1", "const f = () => {\n  return 1\n}", "x\nclass A {}"] {
            assert!(declares(source), "{source:?}");
        }
        for source in ["x = 1", "let x = 1\nx", "letters", "f(\n1)"] {
            assert!(!declares(source), "{source:?}");
        }
    }

    #[test]
    fn one_line_is_a_program() {
        for source in [
            "1 + 1",
            "console.log('a: ({')",
            "const f = (n: number) => n * 2",
            "`a ${[1, 2].map((n) => `${n}`)} b`",
            "f(\n1)",
            "/* a\n b */ 1",
            "let n = 0; n++",
            "x // and so on,",
            "'open",
        ] {
            assert!(is_complete(source), "{source:?}");
        }
    }

    #[test]
    fn open_brackets_texts_comments_and_operators_want_more() {
        for source in [
            "f(",
            "const x = {\n a: 1,",
            "`a\nb",
            "`a ${f(",
            "/* a",
            "const x =",
            "rows\n  .map((row) =>",
            "if (x) {",
            "a &&",
        ] {
            assert!(!is_complete(source), "{source:?}");
        }
    }

    #[test]
    fn a_blank_line_ends_what_was_begun_but_no_text() {
        assert!(is_complete("const quote = /[(]/\n\n"));
        assert!(is_complete("f(\n\n"));
        assert!(!is_complete("`a\n\n"));
    }
}
