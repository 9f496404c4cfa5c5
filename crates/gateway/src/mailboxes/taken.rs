//! A message that was taken goes back to its box, unless the program that wanted it has it.
//!
//! ```text
//! box ──take──► Taken ──the program went on with it──► gone
//!  ▲              │ its call was given up, or its run ended first
//!  └──────────────┘ to where it stood
//! ```

use std::pin::Pin;
use std::sync::Arc;

use tokio::runtime::Handle;
use tracing::warn;

use super::{Address, Boxes, Deed, Letter, Mailboxes};

/// Says somewhere that a message goes back, before it does.
type Told = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A message that nobody has yet. Dropping it puts it back.
pub(crate) struct Taken(Option<Back>);

/// What puts it back.
struct Back {
    of: Arc<Mailboxes>,
    boxes: Arc<dyn Boxes>,
    from: Address,
    letter: Letter,
    deed: Option<Deed>,
    told: Option<Told>,
    /// It may be dropped on the thread of a guest.
    runtime: Handle,
}

impl Taken {
    /// One that was just taken. Must be made within a tokio runtime.
    pub(super) fn new(
        of: Arc<Mailboxes>,
        boxes: Arc<dyn Boxes>,
        from: Address,
        letter: Letter,
        deed: Option<Deed>,
    ) -> Self {
        let runtime = Handle::current();
        Self(Some(Back { of, boxes, from, letter, deed, told: None, runtime }))
    }

    /// The same, with what is to be done before it goes back.
    pub(crate) fn telling(mut self, told: impl Future<Output = ()> + Send + 'static) -> Self {
        if let Some(back) = &mut self.0 {
            back.told = Some(Box::pin(told));
        }
        self
    }

    /// The program has it.
    pub(crate) fn had(mut self) {
        self.0 = None;
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some(back) = self.0.take() {
            let (of, runtime) = (Arc::clone(&back.of), back.runtime.clone());
            of.returning.spawn_on(back.put(), &runtime);
        }
    }
}

impl Back {
    async fn put(mut self) {
        if let Some(told) = self.told.take() {
            told.await;
        }
        let put = self.boxes.put_back(&self.from, &self.letter, self.deed.as_ref()).await;
        match put {
            Ok(()) => self.of.wake(&self.from),
            Err(problem) => {
                let name = &self.from.name;
                warn!(r#box = %name, error = %problem, "a message that nobody got could not be put back");
            }
        }
    }
}
