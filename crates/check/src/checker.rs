//! The checker: one type checker that stays warm, on a thread of its own.
//!
//! A program is hostile input to a large piece of software, so a check has bounds: the size and
//! depth of the program, the stack it runs on, the time it may take. One that goes wrong in any way
//! gives no findings, and the next one starts afresh.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use catalog::Catalog;

use crate::finding::{Report, Unchecked};
use crate::review::{Review, Rules};
use crate::run;
use crate::typed::TypeChecker;

/// How long a check may take.
const PATIENCE: Duration = Duration::from_secs(5);
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
}

/// The names that a program finds.
#[derive(Debug, Clone, Copy)]
pub enum Given<'a> {
    /// These and no others.
    Names(&'a [String]),
    /// Nobody knows: earlier programs of its session may have defined any.
    Unknown,
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
    /// Nobody wants to know of mistakes.
    pub(crate) only_reviewed: bool,
}

/// The same as [`Given`], kept.
#[derive(Debug)]
pub(crate) enum Known {
    These(Vec<String>),
    Any,
}

/// Checks programs against a catalog, one at a time.
pub struct Checker {
    catalog: Mutex<Arc<Catalog>>,
    worker: Mutex<Option<Worker>>,
    patience: Duration,
}

impl Checker {
    /// A checker of programs that can call what is in `catalog`. Nothing is read before the
    /// first check; [`Checker::warm`] does that ahead of time.
    #[must_use]
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self { catalog: Mutex::new(catalog), worker: Mutex::new(None), patience: PATIENCE }
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
        self.work(program, false)
    }

    /// Reviews one program, and looks for no mistakes.
    pub fn review(&self, program: &Program<'_>) -> Review {
        self.work(program, true).review
    }

    fn work(&self, program: &Program<'_>, only_reviewed: bool) -> Report {
        let job = Job {
            source: program.source.to_owned(),
            names: match program.names {
                Given::Names(names) => Known::These(names.to_vec()),
                Given::Unknown => Known::Any,
            },
            unlisted: program.unlisted.to_vec(),
            partial: program.partial,
            rules: program.rules.cloned().unwrap_or_default(),
            only_reviewed,
        };
        let catalog = Arc::clone(&self.catalog.lock().unwrap_or_else(PoisonError::into_inner));
        let mut place = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = match place.take() {
            Some(worker) => worker,
            None => match Worker::start() {
                Some(worker) => worker,
                None => return unchecked(Unchecked::Failed),
            },
        };
        let (report, worker) = worker.check(catalog, job, self.patience);
        *place = worker;
        report
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
}

enum Answer {
    /// A check begins, and this stops it.
    Begun(salsa::CancellationToken),
    /// What a program could do is known, though not yet whether it has mistakes.
    Reviewed(Review),
    Done(Report),
}

impl Worker {
    fn start() -> Option<Self> {
        let (jobs, orders) = channel();
        let (tell, answers) = channel();
        let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK_BYTES);
        thread.spawn(move || work(&orders, &tell)).ok()?;
        Some(Self { jobs, answers, text: 0 })
    }

    /// The report, and the worker if it can go on.
    fn check(
        mut self,
        catalog: Arc<Catalog>,
        job: Job,
        patience: Duration,
    ) -> (Report, Option<Self>) {
        self.text += job.source.len();
        if self.jobs.send((catalog, job)).is_err() {
            return (unchecked(Unchecked::Failed), None);
        }
        let deadline = std::time::Instant::now() + patience;
        let (mut stop, mut reviewed) = (None, None);
        // What is known of a program does not depend on whether its check came to an end.
        let with = |report: Report, reviewed: Option<Review>| match reviewed {
            Some(review) => Report { review, ..report },
            None => report,
        };
        loop {
            let left = deadline.saturating_duration_since(std::time::Instant::now());
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
                    return (with(unchecked(Unchecked::OutOfTime), reviewed), None);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return (with(unchecked(Unchecked::Failed), reviewed), None);
                }
            }
        }
    }
}

fn work(orders: &Receiver<(Arc<Catalog>, Job)>, tell: &Sender<Answer>) {
    let mut checker: Option<TypeChecker> = None;
    while let Ok((catalog, job)) = orders.recv() {
        let told = |review| drop(tell.send(Answer::Reviewed(review)));
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
