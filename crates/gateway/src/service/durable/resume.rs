//! Runs under way, and those that an earlier process left.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use async_trait::async_trait;
use engine::{
    CallId, Engine, Input, Language, Outcome, ProgramError, Session, SessionError, Start,
    StepError, Usage, stopped, used_up,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::books::ChildLedger;
use super::drive::{Before, Driver, Ended};
use super::held::{self, Held};
use super::keeper::{Called, Found, Keeper, Known, counted};
use super::ledger::{Begun, ImageLine};
use super::moving::MOVED;
use super::past::Left;
use super::{Effect, RunBooks};
use crate::behalf::Behalf;
use crate::children::{Children, Nursery};
use crate::desk::Desk;
use crate::hearing::Hearing;
use crate::mailboxes;
use crate::run::tell_of_changes;
use crate::service::ends::cancelled;
use crate::service::execute::{Place, behalf};
use crate::service::gate::Pass;
use crate::service::ids::RunId;
use crate::service::record::{Moment, Rest};
use crate::service::run::Run;
use crate::service::session::{Body, Entry};
use crate::service::store::Write;
use crate::service::trace::Trace;
use crate::service::{Caller, NoEngine, Record, Refusal, Service, Status, StoreError, lock};
use crate::tools::Offer;

/// Why nobody takes over from a run whose ledger is not as it was written.
const UNCERTAIN: &str = "what is kept of it was changed, so that nobody knows what it has done; find out with tools that read, and do only the rest";

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
    /// The calls that are not to be made again by one that resumes `from`, and the run they are taken over
    /// from: that one, or the last that took over from it.
    pub(in crate::service) async fn earlier(
        &self,
        caller: &Caller,
        from: Option<&RunId>,
    ) -> Result<(Option<RunId>, Vec<Left>), Refusal> {
        let Some(from) = from else { return Ok((None, Vec::new())) };
        let refused = |why: &str| Refusal::NotResumable { run: from.clone(), why: why.to_owned() };
        if !self.settings.durable {
            return Err(refused(
                "what runs do is not kept here; set `durable`, or leave it out and take care that nothing is done twice",
            ));
        }
        // Refuses what is somebody else's.
        self.run(caller, from).await?;
        let record = self.settled(from).await?.ok_or_else(|| Refusal::NoRun(from.clone()))?;
        if !record.status.is_final() {
            return Err(refused("it has not ended; wait for it, or cancel it"));
        }
        match kind_of(&record) {
            Some(MOVED) => {
                return Err(refused("it goes on in another gateway; look for it there"));
            }
            Some("Lost") => {
                return Err(refused(
                    "what it has done is no longer known; find out with tools that read, and do only the rest",
                ));
            }
            _ => {}
        }
        if record.status == Status::Succeeded {
            return Err(refused(
                "it succeeded, and there is nothing to go on with, so leave it out",
            ));
        }
        let Known { called, taken_up_by } = self.known(from).await?;
        let calls = match called {
            Called::These(calls) => calls,
            Called::Uncertain => return Err(refused(UNCERTAIN)),
            Called::Unkept if self.only_read(&record).await => Vec::new(),
            Called::Unkept => {
                return Err(refused(
                    "what it has done is no longer known: it was not kept, or removed with old runs; find out with tools that read, and do only the rest",
                ));
            }
        };
        let (last, mut calls) = self.newest(from, calls, taken_up_by).await?;
        let offer = self.parts.tools.offer("").await;
        for left in &mut calls {
            // However they were spelled when they were written down.
            left.call = offer.named(&left.call).into_owned();
        }
        Ok((Some(last), calls))
    }

    /// Follows those that took over from a run, one from the other, to the last: it knows what all before
    /// it did. Refused as long as it has not ended.
    async fn newest(
        &self,
        from: &RunId,
        mut calls: Vec<Left>,
        mut next: Option<RunId>,
    ) -> Result<(RunId, Vec<Left>), Refusal> {
        let mut last = from.clone();
        let mut seen = HashSet::from([from.clone()]);
        // All of them, however many there are: what one of them did that is left out would be done again.
        while let Some(by) = next.take() {
            let refused = |why: &str| Refusal::NotResumable {
                run: from.clone(),
                why: format!("{by}, which took it up, {why}"),
            };
            if !seen.insert(by.clone()) {
                return Err(refused(&format!("was taken up by it in turn: {UNCERTAIN}")));
            }
            let record = self.settled(&by).await?;
            let known = self.known(&by).await?;
            let Some(record) = record else {
                if matches!(known.called, Called::Unkept) {
                    // It was refused after all, called nothing before its process was killed, or was removed with
                    // old runs though somebody took it up who was not.
                    next = known.taken_up_by;
                    continue;
                }
                return Err(refused(
                    "could not be read when this gateway was started; start the gateway again, and look at that run first",
                ));
            };
            if !record.status.is_final() {
                return Err(refused("has not ended; wait for it, or cancel it"));
            }
            match kind_of(&record) {
                Some(MOVED) => {
                    return Err(refused("goes on in another gateway; look for it there"));
                }
                Some("Lost") => {
                    return Err(refused(
                        "was lost; find out with tools that read what it has done, and do only the rest",
                    ));
                }
                _ => {}
            }
            match known.called {
                Called::These(of_all) => calls = of_all,
                Called::Uncertain => return Err(refused(&format!("cannot be asked: {UNCERTAIN}"))),
                // It has changed nothing, or it would have been kept.
                Called::Unkept => {}
            }
            (last, next) = (by, known.taken_up_by);
        }
        Ok((last, calls))
    }

    /// A run, with its ledger where it is looked for if it has ended.
    async fn settled(&self, id: &RunId) -> Result<Option<Record>, Refusal> {
        let live = lock(&self.runs).get(id).cloned();
        if let Some(run) = live
            && run.record().status.is_final()
        {
            run.over().await;
        }
        Ok(self.any_run(id).await?)
    }

    async fn known(&self, run: &RunId) -> Result<Known, Refusal> {
        let (own, run) = (self.parts.store.own(), run.clone());
        let known = tokio::task::spawn_blocking(move || Keeper::calls_of(&own, &run)).await;
        let known = known.map_err(std::io::Error::other).and_then(|known| known);
        known.map_err(|error| self.unwritten(error))
    }

    /// Writes down that one run takes over from another.
    pub(in crate::service) async fn is_taken_up(
        &self,
        from: &RunId,
        by: &RunId,
    ) -> Result<(), Refusal> {
        let (own, from, by) = (self.parts.store.own(), from.clone(), by.clone());
        let said = tokio::task::spawn_blocking(move || Keeper::is_taken_up(&own, &from, by)).await;
        let said = said.map_err(std::io::Error::other).and_then(|said| said);
        said.map_err(|error| self.unwritten(error))
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
        let source = program.source.clone();
        let Some(session) = &mut body.session else { return Err(Refusal::Draining) };
        let servers = offer.folder_in(session);
        let start = Start { servers, ..session.start().clone() };
        let (start, desk) = desk(place, &offer, start, self.nursery(place.engine));
        session.configure(start.clone());
        let started = SystemTime::now();
        body.guest = Some(session.lend(&program).await?);
        let around =
            Around { service: self, entry: place.entry, session: Mutex::new(&mut body.session) };
        let mut driver = self.driver(place, start, desk, &around, Some(pass), BTreeSet::new());
        let ended = driver.run(&mut body.guest, Input::Run(program)).await;
        driver.desk.close();
        let (was_parked, pass) = (driver.was_parked, driver.pass.take());
        drop(driver);
        body.pass = pass;
        offer.after_run();
        let mut outcome = settle(body, place, ended?, started)?;
        if let Some(outcome) = &mut outcome {
            tell_of_changes(outcome, &source, &offer).await;
        }
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

    /// Goes on with runs that an earlier process left. When this comes back, each has its session or stands in
    /// the row of it: whoever is first there may rest for days.
    pub(in crate::service) async fn take_up(self: &Arc<Self>, found: Vec<Found>) {
        if !found.is_empty() {
            info!(runs = found.len(), "runs of an earlier process go on");
        }
        // In the order in which they came: those of one session wait for each other. Whoever had begun comes
        // first, though it may have been asked for in the same moment as one that stands behind it.
        let mut found = found;
        found.sort_by_key(|one| (one.image.is_none(), one.begun.created_at));
        let mut held = self.held_by_sessions(&found).await;
        for Found { begun, mut image, keeper, mut over } in found {
            let entry = self.entry_of(&begun);
            let held = held.remove(&begun.run);
            let is_held = held.is_some();
            if let Some((bytes, outcome)) = held {
                // What it has done is part of its session, so that it is not done again.
                image = None;
                over.get_or_insert(outcome);
                self.is_as_written(&entry, bytes).await;
            } else if image.is_some() {
                entry.revive();
            }
            let mut record = begun.record();
            record.status = if image.is_some() { Status::Waiting } else { Status::Queued };
            record.started_at = (is_held || image.is_some()).then_some(record.created_at);
            record.waiting = image.as_ref().map(|image| Rest {
                since: image.since.unwrap_or_else(Moment::now),
                wakes_at: image.wake_at.map(Moment::of),
                is_paused: false,
            });
            record.calls = keeper.notes();
            let run = Run::new(record, self.trace_of(&begun), &self.ending);
            lock(&self.runs).insert(run.id().clone(), Arc::clone(&run));
            let (service, keeper) = (Arc::clone(self), Arc::new(keeper));
            let mut going = Box::pin(async move {
                let outcome = match over {
                    Some(over) if is_held => {
                        service.counted_before(&run, &keeper).await;
                        Ok(Some(over))
                    }
                    Some(over) => {
                        service.counted_before(&run, &keeper).await;
                        Box::pin(service.cannot_go_on(over, &keeper)).await
                    }
                    None => service.go_on(&entry, &run, &keeper, image).await,
                };
                Box::pin(service.finish(&run, &entry, &keeper, outcome)).await;
            });
            // So that it stands in the row of its session before the next one does, however many there are.
            let polled = futures_util::poll!(tokio::task::unconstrained(&mut going));
            if polled.is_pending() {
                self.tasks.spawn(going);
            }
        }
    }

    /// Where a run of an earlier process belongs: to the trace that it began in, or to one of its own if nobody
    /// took spans then.
    fn trace_of(&self, begun: &Begun) -> Option<Trace> {
        self.parts.spans.as_ref()?;
        Some(begun.trace.clone().unwrap_or_else(|| Trace::new(None)))
    }

    /// Runs that ended and are part of their sessions as those lie on disk, each with the bytes of that and how
    /// it ended.
    async fn held_by_sessions(&self, found: &[Found]) -> HashMap<RunId, (u64, Outcome)> {
        let sessions: BTreeSet<_> = found.iter().map(|one| one.begun.session.clone()).collect();
        let paths: Vec<_> = sessions.iter().map(|id| self.parts.store.image(id)).collect();
        let runs: HashSet<_> = found.iter().map(|one| one.begun.run.clone()).collect();
        let read = move || {
            let mut all = HashMap::new();
            for path in paths {
                match held::read(&path) {
                    Ok(held::Written { bytes, runs: held, .. }) => {
                        // Of others it is known how they ended.
                        let held = held.into_iter().filter(|held| runs.contains(&held.run));
                        all.extend(held.map(|held| (held.run.clone(), (bytes, held.outcome()))));
                    }
                    // It cannot be gone on with either, and says so.
                    Err(error) => {
                        warn!(path = %path.display(), error = %error, "a session's file cannot be read");
                    }
                }
            }
            all
        };
        tokio::task::spawn_blocking(read).await.unwrap_or_default()
    }

    /// What is on disk of a session holds the end of a run.
    async fn is_as_written(&self, entry: &Arc<Entry>, bytes: u64) {
        let before = entry.is_as_written(bytes);
        self.on_disk.fetch_add(bytes, Ordering::Relaxed);
        self.on_disk.fetch_sub(before, Ordering::Relaxed);
        if let Err(error) = self.parts.store.write(Write::Session(Box::new(entry.row()))).await {
            warn!(session = %entry.id, error = %error, "a session could not be written about");
        }
    }

    /// The session of a run that was left; made again where the database does not know it.
    fn entry_of(&self, begun: &super::Begun) -> Arc<Entry> {
        let mut sessions = lock(&self.sessions);
        if let Some(entry) = sessions.get(&begun.session) {
            return Arc::clone(entry);
        }
        let limits = (begun.level, begun.limits.clone());
        let all_alive = Arc::clone(&self.alive);
        let (id, language) = (begun.session.clone(), begun.language);
        let whose = (begun.owner.as_str(), begun.session_agent());
        let entry = Entry::again(id, whose, language, limits, all_alive);
        sessions.insert(Arc::clone(&entry));
        entry
    }

    async fn go_on(
        &self,
        entry: &Arc<Entry>,
        run: &Arc<Run>,
        keeper: &Arc<Keeper>,
        image: Option<ImageLine>,
    ) -> Result<Option<Outcome>, Refusal> {
        let (begun, asked) = (Instant::now(), keeper.begun().created_at);
        let body = tokio::select! {
            biased;
            // Whoever rests in its session goes on with the next process, and has to come first there, too.
            () = run.leaving().cancelled() => None,
            body = entry.lock() => Some(body),
            () = run.cancelled() => return Ok(Some(cancelled(run, begun, Usage::default()))),
        };
        let Some(mut body) = body.filter(|_| !entry.waits_for_next(asked)) else {
            entry.is_left_by(asked);
            return Ok(None);
        };
        entry.still_there()?;
        let outcome = self.go_on_in(&mut body, (entry, run), keeper, image).await;
        self.keeps_for_next(entry, run, &outcome);
        outcome
    }

    /// The same, once it has its session.
    async fn go_on_in(
        &self,
        body: &mut Body,
        (entry, run): (&Arc<Entry>, &Arc<Run>),
        keeper: &Arc<Keeper>,
        image: Option<ImageLine>,
    ) -> Result<Option<Outcome>, Refusal> {
        let Some(engine) = self.engine_at_last(entry.language).await? else { return Ok(None) };
        let place = Place { entry, engine: &engine, run, keeper };
        // On the side, so that one of thousands that rest is small.
        let work = async |body: &mut Body| match image {
            Some(image) => self.go_on_from(body, place, image).await,
            None => Box::pin(self.begin_again(body, place)).await,
        };
        self.within_time(body, place, work).await
    }

    /// What a run can call, with what it called in earlier processes counted.
    async fn counted_before(&self, run: &Arc<Run>, keeper: &Keeper) -> Arc<Offer> {
        let offer = self.parts.tools.offer(&keeper.begun().program).await;
        self.counts_calls(run, &offer);
        let left = keeper.all_left();
        // What an earlier run had called was not called by this one.
        let own = left.iter().filter(|left| !left.reused);
        let answered = own.filter_map(|left| Some((&left.call, &left.answer.as_ref()?.0)));
        offer.count_before(answered, &behalf(keeper.begun()));
        offer
    }

    /// Remembers where answers came from that were used again, in case the process ended before it did.
    async fn read_again(
        &self,
        offer: &Offer,
        left: &[Left],
        behalf: &Behalf,
    ) -> Result<(), Refusal> {
        for reused in left.iter().filter(|left| left.reused) {
            let Some((answer, _)) = &reused.answer else { continue };
            let read = offer.has_read_again(&reused.call, answer, behalf).await;
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
        let language = keeper.begun().language;
        let Some(engine) = self.engine_at_last(language).await? else { return Ok(None) };
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
    async fn engine_at_last(&self, language: Language) -> Result<Option<Arc<dyn Engine>>, Refusal> {
        let engine = tokio::select! {
            engine = self.parts.engines.get_at_last(language) => engine,
            () = self.ending.cancelled() => return Ok(None),
        };
        match engine {
            Ok(engine) => Ok(Some(engine)),
            Err(NoEngine::Installing { .. }) => Ok(None),
            Err(reason) => {
                warn!(reason = %reason, "runs that an earlier process left wait for a start with a runtime");
                Ok(None)
            }
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
        if let Some(unknown) = unknown(place.keeper, &image) {
            let ends = async {
                self.counted_before(place.run, place.keeper).await;
                self.with_output(unknown, place.engine, place.keeper).await
            };
            return Ok(Some(Box::pin(ends).await));
        }
        let started = SystemTime::now();
        if image.pending.is_empty() && !sleeps_until(image.wake_at, place.run.leaving()).await {
            return Ok(None);
        }
        Box::pin(self.go_on_now(body, place, image, started)).await
    }

    /// The same, once there is something to go on with or to wait for.
    async fn go_on_now(
        &self,
        body: &mut Body,
        place: Place<'_>,
        image: ImageLine,
        started: SystemTime,
    ) -> Result<Option<Outcome>, Refusal> {
        let begun = place.keeper.begun();
        self.review_again(place).await;
        let offer = self.counted_before(place.run, place.keeper).await;
        let left = place.keeper.all_left();
        self.read_again(&offer, &left, &place.behalf()).await?;
        // Programs of its session that came before may have imported what this one does not name.
        let servers = Some(offer.folder().unwrap_or_else(|| offer.tools().folder()));
        let start = Start { limits: begun.limits.clone(), servers, ..Start::default() };
        let (start, desk) = desk(place, &offer, start, self.nursery(place.engine));
        // Before programs begin that it had started: it stays on disk until one of them is done.
        desk.has_place(false);
        for id in &image.pending {
            match place.keeper.left(*id) {
                Some(Left { answer: Some((result, _)), .. }) => desk.deliver(result),
                Some(left) if left.effect != Effect::Read && !left.waits => {
                    desk.begin_again(&left.call);
                }
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
        let pass = driver.pass.take();
        drop(driver);
        body.pass = pass;
        offer.after_run();
        let outcome = settle(body, place, ended?, started)?;
        place.entry.count_program();
        self.put_away(place.entry, body).await;
        Ok(outcome)
    }
}

/// The exception that a run ended with.
fn kind_of(record: &Record) -> Option<&str> {
    let error = record.ended.as_ref()?.error.as_ref()?;
    Some(error.kind.as_str())
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

/// The end of a run that had sent something of which nobody knows whether it was carried out.
fn unknown(keeper: &Keeper, image: &ImageLine) -> Option<Outcome> {
    let lost = |id: &CallId| {
        let left = keeper.left(*id)?;
        // What was done with mailboxes is known there.
        let is_known = [mailboxes::POST, mailboxes::RECEIVE].contains(&left.call.name.as_str());
        (left.is_unknown() && !is_known).then(|| left.told())
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
fn desk(
    place: Place<'_>,
    offer: &Arc<Offer>,
    start: Start,
    nursery: Nursery,
) -> (Start, Arc<Desk>) {
    let leaving = place.run.leaving().clone();
    let books = Arc::new(RunBooks::new(Arc::clone(place.keeper), Arc::clone(offer), leaving));
    let hearing = Arc::clone(place.run) as Arc<dyn Hearing>;
    let behalf = Arc::new(Behalf { is_kept: true, ..place.behalf() });
    let most = start.limits.call_result_bytes;
    offer.tally().models().set(start.limits.model_tokens);
    let desk = Desk::new(Arc::clone(offer), Arc::clone(&behalf), most, Arc::clone(&hearing));
    let skills = offer.skills(&behalf, place.engine.language());
    let kept = Arc::new(ChildLedger(Arc::clone(place.keeper)));
    let children = Children::new(nursery, offer, behalf, hearing, start.limits.clone());
    let children = children.kept_by(kept);
    let desk = Arc::new(desk.with_books(books).with_children(children));
    (Start { host: Arc::clone(&desk) as _, skills, ..start }, desk)
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
            place.entry.has_changed_files();
            // Before it can be written anywhere.
            place.entry.hold(Held::new(place.keeper.begun().run.clone(), &outcome));
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
