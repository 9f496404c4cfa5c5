//! `tidegate tools`: what the servers offer, what has changed about it, what was learned of it.

mod learn;
mod search;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use catalog::{Catalog, CatalogTool, Listing, Seen, ServerName, Sight, ToolName, names};
use clap::{Args, Subcommand};
use gateway::{Effect, Tools};
use serde_json::{Value, json};

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::interrupt::unless_interrupted;
use crate::out::{self, GOOD, HINT};
use crate::show;

/// Characters of a description that are shown in a table.
const SUMMARY: usize = 90;
/// How long servers are waited for when all of them are asked.
const SOON: Duration = Duration::from_secs(5);

/// Options of `tidegate tools`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    action: Action,
    /// Use the servers of this `mcpServers` file too, without importing them.
    #[arg(long, value_name = "FILE", global = true)]
    mcp_config: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the tools of all servers, or of one.
    List {
        /// Only this server's.
        server: Option<String>,
        /// Print a JSON array instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Show one tool as programs see it.
    Show {
        /// The tool: `github.create_issue`, or its name alone.
        tool: String,
    },
    /// Find tools by what they do, as `search_tools` does in a program.
    Search(search::Arguments),
    /// Show which definitions are not what they were when first seen; exit code 1 if any.
    Diff {
        /// Only this server's.
        server: Option<String>,
    },
    /// Accept definitions as they are now.
    Accept {
        /// The server, or one tool of it: `github`, `github.create_issue`.
        #[arg(value_name = "SERVER[.TOOL]")]
        what: String,
        /// Only these tools of the server; all of them if none is named.
        tools: Vec<String>,
    },
    /// Call read-only tools to learn what they return, where their server does not say it.
    Learn(learn::Arguments),
    /// Forget what was learned about the results of a server's tools, or of one tool.
    Forget {
        /// The server, or one tool of it: `github`, `github.list_issues`.
        #[arg(value_name = "SERVER[.TOOL]")]
        what: String,
    },
}

/// Runs `tidegate tools`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let Some(tools) = crate::tools::open(config, &arguments.mcp_config).await? else {
        return Err(Misuse::error(
            "there are no servers yet; `tidegate import` takes over those of other clients, `tidegate add` makes one",
        ));
    };
    let work = act(config, &tools, arguments);
    let ended = Box::pin(unless_interrupted(work)).await?;
    tools.close().await;
    ended.unwrap_or(Ok(Ending::Interrupted))
}

async fn act(config: &Config, tools: &Arc<Tools>, arguments: Arguments) -> anyhow::Result<Ending> {
    match arguments.action {
        Action::List { server, json } => list(tools, server.as_deref(), json).await,
        Action::Show { tool } => show_one(tools, &tool).await,
        Action::Search(wanted) => search::run(tools, &wanted).await,
        Action::Diff { server } => diff(tools, server.as_deref()).await,
        Action::Accept { what, tools: names } => accept(tools, &what, names).await,
        Action::Learn(wanted) => learn::run(config, tools, &wanted).await,
        Action::Forget { what } => learn::forget(tools, &what).await,
    }
}

async fn list(tools: &Arc<Tools>, server: Option<&str>, json: bool) -> anyhow::Result<Ending> {
    let (catalog, ending) = known(tools, server).await?;
    let wanted = |tool: &&CatalogTool| server.is_none_or(|server| tool.server().0 == server);
    let chosen: Vec<&CatalogTool> = catalog.tools().filter(wanted).collect();
    if json {
        let all: Vec<Value> = chosen.iter().map(|tool| to_json(tool)).collect();
        out::line(Value::from(all)).context(show::LOST)?;
        return Ok(ending);
    }
    let mut table = show::table(["server", "tool", "what it does"]);
    for tool in &chosen {
        let summary = summary(tool.tool().description.as_deref().unwrap_or_default());
        table.add_row([&tool.server().0, tool.python(), &*out::clean(&summary)]);
    }
    if chosen.is_empty() {
        out::tell("no tools were found");
    } else {
        out::line(table.trim_fmt()).context(show::LOST)?;
    }
    Ok(ending)
}

fn to_json(tool: &CatalogTool) -> Value {
    json!({
        "server": tool.server(),
        "name": tool.name(),
        "python": tool.python(),
        "typescript": tool.typescript(),
        "description": tool.tool().description,
        "fingerprint": tool.fingerprint().as_str(),
    })
}

/// The first sentence or line of a description.
fn summary(description: &str) -> String {
    let line = description.trim().lines().next().unwrap_or_default();
    if line.chars().count() <= SUMMARY {
        return line.to_owned();
    }
    line.chars().take(SUMMARY - 1).chain(std::iter::once('…')).collect()
}

async fn show_one(tools: &Arc<Tools>, name: &str) -> anyhow::Result<Ending> {
    let names = tools.names();
    let only = names.iter().find(|server| {
        name.strip_prefix(server.0.as_str()).is_some_and(|rest| rest.starts_with('.'))
    });
    let catalog = if let Some(server) = only {
        known(tools, Some(&server.0)).await?.0
    } else {
        heard(tools).await;
        tools.catalog()
    };
    let tool = catalog.resolve(None, name).map_err(|error| Misuse::error(error.to_string()))?;
    out::line(out::clean(&bindings::python_tool(tool))).context(show::LOST)?;
    out::line(out::clean(&effect(tools, tool))).context(show::LOST)?;
    Ok(Ending::Success)
}

/// What a call of a tool counts as, and who says so.
fn effect(tools: &Tools, tool: &CatalogTool) -> String {
    let (server, said) = (tool.server(), tools.said(tool.server(), tool.tool()));
    let counts = match said.effect() {
        Effect::Read => "it changes nothing",
        Effect::Idempotent => "it changes something, and may be called twice where once is meant",
        Effect::Write => "it changes something, and is not called twice where once is meant",
    };
    let effects = tools.effects(server);
    let why = match effects.of(tool.name()) {
        Some((effect, glob)) => {
            format!("`servers.{server}.{}` has {:?}", effect.setting(), glob.as_str())
        }
        None if said.is_believed => "as its server says, which is `trusted`".to_owned(),
        None => "as its server is not `trusted`, and nobody else says anything".to_owned(),
    };
    format!("# {counts}: {why}")
}

async fn diff(tools: &Arc<Tools>, server: Option<&str>) -> anyhow::Result<Ending> {
    let (_, ending) = known(tools, server).await?;
    let mut count = 0;
    let mut shown = tools.memory().shown();
    for listing in tools.listings() {
        if server.is_some_and(|server| server != listing.server.0) {
            continue;
        }
        let place = tools.place(&listing.server);
        let changes =
            tools.memory().with_seen(&listing.server, &place, |seen| seen.changes(&listing));
        for change in &changes {
            out::line(out::clean(&change.to_string())).context(show::LOST)?;
            count += 1;
        }
        shown.show(&listing.server, &changes);
    }
    tools.memory().keep_shown(&shown)?;
    if count == 0 {
        out::tell(format_args!("{GOOD}every definition is what was first seen{GOOD:#}"));
        return Ok(ending);
    }
    let differences = if count == 1 { "difference" } else { "differences" };
    out::tell(format_args!(
        "{HINT}{count} {differences}{HINT:#}; `tidegate tools accept SERVER` accepts what a server has now, `tidegate tools accept SERVER.TOOL` one tool"
    ));
    Ok(Ending::Raised)
}

async fn accept(tools: &Arc<Tools>, what: &str, mut names: Vec<String>) -> anyhow::Result<Ending> {
    let (server, tool) = server_and_tool(tools, what);
    names.extend(tool.map(str::to_owned));
    known(tools, Some(server)).await?;
    let server = ServerName(server.to_owned());
    let Some(listing) = tools.listings().into_iter().find(|listing| listing.server == server)
    else {
        return Err(Misuse::error(format!("`{server}` could not be asked what it offers now")));
    };
    let (memory, place) = (tools.memory(), tools.place(&server));
    let changes = {
        let (names, mut changes) = memory.with_seen(&server, &place, |seen| {
            let names = names.iter().map(|name| tool_of(&listing, seen, name));
            Ok::<_, anyhow::Error>((names.collect::<Result<Vec<_>, _>>()?, seen.changes(&listing)))
        })?;
        for name in names.iter().filter(|name| !changes.iter().any(|one| one.tool == **name)) {
            out::warn(format_args!("there is nothing to accept about {name:?}"));
        }
        changes.retain(|change| names.is_empty() || names.contains(&change.tool));
        changes
    };
    let shown = tools.memory().shown();
    let (mut left, mut others) = (shown.clone(), Vec::new());
    for change in &changes {
        match shown.sight(change) {
            Sight::Same => {}
            // Whoever has not seen it sees it now.
            Sight::Nothing => {
                out::line(out::clean(&change.to_string())).context(show::LOST)?;
            }
            Sight::Other => {
                others.push(change.tool.0.as_str());
                continue;
            }
        }
        memory.with_seen(&server, &place, |seen| seen.accept(&listing, &change.tool));
        left.forget(change);
    }
    memory.keep_seen(&server, &place)?;
    memory.keep_shown(&left)?;
    if !others.is_empty() {
        out::warn(format_args!(
            "not accepted, because they are not what `tidegate tools diff` showed: {}; `tidegate tools diff {server}` shows what they are now",
            out::clean(&others.join(", "))
        ));
        return Ok(Ending::Raised);
    }
    out::line("accepted").context(show::LOST)?;
    Ok(Ending::Success)
}

/// The tool of a server that a name means, also one that is not listed any more.
fn tool_of(listing: &Listing, seen: &Seen, name: &str) -> anyhow::Result<ToolName> {
    let exact = ToolName(name.to_owned());
    let listed = || listing.tools.iter().map(|tool| &tool.name);
    if listed().any(|tool| *tool == exact) || seen.knows(&listing.server, &exact) {
        return Ok(exact);
    }
    let spelled = listed().find(|tool| names::fold(&tool.0) == names::fold(name));
    spelled.cloned().ok_or_else(|| {
        let server = &listing.server;
        Misuse::error(format!(
            "`{server}` has no tool {name:?}; `tidegate tools diff {server}` shows what can be accepted"
        ))
    })
}

/// Reads `github` and `github.create_issue`. A server's name may have dots, too.
fn server_and_tool<'w>(tools: &Tools, what: &'w str) -> (&'w str, Option<&'w str>) {
    let is_server = |name: &str| tools.names().iter().any(|known| known.0 == name);
    let mut cuts = what.match_indices('.').map(|(at, _)| (&what[..at], &what[at + 1..]));
    match cuts.rfind(|(server, tool)| is_server(server) && !tool.is_empty()) {
        Some((server, tool)) if !is_server(what) => (server, Some(tool)),
        _ => (what, None),
    }
}

/// Makes sure that something is known of every server; those of which something is are not asked again.
async fn heard(tools: &Arc<Tools>) -> Ending {
    let _ = tokio::time::timeout(SOON, tools.hear_all()).await;
    let missing = tools.missing();
    for one in &missing {
        let name = &one.server;
        let why = one.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        out::warn(format_args!(
            "the server \"{name}\" has not said what it offers, which is missing here{why}; `tidegate test {name}` waits for it"
        ));
    }
    if missing.is_empty() { Ending::Success } else { Ending::Raised }
}

/// The catalog after asking every server, or one; those that cannot be used are told.
async fn known(tools: &Arc<Tools>, server: Option<&str>) -> anyhow::Result<(Arc<Catalog>, Ending)> {
    if let Some(server) = server
        && !tools.names().iter().any(|name| name.0 == server)
    {
        let names = tools.names();
        let all: Vec<&str> = names.iter().map(|name| name.0.as_str()).collect();
        return Err(Misuse::error(format!(
            "there is no server `{server}`; there are: {}",
            all.join(", ")
        )));
    }
    let only = server.map(|server| ServerName(server.to_owned()));
    let asking = tools.ask_again(only.as_ref());
    let asked = match &only {
        Some(_) => Ok(asking.await),
        // One slow server must not hold up what the others have to say.
        None => tokio::time::timeout(SOON, asking).await,
    };
    let Ok((catalog, failed)) = asked else {
        for name in tools.names() {
            if tools.upstreams().known_listing(&name).is_none() {
                out::warn(format_args!(
                    "the server \"{name}\" has not answered within {SOON:?}, and what it offers now is missing here; `tidegate test {name}` waits for it"
                ));
            }
        }
        return Ok((tools.catalog(), Ending::Raised));
    };
    for (_, error) in &failed {
        out::warn(out::clean(&error.to_string()));
    }
    Ok((catalog, if failed.is_empty() { Ending::Success } else { Ending::Raised }))
}
