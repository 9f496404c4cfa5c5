//! What is left of a run whose ledger does not say any more what it is: nobody goes on with it, and nothing of it is
//! thrown away that says what it has done.
//!
//! ```text
//! no first line ──► the database knows it, and not that it ended ──► it ends with `Unknown` ─┐
//!                └► something was written after it ──────────────────────────────────────────┴─► set aside
//!                └► nothing was: it was never said to be accepted ──► removed
//! ```

use std::io;
use std::path::{Path, PathBuf};

use super::images::{last_image, names_in};
use super::keeper::Keeper;
use super::ledger;
use super::over::{damaged, given_up};
use super::past::Past;
use crate::hearing::CallNote;
use crate::service::ids::RunId;
use crate::service::record::{Ended, Moment};
use crate::service::store::{Store, Write};
use crate::service::{Record, Service, Status, StoreError, lock};

/// The folder of a run without the first line of its ledger.
pub(crate) struct Remains {
    pub(crate) run: RunId,
    folder: PathBuf,
    /// The calls that its ledger still tells of.
    calls: Vec<CallNote>,
    /// Its process ended no earlier than after something had been written behind that line.
    is_evidence: bool,
}

impl Remains {
    /// What lies in a folder; `None` if it is not that of a run.
    pub(crate) fn of(folder: &Path) -> io::Result<Option<Self>> {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Ok(run) = name.parse() else { return Ok(None) };
        let names = names_in(folder)?;
        let ledger = Keeper::NAMES.into_iter().find(|name| names.iter().any(|one| one == name));
        let lines = match ledger {
            Some(name) => ledger::legible(&folder.join(name))?,
            None => Vec::new(),
        };
        let is_evidence = !lines.is_empty() || last_image(&names) > 0;
        let past = Past::of(lines);
        let mut calls = Past::notes(past.left.values(), past.of_children.values());
        for call in &mut calls {
            let waits = past.left.values().find(|left| left.call.id.0 == call.id);
            call.unmade |= waits.is_some_and(|left| left.waits && left.answer.is_none());
        }
        Ok(Some(Self { run, folder: folder.to_owned(), calls, is_evidence }))
    }
}

impl Store {
    /// Ends runs that were accepted and of which nobody knows any more what they have done.
    pub(in crate::service) async fn settle_remains(
        &self,
        remains: Vec<Remains>,
    ) -> Result<(), StoreError> {
        for Remains { run, folder, calls, is_evidence } in remains {
            match self.run(&run).await? {
                Some(record) if !record.status.is_final() => {
                    let what = "the beginning of its ledger was changed or is gone";
                    let ended = Some(Ended::from(&damaged(what)));
                    let record = Record { status: Status::Failed, ended, calls, ..record };
                    self.end_unknown(record).await?;
                }
                _ if is_evidence => {}
                // It was never said to be accepted, or has ended and told everything.
                _ => {
                    let path = folder.clone();
                    std::fs::remove_dir_all(&folder)
                        .map_err(|source| StoreError::File { path, source })?;
                    continue;
                }
            }
            self.set_aside(&run, &folder);
        }
        Ok(())
    }

    /// Stores how a run ended of which nobody knows what it has done, so that nobody takes over from it either.
    async fn end_unknown(&self, record: Record) -> Result<(), StoreError> {
        let unwritten = |source| StoreError::File { path: self.kept().all.clone(), source };
        Keeper::is_unknown(self.kept(), &record.id).map_err(unwritten)?;
        let finished_at = Some(Moment::now());
        self.write(Write::Run(Box::new(Record { finished_at, waiting: None, ..record }))).await
    }

    /// Puts the files of a run where nobody goes on with them and somebody can look at them.
    fn set_aside(&self, run: &RunId, folder: &Path) {
        let to = self.folder().join("damaged").join(run.as_str());
        match Keeper::leave(folder, &to) {
            Ok(()) => {
                tracing::error!(run = %run, folder = %to.display(), "what is kept of a run was changed; it is not gone on with, and lies here until old runs are removed");
            }
            Err(error) => {
                tracing::error!(run = %run, folder = %folder.display(), error = %error, "what is kept of a run was changed and cannot be moved; remove it");
            }
        }
    }
}

impl Service {
    /// Ends a run that could not be read when this process was started, if it is one; false if it is none.
    pub(in crate::service) async fn gives_up(&self, record: &Record) -> Result<bool, StoreError> {
        if record.status.is_final() || !lock(&self.unread).contains(record.id.as_str()) {
            return Ok(false);
        }
        let store = &self.parts.store;
        let folder = store.kept().folder_of(&record.id);
        let ended = Some(Ended::from(&given_up()));
        let record = Record { status: Status::Cancelled, ended, ..record.clone() };
        let run = record.id.clone();
        store.end_unknown(record).await?;
        store.set_aside(&run, &folder);
        self.approvals.withdraw(run.as_str()).await;
        lock(&self.unread).remove(run.as_str());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remains(folder: &Path) -> Remains {
        Remains::of(folder).unwrap().unwrap()
    }

    #[test]
    fn what_was_written_after_the_first_line_says_what_a_run_has_done() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join(RunId::fresh().as_str());
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("ledger"), b"12345678 {\"begun\":").unwrap();
        std::fs::write(folder.join("image-1.new"), b"half").unwrap();
        assert!(!remains(&folder).is_evidence, "it was torn when it was accepted");
        std::fs::write(folder.join("image-1"), b"whole").unwrap();
        assert!(remains(&folder).is_evidence);
        std::fs::remove_file(folder.join("ledger")).unwrap();
        assert!(
            remains(&folder).is_evidence,
            "an image has its name only once its line is on disk"
        );
        assert!(Remains::of(folder.parent().unwrap()).unwrap().is_none(), "that is no run");
    }
}
