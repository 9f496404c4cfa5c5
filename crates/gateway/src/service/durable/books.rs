//! What the desk of a kept run asks before a call leaves, and tells when it is back.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use engine::{CallError, CallId, CallResult, HostCall};
use tokio_util::sync::CancellationToken;
use tracing::warn;
use upstream::Departure;

use super::Effect;
use super::keeper::Keeper;
use crate::children::Kept;
use crate::desk::Books;
use crate::hearing::{CallNote, UNSENT};
use crate::tools::Offer;

/// The books of one run.
pub(crate) struct RunBooks {
    keeper: Arc<Keeper>,
    offer: Arc<Offer>,
    /// Says that the run is to go on elsewhere.
    leaving: CancellationToken,
}

impl RunBooks {
    pub(crate) fn new(keeper: Arc<Keeper>, offer: Arc<Offer>, leaving: CancellationToken) -> Self {
        Self { keeper, offer, leaving }
    }
}

#[async_trait]
impl Books for RunBooks {
    fn named<'call>(&self, call: &'call HostCall) -> Cow<'call, HostCall> {
        self.offer.named(call)
    }

    fn known(&self, call: &HostCall) -> Option<(CallResult, CallNote)> {
        match self.keeper.known(call) {
            Ok(None) => None,
            Ok(Some(left)) => {
                let note = left.note();
                left.answer.map(|(result, _)| (result, note))
            }
            Err(error) => {
                let result = CallResult { id: call.id, result: Err(unwritten(&error)) };
                let note = CallNote::leaving(call).with(&result, Duration::ZERO);
                Some((result, note))
            }
        }
    }

    fn holds(&self, call: &HostCall) -> bool {
        !matches!(self.offer.effect(call), Effect::Read)
    }

    fn leaves(&self, call: &HostCall) -> Result<(), CallError> {
        if self.keeper.left(call.id).is_some_and(|left| left.answer.is_none()) {
            // Written down with the image in which it is pending.
            return Ok(());
        }
        self.keeper.leaves(call, self.offer.effect(call)).map_err(|error| unwritten(&error))?;
        self.keeper.is_safe_soon();
        Ok(())
    }

    fn departure(&self, call: &HostCall) -> Option<Arc<dyn Departure>> {
        self.keeper.changes_something(call.id).then(|| {
            let (keeper, leaving) = (Arc::clone(&self.keeper), self.leaving.clone());
            Arc::new(Held { keeper, leaving, id: call.id }) as Arc<dyn Departure>
        })
    }

    async fn answered(&self, result: &CallResult, took: Duration) {
        self.keeper.answered(result, took);
        let left = self.keeper.left(result.id);
        if left.is_some_and(|left| left.effect != Effect::Read)
            && let Err(error) = self.keeper.sync().await
        {
            warn!(error = %error, "what a tool answered could not be written down safely");
        }
    }

    fn withdrawn(&self, id: CallId) {
        self.keeper.withdrawn(id);
    }

    async fn goes_back(&self, id: CallId) {
        if let Err(error) = self.keeper.goes_back(id).await {
            warn!(run = %self.keeper.begun().run, error = %error, "that a message went back could not be written down");
        }
    }
}

/// The same for the programs that a run starts.
pub(crate) struct ChildLedger(pub(crate) Arc<Keeper>);

#[async_trait]
impl Kept for ChildLedger {
    fn leaves(
        &self,
        which: (u64, Option<String>),
        call: &HostCall,
        effect: Effect,
    ) -> Result<(), CallError> {
        self.0.child_leaves(which, call, effect).map_err(|error| unwritten(&error))
    }

    async fn is_synced(&self) -> io::Result<()> {
        self.0.sync().await
    }

    fn answered(&self, id: u64, result: &CallResult, took: Duration) {
        self.0.child_ends(id, |note| note.with(result, took));
    }

    fn withdrawn(&self, id: u64) {
        self.0.child_ends(id, |mut note| {
            note.is_given_up();
            note
        });
    }

    fn children_before(&self) -> u64 {
        self.0.children_before()
    }

    fn steps(&self) {
        self.0.steps();
    }

    fn has_stepped(&self) {
        self.0.has_stepped();
    }
}

/// Writes down whether a call that changes something has left, and holds it back from when its run is
/// to go on elsewhere.
struct Held {
    keeper: Arc<Keeper>,
    leaving: CancellationToken,
    id: CallId,
}

#[async_trait]
impl Departure for Held {
    fn waits(&self) {
        self.keeper.waits(self.id);
    }

    async fn leaves(&self) -> io::Result<()> {
        self.keeper.goes(self.id).await?;
        if self.leaving.is_cancelled() {
            // Whoever goes on with the run makes it; here its task ends with the run.
            self.keeper.stays(self.id).await;
            std::future::pending::<()>().await;
        }
        Ok(())
    }
}

/// Why a call did not leave.
pub(super) fn unwritten(error: &std::io::Error) -> CallError {
    if error.kind() == io::ErrorKind::FileTooLarge {
        return CallError {
            kind: UNSENT.to_owned(),
            message: format!(
                "the call was not made, because it could not be written down first: {error}; do the rest in another run"
            ),
        };
    }
    CallError {
        kind: UNSENT.to_owned(),
        message: format!(
            "the call was not made, because it could not be written down first: {error} (in the data folder, setting `data`); whoever runs the gateway has to free space there"
        ),
    }
}
