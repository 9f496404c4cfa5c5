//! The MCP door: two tools, however many the servers behind us have.
//!
//! Every revision that the SDK knows is spoken. None of our state hangs on a connection: a
//! program's session is named in its result, and whoever names it again goes on with it. Only
//! [`Mode::Direct`] knows its clients: what a server behind us asks or tells is for one of them.
#![expect(deprecated, reason = "what the newest revision deprecates is what all others use")]

mod approve;
mod batch;
mod behind;
mod client;
mod covered;
mod direct;
mod execute;
mod kept;
mod lines;
mod owned;
mod readable;
mod relay;
mod resources;
mod sampling;
mod search;
mod tasks;
mod unanswered;
mod whole;
mod widened;
mod words;

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use engine::Language;
use gateway::service::{Caller, Scope};
use metrics::counter;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, GetTaskParams, GetTaskResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    LoggingLevel, MetaObject, PaginatedRequestParams, Prompt, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, Role, ServerCapabilities, ServerConfig,
    SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestMethod, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestMethod, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use upstream::{List, Watch};

use self::client::Client;
use self::kept::{Bounds, Kept};
use self::lines::Patient;
use self::owned::Owners;
use self::sampling::Lines;
use crate::arriving::Bodies;
use crate::{Shared, guidance};

/// Resources that one subscription may watch.
const WATCHED: usize = 100;

const OWN: &str = include_str!("mcp/tools.json");

/// A tool that is there only for those who ask for it.
const ANALYSIS: &str = "execute_analysis";
const EXECUTE: &str = "execute_python";
/// The same in TypeScript, for those who ask for it too.
const SCRIPT: &str = "execute_typescript";
const SEARCH: &str = "search_tools";
/// Requests that we answer when their parameters are right.
const KNOWN_METHODS: [&str; 11] = [
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "prompts/get",
    "prompts/list",
    "completion/complete",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// What a list of tools says of servers that did not answer.
const MISSING: &str = "tidegate/missing";

/// The prompt that gives our guidance.
const PROMPT: &str = "tidegate";

/// What agents are told where personal data is replaced.
const TOKENS: &str = "\n\nTexts such as `EMAIL_k3v9q2xw7m45` stand for personal data: compare them and pass them on as they are; \
    tools get what they stand for.";

/// Which tools a client sees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Ours, and nothing else.
    #[default]
    Code,
    /// Ours, and those of the servers that were chosen.
    Hybrid,
    /// Those of the servers, unchanged.
    Direct,
}

/// What a client sees.
#[derive(Debug, Clone, Default)]
pub struct McpOptions {
    /// Which tools.
    pub mode: Mode,
    /// In [`Mode::Hybrid`], the chosen tools, as `server.tool`.
    pub direct: Vec<String>,
    /// Which of our own tools; all of them if nothing is said.
    pub own: Option<Vec<String>>,
}

/// What an operator decides about the door over HTTP.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// What bodies of requests may have and hold.
    pub bodies: Bodies,
    /// Sessions of revisions before 2026-07-28 that are kept.
    pub sessions: usize,
    /// The same, of one owner.
    pub sessions_per_owner: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self { bodies: Bodies::default(), sessions: 4000, sessions_per_owner: 1000 }
    }
}

/// How a conversation over streams comes to its end.
#[derive(Debug, Clone, Default)]
pub struct Parting {
    /// Ends it.
    pub ending: CancellationToken,
    /// Told when the client has gone: it says nothing more, and what it asked for is answered or under
    /// way. What runs goes on, and the conversation with it, until somebody ends it.
    pub gone: CancellationToken,
}

/// One client's door.
#[derive(Clone)]
pub struct Mcp {
    shared: Shared,
    options: Arc<McpOptions>,
    client: Arc<Client>,
    /// The least level of log messages that any client wanted.
    least: Arc<Mutex<Option<LoggingLevel>>>,
    /// What runs ask the models of their clients.
    lines: Arc<Lines>,
}

/// The names of our own tools.
#[must_use]
pub fn own_tools() -> Vec<String> {
    DEFINITIONS.iter().map(|tool| tool.name.to_string()).collect()
}

/// The definitions of our own tools, as a model reads them: those named, or those that are there
/// anyway.
#[must_use]
pub fn own_definitions(named: Option<&[String]>) -> String {
    let all = DEFINITIONS.iter().filter(|tool| match named {
        Some(named) => named.iter().any(|name| *name == tool.name),
        None => is_usual(&tool.name),
    });
    serde_json::to_string(&all.collect::<Vec<_>>()).unwrap_or_default()
}

/// The language that a tool of ours needs, if it runs programs.
#[must_use]
pub fn language_of(tool: &str) -> Option<Language> {
    match tool {
        // An analysis is a program of ours.
        EXECUTE | ANALYSIS => Some(Language::Python),
        SCRIPT => Some(Language::TypeScript),
        _ => None,
    }
}

/// Whether a tool of ours is one of those that are there where programs are written in one language.
#[must_use]
pub fn is_for_one(tool: &str, language: Language) -> bool {
    tool != ANALYSIS && language_of(tool).is_none_or(|needs| needs == language)
}

/// Whether a tool of ours is there where nobody names any. One that most do without costs nothing until it
/// is asked for.
fn is_usual(tool: &str) -> bool {
    tool != ANALYSIS && tool != SCRIPT
}

/// Our own tools. A test reads them; were they broken, there would be none.
static DEFINITIONS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| serde_json::from_str(OWN).unwrap_or_default());

impl Mcp {
    /// A door for clients of `shared`.
    #[must_use]
    pub fn new(shared: Shared, options: McpOptions) -> Self {
        let (client, least, lines) = (Arc::default(), Arc::default(), Arc::default());
        Self { shared, options: Arc::new(options), client, least, lines }
    }

    /// The same door for another client.
    fn for_another(&self) -> Self {
        Self { client: Arc::default(), ..self.clone() }
    }

    /// Speaks over a pair of streams until `parting` says so, or until the client goes without having
    /// introduced itself.
    pub async fn serve<R, W>(self, streams: (R, W), parting: Parting) -> Result<(), std::io::Error>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (reading, writing) = streams;
        let (reading, _mending) = readable::lines(reading);
        let Parting { ending, gone } = parting;
        let lines = Patient::new(AsyncRwTransport::new(reading, writing), gone);
        let serving = Box::pin(self.serve_with_ct(lines, ending.clone()));
        let running = match serving.await {
            Ok(running) => running,
            // A client that goes before it has said anything is no failure of ours.
            Err(_) if ending.is_cancelled() => return Ok(()),
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(std::io::Error::other(error)),
        };
        running.waiting().await.map(drop).map_err(std::io::Error::other)
    }

    /// The same over HTTP, at `/mcp`. Who may come in is decided before.
    pub fn over_http(self, options: HttpOptions, ending: CancellationToken) -> Router {
        // Host and Origin are checked for all doors at once.
        let mut config =
            StreamableHttpServerConfig::default().disable_allowed_hosts().disable_allowed_origins();
        config.cancellation_token = ending;
        let HttpOptions { bodies, sessions: all, sessions_per_owner: of_one } = options;
        config.max_request_body_bytes = bodies.rules().each;
        let sessions = Arc::new(Kept::new(Bounds { all, of_one }));
        let owners = Owners::new(Arc::clone(&sessions));
        let make = move || Ok(self.for_another());
        let service = StreamableHttpService::new(make, sessions, config);
        Router::new()
            .nest_service("/mcp", service)
            .layer(from_fn_with_state(bodies, readable::body))
            .layer(from_fn(whole::whole))
            .layer(from_fn_with_state(owners, owned::owned))
            .layer(from_fn(crate::rest::counted))
    }

    /// Those of our own tools that this door offers.
    fn own(&self) -> impl Iterator<Item = &'static Tool> {
        let offered = self.options.mode != Mode::Direct;
        DEFINITIONS.iter().filter(move |tool| {
            let named = |own: &Vec<String>| own.iter().any(|name| *name == tool.name);
            offered && self.options.own.as_ref().map_or(is_usual(&tool.name), named)
        })
    }
}

impl Mcp {
    /// What agents are told, with what is different for those who are not offered everything.
    fn guidance(&self) -> String {
        let offered: Vec<&str> = self.own().map(|tool| &*tool.name).collect();
        let guidance = &self.shared.guidance;
        let mut text = match (offered.contains(&EXECUTE), offered.contains(&SEARCH)) {
            (true, true) => guidance.text.to_string(),
            (true, false) => guidance.without_search(),
            (false, _) if offered.contains(&SCRIPT) => {
                guidance::TYPESCRIPT_ALONE.trim_end().to_owned()
            }
            (false, _) => without_programs(&offered),
        };
        if offered.contains(&SCRIPT) {
            text.push_str("\n\n");
            text.push_str(guidance::TYPESCRIPT.trim_end());
        }
        if self.shared.service.tools().tokenizes() {
            text.push_str(TOKENS);
        }
        text
    }

    /// Servers whose tools are missing in a list that is to have them, in words.
    fn missing(&self) -> Option<MetaObject> {
        if self.options.mode == Mode::Code {
            return None;
        }
        let missing = self.shared.service.tools().missing();
        let words: Vec<Value> = missing.iter().map(|one| one.to_string().into()).collect();
        let mut meta = MetaObject::new();
        meta.insert(MISSING.to_owned(), words.into());
        (!missing.is_empty()).then_some(meta)
    }

    /// The language of the programs that a client can run, where that is one; else the usual one.
    fn language(&self) -> Language {
        let offers = |wanted: &str| self.own().any(|tool| tool.name == wanted);
        if offers(SCRIPT) && !offers(EXECUTE) { Language::TypeScript } else { Language::Python }
    }

    fn is_direct(&self) -> bool {
        self.options.mode == Mode::Direct
    }

    async fn watch(
        &self,
        uri: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Watch, ErrorData> {
        let server = self.of_resource(uri).await?;
        let asked = Map::from_iter([("uri".to_owned(), uri.into())]);
        let permitted = self.is_permitted(&server, Some("$resource"), &asked, context).await;
        permitted.map_err(|refused| relay::error(refused.into()))?;
        let upstreams = self.shared.service.tools().upstreams();
        upstreams.watch(&server, uri).await.map_err(relay::error)
    }

    /// Lets the servers log from `level` on, for this client. A server has one level for all that
    /// use it through us, so it is told the least, and each client gets what it wants of that.
    async fn listen_from(&self, level: LoggingLevel, context: &RequestContext<RoleServer>) {
        self.client.set_level(level);
        let least = {
            let mut least = self.least.lock().unwrap_or_else(PoisonError::into_inner);
            let new = match *least {
                Some(before) if (before as u8) < level as u8 => before,
                _ => level,
            };
            *least.insert(new)
        };
        let upstreams = self.shared.service.tools().upstreams();
        for server in upstreams.names() {
            let Ok(abilities) = upstreams.abilities(&server).await else { continue };
            if abilities.logging {
                let given = relay::params(&SetLevelRequestParams::new(least));
                // The newest revision has no such request; the level goes with each of them.
                let _ = self.relay(&server, "logging/setLevel", given, context).await;
            }
        }
    }
}

/// What agents are told where they cannot run programs: only of what they are offered.
fn without_programs(offered: &[&str]) -> String {
    let mut text = "# Working through Tidegate\n\nNo programs can be run here.".to_owned();
    if offered.contains(&SEARCH) {
        text.push_str(" `search_tools` says which functions the connected servers have.");
    }
    if offered.contains(&ANALYSIS) {
        text.push_str(
            " `execute_analysis` filters, groups and describes rows of files, earlier results and tools, and gives back only what you asked for.",
        );
    }
    text
}

/// Who asks: whoever the HTTP door let in, or whoever started us.
fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let parts = context.extensions.get::<http::request::Parts>();
    let known = parts.and_then(|parts| parts.extensions.get::<Caller>());
    known.cloned().unwrap_or_else(Caller::local)
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let builder =
            ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources();
        let capabilities = match self.options.mode {
            Mode::Code | Mode::Hybrid => builder.enable_tasks().build(),
            Mode::Direct => builder
                .enable_tool_list_changed()
                .enable_prompts_list_changed()
                .enable_resources_list_changed()
                .enable_resources_subscribe()
                .enable_completions()
                .enable_logging()
                .build(),
        };
        let config = ServerConfig::new(capabilities).with_server_info(
            Implementation::new("tidegate", env!("CARGO_PKG_VERSION")).with_title("Tidegate"),
        );
        match self.options.mode {
            // There is nothing to write programs with.
            Mode::Direct => config,
            Mode::Code | Mode::Hybrid => config.with_instructions(self.guidance()),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if method == readable::UNREADABLE {
            return Err(ErrorData::invalid_request(readable::UNREAD, None));
        }
        if method == readable::TOO_LONG {
            return Err(ErrorData::invalid_request(readable::said_too_long(), None));
        }
        // What has a name of ours and comes here was given something else than it takes.
        if KNOWN_METHODS.contains(&method.as_str()) {
            let takes = match method.as_str() {
                "tools/call" => {
                    r#"; it takes {"name": "...", "arguments": {...}}, the arguments as an object"#
                }
                "resources/read" => r#"; it takes {"uri": "..."}"#,
                "prompts/get" => r#"; it takes {"name": "...", "arguments"?: {...}}"#,
                _ => "",
            };
            let message = format!("the parameters of {method} are not what it takes{takes}");
            return Err(ErrorData::invalid_params(message, None));
        }
        let message = format!("there is no method {method:?} here");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.is_direct() {
            self.client.tell(Arc::clone(self.shared.service.tools().upstreams()), context.peer);
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools: Vec<Tool> = self.own().cloned().collect();
        tools.extend(self.passed_through().await);
        let mut listed = ListToolsResult::with_all_items(tools);
        listed.meta = self.missing();
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.own().find(|tool| tool.name == name).cloned().or_else(|| self.passed_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let own = self.own().any(|tool| tool.name == request.name);
        counter!("tidegate_requests_total", "kind" => match (own, &*request.name) {
            (true, EXECUTE | SCRIPT) => "code",
            (true, "search_tools") => "search",
            (true, ANALYSIS) => "analysis",
            _ => "direct",
        })
        .increment(1);
        let runs = own && request.name != "search_tools";
        if runs && !caller(&context).may(Scope::Execute) {
            let words = "this token lacks the scope `execute`, so that it may not run programs; ask whoever runs the gateway for one that has it";
            return Ok(execute::failed(words.to_owned()).into());
        }
        match (own, &*request.name) {
            (true, EXECUTE) => Ok(self.execute(request, &context).await),
            (true, SCRIPT) => Ok(self.execute_script(request, &context).await),
            (true, "search_tools") => {
                tasks::may_look(&context)?;
                Ok(self
                    .search(&caller(&context), request.arguments.unwrap_or_default())
                    .await
                    .into())
            }
            (true, ANALYSIS) => Ok(self.analyze(request, &context).await),
            _ => self.pass(request, &context).await,
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.task_now(&request.task_id, &context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.answer_task(&request, &context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.end_task(&request.task_id, &context).await
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        if self.is_direct() {
            tasks::may_look(&context)?;
            let prompts = self.listed_prompts(&caller(&context)).await;
            return Ok(ListPromptsResult::with_all_items(prompts));
        }
        let about = format!(
            "How to work through Tidegate: when to write a program, and how (version {}).",
            self.shared.guidance.version
        );
        let prompt = Prompt::new(PROMPT, Some(about), None);
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if self.is_direct() {
            return self.prompt_behind(request, &context).await;
        }
        if request.name != PROMPT {
            let message = format!("there is no prompt {:?}; there is {PROMPT:?}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let text = self.guidance();
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        tasks::may_look(&context)?;
        let mut own = self.resources(&caller(&context)).await?;
        if self.is_direct() {
            let mut resources = self.listed_resources(List::Resources, &caller(&context)).await;
            resources.append(&mut own.resources);
            own.resources = resources;
        }
        Ok(own)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut own = resources::templates();
        if self.is_direct() {
            tasks::may_look(&context)?;
            let mut templates = self.listed_resources(List::Templates, &caller(&context)).await;
            templates.append(&mut own.resource_templates);
            own.resource_templates = templates;
        }
        Ok(own)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if self.is_direct() && !resources::is_own(&request.uri) {
            return self.resource_behind(request, &context).await;
        }
        tasks::may_look(&context)?;
        self.resource(&caller(&context), &request.uri).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        if self.is_direct() {
            return self.completed(request, &context).await;
        }
        Ok(CompleteResult::default())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.is_direct() || relay::is_modern(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.listen_from(request.level, &context).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.is_direct() {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        }
        let watch = self.watch(&request.uri, &context).await?;
        self.client.watch(&request.uri, watch)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.is_direct() {
            return Err(ErrorData::method_not_found::<UnsubscribeRequestMethod>());
        }
        self.client.unwatch(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.is_direct().then(|| requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut watches = Vec::new();
        for uri in context.accepted().resource_subscriptions.iter().flatten().take(WATCHED) {
            // One that nobody has, or that may not be read, never changes.
            watches.extend(self.watch(uri, context.request_context()).await.ok());
        }
        client::listen(self.shared.service.tools().upstreams(), &context).await;
        drop(watches);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
