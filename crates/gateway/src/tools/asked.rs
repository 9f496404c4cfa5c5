//! Servers that are asked before anybody is refused for what is remembered of them: they may have changed
//! since.

use std::sync::Arc;

use catalog::{Catalog, Listing, ServerName};
use futures_util::future::join_all;

use super::{Offer, PATIENCE, Tools, wanted};

impl Tools {
    /// What a program with this source is given after asking those of the servers it means that are only
    /// remembered; `None` where there are none. A server that it names is waited for, as at its first call.
    pub(crate) async fn offer_after_asking(self: &Arc<Self>, source: &str) -> Option<Arc<Offer>> {
        if self.ask_the_remembered(source).await { Some(self.offer(source).await) } else { None }
    }

    /// Asks the servers that a program means and that have not been asked yet. Whether there were any.
    async fn ask_the_remembered(&self, source: &str) -> bool {
        let policies = self.policies();
        let names: Vec<&ServerName> = policies.keys().collect();
        let wanted = wanted::wanted(source, &names);
        let is_any = wanted.any || !wanted.tools.is_empty();
        let remembered: Vec<&ServerName> = {
            let shelf = self.shelf();
            let unasked = |server: &&ServerName| {
                shelf.listings.contains_key(*server)
                    && self.upstreams.known_listing(server).is_none()
            };
            names.into_iter().filter(unasked).collect()
        };
        let (named, others): (Vec<&ServerName>, Vec<&ServerName>) =
            remembered.into_iter().partition(|server| wanted.named.contains(server));
        let is_meant = |server: &&ServerName| is_any || wanted.mentioned.contains(server);
        let others: Vec<&ServerName> = others.into_iter().filter(is_meant).collect();
        if named.is_empty() && others.is_empty() {
            return false;
        }
        let others = join_all(others.into_iter().map(|server| self.ask(server)));
        let named = join_all(named.into_iter().map(|server| self.ask(server)));
        // One that does not answer is as it is remembered.
        let _ = tokio::join!(tokio::time::timeout(PATIENCE, others), named);
        true
    }

    /// The servers whose tools are others than a program was given, after asking those that it means and that
    /// were only remembered.
    pub(crate) async fn changed_since(
        &self,
        source: &str,
        given: &[Arc<Listing>],
    ) -> Vec<ServerName> {
        if !self.ask_the_remembered(source).await {
            return Vec::new();
        }
        let shelf = self.shelf();
        let is_other = |before: &&Arc<Listing>| {
            let now = shelf.listings.get(&before.server);
            now.is_some_and(|now| before.tools.iter().any(|tool| !now.tools.contains(tool)))
        };
        given.iter().filter(is_other).map(|listing| listing.server.clone()).collect()
    }

    /// The catalog after asking a server that was only remembered; `None` if it has been asked before, or does
    /// not answer.
    pub(super) async fn catalog_after_asking(&self, server: &ServerName) -> Option<Arc<Catalog>> {
        if self.upstreams.known_listing(server).is_some() {
            return None;
        }
        self.ask(server).await.ok()?;
        Some(self.made().0)
    }
}
