//! Chance from the operating system, for the key and for what keeps redacted entries from being
//! guessed.

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::{Mutex, PoisonError};

/// Drawn at once: an entry needs 16 bytes, and a system call for each would cost more than the rest.
const POOL: usize = 4096;

struct Pool {
    bytes: [u8; POOL],
    left: usize,
}

static POOLED: Mutex<Pool> = Mutex::new(Pool { bytes: [0; POOL], left: 0 });

/// So many random bytes, at most [`POOL`].
pub(crate) fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut pool = POOLED.lock().unwrap_or_else(PoisonError::into_inner);
    if pool.left < N {
        File::open("/dev/urandom")?.read_exact(&mut pool.bytes)?;
        pool.left = POOL;
    }
    let mut drawn = [0; N];
    let at = pool.left - N;
    drawn.copy_from_slice(&pool.bytes[at..at + N]);
    // Given once, kept nowhere.
    pool.bytes[at..at + N].fill(0);
    pool.left = at;
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    #[test]
    fn no_two_draws_are_the_same() {
        let drawn: HashSet<[u8; 16]> = (0..2000).map(|_| super::bytes().unwrap()).collect();
        assert_eq!(drawn.len(), 2000);
    }
}
