//! The body of an [`engine::Image`]: what this engine writes when it freezes a guest.
//!
//! ```text
//! meta length u32 │ meta, JSON │ stdout │ stderr │ file contents │ page numbers, u32 each
//!   │ which lines of each page, u64 each │ lines
//! ```
//!
//! Only what differs from the base image is written: a page is 64 lines of 64 bytes, and most
//! pages a program touches differ in a few reference counts. Lengths stand in the meta part;
//! every one of them is somebody's word and checked against what is there.

use engine::ImageError;
use serde::{Deserialize, Serialize};

use crate::files::FilesMeta;
use crate::memory::PAGE;
use crate::state::Run;
use crate::wasi::SavedEntropy;

const MAX_META: usize = 64 << 20;

/// The unit in which pages are compared. A page has as many as a mask has bits.
const LINE: usize = PAGE / 64;

/// Everything but the bulk.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Meta {
    /// Size of the guest's memory.
    pub(crate) memory_bytes: u64,
    /// Bytes of all memories beyond the base image.
    pub(crate) grown_bytes: u64,
    /// The guest's monotonic clock, and the wall clock at that moment. Rest counts.
    pub(crate) monotonic_nanos: u64,
    pub(crate) wall_nanos: u64,
    pub(crate) entropy: SavedEntropy,
    pub(crate) run: Run,
    pub(crate) files: FilesMeta,
    pub(crate) stdout_bytes: u64,
    pub(crate) stderr_bytes: u64,
    /// Inode and length of each file content, in order.
    pub(crate) contents: Vec<(u64, u64)>,
    pub(crate) pages: u64,
}

/// A decoded body, borrowing from it.
#[derive(Debug)]
pub(crate) struct Frozen<'a> {
    pub(crate) meta: Meta,
    pub(crate) stdout: &'a [u8],
    pub(crate) stderr: &'a [u8],
    pub(crate) contents: Vec<(u64, &'a [u8])>,
    pub(crate) pages: Pages<'a>,
}

/// Page numbers, strictly rising, and what of each page differs.
#[derive(Debug)]
pub(crate) struct Pages<'a> {
    numbers: &'a [u8],
    masks: &'a [u8],
    lines: &'a [u8],
}

impl<'a> Pages<'a> {
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> + use<'a> {
        self.numbers.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four) as usize)
    }

    fn masks(&self) -> impl Iterator<Item = u64> + use<'a> {
        self.masks.as_chunks::<8>().0.iter().map(|eight| u64::from_le_bytes(*eight))
    }

    /// Each page's number and its lines, which stand in for those of the base.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Lines<'a>)> + use<'a> {
        let mut rest = self.lines.as_chunks::<LINE>().0;
        self.numbers().zip(self.masks()).map(move |(number, mask)| {
            let (lines, others) = rest.split_at(rest.len().min(mask.count_ones() as usize));
            rest = others;
            (number, Lines { mask, lines })
        })
    }
}

/// The lines of one page that differ from its base.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    mask: u64,
    lines: &'a [[u8; LINE]],
}

impl Lines<'_> {
    /// Puts them in their places.
    pub(crate) fn write_to(&self, page: &mut [u8]) {
        let (places, _) = page.as_chunks_mut::<LINE>();
        if self.mask == u64::MAX && places.len() == self.lines.len() {
            places.copy_from_slice(self.lines);
            return;
        }
        let mut mask = self.mask;
        for line in self.lines {
            let place = mask.trailing_zeros() as usize;
            mask &= mask.wrapping_sub(1);
            if let Some(place) = places.get_mut(place) {
                *place = *line;
            }
        }
    }
}

/// A page beyond the base's end is compared with this.
const NOTHING: [u8; PAGE] = [0; PAGE];

/// Which lines of a page differ.
fn differing(page: &[u8], base: &[u8]) -> u64 {
    let pairs = page.as_chunks::<LINE>().0.iter().zip(base.as_chunks::<LINE>().0);
    pairs.enumerate().fold(0, |mask, (at, (now, before))| mask | (u64::from(now != before) << at))
}

/// What a guest's memory is, and what it was.
#[derive(Clone, Copy)]
pub(crate) struct Memories<'a> {
    pub(crate) now: &'a [u8],
    pub(crate) base: &'a [u8],
}

/// Appends a body to an empty `body`. `meta` must already say how long the parts are.
pub(crate) fn encode(
    meta: &Meta,
    output: [&[u8]; 2],
    contents: &[Vec<u8>],
    pages: &[usize],
    memory: Memories<'_>,
    body: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let json = serde_json::to_vec(meta)?;
    let bulk: usize = contents.iter().map(Vec::len).sum();
    body.reserve(json.len() + bulk + pages.len() * (PAGE / 2 + 12) + 64);
    body.extend_from_slice(&u32::try_from(json.len()).unwrap_or(u32::MAX).to_le_bytes());
    body.extend_from_slice(&json);
    for part in output {
        body.extend_from_slice(part);
    }
    for content in contents {
        body.extend_from_slice(content);
    }
    for &page in pages {
        body.extend_from_slice(&u32::try_from(page).unwrap_or(u32::MAX).to_le_bytes());
    }
    let of_page = |page: usize| page * PAGE..(page + 1) * PAGE;
    let before = |page: usize| memory.base.get(of_page(page)).unwrap_or(&NOTHING);
    let masks: Vec<u64> =
        pages.iter().map(|&page| differing(&memory.now[of_page(page)], before(page))).collect();
    for mask in &masks {
        body.extend_from_slice(&mask.to_le_bytes());
    }
    for (&page, mask) in pages.iter().zip(masks) {
        let page = &memory.now[of_page(page)];
        if mask == u64::MAX {
            body.extend_from_slice(page);
            continue;
        }
        for (at, line) in page.as_chunks::<LINE>().0.iter().enumerate() {
            if mask >> at & 1 == 1 {
                body.extend_from_slice(line);
            }
        }
    }
    Ok(())
}

/// Reads a body that may come from anybody.
pub(crate) fn decode(body: &[u8]) -> Result<Frozen<'_>, ImageError> {
    let mut rest = Rest(body);
    let length = rest.take(4)?.try_into().map_or(u32::MAX, u32::from_le_bytes) as usize;
    if length > MAX_META {
        return Err(ImageError::Malformed("its description is too long"));
    }
    let meta: Meta = serde_json::from_slice(rest.take(length)?)
        .map_err(|_| ImageError::Malformed("its description cannot be read"))?;
    let stdout = rest.take_u64(meta.stdout_bytes)?;
    let stderr = rest.take_u64(meta.stderr_bytes)?;
    let contents = meta
        .contents
        .iter()
        .map(|&(inode, length)| Ok((inode, rest.take_u64(length)?)))
        .collect::<Result<_, ImageError>>()?;
    let count = usize::try_from(meta.pages).unwrap_or(usize::MAX);
    let numbers = rest.take(count.checked_mul(4).ok_or(SHORT)?)?;
    let masks = rest.take(count.checked_mul(8).ok_or(SHORT)?)?;
    let mut pages = Pages { numbers, masks, lines: &[] };
    // At most 64 lines for each page that is there, so this cannot overflow.
    let lines: usize = pages.masks().map(|mask| mask.count_ones() as usize).sum();
    pages.lines = rest.take(lines * LINE)?;
    if !rest.0.is_empty() {
        return Err(ImageError::Malformed("it has bytes left over"));
    }
    check(&meta, &pages)?;
    Ok(Frozen { meta, stdout, stderr, contents, pages })
}

const SHORT: ImageError = ImageError::Malformed("it ends too early");

fn check(meta: &Meta, pages: &Pages<'_>) -> Result<(), ImageError> {
    if !meta.memory_bytes.is_multiple_of(64 << 10) || meta.memory_bytes > 1 << 32 {
        return Err(ImageError::Malformed("its memory has an impossible size"));
    }
    let end = usize::try_from(meta.memory_bytes).unwrap_or(0) / PAGE;
    let mut next = 0;
    for number in pages.numbers() {
        if number < next || number >= end {
            return Err(ImageError::Malformed("its pages are out of order"));
        }
        next = number + 1;
    }
    Ok(())
}

struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], ImageError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn take_u64(&mut self, length: u64) -> Result<&'a [u8], ImageError> {
        self.take(usize::try_from(length).map_err(|_| SHORT)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_kept_and_come_back() {
        let base = vec![7; PAGE];
        let mut page = base.clone();
        page[0] = 1;
        page[PAGE - 1] = 2;
        page[LINE * 5 + 3] = 3;
        let mask = differing(&page, &base);
        assert_eq!(mask, 1 | 1 << 5 | 1 << 63);

        let lines: Vec<[u8; LINE]> = [0, 5, 63].map(|at| page.as_chunks::<LINE>().0[at]).to_vec();
        let mut back = base.clone();
        Lines { mask, lines: &lines }.write_to(&mut back);
        assert_eq!(back, page);

        let all = page.as_chunks::<LINE>().0;
        let mut back = NOTHING;
        Lines { mask: u64::MAX, lines: all }.write_to(&mut back);
        assert_eq!(back[..], page[..]);
    }
}
