//! A program in TypeScript against the catalog, before it runs.
//!
//! ```text
//! text ──► reading (crate `typescript`) ──► imports, calls, fields ──► findings
//!                    └──────────────────────────────────────────────► review
//! ```
//!
//! Only what is certain keeps a program from running: an import of what is not there, a call that the gateway
//! would refuse with the very same arguments, a slip of the pen in the name of a field that a server declares.
//! The guest says what is no TypeScript.

pub mod compiled;
mod fields;
mod values;

use catalog::{Catalog, CatalogTool, ResolveError};
use ruff_text_size::{TextRange, TextSize};
use typescript::{Call, Part, Range, Reading, Target, Written};

use self::values::Given;
use crate::calls::{Unresolved, code_of, unresolved, without_question};
use crate::checker::Job;
use crate::finding::{Code, Finding, Mistake, Report, Severity, Weight, raises};
use crate::nearest::nearest;
use crate::place::Lines;
use crate::review::{self, Review, minds};
use crate::servers::Servers;
use crate::text::Text;

/// How many mistakes are told at once.
const MOST_FINDINGS: usize = 30;
/// The most bytes of how tools are called that are shown with a program that may not run.
const LONGEST_USAGE: usize = 2_500;

/// What `servers` has besides servers, by their folders' names.
const CLIENT: &str = "client";

/// The module of what every program has.
const OURS: &str = "tidegate";

/// Where an import leads, as far as it is to do with servers.
enum Place<'s> {
    /// `servers`
    All,
    /// `servers/github`
    Server(&'s str),
    /// `servers/github/create_issue.ts`
    Tool(&'s str, &'s str),
    /// Something else.
    Elsewhere,
}

impl<'s> Place<'s> {
    fn of(specifier: &'s str) -> Self {
        let path = specifier.trim_start_matches('/');
        let mut parts = path.split('/');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some("servers"), None, ..) => Self::All,
            (Some("servers"), Some(server), None, _) if is_name(server) => Self::Server(server),
            (Some("servers"), Some(server), Some(file), None) if is_name(server) => {
                let name = file.split_once('.').map_or(file, |(name, _)| name);
                if name == "index" { Self::Server(server) } else { Self::Tool(server, name) }
            }
            _ => Self::Elsewhere,
        }
    }
}

/// Whether a part of a path is the name of a server, and no file beside them.
fn is_name(part: &str) -> bool {
    !part.is_empty() && part != CLIENT && !part.contains('.')
}

/// Checks a program; what it could do is told first.
pub(crate) fn run(catalog: &Catalog, job: &Job, told: &dyn Fn(Review)) -> Report {
    let Some(reading) = typescript::reading(&job.source) else {
        told(Review::unparsed(job.source.lines().count() as u64));
        return Report {
            findings: unparsed(&job.source).into_iter().collect(),
            ..Report::default()
        };
    };
    let checked = Checked::of(catalog, job, &reading);
    told(checked.review(job));
    checked.report()
}

/// Why a text is no TypeScript, in the words that the guest has for it.
fn unparsed(source: &str) -> Option<Finding> {
    let problem = typescript::program(source).err()?;
    let (line, column) = problem.place.map_or((1, 1), |place| (place.line, place.column));
    let hint = problem.hint.map_or_else(String::new, |hint| format!("; {hint}"));
    Some(Finding {
        severity: Severity::Blocks,
        code: Code::Syntax,
        line,
        column,
        end_line: line,
        end_column: column + 1,
        source: problem.source_line.unwrap_or_default(),
        message: format!("this is no valid TypeScript: {}{hint}", problem.message),
        valid: Vec::new(),
        nearest: None,
        usage: None,
    })
}

/// Reviews a program, and looks for no mistakes.
pub(crate) fn review_only(catalog: &Catalog, job: &Job) -> Review {
    match typescript::reading(&job.source) {
        Some(reading) => Checked::of(catalog, job, &reading).review(job),
        None => Review::unparsed(job.source.lines().count() as u64),
    }
}

pub(crate) fn range(of: Range) -> TextRange {
    let (start, end) = (TextSize::new(of.start), TextSize::new(of.end.max(of.start)));
    TextRange::new(start, end)
}

/// What a call is of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Called<'c> {
    /// This tool.
    Tool(&'c CatalogTool),
    /// One of a server that has not said what it offers.
    Unlisted,
    /// One whose name only running would tell.
    Any,
    /// A function that every program has, by its name in rules.
    Own(&'static str),
    /// No tool, or one that is not there.
    Nothing,
}

/// A program whose names are known.
struct Checked<'c, 'r> {
    servers: Servers<'c>,
    reading: &'r Reading,
    /// What each of its calls is of.
    called: Vec<Called<'c>>,
    mistakes: Vec<(Severity, Mistake)>,
}

impl<'c, 'r> Checked<'c, 'r> {
    fn of(catalog: &'c Catalog, job: &'c Job, reading: &'r Reading) -> Self {
        let servers = Servers { catalog, opaque: &job.unlisted, partial: job.partial };
        let mut checked = Self { servers, reading, called: Vec::new(), mistakes: Vec::new() };
        checked.imports();
        for call in &reading.calls {
            let called = checked.call(call);
            checked.called.push(called);
        }
        checked.fields();
        checked
    }

    fn review(&self, job: &Job) -> Review {
        let text = text(self.reading);
        review::script::review(self.reading, &self.called, &Lines::new(&text), &job.rules)
    }

    fn report(mut self) -> Report {
        let text = text(self.reading);
        let lines = Lines::new(&text);
        self.mistakes.sort_by_key(|(_, one)| (one.range.start(), one.range.end(), one.code));
        self.mistakes
            .dedup_by(|(_, one), (_, other)| one.range == other.range && one.code == other.code);
        let mut findings: Vec<Finding> = Vec::new();
        for (severity, mistake) in self.mistakes {
            findings.push(lines.finding(severity, mistake));
        }
        // Those that block are told first where not all can be.
        findings.sort_by_key(|finding| finding.severity);
        let rest = findings.split_off(findings.len().min(MOST_FINDINGS));
        findings.sort_by_key(|finding| (finding.line, finding.column));
        let blocking = rest.iter().filter(|one| one.severity == Severity::Blocks).count();
        let usage = findings.iter().any(|one| one.severity == Severity::Blocks);
        let usage = usage.then(|| usage_of(&self.called)).flatten();
        Report { findings, more: rest.len(), more_blocking: blocking, usage, ..Report::default() }
    }

    /// Imports of servers and tools.
    fn imports(&mut self) {
        let reading = self.reading;
        for import in &reading.imports {
            let specifier = &import.specifier;
            let whole = specifier.range;
            match Place::of(&specifier.name) {
                Place::All => {
                    for name in &import.names {
                        self.server(&name.name, name.range);
                    }
                }
                Place::Server(server) if self.server(server, whole) => {
                    let names = import.names.iter().filter(|one| one.name != "default");
                    for name in names {
                        self.tool(server, &name.name, name.range, true);
                    }
                }
                Place::Tool(server, tool) if self.server(server, whole) => {
                    self.tool(server, tool, whole, true);
                }
                _ => {}
            }
        }
    }

    /// Whether a server is there whose tools are known; says so if there is none.
    fn server(&mut self, name: &str, at: Range) -> bool {
        if self.servers.could_be_opaque(name) {
            return false;
        }
        // No tool has this name, so that only a server that is not there gives this error.
        match self.servers.catalog.resolve(Some(name), "") {
            Err(error @ ResolveError::UnknownServer { .. }) => {
                if !self.servers.partial {
                    self.unresolved(&error, at, true);
                }
                false
            }
            Err(ResolveError::AmbiguousServer { .. }) => false,
            _ => true,
        }
    }

    /// The tool of a server, by any of its names; says so if there is none.
    fn tool(
        &mut self,
        server: &str,
        name: &str,
        at: Range,
        is_certain: bool,
    ) -> Option<&'c CatalogTool> {
        let catalog = self.servers.catalog;
        match catalog.resolve(Some(server), name) {
            Ok(tool) => Some(tool),
            Err(error @ (ResolveError::UnknownTool { .. } | ResolveError::Withheld(_))) => {
                self.unresolved(&error, at, is_certain);
                None
            }
            Err(_) => None,
        }
    }

    fn unresolved(&mut self, error: &ResolveError, at: Range, is_certain: bool) {
        let Unresolved { code, message, nearest, valid } = unresolved(error);
        let catalog = self.servers.catalog;
        let meant = nearest.as_deref().filter(|_| code == Code::UnknownTool);
        let server = match error {
            ResolveError::UnknownTool { server, .. } => Some(server.0.as_str()),
            _ => None,
        };
        let meant = meant.and_then(|near| catalog.resolve(server, near).ok());
        let usage = meant.map(bindings::typescript_signature);
        self.note(
            is_certain,
            Mistake {
                range: range(at),
                code,
                weight: Weight::Call,
                message,
                valid,
                nearest,
                usage,
                raises: raises::UNKNOWN_TOOL,
            },
        );
    }

    fn note(&mut self, is_certain: bool, mistake: Mistake) {
        let severity = if is_certain { Severity::Blocks } else { Severity::Advice };
        self.mistakes.push((severity, mistake));
    }

    /// What a call is of; says what is wrong with it.
    fn call(&mut self, call: &Call) -> Called<'c> {
        match &call.target {
            Target::ByName => self.by_name(call),
            Target::Member { specifier, path } if specifier == OURS => match &path[..] {
                [only] => minds::in_typescript(&only.name).map_or(Called::Nothing, Called::Own),
                _ => Called::Nothing,
            },
            Target::Member { specifier, path } => {
                let (server, name) = match (Place::of(specifier), &path[..]) {
                    (Place::All, [server, tool]) => (server.name.as_str(), tool),
                    (Place::Server(server), [tool]) => (server, tool),
                    (Place::Server(server), [whole, tool]) if whole.name == "default" => {
                        (server, tool)
                    }
                    (Place::Tool(server, tool), [name]) => {
                        let known = self.servers.catalog.resolve(Some(server), tool).ok();
                        return self.bound(call, known, &name.name);
                    }
                    _ => return Called::Nothing,
                };
                if self.servers.could_be_opaque(server) {
                    return Called::Unlisted;
                }
                // One that is imported by this name was told of where it is imported.
                let is_imported = path.len() == 1 && self.imports_name(specifier, &name.name);
                let known = if is_imported {
                    self.servers.catalog.resolve(Some(server), &name.name).ok()
                } else {
                    self.tool(server, &name.name, name.range, call.is_certain)
                };
                self.bound(call, known, &name.name)
            }
        }
    }

    fn imports_name(&self, specifier: &str, name: &str) -> bool {
        let mut imports = self.reading.imports.iter();
        imports.any(|one| {
            one.specifier.name == specifier && one.names.iter().any(|named| named.name == name)
        })
    }

    fn bound(&mut self, call: &Call, tool: Option<&'c CatalogTool>, name: &str) -> Called<'c> {
        let Some(tool) = tool else { return Called::Nothing };
        if let Some(arguments) = &call.arguments {
            self.arguments(call, (tool, name), arguments.first());
        }
        Called::Tool(tool)
    }

    /// `callMCPTool("github", "create_issue", {...})`, `callMCPTool("create_issue", {...})`
    fn by_name(&mut self, call: &Call) -> Called<'c> {
        let Some(arguments) = &call.arguments else { return Called::Any };
        let text = |at: usize| match arguments.get(at).map(|part: &Part| (&part.value, part.range))
        {
            Some((Written::Text(text), at)) => Some((text.as_str(), at)),
            _ => None,
        };
        let Some((first, first_at)) = text(0) else { return Called::Any };
        let (server, (tool, at), given) = match (text(1), arguments.get(1)) {
            (Some(tool), _) => (Some(first), tool, arguments.get(2)),
            // It may well be a text.
            (None, Some(Part { value: Written::Unknown, .. })) => return Called::Any,
            (None, given) => (None, (first, first_at), given),
        };
        if self.servers.partial || self.servers.may_be_unlisted(server, tool) {
            let known = self.servers.catalog.resolve(server, tool).ok();
            return known.map_or(Called::Unlisted, Called::Tool);
        }
        match self.servers.catalog.resolve(server, tool) {
            Ok(found) => {
                self.arguments(call, (found, tool), given);
                Called::Tool(found)
            }
            Err(error) => {
                let is_server = matches!(error, ResolveError::UnknownServer { .. });
                let at = if is_server { first_at } else { at };
                self.unresolved(&error, at, call.is_certain);
                Called::Nothing
            }
        }
    }

    /// What the gateway would say of a call's arguments.
    fn arguments(
        &mut self,
        call: &Call,
        (tool, name): (&'c CatalogTool, &str),
        given: Option<&Part>,
    ) {
        let parameters = bindings::python_parameters(tool).parameters;
        let valid: Vec<String> = parameters
            .iter()
            .map(|one| {
                let mark = if one.required { " (required)" } else { "" };
                format!("{}: {}{mark}", one.key, catalog::shape_in_words(&one.shape))
            })
            .collect();
        let mistake = |at: Range, code: Code, message: String, near: Option<String>| Mistake {
            range: range(at),
            code,
            weight: Weight::Call,
            message,
            valid: valid.clone(),
            nearest: near,
            usage: None,
            raises: raises::ARGUMENT,
        };
        let given = match Given::of(given) {
            Ok(given) => given,
            Err((kind, at)) => {
                let message = format!(
                    "{name}() takes one object with its arguments by name, not {kind}: {name}({{ … }})"
                );
                self.note(call.is_certain, mistake(at, Code::WrongType, message, None));
                return;
            }
        };
        let Err(wrong) = tool.check(&given.value) else { return };
        let mut found: Vec<Mistake> = Vec::new();
        for problem in wrong.problems() {
            let code = code_of(&problem.message);
            if given.is_open(&problem.path, code) {
                continue;
            }
            let (message, near) = without_question(&problem.message);
            let near = near.or_else(|| match code {
                Code::UnknownArgument => {
                    let names = parameters.iter().map(|one| one.key.as_str());
                    nearest(problem.path.rsplit('.').next()?, names).map(str::to_owned)
                }
                _ => None,
            });
            let at = given.place(&problem.path, code).unwrap_or(call.range);
            found.push(mistake(at, code, format!("{name}(): {message}"), near));
        }
        for one in found {
            self.note(call.is_certain, one);
        }
    }

    /// Fields of results that their servers do not declare.
    fn fields(&mut self) {
        let reading = self.reading;
        for read in &reading.reads {
            let Some(&Called::Tool(tool)) = self.called.get(read.call) else { continue };
            if let Some((is_certain, mistake)) = fields::wrong(tool, read) {
                self.note(is_certain, mistake);
            }
        }
        for read in &reading.unawaited {
            let Some(&Called::Tool(tool)) = self.called.get(read.call) else { continue };
            let whole = reading.calls[read.call].whole;
            let written = reading.text.get(whole.start as usize..whole.end as usize);
            self.note(read.is_certain, fields::unawaited(tool, read, written));
        }
    }
}

/// The text as whoever shows places wants it.
fn text(reading: &Reading) -> Text {
    let lines = reading.text.split('\n').map(str::to_owned).collect();
    Text { code: reading.text.clone(), margin: 0, lines }
}

/// How the tools are called that a program calls.
fn usage_of(called: &[Called<'_>]) -> Option<String> {
    let mut shown = String::new();
    let mut seen = Vec::new();
    for called in called {
        let Called::Tool(tool) = called else { continue };
        let key = (tool.server(), tool.name());
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let signature = bindings::typescript_signature(tool);
        if shown.len() + signature.len() < LONGEST_USAGE {
            shown.push_str(signature.trim_end());
            shown.push('\n');
        }
    }
    (!shown.is_empty()).then_some(shown)
}
