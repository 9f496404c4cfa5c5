//! What is learned from results, as far as servers and their listings have a say in it.

use std::sync::Arc;

use catalog::{CatalogTool, Learned, ServerName, ToolName};
use engine::CallError;
use serde_json::Value;
use upstream::ToolResult;

use super::{Offer, Tools};
use crate::behalf::Behalf;
use crate::judge::DENIED;
use crate::memory::MemoryError;

impl Tools {
    /// Whether results of this server are learned from.
    #[must_use]
    pub fn learns(&self, server: &ServerName) -> bool {
        self.learning.is_on(server)
    }

    /// Learns from an answer what may be known everywhere: all programs are shown learned types, so nothing is
    /// learned of what rules keep from some places, nor of what comes to a session that has read some of that
    /// and may have had it come back under a name of its choosing.
    pub(super) async fn answered(
        &self,
        tool: &CatalogTool,
        result: Arc<ToolResult>,
        bytes: usize,
        behalf: &Behalf,
    ) {
        let name = format!("{}.{}", tool.server(), tool.name());
        if self.judge.policy().flow().labels(&name) {
            return;
        }
        // Of a session of which nobody knows what it has read, nothing is learned either.
        let carried = self.judge.carried(&behalf.session).await;
        if carried.is_ok_and(|labels| labels.is_empty()) {
            self.learning.saw(tool, result, bytes, || self.is_current(tool));
        }
    }

    /// Calls a tool only to learn what it returns. What was learned about it by then, which is
    /// nothing for a tool whose server says what it returns.
    pub async fn learn_from(
        self: &Arc<Self>,
        tool: &CatalogTool,
        arguments: Value,
    ) -> Result<Option<Learned>, CallError> {
        let name = format!("{}.{}", tool.server(), tool.name());
        if self.judge.policy().flow().labels(&name) {
            let message = format!(
                "{name} was not called: rules say where its answers may not go ([[policy.flow]]), and all programs are shown what is learned of them"
            );
            return Err(CallError { kind: DENIED.to_owned(), message });
        }
        let offer = Offer { tools: Arc::clone(self), made: None, tally: Arc::default() };
        offer.send(tool, arguments, &Behalf::default()).await?;
        let tools = Arc::clone(self);
        // It fails only when the runtime itself is about to end.
        let _ = tokio::task::spawn_blocking(move || tools.learning.keep_now()).await;
        Ok(self.learning.about(tool.server(), tool.name()))
    }

    /// Forgets what was learned about one tool of a server, or about all; how many tools that
    /// were.
    pub fn forget_learned(
        &self,
        server: &ServerName,
        tool: Option<&ToolName>,
    ) -> Result<usize, MemoryError> {
        let policies = self.policies();
        let identity = policies.get(server).map_or("", |policy| &policy.identity);
        self.learning.forget(server, identity, tool)
    }

    /// What a run leaves to be remembered: listings that turned out to be others than those
    /// it began with, and what was learned, which is written down while nobody waits.
    pub(crate) fn after_run(&self) {
        for server in self.policies().keys() {
            let Some(listing) = self.upstreams.known_listing(server) else { continue };
            let known = self.shelf().listings.get(server).cloned();
            if known.is_none_or(|known| *known != *listing) {
                self.keep(server, listing);
            }
        }
        self.learning.keep();
    }

    /// The server still defines the tool as the catalog has it.
    fn is_current(&self, tool: &CatalogTool) -> bool {
        let listing = self.upstreams.known_listing(tool.server());
        listing.is_none_or(|listing| {
            let now = listing.tools.iter().find(|now| now.name == *tool.name());
            now.is_some_and(|now| now == tool.tool())
        })
    }
}
