//! SHA-256 of files and of lists of things.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use engine::Digest;
use sha2::{Digest as _, Sha256};

const BUFFER: usize = 1 << 20;

/// Hashes a file from its start, whatever its position, saying how many bytes are done.
///
/// It is read, not mapped: a file cut short while mapped would kill the process.
pub(crate) fn digest_of_file(file: &File, done: &dyn Fn(u64)) -> io::Result<Digest> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BUFFER];
    let mut position = 0;
    loop {
        match file.read_at(&mut buffer, position) {
            Ok(0) => return Ok(Digest(hasher.finalize().into())),
            Ok(count) => {
                hasher.update(&buffer[..count]);
                position += count as u64;
                done(position);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Hashes several byte strings so that no two lists of them give the same input.
pub(crate) fn digest_of_parts(parts: &[&[u8]]) -> Digest {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    Digest(hasher.finalize().into())
}
