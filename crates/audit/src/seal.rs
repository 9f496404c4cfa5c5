//! What lines alone cannot prove: where the log ends, and where it begins.
//!
//! The chain shows a change in the middle. That its last lines were cut off, or that all of it was
//! written anew, only the **head** shows: the number and hash of the last line, authenticated with
//! HMAC-SHA256 under a key that is made on first use. The **checkpoint** says the same of the
//! beginning, once old segments were removed.
//!
//! The head is written twice, in place, one copy after the other. It is written only when the lines
//! it covers are safe. A crash therefore leaves a head that is behind the log and never one that is
//! ahead of it, and tears one copy at most. In place, because renaming a file for each entry costs
//! fifty times as much.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::Sha256;

use crate::folder::{self, Folder};
use crate::hash::{Hash, from_hex, to_hex};
use crate::random;

/// Bytes of one copy of the head: a sector, which disks write whole.
const COPY: usize = 512;

/// A line to be found again: kept elsewhere, it proves that the log still has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The line's number; 0 before the first.
    pub seq: u64,
    /// The line's hash.
    pub hash: Hash,
}

/// The last line that is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The segment it is in, so that somebody who writes knows whether it is still theirs.
    pub(crate) segment: u64,
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
}

/// Where the log begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// The first segment that was kept.
    pub(crate) segment: u64,
    /// The last line that was removed.
    pub(crate) seq: u64,
    /// Its hash, which the first line that was kept names.
    pub(crate) hash: Hash,
}

/// What head and checkpoint are authenticated with.
pub(crate) struct Key([u8; 32]);

impl Key {
    /// Draws one.
    pub(crate) fn draw() -> io::Result<Self> {
        random::bytes().map(Self)
    }

    /// Reads it, or gives `None` if there is none.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Self>> {
        let Some(bytes) = folder::read(path, 65)? else { return Ok(None) };
        let key = bytes.strip_suffix(b"\n").and_then(from_hex).map(Self);
        let told = || io::Error::new(io::ErrorKind::InvalidData, "the key file holds no key");
        key.ok_or_else(told).map(Some)
    }

    /// Writes it where only its owner can read it.
    pub(crate) fn write(&self, folder: &Folder) -> io::Result<()> {
        folder::replace(folder.key(), format!("{}\n", to_hex(&self.0)).as_bytes())
    }

    fn sum(&self, what: &str, bytes: &[u8]) -> Result<Hmac<Sha256>, hmac::digest::InvalidLength> {
        let mut sum = Hmac::<Sha256>::new_from_slice(&self.0)?;
        sum.update(what.as_bytes());
        sum.update(b"\0");
        sum.update(bytes);
        Ok(sum)
    }

    /// A value and the proof that it was written with this key, as one line.
    fn seal<T: Serialize>(&self, what: &str, value: &T) -> io::Result<String> {
        let text = serde_json::to_string(value)?;
        let sum = self.sum(what, text.as_bytes()).map_err(io::Error::other)?;
        let mac = to_hex(&sum.finalize().into_bytes());
        Ok(format!("{mac} {text}"))
    }

    /// Takes the value out if the proof holds and it is spelled as it would be written.
    fn unseal<T: Serialize + DeserializeOwned>(&self, what: &str, line: &[u8]) -> Option<T> {
        let (mac, text) = line.split_at_checked(64)?;
        let text = text.strip_prefix(b" ")?;
        let mac: [u8; 32] = from_hex(mac)?;
        self.sum(what, text).ok()?.verify_slice(&mac).ok()?;
        serde_json::from_slice(text).ok()
    }
}

/// What the head's file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// There is no such file.
    Missing,
    /// No copy of it was written with the key.
    Forged,
    /// Both copies can be read, or one can.
    Head {
        /// The later of them.
        head: Head,
        /// Whether one cannot be read.
        is_damaged: bool,
    },
}

/// Where the head is written.
pub(crate) struct HeadFile(File);

impl HeadFile {
    /// Makes the file with a first head in it, so that there is room for every later one.
    pub(crate) fn create(folder: &Folder, key: &Key, head: &Head) -> io::Result<()> {
        let copy = copy(key, head)?;
        folder::replace(&folder.head(), &[&copy[..], &copy[..]].concat())
    }

    pub(crate) fn open(folder: &Folder) -> io::Result<Self> {
        OpenOptions::new().read(true).write(true).open(folder.head()).map(Self)
    }

    /// Comes back when the head is safe.
    pub(crate) fn write(&self, key: &Key, head: &Head) -> io::Result<()> {
        let copy = copy(key, head)?;
        for at in [0, COPY as u64] {
            self.0.write_all_at(&copy, at)?;
            self.0.sync_data()?;
        }
        Ok(())
    }

    /// Whether it is still the log's.
    pub(crate) fn is_in_place(&self, folder: &Folder) -> io::Result<bool> {
        folder::is_in_place(&self.0, &folder.head())
    }

    /// Both copies as they are now.
    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; 2 * COPY];
        self.0.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}

fn copy(key: &Key, head: &Head) -> io::Result<Vec<u8>> {
    let mut copy = key.seal("head", head)?.into_bytes();
    // The rest of the sector, so that every byte of it is known.
    copy.resize(COPY - 1, b' ');
    copy.write_all(b"\n")?;
    Ok(copy)
}

/// Reads what the head's file says.
pub(crate) fn read_head(folder: &Folder, key: &Key) -> io::Result<Found> {
    let bytes = folder::read(&folder.head(), 2 * COPY as u64)?;
    Ok(bytes.map_or(Found::Missing, |bytes| head_in(&bytes, key)))
}

/// The same of bytes that were read.
pub(crate) fn head_in(bytes: &[u8], key: &Key) -> Found {
    let read = |copy: &[u8]| {
        let text = copy.strip_suffix(b"\n")?.trim_ascii_end();
        let head: Head = key.unseal("head", text)?;
        (self::copy(key, &head).ok()? == copy).then_some(head)
    };
    let mut copies = bytes.chunks(COPY);
    let both = [copies.next().and_then(read), copies.next().and_then(read)];
    match both.iter().flatten().max_by_key(|head| head.seq) {
        None => Found::Forged,
        Some(head) => {
            let is_damaged = both.contains(&None) || bytes.len() != 2 * COPY;
            Found::Head { head: *head, is_damaged }
        }
    }
}

impl Checkpoint {
    /// Comes back when it is safe.
    pub(crate) fn write(&self, folder: &Folder, key: &Key) -> io::Result<()> {
        folder::replace(
            &folder.checkpoint(),
            format!("{}\n", key.seal("checkpoint", self)?).as_bytes(),
        )
    }

    /// Reads it, or gives `None` if there is none. One that was not written with the key is an
    /// error of the kind [`io::ErrorKind::InvalidData`].
    pub(crate) fn read(folder: &Folder, key: &Key) -> io::Result<Option<Self>> {
        let Some(bytes) = folder::read(&folder.checkpoint(), 4096)? else { return Ok(None) };
        let checkpoint = bytes.strip_suffix(b"\n").and_then(|line| key.unseal("checkpoint", line));
        let told = || io::Error::new(io::ErrorKind::InvalidData, "the checkpoint was forged");
        checkpoint.ok_or_else(told).map(Some)
    }

    /// Reads it without asking who wrote it: enough to search by, not to prove anything.
    pub(crate) fn peek(folder: &Folder) -> io::Result<Option<Self>> {
        let Some(bytes) = folder::read(&folder.checkpoint(), 4096)? else { return Ok(None) };
        Ok(bytes.get(65..).and_then(|text| serde_json::from_slice(text).ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seq: u64) -> Head {
        Head { segment: 1, seq, hash: Hash::of(b"x") }
    }

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::new(folder.path(), None);
        let key = Key::draw().unwrap();
        assert_eq!(read_head(&folder, &key).unwrap(), Found::Missing);
        HeadFile::create(&folder, &key, &at(0)).unwrap();
        HeadFile::open(&folder).unwrap().write(&key, &at(7)).unwrap();
        let found = read_head(&folder, &key).unwrap();
        assert_eq!(found, Found::Head { head: at(7), is_damaged: false });
        let other = Key::draw().unwrap();
        assert_eq!(read_head(&folder, &other).unwrap(), Found::Forged);
    }

    #[test]
    fn every_changed_byte_of_a_head_is_seen_and_the_other_copy_still_holds() {
        let key = Key::draw().unwrap();
        let whole = copy(&key, &at(3)).unwrap().repeat(2);
        for at_byte in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at_byte] ^= 1;
            assert_eq!(head_in(&bytes, &key), Found::Head { head: at(3), is_damaged: true });
        }
        let torn = [copy(&key, &at(4)).unwrap(), copy(&key, &at(3)).unwrap()].concat();
        assert_eq!(head_in(&torn, &key), Found::Head { head: at(4), is_damaged: false });
    }

    #[test]
    fn a_key_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::new(temporary.path(), None);
        Key::draw().unwrap().write(&folder).unwrap();
        let mode = std::fs::metadata(folder.key()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(Key::read(folder.key()).unwrap().is_some());
    }
}
