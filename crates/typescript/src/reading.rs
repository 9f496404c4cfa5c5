//! What a program imports, calls and reads, found out without running it.
//!
//! Facts only: whether a server or a tool of that name exists is for others to judge. A name is followed
//! where it can mean one thing alone, and through no function of the program's own.

use std::collections::HashSet;

/// Letters of `return`.
const RETURN: usize = 6;

/// Bytes of the text as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Range {
    /// Where it begins.
    pub start: u32,
    /// Where it has ended.
    pub end: u32,
}

impl Range {
    /// Whether a byte is in it.
    #[must_use]
    pub fn holds(&self, at: u32) -> bool {
        (self.start..self.end).contains(&at)
    }
}

/// A name, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where.
    pub range: Range,
}

/// A module that is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// As it is written: `servers/github`.
    pub specifier: Named,
    /// The names it must have; none for one that is imported whole.
    pub names: Vec<Named>,
}

/// What is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A member of a module: `servers/github` and `create_issue`.
    Member {
        /// The module.
        specifier: String,
        /// Its member, and members of that.
        path: Vec<Named>,
    },
    /// The function that is given the names of a server and of a tool.
    ByName,
}

/// A value as far as it is written down.
#[derive(Debug, Clone, PartialEq)]
pub enum Written {
    /// `null`
    Null,
    /// `undefined`, which no argument is.
    Undefined,
    /// `true` or `false`
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// An array, in order.
    Array(Vec<Part>),
    /// An object, by its keys.
    Object {
        /// What is under each key, and where the key stands.
        entries: Vec<(Named, Part)>,
        /// There are others that only running would tell.
        is_open: bool,
    },
    /// Only running would tell.
    Unknown,
}

/// A value, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Where.
    pub range: Range,
    /// What.
    pub value: Written,
}

/// A call of what may be a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What is called.
    pub target: Target,
    /// Where the function is named.
    pub range: Range,
    /// Where the whole call stands, with what it is given.
    pub whole: Range,
    /// What it is given; `None` where only running would tell how much that is.
    pub arguments: Option<Vec<Part>>,
    /// Nothing catches its failure, and it is reached as far as that can be seen.
    pub is_certain: bool,
    /// It is made as often as only running would tell.
    pub is_repeated: bool,
}

/// A way into a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// Under a key.
    Field(String),
    /// Any item of an array.
    Item,
}

/// A field that is read of what a call gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// Which of the calls.
    pub call: usize,
    /// The way to it, the field last.
    pub steps: Vec<Step>,
    /// Where its name stands.
    pub range: Range,
    /// It is read because it is taken to be there, and nobody puts it there.
    pub is_certain: bool,
}

/// A field that is read of a call whose result nobody has waited for: a promise has none of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unawaited {
    /// Which of the calls.
    pub call: usize,
    /// The field.
    pub field: Named,
    /// It is reached as far as that can be seen, and nobody asks whether it is there.
    pub is_certain: bool,
}

/// Something that runs text as code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Construct {
    /// `eval`, `new Function`.
    DynamicExecution,
    /// `import(name)`.
    DynamicImport,
}

/// What is known of a program before it runs.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The text that ranges are of: what was sent, without a fence around it and with as many lines.
    pub text: String,
    /// What it imports.
    pub imports: Vec<Import>,
    /// What it calls of modules, and by name.
    pub calls: Vec<Call>,
    /// What it reads of results.
    pub reads: Vec<Read>,
    /// What it reads of results that it has not waited for: the name, with the calls they are of.
    pub unawaited: Vec<Unawaited>,
    /// What runs text as code.
    pub constructs: Vec<(Construct, Range)>,
    /// Loops.
    pub loops: u64,
    /// Functions.
    pub functions: u64,
    /// Nodes of its tree.
    pub nodes: u64,
    /// Where nobody can tell whether a failure counts: something around it may catch it, nobody is seen to call
    /// it, or the program has left before.
    pub(crate) uncertain: Vec<Range>,
    /// What is done on a condition, again and again, or when somebody calls it.
    pub(crate) aside: Vec<Range>,
    /// Where the top level returns, and whether it says what.
    pub(crate) returns: Vec<(u32, bool)>,
    /// Names that the program itself gives a value, as a key or as a text.
    pub(crate) mentioned: HashSet<String>,
    /// Fields that it sets of something that is there already,
    pub(crate) set: HashSet<String>,
    /// and whether it sets any whose names only running would tell.
    pub(crate) sets_any: bool,
}

impl Reading {
    /// Line and column of a byte, both from 1.
    #[must_use]
    pub fn place(&self, at: u32) -> (u32, u32) {
        let place = crate::Problem::at(&self.text, at as usize, "").place;
        place.map_or((1, 1), |place| (place.line, place.column))
    }

    /// The byte of a line and of a column in UTF-16, both from 1, as compilers count; `None` outside of the text.
    #[must_use]
    pub fn byte_at(&self, line: u32, column: u32) -> Option<u32> {
        let number = usize::try_from(line).ok()?.checked_sub(1)?;
        let mut start = 0;
        for _ in 0..number {
            start += self.text.get(start..)?.find('\n')? + 1;
        }
        let rest = self.text.get(start..)?;
        let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let mut left = usize::try_from(column).ok()?.checked_sub(1)?;
        for (at, letter) in rest.char_indices() {
            if left == 0 {
                return u32::try_from(start + at).ok();
            }
            left = left.checked_sub(letter.len_utf16())?;
        }
        (left == 0).then(|| u32::try_from(start + rest.len()).ok()).flatten()
    }

    /// Whether a failure at a byte ends the program, if that is reached.
    #[must_use]
    pub fn is_certain_at(&self, at: u32) -> bool {
        !self.uncertain.iter().any(|range| range.holds(at))
    }

    /// Whether a byte is reached whatever happens, unless the program fails before.
    #[must_use]
    pub fn is_on_main_line(&self, at: u32) -> bool {
        self.is_certain_at(at) && !self.aside.iter().any(|range| range.holds(at))
    }

    /// The text as a compiler reads it that takes it for a module: what the top level returns is thrown, which
    /// ends it as well, and nothing leads to other files. Every place before the end of a line is where it was.
    #[must_use]
    pub fn as_module(&self) -> String {
        let mut out = String::with_capacity(self.text.len() + 16);
        let mut at = 0;
        for &(start, says_what) in &self.returns {
            let start = start as usize;
            let (Some(before), Some("return")) =
                (self.text.get(at..start), self.text.get(start..start + RETURN))
            else {
                continue;
            };
            out.push_str(before);
            out.push_str(if says_what { "throw " } else { "throw 0" });
            at = start + RETURN;
        }
        out.push_str(self.text.get(at..).unwrap_or_default());
        // What compilers take for the end of a line, and nobody else does.
        let out = out.replace(['\r', '\u{2028}', '\u{2029}'], " ");
        let lines = out.split('\n').map(|line| {
            let code = line.trim_start();
            // A comment that names another file, unless it is within a text.
            match code.strip_prefix("///") {
                Some(rest) => format!("{}// {rest}", &line[..line.len() - code.len()]),
                None => line.to_owned(),
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Whether the program itself names something so, as a key, a field it sets, or a text.
    #[must_use]
    pub fn mentions(&self, name: &str) -> bool {
        self.mentioned.contains(name)
    }

    /// Whether the program may give a field of this name another value, of something that is there already.
    #[must_use]
    pub fn may_set(&self, name: &str) -> bool {
        self.sets_any || self.set.contains(name)
    }

    /// A line, from 1.
    #[must_use]
    pub fn line(&self, number: u32) -> &str {
        self.text.lines().nth((number as usize).saturating_sub(1)).unwrap_or_default()
    }

    /// How many lines there are.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.text.lines().count() as u64
    }
}
