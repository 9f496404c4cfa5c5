//! Packages a user adds to an image: wheels and folders in, one archive out.
//!
//! Only pure Python can be added: the guest is one static module and loads no
//! machine code. The archive is the same for the same input, whatever the files'
//! dates, because the image's key depends on it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::files::GivenFolder;
use crate::install::BoxError;

/// All added packages together may be this large, unpacked.
const MOST_BYTES: u64 = 256 << 20;

/// Endings of files that hold machine code.
const NATIVE: &[&str] = &["so", "pyd", "dylib", "dll", "a", "o"];

/// Why something cannot be added to an image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// It cannot be read.
    #[error("could not read {}", path.display())]
    Unreadable {
        /// What was named.
        path: PathBuf,
        /// Why.
        source: BoxError,
    },
    /// It brings machine code.
    #[error("{} holds machine code ({member}); only pure-Python packages can be added to an image", path.display())]
    Native {
        /// What was named.
        path: PathBuf,
        /// The file inside it.
        member: String,
    },
    /// It is too large.
    #[error("the added packages hold more than {MOST_BYTES} bytes; add less")]
    TooLarge,
}

/// Packs wheels and folders into one archive.
///
/// A folder that is itself a package is added under its own name; any other
/// folder gives what is in it.
///
/// # Errors
/// When one cannot be read, holds machine code, or all are too large together.
pub fn pack(sources: &[PathBuf]) -> Result<Vec<u8>, PackageError> {
    let mut files = BTreeMap::new();
    for path in sources {
        let unreadable = |source: BoxError| PackageError::Unreadable { path: path.clone(), source };
        let found = if path.is_dir() { folder(path) } else { wheel(path) }.map_err(unreadable)?;
        if let Some((member, _)) = found.iter().find(|(name, _)| is_native(name)) {
            return Err(PackageError::Native { path: path.clone(), member: member.clone() });
        }
        files.extend(found);
    }
    if files.values().map(|bytes| bytes.len() as u64).sum::<u64>() > MOST_BYTES {
        return Err(PackageError::TooLarge);
    }
    write(&files).map_err(|source| PackageError::Unreadable { path: PathBuf::new(), source })
}

fn is_native(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| NATIVE.iter().any(|native| ending == *native))
}

fn folder(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, BoxError> {
    let is_package = path.join("__init__.py").exists();
    let root = if is_package { path.parent().unwrap_or(path) } else { path };
    let mut files = BTreeMap::new();
    let mut folders = vec![path.to_owned()];
    let mut total = 0;
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == "__pycache__" || name.to_string_lossy().starts_with('.') {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_symlink() {
                // They could lead to files nobody meant to add, and leaving them out would surprise.
                let shown = entry.path();
                return Err(format!(
                    "{} is a link, and links are not followed; put the file itself there",
                    shown.display()
                )
                .into());
            }
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                total += entry.metadata()?.len();
                if total > MOST_BYTES {
                    return Err(format!("it holds more than {MOST_BYTES} bytes").into());
                }
                let inside = entry.path().strip_prefix(root)?.to_string_lossy().into_owned();
                files.insert(inside, std::fs::read(entry.path())?);
            }
        }
    }
    Ok(files)
}

fn wheel(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, BoxError> {
    read(ZipArchive::new(File::open(path)?)?)
}

fn read<R: std::io::Read + std::io::Seek>(
    mut archive: ZipArchive<R>,
) -> Result<BTreeMap<String, Vec<u8>>, BoxError> {
    let mut files = BTreeMap::new();
    let mut room = MOST_BYTES;
    for index in 0..archive.len() {
        let member = archive.by_index(index)?;
        let Some(name) = member.enclosed_name() else {
            return Err("a file in it points outside the archive".into());
        };
        if member.is_dir() {
            continue;
        }
        let name = name.to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        // What the archive says of its sizes is its word only.
        member.take(room + 1).read_to_end(&mut bytes)?;
        room = room.checked_sub(bytes.len() as u64).ok_or("it unpacks to too much")?;
        files.insert(name, bytes);
    }
    Ok(files)
}

fn write(files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, BoxError> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    for (name, bytes) in files {
        archive.start_file(name, options)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// The files of an archive made by [`pack`].
pub(crate) fn unpack(archive: &[u8]) -> Result<GivenFolder, BoxError> {
    let files = read(ZipArchive::new(Cursor::new(archive))?)?;
    let files = files.into_iter().map(|(name, bytes)| (name, Arc::from(bytes)));
    Ok(GivenFolder::new(files)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_folder_keeps_its_name_and_packs_the_same_twice() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("mine");
        std::fs::create_dir(&package).unwrap();
        std::fs::write(package.join("__init__.py"), "x = 1").unwrap();
        let packed = pack(std::slice::from_ref(&package)).unwrap();
        let names: Vec<_> =
            read(ZipArchive::new(Cursor::new(&packed)).unwrap()).unwrap().into_keys().collect();
        assert_eq!(names, ["mine/__init__.py"]);
        assert_eq!(pack(&[package]).unwrap(), packed);
    }

    #[test]
    fn machine_code_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("fast.so"), "\x7fELF").unwrap();
        let error = pack(&[folder.path().to_owned()]).unwrap_err();
        assert!(error.to_string().contains("fast.so"), "{error}");
    }
}
