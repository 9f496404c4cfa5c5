//! How runs end that do not end by themselves, in the words that are told of it.

use std::time::{Duration, Instant};

use engine::{LimitKind, Outcome, ProgramError, Usage};

use super::Refusal;
use super::run::Run;

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

pub(super) fn cancelled(begun: Instant, usage: Usage) -> Outcome {
    let error = ProgramError {
        kind: "Cancelled".to_owned(),
        message: "the run was cancelled".to_owned(),
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
