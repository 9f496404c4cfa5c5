//! Programs, checked before they run.

use std::sync::Arc;

use catalog::Catalog;
use catalog::names::{self, Kind};
use check::{Checker, Code, Finding, Given, Left, Report, Review, Rules, Unchecked};
use engine::{Language, Limits, Outcome, Program, ProgramError};

use crate::compiler::Compiler;
use crate::finding::{Detail, Search};
use crate::missing;
use crate::tools::{Offer, Tools};

/// Words of a program that tools are searched by,
const MOST_WORDS: usize = 12;
/// and the most bytes that are said about what was found.
const MOST_SUGGESTED: usize = 3_000;

/// The class of the error that a blocked program ends with.
const KIND: &str = "CheckError";
/// What is right in a place, as far as a hint lists it.
const MOST_VALID: usize = 15;
/// How it begins that no server has a tool; see [`catalog::ResolveError::NoSuchTool`].
const NOWHERE: &[&str] = &["none of the ", "the only server that is known ", "no server is known "];
/// Other findings that are told after a failure.
const MOST_OTHERS: usize = 5;
/// Exceptions that are likely to be about what a tool takes or returns.
const ABOUT_RESULTS: &[&str] = &[
    "KeyError",
    "TypeError",
    "AttributeError",
    "IndexError",
    "ValueError",
    "JSONDecodeError",
    "ToolError",
    "ArgumentError",
    "UnknownTool",
    "ServerError",
];

/// What is known of the names that a program finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Earlier {
    /// Nothing ran before it, so it finds what it is given.
    Nothing,
    /// Earlier programs left this.
    Left(Left),
    /// Earlier programs, or the image it starts from, may have defined any.
    Something,
}

impl Earlier {
    /// What is known after a program that was checked ran, or may have run in part.
    #[must_use]
    pub fn after(report: &Report) -> Self {
        if report.left.is_known() { Self::Left(report.left.clone()) } else { Self::Something }
    }

    /// A program with what it relies on that earlier ones imported.
    fn around(&self, source: &str) -> String {
        match self {
            Self::Left(left) => format!("{}{source}", left.imports_for(source)),
            Self::Nothing | Self::Something => source.to_owned(),
        }
    }
}

/// A checker that all runs share.
pub struct Checks {
    checker: Checker,
    /// Who is asked about programs in TypeScript as well.
    compiler: Option<Compiler>,
}

impl Checks {
    /// A checker that has read nothing yet.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Self::with(None)
    }

    /// The same with a compiler of the user's own for programs in TypeScript.
    #[must_use]
    pub fn with(compiler: Option<Compiler>) -> Arc<Self> {
        Arc::new(Self { checker: Checker::new(Arc::default()), compiler })
    }

    /// What is wrong with a program, and what it is offered. Before anybody is told that there is
    /// no such tool, or that it takes or returns something else, the servers are asked: what is
    /// remembered of them may be old.
    pub async fn examine(
        self: &Arc<Self>,
        tools: Option<&Arc<Tools>>,
        program: &Program,
        earlier: Earlier,
        limits: &Limits,
    ) -> (Report, Option<Arc<Offer>>) {
        let whole = earlier.around(&program.source);
        let earlier = (&earlier, &rules(tools, limits));
        let Some(tools) = tools else {
            let known = Circumstances::default();
            let mut report = self.report(program, earlier, &known).await;
            self.compile(&mut report, program, earlier.0, &known).await;
            return (report, None);
        };
        let mut offer = tools.offer(&whole).await;
        let mut known = Circumstances::of(tools, &offer);
        let mut report = self.report(program, earlier, &known).await;
        let undefined = |code| code == Code::UndefinedName;
        if known.lacks_some() && report.blocking().any(|finding| undefined(finding.code)) {
            // It may be a tool that the program forgot to import, of a server that it does not name.
            offer = tools.offer_all().await;
            known = Circumstances::of(tools, &offer);
            report = self.report(program, earlier, &known).await;
        }
        if report.blocking().any(|finding| rests_on_a_definition(finding.code))
            && let Some(asked) = tools.offer_after_asking(&whole).await
        {
            offer = asked;
            report = self.report(program, earlier, &Circumstances::of(tools, &offer)).await;
        }
        let unknown =
            |code| matches!(code, Code::UnknownTool | Code::UnknownServer | Code::WithheldTool);
        if report.blocking().any(|finding| unknown(finding.code)) {
            offer = tools.offer_anew(&whole).await;
            report = self.report(program, earlier, &Circumstances::of(tools, &offer)).await;
            tell_of_missing(&mut report, tools);
        }
        let known = Circumstances::of(tools, &offer);
        if self.compile(&mut report, program, earlier.0, &known).await
            && let Some(asked) = tools.offer_after_asking(&whole).await
        {
            offer = asked;
            let known = Circumstances::of(tools, &offer);
            report = self.report(program, earlier, &known).await;
            self.compile(&mut report, program, earlier.0, &known).await;
        }
        if let Some(query) = wanted_instead(&report, &program.source) {
            tools.know_all().await;
            report.suggested = suggested(tools, &query, program.language);
        }
        (report, Some(offer))
    }

    /// What a program could do, and what it is offered; its mistakes are not looked for.
    pub async fn review(
        self: &Arc<Self>,
        tools: Option<&Arc<Tools>>,
        program: &Program,
        limits: &Limits,
    ) -> (Review, Option<Arc<Offer>>) {
        let rules = rules(tools, limits);
        let (known, offer) = match tools {
            Some(tools) => {
                let offer = tools.offer(&program.source).await;
                (Circumstances::of(tools, &offer), Some(offer))
            }
            None => (Circumstances::default(), None),
        };
        let (checks, source) = (Arc::clone(self), program.source.clone());
        let is_typescript = program.language == Language::TypeScript;
        let review = move || {
            let Circumstances { catalog, unlisted, partial } = known;
            let (source, unlisted, rules) = (source.as_str(), &unlisted[..], Some(&rules));
            let program = check::Program {
                source,
                unlisted,
                partial,
                rules,
                is_typescript,
                ..Default::default()
            };
            checks.checker.review_against(catalog, &program)
        };
        let review = tokio::task::spawn_blocking(review).await;
        (review.unwrap_or_else(|_| Review::unreviewed(Unchecked::Failed)), offer)
    }

    /// Asks the compiler as well, where there is one for the program. True if what keeps the program from running
    /// is only known from it, and rests on a definition.
    async fn compile(
        self: &Arc<Self>,
        report: &mut Report,
        program: &Program,
        earlier: &Earlier,
        circumstances: &Circumstances,
    ) -> bool {
        let is_read = report.findings.iter().all(|finding| finding.code != Code::Syntax);
        let Some(compiler) = &self.compiler else { return false };
        if program.language != Language::TypeScript || report.unchecked.is_some() || !is_read {
            return false;
        }
        let rests = |report: &Report| report.blocking().any(|one| rests_on_a_definition(one.code));
        let rested = rests(report);
        let asked = Arc::new(Asked::of(program, earlier, circumstances));
        let its = Arc::clone(&asked);
        let Some(project) = aside(move || its.with(check::compiled::project)).await.flatten()
        else {
            return false;
        };
        let Some(said) = compiler.compile(project).await else {
            report.unchecked = Some(Unchecked::Compiler);
            return false;
        };
        let mut own = report.clone();
        let judged = aside(move || {
            asked
                .with(|catalog, program| check::compiled::judge(&mut own, catalog, program, &said));
            own
        });
        match judged.await {
            Some(judged) => *report = judged,
            None => report.unchecked = Some(Unchecked::Compiler),
        }
        !rested && rests(report)
    }

    async fn report(
        self: &Arc<Self>,
        program: &Program,
        (earlier, rules): (&Earlier, &Rules),
        circumstances: &Circumstances,
    ) -> Report {
        let (checks, rules) = (Arc::clone(self), rules.clone());
        let source = program.source.clone();
        let is_typescript = program.language == Language::TypeScript;
        let given: Vec<String> = program.context.keys().cloned().collect();
        let Circumstances { catalog, unlisted, partial } = circumstances.clone();
        let earlier = earlier.clone();
        let check = move || {
            let names = match &earlier {
                Earlier::Nothing => Given::Names(&given),
                Earlier::Left(left) => Given::After(&given, left),
                Earlier::Something => Given::Unknown,
            };
            let program = check::Program {
                source: &source,
                names,
                unlisted: &unlisted,
                partial,
                rules: Some(&rules),
                is_typescript,
            };
            checks.checker.check_against(catalog, &program)
        };
        // A check that panics is no reason to keep a program from running, unless it is not to run unseen.
        tokio::task::spawn_blocking(check).await.unwrap_or_else(|_| Report {
            unchecked: Some(Unchecked::Failed),
            review: Review::unreviewed(Unchecked::Failed),
            ..Report::default()
        })
    }
}

/// The stack that a program is read on. Only what is touched is ever there.
const STACK_BYTES: usize = 64 << 20;

/// Does something with a program that needs a deep stack; `None` if it goes wrong.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (tell, told) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("compiled".to_owned()).stack_size(STACK_BYTES);
    // Nobody may wait any more.
    thread.spawn(move || drop(tell.send(work()))).ok()?;
    told.await.ok()
}

/// What a compiler is asked about.
struct Asked {
    source: String,
    given: Vec<String>,
    earlier: Earlier,
    known: Circumstances,
}

impl Asked {
    fn of(program: &Program, earlier: &Earlier, known: &Circumstances) -> Self {
        Self {
            source: program.source.clone(),
            given: program.context.keys().cloned().collect(),
            earlier: earlier.clone(),
            known: known.clone(),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&Catalog, &check::Program<'_>) -> T) -> T {
        let program = check::Program {
            source: &self.source,
            names: match &self.earlier {
                Earlier::Nothing => Given::Names(&self.given),
                Earlier::Left(left) => Given::After(&self.given, left),
                Earlier::Something => Given::Unknown,
            },
            unlisted: &self.known.unlisted,
            partial: self.known.partial,
            is_typescript: true,
            ..check::Program::default()
        };
        work(&self.known.catalog, &program)
    }
}

/// Whether a finding is about what a tool takes or returns.
fn rests_on_a_definition(code: Code) -> bool {
    matches!(
        code,
        Code::MissingArgument
            | Code::UnknownArgument
            | Code::WrongType
            | Code::WrongValue
            | Code::UnknownField
    )
}

/// Says beside a tool that no server is known to have which servers have not said what they have.
fn tell_of_missing(report: &mut Report, tools: &Tools) {
    let words = missing::in_words(&tools.missing());
    let is_nowhere = |message: &str| NOWHERE.iter().any(|start| message.starts_with(start));
    let unknown = report.findings.iter_mut().filter(|finding| finding.code == Code::UnknownTool);
    for finding in unknown.filter(|finding| is_nowhere(&finding.message)) {
        finding.message.push_str(&words);
    }
}

/// What a review holds against a program that may use this.
fn rules(tools: Option<&Arc<Tools>>, limits: &Limits) -> Rules {
    Rules {
        imports: limits.imports.clone(),
        trusted: tools.map(|tools| tools.trusted()).unwrap_or_default(),
        said: tools.map(|tools| tools.overruled()).unwrap_or_default(),
        calls: Some(limits.calls),
    }
}

/// What a program can call, as far as it is known.
#[derive(Debug, Clone, Default)]
struct Circumstances {
    catalog: Arc<Catalog>,
    unlisted: Vec<String>,
    partial: bool,
}

/// What to search tools for where a program wanted to do without them what only they can do.
fn wanted_instead(report: &Report, source: &str) -> Option<Wanted> {
    report.blocking().find_map(|finding| match finding.code {
        Code::UnknownModule if finding.message.contains("no network") => Some(Wanted::said(source)),
        Code::UnknownModule if finding.message.contains("needs none") => {
            Some(Wanted::quoted(source))
        }
        // A variable that a program takes for granted may be what a tool has.
        Code::UndefinedName if finding.nearest.is_none() && finding.valid.is_empty() => {
            let name = finding.message.split('\'').nth(1)?;
            Some(Wanted { words: vec![name.to_owned()], named: true })
        }
        _ => None,
    })
}

/// Words that tools are searched by.
struct Wanted {
    words: Vec<String>,
    /// Only tools that are named like one of them are meant.
    named: bool,
}

impl Wanted {
    /// The words of a program's comments and addresses.
    fn said(source: &str) -> Self {
        let is_said = |line: &&str| line.contains('#') || line.contains("://");
        let said = source.lines().filter(is_said).map(|line| {
            let from = line.find('#').or_else(|| line.find("://")).unwrap_or_default();
            &line[from..]
        });
        Self { words: words(said), named: false }
    }

    /// The words of a program's texts.
    fn quoted(source: &str) -> Self {
        Self { words: words(source.split(['"', '\'']).skip(1).step_by(2)), named: true }
    }

    fn fits(&self, tool: &str) -> bool {
        let tool = tool.to_lowercase();
        let is_in = |word: &String| {
            let word = word.to_lowercase();
            let one = word.strip_suffix('s').unwrap_or(&word);
            one.len() > 2 && tool.contains(one)
        };
        !self.named || self.words.iter().any(is_in)
    }
}

/// The first words of texts that say something.
fn words<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let usual = [
        "https", "http", "www", "com", "org", "net", "api", "get", "json", "the", "from", "purpose",
    ];
    texts
        .flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
        .filter(|word| word.len() > 2 && !usual.contains(&word.to_lowercase().as_str()))
        .take(MOST_WORDS)
        .map(str::to_owned)
        .collect()
}

/// Tools that may do what was wanted.
fn suggested(tools: &Tools, wanted: &Wanted, language: Language) -> Option<String> {
    if wanted.words.is_empty() {
        return None;
    }
    let query = wanted.words.join(" ");
    let asked = Search { query, detail_level: Detail::Full, server: None, limit: 2, language };
    let found = tools.find(&asked).ok()?;
    let shown = found.tools.iter().filter(|tool| wanted.fits(&tool.name)).map(|tool| {
        let signature = tool.signature.as_deref().unwrap_or_default();
        format!("{}\n{}", tool.import(language), signature.trim_end())
    });
    let shown = shown.collect::<Vec<_>>().join("\n");
    (!shown.is_empty() && shown.len() <= MOST_SUGGESTED).then_some(shown)
}

impl Circumstances {
    /// There are servers whose tools the program was not checked against.
    fn lacks_some(&self) -> bool {
        self.partial || !self.unlisted.is_empty()
    }

    fn of(tools: &Tools, offer: &Offer) -> Self {
        // A program that names no server was offered none, though there are some.
        let Some(catalog) = offer.catalog() else {
            return Self { partial: true, ..Self::default() };
        };
        let names = tools.names();
        let configured: Vec<&str> = names.iter().map(|name| name.0.as_str()).collect();
        let python = names::python(Kind::Server, &configured);
        let listed = |name: &str| catalog.servers().any(|server| server.name().0 == name);
        let unlisted = configured
            .iter()
            .zip(python)
            .filter(|(name, _)| !listed(name))
            .map(|(_, python)| python);
        Self { unlisted: unlisted.collect(), catalog: Arc::clone(catalog), partial: false }
    }
}

/// Adds what the check had to say about the line where a program failed, if nobody knows better.
pub fn advise(outcome: &mut Outcome, report: &Report) {
    let Some(error) = outcome.error.as_mut().filter(|error| error.limit.is_none()) else { return };
    let mut words: Vec<String> = error.hint.take().into_iter().collect();
    let is_here = |finding: &&Finding| Some(finding.line) == error.line;
    if words.is_empty()
        && let Some(finding) = report.findings.iter().find(is_here)
    {
        words.push(told(finding));
    }
    // Whoever got one name wrong may have got others wrong, too.
    if ABOUT_RESULTS.contains(&error.kind.as_str()) {
        let others = report.findings.iter().filter(|finding| !is_here(finding));
        let others = others.filter(|finding| finding.code == Code::UnknownField).take(MOST_OTHERS);
        words.extend(others.map(|finding| format!("line {}: {}", finding.line, told(finding))));
        if let Some(usage) = &report.usage {
            let lines = usage.lines().filter(|line| !line.trim().is_empty());
            let lines: Vec<String> = lines.map(|line| format!("    {line}")).collect();
            if !lines.is_empty() {
                // Where nothing else is said, the heading would run into the word `hint`.
                let heading = if words.is_empty() {
                    "this is what the tools take and return"
                } else {
                    "the tools it names"
                };
                words.push(format!("{heading}:\n{}", lines.join("\n")));
            }
        }
    }
    error.hint = (!words.is_empty()).then(|| words.join("\n"));
}

/// A finding in one line.
fn told(finding: &Finding) -> String {
    let meant = finding.nearest.as_ref().map(|name| format!("; did you mean {name}?"));
    let valid = finding.valid.iter().take(MOST_VALID).map(String::as_str).collect::<Vec<_>>();
    let valid =
        if valid.is_empty() { String::new() } else { format!("; it has: {}", valid.join(", ")) };
    format!("{}{}{valid}", finding.message, meant.unwrap_or_default())
}

/// How a program ended that may not run; `None` if it may.
#[must_use]
pub fn refusal(report: &Report) -> Option<Outcome> {
    let first = report.blocking().next()?;
    let meant = first.nearest.as_ref().map(|name| format!("did you mean {name}? "));
    Some(Outcome::failed(ProgramError {
        kind: KIND.to_owned(),
        message: report.for_model(),
        line: Some(first.line),
        column: Some(first.column),
        source_line: Some(first.source.clone()),
        hint: Some(format!(
            "{}mend the program and run it again; nothing of it has happened",
            meant.unwrap_or_default()
        )),
        ..ProgramError::default()
    }))
}
