//! Files that the host shows to programs in one read-only folder.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::image::Digest;

/// Read-only files by path below the folder, `/` between names. Made once and shared by
/// every session that sees it.
pub struct Folder {
    files: BTreeMap<String, Arc<[u8]>>,
    digest: Digest,
    prepared: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl Folder {
    /// A folder of these files.
    #[must_use]
    pub fn new(files: BTreeMap<String, Arc<[u8]>>) -> Self {
        let mut all = Vec::new();
        for (path, bytes) in &files {
            all.extend_from_slice(path.as_bytes());
            all.push(0);
            all.extend_from_slice(&Digest::of(bytes).0);
        }
        Self { digest: Digest::of(&all), files, prepared: OnceLock::new() }
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, Arc<[u8]>> {
        &self.files
    }

    /// Differs whenever a path or a byte does.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What an engine made of these files, kept with them so that it is made once.
    pub fn prepared<T: Send + Sync + 'static>(&self, make: impl Fn(&Self) -> T) -> Arc<T> {
        let kept = self.prepared.get_or_init(|| Arc::new(make(self)));
        // Two engines of different kinds may see one folder; the second makes its own.
        Arc::clone(kept).downcast().unwrap_or_else(|_| Arc::new(make(self)))
    }
}

impl fmt::Debug for Folder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Folder").field("files", &self.files.len()).finish_non_exhaustive()
    }
}
