//! What a program imports, calls and reads, found out without running it.
//!
//! Facts only: whether a server or a tool of that name exists is for others to judge. A name is followed
//! where it can mean one thing alone, and through no function of the program's own.

use std::collections::HashSet;

/// Bytes of the text as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Range {
    /// Where it begins.
    pub start: u32,
    /// Where it has ended.
    pub end: u32,
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
    /// What it is given; `None` where only running would tell how much that is.
    pub arguments: Option<Vec<Part>>,
    /// Nothing catches its failure, and it is reached as far as that can be seen.
    pub is_certain: bool,
    /// It is made as often as only running would tell.
    pub is_repeated: bool,
}

/// A way into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// What runs text as code.
    pub constructs: Vec<(Construct, Range)>,
    /// Loops.
    pub loops: u64,
    /// Functions.
    pub functions: u64,
    /// Nodes of its tree.
    pub nodes: u64,
    /// Names that the program itself gives a value, as a key or as a text.
    pub(crate) mentioned: HashSet<String>,
}

impl Reading {
    /// Line and column of a byte, both from 1.
    #[must_use]
    pub fn place(&self, at: u32) -> (u32, u32) {
        let place = crate::Problem::at(&self.text, at as usize, "").place;
        place.map_or((1, 1), |place| (place.line, place.column))
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
