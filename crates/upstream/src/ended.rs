//! The end of a connection: noticed once, by whoever sees it first, and known to all at once.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Whether a connection has ended, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ended(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    reason: OnceLock<String>,
    token: CancellationToken,
}

impl Ended {
    /// It has ended. The first reason stays.
    pub(crate) fn set(&self, reason: impl Into<String>) {
        self.0.reason.get_or_init(|| reason.into());
        self.0.token.cancel();
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.token.is_cancelled()
    }

    /// How it came, once it has.
    pub(crate) fn reason(&self) -> Option<String> {
        self.0.reason.get().cloned()
    }

    /// Waits for the end and says how it came.
    pub(crate) async fn wait(&self) -> String {
        self.0.token.cancelled().await;
        self.reason().unwrap_or_default()
    }
}
