//! What a question uses, step by step, and what it may use.

use gateway::minds::ModelUse;
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
    /// Whatever a program asked by `ask_model`.
    Program,
}

impl StepName {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Interpret => "interpret",
            Self::Chat => "chat",
            Self::Program => "program",
        }
    }
}

/// One request to a model, or all those of one program.
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
    whole(direct).saturating_sub(whole(used))
}

impl Spent {
    /// Tokens, read and written.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Notes a request.
    pub(crate) fn note(&mut self, step: StepName, used: Usage, prices: Prices) {
        self.add(step, used, prices, false);
    }

    /// Notes one whose reply broke off.
    pub(crate) fn lose(&mut self, step: StepName, used: Usage, prices: Prices) {
        self.add(step, used, prices, true);
    }

    /// Notes what a program asked.
    pub(crate) fn asked(&mut self, used: &ModelUse) {
        if used.is_nothing() {
            return;
        }
        self.push(Step {
            step: StepName::Program,
            input_tokens: used.input_tokens,
            output_tokens: used.output_tokens,
            cost: used.cost,
            estimated: false,
            broke_off: false,
        });
    }

    fn add(&mut self, step: StepName, used: Usage, prices: Prices, broke_off: bool) {
        self.push(Step {
            step,
            input_tokens: used.input,
            output_tokens: used.output,
            cost: prices.of(used.input, used.output),
            estimated: used.estimated,
            broke_off,
        });
    }

    fn push(&mut self, step: Step) {
        self.input_tokens = self.input_tokens.saturating_add(step.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(step.output_tokens);
        self.cost += step.cost;
        self.steps.push(step);
    }

    /// Tokens that a program may have models read and write: what is left, at the dearer of the two prices.
    pub(crate) fn left_for_programs(&self, budgets: &Budgets, prices: Prices) -> u64 {
        let tokens = budgets.tokens.saturating_sub(self.tokens());
        let dearest = prices.input.max(prices.output);
        match budgets.cost {
            Some(limit) if dearest > 0.0 => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "rounded down to whole tokens, and not negative"
                )]
                let paid = ((limit - self.cost).max(0.0) / dearest * 1e6) as u64;
                tokens.min(paid)
            }
            _ => tokens,
        }
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
        // How often a request is made again is bounded already, and what programs ask by its tokens.
        let counts = |step: &&Step| !step.broke_off && step.step != StepName::Program;
        let steps = self.steps.iter().filter(counts).count();
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
    fn what_programs_ask_counts_as_tokens_and_money_and_as_no_step() {
        let prices = Prices { input: 1.0, output: 4.0 };
        let budgets = Budgets { tokens: 1_000, steps: 1, cost: Some(0.003) };
        let mut spent = Spent::default();
        // At the dearer price the money is spent first.
        assert_eq!(spent.left_for_programs(&budgets, prices), 750);
        spent.asked(&ModelUse::default());
        assert_eq!(spent.steps.len(), 0);
        spent.asked(&ModelUse { questions: 2, input_tokens: 600, output_tokens: 100, cost: 0.001 });
        assert_eq!((spent.tokens(), spent.left(&budgets).unwrap()), (700, 300));
        assert_eq!(spent.left_for_programs(&budgets, prices), 300);
        assert_eq!(spent.left_for_programs(&budgets, Prices::default()), 300);
        spent.asked(&ModelUse { questions: 1, input_tokens: 0, output_tokens: 0, cost: 1.0 });
        assert_eq!(spent.left_for_programs(&budgets, prices), 0);
        assert!(spent.left(&budgets).unwrap_err().to_string().contains("max-cost"));
    }

    #[test]
    fn a_number_that_nobody_can_have_used_is_no_small_one() {
        let mut spent = Spent::default();
        let used = Usage { input: u64::MAX, output: 9, estimated: false };
        spent.note(StepName::Write, used, Prices::default());
        spent.note(StepName::Write, used, Prices::default());
        assert_eq!((spent.input_tokens, spent.tokens()), (u64::MAX, u64::MAX));
        spent.compare(0);
        assert!(spent.tokens_saved < 0);
        assert!(spent.left(&Budgets::default()).unwrap_err().to_string().contains("max-tokens"));
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
