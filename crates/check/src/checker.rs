//! The checker: a few type checkers that stay warm, each on a thread of its own.
//!
//! A program is hostile input to a large piece of software, so a check has bounds: the size and
//! depth of the program, the stack it runs on, the time it may take. One that goes wrong in any way
//! gives no findings, and the next one starts afresh. There are several threads so that a program
//! that keeps one of them busy holds up nobody else; and they are counted, because one that was given
//! up goes on until it notices.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use catalog::Catalog;

use crate::earlier::Left;
use crate::finding::{Report, Unchecked};
use crate::review::{Review, Rules};
use crate::run;
use crate::script;
use crate::typed::TypeChecker;

/// How long a check may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Programs that are checked at the same time, on machines with few and with many cores.
const FEWEST_WORKERS: usize = 2;
const MOST_WORKERS: usize = 4;
/// Threads that were given up and have not ended yet. With so many, no more are begun.
const MOST_LOST: usize = 8;
/// The stack that a check runs on. Only what is touched is ever there.
const STACK_BYTES: usize = 256 << 20;
/// After how many bytes of programs the type checker starts afresh: it remembers something of each.
const MOST_TEXT: usize = 4 << 20;

/// A program to be checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Program<'a> {
    /// Its text, as it was sent.
    pub source: &'a str,
    /// The names it finds without defining them, besides those that every program has.
    pub names: Given<'a>,
    /// Python names of servers that are there but have not said what they offer.
    pub unlisted: &'a [String],
    /// There may be servers that nobody has mentioned.
    pub partial: bool,
    /// What a review holds against it.
    pub rules: Option<&'a Rules>,
    /// It is TypeScript, and Python otherwise.
    pub is_typescript: bool,
}

/// The names that a program finds.
#[derive(Debug, Clone, Copy)]
pub enum Given<'a> {
    /// These and no others.
    Names(&'a [String]),
    /// Nobody knows: earlier programs of its session may have defined any.
    Unknown,
    /// These, and what earlier programs left.
    After(&'a [String], &'a Left),
}

impl Default for Given<'_> {
    fn default() -> Self {
        Self::Names(&[])
    }
}

/// A program on its way to the thread.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) source: String,
    pub(crate) names: Known,
    pub(crate) unlisted: Vec<String>,
    pub(crate) partial: bool,
    pub(crate) rules: Rules,
    pub(crate) is_typescript: bool,
    /// Nobody wants to know of mistakes.
    pub(crate) only_reviewed: bool,
}

/// The same as [`Given`], kept.
#[derive(Debug)]
pub(crate) enum Known {
    These(Vec<String>),
    Any,
    After(Vec<String>, Left),
}

/// Checks programs against a catalog, a few at a time.
pub struct Checker {
    catalog: Mutex<Arc<Catalog>>,
    workers: Mutex<Workers>,
    /// Somebody gave a place back.
    freed: Condvar,
    /// Threads that were given up and still run.
    lost: Arc<AtomicUsize>,
    patience: Duration,
}

/// The workers that wait for something to do, and how many more there may be.
struct Workers {
    idle: Vec<Worker>,
    places: usize,
}

impl Checker {
    /// A checker of programs that can call what is in `catalog`. Nothing is read before the
    /// first check; [`Checker::warm`] does that ahead of time.
    #[must_use]
    pub fn new(catalog: Arc<Catalog>) -> Self {
        let cores = std::thread::available_parallelism().map_or(FEWEST_WORKERS, usize::from);
        let places = cores.clamp(FEWEST_WORKERS, MOST_WORKERS);
        Self {
            catalog: Mutex::new(catalog),
            workers: Mutex::new(Workers { idle: Vec::new(), places }),
            freed: Condvar::new(),
            lost: Arc::default(),
            patience: PATIENCE,
        }
    }

    /// The same with another limit on how long one check may take.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// From now on, programs can call what is in `catalog`.
    pub fn refresh(&self, catalog: Arc<Catalog>) {
        *self.catalog.lock().unwrap_or_else(PoisonError::into_inner) = catalog;
    }

    /// Reads what every check needs, so that the first one is as quick as the others.
    pub fn warm(&self) {
        let source = "import asyncio\nimport json\nfrom datetime import datetime\n\n\
            async def main():\n    rows = [{'a': 1}]\n    for row in rows:\n        print(f\"{row['a']:>3}\", len(rows))\n    \
            return json.dumps(sorted(rows, key=lambda row: row['a']))\n\nawait main()\n";
        self.check(&Program { source, ..Program::default() });
    }

    /// Checks one program, and reviews it. Never fails: what cannot be checked has no findings, and
    /// what cannot be reviewed has one that says so.
    pub fn check(&self, program: &Program<'_>) -> Report {
        self.work(self.catalog(), program, false)
    }

    /// The same for a program that can call what is in `catalog`, whatever others can: programs of
    /// several owners are checked at the same time.
    pub fn check_against(&self, catalog: Arc<Catalog>, program: &Program<'_>) -> Report {
        self.work(catalog, program, false)
    }

    /// Reviews one program that can call what is in `catalog`, and looks for no mistakes.
    pub fn review_against(&self, catalog: Arc<Catalog>, program: &Program<'_>) -> Review {
        self.work(catalog, program, true).review
    }

    /// Reviews one program, and looks for no mistakes.
    pub fn review(&self, program: &Program<'_>) -> Review {
        self.work(self.catalog(), program, true).review
    }

    fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn work(&self, catalog: Arc<Catalog>, program: &Program<'_>, only_reviewed: bool) -> Report {
        let job = Job {
            source: program.source.to_owned(),
            names: match program.names {
                Given::Names(names) => Known::These(names.to_vec()),
                Given::Unknown => Known::Any,
                Given::After(names, left) => Known::After(names.to_vec(), left.clone()),
            },
            unlisted: program.unlisted.to_vec(),
            partial: program.partial,
            rules: program.rules.cloned().unwrap_or_default(),
            is_typescript: program.is_typescript,
            only_reviewed,
        };
        let deadline = Instant::now() + self.patience;
        let worker = match self.worker(deadline) {
            Ok(worker) => worker,
            Err(why) => return unchecked(why),
        };
        let (report, worker) = worker.check(catalog, job, deadline);
        self.give_back(worker);
        report
    }

    /// How many threads were given up and have not ended yet.
    #[must_use]
    pub fn lost(&self) -> usize {
        self.lost.load(Ordering::Acquire)
    }

    /// A worker that has nothing to do, as soon as there is one.
    fn worker(&self, deadline: Instant) -> Result<Worker, Unchecked> {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        while workers.places == 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Unchecked::OutOfTime);
            }
            let waited = self.freed.wait_timeout(workers, left);
            workers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let worker = match workers.idle.pop() {
            Some(worker) => worker,
            None if self.lost() >= MOST_LOST => return Err(Unchecked::OutOfTime),
            None => Worker::start(Arc::clone(&self.lost)).ok_or(Unchecked::Failed)?,
        };
        workers.places -= 1;
        Ok(worker)
    }

    /// Gives a place back, with the worker that had it if that can go on.
    fn give_back(&self, worker: Option<Worker>) {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.places += 1;
        workers.idle.extend(worker);
        drop(workers);
        self.freed.notify_one();
    }
}

fn unchecked(why: Unchecked) -> Report {
    Report { unchecked: Some(why), review: Review::unreviewed(why), ..Report::default() }
}

/// The thread that has the type checker. It ends when it is asked nothing more.
struct Worker {
    jobs: Sender<(Arc<Catalog>, Job)>,
    answers: Receiver<Answer>,
    /// Bytes of the programs it has checked.
    text: usize,
    /// What it is, as far as those know who count the lost ones.
    state: Arc<AtomicUsize>,
    lost: Arc<AtomicUsize>,
}

/// A worker's thread goes on, was given up, or has ended.
const GOES_ON: usize = 0;
const GIVEN_UP: usize = 1;
const ENDED: usize = 2;

enum Answer {
    /// A check begins, and this stops it.
    Begun(salsa::CancellationToken),
    /// What a program could do is known, though not yet whether it has mistakes.
    Reviewed(Review),
    Done(Report),
}

impl Worker {
    fn start(lost: Arc<AtomicUsize>) -> Option<Self> {
        let (jobs, orders) = channel();
        let (tell, answers) = channel();
        let state = Arc::new(AtomicUsize::new(GOES_ON));
        let (its, count) = (Arc::clone(&state), Arc::clone(&lost));
        let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK_BYTES);
        let whole = move || {
            work(&orders, &tell);
            if its.swap(ENDED, Ordering::AcqRel) == GIVEN_UP {
                count.fetch_sub(1, Ordering::AcqRel);
            }
        };
        thread.spawn(whole).ok()?;
        Some(Self { jobs, answers, text: 0, state, lost })
    }

    /// Counts the thread among the lost ones until it ends.
    fn give_up(&self) {
        // Counted first: it may end, and be taken off again, right after it is marked.
        self.lost.fetch_add(1, Ordering::AcqRel);
        if self.state.swap(GIVEN_UP, Ordering::AcqRel) == ENDED {
            self.lost.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// The report, and the worker if it can go on.
    fn check(
        mut self,
        catalog: Arc<Catalog>,
        job: Job,
        deadline: Instant,
    ) -> (Report, Option<Self>) {
        self.text += job.source.len();
        if self.jobs.send((catalog, job)).is_err() {
            return (unchecked(Unchecked::Failed), None);
        }
        let (mut stop, mut reviewed) = (None, None);
        // What is known of a program does not depend on whether its check came to an end.
        let with = |report: Report, reviewed: Option<Review>| match reviewed {
            Some(review) => Report { review, ..report },
            None => report,
        };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left) {
                Ok(Answer::Begun(token)) => stop = Some(token),
                Ok(Answer::Reviewed(review)) => reviewed = Some(review),
                Ok(Answer::Done(report)) => {
                    let goes_on =
                        self.text < MOST_TEXT && report.unchecked != Some(Unchecked::Failed);
                    return (with(report, reviewed), goes_on.then_some(self));
                }
                Err(RecvTimeoutError::Timeout) => {
                    // It ends when it notices; nobody waits for it.
                    if let Some(stop) = stop {
                        stop.cancel();
                    }
                    self.give_up();
                    return (with(unchecked(Unchecked::OutOfTime), reviewed), None);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return (with(unchecked(Unchecked::Failed), reviewed), None);
                }
            }
        }
    }
}

/// Looks at a program in TypeScript.
fn script(catalog: &Catalog, job: &Job, told: &dyn Fn(Review)) -> Report {
    if !job.only_reviewed {
        return script::run(catalog, job, told);
    }
    told(script::review_only(catalog, job));
    Report::default()
}

fn work(orders: &Receiver<(Arc<Catalog>, Job)>, tell: &Sender<Answer>) {
    let mut checker: Option<TypeChecker> = None;
    while let Ok((catalog, job)) = orders.recv() {
        let told = |review| drop(tell.send(Answer::Reviewed(review)));
        if job.is_typescript {
            // Nothing of it stays warm, so nothing has to start afresh.
            let report = catch_unwind(AssertUnwindSafe(|| script(&catalog, &job, &told)));
            let report = report.unwrap_or_else(|_| unchecked(Unchecked::Failed));
            if tell.send(Answer::Done(report)).is_err() {
                return;
            }
            continue;
        }
        if job.only_reviewed {
            let review = catch_unwind(AssertUnwindSafe(|| run::review_only(&catalog, &job)));
            told(review.unwrap_or_else(|_| Review::unreviewed(Unchecked::Failed)));
            if tell.send(Answer::Done(Report::default())).is_err() {
                return;
            }
            continue;
        }
        let mut current = checker.take().unwrap_or_else(|| TypeChecker::new(Arc::clone(&catalog)));
        let report = catch_unwind(AssertUnwindSafe(|| {
            current.refresh(catalog);
            let _ = tell.send(Answer::Begun(current.stop()));
            run::run(&mut current, &job, &told)
        }));
        let report = if let Ok(report) = report {
            checker = Some(current);
            report
        } else {
            // Whatever state it is in, nobody uses it again.
            unchecked(Unchecked::Failed)
        };
        if tell.send(Answer::Done(report)).is_err() {
            return;
        }
    }
}
