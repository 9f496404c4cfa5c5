//! `tidegate tools search`: finds tools the way programs do.

use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use engine::Language;
use gateway::{Detail, Found, Search, Tools};

use super::{heard, known, summary};
use crate::exit::{Ending, Misuse};
use crate::out::{self, DIM, TITLE};
use crate::progress::Track;
use crate::show;

/// Options of `tidegate tools search`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A few words, a tool's name, or a whole task; without any, the tools as they come.
    #[arg(default_value = "")]
    query: Vec<String>,
    /// Only this server's tools.
    #[arg(long)]
    server: Option<String>,
    /// How many at most.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// What names and signatures are written in: python or typescript.
    #[arg(long, value_name = "LANGUAGE", default_value_t)]
    language: Language,
    /// How much to say about each.
    #[arg(long, value_enum, default_value_t = Level::WithDescription)]
    detail_level: Level,
    /// Print what `search_tools` returns in a program.
    #[arg(long)]
    json: bool,
}

/// `--detail-level`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Level {
    /// What it is called.
    NameOnly,
    /// And what it does.
    WithDescription,
    /// And how it is called.
    Full,
}

/// Runs `tidegate tools search`.
pub(super) async fn run(tools: &Arc<Tools>, arguments: &Arguments) -> anyhow::Result<Ending> {
    // The others need not be waited for.
    let names = tools.names();
    let only = arguments.server.as_deref().filter(|only| names.iter().any(|name| name.0 == **only));
    let ending = match only {
        Some(_) => known(tools, only).await?.1,
        None => heard(tools).await,
    };
    let asked = Search {
        query: arguments.query.join(" "),
        detail_level: match arguments.detail_level {
            Level::NameOnly => Detail::NameOnly,
            Level::WithDescription => Detail::WithDescription,
            Level::Full => Detail::Full,
        },
        server: arguments.server.clone(),
        limit: arguments.limit.into(),
        language: arguments.language,
    };
    let searching = Arc::clone(tools);
    let search = move || {
        let track = Track::new();
        searching.prepare(&|done, all| {
            if done < all {
                track.show("reading what the tools do", share(done, all));
            }
        });
        drop(track);
        searching.find(&asked)
    };
    let found = tokio::task::spawn_blocking(search).await.context("the search broke off")?;
    let found = found.map_err(|error| Misuse::error(error.to_string()))?;
    if arguments.json {
        out::line(serde_json::to_string(&found.tools)?).context(show::LOST)?;
    } else {
        print(&found, arguments.detail_level).context(show::LOST)?;
    }
    Ok(ending)
}

fn print(found: &Found, level: Level) -> std::io::Result<()> {
    for tool in &found.tools {
        let (server, name) = (out::clean(&tool.server), out::clean(&tool.name));
        out::line(format_args!("{TITLE}{server}.{name}{TITLE:#}"))?;
        let text = tool.description.as_deref().unwrap_or_default();
        let text = if level == Level::Full { text.to_owned() } else { summary(text) };
        for line in out::clean(&text).lines().filter(|line| !line.trim().is_empty()) {
            out::line(format_args!("  {DIM}{line}{DIM:#}"))?;
        }
        for line in tool.signature.iter().flat_map(|signature| signature.lines()) {
            out::line(format_args!("  {}", out::clean(line)))?;
        }
        if let Some(schema) = &tool.input_schema {
            out::line(format_args!(
                "  {DIM}input schema: {}{DIM:#}",
                out::clean(&schema.to_string())
            ))?;
        }
    }
    let more = if found.matching > found.tools.len() {
        format!("; {} match, --limit shows more", found.matching)
    } else {
        String::new()
    };
    out::tell(format_args!("{} of {} tools{more}", found.tools.len(), found.total));
    Ok(())
}

fn share(done: usize, all: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    float(done) / float(all.max(1))
}
