//! What is asked, what is answered, and why something could not be.

use engine::{Context, Language};
use gateway::service::ids::ConversationId;
use gateway::service::store::StoreError;
use gateway::service::{Refusal, TraceParent};
use serde::Serialize;
use serde_json::Value;

use crate::form::Form;
use crate::model::ModelError;
use crate::spend::{Spent, Totals};

/// A question.
#[derive(Debug, Default)]
pub struct Ask {
    /// In words.
    pub question: String,
    /// Variables that programs find. Their values reach programs only, never a model.
    pub context: Context,
    /// The conversation to go on with; a new one if nothing is said.
    pub conversation: Option<ConversationId>,
    /// The form of the answer.
    pub form: Form,
    /// One of the models that may be named; the usual one if nothing is said.
    pub model: Option<String>,
    /// Which of the caller's users asks.
    pub user: Option<String>,
    /// What programs are written in; what the operator says if nothing is said.
    pub language: Option<Language>,
    /// The span that asks; its programs belong to that trace.
    pub trace: Option<TraceParent>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// In words; JSON or a document as text, where that was asked for.
    pub answer: String,
    /// The JSON that was asked for by a schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The conversation that it belongs to.
    pub conversation: String,
    /// How it was answered.
    pub mode: &'static str,
    /// Which part of the roll-out it was.
    pub arm: &'static str,
    /// The programs that ran for it.
    pub runs: Vec<String>,
    /// What it used, and what it saved.
    pub usage: Spent,
    /// What the whole conversation used so far, this question included.
    pub totals: Totals,
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// Something in it is not as it must be.
    #[error("`{field}` {problem}")]
    Invalid {
        /// Which part.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no such conversation of this caller.
    #[error("there is no conversation {0}; leave `conversation` out to begin one")]
    NoConversation(ConversationId),
    /// Another question of the conversation is being answered.
    #[error("another question of this conversation is being answered; wait for it, or cancel it")]
    Busy,
    /// As many questions are being answered as may be.
    #[error("{0} questions are being answered already; try again in a moment")]
    Full(usize),
    /// A budget is spent.
    #[error(
        "the question has used {used} {what}, and {limit} are allowed (`[ask] {setting}`); ask for less at once, or raise the setting"
    )]
    Budget {
        /// What was used.
        what: &'static str,
        /// How much.
        used: String,
        /// How much is allowed.
        limit: String,
        /// By which setting.
        setting: &'static str,
    },
    /// The model would not.
    #[error("the model refused: {0}; ask in another way")]
    Refused(String),
    /// The programs of the model failed, each of them.
    #[error(
        "no program worked in {attempts} attempts (`[ask] attempts`); the last one failed with {last}"
    )]
    Failed {
        /// How many there were.
        attempts: u32,
        /// What the last one failed with.
        last: String,
    },
    /// The answer never had the form that was asked for.
    #[error(
        "the answer did not have the form that was asked for in {attempts} attempts (`[ask] attempts`): {last}"
    )]
    Form {
        /// How many there were.
        attempts: u32,
        /// What was wrong with the last one.
        last: String,
    },
    /// The model's replies had no end.
    #[error(
        "the model's reply was cut after {most} tokens (`[ask] reply-tokens`), {attempts} times (`[ask] attempts`); ask for less at once, or raise the setting"
    )]
    Cut {
        /// How often.
        attempts: u32,
        /// How many tokens a reply may have.
        most: u64,
    },
    /// The model did not reply.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The gateway does not run programs now, or not this one.
    #[error(transparent)]
    Gateway(#[from] Refusal),
    /// Somebody cancelled it.
    #[error("the question was cancelled")]
    Cancelled,
}

/// What can be done next, as messages end with it.
const NEXT: [&str; 13] = [
    "leave `conversation` out to begin one",
    "wait for it, or cancel it",
    "try again in a moment",
    "ask for less at once, or raise the setting",
    "ask in another way",
    "check `[ask] url` and the network",
    "check that `[ask] provider` and `[ask] url` belong together",
    "try again later",
    "check `[ask] key`",
    "check `[ask] model` and `[ask] url`",
    "try again later, or ask less at once",
    "check `[ask] model` and the other settings of `[ask]`",
    "name the address that it leads to as `[ask] url`",
];

/// The message of an [`AskError`] and what can be done next, where it says that. What somebody else said in it
/// stays whole.
#[must_use]
pub fn parted(message: &str) -> (&str, Option<&'static str>) {
    let ends =
        |next: &&'static str| Some((message.strip_suffix(*next)?.strip_suffix("; ")?, Some(*next)));
    NEXT.iter().find_map(ends).unwrap_or((message, None))
}

impl From<StoreError> for AskError {
    fn from(error: StoreError) -> Self {
        Self::Gateway(error.into())
    }
}

impl AskError {
    /// A word for it that stays the same.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "invalid_request",
            Self::NoConversation(_) => "unknown_conversation",
            Self::Busy => "conversation_busy",
            Self::Full(_) => "too_many_requests",
            Self::Budget { .. } => "budget_exceeded",
            Self::Refused(_) => "model_refused",
            Self::Failed { .. } => "programs_failed",
            Self::Form { .. } => "wrong_form",
            Self::Cut { .. } => "reply_too_long",
            Self::Model(_) => "model_failed",
            Self::Gateway(refusal) => refusal.code(),
            Self::Cancelled => "cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_done_next_is_told_apart_from_what_went_wrong() {
        let model = ModelError::Told { provider: "openai", said: "no; not now".to_owned() };
        for (error, message, next) in [
            (AskError::Busy, "is being answered", Some("wait for it, or cancel it")),
            (AskError::Full(3), "already", Some("try again in a moment")),
            (AskError::Refused("no; never".to_owned()), "no; never", Some("ask in another way")),
            (AskError::Model(model), "no; not now", Some("try again later")),
            (
                AskError::Cut { attempts: 3, most: 10 },
                "3 times (`[ask] attempts`)",
                Some("ask for less at once, or raise the setting"),
            ),
        ] {
            let words = error.to_string();
            let (said, told) = parted(&words);
            assert!(said.ends_with(message) && told == next, "{words}");
        }
        let last = "/total: wrong; /list: missing".to_owned();
        let words = AskError::Form { attempts: 3, last }.to_string();
        assert_eq!(parted(&words), (words.as_str(), None));
    }
}
