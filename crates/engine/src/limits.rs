//! What a program may use, as numbers, and the three named sets of them.
//!
//! A [`Level`] is a starting point; every value can be set. Whoever sends a
//! program may only tighten what the operator chose: [`Limits::tightened_by`]
//! takes the smaller of the two, value by value.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

const MIB: u64 = 1 << 20;

/// Which limit a program met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LimitKind {
    /// Wall-clock time of a run, not counting rest.
    Wall,
    /// CPU time of the guest.
    Cpu,
    /// Time a run may rest between two steps.
    Rest,
    /// Memory beyond the base image.
    Memory,
    /// Bytes written to standard output or standard error.
    Output,
    /// Host calls in one run.
    Calls,
    /// Host calls that wait for an answer at the same time.
    CallsInFlight,
    /// Bytes of one host call's arguments.
    CallArguments,
    /// Bytes of one host call's result.
    CallResult,
    /// Bytes of the value a program ends with.
    Value,
}

impl LimitKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Wall,
        Self::Cpu,
        Self::Rest,
        Self::Memory,
        Self::Output,
        Self::Calls,
        Self::CallsInFlight,
        Self::CallArguments,
        Self::CallResult,
        Self::Value,
    ];

    /// The setting that raises this limit, as the operator writes it.
    #[must_use]
    pub fn setting(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu-time",
            Self::Rest => "rest",
            Self::Memory => "memory-bytes",
            Self::Output => "output-bytes",
            Self::Calls => "calls",
            Self::CallsInFlight => "calls-in-flight",
            Self::CallArguments => "call-arguments-bytes",
            Self::CallResult => "call-result-bytes",
            Self::Value => "value-bytes",
        }
    }

    /// What the author of the program can do about it.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Wall => "do less work in one run, or split it over several runs of one session",
            Self::Cpu => "work on fewer rows, or let numpy or pandas do in Python what loops do",
            Self::Rest => "start the program again; it waited too long for an answer",
            Self::Memory => "work in chunks and delete what is no longer needed",
            Self::Output => {
                "print a summary instead of the data, or write it to a file in /workspace"
            }
            Self::Calls => "ask for more in one call, or filter before calling",
            Self::CallsInFlight => "gather fewer calls at a time",
            Self::CallArguments => "pass less data in one call",
            Self::CallResult => "ask the tool for less: a page, a filter, fewer fields",
            Self::Value => "return a summary instead of the data",
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wall => "wall time",
            Self::Cpu => "CPU time",
            Self::Rest => "rest time",
            Self::Memory => "memory",
            Self::Output => "output",
            Self::Calls => "host calls",
            Self::CallsInFlight => "host calls in flight",
            Self::CallArguments => "call arguments",
            Self::CallResult => "call result",
            Self::Value => "return value",
        })
    }
}

/// A named set of limits and permissions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Generous, for working on one's own machine.
    Development,
    /// For programs written by a model.
    #[default]
    Production,
    /// For programs nobody vouches for: little time, no files, few imports.
    Hardened,
}

impl Level {
    /// The name users write.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Development => "development",
            Self::Production => "production",
            Self::Hardened => "hardened",
        }
    }
}

/// Everything a program may use. See the [module](self) for who may change what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall-clock time of a run, not counting the time it rests.
    pub wall: Duration,
    /// CPU time of a run; it does not pass while the program waits for the host.
    pub cpu_time: Duration,
    /// How long a run may rest between two steps.
    pub rest: Duration,
    /// Cores' worth of CPU: 0.5 is half a core.
    pub cpu_share: f64,
    /// Bytes of memory the program may hold beyond its base image.
    pub memory_bytes: u64,
    /// Bytes each of standard output and standard error may carry.
    pub output_bytes: u64,
    /// Bytes of JSON the program may end with.
    pub value_bytes: u64,
    /// Host calls in one run.
    pub calls: u64,
    /// Host calls waiting for an answer at the same time.
    pub calls_in_flight: u64,
    /// Bytes of one host call's arguments, as JSON.
    pub call_arguments_bytes: u64,
    /// Bytes of one host call's result, as JSON.
    pub call_result_bytes: u64,
    /// Whether `/workspace` can be written to.
    pub workspace_writable: bool,
    /// Bytes of all files in `/workspace` together.
    pub workspace_bytes: u64,
    /// Bytes of one file in `/workspace`.
    pub file_bytes: u64,
    /// Files and folders in `/workspace`.
    pub files: u64,
    /// Files open at the same time.
    pub open_files: u64,
    /// Tokens that models may read and write for a run and its children.
    #[serde(default = "usual_model_tokens")]
    pub model_tokens: u64,
    /// Depth of Python calls. That of TypeScript is what its stack of a fixed size has room for.
    pub recursion: u64,
    /// Top-level modules a program may import itself; `None` allows all.
    /// What an allowed module imports in turn is its own affair.
    pub imports: Option<Vec<String>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self::of(Level::default())
    }
}

impl Limits {
    /// The limits a level stands for.
    #[must_use]
    pub fn of(level: Level) -> Self {
        let production = Self {
            wall: Duration::from_secs(30),
            cpu_time: Duration::from_secs(30),
            rest: Duration::from_secs(7 * 24 * 3600),
            cpu_share: 1.0,
            memory_bytes: 256 * MIB,
            output_bytes: MIB,
            value_bytes: 32 * MIB,
            calls: 1_000,
            calls_in_flight: 100,
            call_arguments_bytes: MIB,
            call_result_bytes: 32 * MIB,
            workspace_writable: true,
            workspace_bytes: 100 * MIB,
            file_bytes: 10 * MIB,
            files: 1_000,
            open_files: 64,
            model_tokens: usual_model_tokens(),
            recursion: 1_000,
            imports: None,
        };
        match level {
            Level::Production => production,
            Level::Development => Self {
                wall: Duration::from_secs(600),
                cpu_time: Duration::from_secs(600),
                memory_bytes: 2048 * MIB,
                output_bytes: 16 * MIB,
                value_bytes: 64 * MIB,
                calls: 100_000,
                calls_in_flight: 1_000,
                call_arguments_bytes: 16 * MIB,
                call_result_bytes: 128 * MIB,
                workspace_bytes: 1024 * MIB,
                file_bytes: 256 * MIB,
                files: 10_000,
                open_files: 256,
                model_tokens: 1_000_000,
                ..production
            },
            Level::Hardened => Self {
                wall: Duration::from_secs(5),
                cpu_time: Duration::from_secs(5),
                cpu_share: 0.5,
                memory_bytes: 128 * MIB,
                output_bytes: 256 << 10,
                value_bytes: 8 * MIB,
                calls: 100,
                calls_in_flight: 16,
                call_arguments_bytes: 256 << 10,
                call_result_bytes: 8 * MIB,
                workspace_writable: false,
                workspace_bytes: 0,
                file_bytes: 0,
                files: 0,
                open_files: 16,
                model_tokens: 20_000,
                recursion: 500,
                imports: Some(HARDENED_IMPORTS.iter().map(|&name| name.to_owned()).collect()),
                ..production
            },
        }
    }

    /// These limits, each no looser than in `wish`.
    #[must_use]
    pub fn tightened_by(&self, wish: &Self) -> Self {
        Self {
            wall: self.wall.min(wish.wall),
            cpu_time: self.cpu_time.min(wish.cpu_time),
            rest: self.rest.min(wish.rest),
            cpu_share: self.cpu_share.min(wish.cpu_share),
            memory_bytes: self.memory_bytes.min(wish.memory_bytes),
            output_bytes: self.output_bytes.min(wish.output_bytes),
            value_bytes: self.value_bytes.min(wish.value_bytes),
            calls: self.calls.min(wish.calls),
            calls_in_flight: self.calls_in_flight.min(wish.calls_in_flight),
            call_arguments_bytes: self.call_arguments_bytes.min(wish.call_arguments_bytes),
            call_result_bytes: self.call_result_bytes.min(wish.call_result_bytes),
            workspace_writable: self.workspace_writable && wish.workspace_writable,
            workspace_bytes: self.workspace_bytes.min(wish.workspace_bytes),
            file_bytes: self.file_bytes.min(wish.file_bytes),
            files: self.files.min(wish.files),
            open_files: self.open_files.min(wish.open_files),
            model_tokens: self.model_tokens.min(wish.model_tokens),
            recursion: self.recursion.min(wish.recursion),
            imports: narrower(self.imports.as_ref(), wish.imports.as_ref()),
        }
    }
}

/// Tokens of models at level production, and of sessions that were stored before there was such a limit.
fn usual_model_tokens() -> u64 {
    100_000
}

/// Modules that compute and do nothing else.
const HARDENED_IMPORTS: &[&str] = &[
    "asyncio",
    "base64",
    "bisect",
    "calendar",
    "collections",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "html",
    "itertools",
    "json",
    "math",
    "numbers",
    "numpy",
    "operator",
    "pandas",
    "random",
    "re",
    "statistics",
    "string",
    "textwrap",
    "tidegate",
    "time",
    "typing",
    "unicodedata",
    "uuid",
    "zoneinfo",
];

fn narrower(ours: Option<&Vec<String>>, wish: Option<&Vec<String>>) -> Option<Vec<String>> {
    match (ours, wish) {
        (None, None) => None,
        (Some(only), None) | (None, Some(only)) => Some(only.clone()),
        (Some(ours), Some(wish)) => {
            Some(ours.iter().filter(|name| wish.contains(name)).cloned().collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_may_tighten_but_never_loosen() {
        let ours = Limits::of(Level::Production);
        assert_eq!(ours.tightened_by(&Limits::of(Level::Development)), ours);
        assert_eq!(ours.tightened_by(&Limits::of(Level::Hardened)), Limits::of(Level::Hardened));
    }

    #[test]
    fn import_lists_narrow_to_what_both_allow() {
        let ours = vec!["json".to_owned(), "re".to_owned()];
        let wish = vec!["re".to_owned(), "os".to_owned()];
        assert_eq!(narrower(Some(&ours), Some(&wish)), Some(vec!["re".to_owned()]));
    }
}
