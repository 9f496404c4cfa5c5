//! How the command ends: the exit codes, which scripts rely on, and who is told which.

use std::error::Error as StdError;
use std::fmt;

use engine::Outcome;

/// The ways to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It worked.
    Success,
    /// The program raised an exception; for `check`, `doctor`, `demo`, `tour`, `test` and `list --check`, something is not as it should be.
    Raised,
    /// The command line, or a file it names, is wrong.
    Misused,
    /// A limit stopped the program.
    Limited,
    /// The program ended or crashed its interpreter.
    Died,
    /// The runtime or this machine got in the way.
    Broken,
    /// Ctrl-C or SIGTERM.
    Interrupted,
}

/// Every ending, its code and its line in `--help`.
const TABLE: [(Ending, u8, &str); 7] = [
    (Ending::Success, 0, "success"),
    (
        Ending::Raised,
        1,
        "the program raised an exception or was blocked (check, demo, doctor, test, tour, list --check: a check failed)",
    ),
    (Ending::Misused, 2, "wrong usage: an option, a name or an input file"),
    (Ending::Limited, 3, "a limit stopped the program"),
    (Ending::Died, 4, "the program ended or crashed its interpreter"),
    (Ending::Broken, 5, "the runtime or this machine got in the way"),
    (Ending::Interrupted, 130, "Ctrl-C or SIGTERM"),
];

impl Ending {
    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        TABLE.iter().find(|(ending, ..)| *ending == self).map_or(u8::MAX, |(_, code, _)| *code)
    }

    /// How a run that has an outcome ends.
    pub(crate) fn of(outcome: &Outcome) -> Self {
        match &outcome.error {
            None => Self::Success,
            Some(error) if error.limit.is_some() => Self::Limited,
            // An exception class of the program's own may have the same name; it
            // has a traceback, and a stopped run has none.
            Some(error) if error.traceback.is_none() => match error.kind.as_str() {
                "Exited" | "Crashed" => Self::Died,
                "Cancelled" => Self::Interrupted,
                _ => Self::Raised,
            },
            Some(_) => Self::Raised,
        }
    }

    /// How a command that failed ends.
    pub(crate) fn of_error(error: &anyhow::Error) -> Self {
        if error.is::<Misuse>() { Self::Misused } else { Self::Broken }
    }

    /// Whether the run was stopped, so that its session is as it was before.
    pub(crate) fn is_stopped(self) -> bool {
        matches!(self, Self::Limited | Self::Died | Self::Interrupted)
    }
}

/// The table of exit codes for `--help`.
pub(crate) fn help() -> String {
    let rows = TABLE.iter().map(|(_, code, meaning)| format!("  {code:>3}  {meaning}"));
    format!("Exit codes:\n{}", rows.collect::<Vec<_>>().join("\n"))
}

/// Something the user asked for that cannot be done; the message says what to change.
#[derive(Debug)]
pub(crate) struct Misuse(String);

impl Misuse {
    /// An error that ends the command with the code for wrong usage.
    pub(crate) fn error(message: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Self(message.into()))
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Misuse {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_endings_share_a_code() {
        let mut codes: Vec<u8> = TABLE.iter().map(|(_, code, _)| *code).collect();
        codes.dedup();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 130]);
    }

    #[test]
    fn a_wrong_name_stays_wrong_usage_under_more_context() {
        let error = Misuse::error("no such thing").context("while forking");
        assert_eq!(Ending::of_error(&error), Ending::Misused);
    }
}
