//! `tidegate review`: what a program could do, without running it.

use std::path::PathBuf;

use anyhow::Context as _;
use check::review::{Review, Risk, Verdict};
use clap::Args;
use engine::{Level, Program};
use gateway::Checks;
use serde_json::json;

use super::run::read_program;
use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::interrupt::unless_interrupted;
use crate::out::{self, BAD, DIM, GOOD, HINT, TITLE};
use crate::show;
use crate::written::LanguageOption;

/// Options of `tidegate review`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The program: a file, or `-` for standard input.
    #[arg(conflicts_with = "code", required_unless_present = "code")]
    file: Option<PathBuf>,
    /// The program itself.
    #[arg(short, long, allow_hyphen_values = true)]
    code: Option<String>,
    /// The level it is held against.
    #[arg(long, value_enum, default_value_t = crate::limits::LevelName::Production)]
    level: crate::limits::LevelName,
    #[command(flatten)]
    written: LanguageOption,
    /// Print one JSON object instead of text for people.
    #[arg(long)]
    json: bool,
    /// Use the servers of this `mcpServers` file too, without importing them.
    #[arg(long, value_name = "FILE")]
    mcp_config: Vec<PathBuf>,
}

/// Runs `tidegate review`. Exit code 1 says that the program would not simply run.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let source = match (&arguments.code, &arguments.file) {
        (Some(code), _) => code.clone(),
        (None, Some(file)) => read_program(file)?,
        (None, None) => {
            return Err(Misuse::error("there is no program; give a FILE, -c CODE or -"));
        }
    };
    let level = Level::from(arguments.level);
    let reviewing = config.reviewing()?;
    let limits = config.limits_of(level)?;
    let tools = crate::tools::open(config, &arguments.mcp_config).await?;
    let language = arguments.written.of_file(arguments.file.as_deref());
    let program = Program::new(source).in_language(language);
    let checks = Checks::new();
    let work = checks.review(tools.as_ref(), &program, &limits);
    let reviewed = unless_interrupted(work).await?;
    if let Some(tools) = &tools {
        tools.upstreams().close().await;
    }
    let Some((review, _)) = reviewed else { return Ok(Ending::Interrupted) };
    let verdict = reviewing.verdict(&review, level);
    if arguments.json {
        print_json(&review, &verdict, level)
    } else {
        print(&review, &verdict, level)
    }
    .context(show::LOST)?;
    Ok(if verdict == Verdict::Allow { Ending::Success } else { Ending::Raised })
}

/// The same object as `POST /api/v1/validate`.
fn print_json(review: &Review, verdict: &Verdict, level: Level) -> std::io::Result<()> {
    out::line(json!({
        "is_safe": review.is_safe,
        "risk": review.risk,
        "level": level.name(),
        "verdict": verdict.action(),
        "reason": verdict.decided().map(ToString::to_string),
        "violations": review.violations,
        "more": review.more,
        "tools": review.tools,
        "estimates": review.estimates,
    }))
}

fn print(review: &Review, verdict: &Verdict, level: Level) -> std::io::Result<()> {
    for one in &review.violations {
        let style = match one.severity {
            Risk::High => BAD,
            Risk::Medium => HINT,
            Risk::Low => DIM,
        };
        out::line(format_args!(
            "{style}{}[{}]{style:#} {DIM}{}:{}{DIM:#} {}\n    {}",
            one.severity,
            one.rule,
            one.line,
            one.column,
            out::clean(&one.message),
            out::clean(one.source.trim_end()),
        ))?;
    }
    if review.more > 0 {
        out::line(format_args!("and {} more", review.more))?;
    }
    if !review.tools.is_empty() {
        out::line(format_args!("{TITLE}tools{TITLE:#}"))?;
    }
    for one in &review.tools {
        let trust = if one.trusted { "" } else { ", not trusted" };
        let how_often = often(one.calls, one.unbounded);
        let (server, tool) = (out::clean(&one.server), out::clean(&one.tool));
        let risk = one.risk.name();
        out::line(format_args!("    {server}.{tool}: {risk}{trust}, {how_often}"))?;
    }
    let estimates = &review.estimates;
    out::line(format_args!(
        "{} lines, {} loops, {}",
        estimates.lines,
        estimates.loops,
        often(estimates.calls, estimates.unbounded)
    ))?;
    let style = if review.is_safe { GOOD } else { BAD };
    out::line(format_args!("risk: {style}{}{style:#}", review.risk))?;
    let level = level.name();
    match verdict {
        Verdict::Allow => out::line(format_args!("it may run at {level}")),
        Verdict::Ask(why) => out::line(format_args!(
            "{HINT}needs an approval{HINT:#} at {level}: {}",
            out::clean(&why.to_string())
        )),
        Verdict::Deny(why) => out::line(format_args!(
            "{BAD}denied{BAD:#} at {level}: {}",
            out::clean(&why.to_string())
        )),
    }
}

fn often(calls: u64, unbounded: bool) -> String {
    let calls = match calls {
        1 => "1 call".to_owned(),
        calls => format!("{calls} calls"),
    };
    if unbounded { format!("{calls}, unbounded in a loop") } else { calls }
}
