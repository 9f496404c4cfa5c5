//! What a question uses, step by step, and what it may use.

use gateway::service::conversations::Conversation;
use serde::Serialize;

use crate::ask::AskError;
use crate::model::message::Usage;
use crate::settings::{Budgets, Prices};

/// What a model was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepName {
    /// A program.
    Write,
    /// An answer, from a result.
    Interpret,
    /// What to do next.
    Chat,
}

impl StepName {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Interpret => "interpret",
            Self::Chat => "chat",
        }
    }
}

/// One request to a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// What for.
    pub step: StepName,
    /// Tokens that it read.
    pub input_tokens: u64,
    /// Tokens that it wrote.
    pub output_tokens: u64,
    /// What they cost.
    pub cost: f64,
    /// The provider did not say how many; they were counted here.
    pub estimated: bool,
    /// The reply broke off or could not be used, and was asked for again where that could help.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub broke_off: bool,
}

/// What a question used so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Spent {
    /// Each request to a model.
    pub steps: Vec<Step>,
    /// Tokens that models read.
    pub input_tokens: u64,
    /// Tokens that models wrote.
    pub output_tokens: u64,
    /// What they cost.
    pub cost: f64,
    /// Tokens that the same work would have taken with tools instead of programs.
    pub direct_tokens: u64,
    /// `direct_tokens` less what was used; negative where programs were the dearer way.
    pub tokens_saved: i64,
}

/// What a whole conversation used, also for questions that were not answered.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Totals {
    /// Tokens that models read and wrote.
    pub tokens: u64,
    /// What they cost.
    pub cost: f64,
    /// Tokens that the same work would have taken with tools instead of programs.
    pub direct_tokens: u64,
    /// `direct_tokens` less `tokens`; negative where programs were the dearer way.
    pub tokens_saved: i64,
}

impl Totals {
    /// Of so many tokens.
    #[must_use]
    pub fn new(tokens: u64, cost: f64, direct_tokens: u64) -> Self {
        Self { tokens, cost, direct_tokens, tokens_saved: saved(direct_tokens, tokens) }
    }

    /// Of a conversation as it is kept.
    #[must_use]
    pub fn of(one: &Conversation) -> Self {
        Self::new(one.tokens, one.cost, one.direct_tokens)
    }
}

fn saved(direct: u64, used: u64) -> i64 {
    let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    whole(direct) - whole(used)
}

impl Spent {
    /// Tokens, read and written.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens
    }

    /// Notes a request.
    pub(crate) fn note(&mut self, step: StepName, used: Usage, prices: Prices) {
        self.add(step, used, prices, false);
    }

    /// Notes one whose reply broke off.
    pub(crate) fn lose(&mut self, step: StepName, used: Usage, prices: Prices) {
        self.add(step, used, prices, true);
    }

    fn add(&mut self, step: StepName, used: Usage, prices: Prices, broke_off: bool) {
        let cost = prices.of(used.input, used.output);
        self.input_tokens += used.input;
        self.output_tokens += used.output;
        self.cost += cost;
        self.steps.push(Step {
            step,
            input_tokens: used.input,
            output_tokens: used.output,
            cost,
            estimated: used.estimated,
            broke_off,
        });
    }

    /// Says against what it is held.
    pub(crate) fn compare(&mut self, direct_tokens: u64) {
        self.direct_tokens = direct_tokens;
        self.tokens_saved = saved(direct_tokens, self.tokens());
    }

    /// That there are no tokens for another reply.
    pub(crate) fn no_tokens(&self, budgets: &Budgets) -> AskError {
        AskError::Budget {
            what: "tokens",
            used: self.tokens().to_string(),
            limit: budgets.tokens.to_string(),
            setting: "max-tokens",
        }
    }

    /// How many tokens are left for one more request, or which budget is spent.
    pub(crate) fn left(&self, budgets: &Budgets) -> Result<u64, AskError> {
        // How often a request is made again is bounded already.
        let steps = self.steps.iter().filter(|step| !step.broke_off).count();
        if steps >= budgets.steps as usize {
            return Err(AskError::Budget {
                what: "requests to the model",
                used: steps.to_string(),
                limit: budgets.steps.to_string(),
                setting: "max-steps",
            });
        }
        let used = self.tokens();
        if used >= budgets.tokens {
            return Err(self.no_tokens(budgets));
        }
        match budgets.cost {
            Some(limit) if self.cost >= limit => Err(AskError::Budget {
                what: "of its budget in money",
                used: format!("{:.4}", self.cost),
                limit: format!("{limit:.4}"),
                setting: "max-cost",
            }),
            _ => Ok(budgets.tokens - used),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_budget_ends_a_question_and_says_which_setting_it_is() {
        let prices = Prices { input: 1_000_000.0, output: 0.0 };
        let mut spent = Spent::default();
        let budgets = Budgets { tokens: 100, steps: 3, cost: Some(50.0) };
        assert_eq!(spent.left(&budgets).unwrap(), 100);
        spent.note(StepName::Write, Usage { input: 40, output: 10, estimated: false }, prices);
        assert_eq!(spent.left(&budgets).unwrap(), 50);
        let stopped = |budgets: &Budgets| spent.left(budgets).unwrap_err().to_string();
        for (budgets, setting) in [
            (Budgets { tokens: 50, ..budgets }, "max-tokens"),
            (Budgets { steps: 1, ..budgets }, "max-steps"),
            (Budgets { cost: Some(40.0), ..budgets }, "max-cost"),
        ] {
            assert!(stopped(&budgets).contains(setting), "{}", stopped(&budgets));
        }
    }

    #[test]
    fn what_broke_off_is_paid_for_and_is_no_step_of_the_budget() {
        let mut spent = Spent::default();
        let used = Usage { input: 40, output: 10, estimated: true };
        let prices = Prices { input: 1_000_000.0, output: 0.0 };
        spent.lose(StepName::Write, used, prices);
        assert_eq!((spent.tokens(), spent.cost), (50, 40.0));
        let budgets = Budgets { tokens: 60, steps: 1, cost: None };
        assert_eq!(spent.left(&budgets).unwrap(), 10);
        spent.lose(StepName::Write, used, prices);
        assert!(spent.left(&budgets).unwrap_err().to_string().contains("max-tokens"));
    }
}
