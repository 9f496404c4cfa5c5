//! The body of an [`engine::Image`]: what this engine writes when it freezes a guest.
//!
//! ```text
//! meta length u32 │ meta, JSON │ stdout │ stderr │ file contents │ page numbers, u32 each │ pages
//! ```
//!
//! Only pages that differ from the base image are written. Lengths stand in the
//! meta part; every one of them is somebody's word and checked against what is there.

use engine::ImageError;
use serde::{Deserialize, Serialize};

use crate::files::FilesMeta;
use crate::memory::PAGE;
use crate::state::Run;
use crate::wasi::SavedEntropy;

const MAX_META: usize = 64 << 20;

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

/// Page numbers, strictly rising, and their bytes.
#[derive(Debug)]
pub(crate) struct Pages<'a> {
    numbers: &'a [u8],
    bytes: &'a [u8],
}

impl<'a> Pages<'a> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
        let numbers =
            self.numbers.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four) as usize);
        numbers.zip(self.bytes.chunks_exact(PAGE))
    }
}

/// Appends a body to an empty `body`. `meta` must already say how long the parts are.
pub(crate) fn encode(
    meta: &Meta,
    output: [&[u8]; 2],
    contents: &[Vec<u8>],
    pages: &[usize],
    memory: &[u8],
    body: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let json = serde_json::to_vec(meta)?;
    let bulk: usize = contents.iter().map(Vec::len).sum();
    body.reserve(json.len() + bulk + pages.len() * (PAGE + 4) + 64);
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
    for &page in pages {
        body.extend_from_slice(&memory[page * PAGE..(page + 1) * PAGE]);
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
    let bytes = rest.take(count.checked_mul(PAGE).ok_or(SHORT)?)?;
    if !rest.0.is_empty() {
        return Err(ImageError::Malformed("it has bytes left over"));
    }
    let pages = Pages { numbers, bytes };
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
    for (number, _) in pages.iter() {
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
