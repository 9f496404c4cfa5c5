//! `tidegate repl`: programs typed at a prompt, in one session.
//!
//! On a terminal there is a prompt with history; otherwise programs are read from
//! the lines of standard input, by the same rules. Ctrl-C stops what runs and leaves
//! the session as it was; Ctrl-D ends.

mod input;
mod lines;
mod script;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use engine::{Language, Outcome, Program, Start};

use self::input::Scan;
use self::lines::{Lines, Typed};
use super::run::CANCELLED;
use crate::config::Config;
use crate::exit::Ending;
use crate::gatekeeper::{self, ApproveOptions};
use crate::limits::{LimitOptions, Resolved};
use crate::opened::{Choice, Opened, Ran};
use crate::out::{self, DIM, HINT, Live};
use crate::show::{self, Texts};
use crate::store::SessionName;
use crate::written::LanguageOption;

/// What people type to leave.
const FAREWELLS: [&str; 4] = ["exit", "exit()", "quit", "quit()"];

/// Options of `tidegate repl`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Continue this session and keep it on disk after every program.
    #[arg(long, value_name = "NAME")]
    session: Option<SessionName>,
    #[command(flatten)]
    written: LanguageOption,
    /// Start from this image.
    #[arg(long, value_name = "NAME")]
    image: Option<String>,
    /// Use the servers of this `mcpServers` file too, without importing them.
    #[arg(long, value_name = "FILE")]
    mcp_config: Vec<PathBuf>,
    /// Make chance repeat.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Run without checking the program first.
    #[arg(long)]
    no_check: bool,
    /// Show the traceback of an exception too.
    #[arg(short = 'v', long)]
    traceback: bool,
    #[command(flatten)]
    approve: ApproveOptions,
    #[command(flatten)]
    limits: LimitOptions,
}

/// Runs `tidegate repl`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let resolved = arguments.limits.resolve(|level| config.limits_of(level))?;
    resolved.warn();
    let language = arguments.written.of(config, None, arguments.session.as_ref())?;
    let engine = crate::runtime::engine_of(config, language).await?;
    let live = Arc::new(Live::default());
    let Resolved { level, limits, .. } = resolved;
    let host = Arc::clone(&live) as _;
    let start = Start {
        limits,
        image: arguments.image.clone(),
        seed: arguments.seed,
        host,
        ..Start::default()
    };
    let options = config.upstream_options()?;
    let tools = crate::tools::open_all(config, &arguments.mcp_config, options).await?;
    gatekeeper::employ(config, &tools, &arguments.approve, true);
    let tools = Some(tools);
    let checks = if arguments.no_check { None } else { config.checks()? };
    let name = arguments.session.as_ref();
    let choice = Choice { name, start, level, tools, checks };
    let mut opened = Opened::new(config, engine, choice).await?;
    let mut lines = Lines::open(config, language)?;
    if lines.is_terminal() {
        greet(arguments, language, level.name());
    }
    loop {
        match lines.program().await? {
            Typed::Nothing => {}
            Typed::End => break,
            Typed::Program(source) if FAREWELLS.contains(&source.trim()) => break,
            Typed::Program(source) => {
                let program = Program::new(source).in_language(language);
                answer(&mut opened, &live, program, arguments).await?;
            }
        }
    }
    opened.close().await;
    Ok(Ending::Success)
}

fn greet(arguments: &Arguments, language: Language, level: &str) {
    let kept = match &arguments.session {
        Some(name) => format!("session `{name}`, kept on disk"),
        None => "nothing is kept; --session NAME does that".to_owned(),
    };
    out::tell(format_args!(
        "{DIM}{} in a sandbox, level {level}; {kept}. Ctrl-C stops a program, Ctrl-D ends.{DIM:#}",
        language.title()
    ));
}

/// Runs one program and says what came of it.
async fn answer(
    opened: &mut Opened,
    live: &Live,
    program: Program,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let scan = Scan::of(program.language, &program.source);
    let ran = opened.run(program).await;
    live.finish().context(show::LOST)?;
    match ran? {
        Ran::Cancelled(_) => out::tell(CANCELLED),
        Ran::Ended(outcome, unkept) => {
            print(&outcome, scan, arguments.traceback)?;
            unkept.map_or(Ok(()), Err)?;
        }
    }
    Ok(())
}

fn print(outcome: &Outcome, scan: Scan, traceback: bool) -> anyhow::Result<()> {
    // As Python's prompt, which does not repeat what was assigned.
    if !scan.assigns {
        show::value(outcome, Texts::Quoted).context(show::LOST)?;
    }
    if let Some(error) = &outcome.error {
        show::error(error, traceback);
        // Only after a stop; that nothing was returned is nothing to mention here.
        if let Some(note) = &outcome.note {
            out::tell(format_args!("{HINT}note:{HINT:#} {}", out::clean(note)));
        }
    }
    if !outcome.artifacts.is_empty() {
        let count = outcome.artifacts.len();
        out::tell(format_args!(
            "pictures produced: {count}; `tidegate run --artifacts` writes them"
        ));
    }
    Ok(())
}
