//! Runs watched for what is unlike anything their owner did before.
//!
//! ```text
//! run ends ──► Watch (figures per owner) ──► flags ──► record, metrics, audit log
//!                    │                         └──► queue ──► web hook
//!                    └── file, every half minute and at the end
//! ```
//!
//! What is known of owners is counts and names of tools, never what went to or came from one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use audit::anomaly::{Flag, Observation, Tuning, Watch};
use metrics::counter;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::warn;
use upstream::Hook;

use super::lock;
use super::record::{Moment, Record};
use crate::hearing::CallNote;
use crate::memory;

/// How often what was learned is written.
const OFTEN: Duration = Duration::from_secs(30);
/// What waits to be told; of more, the latest is not told.
const MOST_WAITING: usize = 256;
/// How long after a failed attempt the next one is made.
const AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// How long telling may take at the end.
const LAST: Duration = Duration::from_secs(3);
/// Errors of runs that were denied as a whole.
const DENIED_RUNS: [&str; 2] = [crate::reviewing::DENIED, crate::reviewing::ASKED];

/// Knows what owners usually do, and tells of what is not like that.
#[derive(Debug)]
pub struct Watching {
    watch: Mutex<Watch>,
    file: PathBuf,
    is_changed: AtomicBool,
    hook: Option<Hook>,
    told: Option<mpsc::Sender<Value>>,
    waiting: Mutex<Option<mpsc::Receiver<Value>>>,
}

impl Watching {
    /// One that goes on from what `file` holds, and tells `hook`.
    #[must_use]
    pub fn open(file: PathBuf, hook: Option<Hook>) -> Self {
        let mut watch: Watch = memory::read(&file).unwrap_or_default();
        // What counts as unusual is ours to say, not the file's.
        watch.tune(Tuning::default());
        let (told, waiting) = match &hook {
            Some(_) => {
                let (told, waiting) = mpsc::channel(MOST_WAITING);
                (Some(told), Some(waiting))
            }
            None => (None, None),
        };
        Self {
            watch: Mutex::new(watch),
            file,
            is_changed: AtomicBool::new(false),
            hook,
            told,
            waiting: Mutex::new(waiting),
        }
    }

    /// Learns of a run that is over, and says what is unusual about it.
    pub(super) fn observe(&self, run: &Record, tokens: u64, error: Option<&str>) -> Vec<Flag> {
        let observation = observation(run, tokens, error);
        let flags = lock(&self.watch).observe(&observation);
        self.is_changed.store(true, Ordering::Relaxed);
        for flag in &flags {
            let (kind, level) = (word(flag.reason), word(flag.level));
            counter!("tidegate_anomalies_total", "kind" => kind, "level" => level).increment(1);
        }
        flags
    }

    /// Tells whoever wants to know, as soon as that can be done.
    pub(super) fn tell(&self, run: &Record, flags: &[Flag]) {
        let Some(told) = self.told.as_ref().filter(|_| !flags.is_empty()) else { return };
        let message = json!({
            "event": "anomaly",
            "run_id": run.id.as_str(),
            "session": run.session.as_str(),
            "owner": run.owner,
            "status": run.status.name(),
            "finished_at_ms": run.finished_at.map(|moment| moment.0),
            "anomalies": flags.iter().map(shown).collect::<Vec<_>>(),
        });
        if told.try_send(message).is_err() {
            counter!("tidegate_webhook_lost_total").increment(1);
            warn!(run = %run.id, "the web hook is too slow, and was not told of an anomaly");
        }
    }

    /// Begins to write and to tell, until `ending`.
    pub(super) fn begin(
        self: &std::sync::Arc<Self>,
        tasks: &TaskTracker,
        ending: &CancellationToken,
    ) {
        let (watching, end) = (std::sync::Arc::clone(self), ending.clone());
        tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = tokio::time::sleep(OFTEN) => watching.keep().await,
                    () = end.cancelled() => return,
                }
            }
        });
        let waiting = lock(&self.waiting).take();
        let (Some(mut waiting), Some(hook)) = (waiting, self.hook.clone()) else { return };
        let end = ending.clone();
        tasks.spawn(async move {
            loop {
                tokio::select! {
                    biased;
                    message = waiting.recv() => match message {
                        Some(message) => deliver(&hook, &message, &end).await,
                        None => return,
                    },
                    () = end.cancelled() => break,
                }
            }
            // What has been found by now is told, if that is quick.
            let rest = async {
                while let Ok(message) = waiting.try_recv() {
                    deliver(&hook, &message, &end).await;
                }
            };
            let _ = tokio::time::timeout(LAST, rest).await;
        });
    }

    /// Writes down what is known.
    pub(super) async fn keep(&self) {
        if !self.is_changed.swap(false, Ordering::Relaxed) {
            return;
        }
        let (watch, file) = (lock(&self.watch).clone(), self.file.clone());
        let written = tokio::task::spawn_blocking(move || memory::keep(&file, &watch)).await;
        if let Ok(Err(error)) = written {
            self.is_changed.store(true, Ordering::Relaxed);
            warn!(error = %error, "what is usual for owners could not be written");
        }
    }
}

/// Tells a hook, and tries twice more.
async fn deliver(hook: &Hook, message: &Value, ending: &CancellationToken) {
    let mut waits = AGAIN.iter();
    loop {
        let Err(problem) = hook.tell(message).await else { return };
        let Some(wait) = waits.next().filter(|_| !ending.is_cancelled()) else {
            counter!("tidegate_webhook_lost_total").increment(1);
            warn!(problem, "the web hook could not be told of an anomaly");
            return;
        };
        tokio::select! {
            () = tokio::time::sleep(*wait) => {}
            () = ending.cancelled() => {}
        }
    }
}

fn observation(run: &Record, tokens: u64, error: Option<&str>) -> Observation {
    let mut calls = BTreeMap::<String, u64>::new();
    let made = |call: &&CallNote| !call.unmade && !call.reused;
    for call in run.calls.iter().filter(made) {
        *calls.entry(call.name()).or_default() += 1;
    }
    let denied = run.calls.iter().filter(|call| call.denied).count() as u64;
    let whole = u64::from(error.is_some_and(|error| DENIED_RUNS.contains(&error)));
    let time = u64::try_from(Moment::now().0).unwrap_or_default();
    let created = u64::try_from(run.created_at.0).unwrap_or_default();
    Observation {
        owner: run.owner.clone(),
        time,
        bytes_out: run.calls.iter().filter(made).map(|call| call.result_bytes).sum(),
        calls,
        tokens,
        denials: denied + whole,
        duration_ms: time.saturating_sub(created),
    }
}

/// A flag as it is told.
pub(super) fn shown(flag: &Flag) -> Value {
    json!({
        "kind": flag.reason,
        "level": flag.level,
        "subject": flag.subject,
        "observed": flag.observed,
        "usual": flag.usual,
        "threshold": flag.threshold,
        "explanation": flag.explanation,
    })
}

/// The stable name of a reason or a level.
fn word(of: impl serde::Serialize) -> String {
    serde_json::to_value(of)
        .ok()
        .and_then(|value| Some(value.as_str()?.to_owned()))
        .unwrap_or_default()
}
