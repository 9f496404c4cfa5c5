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

mod flags;
mod pages;

use std::cell::RefCell;
use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use rustix::mm::{
    Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap, mmap_anonymous, mprotect, munmap,
};

pub(crate) use self::flags::{Flag, Flags};
pub(crate) use self::pages::{dirty_pages, runs};
use self::pages::{read_pagemap, scan};
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
            flag.forget();
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
pub(crate) fn restore(memory: &mut [u8], image: &ImageFile) {
    let dirty = dirty_pages(memory, image);
    copy_back(memory, image, &dirty);
}

/// Lets go of the private pages of `memory` that are as they are in `image`, or zero beyond it: they read the
/// same afterwards. Failure only means that they stay.
pub(crate) fn forget_unchanged(memory: &mut [u8], image: &ImageFile) {
    let mut pages = dirty_pages(memory, image);
    let original = image.bytes();
    pages.retain(|&page| {
        let range = page * PAGE..(page + 1) * PAGE;
        memory[range.clone()] == *original.get(range).unwrap_or(&[0; PAGE])
    });
    for (start, count) in runs(&pages, 0) {
        let range = start as usize * PAGE..(start as usize + count as usize) * PAGE;
        let Some(part) = memory.get_mut(range) else { continue };
        // SAFETY: the range lies inside `memory`, which we hold exclusively and which is a private mapping of
        // the image, or of nothing beyond it. Its pages read as that again, and each byte of that is the same.
        let _ = unsafe { madvise(part.as_mut_ptr().cast(), part.len(), Advice::LinuxDontNeed) };
    }
}

fn copy_back(memory: &mut [u8], image: &ImageFile, pages: &[usize]) {
    for &page in pages {
        let bytes = page * PAGE..(page + 1) * PAGE;
        memory[bytes.clone()].copy_from_slice(&image.bytes()[bytes]);
    }
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
    fn pages_that_are_as_they_were_are_let_go_and_read_the_same() {
        let (mut mapping, image) = mapped(16);
        let memory = bytes(&mut mapping);
        for page in [1, 5, 13, 20, 25] {
            memory[page * PAGE + 3] = 9;
        }
        memory[5 * PAGE + 3] = 7;
        memory[25 * PAGE + 3] = 0;
        let before = memory.to_vec();
        forget_unchanged(memory, &image);
        assert!(memory == before, "something changed");
        let private = dirty_pages(memory, &image);
        assert_eq!(private.iter().filter(|&&page| page != 25).collect::<Vec<_>>(), [&1, &13, &20]);
    }

    #[test]
    fn runs_bridge_small_gaps_only() {
        assert_eq!(runs(&[1, 2, 3, 5, 9], 1), [(1, 5), (9, 1)]);
    }
}
