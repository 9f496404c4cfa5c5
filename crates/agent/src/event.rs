//! What happens while a question is answered, for whoever follows it.

use serde::Serialize;

use crate::ask::Answer;

/// Something that happened. Every step is visible: what was searched, which program was written, what it
/// printed, which words the answer has.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// It began.
    Started {
        /// The conversation that it belongs to.
        conversation: String,
        /// How it is answered: `code`, `hybrid` or `direct`.
        mode: &'static str,
        /// Which part of the roll-out it is: `code` or `direct`.
        arm: &'static str,
    },
    /// Tools are searched for.
    Searching {
        /// By these words.
        query: String,
    },
    /// Tools were found.
    Found {
        /// Which, as `server.tool`.
        tools: Vec<String>,
    },
    /// A program was written.
    Program {
        /// The how many-th of this question.
        attempt: u32,
        /// Its source.
        code: String,
    },
    /// The model calls a tool by itself.
    Tool {
        /// Which.
        name: String,
    },
    /// A program runs.
    Running {
        /// The run.
        run_id: String,
        /// The session it runs in.
        session: String,
    },
    /// The program wrote something.
    Output {
        /// `stdout` or `stderr`.
        stream: &'static str,
        /// What.
        text: String,
    },
    /// The program calls a tool.
    Call {
        /// Which, as `server.tool`.
        tool: String,
    },
    /// The program waits for somebody's approval.
    Approval {
        /// The run.
        run_id: String,
    },
    /// A program did not run, or failed, or a reply was cut; the model is told why.
    Failed {
        /// What kind of error it was.
        kind: String,
        /// In words.
        message: String,
    },
    /// More words of the answer.
    Token {
        /// The words.
        text: String,
    },
    /// The words so far are not the answer; it begins anew.
    Anew,
    /// The answer.
    Answer(Box<Answer>),
    /// It could not be answered.
    Error {
        /// A word that stays the same.
        code: &'static str,
        /// What went wrong.
        message: String,
    },
}

impl Event {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => "started",
            Self::Searching { .. } => "searching",
            Self::Found { .. } => "found",
            Self::Program { .. } => "program",
            Self::Tool { .. } => "tool",
            Self::Running { .. } => "running",
            Self::Output { .. } => "output",
            Self::Call { .. } => "call",
            Self::Approval { .. } => "approval",
            Self::Failed { .. } => "failed",
            Self::Token { .. } => "token",
            Self::Anew => "anew",
            Self::Answer(_) => "answer",
            Self::Error { .. } => "error",
        }
    }

    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::Error { .. })
    }
}
