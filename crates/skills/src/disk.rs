//! Files that are whole or not there.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many files were written.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Reads a file that has at most so many bytes.
pub(crate) fn read(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        let problem = format!("it is larger than the {most} bytes that are read of it");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Writes a file in the place of another one, or of none.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let aside = aside(path, bytes)?;
    fs::rename(&aside, path).inspect_err(|_| forget(&aside))
}

/// Writes a file that must not be there yet; false when it is.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let aside = aside(path, bytes)?;
    // A link is refused where a file is already; renaming would put ours in its place.
    let linked = fs::hard_link(&aside, path);
    forget(&aside);
    match linked {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn aside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    let aside = path.with_extension(format!("{}-{number}.new", std::process::id()));
    let written = File::create(&aside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.inspect_err(|_| forget(&aside))?;
    Ok(aside)
}

fn forget(aside: &Path) {
    // What is left behind is never read: no name of ours ends like that.
    let _ = fs::remove_file(aside);
}
