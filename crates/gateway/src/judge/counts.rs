//! How many calls were made that rules count: in a run, and by an owner in a minute and a day.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use policy::{Limit, Per};

use crate::behalf::Behalf;

/// Runs and owners whose calls are counted at the same time; more are forgotten, the oldest first.
const MOST: usize = 100_000;

const MINUTE: u64 = 60;
const DAY: u64 = 24 * 3600;

/// Rule and whose calls: a run, or an owner.
type Key = (String, String);

/// What was counted so far.
#[derive(Debug, Default)]
pub(super) struct Counts {
    runs: HashMap<Key, u64>,
    /// With the minute that is counted.
    minutes: HashMap<Key, (u64, u64)>,
    /// With the day.
    days: HashMap<Key, (u64, u64)>,
}

impl Counts {
    /// Rules that count days of which it is not known what was counted before this process.
    pub(super) fn unknown(&self, limits: &[Limit], owner: &str) -> Vec<(String, u64)> {
        let today = now() / DAY;
        let days = limits.iter().filter(|limit| limit.per == Per::Day);
        let unknown = days.filter(|limit| {
            let known = self.days.get(&(limit.rule.clone(), owner.to_owned()));
            known.is_none_or(|(day, _)| *day != today)
        });
        unknown.map(|limit| (limit.rule.clone(), today)).collect()
    }

    /// What was counted before this process.
    pub(super) fn was(&mut self, rule: &str, owner: &str, day: u64, count: u64) {
        let key = (rule.to_owned(), owner.to_owned());
        let known = self.days.entry(key).or_insert((day, 0));
        // Somebody may have counted since it was asked for.
        *known = if known.0 == day { (day, known.1.max(count)) } else { (day, count) };
    }

    /// Counts one call, or says which limit does not let it be made. What days have now is to be kept.
    pub(super) fn take(
        &mut self,
        limits: &[Limit],
        behalf: &Behalf,
    ) -> Result<Vec<(String, u64, u64)>, Limit> {
        let (minute, day) = (now() / MINUTE, now() / DAY);
        for limit in limits {
            let made = match limit.per {
                Per::Run => self.runs.get(&key(limit, &behalf.run)).copied().unwrap_or(0),
                Per::Minute => of(&self.minutes, &key(limit, &behalf.owner), minute),
                Per::Day => of(&self.days, &key(limit, &behalf.owner), day),
            };
            if made >= limit.most {
                return Err(limit.clone());
            }
        }
        Ok(self.add_at(limits, behalf, minute, day))
    }

    /// Counts a call that was made, whatever limits say.
    pub(super) fn add(&mut self, limits: &[Limit], behalf: &Behalf) {
        let runs: Vec<Limit> =
            limits.iter().filter(|limit| limit.per == Per::Run).cloned().collect();
        self.add_at(&runs, behalf, 0, 0);
    }

    fn add_at(
        &mut self,
        limits: &[Limit],
        behalf: &Behalf,
        minute: u64,
        day: u64,
    ) -> Vec<(String, u64, u64)> {
        let mut kept = Vec::new();
        for limit in limits {
            match limit.per {
                Per::Run => *self.runs.entry(key(limit, &behalf.run)).or_default() += 1,
                Per::Minute => {
                    more(&mut self.minutes, key(limit, &behalf.owner), minute);
                }
                Per::Day => {
                    let count = more(&mut self.days, key(limit, &behalf.owner), day);
                    kept.push((limit.rule.clone(), day, count));
                }
            }
        }
        self.stay_small(minute);
        kept
    }

    /// A run is over.
    pub(super) fn forget(&mut self, run: &str) {
        if !self.runs.is_empty() {
            self.runs.retain(|(_, of), _| of != run);
        }
    }

    fn stay_small(&mut self, minute: u64) {
        if self.minutes.len() > MOST {
            self.minutes.retain(|_, (at, _)| *at == minute);
        }
        if self.days.len() > MOST {
            // What is asked for again is read from where it is kept.
            self.days.clear();
        }
    }
}

fn key(limit: &Limit, of: &str) -> Key {
    (limit.rule.clone(), of.to_owned())
}

fn of(counted: &HashMap<Key, (u64, u64)>, key: &Key, now: u64) -> u64 {
    counted.get(key).filter(|(at, _)| *at == now).map_or(0, |(_, count)| *count)
}

fn more(counted: &mut HashMap<Key, (u64, u64)>, key: Key, now: u64) -> u64 {
    let (at, count) = counted.entry(key).or_insert((now, 0));
    if *at != now {
        (*at, *count) = (now, 0);
    }
    *count += 1;
    *count
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(per: Per, most: u64) -> Limit {
        Limit { rule: "few".into(), per, most }
    }

    #[test]
    fn what_is_over_a_limit_is_not_counted() {
        let mut counts = Counts::default();
        let limits = [limit(Per::Run, 2), limit(Per::Day, 3)];
        let one = Behalf { run: "r_1".into(), ..Behalf::default() };
        let other = Behalf { run: "r_2".into(), ..Behalf::default() };
        assert!(counts.take(&limits, &one).is_ok());
        assert!(counts.take(&limits, &one).is_ok());
        assert_eq!(counts.take(&limits, &one), Err(limit(Per::Run, 2)));
        let kept = counts.take(&limits, &other).unwrap();
        assert_eq!(kept.iter().map(|(_, _, count)| *count).collect::<Vec<_>>(), [3]);
        assert_eq!(counts.take(&limits, &other), Err(limit(Per::Day, 3)));
        counts.forget("r_1");
        assert_eq!(counts.take(&limits[..1], &one), Ok(vec![]));
    }

    #[test]
    fn what_was_counted_before_a_restart_counts() {
        let mut counts = Counts::default();
        let limits = [limit(Per::Day, 3)];
        let unknown = counts.unknown(&limits, "local");
        assert_eq!(unknown.len(), 1);
        counts.was("few", "local", unknown[0].1, 2);
        assert!(counts.unknown(&limits, "local").is_empty());
        assert!(counts.take(&limits, &Behalf::default()).is_ok());
        assert_eq!(counts.take(&limits, &Behalf::default()), Err(limit(Per::Day, 3)));
    }
}
