//! SHA-256, as the log uses it: of an entry's bytes, and of a line with everything before it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// Put before what is hashed as a line, so that no entry's bytes can pass for one.
const DOMAIN: &[u8] = b"tidegate audit line 1\0";

/// A SHA-256, written as 64 small hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// What the first line follows.
    pub const ZERO: Self = Self([0; 32]);

    /// The hash of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of a line: its number, the line before, and the hash of what it says.
    ///
    /// What it says is in it by hash only. That is why an entry can be taken away later, and every
    /// line after it still proves that nothing else was.
    #[must_use]
    pub fn of_line(seq: u64, prev: Self, content: Self) -> Self {
        let mut sum = Sha256::new();
        sum.update(DOMAIN);
        sum.update(seq.to_be_bytes());
        sum.update(prev.0);
        sum.update(content.0);
        Self(sum.finalize().into())
    }

    /// Reads what [`Hash`] prints, and nothing else: capital letters would be a second spelling.
    #[must_use]
    pub fn from_hex(text: &[u8]) -> Option<Self> {
        from_hex(text).map(Self)
    }
}

/// So many bytes from twice as many small hexadecimal digits.
pub(crate) fn from_hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, digits) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(digits[0])? << 4 | digit(digits[1])?;
    }
    Some(bytes)
}

fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    }
}

/// Bytes as small hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|half| char::from(DIGITS[usize::from(half)]))
        .collect()
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_hex(text.as_bytes())
            .ok_or_else(|| serde::de::Error::custom("a hash has 64 small hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_as_it_is_written_and_not_otherwise() {
        let hash = Hash::of(b"abc");
        let text = hash.to_string();
        assert_eq!(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Hash::from_hex(text.as_bytes()), Some(hash));
        assert_eq!(Hash::from_hex(text.to_uppercase().as_bytes()), None);
        assert_eq!(Hash::from_hex(&text.as_bytes()[1..]), None);
    }

    #[test]
    fn a_line_has_another_hash_when_anything_before_it_differs() {
        let content = Hash::of(b"x");
        let line = Hash::of_line(1, Hash::ZERO, content);
        assert_ne!(line, Hash::of_line(2, Hash::ZERO, content));
        assert_ne!(line, Hash::of_line(1, content, content));
        assert_ne!(line, Hash::of_line(1, Hash::ZERO, Hash::ZERO));
    }
}
