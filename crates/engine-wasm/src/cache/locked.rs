//! Writing to the cache, which one process does at a time.
//!
//! ```text
//! draft() ──write──► keep(): fsync ► hash ► drop the old record ► rename ► record ► fsync folder
//! ```
//!
//! Whatever interrupts this, the name ends up with either the old file, the new
//! file, or a file without a record, which counts as absent.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::Path;
use std::time::{Duration, SystemTime};

use engine::Digest;
use tempfile::{Builder, NamedTempFile, TempDir};

use super::record::{Identity, Record};
use super::{
    Cache, CacheError, CheckedFile, IMAGES, LOCK, TEMPORARY, digest_of_file, io_error, names,
};

/// The right to write, as long as it lives.
#[derive(Debug)]
pub struct Locked<'a> {
    cache: &'a Cache,
    _lock: File,
}

/// A file that is being written and has no name yet. Dropping it removes it.
#[derive(Debug)]
pub struct Draft {
    file: NamedTempFile,
}

impl Draft {
    /// The file to write to.
    #[must_use]
    pub fn file(&self) -> &File {
        self.file.as_file()
    }
}

impl Cache {
    /// Takes the right to write, creating the folder first if need be.
    ///
    /// When another process has it, calls `waiting` once, then waits.
    pub fn lock(&self, waiting: &dyn Fn()) -> Result<Locked<'_>, CacheError> {
        let mut told = false;
        loop {
            if let Some(locked) = self.try_lock()? {
                return Ok(locked);
            }
            if !std::mem::replace(&mut told, true) {
                waiting();
            }
            let file = self.lock_file()?;
            file.lock().map_err(io_error("lock", &self.folder.join(LOCK)))?;
        }
    }

    /// Takes the right to write unless another has it.
    pub(super) fn try_lock(&self) -> Result<Option<Locked<'_>>, CacheError> {
        let path = self.folder.join(LOCK);
        let file = self.lock_file()?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(io_error("lock", &path)(error)),
        }
        // Whoever removed the cache meanwhile also unlinked the lock; holding
        // an unlinked lock keeps nobody out.
        let held = file.metadata().map_err(io_error("inspect", &path))?.ino();
        match std::fs::metadata(&path) {
            Ok(now) if now.ino() == held => Ok(Some(Locked { cache: self, _lock: file })),
            _ => Ok(None),
        }
    }

    fn lock_file(&self) -> Result<File, CacheError> {
        let images = self.folder.join(IMAGES);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&images)
            .map_err(io_error("create", &images))?;
        self.refuse_exposed_folder()?;
        let path = self.folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.open(&path).map_err(io_error("open", &path))
    }
}

impl Locked<'_> {
    /// Opens a file as [`Cache::open`] does.
    pub fn open(&self, name: &str) -> Result<CheckedFile, CacheError> {
        let (checked, renewed) = self.cache.check(name)?;
        if let Some(renewed) = renewed {
            self.write_record(name, &renewed)?;
        }
        Ok(checked)
    }

    /// The file if it is there and right; anything else is unlinked, so that it can be made again.
    pub fn open_or_discard(&self, name: &str) -> Result<Option<CheckedFile>, CacheError> {
        match self.open(name) {
            Ok(file) => Ok(Some(file)),
            Err(
                CacheError::Missing { .. } | CacheError::Altered { .. } | CacheError::Record { .. },
            ) => {
                self.remove(name)?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// An empty file to write to.
    pub fn draft(&self) -> Result<Draft, CacheError> {
        let folder = self.cache.folder();
        let file = Builder::new()
            .prefix(TEMPORARY)
            .tempfile_in(folder)
            .map_err(io_error("write to", folder))?;
        Ok(Draft { file })
    }

    /// An empty folder for the time being.
    pub fn scratch(&self) -> Result<TempDir, CacheError> {
        let folder = self.cache.folder();
        Builder::new().prefix(TEMPORARY).tempdir_in(folder).map_err(io_error("write to", folder))
    }

    /// Gives a finished draft the name that `name` makes of its digest.
    pub fn keep(
        &self,
        draft: Draft,
        name: impl FnOnce(&Digest) -> String,
    ) -> Result<CheckedFile, CacheError> {
        let aside = draft.file.path().to_owned();
        let file = draft.file.as_file();
        file.set_permissions(Permissions::from_mode(0o400)).map_err(io_error("protect", &aside))?;
        // Set back, so that a write in the same tick of the clock as the
        // record still leaves another mtime than the recorded one.
        file.set_modified(SystemTime::now() - Duration::from_hours(1))
            .map_err(io_error("date", &aside))?;
        file.sync_all().map_err(io_error("write", &aside))?;
        let sha256 = digest_of_file(file, &|_| ()).map_err(io_error("read", &aside))?;

        let name = name(&sha256);
        let path = self.cache.path(&name);
        unlink(&self.cache.record_path(&name))?;
        let file =
            draft.file.persist(&path).map_err(|error| io_error("rename to", &path)(error.error))?;
        // Only now: renaming changes the ctime.
        let identity = Identity::of(&file.metadata().map_err(io_error("inspect", &path))?);
        drop(file);
        self.write_record(&name, &Record { sha256, identity })?;
        self.open(&name)
    }

    /// Writes and names a whole file at once.
    pub fn put(
        &self,
        content: &[u8],
        name: impl FnOnce(&Digest) -> String,
    ) -> Result<CheckedFile, CacheError> {
        let draft = self.draft()?;
        draft.file().write_all(content).map_err(io_error("write", draft.file.path()))?;
        self.keep(draft, name)
    }

    /// Unlinks a file and its record, the record first. Says how many bytes that was.
    pub fn remove(&self, name: &str) -> Result<u64, CacheError> {
        let path = self.cache.path(name);
        let bytes = std::fs::symlink_metadata(&path).map_or(0, |metadata| metadata.len());
        self.distrust(name)?;
        unlink(&path)?;
        Ok(bytes)
    }

    /// Forgets that a file was ever right.
    pub fn distrust(&self, name: &str) -> Result<(), CacheError> {
        unlink(&self.cache.record_path(name))
    }

    /// Removes what a process that was interrupted left behind.
    pub fn sweep(&self) -> Result<(), CacheError> {
        for entry in self.cache.entries()? {
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| name.starts_with(TEMPORARY)) {
                let path = entry.path();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let removed = if is_folder {
                    std::fs::remove_dir_all(&path)
                } else {
                    std::fs::remove_file(&path)
                };
                removed.or_else(absent_is_fine).map_err(io_error("remove", &path))?;
            }
        }
        Ok(())
    }

    /// Unlinks everything, the lock last. Says how many bytes that was.
    pub fn remove_all(self) -> Result<u64, CacheError> {
        self.sweep()?;
        let mut freed = 0;
        for name in &self.cache.names()? {
            freed += self.remove(name)?;
        }
        self.cache.forget_images()?;
        unlink(&self.cache.folder().join(LOCK))?;
        // Stays when it holds something that is not ours.
        let _ = std::fs::remove_dir(self.cache.folder());
        Ok(freed)
    }

    /// The cache itself.
    #[must_use]
    pub fn cache(&self) -> &Cache {
        self.cache
    }

    pub(super) fn write_record(&self, name: &str, record: &Record) -> Result<(), CacheError> {
        self.write_json(&self.cache.record_path(name), record)
    }

    /// Writes a small file of ours aside and puts it in place.
    pub(super) fn write_json(
        &self,
        path: &Path,
        value: &impl serde::Serialize,
    ) -> Result<(), CacheError> {
        let draft = self.draft()?;
        let text = serde_json::to_vec_pretty(value)
            .map_err(io::Error::from)
            .map_err(io_error("write", path))?;
        draft.file().write_all(&text).map_err(io_error("write", path))?;
        draft.file().sync_all().map_err(io_error("write", path))?;
        draft.file.persist(path).map_err(|error| io_error("rename to", path)(error.error))?;
        let folder = path.parent().unwrap_or(self.cache.folder());
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(io_error("write", folder))
    }
}

impl Cache {
    /// The names of the files that this program puts here, with or without a record.
    pub(crate) fn names(&self) -> Result<Vec<String>, CacheError> {
        let mut found = Vec::new();
        for entry in self.entries()? {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let ours = name.strip_suffix(".json").unwrap_or(&name);
            if names::is_ours(ours) {
                found.push(ours.to_owned());
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The names of the files that have a record, the latest record first.
    pub(crate) fn files_newest_first(&self) -> Result<Vec<String>, CacheError> {
        let recorded = |name: String| {
            let metadata = std::fs::metadata(self.record_path(&name)).ok()?;
            Some((metadata.modified().ok()?, name))
        };
        let mut files: Vec<_> = self.names()?.into_iter().filter_map(recorded).collect();
        files.sort_by(|one, other| other.cmp(one));
        Ok(files.into_iter().map(|(_, name)| name).collect())
    }

    fn entries(&self) -> Result<Vec<std::fs::DirEntry>, CacheError> {
        match std::fs::read_dir(&self.folder).and_then(Iterator::collect) {
            Ok(entries) => Ok(entries),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(io_error("list", &self.folder)(error)),
        }
    }
}

pub(super) fn unlink(path: &Path) -> Result<(), CacheError> {
    std::fs::remove_file(path).or_else(absent_is_fine).map_err(io_error("remove", path))
}

fn absent_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
