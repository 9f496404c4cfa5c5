//! What is learned from results, as far as servers and their listings have a say in it.

use std::sync::Arc;

use catalog::{CatalogTool, Learned, ServerName, ToolName};
use engine::CallError;
use serde_json::Value;

use super::{Offer, Tools};
use crate::behalf::Behalf;
use crate::memory::MemoryError;

impl Tools {
    /// Whether results of this server are learned from.
    #[must_use]
    pub fn learns(&self, server: &ServerName) -> bool {
        self.learning.is_on(server)
    }

    /// Calls a tool only to learn what it returns. What was learned about it by then, which is
    /// nothing for a tool whose server says what it returns.
    pub async fn learn_from(
        self: &Arc<Self>,
        tool: &CatalogTool,
        arguments: Value,
    ) -> Result<Option<Learned>, CallError> {
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
    pub(super) fn is_current(&self, tool: &CatalogTool) -> bool {
        let listing = self.upstreams.known_listing(tool.server());
        listing.is_none_or(|listing| {
            let now = listing.tools.iter().find(|now| now.name == *tool.name());
            now.is_some_and(|now| now == tool.tool())
        })
    }
}
