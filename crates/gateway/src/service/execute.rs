//! One request to run a program, from the door to the database.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use budget::Strategy;
use engine::{Context, Engine, Language, Level, Limits, Outcome, Usage};
use upstream::TraceParent;

use super::durable::held::Held;
use super::durable::{Begun, Keeper};
use super::ends::{cancelled, printed, too_late, too_long};
use super::examined::Examined;
use super::figures::Phase;
use super::gate::{Pass, Ticket, Turn};
use super::ids::{RunId, SessionId};
use super::record::{Moment, Record};
use super::run::Run;
use super::session::{Body, Coming, Entry};
use super::sessions::named;
use super::store::Write;
use super::trace::Trace;
use super::{Caller, Refusal, Service, lock};
use crate::behalf::Behalf;
use crate::checks::advise;
use crate::children::{Nursery, Rests};
use crate::hearing::Hearing;
use crate::minds::ClientMind;
use crate::run::run_in_turn;

/// What a program may take beyond what was asked for, so that its own limit is the first to be met.
const LATE: Duration = Duration::from_millis(200);

/// What a program has at least, however long it stood in a queue.
const GRACE: Duration = Duration::from_secs(2);

/// What is said of a run whose session could not be written.
const INSECURE: &str = "what this program left in its session could not be written to disk, and is lost if the gateway is ended by force; whoever runs the gateway should look at the free space of its data folder";

/// What is said of a run whose session is not what the program before it left.
const WAS_OLDER: &str = "this session went back to what it was before its last programs, because it could not be written to disk any more when the gateway was ended";

/// What to do while another program runs in the session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IfBusy {
    /// Queue behind it.
    #[default]
    Wait,
    /// Refuse.
    Refuse,
}

/// A program that somebody wants to run.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Its source.
    pub code: String,
    /// What it is written in; if nothing is said, what its session is, and the usual one for a fresh session.
    pub language: Option<String>,
    /// Variables it starts with.
    pub context: Context,
    /// The session to go on with; a fresh one if nothing is said.
    pub session: Option<SessionId>,
    /// How long it may take, waiting included; never longer than the operator allows.
    pub timeout: Option<Duration>,
    /// For a fresh session: the one that it shares its files with.
    pub workspace_of: Option<SessionId>,
    /// A level that is no looser than the operator's.
    pub level: Option<Level>,
    /// Limits that are no looser than the session's.
    pub limits: Option<Limits>,
    /// Tokens of models that it may ask with its children; never more than its limits say.
    pub model_tokens: Option<u64>,
    /// What to do while another program runs in the session.
    pub if_busy: IfBusy,
    /// Tokens of the answer; what the operator says if nothing is said.
    pub output_tokens: Option<u64>,
    /// How the answer is made to fit.
    pub output_strategy: Strategy,
    /// The trace that the request belongs to.
    pub trace: Option<TraceParent>,
    /// An earlier run whose answers are used again instead of asking twice.
    pub resume_from: Option<RunId>,
    /// What the agent is called whose program it is; as its session says if nothing is said.
    pub agent: Option<String>,
    /// Its client, where it can be asked what its model says.
    pub mind: Option<ClientMind>,
}

impl Request {
    /// What it holds in memory while it waits.
    fn bytes(&self) -> usize {
        let variables = self.context.iter().map(|(name, value)| name.len() + value.get().len());
        self.code.len() + variables.sum::<usize>()
    }

    /// Whether it says nothing but what is to be run, and where.
    fn is_plain(&self) -> bool {
        self.context.is_empty()
            && self.timeout.is_none()
            && self.level.is_none()
            && self.limits.is_none()
            && self.model_tokens.is_none()
            && self.agent.is_none()
            && self.output_tokens.is_none()
            && self.output_strategy == Strategy::default()
    }
}

/// Whether anybody waits for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Whoever asked for it; if they go, it is cancelled.
    WaitedFor,
    /// Nobody: it goes on by itself, and is not forgotten once it was accepted.
    ByItself,
}

/// A run that has begun. Dropping it cancels the run.
#[derive(Debug)]
pub struct Started {
    run: Arc<Run>,
    session: SessionId,
    detached: bool,
}

impl Started {
    /// The run.
    #[must_use]
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// The session it runs in.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Lets the run go on by itself.
    #[must_use]
    pub fn detach(mut self) -> Arc<Run> {
        self.detached = true;
        Arc::clone(&self.run)
    }

    /// Waits for its end. Dropping the future cancels the run.
    pub async fn ended(self) -> Record {
        self.run.over().await;
        self.run.record()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if !self.detached {
            self.run.cancel();
        }
    }
}

impl Service {
    /// Begins to run a program that goes on by itself, and writes down that it did.
    pub async fn start_detached(
        self: &Arc<Self>,
        caller: &Caller,
        request: Request,
    ) -> Result<Arc<Run>, Refusal> {
        Ok(self.start_as(caller, request, Manner::ByItself).await?.detach())
    }

    /// Begins to run a program: refuses at once what cannot run, and queues the rest.
    pub async fn start(
        self: &Arc<Self>,
        caller: &Caller,
        request: Request,
    ) -> Result<Started, Refusal> {
        self.start_as(caller, request, Manner::WaitedFor).await
    }

    async fn start_as(
        self: &Arc<Self>,
        caller: &Caller,
        request: Request,
        manner: Manner,
    ) -> Result<Started, Refusal> {
        if self.ending.is_cancelled() {
            return Err(Refusal::Draining);
        }
        let language = self.language_of(caller, &request)?;
        self.validate(&request, language)?;
        let engine = self.engine(language).await?;
        let mut request = request;
        // Before anything is made for it: no session gives way to a request that is not let in.
        let ticket = self.gate.ticket_for(&caller.owner, request.bytes())?;
        let secrets = self.take_secrets(caller, &mut request).await?;
        let _turn = match &request.resume_from {
            Some(_) => Some(self.taking_over.lock().await),
            None => None,
        };
        let (resumes, earlier) = self.earlier(caller, request.resume_from.as_ref()).await?;
        self.uncover_program(caller, &mut request).await?;
        let own = named(request.agent.clone())?;
        let refuses = request.if_busy == IfBusy::Refuse;
        if let Some(other) = request.workspace_of.as_ref().filter(|_| refuses)
            && !self.entry_to_share(caller, other)?.is_idle()
        {
            return Err(Refusal::Busy(other.clone()));
        }
        let (entry, coming, limits) = self.place(caller, &request, language)?;
        if request.workspace_of.is_some() {
            self.write_shared(&entry).await?;
        }
        if refuses && !entry.is_idle() {
            // Somebody was quicker. What was made for this request alone goes with it.
            if request.workspace_of.is_some() {
                self.remove(&entry).await;
            }
            return Err(Refusal::Busy(entry.id.clone()));
        }
        let trace = self.parts.spans.as_ref().map(|_| Trace::new(request.trace.take()));
        let is_alone = request.session.is_none() && request.workspace_of.is_none();
        let is_plain = request.is_plain();
        let most = request.output_tokens.and_then(|most| usize::try_from(most).ok());
        let (agent, started_by) = match own {
            own if own.is_empty() || own == entry.agent => (entry.agent.clone(), Vec::new()),
            own => (own, vec![entry.agent.clone()]),
        };
        let begun = Begun {
            run: RunId::fresh(),
            session: entry.id.clone(),
            owner: caller.owner.clone(),
            teams: caller.teams.clone(),
            agent,
            started_by,
            level: request.level.map_or(entry.level, |asked| entry.level.max(asked)),
            created_at: Moment::of_its_own(),
            language,
            program: request.code,
            context: request.context,
            guidance: self.parts.guidance.clone(),
            limits,
            timeout: request.timeout,
            fit: (request.output_strategy, most.unwrap_or(self.settings.output_tokens)),
            resumes,
            is_alone,
            is_plain,
            trace: trace.clone(),
        };
        let run = Run::new(begun.record(), trace, &self.ending);
        let keeper = Arc::new(Keeper::new(&self.parts.store.kept().folder, begun, earlier));
        self.accept(&entry, &keeper, manner).await?;
        let program = self.covered_program(keeper.begun()).await;
        self.tools().veil().hold(run.id().as_str(), secrets);
        if let Some(mind) = request.mind {
            self.tools().minds().attach(run.id().as_str(), mind);
        }
        lock(&self.runs).insert(run.id().clone(), Arc::clone(&run));
        if let Some(trail) = &self.parts.trail {
            trail.begins(keeper.begun(), program);
        }
        let session = entry.id.clone();
        let work = Work { entry, coming, ticket, engine, keeper };
        let (service, own) = (Arc::clone(self), Arc::clone(&run));
        let mut carried = Box::pin(async move { service.carry_out(own, work).await });
        // So that it stands in the row of its session before the next one does.
        if futures_util::poll!(&mut carried).is_pending() {
            self.tasks.spawn(carried);
        }
        Ok(Started { run, session, detached: false })
    }

    /// Writes down that a run was accepted, as far as that is promised. One that cannot be written down is
    /// refused, and no later process begins it.
    async fn accept(
        &self,
        entry: &Arc<Entry>,
        keeper: &Arc<Keeper>,
        manner: Manner,
    ) -> Result<(), Refusal> {
        if let Some(from) = &keeper.begun().resumes {
            // Before there is anything that goes on by itself after a crash: the earlier run would know nothing of
            // it, and whoever asks again would do the same beside it. A taker that came to nothing is passed over.
            self.is_taken_up(from, &keeper.begun().run).await?;
        }
        if manner == Manner::ByItself && self.settings.durable {
            // What it starts from is not forgotten either.
            entry.passing.store(false, Ordering::Relaxed);
            if let Ok(mut body) = entry.body.try_lock() {
                self.secure(entry, &mut body).await;
            }
            keeper.accept().await.map_err(|source| self.unwritten(source))?;
        }
        let accepted = self.announce(keeper, manner).await;
        if accepted.is_err() {
            keeper.forget().await;
        }
        accepted
    }

    async fn announce(&self, keeper: &Arc<Keeper>, manner: Manner) -> Result<(), Refusal> {
        if manner == Manner::ByItself {
            let record = self.covered(keeper.begun().record()).await?;
            self.parts.store.write(Write::Begun(Box::new(record))).await?;
        }
        Ok(())
    }

    /// The session a request names, or a fresh one; and what its program may use there.
    fn place(
        &self,
        caller: &Caller,
        request: &Request,
        language: Language,
    ) -> Result<(Arc<Entry>, Coming, Limits), Refusal> {
        let named = match (&request.session, &request.workspace_of) {
            (Some(id), _) => Some(self.entry(caller, id)?),
            (None, Some(other)) => Some(self.entry_to_share(caller, other)?),
            (None, None) => None,
        };
        if let Some(entry) = named.filter(|entry| entry.waits_for_next(Moment::now())) {
            return Err(self.next_comes_first(&entry));
        }
        let (entry, coming) = if let Some(id) = &request.session {
            let entry = self.entry(caller, id)?;
            self.may_grow(&entry)?;
            let coming = Coming::to(&entry);
            (entry, coming)
        } else if let Some(other) = &request.workspace_of {
            let agent = request.agent.as_deref().unwrap_or_default();
            let entry = self.admit_beside(caller, other, (language, request.level), agent)?;
            let coming = Coming::to(&entry);
            (entry, coming)
        } else {
            let agent = request.agent.as_deref().unwrap_or_default();
            self.admit_one(caller, language, request.level, agent)?
        };
        let mut limits = entry.limits.clone();
        if let Some(level) = request.level {
            limits = limits.tightened_by(&Limits::of(level));
        }
        if let Some(asked) = &request.limits {
            limits = limits.tightened_by(asked);
        }
        if let Some(most) = request.model_tokens {
            limits.model_tokens = limits.model_tokens.min(most);
        }
        if let Some(timeout) = request.timeout {
            limits.wall = limits.wall.min(timeout);
        }
        Ok((entry, coming, limits))
    }

    async fn carry_out(self: Arc<Self>, run: Arc<Run>, work: Work) {
        let (entry, keeper) = (Arc::clone(&work.entry), Arc::clone(&work.keeper));
        let outcome = self.attempt(&run, work).await;
        self.finish(&run, &entry, &keeper, outcome).await;
        // Those that began at the same time had made room for one each.
        self.no_more_than(self.settings.live).await;
    }

    /// Runs a program when its session is free and its turn has come.
    async fn attempt(&self, run: &Arc<Run>, work: Work) -> Result<Option<Outcome>, Refusal> {
        let Work { entry, coming, ticket, engine, keeper } = work;
        let (begun, asked) = (Instant::now(), keeper.begun().created_at);
        let turn = async {
            let body = entry.lock().await;
            entry.still_there()?;
            if entry.waits_for_next(asked) {
                return Ok(None);
            }
            Ok::<_, Refusal>(Some((body, ticket.enter().await)))
        };
        let is_kept = self.settings.durable && keeper.is_written();
        let turn = tokio::select! {
            biased;
            // Its turn comes in the next process.
            () = run.leaving().cancelled(), if is_kept => None,
            turn = turn => turn?,
            () = run.cancelled() => return Ok(Some(cancelled(run, begun, Usage::default()))),
        };
        let Some((mut body, pass)) = turn else {
            if !is_kept {
                return Err(self.next_comes_first(&entry));
            }
            entry.is_left_by(asked);
            return Ok(None);
        };
        run.begin();
        let place = Place { entry: &entry, engine: &engine, run, keeper: &keeper };
        let work = async |body: &mut Body| {
            self.make_room(&entry).await;
            self.run_in(body, place, pass).await
        };
        let outcome = self.within_time(&mut body, place, work).await;
        self.keeps_for_next(&entry, run, &outcome);
        drop(coming);
        outcome
    }

    /// Does what `work` does with a session's body, as long as somebody wants it.
    pub(super) async fn within_time(
        &self,
        body: &mut Body,
        Place { entry, run, keeper, .. }: Place<'_>,
        work: impl AsyncFnOnce(&mut Body) -> Result<Option<Outcome>, Refusal>,
    ) -> Result<Option<Outcome>, Refusal> {
        let begun = Instant::now();
        let timeout = keeper.begun().timeout;
        // A program's own time stands still while it waits. Whoever waits for it has less of it.
        let left = timeout.map(|timeout| {
            let most = timeout + LATE;
            most.saturating_sub(keeper.begun().created_at.elapsed()).max(GRACE.min(most))
        });
        let outcome = tokio::select! {
            outcome = work(body) => Some(outcome),
            () = run.cancelled() => None,
            () = too_long(run, left) => None,
            () = run.abandoned() => return self.abandon(body, entry, keeper).await,
        };
        // Where nothing counts its calls, it was still being checked.
        let used = run.tally().map_or_else(Usage::default, |_| body.used());
        body.guest = None;
        let mut outcome = match (outcome, timeout) {
            (Some(outcome), _) => outcome,
            (None, Some(timeout)) if !run.is_cancelled() => {
                Ok(Some(printed(too_late(timeout, begun, used), run)))
            }
            (None, _) => Ok(Some(printed(cancelled(run, begun, used), run))),
        };
        let alive = body.session.as_ref().is_some_and(engine::Session::is_alive);
        entry.set_alive(alive);
        body.lets_lost_go();
        if let (Ok(Some(outcome)), true) = (&outcome, entry.holds(run.id())) {
            // Whoever asks after a crash is told the same.
            entry.hold(Held::new(run.id().clone(), outcome));
        }
        let is_kept = self.settings.durable && !entry.passing.load(Ordering::Relaxed);
        if alive && (is_kept || entry.shared().is_some()) {
            if !self.secure(entry, body).await
                && let Ok(Some(outcome)) = &mut outcome
            {
                note(outcome, INSECURE);
            }
        } else if alive {
            self.mark_in_memory(entry).await;
        }
        body.pass = None;
        outcome
    }

    /// Leaves a run that is under way to the next process.
    async fn abandon(
        &self,
        body: &mut Body,
        entry: &Arc<Entry>,
        keeper: &Keeper,
    ) -> Result<Option<Outcome>, Refusal> {
        (body.guest, body.pass) = (None, None);
        if !keeper.has_image() {
            let before = body.session.as_ref().and_then(|session| session.before().cloned());
            self.save_before(entry, before).await?;
        }
        body.session = None;
        entry.set_alive(false);
        Ok(None)
    }

    pub(super) async fn run_in(
        &self,
        body: &mut Body,
        place: Place<'_>,
        pass: Pass,
    ) -> Result<Option<Outcome>, Refusal> {
        let Place { entry, engine, run, keeper } = place;
        let (program, limits) = (keeper.begun().program(), keeper.begun().limits.clone());
        let image = self.parts.store.image(&entry.id);
        let tools = &self.parts.tools;
        let thaws = body.session.is_none() && entry.image_bytes.load(Ordering::Relaxed) > 0;
        let is_older = thaws && entry.is_older();
        // Before anybody is asked anything, which may take days: who has them may go meanwhile.
        self.take_files(entry, body).await?;
        let Examined { checked, offer, refused } = self.examine(place, &program, &limits).await;
        if refused.is_some() {
            return Ok(refused);
        }
        let begun = Instant::now();
        let session = body.awake(entry, engine, image).await?;
        if thaws {
            Phase::Thaw.took(begun.elapsed());
        }
        let results = self.results(entry, &program).await;
        let results = results.or_else(|| session.start().results.clone());
        let start = engine::Start { limits, results, ..session.start().clone() };
        session.configure(start);
        // From here on a guest is there, also if this future is dropped half-way.
        entry.set_alive(true);
        entry.note_left(checked.as_ref());
        let offer = match offer {
            Some(offer) => offer,
            None => tools.offer(&program.source).await,
        };
        self.counts_calls(run, &offer);
        run.counts_context(self.context_tokens(keeper.begun()));
        let outcome = if self.settings.durable {
            self.run_kept(body, place, offer, pass).await?
        } else {
            let hearing = Arc::clone(run) as Arc<dyn Hearing>;
            let nursery = Some(self.nursery(engine));
            let turn = Some(Turn::new(&entry.owner, pass));
            let behalf = place.behalf();
            let outcome =
                run_in_turn(session, program, offer, behalf, hearing, nursery, turn).await?;
            if session.is_alive() {
                entry.has_changed_files();
            }
            Some(outcome)
        };
        let Some(mut outcome) = outcome else { return Ok(None) };
        if let Some(report) = &checked {
            advise(&mut outcome, report);
        }
        if is_older {
            note(&mut outcome, WAS_OLDER);
        }
        entry.count_program();
        if entry.programs() > 1 {
            entry.passing.store(false, Ordering::Relaxed);
        }
        Ok(Some(outcome))
    }
}

/// Everything a run needs.
struct Work {
    entry: Arc<Entry>,
    coming: Coming,
    ticket: Ticket,
    engine: Arc<dyn Engine>,
    keeper: Arc<Keeper>,
}

/// Where a run runs.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) entry: &'a Arc<Entry>,
    pub(super) engine: &'a Arc<dyn Engine>,
    pub(super) run: &'a Arc<Run>,
    pub(super) keeper: &'a Arc<Keeper>,
}

impl Place<'_> {
    /// Whose calls are made here.
    pub(super) fn behalf(&self) -> Behalf {
        behalf(self.keeper.begun())
    }
}

/// Whose calls a run makes.
pub(super) fn behalf(begun: &Begun) -> Behalf {
    Behalf {
        owner: begun.owner.clone(),
        teams: begun.teams.clone(),
        session: begun.session.as_str().to_owned(),
        run: begun.run.as_str().to_owned(),
        agent: begun.agent.clone(),
        started_by: begun.started_by.clone(),
        ..Behalf::local(begun.level)
    }
}

impl Service {
    /// What programs need that start others.
    pub(super) fn nursery(&self, engine: &Arc<dyn Engine>) -> Nursery {
        Nursery {
            engine: Arc::clone(engine),
            others: self.parts.engines.clone(),
            checks: self.parts.checks.clone(),
            reviews: Arc::clone(&self.reviews),
            reviewing: self.settings.reviewing.clone(),
            rests: self.settings.durable.then(|| Rests {
                freeze_after: self.settings.freeze_after,
                places: Arc::clone(&self.awake),
            }),
        }
    }
}

/// Says something more of how a run ended.
fn note(outcome: &mut Outcome, words: &str) {
    outcome.note = Some(match outcome.note.take() {
        Some(before) => format!("{before}; {words}"),
        None => words.to_owned(),
    });
}
