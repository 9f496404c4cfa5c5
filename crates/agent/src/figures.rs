//! What operators see of questions, of both arms of a roll-out.

use std::time::Duration;

use metrics::{counter, histogram};

use crate::ask::AskError;
use crate::rollout::Arm;
use crate::spend::{Spent, StepName};

/// Tokens of one request to a model.
pub(crate) fn step(arm: Arm, step: StepName, input: u64, output: u64) {
    for (kind, tokens) in [("input", input), ("output", output)] {
        counter!("tidegate_ask_tokens_total",
            "arm" => arm.name(), "step" => step.name(), "kind" => kind)
        .increment(tokens);
    }
}

/// A question that is over.
pub(crate) fn ended(arm: Arm, error: Option<&AskError>, spent: &Spent, took: Duration) {
    let outcome = error.map_or("answered", AskError::code);
    counter!("tidegate_asks_total", "arm" => arm.name(), "outcome" => outcome).increment(1);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "millionths of what a question costs, which is not negative"
    )]
    let micros = (spent.cost * 1e6).round() as u64;
    counter!("tidegate_ask_cost_micros_total", "arm" => arm.name()).increment(micros);
    counter!("tidegate_ask_direct_tokens_total", "arm" => arm.name())
        .increment(spent.direct_tokens);
    histogram!("tidegate_ask_seconds", "arm" => arm.name()).record(took.as_secs_f64());
}
