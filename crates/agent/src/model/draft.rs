//! A reply while it comes: what all wire formats put together in the same way.

use serde_json::{Map, Value};

use super::message::{Reply, Stop, ToolCall, Usage};
use super::wire::WireError;

/// Tokens that no request has: a larger number is somebody's mistake, and sums of it could not be kept.
const MOST_TOKENS: u64 = 1 << 40;
/// Calls that one reply may have.
const MOST_CALLS: usize = 64;

/// What came so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) text: String,
    calls: Vec<Coming>,
    pub(super) stop: Option<Stop>,
    pub(super) usage: Option<Usage>,
    /// Nothing more is to come.
    pub(super) whole: bool,
}

/// A call whose arguments come in pieces.
#[derive(Debug, Default)]
struct Coming {
    /// Which of several it is, to the provider.
    index: u64,
    call: ToolCall,
    arguments: String,
}

impl Draft {
    /// More words.
    pub(super) fn say(&mut self, text: &str, told: &mut dyn FnMut(&str)) {
        if !text.is_empty() {
            self.text.push_str(text);
            told(text);
        }
    }

    /// The call that the provider counts as this one, begun if it is new.
    pub(super) fn call(&mut self, index: u64) -> Result<&mut ToolCall, WireError> {
        let at = self.place(index)?;
        Ok(&mut self.calls[at].call)
    }

    /// More of the arguments of a call.
    pub(super) fn argue(&mut self, index: u64, piece: &str) -> Result<(), WireError> {
        let at = self.place(index)?;
        self.calls[at].arguments.push_str(piece);
        Ok(())
    }

    /// A call that came whole.
    pub(super) fn whole_call(&mut self, call: ToolCall) -> Result<(), WireError> {
        let index = self.calls.len() as u64;
        let arguments = call.arguments.to_string();
        let at = self.place(index)?;
        self.calls[at].call = call;
        self.calls[at].arguments = arguments;
        Ok(())
    }

    pub(super) fn usage(&mut self) -> &mut Usage {
        self.usage.get_or_insert_default()
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    fn place(&mut self, index: u64) -> Result<usize, WireError> {
        if let Some(at) = self.calls.iter().position(|one| one.index == index) {
            return Ok(at);
        }
        if self.calls.len() >= MOST_CALLS {
            return Err(WireError::Invalid(format!(
                "it calls more than {MOST_CALLS} tools at once"
            )));
        }
        self.calls.push(Coming { index, ..Coming::default() });
        Ok(self.calls.len() - 1)
    }

    /// The reply, if it is whole.
    pub(super) fn reply(self) -> Result<Reply, WireError> {
        let stop = self.stop.filter(|_| self.whole).ok_or(WireError::Cut)?;
        let mut calls = Vec::with_capacity(self.calls.len());
        for (at, coming) in self.calls.into_iter().enumerate() {
            let mut call = coming.call;
            if call.name.is_empty() {
                return Err(WireError::Invalid("it calls a tool without a name".to_owned()));
            }
            if call.id.is_empty() {
                // Where calls have no names, their order says which is which.
                call.id = format!("call_{at}");
            }
            let given = serde_json::from_str::<Map<String, Value>>(&coming.arguments);
            if given.is_err() && !coming.arguments.trim().is_empty() {
                call.broken = Some(coming.arguments);
            }
            call.arguments = Value::Object(given.unwrap_or_default());
            calls.push(call);
        }
        let mut usage = self.usage.unwrap_or(Usage { estimated: true, ..Usage::default() });
        usage.input = usage.input.min(MOST_TOKENS);
        usage.output = usage.output.min(MOST_TOKENS);
        Ok(Reply { text: self.text, calls, stop, usage })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::wire::sum;

    #[test]
    fn numbers_of_tokens_that_nobody_can_believe_stay_large_and_can_be_summed() {
        let mut draft = Draft { stop: Some(Stop::End), whole: true, ..Draft::default() };
        draft.usage().input = sum([u64::MAX, 10]);
        draft.usage().output = 20;
        let usage = draft.reply().unwrap().usage;
        assert_eq!((usage.input, usage.output), (MOST_TOKENS, 20));
    }
}
