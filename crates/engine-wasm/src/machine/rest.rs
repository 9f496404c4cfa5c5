//! A machine at rest: freezing it, and thawing it elsewhere.

use std::sync::Arc;
use std::time::SystemTime;

use engine::{Image, ImageError, Limits};

use super::{Base, ENGINE, Machine};
use crate::files::{Files, Quota};
use crate::frozen::{self, Frozen, Meta};
use crate::kit::Kit;
use crate::memory::{self, PAGE};
use crate::threads::lock;
use crate::wasi::{Clock, Entropy};

/// With more private memory than this, freed memory is zeroed before freezing.
const SCRUB_ABOVE_PAGES: usize = (2 << 20) / PAGE;

impl Machine {
    /// Everything this guest is, relative to its base.
    pub(crate) fn freeze(&mut self) -> wasmtime::Result<Image> {
        let mut pages = self.dirty();
        if pages.len() > SCRUB_ABOVE_PAGES {
            self.scrub(pages.len() * PAGE)?;
            pages = self.dirty();
        }
        let state = self.store.data_mut();
        let (files, contents) = state.wasi.files().save();
        let output = lock(&state.shared.output).clone();
        let meta = Meta {
            memory_bytes: self.memory.data_size(&self.store) as u64,
            grown_bytes: self.store.data().growth.used,
            monotonic_nanos: self.store.data().wasi.monotonic_now(),
            wall_nanos: wall_nanos(),
            entropy: self.store.data().wasi.saved_entropy(),
            run: self.store.data().run.clone(),
            files,
            stdout_bytes: output.stdout.len() as u64,
            stderr_bytes: output.stderr.len() as u64,
            contents: contents.iter().map(|(inode, content)| (*inode, content.len())).collect(),
            pages: pages.len() as u64,
        };
        let contents: Vec<_> = contents.into_iter().map(|(_, content)| content.to_vec()).collect();
        let memory =
            frozen::Memories { now: self.memory.data(&self.store), base: self.base.image.bytes() };
        let header = engine::image::Header {
            engine: ENGINE.into(),
            base: self.base.digest,
            body_bytes: 0,
            waiting: meta.run.active,
        };
        let output = [&output.stdout[..], &output.stderr[..]];
        let mut body = Vec::new();
        frozen::encode(&meta, output, &contents, &pages, memory, &mut body)?;
        Ok(Image::new(header, body))
    }

    /// Pages that differ from the base.
    pub(crate) fn dirty(&self) -> Vec<usize> {
        let memory = self.memory.data(&self.store);
        let mut pages = memory::dirty_pages(memory, &self.base.image);
        let original = self.base.image.bytes();
        pages.retain(|&page| {
            let now = &memory[page * PAGE..(page + 1) * PAGE];
            match original.get(page * PAGE..(page + 1) * PAGE) {
                Some(before) => now != before,
                None => now != [0; PAGE],
            }
        });
        pages
    }

    /// Gives the pages back that are what they were at the start: most of what a program writes to are
    /// counts of references, which its end puts back.
    pub(crate) fn lighten(&mut self) {
        let base = Arc::clone(&self.base);
        memory::forget_unchanged(self.memory.data_mut(&mut self.store), &base.image);
    }

    /// Zeroes up to `budget` bytes of what the guest has freed, so that a frozen guest is as
    /// small as what it holds.
    ///
    /// Blocks are taken from the guest's own allocator while its memory may not grow, so all
    /// there is to take is what was freed; it hands that out before memory never used. Only
    /// the allocator runs: no Python, and nothing of the program.
    pub(crate) fn scrub(&mut self, budget: usize) -> wasmtime::Result<()> {
        self.store.data_mut().growth.frozen = true;
        let zeroed = self.take_and_free(budget);
        self.store.data_mut().growth.frozen = false;
        zeroed
    }

    fn take_and_free(&mut self, budget: usize) -> wasmtime::Result<()> {
        const BLOCK: u32 = 64 << 10;
        let mut taken = Vec::new();
        while taken.len() < budget / BLOCK as usize {
            match self.calloc.call(&mut self.store, (1, BLOCK))? {
                0 => break,
                block => taken.push(block),
            }
        }
        for block in taken {
            self.free.call(&mut self.store, block)?;
        }
        Ok(())
    }

    /// A guest that goes on where `image` stopped. The caller has found its base.
    pub(crate) fn thaw(
        kit: &Kit,
        base: &Arc<Base>,
        image: &Image,
        limits: &Limits,
    ) -> Result<Self, ThawError> {
        let allowed =
            base.image.len() as u64 + limits.memory_bytes + limits.workspace_bytes + (256 << 20);
        if let Some(body) = image.loose() {
            return Self::from_body(kit, base, body, limits);
        }
        kit.scratch.lend(|body| {
            image.unpack(allowed, body)?;
            Self::from_body(kit, base, body, limits)
        })
    }

    fn from_body(
        kit: &Kit,
        base: &Arc<Base>,
        body: &[u8],
        limits: &Limits,
    ) -> Result<Self, ThawError> {
        let Frozen { meta, stdout, stderr, contents, pages } = frozen::decode(body)?;
        let rested = wall_nanos().saturating_sub(meta.wall_nanos);
        let clock = Clock::live(meta.monotonic_nanos.saturating_add(rested));
        let mut machine =
            Self::new(kit, base, Arc::default(), clock, Entropy::restore(&meta.entropy))?;
        let bytes = usize::try_from(meta.memory_bytes)
            .map_err(|_| ImageError::Malformed("its memory is too large"))?;
        if bytes > base.image.len() + usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX) {
            return Err(ImageError::TooLarge {
                claimed: meta.memory_bytes,
                allowed: limits.memory_bytes,
            }
            .into());
        }
        machine.store.data_mut().growth.free = true;
        machine.grow_to(bytes)?;
        machine.write_pages(&pages)?;
        let files = Files::restore(
            meta.files,
            &contents,
            Arc::clone(&kit.library),
            Quota::default(),
            &base.packages,
        )
        .map_err(ImageError::Malformed)?;
        let state = machine.store.data_mut();
        state.growth.free = false;
        state.growth.used = meta.grown_bytes.max((bytes.saturating_sub(base.image.len())) as u64);
        *state.wasi.files() = files;
        *lock(&state.shared.output) =
            crate::state::Output { stdout: stdout.to_vec(), stderr: stderr.to_vec() };
        lock(&state.watch).reset(meta.run.wall, meta.run.cpu);
        state.run = meta.run;
        Ok(machine)
    }

    fn write_pages(&mut self, pages: &frozen::Pages<'_>) -> Result<(), ImageError> {
        let numbers: Vec<usize> = pages.numbers().collect();
        let memory = self.memory.data_mut(&mut self.store);
        memory::touch(memory, &memory::runs(&numbers, 0));
        for (number, lines) in pages.iter() {
            let page = memory.get_mut(number * PAGE..(number + 1) * PAGE);
            let page = page.ok_or(ImageError::Malformed("a page lies beyond its memory"))?;
            lines.write_to(page);
        }
        Ok(())
    }
}

/// Why thawing failed: the image, or the sandbox.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ThawError {
    #[error(transparent)]
    Image(#[from] ImageError),
    #[error(transparent)]
    Wasm(#[from] wasmtime::Error),
}

fn wall_nanos() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
