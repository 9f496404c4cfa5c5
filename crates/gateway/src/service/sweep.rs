//! What happens by itself: idle sessions are frozen, unused ones removed, old runs forgotten.

use std::sync::Arc;
use std::time::Duration;

use tracing::{info, warn};

use super::record::Moment;
use super::retention::Collected;
use super::session::Body;
use super::{Entry, Service, lock};

/// How often old runs are looked for.
const RUNS: Duration = Duration::from_secs(600);

/// A session that is not used for so long gives memory back. It costs the next program next to nothing, and those that
/// follow each other closely not even that.
const LIGHTENS: Duration = Duration::from_secs(1);

/// Lets a session's guest give memory back, once after each use.
async fn lighten(entry: &Entry, body: &mut Body) {
    let used = entry.used_at();
    if body.lightened == Some(used) {
        return;
    }
    if let Some(session) = &mut body.session {
        session.lighten().await;
        body.lightened = Some(used);
    }
}

impl Service {
    /// Sweeps until the service ends.
    pub(super) async fn sweep(self: Arc<Self>) {
        let often = self.often();
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
                self.forget_old_messages().await;
            }
        }
    }

    /// How often it is looked whether there is something to do.
    pub(super) fn often(&self) -> Duration {
        let settings = &self.settings;
        (settings.idle.min(settings.lasts) / 4)
            .clamp(Duration::from_millis(20), Duration::from_secs(5))
    }

    fn all_sessions(&self) -> Vec<Arc<Entry>> {
        lock(&self.sessions).values().cloned().collect()
    }

    async fn look_after(&self, entry: &Arc<Entry>) {
        let unused = entry.used_at().elapsed();
        if unused > self.settings.lasts {
            if entry.is_free() {
                entry.end(
                    "it was not used for longer than sessions are kept (setting `session-lasts`)",
                );
                match self.hand_files_over(entry).await {
                    Ok(()) => self.remove(entry).await,
                    Err(error) => {
                        entry.stays();
                        warn!(session = %entry.id, error = %error, "the files of an unused session could not be given to one that shares them, so it stays");
                    }
                }
            }
            return;
        }
        if unused <= LIGHTENS.min(self.settings.idle) || !entry.is_alive() {
            return;
        }
        let Ok(mut body) = entry.body.try_lock() else { return };
        if unused <= self.settings.idle {
            lighten(entry, &mut body).await;
            return;
        }
        if let Err(error) = self.rest(entry, &mut body).await {
            warn!(session = %entry.id, error = %error, "an idle session could not be frozen");
        }
    }

    async fn forget_old_runs(&self) {
        let settings = &self.settings;
        match self.parts.store.collect(settings.keep_runs, settings.keep_runs_bytes).await {
            Ok(Collected { runs: 0, .. }) => {}
            Ok(Collected { runs, bytes }) => info!(runs, bytes, "old runs were removed"),
            Err(error) => warn!(error = %error, "old runs could not be removed"),
        }
        let before = Moment::now()
            .0
            .saturating_sub(i64::try_from(settings.keep_runs.as_millis()).unwrap_or(i64::MAX));
        if let Err(error) = self.approvals.sweep(Moment(before)).await {
            warn!(error = %error, "old approvals could not be removed");
        }
        match self.tools().veil().forget().await {
            Ok(0) => {}
            Ok(values) => info!(values, "old values behind tokens were removed"),
            Err(error) => warn!(error = %error, "old values behind tokens could not be removed"),
        }
    }

    /// Freezes every session, at the end.
    pub(super) async fn rest_all(&self) {
        self.clear_evicted().await;
        for entry in self.all_sessions() {
            let mut body = entry.body.lock().await;
            self.rest_at_the_end(&entry, &mut body).await;
        }
    }

    /// Freezes the sessions in which nothing runs: whoever stops us may not wait for the others.
    pub(super) async fn rest_idle(&self) {
        for entry in self.all_sessions() {
            let Ok(mut body) = entry.body.try_lock() else { continue };
            self.rest_at_the_end(&entry, &mut body).await;
        }
    }

    async fn rest_at_the_end(&self, entry: &Arc<Entry>, body: &mut Body) {
        if let Err(error) = self.rest(entry, body).await {
            warn!(session = %entry.id, error = %error, "a session could not be frozen");
        }
    }
}
