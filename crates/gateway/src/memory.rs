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
//! FOLDER/seen/<server>-<place digest>.json             definitions as they were first seen
//! FOLDER/seen/<server>-<place digest>.json.damaged     the same, set aside because it could not be read
//! FOLDER/shown.json                                    those that somebody was shown to accept them
//! ```
//!
//! Another process may accept a definition while this one runs, so what was seen is read again
//! whenever its file is another one.
//!
//! What was seen belongs to a server at its place, which is its command or its address: two projects may each
//! have a server of the same name. One whose place is new is compared with the last one of its name.
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
use std::sync::{Mutex, PoisonError};
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
    /// By server and place. Read when it is first asked for.
    seen: Mutex<BTreeMap<(ServerName, String), Kept>>,
    /// How often another process has changed it.
    changed: AtomicU64,
}

/// What was seen of one server at its place.
#[derive(Default)]
struct Kept {
    seen: Seen,
    /// Which file that was read from.
    stamp: Option<Stamp>,
    /// What was accepted once could not be read, now or in an earlier process.
    is_lost: bool,
    /// It is what was seen of another server of this name.
    is_anothers: bool,
}

/// Tells a file from the one that is written in its place.
type Stamp = (u64, u64, SystemTime);

impl Memory {
    /// Remembers in `folder`, which is made when first written to.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        Self { folder: Some(folder), seen: Mutex::default(), changed: AtomicU64::new(0) }
    }

    /// Remembers nothing beyond this process.
    #[must_use]
    pub fn none() -> Self {
        Self { folder: None, seen: Mutex::default(), changed: AtomicU64::new(0) }
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
        for path in self.all("learned", server) {
            fs::remove_file(&path).map_err(|source| MemoryError { path, source })?;
        }
        Ok(before)
    }

    /// What was seen and accepted so far of a server at its place, also by other processes.
    pub fn with_seen<R>(
        &self,
        server: &ServerName,
        place: &str,
        work: impl FnOnce(&mut Seen) -> R,
    ) -> R {
        self.with_kept(server, place, |kept| work(&mut kept.seen))
    }

    fn with_kept<R>(
        &self,
        server: &ServerName,
        place: &str,
        work: impl FnOnce(&mut Kept) -> R,
    ) -> R {
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (server.clone(), place.to_owned());
        let kept = all.entry(key).or_insert_with(|| self.read_seen(server, place));
        self.look_again(server, place, kept);
        work(kept)
    }

    /// Remembers a listing and which of its definitions are new, and tells what differs from what was
    /// accepted. Where definitions are pinned, what comes later is not accepted by itself.
    pub fn note(
        &self,
        listing: &Listing,
        (settings, place): (&str, &str),
        pinned: bool,
    ) -> (Vec<Change>, Result<(), MemoryError>) {
        let server = &listing.server;
        let (changes, is_anothers) = self.with_kept(server, place, |kept| {
            let seen = &mut kept.seen;
            if pinned && kept.is_lost {
                seen.expect(server);
            }
            let changes = if pinned { seen.observe_pinned(listing) } else { seen.observe(listing) };
            (changes, std::mem::take(&mut kept.is_anothers))
        });
        if is_anothers && !changes.is_empty() {
            warn!(server = %server, "another server of this name was seen before, at another place; what its tools were not counts as changed");
        }
        // What was seen first, because another process may be about to accept something.
        let kept =
            self.keep_seen(server, place).and_then(|()| self.keep_listing(listing, settings));
        (changes, kept)
    }

    /// The tools of a pinned server that must not be called.
    pub(crate) fn withheld(&self, listing: &Listing, place: &str) -> Vec<Withheld> {
        self.with_kept(&listing.server, place, |kept| {
            if kept.is_lost {
                kept.seen.expect(&listing.server);
            }
            kept.seen.withheld(listing)
        })
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
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for ((server, place), kept) in all.iter_mut() {
            self.look_again(server, place, kept);
        }
        self.changed.load(Ordering::Acquire)
    }

    fn read_seen(&self, server: &ServerName, place: &str) -> Kept {
        let Some(file) = self.path(SEEN, server, place) else { return Kept::default() };
        let stamp = stamp(&file);
        let (seen, is_lost) = seen_in(&file);
        if stamp.is_some() || is_lost {
            return Kept { seen, stamp, is_lost, is_anothers: false };
        }
        let mut others: Vec<(SystemTime, PathBuf)> = self
            .all(SEEN, server)
            .into_iter()
            .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        others.sort_unstable();
        let mut others =
            others.iter().rev().filter_map(|(_, path)| read::<Seen>(path)?.only(server));
        match others.next() {
            Some(seen) => Kept { seen, is_anothers: true, ..Kept::default() },
            None => Kept::default(),
        }
    }

    /// Takes up what another process has written down since.
    fn look_again(&self, server: &ServerName, place: &str, kept: &mut Kept) {
        let Some(file) = self.path(SEEN, server, place) else { return };
        let now = stamp(&file);
        if now.is_none() || kept.stamp == now {
            return;
        }
        let Some(read) = read::<Seen>(&file) else { return };
        kept.stamp = now;
        if kept.seen.take_over(read) {
            self.changed.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Writes down what was seen of a server at its place.
    pub fn keep_seen(&self, server: &ServerName, place: &str) -> Result<(), MemoryError> {
        let Some(file) = self.path(SEEN, server, place) else { return Ok(()) };
        let all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get(&(server.clone(), place.to_owned())) {
            Some(kept) => write(&file, &kept.seen, Durable::Yes),
            None => Ok(()),
        }
    }

    /// The files of one kind that are about servers of this name.
    fn all(&self, kind: &str, server: &ServerName) -> Vec<PathBuf> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let prefix = format!("{}-", plain(server));
        let is_digest =
            |text: &str| text.len() == DIGEST && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let entries = fs::read_dir(folder.join(kind)).into_iter().flatten().flatten();
        let ours = entries.filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let digest = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".json"));
            digest.is_some_and(is_digest)
        });
        ours.map(|entry| entry.path()).collect()
    }

    fn path(&self, kind: &str, server: &ServerName, settings: &str) -> Option<PathBuf> {
        let digest = engine::Digest::of(format!("{}\0{settings}", server.0).as_bytes()).to_string();
        let name = format!("{}-{}.json", plain(server), &digest[..DIGEST]);
        Some(self.folder.as_ref()?.join(kind).join(name))
    }
}

/// The folder of what was seen and accepted.
const SEEN: &str = "seen";
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
        note(&ours, &listing("a", "first"), HERE);
        let before = ours.changed_elsewhere();

        let theirs = Memory::at(folder.path().to_owned());
        assert_eq!(theirs.withheld(&listing("a", "second"), HERE).len(), 1);
        accept(&theirs, &listing("a", "second"), HERE);

        assert_ne!(ours.changed_elsewhere(), before);
        note(&ours, &listing("b", "first"), HERE);
        assert_eq!(ours.withheld(&listing("a", "second"), HERE), []);
        assert_eq!(theirs.withheld(&listing("a", "second"), HERE), []);
    }

    #[test]
    fn pinned_tools_are_held_back_when_what_was_accepted_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::at(folder.path().to_owned());
        note(&memory, &listing("a", "first"), HERE);
        let file = memory.path(SEEN, &ServerName("a".to_owned()), HERE).unwrap();
        fs::write(&file, "{\"a\": {").unwrap();

        let memory = Memory::at(folder.path().to_owned());
        assert_eq!(memory.withheld(&listing("a", "second"), HERE).len(), 1);
        assert!(!file.exists());
        assert_eq!(fs::read(file.with_extension(DAMAGED)).unwrap(), b"{\"a\": {");

        // The next process neither takes what it finds for accepted.
        let next = Memory::at(folder.path().to_owned());
        assert_eq!(note(&next, &listing("a", "second"), HERE), 1);
        assert_eq!(next.withheld(&listing("a", "second"), HERE).len(), 1);
        accept(&next, &listing("a", "second"), HERE);
        let last = Memory::at(folder.path().to_owned());
        assert_eq!(last.withheld(&listing("a", "second"), HERE), []);
        assert_eq!(last.withheld(&listing("a", "third"), HERE).len(), 1);
    }

    #[test]
    fn where_nothing_was_lost_the_first_sight_of_a_pinned_server_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::at(folder.path().to_owned());
        assert_eq!(memory.withheld(&listing("a", "first"), HERE), []);
        assert_eq!(note(&memory, &listing("a", "first"), HERE), 0);
        assert_eq!(memory.withheld(&listing("a", "first"), HERE), []);
    }

    #[test]
    fn two_servers_of_one_name_hold_back_nothing_of_each_other_once_both_are_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let memory = || Memory::at(folder.path().to_owned());
        assert_eq!(note(&memory(), &listing("db", "mine"), "npx mine"), 0);
        // At another place it is compared with what was seen of that name, once.
        assert_eq!(note(&memory(), &listing("db", "yours"), "npx yours"), 1);
        assert_eq!(memory().withheld(&listing("db", "yours"), "npx yours").len(), 1);
        accept(&memory(), &listing("db", "yours"), "npx yours");

        for _ in 0..2 {
            assert_eq!(note(&memory(), &listing("db", "mine"), "npx mine"), 0);
            assert_eq!(memory().withheld(&listing("db", "mine"), "npx mine"), []);
            assert_eq!(note(&memory(), &listing("db", "yours"), "npx yours"), 0);
            assert_eq!(memory().withheld(&listing("db", "yours"), "npx yours"), []);
        }
        assert_eq!(memory().withheld(&listing("db", "yours"), "npx mine").len(), 1);
    }

    #[test]
    fn a_server_that_moves_without_changing_is_not_held_back() {
        let folder = tempfile::tempdir().unwrap();
        let memory = || Memory::at(folder.path().to_owned());
        assert_eq!(note(&memory(), &listing("a", "first"), "foo@1"), 0);
        assert_eq!(note(&memory(), &listing("a", "first"), "foo@2"), 0);
        assert_eq!(memory().withheld(&listing("a", "first"), "foo@2"), []);
        assert_eq!(note(&memory(), &listing("a", "second"), "foo@3"), 1);
    }

    #[test]
    fn what_was_seen_of_other_servers_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        note(&Memory::at(folder.path().to_owned()), &listing("a", "first"), HERE);
        let memory = Memory::at(folder.path().to_owned());
        assert_eq!(memory.withheld(&listing("b", "first"), HERE), []);
        let read = memory.seen.lock().unwrap();
        assert_eq!(read.keys().map(|(server, _)| server.0.as_str()).collect::<Vec<_>>(), ["b"]);
    }

    const HERE: &str = "a command";

    /// Remembers a listing of a pinned server, and how much differs.
    fn note(memory: &Memory, listing: &Listing, place: &str) -> usize {
        let (changes, kept) = memory.note(listing, ("", place), true);
        kept.unwrap();
        changes.len()
    }

    fn accept(memory: &Memory, listing: &Listing, place: &str) {
        memory.with_seen(&listing.server, place, |seen| seen.accept_all(listing));
        memory.keep_seen(&listing.server, place).unwrap();
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
