//! What a ledger says of what its run has done.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use engine::{CallId, CallResult, HostCall, ProgramError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Effect;
use super::ledger::{ImageLine, Line};
use crate::children;
use crate::hearing::{CallNote, TOO_LARGE, UNANSWERED};
use crate::service::ids::RunId;

/// What a call is answered with that an earlier run may have made.
pub(crate) const REFUSED: &str = "Unknown";

/// Letters of a call's arguments that are told.
const MOST_GIVEN: usize = 160;

/// A call that has left.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Left {
    pub(crate) call: HostCall,
    pub(crate) effect: Effect,
    pub(crate) at: SystemTime,
    /// What came back, and how long that took.
    pub(crate) answer: Option<(CallResult, Duration)>,
    /// Nobody waits for it any more.
    pub(crate) withdrawn: bool,
    /// It was to leave and had to wait: nobody out there has seen it.
    pub(crate) waits: bool,
    /// It was not made: its answer is that of an earlier run.
    pub(crate) reused: bool,
}

impl Left {
    /// Whether it may have been carried out without our knowing, and must not be made again.
    pub(crate) fn is_unknown(&self) -> bool {
        self.effect == Effect::Write && !self.waits && !self.is_answered()
    }

    /// Whether it is a program that was started and failed, after the first of its calls that change
    /// something had left: what those did is not undone.
    pub(crate) fn is_half_done(&self) -> bool {
        let failed = match &self.answer {
            Some((CallResult { result: Err(error), .. }, _)) => {
                [children::FAILED, children::BROKEN].contains(&error.kind.as_str())
            }
            _ => false,
        };
        failed && self.call.name == children::CALL && self.effect == Effect::Write && !self.waits
    }

    /// Whether anybody knows what became of it.
    fn is_answered(&self) -> bool {
        match &self.answer {
            None => false,
            Some((CallResult { result: Ok(_), .. }, _)) => true,
            Some((CallResult { result: Err(error), .. }, _)) => {
                error.kind != UNANSWERED && error.kind != REFUSED
            }
        }
    }

    /// A call that leaves now.
    pub(crate) fn new(call: HostCall, effect: Effect, at: SystemTime, reused: bool) -> Self {
        Self { call, effect, at, answer: None, withdrawn: false, waits: false, reused }
    }

    /// Whether it was answered with a value, or was carried out and its answer was too large to have.
    pub(crate) fn is_done(&self) -> bool {
        match &self.answer {
            Some((CallResult { result: Err(error), .. }, _)) => error.kind == TOO_LARGE,
            answer => answer.is_some(),
        }
    }

    /// Whether it is this call, whatever its number, and however its arguments are written.
    pub(crate) fn is_same(&self, call: &HostCall) -> bool {
        let (own, other) = (self.call.arguments.get(), call.arguments.get());
        let read = |text| serde_json::from_str::<Value>(text).ok();
        self.call.name == call.name
            && (own == other
                || matches!((read(own), read(other)), (Some(own), Some(other)) if is_equal(&own, &other)))
    }

    /// Which tool of which server.
    pub(crate) fn name(&self) -> String {
        CallNote::leaving(&self.call).name()
    }

    /// The same with the beginning of what it was given, so that people know which it was.
    pub(crate) fn told(&self) -> String {
        let given: String = self.call.arguments.get().chars().take(MOST_GIVEN + 1).collect();
        let given = match given.char_indices().nth(MOST_GIVEN) {
            Some((at, _)) => format!("{}…", &given[..at]),
            None => given,
        };
        format!("{} {given}", self.name())
    }

    /// What is told of it.
    pub(crate) fn note(&self) -> CallNote {
        let mut note =
            CallNote { started_at: self.at, reused: self.reused, ..CallNote::leaving(&self.call) };
        match &self.answer {
            None if self.withdrawn => {
                note.is_given_up();
                note
            }
            None => note,
            Some((result, took)) => note.with(result, *took),
        }
    }
}

/// Whether two values are the same to whoever reads them: 1 is 1.0, and fields have no order.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has_same = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|other| is_equal(value, other))
            };
            one.len() == other.len() && one.iter().all(has_same)
        }
        (one, other) => one == other,
    }
}

/// A call of a program that the run started, as far as it is told of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OfChild {
    /// Its number says of which child it is, too.
    pub(crate) note: CallNote,
    pub(crate) effect: Effect,
    /// Which tool, with the beginning of what it was given.
    pub(crate) told: String,
}

/// What a run has done, as far as its ledger says.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// The last image.
    pub(crate) image: Option<ImageLine>,
    /// Calls that have left, by number.
    pub(crate) left: BTreeMap<CallId, Left>,
    /// Answers that came after the last image, to calls that the program will make again under other
    /// numbers.
    pub(crate) spare: Vec<Left>,
    /// Calls of the run that this one takes over from, but for those that it has used.
    pub(crate) earlier: Vec<Left>,
    /// Calls of programs that it started, by number.
    pub(crate) of_children: BTreeMap<u64, OfChild>,
    /// Nobody knows what else it has done.
    pub(crate) is_damaged: bool,
    /// How it ended, where that could not be stored.
    pub(crate) ended: Option<ProgramError>,
    /// The last run that took over from it.
    pub(crate) taken_up_by: Option<RunId>,
    /// The last call that the image knows of.
    last: u64,
}

impl Past {
    /// What a run that is over has done.
    pub(crate) fn of(lines: Vec<Line>) -> Self {
        Self::read_from(lines).without_used()
    }

    /// What a run has done that goes on from its last image.
    pub(crate) fn to_go_on(lines: Vec<Line>) -> Self {
        let mut past = Self::read_from(lines);
        past.go_on();
        past.without_used()
    }

    fn read_from(lines: Vec<Line>) -> Self {
        let mut past = Self::default();
        for line in lines {
            past.read(line);
        }
        past
    }

    fn without_used(mut self) -> Self {
        let Self { left, earlier, .. } = &mut self;
        for used in left.values().filter(|left| left.reused) {
            if let Some(at) = earlier.iter().position(|one| one.is_same(&used.call)) {
                earlier.remove(at);
            }
        }
        self
    }

    fn read(&mut self, line: Line) {
        match line {
            Line::Begun(_) => {}
            Line::Earlier(left) => self.earlier.push(*left),
            Line::Calls { call, effect, at, reused } => {
                // Its answer was one of those that were there already, and is used up.
                if let Some(at) = self.spare.iter().position(|spare| spare.is_same(&call)) {
                    self.spare.remove(at);
                }
                self.left.insert(call.id, Left::new(call, effect, at, reused));
            }
            // One that was answered has given back what it took.
            Line::Waits { id } => self.change(id, |left| (left.waits, left.answer) = (true, None)),
            Line::Goes { id } => self.change(id, |left| left.waits = false),
            Line::Answered { result, took } => {
                self.change(result.id, |left| left.answer = Some((result, took)));
            }
            Line::OfChild(call) => drop(self.of_children.insert(call.note.id, *call)),
            Line::Withdrawn { id } => self.change(id, |left| left.withdrawn = true),
            Line::Image(image) => {
                let known = self.left.keys().chain(&image.pending);
                self.last = known.map(|id| id.0).max().unwrap_or(0);
                // What the program did not ask for again by now was asked on a way it did not take.
                self.spare.clear();
                self.image = Some(image);
            }
            Line::Again => self.go_on(),
            Line::Damaged => self.is_damaged = true,
            Line::Ended { error } => self.ended = error,
            Line::TakenUp { by } => self.taken_up_by = Some(by),
        }
    }

    fn change(&mut self, id: CallId, change: impl FnOnce(&mut Left)) {
        if let Some(left) = self.left.get_mut(&id) {
            change(left);
        }
    }

    /// The program goes on from the last image, which knows nothing of what came after it: answers
    /// that came are kept, and what has none is made again. No write is among that, because one leaves
    /// only when it is in an image.
    fn go_on(&mut self) {
        let after = self.left.split_off(&CallId(self.last + 1));
        let is_worth_keeping = |left: &Left| {
            let has_value = left.answer.as_ref().is_some_and(|(answer, _)| answer.result.is_ok());
            has_value && !left.withdrawn && !left.reused
        };
        self.spare.extend(after.into_values().filter(is_worth_keeping));
    }

    /// What is told of all its calls, in the order in which they left.
    pub(crate) fn notes<'a>(
        left: impl Iterator<Item = &'a Left>,
        of_children: impl Iterator<Item = &'a OfChild>,
    ) -> Vec<CallNote> {
        // What a child had asked when its process ended is asked again, if it only read.
        let counts = |call: &&OfChild| call.effect != Effect::Read || call.note.ok.is_some();
        let of_children = of_children.filter(counts).map(|call| call.note.clone());
        let mut notes: Vec<_> = left.map(Left::note).chain(of_children).collect();
        notes.sort_by_key(|note| note.started_at);
        notes
    }

    /// Every call that is not to be made again by whoever takes over from this run.
    pub(crate) fn into_calls(self) -> Vec<Left> {
        self.left.into_values().chain(self.earlier).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn call(id: u64, arguments: &str) -> HostCall {
        let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
        HostCall { id: CallId(id), name: "$call".to_owned(), arguments }
    }

    fn calls(id: u64, arguments: &str, effect: Effect) -> Line {
        Line::Calls { call: call(id, arguments), effect, at: SystemTime::UNIX_EPOCH, reused: false }
    }

    fn answered(id: u64) -> Line {
        let result = Ok(RawValue::from_string("1".to_owned()).unwrap());
        Line::Answered { result: CallResult { id: CallId(id), result }, took: Duration::ZERO }
    }

    fn image(pending: &[u64]) -> Line {
        let pending = pending.iter().map(|id| CallId(*id)).collect();
        Line::Image(ImageLine { number: 1, bytes: 1, wake_at: None, pending, since: None })
    }

    #[test]
    fn what_came_after_the_image_is_known_by_what_was_asked() {
        let read = Effect::Read;
        let past = Past::of(vec![
            calls(1, "\"a\"", read),
            answered(1),
            calls(2, "\"w\"", Effect::Write),
            image(&[2]),
            calls(3, "\"b\"", read),
            answered(3),
            calls(4, "\"c\"", read),
            Line::Again,
            // Another call under the number of one that was under way.
            calls(3, "\"d\"", Effect::Write),
        ]);
        let left: Vec<&str> = past.left.values().map(|left| left.call.arguments.get()).collect();
        assert_eq!(left, ["\"a\"", "\"w\"", "\"d\""]);
        assert!(past.left[&CallId(3)].answer.is_none(), "its answer is not that of the other");
        let spare: Vec<&str> = past.spare.iter().map(|left| left.call.arguments.get()).collect();
        assert_eq!(spare, ["\"b\""]);
    }

    #[test]
    fn a_call_that_gave_back_what_it_took_is_one_that_has_not_left() {
        let lines = [calls(1, "\"m\"", Effect::Write), image(&[1]), answered(1)];
        let taken = Past::to_go_on(lines.to_vec());
        assert!(taken.left[&CallId(1)].is_done());
        let back = lines.into_iter().chain([Line::Waits { id: CallId(1) }]).collect();
        let back = Past::to_go_on(back);
        let left = &back.left[&CallId(1)];
        assert!(left.answer.is_none() && left.waits && !left.is_unknown(), "{left:?}");
    }

    #[test]
    fn an_answer_is_used_once_however_often_the_run_is_killed_before_its_next_image() {
        let read = Effect::Read;
        let again = [calls(1, "\"a\"", read), answered(1)];
        let lines = |times: usize| {
            let killed = std::iter::repeat_n(&again, times)
                .flat_map(|lines| lines.iter().cloned().chain(std::iter::once(Line::Again)));
            killed.collect::<Vec<_>>()
        };
        for times in 1..4 {
            assert_eq!(Past::of(lines(times)).spare.len(), 1, "{times}");
        }
        let mut with_image = lines(2);
        with_image.push(image(&[]));
        assert!(Past::of(with_image).spare.is_empty());
    }

    #[test]
    fn a_child_that_failed_is_half_done_once_something_of_it_has_left() {
        let mut child = call(1, r#"{"code":"x"}"#);
        child.name = children::CALL.to_owned();
        let result = |kind: &str| {
            let error = engine::CallError { kind: kind.to_owned(), message: String::new() };
            Line::Answered {
                result: CallResult { id: CallId(1), result: Err(error) },
                took: Duration::ZERO,
            }
        };
        let half_done = |lines: Vec<Line>| Past::of(lines).into_calls()[0].is_half_done();
        let begun = Line::Calls {
            call: child,
            effect: Effect::Write,
            at: SystemTime::UNIX_EPOCH,
            reused: false,
        };
        let (waits, goes) = (Line::Waits { id: CallId(1) }, Line::Goes { id: CallId(1) });
        let failed = result(children::FAILED);
        assert!(!half_done(vec![begun.clone(), waits.clone(), failed.clone()]));
        assert!(half_done(vec![begun.clone(), waits.clone(), goes.clone(), failed]));
        assert!(!half_done(vec![begun.clone(), result("ArgumentError")]));
        assert!(!half_done(vec![begun.clone(), waits, goes]), "nobody knows what it did");
        let other = calls(1, "{}", Effect::Write);
        assert!(!half_done(vec![other, result(children::FAILED)]));
    }

    #[test]
    fn calls_are_the_same_however_they_are_written() {
        let same = |one: &str, other: &str| {
            Left::new(call(1, one), Effect::Read, SystemTime::UNIX_EPOCH, false)
                .is_same(&call(2, other))
        };
        assert!(same(r#"{"a":0,"b":[1,"x"]}"#, r#"{ "b": [1.0, "x"], "a": 0.0 }"#));
        assert!(!same(r#"{"a":0}"#, r#"{"a":0,"b":null}"#));
        assert!(!same(r#"{"a":1}"#, r#"{"a":true}"#));
        assert!(!same(r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#));
    }
}
