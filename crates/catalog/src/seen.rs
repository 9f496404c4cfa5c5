//! What was seen of each tool before, so that nobody changes a tool unnoticed.
//!
//! The first sight of a definition is remembered as accepted. A server that later says something
//! else, perhaps because somebody took it over, shows up as a [`Change`] until somebody
//! accepts it. A tool that vanished is remembered too, or it could come back as another one.
//!
//! [`Seen`] is what is stored between two starts; storing it is up to others.

mod differences;
mod shown;

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::shown::{Shown, Sight};
use crate::fingerprint::Parts;
use crate::{Fingerprint, Listing, ServerName, Tool, ToolName, Why, Withheld};

/// Definitions larger than this, in bytes of JSON, are remembered by fingerprint only.
const LARGEST_KEPT: usize = 128 * 1024;
/// How many tools of one server are remembered.
const MOST_TOOLS: usize = 20_000;

/// The definitions that were accepted, by server and tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seen {
    servers: BTreeMap<ServerName, BTreeMap<ToolName, Sighting>>,
}

/// One accepted definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sighting {
    fingerprint: Fingerprint,
    parts: Parts,
    /// The definition itself, unless it was too large to keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    definition: Option<Tool>,
}

impl Sighting {
    fn of(tool: &Tool) -> Self {
        let size = serde_json::to_string(tool).map_or(usize::MAX, |text| text.len());
        Self {
            fingerprint: Fingerprint::of(tool),
            parts: Parts::of(tool),
            definition: (size <= LARGEST_KEPT).then(|| tool.clone()),
        }
    }
}

/// A part of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// What it is said to do.
    Description,
    /// What it takes.
    Parameters,
    /// What it returns.
    Result,
    /// What is said about its effects.
    Annotations,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Description => "description",
            Self::Parameters => "parameters",
            Self::Result => "result",
            Self::Annotations => "annotations",
        })
    }
}

/// What happened to a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// The server was known, the tool was not.
    Added,
    /// It is no longer listed.
    Removed,
    /// It is not what was accepted.
    Changed {
        /// What differs. Never empty.
        parts: Vec<Part>,
    },
}

/// A difference between what was accepted and what a server lists now. What it displays is the
/// whole difference in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Whose tool.
    pub server: ServerName,
    /// Which tool.
    pub tool: ToolName,
    /// What happened to it.
    pub kind: ChangeKind,
    /// The accepted definition, if there is one and it was kept.
    pub before: Option<Tool>,
    /// The definition as it is listed now.
    pub after: Option<Tool>,
}

impl Change {
    /// Says exactly which definition is listed now; `None` if none is.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.after.as_ref().map(Fingerprint::of)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        differences::write(self, formatter)
    }
}

impl Seen {
    /// Remembers what is seen for the first time and tells what differs from what was accepted.
    /// The first listing of a server changes nothing.
    pub fn observe(&mut self, listing: &Listing) -> Vec<Change> {
        let changes = self.changes(listing);
        let known = self.servers.entry(listing.server.clone()).or_default();
        for tool in first_of_each(listing) {
            if known.len() < MOST_TOOLS && !known.contains_key(&tool.name) {
                known.insert(tool.name.clone(), Sighting::of(tool));
            }
        }
        changes
    }

    /// The same where definitions are pinned: after the first listing of a server nothing is
    /// remembered by itself, so that a tool that comes later is new until it is accepted.
    pub fn observe_pinned(&mut self, listing: &Listing) -> Vec<Change> {
        if self.servers.contains_key(&listing.server) {
            return self.changes(listing);
        }
        self.observe(listing)
    }

    /// Takes a server for one of which nothing was accepted, unless something is known of it: what it
    /// lists is new then, also the first time.
    pub fn expect(&mut self, server: &ServerName) {
        if !self.servers.contains_key(server) {
            self.servers.insert(server.clone(), BTreeMap::new());
        }
    }

    /// What differs from what was accepted: listed tools in the server's order, then those that
    /// are gone.
    #[must_use]
    pub fn changes(&self, listing: &Listing) -> Vec<Change> {
        let Some(known) = self.servers.get(&listing.server) else { return Vec::new() };
        let change = |tool: &ToolName, kind, before: Option<&Tool>, after: Option<&Tool>| Change {
            server: listing.server.clone(),
            tool: tool.clone(),
            kind,
            before: before.cloned(),
            after: after.cloned(),
        };
        let mut changes = Vec::new();
        let mut listed = HashSet::new();
        for tool in first_of_each(listing) {
            listed.insert(&tool.name);
            match known.get(&tool.name) {
                None => changes.push(change(&tool.name, ChangeKind::Added, None, Some(tool))),
                Some(sighting) if sighting.fingerprint != Fingerprint::of(tool) => {
                    let parts = different_parts(&sighting.parts, &Parts::of(tool));
                    let before = sighting.definition.as_ref();
                    changes.push(change(
                        &tool.name,
                        ChangeKind::Changed { parts },
                        before,
                        Some(tool),
                    ));
                }
                Some(_) => {}
            }
        }
        let gone = known.iter().filter(|(name, _)| !listed.contains(name));
        changes.extend(gone.map(|(name, sighting)| {
            change(name, ChangeKind::Removed, sighting.definition.as_ref(), None)
        }));
        changes
    }

    /// The listed tools that are not what was accepted, or were never accepted. Where definitions
    /// are pinned, these must not be called.
    #[must_use]
    pub fn withheld(&self, listing: &Listing) -> Vec<Withheld> {
        let Some(known) = self.servers.get(&listing.server) else { return Vec::new() };
        Withheld::among(listing, |tool| match known.get(&tool.name) {
            None => Some(Why::New),
            Some(accepted) if accepted.fingerprint != Fingerprint::of(tool) => Some(Why::Changed),
            Some(_) => None,
        })
    }

    /// Whether a tool of this name was ever accepted, also one that is not listed any more.
    #[must_use]
    pub fn knows(&self, server: &ServerName, tool: &ToolName) -> bool {
        self.servers.get(server).is_some_and(|known| known.contains_key(tool))
    }

    /// Accepts one tool as it is listed now; one that is not listed any more is forgotten.
    /// Whether there was anything to accept.
    pub fn accept(&mut self, listing: &Listing, name: &ToolName) -> bool {
        let known = self.servers.entry(listing.server.clone()).or_default();
        match first_of_each(listing).find(|tool| tool.name == *name) {
            Some(tool) => {
                let now = Sighting::of(tool);
                let before = known.insert(name.clone(), now.clone());
                before.is_none_or(|before| before.fingerprint != now.fingerprint)
            }
            None => known.remove(name).is_some(),
        }
    }

    /// Accepts everything as it is listed now and forgets what is not.
    pub fn accept_all(&mut self, listing: &Listing) {
        let now = first_of_each(listing)
            .take(MOST_TOOLS)
            .map(|tool| (tool.name.clone(), Sighting::of(tool)))
            .collect();
        self.servers.insert(listing.server.clone(), now);
    }

    /// Takes over what another has about the servers it knows, who may have accepted something
    /// meanwhile. Whether that changed anything.
    pub fn take_over(&mut self, newer: Self) -> bool {
        let mut changed = false;
        for (server, tools) in newer.servers {
            if self.servers.get(&server) != Some(&tools) {
                self.servers.insert(server, tools);
                changed = true;
            }
        }
        changed
    }

    /// What is known of one server alone; `None` if that is nothing.
    #[must_use]
    pub fn only(&self, server: &ServerName) -> Option<Self> {
        let tools = self.servers.get(server)?.clone();
        Some(Self { servers: BTreeMap::from([(server.clone(), tools)]) })
    }

    /// Forgets a server, as when it is removed from the configuration.
    pub fn forget(&mut self, server: &ServerName) {
        self.servers.remove(server);
    }

    /// The definition of a tool that was accepted, if it was kept.
    #[must_use]
    pub fn accepted(&self, server: &ServerName, tool: &ToolName) -> Option<&Tool> {
        self.servers.get(server)?.get(tool)?.definition.as_ref()
    }
}

/// Of several tools with the same name the first counts, as in the catalog.
fn first_of_each(listing: &Listing) -> impl Iterator<Item = &Tool> {
    let mut known = HashSet::new();
    listing.tools.iter().filter(move |tool| known.insert(&tool.name))
}

fn different_parts(before: &Parts, after: &Parts) -> Vec<Part> {
    [
        (Part::Description, &before.description, &after.description),
        (Part::Parameters, &before.parameters, &after.parameters),
        (Part::Result, &before.result, &after.result),
        (Part::Annotations, &before.annotations, &after.annotations),
    ]
    .into_iter()
    .filter(|(_, before, after)| before != after)
    .map(|(part, _, _)| part)
    .collect()
}

#[cfg(test)]
mod tests;
