//! `tidegate test`: connects to a server and shows what it offers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use catalog::{Listing, ServerName};
use clap::Args;
use futures_util::future::join_all;
use gateway::{Effects, Memory, Pii};
use serde_json::{Value, json};
use upstream::{NoteKind, ServerStatus, Upstreams};

use crate::config::Config;
use crate::config::servers::Server;
use crate::exit::Ending;
use crate::interrupt::unless_interrupted;
use crate::out::{self, BAD, DIM, GOOD, HINT};
use crate::{show, units};

/// Letters of a tool's description that are shown.
const DESCRIPTION: usize = 96;
/// Things a server said unasked that are shown.
const NOTES: usize = 20;

/// Options of `tidegate test`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The server.
    name: String,
    /// Print one JSON object instead of text, with the tools as the server describes them.
    #[arg(long)]
    json: bool,
}

/// What came of connecting to one server.
#[derive(Debug)]
pub(super) struct Tried {
    /// Which server.
    pub(super) name: ServerName,
    /// Its tools, or why there are none.
    pub(super) listing: Result<Arc<Listing>, String>,
    /// How long it took to connect and list them.
    pub(super) took: Duration,
    /// How it is doing.
    pub(super) status: Option<ServerStatus>,
}

/// Runs `tidegate test`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let server = config.server(&arguments.name)?;
    let (effects, tool_pii) = (server.section.effects(), server.section.tool_pii.clone());
    let Some(tried) = unless_interrupted(try_all(config, &[server])).await? else {
        return Ok(Ending::Interrupted);
    };
    let Some(tried) = tried?.pop() else { return Ok(Ending::Raised) };
    if arguments.json {
        out::line(to_json(&tried)).context(show::LOST)?;
    } else {
        print(&tried).context(show::LOST)?;
    }
    if let Ok(listing) = &tried.listing {
        for idle in idle(&effects, listing).into_iter().chain(idle_pii(&tool_pii, listing)) {
            out::warn(format_args!("{idle}; compare it with the names of the tools"));
        }
    }
    Ok(if tried.listing.is_ok() { Ending::Success } else { Ending::Raised })
}

/// Connects to all of these at the same time, and ends the connections again.
pub(super) async fn try_all(config: &Config, servers: &[Server]) -> anyhow::Result<Vec<Tried>> {
    let settings = servers.iter().map(|server| config.settings_later(server)).collect();
    let upstreams = Upstreams::new(settings, config.upstream_options()?);
    let names = servers.iter().map(|server| &server.name);
    let mut tried = join_all(names.map(|name| try_one(&upstreams, name))).await;
    upstreams.close().await;
    remember(config, servers, &tried);
    tried.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(tried)
}

/// Keeps what the servers said, so that programs and searches need not ask again, and a definition that
/// changes from now on is noticed.
fn remember(config: &Config, servers: &[Server], tried: &[Tried]) {
    let Ok(data) = config.data() else { return };
    let memory = Memory::at(data.join("servers"));
    for one in tried {
        let server = servers.iter().find(|server| server.name == one.name);
        let (Ok(listing), Some(server)) = (&one.listing, server) else { continue };
        let pinned = server.section.pin.unwrap_or(false);
        let (changes, kept) = memory.note(
            listing,
            (&crate::tools::identity(server), &crate::tools::place(server)),
            pinned,
        );
        if !changes.is_empty() {
            out::warn(format_args!(
                "the server \"{}\" has definitions that are not what was first seen ({}); `tidegate tools diff {}` shows them",
                one.name,
                changes.len(),
                one.name
            ));
        }
        if let Err(error) = kept {
            out::warn(format_args!("{error}"));
        }
    }
}

async fn try_one(upstreams: &Upstreams, name: &ServerName) -> Tried {
    let started = Instant::now();
    let listing = upstreams.listing(name).await.map_err(|error| error.to_string());
    let took = started.elapsed();
    let status = upstreams.status().into_iter().find(|status| status.name == *name);
    Tried { name: name.clone(), listing, took, status }
}

/// What an operator says of tools that there are not.
pub(super) fn idle(effects: &Effects, listing: &Listing) -> Vec<String> {
    let unfitting = effects.unfitting(listing.tools.iter().map(|tool| &tool.name));
    let told = unfitting.into_iter().map(|(effect, glob)| {
        let (server, setting) = (&listing.server, effect.setting());
        format!("`servers.{server}.{setting}` has {:?}, which fits no tool of it", glob.as_str())
    });
    told.collect()
}

/// Tools that there are not, of which an operator says who does not see what they answer.
pub(super) fn idle_pii(tool_pii: &BTreeMap<String, Pii>, listing: &Listing) -> Vec<String> {
    let is_there = |name: &str| listing.tools.iter().any(|tool| tool.name.0 == name);
    let idle = tool_pii.iter().filter(|(name, _)| !is_there(name));
    let told = idle.map(|(name, pii)| {
        let (server, pii) = (&listing.server, pii.name());
        format!(
            "`servers.{server}.tool-pii` has {name:?} as {pii:?}, which is the name of no tool of it; names are \
             written out, without `*`"
        )
    });
    told.collect()
}

fn print(tried: &Tried) -> std::io::Result<()> {
    let took = units::millis(tried.took).round();
    let listing = match &tried.listing {
        Ok(listing) => listing,
        Err(reason) => {
            out::tell(format_args!("{BAD}failed:{BAD:#} {}", out::clean(reason)));
            tell_notes(tried);
            return Ok(());
        }
    };
    let status = tried.status.as_ref();
    let own_name = status.and_then(|status| status.server.as_deref());
    // Plain endpoints have neither.
    let own_name = own_name.filter(|name| !name.trim().is_empty());
    let own_name = own_name.map_or_else(String::new, |name| format!("{}, ", out::clean(name)));
    let revision = status.and_then(|status| status.protocol.as_deref());
    let revision = revision.map_or_else(String::new, |revision| format!("protocol {revision}, "));
    out::line(format_args!(
        "{GOOD}connected{GOOD:#} to `{}` in {took} ms: {own_name}{revision}{}",
        tried.name,
        tools(listing.tools.len())
    ))?;
    for tool in &listing.tools {
        let description = tool.description.as_deref().unwrap_or_default();
        let description = shortened(description);
        out::line(format_args!(
            "  {} {DIM}{}{DIM:#}",
            on_one_line(&tool.name.0),
            out::clean(&description)
        ))?;
    }
    for operation in left_out(tried) {
        out::tell(format_args!("{HINT}left out:{HINT:#} {}", out::clean(operation)));
    }
    if let Some(reason) = status.and_then(|status| status.code_mode.as_deref()) {
        out::tell(format_args!(
            "{HINT}note:{HINT:#} it seems to run programs itself: {}",
            out::clean(reason)
        ));
    }
    tell_notes(tried);
    Ok(())
}

/// A name without anything that begins a line of its own.
fn on_one_line(name: &str) -> String {
    out::clean(name).replace('\n', "\u{240a}").replace('\t', "\u{2409}")
}

/// What it said without being asked, each thing once.
fn tell_notes(tried: &Tried) {
    let notes = told(tried);
    for (kind, text) in notes.iter().take(NOTES) {
        out::tell(format_args!("{HINT}{}:{HINT:#} {}", label(*kind), out::clean(text)));
    }
    if notes.len() > NOTES {
        let more = notes.len() - NOTES;
        out::tell(format_args!("{DIM}and {more} more, which --json shows{DIM:#}"));
    }
}

/// The same without what only says how far a call has got.
fn told(tried: &Tried) -> Vec<(NoteKind, &str)> {
    let notes = tried.status.as_ref().map(|status| status.notes.as_slice()).unwrap_or_default();
    let mut told: Vec<(NoteKind, &str)> = Vec::new();
    for note in notes.iter().filter(|note| note.kind != NoteKind::Progress) {
        let one = (note.kind, note.text.as_str());
        if !told.contains(&one) {
            told.push(one);
        }
    }
    told
}

/// What kind of note it is, for people.
fn label(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::Log => "it logged",
        NoteKind::Stray => "it printed what is no message",
        NoteKind::Asked => "it asked",
        _ => "note",
    }
}

/// What it has and is not offered, each with the reason.
pub(super) fn left_out(tried: &Tried) -> &[String] {
    tried.status.as_ref().map(|status| status.left_out.as_slice()).unwrap_or_default()
}

/// How many tools.
pub(super) fn tools(count: usize) -> String {
    if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") }
}

/// The beginning of a description, on one line.
fn shortened(description: &str) -> String {
    let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(DESCRIPTION) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// What came of it, for programs.
fn to_json(tried: &Tried) -> Value {
    let status = tried.status.as_ref();
    json!({
        "name": tried.name,
        "connected": tried.listing.is_ok(),
        "error": tried.listing.as_ref().err(),
        "took_ms": units::millis(tried.took),
        "server": status.and_then(|status| status.server.as_deref()),
        "protocol": status.and_then(|status| status.protocol.as_deref()),
        "code_mode": status.and_then(|status| status.code_mode.as_deref()),
        "left_out": left_out(tried),
        "notes": told(tried).into_iter().map(|(kind, text)| json!({
            "kind": format!("{kind:?}").to_lowercase(),
            "text": text,
        })).collect::<Vec<_>>(),
        "tools": tried.listing.as_ref().ok().map(|listing| &listing.tools),
    })
}

#[cfg(test)]
mod tests {
    use super::on_one_line;

    #[test]
    fn a_name_begins_no_line_of_its_own() {
        assert_eq!(
            on_one_line("a\n  forged\tx\u{1b}[31m"),
            "a\u{240a}  forged\u{2409}x\u{241b}[31m"
        );
        assert_eq!(on_one_line("get_time"), "get_time");
    }
}
