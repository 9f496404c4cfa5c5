//! What is known of a run, while it is under way and afterwards.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use audit::anomaly::Flag;
use budget::Strategy;
use check::Review;
use engine::{LimitKind, Outcome, ProgramError, Usage};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::answer::Answer;
use super::ids::{RunId, SessionId};
use super::receipt::Receipt;
use crate::hearing::CallNote;

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It waits for its turn.
    Queued,
    /// It runs.
    Running,
    /// It rests until something it asked for has come.
    Waiting,
    /// It reached its own end.
    Succeeded,
    /// It failed, or was stopped by a limit other than time.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
    /// Its time was over.
    TimedOut,
}

impl Status {
    /// All of them, in the order in which a run meets them.
    pub const ALL: [Self; 7] = [
        Self::Queued,
        Self::Running,
        Self::Waiting,
        Self::Succeeded,
        Self::Failed,
        Self::Cancelled,
        Self::TimedOut,
    ];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
        }
    }

    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running | Self::Waiting)
    }

    /// How a run that had this outcome ended.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        match &outcome.error {
            None => Self::Succeeded,
            Some(error) if matches!(error.limit, Some(LimitKind::Wall | LimitKind::Rest)) => {
                Self::TimedOut
            }
            Some(error) if error.kind == "Cancelled" => Self::Cancelled,
            Some(_) => Self::Failed,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Status {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|status| status.name() == given).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|status| status.name()).collect();
            format!("there is no status {given:?}; there are {}", known.join(", "))
        })
    }
}

/// A moment, as milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// Now.
    #[must_use]
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// A moment of the system's clock.
    #[must_use]
    pub fn of(moment: SystemTime) -> Self {
        let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// Now, or a little later: no two runs of one process begin at the same moment, so that their
    /// order is the same whoever asks.
    #[must_use]
    pub(super) fn of_its_own() -> Self {
        static LAST: AtomicI64 = AtomicI64::new(0);
        let now = Self::now().0;
        let next = |last: i64| Some(now.max(last + 1));
        let last = LAST.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        Self(now.max(last.unwrap_or_default() + 1))
    }

    /// So much later.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }

    /// How long ago this is; nothing for what is yet to come.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Duration::from_millis(u64::try_from(Self::now().0 - self.0).unwrap_or_default())
    }
}

/// One run.
#[derive(Debug, Clone)]
pub struct Record {
    /// What it is called.
    pub id: RunId,
    /// The session it ran in.
    pub session: SessionId,
    /// Whose it is.
    pub owner: String,
    /// What the agent is called whose program it is; empty where it has no name.
    pub agent: String,
    /// Where it is.
    pub status: Status,
    /// What it is written in.
    pub language: String,
    /// Which version of our guidance its author had.
    pub guidance: String,
    /// When it was asked for.
    pub created_at: Moment,
    /// When its turn came.
    pub started_at: Option<Moment>,
    /// When it ended.
    pub finished_at: Option<Moment>,
    /// Its source.
    pub program: Arc<str>,
    /// How it ended.
    pub ended: Option<Ended>,
    /// What it asked of servers.
    pub calls: Vec<CallNote>,
    /// What of it goes to whoever asked for it; nothing for a run that is read again.
    pub answer: Option<Arc<Answer>>,
    /// Since when it rests, and until when at most.
    pub waiting: Option<Rest>,
    /// How many of its calls wait for somebody's approval.
    pub asks: u64,
}

impl Record {
    /// The tools whose answers have not come, as `server.tool`.
    #[must_use]
    pub fn waits_for(&self) -> Vec<String> {
        self.calls.iter().filter(|call| call.ok.is_none()).map(CallNote::name).collect()
    }
}

/// A run that rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rest {
    /// Since when.
    pub since: Moment,
    /// When it goes on though nothing has come, as far as that is known.
    pub wakes_at: Option<Moment>,
    /// Nobody goes on with it here: an earlier process left it, and this one keeps no runs.
    pub is_paused: bool,
}

/// How a run ended: an [`Outcome`] that can be stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ended {
    /// What it returned.
    pub return_value: Box<RawValue>,
    /// What it printed.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Why it did not succeed.
    pub error: Option<ProgramError>,
    /// What the reader should know.
    pub note: Option<String>,
    /// Milliseconds from its first step to its end.
    pub execution_time_ms: f64,
    /// What it used.
    pub usage: Usage,
    /// Files it produced besides its value, which lie beside the database.
    pub artifacts: Vec<ArtifactNote>,
    /// Whoever asked got less than all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// What it cost and saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// How its answer was made to fit, and into how many tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<(Strategy, usize)>,
    /// What was known of its program before it ran; nothing of one whose turn never came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// What was unlike anything its owner did before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anomalies: Vec<Flag>,
}

/// A file that a run produced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactNote {
    /// A file name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// How long it is.
    pub bytes: u64,
}

impl From<&Outcome> for Ended {
    fn from(outcome: &Outcome) -> Self {
        let artifacts = outcome.artifacts.iter().map(|artifact| ArtifactNote {
            name: artifact.name.clone(),
            media_type: artifact.media_type.clone(),
            bytes: artifact.data.len() as u64,
        });
        Self {
            return_value: outcome.return_value.clone(),
            stdout: outcome.stdout.clone(),
            stderr: outcome.stderr.clone(),
            error: outcome.error.clone(),
            note: outcome.note.clone(),
            execution_time_ms: outcome.execution_time_ms,
            usage: outcome.usage,
            artifacts: artifacts.collect(),
            is_cut: false,
            receipt: None,
            fit: None,
            review: None,
            anomalies: Vec::new(),
        }
    }
}
