//! The configured servers: read and checked at once, their secrets resolved one server at a time.
//!
//! [`load`] refuses a file with any mistake in it, naming the line. What it gives holds references
//! to secrets, not secrets; [`Server::settings`] looks them up when the server is about to be
//! used, so that a missing one concerns that server only.

mod hidden;
mod settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catalog::ServerName;
use gateway::CompilerKind;
use gateway::judge::LEVELS;
use policy::{Policy, PolicySettings};

use super::keys::Said;
use super::name;
use super::places::Places;
use super::problem::{ConfigError, line_at};
use super::section::{
    CheckName, CheckerName, ElicitationName, FileSection, Kind, PrivacySection, SecretsSection,
    ServerSection,
};
use crate::config::mcp_json;

pub(crate) use self::settings::Unresolved;

/// One server as it is configured, its secrets still references.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Server {
    /// What it is called.
    pub(crate) name: ServerName,
    /// The file that has it; relative paths start from its folder.
    pub(crate) file: PathBuf,
    /// What kind it is.
    pub(crate) kind: Kind,
    /// What the file says.
    pub(crate) section: ServerSection,
}

/// Every configured server by name, also those that are switched off.
pub(crate) fn load(places: &Places) -> Result<Vec<Server>, ConfigError> {
    let mut servers = BTreeMap::new();
    for file in places.files()? {
        let text = std::fs::read_to_string(&file)
            .map_err(|source| ConfigError::Unreadable { path: file.clone(), source })?;
        for server in parse(&file, &text)? {
            servers.insert(server.name.clone(), server);
        }
    }
    Ok(servers.into_values().collect())
}

/// What the files say about everything but servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct General {
    /// Programs are checked before they run.
    pub(crate) check: bool,
    /// The user's own compiler that programs in TypeScript are checked with as well.
    pub(crate) checker: Option<CompilerKind>,
    /// Types are learned from results, unless a server says otherwise.
    pub(crate) learn: bool,
    /// Tools are found by meaning, too.
    pub(crate) embeddings: bool,
    /// What servers get that ask for roots.
    pub(crate) roots: upstream::Roots,
    /// What servers get that ask for a person's choice.
    pub(crate) elicitation: upstream::Elicitation,
}

/// Of several files the one whose servers count most decides.
pub(crate) fn general(places: &Places) -> Result<General, ConfigError> {
    let mut general = General {
        check: true,
        checker: None,
        learn: true,
        embeddings: false,
        roots: upstream::Roots::Refuse,
        elicitation: upstream::Elicitation::Refuse,
    };
    for (_, said) in wholes(places)? {
        general.check = said.check.map_or(general.check, |check| check == CheckName::On);
        general.checker = match said.checker {
            None => general.checker,
            Some(CheckerName::Tsc) => Some(CompilerKind::Tsc),
            Some(CheckerName::Tsgo) => Some(CompilerKind::Tsgo),
        };
        general.learn = said.learn.unwrap_or(general.learn);
        general.embeddings = said.embeddings.unwrap_or(general.embeddings);
        general.roots = said.roots.map_or(general.roots, upstream::Roots::Listed);
        general.elicitation = match said.elicitation {
            None => general.elicitation,
            Some(ElicitationName::Refuse) => upstream::Elicitation::Refuse,
            Some(ElicitationName::Decline) => upstream::Elicitation::Decline,
        };
    }
    Ok(general)
}

/// The settings under `[serve]`, as text, each with the file that has it.
pub(crate) fn service(places: &Places) -> Result<BTreeMap<String, (String, String)>, ConfigError> {
    let mut settings = BTreeMap::new();
    for (file, said) in wholes(places)? {
        for (name, value) in said.serve {
            settings.insert(name, (plain(&value), places.short(&file)));
        }
    }
    Ok(settings)
}

/// What is under `[limits]`, as text, each with the file that has it.
pub(crate) fn limits(places: &Places) -> Result<BTreeMap<String, (String, String)>, ConfigError> {
    let mut limits = BTreeMap::new();
    for (file, said) in wholes(places)? {
        for (name, value) in said.limits {
            limits.insert(name, (plain(&value), places.short(&file)));
        }
    }
    Ok(limits)
}

/// What is under `[policy]`. Rules of files that count less come first, because the first that fits
/// decides: who looks after the machine is not overruled by a project.
pub(crate) fn policy(places: &Places) -> Result<Policy, ConfigError> {
    let mut all = PolicySettings::default();
    let mut last = None;
    for (file, said) in wholes(places)? {
        if said.policy != PolicySettings::default() {
            last = Some(file);
        }
        let PolicySettings { reads, writes, destructive, unannotated, models, rules, flow } =
            said.policy;
        all.reads = reads.or(all.reads);
        all.writes = writes.or(all.writes);
        all.destructive = destructive.or(all.destructive);
        all.unannotated = unannotated.or(all.unannotated);
        all.models = models.or(all.models);
        all.rules.extend(rules);
        all.flow.extend(flow);
    }
    Policy::new(all, &LEVELS).map_err(|error| ConfigError::Policy {
        path: last.unwrap_or_default(),
        message: error.to_string(),
    })
}

/// What each file says about personal data and secrets.
pub(crate) fn privacy(
    places: &Places,
) -> Result<Vec<(String, PrivacySection, SecretsSection)>, ConfigError> {
    let files = wholes(places)?.into_iter();
    Ok(files.map(|(file, said)| (places.short(&file), said.privacy, said.secrets)).collect())
}

/// Tools that MCP clients see unchanged.
pub(crate) fn direct_tools(places: &Places) -> Result<Vec<String>, ConfigError> {
    Ok(wholes(places)?.into_iter().flat_map(|(_, said)| said.tools.direct).collect())
}

/// What each file says, and each variable and flag after them, the one that counts most last.
pub(super) fn wholes(places: &Places) -> Result<Vec<(PathBuf, FileSection)>, ConfigError> {
    let mut all = files(places)?;
    all.extend(said(places)?);
    Ok(all)
}

/// What each file says.
pub(super) fn files(places: &Places) -> Result<Vec<(PathBuf, FileSection)>, ConfigError> {
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file)
            .map_err(|source| ConfigError::Unreadable { path: file.clone(), source })?;
        let said = whole(&file, &text)?;
        Ok((file, said))
    };
    places.files()?.into_iter().map(read).collect()
}

/// What variables and flags say, each as if it were a file of that name.
pub(super) fn said(places: &Places) -> Result<Vec<(PathBuf, FileSection)>, ConfigError> {
    let read = |said: &Said| {
        let origin = PathBuf::from(&said.origin);
        let whole = whole(&origin, &said.toml)?;
        Ok((origin, whole))
    };
    places.said.iter().map(read).collect()
}

/// A value as it would be written in a variable.
pub(super) fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(parts) => parts.iter().map(plain).collect::<Vec<_>>().join(","),
        value => value.to_string(),
    }
}

pub(super) fn whole(file: &Path, text: &str) -> Result<FileSection, ConfigError> {
    toml::from_str(text).map_err(|error| ConfigError::from_toml(file, text, error))
}

/// The servers of one file.
pub(crate) fn parse(file: &Path, text: &str) -> Result<Vec<Server>, ConfigError> {
    let whole = whole(file, text)?;
    let check = |(written, spanned): (String, toml::Spanned<ServerSection>)| {
        let line = line_at(text, spanned.span().start);
        let section = spanned.into_inner();
        let wrong = |message| ConfigError::Server {
            path: file.to_owned(),
            line,
            server: written.clone(),
            message,
        };
        let name = name::check(&written).map_err(wrong)?;
        let kind = section.kind().map_err(wrong)?;
        Ok(Server { name, file: file.to_owned(), kind, section })
    };
    whole.servers.into_iter().map(check).collect()
}

/// The servers of an `mcpServers` file of any client, used as they are, without importing them.
/// Entries that cannot be used are told beside them.
pub(crate) fn from_mcp_json(places: &Places, file: &Path) -> Result<FromMcpJson, ConfigError> {
    let found = mcp_json::read(places, None, file)?;
    let servers = found.servers.into_iter().map(|entry| {
        let (name, kind, section) = (entry.name, entry.kind, entry.section);
        (entry.called, Server { name, file: file.to_owned(), kind, section })
    });
    let unusable = found.unusable.into_iter().map(|entry| (entry.called, entry.reason));
    Ok(FromMcpJson { servers: servers.collect(), unusable: unusable.collect() })
}

/// The one server of an `mcpServers` text that somebody sent us.
pub(crate) fn from_json(places: &Places, text: &str) -> Result<Server, String> {
    let file = Path::new("the request");
    let found = mcp_json::parse(places, file, text).map_err(|error| error.to_string())?;
    if let Some(entry) = found.unusable.into_iter().next() {
        return Err(format!("{:?} cannot be used: {}", entry.called, entry.reason));
    }
    let entry = found.servers.into_iter().next().ok_or("there is no server in it")?;
    let (name, kind, section) = (entry.name, entry.kind, entry.section);
    Ok(Server { name, file: PathBuf::from("/"), kind, section })
}

/// What an `mcpServers` file holds.
#[derive(Debug, Default)]
pub(crate) struct FromMcpJson {
    /// Those that can be used, each with what it is called there.
    pub(crate) servers: Vec<(String, Server)>,
    /// The others: what they are called there, and why not.
    pub(crate) unusable: Vec<(String, String)>,
}

#[cfg(test)]
mod tests;
