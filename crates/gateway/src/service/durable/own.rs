//! The folder in which one process keeps its runs, and what it finds of those before it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::keeper::{Found, Keeper, sync_folder};
use super::remains::Remains;
use crate::service::ids::RunId;
use crate::service::{Record, lock};

/// Says which process a folder of runs belongs to, as long as that lives.
const LOCK: &str = "lock";

/// Runs for which a thread of its own is begun, at the start.
const LEAST: usize = 64;

/// What processes left that are no more.
#[derive(Default)]
pub(crate) struct LeftBehind {
    /// Runs that can go on, or say why not.
    pub(crate) found: Vec<Found>,
    /// Runs that could not be read now, and may be the next time.
    pub(crate) unread: Vec<String>,
    /// What is left of others.
    pub(crate) remains: Vec<Remains>,
}

/// The folder in which one process keeps its runs, as long as it lives.
#[derive(Debug)]
pub(crate) struct Own {
    /// The folders of all processes.
    pub(crate) all: PathBuf,
    /// That of this one.
    pub(crate) folder: PathBuf,
    _lock: File,
    /// Those of processes that are no more, whose runs go on here, each with its lock: thousands of runs are
    /// not moved while somebody waits for the start.
    others: Mutex<Vec<(PathBuf, File)>>,
}

impl Own {
    /// A new one among those of others.
    pub(crate) fn new(all: PathBuf) -> io::Result<Self> {
        let folder = all.join(uuid::Uuid::new_v4().simple().to_string());
        // Nobody may take it for one that was left before it is locked.
        let aside = folder.with_extension("new");
        std::fs::create_dir_all(&aside)?;
        let lock = File::create(aside.join(LOCK))?;
        lock.lock()?;
        std::fs::rename(&aside, &folder)?;
        sync_folder(&all)?;
        Ok(Self { all, folder, _lock: lock, others: Mutex::default() })
    }

    /// Where a run lies, or would lie if it were begun now.
    pub(crate) fn folder_of(&self, run: &RunId) -> PathBuf {
        let own = self.folder.join(run.as_str());
        if own.is_dir() {
            return own;
        }
        let others = lock(&self.others);
        let mut there = others.iter().map(|(folder, _)| folder.join(run.as_str()));
        there.find(|folder| folder.is_dir()).unwrap_or(own)
    }

    /// Takes over every run that a process left which is no more, as far as it can be read.
    pub(crate) fn take_over(&self) -> io::Result<LeftBehind> {
        let (mut found, mut names) = (LeftBehind::default(), HashSet::new());
        for entry in std::fs::read_dir(&self.all)? {
            let folder = entry?.path();
            if folder == self.folder {
                continue;
            }
            // Whoever lives holds it, and what is not there belongs to nobody.
            let Ok(held) = File::open(folder.join(LOCK)) else { continue };
            if held.try_lock().is_err() {
                continue;
            }
            let runs = runs_in(&folder, &mut names)?;
            found.read_all(&runs)?;
            if !remove_if_empty(&folder).unwrap_or(false) {
                lock(&self.others).push((folder, held));
            }
        }
        Ok(found)
    }

    /// Runs that processes left which are no more, to be looked at only.
    pub(crate) fn look(&self) -> io::Result<Vec<Record>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.all)? {
            let folder = entry?.path();
            let Ok(held) = File::open(folder.join(LOCK)) else { continue };
            if folder == self.folder || held.try_lock().is_err() {
                continue;
            }
            for run in std::fs::read_dir(&folder)?.filter_map(Result::ok) {
                // One that cannot be read says so when it is to go on.
                found.extend(Keeper::look(&run.path()).ok().flatten());
            }
        }
        Ok(found)
    }
}

/// Removes the folder of a process if there is no run in it; false if there is.
fn remove_if_empty(folder: &Path) -> io::Result<bool> {
    if std::fs::read_dir(folder)?.count() > 1 {
        return Ok(false);
    }
    std::fs::remove_file(folder.join(LOCK))?;
    std::fs::remove_dir(folder)?;
    Ok(true)
}

/// The folders of runs in that of a process. No run is gone on with twice: `names` are those of all.
fn runs_in(folder: &Path, names: &mut HashSet<OsString>) -> io::Result<Vec<PathBuf>> {
    let mut runs = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            continue;
        }
        if names.insert(entry.file_name()) {
            runs.push(entry.path());
        } else {
            tracing::error!(folder = %entry.path().display(), "a run lies in two folders; this one is left alone");
        }
    }
    Ok(runs)
}

impl LeftBehind {
    /// Reads what lies in these folders, on all cores: nobody can be answered before that.
    fn read_all(&mut self, runs: &[PathBuf]) -> io::Result<()> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let each = runs.len().div_ceil(threads).max(LEAST);
        std::thread::scope(|scope| {
            let parts = runs.chunks(each).map(|some| scope.spawn(move || Self::read(some)));
            let parts: Vec<_> = parts.collect();
            for part in parts {
                let read = part.join().map_err(|_| io::Error::other("reading runs panicked"))??;
                self.found.extend(read.found);
                self.unread.extend(read.unread);
                self.remains.extend(read.remains);
            }
            Ok(())
        })
    }

    /// What lies in these folders.
    fn read(runs: &[PathBuf]) -> io::Result<Self> {
        let mut left = Self::default();
        for folder in runs {
            let found = Keeper::find(folder.clone());
            let found = found.and_then(|found| match found {
                Some(one) => Ok((Some(one), None)),
                None => Ok((None, Remains::of(folder)?)),
            });
            match found {
                Ok((Some(one), _)) => left.found.push(one),
                Ok((None, Some(remains))) => left.remains.push(remains),
                Ok((None, None)) => std::fs::remove_dir_all(folder)?,
                Err(error) => {
                    tracing::error!(folder = %folder.display(), error = %error, "a run cannot be read; it is tried again at the next start");
                    let name = folder.file_name().unwrap_or_default();
                    left.unread.push(name.to_string_lossy().into_owned());
                }
            }
        }
        Ok(left)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // An empty folder that stays is removed by the next process. What is in another is for that, too.
        let _ = remove_if_empty(&self.folder);
        for (folder, _) in &*lock(&self.others) {
            let _ = remove_if_empty(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that a process has left, with a run that cannot be read: its ledger is none.
    fn left(folder: &Path, runs: impl Iterator<Item = String>) {
        for run in runs {
            std::fs::create_dir_all(folder.join(run).join("ledger")).unwrap();
        }
        std::fs::create_dir_all(folder).unwrap();
        File::create(folder.join(LOCK)).unwrap();
    }

    #[test]
    fn every_run_that_was_left_is_read_where_it_lies_however_many_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let before = folder.path().join("before");
        let mut runs: Vec<_> = (0..=3 * LEAST).map(|_| RunId::fresh()).collect();
        runs.sort();
        left(&before, runs.iter().map(RunId::to_string));
        std::fs::create_dir(before.join("r_empty")).unwrap();
        left(&folder.path().join("nothing"), std::iter::empty());
        let own = Own::new(folder.path().to_owned()).unwrap();
        let mut found = own.take_over().unwrap();
        found.unread.sort();
        let expected: Vec<_> = runs.iter().map(RunId::to_string).collect();
        assert_eq!((found.found.len(), found.unread), (0, expected));
        assert!(!before.join("r_empty").exists() && !folder.path().join("nothing").exists());
        assert_eq!(own.folder_of(&runs[0]), before.join(runs[0].as_str()));
        let new = RunId::fresh();
        assert_eq!(own.folder_of(&new), own.folder.join(new.as_str()));
        // Nobody else takes them as long as this process lives, and the next one does.
        let other = Own::new(folder.path().to_owned()).unwrap();
        assert_eq!(other.take_over().unwrap().unread.len(), 0);
        drop(own);
        assert_eq!(other.take_over().unwrap().unread.len(), runs.len());
    }

    #[test]
    fn a_run_that_lies_in_two_folders_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        for process in ["one", "two"] {
            left(&folder.path().join(process), std::iter::once("r_1".to_owned()));
        }
        let own = Own::new(folder.path().to_owned()).unwrap();
        assert_eq!(own.take_over().unwrap().unread, ["r_1"]);
    }
}
