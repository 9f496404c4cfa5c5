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
//! Whether `/` divides or opens a regular expression is nearly always known from what stands
//! before it. Where it is not, the rest of the text is distrusted: strings and comments count as if
//! they were code, so that nothing can be hidden in what only looks like one.

use crate::place::Problem;

/// The longest text, in bytes.
pub const LONGEST: usize = 1 << 20;
/// Brackets that may be open at the same time.
pub const MOST_NESTED: usize = 200;
/// Words and signs that may follow each other without an end of anything.
pub const MOST_CHAINED: usize = 3_000;

/// Words that something has to follow.
const PREFIXES: &[&str] = &[
    "abstract",
    "as",
    "asserts",
    "async",
    "await",
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
    "implements",
    "import",
    "in",
    "infer",
    "instanceof",
    "interface",
    "is",
    "keyof",
    "let",
    "namespace",
    "new",
    "of",
    "readonly",
    "return",
    "satisfies",
    "static",
    "throw",
    "type",
    "typeof",
    "unique",
    "var",
    "void",
    "yield",
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
        if let Some(what) = scan.excess() {
            return Err(Problem::at(text, scan.at, what).with_hint(
                "Take the expression apart with variables, or pass the data as context.",
            ));
        }
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A value may end here, so `/` divides.
    Value,
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
    distrust: bool,
    /// Brackets in what may not be a string.
    hidden: usize,
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
            distrust: false,
            hidden: 0,
        }
    }

    fn excess(&self) -> Option<String> {
        if self.levels.len() + self.hidden > MOST_NESTED {
            return Some(format!("more than {MOST_NESTED} brackets are open at the same time"));
        }
        (self.chained.max(self.elses) > MOST_CHAINED)
            .then(|| format!("one expression has more than {MOST_CHAINED} parts"))
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn token(&mut self) {
        match self.peek(0) {
            b'\n' | b'\r' => {
                self.newline = true;
                self.at += 1;
            }
            byte if byte.is_ascii_whitespace() => self.at += 1,
            b'/' if self.peek(1) == b'/' => self.skip_to(|scan| scan.peek(0) == b'\n', 0),
            b'#' if self.at == 0 && self.peek(1) == b'!' => {
                self.skip_to(|scan| scan.peek(0) == b'\n', 0);
            }
            b'/' if self.peek(1) == b'*' => {
                self.at += 2;
                self.skip_to(|scan| scan.peek(0) == b'*' && scan.peek(1) == b'/', 2);
            }
            quote @ (b'"' | b'\'') => {
                self.count();
                self.at += 1;
                self.literal(|byte| byte == quote || byte == b'\n');
                self.follow(Before::Value);
            }
            b'`' => {
                self.count();
                self.at += 1;
                self.template();
            }
            b'/' => self.slash(),
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\' | 128..) => {
                self.word();
            }
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
        if let Some(level) = self.levels.last_mut() {
            self.chained -= level.chained;
            level.chained = 0;
            level.angles = 0;
        }
    }

    fn follow(&mut self, before: Before) {
        self.before = before;
        self.control = false;
        self.closed_block = false;
        self.newline = false;
    }

    fn word(&mut self) {
        let start = self.at;
        let part =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\' | 128..);
        while self.at < self.bytes.len() && part(self.peek(0)) {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        let goes_on = INFIXES.contains(&word);
        if (self.newline && self.before == Before::Value || self.closed_block) && !goes_on {
            self.end();
        }
        self.elses += usize::from(word == "else");
        self.count();
        let before = match word {
            _ if EITHER.contains(&word) => Before::Either,
            _ if PREFIXES.contains(&word) => Before::Operator,
            _ => Before::Value,
        };
        let control = CONTROLS.contains(&word) && (word != "await" || self.control);
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
                let postfix = self.before == Before::Value && !newline;
                self.follow(if postfix { Before::Value } else { Before::Operator });
            }
            b'!' if self.before == Before::Value && !newline && self.peek(0) != b'=' => {
                self.follow(Before::Value);
            }
            _ => self.follow(Before::Operator),
        }
    }

    fn close(&mut self, sign: u8) {
        // One too many is an error of syntax, which the parser words better.
        let level = if self.levels.len() > 1 { self.levels.pop() } else { None };
        let level = level.unwrap_or_default();
        self.chained = self.chained.saturating_sub(level.chained);
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
            Before::Value => self.follow(Before::Operator),
            Before::Either => {
                self.distrust = true;
                self.follow(Before::Operator);
            }
            Before::Operator | Before::Control => {
                let mut in_class = false;
                self.literal(|byte| {
                    in_class = byte == b'[' || in_class && byte != b']';
                    byte == b'\n' || byte == b'/' && !in_class
                });
                self.follow(Before::Value);
            }
        }
    }

    /// Goes past what is not code; gives the byte that ended it.
    fn literal(&mut self, mut ends: impl FnMut(u8) -> bool) -> u8 {
        let start = self.at;
        let mut last = 0;
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            self.at += 1;
            if byte == b'\\' {
                self.at += 1;
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
            self.newline |= self.peek(0) == b'\n';
            self.at += 1;
        }
        self.at = (self.at + length).min(self.bytes.len());
        self.suspect(start);
    }

    /// Counts what is in a literal or a comment, where it may be code after all.
    fn suspect(&mut self, start: usize) {
        if !self.distrust {
            return;
        }
        let (mut open, mut most) = (0_usize, 0);
        for byte in &self.bytes[start..self.at] {
            match byte {
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            most = most.max(open);
            if !byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace() {
                self.count();
            }
        }
        self.hidden += most;
    }
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
        ] {
            assert!(refused(&one.repeat(20_000)), "{one:?}");
        }
    }

    #[test]
    fn nothing_can_be_hidden_in_what_only_looks_like_a_literal() {
        let deep = "(".repeat(5_000);
        for text in [
            format!("({{}}) / \" {deep} / \"\" "),
            format!("x = {{}} / '{deep}"),
            format!("await / ` {deep} "),
            format!("}} / /* {deep} "),
            format!("if (a) /\"/ ; {deep}"),
            format!("a++ / 2 ; {deep} / 1"),
            format!("a! / 2 ; {deep} / 1"),
        ] {
            assert!(refused(&text), "{text:.40}");
        }
    }

    #[test]
    fn long_programs_are_fine() {
        let data = format!("const rows = [{}];", "{ a: [1, 2], b: 'x (', c: -1 }, ".repeat(10_000));
        let calls = "await f({ a: 1 })\nif (x) {\n  y()\n} else {\n  z(\"a(\")\n}\n".repeat(800);
        let text = format!("const text = `{}`", "((( [[ \" ' / ".repeat(20_000));
        let math =
            "const a = (1 + 2) / 3; const b = /[(]/.test('(') ? 1 / 2 : a! / 4\n".repeat(2_000);
        let sum = vec!["'a'"; 1_000].join(" +\n");
        let functions = "function f(a, b) { return a < b; } ".repeat(5_000);
        for text in [data, calls, text, math, sum, functions] {
            assert_eq!(check(&text), Ok(()));
        }
    }

    #[test]
    fn too_long_is_said_with_the_limit() {
        let problem = check(&" ".repeat(LONGEST + 1)).unwrap_err();
        assert!(problem.message.contains("1048576"), "{problem}");
    }
}
