//! The traits an engine implements: one interpreter, stepped from outside.
//!
//! ```text
//!            Input::Run                     Step::Waiting
//!  at rest ─────────────► running ────────────────────────► at rest, mid-await
//!     ▲                      │  ▲                                │
//!     └────── Step::Done ────┘  └───────── Input::Results ───────┘
//! ```
//!
//! At rest a guest is a value: it can be frozen, dropped, moved and thawed.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use async_trait::async_trait;

use crate::call::{CallId, CallResult, HostCall};
use crate::files::{FileAnswer, FileError, FileTask};
use crate::folder::Folder;
use crate::image::{Digest, Image, ImageError};
use crate::language::Language;
use crate::limits::{LimitKind, Limits};
use crate::outcome::{Outcome, Stream, Usage};
use crate::program::Program;

/// What a guest is given to go on with.
#[derive(Debug)]
pub enum Input {
    /// A program to start. The guest must not be in the middle of another.
    Run(Program),
    /// Answers to earlier calls, in any order; none when only `wake_at` has come.
    Results(Vec<CallResult>),
}

/// How a step ended.
#[derive(Debug)]
pub enum Step {
    /// Every part of the program waits. Nothing of it runs until the next step.
    Waiting(Waiting),
    /// The program ended, well or with an exception.
    Done(Box<Outcome>),
}

/// What a resting program waits for.
#[derive(Debug, Default)]
pub struct Waiting {
    /// Calls made since the last time the guest rested and not answered yet.
    pub calls: Vec<HostCall>,
    /// Earlier calls the program no longer waits for: a timeout ended, a task was cancelled.
    pub withdrawn: Vec<CallId>,
    /// Calls waiting in all, earlier ones included.
    pub outstanding: usize,
    /// When to step again even if no answer has come: a sleep or a timeout ends.
    pub wake_at: Option<SystemTime>,
}

/// Why a step did not end as a [`Step`]. The guest is of no use afterwards.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The program used more than it was given. Running it again will not help.
    #[error("the program exceeded its {kind} limit of {allowed} (setting `{}`)", kind.setting())]
    LimitExceeded {
        /// Which limit was hit.
        kind: LimitKind,
        /// The configured limit with its unit.
        allowed: String,
    },

    /// The program ended the interpreter itself.
    #[error(
        "the program ended the interpreter with code {code}; end with `return` or by reaching the last line"
    )]
    Exited {
        /// The code it gave.
        code: i32,
    },

    /// The interpreter crashed, and the sandbox contained it.
    #[error("the interpreter crashed: {reason}")]
    Crashed {
        /// What the sandbox saw.
        reason: String,
    },

    /// The guest was used in a way its state does not allow.
    #[error("{problem}")]
    Misused {
        /// What was wrong with the input.
        problem: &'static str,
    },

    /// The sandbox broke; the program is not to blame.
    #[error("{engine} engine could not {action}")]
    Engine {
        /// [`Engine::name`] of the engine that failed.
        engine: &'static str,
        /// What it was doing, as an infinitive.
        action: &'static str,
        /// What went wrong underneath.
        source: Box<dyn StdError + Send + Sync>,
    },
}

/// Why a guest could not be started or thawed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The image belongs to another base than any this engine has.
    #[error(
        "the image was frozen on base {wanted}, which is not installed here; build or copy that base image first"
    )]
    UnknownBase {
        /// The base the image names.
        wanted: Digest,
    },
    /// There is no image of that name.
    #[error("there is no image called {name:?}; `tidegate image list` shows those there are")]
    UnknownImage {
        /// What was asked for.
        name: String,
    },
    /// The bytes are not a usable image.
    #[error("the image cannot be thawed")]
    Image(#[from] ImageError),
    /// The sandbox broke.
    #[error("{engine} engine could not {action}")]
    Engine {
        /// [`Engine::name`] of the engine that failed.
        engine: &'static str,
        /// What it was doing, as an infinitive.
        action: &'static str,
        /// What went wrong underneath.
        source: Box<dyn StdError + Send + Sync>,
    },
}

/// Why a guest could not be frozen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FreezeError {
    /// A step of this guest failed or was dropped half-way.
    #[error(
        "this guest was stopped in the middle of a step and cannot be frozen; what it held is lost, and the next program goes on from the last image"
    )]
    Stopped,
    /// The sandbox broke.
    #[error("the guest could not be frozen")]
    Engine(#[source] Box<dyn StdError + Send + Sync>),
}

/// Who answers quick calls and hears what the program prints.
///
/// A guest asks its host before it rests. Whatever the host leaves unanswered
/// comes out of the step in [`Waiting::calls`]. All methods are called on the
/// guest's own thread and hold up that guest only.
pub trait Host: Send + Sync {
    /// Answers `call` at once, or declines to.
    fn answer(&self, _call: &HostCall) -> Option<CallResult> {
        None
    }

    /// The same when the program has nothing else to do: the host may take a moment.
    fn answer_alone(&self, call: &HostCall) -> Option<CallResult> {
        self.answer(call)
    }

    /// Waits at most until `deadline` for answers to calls declined earlier.
    /// No answers means: rest.
    fn wait(&self, _deadline: Instant) -> Vec<CallResult> {
        Vec::new()
    }

    /// Hears what the program writes, while it writes it.
    fn wrote(&self, _stream: Stream, _bytes: &[u8]) {}
}

/// Answers nothing and hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHost;

impl Host for NoHost {}

/// How a guest is to be started.
#[derive(Clone)]
pub struct Start {
    /// What it may use.
    pub limits: Limits,
    /// The base image to start from, by name; `None` lets the engine choose by
    /// what the first program imports.
    pub image: Option<String>,
    /// Seeds chance, for runs that must repeat; `None` takes real entropy.
    pub seed: Option<u64>,
    /// Who answers quick calls.
    pub host: Arc<dyn Host>,
    /// What programs find under `/servers`.
    pub servers: Option<Arc<Folder>>,
    /// What programs find under `/results`.
    pub results: Option<Arc<Folder>>,
    /// What programs find under `/skills`.
    pub skills: Option<Arc<Folder>>,
}

impl Default for Start {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            image: None,
            seed: None,
            host: Arc::new(NoHost),
            servers: None,
            results: None,
            skills: None,
        }
    }
}

/// The folders that the host shows to programs.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// What programs find under `/servers`.
    pub servers: Option<Arc<Folder>>,
    /// What programs find under `/results`.
    pub results: Option<Arc<Folder>>,
    /// What programs find under `/skills`.
    pub skills: Option<Arc<Folder>>,
}

impl Start {
    /// The folders that it names.
    #[must_use]
    pub fn shown(&self) -> Shown {
        let Self { servers, results, skills, .. } = self;
        Shown { servers: servers.clone(), results: results.clone(), skills: skills.clone() }
    }
}

/// One interpreter, holding at most one program, inside a sandbox.
///
/// Every guest keeps four promises. [`crate::contract`] tests them against each
/// implementation, so a new engine is done when that suite passes.
///
/// * **Limits hold.** No program outlives or outgrows its [`Limits`], however hostile.
/// * **One door.** The program reaches the outside only through host calls.
/// * **Waiting is resting.** Between two steps nothing of the guest is running, so it
///   can be frozen, dropped or moved at no cost to the program.
/// * **Dropping is killing.** A dropped guest, or a dropped step, makes no further calls.
#[async_trait]
pub trait Guest: Send {
    /// Runs until the program ends or every part of it waits for the host.
    ///
    /// An exception raised by the program is an [`Outcome`], not an error: the
    /// model wants to read it. [`StepError`] means the program was stopped, or
    /// the engine itself broke.
    async fn step(&mut self, input: Input) -> Result<Step, StepError>;

    /// Everything the program is, as bytes another guest can continue from.
    ///
    /// Dropping the future leaves the guest as it was; so it is with [`files`](Self::files), of which what
    /// was begun is done, and [`lighten`](Self::lighten).
    async fn freeze(&mut self) -> Result<Image, FreezeError>;

    /// Does something with the workspace's files, between two steps.
    async fn files(&mut self, task: FileTask) -> Result<FileAnswer, FileError>;

    /// Gives memory back that it holds and does not need while it rests. A guest that will not run
    /// for a moment is asked for this; nothing of it changes.
    async fn lighten(&mut self) {}

    /// Changes who answers quick calls, from the next step on.
    fn attach(&mut self, host: Arc<dyn Host>);

    /// Changes what programs find under `/servers`, `/results` and `/skills`, from the next step on.
    fn show(&mut self, folders: Shown);

    /// Changes what the next program may use.
    fn limit(&mut self, limits: Limits);

    /// What the current or last run has printed so far: standard output, standard error.
    fn output(&self) -> (String, String);

    /// What the current or last run has used so far.
    fn usage(&self) -> Usage;
}

/// Makes guests.
#[async_trait]
pub trait Engine: Send + Sync {
    /// A short name for messages.
    fn name(&self) -> &'static str;

    /// What its programs are written in.
    fn language(&self) -> Language {
        Language::Python
    }

    /// A fresh guest. `first` is the program it will run first, if that is known.
    async fn start(
        &self,
        start: Start,
        first: Option<&Program>,
    ) -> Result<Box<dyn Guest>, StartError>;

    /// A guest that continues from `image` as if nothing had happened.
    async fn thaw(&self, image: &Image, start: Start) -> Result<Box<dyn Guest>, StartError>;

    /// How often fresh guests were there already; nothing where none ever stand by.
    fn standby(&self) -> Option<StandbyFigures> {
        None
    }
}

/// What became of the guests that stand by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StandbyFigures {
    /// Guests that were there when they were wanted.
    pub hits: u64,
    /// Guests that had to be made.
    pub misses: u64,
    /// Guests that are there now.
    pub ready: usize,
}
