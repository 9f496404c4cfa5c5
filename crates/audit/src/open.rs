//! Opening a log: making it, or finding it as whoever wrote last has left it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use crate::disk::{Disk, Held, Options};
use crate::entry::now;
use crate::error::{Damage, LogError};
use crate::folder::{self, Folder};
use crate::hash::Hash;
use crate::seal::{Found, Head, HeadFile, Key, read_head};
use crate::walk;

impl Disk {
    /// Opens the log in a folder, or makes it.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self, LogError> {
        let opens = LogError::disk("open");
        let folder = Folder::new(path, options.key_file.as_deref());
        folder.create().map_err(&opens)?;
        let lock = Arc::new(folder::lockable(&folder.lock()).map_err(&opens)?);
        let _held = Held::take(&lock)?;
        let alive = folder::lockable(&folder.alive()).map_err(&opens)?;
        let is_alone = alive.try_lock().is_ok();
        // What happens to a lock that is taken twice differs between systems. Nobody else can take
        // it in between: they would need the other one first.
        alive.unlock().and_then(|()| alive.lock_shared()).map_err(&opens)?;

        let key = key(&folder)?;
        let (head, is_damaged) = match read_head(&folder, &key).map_err(&opens)? {
            Found::Missing => return Err(LogError::Damaged(Damage::HeadMissing)),
            Found::Forged => return Err(LogError::Damaged(Damage::HeadForged)),
            Found::Head { head, is_damaged } => (head, is_damaged),
        };
        let walked = walk::whole(&folder, &head)?;
        let segment = folder::appendable(&folder.segment(walked.end.segment)).map_err(&opens)?;
        folder.sync().map_err(&opens)?;
        let head_file = HeadFile::open(&folder).map_err(&opens)?;
        let mut disk = Self {
            head_bytes: Vec::new(),
            segment_bytes: options.segment_bytes,
            _alive: alive,
            end: walked.end,
            sealed: walked.sealed,
            unsealed: Vec::new(),
            first: Vec::new(),
            folder,
            key,
            lock,
            head_file,
            segment,
        };
        disk.repair(&walked, &head, is_alone, is_damaged)?;
        Ok(disk)
    }

    /// Ends what a crash has interrupted, and writes down that it did.
    fn repair(
        &mut self,
        walked: &walk::Walked,
        head: &Head,
        is_alone: bool,
        is_damaged: bool,
    ) -> Result<(), LogError> {
        let mut found = json!({});
        // If others have the log open, these are theirs, and they will confirm them themselves.
        if is_alone && walked.end.seq > head.seq {
            found["lines_after_head"] = json!(walked.end.seq - head.seq);
        }
        if is_damaged {
            found["head_copy_unreadable"] = json!(true);
        }
        self.settle(walked, found)?;
        self.segment.sync_all().map_err(LogError::disk("open"))?;
        self.write_head().map_err(|failed| failed.error)?;
        self.put(&[], true).map_err(|failed| failed.error)?;
        self.finish_redaction()?;
        self.remove_leftovers()
    }
}

/// The key of a log that is there, or of one that is made now.
///
/// A new log gets its head before its key. A crash between the two leaves a head without a key and
/// without lines, which is made anew; a key without a head is left by nobody but who removed it.
fn key(folder: &Folder) -> Result<Key, LogError> {
    let opens = LogError::disk("open");
    let has_lines = has_lines(folder).map_err(&opens)?;
    let key = Key::read(folder.key()).map_err(&opens)?;
    let has_head = folder.head().exists();
    let key_is_outside = folder.key().parent() != Some(folder.path());
    match key {
        Some(key) if has_head || has_lines || !key_is_outside => Ok(key),
        Some(key) => HeadFile::create(folder, &key, &NOTHING).map(|()| key).map_err(&opens),
        None if has_lines => Err(LogError::Damaged(Damage::KeyMissing)),
        None => {
            let made = || -> io::Result<Key> {
                let key = Key::draw()?;
                HeadFile::create(folder, &key, &NOTHING)?;
                key.write(folder)?;
                Ok(key)
            };
            made().map_err(LogError::disk("make the key of"))
        }
    }
}

/// The head of a log without lines.
const NOTHING: Head = Head { segment: 1, seq: 0, hash: Hash::ZERO };

fn has_lines(folder: &Folder) -> io::Result<bool> {
    if folder.checkpoint().exists() {
        return Ok(true);
    }
    for segment in folder.segments()? {
        if fs::metadata(folder.segment(segment))?.len() > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Puts a damaged log away, whole, so that another can begin; gives the folder it is in now.
///
/// With its key, if that lay in the folder: it can still be verified there. Nobody may have the log
/// open.
pub fn set_aside(folder: &Path) -> Result<PathBuf, LogError> {
    let moves = LogError::disk("set aside");
    let folder = Folder::new(folder, None);
    let lock = Arc::new(folder::lockable(&folder.lock()).map_err(&moves)?);
    let _held = Held::take(&lock)?;
    let alive = folder::lockable(&folder.alive()).map_err(&moves)?;
    alive.try_lock().map_err(|_| LogError::InUse)?;
    let aside = folder.path().join(format!("set-aside-{}", now()));
    let moved = || -> io::Result<()> {
        Folder::new(&aside, None).create()?;
        for file in fs::read_dir(folder.path())? {
            let file = file?;
            let path = file.path();
            if file.file_type()?.is_file() && path != folder.lock() && path != folder.alive() {
                fs::rename(&path, aside.join(file.file_name()))?;
            }
        }
        folder.sync()
    };
    moved().map_err(&moves)?;
    Ok(aside)
}
