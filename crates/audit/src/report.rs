//! What was refused, by type, owner, session and time.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use serde::Serialize;

use crate::calendar::iso;
use crate::entry::Entry;
use crate::filter::{Filter, Order};
use crate::search::{SearchError, search};
use crate::word::{Kind, Outcome};

/// Names that a list of a report has at most.
const MOST_LISTED: usize = 50;
/// Names that are counted one by one; the rest are counted together.
const MOST_COUNTED: usize = 100_000;
/// Slots of time that a report has at most: hours of two months, days of some years.
const MOST_HOURS: u64 = 24 * 62;
const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

/// What happened in some time that should not, or was not to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Not before this time, in milliseconds since 1970.
    pub since: u64,
    /// Before this time.
    pub until: u64,
    /// Entries of that time.
    pub entries: u64,
    /// Runs that began.
    pub runs: u64,
    /// Calls of tools.
    pub calls: u64,
    /// Violations and denials: everything counted below.
    pub violations: u64,
    /// By type: `denied`, `approval_refused`, `approval_expired`, `limit_hit`, `access_refused`,
    /// `login_failed`, `anomaly`.
    pub by_type: Vec<Count>,
    /// By owner, most first.
    pub by_owner: Vec<Count>,
    /// By session, most first.
    pub by_session: Vec<Count>,
    /// By tool, setting or limit, most first.
    pub by_subject: Vec<Count>,
    /// By rule, most first.
    pub by_rule: Vec<Count>,
    /// By hour, or by day if the time is longer than two months. Slots without any are left out.
    pub by_time: Vec<Slot>,
    /// How many entries of each kind there are.
    pub kinds: Vec<Count>,
    /// Places in the log that could not be read.
    pub unreadable: u64,
}

/// How often something occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    /// What.
    pub name: String,
    /// How often.
    pub count: u64,
}

/// What occurred within an hour or a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Slot {
    /// Its beginning.
    pub begins: String,
    /// Its beginning, in milliseconds since 1970.
    pub time: u64,
    /// Violations and denials in it.
    pub count: u64,
    /// By type.
    pub by_type: Vec<Count>,
}

/// Reports on the entries from one time to before another.
pub fn report(folder: &Path, since: u64, until: u64) -> io::Result<Report> {
    let filter = Filter {
        since: Some(since),
        until: Some(until),
        order: Order::OldestFirst,
        ..Filter::default()
    };
    let mut counts = Counts { slot: DAY, ..Counts::default() };
    if until.saturating_sub(since) <= MOST_HOURS * HOUR {
        counts.slot = HOUR;
    }
    let mut report = Report { since, until, ..Report::default() };
    for hit in search(folder, &filter)? {
        match hit {
            Ok(hit) => {
                if let Some(entry) = hit.entry() {
                    counts.take(entry, &mut report);
                }
            }
            Err(SearchError::Disk { source, .. }) => return Err(source),
            Err(SearchError::NoLine { .. }) => report.unreadable += 1,
        }
    }
    counts.finish(&mut report);
    Ok(report)
}

/// What kind of violation an entry is, if it is one.
#[must_use]
pub fn violation(entry: &Entry) -> Option<&'static str> {
    match (&entry.kind, &entry.outcome) {
        (Kind::Decision, Some(Outcome::Deny)) => Some("denied"),
        (Kind::Approval, Some(Outcome::Refused)) => Some("approval_refused"),
        (Kind::Approval, Some(Outcome::Expired)) => Some("approval_expired"),
        (Kind::LimitHit, _) => Some("limit_hit"),
        (Kind::AccessRefused, _) => Some("access_refused"),
        (Kind::Login, Some(Outcome::Failed | Outcome::Refused | Outcome::Deny)) => {
            Some("login_failed")
        }
        (Kind::Anomaly, _) => Some("anomaly"),
        _ => None,
    }
}

#[derive(Default)]
struct Counts {
    slot: u64,
    types: Tally,
    owners: Tally,
    sessions: Tally,
    subjects: Tally,
    rules: Tally,
    kinds: Tally,
    times: BTreeMap<u64, BTreeMap<&'static str, u64>>,
}

impl Counts {
    fn take(&mut self, entry: &Entry, report: &mut Report) {
        report.entries += 1;
        report.runs += u64::from(entry.kind == Kind::RunStarted);
        report.calls += u64::from(entry.kind == Kind::Call);
        self.kinds.add(entry.kind.name());
        let Some(violation) = violation(entry) else { return };
        report.violations += 1;
        self.types.add(violation);
        self.owners.add(&entry.owner);
        self.sessions.add(&entry.session);
        self.subjects.add(&entry.subject);
        self.rules.add(entry.details["rule"].as_str().unwrap_or_default());
        let slot = self.times.entry(entry.time - entry.time % self.slot).or_default();
        *slot.entry(violation).or_default() += 1;
    }

    fn finish(self, report: &mut Report) {
        let slot = |(time, types): (u64, BTreeMap<&'static str, u64>)| Slot {
            begins: iso(time),
            time,
            count: types.values().sum(),
            by_type: types
                .into_iter()
                .map(|(name, count)| Count { name: name.to_owned(), count })
                .collect(),
        };
        report.by_type = self.types.list();
        report.by_owner = self.owners.list();
        report.by_session = self.sessions.list();
        report.by_subject = self.subjects.list();
        report.by_rule = self.rules.list();
        report.kinds = self.kinds.list();
        report.by_time = self.times.into_iter().map(slot).collect();
    }
}

/// How often names occurred, however many there are.
#[derive(Default)]
struct Tally {
    counts: HashMap<String, u64>,
    others: u64,
}

impl Tally {
    /// Counts a name; what has none is not counted.
    fn add(&mut self, name: &str) {
        if let Some(count) = self.counts.get_mut(name) {
            *count += 1;
        } else if name.is_empty() {
        } else if self.counts.len() < MOST_COUNTED {
            self.counts.insert(name.to_owned(), 1);
        } else {
            self.others += 1;
        }
    }

    /// The most frequent first, then what all others are together.
    fn list(self) -> Vec<Count> {
        let counts = self.counts.into_iter().map(|(name, count)| Count { name, count });
        let mut counts: Vec<Count> = counts.collect();
        counts.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        let cut = counts.split_off(counts.len().min(MOST_LISTED));
        let others = self.others + cut.iter().map(|one| one.count).sum::<u64>();
        if others > 0 {
            counts.push(Count { name: "(others)".to_owned(), count: others });
        }
        counts
    }
}
