//! Servers for tests, and short ways to call them.
#![allow(dead_code, clippy::allow_attributes, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use catalog::{ServerName, ToolName};
use serde_json::{Map, Value};
use upstream::{
    Auth, CallFailure, ConnectError, Http, Options, Part, ServerSettings, ServerState,
    ServerStatus, Source, Startup, Stdio, Timeouts, ToolResult, Upstreams, Wire,
};

pub(crate) fn name(text: &str) -> ServerName {
    ServerName(text.to_owned())
}

/// Settings as an operator who says nothing gets them.
pub(crate) fn server(called: &str, source: Source) -> ServerSettings {
    ServerSettings {
        name: name(called),
        source,
        description: None,
        startup: Startup::Lazy,
        timeouts: Timeouts::default(),
        concurrency: 16,
        answer_bytes: 64 << 20,
    }
}

pub(crate) fn stdio(command: &str, arguments: &[&str]) -> Source {
    Source::Stdio(Stdio {
        shown: Some(
            std::iter::once(command).chain(arguments.iter().copied()).collect::<Vec<_>>().join(" "),
        ),
        command: command.to_owned(),
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        environment: BTreeMap::new(),
        folder: None,
    })
}

/// The fixture server in one of its modes; its name is the mode.
pub(crate) fn fixture(mode: &str) -> ServerSettings {
    let script = folder().join("tests/fixtures/server.py");
    server(mode, stdio("python3", &[script.to_str().unwrap(), mode]))
}

fn folder() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).to_owned()
}

pub(crate) fn http(url: &str, wire: Wire) -> Source {
    let url = url.parse().unwrap();
    Source::Http(Http { url, headers: BTreeMap::new(), auth: Auth::default(), wire })
}

pub(crate) fn options() -> Options {
    Options { environment: std::env::vars_os().collect(), ..Options::default() }
}

pub(crate) fn start(servers: impl IntoIterator<Item = ServerSettings>) -> Arc<Upstreams> {
    Upstreams::new(servers.into_iter().collect(), options())
}

/// Calls a tool with arguments given as JSON.
pub(crate) async fn call(
    upstreams: &Upstreams,
    server: &str,
    tool: &str,
    arguments: Value,
) -> Result<ToolResult, CallFailure> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    upstreams.call(&name(server), &ToolName(tool.to_owned()), arguments).await
}

/// Calls a tool that takes nothing.
pub(crate) async fn plain(
    upstreams: &Upstreams,
    server: &str,
    tool: &str,
) -> Result<ToolResult, CallFailure> {
    upstreams.call(&name(server), &ToolName(tool.to_owned()), Map::new()).await
}

/// The only part of an answer, which must be text.
pub(crate) fn text(result: Result<ToolResult, CallFailure>) -> String {
    match &result.unwrap().content[..] {
        [Part::Text { text }] => text.clone(),
        parts => panic!("not one text: {parts:?}"),
    }
}

pub(crate) async fn tools(
    upstreams: &Upstreams,
    server: &str,
) -> Result<Vec<String>, ConnectError> {
    let listing = upstreams.listing(&name(server)).await?;
    Ok(listing.tools.iter().map(|tool| tool.name.0.clone()).collect())
}

pub(crate) fn status(upstreams: &Upstreams, server: &str) -> ServerStatus {
    upstreams.status().into_iter().find(|status| status.name.0 == server).unwrap()
}

pub(crate) fn state(upstreams: &Upstreams, server: &str) -> ServerState {
    status(upstreams, server).state
}

/// Waits until something holds, which it does soon or never.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..2_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never happened: {what}");
}
