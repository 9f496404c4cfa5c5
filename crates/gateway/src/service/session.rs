//! One session of a service: alive, frozen, or not yet made.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use check::{Left, Report};
use engine::{Engine, Guest, Image, Language, Level, Limits, Session, Start, Usage};
use tokio::sync::Mutex as AsyncMutex;

use super::Refusal;
use super::durable::held::{self, Held};
use super::gate::Pass;
use super::ids::{RunId, SessionId};
use super::record::Moment;
use super::shared::Shared;
use super::store::{SessionRow, StoreError};
use crate::checks::Earlier;

/// Why a session is no more whose process was killed.
const LOST: &str =
    "the gateway was ended by force while it was in memory, so what its programs left is lost";

/// The same of one that had never been written.
const UNWRITTEN: &str = "what its programs left could not be written to disk before the gateway was ended, because there was no room, and is lost";

/// How the file is called of a session that was something else when it could not be written any more.
pub(super) const OLDER: &str = "older";

/// The same of one that is being written.
pub(super) const HALF: &str = "part";

/// Why a session is no more whose file is not there.
const MISSING: &str = "its file is not there: the gateway was ended while it removed the session, or somebody else removed the file";

/// Results that a session's programs can read.
const MOST_RESULTS: usize = 20;

/// A session, and who may use it.
pub(super) struct Entry {
    pub(super) id: SessionId,
    pub(super) owner: String,
    /// What the agent is called whose programs run in it; empty where it has no name.
    pub(super) agent: String,
    pub(super) created_at: Moment,
    /// What all its programs are written in.
    pub(super) language: Language,
    pub(super) level: Level,
    pub(super) limits: Limits,
    /// Made because a program named none, and used once: nobody may ever come back for it.
    pub(super) passing: AtomicBool,
    /// Requests on their way to it, which have not ended.
    coming: AtomicUsize,
    used_at: AtomicI64,
    programs: AtomicU64,
    /// Bytes of its image on disk; 0 when there is none.
    pub(super) image_bytes: AtomicU64,
    /// How often it was to be written to disk or removed from there,
    asked_to_write: AtomicU64,
    /// which is done one at a time, also if nobody waits for it any more.
    writing: Mutex<()>,
    alive: AtomicBool,
    /// How many of all sessions are.
    all_alive: Arc<AtomicUsize>,
    /// Programs ran since it was last written to disk, and the database says so.
    in_memory: AtomicBool,
    /// Why it is no more, once it is.
    ended: Mutex<Option<&'static str>>,
    /// Its runs of which only a part was shown, the latest last.
    results: Mutex<Vec<RunId>>,
    /// One of its programs spoke of results, so that later ones may read them by a function of its.
    reads_results: AtomicBool,
    /// What its programs left, where that is known.
    left: Mutex<Option<Earlier>>,
    /// What is on disk is what it was before, and is called accordingly.
    is_older: AtomicBool,
    /// Its runs that have ended and are not stored as over yet.
    held: Mutex<Vec<Arc<Held>>>,
    /// When the first of its runs was asked for that goes on with the next process; whoever came later has to
    /// wait for that one there.
    left_since: AtomicI64,
    /// The sessions that it shares its files with, once it does.
    pub(super) shared: OnceLock<Arc<Shared>>,
    /// How often those files had been changed when it had them last,
    pub(super) has_files: AtomicU64,
    /// and as it lies on disk.
    pub(super) wrote_files: AtomicU64,
    pub(super) body: AsyncMutex<Body>,
}

/// A request on its way to a session, which is not taken from it meanwhile.
pub(super) struct Coming(Arc<Entry>);

impl Coming {
    pub(super) fn to(entry: &Arc<Entry>) -> Self {
        entry.coming.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(entry))
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        self.0.coming.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What a run needs of a session, one run at a time.
#[derive(Default)]
pub(super) struct Body {
    pub(super) session: Option<Session>,
    /// The guest of the run that is under way, while it is kept by the run itself.
    pub(super) guest: Option<Box<dyn Guest>>,
    /// The right to run of one that has ended, until its session is on disk: where that takes long, no more
    /// guests are there than may run.
    pub(super) pass: Option<Pass>,
    /// When it had last been used, the last time that its guest gave back the memory that it did not need.
    pub(super) lightened: Option<Moment>,
}

/// Where a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionState {
    /// Nothing has run in it.
    New,
    /// Its guest is in memory.
    Alive,
    /// It is on disk.
    Frozen,
}

/// What may be told of a session.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// What it is called.
    pub id: SessionId,
    /// Whose it is.
    pub owner: String,
    /// What the agent is called whose programs run in it; empty where it has no name.
    pub agent: String,
    /// When it began.
    pub created_at: Moment,
    /// When it was last used.
    pub used_at: Moment,
    /// When it ends unless it is used.
    pub expires_at: Moment,
    /// What its programs are written in.
    pub language: Language,
    /// The level behind its limits.
    pub level: Level,
    /// What its programs may use.
    pub limits: Limits,
    /// How many programs ran in it.
    pub programs: u64,
    /// Where it is.
    pub state: SessionState,
    /// Bytes of its image on disk.
    pub image_bytes: u64,
    /// Whether a program runs in it now.
    pub busy: bool,
    /// Other sessions that have the same files.
    pub shares_with: Vec<SessionId>,
}

impl Entry {
    pub(super) fn new(
        (owner, agent): (&str, &str),
        language: Language,
        (level, limits): (Level, Limits),
        passing: bool,
        all_alive: Arc<AtomicUsize>,
    ) -> Arc<Self> {
        let now = Moment::now();
        Arc::new(Self {
            id: SessionId::fresh(),
            owner: owner.to_owned(),
            agent: agent.to_owned(),
            created_at: now,
            language,
            level,
            limits,
            passing: AtomicBool::new(passing),
            coming: AtomicUsize::new(0),
            used_at: AtomicI64::new(now.0),
            programs: AtomicU64::new(0),
            image_bytes: AtomicU64::new(0),
            asked_to_write: AtomicU64::new(0),
            writing: Mutex::default(),
            alive: AtomicBool::new(false),
            all_alive,
            in_memory: AtomicBool::new(false),
            ended: Mutex::new(None),
            results: Mutex::default(),
            reads_results: AtomicBool::new(false),
            left: Mutex::default(),
            is_older: AtomicBool::new(false),
            held: Mutex::default(),
            left_since: AtomicI64::new(i64::MAX),
            shared: OnceLock::new(),
            has_files: AtomicU64::new(0),
            wrote_files: AtomicU64::new(0),
            body: AsyncMutex::default(),
        })
    }

    /// A session of which only a run that is to go on is known.
    pub(super) fn again(
        id: SessionId,
        whose: (&str, &str),
        language: Language,
        limits: (Level, Limits),
        all_alive: Arc<AtomicUsize>,
    ) -> Arc<Self> {
        let mut made = Self::new(whose, language, limits, false, all_alive);
        if let Some(entry) = Arc::get_mut(&mut made) {
            entry.id = id;
        }
        made
    }

    /// A session that was stored.
    pub(super) fn stored(row: SessionRow, all_alive: Arc<AtomicUsize>) -> Arc<Self> {
        let level = [Level::Development, Level::Production, Level::Hardened];
        let level = level.into_iter().find(|level| level.name() == row.level).unwrap_or_default();
        Arc::new(Self {
            id: row.id,
            owner: row.owner,
            agent: row.agent,
            created_at: row.created_at,
            language: row.language,
            level,
            limits: row.limits,
            passing: AtomicBool::new(row.passing),
            coming: AtomicUsize::new(0),
            used_at: AtomicI64::new(row.used_at.0),
            programs: AtomicU64::new(row.programs),
            image_bytes: AtomicU64::new(row.image_bytes.unwrap_or_default()),
            asked_to_write: AtomicU64::new(0),
            writing: Mutex::default(),
            alive: AtomicBool::new(false),
            all_alive,
            in_memory: AtomicBool::new(false),
            ended: Mutex::new(row.in_memory.then_some(LOST)),
            results: Mutex::default(),
            reads_results: AtomicBool::new(false),
            left: Mutex::new(row.left.map(Earlier::Left)),
            is_older: AtomicBool::new(false),
            held: Mutex::default(),
            left_since: AtomicI64::new(i64::MAX),
            shared: OnceLock::new(),
            has_files: AtomicU64::new(0),
            wrote_files: AtomicU64::new(0),
            body: AsyncMutex::default(),
        })
    }

    pub(super) fn row(&self) -> SessionRow {
        let image = self.image_bytes.load(Ordering::Relaxed);
        SessionRow {
            id: self.id.clone(),
            owner: self.owner.clone(),
            created_at: self.created_at,
            used_at: self.used_at(),
            language: self.language,
            level: self.level.name().to_owned(),
            limits: self.limits.clone(),
            programs: self.programs(),
            image_bytes: (image > 0).then_some(image),
            in_memory: self.in_memory.load(Ordering::Relaxed),
            passing: self.passing.load(Ordering::Relaxed),
            agent: self.agent.clone(),
            workspace: self.shared().map_or_else(String::new, |shared| shared.name().to_owned()),
            left: self.left(),
        }
    }

    /// Whether nobody asked to keep it and nobody uses it or is about to.
    pub(super) fn is_unwanted(&self) -> bool {
        self.passing.load(Ordering::Relaxed) && self.is_free()
    }

    /// Whether nobody uses it or is about to, nor one that shares its files.
    pub(super) fn is_free(&self) -> bool {
        self.coming.load(Ordering::Acquire) == 0 && self.is_idle()
    }

    pub(super) fn view(&self, lasts: std::time::Duration) -> SessionView {
        let image_bytes = self.image_bytes.load(Ordering::Relaxed);
        SessionView {
            id: self.id.clone(),
            owner: self.owner.clone(),
            agent: self.agent.clone(),
            created_at: self.created_at,
            used_at: self.used_at(),
            expires_at: self.used_at().after(lasts),
            language: self.language,
            level: self.level,
            limits: self.limits.clone(),
            programs: self.programs(),
            state: match (self.is_alive(), image_bytes) {
                (true, _) => SessionState::Alive,
                (false, 0) => SessionState::New,
                (false, _) => SessionState::Frozen,
            },
            image_bytes,
            busy: self.body.try_lock().is_err(),
            shares_with: self.shared().map_or_else(Vec::new, |shared| shared.others(&self.id)),
        }
    }

    pub(super) fn used_at(&self) -> Moment {
        Moment(self.used_at.load(Ordering::Relaxed))
    }

    pub(super) fn touch(&self) {
        self.used_at.store(Moment::now().0, Ordering::Relaxed);
    }

    pub(super) fn programs(&self) -> u64 {
        self.programs.load(Ordering::Relaxed)
    }

    pub(super) fn count_program(&self) {
        self.programs.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    pub(super) fn set_alive(&self, alive: bool) {
        match (self.alive.swap(alive, Ordering::AcqRel), alive) {
            (false, true) => drop(self.all_alive.fetch_add(1, Ordering::AcqRel)),
            (true, false) => drop(self.all_alive.fetch_sub(1, Ordering::AcqRel)),
            _ => {}
        }
    }

    /// Says whether what is on disk is what it is; true if that is news.
    pub(super) fn set_in_memory(&self, in_memory: bool) -> bool {
        self.in_memory.swap(in_memory, Ordering::AcqRel) != in_memory
    }

    /// What an earlier program may have left.
    pub(super) fn earlier(&self) -> Earlier {
        // Files may have been put there before the first program, modules among them.
        let is_new = self.programs() == 0
            && !self.is_alive()
            && self.image_bytes.load(Ordering::Relaxed) == 0;
        if self.shared().is_some() {
            // Programs of the other sessions may have put modules there.
            return Earlier::Something;
        }
        if is_new {
            return Earlier::Nothing;
        }
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.clone().unwrap_or(Earlier::Something)
    }

    /// What its programs left, where that is known.
    fn left(&self) -> Option<Left> {
        match &*self.left.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(Earlier::Left(left)) => Some(left.clone()),
            _ => None,
        }
    }

    /// Takes note of what a program may leave that is about to run; without a report, of anything.
    pub(super) fn note_left(&self, report: Option<&Report>) {
        let left = report.map(Earlier::after);
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = left;
    }

    /// The same as in the session that this one was made from.
    pub(super) fn inherits_from(&self, other: &Self) {
        let left = other.left.lock().unwrap_or_else(PoisonError::into_inner).clone();
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = left;
    }

    /// Remembers a run of which only a part was shown.
    pub(super) fn note_result(&self, run: &RunId) {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.push(run.clone());
        if results.len() > MOST_RESULTS {
            results.remove(0);
        }
    }

    /// Whether its programs read results: this one as `now` says, or an earlier one.
    pub(super) fn reads_results(&self, now: impl FnOnce() -> bool) -> bool {
        if !self.reads_results.load(Ordering::Relaxed) && now() {
            self.reads_results.store(true, Ordering::Relaxed);
        }
        self.reads_results.load(Ordering::Relaxed)
    }

    /// Runs of which only a part was shown.
    pub(super) fn results(&self) -> Vec<RunId> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What it is lies on disk after all: a run that goes on wrote it before it began.
    pub(super) fn revive(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.set_in_memory(false);
    }

    /// The same of one whose file holds the end of a run that is not stored as over: what the database says of
    /// it may be older. Comes back with what is known to lie on disk besides.
    pub(super) fn is_as_written(&self, bytes: u64) -> u64 {
        self.revive();
        self.note_left(None);
        self.image_bytes.swap(bytes, Ordering::Relaxed)
    }

    /// What was found of it at the start besides what the database says: bytes of its file, and of that which
    /// says that it was something else at the end.
    pub(super) fn was_found(&self, bytes: Option<u64>, older: Option<u64>) {
        match (bytes, older) {
            (Some(bytes), _) => self.image_bytes.store(bytes, Ordering::Relaxed),
            (None, Some(0)) => self.end(UNWRITTEN),
            (None, Some(bytes)) => {
                self.image_bytes.store(bytes, Ordering::Relaxed);
                self.set_older(true);
            }
            (None, None) => {
                let was_written = self.image_bytes.load(Ordering::Relaxed) > 0;
                if was_written && self.still_there().is_ok() {
                    self.end(MISSING);
                }
            }
        }
    }

    /// Its turn to write to disk. What was asked for before comes to nothing, if it has not begun.
    pub(super) fn next_write(&self) -> u64 {
        self.asked_to_write.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Does what was asked for in this turn, unless something else was asked for since.
    pub(super) fn written_in_turn<T>(&self, turn: u64, write: impl FnOnce() -> T) -> Option<T> {
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        (self.asked_to_write.load(Ordering::Acquire) == turn).then(write)
    }

    /// Says whether what is on disk is called older than it is; true if it was before.
    pub(super) fn set_older(&self, is_older: bool) -> bool {
        self.is_older.swap(is_older, Ordering::AcqRel)
    }

    pub(super) fn is_older(&self) -> bool {
        self.is_older.load(Ordering::Acquire)
    }

    /// What is on disk of it, by the name that it would have if it were what it is.
    pub(super) fn file(&self, image: PathBuf) -> PathBuf {
        if self.is_older() { image.with_extension(OLDER) } else { image }
    }

    /// What a run has done is part of it from now on.
    pub(super) fn hold(&self, run: Held) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|other| other.run != run.run);
        held.push(Arc::new(run));
    }

    /// A run that was asked for at this moment goes on with the next process.
    pub(super) fn is_left_by(&self, asked: Moment) {
        self.left_since.fetch_min(asked.0, Ordering::AcqRel);
    }

    /// Whether a run goes on in it with the next process that was asked for before this moment.
    pub(super) fn was_left_before(&self, asked: Moment) -> bool {
        self.left_since.load(Ordering::Acquire) < asked.0
    }

    /// Whether what a run has done is part of it, and the run is not stored as over.
    pub(super) fn holds(&self, run: &RunId) -> bool {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().any(|held| held.run == *run)
    }

    /// A run is stored as over, so that nobody begins it again.
    pub(super) fn lets_go(&self, run: &RunId) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).retain(|held| held.run != *run);
    }

    /// Its runs whose end is written behind its image.
    pub(super) fn held(&self) -> Vec<Arc<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It is there after all.
    pub(super) fn stays(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Says that it is no more.
    pub(super) fn end(&self, why: &'static str) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
    }

    /// Refuses to use one that is no more.
    pub(super) fn still_there(&self) -> Result<(), Refusal> {
        match *self.ended.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(why) => Err(Refusal::Gone { session: self.id.clone(), why }),
        }
    }
}

impl Body {
    /// What the last run used.
    pub(super) fn used(&self) -> Usage {
        match (&self.guest, &self.session) {
            (Some(guest), _) => guest.usage(),
            (None, Some(session)) => session.used(),
            (None, None) => Usage::default(),
        }
    }

    /// Lets a session go whose guest is lost and that has no image in memory: what lies on disk is what is
    /// left of it.
    pub(super) fn lets_lost_go(&mut self) {
        if self.session.as_ref().is_some_and(|session| !session.has_past()) {
            self.session = None;
        }
    }

    /// The session, thawed or made if need be.
    pub(super) async fn awake(
        &mut self,
        entry: &Entry,
        engine: &Arc<dyn Engine>,
        image: PathBuf,
    ) -> Result<&mut Session, Refusal> {
        if self.session.is_none() {
            let start = Start { limits: entry.limits.clone(), ..Start::default() };
            let frozen = entry.image_bytes.load(Ordering::Relaxed) > 0;
            self.session = Some(if frozen {
                let image = thawed(entry.file(image)).await?;
                Session::from_image(Arc::clone(engine), start, image)
            } else {
                Session::new(Arc::clone(engine), start)
            });
        }
        self.session.as_mut().ok_or(Refusal::Draining)
    }
}

async fn thawed(path: PathBuf) -> Result<Image, Refusal> {
    let from = path.clone();
    let read = tokio::task::spawn_blocking(move || std::fs::read(&from)).await;
    let bytes = read
        .map_err(std::io::Error::other)
        .and_then(|bytes| bytes)
        .map_err(|source| StoreError::File { path, source })?;
    Image::decode(held::without(bytes)).map_err(|error| Refusal::Session(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_free_when_nobody_is_in_it_or_on_the_way() {
        let limits = (Level::default(), Limits::default());
        let entry = Entry::new(("ann", ""), Language::default(), limits, false, Arc::default());
        assert!(entry.is_free());
        let coming = Coming::to(&entry);
        assert!(!entry.is_free());
        let body = entry.body.try_lock().unwrap();
        drop(coming);
        assert!(!entry.is_free());
        drop(body);
        assert!(entry.is_free());
    }

    #[test]
    fn what_nobody_waits_for_is_not_written_over_what_came_later() {
        let limits = (Level::default(), Limits::default());
        let entry = Entry::new(("ann", ""), Language::default(), limits, false, Arc::default());
        let (first, second) = (entry.next_write(), entry.next_write());
        assert_eq!(entry.written_in_turn(second, || "second"), Some("second"));
        assert_eq!(entry.written_in_turn(first, || "first"), None);
    }

    #[test]
    fn a_session_whose_file_is_not_there_is_no_more() {
        let limits = || (Level::default(), Limits::default());
        let entry =
            || Entry::new(("ann", ""), Language::default(), limits(), false, Arc::default());
        let (new, written) = (entry(), entry());
        written.image_bytes.store(7, Ordering::Relaxed);
        new.was_found(None, None);
        assert!(new.still_there().is_ok(), "nothing was ever written of it");
        written.was_found(Some(9), None);
        assert!(written.still_there().is_ok());
        written.was_found(None, None);
        assert!(matches!(written.still_there(), Err(Refusal::Gone { why: MISSING, .. })));
    }
}
