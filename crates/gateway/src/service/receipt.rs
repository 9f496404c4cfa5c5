//! What a run cost a model, and what the same work would have cost it without a program.
//!
//! Counted with the o200k vocabulary:
//!
//! * ours: the definitions of our own tools, the program with its context, and the answer;
//! * inline: the definitions of all known tools, and every call and answer;
//! * search: the definitions of the tools that were called, and every call and answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::Language;
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

use super::answer::Answer;
use super::durable::Begun;
use super::run::Run;
use super::{Service, analysis};
use crate::minds::ModelUse;
use crate::tally::{Counts, DefinitionTokens};
use crate::tools::Offer;

/// One run's receipt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Tokens of our own tools' definitions.
    pub own_definitions: u64,
    /// Tokens of the program and its context.
    pub sent: u64,
    /// Tokens of the answer.
    pub received: u64,
    /// What it would have cost with all definitions in context and every answer through it.
    pub inline: u64,
    /// The same with the definitions of the tools that were called only.
    pub search: u64,
    /// `inline` less what it cost; negative where a program was the dearer way.
    pub tokens_saved: i64,
    /// `search` less what it cost.
    pub tokens_saved_search: i64,
    /// Bytes of answers that stayed in the sandbox.
    pub bytes_kept: u64,
    /// Tools that were called, as `server.tool`.
    pub tools_called: Vec<String>,
    /// What was saved, in money.
    pub cost_saved: f64,
    /// What the program and its children asked models, and what that took: it is besides all else here.
    #[serde(default, skip_serializing_if = "ModelUse::is_nothing")]
    pub models: ModelUse,
    /// What the program is written in.
    #[serde(default)]
    pub language: Language,
}

/// What was counted of a run.
struct Seen {
    counts: Counts,
    definitions: DefinitionTokens,
    sent: u64,
    received: u64,
    received_bytes: u64,
    models: ModelUse,
    language: Language,
}

impl Receipt {
    /// The receipt, where our own definitions have `own` tokens and a million tokens cost `price`.
    fn new(seen: Seen, own: u64, price: f64) -> Self {
        let Seen { counts, definitions, sent, received, received_bytes, models, language } = seen;
        let calls = counts.argument_tokens + counts.result_tokens;
        let (inline, search) = (definitions.all + calls, definitions.used + calls);
        let ours = own + sent + received;
        let less = |other: u64| {
            i64::try_from(other).unwrap_or(i64::MAX) - i64::try_from(ours).unwrap_or(i64::MAX)
        };
        let saved = less(inline);
        #[expect(clippy::cast_precision_loss, reason = "money, rounded anyway")]
        let cost_saved = (saved as f64 * price / 1e6 * 1e9).round() / 1e9;
        Self {
            own_definitions: own,
            sent,
            received,
            inline,
            search,
            tokens_saved: saved,
            tokens_saved_search: less(search),
            bytes_kept: counts.result_bytes.saturating_sub(received_bytes),
            tools_called: counts.tools.into_keys().collect(),
            cost_saved,
            models,
            language,
        }
    }
}

impl Service {
    /// Tokens of the definitions of all tools that are known, as [`Receipt::inline`] has them; none where
    /// nobody wants receipts.
    pub async fn definition_tokens(&self) -> u64 {
        if !self.settings.receipts {
            return 0;
        }
        self.parts.tools.definition_tokens(&BTreeMap::new()).await.all
    }

    /// Has the calls of a run counted that are made through `offer`.
    pub(super) fn counts_calls(&self, run: &Run, offer: &Offer) {
        if self.settings.receipts {
            self.parts.tools.count_definitions_soon();
        } else {
            offer.tally().is_unwanted();
        }
        run.is_counted_by(Arc::clone(offer.tally()));
    }

    /// Begins to count the tokens of the variables that a program is given, beside the run: a megabyte
    /// of them takes as long as many a program.
    pub(super) fn context_tokens(&self, begun: &Begun) -> Option<JoinHandle<usize>> {
        self.settings.receipts.then(|| context_tokens(begun)).flatten()
    }

    /// What a run cost a model, and what the same work would have cost it otherwise.
    pub(super) async fn receipt(&self, run: &Run, context: usize, answer: &Answer) -> Receipt {
        let counts = match run.tally() {
            Some(tally) => tally.settled().await,
            None => Counts::default(),
        };
        let definitions = self.parts.tools.definition_tokens(&counts.tools).await;
        let count =
            |program: &str| if analysis::is_one(program) { 0 } else { budget::count(program) };
        let sent = run.with_program(count) + context;
        let failure = answer.error.as_ref().map_or(0, super::answer::tokens_of);
        let shown = &answer.shown;
        let received_bytes = shown.value.get().len() + shown.stdout.len() + shown.stderr.len();
        let seen = Seen {
            counts,
            definitions,
            sent: sent as u64,
            // One that failed has no value, not even `null`.
            received: (shown.tokens.saturating_sub(usize::from(failure > 0)) + failure) as u64,
            received_bytes: received_bytes as u64,
            models: run.tally().map(|tally| tally.models().used()).unwrap_or_default(),
            language: run.record().language.parse().unwrap_or_default(),
        };
        Receipt::new(seen, self.own_tokens(), self.settings.token_price)
    }
}

/// Counts the tokens of the variables that a program is given, on another thread.
fn context_tokens(begun: &Begun) -> Option<JoinHandle<usize>> {
    let context = &begun.context;
    if context.is_empty() {
        return None;
    }
    let text = match context.get(analysis::REQUEST) {
        // What was sent is the request; the program around it is ours.
        Some(request) if analysis::is_one(&begun.program) => analysis::as_sent(request),
        _ => serde_json::to_string(context).ok()?,
    };
    Some(tokio::task::spawn_blocking(move || {
        // As short as it could have been written, like everything else that is counted.
        let short = serde_json::from_str::<serde_json::Value>(&text).map(|value| value.to_string());
        budget::count(short.as_deref().unwrap_or(&text))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_calls_nothing_saves_only_definitions() {
        let seen = |all| Seen {
            counts: Counts::default(),
            definitions: DefinitionTokens { all, used: 0 },
            sent: 20,
            received: 10,
            received_bytes: 40,
            models: ModelUse::default(),
            language: Language::TypeScript,
        };
        let receipt = Receipt::new(seen(5000), 600, 3.0);
        assert_eq!(receipt.language, Language::TypeScript);
        assert_eq!((receipt.tokens_saved, receipt.tokens_saved_search), (4370, -630));
        assert!((receipt.cost_saved - 0.01311).abs() < 1e-9);
        assert_eq!(Receipt::new(seen(0), 600, 3.0).tokens_saved, -630);
    }
}
