//! A program in TypeScript for a compiler of the user's own, and what of its complaints counts.
//!
//! ```text
//! program, catalog ──► Project (files) ──► tsc ──► lines of text ──► findings
//! ```
//!
//! Who runs the compiler writes the files; nothing here does. The program is compiled without `strict`, against
//! the very bindings that it imports, and reads no other file: what a compiler says of other files could tell
//! the program something of the machine.
//!
//! What a compiler says is text from a process that read a hostile program. Only lines about the program itself
//! count, as far as they are understood.

mod judged;
mod said;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use catalog::{Catalog, CatalogServer, ResolveError};
use serde_json::json;
use typescript::{Reading, Target};

use super::{CLIENT, Checked, MOST_FINDINGS, Place, text, usage_of};
use crate::checker::{Given, Job, Known, Program};
use crate::finding::{Finding, Report, Severity, Unchecked};
use crate::place::Lines;
use crate::review::Rules;

/// How the program's own file is called.
pub(super) const PROGRAM: &str = "program.ts";

/// What programs find without importing it.
const GLOBALS: &str = include_str!("compiled/globals.d.ts");

/// The most bytes of files that a compiler is given.
const MOST_BYTES: usize = 32 << 20;

/// Files for a compiler, by their path below a folder that has nothing else.
#[derive(Debug, Default)]
pub struct Project {
    /// The files, `tsconfig.json` among them.
    pub files: BTreeMap<String, String>,
}

/// What a compiler is given for a program; `None` where it is given nothing: the program is no TypeScript, or
/// what it imports is too much.
#[must_use]
pub fn project(catalog: &Catalog, program: &Program<'_>) -> Option<Project> {
    let reading = typescript::reading(program.source)?;
    let mut files = BTreeMap::from([
        (PROGRAM.to_owned(), reading.as_module()),
        ("globals.d.ts".to_owned(), GLOBALS.to_owned()),
        ("given.d.ts".to_owned(), given(program)),
    ]);
    let Imported { folders, all, paths } = imported(catalog, &reading);
    if !folders.is_empty() {
        let client = bindings::typescript_client();
        files.insert(format!("servers/{}", client.path), client.text.to_string());
    }
    for server in catalog.servers().filter(|one| folders.contains(one.typescript())) {
        for file in bindings::typescript_server(server) {
            if Path::new(&file.path).extension().is_some_and(|ending| ending == "ts") {
                files.insert(format!("servers/{}", file.path), file.text.to_string());
            }
        }
    }
    if all {
        files.insert("servers/index.ts".to_owned(), every(catalog));
    }
    let names: Vec<&String> = files.keys().collect();
    let settings = json!({
        "compilerOptions": {
            "noEmit": true, "strict": false, "noResolve": true, "skipLibCheck": true,
            "target": "esnext", "module": "esnext", "moduleResolution": "bundler", "moduleDetection": "force",
            "lib": ["esnext"], "types": [], "allowUnreachableCode": true, "allowUnusedLabels": true,
            "noErrorTruncation": true, "paths": paths,
        },
        "files": names,
    });
    files.insert("tsconfig.json".to_owned(), settings.to_string());
    let bytes: usize = files.values().map(String::len).sum();
    (bytes <= MOST_BYTES).then_some(Project { files })
}

/// Adds to a report what a compiler said of the project that was made of the same.
pub fn judge(report: &mut Report, catalog: &Catalog, program: &Program<'_>, output: &str) {
    let Some(reading) = typescript::reading(program.source) else { return };
    let Some(said) = said::read(output) else {
        report.unchecked.get_or_insert(Unchecked::Compiler);
        return;
    };
    let job = Job {
        source: String::new(),
        names: Known::Any,
        unlisted: program.unlisted.to_vec(),
        partial: program.partial,
        rules: Rules::default(),
        is_typescript: true,
        only_reviewed: false,
    };
    let checked = Checked::of(catalog, &job, &reading);
    let knows_names = matches!(program.names, Given::Names(_));
    let text = text(&reading);
    let lines = Lines::new(&text);
    let judged =
        judged::Judged { reading: &reading, catalog, called: &checked.called, knows_names };
    let before = report.findings.len();
    for one in &said {
        let Some((severity, mistake)) = judged.judge(one) else { continue };
        let finding = lines.finding(severity, mistake);
        if !report.findings.iter().any(|other| says_the_same(other, &finding)) {
            report.findings.push(finding);
        }
    }
    if report.findings.len() == before {
        return;
    }
    // Those that block are told first where not all can be.
    report.findings.sort_by_key(|finding| finding.severity);
    let rest = report.findings.split_off(report.findings.len().min(MOST_FINDINGS));
    report.findings.sort_by_key(|finding| (finding.line, finding.column));
    report.more += rest.len();
    report.more_blocking += rest.iter().filter(|one| one.severity == Severity::Blocks).count();
    if report.usage.is_none() && report.blocks() {
        report.usage = usage_of(&checked.called);
    }
}

/// Whether two findings are about the same place, or say the same of one line.
fn says_the_same(one: &Finding, other: &Finding) -> bool {
    let overlap = one.column < other.end_column && other.column < one.end_column;
    one.line == other.line && (one.code == other.code || overlap)
}

/// The variables that a program is given.
fn given(program: &Program<'_>) -> String {
    let names = match program.names {
        Given::Names(names) | Given::After(names, _) => names,
        Given::Unknown => &[],
    };
    let is_name = |name: &&String| {
        let plain = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
        !name.is_empty()
            && name.chars().all(plain)
            && !name.starts_with(|one: char| one.is_numeric())
    };
    let names = names.iter().filter(is_name);
    names.fold(String::new(), |text, name| text + "declare var " + name + ": any;\n")
}

/// What a program imports of servers.
#[derive(Default)]
struct Imported {
    /// The folders of servers.
    folders: BTreeSet<String>,
    /// It imports them all.
    all: bool,
    /// Where specifiers lead that are spelt in other ways than folders are.
    paths: BTreeMap<String, Vec<String>>,
}

fn imported(catalog: &Catalog, reading: &Reading) -> Imported {
    let mut found = Imported::default();
    found.paths.insert("servers/*".to_owned(), vec!["./servers/*".to_owned()]);
    let imports = reading.imports.iter().map(|import| import.specifier.name.as_str());
    let calls = reading.calls.iter().filter_map(|call| match &call.target {
        Target::Member { specifier, .. } => Some(specifier.as_str()),
        Target::ByName => None,
    });
    for specifier in imports.chain(calls).collect::<BTreeSet<_>>() {
        let (server, tool) = match Place::of(specifier) {
            Place::All => {
                found.all = true;
                found.folders.extend(catalog.servers().map(|one| one.typescript().to_owned()));
                found.paths.insert(specifier.to_owned(), vec!["./servers/index.ts".to_owned()]);
                continue;
            }
            Place::Server(server) => (server, None),
            Place::Tool(server, tool) => (server, Some(tool)),
            Place::Elsewhere => continue,
        };
        let Some(known) = server_of(catalog, server) else { continue };
        let folder = known.typescript();
        found.folders.insert(folder.to_owned());
        let file = match tool {
            None => "index".to_owned(),
            Some(tool) => match catalog.resolve(Some(server), tool) {
                Ok(tool) => tool.typescript().to_owned(),
                Err(_) => continue,
            },
        };
        if !specifier.contains('*') {
            found.paths.insert(specifier.to_owned(), vec![format!("./servers/{folder}/{file}.ts")]);
        }
    }
    found
}

/// The server that a program calls so.
fn server_of<'c>(catalog: &'c Catalog, spelt: &str) -> Option<&'c CatalogServer> {
    if spelt == CLIENT {
        return None;
    }
    // No tool has this name, so that what is wrong says which server was meant.
    match catalog.resolve(Some(spelt), "") {
        Err(ResolveError::UnknownTool { server, .. }) => catalog.server(&server),
        _ => None,
    }
}

/// `servers/index.ts`: every server under its names.
fn every(catalog: &Catalog) -> String {
    let mut taken = BTreeSet::new();
    let mut out = String::new();
    for server in catalog.servers() {
        for name in [server.typescript(), server.python()] {
            if taken.insert(name.to_owned()) {
                let folder = server.typescript();
                // Writing to a text cannot fail.
                let _ = writeln!(out, "export * as {name} from \"./{folder}/index.js\";");
            }
        }
    }
    out
}
