//! Case files: programs with their expected end in their first lines.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::folder::Folder;
use crate::limits::{Level, Limits};
use crate::outcome::Outcome;
use crate::program::Context;

const NEXT: &str = "--- next";

/// How lines of a header begin in each language.
const MARKS: [&str; 2] = ["# ", "// "];

/// One case file: programs that run one after another in one session.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its path below the folder of cases.
    pub name: String,
    /// The programs.
    pub parts: Vec<Part>,
    /// The session's seed.
    pub seed: Option<u64>,
    /// Also run it with a freeze and thaw at every wait.
    pub freeze: bool,
}

/// One program of a case.
#[derive(Debug, Clone)]
pub struct Part {
    /// What runs: everything after the header.
    pub source: String,
    /// Variables it starts with.
    pub context: Context,
    /// What it may use.
    pub limits: Limits,
    /// What it finds under `/servers`.
    pub servers: Option<Arc<Folder>>,
    expect: Expect,
    details: Vec<(String, String)>,
}

/// How a program must end.
#[derive(Debug, Clone, PartialEq)]
pub enum Expect {
    /// Well, with this value.
    Value(Value),
    /// With this exception and, if given, these words in its message.
    Raised(String, Option<String>),
    /// Stopped by this limit.
    Limit(String),
    /// It ended the interpreter.
    Exited,
    /// The sandbox trapped.
    Crashed,
    /// Any way, as long as nothing leaks and the session goes on.
    Contained,
}

/// Why a case file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// The file cannot be read.
    #[error("cases cannot be read")]
    Io(#[from] std::io::Error),
    /// The header is wrong.
    #[error("{case}: {problem}")]
    Header {
        /// The case's name.
        case: String,
        /// What is wrong.
        problem: String,
    },
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Tighter {
    wall_ms: Option<u64>,
    cpu_ms: Option<u64>,
    rest_ms: Option<u64>,
    memory_mib: Option<u64>,
    output_bytes: Option<u64>,
    value_bytes: Option<u64>,
    calls: Option<u64>,
    calls_in_flight: Option<u64>,
    call_arguments_bytes: Option<u64>,
    call_result_bytes: Option<u64>,
    workspace_bytes: Option<u64>,
    file_bytes: Option<u64>,
    files: Option<u64>,
    open_files: Option<u64>,
    recursion: Option<u64>,
}

impl Tighter {
    fn apply(self, to: &mut Limits) {
        let times = [
            (&mut to.wall, self.wall_ms),
            (&mut to.cpu_time, self.cpu_ms),
            (&mut to.rest, self.rest_ms),
        ];
        for (limit, wish) in times {
            *limit = wish.map_or(*limit, Duration::from_millis);
        }
        let counts = [
            (&mut to.memory_bytes, self.memory_mib.map(|mib| mib << 20)),
            (&mut to.output_bytes, self.output_bytes),
            (&mut to.value_bytes, self.value_bytes),
            (&mut to.calls, self.calls),
            (&mut to.calls_in_flight, self.calls_in_flight),
            (&mut to.call_arguments_bytes, self.call_arguments_bytes),
            (&mut to.call_result_bytes, self.call_result_bytes),
            (&mut to.workspace_bytes, self.workspace_bytes),
            (&mut to.file_bytes, self.file_bytes),
            (&mut to.files, self.files),
            (&mut to.open_files, self.open_files),
            (&mut to.recursion, self.recursion),
        ];
        for (limit, wish) in counts {
            *limit = wish.unwrap_or(*limit);
        }
    }
}

impl Case {
    /// Reads a case file. `servers` has the files of all servers a case may ask for, by path.
    ///
    /// # Errors
    /// When its header is missing something or says something unknown.
    pub fn parse(
        name: &str,
        text: &str,
        servers: &BTreeMap<String, Arc<[u8]>>,
    ) -> Result<Self, CaseError> {
        let wrong = |problem: String| CaseError::Header { case: name.to_owned(), problem };
        let mut case = Self { name: name.to_owned(), parts: Vec::new(), seed: None, freeze: false };
        let mut level = Level::Production;
        for source in split(text) {
            let part = case.part(&source, &mut level, servers).map_err(wrong)?;
            case.parts.push(part);
        }
        Ok(case)
    }

    fn part(
        &mut self,
        text: &str,
        level: &mut Level,
        files: &BTreeMap<String, Arc<[u8]>>,
    ) -> Result<Part, String> {
        let mut servers = None;
        let mut expect = None;
        let mut tighter = Tighter::default();
        let mut context = Context::new();
        let mut details = Vec::new();
        for (key, value) in header(text) {
            let json = |problem: serde_json::Error| format!("{key}: {problem}");
            match key {
                "expect" => expect = Some(Expect::parse(value)?),
                "level" => {
                    *level =
                        serde_json::from_value(Value::String(value.to_owned())).map_err(json)?;
                }
                "limits" => tighter = serde_json::from_str(value).map_err(json)?,
                "context" => context = serde_json::from_str(value).map_err(json)?,
                "servers" => servers = Some(Arc::new(only(files, value)?)),
                "seed" => self.seed = Some(serde_json::from_str(value).map_err(json)?),
                "freeze" => self.freeze = value == "true",
                "stdout" | "stderr" | "stdout-has" | "stderr-has" | "line" | "hint" | "note"
                | "artifacts" => {
                    details.push((key.to_owned(), value.to_owned()));
                }
                _ => return Err(format!("unknown key {key:?}")),
            }
        }
        let mut limits = Limits::of(*level);
        tighter.apply(&mut limits);
        limits = Limits::of(*level).tightened_by(&limits);
        let expect = expect.ok_or("no `# expect:` line")?;
        let source = text
            .lines()
            .skip(header(text).count())
            .fold(String::new(), |all, line| all + line + "\n");
        Ok(Part { source, context, limits, servers, expect, details })
    }
}

/// The files of the servers that are named, each of which must have some; a name may also be that
/// of a file beside them.
fn only(files: &BTreeMap<String, Arc<[u8]>>, names: &str) -> Result<Folder, String> {
    let mut kept = BTreeMap::new();
    for name in names.split_whitespace() {
        let of_server =
            |path: &str| path.split_once('/').map_or(path, |(folder, _)| folder) == name;
        let found = files.iter().filter(|(path, _)| of_server(path));
        let before = kept.len();
        kept.extend(found.map(|(path, bytes)| (path.clone(), Arc::clone(bytes))));
        if kept.len() == before {
            return Err(format!("servers: there is no {name:?}"));
        }
    }
    Ok(Folder::new(kept))
}

/// The programs of a file, each without its separator.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in text.lines() {
        if comment(line).is_some_and(|words| words.trim_end() == NEXT) {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    parts
}

/// What a line says that is a comment from its beginning.
fn comment(line: &str) -> Option<&str> {
    MARKS.into_iter().find_map(|mark| line.strip_prefix(mark))
}

/// The `# key: value` lines at the start; in TypeScript, `// key: value`.
fn header(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .map_while(|line| comment(line)?.split_once(": ").filter(|(key, _)| !key.contains(' ')))
}

impl Expect {
    fn parse(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        Ok(match kind {
            "value" => {
                Self::Value(serde_json::from_str(rest).map_err(|error| format!("expect: {error}"))?)
            }
            "raised" => match rest.split_once(": ") {
                Some((exception, words)) => {
                    Self::Raised(exception.to_owned(), Some(words.to_owned()))
                }
                None => Self::Raised(rest.to_owned(), None),
            },
            "limit" => Self::Limit(rest.to_owned()),
            "exited" => Self::Exited,
            "crashed" => Self::Crashed,
            "contained" => Self::Contained,
            _ => return Err(format!("unknown expectation {text:?}")),
        })
    }
}

impl Part {
    /// Says how `outcome` differs from what this program must end with.
    ///
    /// # Errors
    /// A sentence about the first difference.
    pub fn judge(&self, outcome: &Outcome) -> Result<(), String> {
        self.judge_end(outcome)?;
        for (key, wanted) in &self.details {
            judge_detail(key, wanted, outcome)?;
        }
        Ok(())
    }

    fn judge_end(&self, outcome: &Outcome) -> Result<(), String> {
        let error = outcome.error.as_ref();
        let kind = error.map_or("", |error| error.kind.as_str());
        let fits = match &self.expect {
            Expect::Value(wanted) => {
                let found = serde_json::from_str(outcome.return_value.get()).unwrap_or(Value::Null);
                outcome.success && super::same(&found, wanted)
            }
            Expect::Raised(exception, words) => {
                let message = error.map_or("", |error| error.message.as_str());
                kind == exception
                    && words.as_ref().is_none_or(|words| message.contains(words.as_str()))
            }
            Expect::Limit(limit) => {
                let met = error
                    .and_then(|error| error.limit)
                    .and_then(|kind| serde_json::to_value(kind).ok());
                met == Some(Value::String(limit.clone()))
            }
            Expect::Exited => kind == "Exited",
            Expect::Crashed => kind == "Crashed",
            Expect::Contained => true,
        };
        if fits { Ok(()) } else { Err(format!("expected {:?}", self.expect)) }
    }
}

/// Says whether one more line of the header is right.
fn judge_detail(key: &str, wanted: &str, outcome: &Outcome) -> Result<(), String> {
    let error = outcome.error.clone().unwrap_or_default();
    let text = || serde_json::from_str::<String>(wanted).unwrap_or_else(|_| wanted.to_owned());
    let fits = match key {
        "stdout" => outcome.stdout == text(),
        "stderr" => outcome.stderr == text(),
        "stdout-has" => outcome.stdout.contains(wanted),
        "stderr-has" => outcome.stderr.contains(wanted),
        "line" => error.line.map(|line| line.to_string()).as_deref() == Some(wanted),
        "hint" => error.hint.is_some_and(|hint| hint.contains(wanted)),
        "note" => outcome.note.as_ref().is_some_and(|note| note.contains(wanted)),
        "artifacts" => outcome.artifacts.len().to_string() == wanted,
        _ => false,
    };
    if fits { Ok(()) } else { Err(format!("expected {key}: {wanted}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_can_hold_several_programs() {
        let case = Case::parse(
            "x",
            "# expect: value 1\nx = 1\n# --- next\n# expect: raised ValueError: no\nx\n",
            &BTreeMap::new(),
        )
        .unwrap();
        assert_eq!(case.parts.len(), 2);
        assert_eq!(case.parts[1].expect, Expect::Raised("ValueError".into(), Some("no".into())));
    }

    #[test]
    fn a_file_without_an_expectation_is_refused() {
        assert!(Case::parse("x", "x = 1\n", &BTreeMap::new()).is_err());
    }

    #[test]
    fn a_program_sees_only_the_servers_it_names() {
        let file = |path: &str| (path.to_owned(), Arc::from(*b"x"));
        let files = BTreeMap::from([file("demo/a.py"), file("time/b.py")]);
        let servers = |names: &str| {
            let text = format!("# expect: value 1\n# servers: {names}\n1\n");
            Case::parse("x", &text, &files).map(|case| case.parts[0].servers.clone().unwrap())
        };
        let shown: Vec<_> = servers("demo").unwrap().files().keys().cloned().collect();
        assert_eq!(shown, ["demo/a.py"]);
        assert!(servers("dem").is_err());
    }
}
