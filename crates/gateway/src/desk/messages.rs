//! Messages on their way into a program: those that it does not get go back to their boxes.
//!
//! ```text
//! taken ──answer goes to the guest──► gone ──the guest asks for something else──► had
//!   └────────────┬─────────────────────┘
//!                └──the call is given up, or the run ends──► back in its box
//! ```
//!
//! A guest that asks for something else has run whatever it could run, so that each answer it was given has
//! reached the program, or the guest has said that it did not (`$give_back`).

use std::collections::HashMap;

use engine::{CallId, CallResult};

use crate::mailboxes::Taken;

/// Those of one desk, by the calls that wanted them. Dropping it puts them back.
#[derive(Default)]
pub(super) struct Messages(HashMap<CallId, OnItsWay>);

struct OnItsWay {
    message: Taken,
    /// Its answer has gone to the guest.
    has_gone: bool,
}

impl Messages {
    /// One was taken for a call.
    pub(super) fn keep(&mut self, call: CallId, message: Taken) {
        self.0.insert(call, OnItsWay { message, has_gone: false });
    }

    /// Answers go to the guest.
    pub(super) fn go(&mut self, results: &[CallResult]) {
        if self.0.is_empty() {
            return;
        }
        for result in results {
            if let Some(one) = self.0.get_mut(&result.id) {
                one.has_gone = true;
            }
        }
    }

    /// The program has what has gone to it.
    pub(super) fn are_had(&mut self) {
        if self.0.is_empty() {
            return;
        }
        let (had, others): (HashMap<_, _>, HashMap<_, _>) =
            std::mem::take(&mut self.0).into_iter().partition(|(_, one)| one.has_gone);
        self.0 = others;
        for one in had.into_values() {
            one.message.had();
        }
    }

    /// The message of a call, which is not on its way any more.
    pub(super) fn take(&mut self, call: CallId) -> Option<Taken> {
        self.0.remove(&call).map(|one| one.message)
    }
}
