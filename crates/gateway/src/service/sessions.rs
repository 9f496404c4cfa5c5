//! The sessions of a service: made, looked up, frozen, forked, removed.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use engine::{FileAnswer, FileTask, Image, Language, Level, Limits};
use metrics::counter;
use tracing::warn;

use super::durable::held;
use super::ids::SessionId;
use super::record::Moment;
use super::session::{Body, Coming, Entry, HALF, OLDER, SessionView};
use super::shelf::Shelf;
use super::store::{StoreError, Write};
use super::{Caller, Refusal, Scope, Service, lock};
use crate::agents;

/// Why a session that nobody asked to keep is no more.
const NO_ROOM: &str = "it was made for one program and gave way to others, because there were as many sessions as may be (settings `max-live` and `max-sessions`); sessions made with POST /api/v1/sessions, or used twice, are kept";

/// Whether sessions that nobody asked for come so fast that keeping each would cost more than the
/// programs that make them.
#[derive(Debug)]
pub(super) struct Flood {
    began: Instant,
    /// How many came in this second, and in the one before.
    now: u32,
    before: u32,
}

/// Sessions that were taken out to make room.
#[derive(Default)]
pub(super) struct Evicted {
    /// The last of them, for whoever comes back.
    told: VecDeque<Arc<Entry>>,
    /// Those that have files.
    files: Vec<SessionId>,
}

/// Sessions that were taken out and are still known to be.
const MOST_TOLD: usize = 10_000;

impl Flood {
    /// More than this in a second is a flood.
    const MOST: u32 = 150;

    pub(super) fn new() -> Self {
        Self { began: Instant::now(), now: 0, before: 0 }
    }

    fn turn(&mut self) {
        let elapsed = self.began.elapsed();
        if elapsed >= Duration::from_secs(1) {
            self.before = if elapsed < Duration::from_secs(2) { self.now } else { 0 };
            self.now = 0;
            self.began = Instant::now();
        }
    }

    fn count(&mut self) {
        self.turn();
        self.now = self.now.saturating_add(1);
    }

    fn is_on(&mut self) -> bool {
        self.turn();
        self.now.max(self.before) > Self::MOST
    }
}

/// The name that a caller gives an agent; empty where none is given.
pub(super) fn named(agent: Option<String>) -> Result<String, Refusal> {
    match agent.as_deref().and_then(agents::problem) {
        Some(problem) => Err(Refusal::Invalid { field: "agent", problem }),
        None => Ok(agent.unwrap_or_default()),
    }
}

impl Service {
    /// A session of this caller.
    pub(super) fn entry(&self, caller: &Caller, id: &SessionId) -> Result<Arc<Entry>, Refusal> {
        let entry = lock(&self.sessions).get(id).cloned();
        let gone = || lock(&self.evicted).told.iter().find(|entry| entry.id == *id).cloned();
        let entry = entry.or_else(gone);
        // Not even one who looks after the service goes on with another's session.
        let own = |entry: &Arc<Entry>| entry.owner == caller.owner;
        let entry = entry.filter(own).ok_or_else(|| Refusal::NoSession(id.clone()))?;
        entry.still_there()?;
        Ok(entry)
    }

    /// The session that `workspace_of` names: what is wrong with it is wrong with that field.
    pub(super) fn entry_to_share(
        &self,
        caller: &Caller,
        id: &SessionId,
    ) -> Result<Arc<Entry>, Refusal> {
        self.entry(caller, id).map_err(|refusal| match refusal {
            Refusal::NoSession(session) => Refusal::NoneToShare(session),
            Refusal::Gone { session, why } => Refusal::GoneToShare { session, why },
            other => other,
        })
    }

    /// A new session for one program, which nobody asked to keep.
    pub(super) fn admit_one(
        &self,
        caller: &Caller,
        language: Language,
        level: Option<Level>,
        agent: &str,
    ) -> Result<(Arc<Entry>, Coming), Refusal> {
        let (entry, coming) = self.admitted((caller, agent), language, level, true)?;
        lock(&self.flood).count();
        Ok((entry, coming))
    }

    /// A new session, if its owner may have one more.
    pub(super) fn admit(
        &self,
        caller: &Caller,
        language: Language,
        level: Option<Level>,
        agent: &str,
    ) -> Result<Arc<Entry>, Refusal> {
        Ok(self.admitted((caller, agent), language, level, false)?.0)
    }

    fn admitted(
        &self,
        (caller, agent): (&Caller, &str),
        language: Language,
        level: Option<Level>,
        passing: bool,
    ) -> Result<(Arc<Entry>, Coming), Refusal> {
        let settings = &self.settings;
        let mut sessions = lock(&self.sessions);
        let (count, most) = (sessions.owned_by(&caller.owner), settings.sessions_per_owner);
        if count >= most {
            let Some(unwanted) = sessions.unwanted(|entry| entry.owner == caller.owner) else {
                let (what, setting) = ("you have as many sessions as you may", "max-sessions");
                return Err(Refusal::Quota { what, now: count, most, setting });
            };
            self.evict(&mut sessions, &unwanted);
        }
        while let Err(refusal) = self.has_bytes_left(&sessions, &caller.owner) {
            let on_disk = |entry: &Entry| {
                entry.owner == caller.owner && entry.image_bytes.load(Ordering::Relaxed) > 0
            };
            let unwanted = sessions.unwanted(on_disk).ok_or(refusal)?;
            self.evict(&mut sessions, &unwanted);
        }
        let (level, limits) = self.limits_at(level);
        counter!("tidegate_sessions_started_total").increment(1);
        let all_alive = Arc::clone(&self.alive);
        let whose = (caller.owner.as_str(), agent);
        let entry = Entry::new(whose, language, (level, limits), passing, all_alive);
        // Before anybody else can take it for one that nobody wants.
        let coming = Coming::to(&entry);
        sessions.insert(Arc::clone(&entry));
        Ok((entry, coming))
    }

    /// What programs of a new session may use: never more than what was decided, whatever it is called.
    pub(super) fn limits_at(&self, level: Option<Level>) -> (Level, Limits) {
        let settings = &self.settings;
        let level = level.unwrap_or(settings.level).max(settings.level);
        let limits = settings.limits.tightened_by(&Limits::of(level));
        (level, if level == settings.level { settings.limits.clone() } else { limits })
    }

    /// Refuses an owner whose sessions take as many bytes as they may.
    fn has_bytes_left(&self, sessions: &Shelf, owner: &str) -> Result<(), Refusal> {
        let most = self.settings.bytes_per_owner;
        // Nobody has more than all have together, so that it is added up only when that is much.
        if self.on_disk.load(Ordering::Relaxed) < most {
            return Ok(());
        }
        let own = sessions.values().filter(|entry| entry.owner == owner);
        let now: u64 = own.map(|entry| entry.image_bytes.load(Ordering::Relaxed)).sum();
        if now < most {
            return Ok(());
        }
        let what = "your sessions take as many bytes as they may";
        Err(Refusal::Quota { what, now, most, setting: "max-session-bytes" })
    }

    /// The same for a session that is gone on with.
    pub(super) fn may_grow(&self, entry: &Entry) -> Result<(), Refusal> {
        self.has_bytes_left(&lock(&self.sessions), &entry.owner)
    }

    /// Takes a session out that nobody asked to keep. Its files go with the next sweep, and whoever
    /// comes back for it is told why it is no more.
    fn evict(&self, sessions: &mut Shelf, entry: &Arc<Entry>) {
        entry.end(NO_ROOM);
        entry.next_write();
        sessions.remove(&entry.id);
        let mut evicted = lock(&self.evicted);
        evicted.told.push_back(Arc::clone(entry));
        if evicted.told.len() > MOST_TOLD {
            evicted.told.pop_front();
        }
        let bytes = entry.image_bytes.load(Ordering::Relaxed);
        if bytes > 0 {
            self.on_disk.fetch_sub(bytes, Ordering::Relaxed);
            evicted.files.push(entry.id.clone());
        }
    }

    /// Removes what is left of sessions that were taken out.
    pub(super) async fn clear_evicted(&self) {
        let ids = std::mem::take(&mut lock(&self.evicted).files);
        for id in ids {
            self.remove_files(&id).await;
        }
    }

    /// Makes a session, to be used later; with the files of another one, if it is to share those.
    pub async fn create_session(
        &self,
        caller: &Caller,
        language: Option<&str>,
        level: Option<Level>,
        agent: Option<String>,
        workspace_of: Option<&SessionId>,
    ) -> Result<SessionView, Refusal> {
        let agent = named(agent)?;
        let language = self.language(language)?.unwrap_or_else(|| self.parts.engines.usual());
        let entry = match workspace_of {
            None => self.admit(caller, language, level, &agent)?,
            Some(other) => self.admit_beside(caller, other, (language, level), &agent)?,
        };
        let stored = async {
            self.parts.store.write(Write::Session(Box::new(entry.row()))).await?;
            self.write_shared(&entry).await
        };
        let stored = stored.await.map_err(Refusal::from);
        self.unless_failed(&entry, stored).await
    }

    /// A session that was just made; nothing is left of it where that failed.
    pub(super) async fn unless_failed(
        &self,
        entry: &Arc<Entry>,
        made: Result<(), Refusal>,
    ) -> Result<SessionView, Refusal> {
        if let Err(refusal) = made {
            self.remove(entry).await;
            return Err(refusal);
        }
        Ok(entry.view(self.settings.lasts))
    }

    /// Sessions that this caller may see.
    #[must_use]
    pub fn list_sessions(&self, caller: &Caller) -> Vec<SessionView> {
        let sessions = lock(&self.sessions);
        let own = sessions
            .values()
            .filter(|entry| entry.owner == caller.owner || caller.may(Scope::Admin));
        let mut views: Vec<_> = own.map(|entry| entry.view(self.settings.lasts)).collect();
        drop(sessions);
        views.sort_by(|a, b| (b.used_at, &b.id).cmp(&(a.used_at, &a.id)));
        views
    }

    /// One session of this caller.
    pub fn session(&self, caller: &Caller, id: &SessionId) -> Result<SessionView, Refusal> {
        if caller.may(Scope::Admin)
            && let Some(entry) = lock(&self.sessions).get(id)
        {
            return Ok(entry.view(self.settings.lasts));
        }
        Ok(self.entry(caller, id)?.view(self.settings.lasts))
    }

    /// Removes a session and everything of it, after the program that runs in it. Sessions that share its files
    /// keep them.
    pub async fn delete_session(&self, caller: &Caller, id: &SessionId) -> Result<(), Refusal> {
        let entry = self.entry(caller, id)?;
        let running: Vec<_> =
            lock(&self.runs).values().filter(|run| run.record().session == *id).cloned().collect();
        entry.end("it was deleted");
        for run in running {
            run.cancel();
        }
        if let Err(refusal) = self.hand_files_over(&entry).await {
            entry.stays();
            return Err(refusal);
        }
        self.remove(&entry).await;
        Ok(())
    }

    /// Takes a session out, with its files.
    pub(super) async fn remove(&self, entry: &Arc<Entry>) {
        let mut body = entry.body.lock().await;
        *body = Body::default();
        entry.set_alive(false);
        lock(&self.sessions).remove(&entry.id);
        // Nothing that is still being written comes after it.
        let (going, turn) = (Arc::clone(entry), entry.next_write());
        let _ = tokio::task::spawn_blocking(move || going.written_in_turn(turn, || ())).await;
        let bytes = entry.image_bytes.swap(0, Ordering::Relaxed);
        self.on_disk.fetch_sub(bytes, Ordering::Relaxed);
        self.parts.tools.judge().forget_session(entry.id.as_str());
        self.remove_files(&entry.id).await;
    }

    async fn remove_files(&self, id: &SessionId) {
        let path = self.parts.store.image(id);
        for path in [path.with_extension(OLDER), path] {
            if let Err(error) = tokio::fs::remove_file(&path).await
                && error.kind() != std::io::ErrorKind::NotFound
            {
                warn!(session = %id, error = %error, "a session's file could not be removed");
            }
        }
        if let Err(error) = self.parts.store.write(Write::NoSession(id.clone())).await {
            warn!(session = %id, error = %error, "a session could not be removed");
        }
    }

    /// A second session that starts from where this one is, for the same agent or for `agent`.
    pub async fn fork_session(
        &self,
        caller: &Caller,
        id: &SessionId,
        agent: Option<String>,
    ) -> Result<SessionView, Refusal> {
        let agent = named(agent)?;
        let entry = self.entry(caller, id)?;
        let engine = self.engine(entry.language).await?;
        let mut body = entry.lock().await;
        entry.still_there()?;
        self.take_files(&entry, &mut body).await?;
        let agent = if agent.is_empty() { &entry.agent } else { &agent };
        let session = body.awake(&entry, &engine, self.parts.store.image(&entry.id)).await?;
        let frozen = session.freeze().await;
        if frozen.is_err() {
            Self::is_as_found(&entry, &mut body);
        }
        frozen?;
        // Only now, so that whoever gives up waiting leaves none behind.
        let fork = self.admit(caller, entry.language, Some(entry.level), agent)?;
        let session = body.awake(&entry, &engine, self.parts.store.image(&entry.id)).await?;
        let forked = session.fork().await;
        entry.set_alive(session.is_alive());
        drop(body);
        let forked = match forked {
            Ok(forked) => forked,
            Err(error) => {
                self.remove(&fork).await;
                return Err(error.into());
            }
        };
        for _ in 0..entry.programs() {
            fork.count_program();
        }
        fork.inherits_from(&entry);
        let judge = self.parts.tools.judge();
        if let Err(problem) = judge.inherits(entry.id.as_str(), fork.id.as_str()).await {
            self.remove(&fork).await;
            return Err(Refusal::Session(problem));
        }
        let mut body = fork.body.lock().await;
        body.session = Some(forked);
        let frozen = self.rest(&fork, &mut body).await;
        drop(body);
        self.unless_failed(&fork, frozen).await
    }

    /// Writes a session to disk and frees its guest.
    pub async fn freeze_session(
        &self,
        caller: &Caller,
        id: &SessionId,
    ) -> Result<SessionView, Refusal> {
        let entry = self.entry(caller, id)?;
        let mut body = entry.body.lock().await;
        entry.still_there()?;
        self.rest(&entry, &mut body).await?;
        drop(body);
        Ok(entry.view(self.settings.lasts))
    }

    /// Does something with a session's files.
    pub async fn session_files(
        &self,
        caller: &Caller,
        id: &SessionId,
        task: FileTask,
    ) -> Result<FileAnswer, Refusal> {
        let entry = self.entry(caller, id)?;
        let engine = self.engine(entry.language).await?;
        if matches!(task, FileTask::Write(..)) {
            self.may_grow(&entry)?;
        }
        let changes = matches!(task, FileTask::Write(..) | FileTask::Remove(_));
        let makes_room = matches!(task, FileTask::Remove(_)) && self.may_grow(&entry).is_err();
        let bytes = if let FileTask::Write(_, content) = &task { content.len() } else { 0 };
        let ticket = self.gate.ticket_for(&caller.owner, bytes)?;
        // As programs do it: whoever waits for a session holds no place meanwhile.
        let asked = Moment::now();
        let mut body = entry.lock().await;
        entry.still_there()?;
        if changes && entry.waits_for_next(asked) {
            return Err(self.next_comes_first(&entry));
        }
        let _pass = ticket.enter().await;
        self.take_files(&entry, &mut body).await?;
        self.make_room(&entry).await;
        let session = body.awake(&entry, &engine, self.parts.store.image(&entry.id)).await?;
        // A guest is there, also if this future is dropped half-way.
        entry.set_alive(true);
        let answer = session.files(task).await;
        entry.set_alive(session.is_alive());
        entry.passing.store(false, Ordering::Relaxed);
        entry.touch();
        self.mark_in_memory(&entry).await;
        let is_shared = changes && answer.is_ok() && entry.shared().is_some();
        if is_shared {
            entry.has_changed_files();
        }
        if is_shared || (makes_room && answer.is_ok()) {
            // What counts is what lies on disk.
            self.secure(&entry, &mut body).await;
        }
        Ok(answer?)
    }

    /// Writes down that what a session is, is in memory only, so that after a crash nobody takes
    /// what is on disk for it. One that nobody asked to keep is not written about.
    pub(super) async fn mark_in_memory(&self, entry: &Arc<Entry>) {
        if entry.passing.load(Ordering::Relaxed) || !entry.set_in_memory(true) {
            return;
        }
        if let Err(error) = self.parts.store.write(Write::Session(Box::new(entry.row()))).await {
            warn!(session = %entry.id, error = %error, "a session could not be written about");
            entry.set_in_memory(false);
            self.set_aside(entry).await;
        }
    }

    /// What is on disk of a session is not what it is any more, and nobody may take it for that. It stays,
    /// under another name, for whoever comes back after a crash: that takes no room.
    async fn set_aside(&self, entry: &Arc<Entry>) {
        if entry.set_older(true) {
            return;
        }
        let image = self.parts.store.image(&entry.id);
        let has_image = entry.image_bytes.load(Ordering::Relaxed) > 0;
        let rename = move || {
            let older = image.with_extension(OLDER);
            if has_image {
                std::fs::rename(&image, &older)?;
            } else {
                File::create(&older)?;
            }
            image.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
        };
        let (written, turn) = (Arc::clone(entry), entry.next_write());
        let aside = tokio::task::spawn_blocking(move || {
            written.written_in_turn(turn, rename).unwrap_or(Ok(()))
        });
        if let Err(error) = aside.await.map_err(io::Error::other).and_then(|done| done) {
            warn!(session = %entry.id, error = %error, "what a session was before could not be set aside");
        }
    }

    /// Writes what a session is to disk, and keeps its guest. False if that cannot be done; then what it was
    /// before is still there.
    pub(super) async fn secure(&self, entry: &Arc<Entry>, body: &mut Body) -> bool {
        let Some(session) = &mut body.session else { return true };
        let written = async {
            if let Some(image) = session.freeze().await? {
                self.write_session(entry, image).await?;
            }
            Ok::<_, Refusal>(())
        };
        let written = written.await;
        if let Err(error) = written {
            Self::is_as_found(entry, body);
            warn!(session = %entry.id, error = %error, "a session could not be written");
            self.set_aside(entry).await;
            return false;
        }
        entry.set_in_memory(false);
        let row = self.parts.store.write(Write::Session(Box::new(entry.row()))).await;
        if let Err(error) = &row {
            warn!(session = %entry.id, error = %error, "a session could not be written about");
        }
        row.is_ok()
    }

    /// Writes what a session is to disk and lets its guest go.
    pub(super) async fn rest(&self, entry: &Arc<Entry>, body: &mut Body) -> Result<(), Refusal> {
        let Some(session) = &mut body.session else { return Ok(()) };
        let frozen = session.freeze().await;
        if frozen.is_err() {
            Self::is_as_found(entry, body);
        }
        if let Some(image) = frozen? {
            self.write_session(entry, image).await?;
        }
        entry.set_in_memory(false);
        self.parts.store.write(Write::Session(Box::new(entry.row()))).await?;
        body.session = None;
        entry.set_alive(false);
        Ok(())
    }

    /// After a failure: whether there is still a guest, and something to go on from.
    fn is_as_found(entry: &Entry, body: &mut Body) {
        entry.set_alive(body.session.as_ref().is_some_and(engine::Session::is_alive));
        body.lets_lost_go();
    }

    /// Writes a session's image. What was begun is done also if this future is dropped.
    pub(super) async fn write_session(
        &self,
        entry: &Arc<Entry>,
        image: Image,
    ) -> Result<(), StoreError> {
        let path = self.parts.store.image(&entry.id);
        let (to, held) = (path.clone(), entry.held());
        let files = entry.has_files.load(Ordering::Acquire);
        let (entry, on_disk, turn) =
            (Arc::clone(entry), Arc::clone(&self.on_disk), entry.next_write());
        // Packing takes a moment, and so may the disk.
        let written = tokio::task::spawn_blocking(move || {
            let write = || {
                let bytes = write_image(&to, &[image.as_bytes(), &held::tail(&held, files)?])?;
                entry.wrote_files.store(files, Ordering::Release);
                let before = entry.image_bytes.swap(bytes, Ordering::Relaxed);
                on_disk.fetch_add(bytes, Ordering::Relaxed);
                on_disk.fetch_sub(before, Ordering::Relaxed);
                if entry.set_older(false) {
                    // The two names say which is which, should it stay.
                    let _ = std::fs::remove_file(to.with_extension(OLDER));
                }
                Ok(())
            };
            entry.written_in_turn(turn, write).unwrap_or(Ok(()))
        });
        let written = written.await.map_err(std::io::Error::other).and_then(|done| done);
        written.map_err(|source| StoreError::File { path, source })
    }

    /// Sees to it that one more guest may be in memory, besides that of `wanted`.
    pub(super) async fn make_room(&self, wanted: &Arc<Entry>) {
        if !wanted.is_alive() {
            self.no_more_than(self.settings.live.saturating_sub(1)).await;
        }
    }

    /// Lets guests go that are idle, as long as more than `most` are in memory.
    pub(super) async fn no_more_than(&self, most: usize) {
        let mut stay = HashSet::new();
        while self.alive.load(Ordering::Acquire) > most {
            let resting = {
                let mut sessions = lock(&self.sessions);
                let may_go = |entry: &Entry| entry.is_alive() && !stay.contains(&entry.id);
                // Those in use are locked, so what is left is idle.
                sessions.unwanted(may_go).or_else(|| {
                    let alive = sessions.values().filter(|entry| may_go(entry));
                    let idle = alive.filter(|entry| entry.body.try_lock().is_ok());
                    idle.min_by_key(|entry| entry.used_at()).cloned()
                })
            };
            let Some(entry) = resting else { return };
            let Ok(mut body) = entry.body.try_lock() else { continue };
            if entry.passing.load(Ordering::Relaxed) && lock(&self.flood).is_on() {
                *body = Body::default();
                entry.set_alive(false);
                self.evict(&mut lock(&self.sessions), &entry);
            } else if let Err(error) = self.rest(&entry, &mut body).await {
                warn!(session = %entry.id, error = %error, "a session could not be frozen");
                // Another may be able to.
                stay.insert(entry.id.clone());
            }
        }
    }
}

/// Writes beside the file and renames, so that there is never half an image.
fn write_image(path: &Path, parts: &[&[u8]]) -> io::Result<u64> {
    let aside = path.with_extension(HALF);
    let file = File::create(&aside)?;
    let mut written = parts.iter().try_for_each(|part| (&file).write_all(part));
    written = written.and_then(|()| file.sync_data());
    if let Err(error) = written.and_then(|()| std::fs::rename(&aside, path)) {
        // Whatever was there is there still, and there may be no room for half of another.
        let _ = std::fs::remove_file(&aside);
        return Err(error);
    }
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(parts.iter().map(|part| part.len() as u64).sum())
}
