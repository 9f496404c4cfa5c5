//! What the host keeps for one guest, inside wasmtime's store.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use engine::{CallId, Digest, Host, HostCall, LimitKind, Limits, Stream, Usage};
use serde::{Deserialize, Serialize};
use wasmtime::{Memory, ResourceLimiter, TypedFunc};

use crate::memory::Flag;
use crate::script::Script;
use crate::threads::lock;
use crate::wasi::{Surroundings, Wasi, WasiView};
use crate::watch::{Cancel, Stop, Watch};
use crate::wire::Done;

/// What outlives a guest that was stopped: its output, and the way to stop it.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) cancel: Arc<Cancel>,
    pub(crate) output: Mutex<Output>,
    pub(crate) usage: Mutex<Usage>,
}

/// What a run has printed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// The program a guest holds, as far as the host keeps books on it. Frozen with it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Run {
    /// A program has started and not ended.
    pub(crate) active: bool,
    /// Host calls made.
    pub(crate) calls: u64,
    /// Calls that wait for an answer.
    pub(crate) pending: BTreeSet<CallId>,
    /// Time used by finished steps.
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    /// When the run started and since when it rests, for limits that span machines.
    pub(crate) started: Option<SystemTime>,
    pub(crate) resting_since: Option<SystemTime>,
    /// The session's chance has been seeded.
    pub(crate) seeded: bool,
}

/// How the guest said its step ended.
#[derive(Debug)]
pub(crate) enum Ended {
    Resting { wake: Option<Duration> },
    Done(Box<Done>),
}

pub(crate) struct State {
    pub(crate) wasi: Wasi,
    pub(crate) limits: Limits,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) watch: Arc<Mutex<Watch>>,
    pub(crate) growth: Growth,
    pub(crate) run: Run,
    pub(crate) flag: Arc<Flag>,
    /// An image is being made; our own source runs, no program of anybody's.
    pub(crate) building: bool,
    /// The guest knows the limits that are its own to keep.
    pub(crate) told: bool,
    /// Which files it sees under `/servers`.
    pub(crate) servers: Option<Digest>,
    /// What `/results` shows.
    pub(crate) results: Option<Digest>,
    /// The skills that it sees under `/skills`.
    pub(crate) skills: Option<Digest>,
    /// The answer to the guest's next `n`.
    pub(crate) input: Option<Vec<u8>>,
    pub(crate) ended: Option<Ended>,
    /// Calls and withdrawals the next [`engine::Waiting`] will report.
    pub(crate) unreported: Vec<HostCall>,
    pub(crate) withdrawn: Vec<CallId>,
    pub(crate) memory: Option<Memory>,
    pub(crate) alloc: Option<TypedFunc<u32, u32>>,
    /// In a TypeScript guest: its functions, and the one that steps call.
    pub(crate) script: Option<(Arc<Script>, u32)>,
}

impl WasiView for State {
    fn wasi(&mut self) -> &mut Wasi {
        &mut self.wasi
    }
}

impl State {
    /// The guest looked up: may it go on?
    pub(crate) fn look_up(&self) -> Result<(), Stop> {
        self.flag.lower();
        self.note_usage();
        lock(&self.watch).check()
    }

    /// Notes what the run has used so far, for whoever stops it.
    fn note_usage(&self) {
        let (wall, cpu) = lock(&self.watch).so_far();
        let mut usage = lock(&self.shared.usage);
        (usage.wall, usage.cpu) = (wall, cpu);
        usage.memory_bytes = self.growth.used;
        usage.calls = self.run.calls;
    }
}

/// Memory accounting over all memories of an instance.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own; no two exclude each other"
)]
pub(crate) struct Growth {
    /// Bytes beyond the base image.
    pub(crate) used: u64,
    pub(crate) allowed: u64,
    /// While the host scrubs free memory, none may be added.
    pub(crate) frozen: bool,
    /// Growth to the base image itself is free.
    pub(crate) free: bool,
    /// The program was refused memory in this step.
    pub(crate) refused: bool,
    /// It was in this run, so that the interpreter may be damaged.
    pub(crate) suspect: bool,
}

impl ResourceLimiter for Growth {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let more = (desired - current) as u64;
        if self.free {
            return Ok(true);
        }
        if self.frozen || self.used + more > self.allowed {
            self.refused |= !self.frozen;
            self.suspect |= !self.frozen;
            return Ok(false);
        }
        self.used += more;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        _desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // The guest's one table is as large as it will ever be.
        Ok(self.free)
    }
}

/// Where a guest's prints and sleeps go.
pub(crate) struct Around {
    pub(crate) shared: Arc<Shared>,
    pub(crate) watch: Arc<Mutex<Watch>>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) output_bytes: u64,
}

impl Surroundings for Around {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> wasmtime::Result<()> {
        let mut output = lock(&self.shared.output);
        let text = match stream {
            Stream::Stdout => &mut output.stdout,
            Stream::Stderr => &mut output.stderr,
        };
        let room =
            usize::try_from(self.output_bytes).unwrap_or(usize::MAX).saturating_sub(text.len());
        let fits = &bytes[..bytes.len().min(room)];
        text.extend_from_slice(fits);
        drop(output);
        self.host.wrote(stream, fits);
        if fits.len() < bytes.len() {
            return Err(
                Stop::limit(LimitKind::Output, format!("{} bytes", self.output_bytes)).into()
            );
        }
        Ok(())
    }

    fn sleep(&mut self, how_long: Duration) -> wasmtime::Result<()> {
        Ok(lock(&self.watch).sleep(how_long)?)
    }
}
