//! Names for images: what is in one, what it was made from, where its file is.
//!
//! ```text
//! images/base.json            what `base` stands for now
//! images/base@1f0c….json      what it stood for before: sessions frozen on it still need it, and
//!                             another version of this program may have built it for itself
//! image-<sha256>.img          the memory; several names may stand for one
//! ```

use std::io;
use std::path::{Path, PathBuf};

use engine::Digest;
use serde::{Deserialize, Serialize};

use super::locked::unlink;
use super::{Cache, CacheError, CheckedFile, IMAGES, ImageName, Locked, io_error, names};

const PAGE: u64 = 4096;

/// A run of 4 KiB pages that programs are known to touch: its first page, and how many.
pub type HotPages = (u32, u32);

/// The image that another was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParentImage {
    /// What it was called.
    pub name: ImageName,
    /// Its content.
    pub digest: Digest,
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageRecord {
    /// The name.
    pub name: ImageName,
    /// The content, which also names the file.
    pub digest: Digest,
    /// Length of the memory.
    pub bytes: u64,
    /// The runtime whose code it runs with: [`Pins::runtime`](crate::install::Pins::runtime).
    pub runtime: Digest,
    /// What it was made from; `first` was made from the module alone.
    pub parent: Option<ParentImage>,
    /// Over everything that went in. Another key means that the image is out of date.
    pub built_from: Digest,
    /// Our own guest package, as it was then.
    pub guest: Digest,
    /// The warm-up program, kept so that the image can be made again.
    pub warm: String,
    /// The packages it brings: the digest of a file of the cache.
    pub packages: Option<Digest>,
    /// The modules it has imported.
    pub imports: Vec<String>,
    /// The pages worth touching before a program runs.
    pub hot_pages: Vec<HotPages>,
    /// The address of the function that does one step; 0 before there is one.
    pub entry: u32,
    /// When it was made, in seconds since 1970.
    pub created: u64,
}

impl ImageRecord {
    /// The digest of the warm-up program.
    #[must_use]
    pub fn warm_digest(&self) -> Digest {
        Digest::of(self.warm.as_bytes())
    }

    fn is_sound(&self) -> bool {
        let pages = self.bytes / PAGE;
        self.hot_pages.iter().all(|&(start, count)| u64::from(start) + u64::from(count) <= pages)
    }
}

/// An image ready to be mapped.
#[derive(Debug)]
pub struct StoredImage {
    /// What is in it.
    pub record: ImageRecord,
    /// The memory.
    pub file: CheckedFile,
}

/// Why there is no such image to use or to remove.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageLookupError {
    /// Nobody made an image of that name here.
    #[error(
        "there is no image {name}; `tidegate image list` shows those there are, `tidegate image build {name} --warm FILE.py` makes it"
    )]
    Unknown {
        /// What was asked for.
        name: ImageName,
    },
    /// A frozen session builds on an image that is not on this machine.
    #[error(
        "no image here has the digest {digest}; copy the cache of the machine it was frozen on, or start a new session"
    )]
    UnknownDigest {
        /// What was asked for.
        digest: Digest,
    },
    /// Built-in images go with the runtime.
    #[error(
        "the image {name} belongs to the runtime; `tidegate runtime remove` removes everything"
    )]
    BuiltIn {
        /// What was to be removed.
        name: ImageName,
    },
    /// The file of an image of the user's own is gone or was altered. It was not used.
    #[error(
        "the image {name} is damaged; `tidegate image build {name} --warm FILE.py` makes it again"
    )]
    Damaged {
        /// The image.
        name: ImageName,
        /// What happened to its file.
        source: CacheError,
    },
    /// The file is as recorded and cannot be used.
    #[error("the image {digest} cannot be mapped; run `tidegate runtime install`")]
    Broken {
        /// Which image.
        digest: Digest,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The cache would not give it.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl Cache {
    /// The images that have a name, by name.
    pub fn images(&self) -> Result<Vec<ImageRecord>, CacheError> {
        let mut images = self.all_images()?;
        images.retain(|(superseded, _)| !superseded);
        Ok(images.into_iter().map(|(_, record)| record).collect())
    }

    /// Names whose record cannot be read, in order: damage, or a newer version's.
    pub fn unreadable_images(&self) -> Result<Vec<String>, CacheError> {
        let mut names = Vec::new();
        for path in self.image_paths()? {
            if let Err(CacheError::Record { .. }) = self.read_image(&path) {
                let stem = path.file_stem().unwrap_or_default();
                names.push(stem.to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// What `name` stands for.
    pub fn image_record(&self, name: &ImageName) -> Result<ImageRecord, ImageLookupError> {
        self.read_image(&self.image_path(name))?
            .ok_or_else(|| ImageLookupError::Unknown { name: name.clone() })
    }

    /// What was built from `key` under this name: what the name stands for, or else what it stood for
    /// before. Records that cannot be read are passed over.
    pub(crate) fn images_built_from(
        &self,
        name: &ImageName,
        key: Digest,
    ) -> Result<Vec<ImageRecord>, CacheError> {
        let fits = |record: &ImageRecord| record.built_from == key;
        if let Some(record) = self.readable_image(&self.image_path(name))?.filter(fits) {
            return Ok(vec![record]);
        }
        let mut paths = self.image_paths()?;
        let before = format!("{name}@");
        paths.retain(|path| {
            path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&before))
        });
        let mut found = Vec::new();
        for path in paths {
            found.extend(self.readable_image(&path)?.filter(fits));
        }
        found.sort_by_key(|record| std::cmp::Reverse(record.created));
        Ok(found)
    }

    /// What is known of the image with that content, also when its name stands for another by now.
    pub fn find_record_by_digest(
        &self,
        digest: &Digest,
    ) -> Result<Option<ImageRecord>, CacheError> {
        let found = self.all_images()?.into_iter().find(|(_, record)| record.digest == *digest);
        Ok(found.map(|(_, record)| record))
    }

    /// The image called `name`.
    pub fn image(&self, name: &ImageName) -> Result<StoredImage, ImageLookupError> {
        let record = self.image_record(name)?;
        self.open_image(record)
    }

    /// The image with that content, also when its name stands for another by now.
    pub fn find_image_by_digest(&self, digest: &Digest) -> Result<StoredImage, ImageLookupError> {
        let found = self.find_record_by_digest(digest)?;
        self.open_image(found.ok_or(ImageLookupError::UnknownDigest { digest: *digest })?)
    }

    /// Removes an image of the user's own. Says how many bytes that freed.
    pub fn remove_image(&self, name: &ImageName) -> Result<u64, ImageLookupError> {
        if name.is_built_in() {
            return Err(ImageLookupError::BuiltIn { name: name.clone() });
        }
        let locked = self.lock(&|| ())?;
        let record = match self.image_record(name) {
            Ok(record) => Some(record),
            Err(ImageLookupError::Cache(CacheError::Record { .. })) => None,
            Err(error) => return Err(error),
        };
        unlink(&self.image_path(name))?;
        Ok(record.map_or(Ok(0), |record| locked.remove_unused(&record))?)
    }

    /// Removes images that no name stands for any more, unless `is_needed` by a
    /// frozen session. Says how many bytes that freed.
    pub fn remove_superseded(
        &self,
        is_needed: &dyn Fn(&Digest) -> bool,
    ) -> Result<u64, CacheError> {
        let locked = self.lock(&|| ())?;
        let mut freed = 0;
        for (superseded, record) in self.all_images()? {
            if superseded && !is_needed(&record.digest) {
                unlink(&self.superseded_path(&record))?;
                freed += locked.remove_unused(&record)?;
            }
        }
        Ok(freed)
    }

    /// The packages that an image brings.
    pub fn image_packages(&self, record: &ImageRecord) -> Result<Option<CheckedFile>, CacheError> {
        record.packages.map(|digest| self.open(&names::packages(&digest))).transpose()
    }

    fn open_image(&self, record: ImageRecord) -> Result<StoredImage, ImageLookupError> {
        match self.open(&names::image(&record.digest)) {
            Ok(file) => Ok(StoredImage { record, file }),
            Err(source) if !record.name.is_built_in() => {
                Err(ImageLookupError::Damaged { name: record.name, source })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Every image, and whether its name stands for another by now.
    fn all_images(&self) -> Result<Vec<(bool, ImageRecord)>, CacheError> {
        let mut images = Vec::new();
        for path in self.image_paths()? {
            let superseded =
                path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains('@'));
            // Asking for one that cannot be read by name reports it; it must not hide the others.
            images.extend(self.readable_image(&path)?.map(|record| (superseded, record)));
        }
        images.sort_by(|(_, one), (_, other)| {
            (&one.name, other.created).cmp(&(&other.name, one.created))
        });
        Ok(images)
    }

    /// A record that is there and can be read.
    fn readable_image(&self, path: &Path) -> Result<Option<ImageRecord>, CacheError> {
        match self.read_image(path) {
            Err(CacheError::Record { .. }) => Ok(None),
            read => read,
        }
    }

    fn read_image(&self, path: &Path) -> Result<Option<ImageRecord>, CacheError> {
        self.refuse_exposed_folder()?;
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error("read", path)(error)),
        };
        let record: Result<ImageRecord, _> = serde_json::from_slice(&text);
        match record {
            Ok(record) if record.is_sound() => Ok(Some(record)),
            Ok(_) => Err(unsound(path)),
            Err(source) => Err(CacheError::Record { file: path.to_owned(), source }),
        }
    }

    /// Unlinks every name, and the folder of names if nothing else is in it.
    pub(super) fn forget_images(&self) -> Result<(), CacheError> {
        for path in self.image_paths()? {
            unlink(&path)?;
        }
        let _ = std::fs::remove_dir(self.folder.join(IMAGES));
        Ok(())
    }

    fn image_paths(&self) -> Result<Vec<PathBuf>, CacheError> {
        let folder = self.folder.join(IMAGES);
        let paths: io::Result<Vec<PathBuf>> = std::fs::read_dir(&folder)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        match paths {
            Ok(mut paths) => {
                paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
                Ok(paths)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(io_error("list", &folder)(error)),
        }
    }

    pub(super) fn image_path(&self, name: &ImageName) -> PathBuf {
        self.folder.join(IMAGES).join(format!("{name}.json"))
    }

    fn superseded_path(&self, record: &ImageRecord) -> PathBuf {
        self.folder.join(IMAGES).join(format!("{}@{}.json", record.name, record.digest))
    }
}

impl Locked<'_> {
    /// Lets a name stand for an image whose file is in place. What it stood for
    /// before stays findable by its digest, and by what it was built from.
    pub(crate) fn name_image(&self, record: &ImageRecord) -> Result<(), CacheError> {
        let path = self.cache().image_path(&record.name);
        if let Ok(Some(before)) = self.cache().read_image(&path)
            && (before.digest, before.built_from) != (record.digest, record.built_from)
        {
            self.write_json(&self.cache().superseded_path(&before), &before)?;
        }
        self.write_json(&path, record)
    }

    /// Unlinks the files that nothing but `record` needed.
    fn remove_unused(&self, record: &ImageRecord) -> Result<u64, CacheError> {
        let others = self.cache().all_images()?;
        let mut freed = 0;
        if others.iter().all(|(_, other)| other.digest != record.digest) {
            freed += self.remove(&names::image(&record.digest))?;
        }
        if let Some(packages) = record.packages
            && others.iter().all(|(_, other)| other.packages != Some(packages))
        {
            freed += self.remove(&names::packages(&packages))?;
        }
        Ok(freed)
    }
}

fn unsound(path: &Path) -> CacheError {
    let source = serde::de::Error::custom("its hot pages lie outside the image");
    CacheError::Record { file: path.to_owned(), source }
}
