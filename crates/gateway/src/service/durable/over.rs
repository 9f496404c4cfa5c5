//! Ends of runs that an earlier process left and nobody goes on with.

use engine::{Outcome, ProgramError};

use super::keeper::steps::MOST_DIED;
use crate::service::ids::RunId;

/// The end of a run of which nobody can say what it has done.
pub(super) fn damaged(damage: &str) -> Outcome {
    Outcome::failed(ProgramError {
        kind: "Unknown".to_owned(),
        message: format!(
            "this run cannot go on: {damage}, so that nobody knows what it has done; it is not begun again"
        ),
        hint: Some("Find out with tools that read what was done, and do only the rest.".to_owned()),
        ..ProgramError::default()
    })
}

/// The end of a run in whose steps one process after the other has ended.
pub(super) fn ends_processes(run: &RunId) -> Outcome {
    Outcome::failed(ProgramError {
        kind: "GivenUp".to_owned(),
        message: format!(
            "this run is given up: it was gone on with after {MOST_DIED} starts of the gateway, and each time the process ended while its program was computing; it is not begun again, so that the gateway can go on"
        ),
        hint: Some(format!(
            "Look into the gateway's log for why it ended: it may be this program, or too little memory for the gateway. Then run it with resume_from=\"{run}\": what was done is not done twice."
        )),
        ..ProgramError::default()
    })
}

/// The end of a run that was told to have ended before that could be stored; `error` says how, where
/// there was room for it.
pub(super) fn told(error: Option<ProgramError>) -> Outcome {
    let unsaid = || {
        ProgramError {
        kind: "Unstored".to_owned(),
        message: "this run did not succeed, and how it ended could not be stored before the gateway was ended, because the disk was full".to_owned(),
        ..ProgramError::default()
    }
    };
    Outcome {
        note: Some("it had ended when its gateway was ended, and was not gone on with".to_owned()),
        ..Outcome::failed(error.unwrap_or_else(unsaid))
    }
}

/// The same of one that was told to have succeeded: it has done everything, and nothing of that is done again.
pub(super) fn told_well() -> Outcome {
    let note = "it had succeeded when its gateway was ended, and what it returned and printed could not be stored before, because the disk was full";
    Outcome {
        success: true,
        error: None,
        note: Some(note.to_owned()),
        ..Outcome::failed(ProgramError::default())
    }
}

/// The end of a run that was cancelled and whose files could not be read, so that nobody knows what it has done.
pub(super) fn given_up() -> Outcome {
    Outcome::failed(ProgramError {
        kind: "Cancelled".to_owned(),
        message: "the run was cancelled; what is kept of it could not be read when this gateway was started, so that nobody knows what it has done".to_owned(),
        hint: Some("Find out with tools that read what was done, and do only the rest.".to_owned()),
        ..ProgramError::default()
    })
}
