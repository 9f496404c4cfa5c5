//! The first call of a child that changes something.
//!
//! Until then a child has only read, and a run that outlives the process may start it again; from then on it
//! may not. So the call that started it counts as one that waits, until this says that it leaves.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use engine::{CallError, CallId, CallResult, HostCall};
use tokio::sync::OnceCell;
use upstream::Departure;

use super::numbered;
use crate::desk::Books;
use crate::hearing::CallNote;
use crate::service::durable::Effect;
use crate::tools::Offer;

/// Tells of the first call that leaves, once.
pub(super) struct First {
    of: Arc<dyn Departure>,
    has_left: OnceCell<()>,
}

impl First {
    /// Of a child whose own call is told to `of`: nobody has seen it yet.
    pub(super) fn new(of: Arc<dyn Departure>) -> Arc<Self> {
        of.waits();
        Arc::new(Self { of, has_left: OnceCell::new() })
    }
}

#[async_trait]
impl Departure for First {
    /// That one of its calls waits does not mean that none has left.
    fn waits(&self) {}

    async fn leaves(&self) -> io::Result<()> {
        self.has_left.get_or_try_init(|| self.of.leaves()).await?;
        Ok(())
    }
}

/// Is told of what a child does besides, which is not what its own call does.
pub(super) struct Nobody;

#[async_trait]
impl Departure for Nobody {
    fn waits(&self) {}

    async fn leaves(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Where the calls of children are written down, so that they are told of after a crash.
#[async_trait]
pub(crate) trait Kept: Send + Sync {
    /// A call is about to leave: its number within the run, and what its child is called.
    fn leaves(
        &self,
        which: (u64, Option<String>),
        call: &HostCall,
        effect: Effect,
    ) -> Result<(), CallError>;

    /// Comes back when what was written down is not forgotten.
    async fn is_synced(&self) -> io::Result<()>;

    /// It was answered.
    fn answered(&self, id: u64, result: &CallResult, took: Duration);

    /// Nobody waits for it any more.
    fn withdrawn(&self, id: u64);

    /// How many children there were in earlier processes, at most.
    fn children_before(&self) -> u64;

    /// A child computes from now on,
    fn steps(&self);

    /// and no longer.
    fn has_stepped(&self);
}

/// Tells of a call that changes something, once it cannot be forgotten.
struct Leaving {
    first: Arc<First>,
    kept: Option<Arc<dyn Kept>>,
}

#[async_trait]
impl Departure for Leaving {
    fn waits(&self) {}

    async fn leaves(&self) -> io::Result<()> {
        self.first.leaves().await?;
        match &self.kept {
            Some(kept) => kept.is_synced().await,
            None => Ok(()),
        }
    }
}

/// The books of a child: nothing is answered from them, and its first call that changes something is told
/// to whoever keeps those of its run.
pub(super) struct ChildBooks {
    pub(super) offer: Arc<Offer>,
    pub(super) first: Arc<First>,
    pub(super) kept: Option<Arc<dyn Kept>>,
    /// Which child it is,
    pub(super) number: u64,
    /// and what it is called.
    pub(super) agent: Option<String>,
}

#[async_trait]
impl Books for ChildBooks {
    fn named<'call>(&self, call: &'call HostCall) -> Cow<'call, HostCall> {
        self.offer.named(call)
    }

    fn known(&self, _: &HostCall) -> Option<(CallResult, CallNote)> {
        None
    }

    fn holds(&self, _: &HostCall) -> bool {
        false
    }

    fn leaves(&self, call: &HostCall) -> Result<(), CallError> {
        let Some(kept) = &self.kept else { return Ok(()) };
        let id = numbered(self.number, call.id.0);
        kept.leaves((id, self.agent.clone()), call, self.offer.effect(call))
    }

    fn departure(&self, call: &HostCall) -> Option<Arc<dyn Departure>> {
        Some(match self.offer.effect(call) {
            Effect::Read => Arc::new(Nobody) as Arc<dyn Departure>,
            Effect::Idempotent | Effect::Write => {
                let (first, kept) = (Arc::clone(&self.first), self.kept.clone());
                Arc::new(Leaving { first, kept })
            }
        })
    }

    async fn answered(&self, result: &CallResult, took: Duration) {
        if let Some(kept) = &self.kept {
            kept.answered(numbered(self.number, result.id.0), result, took);
        }
    }

    fn withdrawn(&self, id: CallId) {
        if let Some(kept) = &self.kept {
            kept.withdrawn(numbered(self.number, id.0));
        }
    }

    async fn goes_back(&self, id: CallId) {
        // A child that had begun to take something is not begun again, whatever became of that.
        self.withdrawn(id);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Writes down what it is told.
    #[derive(Default)]
    struct Told(Mutex<Vec<&'static str>>);

    #[async_trait]
    impl Departure for Told {
        fn waits(&self) {
            self.0.lock().unwrap().push("waits");
        }

        async fn leaves(&self) -> io::Result<()> {
            let mut told = self.0.lock().unwrap();
            told.push("leaves");
            // The disk is full the first time.
            if told.len() == 2 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    #[tokio::test]
    async fn a_child_has_left_since_its_first_call_that_could_be_written_down() {
        let told = Arc::new(Told::default());
        let first = First::new(Arc::clone(&told) as _);
        first.leaves().await.unwrap_err();
        let (one, other) = tokio::join!(first.leaves(), first.leaves());
        one.unwrap();
        other.unwrap();
        // Another of its calls waits for a connection, and the child has left all the same.
        first.waits();
        assert_eq!(*told.0.lock().unwrap(), ["waits", "leaves", "leaves"]);
    }
}
