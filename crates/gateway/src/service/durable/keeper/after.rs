//! What is kept of a run once it is over, for whoever takes over from it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::Effect;
use super::super::ledger::{self, Begun, Ledger, Line};
use super::super::own::Own;
use super::super::past::{Left, Past};
use super::{Keeper, LEDGER, lock, sync_folder};
use crate::service::ids::RunId;

/// The folder of ledgers of runs that are over.
const OVER: &str = "over";

/// What is known of the calls of a run that is over.
pub(crate) enum Called {
    /// It made these, and those before it.
    These(Vec<Left>),
    /// Nothing is kept of it.
    Unkept,
    /// What is kept of it was changed.
    Uncertain,
}

/// What the ledger of a run that is over says.
pub(crate) struct Known {
    pub(crate) called: Called,
    /// The last run that took over from it.
    pub(crate) taken_up_by: Option<RunId>,
}

impl Keeper {
    /// The run is over and stored. What it called, and what it was asked for with if that is `asked_for`,
    /// is kept only for whoever takes over from it.
    pub(crate) async fn over(self: &Arc<Self>, succeeded: bool, asked_for: bool) -> io::Result<()> {
        let may_have_changed = {
            let state = lock(&self.state);
            let changes = |left: &Left| left.effect != Effect::Read;
            state.is_damaged || state.left.values().chain(&state.earlier).any(changes)
        };
        // One that took over and succeeded has done what others may want to do that take over, too.
        let is_forgettable = if succeeded {
            self.begun.resumes.is_none() || !may_have_changed
        } else {
            !may_have_changed && !asked_for
        };
        if !self.is_written() {
            if is_forgettable {
                return Ok(());
            }
            self.accept().await?;
        }
        self.blocking(move |keeper| {
            if is_forgettable {
                return std::fs::remove_dir_all(&keeper.folder);
            }
            let mut path = keeper.folder.join(LEDGER);
            if let Some(ledger) = &mut lock(&keeper.state).ledger {
                ledger.go_on()?;
                ledger.path().clone_into(&mut path);
            }
            if let Some(all) = keeper.folder.parent().and_then(Path::parent) {
                std::fs::create_dir_all(all.join(OVER))?;
                std::fs::rename(path, over(all, &keeper.begun.run))?;
            }
            std::fs::remove_dir_all(&keeper.folder)
        })
        .await
    }

    /// What a run that is over has called.
    pub(crate) fn calls_of(own: &Own, run: &RunId) -> io::Result<Known> {
        let Some(path) = ledger_of(own, run) else {
            return Ok(Known { called: Called::Unkept, taken_up_by: None });
        };
        let (lines, _, is_torn_inside) = ledger::read(&path)?;
        let is_kept = matches!(lines.first(), Some(Line::Begun(_)));
        let mut past = Past::of(lines);
        let taken_up_by = past.taken_up_by.take();
        let called = if is_torn_inside || past.is_damaged {
            Called::Uncertain
        } else if is_kept {
            Called::These(past.into_calls())
        } else {
            Called::Unkept
        };
        Ok(Known { called, taken_up_by })
    }

    /// What a run that is over was asked for with, if that is kept.
    pub(crate) fn begun_of(own: &Own, run: &RunId) -> io::Result<Option<Begun>> {
        let Some(path) = ledger_of(own, run) else { return Ok(None) };
        match ledger::read(&path)?.0.into_iter().next() {
            Some(Line::Begun(begun)) => Ok(Some(*begun)),
            _ => Ok(None),
        }
    }

    /// Says that `by` takes over from a run that is over; when this comes back, that is not forgotten.
    pub(crate) fn is_taken_up(own: &Own, run: &RunId, by: RunId) -> io::Result<()> {
        let path = ledger_of(own, run).unwrap_or_else(|| over(&own.all, run));
        Self::add_to(&path, own, &Line::TakenUp { by })
    }

    /// Says that nobody knows what a run has done of which there is no ledger any more.
    pub(crate) fn is_unknown(own: &Own, run: &RunId) -> io::Result<()> {
        Self::add_to(&over(&own.all, run), own, &Line::Damaged)
    }

    /// Writes a line to the ledger of a run that is over, which is made if there is none.
    fn add_to(path: &Path, own: &Own, line: &Line) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&own.all);
        std::fs::create_dir_all(folder)?;
        let valid = if path.exists() {
            ledger::read(path)?.1
        } else {
            drop(File::create(path)?);
            0
        };
        let mut ledger = Ledger::of_over(path, valid);
        ledger.append(line)?;
        ledger.sync()?;
        sync_folder(folder)
    }
}

/// The ledger of a run that is over, if there is one. One that cannot be stored yet still lies where it
/// was.
fn ledger_of(own: &Own, run: &RunId) -> Option<PathBuf> {
    let folder = own.folder_of(run);
    let here = Keeper::NAMES.map(|name| folder.join(name));
    std::iter::once(over(&own.all, run)).chain(here).find(|path| path.exists())
}

/// Where the ledger of a run lies that is over.
fn over(all: &Path, run: &RunId) -> PathBuf {
    all.join(OVER).join(run.as_str())
}
