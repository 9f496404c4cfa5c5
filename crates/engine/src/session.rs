//! Sessions: programs one after another, each starting from what the last one left.
//!
//! A session owns a guest and the last image of it that is known to be good. When a
//! run is stopped (a limit, a crash, a dropped future) the guest is thrown away and
//! the next run starts from that image: variables and files are as they were before.
//! So it is after a program that ended because it had no memory left: what it holds may be
//! all there is, and the next one could do nothing.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use tokio::task::{AbortHandle, JoinSet};

use crate::call::{CallId, CallResult, HostCall};
use crate::files::{FileAnswer, FileError, FileTask};
use crate::guest::{
    Engine, FreezeError, Guest, Input, Start, StartError, Step, StepError, Waiting,
};
use crate::image::Image;
use crate::limits::LimitKind;
use crate::outcome::{Outcome, ProgramError, Usage};
use crate::program::Program;

/// Does what host calls ask for, each in its own time.
#[async_trait]
pub trait Calls: Send + Sync + 'static {
    /// Carries out one call.
    async fn call(&self, call: HostCall) -> CallResult;

    /// The program gave up waiting for a call; the future that carries it out is dropped.
    fn withdrawn(&self, _id: CallId) {}

    /// The program sleeps without waiting for any call, or no longer does.
    fn sleeps(&self, _asleep: bool) {}

    /// Waits for the end of a `rest` of the program, which goes on only after this has come back.
    async fn rests(&self, rest: Rest<'_>) -> Vec<CallResult> {
        rest.await
    }
}

/// A rest of a program: comes to an end with what the program waits for.
pub type Rest<'a> = Pin<Box<dyn Future<Output = Vec<CallResult>> + Send + 'a>>;

/// For programs that have nobody to call.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCalls;

#[async_trait]
impl Calls for NoCalls {
    async fn call(&self, call: HostCall) -> CallResult {
        CallResult::failed(
            call.id,
            format!("there is no tool called {:?}: no tools are connected", call.name),
        )
    }
}

/// Why a session could not even begin a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// No guest could be had.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The state before the run could not be kept safe.
    #[error(transparent)]
    Freeze(#[from] FreezeError),
    /// The sandbox broke; the session is as it was.
    #[error(transparent)]
    Step(StepError),
}

/// A sequence of programs that share their variables and files.
pub struct Session {
    engine: Arc<dyn Engine>,
    start: Start,
    guest: Option<Box<dyn Guest>>,
    last: Option<Image>,
    /// The guest has run since `last` was taken.
    ahead: bool,
    /// What the last run used.
    used: Usage,
}

/// A run in progress. However it ends, also by being dropped, what it used is noted.
struct Noted<'a> {
    guest: &'a mut dyn Guest,
    used: &'a mut Usage,
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        *self.used = self.guest.usage();
    }
}

impl Session {
    /// A session in which nothing has run.
    #[must_use]
    pub fn new(engine: Arc<dyn Engine>, start: Start) -> Self {
        Self { engine, start, guest: None, last: None, ahead: false, used: Usage::default() }
    }

    /// A session that continues from `image`.
    #[must_use]
    pub fn from_image(engine: Arc<dyn Engine>, start: Start, image: Image) -> Self {
        Self { last: Some(image), ..Self::new(engine, start) }
    }

    /// Changes what later runs may use and who answers them.
    pub fn configure(&mut self, start: Start) {
        if let Some(guest) = &mut self.guest {
            guest.limit(start.limits.clone());
            guest.attach(Arc::clone(&start.host));
            guest.show(start.shown());
        }
        self.start = start;
    }

    /// How this session's guests are started.
    #[must_use]
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// What starts this session's guests.
    #[must_use]
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    /// Whether a program has run in it before, here or wherever its image is from.
    #[must_use]
    pub fn has_past(&self) -> bool {
        self.guest.is_some() || self.last.is_some()
    }

    /// Gives memory back that is not needed until the next program.
    pub async fn lighten(&mut self) {
        if let Some(guest) = &mut self.guest {
            guest.lighten().await;
        }
    }

    /// Runs one program to its end.
    ///
    /// Dropping the future stops the program and leaves the session as it was.
    ///
    /// # Errors
    /// Only when the sandbox itself failed. A program that fails or is stopped has an outcome.
    pub async fn run(
        &mut self,
        program: Program,
        calls: Arc<dyn Calls>,
    ) -> Result<Outcome, SessionError> {
        let started = SystemTime::now();
        self.used = Usage::default();
        let mut guest = self.ready(&program).await?;
        let ended = {
            let noted = Noted { guest: &mut *guest, used: &mut self.used };
            drive(&mut *noted.guest, Input::Run(program), calls).await
        };
        match ended {
            Ok(mut outcome) => {
                if !used_up(&mut outcome) {
                    self.guest = Some(guest);
                    self.ahead = true;
                    // What it was before is of no more use, and as large as the guest.
                    self.last = None;
                }
                Ok(outcome)
            }
            Err(error @ (StepError::Engine { .. } | StepError::Misused { .. })) => {
                Err(SessionError::Step(error))
            }
            Err(error) => Ok(stopped(&*guest, &error, started)),
        }
    }

    /// Lends the guest for one run that is stepped elsewhere. It is given back if the run reaches its
    /// end; if not, the session is as it was before.
    ///
    /// # Errors
    /// When no guest can be had.
    pub async fn lend(&mut self, program: &Program) -> Result<Box<dyn Guest>, SessionError> {
        self.used = Usage::default();
        self.ready(program).await
    }

    /// Notes what a guest that was lent has used so far, in case it is not given back.
    pub fn has_used(&mut self, used: Usage) {
        self.used = used;
    }

    /// Takes a guest back whose run has reached its end, and has not [used up](used_up) its memory.
    pub fn take_back(&mut self, guest: Box<dyn Guest>) {
        self.used = guest.usage();
        self.guest = Some(guest);
        self.ahead = true;
        self.last = None;
    }

    /// What the session was before the guest was lent; `None` if nothing had run in it.
    #[must_use]
    pub fn before(&self) -> Option<&Image> {
        self.last.as_ref()
    }

    /// What the last run used, also if it was stopped by dropping it.
    #[must_use]
    pub fn used(&self) -> Usage {
        self.used
    }

    /// Does something with the session's files.
    ///
    /// # Errors
    /// When there is no such file, a limit is met, or no guest can be had.
    pub async fn files(&mut self, task: FileTask) -> Result<FileAnswer, FileError> {
        let changes =
            matches!(task, FileTask::Write(..) | FileTask::Remove(_) | FileTask::Replace(_));
        let guest = match self.guest.take() {
            Some(guest) => guest,
            None => match &self.last {
                Some(image) => self.engine.thaw(image, self.start.clone()).await?,
                None => self.engine.start(self.start.clone(), None).await?,
            },
        };
        // It stays the session's, also if nobody waits for the answer any more; what was begun is then
        // done all the same.
        self.ahead |= changes;
        let answer = self.guest.insert(guest).files(task).await;
        if matches!(answer, Err(FileError::Step(_))) {
            self.gives_up();
        }
        answer
    }

    /// Whether a guest is there, which takes memory.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.guest.is_some()
    }

    /// The session as bytes; `None` while nothing has run in it.
    ///
    /// Dropping the future leaves the session as it was.
    ///
    /// # Errors
    /// When the guest cannot be frozen. One that was stopped is let go; the session goes on from its last
    /// image.
    pub async fn freeze(&mut self) -> Result<Option<Image>, FreezeError> {
        if let Some(guest) = self.guest.as_mut().filter(|_| self.ahead) {
            let frozen = guest.freeze().await;
            if matches!(frozen, Err(FreezeError::Stopped)) {
                self.gives_up();
            }
            self.last = Some(frozen?);
            self.ahead = false;
        }
        Ok(self.last.clone())
    }

    /// Lets a guest go that is of no more use.
    fn gives_up(&mut self) {
        self.guest = None;
        self.ahead = false;
    }

    /// A second session that starts from here and goes its own way.
    ///
    /// # Errors
    /// When the guest cannot be frozen.
    pub async fn fork(&mut self) -> Result<Self, FreezeError> {
        let last = self.freeze().await?;
        Ok(Self { last, ..Self::new(Arc::clone(&self.engine), self.start.clone()) })
    }

    /// A guest in the state before the next run, with that state safe in `last`.
    async fn ready(&mut self, first: &Program) -> Result<Box<dyn Guest>, SessionError> {
        self.freeze().await?;
        if let Some(guest) = self.guest.take() {
            return Ok(guest);
        }
        Ok(match &self.last {
            Some(image) => self.engine.thaw(image, self.start.clone()).await?,
            None => self.engine.start(self.start.clone(), Some(first)).await?,
        })
    }
}

/// Steps a guest until its program ends, carrying out its calls meanwhile.
///
/// # Errors
/// When a step fails; the guest is of no use then.
pub async fn drive(
    guest: &mut dyn Guest,
    input: Input,
    calls: Arc<dyn Calls>,
) -> Result<Outcome, StepError> {
    let mut desk =
        Desk { calls: Arc::clone(&calls), tasks: JoinSet::new(), handles: HashMap::new() };
    let mut step = guest.step(input).await?;
    loop {
        match step {
            Step::Done(outcome) => return Ok(*outcome),
            Step::Waiting(waiting) => {
                let results = calls.rests(Box::pin(desk.serve(waiting))).await;
                step = guest.step(Input::Results(results)).await?;
            }
        }
    }
}

/// The calls of one run that are being carried out. Dropping it aborts them.
struct Desk {
    calls: Arc<dyn Calls>,
    tasks: JoinSet<CallResult>,
    handles: HashMap<CallId, AbortHandle>,
}

impl Desk {
    /// Starts new calls, then waits until something has come or `wake_at` has.
    async fn serve(&mut self, waiting: Waiting) -> Vec<CallResult> {
        for id in waiting.withdrawn {
            if let Some(handle) = self.handles.remove(&id) {
                handle.abort();
                self.calls.withdrawn(id);
            }
        }
        for call in waiting.calls {
            let calls = Arc::clone(&self.calls);
            let id = call.id;
            self.handles.insert(id, self.tasks.spawn(async move { calls.call(call).await }));
        }
        let mut results = Vec::new();
        let sleeps = self.tasks.is_empty();
        if sleeps {
            self.calls.sleeps(true);
        }
        tokio::select! {
            result = next(&mut self.tasks) => results.extend(result),
            () = until(waiting.wake_at) => {}
        }
        if sleeps {
            self.calls.sleeps(false);
        }
        while let Some(joined) = self.tasks.try_join_next() {
            results.extend(joined.ok());
        }
        for result in &results {
            self.handles.remove(&result.id);
        }
        results
    }
}

async fn next(tasks: &mut JoinSet<CallResult>) -> Option<CallResult> {
    loop {
        match tasks.join_next().await {
            Some(Ok(result)) => return Some(result),
            Some(Err(_aborted)) => {}
            // Nothing is under way, so only the clock can bring anything.
            None => std::future::pending().await,
        }
    }
}

async fn until(moment: Option<SystemTime>) {
    match moment {
        Some(moment) => {
            tokio::time::sleep(moment.duration_since(SystemTime::now()).unwrap_or_default()).await;
        }
        None => std::future::pending().await,
    }
}

/// How the exceptions of a Python program are called that has no memory left; numpy has one of its own. That of a
/// TypeScript program may have any cause, so that its engine says which limit it is.
const NO_MEMORY: &str = "MemoryError";

/// Whether a program ended because it had no memory left, so that its guest is not gone on with. Says
/// so in the outcome.
#[must_use]
pub fn used_up(outcome: &mut Outcome) -> bool {
    let is_used_up = |error: &ProgramError| {
        error.kind.ends_with(NO_MEMORY) || error.limit == Some(LimitKind::Memory)
    };
    if !outcome.error.as_ref().is_some_and(is_used_up) {
        return false;
    }
    let mut note = "the program had no memory left and was rolled back: variables and files of the session are as they were before it".to_owned();
    if outcome.usage.calls > 0 {
        note.push_str("; what tools have done stays done");
    }
    outcome.note = Some(match outcome.note.take() {
        Some(before) => format!("{before}; {note}"),
        None => note,
    });
    true
}

/// What to do about a program that never waited for anything.
pub const ENDLESS: &str = "it computed nearly all the time and waited for nothing: look for a loop that does not end; \
     else work on fewer rows, or let numpy or pandas do in Python what loops do";

/// What to do about one that mostly waited.
pub const WAITED: &str = "it spent most of its time waiting, for tools or asleep: look for a loop that waits for \
     something which does not come, end it after a few tries and return what is there; else ask tools for less, \
     make the calls at once with asyncio.gather or Promise.all, or ask for a longer `timeout` where the limit allows one";

fn computed_throughout(usage: Usage) -> bool {
    // Without calls there is little to wait for; on a busy machine computing takes less of a core.
    let share = if usage.calls == 0 { 0.2 } else { 0.7 };
    usage.cpu >= usage.wall.mul_f64(share)
}

/// The outcome of a run that was stopped.
#[must_use]
pub fn stopped(guest: &dyn Guest, error: &StepError, started: SystemTime) -> Outcome {
    let (stdout, stderr) = guest.output();
    let (kind, limit, hint) = match error {
        StepError::LimitExceeded { kind, .. } => {
            let advice = match kind {
                LimitKind::Wall | LimitKind::Cpu if computed_throughout(guest.usage()) => ENDLESS,
                LimitKind::Wall => WAITED,
                kind => kind.advice(),
            };
            ("LimitExceeded", Some(*kind), Some(advice.to_owned()))
        }
        StepError::Exited { .. } => ("Exited", None, None),
        _ => ("Crashed", None, None),
    };
    let error = ProgramError {
        kind: kind.into(),
        message: error.to_string(),
        hint,
        limit,
        ..ProgramError::default()
    };
    let mut note = "the run was stopped and rolled back: variables and files of the session are as they were before it".to_owned();
    if guest.usage().calls > 0 {
        note.push_str("; what tools have done stays done");
    }
    Outcome {
        stdout,
        stderr,
        note: Some(note),
        execution_time_ms: started.elapsed().unwrap_or_default().as_secs_f64() * 1e3,
        usage: guest.usage(),
        ..Outcome::failed(error)
    }
}
