//! What is unlike anything this owner did before, from simple figures that can be explained.
//!
//! [`Watch`] is told of each run when it ends and answers with flags. It knows nothing of the log,
//! reads no clock, and gives the same answers for the same runs. What it keeps for each owner is
//! bounded and can be stored as JSON.
//!
//! | flag | when |
//! | --- | --- |
//! | [`Reason::Burst`] | far more calls in one run, or calls or runs in ten minutes, than this owner ever made |
//! | [`Reason::NewTool`] | a tool, or a server, that is new to an owner whose tools had settled |
//! | [`Reason::Volume`] | far more bytes or tokens in one run than this owner ever received |
//! | [`Reason::Denials`] | many denials within ten minutes |
//!
//! Amounts are compared on a logarithmic scale, because runs differ by factors and not by
//! differences: with the median and the median distance from it, which one odd run does not move,
//! and with the greatest amounts of the last thousand runs, because many owners have a large job
//! once a week. How these differ among themselves says what is to be expected beyond them: ten times
//! the usual is flagged for an owner whose runs are alike, and not for one who has such a run every
//! week, which no figure could tell apart. An owner's first runs are flagged for nothing: there is nothing to compare with.

mod history;
mod owner;
mod tools;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use owner::Owner;

/// Owners that are remembered; of more, those who were away longest are forgotten.
const MOST_OWNERS: usize = 2_000;

/// One run, when it has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Whose it was.
    pub owner: String,
    /// When it ended, in milliseconds since 1970.
    pub time: u64,
    /// How often each tool was called, by `server.tool`.
    pub calls: BTreeMap<String, u64>,
    /// Bytes that tools returned.
    pub bytes_out: u64,
    /// Tokens that went to the model.
    pub tokens: u64,
    /// Calls that a rule denied.
    pub denials: u64,
    /// How long it took.
    pub duration_ms: u64,
}

/// What was found, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// What kind of thing.
    pub reason: Reason,
    /// Whether somebody should look, or it is only worth writing down.
    pub level: Level,
    /// Whose run it was.
    pub owner: String,
    /// When the run ended.
    pub time: u64,
    /// The tool, or what was measured.
    pub subject: String,
    /// What was found.
    pub observed: u64,
    /// What is usual: the median, or the number of runs that it was not so.
    pub usual: u64,
    /// From where on it is flagged.
    pub threshold: u64,
    /// All of this in a sentence.
    pub explanation: String,
}

/// What kind of thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// Many calls.
    Burst,
    /// A tool that this owner never used.
    NewTool,
    /// Much data.
    Volume,
    /// Many denials.
    Denials,
}

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// New, and not surprising: this owner takes up new tools now and then.
    Notice,
    /// Unlike what this owner does.
    Alert,
}

/// From where on something is unusual.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Tuning {
    /// Runs of an owner before anything is compared with them.
    pub least_runs: u64,
    /// How many times the usual distance from the median is too far.
    pub spreads: f64,
    /// How many times the greatest amount so far is too much, as long as little is known.
    pub times_greatest: f64,
    /// What is met once in so many runs is not too much, as far as the past says.
    pub once_in: f64,
    /// Fewer calls in a run are no burst.
    pub least_calls: u64,
    /// Fewer calls in ten minutes are no burst.
    pub least_calls_in_window: u64,
    /// Fewer runs in ten minutes are no burst.
    pub least_runs_in_window: u64,
    /// Fewer bytes in a run are no unusual volume.
    pub least_bytes: u64,
    /// Fewer tokens in a run are no unusual volume.
    pub least_tokens: u64,
    /// So many denials in ten minutes are too many.
    pub denials: u64,
    /// Runs without a new tool after which one is surprising.
    pub settled_tools: u64,
    /// Runs without a new server after which one is surprising.
    pub settled_servers: u64,
    /// How many times the longest such stretch so far it has to be.
    pub times_longest: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            least_runs: 30,
            spreads: 3.5,
            times_greatest: 2.0,
            once_in: 5_000.0,
            least_calls: 20,
            least_calls_in_window: 50,
            least_runs_in_window: 15,
            least_bytes: 1 << 20,
            least_tokens: 50_000,
            denials: 10,
            settled_tools: 200,
            settled_servers: 80,
            times_longest: 3,
        }
    }
}

/// Knows what owners usually do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    #[serde(default)]
    tuning: Tuning,
    owners: BTreeMap<String, Owner>,
}

impl Watch {
    /// Begins without knowing anybody.
    #[must_use]
    pub fn new(tuning: Tuning) -> Self {
        Self { tuning, owners: BTreeMap::new() }
    }

    /// Takes over other figures, for a watch that was stored under older ones.
    pub fn tune(&mut self, tuning: Tuning) {
        self.tuning = tuning;
    }

    /// Learns of a run, and says what is unusual about it.
    pub fn observe(&mut self, run: &Observation) -> Vec<Flag> {
        self.owner(&run.owner, run.time).observe(run)
    }

    /// Says that an owner may be seen to use a tool, or with `server.*` a server, from now on: a
    /// rule or a setting was changed to that end.
    pub fn expect(&mut self, owner: &str, tool: &str, time: u64) {
        self.owner(owner, time).owner.expect(tool);
    }

    /// How many owners are known.
    #[must_use]
    pub fn owners(&self) -> usize {
        self.owners.len()
    }

    fn owner(&mut self, name: &str, time: u64) -> owner::Tuned<'_> {
        if !self.owners.contains_key(name) && self.owners.len() >= MOST_OWNERS {
            let longest_away = self.owners.iter().min_by_key(|(_, owner)| owner.seen());
            if let Some(name) = longest_away.map(|(name, _)| name.clone()) {
                self.owners.remove(&name);
            }
        }
        let owner = self.owners.entry(name.to_owned()).or_insert_with(|| Owner::new(time));
        owner::Tuned { owner, tuning: &self.tuning }
    }
}
