//! The folder of large files that took long to make: compiled code, images, the library.
//!
//! ```text
//! FOLDER/                         mode 0700
//!   lock                          held by whoever writes
//!   code-<key>.cwasm              compiled code; the key says what it was compiled from, and by what
//!   image-<sha256>.img            a memory image, named by its content
//!   <file>.json                   the record of <file>: its digest, and what `stat` said when that was true
//!   images/<name>.json            what a name of an image stands for
//!   .tmp-…                        unfinished; whoever locks the folder next clears it away
//! ```
//!
//! Compiled code is executed, so a file is only as good as the proof that it is
//! still what was written. Hashing 270 MB takes 0.3 s, too long for every start,
//! so a file whose device, inode, size, mtime and ctime are those of its record
//! is taken as proven; any other is hashed. Three things hold throughout:
//!
//! * A file appears under its name complete and on disk (written aside, fsynced,
//!   renamed) and is never opened for writing again. Removing only unlinks:
//!   truncating a file that another process has mapped would kill that process.
//! * A file is trusted only with its record, which is written last. A crash
//!   at any point leaves a file without a record, which counts as absent.
//! * Only [`Locked`] writes. Reading needs no lock.

mod hash;
mod image_name;
mod images;
mod locked;
pub mod names;
mod record;

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use engine::Digest;
use rustix::fs::{Mode, OFlags};

pub(crate) use self::hash::{digest_of_file, digest_of_parts};
pub use self::image_name::{BadImageName, ImageName};
pub use self::images::{HotPages, ImageLookupError, ImageRecord, ParentImage, StoredImage};
pub use self::locked::{Draft, Locked};
use self::record::{Identity, Record};

const TEMPORARY: &str = ".tmp-";
const IMAGES: &str = "images";
const LOCK: &str = "lock";
const RECORD: &str = "json";

/// Why the cache did not give what was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The file was never finished, or is gone.
    #[error("{file} is not in the cache {}; `tidegate runtime install` makes it", folder.display())]
    Missing {
        /// Its name.
        file: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// Somebody changed a file after it was written. It was not used.
    #[error("{} was altered: its SHA-256 should be {wanted} and is {found}; it is not used until `tidegate runtime install` or, for an image of your own, `tidegate image build` has made it again", file.display())]
    Altered {
        /// The file.
        file: PathBuf,
        /// The digest on record.
        wanted: Digest,
        /// The digest of what is there now.
        found: Digest,
    },
    /// A record of ours cannot be read, so its file proves nothing.
    #[error("the record {} cannot be understood; `tidegate runtime install` makes it again", file.display())]
    Record {
        /// The record.
        file: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Others can write into the folder, so nothing in it can be trusted.
    #[error("the cache {} {problem}; `chmod go-w` it, or set TIDEGATE_CACHE to a folder of your own", folder.display())]
    Exposed {
        /// The folder or file.
        folder: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The machine refused: no space, no permission.
    #[error("could not {action} {}; TIDEGATE_CACHE names another folder", path.display())]
    Io {
        /// What was attempted, as an infinitive.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The cache folder. Making one touches nothing; the first [`Cache::lock`] creates the folder.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

/// A file of the cache that is what was written. Only [`Cache::open`] and [`Locked::open`] make one.
#[derive(Debug)]
pub struct CheckedFile {
    path: PathBuf,
    file: File,
    sha256: Digest,
    bytes: u64,
}

impl CheckedFile {
    /// Where it is. Prefer [`CheckedFile::file`]: by the time a path is opened
    /// again, another file may be there.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same file once more, for when its name is gone. It is hashed: without a name it has no record.
    pub(crate) fn again(&self) -> Result<Self, CacheError> {
        let Self { path, sha256: wanted, bytes, .. } = self;
        let file = self.file.try_clone().map_err(io_error("open again", path))?;
        let found = digest_of_file(&file, &|_| ()).map_err(io_error("read", path))?;
        if found != *wanted {
            return Err(CacheError::Altered { file: path.clone(), wanted: *wanted, found });
        }
        Ok(Self { path: path.clone(), file, sha256: found, bytes: *bytes })
    }

    /// The very file that was checked, open for reading.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The SHA-256 of its content.
    #[must_use]
    pub fn sha256(&self) -> Digest {
        self.sha256
    }

    /// Its length.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// What can be said of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glance {
    /// As recorded.
    Intact {
        /// Its length.
        bytes: u64,
    },
    /// There, but not as recorded: copied, touched or altered. Opening it will hash it.
    Unproven {
        /// Its length.
        bytes: u64,
    },
    /// Not there, or never finished.
    Absent,
}

impl Cache {
    /// The cache in `folder`.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens a file that is proven to be what was written under that name.
    pub fn open(&self, name: &str) -> Result<CheckedFile, CacheError> {
        let (checked, renewed) = self.check(name)?;
        if let Some(renewed) = renewed {
            // Best effort: without it the file is hashed again next time. Only
            // under the lock, so that it never overwrites the record of a newer file.
            if let Ok(Some(locked)) = self.try_lock() {
                let _ = locked.write_record(name, &renewed);
            }
        }
        Ok(checked)
    }

    /// What can be said of a file by `stat` alone.
    pub fn glance(&self, name: &str) -> Result<Glance, CacheError> {
        match (self.open_unchecked(name), self.record(name)) {
            (Ok((_, identity)), Ok(record)) if identity == record.identity => {
                Ok(Glance::Intact { bytes: identity.bytes })
            }
            (Ok((_, identity)), Ok(_)) => Ok(Glance::Unproven { bytes: identity.bytes }),
            (Err(CacheError::Missing { .. }), _)
            | (_, Err(CacheError::Missing { .. } | CacheError::Record { .. })) => {
                Ok(Glance::Absent)
            }
            (Err(error), _) | (_, Err(error)) => Err(error),
        }
    }

    /// Opens a file and compares it with its record; gives the record to write
    /// when the content is right and the identity is new.
    fn check(&self, name: &str) -> Result<(CheckedFile, Option<Record>), CacheError> {
        self.refuse_exposed_folder()?;
        let (file, identity) = self.open_unchecked(name)?;
        let record = self.record(name)?;
        let path = self.path(name);

        let renewed = if identity == record.identity {
            None
        } else {
            let found = digest_of_file(&file, &|_| ()).map_err(io_error("read", &path))?;
            if found != record.sha256 {
                return Err(CacheError::Altered { file: path, wanted: record.sha256, found });
            }
            Some(Record { sha256: found, identity })
        };
        Ok((CheckedFile { path, file, sha256: record.sha256, bytes: identity.bytes }, renewed))
    }

    /// The file and what `stat` says of exactly that open file.
    fn open_unchecked(&self, name: &str) -> Result<(File, Identity), CacheError> {
        let path = self.path(name);
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(descriptor) => File::from(descriptor),
            Err(rustix::io::Errno::NOENT) => return Err(self.missing(name)),
            Err(error) => return Err(io_error("open", &path)(error.into())),
        };
        let metadata = file.metadata().map_err(io_error("inspect", &path))?;
        if !metadata.is_file() {
            return Err(CacheError::Exposed {
                folder: path,
                problem: "holds something that is not a file",
            });
        }
        Ok((file, Identity::of(&metadata)))
    }

    fn record(&self, name: &str) -> Result<Record, CacheError> {
        let path = self.record_path(name);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(self.missing(name)),
            Err(error) => return Err(io_error("read", &path)(error)),
        };
        let unusable = |source| CacheError::Record { file: path, source };
        match serde_json::from_slice::<Record>(&text) {
            Ok(record) if names::agrees(name, &record.sha256) => Ok(record),
            Ok(_) => Err(unusable(serde::de::Error::custom(
                "its digest is not the one in the file's name",
            ))),
            Err(error) => Err(unusable(error)),
        }
    }

    fn refuse_exposed_folder(&self) -> Result<(), CacheError> {
        let metadata = match std::fs::metadata(&self.folder) {
            Ok(metadata) => metadata,
            // What is not there exposes nothing; the file asked for will be missing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(io_error("inspect", &self.folder)(error)),
        };
        let exposed = |problem| Err(CacheError::Exposed { folder: self.folder.clone(), problem });
        // Root may have prepared the folder for everybody, as in a container.
        if metadata.uid() != 0 && metadata.uid() != rustix::process::geteuid().as_raw() {
            return exposed("belongs to another user");
        }
        if metadata.mode() & 0o022 != 0 {
            return exposed("can be written to by others");
        }
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        debug_assert!(!name.contains('/'), "names are made by this crate and have no folders");
        self.folder.join(name)
    }

    fn record_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{RECORD}"))
    }

    fn missing(&self, name: &str) -> CacheError {
        CacheError::Missing { file: name.to_owned(), folder: self.folder.clone() }
    }
}

/// Makes an I/O error say what was attempted on what.
pub(crate) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CacheError {
    move |source| CacheError::Io { action, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
