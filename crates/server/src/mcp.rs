//! The MCP door: two tools, however many the servers behind us have.
//!
//! Every revision that the SDK knows is spoken. None of our state hangs on a connection: a
//! program's session is named in its result, and whoever names it again goes on with it.

mod direct;
mod execute;
mod resources;
mod search;
mod words;

use std::sync::{Arc, LazyLock};

use gateway::service::Caller;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, Role, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::Shared;

const OWN: &str = include_str!("mcp/tools.json");

/// The tool that is there only for those who ask for it.
const ANALYSIS: &str = "execute_analysis";

/// The prompt that gives our guidance.
const PROMPT: &str = "tidegate";

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

/// One client's door.
#[derive(Clone)]
pub struct Mcp {
    shared: Shared,
    options: Arc<McpOptions>,
}

/// The names of our own tools.
#[must_use]
pub fn own_tools() -> Vec<String> {
    DEFINITIONS.iter().map(|tool| tool.name.to_string()).collect()
}

/// Tokens of the definitions of our own tools: those named, or those that are there anyway.
#[must_use]
pub fn own_tokens(named: Option<&[String]>) -> u64 {
    let all = DEFINITIONS.iter().filter(|tool| match named {
        Some(named) => named.iter().any(|name| *name == tool.name),
        None => tool.name != ANALYSIS,
    });
    let text = serde_json::to_string(&all.collect::<Vec<_>>()).unwrap_or_default();
    budget::count(&text) as u64
}

/// Our own tools. A test reads them; were they broken, there would be none.
static DEFINITIONS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| serde_json::from_str(OWN).unwrap_or_default());

impl Mcp {
    /// A door for clients of `shared`.
    #[must_use]
    pub fn new(shared: Shared, options: McpOptions) -> Self {
        Self { shared, options: Arc::new(options) }
    }

    /// Speaks over a pair of streams until the client goes, or `ending`.
    pub async fn serve<R, W>(
        self,
        streams: (R, W),
        ending: CancellationToken,
    ) -> Result<(), std::io::Error>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let serving = self.serve_with_ct(streams, ending.clone());
        let running = match serving.await {
            Ok(running) => running,
            // A client that goes before it has said anything is no failure of ours.
            Err(_) if ending.is_cancelled() => return Ok(()),
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(std::io::Error::other(error)),
        };
        running.waiting().await.map(drop).map_err(std::io::Error::other)
    }

    /// The same over HTTP, to be mounted at a path. Who may come in is decided before.
    #[must_use]
    pub fn over_http(
        self,
        ending: CancellationToken,
    ) -> StreamableHttpService<Self, LocalSessionManager> {
        // Host and Origin are checked for all doors at once.
        let mut config =
            StreamableHttpServerConfig::default().disable_allowed_hosts().disable_allowed_origins();
        config.cancellation_token = ending;
        config.max_request_body_bytes = 16 << 20;
        let make = move || Ok(self.clone());
        StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config)
    }

    /// Those of our own tools that this door offers.
    fn own(&self) -> impl Iterator<Item = &'static Tool> {
        let offered = self.options.mode != Mode::Direct;
        DEFINITIONS.iter().filter(move |tool| {
            let named = |own: &Vec<String>| own.iter().any(|name| *name == tool.name);
            // One that most do without costs nothing until it is asked for.
            offered && self.options.own.as_ref().map_or(tool.name != ANALYSIS, named)
        })
    }
}

/// Who asks: whoever the HTTP door let in, or whoever started us.
fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let parts = context.extensions.get::<http::request::Parts>();
    let known = parts.and_then(|parts| parts.extensions.get::<Caller>());
    known.cloned().unwrap_or_else(Caller::local)
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("tidegate", env!("CARGO_PKG_VERSION")).with_title("Tidegate"),
            )
            .with_instructions(self.shared.guidance.text.to_string())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools: Vec<Tool> = self.own().cloned().collect();
        tools.extend(self.passed_through().await.into_iter().map(|passed| passed.definition));
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.own().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let own = self.own().any(|tool| tool.name == request.name);
        let arguments = request.arguments.unwrap_or_default();
        let result = match (own, &*request.name) {
            (true, "execute_python") => self.execute(arguments, &context).await,
            (true, "search_tools") => self.search(arguments).await,
            (true, ANALYSIS) => self.analyze(arguments, &context).await,
            (_, name) => self.pass(name, arguments).await?,
        };
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
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
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != PROMPT {
            let message = format!("there is no prompt {:?}; there is {PROMPT:?}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let text = self.shared.guidance.text.to_string();
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.resources(&caller(&context)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.resource(&caller(&context), &request.uri).await.map(Into::into)
    }
}

#[cfg(test)]
mod tests;
