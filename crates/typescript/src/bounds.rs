//! How long a text may be and how deep it may nest, found out without parsing it.
//!
//! The parser, and everything that walks its tree, calls itself once for each level: a text of
//! a hundred thousand brackets would use up the thread's stack, which ends the process. So a scan
//! that never calls itself goes first. It knows just enough of the language to tell code from
//! strings, comments and regular expressions, and counts two things:
//!
//! * brackets that are open at the same time;
//! * words and signs since the last place where nesting surely ends, over all open brackets.
//!   `!!!!x`, `a => b => c`, `a.b.c` and `if (a) if (b) c` nest without brackets.
//!
//! The groups and classes of a regular expression are brackets too, on top of those around it: its
//! parser calls itself for each.
//!
//! Whether `/` divides or opens a regular expression is nearly always known from what stands
//! before it. Where it is not, the rest of the text is distrusted: strings and comments count as if
//! they were code and nothing that was counted is forgotten, so that nothing can be hidden in what
//! only looks like a string, nor a bracket be closed by what only looks like one.
//!
//! What a blank, a line and a word are is what they are to the parser; the two must not differ.

use crate::place::Problem;

/// The longest text, in bytes.
pub const LONGEST: usize = 1 << 20;
/// Brackets that may be open at the same time.
pub const MOST_NESTED: usize = 200;
/// Words and signs that may follow each other without an end of anything.
pub const MOST_CHAINED: usize = 3_000;

/// Words that something has to follow, and that are no names.
const RESERVED: &[&str] = &[
    "case",
    "class",
    "const",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "function",
    "import",
    "in",
    "instanceof",
    "new",
    "return",
    "throw",
    "typeof",
    "var",
    "void",
];
/// Words that something follows unless they are names, which they may be.
const CONTEXTUAL: &[&str] = &[
    "abstract",
    "as",
    "asserts",
    "async",
    "implements",
    "infer",
    "interface",
    "is",
    "keyof",
    "let",
    "namespace",
    "readonly",
    "satisfies",
    "static",
    "type",
    "unique",
];
/// Words that go on with what was before them, even on another line.
const INFIXES: &[&str] = &[
    "as",
    "catch",
    "else",
    "extends",
    "finally",
    "from",
    "implements",
    "in",
    "instanceof",
    "is",
    "of",
    "satisfies",
    "while",
];
/// Words whose bracket is followed by a statement.
const CONTROLS: &[&str] = &["for", "if", "while", "with", "await"];
/// Words after which `/` may be either.
const EITHER: &[&str] = &["await", "of", "yield"];

/// Brackets that may stand in a text which is read with elements of pages in it, open or closed.
const MOST_BRACKETS_OF_PAGES: usize = 1_000;

/// Whether a text is so small that it cannot nest too deep, whatever in it is code. Between `<a>` and
/// `</a>` a quote begins no string, which the scan does not know.
pub(crate) fn is_small(text: &str) -> bool {
    let mut scan = Scan::new(text.as_bytes());
    scan.distrust = Some(0);
    while scan.at < scan.bytes.len() {
        scan.token();
    }
    let brackets = text.bytes().filter(|byte| matches!(byte, b'(' | b'[' | b'{' | b'<')).count();
    brackets <= MOST_BRACKETS_OF_PAGES && scan.chained <= MOST_CHAINED
}

/// Refuses what is too long or too deep.
pub(crate) fn check(text: &str) -> Result<(), Problem> {
    if text.len() > LONGEST {
        let message =
            format!("the program is {} bytes long; at most {LONGEST} are read", text.len());
        return Err(Problem::of_all(message, "Pass data as context or in a file of /workspace."));
    }
    let mut scan = Scan::new(text.as_bytes());
    while scan.at < scan.bytes.len() {
        scan.token();
        if let Some(problem) = scan.excess(text) {
            return Err(problem);
        }
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A value may end here, so `/` divides.
    Value,
    /// A name or a word that something follows; `/` divides, but nothing surely ends here.
    Word,
    /// Something has to follow, so `/` opens a regular expression.
    Operator,
    /// Either is possible.
    Either,
    /// The bracket of `if`, `for` and the like; a statement follows.
    Control,
}

/// An open bracket.
#[derive(Debug, Default)]
struct Level {
    chained: usize,
    /// `<` that no `>` has closed.
    angles: usize,
    control: bool,
    /// `${`, after whose end a template goes on.
    template: bool,
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    levels: Vec<Level>,
    /// Over all levels.
    chained: usize,
    before: Before,
    /// The last word was one of [`CONTROLS`].
    control: bool,
    closed_block: bool,
    newline: bool,
    elses: usize,
    /// Dots just before; `#` counts as one, because a name follows it too.
    dots: usize,
    /// Where it became unclear what is code.
    distrust: Option<usize>,
    /// Brackets since then that may be open, although they do not look like it.
    hidden: usize,
    /// The most that are open at the same time in the regular expression just before.
    in_pattern: usize,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            levels: vec![Level::default()],
            chained: 0,
            before: Before::Operator,
            control: false,
            closed_block: false,
            newline: true,
            elses: 0,
            dots: 0,
            distrust: None,
            hidden: 0,
            in_pattern: 0,
        }
    }

    fn excess(&self, text: &str) -> Option<Problem> {
        let nested = self.levels.len() + self.hidden + self.in_pattern > MOST_NESTED;
        if !nested && self.chained.max(self.elses) <= MOST_CHAINED {
            return None;
        }
        if let Some(at) = self.distrust {
            let message = format!(
                "it is not clear what this divides or opens, and more than {MOST_NESTED} brackets or {MOST_CHAINED} words and signs follow"
            );
            let hint = "Give a regular expression a name first (`const pattern = /…/;`), and put brackets around what is divided.";
            return Some(Problem::at(text, at, message).with_hint(hint));
        }
        let message = if nested {
            format!("more than {MOST_NESTED} brackets are open at the same time")
        } else {
            format!("one expression has more than {MOST_CHAINED} parts")
        };
        let hint = "Take the expression apart with variables, or pass the data as context.";
        Some(Problem::at(text, self.at, message).with_hint(hint))
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The blank that is here: its length, and whether a line ends with it.
    fn blank(&self) -> Option<(usize, bool)> {
        match self.bytes.get(self.at..)? {
            [b'\n' | b'\r', ..] => Some((1, true)),
            [b' ' | b'\t' | 0x0b | 0x0c, ..] => Some((1, false)),
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => Some((3, true)),
            [0xc2, 0xa0 | 0x85, ..] => Some((2, false)),
            [0xe1, 0x9a, 0x80, ..]
            | [0xe2, 0x80, 0x80..=0x8b | 0xaf, ..]
            | [0xe2, 0x81, 0x9f, ..]
            | [0xe3, 0x80, 0x80, ..]
            | [0xef, 0xbb, 0xbf, ..] => Some((3, false)),
            _ => None,
        }
    }

    fn ends_line(&self) -> bool {
        self.blank().is_some_and(|(_, newline)| newline)
    }

    fn token(&mut self) {
        self.in_pattern = 0;
        if let Some((length, newline)) = self.blank() {
            self.newline |= newline;
            self.at += length;
            return;
        }
        match self.peek(0) {
            b'/' if self.peek(1) == b'/' => self.skip_to(Self::ends_line, 0),
            b'#' if self.at == 0 && self.peek(1) == b'!' => self.skip_to(Self::ends_line, 0),
            b'/' if self.peek(1) == b'*' => {
                self.at += 2;
                self.skip_to(|scan| scan.peek(0) == b'*' && scan.peek(1) == b'/', 2);
            }
            quote @ (b'"' | b'\'') => {
                self.count();
                self.at += 1;
                self.literal(|byte| byte == quote || matches!(byte, b'\n' | b'\r'));
                self.follow(Before::Value);
            }
            b'`' => {
                self.count();
                self.at += 1;
                self.template();
            }
            b'/' => self.slash(),
            byte if is_part(byte) => self.word(),
            _ => self.sign(),
        }
    }

    /// One more part of whatever this is.
    fn count(&mut self) {
        self.chained += 1;
        if let Some(level) = self.levels.last_mut() {
            level.chained += 1;
        }
    }

    /// Nesting surely ends here, but for open brackets.
    fn end(&mut self) {
        if self.distrust.is_some() {
            return;
        }
        if let Some(level) = self.levels.last_mut() {
            self.chained = self.chained.saturating_sub(level.chained);
            level.chained = 0;
            level.angles = 0;
        }
    }

    fn follow(&mut self, before: Before) {
        self.before = before;
        self.control = false;
        self.closed_block = false;
        self.newline = false;
        self.dots = 0;
    }

    fn doubt(&mut self) {
        self.distrust.get_or_insert(self.at);
    }

    fn word(&mut self) {
        let start = self.at;
        while is_part(self.peek(0)) && self.blank().is_none() {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        if word.contains('\\') {
            // An escape, which may spell any of the words below.
            self.doubt();
        }
        // `a.return` and `#in` are names.
        let member = self.dots == 1;
        let goes_on = INFIXES.contains(&word);
        if (self.newline && self.before == Before::Value || self.closed_block) && !goes_on {
            self.end();
        }
        self.elses += usize::from(word == "else" && !member);
        self.count();
        let before = match word {
            _ if member => Before::Value,
            _ if EITHER.contains(&word) => Before::Either,
            // After `...` a value follows; after `1..` a name does.
            _ if RESERVED.contains(&word) && self.dots > 1 => Before::Either,
            _ if RESERVED.contains(&word) => Before::Operator,
            _ if CONTEXTUAL.contains(&word) => Before::Word,
            _ => Before::Value,
        };
        let control = CONTROLS.contains(&word) && !member && (word != "await" || self.control);
        self.follow(before);
        self.control = control;
    }

    fn sign(&mut self) {
        let sign = self.peek(0);
        let newline = self.newline;
        self.count();
        self.at += 1;
        match sign {
            b'(' | b'[' | b'{' => {
                let control = sign == b'(' && self.control;
                self.levels.push(Level { control, ..Level::default() });
                self.follow(Before::Operator);
            }
            b')' | b']' | b'}' => self.close(sign),
            b';' => {
                self.end();
                self.follow(Before::Operator);
            }
            b',' => {
                if self.levels.last().is_some_and(|level| level.angles == 0) {
                    self.end();
                }
                self.follow(Before::Operator);
            }
            b'<' => {
                if self.bytes[self.at..].starts_with(b"!--") {
                    // To some a comment.
                    self.doubt();
                }
                if let Some(level) = self.levels.last_mut() {
                    level.angles += 1;
                }
                self.follow(Before::Operator);
            }
            b'=' if self.peek(0) == b'>' => {
                self.at += 1;
                self.follow(Before::Operator);
            }
            b'>' => {
                if let Some(level) = self.levels.last_mut() {
                    level.angles = level.angles.saturating_sub(1);
                }
                self.follow(Before::Either);
            }
            b'+' | b'-' if self.peek(0) == sign => {
                self.at += 1;
                self.follow(match self.before {
                    Before::Value | Before::Word if !newline => Before::Value,
                    Before::Operator | Before::Control => Before::Operator,
                    _ => Before::Either,
                });
            }
            b'!' if self.peek(0) != b'=' => self.follow(match self.before {
                Before::Value | Before::Word if !newline => Before::Value,
                Before::Either => Before::Either,
                _ => Before::Operator,
            }),
            // The end of `1.`, or what a name or a value follows.
            b'.' | b'#' => {
                let dots = self.dots + 1;
                self.follow(Before::Either);
                self.dots = dots;
            }
            _ => self.follow(Before::Operator),
        }
    }

    fn close(&mut self, sign: u8) {
        // One too many is an error of syntax, which the parser words better.
        let level = if self.levels.len() > 1 { self.levels.pop() } else { None };
        let level = level.unwrap_or_default();
        if self.distrust.is_some() {
            self.hidden += 1;
        } else {
            self.chained = self.chained.saturating_sub(level.chained);
        }
        if level.template && sign == b'}' {
            return self.template();
        }
        self.follow(match sign {
            b')' if level.control => Before::Control,
            b'}' => Before::Either,
            _ => Before::Value,
        });
        if sign == b'}' {
            // A block ends, or a value does: in either case a word on another line begins anew.
            self.closed_block = true;
        }
    }

    /// The text of a template up to its end or its next `${`.
    fn template(&mut self) {
        loop {
            let open = self.literal(|byte| byte == b'`' || byte == b'$');
            if open == b'$' && self.peek(0) == b'{' {
                self.at += 1;
                self.levels.push(Level { template: true, ..Level::default() });
                return self.follow(Before::Operator);
            }
            if open != b'$' {
                return self.follow(Before::Value);
            }
        }
    }

    fn slash(&mut self) {
        self.count();
        self.at += 1;
        match self.before {
            Before::Value | Before::Word if !self.newline => self.follow(Before::Operator),
            // A statement may have ended with the line before, if it was one of types.
            Before::Value | Before::Word | Before::Either => {
                if self.may_be_closed() {
                    self.doubt();
                }
                self.follow(Before::Operator);
            }
            Before::Operator | Before::Control => {
                let (start, mut in_class) = (self.at, false);
                self.literal(|byte| {
                    in_class = byte == b'[' || in_class && byte != b']';
                    matches!(byte, b'\n' | b'\r') || byte == b'/' && !in_class
                });
                self.in_pattern = open_in_pattern(&self.bytes[start..self.at]);
                // Its flags, which are no words.
                while is_part(self.peek(0)) && self.peek(0).is_ascii() && self.peek(0) != b'\\' {
                    self.at += 1;
                }
                self.follow(Before::Value);
            }
        }
    }

    /// Whether a regular expression that begins here could end: it does so in its line.
    fn may_be_closed(&self) -> bool {
        let rest = &self.bytes[self.at..];
        let line = rest.split(|byte| matches!(byte, b'\n' | b'\r')).next();
        line.is_some_and(|line| line.contains(&b'/'))
    }

    /// Goes past what is not code; gives the byte that ended it.
    fn literal(&mut self, mut ends: impl FnMut(u8) -> bool) -> u8 {
        let start = self.at;
        let mut last = 0;
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            self.at += 1;
            if byte == b'\\' {
                // An escaped line break may be two bytes.
                self.at += if self.peek(0) == b'\r' && self.peek(1) == b'\n' { 2 } else { 1 };
            } else if ends(byte) {
                last = byte;
                break;
            }
        }
        self.at = self.at.min(self.bytes.len());
        self.suspect(start);
        last
    }

    fn skip_to(&mut self, mut there: impl FnMut(&Self) -> bool, length: usize) {
        let start = self.at;
        while self.at < self.bytes.len() && !there(self) {
            self.newline |= self.ends_line();
            self.at += 1;
        }
        self.at = (self.at + length).min(self.bytes.len());
        self.suspect(start);
    }

    /// Counts what is in a literal or a comment, where it may be code after all.
    fn suspect(&mut self, start: usize) {
        if self.distrust.is_none() {
            return;
        }
        let mut in_word = false;
        for &byte in &self.bytes[start..self.at] {
            self.hidden += usize::from(matches!(byte, b'(' | b'[' | b'{'));
            let part = is_part(byte);
            if !(byte.is_ascii_whitespace() || part && in_word) {
                self.count();
            }
            in_word = part;
        }
    }
}

/// The most groups and classes that are open at the same time in a regular expression: whether a class
/// can hold another depends on its flags, and a bracket in a class is a group's or none accordingly.
fn open_in_pattern(pattern: &[u8]) -> usize {
    let most = |classes_nest: bool| {
        let (mut groups, mut classes, mut most) = (0_usize, 0_usize, 0);
        let mut bytes = pattern.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' => {
                    bytes.next();
                }
                b'[' if classes == 0 || classes_nest => classes += 1,
                b']' => classes = classes.saturating_sub(1),
                b'(' if classes == 0 => groups += 1,
                b')' if classes == 0 => groups = groups.saturating_sub(1),
                _ => {}
            }
            most = most.max(groups + classes);
        }
        most
    };
    most(false).max(most(true))
}

/// Whether words are made of it. Beyond ASCII there are blanks too, which are looked for first.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\' | 128..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> bool {
        check(text).is_err()
    }

    #[test]
    fn everything_that_nests_is_counted() {
        for one in [
            "(",
            "[",
            "{",
            "!",
            "-",
            "a=>",
            "a?b:",
            "a=",
            "a+",
            "a.b",
            "a()",
            "a[0]",
            "new ",
            "typeof ",
            "if(a)",
            "if(a)\n",
            "while(a)\n",
            "for(;;)\n",
            "do\n",
            "a:\n",
            "`${",
            "A<x,",
            "A<x,\n",
            "keyof ",
            "if(a);else ",
            "if(a){}else\n",
            "a**",
            "class A\nextends ",
            "!\n",
            "a\n.b",
            "await ",
            "x as\n",
            "() => {",
            "a||",
            "a`x`",
            "if(a){}else\u{a0}",
            "keyof\n",
            "a.else\n.b",
        ] {
            assert!(refused(&one.repeat(20_000)), "{one:?}");
        }
    }

    #[test]
    fn the_groups_of_a_regular_expression_are_brackets() {
        let deep = 30_000;
        for one in
            ["(", "(?:", "(?=", "(?<!", "(?i:", "a|(", "[", "[]((", "[[](", "[^[", "\\\\(", "[(]("]
        {
            for flags in ["", "u", "v"] {
                assert!(refused(&format!("return /{}/{flags}", one.repeat(deep))), "{one:?}");
                let closed = format!("{}{}", one.repeat(deep), ")".repeat(deep));
                assert!(refused(&format!("x = /{closed}/{flags}.test(y)")), "{one:?}");
            }
        }
        // Those around it count as well.
        let (half, other) = ("(".repeat(MOST_NESTED / 2), "(".repeat(MOST_NESTED / 2 + 1));
        assert!(refused(&format!("x = {half}/{other}/")));
        let problem = check(&format!("1;\nx = /{}/", "(".repeat(deep))).unwrap_err();
        assert_eq!(problem.place.map(|place| place.line), Some(2), "{problem}");
    }

    #[test]
    fn a_regular_expression_may_have_many_groups_one_after_another() {
        for text in ["(a)|".repeat(1_000), "[[(]".repeat(100), "\\(\\[".repeat(1_000)] {
            assert_eq!(check(&format!("x = /{text}/")), Ok(()));
        }
    }

    #[test]
    fn nothing_can_be_hidden_in_what_only_looks_like_a_literal() {
        let deep = "(".repeat(5_000);
        for before in [
            "x = {}\n/'/; ",
            "await /`/; ",
            "} /\"/; ",
            "if (a) /\"/ ; ",
            "a++ / 2 ; ",
            "a! / 2 ; ",
            "type / 1; \"/\" + ",
            "a.return / 1; '/' + ",
            "a . return / 1; '/' + ",
            "a.if(b) / 1; '/' + ",
            "this.#in / 1; '/' + ",
            "[...typeof /'/, ",
            "1..in / 1; '/' + ",
            "1./2; '/' + ",
            "of++ / 1; '/' + ",
            "of! / 1; '/' + ",
            "type A = B\n/'/; ",
            "type A = B\u{2028}/'/; ",
            "function f()\n/'/; ",
            "typ\\u0065of /'/; ",
            "return\u{a0}/'/; ",
            "a\u{b}/ 1; '/' + ",
            "/x/in / 1; '/' + ",
            "// \r ",
            "// \u{2028} ",
            "#! \u{2029} ",
            "'\\\r\n' + ",
            "\n<!-- `\n ",
        ] {
            assert!(refused(&format!("{before}{deep} '")), "{before:?}");
        }
    }

    #[test]
    fn what_was_counted_in_doubt_is_not_forgotten() {
        for line in [
            "a ? await /\"/ : a ? b : a ? b :\n",
            "await /'/ + typeof typeof typeof typeof\n",
            "await /'/ + (\n",
            "await /x/ + ((')'\n",
        ] {
            assert!(refused(&line.repeat(2_000)), "{line:?}");
        }
    }

    #[test]
    fn a_doubt_is_said_where_it_began() {
        let text = format!("let a = 1\n  /b/ 1\n{}", "f(x)\n".repeat(300));
        let problem = check(&text).unwrap_err();
        assert_eq!(problem.place.map(|place| place.line), Some(2), "{problem}");
    }

    #[test]
    fn long_programs_are_fine() {
        let data = format!("const rows = [{}];", "{ a: [1, 2], b: 'x (', c: -1 }, ".repeat(10_000));
        let calls = "await f({ a: 1 })\nif (x) {\n  y()\n} else {\n  z(\"a(\")\n}\n".repeat(800);
        let text = format!("const text = `{}`", "((( [[ \" ' / ".repeat(20_000));
        let math =
            "const a = (1 + 2) / 3; const b = /[(]/.test('(') ? 1 / 2 : a! / 4\n".repeat(2_000);
        let sum = vec!["'a'"; 1_000].join(" +\n");
        let quotient =
            "const share = (unique / total) * größe / 2\nconst mean = sum(rows)\n  / rows.length\n"
                .repeat(2_000);
        let functions = "function f(a, b) { return a < b; } ".repeat(5_000);
        for text in [data, calls, text, math, sum, quotient, functions] {
            assert_eq!(check(&text), Ok(()));
        }
    }

    #[test]
    fn too_long_is_said_with_the_limit() {
        let problem = check(&" ".repeat(LONGEST + 1)).unwrap_err();
        assert!(problem.message.contains("1048576"), "{problem}");
    }
}
