//! When a call really leaves.
//!
//! A call may have to wait: for a connection, or until others to the same server have ended. Whoever
//! must know whether it has left says so around it, [`departing`]; whoever sends it tells.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::poll;

tokio::task_local! {
    static CURRENT: Arc<dyn Departure>;
}

/// Hears when a call leaves.
#[async_trait]
pub trait Departure: Send + Sync {
    /// It has to wait, and has not left.
    fn waits(&self);

    /// It leaves when this has come back, and does not if that fails.
    async fn leaves(&self) -> io::Result<()>;
}

/// Does `work`, whose call is told to `departure`.
pub async fn departing<W: Future>(departure: Arc<dyn Departure>, work: W) -> W::Output {
    CURRENT.scope(departure, work).await
}

/// Who is told of the call that is being made here.
#[must_use]
pub fn current() -> Option<Arc<dyn Departure>> {
    CURRENT.try_with(Arc::clone).ok()
}

/// Gets something that a call needs before it can leave.
pub async fn before_leaving<W: Future>(getting: W) -> W::Output {
    let mut getting = pin!(getting);
    if let std::task::Poll::Ready(got) = poll!(&mut getting) {
        return got;
    }
    // Where nobody must know, nobody is told.
    let _ = CURRENT.try_with(|departure| departure.waits());
    getting.await
}

/// Says that a call leaves.
///
/// # Errors
/// When whoever must know cannot write it down; it must not leave then.
pub async fn leaves() -> io::Result<()> {
    match CURRENT.try_with(Arc::clone) {
        Ok(departure) => departure.leaves().await,
        Err(_nobody) => Ok(()),
    }
}
