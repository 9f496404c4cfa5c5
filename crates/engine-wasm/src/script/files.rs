//! Files by path, for a guest that has no C library between its programs and the system calls.

use crate::files::{Errno, Files, How, Kind};
use crate::wasi::Wasi;

/// The flag of descriptors that always write at the end.
const APPEND: u16 = 1;

/// What a question about files brings.
pub(super) enum Found {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// It was done.
    Nothing,
}

/// The folder that every guest has open, and the path below it.
fn place(path: &str) -> Result<(u32, &str), Errno> {
    let path = path.strip_prefix('/').ok_or(Errno::NotCapable)?;
    let (folder, below) = path.split_once('/').unwrap_or((path, ""));
    let descriptor = match folder {
        "workspace" => 5,
        "servers" => 6,
        "skills" => 7,
        "results" => 8,
        _ => return Err(Errno::NotFound),
    };
    Ok((descriptor, below))
}

/// `f` for a file, `d` for a folder.
pub(super) fn stat(wasi: &mut Wasi, path: &str) -> Result<Found, Errno> {
    let (folder, below) = place(path)?;
    let files = wasi.files();
    let stat = if below.is_empty() { files.stat(folder)? } else { files.stat_at(folder, below)? };
    let kind = if stat.kind == Kind::Folder { "d" } else { "f" };
    Ok(Found::Text(kind.to_owned()))
}

/// The names in a folder as JSON, those of folders with a slash.
pub(super) fn list(wasi: &mut Wasi, path: &str) -> Result<Found, Errno> {
    let (folder, below) = place(path)?;
    let now = wasi.wall_now();
    let files = wasi.files();
    let how = How { read: true, folder: true, ..NOTHING };
    let opened = if below.is_empty() { folder } else { files.open(folder, below, how, now)? };
    let mut names = Vec::new();
    let listed = files.list(opened, 0, |entry| {
        let slash = if entry.kind == Kind::Folder { "/" } else { "" };
        names.push(format!("{}{slash}", entry.name));
        true
    });
    if opened != folder {
        files.close(opened)?;
    }
    listed?;
    serde_json::to_string(&names).map(Found::Text).map_err(|_| Errno::Io)
}

/// A file's content.
pub(super) fn read(wasi: &mut Wasi, path: &str) -> Result<Vec<u8>, Errno> {
    let (folder, below) = place(path)?;
    if below.is_empty() {
        return Err(Errno::IsFolder);
    }
    let now = wasi.wall_now();
    let files = wasi.files();
    let opened = files.open(folder, below, How { read: true, ..NOTHING }, now)?;
    let content = whole(files, opened);
    files.close(opened)?;
    content
}

fn whole(files: &mut Files, opened: u32) -> Result<Vec<u8>, Errno> {
    let stat = files.stat(opened)?;
    if stat.kind == Kind::Folder {
        return Err(Errno::IsFolder);
    }
    // Everything here is in memory already, and within the quota or given by the host.
    let mut content = vec![0; usize::try_from(stat.size).map_err(|_| Errno::FileTooLarge)?];
    let count = files.read(opened, &mut content)?;
    content.truncate(count);
    Ok(content)
}

/// Writes a file, or to its end; makes the folders on the way.
pub(super) fn write(
    wasi: &mut Wasi,
    path: &str,
    content: &[u8],
    at_end: bool,
) -> Result<(), Errno> {
    let (folder, below) = place(path)?;
    if below.is_empty() {
        return Err(Errno::IsFolder);
    }
    let now = wasi.wall_now();
    let files = wasi.files();
    make_folders(files, folder, below, now)?;
    let flags = if at_end { APPEND } else { 0 };
    let how = How { write: true, create: true, truncate: !at_end, flags, ..NOTHING };
    let opened = files.open(folder, below, how, now)?;
    let written = files.write(opened, content, now);
    files.close(opened)?;
    written.map(drop)
}

/// Removes a file, or an empty folder.
pub(super) fn remove(wasi: &mut Wasi, path: &str) -> Result<Found, Errno> {
    let (folder, below) = place(path)?;
    let now = wasi.wall_now();
    let files = wasi.files();
    match files.remove_file(folder, below, now) {
        Err(Errno::IsFolder) => files.remove_folder(folder, below, now)?,
        done => done?,
    }
    Ok(Found::Nothing)
}

/// Makes a folder, and those on the way.
pub(super) fn make_folder(wasi: &mut Wasi, path: &str) -> Result<Found, Errno> {
    let (folder, below) = place(path)?;
    let now = wasi.wall_now();
    make_folders(wasi.files(), folder, &format!("{below}/"), now)?;
    Ok(Found::Nothing)
}

fn make_folders(files: &mut Files, folder: u32, below: &str, now: u64) -> Result<(), Errno> {
    for (end, _) in below.match_indices('/').filter(|&(end, _)| end > 0) {
        match files.create_folder(folder, &below[..end], now) {
            Ok(()) | Err(Errno::Exists) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

const NOTHING: How = How {
    read: false,
    write: false,
    create: false,
    exclusive: false,
    folder: false,
    truncate: false,
    flags: 0,
};
