//! Learned types as bytes, and back from bytes that nobody vouches for.
//!
//! A file that others can write to must not bring in more than we would have kept ourselves:
//! what is too large, too deep or says something that we never write is refused, and with it
//! everything about that tool. It is learned again.

use serde::Deserialize;

use super::Learned;
use super::shape::Shape;
use crate::Fingerprint;

/// The most that is stored of one tool's results, in bytes of JSON.
pub const MAX_BYTES: usize = 64 * 1024;

/// What a file says was learned.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unchecked {
    fingerprint: Fingerprint,
    seen: u64,
    #[serde(default)]
    steady: u64,
    shape: Shape,
}

/// Why something stored is not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unsound {
    /// We would have kept less.
    #[error("the learned type takes more than {MAX_BYTES} bytes; it will be learned again")]
    TooLarge,
    /// We would not have written that.
    #[error("the learned type holds what is never stored; it will be learned again")]
    NotOurs,
}

impl TryFrom<Unchecked> for Learned {
    type Error = Unsound;

    fn try_from(stored: Unchecked) -> Result<Self, Unsound> {
        let Unchecked { fingerprint, seen, steady, shape } = stored;
        let hex = |byte: u8| byte.is_ascii_hexdigit();
        let known = fingerprint.as_str().len() == 64 && fingerprint.as_str().bytes().all(hex);
        if !known || steady > seen || !shape.is_sound(0) {
            return Err(Unsound::NotOurs);
        }
        if shape.weight() > MAX_BYTES {
            return Err(Unsound::TooLarge);
        }
        Ok(Self { fingerprint, seen, steady, shape })
    }
}
