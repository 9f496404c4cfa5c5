//! What a run cost a model, and what the same work would have cost it without a program.
//!
//! Counted with the o200k vocabulary:
//!
//! * ours: the definitions of our own tools, the program with its context, and the answer;
//! * inline: the definitions of all known tools, and every call and answer;
//! * search: the definitions of the tools that were called, and every call and answer.

use serde::{Deserialize, Serialize};

use crate::tally::{Counts, DefinitionTokens};

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
}

/// What was counted of a run.
pub(super) struct Seen {
    pub(super) counts: Counts,
    pub(super) definitions: DefinitionTokens,
    pub(super) sent: u64,
    pub(super) received: u64,
    pub(super) received_bytes: u64,
}

impl Receipt {
    /// The receipt, where our own definitions have `own` tokens and a million tokens cost `price`.
    pub(super) fn new(seen: Seen, own: u64, price: f64) -> Self {
        let Seen { counts, definitions, sent, received, received_bytes } = seen;
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
        }
    }
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
        };
        let receipt = Receipt::new(seen(5000), 600, 3.0);
        assert_eq!((receipt.tokens_saved, receipt.tokens_saved_search), (4370, -630));
        assert!((receipt.cost_saved - 0.01311).abs() < 1e-9);
        assert_eq!(Receipt::new(seen(0), 600, 3.0).tokens_saved, -630);
    }
}
