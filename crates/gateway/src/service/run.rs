//! A run under way: what has happened so far, for whoever follows it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use check::Review;
use engine::{Artifact, Outcome, Stream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use upstream::TraceParent;

use super::answer::Answer;
use super::approvals;
use super::ids::RunId;
use super::record::{Ended, Moment, Record, Rest, Status};
use super::trace::Trace;
use crate::hearing::{CallNote, Hearing};
use crate::minds::ModelUse;
use crate::tally::Tally;

/// Something that happened in a run.
#[derive(Debug, Clone)]
pub enum Event {
    /// It is somewhere else now.
    Status(Status),
    /// It wrote something.
    Output(Stream, String),
    /// A call left.
    Calls(CallNote),
    /// A call was answered.
    Called(CallNote),
}

/// One run, from its request until it is stored.
#[derive(Debug)]
pub struct Run {
    id: RunId,
    owner: String,
    state: Mutex<State>,
    changed: Notify,
    cancel: CancellationToken,
    /// Ended because the gateway stops, and not because somebody wanted it to.
    is_stopped: AtomicBool,
    /// It is to go to disk at its next rest, and to go on elsewhere.
    leaving: CancellationToken,
    /// It is to stop here at once, and to go on in the next process.
    abandoned: CancellationToken,
    /// Counts its calls, once it can make any.
    tally: OnceLock<Arc<Tally>>,
    /// Counts what its program was given, from when it begins.
    context: Mutex<Option<JoinHandle<usize>>>,
    /// What is known of its program, once somebody has looked.
    review: OnceLock<Review>,
    /// Where it belongs, where runs are traced.
    trace: Option<Trace>,
}

#[derive(Debug)]
struct State {
    record: Record,
    events: Vec<Event>,
    /// The beginning of a letter whose end has not been written yet, of each stream.
    pieces: [Vec<u8>; 2],
    outcome: Option<Arc<Outcome>>,
    is_over: bool,
    /// Somebody was asked about one of its calls, now or before.
    has_asked: bool,
}

impl Run {
    /// A run that leaves with whatever `ending` ends.
    pub(super) fn new(
        record: Record,
        trace: Option<Trace>,
        ending: &CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            id: record.id.clone(),
            owner: record.owner.clone(),
            state: Mutex::new(State {
                events: vec![Event::Status(record.status)],
                record,
                pieces: Default::default(),
                outcome: None,
                is_over: false,
                has_asked: false,
            }),
            changed: Notify::new(),
            cancel: CancellationToken::new(),
            is_stopped: AtomicBool::new(false),
            leaving: ending.child_token(),
            abandoned: CancellationToken::new(),
            tally: OnceLock::new(),
            context: Mutex::default(),
            review: OnceLock::new(),
            trace,
        })
    }

    /// What it is called.
    #[must_use]
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Whose it is.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Where it belongs, where runs are traced.
    pub(super) fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// What is known of it now.
    #[must_use]
    pub fn record(&self) -> Record {
        self.lock().record.clone()
    }

    /// Calls that were answered with a value so far, by tool.
    pub(super) fn done(&self) -> BTreeMap<String, u64> {
        approvals::done(&self.lock().record.calls)
    }

    /// Does something with its program.
    pub(super) fn with_program<T>(&self, does: impl FnOnce(&str) -> T) -> T {
        let program = Arc::clone(&self.lock().record.program);
        does(&program)
    }

    /// Says what counts its calls.
    pub(super) fn is_counted_by(&self, tally: Arc<Tally>) {
        // A run has one set of tools, so that it is said once.
        let _ = self.tally.set(tally);
    }

    /// Takes what counts its context.
    pub(super) fn counts_context(&self, counting: Option<JoinHandle<usize>>) {
        *self.context.lock().unwrap_or_else(PoisonError::into_inner) = counting;
    }

    /// What does, once.
    pub(super) fn context_tokens(&self) -> Option<JoinHandle<usize>> {
        self.context.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What it and its children have asked models so far.
    #[must_use]
    pub fn models_used(&self) -> ModelUse {
        self.tally().map(|tally| tally.models().used()).unwrap_or_default()
    }

    pub(super) fn tally(&self) -> Option<&Arc<Tally>> {
        self.tally.get()
    }

    /// Says what is known of its program.
    pub(super) fn is_reviewed_as(&self, review: Review) {
        // A program is looked at once.
        let _ = self.review.set(review);
    }

    pub(super) fn review(&self) -> Option<&Review> {
        self.review.get()
    }

    /// How it ended, with the files it produced.
    #[must_use]
    pub fn artifacts(&self) -> Vec<Artifact> {
        self.lock().outcome.as_ref().map_or_else(Vec::new, |outcome| outcome.artifacts.clone())
    }

    /// Ends it, if it has not ended.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Ends it because the gateway stops; one that somebody cancelled before stays theirs.
    pub(super) fn stop(&self) {
        if !self.is_cancelled() {
            self.is_stopped.store(true, Ordering::Relaxed);
            self.cancel.cancel();
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(super) fn cancelled(&self) -> impl Future<Output = ()> + Send + '_ {
        self.cancel.cancelled()
    }

    /// Stops it here; the next process goes on from what is on disk.
    pub(super) fn abandon(&self) {
        self.abandoned.cancel();
    }

    pub(super) fn abandoned(&self) -> impl Future<Output = ()> + Send + '_ {
        self.abandoned.cancelled()
    }

    /// What says that it is to go on elsewhere.
    pub(super) fn leaving(&self) -> &CancellationToken {
        &self.leaving
    }

    /// Waits until it is over and stored.
    pub async fn over(&self) {
        self.until(|state| state.is_over).await;
    }

    /// How many events there were so far.
    #[must_use]
    pub fn happened(&self) -> usize {
        self.lock().events.len()
    }

    /// What happened after the first `seen` events; nothing when it is over and all are seen.
    pub async fn events_after(&self, seen: usize) -> Vec<Event> {
        self.until(|state| state.is_over || state.events.len() > seen).await;
        self.lock().events.get(seen..).unwrap_or_default().to_vec()
    }

    async fn until(&self, holds: impl Fn(&State) -> bool) {
        loop {
            // Registered before looking, so that a change between the two is not missed.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if holds(&self.lock()) {
                return;
            }
            changed.await;
        }
    }

    /// Says until when it rests at most.
    pub(super) fn wakes_at(&self, moment: Option<SystemTime>) {
        if let Some(rest) = &mut self.lock().record.waiting {
            rest.wakes_at = moment.map(Moment::of);
        }
    }

    /// So many more of its calls wait for somebody's answer.
    pub(super) fn asks(&self, more: i64) {
        let mut state = self.lock();
        state.has_asked = true;
        state.record.asks = state.record.asks.saturating_add_signed(more);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Comes back when one of its calls waits for somebody's answer.
    pub(super) async fn waits_for_answers(&self) {
        self.until(|state| state.record.asks > 0).await;
    }

    /// Whether somebody was asked about one of its calls: then nobody waits for it on the line.
    pub(super) fn has_asked(&self) -> bool {
        self.lock().has_asked
    }

    /// Since when it rests.
    pub(super) fn rests_since(&self) -> Option<Moment> {
        self.lock().record.waiting.as_ref().map(|rest| rest.since)
    }

    /// Says of calls that they were to leave and never did.
    pub(super) fn never_left(&self, ids: &[u64]) {
        for call in &mut self.lock().record.calls {
            call.unmade |= ids.contains(&call.id);
        }
    }

    /// How many calls it made, as far as anybody knows.
    pub(super) fn calls_made(&self) -> u64 {
        self.lock().record.calls.iter().filter(|call| !call.reused).count() as u64
    }

    /// What it wrote so far, to either stream.
    pub(super) fn printed(&self) -> [String; 2] {
        let state = self.lock();
        let mut texts = [String::new(), String::new()];
        for event in &state.events {
            if let Event::Output(stream, text) = event {
                texts[at(*stream)].push_str(text);
            }
        }
        for (text, piece) in texts.iter_mut().zip(&state.pieces) {
            text.push_str(&String::from_utf8_lossy(piece));
        }
        texts
    }

    /// Its turn has come.
    pub(super) fn begin(&self) {
        self.lock().record.started_at = Some(Moment::now());
        self.set(Status::Running);
    }

    fn set(&self, status: Status) {
        let mut state = self.lock();
        if state.record.status != status && !state.record.status.is_final() {
            state.record.status = status;
            state.events.push(Event::Status(status));
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Says how it ended; followers hear of it with [`Run::stored`].
    pub(super) fn end(&self, outcome: Outcome, ended: Ended, answer: Arc<Answer>) -> Record {
        let mut state = self.lock();
        for stream in [Stream::Stdout, Stream::Stderr] {
            let rest = std::mem::take(&mut state.pieces[at(stream)]);
            if !rest.is_empty() {
                let text = String::from_utf8_lossy(&rest).into_owned();
                state.events.push(Event::Output(stream, text));
            }
        }
        let status = Status::of(&outcome);
        state.record.status = status;
        state.record.waiting = None;
        state.record.finished_at = Some(Moment::now());
        state.record.ended = Some(ended);
        state.record.answer = Some(answer);
        state.events.push(Event::Status(status));
        state.outcome = Some(Arc::new(outcome));
        state.record.clone()
    }

    /// Says something more to whoever reads how it ended.
    pub(super) fn note(&self, words: &str) {
        if let Some(ended) = &mut self.lock().record.ended {
            ended.note = Some(match ended.note.take() {
                Some(before) => format!("{before}; {words}"),
                None => words.to_owned(),
            });
        }
    }

    pub(super) fn stored(&self) {
        self.lock().is_over = true;
        self.changed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn at(stream: Stream) -> usize {
    usize::from(stream == Stream::Stderr)
}

impl Hearing for Run {
    fn wrote(&self, stream: Stream, bytes: &[u8]) {
        let mut state = self.lock();
        let piece = &mut state.pieces[at(stream)];
        piece.extend_from_slice(bytes);
        let text = whole_letters(piece);
        if !text.is_empty() {
            state.events.push(Event::Output(stream, text));
        }
        drop(state);
        self.changed.notify_waiters();
    }

    fn calls(&self, note: &CallNote) {
        let mut state = self.lock();
        // One that is made again after a crash is the same call.
        match state.record.calls.iter_mut().find(|known| known.id == note.id) {
            Some(known) => again(known, note),
            None => state.record.calls.push(note.clone()),
        }
        state.events.push(Event::Calls(note.clone()));
        drop(state);
        self.changed.notify_waiters();
    }

    fn called(&self, note: &CallNote) {
        let mut state = self.lock();
        if let Some(known) = state.record.calls.iter_mut().rev().find(|known| known.id == note.id) {
            again(known, note);
        }
        state.events.push(Event::Called(note.clone()));
        drop(state);
        self.changed.notify_waiters();
    }

    fn rests(&self, resting: bool) {
        let mut state = self.lock();
        // One that an earlier process left has rested since then.
        let since =
            state.record.waiting.map_or_else(|| waits_since(&state.record), |rest| rest.since);
        state.record.waiting = resting.then_some(Rest { since, wakes_at: None, is_paused: false });
        drop(state);
        self.set(if resting { Status::Waiting } else { Status::Running });
    }

    fn withdrawn(&self, call: u64) {
        let mut state = self.lock();
        let mut calls = state.record.calls.iter_mut().rev();
        let Some(known) = calls.find(|known| known.id == call && known.ok.is_none()) else {
            return;
        };
        known.is_given_up();
        let note = known.clone();
        let since = waits_since(&state.record);
        if let Some(rest) = &mut state.record.waiting {
            rest.since = rest.since.max(since);
        }
        state.events.push(Event::Called(note));
        drop(state);
        self.changed.notify_waiters();
    }

    fn span(&self, call: u64) -> Option<TraceParent> {
        self.trace.as_ref().map(|trace| trace.call(call))
    }

    fn notes_calls(&self) -> bool {
        true
    }
}

/// Since when the calls are under way that have no answer; now if there are none. Of calls that were made
/// together each answer lets the program go on, and it has still waited for the last since that one left.
fn waits_since(record: &Record) -> Moment {
    let under_way = record.calls.iter().filter(|call| call.ok.is_none());
    let first = under_way.map(|call| Moment::of(call.started_at)).min();
    first.map_or_else(Moment::now, |first| first.min(Moment::now()))
}

/// Tells of a call what is new of it; one that is made again after a crash left when it left first.
fn again(known: &mut CallNote, note: &CallNote) {
    let started_at = known.started_at.min(note.started_at);
    *known = CallNote { started_at, ..note.clone() };
}

/// Takes as much text as there is, and leaves the beginning of a letter that is cut in two.
fn whole_letters(bytes: &mut Vec<u8>) -> String {
    let mut text = String::new();
    let mut rest = 0;
    for chunk in bytes.utf8_chunks() {
        let broken = chunk.invalid();
        text.push_str(chunk.valid());
        rest += chunk.valid().len();
        let at_the_end = rest + broken.len() == bytes.len();
        if at_the_end && std::str::from_utf8(broken).is_err_and(|e| e.error_len().is_none()) {
            break;
        }
        if !broken.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            rest += broken.len();
        }
    }
    bytes.drain(..rest);
    text
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use engine::{CallId, CallResult, HostCall};
    use serde_json::value::RawValue;

    use super::*;
    use crate::Fate;
    use crate::service::ids::SessionId;

    /// A run in which these calls were made, each so many seconds after 1970.
    fn run_with(calls: &[(u64, u64)]) -> Arc<Run> {
        let record = Record {
            id: RunId::fresh(),
            session: SessionId::fresh(),
            owner: "ada".to_owned(),
            agent: String::new(),
            status: Status::Queued,
            language: "python".to_owned(),
            guidance: String::new(),
            created_at: Moment::now(),
            started_at: None,
            finished_at: None,
            program: "1".into(),
            ended: None,
            calls: Vec::new(),
            answer: None,
            waiting: None,
            asks: 0,
        };
        let run = Run::new(record, None, &CancellationToken::new());
        for (id, at) in calls {
            run.calls(&note(*id, *at));
        }
        run
    }

    fn note(id: u64, at: u64) -> CallNote {
        let arguments = RawValue::from_string(r#"{"server":"s","tool":"look"}"#.to_owned());
        let call = HostCall { id: CallId(id), name: "$call".into(), arguments: arguments.unwrap() };
        let started_at = UNIX_EPOCH + Duration::from_secs(at);
        CallNote { started_at, ..CallNote::leaving(&call) }
    }

    fn answered(id: u64, at: u64) -> CallNote {
        let result = Ok(RawValue::from_string("1".to_owned()).unwrap());
        note(id, at).with(&CallResult { id: CallId(id), result }, Duration::ZERO)
    }

    #[test]
    fn a_run_waits_for_the_last_of_its_calls_since_that_one_left() {
        let run = run_with(&[(1, 10), (2, 20)]);
        run.rests(true);
        assert_eq!(run.rests_since(), Some(Moment(10_000)));
        run.called(&answered(1, 10));
        run.rests(false);
        run.rests(true);
        assert_eq!(run.rests_since(), Some(Moment(20_000)));
        // It is made again by the next process.
        run.rests(false);
        run.calls(&note(2, 500));
        run.rests(true);
        assert_eq!(run.rests_since(), Some(Moment(20_000)));
        run.called(&answered(2, 500));
        assert_eq!(run.record().calls[1].started_at, UNIX_EPOCH + Duration::from_secs(20));
    }

    #[test]
    fn a_run_does_not_wait_for_a_call_whose_answer_it_gave_up() {
        let run = run_with(&[(1, 10)]);
        run.withdrawn(1);
        let before = Moment::now();
        run.rests(true);
        assert!(run.rests_since().unwrap() >= before, "it has rested since it gave up");
        assert_eq!(run.record().waits_for(), Vec::<String>::new());
        assert_eq!(run.record().calls[0].fate(false), Some(Fate::Unknown));
        // One that was answered stays so.
        let run = run_with(&[(1, 10)]);
        run.called(&answered(1, 10));
        run.withdrawn(1);
        assert_eq!(run.record().calls[0].fate(false), Some(Fate::Committed));
    }

    #[test]
    fn a_letter_cut_in_two_is_told_whole() {
        let mut bytes = "a\u{20ac}".as_bytes()[..3].to_vec();
        assert_eq!(whole_letters(&mut bytes), "a");
        bytes.extend_from_slice(&"\u{20ac}".as_bytes()[2..]);
        bytes.extend_from_slice(b"\xffb");
        assert_eq!(whole_letters(&mut bytes), "\u{20ac}\u{fffd}b");
        assert!(bytes.is_empty());
    }
}
