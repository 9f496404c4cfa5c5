//! A guest's memory during one call, with every address checked.

use crate::files::Errno;

/// The most pieces one read or write may be made of.
const MAX_PIECES: u32 = 1024;

/// The most bytes one read or write moves. Guests ask again for the rest; without
/// this, a thousand overlapping pieces would keep the host busy for half a minute.
const MAX_TRANSFER: u32 = 32 << 20;

/// The guest's memory. All addresses are unsigned.
pub(super) struct GuestMemory<'call>(pub(super) &'call mut [u8]);

impl GuestMemory<'_> {
    /// `length` bytes from `address` on.
    pub(super) fn bytes(&self, address: u32, length: u32) -> Result<&[u8], Errno> {
        let (start, end) = range(address, length)?;
        self.0.get(start..end).ok_or(Errno::Fault)
    }

    /// The same, to be written to.
    pub(super) fn bytes_mut(&mut self, address: u32, length: u32) -> Result<&mut [u8], Errno> {
        let (start, end) = range(address, length)?;
        self.0.get_mut(start..end).ok_or(Errno::Fault)
    }

    /// Text, such as a path.
    pub(super) fn text(&self, address: u32, length: u32) -> Result<&str, Errno> {
        std::str::from_utf8(self.bytes(address, length)?).map_err(|_| Errno::IllegalBytes)
    }

    /// Stores `bytes` at `address`.
    pub(super) fn put(&mut self, address: u32, bytes: &[u8]) -> Result<(), Errno> {
        let length = u32::try_from(bytes.len()).map_err(|_| Errno::Fault)?;
        self.bytes_mut(address, length)?.copy_from_slice(bytes);
        Ok(())
    }

    pub(super) fn put_u32(&mut self, address: u32, value: u32) -> Result<(), Errno> {
        self.put(address, &value.to_le_bytes())
    }

    pub(super) fn put_u64(&mut self, address: u32, value: u64) -> Result<(), Errno> {
        self.put(address, &value.to_le_bytes())
    }

    /// The pieces of a read or write, an array of address and length.
    pub(super) fn pieces(&self, address: u32, count: u32) -> Result<Pieces, Errno> {
        if count > MAX_PIECES {
            return Err(Errno::Invalid);
        }
        self.bytes(address, count * Pieces::SIZE)?;
        Ok(Pieces { next: address, left: count, room: MAX_TRANSFER })
    }
}

/// Steps through the pieces of a read or write. It borrows nothing, so that the
/// memory can be written to between two steps.
pub(super) struct Pieces {
    next: u32,
    left: u32,
    room: u32,
}

impl Pieces {
    const SIZE: u32 = 8;

    /// Whether there are none at all.
    pub(super) fn are_empty(&self) -> bool {
        self.left == 0
    }

    /// Address and length of the next piece that is not empty.
    pub(super) fn step(&mut self, memory: &GuestMemory<'_>) -> Result<Option<(u32, u32)>, Errno> {
        while self.left > 0 && self.room > 0 {
            let pair = memory.bytes(self.next, Self::SIZE)?;
            let (address, length) = (word(&pair[..4]), word(&pair[4..]).min(self.room));
            self.next += Self::SIZE;
            self.left -= 1;
            self.room -= length;
            if length > 0 {
                return Ok(Some((address, length)));
            }
        }
        Ok(None)
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_le_bytes)
}

fn range(address: u32, length: u32) -> Result<(usize, usize), Errno> {
    let start = usize::try_from(address).map_err(|_| Errno::Fault)?;
    let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
    Ok((start, end.ok_or(Errno::Fault)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_beyond_the_memory_are_refused() {
        let mut bytes = [0; 16];
        let mut memory = GuestMemory(&mut bytes);
        assert_eq!(memory.bytes(16, 0), Ok(&[][..]));
        assert_eq!(memory.bytes(16, 1), Err(Errno::Fault));
        assert_eq!(memory.bytes(u32::MAX, u32::MAX), Err(Errno::Fault));
        assert_eq!(memory.put_u64(9, 1), Err(Errno::Fault));
    }

    #[test]
    fn empty_pieces_are_skipped_and_the_total_is_bounded() {
        let mut bytes = [0; 24];
        bytes[8..16].copy_from_slice(&[5, 0, 0, 0, 7, 0, 0, 0]);
        bytes[16..24].copy_from_slice(&[0, 0, 0, 0, 255, 255, 255, 255]);
        let memory = GuestMemory(&mut bytes);
        let mut pieces = memory.pieces(0, 3).unwrap();
        assert_eq!(pieces.step(&memory), Ok(Some((5, 7))));
        assert_eq!(pieces.step(&memory), Ok(Some((0, MAX_TRANSFER - 7))));
        assert_eq!(pieces.step(&memory), Ok(None));
        assert!(memory.pieces(0, 4).is_err_and(|error| error == Errno::Fault));
        assert!(memory.pieces(0, 1025).is_err_and(|error| error == Errno::Invalid));
    }
}
