//! What the audience sees: a title, the program, what came of it, and whether that was promised.

use std::io;
use std::time::Duration;

use engine::Outcome;

use crate::out::{self, BAD, DIM, GOOD, HINT, TITLE};
use crate::show::{self, Texts};
use crate::units;

/// Counts steps and tells how each went.
#[derive(Debug, Default)]
pub(super) struct Stage {
    steps: usize,
    failed: usize,
}

impl Stage {
    /// Announces a step and shows its program.
    pub(super) fn begin(&mut self, title: &str, source: &str) -> io::Result<()> {
        self.steps += 1;
        out::line(format_args!("\n{TITLE}{}. {title}{TITLE:#}", self.steps))?;
        source.lines().try_for_each(|line| out::line(format_args!("   {DIM}{line}{DIM:#}")))
    }

    /// Shows what came of a program, and whether that is what was promised.
    pub(super) fn end(&mut self, outcome: &Outcome, took: Duration, kept: bool) -> io::Result<()> {
        if let Some(error) = &outcome.error {
            let message = out::clean(&error.message);
            self.say(&format!("{BAD}{}{BAD:#}: {message}", out::clean(&error.kind)))?;
            if let Some(hint) = &error.hint {
                self.say(&format!("{HINT}hint:{HINT:#} {}", out::clean(hint)))?;
            }
        } else {
            let value = show::value_text(outcome.return_value.get(), Texts::Quoted);
            out::clean(&value).lines().try_for_each(|line| self.say(line))?;
        }
        self.judge(&format!("{:.2} ms", units::millis(took)), kept)
    }

    /// Says something about the step that is going on.
    #[expect(clippy::unused_self, reason = "only a stage speaks to the audience")]
    pub(super) fn say(&self, text: &str) -> io::Result<()> {
        out::line(format_args!("   {text}"))
    }

    /// Ends a step: `what` happened, and whether it is what was promised.
    pub(super) fn judge(&mut self, what: &str, kept: bool) -> io::Result<()> {
        if kept {
            return out::line(format_args!("   {GOOD}as promised{GOOD:#}, {what}"));
        }
        self.failed += 1;
        out::line(format_args!("   {BAD}not as promised{BAD:#}, {what}"))
    }

    /// How many steps there were.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// How many did not go as promised.
    pub(super) fn failed(&self) -> usize {
        self.failed
    }
}
