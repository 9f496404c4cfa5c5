//! Watching a run: its clocks, its throttle, and whether anybody still wants it.
//!
//! The watch is consulted whenever a guest looks up (every [`TICK`](crate::threads::TICK)),
//! sleeps or waits at the door. Saying no means returning a [`Stop`], which unwinds
//! the guest and ends the run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{LimitKind, Limits, StepError};
use rustix::time::{ClockId, clock_gettime};

use crate::threads::lock;

/// CPU a throttled guest may use at once before it has to pause.
const BURST: Duration = Duration::from_millis(10);

/// Why a guest was stopped from outside.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Stop {
    #[error("nobody waits for the result any more")]
    Cancelled,
    #[error("exceeded its {kind} limit of {allowed}")]
    Limit { kind: LimitKind, allowed: String },
    #[error("the guest sent something that is not part of the protocol: {0}")]
    Protocol(&'static str),
}

impl Stop {
    #[expect(clippy::needless_pass_by_value, reason = "callers make it for this")]
    pub(crate) fn limit(kind: LimitKind, allowed: impl ToString) -> Self {
        Self::Limit { kind, allowed: allowed.to_string() }
    }
}

impl From<Stop> for StepError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Cancelled => Self::Crashed { reason: "it was cancelled".into() },
            Stop::Limit { kind, allowed } => Self::LimitExceeded { kind, allowed },
            Stop::Protocol(what) => Self::Crashed { reason: format!("it sent {what}") },
        }
    }
}

/// Tells a guest, wherever it runs, that it is no longer wanted.
#[derive(Debug, Default)]
pub(crate) struct Cancel {
    flag: AtomicBool,
    lock: Mutex<()>,
    bell: Condvar,
}

impl Cancel {
    pub(crate) fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
        drop(lock(&self.lock));
        self.bell.notify_all();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// Sleeps until `end`, or until cancelled.
    fn sleep_until(&self, end: Instant) {
        let mut held = lock(&self.lock);
        while !self.is_cancelled() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            held = self.bell.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The clocks of one run.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) cancel: Arc<Cancel>,
    wall_limit: Duration,
    cpu_limit: Duration,
    share: f64,
    /// Used by the steps of this run that are over.
    wall_before: Duration,
    cpu_before: Duration,
    /// The step that runs now.
    started: Instant,
    cpu_started: Duration,
    /// Time in this step spent waiting for the host, which earns no CPU share.
    waited: Duration,
}

impl Watch {
    pub(crate) fn new(cancel: Arc<Cancel>) -> Self {
        Self {
            cancel,
            wall_limit: Duration::MAX,
            cpu_limit: Duration::MAX,
            share: 1.0,
            wall_before: Duration::ZERO,
            cpu_before: Duration::ZERO,
            started: Instant::now(),
            cpu_started: Duration::ZERO,
            waited: Duration::ZERO,
        }
    }

    /// A new run begins.
    pub(crate) fn reset(&mut self, wall: Duration, cpu: Duration) {
        self.wall_before = wall;
        self.cpu_before = cpu;
    }

    /// A step begins on this thread.
    pub(crate) fn begin(&mut self, limits: &Limits) {
        self.wall_limit = limits.wall;
        self.cpu_limit = limits.cpu_time;
        self.share = limits.cpu_share;
        self.started = Instant::now();
        self.cpu_started = thread_cpu();
        self.waited = Duration::ZERO;
    }

    /// The step ended; what it used is added up.
    pub(crate) fn end(&mut self) {
        self.wall_before += self.started.elapsed();
        self.cpu_before += thread_cpu().saturating_sub(self.cpu_started);
    }

    /// Wall-clock and CPU time of the run so far, between steps.
    pub(crate) fn used(&self) -> (Duration, Duration) {
        (self.wall_before, self.cpu_before)
    }

    /// Wall-clock and CPU time of the run so far, in the middle of a step on this thread.
    pub(crate) fn so_far(&self) -> (Duration, Duration) {
        let cpu = thread_cpu().saturating_sub(self.cpu_started);
        (self.wall_before + self.started.elapsed(), self.cpu_before + cpu)
    }

    /// Refuses to go on when a limit is met; pauses when the CPU share is used up.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        self.check_wall()?;
        let cpu = thread_cpu().saturating_sub(self.cpu_started);
        if self.cpu_before + cpu > self.cpu_limit {
            return Err(Stop::limit(LimitKind::Cpu, seconds(self.cpu_limit)));
        }
        if self.share < 1.0 && self.share > 0.0 && cpu > BURST {
            let earned_at = cpu.saturating_sub(BURST).div_f64(self.share) + self.waited;
            let end = self.started + earned_at;
            self.cancel.sleep_until(end.min(self.deadline()));
            self.check_wall()?;
        }
        Ok(())
    }

    fn check_wall(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if self.wall_before + self.started.elapsed() > self.wall_limit {
            return Err(Stop::limit(LimitKind::Wall, seconds(self.wall_limit)));
        }
        Ok(())
    }

    /// When this step will have used up the run's wall time.
    pub(crate) fn deadline(&self) -> Instant {
        let left = self.wall_limit.saturating_sub(self.wall_before);
        self.started
            .checked_add(left)
            .unwrap_or_else(|| self.started + Duration::from_secs(86_400 * 365))
    }

    /// Sleeps for the program, as long as its wall time lasts.
    pub(crate) fn sleep(&mut self, how_long: Duration) -> Result<(), Stop> {
        let begun = Instant::now();
        let end =
            begun.checked_add(how_long).map_or(self.deadline(), |end| end.min(self.deadline()));
        self.cancel.sleep_until(end);
        self.waited += begun.elapsed();
        self.check_wall()
    }

    /// Records time spent waiting for the host.
    pub(crate) fn add_wait(&mut self, how_long: Duration) {
        self.waited += how_long;
    }
}

fn thread_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_sleep_ends_at_once() {
        let cancel = Arc::new(Cancel::default());
        let mut watch = Watch::new(Arc::clone(&cancel));
        watch.begin(&Limits::default());
        cancel.cancel();
        assert!(matches!(watch.sleep(Duration::from_secs(3600)), Err(Stop::Cancelled)));
    }

    #[test]
    fn a_used_up_limit_is_named_with_its_value() {
        let mut watch = Watch::new(Arc::default());
        watch.begin(&Limits { wall: Duration::ZERO, ..Limits::default() });
        let error = StepError::from(watch.check().unwrap_err());
        insta::assert_snapshot!(
            error,
            @"the program exceeded its wall time limit of 0 s (setting `wall`)"
        );
    }
}
