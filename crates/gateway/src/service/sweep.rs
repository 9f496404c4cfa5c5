//! What happens by itself: idle sessions are frozen, unused ones removed, old runs forgotten.

use std::sync::Arc;
use std::time::Duration;

use tracing::warn;

use super::record::Moment;
use super::store::Write;
use super::{Entry, Service, lock};

/// How often old runs are looked for.
const RUNS: Duration = Duration::from_secs(600);

impl Service {
    /// Sweeps until the service ends.
    pub(super) async fn sweep(self: Arc<Self>) {
        let settings = &self.settings;
        let often = (settings.idle.min(settings.lasts) / 4)
            .clamp(Duration::from_millis(20), Duration::from_secs(5));
        let mut next_runs = Moment::now();
        loop {
            tokio::select! {
                () = tokio::time::sleep(often) => {}
                () = self.ending.cancelled() => return,
            }
            self.clear_evicted().await;
            for entry in self.all_sessions() {
                self.look_after(&entry).await;
            }
            if next_runs <= Moment::now() {
                next_runs = Moment::now().after(RUNS);
                self.forget_old_runs().await;
            }
        }
    }

    fn all_sessions(&self) -> Vec<Arc<Entry>> {
        lock(&self.sessions).values().cloned().collect()
    }

    async fn look_after(&self, entry: &Arc<Entry>) {
        let unused = entry.used_at().elapsed();
        if unused > self.settings.lasts {
            if entry.body.try_lock().is_ok() {
                entry.end(
                    "it was not used for longer than sessions are kept (setting `session-lasts`)",
                );
                self.remove(entry).await;
            }
            return;
        }
        if unused <= self.settings.idle || !entry.is_alive() {
            return;
        }
        let Ok(mut body) = entry.body.try_lock() else { return };
        if let Err(error) = self.rest(entry, &mut body).await {
            warn!(session = %entry.id, error = %error, "an idle session could not be frozen");
        }
    }

    async fn forget_old_runs(&self) {
        let keep = i64::try_from(self.settings.keep_runs.as_millis()).unwrap_or(i64::MAX);
        let before = Moment(Moment::now().0.saturating_sub(keep));
        if let Err(error) = self.parts.store.write(Write::OldRuns(before)).await {
            warn!(error = %error, "old runs could not be removed");
        }
        let (folders, keep) = (self.parts.store.of_runs(), self.settings.keep_runs);
        let _ = tokio::task::spawn_blocking(move || {
            for folder in folders {
                remove_older(&folder, keep);
            }
        })
        .await;
    }

    /// Freezes every session, at the end.
    pub(super) async fn rest_all(&self) {
        self.clear_evicted().await;
        for entry in self.all_sessions() {
            let mut body = entry.body.lock().await;
            if let Err(error) = self.rest(&entry, &mut body).await {
                warn!(session = %entry.id, error = %error, "a session could not be frozen");
            }
        }
    }
}

/// Removes what has lain in a folder for so long. What cannot be removed is tried again later.
fn remove_older(folder: &std::path::Path, than: Duration) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|about| about.modified());
        let age = changed.ok().and_then(|changed| changed.elapsed().ok());
        if age.is_some_and(|age| age > than) {
            let path = entry.path();
            let _ = if path.is_dir() {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
        }
    }
}
