//! What the servers have in common: definitions from a file, answers that are JSON, reasons in words.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Tools with their answers.
pub(crate) trait Tools: Send + Sync + 'static {
    /// What the server calls itself.
    const NAME: &str;
    /// What it is for, in a sentence.
    const ABOUT: &str;
    /// The definitions of its tools: a JSON list as `tools/list` has it.
    const DEFINITIONS: &str;

    /// The answer of a tool, or why there is none.
    fn answer(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> impl Future<Output = Result<Value, String>> + Send;
}

/// Tools, as an MCP server.
pub(crate) struct Served<T>(pub(crate) T);

/// A tool's arguments as what it takes.
pub(crate) fn read<T: DeserializeOwned>(
    tool: &str,
    arguments: Map<String, Value>,
) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| format!("{tool}: {error}"))
}

/// What is said of a tool that is not there.
pub(crate) fn unknown(tool: &str) -> String {
    format!("there is no tool {tool:?}")
}

impl<T: Tools> ServerHandler for Served<T> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(T::NAME, env!("CARGO_PKG_VERSION")))
            .with_instructions(T::ABOUT)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools: Vec<Tool> = serde_json::from_str(T::DEFINITIONS)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.0.answer(&request.name, request.arguments.unwrap_or_default()).await;
        let result = match answer {
            Ok(value) => CallToolResult::structured(value),
            Err(reason) => CallToolResult::error(vec![ContentBlock::text(reason)]),
        };
        Ok(result.into())
    }
}
