//! What is remembered about servers between processes.
//!
//! A server's tools are remembered when they were first listed, so that a later program can
//! be given their bindings without starting the server. Next to it stands what was accepted,
//! so that a definition that changes is noticed, and what was learned about results, which are
//! types and never values.
//!
//! ```text
//! FOLDER/listings/<server>-<settings digest>.json      the last listing of that very server
//! FOLDER/learned/<server>-<settings digest>.json       what its tools returned, as types
//! FOLDER/seen.json                                     definitions as they were first seen
//! FOLDER/seen.json.damaged                             the same, set aside because it could not be read
//! FOLDER/shown.json                                    those that somebody was shown to accept them
//! ```
//!
//! Another process may accept a definition while this one runs, so what was seen is read again
//! whenever its file is another one.
//!
//! A file of what was seen that cannot be read is not the same as none: what it said of pinned tools is
//! lost, and nothing a server says afterwards may take its place unnoticed. It is set aside, and as long
//! as it lies there, a pinned server of which nothing is known has nothing that was accepted.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use catalog::{Change, Learned, Listing, Seen, ServerName, Shown, ToolName, Withheld, learned};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use tracing::warn;

/// The largest file that is read back.
const MAX_FILE: u64 = 256 << 20;
/// The largest file of learned types that is written or read.
const MAX_LEARNED: usize = 16 << 20;
/// The most that is read about one tool: its type, and what stands around it.
const MAX_TOOL: usize = learned::MAX_BYTES + 1_024;

/// Why something could not be remembered.
#[derive(Debug, thiserror::Error)]
#[error("what is known about servers could not be written to {}: {source}", path.display())]
pub struct MemoryError {
    path: PathBuf,
    source: io::Error,
}

/// A folder that outlives the process, or nothing at all.
pub struct Memory {
    folder: Option<PathBuf>,
    seen: Mutex<Seen>,
    /// Which file that was read from.
    stamp: Mutex<Option<Stamp>>,
    /// What was accepted once could not be read, now or in an earlier process.
    is_lost: bool,
    /// How often another process has changed it.
    changed: AtomicU64,
}

/// Tells a file from the one that is written in its place.
type Stamp = (u64, u64, SystemTime);

impl Memory {
    /// Remembers in `folder`, which is made when first written to.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        let file = folder.join(SEEN);
        let stamp = Mutex::new(stamp(&file));
        let (seen, is_lost) = seen_in(&file);
        let (seen, changed) = (Mutex::new(seen), AtomicU64::new(0));
        Self { folder: Some(folder), seen, stamp, is_lost, changed }
    }

    /// Remembers nothing beyond this process.
    #[must_use]
    pub fn none() -> Self {
        let (seen, stamp) = (Mutex::default(), Mutex::default());
        Self { folder: None, seen, stamp, is_lost: false, changed: AtomicU64::new(0) }
    }

    /// The last listing of a server, if it was this very one: `settings` says how it is reached.
    #[must_use]
    pub fn listing(&self, server: &ServerName, settings: &str) -> Option<Listing> {
        read(&self.path("listings", server, settings)?)
    }

    /// Keeps a listing for next time.
    pub fn keep_listing(&self, listing: &Listing, settings: &str) -> Result<(), MemoryError> {
        match self.path("listings", &listing.server, settings) {
            Some(path) => write(&path, listing, Durable::Yes),
            None => Ok(()),
        }
    }

    /// What was learned about the results of a server's tools.
    #[must_use]
    pub fn learned(&self, server: &ServerName, settings: &str) -> BTreeMap<ToolName, Learned> {
        let path = self.path("learned", server, settings);
        let is_small = |path: &PathBuf| {
            fs::metadata(path).is_ok_and(|found| found.len() <= MAX_LEARNED as u64)
        };
        let stored: Option<BTreeMap<ToolName, Box<RawValue>>> =
            path.filter(is_small).and_then(|path| read(&path));
        // One that cannot be used is learned again, and takes nothing from the others.
        let sound = stored.into_iter().flatten().filter_map(|(tool, stored)| {
            let small = Some(stored.get()).filter(|text| text.len() <= MAX_TOOL)?;
            Some((tool, serde_json::from_str(small).ok()?))
        });
        sound.collect()
    }

    /// Keeps what was learned. Nothing is lost that could not be learned again, so this does not
    /// wait for the disk.
    pub fn keep_learned(
        &self,
        server: &ServerName,
        settings: &str,
        learned: &BTreeMap<ToolName, Learned>,
    ) -> Result<(), MemoryError> {
        let Some(path) = self.path("learned", server, settings) else { return Ok(()) };
        let mut bytes = 2;
        let mut stored: BTreeMap<&ToolName, Box<RawValue>> = BTreeMap::new();
        for (tool, learned) in learned {
            let failed =
                |error: serde_json::Error| MemoryError { path: path.clone(), source: error.into() };
            let raw = to_raw_value(learned).map_err(failed)?;
            // Escapes make a name at most six times as long.
            bytes += tool.0.len() * 6 + raw.get().len() + 4;
            if bytes > MAX_LEARNED {
                warn!(server = %server, limit = MAX_LEARNED, "too much was learned; some of it is not kept");
                break;
            }
            stored.insert(tool, raw);
        }
        write(&path, &stored, Durable::No)
    }

    /// Forgets what was learned about one tool of a server, or about all, however the server was
    /// reached then. How many tools it was, as the server is reached now.
    pub fn forget_learned(
        &self,
        server: &ServerName,
        settings: &str,
        tool: Option<&ToolName>,
    ) -> Result<usize, MemoryError> {
        let mut learned = self.learned(server, settings);
        let before = learned.len();
        if let Some(tool) = tool {
            if learned.remove(tool).is_some() {
                self.keep_learned(server, settings, &learned)?;
            }
            return Ok(before - learned.len());
        }
        let Some(path) = self.path("learned", server, settings) else { return Ok(0) };
        let prefix = format!("{}-", plain(server));
        let folder = path.parent().unwrap_or(Path::new("."));
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let digest = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".json"));
            let is_digest = |text: &str| {
                text.len() == DIGEST && text.bytes().all(|byte| byte.is_ascii_hexdigit())
            };
            if digest.is_some_and(is_digest) {
                let path = entry.path();
                fs::remove_file(&path).map_err(|source| MemoryError { path, source })?;
            }
        }
        Ok(before)
    }

    /// What was seen and accepted so far, also by other processes.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.look_again();
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a listing and which of its definitions are new, and tells what differs from what was
    /// accepted. Where definitions are pinned, what comes later is not accepted by itself.
    pub fn note(
        &self,
        listing: &Listing,
        settings: &str,
        pinned: bool,
    ) -> (Vec<Change>, Result<(), MemoryError>) {
        let mut seen = self.seen();
        if pinned && self.is_lost {
            seen.expect(&listing.server);
        }
        let changes = if pinned { seen.observe_pinned(listing) } else { seen.observe(listing) };
        drop(seen);
        // What was seen first, because another process may be about to accept something.
        let kept = self.keep_seen().and_then(|()| self.keep_listing(listing, settings));
        (changes, kept)
    }

    /// The tools of a pinned server that must not be called.
    pub(crate) fn withheld(&self, listing: &Listing) -> Vec<Withheld> {
        let mut seen = self.seen();
        if self.is_lost {
            seen.expect(&listing.server);
        }
        seen.withheld(listing)
    }

    /// What somebody was shown of changed definitions.
    #[must_use]
    pub fn shown(&self) -> Shown {
        let file = self.folder.as_ref().map(|folder| folder.join(SHOWN));
        file.and_then(|file| read(&file)).unwrap_or_default()
    }

    /// Writes down what somebody was shown.
    pub fn keep_shown(&self, shown: &Shown) -> Result<(), MemoryError> {
        match &self.folder {
            Some(folder) => write(&folder.join(SHOWN), shown, Durable::Yes),
            None => Ok(()),
        }
    }

    /// A number that is another one whenever another process has accepted something.
    pub(crate) fn changed_elsewhere(&self) -> u64 {
        self.look_again();
        self.changed.load(Ordering::Acquire)
    }

    /// Takes up what another process has written down since.
    fn look_again(&self) {
        let Some(file) = self.folder.as_ref().map(|folder| folder.join(SEEN)) else { return };
        let mut known = self.stamp.lock().unwrap_or_else(PoisonError::into_inner);
        let now = stamp(&file);
        if now.is_none() || *known == now {
            return;
        }
        let Some(read) = read::<Seen>(&file) else { return };
        *known = now;
        if self.seen.lock().unwrap_or_else(PoisonError::into_inner).take_over(read) {
            self.changed.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Writes down what was seen.
    pub fn keep_seen(&self) -> Result<(), MemoryError> {
        match &self.folder {
            Some(folder) => {
                let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                write(&folder.join(SEEN), &*seen, Durable::Yes)
            }
            None => Ok(()),
        }
    }

    fn path(&self, kind: &str, server: &ServerName, settings: &str) -> Option<PathBuf> {
        let digest = engine::Digest::of(format!("{}\0{settings}", server.0).as_bytes()).to_string();
        let name = format!("{}-{}.json", plain(server), &digest[..DIGEST]);
        Some(self.folder.as_ref()?.join(kind).join(name))
    }
}

/// What was seen and accepted.
const SEEN: &str = "seen.json";
/// What is added to its name when it cannot be read.
const DAMAGED: &str = "json.damaged";
/// What somebody was shown.
const SHOWN: &str = "shown.json";

/// What was seen, and whether any of it is lost: a file that cannot be read is set aside.
fn seen_in(file: &Path) -> (Seen, bool) {
    let aside = file.with_extension(DAMAGED);
    let is_there = file.exists();
    let seen = read(file);
    if is_there && seen.is_none() {
        let problem = match fs::rename(file, &aside) {
            Ok(()) => format!("it was set aside as {}", aside.display()),
            Err(error) => format!("it could not be set aside: {error}"),
        };
        warn!(
            file = %file.display(),
            "what was accepted of tools cannot be read, and {problem}; tools of servers with `pin = true` are held back until \
             `tidegate tools accept SERVER`"
        );
        return (Seen::default(), true);
    }
    (seen.unwrap_or_default(), aside.exists())
}

fn stamp(file: &Path) -> Option<Stamp> {
    let found = fs::metadata(file).ok()?;
    Some((found.ino(), found.len(), found.modified().ok()?))
}

/// How much of a digest is in the name of a file.
const DIGEST: usize = 16;

/// Names come from a configuration file; only what is harmless in a path is kept.
fn plain(server: &ServerName) -> String {
    let harmless = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    server.0.chars().map(harmless).take(60).collect()
}

/// Whether a file must be on the disk before anything goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Durable {
    Yes,
    No,
}

pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    if fs::metadata(path).ok()?.len() > MAX_FILE {
        return None;
    }
    // What cannot be read is forgotten: the server will be asked again.
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Keeps a value that can do without its last changes.
pub(crate) fn keep<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    write(path, value, Durable::No).map_err(|error| error.source)
}

/// How many files were written.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Written aside and renamed, so that two processes never read half of it.
fn write<T: Serialize>(path: &Path, value: &T, durable: Durable) -> Result<(), MemoryError> {
    let failed = |source| MemoryError { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    // Neither another process nor another task of ours writes to the same file.
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    let aside = path.with_extension(format!("{}-{number}.new", std::process::id()));
    let written = File::create(&aside).and_then(|mut file| {
        file.write_all(&serde_json::to_vec(value)?)?;
        if durable == Durable::Yes { file.sync_all() } else { Ok(()) }
    });
    written.and_then(|()| fs::rename(&aside, path)).map_err(|error| {
        let _ = fs::remove_file(&aside);
        failed(error)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_another_process_accepts_is_known_and_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let ours = Memory::at(folder.path().to_owned());
        ours.seen().observe(&listing("a", "first"));
        ours.keep_seen().unwrap();
        let before = ours.changed_elsewhere();

        let theirs = Memory::at(folder.path().to_owned());
        assert_eq!(theirs.seen().withheld(&listing("a", "second")).len(), 1);
        theirs.seen().accept_all(&listing("a", "second"));
        theirs.keep_seen().unwrap();

        assert_ne!(ours.changed_elsewhere(), before);
        ours.seen().observe(&listing("b", "first"));
        ours.keep_seen().unwrap();
        assert_eq!(ours.seen().withheld(&listing("a", "second")), []);
        assert_eq!(theirs.seen().withheld(&listing("a", "second")), []);
    }

    #[test]
    fn pinned_tools_are_held_back_when_what_was_accepted_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(SEEN);
        Memory::at(folder.path().to_owned()).note(&listing("a", "first"), "", true).1.unwrap();
        fs::write(&file, "{\"a\": {").unwrap();

        let memory = Memory::at(folder.path().to_owned());
        assert!(!file.exists());
        assert_eq!(fs::read(folder.path().join("seen.json.damaged")).unwrap(), b"{\"a\": {");
        assert_eq!(memory.withheld(&listing("a", "second")).len(), 1);

        // The next process neither takes what it finds for accepted.
        let next = Memory::at(folder.path().to_owned());
        assert_eq!(next.note(&listing("a", "second"), "", true).0.len(), 1);
        assert_eq!(next.withheld(&listing("a", "second")).len(), 1);
        next.seen().accept_all(&listing("a", "second"));
        next.keep_seen().unwrap();
        let last = Memory::at(folder.path().to_owned());
        assert_eq!(last.withheld(&listing("a", "second")), []);
        assert_eq!(last.withheld(&listing("a", "third")).len(), 1);
    }

    #[test]
    fn where_nothing_was_lost_the_first_sight_of_a_pinned_server_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::at(folder.path().to_owned());
        assert_eq!(memory.withheld(&listing("a", "first")), []);
        assert_eq!(memory.note(&listing("a", "first"), "", true).0, []);
        assert_eq!(memory.withheld(&listing("a", "first")), []);
    }

    /// A server with one tool that says this of itself.
    fn listing(server: &str, description: &str) -> Listing {
        let tool = json!({ "name": "t", "description": description, "inputSchema": {} });
        Listing {
            server: ServerName(server.to_owned()),
            title: None,
            version: None,
            description: None,
            tools: vec![serde_json::from_value(tool).unwrap()],
        }
    }
}
