//! The decoders of this crate, for fuzz targets outside of it. Not part of the interface.
//!
//! Each takes bytes that may come from anybody and must neither panic nor take more
//! memory or time than their length justifies. What they decode is thrown away.

use std::io::{self, Write as _};
use std::sync::{Arc, OnceLock};

use engine::Limits;

use crate::files::{Files, GivenFolder, Library, Quota};
use crate::memory::PAGE;
use crate::{frozen, wire};

/// What a guest says through the door.
pub fn message(bytes: &[u8]) {
    let limits = Limits::default();
    // The door compares the length first, and so must whoever stands in for it.
    if bytes.len() as u64 <= wire::allowed(bytes.first().copied().unwrap_or(0), &limits) {
        let _ = wire::decode(bytes, &limits);
    }
}

/// The body of a frozen guest, and the files it describes.
pub fn frozen(body: &[u8]) {
    let Ok(frozen) = frozen::decode(body) else { return };
    let mut page = vec![0; PAGE];
    for (_, lines) in frozen.pages.iter() {
        lines.write_to(&mut page);
    }
    let Some(library) = library() else { return };
    let packages = GivenFolder::default();
    let restore = |meta, contents: &[(u64, &[u8])]| {
        Files::restore(meta, contents, Arc::clone(&library), Quota::default(), &packages)
    };
    let Ok(files) = restore(frozen.meta.files, &frozen.contents) else { return };

    let (saved, contents) = files.save();
    let contents: Vec<_> = contents.iter().map(|(inode, it)| (*inode, it.to_vec())).collect();
    let contents: Vec<_> = contents.iter().map(|(inode, it)| (*inode, it.as_slice())).collect();
    assert!(restore(saved, &contents).is_ok(), "what was restored can be saved and restored");
}

/// A standard library with nothing in it; made once.
fn library() -> Option<Arc<Library>> {
    static LIBRARY: OnceLock<Option<Arc<Library>>> = OnceLock::new();
    let made = LIBRARY.get_or_init(|| empty_library().ok().map(Arc::new));
    made.clone()
}

fn empty_library() -> io::Result<Library> {
    let mut file = tempfile::tempfile()?;
    let empty =
        zip::ZipWriter::new(io::Cursor::new(Vec::new())).finish().map_err(io::Error::other)?;
    file.write_all(empty.get_ref())?;
    Library::open(file)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A description of a guest without pages, with one file of three bytes.
    const SEED: &[u8] = include_bytes!("../../../fuzz/seeds/frozen/one-file");

    fn sealed(description: &[u8], bulk: &[u8]) -> Vec<u8> {
        let length = u32::try_from(description.len()).unwrap().to_le_bytes();
        [&length, description, bulk].concat()
    }

    #[test]
    fn the_seed_is_a_body() {
        let at = SEED.iter().position(|&byte| byte == b'\n').unwrap();
        let body = sealed(&SEED[..at], &SEED[at + 1..]);
        let decoded = frozen::decode(&body).unwrap();
        let files = Files::restore(
            decoded.meta.files,
            &decoded.contents,
            library().unwrap(),
            Quota::default(),
            &GivenFolder::default(),
        );
        assert_eq!(files.map(|files| files.usage()).unwrap(), (3, 1));
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            message(&bytes);
            frozen(&bytes);
        }

        #[test]
        fn no_change_of_a_description_makes_the_decoder_panic(
            changes in proptest::collection::vec((0..SEED.len(), any::<u8>()), 1..4),
        ) {
            let mut seed = SEED.to_vec();
            for (at, byte) in changes {
                seed[at] = byte;
            }
            let at = seed.iter().position(|&byte| byte == b'\n').unwrap_or(seed.len());
            frozen(&sealed(&seed[..at], seed.get(at + 1..).unwrap_or_default()));
        }
    }
}
