//! The system calls of a guest: WASI preview1 as far as Python imports it.
//!
//! Ours rather than wasmtime-wasi's, because a guest's files, descriptors, clock and
//! chance are part of its image (see [`crate::files`]) and because everything it
//! uses is counted. A guest has no network, no processes, no signals and no standard
//! input; what it prints and how it sleeps is up to its [`Surroundings`].
//!
//! Every number and address below comes from the guest and is checked where it is
//! used, in [`memory::GuestMemory`]. A wrong one is the guest's `EFAULT`, never ours.

mod clock;
mod descriptors;
mod entropy;
mod link;
mod memory;
mod paths;
mod poll;
mod process;
mod wire;

use std::time::Duration;

use engine::Stream;
use wasmtime::Memory;

use crate::files::{Errno, Files};

pub(crate) use clock::Clock;
pub(crate) use entropy::{Entropy, SavedEntropy};
pub(crate) use link::add_to_linker;
pub(crate) use process::Exit;

/// Where a guest's output and sleep go. An error stops the guest.
pub(crate) trait Surroundings: Send {
    /// Takes what the guest printed.
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> wasmtime::Result<()>;

    /// Returns when `how_long` has passed.
    fn sleep(&mut self, how_long: Duration) -> wasmtime::Result<()>;
}

/// A store's data that contains a [`Wasi`].
pub(crate) trait WasiView {
    /// The part that system calls use.
    fn wasi(&mut self) -> &mut Wasi;
}

/// Everything system calls of one guest use.
pub(crate) struct Wasi {
    files: Files,
    clock: Clock,
    entropy: Entropy,
    surroundings: Box<dyn Surroundings>,
    memory: Option<Memory>,
}

impl Wasi {
    /// For a guest whose memory is not known yet.
    pub(crate) fn new(
        files: Files,
        clock: Clock,
        entropy: Entropy,
        surroundings: Box<dyn Surroundings>,
    ) -> Self {
        Self { files, clock, entropy, surroundings, memory: None }
    }

    /// Remembers the guest's memory, which saves looking it up by name at every call.
    pub(crate) fn set_memory(&mut self, memory: Memory) {
        self.memory = Some(memory);
    }

    /// The guest's files.
    pub(crate) fn files(&mut self) -> &mut Files {
        &mut self.files
    }

    /// The guest's monotonic clock, without moving it.
    pub(crate) fn monotonic_now(&self) -> u64 {
        self.clock.monotonic()
    }

    /// The guest's wall clock, in nanoseconds since 1970.
    pub(crate) fn wall_now(&self) -> u64 {
        self.clock.wall()
    }

    /// Takes what the guest prints other than through its descriptors.
    pub(crate) fn print(&mut self, stream: Stream, bytes: &[u8]) -> wasmtime::Result<()> {
        self.surroundings.write(stream, bytes)
    }

    /// Where the guest's chance comes from.
    pub(crate) fn entropy(&mut self) -> &mut Entropy {
        &mut self.entropy
    }

    /// Changes where the guest's chance comes from.
    pub(crate) fn set_entropy(&mut self, entropy: Entropy) {
        self.entropy = entropy;
    }

    /// What [`Entropy::restore`] needs to go on from here.
    pub(crate) fn saved_entropy(&self) -> SavedEntropy {
        self.entropy.save()
    }

    /// Changes where output and sleep go.
    pub(crate) fn set_surroundings(&mut self, surroundings: Box<dyn Surroundings>) {
        self.surroundings = surroundings;
    }
}

/// How a system call ended if not well.
#[derive(Debug)]
enum Failure {
    /// The guest is told and goes on.
    Refused(Errno),
    /// The guest is stopped.
    Stopped(wasmtime::Error),
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self::Refused(errno)
    }
}

impl From<wasmtime::Error> for Failure {
    fn from(error: wasmtime::Error) -> Self {
        Self::Stopped(error)
    }
}

/// What every system call here returns.
type Answer = Result<(), Failure>;
