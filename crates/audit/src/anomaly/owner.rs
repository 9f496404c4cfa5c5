//! What is known of one owner, and the judgement of one run.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::history::{Far, History, Usual};
use super::tools::{Names, New, Settled, server_of};
use super::{Flag, Level, Observation, Reason, Tuning};

/// How long calls and denials are counted together.
const WINDOW_MS: u64 = 600_000;
/// After how long without too many denials the limit comes down again.
const DAY_MS: u64 = 86_400_000;
/// Runs with denials that are remembered within the window.
const MOST_DENIALS: usize = 256;

/// What is known of one owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Owner {
    runs: u64,
    seen: u64,
    calls: History,
    bytes: History,
    tokens: History,
    windows: History,
    /// Runs in stretches of ten minutes.
    #[serde(default)]
    crowds: History,
    window: Window,
    tools: Names,
    servers: Names,
    denials: Denials,
}

/// Calls in the ten minutes that are not over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Window {
    begins: u64,
    calls: u64,
    #[serde(default)]
    runs: u64,
    is_flagged: bool,
    #[serde(default)]
    is_crowded: bool,
}

/// Denials of the last ten minutes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Denials {
    recent: VecDeque<(u64, u64)>,
    /// Too many since they were flagged last; 0 until then.
    limit: u64,
    flagged: u64,
}

impl Owner {
    pub(super) fn new(time: u64) -> Self {
        Self {
            runs: 0,
            seen: time,
            calls: History::default(),
            bytes: History::default(),
            tokens: History::default(),
            windows: History::default(),
            crowds: History::default(),
            window: Window::default(),
            tools: Names::default(),
            servers: Names::default(),
            denials: Denials::default(),
        }
    }

    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    pub(super) fn expect(&mut self, tool: &str) {
        self.servers.expect(server_of(tool), self.runs);
        self.tools.expect(tool, self.runs);
    }
}

/// An owner, with the figures to judge by.
pub(super) struct Tuned<'a> {
    pub(super) owner: &'a mut Owner,
    pub(super) tuning: &'a Tuning,
}

/// Something that is measured in each run.
struct Measure<'a> {
    reason: Reason,
    name: &'a str,
    amount: u64,
    least: u64,
}

impl Tuning {
    fn far(&self) -> Far {
        Far { spreads: self.spreads, times: self.times_greatest, once_in: self.once_in }
    }
}

impl Tuned<'_> {
    pub(super) fn observe(&mut self, run: &Observation) -> Vec<Flag> {
        self.owner.runs += 1;
        self.owner.seen = self.owner.seen.max(run.time);
        let calls = run.calls.values().fold(0_u64, |sum, calls| sum.saturating_add(*calls));
        let mut flags = Vec::new();
        let tuning = self.tuning;
        let measures = [
            (Reason::Burst, "calls in a run", calls, tuning.least_calls),
            (Reason::Volume, "bytes returned", run.bytes_out, tuning.least_bytes),
            (Reason::Volume, "tokens", run.tokens, tuning.least_tokens),
        ];
        let owner = &mut *self.owner;
        let histories = [&mut owner.calls, &mut owner.bytes, &mut owner.tokens];
        for ((reason, name, amount, least), history) in measures.into_iter().zip(histories) {
            let measure = Measure { reason, name, amount, least };
            flags.extend(measure.judge(history, tuning, run));
        }
        flags.extend(self.count_window(run, calls));
        flags.extend(self.new_names(run));
        flags.extend(self.count_denials(run));
        flags
    }

    /// Calls of runs that are small, one by one, and many; and the runs themselves.
    fn count_window(&mut self, run: &Observation, calls: u64) -> Vec<Flag> {
        let Owner { window, windows, crowds, .. } = &mut *self.owner;
        let tuning = self.tuning;
        let begins = run.time - run.time % WINDOW_MS;
        if begins != window.begins {
            if window.begins > 0 {
                let least = tuning.least_calls_in_window;
                settle(windows, window.calls, window.is_flagged, tuning.far(), least);
                let least = tuning.least_runs_in_window;
                settle(crowds, window.runs, window.is_crowded, tuning.far(), least);
            }
            *window = Window { begins, ..Window::default() };
        }
        window.calls = window.calls.saturating_add(calls);
        window.runs += 1;
        let each = [
            (
                "calls in ten minutes",
                window.calls,
                tuning.least_calls_in_window,
                &*windows,
                &mut window.is_flagged,
            ),
            (
                "runs in ten minutes",
                window.runs,
                tuning.least_runs_in_window,
                &*crowds,
                &mut window.is_crowded,
            ),
        ];
        let mut flags = Vec::new();
        for (name, amount, least, history, is_flagged) in each {
            let usual = history.usual(tuning.far(), least);
            let is_known = history.count() >= tuning.least_runs;
            if !*is_flagged && is_known && amount >= usual.threshold {
                *is_flagged = true;
                let measure = Measure { reason: Reason::Burst, name, amount, least };
                flags.push(measure.flag(usual, history.count(), run));
            }
        }
        flags
    }

    fn new_names(&mut self, run: &Observation) -> Vec<Flag> {
        let (runs, tuning) = (self.owner.runs, self.tuning);
        let times = tuning.times_longest;
        let tools = Settled { runs: tuning.settled_tools, times };
        let servers = Settled { runs: tuning.settled_servers, times };
        let mut flags = Vec::new();
        for tool in run.calls.keys() {
            let server = server_of(tool);
            let of_server = self.owner.servers.learn(server, runs, servers);
            let is_expected = self.owner.tools.has(&format!("{server}.*"));
            let of_tool = if is_expected {
                self.owner.tools.expect(tool, runs);
                None
            } else {
                self.owner.tools.learn(tool, runs, tools)
            };
            let (new, what) = match (of_server, of_tool) {
                (Some(new), _) => (new, "server"),
                (None, Some(new)) => (new, "tool"),
                (None, None) => continue,
            };
            if runs > tuning.least_runs {
                flags.push(new_name(new, what, tool, run, runs));
            }
        }
        flags
    }

    /// Denials within ten minutes. Each time there are too many, twice as many are needed for the
    /// next flag, until there was a day without: who is denied all the time is flagged a few times.
    fn count_denials(&mut self, run: &Observation) -> Option<Flag> {
        let denials = &mut self.owner.denials;
        denials.recent.retain(|(time, _)| time.saturating_add(WINDOW_MS) > run.time);
        if run.denials > 0 {
            denials.recent.push_back((run.time, run.denials));
            if denials.recent.len() > MOST_DENIALS {
                denials.recent.pop_front();
            }
        }
        if run.time.saturating_sub(denials.flagged) > DAY_MS {
            denials.limit = 0;
        }
        let threshold = self.tuning.denials.max(denials.limit).max(1);
        let observed = denials.recent.iter().fold(0_u64, |sum, (_, one)| sum.saturating_add(*one));
        if run.denials == 0 || observed < threshold {
            return None;
        }
        denials.limit = observed.saturating_mul(2);
        denials.flagged = run.time;
        Some(Flag {
            reason: Reason::Denials,
            level: Level::Alert,
            owner: run.owner.clone(),
            time: run.time,
            subject: "denials in ten minutes".to_owned(),
            observed,
            usual: 0,
            threshold,
            explanation: format!(
                "{observed} calls were denied within ten minutes; {threshold} are too many"
            ),
        })
    }
}

/// Remembers a stretch that is over. What was flagged counts as no more than what would just not have
/// been: otherwise the next one like it would be usual.
fn settle(history: &mut History, amount: u64, is_flagged: bool, far: Far, least: u64) {
    let most = if is_flagged { history.usual(far, least).threshold } else { amount };
    history.push(most.min(amount));
}

fn new_name(new: New, what: &str, tool: &str, run: &Observation, runs: u64) -> Flag {
    let New { since, settled, known } = new;
    let level = if new.is_surprising() { Level::Alert } else { Level::Notice };
    let name = if what == "server" { server_of(tool) } else { tool };
    Flag {
        reason: Reason::NewTool,
        level,
        owner: run.owner.clone(),
        time: run.time,
        subject: tool.to_owned(),
        observed: since,
        usual: 0,
        threshold: settled,
        explanation: format!(
            "the {what} {name} was never used in {} runs of this owner, which used {known} others; \
             the last new one came {since} runs ago, and after {settled} it is a surprise",
            runs - 1
        ),
    }
}

impl Measure<'_> {
    /// Compares with the past and becomes part of it.
    fn judge(&self, history: &mut History, tuning: &Tuning, run: &Observation) -> Option<Flag> {
        let usual = history.usual(tuning.far(), self.least);
        let is_known = history.count() >= tuning.least_runs;
        if !is_known || self.amount < usual.threshold {
            history.push(self.amount);
            return None;
        }
        let flag = self.flag(usual, history.count(), run);
        // See `settle`. A new level is usual after a few flags: each doubles what is.
        history.push(usual.threshold);
        Some(flag)
    }

    fn flag(&self, usual: Usual, count: u64, run: &Observation) -> Flag {
        let (observed, name) = (self.amount, self.name);
        let Usual { median, greatest, threshold } = usual;
        let times = observed / median.max(1);
        let seconds = run.duration_ms / 1000;
        let of = if name.ends_with("minutes") { "stretches of ten minutes" } else { "runs" };
        Flag {
            reason: self.reason,
            level: Level::Alert,
            owner: run.owner.clone(),
            time: run.time,
            subject: name.to_owned(),
            observed,
            usual: median,
            threshold,
            explanation: format!(
                "{observed} {name} ({seconds} s), {times} times the usual {median}; the most so \
                 far was {greatest} in {count} {of}, and from {threshold} on it is unusual"
            ),
        }
    }
}
