//! One question while it is answered: what it has, what it used, what came of it.

use std::sync::Arc;

use engine::{Context, Language};
use gateway::service::conversations::{Conversation, Turn};
use gateway::service::ids::RunId;
use gateway::service::record::Moment;
use gateway::service::run::Run;
use gateway::service::{Caller, TraceParent};
use serde_json::json;
use serde_json::value::to_raw_value;
use tracing::warn;

use crate::ask::{Answer, Ask, AskError};
use crate::event::Event;
use crate::figures;
use crate::form::{Form, Schema};
use crate::live::{Agent, Live};
use crate::model::message::{Message, Prompt, Reply, Usage};
use crate::rollout::Arm;
use crate::settings::Mode;
use crate::spend::{Spent, StepName, Totals};
use crate::think::Open;

/// The variable that says who asks.
pub(crate) const USER: &str = "user";

/// One question while it is answered.
pub(crate) struct Work<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) live: &'a Live,
    pub(crate) caller: &'a Caller,
    pub(crate) question: String,
    pub(crate) context: Context,
    pub(crate) conversation: Conversation,
    pub(crate) mode: Mode,
    /// What its programs are written in.
    pub(crate) language: Language,
    /// The trace that they belong to.
    pub(crate) trace: Option<TraceParent>,
    pub(crate) runs: Vec<RunId>,
    pub(crate) failures: u32,
    /// Replies that ended because they had no more tokens.
    pub(crate) cuts: u32,
    form: Form,
    pub(crate) model: String,
    pub(crate) arm: Arm,
    pub(crate) spent: Spent,
    /// Tokens of the calls, and of their answers, that programs made which worked.
    pub(crate) calls: u64,
    /// The reply that is under way.
    pub(crate) open: Option<Open>,
    /// The run that is under way, which may ask models, too.
    pub(crate) running: Option<Arc<Run>>,
}

/// An answer in the form that was asked for.
pub(crate) struct Formed {
    text: String,
    value: Option<serde_json::Value>,
}

impl<'a> Work<'a> {
    pub(crate) fn new(
        agent: &'a Agent,
        live: &'a Live,
        caller: &'a Caller,
        ask: Ask,
        conversation: Conversation,
        (mode, arm): (Mode, Arm),
    ) -> Self {
        let mut context = ask.context;
        let user = json!({ "owner": caller.owner, "teams": caller.teams, "id": ask.user });
        if let Ok(user) = to_raw_value(&user) {
            context.insert(USER.to_owned(), user);
        }
        let model = ask.model.unwrap_or_else(|| agent.settings.model.model.clone());
        Self {
            agent,
            live,
            caller,
            question: ask.question,
            context,
            conversation,
            mode,
            language: agent.language_of(ask.language),
            trace: ask.trace,
            runs: Vec::new(),
            failures: 0,
            cuts: 0,
            form: ask.form,
            model,
            arm,
            spent: Spent::default(),
            calls: 0,
            open: None,
            running: None,
        }
    }

    pub(crate) fn spent(&self) -> &Spent {
        &self.spent
    }

    /// Answers the question, and keeps what was said.
    pub(crate) async fn answer(&mut self) -> Result<Answer, AskError> {
        let formed = match self.mode {
            Mode::Code => self.in_steps().await?,
            Mode::Hybrid | Mode::Direct => self.in_chat().await?,
        };
        let direct = self.direct_tokens(&formed.text).await;
        self.spent.compare(direct);
        let turn = Turn {
            at: Moment::now(),
            question: self.question.clone(),
            answer: formed.text.clone(),
            runs: self.runs.clone(),
            tokens: self.spent.tokens(),
            cost: self.spent.cost,
        };
        let totals = self.keep(Some(turn)).await;
        Ok(Answer {
            answer: formed.text,
            value: formed.value,
            conversation: self.conversation.id.to_string(),
            mode: self.mode.name(),
            arm: self.arm.name(),
            runs: self.runs.iter().map(ToString::to_string).collect(),
            usage: self.spent.clone(),
            totals,
        })
    }

    /// Tokens that the same would have taken without programs, at the least: the definitions of all tools once,
    /// calls and their answers, and what was said.
    async fn direct_tokens(&self, answer: &str) -> u64 {
        if self.arm == Arm::Direct {
            return self.spent.tokens();
        }
        let said = budget::count(&self.question) + budget::count(answer);
        self.agent.service.definition_tokens().await + self.calls + said as u64
    }

    /// Keeps what a question used that has no answer, for it was paid for. There is no turn of it: models
    /// that read on would take it for a question that was answered with nothing.
    pub(crate) async fn keep_spent(&mut self) {
        if let Some(open) = self.open.take().filter(|open| !open.said.is_empty()) {
            let output = budget::count(&open.said) as u64;
            let used = Usage { input: open.input, output, estimated: true };
            self.spent.lose(open.step, used, self.agent.settings.prices);
            figures::step(self.arm, open.step, used.input, used.output);
        }
        if let Some(run) = self.running.take() {
            // It was cancelled with the question; what it asked before was answered.
            run.cancel();
            self.spent.asked(&run.models_used());
        }
        if self.spent.tokens() == 0 {
            return;
        }
        // Nothing is known of how far tools would have come.
        self.spent.compare(if self.arm == Arm::Direct { self.spent.tokens() } else { 0 });
        self.keep(None).await;
    }

    /// Keeps what the question used so far: a gateway that is killed meanwhile forgets the reply that was under way,
    /// and nothing else.
    pub(crate) async fn keep_so_far(&self) {
        if self.spent.tokens() > 0 {
            self.keep(None).await;
        }
    }

    /// Keeps what was used, and the turn if there is one; gives what the conversation used so far. That it
    /// could not be kept makes the answer no worse.
    async fn keep(&self, turn: Option<Turn>) -> Totals {
        let mut one = self.conversation.clone();
        one.tokens = one.tokens.saturating_add(self.spent.tokens());
        one.cost += self.spent.cost;
        one.direct_tokens = one.direct_tokens.saturating_add(self.spent.direct_tokens);
        one.turns.extend(turn);
        let (id, totals) = (one.id.clone(), Totals::of(&one));
        let kept = self.agent.service.keep_conversation(one, &self.agent.settings.bounds).await;
        if let Err(error) = kept {
            warn!(conversation = %id, error = %error, "a conversation was not kept");
        }
        totals
    }

    /// Counts something that went wrong and goes back to the model; too many end the question.
    pub(crate) fn failed(&mut self, kind: &str, message: &str) -> Result<(), AskError> {
        self.failures += 1;
        let (kind, message) = (kind.to_owned(), message.to_owned());
        self.live.tell(Event::Failed { kind: kind.clone(), message: message.clone() });
        let attempts = self.agent.settings.attempts.max(1);
        if self.failures < attempts {
            return Ok(());
        }
        let last: String = format!("{kind}: {message}").chars().take(500).collect();
        Err(AskError::Failed { attempts, last })
    }

    /// What a model is told of the form that is wanted.
    pub(crate) fn form_in_words(&self) -> String {
        match &self.form {
            Form::Text => String::new(),
            Form::Json(schema) => format!(
                "\n\nReply with JSON that fits this JSON Schema, and nothing else:\n{}",
                schema.text()
            ),
            Form::Document(template) => format!(
                "\n\nYour answer fills this document:\n{}\n\nReply with one JSON object that has a value for each place, and nothing else. It must fit this JSON Schema:\n{}",
                template.text(),
                template.schema()
            ),
        }
    }

    /// Whether the words of a model may be the answer as they are.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.form, Form::Text)
    }

    /// Brings words into the form that was asked for; what does not fit goes back to the model.
    pub(crate) async fn formed(
        &mut self,
        mut prompt: Prompt,
        first: Reply,
    ) -> Result<Formed, AskError> {
        let attempts = self.agent.settings.attempts.max(1);
        let mut reply = first;
        for attempt in 1.. {
            let wrong = match self.fits(&reply.text) {
                Ok(formed) => return Ok(formed),
                Err(wrong) => wrong,
            };
            if attempt >= attempts {
                return Err(AskError::Form { attempts, last: wrong });
            }
            self.live.tell(Event::Failed { kind: "Form".to_owned(), message: wrong.clone() });
            // Nobody takes empty words.
            let text = if reply.text.trim().is_empty() { "(nothing)" } else { &reply.text };
            prompt.messages.push(Message::Model { text: text.to_owned(), calls: Vec::new() });
            let how = if self.is_plain() { "your answer in words" } else { "the JSON only" };
            let again = format!("That cannot be used: {wrong}. Reply again, with {how}.");
            prompt.messages.push(Message::User(again));
            reply = self.think(StepName::Interpret, prompt.clone(), false).await?;
        }
        Err(AskError::Cancelled)
    }

    fn fits(&self, text: &str) -> Result<Formed, String> {
        match &self.form {
            Form::Text if text.trim().is_empty() => Err("the answer is empty".to_owned()),
            Form::Text => Ok(Formed { text: text.trim().to_owned(), value: None }),
            Form::Json(schema) => {
                let value = schema.read(text)?;
                Ok(Formed { text: value.to_string(), value: Some(value) })
            }
            Form::Document(template) => {
                let schema = Schema::new(&template.schema()).map_err(|error| error.to_string())?;
                let text = template.fill(&schema.read(text)?)?;
                Ok(Formed { text, value: None })
            }
        }
    }
}
