//! What goes to a model and what comes back, whoever it is.

use serde_json::Value;

/// What a model is asked.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// What it is and how it answers.
    pub system: String,
    /// What was said so far; the last one is not the model's.
    pub messages: Vec<Message>,
    /// What it may call.
    pub tools: Vec<ToolSpec>,
    /// Tokens that its reply may have.
    pub reply_tokens: u64,
    /// Tokens that may be used for it, however often it is asked; as many as it takes if nothing is said.
    pub left: Option<u64>,
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// By whoever asks.
    User(String),
    /// By the model.
    Model {
        /// Its words.
        text: String,
        /// What it called.
        calls: Vec<ToolCall>,
    },
    /// What came of its calls, in their order.
    Results(Vec<ToolResult>),
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name, of letters, digits, `_` and `-`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub parameters: Value,
}

/// A tool that a model called.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall {
    /// What the provider calls this call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments; an empty object where they were no JSON object.
    pub arguments: Value,
    /// What the arguments were, where they were no JSON object.
    pub broken: Option<String>,
    /// What the provider wants to see again with the call.
    pub signature: Option<String>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// Which call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it gave, or what went wrong.
    pub text: String,
    /// Whether it went wrong.
    pub failed: bool,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It had said all.
    End,
    /// It wants the results of its calls.
    Tools,
    /// It had no more tokens.
    Length,
    /// It would not.
    Refused,
}

/// Tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// That it read.
    pub input: u64,
    /// That it wrote.
    pub output: u64,
    /// Counted by us, because the provider did not say.
    pub estimated: bool,
}

/// What a model replied.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Its words.
    pub text: String,
    /// What it called.
    pub calls: Vec<ToolCall>,
    /// Why it stopped.
    pub stop: Stop,
    /// What it used.
    pub usage: Usage,
}

impl Prompt {
    /// Whether it can be asked again after so much was used for nothing: all of it is read again.
    pub(super) fn has_more_after(&mut self, used: Usage) -> bool {
        let again = self.tokens();
        let Some(left) = &mut self.left else { return true };
        *left = left.saturating_sub(used.input.saturating_add(used.output));
        let for_reply = left.saturating_sub(again);
        self.reply_tokens = self.reply_tokens.min(for_reply);
        for_reply > 0
    }

    /// Its tokens, for providers that do not say.
    pub(crate) fn tokens(&self) -> u64 {
        let of = |text: &str| budget::count(text) as u64;
        let call = |call: &ToolCall| of(&call.name) + of(&call.arguments.to_string());
        let message = |message: &Message| match message {
            Message::User(text) => of(text),
            Message::Model { text, calls } => of(text) + calls.iter().map(call).sum::<u64>(),
            Message::Results(results) => results.iter().map(|result| of(&result.text)).sum(),
        };
        let tool = |tool: &ToolSpec| {
            of(&tool.name) + of(&tool.description) + of(&tool.parameters.to_string())
        };
        of(&self.system)
            + self.messages.iter().map(message).sum::<u64>()
            + self.tools.iter().map(tool).sum::<u64>()
    }
}

impl Reply {
    /// Its tokens, for providers that do not say.
    pub(super) fn tokens(&self) -> u64 {
        let call = |call: &ToolCall| budget::count(&call.arguments.to_string());
        (budget::count(&self.text) + self.calls.iter().map(call).sum::<usize>()) as u64
    }
}
