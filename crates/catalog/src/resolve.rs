//! Which tool is meant, and what to say when that cannot be told.
//!
//! The errors are read by a model that wants to correct its program at once, so each of them
//! lists what would have worked.

use std::collections::HashMap;
use std::fmt;

use crate::catalog::{Catalog, CatalogServer, CatalogTool};
use crate::names::fold;
use crate::{ServerName, Withheld, nearest};

/// How many names an error lists.
const LISTED: usize = 20;
/// How many similar names an error offers.
const OFFERED: usize = 5;
/// How many characters of what was asked for an error repeats.
const REPEATED: usize = 120;

/// Why a name does not lead to one tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// No server is called that.
    #[error("there is no server \"{wanted}\"{}{}", servers_in_words(servers, *more), did_you_mean(nearest))]
    UnknownServer {
        /// What was asked for.
        wanted: String,
        /// Names that look like it.
        nearest: Vec<String>,
        /// The servers there are, sorted; at most 20.
        servers: Vec<String>,
        /// How many further servers there are.
        more: usize,
    },

    /// Several servers could be meant.
    #[error(
        "the server \"{wanted}\" could be any of {}; write one of these names exactly",
        quoted(candidates)
    )]
    AmbiguousServer {
        /// What was asked for.
        wanted: String,
        /// Their configured names, sorted.
        candidates: Vec<String>,
    },

    /// The server has no such tool.
    #[error("the server \"{server}\" has no tool \"{wanted}\"{}{}", tools_in_words(tools, *count), did_you_mean(nearest))]
    UnknownTool {
        /// The server that was asked for.
        server: ServerName,
        /// What was asked for.
        wanted: String,
        /// Tools that look like it.
        nearest: Vec<String>,
        /// All its tools when they are few, otherwise empty.
        tools: Vec<String>,
        /// How many tools it has.
        count: usize,
    },

    /// No server has such a tool.
    #[error(
        "{} a tool \"{wanted}\"; a tool is written server.tool{}",
        none_of(*servers),
        did_you_mean(nearest)
    )]
    NoSuchTool {
        /// What was asked for.
        wanted: String,
        /// Tools that look like it, as `server.tool`.
        nearest: Vec<String>,
        /// How many servers there are.
        servers: usize,
    },

    /// There is such a tool, and it may not be called.
    #[error("{0}")]
    Withheld(Withheld),

    /// A server was named where a tool was expected.
    #[error("\"{server}\" is a server, not a tool{}", tools_in_words(tools, *count))]
    NotATool {
        /// The server.
        server: ServerName,
        /// Its tools; at most 20.
        tools: Vec<String>,
        /// How many tools it has.
        count: usize,
    },

    /// Several tools could be meant.
    #[error("\"{wanted}\" could be any of {}{}; write one of these instead", quoted(candidates), and_more(*more))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// The tools as `server.tool`, sorted; at most 20.
        candidates: Vec<String>,
        /// How many more there are.
        more: usize,
    },
}

/// Names and their identifiers, in three degrees of exactness.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    exact: HashMap<String, usize>,
    identifiers: HashMap<String, Vec<usize>>,
    folded: HashMap<String, Vec<usize>>,
}

/// How well a name fits. Better ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    Identifier,
    Folded,
}

impl Index {
    /// Of each thing its own name and its identifiers, in the order of their positions.
    pub(crate) fn new<'a>(things: impl Iterator<Item = [&'a str; 3]>) -> Self {
        let mut index = Self::default();
        for (position, [name, python, typescript]) in things.enumerate() {
            index.exact.entry(name.to_owned()).or_insert(position);
            add(&mut index.identifiers, python.to_owned(), position);
            add(&mut index.identifiers, typescript.to_owned(), position);
            for spelling in [name, python, typescript] {
                let folded = fold(spelling);
                if !folded.is_empty() {
                    add(&mut index.folded, folded, position);
                }
            }
        }
        index
    }

    pub(crate) fn exact(&self, name: &str) -> Option<usize> {
        self.exact.get(name).copied()
    }

    /// Everything that `name` fits as well as it fits anything.
    fn best(&self, name: &str) -> Option<(Fit, Vec<usize>)> {
        if let Some(position) = self.exact(name) {
            return Some((Fit::Exact, vec![position]));
        }
        if let Some(positions) = self.identifiers.get(name) {
            return Some((Fit::Identifier, positions.clone()));
        }
        self.folded.get(&fold(name)).map(|positions| (Fit::Folded, positions.clone()))
    }
}

fn add(map: &mut HashMap<String, Vec<usize>>, key: String, position: usize) {
    let positions = map.entry(key).or_default();
    if positions.last() != Some(&position) {
        positions.push(position);
    }
}

pub(crate) fn resolve<'c>(
    catalog: &'c Catalog,
    server: Option<&str>,
    tool: &str,
) -> Result<&'c CatalogTool, ResolveError> {
    match server {
        Some(server) => in_server(catalog, named_server(catalog, server)?, tool),
        None => anywhere(catalog, tool),
    }
}

pub(crate) fn named_server<'c>(
    catalog: &'c Catalog,
    wanted: &str,
) -> Result<&'c CatalogServer, ResolveError> {
    match catalog.index().best(wanted) {
        Some((_, positions)) if positions.len() == 1 => Ok(catalog.at(positions[0])),
        Some((_, positions)) => {
            let mut candidates: Vec<String> =
                positions.iter().map(|position| catalog.at(*position).name().0.clone()).collect();
            candidates.sort();
            Err(ResolveError::AmbiguousServer { wanted: repeated(wanted), candidates })
        }
        None => Err(unknown_server(catalog, wanted)),
    }
}

fn in_server<'c>(
    catalog: &Catalog,
    server: &'c CatalogServer,
    wanted: &str,
) -> Result<&'c CatalogTool, ResolveError> {
    let found = server.index().best(wanted).or_else(|| {
        // Somebody named the server twice: ("github", "github.create_issue").
        readings(wanted)
            .filter(|reading| fits_server(server, reading.server))
            .find_map(|reading| server.index().best(reading.tool))
    });
    match found {
        Some((_, positions)) => {
            one_of(positions.iter().map(|position| &server.tools()[*position]).collect(), wanted)
        }
        None => Err(unknown_tool(catalog, server, wanted)),
    }
}

fn fits_server(server: &CatalogServer, wanted: &str) -> bool {
    let wanted = fold(wanted);
    [server.name().0.as_str(), server.python(), server.typescript()]
        .iter()
        .any(|spelling| fold(spelling) == wanted)
}

fn anywhere<'c>(catalog: &'c Catalog, wanted: &str) -> Result<&'c CatalogTool, ResolveError> {
    let mut fits: Vec<(Fit, &CatalogTool)> = Vec::new();
    // The longest part that is a server's name, for the error should nothing fit.
    let mut meant: Option<&CatalogServer> = None;
    for reading in readings(wanted) {
        let Some((server_fit, positions)) = catalog.index().best(reading.server) else { continue };
        for server in positions.into_iter().map(|position| catalog.at(position)) {
            meant = Some(server);
            if let Some((tool_fit, tools)) = server.index().best(reading.tool) {
                let fit = server_fit.max(tool_fit);
                fits.extend(tools.into_iter().map(|position| (fit, &server.tools()[position])));
            }
        }
    }
    if fits.is_empty() {
        for server in catalog.servers() {
            if let Some((fit, tools)) = server.index().best(wanted) {
                fits.extend(tools.into_iter().map(|position| (fit, &server.tools()[position])));
            }
        }
    }
    if let Some(best) = fits.iter().map(|(fit, _)| *fit).min() {
        return one_of(
            fits.into_iter().filter(|(fit, _)| *fit == best).map(|(_, tool)| tool).collect(),
            wanted,
        );
    }
    Err(unknown(catalog, meant, wanted))
}

/// One way to read a qualified name.
struct Reading<'a> {
    server: &'a str,
    tool: &'a str,
}

/// Every way to cut a name into a server and a tool. Names may contain what separates them, so
/// each place is tried.
fn readings(name: &str) -> impl Iterator<Item = Reading<'_>> {
    let (rest, prefixed) = without_prefix(name);
    // A server may itself be called `mcp` or `servers`.
    let whole = prefixed.then_some(name);
    [rest].into_iter().chain(whole).flat_map(|name| {
        [".", "/", "__", ":"].into_iter().flat_map(move |separator| {
            name.match_indices(separator).filter_map(move |(at, separator)| {
                let (server, tool) = (&name[..at], &name[at + separator.len()..]);
                (!server.is_empty() && !tool.is_empty()).then_some(Reading { server, tool })
            })
        })
    })
}

/// What may be a server in the name of a tool: `github` in `github.create_issue`, `github/create_issue` and
/// `mcp__github__create_issue`. Names may contain what separates them, so there can be several.
pub fn server_parts(name: &str) -> impl Iterator<Item = &str> {
    readings(name).map(|reading| reading.server)
}

/// Removes what says that a qualified name follows, and whether something did.
pub(crate) fn without_prefix(name: &str) -> (&str, bool) {
    ["mcp__", "servers.", "servers/", "/servers/"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .map_or((name, false), |rest| (rest, true))
}

fn one_of<'c>(
    mut tools: Vec<&'c CatalogTool>,
    wanted: &str,
) -> Result<&'c CatalogTool, ResolveError> {
    tools.sort_by_key(|tool| (tool.server(), tool.name()));
    tools.dedup_by_key(|tool| (tool.server(), tool.name()));
    if let [only] = tools[..] {
        return Ok(only);
    }
    let more = tools.len().saturating_sub(LISTED);
    let candidates = tools.iter().take(LISTED).map(|tool| qualified(tool)).collect();
    Err(ResolveError::Ambiguous { wanted: repeated(wanted), candidates, more })
}

fn unknown(catalog: &Catalog, meant: Option<&CatalogServer>, wanted: &str) -> ResolveError {
    if let Some(server) = meant {
        let tool = readings(wanted)
            .filter(|reading| fits_server(server, reading.server))
            .map(|reading| reading.tool)
            .last();
        return unknown_tool(catalog, server, tool.unwrap_or(wanted));
    }
    if let Some(withheld) = catalog.withheld().iter().find(|one| one.is_called(wanted)) {
        return ResolveError::Withheld(withheld.clone());
    }
    if let Ok(server) = named_server(catalog, without_prefix(wanted).0) {
        let tools = server.tools().iter().take(LISTED).map(qualified).collect();
        return ResolveError::NotATool {
            server: server.name().clone(),
            tools,
            count: server.tools().len(),
        };
    }
    if let (true, Some(reading)) = (without_prefix(wanted).1, readings(wanted).next()) {
        return unknown_server(catalog, reading.server);
    }
    let tools = catalog.tools().map(|tool| (tool.python(), tool));
    ResolveError::NoSuchTool {
        wanted: repeated(wanted),
        nearest: nearest::to(wanted, tools, OFFERED).into_iter().map(qualified).collect(),
        servers: catalog.servers().len(),
    }
}

fn unknown_server(catalog: &Catalog, wanted: &str) -> ResolveError {
    let named = catalog.servers().map(|server| (server.name().0.as_str(), server.name()));
    let mut servers: Vec<String> =
        catalog.servers().map(|server| server.name().0.clone()).collect();
    servers.sort();
    let more = servers.len().saturating_sub(LISTED);
    servers.truncate(LISTED);
    let nearest =
        nearest::to(wanted, named, OFFERED).into_iter().map(|name| name.0.clone()).collect();
    ResolveError::UnknownServer { wanted: repeated(wanted), nearest, servers, more }
}

fn unknown_tool(catalog: &Catalog, server: &CatalogServer, wanted: &str) -> ResolveError {
    if let Some(withheld) = catalog.withheld_tool(server.name(), wanted) {
        return ResolveError::Withheld(withheld.clone());
    }
    let tools = server.tools();
    let named = tools.iter().map(|tool| (tool.python(), tool));
    let nearest = nearest::to(wanted, named, OFFERED);
    ResolveError::UnknownTool {
        server: server.name().clone(),
        wanted: repeated(wanted),
        nearest: nearest.into_iter().map(|tool| tool.name().0.clone()).collect(),
        tools: match tools.len() {
            0..=LISTED => tools.iter().map(|tool| tool.name().0.clone()).collect(),
            _ => Vec::new(),
        },
        count: tools.len(),
    }
}

fn qualified(tool: &CatalogTool) -> String {
    format!("{}.{}", tool.server(), tool.name())
}

fn repeated(wanted: &str) -> String {
    let mut repeated: String = wanted.chars().take(REPEATED).collect();
    if repeated.len() < wanted.len() {
        repeated.push('…');
    }
    repeated
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

fn none_of(servers: usize) -> String {
    match servers {
        0 => "no server is known that has".to_owned(),
        1 => "the only server that is known does not have".to_owned(),
        servers => format!("none of the {servers} servers has"),
    }
}

fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!(
            "; did you mean {}?",
            names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" or ")
        ),
    }
}

fn and_more(more: usize) -> impl fmt::Display {
    fmt::from_fn(move |formatter| match more {
        0 => Ok(()),
        more => write!(formatter, " and {more} more"),
    })
}

fn servers_in_words(servers: &[String], more: usize) -> String {
    match servers {
        [] => "; no servers are configured".to_owned(),
        names => format!("; the servers are {}{}", names.join(", "), and_more(more)),
    }
}

fn tools_in_words(tools: &[String], count: usize) -> String {
    match (tools, count) {
        (_, 0) => "; it has no tools".to_owned(),
        ([], count) => format!("; it has {count} tools"),
        (names, count) => {
            format!("; its tools are {}{}", names.join(", "), and_more(count - names.len()))
        }
    }
}

#[cfg(test)]
mod tests;
