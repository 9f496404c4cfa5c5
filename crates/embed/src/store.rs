//! Vectors on disk, so that a text is embedded once.
//!
//! One file: a header, then digest and numbers of each text, sorted by digest, then the SHA-256 of
//! all that. It is written aside and renamed, so it is always either the old one or the new one.
//! It is only a memory: whoever cannot read it may start with an empty one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::DIMENSIONS;

const MAGIC: &[u8; 8] = b"tgvectr1";
const HEADER: usize = MAGIC.len() + 32 + 4 + 4;
const ENTRY: usize = 32 + 4 * DIMENSIONS;
const SEAL: usize = 32;
/// No more vectors are kept in a file: 78 MB.
const MOST: usize = 50_000;

/// Why stored vectors cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system would not let us.
    #[error("could not {action} {}", file.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not what was written.
    #[error("{} is not a file of vectors or was damaged ({what}); remove it and it is made again", file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Vectors by the digest of their text.
#[derive(Debug, Clone, PartialEq)]
pub struct Store {
    model: [u8; 32],
    vectors: BTreeMap<[u8; 32], Arc<[f32]>>,
}

impl Store {
    /// An empty store for vectors of the model with this identity.
    #[must_use]
    pub fn new(model: [u8; 32]) -> Self {
        Self { model, vectors: BTreeMap::new() }
    }

    /// What is in `file`; an empty store when there is no such file, or when its vectors are those
    /// of another model.
    pub fn open(file: &Path, model: [u8; 32]) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Io { action: "read", file: file.to_owned(), source };
        let opened = match File::open(file) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::new(model)),
            Err(error) => return Err(failed(error)),
        };
        let most = HEADER + MOST * ENTRY + SEAL;
        let mut bytes = Vec::new();
        opened.take(most as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        let broken = |what| StoreError::Broken { file: file.to_owned(), what };
        if bytes.len() > most {
            return Err(broken("it is too long"));
        }
        parse(&bytes, model).map_err(broken)
    }

    /// The vector of the text with this digest.
    #[must_use]
    pub fn get(&self, digest: &[u8; 32]) -> Option<&Arc<[f32]>> {
        self.vectors.get(digest)
    }

    /// Keeps a vector. One that is not of the model's size or holds anything but ordinary numbers
    /// is left out.
    pub fn insert(&mut self, digest: [u8; 32], vector: Arc<[f32]>) {
        if vector.len() == DIMENSIONS && vector.iter().all(|number| number.is_finite()) {
            self.vectors.insert(digest, vector);
        }
    }

    /// Forgets vectors that `keep` does not name.
    pub fn retain(&mut self, mut keep: impl FnMut(&[u8; 32]) -> bool) {
        self.vectors.retain(|digest, _| keep(digest));
    }

    /// All of them, sorted by digest.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8; 32], &Arc<[f32]>)> {
        self.vectors.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// There are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Writes them to `file`; of more than 50,000 only so many.
    pub fn save(&self, file: &Path) -> Result<(), StoreError> {
        let failed = |source| StoreError::Io { action: "write", file: file.to_owned(), source };
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut draft = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        draft.write_all(&self.bytes()).map_err(failed)?;
        draft.as_file().sync_all().map_err(failed)?;
        draft.persist(file).map_err(|error| failed(error.error))?;
        Ok(())
    }

    fn bytes(&self) -> Vec<u8> {
        let count = self.vectors.len().min(MOST);
        let mut bytes = Vec::with_capacity(HEADER + count * ENTRY + SEAL);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.model);
        for number in [DIMENSIONS, count] {
            bytes.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        for (digest, vector) in self.vectors.iter().take(count) {
            bytes.extend_from_slice(digest);
            bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        }
        let seal = Sha256::digest(&bytes);
        bytes.extend_from_slice(&seal);
        bytes
    }
}

fn parse(bytes: &[u8], model: [u8; 32]) -> Result<Store, &'static str> {
    let Some((body, seal)) = bytes.split_last_chunk::<SEAL>() else {
        return Err("it is too short");
    };
    if Sha256::digest(body).as_slice() != seal {
        return Err("its SHA-256 is another");
    }
    let Some((header, entries)) = body.split_at_checked(HEADER) else {
        return Err("it is too short");
    };
    let Some(header) = header.strip_prefix(MAGIC) else { return Err("it begins otherwise") };
    let mut store = Store::new(model);
    let (their_model, numbers) = header.split_at(32);
    let numbers: Vec<usize> = numbers.chunks_exact(4).map(number).collect();
    if their_model != model || numbers[0] != DIMENSIONS {
        return Ok(store);
    }
    if entries.len() % ENTRY != 0 || entries.len() / ENTRY != numbers[1] {
        return Err("its length is not that of its vectors");
    }
    for entry in entries.chunks_exact(ENTRY) {
        let (digest, vector) = entry.split_at(32);
        let vector: Arc<[f32]> = vector.chunks_exact(4).map(float).collect();
        if let Ok(digest) = digest.try_into() {
            store.insert(digest, vector);
        }
    }
    Ok(store)
}

fn number(bytes: &[u8]) -> usize {
    bytes.try_into().map_or(0, |bytes| u32::from_le_bytes(bytes) as usize)
}

fn float(bytes: &[u8]) -> f32 {
    bytes.try_into().map_or(f32::NAN, f32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{DIMENSIONS, Store, StoreError};

    const MODEL: [u8; 32] = [1; 32];

    #[test]
    fn what_was_stored_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vectors");
        let store = filled();
        store.save(&file).unwrap();
        assert_eq!(Store::open(&file, MODEL).unwrap(), store);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "a draft was left behind");
    }

    #[test]
    fn no_file_and_another_model_are_an_empty_store() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vectors");
        assert!(Store::open(&file, MODEL).unwrap().is_empty());
        filled().save(&file).unwrap();
        assert!(Store::open(&file, [2; 32]).unwrap().is_empty());
    }

    #[test]
    fn any_changed_or_missing_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vectors");
        let whole = filled().bytes();
        for length in [0, 8, 31, 40, 79, 500, whole.len() - 1] {
            std::fs::write(&file, &whole[..length]).unwrap();
            assert!(is_broken(&file), "{length} bytes");
        }
        for at in [0, 9, 45, 90, 200, whole.len() - 1] {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&file, &changed).unwrap();
            assert!(is_broken(&file), "byte {at}");
        }
        let mut longer = whole.clone();
        longer.push(0);
        std::fs::write(&file, &longer).unwrap();
        assert!(is_broken(&file));
    }

    #[test]
    fn vectors_that_are_no_directions_are_left_out() {
        let mut store = filled();
        store.insert([8; 32], Arc::from([0.5]));
        store.insert([9; 32], vec![f32::NAN; DIMENSIONS].into());
        assert_eq!(store.len(), filled().len());
    }

    fn is_broken(file: &std::path::Path) -> bool {
        matches!(Store::open(file, MODEL), Err(StoreError::Broken { .. }))
    }

    fn filled() -> Store {
        let mut store = Store::new(MODEL);
        for number in 0..3 {
            store.insert([number; 32], vec![f32::from(number) + 0.25; DIMENSIONS].into());
        }
        store
    }
}
