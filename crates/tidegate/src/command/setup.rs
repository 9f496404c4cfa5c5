//! `tidegate setup CLIENT`: writes us into an MCP client's configuration.
//!
//! Only our own entry changes; comments and everything else stay as they are. The change is shown
//! first, and the file as it was is kept beside it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use toml_edit::{DocumentMut, Item, Table, value};

use crate::ask;
use crate::config::Config;
use crate::config::mcp_json::Client;
use crate::exit::{Ending, Misuse};
use crate::out::{self, DIM};

/// What we are called in clients.
const NAME: &str = "tidegate";

/// Options of `tidegate setup`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The client.
    #[arg(value_enum)]
    client: Client,
    /// Write to the project's file instead of your own.
    #[arg(long)]
    project: bool,
    /// Change the file without asking.
    #[arg(long, short)]
    yes: bool,
    /// Show the change, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

/// Runs `tidegate setup`.
pub(crate) fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let (client, places) = (arguments.client, config.places());
    // Claude Code shares a project's servers through `.mcp.json`, and nothing else is meant for hands.
    let project = arguments.project || client == Client::ClaudeCode;
    let file = client.file_to_write(places, project).ok_or_else(|| {
        let label = client.label();
        Misuse::error(format!("{label} has no such file here; try with or without --project"))
    })?;
    let before = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            return Err(Misuse::error(format!("could not read {}: {error}", file.display())));
        }
    };
    let start = Start { command: command(config)?, folders: config.named_folders() };
    let after = changed(client, &before, &start).map_err(|problem| {
        Misuse::error(format!("{} is left as it is: {problem}", places.short(&file)))
    })?;
    let shown = places.short(&file);
    if after == before {
        out::tell(format_args!("{shown} has it already; restart {} to use it", client.label()));
        return Ok(Ending::Success);
    }
    show(&shown, &before, &after);
    if arguments.dry_run {
        out::tell(format_args!("a dry run: {shown} is as it was"));
        return Ok(Ending::Success);
    }
    if !arguments.yes && !agreed(&shown)? {
        out::tell(format_args!("{shown} is as it was"));
        return Ok(Ending::Success);
    }
    let backup = write(&file, &before, &after)?;
    if let Some(backup) = backup {
        out::tell(format_args!("the file as it was is {}", places.short(&backup)));
    }
    out::tell(format_args!("wrote {shown}; restart {} to use it", client.label()));
    Ok(Ending::Success)
}

fn agreed(file: &str) -> anyhow::Result<bool> {
    let answer = ask::yes_or_no(&format!("write this to {file}?"), true)?;
    answer.ok_or_else(|| {
        Misuse::error("nobody answered, so nothing was changed; --yes writes without asking")
    })
}

/// How a client starts us.
struct Start {
    command: Vec<String>,
    /// Variables with the folders that were named here: the client has an environment of its own.
    folders: Vec<(String, String)>,
}

/// How a client starts us: this very program, with the configuration it was told to use.
fn command(config: &Config) -> anyhow::Result<Vec<String>> {
    let own = std::env::current_exe().context("could not find this program itself")?;
    let mut command = vec![own.display().to_string(), "mcp".to_owned()];
    if let Some(file) = &config.places().explicit {
        command.extend(["--config".to_owned(), file.display().to_string()]);
    }
    Ok(command)
}

fn changed(client: Client, before: &str, start: &Start) -> Result<String, String> {
    if client == Client::Codex {
        return in_toml(before, client.servers_key(), start);
    }
    let (program, arguments) = start.command.split_first().ok_or("there is no command")?;
    let text = if before.trim().is_empty() { "{}\n" } else { before };
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|e| e.to_string())?;
    let whole = root.object_value_or_create().ok_or("it is no JSON object")?;
    let servers = whole
        .object_value_or_create(client.servers_key())
        .ok_or_else(|| format!("`{}` in it is no object", client.servers_key()))?;
    let mut entry = Vec::new();
    if matches!(client, Client::Vscode | Client::ClaudeCode) {
        entry.push(("type".to_owned(), CstInputValue::String("stdio".to_owned())));
    }
    if client == Client::Zed {
        entry.push(("source".to_owned(), CstInputValue::String("custom".to_owned())));
    }
    entry.push(("command".to_owned(), CstInputValue::String(program.clone())));
    let arguments = arguments.iter().cloned().map(CstInputValue::String).collect();
    entry.push(("args".to_owned(), CstInputValue::Array(arguments)));
    if !start.folders.is_empty() {
        let folders = start.folders.iter().cloned();
        let folders = folders.map(|(name, folder)| (name, CstInputValue::String(folder))).collect();
        entry.push(("env".to_owned(), CstInputValue::Object(folders)));
    }
    let entry = CstInputValue::Object(entry);
    match servers.get(NAME) {
        Some(known) => known.set_value(entry),
        None => {
            servers.append(NAME, entry);
        }
    }
    Ok(root.to_string())
}

fn in_toml(before: &str, key: &str, start: &Start) -> Result<String, String> {
    let (program, arguments) = start.command.split_first().ok_or("there is no command")?;
    let mut document: DocumentMut = before.parse().map_err(|error| format!("{error}"))?;
    let servers = document.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers.as_table_like_mut().ok_or_else(|| format!("`{key}` is no table"))?;
    let mut entry = Table::new();
    entry.insert("command", value(program));
    entry.insert("args", value(arguments.iter().collect::<toml_edit::Array>()));
    if !start.folders.is_empty() {
        let mut folders = Table::new();
        for (name, folder) in &start.folders {
            folders.insert(name, value(folder));
        }
        entry.insert("env", Item::Table(folders));
    }
    servers.insert(NAME, Item::Table(entry));
    Ok(document.to_string())
}

/// The lines that change.
fn show(file: &str, before: &str, after: &str) {
    out::tell(format_args!("{DIM}{file}{DIM:#}"));
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = (old.len() - same).min(new.len() - same);
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest);
    let tail = tail.take_while(|(old, new)| old == new).count();
    for line in &old[same..old.len() - tail] {
        out::tell(format_args!("- {}", out::clean(line)));
    }
    for line in &new[same..new.len() - tail] {
        out::tell(format_args!("+ {}", out::clean(line)));
    }
}

/// Writes the file and keeps the old one beside it.
fn write(file: &Path, before: &str, after: &str) -> anyhow::Result<Option<PathBuf>> {
    let what = || format!("could not write {}", file.display());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(what)?;
    }
    let backup = (!before.is_empty()).then(|| {
        let mut name = file.file_name().unwrap_or_default().to_owned();
        name.push(".before-tidegate");
        let first = file.with_file_name(&name);
        // What was there before the first time is never written over.
        let later = (2..1000).map(|number| {
            let mut name = name.clone();
            name.push(format!("-{number}"));
            file.with_file_name(name)
        });
        std::iter::once(first.clone()).chain(later).find(|path| !path.exists()).unwrap_or(first)
    });
    if let Some(backup) = &backup {
        std::fs::copy(file, backup).with_context(what)?;
    }
    // Through a link to where the file really is, and never half of it.
    let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let aside = real.with_extension("tidegate-new");
    std::fs::write(&aside, after).with_context(what)?;
    if let Ok(metadata) = std::fs::metadata(&real) {
        std::fs::set_permissions(&aside, metadata.permissions()).with_context(what)?;
    }
    std::fs::rename(&aside, &real).with_context(what)?;
    Ok(backup)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Start {
        let command = ["/bin/tidegate", "mcp"].map(str::to_owned).to_vec();
        Start { command, folders: Vec::new() }
    }

    #[test]
    fn folders_that_were_named_here_are_named_there_too() {
        let folders = vec![("TIDEGATE_DATA".to_owned(), "/srv/gate".to_owned())];
        let start = Start { folders, ..command() };
        let json = changed(Client::Cursor, "", &start).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let env = &json["mcpServers"]["tidegate"]["env"];
        assert_eq!(*env, serde_json::json!({ "TIDEGATE_DATA": "/srv/gate" }), "{json}");
        let toml: DocumentMut = changed(Client::Codex, "", &start).unwrap().parse().unwrap();
        let env = toml["mcp_servers"]["tidegate"]["env"]["TIDEGATE_DATA"].as_str();
        assert_eq!(env, Some("/srv/gate"), "{toml}");
        assert_eq!(changed(Client::Codex, &toml.to_string(), &start).unwrap(), toml.to_string());
    }

    #[test]
    fn comments_and_other_servers_stay() {
        let before =
            "{\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  }\n}\n";
        let after = changed(Client::Cursor, before, &command()).unwrap();
        insta::assert_snapshot!(after);
        assert_eq!(changed(Client::Cursor, &after, &command()).unwrap(), after);
    }

    #[test]
    fn an_empty_file_becomes_one_with_our_entry() {
        insta::assert_snapshot!(changed(Client::Vscode, "", &command()).unwrap());
    }

    #[test]
    fn codex_gets_a_table() {
        let before = "model = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
        insta::assert_snapshot!(changed(Client::Codex, before, &command()).unwrap());
    }

    #[test]
    fn a_file_that_is_no_object_is_left() {
        assert!(changed(Client::Cursor, "[1]", &command()).is_err());
        assert!(changed(Client::Cursor, r#"{"mcpServers": 3}"#, &command()).is_err());
    }
}
