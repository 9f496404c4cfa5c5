//! Runs under way, and those that an earlier process left.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use async_trait::async_trait;
use engine::{
    CallId, Engine, Input, Outcome, ProgramError, Session, SessionError, Start, StepError, stopped,
    used_up,
};
use futures_util::future::join_all;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::drive::{Before, Driver, Ended};
use super::keeper::{Called, Found, Keeper, counted};
use super::ledger::ImageLine;
use super::past::Left;
use super::{Effect, RunBooks};
use crate::behalf::Behalf;
use crate::desk::Desk;
use crate::hearing::Hearing;
use crate::service::execute::Place;
use crate::service::gate::Pass;
use crate::service::ids::RunId;
use crate::service::record::{Moment, Rest};
use crate::service::run::Run;
use crate::service::session::{Body, Entry};
use crate::service::store::Write;
use crate::service::{Caller, Readiness, Record, Refusal, Service, Status, StoreError, lock};
use crate::tools::Offer;

/// The session around a run whose guest comes and goes.
struct Around<'a> {
    service: &'a Service,
    entry: &'a Arc<Entry>,
    session: Mutex<&'a mut Option<Session>>,
}

#[async_trait]
impl Before for Around<'_> {
    async fn is_safe(&self) -> Result<(), StoreError> {
        let before = lock(&self.session).as_ref().and_then(|one| one.before().cloned());
        self.service.save_before(self.entry, before).await
    }

    fn asleep(&self) {
        // What it was before the run is on disk.
        **lock(&self.session) = None;
        self.entry.set_alive(false);
    }

    async fn awake(&self) {
        self.service.make_room(self.entry).await;
        self.entry.set_alive(true);
    }
}

impl Service {
    /// The calls of an earlier run that are not to be made again.
    pub(in crate::service) async fn earlier(
        &self,
        caller: &Caller,
        from: Option<&RunId>,
    ) -> Result<Vec<Left>, Refusal> {
        let Some(from) = from else { return Ok(Vec::new()) };
        if !self.settings.durable {
            let why = "what runs do is not kept here; set `durable`, or leave it out and take care that nothing is done twice";
            return Err(Refusal::NotResumable { run: from.clone(), why });
        }
        if let Some(run) = self.live_run(caller, from)
            && run.record().status.is_final()
        {
            // Its ledger is being put where it is looked for.
            run.over().await;
        }
        let record = self.run(caller, from).await?;
        if !record.status.is_final() {
            let why = "it has not ended; wait for it, or cancel it";
            return Err(Refusal::NotResumable { run: from.clone(), why });
        }
        let error = record.ended.as_ref().and_then(|ended| ended.error.as_ref());
        if error.is_some_and(|error| error.kind == "Lost") {
            let why = "what it has done is no longer known; find out with tools that read, and do only the rest";
            return Err(Refusal::NotResumable { run: from.clone(), why });
        }
        if record.status == Status::Succeeded {
            let why = "it succeeded, and there is nothing to go on with, so leave it out";
            return Err(Refusal::NotResumable { run: from.clone(), why });
        }
        let (own, run) = (self.parts.store.own(), from.clone());
        let calls = tokio::task::spawn_blocking(move || Keeper::calls_of(&own, &run)).await;
        let calls = calls.map_err(std::io::Error::other).and_then(|calls| calls);
        match calls.map_err(|error| self.unwritten(error))? {
            Called::These(calls) => Ok(calls),
            Called::Uncertain => {
                let why = "what is kept of it was changed, so that nobody knows what it has done; find out with tools that read, and do only the rest";
                Err(Refusal::NotResumable { run: from.clone(), why })
            }
            Called::Unkept => self.only_read(&record).await.then(Vec::new).ok_or_else(|| {
                let why = "what it has done is no longer known: it was not kept, or removed with old runs; find out with tools that read, and do only the rest";
                Refusal::NotResumable { run: from.clone(), why }
            }),
        }
    }

    /// Whether a run has called nothing that changes anything.
    async fn only_read(&self, record: &Record) -> bool {
        let offer = self.parts.tools.offer("").await;
        let mut made = record.calls.iter().filter(|call| !call.unmade && !call.reused);
        made.all(|call| offer.effect_of(call) == Effect::Read)
    }

    /// What to say when the data folder fails us.
    pub(in crate::service) fn unwritten(&self, source: std::io::Error) -> Refusal {
        StoreError::File { path: self.parts.store.kept().folder.clone(), source }.into()
    }

    /// Writes what a session was before a run, so that it can go back to it after a crash.
    pub(in crate::service) async fn save_before(
        &self,
        entry: &Arc<Entry>,
        before: Option<engine::Image>,
    ) -> Result<(), StoreError> {
        if let Some(image) = before {
            self.write_session(entry, image).await?;
        }
        entry.set_in_memory(false);
        self.parts.store.write(Write::Session(Box::new(entry.row()))).await
    }

    /// Runs a program that goes on after a crash; `None` when it does so in another process.
    pub(in crate::service) async fn run_kept(
        &self,
        body: &mut Body,
        place: Place<'_>,
        offer: Arc<Offer>,
        pass: Pass,
    ) -> Result<Option<Outcome>, Refusal> {
        let program = place.keeper.begun().program();
        let Some(session) = &mut body.session else { return Err(Refusal::Draining) };
        let servers = offer.folder().or_else(|| session.start().servers.clone());
        let start = Start { servers, ..session.start().clone() };
        let (start, desk) = desk(place, &offer, start);
        session.configure(start.clone());
        let started = SystemTime::now();
        body.guest = Some(session.lend(&program).await?);
        let around =
            Around { service: self, entry: place.entry, session: Mutex::new(&mut body.session) };
        let mut driver = self.driver(place, start, desk, &around, Some(pass), BTreeSet::new());
        let ended = driver.run(&mut body.guest, Input::Run(program)).await;
        driver.desk.close();
        let was_parked = driver.was_parked;
        drop(driver);
        offer.after_run();
        let outcome = settle(body, place, ended?, started)?;
        if was_parked {
            self.put_away(place.entry, body).await;
        }
        Ok(outcome)
    }

    /// Writes the session of a run that took long to disk, instead of keeping it for whoever comes
    /// next: nobody waited for it with their next program in hand.
    async fn put_away(&self, entry: &Arc<Entry>, body: &mut Body) {
        if let Err(error) = self.rest(entry, body).await {
            warn!(session = %entry.id, error = %error, "a session could not be frozen");
        }
    }

    fn driver<'a>(
        &'a self,
        place: Place<'a>,
        start: Start,
        desk: Arc<Desk>,
        around: &'a Around<'a>,
        pass: Option<Pass>,
        pending: BTreeSet<CallId>,
    ) -> Driver<'a> {
        Driver {
            engine: Arc::clone(place.engine),
            start,
            desk,
            keeper: Arc::clone(place.keeper),
            gate: &self.gate,
            pass,
            freeze_after: self.settings.freeze_after,
            leaving: place.run.leaving(),
            before: around,
            pending,
            was_parked: false,
            run: place.run,
        }
    }

    /// Goes on with runs that an earlier process left. When this comes back, each has its session.
    pub(in crate::service) async fn take_up(self: &Arc<Self>, found: Vec<Found>) {
        if !found.is_empty() {
            info!(runs = found.len(), "runs of an earlier process go on");
        }
        // In the order in which they came: those of one session wait for each other.
        let mut found = found;
        found.sort_by_key(|one| one.begun.created_at);
        let mut ready = Vec::with_capacity(found.len());
        for Found { begun, image, keeper, damage } in found {
            let entry = self.entry_of(&begun);
            if image.is_some() {
                entry.revive();
            }
            let mut record = begun.record();
            record.status = if image.is_some() { Status::Waiting } else { Status::Queued };
            record.started_at = image.is_some().then_some(record.created_at);
            record.waiting = image.as_ref().map(|image| Rest {
                since: image.since.unwrap_or_else(Moment::now),
                wakes_at: image.wake_at.map(Moment::of),
            });
            record.calls = keeper.all_left().iter().map(Left::note).collect();
            let run = Run::new(record, None, &self.ending);
            lock(&self.runs).insert(run.id().clone(), Arc::clone(&run));
            let (send, has_session) = oneshot::channel();
            ready.push(has_session);
            let (service, keeper) = (Arc::clone(self), Arc::new(keeper));
            let mut going = Box::pin(async move {
                let outcome = match damage {
                    Some(damage) => {
                        drop(send);
                        service.cannot_go_on(damaged(damage), &keeper).await
                    }
                    None => service.go_on(&entry, &run, &keeper, image, send).await,
                };
                service.finish(&run, &entry, &keeper, outcome).await;
            });
            // So that it stands in the row of its session before the next one does.
            if futures_util::poll!(&mut going).is_pending() {
                self.tasks.spawn(going);
            }
        }
        // One that ended at once has dropped its end.
        let _ = join_all(ready).await;
    }

    /// The session of a run that was left; made again where the database does not know it.
    fn entry_of(&self, begun: &super::Begun) -> Arc<Entry> {
        let mut sessions = lock(&self.sessions);
        if let Some(entry) = sessions.get(&begun.session) {
            return Arc::clone(entry);
        }
        let limits = (begun.level, begun.limits.clone());
        let all_alive = Arc::clone(&self.alive);
        let entry = Entry::again(begun.session.clone(), &begun.owner, limits, all_alive);
        sessions.insert(Arc::clone(&entry));
        entry
    }

    async fn go_on(
        &self,
        entry: &Arc<Entry>,
        run: &Arc<Run>,
        keeper: &Arc<Keeper>,
        image: Option<ImageLine>,
        has_session: oneshot::Sender<()>,
    ) -> Result<Option<Outcome>, Refusal> {
        let mut body = entry.body.lock().await;
        // Nobody waits for it but who opens the service.
        let _ = has_session.send(());
        entry.still_there()?;
        let Some(engine) = self.engine_at_last().await? else { return Ok(None) };
        let place = Place { entry, engine: &engine, run, keeper };
        let work = async |body: &mut Body| match image {
            Some(image) => self.go_on_from(body, place, image).await,
            None => self.begin_again(body, place).await,
        };
        self.within_time(&mut body, place, work).await
    }

    /// Remembers where answers came from that were used again, in case the process ended before it did.
    async fn read_again(
        &self,
        offer: &Offer,
        left: &[Left],
        behalf: &Behalf,
    ) -> Result<(), Refusal> {
        for reused in left.iter().filter(|left| left.reused && left.answer.is_some()) {
            let read = offer.has_read_again(&reused.call, behalf).await;
            read.map_err(|error| self.unwritten(std::io::Error::other(error.message)))?;
        }
        Ok(())
    }

    /// The end of a run that is not gone on with.
    async fn cannot_go_on(
        &self,
        outcome: Outcome,
        keeper: &Arc<Keeper>,
    ) -> Result<Option<Outcome>, Refusal> {
        if !keeper.has_image() {
            return Ok(Some(outcome));
        }
        let Some(engine) = self.engine_at_last().await? else { return Ok(None) };
        Ok(Some(self.with_output(outcome, &engine, keeper).await))
    }

    /// The same with what its program had written when its last image was made, as far as that can be
    /// read.
    async fn with_output(
        &self,
        outcome: Outcome,
        engine: &Arc<dyn Engine>,
        keeper: &Arc<Keeper>,
    ) -> Outcome {
        let begun = keeper.begun();
        let _pass = self.gate.again(&begun.owner).enter().await;
        let start = Start { limits: begun.limits.clone(), ..Start::default() };
        let Ok(image) = keeper.thawed().await else { return outcome };
        let Ok(guest) = engine.thaw(&image, start).await else { return outcome };
        let (stdout, stderr) = guest.output();
        Outcome { stdout, stderr, usage: guest.usage(), ..outcome }
    }

    /// What runs programs, however long it takes; `None` if the process ends first.
    async fn engine_at_last(&self) -> Result<Option<Arc<dyn Engine>>, Refusal> {
        let mut readiness = self.parts.engine.clone();
        let settled = readiness.wait_for(|now| !matches!(now, Readiness::Installing { .. }));
        tokio::select! {
            _ = settled => {}
            () = self.ending.cancelled() => return Ok(None),
        }
        match self.readiness() {
            Readiness::Ready(engine) => Ok(Some(engine)),
            Readiness::Failed(reason) => {
                warn!(reason, "runs that an earlier process left wait for a start with a runtime");
                Ok(None)
            }
            Readiness::Installing { .. } => Ok(None),
        }
    }

    /// A run of which there is no image has changed nothing out there, so that it begins again.
    async fn begin_again(
        &self,
        body: &mut Body,
        place: Place<'_>,
    ) -> Result<Option<Outcome>, Refusal> {
        let pass = self.gate.again(&place.entry.owner).enter().await;
        place.run.begin();
        self.make_room(place.entry).await;
        self.run_in(body, place, pass).await
    }

    /// A run that goes on from its image.
    async fn go_on_from(
        &self,
        body: &mut Body,
        place: Place<'_>,
        image: ImageLine,
    ) -> Result<Option<Outcome>, Refusal> {
        let begun = place.keeper.begun();
        let started = SystemTime::now();
        if let Some(unknown) = unknown(place.keeper, &image) {
            return Ok(Some(self.with_output(unknown, place.engine, place.keeper).await));
        }
        if image.pending.is_empty() && !sleeps_until(image.wake_at, place.run.leaving()).await {
            return Ok(None);
        }
        let offer = self.parts.tools.offer(&begun.program).await;
        self.review_again(place).await;
        place.run.is_counted_by(Arc::clone(offer.tally()));
        let left = place.keeper.all_left();
        let answered = left.iter().filter_map(|left| Some((&left.call, &left.answer.as_ref()?.0)));
        offer.count_before(answered, &place.behalf());
        self.read_again(&offer, &left, &place.behalf()).await?;
        let start =
            Start { limits: begun.limits.clone(), servers: offer.folder(), ..Start::default() };
        let (start, desk) = desk(place, &offer, start);
        for id in &image.pending {
            match place.keeper.left(*id) {
                Some(Left { answer: Some((result, _)), .. }) => desk.deliver(result),
                Some(left) => desk.begin(&left.call),
                None => warn!(run = %begun.run, call = id.0, "a pending call is not in the ledger"),
            }
        }
        let around =
            Around { service: self, entry: place.entry, session: Mutex::new(&mut body.session) };
        let pending = image.pending.iter().copied().collect();
        let mut driver = self.driver(place, start, desk, &around, None, pending);
        let ended = match driver.parked(&mut body.guest, image.wake_at).await {
            Ok(Some(results)) => driver.run(&mut body.guest, Input::Results(results)).await,
            Ok(None) => Ok(Ended::Interrupted),
            Err(refusal) => Err(refusal),
        };
        driver.desk.close();
        drop(driver);
        offer.after_run();
        let outcome = settle(body, place, ended?, started)?;
        place.entry.count_program();
        self.put_away(place.entry, body).await;
        Ok(outcome)
    }
}

/// Sleeps, unless the run is to leave first.
async fn sleeps_until(moment: Option<SystemTime>, leaving: &CancellationToken) -> bool {
    let left = moment.map_or_else(Default::default, |moment| {
        moment.duration_since(SystemTime::now()).unwrap_or_default()
    });
    tokio::select! {
        () = tokio::time::sleep(left) => true,
        () = leaving.cancelled() => false,
    }
}

/// The end of a run of which nobody can say what it has done.
fn damaged(damage: &'static str) -> Outcome {
    Outcome::failed(ProgramError {
        kind: "Unknown".to_owned(),
        message: format!(
            "this run cannot go on: {damage}, so that nobody knows what it has done; it is not begun again"
        ),
        hint: Some("Find out with tools that read what was done, and do only the rest.".to_owned()),
        ..ProgramError::default()
    })
}

/// The end of a run that had sent something of which nobody knows whether it was carried out.
fn unknown(keeper: &Keeper, image: &ImageLine) -> Option<Outcome> {
    let lost = |id: &CallId| {
        let left = keeper.left(*id)?;
        left.is_unknown().then(|| left.told())
    };
    let calls: Vec<String> = image.pending.iter().filter_map(lost).collect();
    if calls.is_empty() {
        return None;
    }
    let calls = counted(calls);
    let error = ProgramError {
        kind: "Unknown".to_owned(),
        message: format!(
            "the gateway was ended while these calls were under way, and nobody knows whether they were carried out: {calls}; they are not made again"
        ),
        hint: Some(format!(
            "Find out with a tool that reads. Then run the program again with resume_from=\"{}\": answers that came are used again, and what was done is not done twice.",
            keeper.begun().run
        )),
        ..ProgramError::default()
    };
    Some(Outcome::failed(error))
}

/// Who carries out a run's calls, and how its guest is started with that.
fn desk(place: Place<'_>, offer: &Arc<Offer>, start: Start) -> (Start, Arc<Desk>) {
    let leaving = place.run.leaving().clone();
    let books = Arc::new(RunBooks::new(Arc::clone(place.keeper), Arc::clone(offer), leaving));
    let hearing = Arc::clone(place.run) as Arc<dyn Hearing>;
    let most = start.limits.call_result_bytes;
    let desk = Desk::new(Arc::clone(offer), Arc::new(place.behalf()), most, hearing);
    let desk = Arc::new(desk.with_books(books));
    (Start { host: Arc::clone(&desk) as _, ..start }, desk)
}

/// Leaves the session as the run's end says.
fn settle(
    body: &mut Body,
    place: Place<'_>,
    ended: Ended,
    started: SystemTime,
) -> Result<Option<Outcome>, Refusal> {
    let guest = body.guest.take();
    match (ended, guest) {
        (Ended::Done(mut outcome), Some(guest)) => {
            if used_up(&mut outcome) {
                // The session is what it was before: in memory, or on disk if the run rested.
                return Ok(Some(*outcome));
            }
            let start = Start { limits: place.entry.limits.clone(), ..Start::default() };
            let fresh = || Session::new(Arc::clone(place.engine), start);
            body.session.get_or_insert_with(fresh).take_back(guest);
            Ok(Some(*outcome))
        }
        (Ended::Stopped(error @ (StepError::Engine { .. } | StepError::Misused { .. })), _) => {
            Err(SessionError::Step(error).into())
        }
        (Ended::Stopped(error), Some(guest)) => Ok(Some(stopped(&*guest, &error, started))),
        (Ended::Interrupted, _) => Ok(None),
        (Ended::Done(_) | Ended::Stopped(_), None) => Err(Refusal::Draining),
    }
}
