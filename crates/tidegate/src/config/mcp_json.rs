//! Servers as other MCP clients have them configured.
//!
//! Eight clients keep them in four shapes: `mcpServers`, `servers` and `context_servers` in JSON with
//! comments, `mcp_servers` in TOML. All are read leniently and turned into the sections of our own
//! file. An entry that cannot be used is told with its reason and stops nothing.

mod client;
mod document;
mod entry;
mod relative;
mod variables;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use catalog::ServerName;

pub(crate) use self::client::Client;
use self::document::Group;
use self::variables::Variables;
use super::name;
use super::places::Places;
use super::problem::ConfigError;
use super::section::{Kind, ServerSection};

/// The largest file read. Claude Code keeps its history beside its servers.
const MOST_BYTES: u64 = 64 << 20;

/// What was found in other clients' files.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Servers that can be used.
    pub(crate) servers: Vec<Imported>,
    /// The others.
    pub(crate) unusable: Vec<Unusable>,
}

/// A server of another client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Imported {
    /// What we call it.
    pub(crate) name: ServerName,
    /// What it is called there.
    pub(crate) called: String,
    /// Where it was found.
    pub(crate) origin: Origin,
    /// What kind it is.
    pub(crate) kind: Kind,
    /// What our file would say.
    pub(crate) section: ServerSection,
    /// What is different here from there.
    pub(crate) notes: Vec<String>,
}

/// An entry of another client that we cannot use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unusable {
    /// What it is called there.
    pub(crate) called: String,
    /// Where it was found.
    pub(crate) origin: Origin,
    /// Why not.
    pub(crate) reason: String,
}

/// Where something was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Whose file it is, if it is a known one's.
    pub(crate) client: Option<Client>,
    /// The file.
    pub(crate) file: PathBuf,
}

/// Looks where a client keeps its servers. A file that cannot be read is told and passed over.
pub(crate) fn find(places: &Places, client: Client) -> (Found, Vec<ConfigError>) {
    let mut all = Found::default();
    let mut problems = Vec::new();
    let mut switched_off = Vec::new();
    for file in client.files(places).into_iter().filter(|file| file.is_file()) {
        match read_groups(places, &file) {
            Ok(groups) => {
                switched_off.extend(groups.iter().flat_map(|group| group.switched_off.clone()));
                all.take(convert(places, Some(client), &file, groups));
            }
            Err(problem) => problems.push(problem),
        }
    }
    // Claude Code keeps in one file which servers of another are switched off.
    for server in all.servers.iter_mut().filter(|server| switched_off.contains(&server.called)) {
        server.section.enabled = Some(false);
    }
    (all, problems)
}

/// The servers of one file, in whichever of the shapes it has.
pub(crate) fn read(
    places: &Places,
    client: Option<Client>,
    file: &Path,
) -> Result<Found, ConfigError> {
    let groups = read_groups(places, file)?;
    if groups.is_empty() {
        return Err(ConfigError::Syntax {
            path: file.to_owned(),
            line: 1,
            message: "it lists no servers; they are expected under `mcpServers`, `servers`, `context_servers` or \
                      `mcp_servers`"
                .to_owned(),
        });
    }
    Ok(convert(places, client, file, groups))
}

/// The servers of a text that is no file of anybody's.
pub(crate) fn parse(places: &Places, called: &Path, text: &str) -> Result<Found, ConfigError> {
    let groups = document::groups(called, text, &places.project)?;
    Ok(convert(places, None, called, groups))
}

fn read_groups(places: &Places, file: &Path) -> Result<Vec<Group>, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: file.to_owned(), source };
    let mut text = String::new();
    let opened = std::fs::File::open(file).map_err(unreadable)?;
    opened.take(MOST_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    document::groups(file, text.trim_start_matches('\u{feff}'), &places.project)
}

fn convert(places: &Places, client: Option<Client>, file: &Path, groups: Vec<Group>) -> Found {
    let mut found = Found::default();
    let origin = Origin { client, file: file.to_owned() };
    for group in groups {
        let variables = Variables {
            workspace: workspace_of(places, file),
            inputs: group.inputs,
            bare_dollars: client == Some(Client::Gemini),
            hands_on: client.filter(|client| !client.expands_names()).map(Client::label),
            // A file that somebody names may be written for us.
            reads_secrets: client.is_none_or(|client| client == Client::Windsurf),
            started_in: match group.project {
                Some(project) => vec![project],
                None => relative::folders_of(file),
            },
        };
        for (called, value) in &group.servers {
            // The first of a name is the one its client would use.
            let made = if found.servers.iter().any(|other| other.called == *called) {
                Err("another server of that name in the same file comes before it".to_owned())
            } else {
                make(called, value, &variables, client)
            };
            match made {
                Ok((kind, made)) => {
                    let mut section = made.section;
                    if group.switched_off.contains(called) {
                        section.enabled = Some(false);
                    }
                    found.servers.push(Imported {
                        name: name::adapted(called),
                        called: called.clone(),
                        origin: origin.clone(),
                        kind,
                        section,
                        notes: made.notes,
                    });
                }
                Err(reason) => found.unusable.push(Unusable {
                    called: called.clone(),
                    origin: origin.clone(),
                    reason,
                }),
            }
        }
    }
    found.tell_apart();
    found
}

fn make(
    called: &str,
    value: &serde_json::Value,
    variables: &Variables,
    client: Option<Client>,
) -> Result<(Kind, entry::Converted), String> {
    let mut made = entry::convert(value, variables, client)?;
    let kind = made.section.kind()?;
    made.notes.extend(relative::settle(&mut made.section, &variables.started_in));
    if name::check(called).is_err() {
        made.notes.push(format!("it is called {called:?} there"));
    }
    if entry::is_ourselves(&made.section) {
        return Err("it is Tidegate itself, which would call itself".to_owned());
    }
    Ok((kind, made))
}

/// The folder that a file's `${workspaceFolder}` means.
fn workspace_of(places: &Places, file: &Path) -> Option<PathBuf> {
    let owner = owner_of(file.parent()?);
    let is_project = places.project.iter().any(|folder| folder == owner);
    if is_project { Some(owner.to_owned()) } else { places.root().map(Path::to_owned) }
}

/// The folder whose settings a folder has: clients keep theirs in one of their own.
fn owner_of(folder: &Path) -> &Path {
    let is_clients = matches!(
        folder.file_name().and_then(|name| name.to_str()),
        Some(".vscode" | ".cursor" | ".zed" | ".gemini" | ".codex")
    );
    folder.parent().filter(|_| is_clients).unwrap_or(folder)
}

impl Found {
    /// Adds what another file has.
    pub(crate) fn take(&mut self, other: Self) {
        self.servers.extend(other.servers);
        self.unusable.extend(other.unusable);
    }

    /// Gives servers that are called differently there names that differ here too. Who has its own name
    /// keeps it, then the first keeps what was made of its name.
    pub(crate) fn tell_apart(&mut self) {
        for at in 0..self.servers.len() {
            let (before, from_here) = self.servers.split_at(at);
            let Some((server, after)) = from_here.split_first() else { return };
            if server.name.0 == server.called {
                continue;
            }
            let is_other = |other: &&Imported| {
                other.name == server.name
                    && other.called != server.called
                    && other.section != server.section
            };
            let has_its_own = |other: &&Imported| other.name.0 == other.called;
            if before.iter().any(|other| is_other(&other))
                || after.iter().filter(has_its_own).any(|other| is_other(&other))
            {
                self.servers[at].name = name::marked(&self.servers[at].called);
            }
        }
    }
}

#[cfg(test)]
mod tests;
