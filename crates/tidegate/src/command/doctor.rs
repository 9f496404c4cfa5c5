//! `tidegate doctor`: what is installed, what works, what to fix and with which command.

mod machine;
mod servers;
mod works;

use std::io;

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::config::Config;
use crate::exit::Ending;
use crate::out::{self, BAD, GOOD, HINT};
use crate::show;

/// Options of `tidegate doctor`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// As it should be.
    Good,
    /// Works, with a loss.
    Warning,
    /// Does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
struct Finding {
    name: &'static str,
    state: State,
    detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Finding {
    fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, state: State::Good, detail: detail.into(), fix: None }
    }

    fn warning(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state: State::Warning, detail: detail.into(), fix: Some(fix.into()) }
    }

    fn bad(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state: State::Bad, detail: detail.into(), fix: Some(fix.into()) }
    }
}

/// Runs `tidegate doctor`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let mut findings = works::runtime(config).await;
    findings.push(works::typescript(config).await);
    findings.push(works::compiler(config).await);
    findings.extend(machine::look(config));
    findings.extend(servers::look(config));
    let healthy = findings.iter().all(|finding| finding.state != State::Bad);
    if arguments.json {
        out::line(json!({ "healthy": healthy, "findings": findings })).context(show::LOST)?;
    } else {
        print(&findings, healthy).context(show::LOST)?;
    }
    Ok(if healthy { Ending::Success } else { Ending::Raised })
}

fn print(findings: &[Finding], healthy: bool) -> io::Result<()> {
    for Finding { name, state, detail, fix } in findings {
        let (style, word) = match state {
            State::Good => (GOOD, "ok"),
            State::Warning => (HINT, "warn"),
            State::Bad => (BAD, "bad"),
        };
        out::line(format_args!("{style}{word:<5}{style:#}{name:<14} {}", out::clean(detail)))?;
        if let Some(fix) = fix {
            out::line(format_args!("{:<19} {HINT}fix:{HINT:#} {fix}", ""))?;
        }
    }
    let verdict = if healthy { "programs can be run" } else { "programs cannot be run yet" };
    out::line(verdict)
}
