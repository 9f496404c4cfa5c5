//! The folder in which one process keeps its runs, and what it finds of those before it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::keeper::{Found, Keeper, sync_folder};
use crate::service::Record;

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
}

/// The folder in which one process keeps its runs, as long as it lives.
#[derive(Debug)]
pub(crate) struct Own {
    /// The folders of all processes.
    pub(crate) all: PathBuf,
    /// That of this one.
    pub(crate) folder: PathBuf,
    _lock: File,
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
        Ok(Self { all, folder, _lock: lock })
    }

    /// Takes over every run that a process left which is no more, as far as it can be read.
    pub(crate) fn take_over(&self) -> io::Result<LeftBehind> {
        let mut found = LeftBehind::default();
        for entry in std::fs::read_dir(&self.all)? {
            let folder = entry?.path();
            if folder == self.folder {
                continue;
            }
            // Whoever lives holds it, and what is not there belongs to nobody.
            let Ok(lock) = File::open(folder.join(LOCK)) else { continue };
            if lock.try_lock().is_err() {
                continue;
            }
            self.take(&folder, &mut found)?;
            let _ = std::fs::remove_file(folder.join(LOCK));
            let _ = std::fs::remove_dir(&folder);
        }
        if !found.found.is_empty() {
            sync_folder(&self.folder)?;
        }
        Ok(found)
    }

    /// Runs that processes left which are no more, to be looked at only.
    pub(crate) fn look(&self) -> io::Result<Vec<Record>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.all)? {
            let folder = entry?.path();
            let Ok(lock) = File::open(folder.join(LOCK)) else { continue };
            if folder == self.folder || lock.try_lock().is_err() {
                continue;
            }
            for run in std::fs::read_dir(&folder)?.filter_map(Result::ok) {
                // One that cannot be read says so when it is to go on.
                found.extend(Keeper::look(&run.path()).ok().flatten());
            }
        }
        Ok(found)
    }

    /// Removes it if it is empty; what is in it is for the next process.
    fn leave(&self) -> io::Result<()> {
        if std::fs::read_dir(&self.folder)?.count() == 1 {
            std::fs::remove_file(self.folder.join(LOCK))?;
            std::fs::remove_dir(&self.folder)?;
        }
        Ok(())
    }

    fn take(&self, from: &Path, left: &mut LeftBehind) -> io::Result<()> {
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(from)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                let folder = self.folder.join(entry.file_name());
                std::fs::rename(entry.path(), &folder)?;
                folders.push(folder);
            }
        }
        // Nobody can be answered before all of them are read.
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let each = folders.len().div_ceil(threads).max(LEAST);
        std::thread::scope(|scope| {
            let parts =
                folders.chunks(each).map(|some| scope.spawn(move || LeftBehind::read(some)));
            let parts: Vec<_> = parts.collect();
            for part in parts {
                let read = part.join().map_err(|_| io::Error::other("reading runs panicked"))??;
                left.found.extend(read.found);
                left.unread.extend(read.unread);
            }
            Ok(())
        })
    }
}

impl LeftBehind {
    /// What lies in these folders.
    fn read(folders: &[PathBuf]) -> io::Result<Self> {
        let mut left = Self::default();
        for folder in folders {
            match Keeper::find(folder.clone()) {
                Ok(Some(one)) => left.found.push(one),
                // It was never said to be accepted.
                Ok(None) => std::fs::remove_dir_all(folder)?,
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
        // An empty folder that stays is removed by the next process.
        let _ = self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_that_was_left_is_read_however_many_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let before = folder.path().join("before");
        let runs = 3 * LEAST + 1;
        for run in 0..runs {
            std::fs::create_dir_all(before.join(format!("r_{run}"))).unwrap();
            // What lies there is no file that can be read, and is left as it is.
            std::fs::create_dir(before.join(format!("r_{run}/ledger"))).unwrap();
        }
        std::fs::create_dir(before.join("r_empty")).unwrap();
        File::create(before.join(LOCK)).unwrap();
        let own = Own::new(folder.path().to_owned()).unwrap();
        let mut left = own.take_over().unwrap();
        left.unread.sort();
        let mut expected: Vec<_> = (0..runs).map(|run| format!("r_{run}")).collect();
        expected.sort();
        assert_eq!((left.found.len(), left.unread), (0, expected));
        assert!(own.folder.join("r_0/ledger").is_dir() && !own.folder.join("r_empty").exists());
        assert!(!before.exists());
    }
}
