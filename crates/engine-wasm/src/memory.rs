//! Guest memory: address space that starts as a copy-on-write view of an image file.
//!
//! wasmtime asks [`Creator`] for every memory of an instance. The guest's own memory
//! is mapped from the image that [`starting_from`] put into a slot for this thread;
//! all other memories (wasmtime keeps exceptions in one) start as zeros.
//!
//! ```text
//!  0            image length              grown to                 4 GiB + guard
//!  ├─ file, copy-on-write ─┼─ anonymous, zero ─┼─ reserved, no access ─┤
//! ```
//!
//! What a guest changed is found without reading its memory: a page it wrote to
//! is no longer a page of the file, and the kernel knows ([`dirty_pages`]).

#![expect(unsafe_code, reason = "maps memory; each block states why it is sound")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, opcode};
use rustix::mm::{
    Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap, mmap_anonymous, mprotect, munmap,
};

use crate::threads::lock;

/// The unit in which memory is compared, frozen and thawed.
pub(crate) const PAGE: usize = 4096;

/// A guest that wrote to at most this many pages leaves them all to the next one.
const KEPT_PAGES: usize = (5 << 20) / PAGE;

/// An image file: what a guest's memory starts as.
#[derive(Debug)]
pub(crate) struct ImageFile {
    file: File,
    len: usize,
    view: View,
    /// Pages that nearly every program writes to.
    hot: Vec<PageRun>,
}

/// Where a run of pages begins, and how many they are.
pub(crate) type PageRun = (u32, u32);

/// A read-only view of an image file, to compare guests with.
#[derive(Debug)]
struct View(NonNull<c_void>);

// SAFETY: the view is never written through and stays mapped as long as its owner lives.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl ImageFile {
    /// Takes a file whose length is a whole number of wasm pages, and its hot pages in order.
    pub(crate) fn new(file: File, hot: Vec<PageRun>) -> io::Result<Self> {
        let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        if len == 0 || len % (64 << 10) != 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "an image is a whole number of 64 KiB pages",
            ));
        }
        // SAFETY: a fresh mapping at an address the kernel chooses. The cache never writes to an
        // image file again, so the bytes behind the view do not change.
        let view = unsafe {
            mmap(std::ptr::null_mut(), len, ProtFlags::READ, MapFlags::PRIVATE, &file, 0)?
        };
        let view = View(NonNull::new(view).ok_or(io::ErrorKind::OutOfMemory)?);
        Ok(Self { file, len, view, hot })
    }

    /// The content.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the view maps `len` readable bytes until `self` is dropped.
        unsafe { std::slice::from_raw_parts(self.view.0.as_ptr().cast(), self.len) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn is_hot(&self, page: usize) -> bool {
        let after = self.hot.partition_point(|&(start, _)| start as usize <= page);
        let run = after.checked_sub(1).and_then(|before| self.hot.get(before));
        run.is_some_and(|&(start, count)| page < start as usize + count as usize)
    }
}

impl Drop for ImageFile {
    fn drop(&mut self) {
        // SAFETY: the mapping made by `new`; `bytes` cannot outlive `self`.
        let _ = unsafe { munmap(self.view.0.as_ptr(), self.len) };
    }
}

thread_local! {
    static NEXT: RefCell<Option<Arc<ImageFile>>> = const { RefCell::new(None) };
}

/// Runs `instantiate` so that the guest memory it creates starts as `image`.
pub(crate) fn starting_from<R>(image: &Arc<ImageFile>, instantiate: impl FnOnce() -> R) -> R {
    NEXT.with_borrow_mut(|next| *next = Some(Arc::clone(image)));
    let made = instantiate();
    // Not taken when instantiation failed early; the next one must not find it.
    NEXT.with_borrow_mut(|next| *next = None);
    made
}

/// Gives wasmtime its memories, and takes them back for the next guest.
pub(crate) struct Creator {
    /// The guest module's minimum, which tells its memory from all others.
    guest_minimum: usize,
    spare: Arc<Spare>,
    flags: Arc<Flags>,
}

impl Creator {
    pub(crate) fn new(guest_minimum: usize, flags: Arc<Flags>) -> Self {
        Self { guest_minimum, spare: Arc::default(), flags }
    }
}

/// The flags of all guests there are, by where their memory begins.
#[derive(Default)]
pub(crate) struct Flags(Mutex<HashMap<usize, Arc<Flag>>>);

impl Flags {
    /// Asks every running guest to look up.
    pub(crate) fn raise(&self) {
        for flag in lock(&self.0).values() {
            flag.raise();
        }
    }

    fn add(self: &Arc<Self>, region: &Region) -> (Arc<Self>, Arc<Flag>) {
        let flag = Arc::new(Flag::default());
        // SAFETY: an image is longer than the flag's offset, so this stays inside the region.
        let word = unsafe { region.base.byte_add(crate::split::FLAG as usize) };
        lock(&flag.0).word = Some(word.cast());
        lock(&self.0).insert(region.base.as_ptr() as usize, Arc::clone(&flag));
        (Arc::clone(self), flag)
    }

    fn remove(&self, region: &Region) {
        lock(&self.0).remove(&(region.base.as_ptr() as usize));
    }

    /// The flag of the guest with this memory.
    pub(crate) fn of(&self, memory: &[u8]) -> Option<Arc<Flag>> {
        lock(&self.0).get(&(memory.as_ptr() as usize)).cloned()
    }
}

/// The word in a guest's memory that asks it to look up ([`crate::split::FLAG`]).
#[derive(Default)]
pub(crate) struct Flag(Mutex<FlagState>);

#[derive(Default)]
struct FlagState {
    /// `None` once the memory is gone.
    word: Option<NonNull<AtomicU32>>,
    /// Somebody else's thread may write to a guest's memory only while it runs.
    running: bool,
}

// SAFETY: the word is only touched under the lock and as an atomic, and `Mapping::drop` takes
// it away under the same lock before the memory goes.
unsafe impl Send for Flag {}
// SAFETY: as above.
unsafe impl Sync for Flag {}

impl Flag {
    fn raise(&self) {
        let state = lock(&self.0);
        if state.running {
            state.set(1);
        }
    }

    /// The guest looked up.
    pub(crate) fn lower(&self) {
        lock(&self.0).set(0);
    }

    /// The guest begins or ends a step. At rest its flag is down.
    pub(crate) fn set_running(&self, running: bool) {
        let mut state = lock(&self.0);
        state.running = running;
        state.set(0);
    }
}

impl FlagState {
    fn set(&self, value: u32) {
        if let Some(word) = self.word {
            // SAFETY: the word lies in mapped memory as long as it is there (see `Flag`), is
            // aligned, and the guest's own access to it is a plain aligned 32-bit load.
            unsafe { word.as_ref() }.store(value, Ordering::Relaxed);
        }
    }
}

// SAFETY: `MemoryCreator` asks for memories that stay where they are, are zero or host-filled, and
// have the asked-for reservation and guard inaccessible; `Region::reserve` makes exactly these.
unsafe impl wasmtime::MemoryCreator for Creator {
    fn new_memory(
        &self,
        _ty: wasmtime::MemoryType,
        minimum: usize,
        _maximum: Option<usize>,
        reserved: Option<usize>,
        guard: usize,
    ) -> Result<Box<dyn wasmtime::LinearMemory>, String> {
        let image = if minimum == self.guest_minimum { NEXT.take() } else { None };
        let capacity = reserved.unwrap_or(1 << 32).max(minimum);
        let text = |error: io::Error| error.to_string();
        let region = match self.spare.take(image.as_ref(), capacity, guard) {
            Some(region) => region,
            None => Region::reserve(capacity, guard, image).map_err(text)?,
        };
        let flag = region.image.is_some().then(|| self.flags.add(&region));
        let spare = Arc::clone(&self.spare);
        let mut mapping = Mapping { region: Some(region), size: 0, spare, flag };
        mapping.open_up_to(minimum).map_err(text)?;
        Ok(Box::new(mapping))
    }
}

/// Regions whose guest is gone, clean and mapped. Using one again saves the system
/// calls that map and unmap gigabytes, and the kernel keeps its page tables.
#[derive(Default)]
struct Spare(Mutex<Vec<Region>>);

impl Spare {
    const MOST: usize = 16;

    fn take(
        &self,
        image: Option<&Arc<ImageFile>>,
        capacity: usize,
        guard: usize,
    ) -> Option<Region> {
        let mut regions = lock(&self.0);
        let fits = |region: &Region| {
            region.capacity == capacity
                && region.total == capacity + guard
                && region.image.as_ref().map(Arc::as_ptr) == image.map(Arc::as_ptr)
        };
        let index = regions.iter().rposition(fits)?;
        Some(regions.swap_remove(index))
    }

    fn put(&self, region: Region) {
        let mut regions = lock(&self.0);
        if regions.len() < Self::MOST {
            regions.push(region);
        }
    }
}

/// One reserved stretch of address space. Everything up to the image's length is
/// mapped from it; what lies beyond becomes accessible as a memory grows.
struct Region {
    base: NonNull<c_void>,
    total: usize,
    capacity: usize,
    image: Option<Arc<ImageFile>>,
}

// SAFETY: the region is owned by this value alone; the pointer is an address, tied to no thread.
unsafe impl Send for Region {}
// SAFETY: `&Region` only reads the fields; access to the memory itself is wasmtime's to order.
unsafe impl Sync for Region {}

impl Region {
    fn reserve(capacity: usize, guard: usize, image: Option<Arc<ImageFile>>) -> io::Result<Self> {
        let total = capacity.checked_add(guard).ok_or(io::ErrorKind::OutOfMemory)?;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a fresh private mapping at an address the kernel chooses touches nothing that exists.
        let base =
            unsafe { mmap_anonymous(std::ptr::null_mut(), total, ProtFlags::empty(), flags)? };
        let base = NonNull::new(base).ok_or(io::ErrorKind::OutOfMemory)?;
        let region = Self { base, total, capacity, image };
        if let Some(image) = &region.image {
            if image.len > capacity {
                return Err(io::Error::other("the image is larger than the memory may become"));
            }
            let access = ProtFlags::READ | ProtFlags::WRITE;
            // SAFETY: MAP_FIXED replaces the start of our own reservation, which nothing has used yet,
            // and stays inside it. The file is private to the mapping and never written again.
            unsafe {
                mmap(base.as_ptr(), image.len, access, flags | MapFlags::FIXED, &image.file, 0)?
            };
            // SAFETY: just mapped, readable and writable, and nobody else knows of it.
            let memory = unsafe { std::slice::from_raw_parts_mut(base.as_ptr().cast(), image.len) };
            touch(memory, &image.hot);
        }
        Ok(region)
    }

    fn image_len(&self) -> usize {
        self.image.as_ref().map_or(0, |image| image.len)
    }

    /// Makes what lies beyond the image accessible, from `start` to `end`.
    fn open(&self, start: usize, end: usize) -> io::Result<()> {
        let start = start.max(self.image_len());
        if start >= end {
            return Ok(());
        }
        // SAFETY: `end` is at most `capacity`, so the range lies in our own anonymous reservation.
        unsafe {
            let at = self.base.as_ptr().byte_add(start);
            mprotect(at, end - start, MprotectFlags::READ | MprotectFlags::WRITE)?;
            // Huge pages would turn one touched byte into 2 MB of private memory.
            let _ = madvise(at, end - start, Advice::LinuxNoHugepage);
        }
        Ok(())
    }

    /// Makes the region as it was when new: the image again, and nothing beyond it.
    fn clean(&self, size: usize) -> io::Result<()> {
        if let Some(image) = &self.image {
            self.restore(image)?;
        }
        let beyond = self.image_len()..size;
        if !beyond.is_empty() {
            self.forget(beyond.clone())?;
            // SAFETY: within our own reservation.
            unsafe {
                let at = self.base.as_ptr().byte_add(beyond.start);
                mprotect(at, beyond.len(), MprotectFlags::empty())?;
            }
        }
        Ok(())
    }

    /// Undoes what a guest wrote over its image.
    ///
    /// Pages are overwritten with what they were and stay private: the next guest is
    /// likely to write to them too, and finds no page fault there. After a guest that
    /// wrote to very many, only the hot ones stay.
    fn restore(&self, image: &ImageFile) -> io::Result<()> {
        // SAFETY: the whole image is mapped, readable and writable, and no guest uses it any more.
        let memory =
            unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr().cast::<u8>(), image.len) };
        let Ok(dirty) = scan(memory).or_else(|_| read_pagemap(memory)) else {
            return self.forget(0..image.len);
        };
        let few = dirty.len() <= KEPT_PAGES;
        let (kept, cold): (Vec<usize>, Vec<usize>) =
            dirty.into_iter().partition(|&page| few || image.is_hot(page));
        // Forgetting pages in between costs nothing but their next page fault, so the
        // gaps are bridged. That must come first, since it takes hot ones along.
        for (start, count) in runs(&cold, 32) {
            self.forget(start as usize * PAGE..(start as usize + count as usize) * PAGE)?;
        }
        copy_back(memory, image, &kept);
        Ok(())
    }

    /// Drops the private pages of a range: those of the file read as the file again, the
    /// others as zero.
    fn forget(&self, range: Range<usize>) -> io::Result<()> {
        // SAFETY: the range lies in our own mapping and no guest uses it any more.
        unsafe {
            let at = self.base.as_ptr().byte_add(range.start);
            Ok(madvise(at, range.len(), Advice::LinuxDontNeed)?)
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the whole mapping made by `reserve`; nothing refers to it any more.
        let _ = unsafe { munmap(self.base.as_ptr(), self.total) };
    }
}

/// A region in use, accessible up to `size`.
struct Mapping {
    /// `None` only while being dropped.
    region: Option<Region>,
    size: usize,
    spare: Arc<Spare>,
    flag: Option<(Arc<Flags>, Arc<Flag>)>,
}

impl Mapping {
    fn region(&self) -> &Region {
        self.region.as_ref().expect("the region leaves only when the mapping is dropped")
    }

    /// Makes everything below `end` accessible.
    fn open_up_to(&mut self, end: usize) -> io::Result<()> {
        self.region().open(self.size, end)?;
        self.size = end;
        Ok(())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if let Some((flags, flag)) = self.flag.take() {
            flags.remove(self.region());
            lock(&flag.0).word = None;
        }
        let size = self.size.max(self.region().image_len());
        if let Some(region) = self.region.take()
            && region.clean(size).is_ok()
        {
            self.spare.put(region);
        }
    }
}

// SAFETY: the base never moves, `byte_size` bytes are accessible, and growing keeps the content.
unsafe impl wasmtime::LinearMemory for Mapping {
    fn byte_size(&self) -> usize {
        self.size
    }

    fn byte_capacity(&self) -> usize {
        self.region().capacity
    }

    fn grow_to(&mut self, new_size: usize) -> wasmtime::Result<()> {
        if new_size > self.region().capacity {
            return Err(wasmtime::Error::msg("memory cannot grow beyond its reservation"));
        }
        if new_size > self.size {
            self.open_up_to(new_size)?;
        }
        Ok(())
    }

    fn as_ptr(&self) -> *mut u8 {
        self.region().base.as_ptr().cast()
    }
}

/// Touches pages of `memory` ahead of their first use, several at a time.
///
/// Most of a fresh run used to be page faults. Failure only means they happen later.
pub(crate) fn touch(memory: &mut [u8], pages: &[PageRun]) {
    for &(start, count) in pages {
        let range = start as usize * PAGE..(start as usize + count as usize) * PAGE;
        let Some(part) = memory.get_mut(range) else { continue };
        // SAFETY: the range lies inside `memory`, which we hold exclusively; populating for
        // writing leaves every byte as it is.
        let _ =
            unsafe { madvise(part.as_mut_ptr().cast(), part.len(), Advice::LinuxPopulateWrite) };
    }
}

/// Gives `memory`, which has the size of `image`, the image's content again.
pub(crate) fn restore(memory: &mut [u8], image: &ImageFile) -> io::Result<()> {
    let dirty = dirty_pages(memory, image)?;
    copy_back(memory, image, &dirty);
    Ok(())
}

fn copy_back(memory: &mut [u8], image: &ImageFile, pages: &[usize]) {
    for &page in pages {
        let bytes = page * PAGE..(page + 1) * PAGE;
        memory[bytes.clone()].copy_from_slice(&image.bytes()[bytes]);
    }
}

/// Numbers of the pages of `memory` that may differ from `image`, in order.
///
/// Never misses a changed page; may name an unchanged one.
pub(crate) fn dirty_pages(memory: &[u8], image: &ImageFile) -> io::Result<Vec<usize>> {
    if let Some(pages) = scan(memory).or_else(|_| read_pagemap(memory)).ok() {
        return Ok(pages);
    }
    let original = image.bytes().chunks_exact(PAGE).map(Some).chain(std::iter::repeat(None));
    let differs = |page: &[u8], original: Option<&[u8]>| {
        original.map_or(page != [0; PAGE], |original| page != original)
    };
    let pages = memory.chunks_exact(PAGE).zip(original).enumerate();
    Ok(pages
        .filter(|(_, (page, original))| differs(page, *original))
        .map(|(number, _)| number)
        .collect())
}

fn pagemap() -> io::Result<&'static File> {
    static PAGEMAP: OnceLock<io::Result<File>> = OnceLock::new();
    PAGEMAP
        .get_or_init(|| File::open("/proc/self/pagemap"))
        .as_ref()
        .map_err(|error| error.kind().into())
}

/// Asks the kernel for the private pages of a range (`PAGEMAP_SCAN`, Linux 6.7).
fn scan(memory: &[u8]) -> io::Result<Vec<usize>> {
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
fn read_pagemap(memory: &[u8]) -> io::Result<Vec<usize>> {
    const PRESENT: u64 = 1 << 63;
    const SWAPPED: u64 = 1 << 62;
    const FILE: u64 = 1 << 61;

    let first = memory.as_ptr() as u64 / PAGE as u64;
    let mut entries = vec![0; memory.len() / PAGE * 8];
    pagemap()?.read_exact_at(&mut entries, first * 8)?;
    let private = |entry: &[u8]| {
        let entry = entry.try_into().map(u64::from_le_bytes).unwrap_or(SWAPPED);
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn mapped(pages: usize) -> (Mapping, Arc<ImageFile>) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; pages * PAGE]).unwrap();
        let image = Arc::new(ImageFile::new(file, vec![(2, 3), (9, 1)]).unwrap());
        let region = Region::reserve(1 << 24, 0, Some(Arc::clone(&image))).unwrap();
        let mut mapping =
            Mapping { region: Some(region), size: 0, spare: Arc::default(), flag: None };
        mapping.open_up_to((pages + 16) * PAGE).unwrap();
        (mapping, image)
    }

    fn bytes(mapping: &mut Mapping) -> &mut [u8] {
        // SAFETY: the mapping is accessible up to its size and borrowed for as long as the slice lives.
        unsafe {
            std::slice::from_raw_parts_mut(mapping.region().base.as_ptr().cast(), mapping.size)
        }
    }

    #[test]
    fn every_way_of_finding_dirty_pages_finds_the_written_ones() {
        let (mut mapping, _image) = mapped(16);
        let memory = bytes(&mut mapping);
        memory[13 * PAGE] = 1;
        memory[20 * PAGE + 5] = 1;
        // Reading must not count as writing.
        assert_eq!(memory[8 * PAGE] + memory[25 * PAGE], 7);
        // Hot pages are private from the start; a zero page may look so to the older way.
        let mut pages = read_pagemap(memory).unwrap();
        pages.retain(|&page| page != 25);
        assert_eq!(pages, [2, 3, 4, 9, 13, 20]);
        if let Ok(pages) = scan(memory) {
            assert_eq!(pages, [2, 3, 4, 9, 13, 20]);
        }
    }

    #[test]
    fn a_region_used_again_is_as_new() {
        let (mut mapping, image) = mapped(16);
        bytes(&mut mapping).fill(9);
        let spare = Arc::clone(&mapping.spare);
        drop(mapping);
        let region = spare.take(Some(&image), 1 << 24, 0).expect("the region was kept");
        let mut mapping = Mapping { region: Some(region), size: 0, spare, flag: None };
        mapping.open_up_to(32 * PAGE).unwrap();
        let memory = bytes(&mut mapping);
        assert!(memory[..16 * PAGE].iter().all(|&byte| byte == 7));
        assert!(memory[16 * PAGE..].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn touched_pages_keep_their_content() {
        let (mut mapping, _image) = mapped(16);
        let memory = bytes(&mut mapping);
        touch(memory, &[(0, 4), (15, 3), (1000, 1)]);
        assert!(memory[..16 * PAGE].iter().all(|&byte| byte == 7));
        assert!(memory[16 * PAGE..].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn runs_bridge_small_gaps_only() {
        assert_eq!(runs(&[1, 2, 3, 5, 9], 1), [(1, 5), (9, 1)]);
    }
}
