//! Whether it is a run itself that ends the process again and again.
//!
//! A run that was taken up notes on disk that a step of its program begins, and takes that back when the step is
//! over. What is found at a start is how many processes have ended within one. After a few of them nobody goes on
//! with it: a gateway that dies at each start helps nobody. A new image is progress, after which none counts.
//! A run that only waits when its process is killed is not to blame, and is not counted.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Keeper, State, lock};

/// The file's name.
const STEPS: &str = "steps";
/// So many processes may end within a step of a run that they took up.
pub(in super::super) const MOST_DIED: u64 = 3;

/// A step that is under way; however it ends, it is no longer.
pub(crate) struct Stepping<'a>(&'a Keeper);

impl Drop for Stepping<'_> {
    fn drop(&mut self) {
        self.0.has_stepped();
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join(STEPS)
}

/// How many processes have ended within a step.
pub(super) fn died(folder: &Path) -> u64 {
    let text = fs::read_to_string(file(folder)).unwrap_or_default();
    text.trim().parse().unwrap_or(0)
}

impl Keeper {
    /// A step of the program is under way as long as what this gives is there.
    pub(crate) fn step(&self) -> Stepping<'_> {
        self.steps();
        Stepping(self)
    }

    /// A step of the program begins, or of one that it started.
    pub(crate) fn steps(&self) {
        let mut state = lock(&self.state);
        state.inside += 1;
        if state.inside == 1
            && let Some(died) = state.died
        {
            self.note_died(died + 1);
        }
    }

    /// It is over.
    pub(crate) fn has_stepped(&self) {
        let mut state = lock(&self.state);
        state.inside = state.inside.saturating_sub(1);
        if state.inside == 0
            && let Some(died) = state.died
        {
            self.note_died(died);
        }
    }

    /// The run has got on since it was taken up.
    pub(super) fn gets_on(&self, state: &mut State) {
        if state.died.take().is_some() {
            let _ = fs::remove_file(file(&self.folder));
        }
    }

    /// Not waited for until it is on disk: what ends only this process leaves it there. Where there is no room for it
    /// the run goes on all the same.
    fn note_died(&self, died: u64) {
        if let Err(error) = fs::write(file(&self.folder), died.to_string()) {
            tracing::debug!(run = %self.begun.run, error = %error, "a step could not be noted");
        }
    }
}
