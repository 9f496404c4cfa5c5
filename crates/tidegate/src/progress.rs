//! The one progress bar; plain lines where there is no terminal.

use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use engine_wasm::install::{Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};

use crate::out;

/// Steps of the bar.
const LENGTH: u64 = 1_000;
/// How often the elapsed time is redrawn.
const TICK: Duration = Duration::from_millis(200);
/// Without a terminal a line is written each time this much more of the whole is done.
const PLAIN_STEP: f64 = 0.2;

/// Shows how far something is. Dropping it takes the bar away.
pub(crate) struct Track {
    bar: Option<ProgressBar>,
    last: Mutex<Option<(String, f64)>>,
}

impl Track {
    /// A bar that shows nothing yet.
    pub(crate) fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(LENGTH);
            bar.set_style(style());
            bar.enable_steady_tick(TICK);
            bar
        });
        Self { bar, last: Mutex::new(None) }
    }

    /// Shows what is being done, and how much of the whole is.
    pub(crate) fn show(&self, label: &str, overall: f64) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(label.to_owned());
                bar.set_position(steps(overall));
            }
            None if self.is_due(label, overall) => {
                out::tell(format_args!("  {:>3} % {label}", steps(overall) / 10));
            }
            None => {}
        }
    }

    /// Whether a plain line is due, because the stage is new or much was done since the last.
    fn is_due(&self, label: &str, overall: f64) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due =
            last.as_ref().is_none_or(|(shown, at)| shown != label || overall - at >= PLAIN_STEP);
        if due {
            *last = Some((label.to_owned(), overall));
        }
        due
    }
}

/// Shows how far an installation of the runtime is.
pub(crate) struct Bar {
    track: Track,
}

impl Bar {
    /// A bar that shows nothing yet.
    pub(crate) fn new() -> Self {
        Self { track: Track::new() }
    }
}

impl Progress for Bar {
    fn stage(&self, stage: Stage, overall: f64) {
        self.track.show(stage.label(), overall);
    }

    fn waiting_for_other(&self) {
        let text = "another process is working on the runtime; waiting for it";
        match &self.track.bar {
            Some(bar) => bar.set_message(text),
            None => out::tell(text),
        }
    }
}

impl Drop for Track {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    let template = "{bar:30} {percent:>3} %  {elapsed_precise}  {msg}";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the fraction is between 0 and 1"
)]
fn steps(overall: f64) -> u64 {
    (overall.clamp(0.0, 1.0) * LENGTH as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_line_is_written_for_every_stage_and_not_for_every_percent() {
        let track = Track { bar: None, last: Mutex::new(None) };
        assert!(track.is_due("compiling", 0.1));
        assert!(!track.is_due("compiling", 0.2));
        assert!(track.is_due("compiling", 0.4));
        assert!(track.is_due("making an image", 0.41));
    }
}
