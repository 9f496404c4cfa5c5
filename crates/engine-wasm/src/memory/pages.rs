//! Pages: which of them a guest has written to.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, opcode};

use super::{ImageFile, PAGE, PageRun};

/// Numbers of the pages of `memory` that may differ from `image`, in order.
///
/// Never misses a changed page; may name an unchanged one.
pub(crate) fn dirty_pages(memory: &[u8], image: &ImageFile) -> Vec<usize> {
    if let Ok(pages) = scan(memory).or_else(|_| read_pagemap(memory)) {
        return pages;
    }
    let original = image.bytes().chunks_exact(PAGE).map(Some).chain(std::iter::repeat(None));
    let differs = |page: &[u8], original: Option<&[u8]>| {
        original.map_or(page != [0; PAGE], |original| page != original)
    };
    let pages = memory.chunks_exact(PAGE).zip(original).enumerate();
    pages
        .filter(|(_, (page, original))| differs(page, *original))
        .map(|(number, _)| number)
        .collect()
}

fn pagemap() -> io::Result<&'static File> {
    static PAGEMAP: OnceLock<io::Result<File>> = OnceLock::new();
    PAGEMAP
        .get_or_init(|| File::open("/proc/self/pagemap"))
        .as_ref()
        .map_err(|error| error.kind().into())
}

/// Asks the kernel for the private pages of a range (`PAGEMAP_SCAN`, Linux 6.7).
pub(super) fn scan(memory: &[u8]) -> io::Result<Vec<usize>> {
    const FILE: u64 = 1 << 2;
    const PRESENT: u64 = 1 << 3;
    const SWAPPED: u64 = 1 << 4;
    const ZERO_PAGE: u64 = 1 << 5;

    let base = memory.as_ptr() as u64;
    let end = base + memory.len() as u64;
    let mut regions = vec![[0_u64; 3]; 512];
    let mut pages = Vec::new();
    let mut start = base;
    while start < end {
        let request = ScanRequest {
            size: size_of::<ScanRequest>() as u64,
            flags: 0,
            start,
            end,
            walk_end: 0,
            regions: regions.as_mut_ptr() as u64,
            regions_len: regions.len() as u64,
            max_pages: 0,
            inverted: FILE | ZERO_PAGE,
            all_of: FILE | ZERO_PAGE,
            any_of: PRESENT | SWAPPED,
            report: FILE,
        };
        // SAFETY: `PAGEMAP_SCAN` writes at most `regions_len` regions to `regions`, which is that long
        // and outlives the call, and `walk_end` to the request, which is ours.
        let (found, walked) = unsafe { rustix::ioctl::ioctl(pagemap()?, request)? };
        for &[from, to, _] in &regions[..found.min(regions.len())] {
            let numbers = |address: u64| {
                usize::try_from((address - base) / PAGE as u64).unwrap_or(usize::MAX)
            };
            pages.extend(numbers(from)..numbers(to));
        }
        if walked <= start {
            return Err(io::ErrorKind::Unsupported.into());
        }
        start = walked;
    }
    Ok(pages)
}

/// `struct pm_scan_arg` of the kernel.
#[repr(C)]
struct ScanRequest {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    regions: u64,
    regions_len: u64,
    max_pages: u64,
    inverted: u64,
    all_of: u64,
    any_of: u64,
    report: u64,
}

// SAFETY: the opcode is the one the kernel defines for this struct, and both directions are declared.
unsafe impl Ioctl for ScanRequest {
    type Output = (usize, u64);

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        opcode::read_write::<ScanRequest>(b'f', 16)
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }

    unsafe fn output_from_ptr(
        found: IoctlOutput,
        request: *mut c_void,
    ) -> rustix::io::Result<Self::Output> {
        // SAFETY: the pointer is the one `as_ptr` gave out, to a live `ScanRequest`.
        let request = unsafe { &*request.cast::<Self>() };
        Ok((usize::try_from(found).unwrap_or(0), request.walk_end))
    }
}

/// The same from `/proc/self/pagemap`, for kernels before 6.7.
pub(super) fn read_pagemap(memory: &[u8]) -> io::Result<Vec<usize>> {
    const PRESENT: u64 = 1 << 63;
    const SWAPPED: u64 = 1 << 62;
    const FILE: u64 = 1 << 61;

    let first = memory.as_ptr() as u64 / PAGE as u64;
    let mut entries = vec![0; memory.len() / PAGE * 8];
    pagemap()?.read_exact_at(&mut entries, first * 8)?;
    let private = |entry: &[u8]| {
        let entry = entry.try_into().map_or(SWAPPED, u64::from_le_bytes);
        entry & SWAPPED != 0 || (entry & PRESENT != 0 && entry & FILE == 0)
    };
    Ok(entries
        .chunks_exact(8)
        .enumerate()
        .filter(|(_, entry)| private(entry))
        .map(|(number, _)| number)
        .collect())
}

/// Merges page numbers into `(start, count)` runs, bridging gaps of up to `gap` pages.
pub(crate) fn runs(pages: &[usize], gap: usize) -> Vec<PageRun> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for &page in pages {
        match runs.last_mut() {
            Some(last) if page <= last.end + gap => last.end = page + 1,
            _ => runs.push(page..page + 1),
        }
    }
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    runs.into_iter().map(|run| (narrow(run.start), narrow(run.len()))).collect()
}
