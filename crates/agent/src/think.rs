//! Asking the model, within what a question may use.

use crate::ask::AskError;
use crate::event::Event;
use crate::figures;
use crate::live::Agent;
use crate::model::message::{Message, Prompt, Reply, Stop};
use crate::model::{ModelError, Told};
use crate::spend::StepName;
use crate::work::Work;

/// Letters of a reply without an end that the model is shown again.
const SHOWN: usize = 1_000;

/// A reply that is under way: what it has used, should nobody wait for its end.
pub(crate) struct Open {
    pub(crate) step: StepName,
    pub(crate) input: u64,
    pub(crate) said: String,
}

impl Work<'_> {
    /// Asks the model, within the budget. Words are told as they come where they may be the answer. A reply
    /// that has no end is none: it is asked for again, shorter.
    pub(crate) async fn think(
        &mut self,
        step: StepName,
        mut prompt: Prompt,
        is_heard: bool,
    ) -> Result<Reply, AskError> {
        loop {
            let agent: &Agent = self.agent;
            let settings = &agent.settings;
            let left = self.spent.left(&settings.budgets)?;
            let most = settings.model.reply_tokens.min(left).max(1);
            (prompt.reply_tokens, prompt.left) = (most, Some(left));
            let (live, arm, spent) = (self.live, self.arm, &mut self.spent);
            let open = Open { step, input: prompt.tokens(), said: String::new() };
            let open = self.open.insert(open);
            let mut told = |told: Told<'_>| match told {
                Told::Lost(used) => {
                    open.said.clear();
                    spent.lose(step, used, settings.prices);
                    figures::step(arm, step, used.input, used.output);
                }
                Told::Text(text) => {
                    open.said.push_str(text);
                    if is_heard {
                        live.tell(Event::Token { text: text.to_owned() });
                    }
                }
                Told::Anew if is_heard => live.tell(Event::Anew),
                Told::Anew => {}
            };
            let reply = agent.model.complete(&self.model, &prompt, &mut told).await;
            self.open = None;
            let reply = match reply {
                Ok(reply) => reply,
                Err(error) => {
                    self.keep_so_far().await;
                    // Replies that broke off may have used up what there was.
                    let left = self.spent.left(&settings.budgets)?;
                    if matches!(error, ModelError::Cut { .. }) && left <= prompt.tokens() {
                        return Err(self.spent.no_tokens(&settings.budgets));
                    }
                    return Err(error.into());
                }
            };
            self.spent.note(step, reply.usage, settings.prices);
            figures::step(self.arm, step, reply.usage.input, reply.usage.output);
            self.keep_so_far().await;
            match reply.stop {
                Stop::Refused => {
                    let words = reply.text.trim().chars().take(500).collect();
                    return Err(AskError::Refused(words));
                }
                Stop::Length => self.was_cut(most)?,
                Stop::End | Stop::Tools => return Ok(reply),
            }
            if is_heard && !reply.text.is_empty() {
                self.live.tell(Event::Anew);
            }
            ask_for_less(&mut prompt, &reply.text, most);
        }
    }

    /// Counts a reply that was cut after so many tokens; too many of them end the question.
    fn was_cut(&mut self, most: u64) -> Result<(), AskError> {
        let settings = &self.agent.settings;
        if most < settings.model.reply_tokens {
            // It had what the budget left, and another one would have less.
            return Err(self.spent.no_tokens(&settings.budgets));
        }
        self.cuts += 1;
        let (kind, message) = ("Cut".to_owned(), cut(most));
        self.live.tell(Event::Failed { kind, message });
        let attempts = settings.attempts.max(1);
        if self.cuts < attempts {
            return Ok(());
        }
        Err(AskError::Cut { attempts, most })
    }
}

/// What happened, for whoever follows the question.
fn cut(most: u64) -> String {
    format!("the reply was cut after {most} tokens (`[ask] reply-tokens`)")
}

/// Has the model reply again, shorter. Of the first reply it sees how it began: half a program is no use to
/// it, and all of it would be read and paid for again.
fn ask_for_less(prompt: &mut Prompt, said: &str, most: u64) {
    let mut text: String = said.chars().take(SHOWN).collect();
    // Nobody takes empty words, and some do not take two messages of one side in a row.
    if text.trim().is_empty() {
        "(nothing)".clone_into(&mut text);
    }
    let again = format!(
        "Your reply was cut, because it had more than the {most} tokens that a reply may have. Nothing of it \
         is used. Reply again from the beginning, and be much shorter."
    );
    prompt.messages.push(Message::Model { text, calls: Vec::new() });
    prompt.messages.push(Message::User(again));
}
