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
        message: format!(
            "the program took longer than the {} s that were asked for (`timeout`), waiting included",
            timeout.as_secs_f64()
        ),
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

/// The end of a run that somebody ended, or that had not ended in time when the gateway was stopped.
pub(super) fn cancelled(begun: Instant, usage: Usage, is_stopped: bool) -> Outcome {
    let message = if is_stopped {
        "the run was cancelled, because the gateway was stopped and it took longer than that may take (setting `stop-patience`)"
    } else {
        "the run was cancelled"
    };
    let error = ProgramError {
        kind: "Cancelled".to_owned(),
        message: message.to_owned(),
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
    fn who_ended_a_run_is_said() {
        let message = |is_stopped| {
            let outcome = cancelled(Instant::now(), Usage::default(), is_stopped);
            outcome.error.unwrap().message
        };
        assert_eq!(message(false), "the run was cancelled");
        assert!(message(true).contains("the gateway was stopped"));
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
