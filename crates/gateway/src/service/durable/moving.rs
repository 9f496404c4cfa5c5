//! Runs and sessions that go from one gateway to another.
//!
//! A run that was exported has left: it lies in a folder of its own, is never gone on with here, and
//! can be fetched again until it is swept. So it goes on in one place, whatever happens on the way.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::{Engine, Image, Language, Limits, Outcome, ProgramError, Start};

use super::held;
use super::keeper::Keeper;
use super::ledger::{self, Begun, Line};
use super::pack::Pack;
use crate::service::ids::{RunId, SessionId};
use crate::service::record::{Ended, Moment};
use crate::service::run::Run;
use crate::service::session::{Entry, SessionView};
use crate::service::store::Write;
use crate::service::{Caller, NoEngine, Record, Refusal, Service, Status, StoreError, lock};

/// How long one who exports a run waits for its next rest.
const REST: Duration = Duration::from_secs(30);

/// The exception of a run that goes on elsewhere.
pub(super) const MOVED: &str = "Moved";

/// The end here of a run that goes on elsewhere.
pub(crate) fn moved() -> Outcome {
    Outcome::failed(ProgramError {
        kind: MOVED.to_owned(),
        message: "this run was exported and goes on where it is imported".to_owned(),
        ..ProgramError::default()
    })
}

impl Service {
    /// Takes a run that has not ended out of this gateway, as bytes with which another goes on.
    pub async fn export_run(
        self: &Arc<Self>,
        caller: &Caller,
        id: &RunId,
    ) -> Result<Vec<u8>, Refusal> {
        let record = self.run(caller, id).await?;
        let refused = |why| Refusal::NotMovable { run: id.clone(), why };
        if record.waiting.is_some_and(|rest| rest.is_paused) {
            return Err(Refusal::Paused(id.clone()));
        }
        if let Some(run) = self.live_run(caller, id) {
            if run.record().status == Status::Queued {
                return Err(refused(
                    "which waits for others of its session or for a free place; export those first, or ask again when it waits for something else",
                ));
            }
            if !self.settings.durable {
                return Err(refused(
                    "because runs are not kept here; set `durable` and begin it again",
                ));
            }
            run.leaving().cancel();
            let (service, own) = (Arc::clone(self), Arc::clone(&run));
            // It leaves also if nobody waits for that any more.
            let leaving = self.tasks.spawn(async move { service.has_left(&own).await });
            let left = tokio::time::timeout(REST, leaving).await;
            let left = left.map_err(|_| match run.record().status {
                Status::Waiting => refused(
                    "which waits for the answer to a call that must not be made twice; it leaves when that has come, so ask again later, or cancel it",
                ),
                _ => refused("which is running; it leaves as soon as it waits, so ask again later"),
            })?;
            left.map_err(std::io::Error::other).map_err(|error| self.unwritten(error))??;
        }
        let folder = self.parts.store.moved(id);
        if !folder.exists() {
            self.has_ended(caller, id).await?;
            return Err(refused("because it has ended"));
        }
        let before = self.parts.store.image(&record.session);
        let packed = tokio::task::spawn_blocking(move || {
            let (ledger, image) = Keeper::packed(&folder)?;
            let before = match std::fs::read(before) {
                Ok(bytes) => Some(held::without(bytes)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            Ok(Pack { ledger, image, before }.encode())
        });
        let packed = packed.await.map_err(std::io::Error::other).and_then(|packed| packed);
        packed.map_err(|error| self.unwritten(error))
    }

    /// Refuses a run that is not under way here and has not ended either.
    pub(in crate::service) async fn has_ended(
        &self,
        caller: &Caller,
        id: &RunId,
    ) -> Result<(), Refusal> {
        if self.run(caller, id).await?.status.is_final() {
            return Ok(());
        }
        let unread = "what is kept of this run could not be read when this gateway was started, so that nobody goes on with it, and it has not ended; start the gateway again, or cancel the run";
        Err(self.unwritten(std::io::Error::other(unread)))
    }

    /// Waits until a run is on disk, and takes it out; nothing if it ended.
    async fn has_left(&self, run: &Run) -> Result<(), Refusal> {
        run.over().await;
        let mut record = run.record();
        if record.status.is_final() {
            return Ok(());
        }
        let store = &self.parts.store;
        let (folder, to) = (store.kept().folder_of(run.id()), store.moved(run.id()));
        let left = tokio::task::spawn_blocking(move || Keeper::leave(&folder, &to)).await;
        left.map_err(std::io::Error::other)
            .and_then(|left| left)
            .map_err(|error| self.unwritten(error))?;
        // Whoever goes on with it asks again, and takes another message.
        self.approvals.withdraw(run.id().as_str()).await;
        self.return_messages_of(&record).await?;
        record.status = Status::Cancelled;
        record.waiting = None;
        record.finished_at = Some(Moment::now());
        record.ended = Some(Ended::from(&moved()));
        self.parts.store.write(Write::Run(Box::new(record))).await?;
        Ok(())
    }

    /// Goes on with a run that another gateway exported.
    pub async fn import_run(
        self: &Arc<Self>,
        caller: &Caller,
        bytes: &[u8],
        again: bool,
    ) -> Result<Record, Refusal> {
        if !self.settings.durable {
            let problem = "a run cannot be taken, because runs are not kept here; set `durable`";
            return Err(Refusal::Immovable(problem.to_owned()));
        }
        let pack = Pack::decode(bytes).map_err(|error| wrong(&error.to_string()))?;
        let (lines, _) = ledger::decode(&pack.ledger);
        let Some(Line::Begun(begun)) = lines.into_iter().next() else {
            return Err(wrong("its ledger cannot be read"));
        };
        let begun = self.allowed(caller, *begun);
        let engine = self.engine(begun.language).await?;
        let _brought = Brought::begin(&self.brought, &begun.run).ok_or_else(|| {
            let why = "because it is being imported already";
            Refusal::NotMovable { run: begun.run.clone(), why }
        })?;
        self.is_new(caller, &begun, again).await?;
        for image in pack.image.iter().chain(&pack.before) {
            fits(&engine, image, &begun.limits).await?;
        }
        self.bring_session(&begun, pack.before).await?;
        self.comes_from_anywhere(&begun.session).await?;
        let store = &self.parts.store;
        let aside = store.moved(&begun.run).with_extension("new");
        let (own, begun_too) = (store.own(), begun.clone());
        let found = tokio::task::spawn_blocking(move || {
            let parts = (pack.ledger.as_slice(), pack.image.as_deref());
            Keeper::come(&own, &aside, begun_too, parts)
        });
        let found = found.await.map_err(std::io::Error::other).and_then(|found| found);
        let found = found.map_err(|error| self.unwritten(error))?;
        let found = found.ok_or_else(|| wrong("its ledger cannot be read"))?;
        // It has one place to be.
        let _ = tokio::fs::remove_dir_all(store.moved(&begun.run)).await;
        let mut record = begun.record();
        record.status = Status::Waiting;
        store.write(Write::Run(Box::new(record))).await?;
        self.take_up(vec![found]).await;
        self.run(caller, &begun.run).await
    }

    /// What a run may do here that somebody brings.
    fn allowed(&self, caller: &Caller, mut begun: Begun) -> Begun {
        let settings = &self.settings;
        begun.owner.clone_from(&caller.owner);
        begun.teams.clone_from(&caller.teams);
        begun.level = begun.level.max(settings.level);
        begun.limits = settings.limits.tightened_by(&begun.limits);
        if begun.level != settings.level {
            begun.limits = begun.limits.tightened_by(&Limits::of(begun.level));
        }
        begun
    }

    /// Refuses a run that is here, and a session that is somebody else's.
    async fn is_new(&self, caller: &Caller, begun: &Begun, again: bool) -> Result<(), Refusal> {
        let there = |why| Refusal::NotMovable { run: begun.run.clone(), why };
        if lock(&self.runs).contains_key(&begun.run) {
            return Err(there("because it is here already"));
        }
        if let Some(record) = self.parts.store.run(&begun.run).await? {
            let error = record.ended.as_ref().and_then(|ended| ended.error.as_ref());
            if record.owner != caller.owner || error.is_none_or(|error| error.kind != MOVED) {
                return Err(there("because it is here already"));
            }
            if !again {
                return Err(there(
                    "because it left from here and may go on elsewhere; if it does not, say so with `again`",
                ));
            }
        }
        let entry = lock(&self.sessions).get(&begun.session).cloned();
        match entry {
            Some(entry) if entry.owner != caller.owner => {
                Err(there("because its session is somebody else's here"))
            }
            Some(entry) if entry.language != begun.language => {
                Err(there("because its session has another language here"))
            }
            Some(entry) if entry.body.try_lock().is_err() => {
                Err(Refusal::Busy(begun.session.clone()))
            }
            Some(_) => Ok(()),
            None => self.may_have_one_more(caller),
        }
    }

    fn may_have_one_more(&self, caller: &Caller) -> Result<(), Refusal> {
        let (now, most) =
            (lock(&self.sessions).owned_by(&caller.owner), self.settings.sessions_per_owner);
        if now < most {
            return Ok(());
        }
        let (what, setting) = ("you have as many sessions as you may", "max-sessions");
        Err(Refusal::Quota { what, now, most, setting })
    }

    /// Makes the session of a run that somebody brings, unless it is here.
    async fn bring_session(&self, begun: &Begun, before: Option<Vec<u8>>) -> Result<(), Refusal> {
        if lock(&self.sessions).get(&begun.session).is_some() {
            return Ok(());
        }
        let limits = (begun.level, begun.limits.clone());
        let all_alive = Arc::clone(&self.alive);
        let (id, language) = (begun.session.clone(), begun.language);
        let whose = (begun.owner.as_str(), begun.session_agent());
        let entry = Entry::again(id, whose, language, limits, all_alive);
        if let Some(before) = before {
            let image = Image::decode(before).map_err(|error| wrong(&error.to_string()))?;
            self.write_session(&entry, image).await?;
        }
        lock(&self.sessions).insert(Arc::clone(&entry));
        self.parts.store.write(Write::Session(Box::new(entry.row()))).await?;
        Ok(())
    }

    /// Everything a session is, as bytes that another gateway or `tidegate run` goes on with.
    pub async fn export_session(
        &self,
        caller: &Caller,
        id: &SessionId,
    ) -> Result<Vec<u8>, Refusal> {
        let entry = self.entry(caller, id)?;
        let Some(mut body) = entry.try_lock() else { return Err(Refusal::Busy(id.clone())) };
        self.take_files(&entry, &mut body).await?;
        self.rest(&entry, &mut body).await?;
        entry.passing.store(false, Ordering::Relaxed);
        if entry.image_bytes.load(Ordering::Relaxed) == 0 {
            return Err(Refusal::Immovable("nothing has run in this session yet".to_owned()));
        }
        let path: PathBuf = entry.file(self.parts.store.image(id));
        let read = tokio::fs::read(&path).await;
        Ok(held::without(read.map_err(|source| StoreError::File { path, source })?))
    }

    /// A new session that goes on from what another gateway or `tidegate run` left.
    pub async fn import_session(
        &self,
        caller: &Caller,
        bytes: Vec<u8>,
    ) -> Result<SessionView, Refusal> {
        let language = self.language_of_image(&bytes).await?;
        let image = Image::decode(bytes).map_err(|error| wrong(&error.to_string()))?;
        if image.header().waiting {
            return Err(wrong("a program waits in it; export the run instead"));
        }
        let entry = self.admit(caller, language, None, "")?;
        let written = async {
            self.comes_from_anywhere(&entry.id).await?;
            self.write_session(&entry, image).await?;
            self.parts.store.write(Write::Session(Box::new(entry.row()))).await?;
            Ok(())
        };
        let written = written.await;
        self.unless_failed(&entry, written).await
    }
}

/// A run that is being brought. Nobody else brings it as long as this is there.
struct Brought<'a> {
    all: &'a Mutex<HashSet<RunId>>,
    run: &'a RunId,
}

impl<'a> Brought<'a> {
    /// `None` if somebody brings it already.
    fn begin(all: &'a Mutex<HashSet<RunId>>, run: &'a RunId) -> Option<Self> {
        let is_first = lock(all).insert(run.clone());
        // Made only then: dropping one takes the run out again, and would wait for the lock for ever.
        is_first.then(|| Self { all, run })
    }
}

impl Drop for Brought<'_> {
    fn drop(&mut self) {
        lock(self.all).remove(self.run);
    }
}

impl Service {
    /// The language whose engine goes on with an image; refused if none does.
    async fn language_of_image(&self, bytes: &[u8]) -> Result<Language, Refusal> {
        let mut refused = None;
        for language in self.languages() {
            let fits = match self.engine(language).await {
                Ok(engine) => fits(&engine, bytes, &self.settings.limits).await,
                Err(refusal) => Err(refusal),
            };
            match fits {
                Ok(()) => return Ok(language),
                Err(refusal @ Refusal::NoEngine(NoEngine::Installing { .. })) => {
                    return Err(refusal);
                }
                // What the usual language has to say against it is said.
                Err(refusal) => {
                    refused.get_or_insert(refusal);
                }
            }
        }
        Err(refused.unwrap_or_else(|| wrong("no programs are run here")))
    }

    /// Nobody here knows what a session that was brought has read.
    async fn comes_from_anywhere(&self, session: &SessionId) -> Result<(), Refusal> {
        let labelled = self.parts.tools.judge().comes_from_anywhere(session.as_str()).await;
        labelled.map_err(Refusal::Immovable)
    }
}

/// Whether an image can be gone on with here.
async fn fits(engine: &Arc<dyn Engine>, bytes: &[u8], limits: &Limits) -> Result<(), Refusal> {
    let image = Image::decode(bytes.to_vec()).map_err(|error| wrong(&error.to_string()))?;
    let start = Start { limits: limits.clone(), ..Start::default() };
    let thawed = engine.thaw(&image, start).await;
    thawed.map(drop).map_err(|error| wrong(&format!("it cannot be gone on with here: {error}")))
}

fn wrong(problem: &str) -> Refusal {
    Refusal::Immovable(format!("this cannot be imported: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_brings_a_run_and_the_others_are_told_at_once() {
        let (all, run) = (Mutex::default(), RunId::fresh());
        let first = Brought::begin(&all, &run);
        assert!(first.is_some());
        assert!(Brought::begin(&all, &run).is_none());
        assert!(Brought::begin(&all, &run).is_none(), "who was told so takes nothing away");
        drop(first);
        assert!(Brought::begin(&all, &run).is_some());
    }
}
