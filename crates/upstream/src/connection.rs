//! What every kind of connection can do.

use async_trait::async_trait;
use catalog::{Listing, ToolName};
use serde_json::{Map, Value};

use crate::error::{CallFailure, ConnectError};
use crate::passing::{Abilities, PassFailure, Passing, Refused};
use crate::result::{Prompt, Resource, ToolResult};

/// What is known about the other side of a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The revision of the protocol that was agreed on.
    pub(crate) protocol: Option<String>,
    /// What the server calls itself, with its version.
    pub(crate) server: Option<String>,
    /// What it has and is not offered, each with the reason.
    pub(crate) left_out: Vec<String>,
}

/// The lists of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Resources.
    Resources,
    /// Templates of resources.
    Templates,
    /// Prompts.
    Prompts,
}

/// One live connection to one server.
///
/// * **Dropping a call cancels it.** The server is told where its protocol can say so.
/// * **Answers are bounded.** No more than the configured bytes are ever held.
#[async_trait]
pub(crate) trait Connection: Send + Sync {
    /// Everything the server offers, every page of it.
    async fn listing(&self) -> Result<Listing, ConnectError>;

    /// Calls a tool by the server's own name for it.
    async fn call(
        &self,
        tool: &ToolName,
        arguments: Map<String, Value>,
    ) -> Result<ToolResult, CallFailure>;

    /// Passes on somebody else's request. What is no MCP server can call its tools.
    async fn pass(&self, passing: &Passing) -> Result<Value, PassFailure> {
        let name = passing.params.get("name").and_then(Value::as_str);
        let (Some(name), "tools/call") = (name, passing.method) else {
            return Err(unknown(passing.method));
        };
        let arguments = passing.params.get("arguments").and_then(Value::as_object);
        let arguments = arguments.cloned().unwrap_or_default();
        let result = self.call(&ToolName(name.to_owned()), arguments).await?;
        Ok(result.into_json())
    }

    /// One of the server's lists, as the protocol describes its entries.
    async fn list(&self, _: List) -> Result<Vec<Value>, CallFailure> {
        Ok(Vec::new())
    }

    /// Asks to be told when a resource changes.
    async fn subscribe(&self, _: &str) -> Result<(), PassFailure> {
        Err(unknown("resources/subscribe"))
    }

    /// Asks not to be told any more, once nobody is interested.
    async fn unsubscribe(&self, _: &str) -> Result<(), PassFailure> {
        Err(unknown("resources/unsubscribe"))
    }

    /// What it can do besides calling tools.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    /// The server's resources, as the protocol describes them; templates included.
    async fn resources(&self) -> Result<Vec<Value>, CallFailure>;

    /// One resource's contents.
    async fn resource(&self, uri: &str) -> Result<Vec<Resource>, CallFailure>;

    /// The server's prompts, as the protocol describes them.
    async fn prompts(&self) -> Result<Vec<Value>, CallFailure>;

    /// One prompt, filled in.
    async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Prompt, CallFailure>;

    /// Whether it can still be used.
    fn is_open(&self) -> bool;

    /// Ends it in an orderly way.
    async fn close(&self);

    /// Waits for it to end by itself and says how; for ever where there is nothing that can end.
    async fn ended(&self) -> String {
        std::future::pending().await
    }

    /// What is known about the other side.
    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// A request that the other side does not know.
fn unknown(method: &str) -> PassFailure {
    const METHOD_NOT_FOUND: i32 = -32_601;
    let message = format!("the server does not know {method}");
    Refused { code: METHOD_NOT_FOUND, message, data: None }.into()
}
