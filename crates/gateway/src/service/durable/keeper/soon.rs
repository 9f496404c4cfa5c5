//! A run that somebody waits for is on disk soon after its first call, without waiting for the disk.
//!
//! Most such runs are over by then, and nothing of them is synced at all.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tracing::warn;

use super::{Keeper, lock};

/// How long after its first call a run is on disk that has written nothing else.
const SOON: Duration = Duration::from_millis(100);

impl Keeper {
    /// Sees to it that a run which has called something is not forgotten when the power is lost.
    pub(crate) fn is_safe_soon(self: &Arc<Self>) {
        if std::mem::replace(&mut lock(&self.state).is_safe_soon, true) {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        let keeper = Arc::downgrade(self);
        runtime.spawn(async move {
            tokio::time::sleep(SOON).await;
            let Some(keeper) = keeper.upgrade() else { return };
            if let Err(error) = keeper.blocking(Self::sync_aside).await {
                warn!(run = %keeper.begun.run, error = %error, "a run could not be written down safely after its first call");
            }
        });
    }

    /// Syncs the ledger without holding up the run that writes to it.
    fn sync_aside(&self) -> io::Result<()> {
        let path = match &lock(&self.state).ledger {
            Some(ledger) => ledger.path().to_owned(),
            None => return Ok(()),
        };
        let synced = File::open(path).and_then(|ledger| ledger.sync_data());
        match synced.and_then(|()| self.sync_folders()) {
            // It is over.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            synced => synced,
        }
    }
}
