//! The same servers with nothing before them: calls one after another, by the official SDK's client.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::Value;

use crate::gate::{Call, settings, variables};
use crate::shared::Failure;
use crate::worlds::System;

/// Tokens of an answer that a client takes at most: what Claude Code does unless told otherwise.
pub(crate) const PART: usize = 25_000;

/// All servers of a system.
pub(crate) struct Direct {
    servers: HashMap<String, RunningService<RoleClient, ()>>,
    _children: Vec<tokio::process::Child>,
}

/// Calls that were made again.
pub(crate) struct Replayed {
    pub(crate) calls: u32,
    /// Messages, where an answer comes in parts of so many tokens as a client takes.
    pub(crate) parts: u32,
    pub(crate) took: Duration,
    /// Tokens of their names and arguments.
    pub(crate) written: usize,
}

impl Direct {
    /// One whose servers have said which tools they have.
    pub(crate) async fn start(system: &System, folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir(folder.join("notes"))?;
        let settings = settings(system)?;
        let servers =
            settings.get("servers").and_then(toml::Value::as_table).ok_or("no servers")?;
        let (mut clients, mut children) = (HashMap::new(), Vec::new());
        for (name, server) in servers {
            let mut child = command(server, folder)?.current_dir(system.folder()).spawn()?;
            let (reads, writes) =
                child.stdout.take().zip(child.stdin.take()).ok_or("no streams")?;
            // An answer that is longer than it takes by itself would never come.
            let lines =
                AsyncRwTransport::new_client(reads, writes).with_max_line_length(usize::MAX);
            let client = ().serve(lines).await?;
            client.list_all_tools().await?;
            clients.insert(name.clone(), client);
            children.push(child);
        }
        Ok(Self { servers: clients, _children: children })
    }

    /// Makes the calls of a program, whose system had another folder. Who asks by hand does not ask the same again
    /// and again: between two messages there is time enough.
    pub(crate) async fn replay(
        &mut self,
        calls: &[Call],
        theirs: &Path,
        ours: &Path,
    ) -> Result<Replayed, Failure> {
        let mut calls = calls.to_vec();
        calls.dedup();
        let (theirs, ours) = (theirs.display().to_string(), ours.display().to_string());
        let mut replayed = Replayed { calls: 0, parts: 0, took: Duration::ZERO, written: 0 };
        for Call { server, tool, arguments } in calls {
            let text = arguments.to_string().replace(&theirs, &ours);
            replayed.calls += 1;
            replayed.written += budget::count(&tool) + budget::count(&text);
            let Value::Object(arguments) = serde_json::from_str(&text)? else {
                return Err("arguments that are no object".into());
            };
            let client = self.servers.get(&server).ok_or("a server that is not there")?;
            let begun = Instant::now();
            let call = CallToolRequestParams::new(tool.clone()).with_arguments(arguments);
            let answer = client.call_tool(call).await?;
            replayed.took += begun.elapsed();
            if answer.is_error == Some(true) {
                return Err(format!("{server}.{tool} {text}: {answer:?}").into());
            }
            replayed.parts += u32::try_from(tokens(&answer)?.div_ceil(PART).max(1))?;
        }
        Ok(replayed)
    }
}

/// Tokens of an answer, as JSON if it is that and as text if not.
fn tokens(answer: &CallToolResult) -> Result<usize, Failure> {
    let text = match &answer.structured_content {
        Some(value) => value.to_string(),
        None => serde_json::to_string(&answer.content)?,
    };
    Ok(budget::count(&text))
}

fn command(server: &toml::Value, folder: &Path) -> Result<tokio::process::Command, Failure> {
    let program = server.get("command").and_then(toml::Value::as_str).ok_or("no command")?;
    let mut command = tokio::process::Command::new(program);
    let arguments = server.get("args").and_then(toml::Value::as_array).into_iter().flatten();
    for argument in arguments.filter_map(toml::Value::as_str) {
        command.arg(with_variables(argument, folder)?);
    }
    command.envs(variables(folder)?);
    let own = server.get("env").and_then(toml::Value::as_table).into_iter().flatten();
    for (name, value) in own {
        command.env(name, with_variables(value.as_str().unwrap_or_default(), folder)?);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    Ok(command)
}

/// A text of the settings with its `${env:NAME:-text}` filled in.
fn with_variables(text: &str, folder: &Path) -> Result<String, Failure> {
    let known = variables(folder)?;
    let mut parts = text.split("${env:");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (reference, rest) = part.split_once('}').ok_or("a reference without an end")?;
        let (name, otherwise) = reference.split_once(":-").unwrap_or((reference, ""));
        let value = known.iter().find(|(known, _)| *known == name);
        let value = value.map(|(_, value)| value.to_string_lossy().into_owned());
        filled += &value.unwrap_or_else(|| otherwise.to_owned());
        filled += rest;
    }
    Ok(filled)
}
