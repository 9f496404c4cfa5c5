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

/// The books of a child: they know of no call but the first that changes something.
pub(super) struct ChildBooks {
    pub(super) offer: Arc<Offer>,
    pub(super) first: Arc<First>,
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

    fn leaves(&self, _: &HostCall) -> Result<(), CallError> {
        Ok(())
    }

    fn departure(&self, call: &HostCall) -> Option<Arc<dyn Departure>> {
        Some(match self.offer.effect(call) {
            Effect::Read => Arc::new(Nobody) as Arc<dyn Departure>,
            Effect::Idempotent | Effect::Write => Arc::clone(&self.first) as _,
        })
    }

    async fn answered(&self, _: &CallResult, _: Duration) {}

    fn withdrawn(&self, _: CallId) {}
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
