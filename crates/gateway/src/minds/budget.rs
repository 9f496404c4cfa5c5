//! What models have read and written for one run, and what they still may.

use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{CallError, Limits};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::fault;

/// What a run's questions to models used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelUse {
    /// Questions that were answered, also in a way that could not be used.
    pub questions: u64,
    /// Tokens that models read.
    pub input_tokens: u64,
    /// Tokens that they wrote.
    pub output_tokens: u64,
    /// What they cost, at the prices of `[ask]`; nothing for a client's own model.
    pub cost: f64,
}

impl ModelUse {
    /// Whether nothing was asked.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.questions == 0
    }

    /// Adds others.
    pub(crate) fn add(&mut self, more: &Self) {
        self.questions = self.questions.saturating_add(more.questions);
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.cost += more.cost;
    }

    fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// The tokens of one run and its children.
#[derive(Debug)]
pub(crate) struct Budget {
    state: Mutex<State>,
    /// Told when a question is over.
    settled: Notify,
}

#[derive(Debug)]
struct State {
    most: u64,
    used: ModelUse,
    /// What questions under way may use at most.
    reserved: u64,
}

impl Default for Budget {
    fn default() -> Self {
        let state =
            State { most: Limits::default().model_tokens, used: ModelUse::default(), reserved: 0 };
        Self { state: Mutex::new(state), settled: Notify::new() }
    }
}

/// Tokens that one question may use, which nobody else may meanwhile.
pub(crate) struct Reserved<'a> {
    of: &'a Budget,
    /// All of them.
    pub(super) tokens: u64,
    /// Tokens that the reply may have.
    pub(super) reply: u64,
}

impl Budget {
    /// So many tokens may be used.
    pub(crate) fn set(&self, most: u64) {
        self.lock().most = most;
    }

    /// What was used so far.
    pub(crate) fn used(&self) -> ModelUse {
        self.lock().used
    }

    /// Takes tokens for a prompt of about `input` tokens and a reply of up to `reply`. Where others that are
    /// under way may leave more than is free now, they are waited for.
    pub(super) async fn reserve(&self, input: u64, reply: u64) -> Result<Reserved<'_>, CallError> {
        loop {
            // Registered before looking, so that one that ends between the two is not missed.
            let settled = self.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            {
                let mut state = self.lock();
                let left = state.most.saturating_sub(state.used.tokens());
                if input >= left {
                    let (most, used) = (state.most, state.used.tokens());
                    return Err(fault(
                        "LimitExceeded",
                        format!(
                            "ask_model(): a run and its children may use {most} tokens of models (limit `model-tokens`, or what `max-tokens` and `max-cost` of [ask] leave to a program of a question) and have used {used}; \
                             this prompt has about {input}, so that none would be left for an answer. Ask with less text, fewer questions, or in another run"
                        ),
                    ));
                }
                let free = left.saturating_sub(state.reserved);
                let wanted = input.saturating_add(reply);
                if free >= wanted || state.reserved == 0 {
                    let tokens = wanted.min(free);
                    state.reserved += tokens;
                    return Ok(Reserved { of: self, tokens, reply: tokens - input });
                }
            }
            settled.await;
        }
    }

    /// Counts what was used, now or before this process.
    pub(crate) fn add(&self, more: &ModelUse) {
        self.lock().used.add(more);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.of.lock().reserved -= self.tokens;
        self.of.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn used(input_tokens: u64, output_tokens: u64) -> ModelUse {
        ModelUse { questions: 1, input_tokens, output_tokens, cost: 0.5 }
    }

    #[tokio::test]
    async fn what_is_asked_at_the_same_time_shares_what_is_left() {
        let budget = Budget::default();
        budget.set(100);
        let first = budget.reserve(10, 50).await.unwrap();
        assert_eq!(first.reply, 50);
        // The first may leave more than is free now.
        let mut second = Box::pin(budget.reserve(10, 50));
        assert!((&mut second).now_or_never().is_none());
        budget.add(&used(10, 5));
        drop(first);
        assert_eq!(second.await.unwrap().reply, 50);
        budget.add(&used(10, 45));
        // The last gets what is left.
        assert_eq!(budget.reserve(10, 50).await.unwrap().reply, 20);
        let refused = budget.reserve(30, 50).await.err().unwrap();
        assert_eq!(refused.kind, "LimitExceeded");
        assert!(
            refused.message.contains("`model-tokens`") && refused.message.contains("have used 70")
        );
        let used = budget.used();
        assert_eq!((used.questions, used.input_tokens, used.output_tokens), (2, 20, 50));
        assert!((used.cost - 1.0).abs() < 1e-9);
    }
}
