//! What every kind of connection can do.

use async_trait::async_trait;
use catalog::{Listing, ToolName};
use serde_json::{Map, Value};

use crate::error::{CallFailure, ConnectError};
use crate::result::{Prompt, Resource, ToolResult};

/// What is known about the other side of a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The revision of the protocol that was agreed on.
    pub(crate) protocol: Option<String>,
    /// What the server calls itself, with its version.
    pub(crate) server: Option<String>,
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
