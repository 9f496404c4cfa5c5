//! The bytes of one file, in chunks that copies share until one of them writes.
//!
//! A clone costs one pointer per chunk, and a write after a clone copies only the
//! chunks it touches: rolling back or forking a session with a large file does not
//! copy the file. Two things hold throughout:
//!
//! * There is one slot per [`CHUNK`] bytes of length, the last one rounded up.
//! * A chunk may be shorter than its share, never longer; what is missing reads as
//!   zeros. So growing costs no memory until something is written there.

use std::sync::Arc;

/// Bytes per chunk: small enough to copy in microseconds, large enough that a
/// file at the usual quota has a few thousand.
const CHUNK: usize = 64 << 10;

static ZEROS: [u8; CHUNK] = [0; CHUNK];

/// What a file contains. See the [module](self).
#[derive(Clone, Default)]
pub(crate) struct Content {
    chunks: Vec<Option<Arc<Vec<u8>>>>,
    len: u64,
}

impl Content {
    /// Takes over `bytes`; stretches of zeros become holes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let filled =
            |chunk: &[u8]| (chunk != &ZEROS[..chunk.len()]).then(|| Arc::new(chunk.to_vec()));
        Self { chunks: bytes.chunks(CHUNK).map(filled).collect(), len: bytes.len() as u64 }
    }

    /// How long the file is.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// All bytes in order, as borrowed pieces of at most one chunk each.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let last = self.chunks.len().wrapping_sub(1);
        self.chunks.iter().enumerate().flat_map(move |(index, chunk)| {
            let share = if index == last { share_of_last(self.len) } else { CHUNK };
            let written = chunk.as_ref().map_or(&[][..], |chunk| &chunk[..]);
            [written, &ZEROS[..share - written.len()]].into_iter().filter(|piece| !piece.is_empty())
        })
    }

    /// A copy in one piece.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.len).unwrap_or(0));
        self.pieces().for_each(|piece| bytes.extend_from_slice(piece));
        bytes
    }

    /// Fills `buffer` from `offset` on and says how many bytes there were.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let Some(left) = self.len.checked_sub(offset) else { return 0 };
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let mut done = 0;
        while done < wanted {
            let (index, within) = position(offset + done as u64);
            let part = (CHUNK - within).min(wanted - done);
            let target = &mut buffer[done..done + part];
            let written = self.chunks[index]
                .as_ref()
                .and_then(|chunk| chunk.get(within..))
                .unwrap_or_default();
            let copied = written.len().min(part);
            target[..copied].copy_from_slice(&written[..copied]);
            target[copied..].fill(0);
            done += part;
        }
        wanted
    }

    /// Writes `bytes` at `offset`, growing the file as needed. The caller has
    /// checked the new length against the quota.
    pub(super) fn write_at(&mut self, offset: u64, bytes: &[u8]) {
        let end = offset + bytes.len() as u64;
        if end > self.len {
            self.set_len(end);
        }
        let mut done = 0;
        while done < bytes.len() {
            let (index, within) = position(offset + done as u64);
            let part = (CHUNK - within).min(bytes.len() - done);
            put(&mut self.chunks[index], within, &bytes[done..done + part]);
            done += part;
        }
    }

    /// Cuts the file or extends it with zeros that take no memory.
    pub(super) fn set_len(&mut self, len: u64) {
        let slots = usize::try_from(len.div_ceil(CHUNK as u64)).unwrap_or(usize::MAX);
        self.chunks.resize(slots, None);
        self.len = len;
        if let Some(Some(last)) = self.chunks.last_mut() {
            let share = share_of_last(len);
            if last.len() > share {
                Arc::make_mut(last).truncate(share);
            }
        }
    }
}

/// Slot and place in it of the byte at `offset`.
fn position(offset: u64) -> (usize, usize) {
    let chunk = CHUNK as u64;
    // Callers stay below the file's length, whose slots are counted in `usize`.
    (
        usize::try_from(offset / chunk).unwrap_or(usize::MAX),
        usize::try_from(offset % chunk).unwrap_or(0),
    )
}

/// How many bytes the last chunk of a file of `len` bytes may hold.
fn share_of_last(len: u64) -> usize {
    match position(len).1 {
        0 if len > 0 => CHUNK,
        rest => rest,
    }
}

fn put(slot: &mut Option<Arc<Vec<u8>>>, within: usize, bytes: &[u8]) {
    let chunk = Arc::make_mut(slot.get_or_insert_default());
    let end = within + bytes.len();
    if end > chunk.capacity() && end > CHUNK / 2 {
        // Doubling would overshoot the chunk; this is its last growth.
        chunk.reserve_exact(CHUNK - chunk.len());
    }
    if within >= chunk.len() {
        chunk.resize(within, 0);
        chunk.extend_from_slice(bytes);
        return;
    }
    if end > chunk.len() {
        chunk.resize(end, 0);
    }
    chunk[within..end].copy_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_hole_takes_no_memory_and_reads_as_zeros() {
        let mut content = Content::default();
        content.set_len(10 * CHUNK as u64);
        content.write_at(5 * CHUNK as u64 + 3, b"x");
        assert_eq!(content.chunks.iter().flatten().count(), 1);
        assert_eq!(content.to_vec().iter().filter(|&&byte| byte != 0).count(), 1);
        assert_eq!(Content::from_bytes(&content.to_vec()).chunks.iter().flatten().count(), 1);
    }

    #[test]
    fn writing_to_a_copy_copies_only_the_chunk_it_touches() {
        let original = Content::from_bytes(&vec![7; 4 * CHUNK]);
        let mut copy = original.clone();
        copy.write_at(2 * CHUNK as u64, b"changed");
        let shared = |index: usize| {
            Arc::ptr_eq(
                original.chunks[index].as_ref().unwrap(),
                copy.chunks[index].as_ref().unwrap(),
            )
        };
        assert_eq!([0, 1, 2, 3].map(shared), [true, true, false, true]);
        assert_eq!(original.to_vec(), vec![7; 4 * CHUNK]);
    }

    proptest! {
        #[test]
        fn content_behaves_like_a_vector(
            steps in proptest::collection::vec((0usize..3 * CHUNK, 0usize..2 * CHUNK, any::<u8>(), any::<bool>()), 0..12)
        ) {
            let (mut content, mut model) = (Content::default(), Vec::new());
            for (offset, length, byte, cut) in steps {
                if cut {
                    content.set_len(offset as u64);
                    model.resize(offset, 0);
                } else if length > 0 {
                    content.write_at(offset as u64, &vec![byte; length]);
                    model.resize(model.len().max(offset + length), 0);
                    model[offset..offset + length].fill(byte);
                }
                prop_assert_eq!(content.len(), model.len() as u64);
                let mut read = vec![1; length];
                let count = content.read_at(offset as u64, &mut read);
                let expected = model.get(offset..).unwrap_or_default();
                prop_assert_eq!(&read[..count], &expected[..count]);
                prop_assert_eq!(count, expected.len().min(length));
            }
            prop_assert!(content.to_vec() == model);
        }
    }
}
