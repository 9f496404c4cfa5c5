//! Guest threads: where programs run, apart from everything that must stay prompt.
//!
//! A program may compute for seconds without giving way. On the threads of an async
//! runtime two such programs delayed a 1 ms timer by half a second, so steps run
//! here: on plain threads with a stack large enough for deep recursion and a lower
//! priority than the host's own. The operating system shares the cores among them.
//!
//! A ticker raises the flags of running guests, so that each looks up
//! every few milliseconds and notices that its time is over or nobody wants it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::TrySendError;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::code::WASM_STACK;
use crate::memory::Flags;

/// How often a running guest looks up.
pub(crate) const TICK: Duration = Duration::from_millis(5);

/// Ticks without a running step before the ticker goes to sleep. Waking it costs
/// more than a few idle ticks, and runs come in bursts.
const IDLE_TICKS: u32 = 100;

/// How long a thread that has just finished a step looks for the next before it sleeps.
const LOOK: Duration = Duration::from_micros(200);

/// How long a thread waits for work before it ends and gives its stack back.
const IDLE: Duration = Duration::from_secs(20);

/// Host frames need room on top of the guest's.
pub(crate) const STACK: usize = WASM_STACK + (2 << 20);

/// Chores that may wait. On a busy machine guests can be dropped faster than one thread clears away after
/// them, and each that waits still has its memory.
const MOST_CHORES: usize = 16;

/// How much nicer guests are than the host.
const NICENESS: i32 = 1;

type Job = Box<dyn FnOnce(&Shared) + Send>;

type Chore = Box<dyn FnOnce() + Send>;

/// A growing and shrinking set of guest threads.
pub(crate) struct Threads {
    shared: Arc<Shared>,
    chores: mpsc::SyncSender<Chore>,
}

struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
    most: usize,
    flags: Arc<Flags>,
    running: AtomicUsize,
    /// Jobs in the queue, and threads that look for one without sleeping.
    waiting: AtomicUsize,
    looking: AtomicUsize,
    ended: AtomicBool,
    ticker: Mutex<Option<thread::Thread>>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

impl Threads {
    /// At most `most` steps run at the same time; others wait their turn. Chores wait for
    /// `later`.
    pub(crate) fn new(flags: Arc<Flags>, most: usize, later: Duration) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            work: Condvar::new(),
            most: most.max(1),
            flags,
            running: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            looking: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            ticker: Mutex::new(None),
        });
        let ticking = Arc::clone(&shared);
        let ticker =
            thread::Builder::new().name("guest-ticker".into()).spawn(move || ticking.tick())?;
        *lock(&shared.ticker) = Some(ticker.thread().clone());
        let (chores, todo) = mpsc::sync_channel::<Chore>(MOST_CHORES);
        thread::Builder::new().name("guest-tidy".into()).spawn(move || tidy(&todo, later))?;
        Ok(Self { shared, chores })
    }

    /// Runs `job` on a guest thread as soon as one is free, and gives what comes of it to
    /// `deliver`.
    pub(crate) fn run<T>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
        deliver: impl FnOnce(T) + Send + 'static,
    ) {
        let job = move |shared: &Shared| {
            let done = shared.busy(job);
            // Whoever gets the answer may send the next job at once. Had this thread not begun to
            // look for it by then, another would be woken in vain.
            let looks = shared.begin_to_look();
            if let Some(done) = done {
                deliver(done);
            }
            if looks {
                shared.look();
            }
        };
        let mut queue = lock(&self.shared.queue);
        queue.jobs.push_back(Box::new(job));
        self.shared.waiting.store(queue.jobs.len(), Ordering::Release);
        if self.shared.looking.load(Ordering::Acquire) >= queue.jobs.len() {
            // A thread that stops looking takes the lock before it sleeps, and will see the job.
            return;
        }
        let awake = self.shared.looking.load(Ordering::Acquire);
        if queue.idle + awake >= queue.jobs.len() || queue.threads >= self.shared.most {
            drop(queue);
            self.shared.work.notify_one();
            return;
        }
        queue.threads += 1;
        drop(queue);
        let shared = Arc::clone(&self.shared);
        let started = thread::Builder::new()
            .name("guest".into())
            .stack_size(STACK)
            .spawn(move || shared.serve());
        if started.is_err() {
            // The job stays queued for the threads there are.
            lock(&self.shared.queue).threads -= 1;
            self.shared.work.notify_one();
        }
    }

    /// Runs `chore` soon, on a thread that does nothing else; at once, where too many wait for it already.
    pub(crate) fn tidy(&self, chore: impl FnOnce() + Send + 'static) {
        match self.chores.try_send(Box::new(chore)) {
            Ok(()) => {}
            Err(TrySendError::Full(chore) | TrySendError::Disconnected(chore)) => chore(),
        }
    }

    /// No step runs and none is waiting to.
    pub(crate) fn is_quiet(&self) -> bool {
        self.running() == 0 && self.shared.waiting.load(Ordering::Relaxed) == 0
    }

    /// Makes every running guest look up now.
    pub(crate) fn nudge(&self) {
        self.shared.flags.raise();
    }

    /// How many steps run at this moment.
    pub(crate) fn running(&self) -> usize {
        self.shared.running.load(Ordering::Relaxed)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        self.shared.work.notify_all();
        if let Some(ticker) = lock(&self.shared.ticker).take() {
            ticker.unpark();
        }
    }
}

impl Shared {
    fn serve(&self) {
        // Refused in some containers; guests are then merely as urgent as the host.
        let _ = rustix::process::setpriority_process(None, NICENESS);
        let mut queue = lock(&self.queue);
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                self.waiting.store(queue.jobs.len(), Ordering::Release);
                drop(queue);
                job(self);
                queue = lock(&self.queue);
                continue;
            }
            if self.ended.load(Ordering::Acquire) {
                break;
            }
            queue.idle += 1;
            let (again, waited) =
                self.work.wait_timeout(queue, IDLE).unwrap_or_else(PoisonError::into_inner);
            queue = again;
            queue.idle -= 1;
            if waited.timed_out() && queue.jobs.is_empty() {
                break;
            }
        }
        queue.threads -= 1;
    }

    /// Says that this thread looks for the next job, unless another does.
    fn begin_to_look(&self) -> bool {
        // One is enough: where more is going on, the cores are wanted elsewhere.
        self.looking.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Looks for the next job for a moment. Programs of one session come one after
    /// another, and waking a thread takes longer than a small one runs.
    fn look(&self) {
        let begun = Instant::now();
        while self.waiting.load(Ordering::Acquire) == 0 && begun.elapsed() < LOOK {
            // Whoever else wants this core has it.
            thread::yield_now();
        }
        self.looking.store(0, Ordering::Release);
    }

    /// What comes of a job; nothing if it panicked, which ends that run alone.
    fn busy<T>(&self, job: impl FnOnce() -> T) -> Option<T> {
        if self.running.fetch_add(1, Ordering::AcqRel) == 0
            && let Some(ticker) = lock(&self.ticker).as_ref()
        {
            ticker.unpark();
        }
        // Its `deliver` is dropped then, and with it what its caller waits for.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
        self.running.fetch_sub(1, Ordering::AcqRel);
        done.ok()
    }

    fn tick(&self) {
        let mut idle = 0;
        while !self.ended.load(Ordering::Acquire) {
            if self.running.load(Ordering::Acquire) > 0 {
                idle = 0;
            } else {
                idle += 1;
            }
            if idle > IDLE_TICKS {
                thread::park();
                idle = 0;
            } else {
                thread::sleep(TICK);
            }
            self.flags.raise();
        }
    }
}

/// Does chores as long as anybody may have some.
fn tidy(todo: &mpsc::Receiver<Chore>, later: Duration) {
    while let Ok(first) = todo.recv() {
        thread::sleep(later);
        for chore in std::iter::once(first).chain(todo.try_iter()) {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(chore));
        }
    }
}

/// Locks a mutex whose data stays consistent even if a holder panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
