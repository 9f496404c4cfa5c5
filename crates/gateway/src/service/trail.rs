//! What happened, as the audit log is told.
//!
//! Entries are noted, not waited for: they are on disk within a second. What cannot be noted is told
//! to whoever keeps the gateway's own log, and counted.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use audit::{Entry, Kind, Log, LogError, Outcome, Report, Retention, Source};
use check::review::{Action, Review, Verdict};
use metrics::counter;
use serde_json::{Value, json};
use tracing::warn;

use super::durable::Begun;
use super::lock;
use super::record::{Record, Status};
use super::watching;
use crate::hearing::{CallNote, Fate};

/// Writes down what a service does.
#[derive(Debug)]
pub struct Trail {
    log: Log,
    folder: PathBuf,
    /// Programs are written down, and not only their hash.
    keeps_source: bool,
    /// The minute of the last refusal, and how many it had.
    refusals: Mutex<(u64, u64)>,
}

/// Refusals of one minute that are written down one by one: whoever knocks for long does not fill the log.
const MOST_REFUSALS: u64 = 60;

impl Trail {
    /// Opens the log in `folder`, and makes it if it is not there.
    ///
    /// # Errors
    /// When the disk refuses, or the log is not as it was written.
    pub fn open(folder: &Path, keeps_source: bool) -> Result<Self, LogError> {
        let log = Log::open(folder, &audit::Options::default())?;
        Ok(Self { log, folder: folder.to_owned(), keeps_source, refusals: Mutex::default() })
    }

    /// Writes one entry.
    pub fn note(&self, entry: Entry) {
        if let Err(error) = self.log.note(entry) {
            counter!("tidegate_audit_lost_total").increment(1);
            warn!(error = %error, "something could not be written to the audit log");
        }
    }

    /// A service begins or ends.
    pub fn service(&self, kind: Kind, details: Value) {
        self.note(Entry { details, ..Entry::new(kind) });
    }

    /// Somebody was not let in, or not let do something.
    pub fn refused(&self, owner: &str, what: &str, code: &str) {
        let minute = audit::now() / 60_000;
        let unsaid = {
            let mut refusals = lock(&self.refusals);
            let (last, count) = *refusals;
            *refusals = if last == minute { (last, count + 1) } else { (minute, 1) };
            if last == minute && count >= MOST_REFUSALS {
                return;
            }
            count.saturating_sub(MOST_REFUSALS)
        };
        if unsaid > 0 {
            let details = json!({ "more": unsaid });
            self.note(Entry {
                outcome: Some(Outcome::Refused),
                details,
                ..Entry::new(Kind::AccessRefused)
            });
        }
        self.note(Entry {
            owner: owner.to_owned(),
            subject: what.to_owned(),
            outcome: Some(Outcome::Refused),
            details: json!({ "code": code }),
            ..Entry::new(Kind::AccessRefused)
        });
    }

    /// Removes what is older, or more, than is to be kept.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn retain(&self, age: Duration, bytes: u64) -> Result<(), LogError> {
        self.log.retain(&Retention { max_age: Some(age), max_bytes: Some(bytes) }).map(drop)
    }

    /// Violations and denials of some time, in milliseconds since 1970.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn report(&self, since: u64, until: u64) -> std::io::Result<Report> {
        // What was noted a moment ago is part of it.
        let _ = self.log.sync();
        audit::report(&self.folder, since, until)
    }

    /// A run begins; `program` is its source as it may be kept.
    pub(super) fn begins(&self, begun: &Begun, program: Option<String>) {
        let source = match program.filter(|_| self.keeps_source) {
            Some(program) => Source::Text(program),
            None => Source::hashed(&begun.program),
        };
        let details = json!({ "level": begun.level.name(), "resumes": begun.resumes });
        let entry = Entry {
            details: by(details, &begun.agent),
            source: Some(source),
            ..of(&begun.owner, begun.session.as_str(), begun.run.as_str(), Kind::RunStarted)
        };
        self.note(entry);
    }

    /// A program may not run, or not yet, for what its review found.
    pub(super) fn reviewed(&self, begun: &Begun, verdict: &Verdict) {
        let Some(decided) = verdict.decided() else { return };
        let outcome = match verdict.action() {
            Action::Ask => Outcome::Ask,
            _ => Outcome::Deny,
        };
        let rule = format!("review.{}", decided.violation.rule);
        let own = of(&begun.owner, begun.session.as_str(), begun.run.as_str(), Kind::Decision);
        let Entry { subject, outcome, details, .. } =
            Entry::decision("program", outcome, &rule, &decided.to_string());
        self.note(Entry { subject, outcome, details, ..own });
    }

    pub(super) fn ended(&self, record: &Record) {
        let own = |kind| of(&record.owner, record.session.as_str(), record.id.as_str(), kind);
        for call in record.calls.iter().filter(|call| !call.reused) {
            self.note(called(call, &record.agent, own(Kind::Call)));
        }
        let ended = record.ended.as_ref();
        let error = ended.and_then(|ended| ended.error.as_ref());
        if let Some(limit) = error.and_then(|error| error.limit) {
            self.note(Entry { subject: limit.setting().to_owned(), ..own(Kind::LimitHit) });
        }
        for flag in ended.iter().flat_map(|ended| &ended.anomalies) {
            let (subject, details) = (flag.subject.clone(), watching::shown(flag));
            self.note(Entry { subject, details, ..own(Kind::Anomaly) });
        }
        let succeeded = record.status == Status::Succeeded;
        let mut details = json!({
            "status": record.status.name(),
            "error": error.map(|error| error.kind.as_str()),
            "milliseconds": ended.map(|ended| ended.execution_time_ms.round()),
            "review": ended.and_then(|ended| ended.review.as_ref()).map(found),
        });
        let receipt = ended.and_then(|ended| ended.receipt.as_ref());
        if let Some(receipt) = receipt.filter(|receipt| !receipt.models.is_nothing()) {
            details["models"] = json!(receipt.models);
        }
        self.note(Entry {
            outcome: Some(if succeeded { Outcome::Ok } else { Outcome::Failed }),
            details: by(details, &record.agent),
            ..own(Kind::RunEnded)
        });
    }
}

fn of(owner: &str, session: &str, run: &str, kind: Kind) -> Entry {
    Entry {
        owner: owner.to_owned(),
        session: session.to_owned(),
        run: run.to_owned(),
        ..Entry::new(kind)
    }
}

/// What a review found, in few words: the risk, and each rule with its first line.
fn found(review: &Review) -> Value {
    let mut rules = serde_json::Map::new();
    for one in &review.violations {
        rules.entry(one.rule.name()).or_insert_with(|| one.line.into());
    }
    json!({ "risk": review.risk, "lines": rules })
}

/// The same with the agent whose program it is, where it has a name.
pub(super) fn by(mut details: Value, agent: &str) -> Value {
    if !agent.is_empty() {
        details["agent"] = agent.into();
    }
    details
}

fn called(call: &CallNote, agent: &str, entry: Entry) -> Entry {
    let fate = call.fate(true);
    let details = json!({
        "fate": fate,
        "milliseconds": call.took.map(|took| took.as_millis()),
        "argument_bytes": call.argument_bytes,
        "result_bytes": call.result_bytes,
    });
    Entry {
        subject: call.name(),
        outcome: Some(if fate == Some(Fate::Committed) { Outcome::Ok } else { Outcome::Failed }),
        details: by(details, call.agent.as_deref().unwrap_or(agent)),
        ..entry
    }
}
