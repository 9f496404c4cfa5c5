//! What is remembered about servers between processes.
//!
//! A server's tools are remembered when they were first listed, so that a later program can
//! be given their bindings without starting the server. Next to it stands what was accepted,
//! so that a definition that changes is noticed.
//!
//! ```text
//! FOLDER/listings/<server>-<settings digest>.json      the last listing of that very server
//! FOLDER/seen.json                                     definitions as they were first seen
//! ```

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use catalog::{Listing, Seen, ServerName};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The largest file that is read back.
const MAX_FILE: u64 = 256 << 20;

/// Why something could not be remembered.
#[derive(Debug, thiserror::Error)]
#[error("what is known about servers could not be written to {}", path.display())]
pub struct MemoryError {
    path: PathBuf,
    source: io::Error,
}

/// A folder that outlives the process, or nothing at all.
pub struct Memory {
    folder: Option<PathBuf>,
    seen: Mutex<Seen>,
}

impl Memory {
    /// Remembers in `folder`, which is made when first written to.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        let seen = read(&folder.join("seen.json")).unwrap_or_default();
        Self { folder: Some(folder), seen: Mutex::new(seen) }
    }

    /// Remembers nothing beyond this process.
    #[must_use]
    pub fn none() -> Self {
        Self { folder: None, seen: Mutex::default() }
    }

    /// The last listing of a server, if it was this very one: `settings` says how it is reached.
    #[must_use]
    pub fn listing(&self, server: &ServerName, settings: &str) -> Option<Listing> {
        read(&self.listing_path(server, settings)?)
    }

    /// Keeps a listing for next time.
    pub fn keep_listing(&self, listing: &Listing, settings: &str) -> Result<(), MemoryError> {
        match self.listing_path(&listing.server, settings) {
            Some(path) => write(&path, listing),
            None => Ok(()),
        }
    }

    /// What was seen and accepted so far.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what was seen.
    pub fn keep_seen(&self) -> Result<(), MemoryError> {
        match &self.folder {
            Some(folder) => write(&folder.join("seen.json"), &*self.seen()),
            None => Ok(()),
        }
    }

    fn listing_path(&self, server: &ServerName, settings: &str) -> Option<PathBuf> {
        // Names come from a configuration file; only what is harmless in a path is kept.
        let plain: String = server
            .0
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
            .take(60)
            .collect();
        let digest = engine::Digest::of(format!("{}\0{settings}", server.0).as_bytes()).to_string();
        Some(self.folder.as_ref()?.join("listings").join(format!("{plain}-{}.json", &digest[..16])))
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    if fs::metadata(path).ok()?.len() > MAX_FILE {
        return None;
    }
    // What cannot be read is forgotten: the server will be asked again.
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Written aside and renamed, so that two processes never read half of it.
fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), MemoryError> {
    let failed = |source| MemoryError { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let aside = path.with_extension(format!("{}.new", std::process::id()));
    let written = File::create(&aside).and_then(|mut file| {
        file.write_all(&serde_json::to_vec(value)?)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&aside, path)).map_err(|error| {
        let _ = fs::remove_file(&aside);
        failed(error)
    })
}
