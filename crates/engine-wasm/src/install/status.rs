//! What is installed, whether it is still right, and how to be rid of it.

use std::path::PathBuf;

use engine::Digest;

use super::Plan;
use crate::cache::{
    Cache, CacheError, Glance, ImageName, ImageRecord, digest_of_file, io_error, names,
};
use crate::language::Spoken as _;

/// What is installed, found out by `stat` alone.
#[derive(Debug, Clone)]
pub struct Status {
    /// Where.
    pub folder: PathBuf,
    /// Whether everything that this version needs is there.
    pub complete: bool,
    /// Every file, of other versions and of the user's own images too.
    pub files: Vec<FileStatus>,
    /// The images that have a name.
    pub images: Vec<ImageRecord>,
}

impl Status {
    /// Bytes on disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// One file of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStatus {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// How it is.
    pub state: FileState,
}

/// How a file is, as far as is known without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// As recorded.
    Intact,
    /// Not as recorded; its digest will be computed before it is used.
    Unproven,
    /// Never finished; it will not be used.
    Unfinished,
    /// This version needs it and it is not there.
    Missing,
}

/// What [`verify`] found out about one file.
#[derive(Debug)]
pub struct Verified {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its digest, or why it is no longer trusted.
    pub result: Result<Digest, CacheError>,
}

/// What is installed. Reads records, hashes nothing.
pub fn status(cache: &Cache, plan: &Plan) -> Result<Status, CacheError> {
    let needed: Vec<String> =
        [Some(plan.code_file()), plan.pins.library_file()].into_iter().flatten().collect();
    let mut files = Vec::new();
    for name in cache.names()? {
        let (state, bytes) = match cache.glance(&name)? {
            Glance::Intact { bytes } => (FileState::Intact, bytes),
            Glance::Unproven { bytes } => (FileState::Unproven, bytes),
            Glance::Absent => (FileState::Unfinished, 0),
        };
        files.push(FileStatus { name, bytes, state });
    }
    for name in &needed {
        if files.iter().all(|file| file.name != *name) {
            files.push(FileStatus { name: name.clone(), bytes: 0, state: FileState::Missing });
        }
    }
    let there = |name: &String| {
        files.iter().any(|file| {
            file.name == *name && matches!(file.state, FileState::Intact | FileState::Unproven)
        })
    };
    let complete = needed.iter().all(there) && built_in_images(cache, plan)?.is_some();
    Ok(Status { folder: cache.folder().to_owned(), complete, files, images: cache.images()? })
}

/// The built-in images, if all are there and were built from what `plan` says. Opens no image.
pub(super) fn built_in_images(
    cache: &Cache,
    plan: &Plan,
) -> Result<Option<Vec<ImageRecord>>, CacheError> {
    let images = images_of(cache, plan)?;
    Ok((images.len() == plan.recipes.len() + 1).then_some(images))
}

/// The built-in images that were built from what `plan` says, parents before children, up to the first
/// that is not there. Their names may stand for those of another version.
pub fn images_of(cache: &Cache, plan: &Plan) -> Result<Vec<ImageRecord>, CacheError> {
    let mut images = Vec::new();
    images.extend(built_from(cache, &plan.pins.language.first(), plan.pins.runtime())?);
    for recipe in &plan.recipes {
        let Some(parent) = images.iter().find(|image| image.name == recipe.parent) else { break };
        let Some(image) = built_from(cache, &recipe.name, recipe.key(parent))? else { break };
        images.push(image);
    }
    Ok(images)
}

fn built_from(
    cache: &Cache,
    name: &ImageName,
    key: Digest,
) -> Result<Option<ImageRecord>, CacheError> {
    for image in cache.images_built_from(name, key)? {
        if cache.glance(&names::image(&image.digest))? != Glance::Absent {
            return Ok(Some(image));
        }
    }
    Ok(None)
}

/// Hashes every file. One that is not what was written is no longer trusted,
/// so that the next installation makes it again.
pub fn verify(cache: &Cache, progress: &dyn Fn(&str)) -> Result<Vec<Verified>, CacheError> {
    // What cannot be written to can be looked at all the same.
    let locked = match cache.lock(&|| ()) {
        Ok(locked) => Some(locked),
        Err(CacheError::Io { source, .. })
            if matches!(
                source.kind(),
                std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied
            ) =>
        {
            None
        }
        Err(error) => return Err(error),
    };
    let mut report = Vec::new();
    for name in cache.names()? {
        progress(&name);
        let verified = rehash(cache, &name);
        if verified.result.is_err()
            && let Some(locked) = &locked
        {
            locked.distrust(&name)?;
        }
        report.push(verified);
    }
    Ok(report)
}

fn rehash(cache: &Cache, name: &str) -> Verified {
    let opened = cache.open(name);
    let bytes = opened.as_ref().map_or(0, crate::cache::CheckedFile::bytes);
    let result = opened.and_then(|file| {
        let found = digest_of_file(file.file(), &|_| ()).map_err(io_error("read", file.path()))?;
        if found == file.sha256() {
            Ok(found)
        } else {
            Err(CacheError::Altered { file: file.path().to_owned(), wanted: file.sha256(), found })
        }
    });
    Verified { name: name.to_owned(), bytes, result }
}

/// Unlinks everything. Says how many bytes that freed.
pub fn remove(cache: &Cache, waiting: &dyn Fn()) -> Result<u64, CacheError> {
    if !cache.folder().exists() {
        return Ok(0);
    }
    cache.lock(waiting)?.remove_all()
}
