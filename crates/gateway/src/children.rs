//! Programs that a program starts: `spawn` and `spawn_map`, and the examples of a skill that it saves.
//!
//! ```text
//! program ──$spawn──► Children ──examined, limits carved──► a guest of its own ──► what it returns
//! ```
//!
//! A child belongs to the run that started it: the same owner and rules, its calls among those of the run. Its
//! limits are a part of the run's, and all children together have no more CPU time and calls than the program
//! itself has. A child starts no children. When its run ends, it ends. In a run that outlives the process, one
//! that waits for long holds no guest; see [`resting`].

mod first;
mod resting;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use check::review::Review;
use engine::{
    CallError, Context, Engine, Language, Level, Limits, Outcome, Program, ProgramError, Session,
    Start, Usage, is_variable_of, other_name,
};
use metrics::counter;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use upstream::TraceParent;

pub(crate) use self::first::Kept;
use self::first::{ChildBooks, First, Nobody};
use self::resting::{Awake, Resting};
pub use self::resting::{Places, Rests};
use crate::agents;
use crate::behalf::Behalf;
use crate::checks::{Checks, Earlier, refusal};
use crate::desk::Desk;
use crate::engines::Engines;
use crate::hearing::{CallNote, Hearing};
use crate::judge::DENIED;
use crate::reviewing::{Reviewing, review_refusal};
use crate::run::run_with;
use crate::skillset::Workshop;
use crate::tally::Tally;
use crate::tools::{Offer, Tools};

/// The host call.
pub(crate) const CALL: &str = "$spawn";

/// Children of one run at the same time, and the parts that its limits are cut into.
const AT_ONCE: u32 = 4;

/// What a child's failure is called in the program that started it.
pub(crate) const FAILED: &str = "ChildError";

/// Its failure where it could not be run to its end.
pub(crate) const BROKEN: &str = "ServerError";

/// What programs need that may start others.
#[derive(Clone)]
pub struct Nursery {
    /// What runs them, unless another language is asked for.
    pub engine: Arc<dyn Engine>,
    /// What runs those of other languages.
    pub others: Engines,
    /// Who looks for mistakes in them, if anybody does.
    pub checks: Option<Arc<Checks>>,
    /// Who reviews them, also where nobody looks for mistakes.
    pub reviews: Arc<Checks>,
    /// What is done about what reviews find.
    pub reviewing: Reviewing,
    /// When those are let go that wait, where they are.
    pub rests: Option<Rests>,
}

/// The children of one run.
pub(crate) struct Children {
    nursery: Nursery,
    tools: Arc<Tools>,
    tally: Arc<Tally>,
    behalf: Arc<Behalf>,
    hearing: Arc<dyn Hearing>,
    /// Those of the program that starts them.
    limits: Limits,
    left: Mutex<Left>,
    room: Semaphore,
    begun: AtomicU64,
    /// Those that have a guest or are about to, and do not rest without one.
    awake: AtomicUsize,
    /// The program that starts them rests and has no place, so that those which begin need their own.
    has_no_place: AtomicBool,
    /// Where their calls are written down, if they are.
    kept: Option<Arc<dyn Kept>>,
}

/// What all children that are still to come may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Left {
    cpu_time: Duration,
    calls: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    code: String,
    #[serde(default)]
    context: Context,
    /// What it is called, for rules and in what is told of it.
    #[serde(default)]
    agent: Option<String>,
    /// What it is written in; what the program is that starts it, if nothing is said.
    #[serde(default)]
    language: Option<Language>,
}

/// Saves a skill, if the program may start others: the examples are.
pub(crate) async fn save_skill(
    children: Option<Arc<Children>>,
    arguments: &RawValue,
) -> Result<Box<RawValue>, CallError> {
    let Some(children) = children else {
        let message = "save_skill(): a program that was started by another saves no skills; \
                       let it return, and save them where it was started";
        return Err(fault("LimitExceeded", message));
    };
    let saved: futures_util::future::BoxFuture<'_, _> = Box::pin(children.save(arguments));
    saved.await
}

/// Runs a child, if the program may start any.
pub(crate) async fn carry_out(
    children: Option<Arc<Children>>,
    arguments: &RawValue,
) -> Result<Box<RawValue>, CallError> {
    let Some(children) = children else {
        let message = "spawn(): a program that was started by another cannot start others; \
                       let it return, and start them where it was started";
        return Err(fault("LimitExceeded", message));
    };
    let asked: Asked = serde_json::from_str(arguments.get())
        .map_err(|error| fault("ArgumentError", format!("spawn(): {error}")))?;
    let first = upstream::current().map(First::new);
    let is_told = first.is_some();
    // Boxed, because a child's calls are made by what makes this one.
    let child: futures_util::future::BoxFuture<'_, _> = Box::pin(children.run(asked, first));
    if is_told { upstream::departing(Arc::new(Nobody), child).await } else { child.await }
}

impl Nursery {
    /// What runs a child in a language.
    async fn engine_of(&self, asked: Option<Language>) -> Result<Arc<dyn Engine>, CallError> {
        match asked {
            Some(language) if language != self.engine.language() => {
                let engine = self.others.get_at_last(language).await;
                engine.map_err(|error| fault(FAILED, format!("spawn(): {error}")))
            }
            _ => Ok(Arc::clone(&self.engine)),
        }
    }

    /// Looks at a program that another one brought, as at any: what it could do, and what it can call; or
    /// why it may not run.
    pub(crate) async fn examined(
        &self,
        tools: &Arc<Tools>,
        program: &Program,
        limits: &Limits,
        level: Level,
    ) -> Result<(Review, Arc<Offer>), Box<ProgramError>> {
        let Self { checks, reviews, reviewing, .. } = self;
        let (review, offer, mistaken) = if let Some(checks) = checks {
            let earlier = Earlier::Nothing;
            let (report, offer) = checks.examine(Some(tools), program, earlier, limits).await;
            let mistaken = refusal(&report);
            (report.review, offer, mistaken)
        } else {
            let (review, offer) = reviews.review(Some(tools), program, limits).await;
            (review, offer, None)
        };
        let verdict = reviewing.verdict(&review, level);
        let refused = mistaken.or_else(|| review_refusal(&verdict, None));
        if let Some(error) = refused.and_then(|refused: Outcome| refused.error) {
            return Err(Box::new(error));
        }
        let offer = match offer {
            Some(offer) => offer,
            None => tools.offer(&program.source).await,
        };
        Ok((review, offer))
    }

    /// Why one of the skills that a program names may not run where it would, if that is so: what holds for
    /// programs at a level holds for what they import.
    pub async fn refused_skill(
        &self,
        tools: &Arc<Tools>,
        source: &str,
        limits: &Limits,
        behalf: &Behalf,
    ) -> Option<Box<ProgramError>> {
        let skillset = tools.skillset()?;
        if self.reviewing.at(behalf.level).allow_all() {
            return None;
        }
        let reader = behalf.reader();
        let mut named = skillset.named_in(&reader, source);
        let mut seen = BTreeSet::new();
        while let Some(kept) = named.pop() {
            if !seen.insert((kept.skill.name.clone(), kept.skill.version)) {
                continue;
            }
            // A skill may import others, which run in the same program.
            named.extend(skillset.named_in(&reader, &kept.skill.source));
            let program = Program::new(kept.skill.source.clone());
            let (review, _) = self.reviews.review(Some(tools), &program, limits).await;
            let verdict = self.reviewing.verdict(&review, behalf.level);
            if let Some(error) = review_refusal(&verdict, None).and_then(|refused| refused.error) {
                let message = format!("the skill {}: {}", kept.skill.name, error.message);
                return Some(Box::new(ProgramError { message, ..error }));
            }
        }
        None
    }
}

impl Children {
    pub(crate) fn new(
        nursery: Nursery,
        offer: &Arc<Offer>,
        behalf: Arc<Behalf>,
        hearing: Arc<dyn Hearing>,
        limits: Limits,
    ) -> Self {
        Self {
            nursery,
            tools: Arc::clone(offer.tools()),
            tally: Arc::clone(offer.tally()),
            behalf,
            hearing,
            left: Mutex::new(Left { cpu_time: limits.cpu_time, calls: limits.calls }),
            limits,
            room: Semaphore::new(AT_ONCE as usize),
            begun: AtomicU64::new(0),
            awake: AtomicUsize::new(0),
            has_no_place: AtomicBool::new(false),
            kept: None,
        }
    }

    /// The same, with their calls written down. Those of an earlier process keep their numbers.
    pub(crate) fn kept_by(self, kept: Arc<dyn Kept>) -> Self {
        let begun = AtomicU64::new(kept.children_before());
        Self { begun, kept: Some(kept), ..self }
    }

    /// Whether any of them runs.
    pub(crate) fn are_running(&self) -> bool {
        self.room.available_permits() < AT_ONCE as usize
    }

    /// Whether any of them has a guest, and does not rest without one.
    pub(crate) fn are_awake(&self) -> bool {
        self.awake.load(Ordering::Acquire) > 0
    }

    /// Whether the program that starts them has a place.
    pub(crate) fn are_in_a_place(&self, has: bool) {
        self.has_no_place.store(!has, Ordering::Release);
    }

    /// A place for one that is to begin, where the program that started it has none: after a start, thousands
    /// may be begun again at once.
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        let rests = self.nursery.rests.as_ref()?;
        if self.has_no_place.load(Ordering::Acquire) { rests.places.take().await } else { None }
    }

    async fn run(
        &self,
        asked: Asked,
        first: Option<Arc<First>>,
    ) -> Result<Box<RawValue>, CallError> {
        let engine = self.nursery.engine_of(asked.language).await?;
        let language = engine.language();
        let unusable = |key: &&String| !is_variable_of(language, key);
        if let Some(key) = asked.context.keys().find(unusable) {
            let message = format!(
                "spawn(): the context has the key {key:?}, which cannot be a variable; {}",
                other_name(language, key)
            );
            return Err(fault("ArgumentError", message));
        }
        if asked.code.trim().is_empty() {
            return Err(fault(FAILED, "spawn(): the program is empty; give its text"));
        }
        if let Some(problem) = asked.agent.as_deref().and_then(agents::problem) {
            return Err(fault("ArgumentError", format!("spawn(): {problem}")));
        }
        let program = Program { source: asked.code, language, context: asked.context };
        let Ok(_place) = self.room.acquire().await else {
            return Err(fault("ServerError", "spawn(): the run is over"));
        };
        let place = self.place().await;
        let mut share = self.share()?;
        let awake = (Awake::new(&self.awake), place);
        let of = (engine, asked.agent);
        let result = self.run_within((program, of), &mut share, (first, awake)).await;
        let outcome = if result.is_ok() { "ok" } else { "error" };
        counter!("tidegate_children_total", "outcome" => outcome).increment(1);
        result
    }

    /// Saves a skill, whose examples run as children do.
    async fn save(&self, arguments: &RawValue) -> Result<Box<RawValue>, CallError> {
        let Ok(_place) = self.room.acquire().await else {
            return Err(fault("ServerError", "save_skill(): the run is over"));
        };
        let _own_place = self.place().await;
        let _awake = Awake::new(&self.awake);
        self.may_save().await?;
        if self.nursery.engine.language() != Language::Python {
            let message = "save_skill(): skills are Python programs; save them from a program in Python, which `spawn` can start";
            return Err(fault("SkillError", message));
        }
        let mut share = self.share()?;
        let (nursery, behalf) = (self.nursery.clone(), Behalf::clone(&self.behalf));
        let workshop = Workshop::new(nursery, &self.tools, behalf, share.limits.clone());
        let Some(workshop) = workshop else {
            return Err(fault("SkillError", "save_skill(): skills are not kept here"));
        };
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        let parent = Arc::clone(&self.hearing);
        let hearing = Arc::new(Overheard { parent, number, agent: None });
        let workshop = workshop.within(hearing, Arc::clone(&self.tally));
        share.elsewhere = Some(workshop.meter());
        workshop.save_for_program(&self.tools, arguments, &self.behalf).await
    }

    /// Other sessions have what is saved, and nobody follows single values: what rules keep from some
    /// places does not get there as a skill.
    async fn may_save(&self) -> Result<(), CallError> {
        let read = self.tools.judge().carried(&self.behalf.session).await?;
        let Some(first) = read.first() else { return Ok(()) };
        let from = if first == policy::ANYWHERE { "from elsewhere" } else { first };
        let message = format!(
            "save_skill(): this session has read {from}, and rules say where that may not go ([[policy.flow]]), which a skill would; \
             save it in a session that has read nothing of the kind, with examples that call no such tools"
        );
        Err(fault(DENIED, message))
    }

    async fn run_within(
        &self,
        (program, (engine, agent)): (Program, (Arc<dyn Engine>, Option<String>)),
        share: &mut Share<'_>,
        (first, awake): (Option<Arc<First>>, (Awake<'_>, Option<OwnedSemaphorePermit>)),
    ) -> Result<Box<RawValue>, CallError> {
        let offer = self.examined(&program, &share.limits).await?;
        let start = Start { limits: share.limits.clone(), ..Start::default() };
        let session = Session::new(engine, start);
        let session = share.session.insert(session);
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        let behalf = self.behalf.of_child(number, agent.clone());
        let parent = Arc::clone(&self.hearing);
        let named = agent.clone();
        let hearing = Arc::new(Overheard { parent, number, agent });
        let ran = match &self.nursery.rests {
            Some(rests) => {
                let servers = offer.folder_in(session);
                let skills = offer.skills(&behalf, session.engine().language());
                let most = session.start().limits.call_result_bytes;
                let mut desk = Desk::new(Arc::clone(&offer), Arc::new(behalf), most, hearing);
                if let Some(first) = first {
                    let (offer, kept) = (Arc::clone(&offer), self.kept.clone());
                    let books = ChildBooks { offer, first, kept, number, agent: named };
                    desk = desk.with_books(Arc::new(books));
                }
                let desk = Arc::new(desk);
                let host = Arc::clone(&desk) as _;
                session.configure(Start { host, servers, skills, ..session.start().clone() });
                let child = Resting::new(session, desk, rests, awake);
                let ran = child.kept_by(self.kept.clone()).run(program).await;
                offer.after_run();
                ran
            }
            None => run_with(session, program, offer, behalf, hearing, None).await,
        };
        let outcome = ran.map_err(|error| fault(BROKEN, format!("spawn(): {error}")))?;
        match outcome.error {
            None => Ok(outcome.return_value),
            Some(error) => Err(failed(&error)),
        }
    }

    /// Looks at a child's program as at any other; what it can call, if it may run.
    async fn examined(&self, program: &Program, limits: &Limits) -> Result<Arc<Offer>, CallError> {
        let (tools, level) = (&self.tools, self.behalf.level);
        let examined = self.nursery.examined(tools, program, limits, level).await;
        let (_, offer) = examined.map_err(|error| failed(&error))?;
        let skills = self.nursery.refused_skill(tools, &program.source, limits, &self.behalf).await;
        if let Some(error) = skills {
            return Err(failed(&error));
        }
        Ok(offer.counted_by(&self.tally))
    }

    /// What the next child may use, which nobody else may meanwhile.
    fn share(&self) -> Result<Share<'_>, CallError> {
        let all = &self.limits;
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = Left {
            cpu_time: (all.cpu_time / AT_ONCE).min(left.cpu_time),
            calls: all.calls.div_ceil(u64::from(AT_ONCE)).min(left.calls),
        };
        if taken.cpu_time.is_zero() {
            let message = format!(
                "spawn(): all children of a run together may use {} seconds of CPU time (limit `cpu-time`), and did; \
                 give them less to do, or start them in several runs",
                all.cpu_time.as_secs_f64()
            );
            return Err(fault("LimitExceeded", message));
        }
        left.cpu_time -= taken.cpu_time;
        left.calls -= taken.calls;
        drop(left);
        // One that has less than a core shares it among its children.
        let cpu_share =
            if all.cpu_share < 1.0 { all.cpu_share / f64::from(AT_ONCE) } else { all.cpu_share };
        let limits = Limits {
            cpu_time: taken.cpu_time,
            cpu_share,
            memory_bytes: all.memory_bytes / u64::from(AT_ONCE),
            value_bytes: all.value_bytes.min(all.call_result_bytes),
            calls: taken.calls,
            ..all.clone()
        };
        Ok(Share { of: self, limits, taken, session: None, elsewhere: None })
    }
}

/// What one child may use; what it did not is there for the next.
struct Share<'a> {
    of: &'a Children,
    limits: Limits,
    taken: Left,
    /// Where it runs, once it does.
    session: Option<Session>,
    /// What is used elsewhere.
    elsewhere: Option<Arc<Mutex<Usage>>>,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        // Also of one that was ended half-way.
        let elsewhere =
            |meter: &Arc<Mutex<Usage>>| *meter.lock().unwrap_or_else(PoisonError::into_inner);
        let used = match &self.session {
            Some(session) => session.used(),
            None => self.elsewhere.as_ref().map(elsewhere).unwrap_or_default(),
        };
        let mut left = self.of.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.cpu_time += self.taken.cpu_time.saturating_sub(used.cpu);
        left.calls += self.taken.calls.saturating_sub(used.calls);
    }
}

/// The number of a child's call within the run.
fn numbered(child: u64, call: u64) -> u64 {
    (child << 32) | call
}

/// Hears the calls of a child as those of its run; what it prints is its own.
struct Overheard {
    parent: Arc<dyn Hearing>,
    number: u64,
    /// What the child is called, where it has a name of its own.
    agent: Option<String>,
}

impl Overheard {
    /// The number of a child's call within the run.
    fn numbered(&self, call: u64) -> u64 {
        numbered(self.number, call)
    }

    fn noted(&self, note: &CallNote) -> CallNote {
        CallNote { id: self.numbered(note.id), agent: self.agent.clone(), ..note.clone() }
    }
}

impl Hearing for Overheard {
    fn calls(&self, note: &CallNote) {
        self.parent.calls(&self.noted(note));
    }

    fn called(&self, note: &CallNote) {
        self.parent.called(&self.noted(note));
    }

    fn withdrawn(&self, call: u64) {
        self.parent.withdrawn(self.numbered(call));
    }

    fn span(&self, call: u64) -> Option<TraceParent> {
        self.parent.span(self.numbered(call))
    }

    fn notes_calls(&self) -> bool {
        self.parent.notes_calls()
    }
}

/// Why a child failed, for the program that started it.
fn failed(error: &ProgramError) -> CallError {
    let place = match (error.line, &error.source_line) {
        (Some(line), Some(source)) => format!(" (its line {line}: {})", source.trim()),
        _ => String::new(),
    };
    let hint = error.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
    let ProgramError { kind, message, .. } = error;
    fault(FAILED, format!("the child program failed with {kind}: {message}{place}{hint}"))
}

fn fault(kind: &str, message: impl Into<String>) -> CallError {
    CallError { kind: kind.to_owned(), message: message.into() }
}
