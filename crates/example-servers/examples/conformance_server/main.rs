//! The server behind the gateway when the official suite tests the gateway as a server.
//!
//! `scripts/conformance-server` runs it. It has every tool, prompt and resource that the suite's
//! scenarios name, and nothing of its own to prove: what is tested is whether all of it arrives at
//! the other side of the gateway. So that a pass cannot be hollow it writes down each call.
//!
//! ```text
//! conformance_server [--up-to REVISION] [--calls FILE]
//! ```
#![expect(deprecated, reason = "what the newest revision deprecates is what all others use")]

mod answers;
mod asks;
mod state;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;

#[tokio::main]
async fn main() -> Result<(), Box<dyn StdError>> {
    let mut versions = Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS);
    let mut calls = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{option} needs a value"))?;
        match option.as_str() {
            "--up-to" => {
                let known = versions.iter().filter(|version| version.as_str() <= value.as_str());
                versions = Cow::Owned(known.cloned().collect());
            }
            "--calls" => calls = Some(OpenOptions::new().create(true).append(true).open(value)?),
            _ => return Err(format!("there is no option {option}").into()),
        }
    }
    let server = Fixture {
        versions,
        calls: Arc::new(Mutex::new(calls)),
        more: Arc::default(),
        changes: broadcast::Sender::new(16),
    };
    let running = server.serve((tokio::io::stdin(), tokio::io::stdout())).await?;
    running.waiting().await?;
    Ok(())
}

/// What has changed.
#[derive(Clone)]
enum Change {
    Tools,
    Prompts,
    Resource(String),
}

#[derive(Clone)]
struct Fixture {
    versions: Cow<'static, [ProtocolVersion]>,
    calls: Arc<Mutex<Option<File>>>,
    /// Whether there is one more tool than at first.
    more: Arc<AtomicBool>,
    changes: broadcast::Sender<Change>,
}

impl Fixture {
    /// Writes down that it was asked.
    fn count(&self, method: &str, what: &str) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &mut *calls {
            // Without it, the script that reads the file fails.
            let _ = writeln!(file, "{method} {what}");
        }
    }

    /// Tells those who listen, and the clients of older revisions.
    async fn changed(&self, change: Change, context: &RequestContext<RoleServer>) {
        if !asks::is_modern(context) {
            let peer = &context.peer;
            let _ = match change.clone() {
                Change::Tools => peer.notify_tool_list_changed().await,
                Change::Prompts => peer.notify_prompt_list_changed().await,
                Change::Resource(uri) => {
                    peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
                }
            };
        }
        let _ = self.changes.send(change);
    }

    async fn toggle(&self, name: &str, context: &RequestContext<RoleServer>) -> Value {
        match name {
            "test_trigger_tool_change" => {
                self.more.fetch_xor(true, Ordering::Relaxed);
                self.changed(Change::Tools, context).await;
            }
            _ => self.changed(Change::Prompts, context).await,
        }
        json!({ "content": [{ "type": "text", "text": "changed" }] })
    }
}

/// JSON of ours in the type that the protocol has for it.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|problem| ErrorData::internal_error(problem.to_string(), None))
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("conformance-fixture", env!("CARGO_PKG_VERSION")))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.versions.clone()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.count("tools/list", "");
        let mut tools: Vec<Tool> = answers::listed(include_str!("tools.json"))?;
        if self.more.load(Ordering::Relaxed) {
            tools.push(typed(json!({
                "name": "test_one_more", "description": "Comes and goes.",
                "inputSchema": { "type": "object" },
            }))?);
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.count("tools/call", &request.name);
        let result = match &*request.name {
            "test_tool_with_progress" => answers::progress(&context).await,
            "test_tool_with_logging" | "test_logging_tool" => answers::logging(&context).await,
            name @ ("test_trigger_tool_change" | "test_trigger_prompt_change") => {
                self.toggle(name, &context).await
            }
            "test_trigger_resource_change" => {
                let uri = answers::text(&request, "uri");
                self.changed(Change::Resource(uri.clone()), &context).await;
                json!({ "content": [{ "type": "text", "text": uri }] })
            }
            "test_custom_header" => {
                let region = answers::text(&request, "region");
                json!({ "content": [{ "type": "text", "text": region }] })
            }
            name => match answers::tool(name) {
                Some(result) => result,
                None => return asks::tool(request, &context).await,
            },
        };
        typed::<rmcp::model::CallToolResult>(result).map(Into::into)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.count("prompts/list", "");
        Ok(ListPromptsResult::with_all_items(answers::listed(include_str!("prompts.json"))?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.count("prompts/get", &request.name);
        if request.name == "test_input_required_result_prompt" {
            return asks::prompt(request, &context).await;
        }
        answers::prompt(&request).map(Into::into)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.count("resources/list", "");
        answers::resources()
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.count("resources/templates/list", "");
        answers::templates()
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.count("resources/read", &request.uri);
        answers::resource(&request.uri).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.count("completion/complete", &request.argument.name);
        let value = format!("{} and more", request.argument.value);
        typed(json!({ "completion": { "values": [value], "total": 1, "hasMore": false } }))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.count("logging/setLevel", &format!("{:?}", request.level));
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.count("resources/subscribe", &request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.count("resources/unsubscribe", &request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.count("subscriptions/listen", "");
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                change = changes.recv() => change,
                () = context.cancelled() => return Ok(()),
            };
            let Ok(change) = change else { return Ok(()) };
            let sink = context.sink();
            // What was not asked for is not sent.
            let _ = match change {
                Change::Tools => sink.notify_tool_list_changed().await,
                Change::Prompts => sink.notify_prompt_list_changed().await,
                Change::Resource(uri) => sink.notify_resource_updated(uri).await,
            };
        }
    }
}
