//! Sessions that share their files: programs of several languages work in one workspace.
//!
//! Each session has a copy of the files in its guest and its image, and knows how often they had been changed
//! by then. Whoever runs a program takes them from the one that has the newest, which copies nothing until
//! somebody writes:
//!
//! ```text
//! Python session   1 ──run──► 2                       2 ──takes──► 3
//! TypeScript one   0            2 ◄──takes── ──run──► 3
//! ```
//!
//! Three things hold throughout and are easy to break by accident:
//!
//! * One program at a time runs in all of them together. Whoever runs one, or does something with the files,
//!   has the [turn](Shared::turn) first and the session's body second; whoever has the turn may have the body
//!   of any of them, and has it soon.
//! * Files are on disk as soon as they were taken or changed, so that no crash brings old ones back.
//! * The last session that has the newest files gives them away before it goes.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use engine::{FileAnswer, FileTask, Language, Level, Limits, Outcome, Workspace};
use tokio::sync::{Mutex as AsyncMutex, MutexGuard, OwnedMutexGuard};
use tracing::warn;

use super::durable::held;
use super::ids::SessionId;
use super::record::Moment;
use super::run::Run;
use super::session::{Body, Entry};
use super::store::{StoreError, Write};
use super::{Caller, Record, Refusal, Service, lock};

/// How often it is looked whether another session has the files by now.
const LOOK: Duration = Duration::from_millis(20);

/// Sessions with the same files.
pub(super) struct Shared {
    /// What they are called together where they are stored.
    name: String,
    turn: Arc<AsyncMutex<()>>,
    members: Mutex<Vec<Weak<Entry>>>,
}

/// A session's body, and the turn among those that share its files.
pub(super) struct Locked<'a> {
    body: MutexGuard<'a, Body>,
    _turn: Option<OwnedMutexGuard<()>>,
}

impl Deref for Locked<'_> {
    type Target = Body;

    fn deref(&self) -> &Body {
        &self.body
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Body {
        &mut self.body
    }
}

impl Shared {
    fn new(name: String) -> Arc<Self> {
        Arc::new(Self { name, turn: Arc::default(), members: Mutex::default() })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn members(&self) -> Vec<Arc<Entry>> {
        lock(&self.members).iter().filter_map(Weak::upgrade).collect()
    }

    /// What the others are called.
    pub(super) fn others(&self, own: &SessionId) -> Vec<SessionId> {
        let others = self.members().into_iter().filter(|entry| entry.id != *own);
        others.map(|entry| entry.id.clone()).collect()
    }

    /// How often the files were changed.
    fn changes(&self) -> u64 {
        let has = |entry: &Arc<Entry>| entry.has_files.load(Ordering::Acquire);
        self.members().iter().map(has).max().unwrap_or_default()
    }

    /// Whoever has newer files than this one, if anybody does.
    fn newer_than(&self, own: &Entry) -> Option<Arc<Entry>> {
        let has = |entry: &Entry| entry.has_files.load(Ordering::Acquire);
        let newest = self.members().into_iter().max_by_key(|entry| has(entry))?;
        (has(&newest) > has(own)).then_some(newest)
    }

    fn leave(&self, own: &SessionId) {
        lock(&self.members).retain(|member| member.upgrade().is_some_and(|entry| entry.id != *own));
    }
}

impl Entry {
    /// Those that it shares its files with, itself among them.
    pub(super) fn shared(&self) -> Option<&Arc<Shared>> {
        self.shared.get()
    }

    fn joins(self: &Arc<Self>, shared: &Arc<Shared>) {
        if self.shared.set(Arc::clone(shared)).is_ok() {
            lock(&shared.members).push(Arc::downgrade(self));
        }
    }

    /// The body, when no program runs in this session or in one that shares its files.
    pub(super) async fn lock(&self) -> Locked<'_> {
        loop {
            let turn = match self.shared() {
                Some(shared) => {
                    let turn = Arc::clone(&shared.turn).lock_owned().await;
                    // One of them may run a program that began before they shared anything.
                    for other in shared.members().iter().filter(|other| other.id != self.id) {
                        drop(other.body.lock().await);
                    }
                    Some(turn)
                }
                None => None,
            };
            let body = self.body.lock().await;
            // Somebody may have begun to share its files meanwhile.
            if turn.is_some() || self.shared().is_none() {
                return Locked { body, _turn: turn };
            }
        }
    }

    /// Whether whoever came at this moment has to let a run go first that goes on with the next process: what was
    /// done before that one ends would be gone when it has.
    pub(super) fn waits_for_next(&self, asked: Moment) -> bool {
        let members = self.shared().map(|shared| shared.members()).unwrap_or_default();
        self.was_left_before(asked) || members.iter().any(|one| one.was_left_before(asked))
    }

    /// Whether no program runs in it, nor in one that shares its files.
    pub(super) fn is_idle(&self) -> bool {
        // One of them may run a program that began before they shared anything.
        let are_idle = |shared: &Arc<Shared>| {
            shared.turn.try_lock().is_ok()
                && shared.members().iter().all(|member| member.body.try_lock().is_ok())
        };
        self.body.try_lock().is_ok() && self.shared().is_none_or(are_idle)
    }

    /// The same, as the body.
    pub(super) fn try_lock(&self) -> Option<Locked<'_>> {
        let turn = match self.shared() {
            Some(shared) => Some(Arc::clone(&shared.turn).try_lock_owned().ok()?),
            None => None,
        };
        let body = self.body.try_lock().ok()?;
        Some(Locked { body, _turn: turn })
    }

    /// What it has for files is newer than what the others have.
    pub(super) fn has_changed_files(&self) {
        if let Some(shared) = self.shared() {
            self.has_files.store(shared.changes() + 1, Ordering::Release);
        }
    }

    /// Nothing was ever done in it.
    fn is_unused(&self) -> bool {
        self.programs() == 0 && !self.is_alive() && self.image_bytes.load(Ordering::Relaxed) == 0
    }
}

impl Service {
    /// Why nothing is done in a session before a run of it that goes on with the next process.
    pub(super) fn next_comes_first(&self, entry: &Entry) -> Refusal {
        if self.ending.is_cancelled() {
            return Refusal::Draining;
        }
        let shared = entry.shared().map(|shared| shared.others(&entry.id)).unwrap_or_default();
        let is_there = |run: &&Record| run.session == entry.id || shared.contains(&run.session);
        let mut paused = self.paused.values().filter(|run| run.started_at.is_some());
        if let Some(run) = paused.find(is_there) {
            return Refusal::Paused(run.id.clone());
        }
        let why = "a run that an earlier process left waits in it, or in one that shares its files, for a runtime that is not here; install that and start the gateway again";
        Refusal::Session(why.to_owned())
    }

    /// What has the session of a run came to its end. Where the run goes on with the next process, the session is
    /// for that; one that was exported gives it back.
    pub(super) fn keeps_for_next(
        &self,
        entry: &Entry,
        run: &Run,
        outcome: &Result<Option<Outcome>, Refusal>,
    ) {
        let is_exported = run.leaving().is_cancelled() && !self.ending.is_cancelled();
        if matches!(outcome, Ok(None)) && !is_exported {
            entry.is_left_by(run.record().created_at);
        }
    }

    /// A new session with the files of another one of the same owner.
    pub(super) fn admit_beside(
        &self,
        caller: &Caller,
        other: &SessionId,
        (language, level): (Language, Option<Level>),
        agent: &str,
    ) -> Result<Arc<Entry>, Refusal> {
        let other = self.entry_to_share(caller, other)?;
        let (level, limits) = self.limits_at(level.or(Some(other.level)));
        let room = |limits: &Limits| (limits.workspace_bytes, limits.workspace_writable);
        if room(&limits) != room(&other.limits) {
            let problem = format!(
                "is {}, whose sessions may keep other files than {} may (`workspace-bytes`, `workspace-writable`); sessions that share a workspace need the same, so leave `level` out, or make both anew",
                level.name(),
                other.id
            );
            return Err(Refusal::Unfit { field: "level", problem });
        }
        let entry = self.admit(caller, language, Some(level), agent)?;
        let shared =
            Arc::clone(other.shared.get_or_init(|| Shared::new(other.id.as_str().to_owned())));
        {
            let mut members = lock(&shared.members);
            if !members.iter().any(|member| member.ptr_eq(&Arc::downgrade(&other))) {
                members.push(Arc::downgrade(&other));
            }
        }
        // Whatever it has, the new one has less.
        other.has_files.fetch_max(1, Ordering::AcqRel);
        other.wrote_files.fetch_max(1, Ordering::AcqRel);
        entry.joins(&shared);
        other.passing.store(false, Ordering::Relaxed);
        Ok(entry)
    }

    /// Writes down which sessions share their files with this one.
    pub(super) async fn write_shared(&self, entry: &Arc<Entry>) -> Result<(), StoreError> {
        let Some(shared) = entry.shared() else { return Ok(()) };
        for member in shared.members() {
            self.parts.store.write(Write::Session(Box::new(member.row()))).await?;
        }
        Ok(())
    }

    /// Finds again which of the stored sessions share their files, and which has the newest.
    pub(super) async fn found_shared(&self, named: Vec<(Arc<Entry>, String)>) {
        let mut groups: HashMap<String, Arc<Shared>> = HashMap::new();
        for (entry, name) in named {
            let shared = groups.entry(name).or_insert_with_key(|name| Shared::new(name.clone()));
            entry.joins(shared);
            let path = entry.file(self.parts.store.image(&entry.id));
            let read = tokio::task::spawn_blocking(move || held::read(&path)).await;
            match read.map_err(std::io::Error::other).and_then(|read| read) {
                Ok(found) => {
                    // What the first one had before it shared anything says nothing of that.
                    let is_first =
                        entry.shared().is_some_and(|all| all.name() == entry.id.as_str());
                    let files = found.files.max(u64::from(is_first));
                    entry.has_files.store(files, Ordering::Release);
                    entry.wrote_files.store(files, Ordering::Release);
                }
                // It cannot be gone on with either, and says so.
                Err(error) => {
                    warn!(session = %entry.id, error = %error, "a session's file cannot be read");
                }
            }
        }
    }

    /// Sees to it that a session has the newest files, by the rules that hold for what they were made from.
    /// The caller has the turn.
    pub(super) async fn take_files(
        &self,
        entry: &Arc<Entry>,
        body: &mut Body,
    ) -> Result<(), Refusal> {
        let Some(from) = entry.shared().and_then(|shared| shared.newer_than(entry)) else {
            return Ok(());
        };
        let mut theirs = from.body.lock().await;
        let changes = from.has_files.load(Ordering::Acquire);
        if !from.is_unused() {
            let judge = self.parts.tools.judge();
            let inherits = judge.inherits(from.id.as_str(), entry.id.as_str()).await;
            inherits.map_err(Refusal::Session)?;
            let files = self.files_of(&from, &mut theirs).await?;
            drop(theirs);
            let engine = self.engine(entry.language).await?;
            self.make_room(entry).await;
            let session = body.awake(entry, &engine, self.parts.store.image(&entry.id)).await?;
            // Also if this future is dropped half-way.
            entry.set_alive(true);
            let taken = session.files(FileTask::Replace(files)).await;
            entry.set_alive(session.is_alive());
            taken?;
        }
        entry.has_files.store(changes, Ordering::Release);
        // What cannot be written is in memory, and what is on disk is called older.
        self.secure(entry, body).await;
        Ok(())
    }

    /// The files of a session, which is as it was afterwards.
    async fn files_of(&self, from: &Arc<Entry>, body: &mut Body) -> Result<Workspace, Refusal> {
        let engine = self.engine(from.language).await?;
        self.make_room(from).await;
        let was_on_disk = body.session.is_none();
        let session = body.awake(from, &engine, self.parts.store.image(&from.id)).await?;
        from.set_alive(true);
        let answer = session.files(FileTask::Copy).await;
        from.set_alive(session.is_alive());
        if was_on_disk {
            body.session = None;
            from.set_alive(false);
        }
        match answer? {
            FileAnswer::Workspace(files) => Ok(files),
            _ => Err(Refusal::Sandbox("it gave something else than its files".to_owned())),
        }
    }

    /// Gives the files of a session that goes to one that shares them, unless that has them already.
    pub(super) async fn hand_files_over(&self, entry: &Arc<Entry>) -> Result<(), Refusal> {
        let Some(shared) = entry.shared() else { return Ok(()) };
        let (heir, _turn) = loop {
            let others = shared.members().into_iter().filter(|other| other.id != entry.id);
            let others: Vec<_> = others.filter(|other| other.still_there().is_ok()).collect();
            let has = entry.has_files.load(Ordering::Acquire);
            let is_newest =
                others.iter().all(|other| other.wrote_files.load(Ordering::Acquire) < has);
            let Some(heir) = others.into_iter().next().filter(|_| is_newest) else {
                shared.leave(&entry.id);
                return Ok(());
            };
            // Whoever runs a program has taken them, or is about to.
            match Arc::clone(&shared.turn).try_lock_owned() {
                Ok(turn) => break (heir, turn),
                Err(_) => tokio::time::sleep(LOOK).await,
            }
        };
        let mut body = heir.body.lock().await;
        self.take_files(&heir, &mut body).await?;
        shared.leave(&entry.id);
        Ok(())
    }
}
