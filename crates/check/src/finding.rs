//! What a check found, in a form that programs, people and models can all be told from.

use std::fmt;

use serde::Serialize;

use crate::earlier::Left;
use crate::review::Review;

/// Everything a check found, in the order of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// What was found.
    pub findings: Vec<Finding>,
    /// How many more were found than are listed,
    #[serde(skip_serializing_if = "is_none")]
    pub more: usize,
    /// and how many of those keep the program from running.
    #[serde(skip)]
    pub more_blocking: usize,
    /// How the tools are called that a program names, and what they return: if it fails, the next
    /// mistake would be about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
    /// How tools are called that may do what a program wanted to do without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested: Option<String>,
    /// Why the program was not checked, or not wholly; such a program may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<Unchecked>,
    /// What is there for the next program of its session, if this one runs.
    #[serde(skip)]
    pub left: Left,
    /// What the program could do.
    #[serde(skip)]
    pub review: Review,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Report {
    /// Whether anything was found that must be mended before the program may run.
    #[must_use]
    pub fn blocks(&self) -> bool {
        self.blocking().next().is_some()
    }

    /// The findings that must be mended.
    pub fn blocking(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Blocks)
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether it keeps the program from running.
    pub severity: Severity,
    /// What kind of mistake it is.
    pub code: Code,
    /// Where it begins. Lines and columns count from 1, columns in characters.
    pub line: u32,
    /// The column where it begins.
    pub column: u32,
    /// The line where it ends.
    pub end_line: u32,
    /// The column after its end.
    pub end_column: u32,
    /// The line of the program where it begins, shortened when it is long.
    pub source: String,
    /// What is wrong and what to write instead.
    pub message: String,
    /// What would be right in this place, as far as it can be listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub valid: Vec<String>,
    /// The one of them that was most likely meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// How the tools are called that may have been meant, with the types they speak of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
}

/// What a finding does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program does not run.
    Blocks,
    /// The program runs; this is worth knowing.
    Advice,
}

/// The kinds of mistakes. Their names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Code {
    /// It is none in its language.
    Syntax,
    /// There is no such server.
    UnknownServer,
    /// The server has no such tool.
    UnknownTool,
    /// The tool may not be called before somebody accepts what it is now.
    WithheldTool,
    /// There is no such module in the sandbox, or it has no such member.
    UnknownModule,
    /// A required argument is not given.
    MissingArgument,
    /// An argument that the tool does not take, or one too many.
    UnknownArgument,
    /// An argument of another type than the tool takes.
    WrongType,
    /// An argument of the right type that the tool does not allow.
    WrongValue,
    /// The result has no such field.
    UnknownField,
    /// A call that is not awaited.
    MissingAwait,
    /// A name that nothing defines.
    UndefinedName,
    /// Something else that certainly raises an exception.
    CertainCrash,
    /// What a compiler of the user's own says besides. It never blocks.
    Compiler,
}

impl Code {
    /// The stable name: `unknown-tool`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::UnknownServer => "unknown-server",
            Self::UnknownTool => "unknown-tool",
            Self::WithheldTool => "withheld-tool",
            Self::UnknownModule => "unknown-module",
            Self::MissingArgument => "missing-argument",
            Self::UnknownArgument => "unknown-argument",
            Self::WrongType => "wrong-type",
            Self::WrongValue => "wrong-value",
            Self::UnknownField => "unknown-field",
            Self::MissingAwait => "missing-await",
            Self::UndefinedName => "undefined-name",
            Self::CertainCrash => "certain-crash",
            Self::Compiler => "compiler",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Why a program was not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unchecked {
    /// It is longer than programs are.
    TooLong,
    /// It is nested deeper than programs are.
    TooDeep,
    /// It took too long.
    OutOfTime,
    /// The checker gave up over it.
    Failed,
    /// The compiler of the user's own did not do its work.
    Compiler,
}

impl fmt::Display for Unchecked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::TooLong => "the program is too long to be checked",
            Self::TooDeep => "the program is nested too deeply to be checked",
            Self::OutOfTime => "the program could not be checked in time",
            Self::Failed => "the checker failed over this program",
            Self::Compiler => {
                "the TypeScript compiler (setting `checker`) failed or took too long, so that only our own checks were made"
            }
        })
    }
}

/// A mistake before it is known where in the lines it is and whether it matters.
#[derive(Debug, Clone)]
pub(crate) struct Mistake {
    /// Where, in bytes of the text that was parsed.
    pub(crate) range: ruff_text_size::TextRange,
    pub(crate) code: Code,
    pub(crate) weight: Weight,
    pub(crate) message: String,
    pub(crate) valid: Vec<String>,
    pub(crate) nearest: Option<String>,
    pub(crate) usage: Option<String>,
    /// The exception it would raise, and the classes that one is of.
    pub(crate) raises: &'static [&'static str],
}

/// What must hold for a mistake to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// The program cannot even start.
    Always,
    /// It is in a call of a tool, wherever that is, unless its exception is caught.
    Call,
    /// It raises as soon as it is reached, so it counts only where that is certain.
    WhenReached,
    /// Never.
    Advice,
}

/// Exceptions and their classes, the own name first.
pub(crate) mod raises {
    pub(crate) const ARGUMENT: &[&str] = &["ArgumentError", "ToolError", "TypeError"];
    pub(crate) const UNKNOWN_TOOL: &[&str] = &["UnknownTool", "ToolError", "LookupError"];
    pub(crate) const IMPORT: &[&str] = &["ModuleNotFoundError", "ImportError"];
    pub(crate) const ATTRIBUTE: &[&str] = &["AttributeError"];
    pub(crate) const KEY: &[&str] = &["KeyError", "LookupError"];
    pub(crate) const INDEX: &[&str] = &["IndexError", "LookupError"];
    pub(crate) const NAME: &[&str] = &["NameError", "UnboundLocalError"];
    /// Going over a future gives the future itself, and then an error.
    pub(crate) const FUTURE: &[&str] = &["RuntimeError", "TypeError", "AttributeError"];
    pub(crate) const TYPE: &[&str] = &["TypeError"];
    pub(crate) const VALUE: &[&str] = &["ValueError"];
    pub(crate) const JSON: &[&str] = &["JSONDecodeError", "ValueError"];
    pub(crate) const PATTERN: &[&str] = &["PatternError", "error"];
    pub(crate) const ZERO: &[&str] = &["ZeroDivisionError", "ArithmeticError"];
    pub(crate) const NOTHING: &[&str] = &[];
}
