//! A run in one file, to be carried from one gateway to another.
//!
//! ```text
//! "tidegate run 1\n"   then three parts: ledger, image, what the session was before
//! part: length (8 bytes, all ones for none)   checksum (4 bytes)   bytes
//! ```

/// How such a file begins.
const MAGIC: &[u8] = b"tidegate run 1\n";
/// The length of a part that is not there.
const NONE: u64 = u64::MAX;

/// The parts of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pack {
    /// What it is, and has done.
    pub(crate) ledger: Vec<u8>,
    /// Everything its program is, if it has begun.
    pub(crate) image: Option<Vec<u8>>,
    /// What its session was before it, if that was anything.
    pub(crate) before: Option<Vec<u8>>,
}

/// A file that is no run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PackError {
    #[error("it is no run that was exported by this version")]
    Other,
    #[error("it is cut short")]
    Short,
    #[error("it was changed on its way")]
    Changed,
}

impl Pack {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut all = MAGIC.to_vec();
        for part in [Some(&self.ledger), self.image.as_ref(), self.before.as_ref()] {
            let length = part.map_or(NONE, |bytes| bytes.len() as u64);
            let bytes = part.map_or(&[][..], Vec::as_slice);
            all.extend_from_slice(&length.to_le_bytes());
            all.extend_from_slice(&crc32fast::hash(bytes).to_le_bytes());
            all.extend_from_slice(bytes);
        }
        all
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, PackError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(PackError::Other)?;
        let ledger = part(&mut rest)?.ok_or(PackError::Changed)?;
        let (image, before) = (part(&mut rest)?, part(&mut rest)?);
        if !rest.is_empty() {
            return Err(PackError::Changed);
        }
        Ok(Self { ledger, image, before })
    }
}

fn part(rest: &mut &[u8]) -> Result<Option<Vec<u8>>, PackError> {
    let (length, after) = rest.split_first_chunk::<8>().ok_or(PackError::Short)?;
    let (sum, after) = after.split_first_chunk::<4>().ok_or(PackError::Short)?;
    let length = u64::from_le_bytes(*length);
    if length == NONE {
        *rest = after;
        return Ok(None);
    }
    let length = usize::try_from(length).map_err(|_| PackError::Short)?;
    let (bytes, after) = after.split_at_checked(length).ok_or(PackError::Short)?;
    if crc32fast::hash(bytes) != u32::from_le_bytes(*sum) {
        return Err(PackError::Changed);
    }
    *rest = after;
    Ok(Some(bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packs() -> impl Strategy<Value = Pack> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..50);
        (bytes(), proptest::option::of(bytes()), proptest::option::of(bytes()))
            .prop_map(|(ledger, image, before)| Pack { ledger, image, before })
    }

    proptest! {
        #[test]
        fn what_was_packed_comes_out(pack in packs()) {
            prop_assert_eq!(Pack::decode(&pack.encode()), Ok(pack));
        }

        #[test]
        fn no_part_of_it_is_taken_for_all_of_it(pack in packs(), cut in 0.0..1.0) {
            let whole = pack.encode();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share of a short length")]
            let length = (whole.len() as f64 * cut) as usize;
            prop_assert!(Pack::decode(&whole[..length]).is_err());
        }
    }
}
