//! The tools an owner has used, and whether another one is a surprise.
//!
//! Owners differ in how often they take up something new, so the measure is their own: a new name
//! is surprising after three times the longest stretch of runs that ever passed without one. It is
//! written down in any case. Servers and tools are judged apart, by the same rule: a tool of a
//! server that was never used is the server's surprise.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Names that are remembered; of more, those not used for longest are forgotten.
const MOST_NAMES: usize = 512;
/// Letters of a name that are remembered.
const MOST_LETTERS: usize = 200;

/// Names that were used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Names {
    /// Each with the number of the run that used it last.
    used: BTreeMap<String, u64>,
    /// The run that used a new one last.
    last_new: u64,
    /// The longest stretch of runs between two new ones, after the first few.
    longest: u64,
}

/// When names have settled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settled {
    /// After so many runs without a new one,
    pub(super) runs: u64,
    /// and so many times the longest such stretch.
    pub(super) times: u64,
}

/// What is to say about a name that is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct New {
    /// Runs since the last new one.
    pub(super) since: u64,
    /// Runs after which one is a surprise.
    pub(super) settled: u64,
    /// How many names are known.
    pub(super) known: usize,
}

impl New {
    pub(super) fn is_surprising(self) -> bool {
        self.since >= self.settled
    }
}

impl Names {
    pub(super) fn has(&self, name: &str) -> bool {
        self.used.contains_key(&*bounded(name))
    }

    /// Counts a name as used, without any surprise.
    pub(super) fn expect(&mut self, name: &str, run: u64) {
        self.remember(name, run);
    }

    /// Learns that a run used a name; says so if it is new.
    pub(super) fn learn(&mut self, name: &str, run: u64, settled: Settled) -> Option<New> {
        if let Some(last) = self.used.get_mut(&*bounded(name)) {
            *last = run;
            return None;
        }
        let new = New {
            since: run - self.last_new.min(run),
            settled: settled.runs.max(settled.times.saturating_mul(self.longest)),
            known: self.used.len(),
        };
        self.longest = self.longest.max(new.since);
        self.last_new = run;
        self.remember(name, run);
        Some(new)
    }

    fn remember(&mut self, name: &str, run: u64) {
        if self.used.len() >= MOST_NAMES {
            let longest_ago = self.used.iter().min_by_key(|(_, last)| **last);
            if let Some(name) = longest_ago.map(|(name, _)| name.clone()) {
                self.used.remove(&name);
            }
        }
        self.used.insert(bounded(name).into_owned(), run);
    }
}

fn bounded(name: &str) -> std::borrow::Cow<'_, str> {
    match name.char_indices().nth(MOST_LETTERS) {
        None => name.into(),
        Some((at, _)) => name[..at].to_owned().into(),
    }
}

/// The server of a tool.
pub(super) fn server_of(tool: &str) -> &str {
    tool.split_once('.').map_or(tool, |(server, _)| server)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(runs: u64) -> Settled {
        Settled { runs, times: 3 }
    }

    #[test]
    fn a_new_name_is_a_surprise_once_the_names_have_settled() {
        let mut names = Names::default();
        assert!(!names.learn("a", 1, after(40)).unwrap().is_surprising());
        assert!(!names.learn("b", 30, after(40)).unwrap().is_surprising());
        assert_eq!(names.learn("a", 31, after(40)), None);
        assert!(names.learn("c", 200, after(40)).unwrap().is_surprising());
    }

    #[test]
    fn who_takes_up_something_new_now_and_then_does_not_surprise() {
        let mut names = Names::default();
        let surprises = (1..2000_u64)
            .filter(|run| run % 100 == 0)
            .filter(|run| names.learn(&run.to_string(), *run, after(50)).unwrap().is_surprising());
        assert_eq!(surprises.count(), 1);
    }

    #[test]
    fn it_stays_small_whatever_the_names() {
        let mut names = Names::default();
        for run in 0..5000 {
            names.learn(&format!("{run}{}", "x".repeat(10_000)), run, after(50));
        }
        assert!(serde_json::to_string(&names).unwrap().len() < 512 * 250);
    }
}
