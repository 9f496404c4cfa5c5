//! What a run's calls would have cost a model that had made them itself.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalog::{Listing, ServerName, Tool};
use serde_json::json;
use tokio_util::task::TaskTracker;

/// Texts longer than this are counted on another thread.
const LONG: usize = 8 << 10;

/// Counts the calls of one run while they happen.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    counts: Arc<Mutex<Counts>>,
    counting: TaskTracker,
}

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tokens of the arguments of all calls.
    pub(crate) argument_tokens: u64,
    /// Tokens of all answers, as a model would have read them.
    pub(crate) result_tokens: u64,
    /// Bytes of all answers.
    pub(crate) result_bytes: u64,
    /// How often each tool was called, as `server.tool`.
    pub(crate) tools: BTreeMap<String, u64>,
}

impl Tally {
    /// A call with so many tokens of arguments leaves. It was made, also if no answer ever comes.
    pub(crate) fn leaves(&self, tool: String, argument_tokens: u64) {
        let mut counts = self.lock();
        counts.argument_tokens += argument_tokens;
        *counts.tools.entry(tool).or_default() += 1;
    }

    /// A call that was about to leave did not.
    pub(crate) fn stays(&self, tool: &str, argument_tokens: u64) {
        let mut counts = self.lock();
        counts.argument_tokens -= argument_tokens.min(counts.argument_tokens);
        if let Some(times) = counts.tools.get_mut(tool) {
            *times -= 1;
            if *times == 0 {
                counts.tools.remove(tool);
            }
        }
    }

    /// A call that had left was answered with `text`.
    pub(crate) fn answered(&self, text: String) {
        let is_long = text.len() >= LONG;
        let now = if is_long { 0 } else { budget::count(&text) as u64 };
        {
            let mut counts = self.lock();
            counts.result_tokens += now;
            counts.result_bytes += text.len() as u64;
        }
        if is_long {
            let counts = Arc::clone(&self.counts);
            self.counting.spawn_blocking(move || {
                let tokens = budget::count(&text) as u64;
                counts.lock().unwrap_or_else(PoisonError::into_inner).result_tokens += tokens;
            });
        }
    }

    /// Everything, once all of it is counted.
    pub(crate) async fn settled(&self) -> Counts {
        self.counting.close();
        self.counting.wait().await;
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens of the definitions of tools, counted once for each listing.
#[derive(Debug, Default)]
pub(crate) struct Definitions(Mutex<Counted>);

/// What was counted of each server, and of which listing.
type Counted = HashMap<ServerName, (Arc<Listing>, Arc<Sizes>)>;

/// Tokens of one server's definitions.
#[derive(Debug, Default)]
struct Sizes {
    all: u64,
    tools: HashMap<String, u64>,
}

/// Tokens of definitions that a model would have had to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DefinitionTokens {
    /// Of every tool that is known.
    pub(crate) all: u64,
    /// Of those that were called.
    pub(crate) used: u64,
}

impl Definitions {
    /// Tokens of all definitions in `listings`, and of the tools in `used` alone.
    pub(crate) async fn tokens(
        self: &Arc<Self>,
        listings: Vec<Arc<Listing>>,
        used: &BTreeMap<String, u64>,
    ) -> DefinitionTokens {
        let mut sum = DefinitionTokens::default();
        for listing in listings {
            let sizes = self.sizes(&listing).await;
            sum.all += sizes.all;
            let of_server = format!("{}.", listing.server);
            let called = used.keys().filter_map(|tool| tool.strip_prefix(&of_server));
            sum.used += called.filter_map(|tool| sizes.tools.get(tool)).sum::<u64>();
        }
        sum
    }

    async fn sizes(self: &Arc<Self>, listing: &Arc<Listing>) -> Arc<Sizes> {
        let known = self.lock().get(&listing.server).cloned();
        if let Some((known, sizes)) = known
            && Arc::ptr_eq(&known, listing)
        {
            return sizes;
        }
        let counted = Arc::clone(listing);
        let sizes = tokio::task::spawn_blocking(move || {
            let tools = counted.tools.iter().map(|tool| (tool.name.0.clone(), tokens(tool)));
            let tools: HashMap<String, u64> = tools.collect();
            Arc::new(Sizes { all: tools.values().sum(), tools })
        });
        let sizes = sizes.await.unwrap_or_default();
        let entry = (Arc::clone(listing), Arc::clone(&sizes));
        self.lock().insert(listing.server.clone(), entry);
        sizes
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens of a definition as clients give it to a model: name, description, input schema.
fn tokens(tool: &Tool) -> u64 {
    let text = json!({
        "name": tool.name.0, "description": tool.description, "input_schema": tool.input_schema,
    });
    budget::count(&text.to_string()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_never_left_is_not_counted() {
        let tally = Tally::default();
        tally.leaves("a.x".to_owned(), 5);
        tally.leaves("a.x".to_owned(), 7);
        tally.leaves("a.y".to_owned(), 3);
        tally.stays("a.x", 7);
        tally.stays("a.y", 3);
        let counts = tally.settled().await;
        assert_eq!(counts.tools, BTreeMap::from([("a.x".to_owned(), 1)]));
        assert_eq!(counts.argument_tokens, 5);
    }
}
