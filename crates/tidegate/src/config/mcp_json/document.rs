//! Finds the servers in a client's file, whichever shape it has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::variables::Input;
use crate::config::problem::{ConfigError, line_at};

/// Servers that stand together in a file.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// By the name they have there.
    pub(super) servers: Map<String, Value>,
    /// What VS Code asks its user for.
    pub(super) inputs: BTreeMap<String, Input>,
    /// Names of servers, here or in another file of the client, that the user switched off.
    pub(super) switched_off: Vec<String>,
    /// The project they are of, where a file has those of many.
    pub(super) project: Option<PathBuf>,
}

/// The groups of a file, the one that counts most first. `project` are the folders whose own
/// servers are wanted where a file has those of many projects.
pub(super) fn groups(
    file: &Path,
    text: &str,
    project: &[PathBuf],
) -> Result<Vec<Group>, ConfigError> {
    let is_toml = file.extension().is_some_and(|ending| ending == "toml");
    let whole = if is_toml { from_toml(file, text)? } else { from_json(file, text)? };
    let Value::Object(whole) = whole else {
        let message = "an object with servers in it was expected".to_owned();
        return Err(ConfigError::Syntax { path: file.to_owned(), line: 1, message });
    };
    let mut groups = of_projects(&whole, project);
    let nested = whole.get("mcp").and_then(Value::as_object);
    let candidates = [
        whole.get("mcpServers"),
        whole.get("mcp_servers"),
        whole.get("context_servers"),
        whole.get("servers"),
        whole.get("mcp.servers"),
        nested.and_then(|nested| nested.get("servers")),
    ];
    let inputs = inputs(whole.get("inputs").or_else(|| nested?.get("inputs")));
    for servers in candidates.into_iter().flatten().filter_map(Value::as_object) {
        let switched_off = nested.map(|nested| not_wanted(nested, servers)).unwrap_or_default();
        let (servers, inputs) = (servers.clone(), inputs.clone());
        groups.push(Group { servers, inputs, switched_off, project: None });
    }
    // Some put the servers at the top, without a name for the whole.
    let looks_bare = |value: &Value| {
        ["command", "url", "serverUrl", "httpUrl"]
            .iter()
            .any(|key| value.get(key).is_some_and(Value::is_string))
    };
    if groups.is_empty() && !whole.is_empty() && whole.values().all(looks_bare) {
        groups.push(Group { servers: whole, ..Group::default() });
    }
    Ok(groups)
}

/// Claude Code's `projects`: servers of one folder, and which others are switched off there.
fn of_projects(whole: &Map<String, Value>, project: &[PathBuf]) -> Vec<Group> {
    let Some(projects) = whole.get("projects").and_then(Value::as_object) else {
        return Vec::new();
    };
    let here = project
        .iter()
        .filter_map(|folder| Some((folder, projects.get(folder.to_str()?)?.as_object()?)));
    here.map(|(folder, one)| Group {
        servers: one.get("mcpServers").and_then(Value::as_object).cloned().unwrap_or_default(),
        inputs: BTreeMap::new(),
        switched_off: ["disabledMcpServers", "disabledMcpjsonServers"]
            .iter()
            .flat_map(|key| texts(one.get(*key)))
            .collect(),
        project: Some(folder.clone()),
    })
    .collect()
}

/// Gemini's `mcp.excluded`, and those that `mcp.allowed` leaves out.
fn not_wanted(nested: &Map<String, Value>, servers: &Map<String, Value>) -> Vec<String> {
    let mut names = texts(nested.get("excluded"));
    let allowed = texts(nested.get("allowed"));
    if !allowed.is_empty() {
        names.extend(servers.keys().filter(|name| !allowed.contains(name)).cloned());
    }
    names
}

fn inputs(value: Option<&Value>) -> BTreeMap<String, Input> {
    let all = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |input: &Value, key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    let read = |input: &Value| {
        let read =
            Input { description: text(input, "description"), default: text(input, "default") };
        Some((text(input, "id")?, read))
    };
    all.iter().filter_map(read).collect()
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let all = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    all.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

fn from_json(file: &Path, text: &str) -> Result<Value, ConfigError> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).map_err(
        |error| {
            let message = format!("this is not JSON: {}", error.kind());
            ConfigError::Syntax {
                path: file.to_owned(),
                line: line_at(text, error.range().start),
                message,
            }
        },
    )
}

fn from_toml(file: &Path, text: &str) -> Result<Value, ConfigError> {
    toml::from_str(text).map_err(|error| ConfigError::from_toml(file, text, error))
}
