//! Flags: how a guest that runs is asked to look up.
//!
//! Each loop of the guest's code looks at one word of its memory ([`crate::split::FLAG`]).
//! Another thread sets it, and the guest calls the host at its next turn of a loop. The
//! word is only written while the guest runs, so that a guest at rest is all its own.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::Region;
use crate::threads::lock;

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

    pub(super) fn add(self: &Arc<Self>, region: &Region) -> (Arc<Self>, Arc<Flag>) {
        let flag = Arc::new(Flag::default());
        // SAFETY: an image is longer than the flag's offset, so this stays inside the region.
        let word = unsafe { region.base.byte_add(crate::split::FLAG as usize) };
        lock(&flag.0).word = Some(word.cast());
        lock(&self.0).insert(region.base.as_ptr() as usize, Arc::clone(&flag));
        (Arc::clone(self), flag)
    }

    pub(super) fn remove(&self, region: &Region) {
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
    /// The memory is about to go.
    pub(super) fn forget(&self) {
        lock(&self.0).word = None;
    }

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
