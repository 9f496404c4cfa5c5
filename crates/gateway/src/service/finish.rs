//! The end of a run: what is told of it, and that it is stored.

use std::sync::Arc;
use std::time::Duration;

use engine::Outcome;
use tracing::{info, warn};

use super::answer::Answer;
use super::durable::Keeper;
use super::ends::{name_limit, name_timeout, refused};
use super::figures;
use super::record::{Ended, Record, Status};
use super::run::Run;
use super::session::Entry;
use super::store::Write;
use super::{Refusal, Service, late, lock};

/// How long until a run that could not be stored is tried to be stored again.
const AGAIN: Duration = Duration::from_secs(1);

/// What is said of a run that is read from memory until it can be stored.
const NOT_YET: &str = "this run could not be stored yet; whoever runs the gateway should look at the free space of its data folder";

/// What is said of a run that cannot be read later.
const UNSTORED: &str = "this run could not be stored, so that it cannot be read again; whoever runs the gateway should look at the free space of its data folder";

impl Service {
    /// Stores how a run ended; one that goes on in another process is let go.
    pub(super) async fn finish(
        &self,
        run: &Arc<Run>,
        entry: &Arc<Entry>,
        keeper: &Arc<Keeper>,
        outcome: Result<Option<Outcome>, Refusal>,
    ) {
        let begun = keeper.begun();
        let mut outcome = match outcome {
            Ok(Some(outcome)) => outcome,
            Ok(None) => {
                run.never_left(&keeper.never_left());
                self.tools().veil().drop_secrets(run.id().as_str());
                self.tools().minds().detach(run.id().as_str());
                lock(&self.runs).remove(run.id());
                run.stored();
                return;
            }
            Err(refusal) => refused(&refusal),
        };
        self.tools().veil().drop_secrets(run.id().as_str());
        self.tools().minds().detach(run.id().as_str());
        let context = run.context_tokens().or_else(|| self.context_tokens(begun));
        self.settle_deeds(run, keeper).await;
        keeper.tell(&mut outcome);
        let calls = run.record().calls;
        late::name(&mut outcome, &calls);
        name_limit(&mut outcome, &calls);
        name_timeout(&mut outcome, begun.timeout, begun.limits.wall, entry.limits.wall);
        run.never_left(&keeper.never_left());
        outcome.usage.calls = outcome.usage.calls.max(run.calls_made());
        let fit = begun.fit;
        entry.touch();
        let ended = Ended::from(&outcome);
        let (mut ended, answer) = Answer::of(ended, fit).await;
        let context = match context {
            Some(counting) => counting.await.unwrap_or(0),
            None => 0,
        };
        ended.fit = Some(fit);
        if self.settings.receipts {
            ended.receipt = Some(self.receipt(run, context, &answer).await);
        }
        ended.review = run.review().cloned();
        ended.anomalies = self.anomalies(run, &ended);
        let record = run.end(outcome, ended, answer);
        if record.ended.as_ref().is_some_and(|ended| ended.is_cut) {
            entry.note_result(&record.id);
        }
        figures::count(&record, self.settings.token_price);
        if let (Some(spans), Some(trace)) = (&self.parts.spans, run.trace()) {
            spans.ended(&record, trace);
        }
        tell(&record);
        if let Some(trail) = &self.parts.trail {
            trail.ended(&record);
        }
        if let (Some(watching), Some(ended)) = (&self.parts.watching, &record.ended) {
            watching.tell(&record, &ended.anomalies);
        }
        let id = record.id.clone();
        self.parts.tools.judge().forget_run(id.as_str());
        if run.has_asked() {
            self.approvals.withdraw(id.as_str()).await;
        }
        let succeeded = record.status == Status::Succeeded;
        let stored = if keeper.is_written() {
            self.keep_at_last(run, keeper, record).await
        } else {
            self.keep(run, record).await
        };
        match stored {
            // What failed may be taken up again, and must not be done twice.
            Ok(()) => {
                let asked_for = self.settings.durable && !keeper.begun().is_plain;
                match keeper.over(succeeded, asked_for).await {
                    Ok(()) => entry.lets_go(&id),
                    Err(error) => {
                        warn!(run = %id, error = %error, "what was kept of a run could not be removed");
                    }
                }
            }
            Err(error) => {
                warn!(run = %id, error = %error, "a run was not stored");
                run.note(UNSTORED);
            }
        }
        lock(&self.runs).remove(&id);
        run.stored();
    }

    /// Stores a run that was promised to be kept; as long as that cannot be done, it is read from here.
    async fn keep_at_last(
        &self,
        run: &Run,
        keeper: &Arc<Keeper>,
        record: Record,
    ) -> Result<(), super::StoreError> {
        let mut failed = match self.keep(run, record.clone()).await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        warn!(run = %record.id, error = %failed, "a run cannot be stored yet; it is tried again");
        run.note(NOT_YET);
        // Whoever is told how it ended must not find it going on, and maybe ending in another way.
        let told = if record.status == Status::Succeeded {
            keeper.ends_well().await
        } else {
            keeper.ends(record.ended.as_ref().and_then(|ended| ended.error.clone())).await
        };
        if let Err(error) = told {
            warn!(run = %record.id, error = %error, "a run that is over may be gone on with by the next process");
        }
        run.stored();
        while !self.ending.is_cancelled() {
            tokio::select! {
                () = tokio::time::sleep(AGAIN) => {}
                () = self.ending.cancelled() => break,
            }
            match self.keep(run, record.clone()).await {
                Ok(()) => return Ok(()),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// What is unlike anything the owner of a run did before.
    fn anomalies(&self, run: &Run, ended: &Ended) -> Vec<audit::anomaly::Flag> {
        let Some(watching) = &self.parts.watching else { return Vec::new() };
        let tokens = ended.receipt.as_ref().map_or(0, |receipt| receipt.received);
        let error = ended.error.as_ref().map(|error| error.kind.as_str());
        watching.observe(&run.record(), tokens, error)
    }

    /// Stores a run, and the files it produced.
    async fn keep(&self, run: &Run, record: Record) -> Result<(), super::StoreError> {
        let artifacts = run.artifacts();
        if !artifacts.is_empty() {
            let folder = self.parts.store.artifacts(&record.id);
            let written = tokio::task::spawn_blocking(move || {
                std::fs::create_dir_all(&folder)?;
                // By number: what a program calls a file is no path of ours.
                for (at, artifact) in artifacts.iter().enumerate() {
                    std::fs::write(folder.join(at.to_string()), &artifact.data)?;
                }
                Ok::<_, std::io::Error>(())
            });
            let written = written.await.map_err(std::io::Error::other).and_then(|done| done);
            let path = self.parts.store.artifacts(&record.id);
            written.map_err(|source| super::StoreError::File { path, source })?;
        }
        let record = self.covered(record).await?;
        self.parts.store.write(Write::Run(Box::new(record))).await
    }
}

/// One line for who keeps a log.
fn tell(record: &Record) {
    let ended = record.ended.as_ref();
    let error = ended.and_then(|ended| ended.error.as_ref());
    let receipt = ended.and_then(|ended| ended.receipt.as_ref());
    info!(
        run = %record.id,
        session = %record.session,
        owner = %record.owner,
        status = record.status.name(),
        error = error.map(|error| error.kind.as_str()),
        milliseconds = ended.map(|ended| ended.execution_time_ms),
        calls = record.calls.len(),
        tokens_saved = receipt.map(|receipt| receipt.tokens_saved),
        "a run is over"
    );
}
