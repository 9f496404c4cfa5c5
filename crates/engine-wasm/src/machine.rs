//! One instance of the guest and everything done to it, on whatever thread it is on.
//!
//! A machine is stepped, frozen and thawed here, synchronously. [`crate::guest`]
//! puts that on guest threads and behind the contract.

mod files;
mod making;
mod rest;
#[cfg(test)]
mod tests;
mod voice;

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use engine::{
    CallResult, Digest, Folder, Host, Input, Limits, NoHost, Outcome, ProgramError, Shown, Step,
    StepError, Usage, Waiting,
};
use serde_json::value::RawValue;
use wasmtime::{Memory, Store, TypedFunc};

pub(crate) use self::making::Announced;
pub(crate) use self::rest::ThawError;
use self::voice::Voice;
use crate::files::{Files, Given, GivenFolder, Quota};
use crate::install::BoxError;
use crate::kit::Kit;
use crate::language::{Language, Spoken as _};
use crate::memory::{self, ImageFile};
use crate::script::Broken;
use crate::state::{Around, Ended, Growth, Run, Shared, State};
use crate::threads::lock;
use crate::wasi::{Clock, Entropy, Exit, Wasi};
use crate::watch::{Stop, Watch};
use crate::{door, split, wire};

const ENGINE: &str = "wasm";

/// Fresh guests start their monotonic clock here: beyond anything an image build counts.
const FIRST_MOMENT: u64 = 1_000_000_000_000;

/// What a program may allocate even when the session has used up its memory.
const LITTLE: u64 = 1 << 20;

/// A base image, open and ready to be mapped.
pub(crate) struct Base {
    pub(crate) digest: Digest,
    pub(crate) image: Arc<ImageFile>,
    /// The address of the Python function that does one step.
    pub(crate) entry: u32,
    pub(crate) packages: GivenFolder,
}

/// What holds from the next step on.
pub(crate) struct News {
    pub(crate) limits: Limits,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) seed: Option<u64>,
    pub(crate) shown: Shown,
}

impl Default for News {
    fn default() -> Self {
        let (limits, host) = (Limits::default(), Arc::new(NoHost));
        Self { limits, host, seed: None, shown: Shown::default() }
    }
}

/// One guest.
pub(crate) struct Machine {
    language: Language,
    store: Store<State>,
    instance: wasmtime::Instance,
    memory: Memory,
    voice: Voice,
    calloc: TypedFunc<(u32, u32), u32>,
    free: TypedFunc<u32, ()>,
    entry: u32,
    base: Arc<Base>,
}

impl Machine {
    /// Maps `base` and instantiates the code on it.
    pub(crate) fn new(
        kit: &Kit,
        base: &Arc<Base>,
        shared: Arc<Shared>,
        clock: Clock,
        entropy: Entropy,
    ) -> wasmtime::Result<Self> {
        let files = Files::new(Arc::clone(&kit.library), Quota::default(), &base.packages);
        let watch = Arc::new(Mutex::new(Watch::new(Arc::clone(&shared.cancel))));
        let host: Arc<dyn Host> = Arc::new(NoHost);
        let around = Around {
            shared: Arc::clone(&shared),
            watch: Arc::clone(&watch),
            host: Arc::clone(&host),
            output_bytes: u64::MAX,
        };
        let state = State {
            wasi: Wasi::new(files, clock, entropy, Box::new(around)),
            limits: Limits::default(),
            host,
            shared,
            watch,
            growth: Growth { free: true, ..Growth::default() },
            run: Run::default(),
            flag: Arc::default(),
            building: false,
            told: false,
            servers: None,
            results: None,
            skills: None,
            input: None,
            ended: None,
            unreported: Vec::new(),
            withdrawn: Vec::new(),
            memory: None,
            alloc: None,
            script: None,
        };
        let mut store = Store::new(&kit.engine, state);
        store.limiter(|state| &mut state.growth);
        let instance = memory::starting_from(&base.image, || kit.pre.instantiate(&mut store))?;
        let memory = instance.get_memory(&mut store, "memory").ok_or_else(|| missing("memory"))?;
        let voice = Voice::find(kit.language, &instance, &mut store, memory)?;
        let calloc = instance.get_typed_func(&mut store, split::ALLOCATOR[0])?;
        let free = instance.get_typed_func(&mut store, split::ALLOCATOR[1])?;
        let mut machine = Self {
            language: kit.language,
            store,
            instance,
            memory,
            voice,
            calloc,
            free,
            entry: base.entry,
            base: Arc::clone(base),
        };
        machine.grow_to(base.image.len())?;
        let flag =
            kit.flags.of(machine.memory.data(&machine.store)).ok_or_else(|| missing("flag"))?;
        let state = machine.store.data_mut();
        state.flag = flag;
        state.memory = Some(machine.memory);
        match &machine.voice {
            Voice::Python { alloc, .. } => state.alloc = Some(alloc.clone()),
            Voice::Script(script) => state.script = Some((Arc::clone(script), machine.entry)),
        }
        state.wasi.set_memory(machine.memory);
        state.growth.free = false;
        Ok(machine)
    }

    /// A guest for programs: real clock, chance not yet seeded.
    pub(crate) fn fresh(
        kit: &Kit,
        base: &Arc<Base>,
        shared: Arc<Shared>,
    ) -> wasmtime::Result<Self> {
        Self::new(kit, base, shared, Clock::live(FIRST_MOMENT), Entropy::os())
    }

    /// A guest that has run a program and forgotten it: as new but for its seed, and what
    /// wasmtime prepares on first use is prepared, and no page is touched the first time.
    pub(crate) fn rehearsed(kit: &Kit, base: &Arc<Base>) -> Result<Self, BoxError> {
        let mut machine = Self::fresh(kit, base, Arc::default())?;
        machine.configure(News::default());
        machine.step(Input::Run(engine::Program::new(kit.language.rehearsal())))?;
        let memory = machine.memory.data_mut(&mut machine.store);
        if memory.len() != base.image.len() {
            return Err("the rehearsal grew its memory".into());
        }
        memory::restore(memory, &base.image);
        let state = machine.store.data_mut();
        state.run = Run { seeded: true, ..Run::default() };
        *lock(&state.shared.output) = crate::state::Output::default();
        *lock(&state.shared.usage) = Usage::default();
        let seed = state.wasi.entropy().next_u64()?;
        machine.tell(seed)?;
        Ok(machine)
    }

    /// Tells the guest what holds for its first program, unless something else will.
    fn tell(&mut self, seed: u64) -> Result<(), BoxError> {
        let state = self.store.data_mut();
        state.input =
            Some(wire::run(self.language, None, &state.limits, Some(seed), (None, None))?);
        lock(&state.watch).begin(&state.limits);
        self.enter()?;
        self.store.data_mut().told = true;
        Ok(())
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.store.data().shared)
    }

    /// Takes over what the next program may use, who answers it, its seed and its servers.
    pub(crate) fn configure(&mut self, news: News) {
        let News { limits, host, seed, shown: Shown { servers, results, skills } } = news;
        let state = self.store.data_mut();
        let digest = servers.as_ref().map(|folder| folder.digest());
        if state.servers != digest {
            let folder = servers
                .map_or_else(GivenFolder::default, |servers| (*servers.prepared(given)).clone());
            state.wasi.files().set_folder(Given::Servers, folder);
            state.servers = digest;
            state.told = false;
        }
        let digest = results.as_ref().map(|folder| folder.digest());
        if state.results != digest {
            let folder = results
                .map_or_else(GivenFolder::default, |results| (*results.prepared(given)).clone());
            state.wasi.files().set_folder(Given::Results, folder);
            state.results = digest;
        }
        let digest = skills.as_ref().map(|folder| folder.digest());
        if state.skills != digest {
            let folder = skills
                .map_or_else(GivenFolder::default, |skills| (*skills.prepared(given)).clone());
            state.wasi.files().set_folder(Given::Skills, folder);
            state.skills = digest;
            state.told = false;
        }
        state.growth.allowed = limits.memory_bytes;
        let known =
            |limits: &Limits| (limits.recursion, limits.value_bytes, limits.imports.clone());
        state.told &= known(&limits) == known(&state.limits);
        state.wasi.files().set_quota(Quota::from(&limits));
        state.limits = limits;
        state.host = host;
        if let Some(seed) = seed {
            state.wasi.set_entropy(Entropy::seeded(Digest::of(&seed.to_le_bytes()).0));
            state.run.seeded = false;
        }
        self.surround();
    }

    fn surround(&mut self) {
        let state = self.store.data_mut();
        let around = Around {
            shared: Arc::clone(&state.shared),
            watch: Arc::clone(&state.watch),
            host: Arc::clone(&state.host),
            output_bytes: state.limits.output_bytes,
        };
        state.wasi.set_surroundings(Box::new(around));
    }

    fn grow_to(&mut self, bytes: usize) -> wasmtime::Result<()> {
        let pages = (bytes.saturating_sub(self.memory.data_size(&self.store)) >> 16) as u64;
        if pages > 0 {
            self.memory.grow(&mut self.store, pages)?;
        }
        Ok(())
    }

    // --- stepping ----------------------------------------------------------------

    /// Runs until the program ends or rests.
    pub(crate) fn step(&mut self, input: Input) -> Result<Step, StepError> {
        let message = match input {
            Input::Run(program) => self.begin(&program)?,
            Input::Results(results) => self.resume(results)?,
        };
        let state = self.store.data_mut();
        state.input = Some(message);
        state.ended = None;
        state.growth.refused = false;
        lock(&state.watch).begin(&state.limits);
        let ended = self.enter();
        let state = self.store.data_mut();
        lock(&state.watch).end();
        (state.run.wall, state.run.cpu) = lock(&state.watch).used();
        let usage = usage(state);
        *lock(&state.shared.usage) = usage;
        if let Err(error) = ended {
            return Err(stopped(&error, self.store.data()));
        }
        self.finish_step(usage)
    }

    fn begin(&mut self, program: &engine::Program) -> Result<Vec<u8>, StepError> {
        let state = self.store.data_mut();
        if state.run.active {
            return Err(StepError::Misused {
                problem: "a program is still waiting in this guest; answer its calls first",
            });
        }
        let seed = if state.run.seeded { None } else { Some(state.wasi.entropy().next_u64()) };
        let seed = seed.transpose().map_err(|error| fault("seed a session", error))?;
        let message = if state.told && seed.is_none() && program.context.is_empty() {
            wire::run_again(self.language, program)
        } else {
            let folders = (state.servers.as_ref(), state.skills.as_ref());
            wire::run(self.language, Some(program), &state.limits, seed, folders)
        };
        let message = message.map_err(|error| fault("write a program", error))?;
        state.told = true;
        state.wasi.files().take_refusal();
        // A session whose memory is full must be able to say so, and to delete something.
        let little = (state.growth.used + LITTLE).min(state.limits.memory_bytes + 8 * LITTLE);
        state.growth.allowed = state.limits.memory_bytes.max(little);
        state.growth.suspect = false;
        state.run =
            Run { active: true, seeded: true, started: Some(SystemTime::now()), ..Run::default() };
        lock(&state.watch).reset(Duration::ZERO, Duration::ZERO);
        *lock(&state.shared.usage) = Usage::default();
        *lock(&state.shared.output) = crate::state::Output::default();
        Ok(message)
    }

    fn resume(&mut self, results: Vec<CallResult>) -> Result<Vec<u8>, StepError> {
        let state = self.store.data_mut();
        if !state.run.active {
            return Err(StepError::Misused {
                problem: "no program is waiting in this guest; give it one first",
            });
        }
        let rested = state
            .run
            .resting_since
            .take()
            .and_then(|since| since.elapsed().ok())
            .unwrap_or_default();
        if rested >= state.limits.rest {
            return Err(Stop::limit(
                engine::LimitKind::Rest,
                format!("{} s", state.limits.rest.as_secs_f64()),
            )
            .into());
        }
        let mut wanted = Vec::new();
        for result in results {
            if state.run.pending.remove(&result.id) {
                door::check_result(&result, &state.limits)?;
                wanted.push(result);
            }
        }
        Ok(wire::resume(&wanted))
    }

    fn finish_step(&mut self, usage: Usage) -> Result<Step, StepError> {
        let state = self.store.data_mut();
        match state.ended.take() {
            Some(Ended::Resting { wake }) => {
                state.run.resting_since = Some(SystemTime::now());
                Ok(Step::Waiting(Waiting {
                    calls: std::mem::take(&mut state.unreported),
                    withdrawn: std::mem::take(&mut state.withdrawn),
                    outstanding: state.run.pending.len(),
                    // Rest has its end too, whether or not anything comes.
                    wake_at: SystemTime::now().checked_add(
                        wake.map_or(state.limits.rest, |wake| wake.min(state.limits.rest)),
                    ),
                }))
            }
            Some(Ended::Done(done)) => {
                let outcome = outcome(state, *done, usage);
                state.run = Run { seeded: true, ..Run::default() };
                state.unreported.clear();
                state.withdrawn.clear();
                if state.growth.suspect {
                    self.probe()?;
                }
                Ok(Step::Done(Box::new(outcome)))
            }
            None => Err(StepError::Crashed { reason: "it ended a step without saying how".into() }),
        }
    }

    /// Runs next to nothing, after a program that was refused memory.
    ///
    /// What the program left behind may leave no room for another one. And few of CPython's own paths survive a failed allocation everywhere. One that did not may
    /// show only in the next program, whose fault it is not; so it is found out here, while
    /// there is still an image from before to go back to.
    fn probe(&mut self) -> Result<(), StepError> {
        let (output, usage) = {
            let shared = &self.store.data().shared;
            (lock(&shared.output).clone(), *lock(&shared.usage))
        };
        let message = self.begin(&engine::Program::new(self.language.probe()))?;
        let state = self.store.data_mut();
        state.growth.suspect = false;
        state.input = Some(message);
        lock(&state.watch).begin(&state.limits);
        let ended = self.enter();
        let state = self.store.data_mut();
        lock(&state.watch).end();
        let works = ended.is_ok()
            && matches!(state.ended.take(), Some(Ended::Done(done)) if done.error.is_none());
        state.run = Run { seeded: true, ..Run::default() };
        *lock(&state.shared.output) = output;
        *lock(&state.shared.usage) = usage;
        if works {
            return Ok(());
        }
        let allowed = format!("{} bytes", state.limits.memory_bytes);
        Err(Stop::limit(engine::LimitKind::Memory, allowed).into())
    }

    /// Lets the guest run, and look up when it is asked to.
    fn running<R>(&mut self, task: impl FnOnce(&mut Self) -> R) -> R {
        self.store.data().flag.set_running(true);
        let done = task(self);
        self.store.data().flag.set_running(false);
        done
    }

    /// Calls the guest's step function.
    fn enter(&mut self) -> wasmtime::Result<()> {
        self.running(|machine| machine.voice.step(&mut machine.store, machine.entry))
    }

    // --- for image builds and tests ---------------------------------------------------

    pub(crate) fn memory_bytes(&self) -> &[u8] {
        self.memory.data(&self.store)
    }

    /// Standard output and standard error so far.
    pub(crate) fn output(&self) -> (String, String) {
        let output = lock(&self.store.data().shared.output);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    pub(crate) fn files(&mut self) -> &mut Files {
        self.store.data_mut().wasi.files()
    }

    #[cfg(test)]
    /// The stack pointer, which is back at its first value whenever a guest rests.
    pub(crate) fn stack_pointer(&mut self) -> Option<i32> {
        let global = self.instance.get_global(&mut self.store, "__stack_pointer")?;
        global.get(&mut self.store).i32()
    }
}

/// A host's folder as a guest's file system has it.
fn given(folder: &Folder) -> GivenFolder {
    let files = folder.files().iter().map(|(path, bytes)| (path.clone(), Arc::clone(bytes)));
    // A path that no file system could have is the host's mistake; the others still count.
    GivenFolder::new(files.filter(|(path, _)| GivenFolder::is_path(path))).unwrap_or_default()
}

fn outcome(state: &mut State, mut done: wire::Done, usage: Usage) -> Outcome {
    // The program saw an `OSError`; which limit that was, only the host knows.
    let refusal = state.wasi.files().take_refusal();
    if let Some((error, refusal)) = done.error.as_mut().zip(refusal) {
        let hint = error.hint.take().map_or_else(String::new, |hint| hint + " ");
        error.hint = Some(format!("{hint}The limit met last: {refusal}."));
    }
    if let Some(error) = &mut done.error {
        name_limit(error, state);
    }
    let output = lock(&state.shared.output).clone();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let silent = done.error.is_none()
        && done.value.is_none()
        && output.stdout.is_empty()
        && output.stderr.is_empty()
        && done.artifacts.is_empty();
    let lost = done.lost_pictures;
    let note = if lost > 0 {
        Some(format!(
            "figures that are missing: {lost}; at most twenty are drawn, each within the memory that is left \
             (setting `memory-bytes`, {}): draw fewer, or smaller ones with `figsize` and `dpi`",
            state.limits.memory_bytes
        ))
    } else if done.too_large {
        Some(format!(
            "the return value was larger than value-bytes ({}) and was cut; return a summary",
            state.limits.value_bytes
        ))
    } else if let Some(refusal) = refusal.filter(|_| done.error.is_none()) {
        // What is written when a file is closed by itself raises nothing that anybody hears.
        Some(format!("something was not written: {refusal}"))
    } else if let Some(words) = done.unseen.filter(|words| words.len() <= MOST_WORDS) {
        Some(words)
    } else if silent {
        Some("the program returned nothing and printed nothing; end it with an expression, `return VALUE` or `result = VALUE`".into())
    } else {
        None
    };
    let started = state.run.started.and_then(|started| started.elapsed().ok());
    Outcome {
        success: done.error.is_none(),
        return_value: done.value.unwrap_or_else(|| RawValue::NULL.to_owned()),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        error: done.error,
        artifacts: done.artifacts,
        note,
        execution_time_ms: started.unwrap_or(usage.wall).as_secs_f64() * 1e3,
        usage,
    }
}

/// The longest note that comes from a guest.
const MOST_WORDS: usize = 4000;

/// An exception that stands for a limit says which, and its value.
fn name_limit(error: &mut ProgramError, state: &State) {
    let refused = state.growth.refused || state.growth.suspect;
    // QuickJS throws `null` where there is not even memory for the error.
    if refused && error.kind == "Error" && error.message == "null" {
        "InternalError".clone_into(&mut error.kind);
        "out of memory".clone_into(&mut error.message);
        error.hint = Some("Work in chunks and let go of what is no longer needed.".to_owned());
    }
    if refused && error.kind == "InternalError" {
        error.limit = Some(engine::LimitKind::Memory);
    }
    let limit = match error.kind.as_str() {
        // numpy has one of its own. A program may also raise it for reasons of its own.
        kind if (kind.ends_with("MemoryError") || kind == "InternalError") && refused => {
            format!("`memory-bytes` is {} here", state.limits.memory_bytes)
        }
        "RecursionError" => format!("`recursion` is {} here", state.limits.recursion),
        _ => return,
    };
    let hint = error.hint.take().map_or_else(String::new, |hint| hint + " ");
    error.hint = Some(format!("{hint}The limit: {limit}."));
}

fn usage(state: &mut State) -> Usage {
    let (stdout_bytes, stderr_bytes) = {
        let output = lock(&state.shared.output);
        (output.stdout.len() as u64, output.stderr.len() as u64)
    };
    Usage {
        wall: state.run.wall,
        cpu: state.run.cpu,
        memory_bytes: state.growth.used,
        calls: state.run.calls,
        stdout_bytes,
        stderr_bytes,
        workspace_bytes: state.wasi.files().usage().0,
    }
}

/// Says why a guest came to a stop, in the contract's words.
fn stopped(error: &wasmtime::Error, state: &State) -> StepError {
    let used_up = || StepError::LimitExceeded {
        kind: engine::LimitKind::Memory,
        allowed: format!("{} bytes", state.limits.memory_bytes),
    };
    if let Some(stop) = error.downcast_ref::<Stop>() {
        // What a guest says that has no memory left may be cut off.
        let is_cut = matches!(stop, Stop::Protocol(_)) && state.growth.suspect;
        return if is_cut { used_up() } else { stop.clone().into() };
    }
    if let Some(Exit(code)) = error.downcast_ref::<Exit>() {
        return StepError::Exited { code: *code };
    }
    match error.downcast_ref::<wasmtime::Trap>() {
        // Few of CPython's own paths survive a failed allocation everywhere, nor do all of ours.
        trap if state.growth.suspect && (trap.is_some() || error.is::<Broken>()) => used_up(),
        Some(trap) => StepError::Crashed { reason: trap.to_string() },
        None => StepError::Crashed { reason: format!("{error:#}") },
    }
}

fn fault(
    action: &'static str,
    source: impl std::error::Error + Send + Sync + 'static,
) -> StepError {
    StepError::Engine { engine: ENGINE, action, source: Box::new(source) }
}

fn missing(export: &str) -> wasmtime::Error {
    wasmtime::Error::msg(format!("the guest has no export called {export}"))
}
