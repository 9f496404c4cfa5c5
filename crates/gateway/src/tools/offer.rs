//! What one program can call, and how its calls find their way.

use std::borrow::Cow;
use std::sync::Arc;

use catalog::{Catalog, CatalogTool, ResolveError, ServerName};
use engine::{CallError, CallResult, Folder, HostCall};
use futures_util::future::join_all;
use metrics::counter;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use upstream::{CallFailure, ConnectError, before_leaving};

use super::{PATIENCE, Tools, wanted};
use crate::answer::{answer, kept_words, words};
use crate::behalf::Behalf;
use crate::finding::Search;
use crate::hearing::{UNANSWERED, UNSENT};
use crate::service::durable::Effect;
use crate::tally::Tally;
use crate::web;

/// What one program can call, as of when it started.
pub struct Offer {
    pub(super) tools: Arc<Tools>,
    pub(super) made: Option<(Arc<Catalog>, Arc<Folder>)>,
    /// Counts what its calls would have cost a model.
    pub(super) tally: Arc<Tally>,
}

#[derive(Deserialize)]
struct ToolCall {
    #[serde(default)]
    server: Option<String>,
    tool: String,
    #[serde(default)]
    arguments: Value,
}

/// Which tool is called; its arguments are passed over.
#[derive(Deserialize)]
struct Named<'call> {
    #[serde(borrow, default)]
    server: Option<Cow<'call, str>>,
    #[serde(borrow)]
    tool: Cow<'call, str>,
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    server: Option<String>,
    #[serde(default)]
    uri: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Map<String, Value>,
}

impl Offer {
    /// What there is to call; `None` when the program asks for no server.
    pub(crate) fn catalog(&self) -> Option<&Arc<Catalog>> {
        self.made.as_ref().map(|(catalog, _)| catalog)
    }

    /// What the program finds under `/servers`; `None` when it asks for no server.
    #[must_use]
    pub fn folder(&self) -> Option<Arc<Folder>> {
        self.made.as_ref().map(|(_, folder)| Arc::clone(folder))
    }

    /// What was counted of its calls so far.
    pub(crate) fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    /// Answers what needs no server.
    #[must_use]
    pub fn at_once(&self, call: &HostCall) -> Option<CallResult> {
        if call.name == "$search" {
            return Some(CallResult { id: call.id, result: self.search(&call.arguments) });
        }
        if call.name == "$summarize" {
            return Some(CallResult { id: call.id, result: summarized(&call.arguments) });
        }
        let known = ["$call", web::CALL, "$resources", "$resource", "$prompts", "$prompt"];
        (!known.contains(&call.name.as_str())).then(|| {
            CallResult::failed(
                call.id,
                format!("there is no host function called {:?}; call tools as `from servers.NAME import TOOL`", call.name),
            )
        })
    }

    fn search(&self, arguments: &RawValue) -> Result<Box<RawValue>, CallError> {
        let asked: Search = serde_json::from_str(arguments.get())
            .map_err(|error| fault("ArgumentError", format!("search_tools(): {error}")))?;
        let found = match &self.made {
            Some((catalog, _)) => self.tools.finder.find(catalog, &asked),
            None => self.tools.find(&asked),
        };
        raw(&found.map_err(|error| fault("UnknownServer", error.to_string()))?)
    }

    /// Says that the program is over: what was learned from it may be kept.
    pub(crate) fn after_run(&self) {
        self.tools.after_run();
    }

    /// What a call may do out there, as far as anybody who is believed has said.
    pub(crate) fn effect(&self, call: &HostCall) -> Effect {
        if call.name == web::CALL {
            return web::effect(call);
        }
        if call.name != "$call" {
            return Effect::Read;
        }
        let Ok(named) = serde_json::from_str::<Named<'_>>(call.arguments.get()) else {
            return Effect::Write;
        };
        self.effect_of(named.server.as_deref(), &named.tool)
    }

    /// The same of a tool; what is none of any server's reads.
    pub(crate) fn effect_of(&self, server: Option<&str>, tool: &str) -> Effect {
        if tool.starts_with('$') {
            return Effect::Read;
        }
        if server == Some(web::SERVER) && tool.contains(' ') {
            return web::effect_of(tool);
        }
        let catalog = self.widest();
        let Ok(tool) = catalog.resolve(server, tool) else {
            return Effect::Write;
        };
        let trusted = self.tools.policies().get(tool.server()).is_some_and(|policy| policy.trusted);
        if trusted { Effect::of(&tool.tool().annotations) } else { Effect::Write }
    }

    fn widest(&self) -> Arc<Catalog> {
        self.made.as_ref().map_or_else(|| self.tools.made().0, |made| Arc::clone(&made.0))
    }

    /// Counts calls that were answered in an earlier process.
    pub(crate) fn count_before<'a>(
        &self,
        calls: impl Iterator<Item = (&'a HostCall, &'a CallResult)>,
    ) {
        let catalog = self.widest();
        for (call, answer) in calls.filter(|(call, _)| call.name == "$call") {
            let Ok(call) = serde_json::from_str::<ToolCall>(call.arguments.get()) else {
                continue;
            };
            let Ok(tool) = catalog.resolve(call.server.as_deref(), &call.tool) else { continue };
            let text = match &answer.result {
                Ok(value) => kept_words(value),
                Err(error) if error.kind == "ToolError" => error.message.clone(),
                Err(_never_came) => continue,
            };
            let sent = budget::count(&call.arguments.to_string()) as u64;
            self.tally.saw(format!("{}.{}", tool.server(), tool.name()), sent, text);
        }
    }

    /// Carries out one call.
    pub async fn carry_out(&self, call: &HostCall, behalf: &Behalf) -> CallResult {
        let result = match call.name.as_str() {
            "$call" => self.call_tool(&call.arguments, behalf).await,
            web::CALL => web::fetch(&self.tools.web, &call.arguments).await,
            _ => self.ask(&call.name, &call.arguments).await,
        };
        CallResult { id: call.id, result }
    }

    async fn call_tool(
        &self,
        arguments: &RawValue,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let call: ToolCall = serde_json::from_str(arguments.get())
            .map_err(|error| fault("ArgumentError", unreadable(arguments, &error)))?;
        let server = call.server.as_deref();
        match self.made.as_ref().map(|(catalog, _)| catalog.resolve(server, &call.tool)) {
            Some(Ok(tool)) => return self.send(tool, call.arguments, behalf).await,
            // More servers would not make it clearer.
            Some(Err(
                error @ (ResolveError::Withheld(_)
                | ResolveError::Ambiguous { .. }
                | ResolveError::AmbiguousServer { .. }),
            )) => {
                return Err(fault("UnknownTool", error.to_string()));
            }
            Some(Err(_)) | None => {}
        }
        let catalog = before_leaving(self.wider_catalog(server)).await?;
        let tool = catalog
            .resolve(server, &call.tool)
            .map_err(|error| fault("UnknownTool", error.to_string()))?;
        self.send(tool, call.arguments, behalf).await
    }

    /// Sends one call whose tool is known, and brings back its value.
    pub(super) async fn send(
        &self,
        tool: &CatalogTool,
        arguments: Value,
        _behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let arguments = checked(tool, arguments)?;
        before_leaving(self.tools.confirm(tool)).await?;
        let sent = serde_json::to_string(&arguments).map_or(0, |text| budget::count(&text));
        let mut counted = Counted { tool, outcome: "cancelled" };
        let result = self.tools.upstreams.call(tool.server(), tool.name(), arguments).await;
        counted.outcome = match &result {
            Ok(result) if !result.is_error => "ok",
            _ => "error",
        };
        drop(counted);
        let result = result.map_err(|failure| from_failure(&failure))?;
        self.tally.saw(format!("{}.{}", tool.server(), tool.name()), sent as u64, words(&result));
        if result.is_error {
            return Err(fault("ToolError", words(&result)));
        }
        let value = answer(&result).map_err(|error| fault("ServerError", error.to_string()))?;
        let is_current = || self.tools.is_current(tool);
        self.tools.learning.saw(tool, result, value.get().len(), is_current);
        Ok(value)
    }

    /// A catalog that may have a tool which was not known when the program started.
    async fn wider_catalog(&self, server: Option<&str>) -> Result<Arc<Catalog>, CallError> {
        let configured = server
            .map(|name| ServerName(name.to_owned()))
            .filter(|name| self.tools.policies().contains_key(name));
        if let Some(name) = configured {
            let asked = self.tools.ask_anew(&name).await;
            asked.map_err(|error| not_connected(&error))?;
            return Ok(self.tools.made().0);
        }
        let asked = tokio::time::timeout(PATIENCE, self.tools.ask_again(None)).await;
        Ok(asked.map_or_else(|_| self.tools.made().0, |(catalog, _)| catalog))
    }

    async fn ask(&self, what: &str, arguments: &RawValue) -> Result<Box<RawValue>, CallError> {
        let asked: Asked = serde_json::from_str(arguments.get())
            .map_err(|error| fault("ArgumentError", error.to_string()))?;
        let upstreams = &self.tools.upstreams;
        match what {
            "$resources" => {
                self.gathered(&asked, |server| async move { upstreams.resources(&server).await })
                    .await
            }
            "$prompts" => {
                self.gathered(&asked, |server| async move { upstreams.prompts(&server).await })
                    .await
            }
            "$resource" => {
                let uri = asked
                    .uri
                    .as_deref()
                    .ok_or_else(|| fault("ArgumentError", "read_resource needs a `uri`".into()))?;
                self.resource(&asked, uri).await
            }
            _ => {
                let name = asked
                    .name
                    .as_deref()
                    .ok_or_else(|| fault("ArgumentError", "get_prompt needs a `name`".into()))?;
                let server = self.one(&asked)?;
                raw(&upstreams
                    .prompt(&server, name, asked.arguments)
                    .await
                    .map_err(|failure| from_failure(&failure))?)
            }
        }
    }

    /// Lists from the server that was named, or from all that have any.
    async fn gathered<F>(
        &self,
        asked: &Asked,
        list: impl Fn(ServerName) -> F,
    ) -> Result<Box<RawValue>, CallError>
    where
        F: Future<Output = Result<Vec<Value>, CallFailure>>,
    {
        if asked.server.is_some() {
            let server = self.one(asked)?;
            return raw(&list(server).await.map_err(|failure| from_failure(&failure))?);
        }
        let servers: Vec<ServerName> = self.tools.names();
        // One that does not answer soon does not hold up the others.
        let soon = |server: &ServerName| tokio::time::timeout(PATIENCE, list(server.clone()));
        let lists = join_all(servers.iter().map(soon)).await;
        let mut all = Vec::new();
        for (server, listed) in servers.iter().zip(lists) {
            for mut item in listed.ok().and_then(Result::ok).unwrap_or_default() {
                if let Some(item) = item.as_object_mut() {
                    item.insert("server".into(), Value::String(server.0.clone()));
                }
                all.push(item);
            }
        }
        raw(&all)
    }

    /// One resource, from the server that was named or the only one that has it.
    async fn resource(&self, asked: &Asked, uri: &str) -> Result<Box<RawValue>, CallError> {
        let upstreams = &self.tools.upstreams;
        if asked.server.is_some() {
            let server = self.one(asked)?;
            return raw(&upstreams
                .resource(&server, uri)
                .await
                .map_err(|failure| from_failure(&failure))?);
        }
        let servers = self.tools.names();
        // One that does not answer soon does not hold up the others.
        let soon = |server| tokio::time::timeout(PATIENCE, upstreams.resource(server, uri));
        let tried = join_all(servers.iter().map(soon)).await;
        let mut found =
            servers.iter().zip(tried).filter_map(|(server, read)| Some((server, read.ok()?.ok()?)));
        let (first, resource) = found.next().ok_or_else(|| {
            fault(
                "UnknownResource",
                format!("no server has a resource {uri:?}; `await list_resources()` lists them"),
            )
        })?;
        let others: Vec<&str> = found.map(|(server, _)| server.0.as_str()).collect();
        if !others.is_empty() {
            return Err(fault(
                "ArgumentError",
                format!(
                    "several servers have a resource {uri:?}: {}, {}; name one: \
                     await read_resource({:?}, {uri:?})",
                    first.0,
                    others.join(", "),
                    first.0
                ),
            ));
        }
        raw(&resource)
    }

    /// The server that was named, by any of its names.
    fn one(&self, asked: &Asked) -> Result<ServerName, CallError> {
        let policies = self.tools.policies();
        let names = policies.keys();
        let Some(wanted) = &asked.server else {
            return Err(fault(
                "ArgumentError",
                "name the server: its name is the first argument".into(),
            ));
        };
        let found = names.clone().find(|name| name.0 == *wanted).or_else(|| {
            names.clone().find(|name| wanted::folded(&name.0) == wanted::folded(wanted))
        });
        found.cloned().ok_or_else(|| {
            let all: Vec<&str> = names.map(|name| name.0.as_str()).collect();
            fault(
                "UnknownServer",
                format!("there is no server {wanted:?}; there are: {}", all.join(", ")),
            )
        })
    }
}

/// Why a call cannot be read.
fn unreadable(arguments: &RawValue, error: &serde_json::Error) -> String {
    if upstream::whole_letters(arguments.get().as_bytes()).is_some() {
        return "a text in the arguments holds half a letter (a lone surrogate), which JSON cannot carry; \
                text.encode(\"utf-8\", \"replace\").decode() makes it whole"
            .to_owned();
    }
    format!("a call must name a tool: {error}")
}

/// Counts a call when it is over, however it ends.
struct Counted<'call> {
    tool: &'call CatalogTool,
    outcome: &'static str,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let (server, tool) = (self.tool.server().0.clone(), self.tool.name().0.clone());
        let outcome = self.outcome;
        counter!("tidegate_host_calls_total", "server" => server, "tool" => tool, "outcome" => outcome)
            .increment(1);
    }
}

/// What `summarize()` asks for.
#[derive(Deserialize)]
struct Summarize<'call> {
    #[serde(borrow)]
    value: &'call RawValue,
    strategy: budget::Strategy,
    max_tokens: usize,
}

fn summarized(arguments: &RawValue) -> Result<Box<RawValue>, CallError> {
    let wrong = |problem: String| fault("ArgumentError", format!("summarize(): {problem}"));
    let asked: Summarize<'_> =
        serde_json::from_str(arguments.get()).map_err(|error| wrong(error.to_string()))?;
    if asked.max_tokens < budget::LEAST_TOKENS {
        return Err(wrong(format!("max_tokens is at least {}", budget::LEAST_TOKENS)));
    }
    Ok(budget::fit(asked.value, asked.strategy, asked.max_tokens).value)
}

fn checked(tool: &CatalogTool, arguments: Value) -> Result<Map<String, Value>, CallError> {
    let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
    let checked = tool.check(&arguments).map(|fitting| match fitting {
        Cow::Borrowed(_) => None,
        Cow::Owned(changed) => Some(changed),
    });
    let changed = checked.map_err(|mistake| fault("ArgumentError", mistake.to_string()))?;
    match changed.unwrap_or(arguments) {
        Value::Object(arguments) => Ok(arguments),
        _ => Err(fault("ArgumentError", "arguments must be an object".into())),
    }
}

/// What the server wrote to standard error is told to who looks after it, not to programs.
fn not_connected(problem: &ConnectError) -> CallError {
    let said = problem.in_short();
    fault(
        "ServerError",
        match problem.server() {
            Some(server) => format!("{said}; `tidegate test {server}` shows more"),
            None => said,
        },
    )
}

fn from_failure(failure: &CallFailure) -> CallError {
    if let CallFailure::NotConnected(problem) = failure {
        return CallError { kind: UNSENT.to_owned(), ..not_connected(problem) };
    }
    let kind = match failure {
        CallFailure::Refused { .. } => "ToolError",
        // It left, and nobody knows what became of it.
        failure if failure.is_ambiguous() => UNANSWERED,
        _ => "ServerError",
    };
    fault(kind, failure.to_string())
}

fn fault(kind: &str, message: String) -> CallError {
    CallError { kind: kind.into(), message }
}

fn raw(value: &impl Serialize) -> Result<Box<RawValue>, CallError> {
    to_raw_value(value).map_err(|error| fault("ServerError", error.to_string()))
}
