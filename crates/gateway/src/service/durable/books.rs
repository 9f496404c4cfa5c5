//! What the desk of a kept run asks before a call leaves, and tells when it is back.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use engine::{CallError, CallId, CallResult, HostCall};
use tracing::warn;
use upstream::Departure;

use super::keeper::{Keeper, Left, REFUSED};
use crate::desk::Books;
use crate::service::ids::RunId;
use crate::service::lock;
use crate::tools::Offer;

/// The books of one run.
pub(crate) struct RunBooks {
    keeper: Arc<Keeper>,
    offer: Arc<Offer>,
    /// Calls of the run that this one takes over from, each used once.
    earlier: Mutex<Vec<Left>>,
    from: Option<RunId>,
}

impl RunBooks {
    pub(crate) fn new(keeper: Arc<Keeper>, offer: Arc<Offer>, earlier: Vec<Left>) -> Self {
        let from = keeper.begun().resumes.clone();
        Self { keeper, offer, earlier: Mutex::new(earlier), from }
    }

    /// What an earlier run knows of the same call.
    fn of_earlier(&self, call: &HostCall) -> Option<CallResult> {
        let mut earlier = lock(&self.earlier);
        let at = earlier.iter().position(|left| left.is_same(call))?;
        let left = earlier.remove(at);
        drop(earlier);
        let is_unknown = left.is_unknown();
        let result = match left.answer {
            Some((result, _)) if result.result.is_ok() => result.result,
            // What failed or never left was not done, and may go well this time.
            _ if !is_unknown => return None,
            _ => {
                let run = self.from.as_ref().map_or("", RunId::as_str);
                let message = format!(
                    "this call left in run {run} and nobody knows whether it was carried out, so it is not made again; find out with a tool that reads, and leave the call out"
                );
                Err(CallError { kind: REFUSED.to_owned(), message })
            }
        };
        let result = CallResult { id: call.id, result };
        // So that whoever takes over from this run has it too.
        if self.keeper.leaves(call, left.effect).is_ok() {
            self.keeper.answered(&result, Duration::ZERO);
        }
        Some(result)
    }
}

#[async_trait]
impl Books for RunBooks {
    fn known(&self, call: &HostCall) -> Option<CallResult> {
        self.keeper.known(call).or_else(|| self.of_earlier(call))
    }

    fn holds(&self, call: &HostCall) -> bool {
        !matches!(self.offer.effect(call), super::Effect::Read)
    }

    fn leaves(&self, call: &HostCall) -> Result<(), CallError> {
        if self.keeper.left(call.id).is_some_and(|left| left.answer.is_none()) {
            // Written down with the image in which it is pending.
            return Ok(());
        }
        self.keeper.leaves(call, self.offer.effect(call)).map_err(|error| unwritten(&error))
    }

    fn departure(&self, call: &HostCall) -> Option<Arc<dyn Departure>> {
        self.keeper.is_write(call.id).then(|| {
            Arc::new(Leaving { keeper: Arc::clone(&self.keeper), id: call.id })
                as Arc<dyn Departure>
        })
    }

    async fn answered(&self, result: &CallResult, took: Duration) {
        self.keeper.answered(result, took);
        let left = self.keeper.left(result.id);
        if left.is_some_and(|left| left.effect != super::Effect::Read)
            && let Err(error) = self.keeper.sync().await
        {
            warn!(error = %error, "what a tool answered could not be written down safely");
        }
    }

    fn withdrawn(&self, id: CallId) {
        self.keeper.withdrawn(id);
    }
}

/// Writes down whether a call that must not be made twice has left.
struct Leaving {
    keeper: Arc<Keeper>,
    id: CallId,
}

#[async_trait]
impl Departure for Leaving {
    fn waits(&self) {
        self.keeper.waits(self.id);
    }

    async fn leaves(&self) -> io::Result<()> {
        self.keeper.goes(self.id).await
    }
}

/// Why a call did not leave.
pub(super) fn unwritten(error: &std::io::Error) -> CallError {
    CallError {
        kind: "ServerError".to_owned(),
        message: format!(
            "the call was not made, because it could not be written down first: {error} (in the data folder, setting `data`); whoever runs the gateway has to free space there"
        ),
    }
}
