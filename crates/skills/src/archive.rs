//! The files of a pack, from a folder or a zip archive.
//!
//! Whoever made the archive may be an attacker: names that lead elsewhere, links, files that grow when
//! they are unpacked. So nothing is unpacked to disk, every name is one of a few plain letters, and
//! what comes out of the archive is counted as it comes, whatever the archive says about it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Cursor, Read, Write as _};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::disk;

/// The most files in a pack.
const MAX_FILES: usize = 500;
/// The largest archive, in bytes.
const MAX_ARCHIVE: usize = 16 << 20;
/// The most bytes of one file.
const MAX_FILE: usize = 4 << 20;
/// The most bytes of all files together.
const MAX_ALL: usize = 32 << 20;

/// The content of every file, by its path with `/`.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Why something cannot be read as the files of a pack.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The disk did not give it.
    #[error("{} could not be read: {source}", path.display())]
    Unreadable {
        /// What was read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no zip archive, or a broken one.
    #[error("it is not a zip archive that can be read: {0}")]
    Broken(String),
    /// A name could lead out of the pack.
    #[error(
        "the pack holds {0:?}; only small letters, digits and _ - . are allowed in names, and no links"
    )]
    Name(String),
    /// There is more in it than a pack may hold.
    #[error("the pack has more than the {allowed} {what} it may have")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        allowed: usize,
    },
}

/// Reads the files of a folder or of an archive.
pub(crate) fn read(path: &Path) -> Result<Files, ArchiveError> {
    let failed = |source| ArchiveError::Unreadable { path: path.to_owned(), source };
    if fs::metadata(path).map_err(failed)?.is_dir() {
        let mut taken = Taken::default();
        walk(path, "", &mut taken)?;
        return Ok(taken.files);
    }
    unpack(&disk::read(path, MAX_ARCHIVE).map_err(failed)?)
}

/// Reads the files of an archive.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Files, ArchiveError> {
    let broken = |error: zip::result::ZipError| ArchiveError::Broken(error.to_string());
    if bytes.len() > MAX_ARCHIVE {
        return Err(ArchiveError::TooLarge { what: "bytes", allowed: MAX_ARCHIVE });
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > 2 * MAX_FILES {
        return Err(ArchiveError::TooLarge { what: "files", allowed: MAX_FILES });
    }
    let mut taken = Taken::default();
    for number in 0..archive.len() {
        let mut member = archive.by_index(number).map_err(broken)?;
        let name = String::from_utf8_lossy(member.name_raw()).into_owned();
        if member.is_symlink() {
            return Err(ArchiveError::Name(name));
        }
        if member.is_dir() {
            continue;
        }
        taken.take(name, &mut member).map_err(|error| match error {
            ArchiveError::Unreadable { source, .. } => ArchiveError::Broken(source.to_string()),
            other => other,
        })?;
    }
    Ok(taken.files)
}

/// Writes files as an archive; the same files give the same bytes.
pub(crate) fn pack(files: &Files) -> io::Result<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(name.as_str(), options)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

fn walk(folder: &Path, within: &str, taken: &mut Taken) -> Result<(), ArchiveError> {
    let failed = |source| ArchiveError::Unreadable { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = format!("{within}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() && is_plain(&name) {
            walk(&entry.path(), &format!("{name}/"), taken)?;
        } else if kind.is_file() {
            taken.take(name, &mut fs::File::open(entry.path()).map_err(failed)?)?;
        } else {
            return Err(ArchiveError::Name(name));
        }
    }
    Ok(())
}

#[derive(Default)]
struct Taken {
    files: Files,
    bytes: usize,
}

impl Taken {
    fn take(&mut self, name: String, from: &mut impl Read) -> Result<(), ArchiveError> {
        if !is_plain(&name) || self.files.contains_key(&name) {
            return Err(ArchiveError::Name(name));
        }
        if self.files.len() >= MAX_FILES {
            return Err(ArchiveError::TooLarge { what: "files", allowed: MAX_FILES });
        }
        let mut bytes = Vec::new();
        let read = from.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|source| ArchiveError::Unreadable { path: PathBuf::from(&name), source })?;
        if bytes.len() > MAX_FILE {
            return Err(ArchiveError::TooLarge { what: "bytes in one file", allowed: MAX_FILE });
        }
        self.bytes += bytes.len();
        if self.bytes > MAX_ALL {
            return Err(ArchiveError::TooLarge { what: "bytes in all files", allowed: MAX_ALL });
        }
        self.files.insert(name, bytes);
        Ok(())
    }
}

/// At most three folders deep, and nothing in it that any system reads as more than a letter.
fn is_plain(path: &str) -> bool {
    let plain = |letter: u8| {
        letter.is_ascii_lowercase() || letter.is_ascii_digit() || b"_-.".contains(&letter)
    };
    let part = |part: &str| {
        !part.is_empty() && part.len() <= 100 && !part.starts_with('.') && part.bytes().all(plain)
    };
    path.split('/').count() <= 3 && path.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in members {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn the_same_files_give_the_same_archive_and_come_back() {
        let files: Files =
            [("pack.json".to_owned(), b"{}".to_vec()), ("skills/a.py".to_owned(), vec![7; 9_000])]
                .into();
        let bytes = pack(&files).unwrap();
        assert_eq!(bytes, pack(&files).unwrap());
        assert_eq!(unpack(&bytes).unwrap(), files);
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in
            ["../a", "/etc/passwd", "a/../../b", "a\\b", "C:/a", ".hidden", "a//b", "a/b/c/d", "A"]
        {
            let refused = unpack(&zipped(&[(name, b"x")])).unwrap_err();
            assert!(matches!(refused, ArchiveError::Name(_)), "{name}: {refused}");
        }
    }

    #[test]
    fn a_link_is_refused_in_archives_and_folders() {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        archive.add_symlink("a", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        let bytes = archive.finish().unwrap().into_inner();
        assert!(matches!(unpack(&bytes), Err(ArchiveError::Name(_))));

        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("a")).unwrap();
        assert!(matches!(read(folder.path()), Err(ArchiveError::Name(_))));
    }

    #[test]
    fn files_that_grow_when_unpacked_are_not_read_to_their_end() {
        let zeros = vec![0; MAX_FILE + 1];
        let one = zipped(&[("a", &zeros)]);
        assert!(one.len() < 100_000);
        assert!(unpack(&one).unwrap_err().to_string().contains("bytes in one file"));
        let names: Vec<String> = (0..9).map(|number| format!("a{number}")).collect();
        let many: Vec<_> = names.iter().map(|name| (name.as_str(), &zeros[..MAX_FILE])).collect();
        assert!(unpack(&zipped(&many)).unwrap_err().to_string().contains("bytes in all files"));
        let names: Vec<String> = (0..=MAX_FILES).map(|number| format!("a{number}")).collect();
        let many: Vec<_> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
        assert!(unpack(&zipped(&many)).unwrap_err().to_string().contains("files"));
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        assert!(matches!(unpack(b"not a zip"), Err(ArchiveError::Broken(_))));
        let mut cut = zipped(&[("a", &[3; 5_000])]);
        cut.truncate(cut.len() / 2);
        assert!(matches!(unpack(&cut), Err(ArchiveError::Broken(_))));
    }
}
