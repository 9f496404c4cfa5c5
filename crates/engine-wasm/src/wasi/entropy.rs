//! The guest's chance: repeatable from a seed, or real.
//!
//! A seeded stream is SHA-256 of the seed and a block number, block after block. It
//! is saved as seed and position, so a frozen guest goes on with the same numbers.

use rustix::io::Errno as OsError;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::files::Errno;

const BLOCK: usize = 32;
const BUFFER: usize = 256;

/// Where random bytes come from.
///
/// Deliberately not `Clone`: two guests must not be given the same real chance.
pub(crate) struct Entropy(Source);

enum Source {
    Seeded {
        seed: [u8; BLOCK],
        /// Bytes given out so far.
        position: u64,
        /// The block that `position` lies in, unless it lies at its beginning.
        block: [u8; BLOCK],
    },
    Os {
        buffer: Box<[u8; BUFFER]>,
        /// Bytes of the buffer given out so far.
        used: usize,
    },
}

/// An [`Entropy`] at rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SavedEntropy {
    /// Goes on exactly where it stopped.
    Seeded {
        /// What the stream is made from.
        seed: [u8; BLOCK],
        /// Bytes given out so far.
        position: u64,
    },
    /// Has nothing to go on from.
    Os,
}

impl Entropy {
    /// The same bytes for the same seed.
    pub(crate) fn seeded(seed: [u8; BLOCK]) -> Self {
        Self::at(seed, 0)
    }

    /// Real chance from the operating system.
    pub(crate) fn os() -> Self {
        Self(Source::Os { buffer: Box::new([0; BUFFER]), used: BUFFER })
    }

    /// Goes on where `saved` stopped.
    pub(crate) fn restore(saved: &SavedEntropy) -> Self {
        match saved {
            SavedEntropy::Seeded { seed, position } => Self::at(*seed, *position),
            SavedEntropy::Os => Self::os(),
        }
    }

    /// What [`Self::restore`] needs.
    pub(crate) fn save(&self) -> SavedEntropy {
        match &self.0 {
            Source::Seeded { seed, position, .. } => {
                SavedEntropy::Seeded { seed: *seed, position: *position }
            }
            Source::Os { .. } => SavedEntropy::Os,
        }
    }

    /// Eight bytes as a number; for seeding what the guest itself draws from.
    pub(crate) fn next_u64(&mut self) -> Result<u64, Errno> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Fills `bytes`.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Errno> {
        match &mut self.0 {
            Source::Seeded { seed, position, block } => {
                fill_seeded(seed, position, block, bytes);
                Ok(())
            }
            Source::Os { .. } if bytes.len() > BUFFER => fill_os(bytes),
            Source::Os { buffer, used } => {
                if bytes.len() > BUFFER - *used {
                    fill_os(&mut buffer[..])?;
                    *used = 0;
                }
                bytes.copy_from_slice(&buffer[*used..*used + bytes.len()]);
                *used += bytes.len();
                Ok(())
            }
        }
    }

    fn at(seed: [u8; BLOCK], position: u64) -> Self {
        Self(Source::Seeded { seed, position, block: block_at(&seed, position) })
    }
}

fn fill_seeded(
    seed: &[u8; BLOCK],
    position: &mut u64,
    block: &mut [u8; BLOCK],
    mut bytes: &mut [u8],
) {
    while !bytes.is_empty() {
        let within = usize::try_from(*position % BLOCK as u64).unwrap_or(0);
        if within == 0 {
            *block = block_at(seed, *position);
        }
        let count = (BLOCK - within).min(bytes.len());
        let (now, later) = bytes.split_at_mut(count);
        now.copy_from_slice(&block[within..within + count]);
        *position = position.wrapping_add(count as u64);
        bytes = later;
    }
}

fn block_at(seed: &[u8; BLOCK], position: u64) -> [u8; BLOCK] {
    let number = position / BLOCK as u64;
    Sha256::new().chain_update(seed).chain_update(number.to_le_bytes()).finalize().into()
}

fn fill_os(mut bytes: &mut [u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match getrandom(&mut *bytes, GetRandomFlags::empty()) {
            Ok(count) => bytes = &mut bytes[count..],
            Err(OsError::INTR) => {}
            Err(_) => return Err(Errno::Io),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restored_stream_goes_on_where_it_stopped() {
        for stop in [0, 1, 31, 32, 33, 100] {
            let mut through = Entropy::seeded([7; 32]);
            let mut expected = vec![0; 200];
            through.fill(&mut expected).unwrap();

            let mut first = Entropy::seeded([7; 32]);
            let mut bytes = vec![0; 200];
            first.fill(&mut bytes[..stop]).unwrap();
            Entropy::restore(&first.save()).fill(&mut bytes[stop..]).unwrap();
            assert_eq!(bytes, expected, "stopped at {stop}");
        }
    }

    #[test]
    fn real_chance_does_not_repeat() {
        let mut entropy = Entropy::os();
        let mut seen = std::collections::BTreeSet::new();
        assert!((0..1000).all(|_| seen.insert(entropy.next_u64().unwrap())));
        let mut large = vec![0; 100_000];
        entropy.fill(&mut large).unwrap();
        assert!(large.chunks(1000).all(|chunk| chunk.iter().any(|&byte| byte != 0)));
    }
}
