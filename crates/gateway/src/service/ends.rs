//! How runs end that do not end by themselves, in the words that are told of it.

use std::time::{Duration, Instant};

use engine::{LimitKind, Outcome, ProgramError, Usage};

use super::Refusal;
use super::run::Run;
use crate::hearing::CallNote;

/// The end of a run that rested for longer than whoever asked wanted to wait.
pub(super) fn too_late(timeout: Duration, begun: Instant, usage: Usage) -> Outcome {
    let error = ProgramError {
        kind: "LimitExceeded".to_owned(),
        message: format!("{}, waiting included", longer_than(timeout)),
        hint: Some(
            if usage.calls == 0 && usage.cpu > begun.elapsed() / 5 {
                engine::ENDLESS
            } else {
                engine::WAITED
            }
            .to_owned(),
        ),
        limit: Some(LimitKind::Wall),
        ..ProgramError::default()
    };
    Outcome {
        note: Some(
            "the session is as it was before this run; what tools have done stays done".to_owned(),
        ),
        execution_time_ms: begun.elapsed().as_secs_f64() * 1e3,
        usage,
        ..Outcome::failed(error)
    }
}

fn longer_than(timeout: Duration) -> String {
    let seconds = timeout.as_secs_f64();
    format!("the program took longer than the {seconds} s that were asked for (`timeout`)")
}

/// Says of a run that ended at its wall time that this was what its request asked for, where that is so and
/// more is allowed.
pub(super) fn name_timeout(
    outcome: &mut Outcome,
    asked: Option<Duration>,
    own: Duration,
    allowed: Duration,
) {
    let Some(timeout) = asked.filter(|timeout| *timeout == own && own < allowed) else { return };
    let was_stopped = |error: &&mut ProgramError| {
        error.limit == Some(LimitKind::Wall) && error.traceback.is_none()
    };
    let Some(error) = outcome.error.as_mut().filter(was_stopped) else { return };
    // One that was waited for too long says so itself.
    if !error.message.contains("(`timeout`)") {
        error.message = longer_than(timeout);
    }
    if error.hint.as_deref() == Some(engine::ENDLESS) {
        error.hint = Some(format!("{}; or ask for a longer `timeout`", engine::ENDLESS));
    }
}

/// Says of a run that an answer ended, because it was larger than a program may have, which limit that was.
pub(super) fn name_limit(outcome: &mut Outcome, calls: &[CallNote]) {
    let Some(error) = outcome.error.as_mut().filter(|error| error.limit.is_none()) else { return };
    // A program may write what it likes, and may go on after such a call.
    let setting = format!("(limit `{}`)", LimitKind::CallResult.setting());
    let is_told = error.kind == "ToolError" && error.message.contains(&setting);
    if is_told && calls.iter().any(|call| call.done) {
        error.limit = Some(LimitKind::CallResult);
    }
}

/// Comes to an end when nobody waits for a run any longer. Where somebody was asked about one of its
/// calls, whoever wanted it was told to come back.
pub(super) async fn too_long(run: &Run, left: Option<Duration>) {
    asleep(left).await;
    if run.has_asked() {
        std::future::pending::<()>().await;
    }
}

/// Comes to an end after `how_long`, if that is said.
async fn asleep(how_long: Option<Duration>) {
    match how_long {
        Some(how_long) => tokio::time::sleep(how_long).await,
        None => std::future::pending().await,
    }
}

/// What is said of a run that the gateway ended when it stopped.
const STOPPED: &str =
    "the gateway stopped before the run had ended (setting `stop-patience`); nobody cancelled it";

const AFTER_A_STOP: &str = "run it again when the gateway is back; an operator can let runs go on after a restart with the setting `durable`, or let them have longer with `stop-patience`";

pub(super) fn cancelled(run: &Run, begun: Instant, usage: Usage) -> Outcome {
    let (message, hint) = if run.is_stopped() {
        (STOPPED, Some(AFTER_A_STOP.to_owned()))
    } else {
        ("the run was cancelled", None)
    };
    let error = ProgramError {
        kind: "Cancelled".to_owned(),
        message: message.to_owned(),
        hint,
        ..ProgramError::default()
    };
    Outcome {
        note: Some("the session is as it was before this run".to_owned()),
        execution_time_ms: begun.elapsed().as_secs_f64() * 1e3,
        usage,
        ..Outcome::failed(error)
    }
}

/// The same, with what the program wrote before it was stopped.
pub(super) fn printed(outcome: Outcome, run: &Run) -> Outcome {
    let [stdout, stderr] = run.printed();
    Outcome { stdout, stderr, ..outcome }
}

/// A run that could not even begin.
pub(super) fn refused(refusal: &Refusal) -> Outcome {
    Outcome::failed(ProgramError {
        kind: "Refused".to_owned(),
        message: refusal.to_string(),
        ..ProgramError::default()
    })
}

#[cfg(test)]
mod tests {
    use engine::{CallError, CallId, CallResult, HostCall};
    use serde_json::value::RawValue;

    use super::*;
    use crate::hearing::TOO_LARGE;

    #[test]
    fn a_run_that_computed_for_longer_than_was_asked_for_is_told_of_that() {
        let [second, minute] = [1, 60].map(Duration::from_secs);
        let told = |asked: Option<Duration>, own: Duration| {
            let error = ProgramError {
                kind: "LimitExceeded".to_owned(),
                message: "the program exceeded its wall time limit (setting `wall`)".to_owned(),
                hint: Some(engine::ENDLESS.to_owned()),
                limit: Some(LimitKind::Wall),
                ..ProgramError::default()
            };
            let mut outcome = Outcome::failed(error);
            name_timeout(&mut outcome, asked, own, minute);
            let error = outcome.error.unwrap();
            (error.message, error.hint.unwrap())
        };
        let (message, hint) = told(Some(second), second);
        assert!(message.contains("the 1 s that were asked for (`timeout`)"), "{message}");
        assert!(hint.contains("longer `timeout`"), "{hint}");
        // Less was left to it than it asked for, it asked for all there is, or for nothing.
        for (asked, own) in [(Some(minute), second), (Some(minute), minute), (None, second)] {
            let (message, hint) = told(asked, own);
            assert!(message.contains("`wall`"), "{message}");
            assert_eq!(hint, engine::ENDLESS);
        }
    }

    #[test]
    fn a_run_that_too_large_an_answer_ended_names_the_limit() {
        let arguments = RawValue::from_string(r#"{"server":"data","tool":"all"}"#.to_owned());
        let call =
            HostCall { id: CallId(1), name: "$call".to_owned(), arguments: arguments.unwrap() };
        let failed = |kind: &str| {
            let error = CallError { kind: kind.to_owned(), message: String::new() };
            let result = CallResult { id: call.id, result: Err(error) };
            CallNote::leaving(&call).with(&result, Duration::ZERO)
        };
        let limit = |kind: &str, message: &str, call: CallNote| {
            let (kind, message) = (kind.to_owned(), message.to_owned());
            let error = ProgramError { kind, message, ..ProgramError::default() };
            let mut outcome = Outcome::failed(error);
            name_limit(&mut outcome, &[call]);
            outcome.error.unwrap().limit
        };
        let told = "the answer has 9 bytes, more than 4 (limit `call-result-bytes`); ask for less";
        assert_eq!(limit("ToolError", told, failed(TOO_LARGE)), Some(LimitKind::CallResult));
        assert_eq!(limit("ToolError", told, failed("ToolError")), None);
        assert_eq!(limit("ToolError", "no such file", failed(TOO_LARGE)), None);
        assert_eq!(limit("ValueError", told, failed(TOO_LARGE)), None);
    }
}
