//! A service for many callers: sessions, runs, and who may have how many of them.
//!
//! ```text
//! request ──► session (one run at a time) ──► gate (so many at once) ──► check ──► guest
//!                 │                                                                 │
//!                 └── idle: frozen to disk ── unused: removed      stored run ◄─────┘
//! ```
//!
//! Reading order: [`Service`], then [`record`] (what is known of a run), [`gate`] (whose turn it
//! is), `session` (one session), [`store`] (the database).

mod adopt;
pub mod analysis;
mod answer;
pub mod approvals;
mod asked;
mod clerk;
pub mod conversations;
mod covered;
mod deeds;
pub mod durable;
mod ends;
mod examined;
mod execute;
pub mod figures;
mod finish;
pub mod gate;
pub mod ids;
mod kept;
mod languages;
mod late;
mod mailboxes;
mod receipt;
mod rechecked;
pub mod record;
mod refusal;
pub mod retention;
pub mod run;
mod session;
mod session_files;
mod sessions;
mod shared;
mod shelf;
mod skilled;
pub mod stats;
pub mod store;
mod sweep;
pub mod tokens;
mod totals;
mod trace;
mod trail;
mod watching;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use engine::{Language, Level, Limits};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::warn;

pub use self::answer::{Answer, Of, Page, Wanted};
use self::approvals::Approvals;
use self::clerk::ServiceClerk;
use self::durable::own::LeftBehind;
pub use self::examined::Validated;
pub use self::execute::{IfBusy, Request, Started};
use self::gate::{Gate, Room};
use self::ids::RunId;
use self::mailboxes::StoredBoxes;
pub use self::receipt::Receipt;
use self::record::Rest;
pub use self::record::{Moment, Record, Status};
pub use self::refusal::Refusal;
use self::run::Run;
use self::session::{Coming, Entry};
pub use self::session::{SessionState, SessionView};
use self::session_files::SessionFiles;
use self::sessions::{Evicted, Flood};
use self::shelf::Shelf;
pub use self::skilled::Installed;
use self::store::{RunFilter, Store, StoreError};
pub use self::tokens::{Caller, Scope};
pub use self::trace::{Spans, Trace};
pub use self::trail::Trail;
pub use self::watching::Watching;
use crate::checks::Checks;
use crate::children::Places;
pub use crate::engines::{Engines, NoEngine, OnDemand, Readiness};
use crate::mailboxes::MailboxBounds;
use crate::reviewing::Reviewing;
use crate::tools::Tools;
pub use upstream::{TraceParent, TraceState};

/// What an operator decides about a service.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The level of sessions whose callers do not ask for a stricter one.
    pub level: Level,
    /// What programs may use; callers may ask for less.
    pub limits: Limits,
    /// How many run and wait.
    pub room: Room,
    /// Guests in memory, running or idle.
    pub live: usize,
    /// How long a session is idle before it is frozen.
    pub idle: Duration,
    /// How long a session is kept after it was last used.
    pub lasts: Duration,
    /// Sessions of one owner.
    pub sessions_per_owner: u64,
    /// Bytes of frozen sessions of one owner.
    pub bytes_per_owner: u64,
    /// How long finished runs can be read.
    pub keep_runs: Duration,
    /// Bytes of finished runs that are kept at most.
    pub keep_runs_bytes: u64,
    /// Bytes a program's source may have.
    pub source_bytes: usize,
    /// Tokens of an answer, where a caller does not say how many.
    pub output_tokens: usize,
    /// The definitions of our own tools, which every model reads.
    pub own_definitions: String,
    /// Whether runs have receipts.
    pub receipts: bool,
    /// What a million tokens cost.
    pub token_price: f64,
    /// Whether runs go on after a crash.
    pub durable: bool,
    /// How long a guest is kept in memory that waits.
    pub freeze_after: Duration,
    /// How long a question to a person can be answered.
    pub approval_lasts: Duration,
    /// What is done about what reviews of programs find.
    pub reviewing: Reviewing,
    /// What an owner's mailboxes may hold.
    pub mailboxes: MailboxBounds,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            level: Level::default(),
            limits: Limits::default(),
            room: Room {
                running: 32,
                waiting: 4_000,
                waiting_per_owner: 2_000,
                waiting_bytes: 256 << 20,
            },
            live: 128,
            idle: Duration::from_secs(60),
            lasts: Duration::from_secs(24 * 3600),
            sessions_per_owner: 4_000,
            bytes_per_owner: 4 << 30,
            keep_runs: Duration::from_secs(7 * 24 * 3600),
            keep_runs_bytes: 10 << 30,
            source_bytes: 1 << 20,
            output_tokens: 2_000,
            own_definitions: String::new(),
            receipts: true,
            token_price: 3.0,
            durable: false,
            freeze_after: Duration::from_secs(2),
            approval_lasts: Duration::from_secs(3 * 24 * 3600),
            reviewing: Reviewing::default(),
            mailboxes: MailboxBounds::default(),
        }
    }
}

/// What a service is made of.
pub struct Parts {
    /// What runs programs, as soon as it is there.
    pub engines: Engines,
    /// What programs may call.
    pub tools: Arc<Tools>,
    /// Who looks at programs first; `None` runs them unseen.
    pub checks: Option<Arc<Checks>>,
    /// What is kept.
    pub store: Store,
    /// Which guidance callers are given.
    pub guidance: String,
    /// Who takes the spans of runs; `None` traces nothing.
    pub spans: Option<Arc<dyn Spans>>,
    /// What happened is written down there; `None` writes nothing down.
    pub trail: Option<Arc<Trail>>,
    /// Who knows what owners usually do; `None` finds nothing unusual.
    pub watching: Option<Arc<Watching>>,
}

/// Sessions and runs of many owners.
pub struct Service {
    settings: Settings,
    parts: Parts,
    /// Who reviews programs, also where nobody checks them.
    reviews: Arc<Checks>,
    gate: Arc<Gate>,
    /// Places for children that go on after a rest, or begin while their run has none.
    awake: Arc<Places>,
    sessions: Mutex<Shelf>,
    /// Guests in memory.
    alive: Arc<AtomicUsize>,
    /// Bytes of all sessions on disk.
    on_disk: Arc<AtomicU64>,
    runs: Mutex<HashMap<RunId, Arc<Run>>>,
    flood: Mutex<Flood>,
    evicted: Mutex<Evicted>,
    tasks: TaskTracker,
    ending: CancellationToken,
    /// Tokens of our own definitions, once they are counted.
    own_tokens: OnceLock<u64>,
    approvals: Arc<Approvals>,
    /// Runs that an earlier process left and nobody goes on with here.
    paused: HashMap<RunId, Record>,
    /// Their sessions are there when somebody goes on with them.
    _waited_for: Vec<Coming>,
    /// One at a time takes over from a run, so that no two take over from the same.
    taking_over: tokio::sync::Mutex<()>,
    /// Runs that could not be read at the start, so that nobody goes on with them.
    unread: Mutex<HashSet<String>>,
    /// Runs that are being brought from another gateway.
    brought: Mutex<HashSet<RunId>>,
}

/// How long after its start a service reads the vocabulary that tokens are counted with: who has
/// just connected is answered first.
const LATER: Duration = Duration::from_millis(200);

impl Service {
    /// A service with what is stored of an earlier one. Must be made within a tokio runtime.
    pub async fn open(settings: Settings, parts: Parts) -> Result<Arc<Self>, StoreError> {
        let store = &parts.store;
        let left = async {
            if settings.durable { store.find_kept().await } else { Ok(LeftBehind::default()) }
        };
        // None of these waits for the others.
        let (LeftBehind { found, unread, .. }, stored, SessionFiles { images, older }) =
            tokio::try_join!(left, store.sessions(), store.session_files())?;
        let going = if settings.durable {
            let found = found.iter().map(|one| one.begun.run.as_str().to_owned());
            found.chain(unread.iter().cloned()).collect()
        } else {
            let left = parts.store.left_behind();
            if !left.is_empty() {
                warn!(
                    runs = left.len(),
                    "runs of an earlier gateway wait for one that is started with `durable`"
                );
            }
            left
        };
        parts.store.settle_runs(&going).await?;
        let paused = if settings.durable { HashMap::new() } else { parts.store.paused().await? };
        let (alive, mut sessions) = (Arc::default(), Shelf::default());
        let (mut on_disk, mut sharing) = (0, Vec::new());
        for mut row in stored {
            let workspace = std::mem::take(&mut row.workspace);
            let entry = Entry::stored(row, Arc::clone(&alive));
            let id = entry.id.as_str();
            entry.was_found(images.get(id).copied(), older.get(id).copied());
            on_disk += entry.image_bytes.load(Ordering::Relaxed);
            if !workspace.is_empty() {
                sharing.push((Arc::clone(&entry), workspace));
            }
            sessions.insert(entry);
        }
        let of_paused = |run: &Record| sessions.get(&run.session).cloned();
        let waited_for =
            paused.values().filter_map(of_paused).map(|entry| Coming::to(&entry)).collect();
        for run in paused.values().filter(|run| run.started_at.is_some()) {
            // What others did there would be gone when it has gone on.
            if let Some(entry) = of_paused(run) {
                entry.is_left_by(run.created_at);
            }
        }
        let pool = parts.store.pool().clone();
        let approvals = Arc::new(Approvals::new(pool.clone(), settings.approval_lasts));
        let service = Arc::new(Self {
            approvals: Arc::clone(&approvals),
            gate: Gate::new(settings.room, settings.live),
            awake: Places::new(settings.room.running.max(1)),
            settings,
            reviews: parts.checks.clone().unwrap_or_else(Checks::new),
            parts,
            sessions: Mutex::new(sessions),
            alive,
            on_disk: Arc::new(AtomicU64::new(on_disk)),
            runs: Mutex::default(),
            flood: Mutex::new(Flood::new()),
            evicted: Mutex::default(),
            tasks: TaskTracker::new(),
            ending: CancellationToken::new(),
            own_tokens: OnceLock::new(),
            paused,
            _waited_for: waited_for,
            taking_over: tokio::sync::Mutex::default(),
            unread: Mutex::new(unread.into_iter().collect()),
            brought: Mutex::default(),
        });
        let (trail, own) = (service.parts.trail.clone(), Arc::downgrade(&service));
        let clerk = ServiceClerk { pool, approvals, trail, service: own };
        service.parts.tools.judge().employ(Arc::new(clerk));
        service.found_shared(sharing).await;
        let boxes = Arc::new(StoredBoxes(service.parts.store.pool().clone()));
        service.parts.tools.mailboxes().are_kept_in(boxes, service.settings.mailboxes);
        service.keep_deeds_of(&going).await?;
        if let Some(watching) = &service.parts.watching {
            watching.begin(&service.tasks, &service.ending);
        }
        service.take_up(found).await;
        let sweeping = Arc::clone(&service);
        service.tasks.spawn(async move { sweeping.sweep().await });
        let rechecking = Arc::clone(&service);
        service.tasks.spawn(async move { rechecking.recheck_skills().await });
        let counting = Arc::downgrade(&service);
        tokio::spawn(async move {
            tokio::time::sleep(LATER).await;
            if let Some(service) = counting.upgrade() {
                // Otherwise the first run would wait for it.
                let _ = tokio::task::spawn_blocking(move || service.own_tokens()).await;
            }
        });
        Ok(service)
    }

    /// Tokens of the definitions of our own tools.
    fn own_tokens(&self) -> u64 {
        let count = || budget::count(&self.settings.own_definitions) as u64;
        *self.own_tokens.get_or_init(count)
    }

    /// What programs may call.
    #[must_use]
    pub fn tools(&self) -> &Arc<Tools> {
        &self.parts.tools
    }

    /// What an operator decided.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is kept.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.parts.store
    }

    /// Whether programs of the usual language can run yet.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        self.parts.engines.readiness(self.parts.engines.usual())
    }

    /// What runs programs of each language.
    #[must_use]
    pub fn engines(&self) -> &Engines {
        &self.parts.engines
    }

    /// The languages that programs may be written in, the usual one first.
    #[must_use]
    pub fn languages(&self) -> Vec<Language> {
        self.parts.engines.languages().collect()
    }

    /// How much of everything there is now.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let (running, queued) = self.gate.counts();
        let alive = self.alive.load(Ordering::Acquire);
        let (open, sessions) = (lock(&self.runs).len(), lock(&self.sessions).len());
        Counts { open, running, queued, alive, sessions }
    }

    /// A run of this caller, or of anybody for one who may see everything.
    pub async fn run(&self, caller: &Caller, id: &RunId) -> Result<Record, Refusal> {
        let known = self.any_run(id).await?;
        let own = |record: &Record| record.owner == caller.owner || caller.may(Scope::Admin);
        known.filter(own).ok_or_else(|| Refusal::NoRun(id.clone()))
    }

    /// The same, whoever asks.
    async fn any_run(&self, id: &RunId) -> Result<Option<Record>, StoreError> {
        let known = lock(&self.runs).get(id).map(|run| run.record());
        match known.or_else(|| self.paused.get(id).cloned()) {
            Some(record) => Ok(Some(record)),
            None => Ok(self.parts.store.run(id).await?.map(|record| self.as_it_is(record))),
        }
    }

    /// A stored run: one that has not ended and that nobody goes on with here rests, whatever it did when it
    /// was stored.
    fn as_it_is(&self, record: Record) -> Record {
        if self.settings.durable || record.status.is_final() {
            return record;
        }
        let since = record.started_at.unwrap_or(record.created_at);
        let rest = Rest { since, wakes_at: None, is_paused: true };
        Record { status: Status::Waiting, waiting: Some(rest), ..record }
    }

    /// A run that is under way.
    #[must_use]
    pub fn live_run(&self, caller: &Caller, id: &RunId) -> Option<Arc<Run>> {
        let run = lock(&self.runs).get(id).cloned();
        run.filter(|run| run.owner() == caller.owner || caller.may(Scope::Admin))
    }

    /// Runs that this caller may see, the latest first.
    pub async fn list_runs(
        &self,
        caller: &Caller,
        mut filter: RunFilter,
    ) -> Result<Vec<Record>, Refusal> {
        if !caller.may(Scope::Admin) {
            filter.owner = Some(caller.owner.clone());
        }
        let mut found: Vec<Record> = lock(&self.runs).values().map(|run| run.record()).collect();
        found.extend(self.paused.values().cloned());
        // What is stored of them is how they began.
        let known: HashSet<RunId> = found.iter().map(|run| run.id.clone()).collect();
        let fits = |run: &Record| {
            filter.owner.as_ref().is_none_or(|owner| *owner == run.owner)
                && filter.session.as_ref().is_none_or(|session| *session == run.session)
                && filter.status.is_none_or(|status| status == run.status)
                && filter.before.is_none_or(|before| run.created_at < before)
        };
        found.retain(fits);
        let stored = self.parts.store.runs(&filter).await?.into_iter();
        let stored = stored.filter(|run| !known.contains(&run.id)).map(|run| self.as_it_is(run));
        found.extend(stored.filter(fits));
        found.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        found.dedup_by(|a, b| a.id == b.id);
        found.truncate(filter.limit as usize);
        Ok(found)
    }

    /// Ends a run; false if it ended otherwise, before or meanwhile.
    pub async fn cancel(&self, caller: &Caller, id: &RunId) -> Result<bool, Refusal> {
        if let Some(run) = self.live_run(caller, id) {
            run.cancel();
            run.over().await;
            return Ok(run.record().status == Status::Cancelled);
        }
        let record = self.run(caller, id).await?;
        if record.waiting.as_ref().is_some_and(|rest| rest.is_paused) {
            return Err(Refusal::Paused(id.clone()));
        }
        if self.gives_up(&record).await? {
            return Ok(true);
        }
        self.has_ended(caller, id).await?;
        Ok(false)
    }

    /// A file that a run produced, and its media type.
    pub async fn artifact(
        &self,
        caller: &Caller,
        id: &RunId,
        name: &str,
    ) -> Result<(String, Vec<u8>), Refusal> {
        let record = self.run(caller, id).await?;
        let missing = || Refusal::NoArtifact { run: id.clone(), name: name.to_owned() };
        let noted = record.ended.iter().flat_map(|ended| &ended.artifacts);
        let (at, note) =
            noted.enumerate().find(|(_, note)| note.name == name).ok_or_else(missing)?;
        let path = self.parts.store.artifacts(id).join(at.to_string());
        let bytes =
            tokio::fs::read(&path).await.map_err(|source| StoreError::File { path, source })?;
        Ok((note.media_type.clone(), bytes))
    }

    /// Whether it is being closed.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.ending.is_cancelled()
    }

    /// Ends everything in an orderly way: runs are cancelled after `patience`, sessions frozen.
    pub async fn close(self: &Arc<Self>, patience: Duration) {
        self.close_all(patience).await;
        if let Some(watching) = &self.parts.watching {
            watching.keep().await;
        }
        if let Some(trail) = &self.parts.trail {
            trail.service(audit::Kind::Stopped, serde_json::Value::Null);
        }
    }

    /// Where what happens is written down.
    #[must_use]
    pub fn trail(&self) -> Option<&Arc<Trail>> {
        self.parts.trail.as_ref()
    }

    async fn close_all(self: &Arc<Self>, patience: Duration) {
        self.ending.cancel();
        let ended = tokio::time::timeout(patience, async {
            while !lock(&self.runs).is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        let (ended, ()) = tokio::join!(ended, self.rest_idle());
        if ended.is_err() {
            for run in lock(&self.runs).values() {
                // What is on disk goes on; of anything else nothing would be left.
                if self.settings.durable && self.parts.store.is_kept(run.id()) {
                    run.abandon();
                } else {
                    run.stop();
                }
            }
        }
        self.tasks.close();
        self.tasks.wait().await;
        self.rest_all().await;
        self.parts.tools.close().await;
    }
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Runs that have not ended.
    pub open: usize,
    /// Programs that run.
    pub running: usize,
    /// Requests that wait for their turn.
    pub queued: usize,
    /// Sessions whose guest is in memory.
    pub alive: usize,
    /// Sessions there are.
    pub sessions: usize,
}

/// Locks a mutex whose data stays consistent even if a holder panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
