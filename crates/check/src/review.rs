//! A program reviewed before it runs: what it imports, what it could do, what it will call, how large
//! it is.
//!
//! ```text
//! tree, names ──► constructs ──┐
//!            ├──► imports ─────┼──► violations ──► risk ──► verdict
//!            └──► touched ─────┘
//!                    ▲
//!                counting (how often a place is reached)
//! ```
//!
//! A review informs and does not contain: whoever wants to hide what a program does can, and the sandbox
//! is what stands in the way. So it is written for honest programs and for those who read about them. It
//! is the same for the same program, reads nothing, and its work grows with the length of the program.
//!
//! The rules and their weights are written down in the manual (`docs/src/review.md`); a test compares
//! the two.

mod constructs;
mod counting;
mod imports;
pub(crate) mod minds;
mod own;
pub(crate) mod script;
mod touched;
mod verdict;
mod web;

use std::collections::BTreeMap;
use std::fmt;

use catalog::Annotations;
use ruff_python_ast::AnyNodeRef;
use ruff_text_size::TextRange;
use serde::{Deserialize, Serialize};

pub use self::verdict::{Action, Actions, Decided, Verdict};
use crate::finding::Unchecked;
use crate::names::Names;
use crate::place::Lines;
use crate::tree::Tree;
use counting::Counting;

/// The most violations that are told.
const MOST_VIOLATIONS: usize = 50;
/// The most tools that are told.
const MOST_TOOLS: usize = 200;
/// The longest line that is shown, in characters.
const LONGEST_LINE: usize = 200;
/// A program of more lines is large,
const MANY_LINES: u64 = 1_000;
/// or one of more nodes.
const MANY_NODES: u64 = 20_000;

/// What a review holds against a program, as the operator decided.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The only modules that may be imported; `None` allows all.
    pub imports: Option<Vec<String>>,
    /// Servers that are believed when they call a tool harmless.
    pub trusted: Vec<String>,
    /// What counts about single tools, by server and tool, whatever their server says.
    pub said: BTreeMap<(String, String), Annotations>,
    /// Calls that a program may make.
    pub calls: Option<u64>,
}

/// What is known of a program before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Nothing of high risk was found.
    pub is_safe: bool,
    /// The highest risk that was found.
    pub risk: Risk,
    /// What was found, in the order of the program.
    pub violations: Vec<Violation>,
    /// Violations beyond those that are told.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
    /// The tools that it will call.
    pub tools: Vec<ToolUse>,
    /// How large it is, and how often it calls.
    pub estimates: Estimates,
}

impl Default for Review {
    fn default() -> Self {
        Self {
            is_safe: true,
            risk: Risk::Low,
            violations: Vec::new(),
            more: 0,
            tools: Vec::new(),
            estimates: Estimates::default(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How much there is to be said against something.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Worth knowing.
    #[default]
    Low,
    /// Worth a look.
    Medium,
    /// What programs that compute and call tools have no need of.
    High,
}

impl Risk {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One thing that a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// How much it weighs.
    pub severity: Risk,
    /// What was found.
    pub message: String,
    /// Where it begins. Lines and columns count from 1, columns in characters.
    pub line: u32,
    /// The column where it begins.
    pub column: u32,
    /// That line, shortened when it is long.
    pub source: String,
}

/// The rules. Their names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// A module is imported that the level does not list.
    ImportNotAllowed,
    /// Text is run as code.
    DynamicExecution,
    /// A module is imported whose name only running would tell.
    DynamicImport,
    /// The insides of objects are walked to reach what was never given.
    DunderWalk,
    /// Machine code is reached for.
    NativeCode,
    /// The frames of functions are read.
    FrameWalk,
    /// The interpreter's list of all objects is read.
    GcWalk,
    /// The program cannot be read.
    Unreviewed,
    /// A tool that may destroy something is called as often as only running would tell.
    DestructiveInLoop,
    /// A tool that may destroy something is called.
    DestructiveTool,
    /// A tool that changes something is called as often as only running would tell.
    WriteInLoop,
    /// A tool is called whose name only running would tell.
    AnyTool,
    /// More calls than a run may make.
    TooManyCalls,
    /// Bytes are made into objects, which may run code.
    UnsafeLoading,
    /// Processes, sockets and threads, which the sandbox does not have.
    ProcessOrNetwork,
    /// The interpreter itself is changed.
    InterpreterChange,
    /// An attribute is reached by a name that only running would tell.
    ComputedAttribute,
    /// A tool reaches beyond its server's own data.
    OpenWorldTool,
    /// A tool of which nothing is known is called as often as only running would tell.
    UnannotatedInLoop,
    /// A model is asked as often as only running would tell.
    ModelInLoop,
    /// A tool of a server that has not said what it offers.
    UnknownTool,
    /// The program is larger than people read.
    LargeProgram,
}

impl Rule {
    /// All of them, the weightiest first.
    pub const ALL: [Self; 22] = [
        Self::ImportNotAllowed,
        Self::DynamicExecution,
        Self::DynamicImport,
        Self::DunderWalk,
        Self::NativeCode,
        Self::FrameWalk,
        Self::GcWalk,
        Self::Unreviewed,
        Self::DestructiveInLoop,
        Self::DestructiveTool,
        Self::WriteInLoop,
        Self::AnyTool,
        Self::TooManyCalls,
        Self::UnsafeLoading,
        Self::ProcessOrNetwork,
        Self::InterpreterChange,
        Self::ComputedAttribute,
        Self::OpenWorldTool,
        Self::UnannotatedInLoop,
        Self::ModelInLoop,
        Self::UnknownTool,
        Self::LargeProgram,
    ];

    /// The stable name: `dunder-walk`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ImportNotAllowed => "import-not-allowed",
            Self::DynamicExecution => "dynamic-execution",
            Self::DynamicImport => "dynamic-import",
            Self::DunderWalk => "dunder-walk",
            Self::NativeCode => "native-code",
            Self::FrameWalk => "frame-walk",
            Self::GcWalk => "gc-walk",
            Self::Unreviewed => "unreviewed",
            Self::DestructiveInLoop => "destructive-in-loop",
            Self::DestructiveTool => "destructive-tool",
            Self::WriteInLoop => "write-in-loop",
            Self::AnyTool => "any-tool",
            Self::TooManyCalls => "too-many-calls",
            Self::UnsafeLoading => "unsafe-loading",
            Self::ProcessOrNetwork => "process-or-network",
            Self::InterpreterChange => "interpreter-change",
            Self::ComputedAttribute => "computed-attribute",
            Self::OpenWorldTool => "open-world-tool",
            Self::UnannotatedInLoop => "unannotated-in-loop",
            Self::ModelInLoop => "model-in-loop",
            Self::UnknownTool => "unknown-tool",
            Self::LargeProgram => "large-program",
        }
    }

    /// How much it weighs, always.
    #[must_use]
    pub fn severity(self) -> Risk {
        match self {
            Self::ImportNotAllowed
            | Self::DynamicExecution
            | Self::DynamicImport
            | Self::DunderWalk
            | Self::NativeCode
            | Self::FrameWalk
            | Self::GcWalk
            | Self::Unreviewed
            | Self::DestructiveInLoop => Risk::High,
            Self::DestructiveTool
            | Self::WriteInLoop
            | Self::AnyTool
            | Self::TooManyCalls
            | Self::UnsafeLoading
            | Self::ProcessOrNetwork
            | Self::InterpreterChange => Risk::Medium,
            Self::ComputedAttribute
            | Self::OpenWorldTool
            | Self::UnannotatedInLoop
            | Self::ModelInLoop
            | Self::UnknownTool
            | Self::LargeProgram => Risk::Low,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A tool that a program will call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The server, by its configured name.
    pub server: String,
    /// The tool, by the server's own name for it.
    pub tool: String,
    /// What it may do.
    pub risk: ToolRisk,
    /// Its server is believed when it calls a tool harmless.
    pub trusted: bool,
    /// How often it is called, as far as that can be counted.
    pub calls: u64,
    /// It is called in a loop whose length only running would tell; `calls` counts that as one round.
    pub unbounded: bool,
}

/// What a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolRisk {
    /// A server that is trusted, or the operator, says that it changes nothing.
    ReadOnly,
    /// The same, and that it reaches beyond its server's own data.
    OpenWorld,
    /// Nothing that is believed is said about it.
    Unannotated,
    /// A server that is trusted, or the operator, says that it changes something.
    Write,
    /// Its server says that it may destroy something.
    Destructive,
}

impl ToolRisk {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::OpenWorld => "open-world",
            Self::Unannotated => "unannotated",
            Self::Write => "write",
            Self::Destructive => "destructive",
        }
    }
}

/// How large a program is, and how often it calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimates {
    /// Calls of tools, as far as they can be counted.
    pub calls: u64,
    /// Some of them are in loops whose length only running would tell; `calls` counts one round of those.
    pub unbounded: bool,
    /// Places that call a tool.
    pub call_sites: u64,
    /// Loops, comprehensions included.
    pub loops: u64,
    /// Functions.
    pub functions: u64,
    /// Lines.
    pub lines: u64,
    /// Nodes of its syntax tree.
    pub nodes: u64,
}

impl Review {
    /// A program of which nothing can be said.
    #[must_use]
    pub fn unreviewed(why: Unchecked) -> Self {
        let violation = Violation {
            rule: Rule::Unreviewed,
            severity: Rule::Unreviewed.severity(),
            message: why.to_string(),
            line: 1,
            column: 1,
            source: String::new(),
        };
        Self { violations: vec![violation], ..Self::default() }.judged()
    }

    /// One that is none in its language, which cannot run either.
    pub(crate) fn unparsed(lines: u64) -> Self {
        let estimates = Estimates { lines, ..Estimates::default() };
        let review = Self::unreviewed(Unchecked::Failed);
        let words = "it cannot be read as a program, so that nothing can be said about it";
        let violations = review
            .violations
            .into_iter()
            .map(|one| Violation { message: words.to_owned(), ..one })
            .collect();
        Self { violations, estimates, ..Self::default() }.judged()
    }

    fn judged(mut self) -> Self {
        self.risk = self.violations.iter().map(|one| one.severity).max().unwrap_or_default();
        self.is_safe = self.risk < Risk::High;
        self
    }
}

/// Something that was found, before it is known where in the lines it is.
#[derive(Debug)]
struct Found {
    rule: Rule,
    range: TextRange,
    message: String,
}

/// Reviews a program whose names are known.
pub(crate) fn review<'a>(
    tree: &Tree<'a>,
    names: &Names<'a, '_>,
    lines: &Lines<'_>,
    rules: &Rules,
) -> Review {
    let mut counting = Counting::new(tree, names);
    let mut found = Vec::new();
    imports::find(tree, names, rules.imports.as_deref(), &mut found);
    constructs::find(tree, names, &mut found);
    let mut touched = touched::find(tree, names, rules, &mut counting, &mut found);
    for find in [web::find, minds::find] {
        let (own, sites) = find(tree, names, &mut counting, &mut found);
        touched.tools.extend(own);
        touched.sites += sites;
    }
    let mut estimates = size(tree, lines);
    for one in &touched.tools {
        estimates.calls = estimates.calls.saturating_add(one.calls);
        estimates.unbounded |= one.unbounded;
    }
    estimates.calls = estimates.calls.saturating_add(touched.others.number);
    estimates.unbounded |= touched.others.unbounded;
    estimates.call_sites = touched.sites;
    let whole = tree.all().next().map(|(_, node)| TextRange::empty(start(node)));
    if let (Some(most), Some(range)) = (rules.calls, whole)
        && estimates.calls > most
    {
        let message = format!(
            "makes about {} calls, more than the {most} that a run may make",
            estimates.calls
        );
        found.push(Found { rule: Rule::TooManyCalls, range, message });
    }
    if let Some(range) = whole
        && (estimates.lines > MANY_LINES || estimates.nodes > MANY_NODES)
    {
        let message = format!("has {} lines, more than people read", estimates.lines);
        found.push(Found { rule: Rule::LargeProgram, range, message });
    }
    let (violations, more) = told(found, lines);
    let mut tools = touched.tools;
    tools.truncate(MOST_TOOLS);
    Review { violations, more, tools, estimates, ..Review::default() }.judged()
}

fn start(node: AnyNodeRef<'_>) -> ruff_text_size::TextSize {
    use ruff_text_size::Ranged as _;
    node.start()
}

fn size(tree: &Tree<'_>, lines: &Lines<'_>) -> Estimates {
    let mut estimates = Estimates { lines: lines.count(), ..Estimates::default() };
    for (_, node) in tree.all() {
        estimates.nodes += 1;
        match node {
            AnyNodeRef::StmtFor(_) | AnyNodeRef::StmtWhile(_) | AnyNodeRef::Comprehension(_) => {
                estimates.loops += 1;
            }
            AnyNodeRef::StmtFunctionDef(_) | AnyNodeRef::ExprLambda(_) => estimates.functions += 1,
            _ => {}
        }
    }
    estimates
}

/// What was found in the order of the program; of too much, what weighs most.
fn told(mut found: Vec<Found>, lines: &Lines<'_>) -> (Vec<Violation>, u64) {
    found.sort_by_key(|one| {
        (std::cmp::Reverse(one.rule.severity()), one.range.start(), one.rule, one.range.end())
    });
    found.dedup_by(|a, b| a.rule == b.rule && a.range.start() == b.range.start());
    let more = found.len().saturating_sub(MOST_VIOLATIONS) as u64;
    found.truncate(MOST_VIOLATIONS);
    found.sort_by_key(|one| (one.range.start(), one.rule));
    let told = found.into_iter().map(|one| {
        let (line, column) = lines.place(one.range.start());
        Violation {
            rule: one.rule,
            severity: one.rule.severity(),
            message: one.message,
            line,
            column,
            source: lines.line(line).chars().take(LONGEST_LINE).collect(),
        }
    });
    (told.collect(), more)
}
