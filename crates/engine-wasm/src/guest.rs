//! A guest behind the contract: a machine that is stepped on guest threads.
//!
//! ```text
//! Unborn ──first step──► Alive ──step failed, or dropped half-way──► Dead
//!                         ▲  │
//!                         └──┴──frozen, lightened, files──► Away
//! ```
//!
//! What is done to a guest between two steps comes to its end also if nobody waits for it any more: the
//! machine is away until then, and comes back as it was.
//!
//! A fresh guest is made on the thread that runs its first step, so starting one
//! costs its caller nothing and no thread is switched twice.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use engine::{
    FileAnswer, FileError, FileTask, FreezeError, Guest, Host, Image, Input, Limits, Shown, Step,
    StepError, Usage,
};
use tokio::sync::oneshot::{self, error::TryRecvError};

use crate::kit::Kit;
use crate::machine::{Base, Machine, News};
use crate::state::Shared;
use crate::threads::{Threads, lock};

/// How long a caller looks for the end of a step before it sleeps, if nothing else runs.
const LOOK: Duration = Duration::from_micros(150);

/// What guests of one engine share.
pub(crate) struct Works {
    pub(crate) kit: Kit,
    pub(crate) threads: Threads,
}

enum Body {
    Unborn(Arc<Base>),
    Alive(Box<Machine>),
    /// On a guest thread for something that is no step; comes back by itself.
    Away(Home),
    Dead,
}

/// Where a machine comes back to.
type Home = oneshot::Receiver<Result<Box<Machine>, StepError>>;

/// One interpreter; see [`engine::Guest`] for its promises.
pub(crate) struct WasmGuest {
    body: Body,
    works: Arc<Works>,
    shared: Arc<Shared>,
    limits: Limits,
    host: Arc<dyn Host>,
    seed: Option<u64>,
    shown: Shown,
    /// Limits, host, seed or folders changed since the machine last heard of them.
    changed: bool,
}

impl WasmGuest {
    /// A guest that will be made from `base` when it first runs.
    pub(crate) fn unborn(works: Arc<Works>, base: Arc<Base>, start: engine::Start) -> Self {
        Self::new(Body::Unborn(base), works, Arc::default(), start)
    }

    /// A guest that is already there.
    pub(crate) fn alive(works: Arc<Works>, machine: Box<Machine>, start: engine::Start) -> Self {
        let shared = machine.shared();
        Self::new(Body::Alive(machine), works, shared, start)
    }

    fn new(body: Body, works: Arc<Works>, shared: Arc<Shared>, start: engine::Start) -> Self {
        let shown = start.shown();
        Self {
            body,
            works,
            shared,
            limits: start.limits,
            host: start.host,
            seed: start.seed,
            shown,
            changed: true,
        }
    }

    /// Runs a step on a guest thread. Dropping the future stops it.
    async fn on_thread<R: Send + 'static>(
        &mut self,
        task: impl FnOnce(&mut Machine) -> R + Send + 'static,
    ) -> Result<(R, Box<Machine>), StepError> {
        self.come_home().await?;
        // A guest that is there already may be done in less time than it takes to be woken.
        let soon = matches!(self.body, Body::Alive(_)) && self.works.threads.is_quiet();
        let job = self.job(task);
        let (send, mut receive) = oneshot::channel();
        // Fails when nobody waits any more; the machine is then dropped there.
        self.works.threads.run(job, |made| drop(send.send(made)));
        let guard = StopOnDrop { works: &self.works, shared: &self.shared, armed: true };
        let answer = match soon.then(|| look_for(&mut receive)).flatten() {
            Some(answer) => Ok(answer),
            None => receive.await,
        };
        guard.disarm();
        answer.unwrap_or_else(|_| Err(lost()))
    }

    /// Does something that is no step on a guest thread. Dropping the future does not stop it: whatever
    /// comes next waits for the machine.
    async fn between_steps<R: Send + 'static>(
        &mut self,
        task: impl FnOnce(&mut Machine) -> R + Send + 'static,
    ) -> Result<R, StepError> {
        self.come_home().await?;
        let soon = matches!(self.body, Body::Alive(_)) && self.works.threads.is_quiet();
        let job = self.job(task);
        let (answer, mut answered) = oneshot::channel();
        let (send, mut home) = oneshot::channel();
        let deliver = |made: Result<(R, Box<Machine>), StepError>| {
            // The answer is there before the machine is.
            let _ = send.send(made.map(|(done, machine)| {
                let _ = answer.send(done);
                machine
            }));
        };
        self.works.threads.run(job, deliver);
        if let Some(made) = soon.then(|| look_for(&mut home)).flatten() {
            self.body = Body::Alive(made?);
        } else {
            self.body = Body::Away(home);
            self.come_home().await?;
        }
        answered.try_recv().map_err(|_| lost())
    }

    /// Waits for the machine, where something is still done to it that nobody waited for. Dropping the
    /// future leaves it where it is.
    async fn come_home(&mut self) -> Result<(), StepError> {
        if let Body::Away(home) = &mut self.body {
            let came = home.await;
            self.body = Body::Dead;
            self.body = Body::Alive(came.unwrap_or_else(|_| Err(lost()))?);
        }
        Ok(())
    }

    /// Takes the machine, or what it is made from, to do `task` with it.
    fn job<R, T: FnOnce(&mut Machine) -> R>(
        &mut self,
        task: T,
    ) -> impl FnOnce() -> Result<(R, Box<Machine>), StepError> + use<R, T> {
        let body = std::mem::replace(&mut self.body, Body::Dead);
        let news = self.changed.then(|| News {
            limits: self.limits.clone(),
            host: Arc::clone(&self.host),
            seed: self.seed.take(),
            shown: self.shown.clone(),
        });
        self.changed = false;
        let (works, shared) = (Arc::clone(&self.works), Arc::clone(&self.shared));
        move || {
            make(&works.kit, body, &shared).map(|mut machine| {
                if let Some(news) = news {
                    machine.configure(news);
                }
                let done = task(&mut machine);
                (done, machine)
            })
        }
    }
}

/// What is said of a machine that did not come back.
fn lost() -> StepError {
    StepError::Crashed { reason: "its thread ended unexpectedly".into() }
}

/// Looks for an answer for a moment without sleeping; whoever else wants the core has it.
fn look_for<T>(answer: &mut oneshot::Receiver<T>) -> Option<T> {
    let begun = Instant::now();
    while begun.elapsed() < LOOK {
        match answer.try_recv() {
            Ok(answer) => return Some(answer),
            Err(TryRecvError::Empty) => std::thread::yield_now(),
            Err(TryRecvError::Closed) => return None,
        }
    }
    None
}

fn make(kit: &Kit, body: Body, shared: &Arc<Shared>) -> Result<Box<Machine>, StepError> {
    match body {
        Body::Alive(machine) => Ok(machine),
        Body::Unborn(base) => {
            let machine = Machine::fresh(kit, &base, Arc::clone(shared)).map_err(|error| {
                StepError::Engine { engine: "wasm", action: "start a guest", source: error.into() }
            })?;
            Ok(Box::new(machine))
        }
        Body::Away(_) | Body::Dead => Err(StepError::Misused {
            problem: "this guest was stopped; thaw its last image or start another",
        }),
    }
}

#[async_trait]
impl Guest for WasmGuest {
    async fn step(&mut self, input: Input) -> Result<Step, StepError> {
        let (result, machine) = self.on_thread(move |machine| machine.step(input)).await?;
        if matches!(result, Ok(_) | Err(StepError::Misused { .. })) {
            self.body = Body::Alive(machine);
        } else {
            self.works.threads.tidy(move || drop(machine));
        }
        result
    }

    async fn freeze(&mut self) -> Result<Image, FreezeError> {
        // One that did not come back is of no more use than one that was stopped.
        let came = self.come_home().await;
        if came.is_err() || matches!(self.body, Body::Dead) {
            return Err(FreezeError::Stopped);
        }
        match self.between_steps(Machine::freeze).await {
            Ok(image) => image.map_err(|error| FreezeError::Engine(error.into())),
            Err(_) if matches!(self.body, Body::Dead) => Err(FreezeError::Stopped),
            Err(error) => Err(FreezeError::Engine(error.into())),
        }
    }

    async fn files(&mut self, task: FileTask) -> Result<FileAnswer, FileError> {
        self.between_steps(move |machine| machine.file_task(task)).await?
    }

    async fn lighten(&mut self) {
        if matches!(self.body, Body::Alive(_)) {
            // One that is lost on the way says so to whoever wants to use it.
            let _ = self.between_steps(Machine::lighten).await;
        }
    }

    fn attach(&mut self, host: Arc<dyn Host>) {
        self.host = host;
        self.changed = true;
    }

    fn show(&mut self, folders: Shown) {
        self.shown = folders;
        self.changed = true;
    }

    fn limit(&mut self, limits: Limits) {
        self.limits = limits;
        self.changed = true;
    }

    fn output(&self) -> (String, String) {
        let output = lock(&self.shared.output);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    fn usage(&self) -> Usage {
        *lock(&self.shared.usage)
    }
}

impl Drop for WasmGuest {
    fn drop(&mut self) {
        let machine = match std::mem::replace(&mut self.body, Body::Dead) {
            Body::Alive(machine) => Some(machine),
            // One that is still away is dropped where it is.
            Body::Away(mut home) => home.try_recv().ok().and_then(Result::ok),
            Body::Unborn(_) | Body::Dead => None,
        };
        if let Some(machine) = machine {
            // Unmapping takes a moment that nobody should wait for.
            self.works.threads.tidy(move || drop(machine));
        }
    }
}

/// Stops the guest when the step's future is dropped before its end.
struct StopOnDrop<'a> {
    works: &'a Works,
    shared: &'a Shared,
    armed: bool,
}

impl StopOnDrop<'_> {
    fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.shared.cancel.cancel();
            self.works.threads.nudge();
        }
    }
}

/// Guests that wait with their hot pages touched, for one base.
pub(crate) struct Standby {
    ready: Mutex<Vec<Machine>>,
    most: usize,
}

impl Standby {
    pub(crate) fn new(most: usize) -> Self {
        Self { ready: Mutex::new(Vec::with_capacity(most)), most }
    }

    pub(crate) fn take(&self) -> Option<Machine> {
        lock(&self.ready).pop()
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.ready).len()
    }

    pub(crate) fn missing(&self) -> usize {
        self.most.saturating_sub(lock(&self.ready).len())
    }

    pub(crate) fn put(&self, machine: Machine) {
        let mut ready = lock(&self.ready);
        if ready.len() < self.most {
            ready.push(machine);
        }
    }
}
