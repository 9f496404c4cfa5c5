//! A connection from which no credential comes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use catalog::{Listing, ToolName};
use serde_json::{Map, Value};

use crate::connection::{Connection, Facts, List};
use crate::error::{CallFailure, ConnectError};
use crate::feed::Feed;
use crate::mask::Mask;
use crate::passing::{Abilities, PassFailure, Passing};
use crate::result::{Prompt, Resource, ToolResult};

/// The same connection, with everything that comes from it [masked](Mask).
pub(crate) struct Masked {
    inner: Arc<dyn Connection>,
    feed: Arc<Feed>,
    /// Tools that are not offered, because their names have a credential in them.
    withheld: AtomicUsize,
}

impl Masked {
    pub(crate) fn new(inner: Arc<dyn Connection>, feed: Arc<Feed>) -> Self {
        Self { inner, feed, withheld: AtomicUsize::new(0) }
    }

    fn mask(&self) -> &Mask {
        self.feed.mask()
    }
}

#[async_trait]
impl Connection for Masked {
    async fn listing(&self) -> Result<Listing, ConnectError> {
        let mask = self.mask();
        let listed = self.inner.listing().await;
        let listing = listed.map_err(|problem| mask.unconnected(problem))?;
        let all = listing.tools.len();
        let listing = mask.listing(listing);
        self.withheld.store(all - listing.tools.len(), Ordering::Relaxed);
        Ok(listing)
    }

    async fn call(
        &self,
        tool: &ToolName,
        arguments: Map<String, Value>,
    ) -> Result<ToolResult, CallFailure> {
        let mask = self.mask();
        let called = self.inner.call(tool, arguments).await;
        called.map(|result| mask.result(result)).map_err(|failure| mask.failure(failure))
    }

    async fn pass(&self, passing: &Passing) -> Result<Value, PassFailure> {
        let mask = self.mask();
        if mask.is_empty() {
            let passed = self.inner.pass(passing).await;
            return passed.map(|value| mask.json(value)).map_err(|failure| mask.unpassed(failure));
        }
        let (own, mut heard) = passing.overheard();
        let passed = self.inner.pass(&own);
        tokio::pin!(passed);
        let passed = loop {
            tokio::select! {
                // In this order: what was said before the answer is heard before it.
                biased;
                Some(event) = heard.recv() => {
                    // Who does not listen any more has lost interest in the answer, too.
                    let _ = passing.events.send(mask.event(event)).await;
                }
                passed = &mut passed => break passed,
            }
        };
        while let Ok(event) = heard.try_recv() {
            let _ = passing.events.send(mask.event(event)).await;
        }
        passed.map(|value| mask.json(value)).map_err(|failure| mask.unpassed(failure))
    }

    async fn list(&self, list: List) -> Result<Vec<Value>, CallFailure> {
        let mask = self.mask();
        let listed = self.inner.list(list).await;
        listed.map(|listed| mask.list(listed)).map_err(|failure| mask.failure(failure))
    }

    async fn subscribe(&self, uri: &str) -> Result<(), PassFailure> {
        self.inner.subscribe(uri).await.map_err(|failure| self.mask().unpassed(failure))
    }

    async fn unsubscribe(&self, uri: &str) -> Result<(), PassFailure> {
        self.inner.unsubscribe(uri).await.map_err(|failure| self.mask().unpassed(failure))
    }

    fn abilities(&self) -> Abilities {
        self.inner.abilities()
    }

    async fn resources(&self) -> Result<Vec<Value>, CallFailure> {
        let mask = self.mask();
        let listed = self.inner.resources().await;
        listed.map(|listed| mask.list(listed)).map_err(|failure| mask.failure(failure))
    }

    async fn resource(&self, uri: &str) -> Result<Vec<Resource>, CallFailure> {
        let mask = self.mask();
        let read = self.inner.resource(uri).await;
        read.map(|read| mask.resources(read)).map_err(|failure| mask.failure(failure))
    }

    async fn prompts(&self) -> Result<Vec<Value>, CallFailure> {
        let mask = self.mask();
        let listed = self.inner.prompts().await;
        listed.map(|listed| mask.list(listed)).map_err(|failure| mask.failure(failure))
    }

    async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Prompt, CallFailure> {
        let mask = self.mask();
        let filled = self.inner.prompt(name, arguments).await;
        filled.map(|prompt| mask.prompt(prompt)).map_err(|failure| mask.failure(failure))
    }

    fn is_open(&self) -> bool {
        self.inner.is_open()
    }

    async fn close(&self) {
        self.inner.close().await;
    }

    async fn ended(&self) -> String {
        let reason = self.inner.ended().await;
        self.mask().text(reason)
    }

    fn facts(&self) -> Facts {
        let mut facts = self.mask().facts(self.inner.facts());
        let withheld = self.withheld.load(Ordering::Relaxed);
        if withheld > 0 {
            let tools = if withheld == 1 { "tool" } else { "tools" };
            facts.left_out.push(format!(
                "{withheld} {tools}: the name has a secret of this server's settings in it; \
                 change that secret, which the server gives away"
            ));
        }
        facts
    }
}
