//! `tidegate check`: what is wrong with a program, without running it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use check::{Finding, Report, Severity};
use clap::Args;
use engine::Program;
use gateway::{Checks, Earlier};
use serde_json::{Value, json};

use super::run::read_program;
use crate::config::Config;
use crate::exit::Ending;
use crate::interrupt::unless_interrupted;
use crate::out::{self, BAD, DIM, GOOD, HINT, TITLE};
use crate::show;
use crate::written::LanguageOption;

/// Options of `tidegate check`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The program: a file, or `-` for standard input.
    file: PathBuf,
    #[command(flatten)]
    written: LanguageOption,
    /// Print one JSON object instead of text for people.
    #[arg(long)]
    json: bool,
    /// Use the servers of this `mcpServers` file too, without importing them.
    #[arg(long, value_name = "FILE")]
    mcp_config: Vec<PathBuf>,
    /// Variables that the program is given.
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// The program continues a session, which may have defined any name.
    #[arg(long)]
    session: bool,
}

/// Runs `tidegate check`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let source = read_program(&arguments.file)?;
    let language = arguments.written.of_file(Some(&arguments.file));
    let tools = crate::tools::open(config, &arguments.mcp_config).await?;
    let earlier = if arguments.session { Earlier::Something } else { Earlier::Nothing };
    let program =
        arguments.name.iter().fold(Program::new(source).in_language(language), |program, name| {
            program.with(name, Value::Null)
        });
    let checks = Checks::with(config.compiler()?);
    let limits = engine::Limits::default();
    let work = checks.examine(tools.as_ref(), &program, earlier, &limits);
    let examined = unless_interrupted(work).await?;
    if let Some(tools) = &tools {
        tools.upstreams().close().await;
    }
    let Some((report, _)) = examined else { return Ok(Ending::Interrupted) };
    if arguments.json { print_json(&report) } else { print(&report, &arguments.file) }
        .context(show::LOST)?;
    Ok(if report.blocks() { Ending::Raised } else { Ending::Success })
}

/// One object for editors: the findings, and why there are none if that is not because all is well.
fn print_json(report: &Report) -> std::io::Result<()> {
    out::line(json!({
        "blocked": report.blocks(),
        "findings": report.findings,
        "more": report.more,
        "unchecked": report.unchecked.map(|why| why.to_string()),
    }))
}

/// As compilers do it, on standard output: it is what was asked for.
fn print(report: &Report, file: &Path) -> std::io::Result<()> {
    for finding in &report.findings {
        out::line(in_colour(finding, file))?;
    }
    if let Some(why) = report.unchecked {
        return out::line(format_args!("{HINT}not checked:{HINT:#} {why}; it may run"));
    }
    if report.more > 0 {
        out::line(format_args!("{HINT}and {} more{HINT:#}, not shown\n", report.more))?;
    }
    let shown = report.blocking().count();
    let blocking = shown + report.more_blocking;
    let advice = report.findings.len() - shown + report.more - report.more_blocking;
    match (blocking, advice) {
        (0, 0) => out::line(format_args!("{GOOD}nothing found{GOOD:#}")),
        (0, _) => out::line(format_args!("{GOOD}nothing blocks{GOOD:#}; advice: {advice}")),
        _ => out::line(format_args!("{BAD}blocked{BAD:#}: {blocking}; advice: {advice}")),
    }
}

fn in_colour(finding: &Finding, file: &Path) -> String {
    let (style, word) = match finding.severity {
        Severity::Blocks => (BAD, "error"),
        Severity::Advice => (HINT, "advice"),
    };
    let (source, caret) = finding.pointed();
    let number = finding.line.to_string();
    let margin = " ".repeat(number.len());
    let message = out::clean(&finding.message);
    let mut said = format!(
        "{style}{word}[{}]{style:#}{TITLE}: {message}{TITLE:#}\n{margin}{DIM}-->{DIM:#} {}:{}:{}",
        finding.code,
        file.display(),
        finding.line,
        finding.column,
    );
    if !source.is_empty() {
        let source = out::clean(&source);
        let _ = write!(
            said,
            "\n{DIM}{number} |{DIM:#} {source}\n{margin} {DIM}|{DIM:#} {style}{caret}{style:#}"
        );
    }
    if let Some(nearest) = &finding.nearest {
        let _ = write!(
            said,
            "\n{margin} {DIM}={DIM:#} did you mean {GOOD}{}{GOOD:#}?",
            out::clean(nearest)
        );
    }
    if let Some(valid) = finding.listed() {
        let _ = write!(said, "\n{margin} {DIM}={DIM:#} valid: {}", out::clean(&valid));
    }
    said.push('\n');
    said
}
