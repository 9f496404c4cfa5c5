//! A reply that ended because it had no more tokens: half a program, or half an answer.

use crate::model::message::{Message, Prompt};

/// Letters of it that the model is shown again.
const SHOWN: usize = 1_000;

/// What happened, for whoever follows the question.
pub(crate) fn in_words(most: u64) -> String {
    format!("the reply was cut after {most} tokens (`[ask] reply-tokens`)")
}

/// Has the model reply again, shorter. Of the first reply it sees how it began: half a program is no use to
/// it, and all of it would be read and paid for again.
pub(crate) fn ask_for_less(prompt: &mut Prompt, said: &str, most: u64) {
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
