//! Real definitions behind a real gateway; only what the tools return is ours.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Path, State};
use axum::{Json, Router, routing};
use catalog::{Listing, ServerName, corpus};
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::{Map, Value, json};

use crate::tasks::{Task, result};
use crate::{Failure, count};

/// How often each tool was asked in the task under way.
pub(crate) type Asked = Arc<Mutex<HashMap<(String, String), usize>>>;

/// So many tools, and a gateway in front of them.
pub(crate) struct World {
    client: RunningService<RoleClient, ()>,
    tokens: HashMap<(String, String), usize>,
    asked: Asked,
    _child: tokio::process::Child,
    _folder: tempfile::TempDir,
}

impl World {
    /// One with as many tools of real servers, among them those of the tasks.
    pub(crate) async fn open(size: usize, tasks: &[Task]) -> Result<Self, Failure> {
        Self::of(&chosen(size, tasks)).await
    }

    async fn of(listings: &[Listing]) -> Result<Self, Failure> {
        let (asked, folder) = behind(listings).await?;
        let file = folder.path().join("tidegate.toml");
        let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .arg("mcp")
            .env("TIDEGATE_CONFIG", &file)
            .env("TIDEGATE_CACHE", cache())
            .env("TIDEGATE_DATA", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let streams = child.stdout.take().zip(child.stdin.take()).ok_or("no streams")?;
        let client = ().serve(streams).await?;
        let mut tokens = HashMap::new();
        for listing in listings {
            for tool in &listing.tools {
                let shown = json!({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema});
                tokens.insert(
                    (listing.server.0.clone(), tool.name.0.clone()),
                    count(&shown.to_string()),
                );
            }
        }
        Ok(Self { client, tokens, asked, _child: child, _folder: folder })
    }

    /// A task begins: tools answer as they do the first time.
    pub(crate) fn begin(&self, _: &Task) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn all_tokens(&self) -> usize {
        self.tokens.values().sum()
    }

    pub(crate) fn definition_tokens(&self, server: &str, tool: &str) -> usize {
        self.tokens.get(&(server.to_owned(), tool.to_owned())).copied().unwrap_or_default()
    }

    /// Our own definitions, and what we say to agents when they connect.
    pub(crate) async fn own_tokens(&self) -> Result<usize, Failure> {
        let tools = self.client.list_all_tools().await?;
        let instructions = self.client.peer_info().and_then(|info| info.instructions.clone());
        let shown: usize = tools.iter().map(shown_tokens).sum();
        Ok(shown + instructions.map_or(0, |text| count(&text)))
    }

    pub(crate) async fn search(&self, query: &str, limit: usize) -> Result<String, Failure> {
        let asked = json!({"query": query, "detail_level": "full", "limit": limit});
        self.call("search_tools", asked).await
    }

    pub(crate) async fn execute(&self, code: &str) -> Result<String, Failure> {
        self.call("execute_python", json!({"code": code, "timeout": 60})).await
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> Result<String, Failure> {
        let Value::Object(arguments) = arguments else { return Err("no arguments".into()) };
        let call = CallToolRequestParams::new(tool).with_arguments(arguments);
        let answer = self.client.call_tool(call).await?;
        let said = text(&answer);
        if answer.is_error == Some(true) {
            return Err(said.into());
        }
        Ok(said)
    }
}

/// Tokens of a tool that searches tools, which the second way needs as well.
pub(crate) fn search_tool_tokens() -> usize {
    let tool = json!({
        "name": "search_tools", "description": "Finds tools by what they do and loads their definitions.",
        "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    });
    count(&tool.to_string())
}

/// Tools that answer, and a folder with a configuration that names them.
pub(crate) async fn behind(listings: &[Listing]) -> Result<(Asked, tempfile::TempDir), Failure> {
    let asked = Asked::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = Router::new()
        .route("/{server}/{tool}", routing::post(answer))
        .with_state(Arc::clone(&asked));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let folder = tempfile::tempdir()?;
    let text = configuration(listings, &address.to_string())?;
    std::fs::write(folder.path().join("tidegate.toml"), text)?;
    Ok((asked, folder))
}

/// The guest runtime that tests and benchmarks share.
pub(crate) fn cache() -> std::path::PathBuf {
    let shared = std::env::var_os("TIDEGATE_TEST_CACHE").map(Into::into);
    shared.unwrap_or_else(|| std::env::temp_dir().join("tidegate-bench"))
}

fn shown_tokens(tool: &rmcp::model::Tool) -> usize {
    count(&json!({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}).to_string())
}

fn text(answer: &CallToolResult) -> String {
    answer.content.iter().filter_map(|part| part.as_text()).map(|part| &*part.text).collect()
}

/// The servers of the tasks, then others, up to `size` tools. Where there are not enough, servers
/// come a second time under another name, as with two accounts.
fn chosen(size: usize, tasks: &[Task]) -> Vec<Listing> {
    let needed: Vec<&str> =
        tasks.iter().flat_map(|task| task.calls.iter().map(|(server, ..)| *server)).collect();
    let tools: Vec<&str> =
        tasks.iter().flat_map(|task| task.calls.iter().map(|(_, tool, _)| *tool)).collect();
    let (first, rest): (Vec<Listing>, Vec<Listing>) =
        corpus::listings().into_iter().partition(|one| needed.contains(&one.server.0.as_str()));
    let again = rest
        .clone()
        .into_iter()
        .map(|one| Listing { server: ServerName(format!("{}-2", one.server.0)), ..one });
    let mut left = size;
    let mut chosen = Vec::new();
    // Every task must find its tools, also where there are few: those come first.
    let necessary = first
        .iter()
        .map(|one| one.tools.iter().filter(|tool| tools.contains(&tool.name.0.as_str())).count());
    let mut spare = size.saturating_sub(necessary.sum());
    for mut listing in first {
        listing.tools.retain(|tool| {
            let keeps = tools.contains(&tool.name.0.as_str()) || spare > 0;
            if keeps && !tools.contains(&tool.name.0.as_str()) {
                spare -= 1;
            }
            keeps
        });
        left = left.saturating_sub(listing.tools.len());
        chosen.push(listing);
    }
    for mut listing in rest.into_iter().chain(again) {
        listing.tools.truncate(left);
        left -= listing.tools.len();
        if !listing.tools.is_empty() {
            chosen.push(listing);
        }
    }
    chosen
}

fn configuration(listings: &[Listing], address: &str) -> Result<String, Failure> {
    let mut text = String::new();
    for listing in listings {
        let server = &listing.server.0;
        let description = listing.description.as_deref().unwrap_or_default();
        let _ = writeln!(text, "[servers.{server:?}]\ndescription = {}", json!(description));
        for tool in &listing.tools {
            let name = &tool.name.0;
            let mut entry = Map::new();
            entry.insert("name".into(), json!(name));
            entry.insert(
                "url".into(),
                json!(format!("http://{address}/{server}/{}", name.replace('/', "%2F"))),
            );
            entry.insert(
                "description".into(),
                json!(tool.description.as_deref().unwrap_or_default()),
            );
            let _ = writeln!(text, "[[servers.{server:?}.tools]]");
            for (key, value) in entry {
                let _ = writeln!(text, "{key} = {value}");
            }
            // TOML has no null; a schema may.
            let schema = serde_json::to_string(&tool.input_schema)?;
            let schema = toml::Value::try_from(without_null(serde_json::from_str(&schema)?))?;
            let _ = writeln!(text, "input-schema = {}", inline(&schema));
        }
    }
    Ok(text)
}

fn without_null(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_null(value)))
            .collect(),
        Value::Array(list) => {
            list.into_iter().filter(|value| !value.is_null()).map(without_null).collect()
        }
        other => other,
    }
}

fn inline(value: &toml::Value) -> String {
    match value {
        toml::Value::Table(table) => {
            let fields: Vec<String> = table
                .iter()
                .map(|(key, value)| format!("{} = {}", json!(key), inline(value)))
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        toml::Value::Array(list) => {
            format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        toml::Value::String(text) => json!(text).to_string(),
        other => other.to_string(),
    }
}

async fn answer(
    State(asked): State<Asked>,
    Path((server, tool)): Path<(String, String)>,
) -> Json<Value> {
    let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
    let number = asked.entry((server.clone(), tool.clone())).or_default();
    *number += 1;
    Json(result(&server, &tool, *number - 1))
}
