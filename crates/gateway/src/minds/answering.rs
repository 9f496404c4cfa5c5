//! One question of a program: within its budget, by its schema, with one try to mend what does not fit.

use std::sync::Arc;

use engine::CallError;
use metrics::counter;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::{
    Asked, Budget, End, FAILED, Mind, MindError, Minds, ModelUse, Prompt, Schema, UNFIT, fault,
};

/// How an answer by a schema is asked for.
const BY_SCHEMA: &str =
    "Reply with one JSON value that fits this JSON Schema, and with nothing else:\n";

/// Letters of a reply that an error repeats.
const SHOWN: usize = 500;

/// What a program gets, and what the ledger keeps of it.
#[derive(Serialize, Deserialize)]
struct Answered {
    answer: Value,
    used: ModelUse,
}

impl Minds {
    /// Answers a question of a run, whose tokens come from `budget`.
    pub(crate) async fn answer(
        &self,
        arguments: &RawValue,
        run: &str,
        budget: &Budget,
    ) -> Result<Box<RawValue>, CallError> {
        let asked: Asked = serde_json::from_str(arguments.get())
            .map_err(|error| fault("ArgumentError", format!("ask_model(): {error}")))?;
        if asked.prompt.trim().is_empty() {
            return Err(fault(
                "ArgumentError",
                "ask_model(): the prompt is empty; say what you want to know",
            ));
        }
        let schema = asked.schema.as_ref().map(Schema::new).transpose();
        let schema =
            schema.map_err(|error| fault("ArgumentError", format!("ask_model(): {error}")))?;
        let mind = self.of(run).await?;
        upstream::leaves().await.map_err(|error| {
            let message = format!(
                "the question was not asked, because it could not be written down first: {error}"
            );
            fault(crate::hearing::UNSENT, message)
        })?;
        let mut talk = Talk { minds: self, mind, budget, used: ModelUse::default() };
        let answer = match schema {
            None => Value::String(talk.ask(&plain(asked.prompt)).await?),
            Some(schema) => talk.ask_by(&schema, asked.prompt).await?,
        };
        let answered = Answered { answer, used: talk.used };
        to_raw_value(&answered).map_err(|error| fault("ServerError", error.to_string()))
    }

    /// Who is asked on behalf of a run: its client, or else the provider.
    async fn of(&self, run: &str) -> Result<Arc<dyn Mind>, CallError> {
        match self.client(run) {
            Some(client) => Ok(client),
            None => self.provider().await,
        }
    }
}

/// What an answer that came before cost, as its ledger has it.
pub(crate) fn used_before(answer: &RawValue) -> Option<ModelUse> {
    serde_json::from_str::<Answered>(answer.get()).ok().map(|answered| answered.used)
}

fn plain(prompt: String) -> Prompt {
    Prompt { said: vec![prompt], ..Prompt::default() }
}

/// One question, and what it used so far.
struct Talk<'a> {
    minds: &'a Minds,
    mind: Arc<dyn Mind>,
    budget: &'a Budget,
    used: ModelUse,
}

impl Talk<'_> {
    /// The JSON of an answer that fits a schema. One that does not goes back once, with what is wrong with it.
    async fn ask_by(&mut self, schema: &Schema, prompt: String) -> Result<Value, CallError> {
        let system = format!("{BY_SCHEMA}{}", schema.text());
        let mut prompt = Prompt { system, ..plain(prompt) };
        let first = self.ask(&prompt).await?;
        let wrong = match schema.read(&first) {
            Ok(value) => return Ok(value),
            Err(wrong) => wrong,
        };
        prompt.said.push(first);
        prompt.said.push(format!("That cannot be used: {wrong}. Reply again, with the JSON only."));
        let second = self.ask(&prompt).await?;
        schema.read(&second).map_err(|wrong| {
            let shown: String = second.chars().take(SHOWN).collect();
            fault(
                UNFIT,
                format!(
                    "ask_model(): the answer does not fit the schema, also after a second try: {wrong}. It was: {shown}. \
                     Ask for less at once, say in the prompt what each field means, or make the schema wider"
                ),
            )
        })
    }

    /// The words of one reply, which is whole.
    async fn ask(&mut self, prompt: &Prompt) -> Result<String, CallError> {
        let input = tokens_of(prompt);
        let reserved = self.budget.reserve(input, self.mind.reply_tokens()).await?;
        let (reply_tokens, left) = (reserved.reply, Some(reserved.tokens));
        let prompt = Prompt { reply_tokens, left, ..prompt.clone() };
        let replied = self.mind.reply(&prompt).await;
        let replied = match replied {
            Err(MindError::Gone(_)) => {
                counted(&*self.mind, "gone");
                // Nobody has seen it, so that another may be asked.
                self.mind = self.minds.provider().await?;
                self.mind.reply(&prompt).await
            }
            replied => replied,
        };
        let reply = replied.map_err(|error| {
            counted(&*self.mind, "error");
            // Where nobody has read it, there is nothing to count.
            if let MindError::Lost { input, output, cost, .. } = error
                && (input, output) != (0, 0)
            {
                self.note(input, output, cost);
            }
            fault(FAILED, format!("ask_model(): {error}"))
        })?;
        self.note(reply.input, reply.output, reply.cost);
        match reply.end {
            End::Whole if reply.text.trim().is_empty() => {
                counted(&*self.mind, "empty");
                Err(fault(
                    FAILED,
                    "ask_model(): the answer of the model is empty; ask in other words",
                ))
            }
            End::Whole => {
                counted(&*self.mind, "ok");
                Ok(reply.text)
            }
            End::Cut => {
                counted(&*self.mind, "cut");
                let message = format!(
                    "ask_model(): the answer was cut after {} tokens and is not whole (at most `reply-tokens` of [ask], and what is left of the limit \
                     `model-tokens`); ask for a shorter answer, or in several questions",
                    reply.output
                );
                Err(fault(FAILED, message))
            }
            End::Refused => {
                counted(&*self.mind, "refused");
                let said: String = reply.text.trim().chars().take(SHOWN).collect();
                Err(fault(FAILED, format!("ask_model(): the model refuses to answer: {said}")))
            }
        }
    }

    fn note(&mut self, input: u64, output: u64, cost: f64) {
        let used = ModelUse { questions: 1, input_tokens: input, output_tokens: output, cost };
        self.budget.add(&used);
        self.used.add(&used);
        let by = self.mind.name();
        for (kind, tokens) in [("input", input), ("output", output)] {
            counter!("tidegate_program_model_tokens_total", "by" => by, "kind" => kind)
                .increment(tokens);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "millionths of what a reply costs, which is not negative"
        )]
        let micros = (cost * 1e6).round() as u64;
        counter!("tidegate_program_model_cost_micros_total", "by" => by).increment(micros);
    }
}

fn counted(mind: &dyn Mind, outcome: &'static str) {
    counter!("tidegate_program_questions_total", "by" => mind.name(), "outcome" => outcome)
        .increment(1);
}

/// About how many tokens a model reads.
fn tokens_of(prompt: &Prompt) -> u64 {
    let said = prompt.said.iter().map(|text| budget::count(text)).sum::<usize>();
    (budget::count(&prompt.system) + said) as u64
}
