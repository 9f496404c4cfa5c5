//! Sessions on disk: one frozen guest each, between one invocation and the next.
//!
//! ```text
//! FOLDER/              mode 0700
//!   NAME.tide          the frozen guest, as the engine wrote it          0600
//!   NAME.json          what `session list` shows; can be lost unharmed   0600
//!   NAME.lock          held by whoever runs the session
//! ```
//!
//! A file appears under its name complete and on disk (written aside, fsynced,
//! renamed), so reading needs no lock and a crash leaves the session before or after
//! a run, never between. Only [`Held`] writes.

mod name;

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use engine::{Digest, Image};
use serde::{Deserialize, Serialize};

pub(crate) use self::name::SessionName;
use crate::exit::Misuse;
use crate::units;

const IMAGE: &str = "tide";
const DETAILS: &str = "json";
const LOCK: &str = "lock";

/// The folder of sessions. Making one touches nothing; the first [`Store::hold`] creates it.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    folder: PathBuf,
}

/// What is known of a session without thawing it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Details {
    /// When its first run ended, in seconds since 1970.
    pub(crate) created: u64,
    /// When its last run ended.
    pub(crate) last_run: u64,
    /// Runs that left their mark; stopped ones did not.
    pub(crate) runs: u64,
    /// The image it builds on, as that was called then.
    pub(crate) image: String,
    /// The content of that image.
    pub(crate) base: Digest,
    /// The level of its last run.
    pub(crate) level: String,
}

impl Details {
    /// Those of a session that begins now.
    pub(crate) fn new(image: String, base: Digest) -> Self {
        let now = units::now();
        Self { created: now, last_run: now, runs: 0, image, base, level: "unknown".to_owned() }
    }
}

/// One session of the store.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// What it is called.
    pub(crate) name: SessionName,
    /// Bytes on disk.
    pub(crate) bytes: u64,
    /// What is known of it, if that was not lost.
    pub(crate) details: Option<Details>,
}

impl Store {
    /// The store in `folder`.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Every session, by name.
    pub(crate) fn list(&self) -> anyhow::Result<Vec<Entry>> {
        let folder = match std::fs::read_dir(&self.folder) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| self.refused("list", &self.folder)),
        };
        let mut entries = Vec::new();
        for file in folder {
            let path = file.with_context(|| self.refused("list", &self.folder))?.path();
            let name = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            if let Some(name) = name.filter(|_| path.extension().is_some_and(|end| end == IMAGE)) {
                entries.extend(self.entry(&name)?);
            }
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    /// One session, if it is there.
    pub(crate) fn entry(&self, name: &SessionName) -> anyhow::Result<Option<Entry>> {
        let path = self.path(name, IMAGE);
        match std::fs::metadata(&path) {
            Ok(metadata) => {
                let details = self.details(name);
                Ok(Some(Entry { name: name.clone(), bytes: metadata.len(), details }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| self.refused("inspect", &path)),
        }
    }

    /// One session that has to be there.
    pub(crate) fn existing(&self, name: &SessionName) -> anyhow::Result<Entry> {
        self.entry(name)?.ok_or_else(|| {
            Misuse::error(format!(
                "there is no session `{name}`; `tidegate session list` shows those there are"
            ))
        })
    }

    /// The frozen guest of a session, if the session is there.
    pub(crate) fn image(&self, name: &SessionName) -> anyhow::Result<Option<Image>> {
        let path = self.path(name, IMAGE);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| self.refused("read", &path)),
        };
        Image::decode(bytes).map(Some).with_context(|| self.damaged(name))
    }

    /// What to say when a session cannot be continued.
    pub(crate) fn damaged(&self, name: &SessionName) -> String {
        format!(
            "the session `{name}` cannot be continued from {}; put the file back from a backup, or \
             `tidegate session delete {name}` removes it",
            self.path(name, IMAGE).display()
        )
    }

    /// Takes the right to change a session. Calls `waiting` once if another has it, then waits.
    pub(crate) fn hold(&self, name: &SessionName, waiting: impl FnOnce()) -> anyhow::Result<Held> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
            .with_context(|| self.refused("create", &self.folder))?;
        let path = self.path(name, LOCK);
        let mut waiting = Some(waiting);
        loop {
            let file = lock(&path, &mut waiting).with_context(|| self.refused("lock", &path))?;
            if let Some(file) = file {
                return Ok(Held { store: self.clone(), name: name.clone(), _lock: file });
            }
        }
    }

    /// Where a session's frozen guest is.
    pub(crate) fn file(&self, name: &SessionName) -> PathBuf {
        self.path(name, IMAGE)
    }

    /// Whatever can be read of what is known of a session.
    fn details(&self, name: &SessionName) -> Option<Details> {
        serde_json::from_slice(&std::fs::read(self.path(name, DETAILS)).ok()?).ok()
    }

    fn path(&self, name: &SessionName, ending: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ending}"))
    }

    #[expect(clippy::unused_self, reason = "messages belong to the store they are about")]
    fn refused(&self, action: &str, path: &Path) -> String {
        format!("could not {action} {}; TIDEGATE_DATA names another folder", path.display())
    }
}

/// The right to change one session, as long as it lives.
#[derive(Debug)]
pub(crate) struct Held {
    store: Store,
    name: SessionName,
    _lock: File,
}

impl Held {
    /// Which session.
    pub(crate) fn name(&self) -> &SessionName {
        &self.name
    }

    /// Which store.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Replaces what is stored.
    pub(crate) fn save(&self, image: &Image, details: &Details) -> anyhow::Result<()> {
        let text = serde_json::to_vec_pretty(details).context("could not describe the session")?;
        self.write(IMAGE, image.as_bytes())?;
        self.write(DETAILS, &text)
    }

    /// Removes the session. Says how many bytes that freed.
    pub(crate) fn delete(self) -> anyhow::Result<u64> {
        let bytes = self.store.existing(&self.name)?.bytes;
        for ending in [IMAGE, DETAILS] {
            let path = self.store.path(&self.name, ending);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| self.store.refused("remove", &path));
                }
                _ => {}
            }
        }
        Ok(bytes)
    }

    fn write(&self, ending: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.store.path(&self.name, ending);
        let aside = self.store.folder.join(format!(".{}.{ending}.new", self.name));
        let write = || {
            let mut options = OpenOptions::new();
            let mut file =
                options.write(true).create(true).truncate(true).mode(0o600).open(&aside)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            std::fs::rename(&aside, &path)?;
            File::open(&self.store.folder)?.sync_all()
        };
        write().with_context(|| {
            // What is left aside is overwritten next time; removing it is a courtesy.
            let _ = std::fs::remove_file(&aside);
            format!(
                "{}; the session `{}` is as it was before this run",
                self.store.refused("write", &path),
                self.name
            )
        })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A lock without a session is litter. Whoever waits for it notices that
        // it was removed, and makes another.
        if !self.store.file(&self.name).exists() {
            let _ = std::fs::remove_file(self.store.path(&self.name, LOCK));
        }
    }
}

/// Locks the file at `path`; `None` when it was removed meanwhile, because holding
/// an unlinked lock keeps nobody out.
fn lock(path: &Path, waiting: &mut Option<impl FnOnce()>) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    let file =
        options.read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            if let Some(waiting) = waiting.take() {
                waiting();
            }
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let held = file.metadata()?.ino();
    Ok(std::fs::metadata(path).is_ok_and(|now| now.ino() == held).then_some(file))
}

#[cfg(test)]
mod tests;
