//! Waiting for a future on the thread one has, for a moment, without the runtime's timer.
//!
//! A call of a local server takes a few hundred microseconds, and being woken takes fifty of
//! them. So a thread whose last calls were that quick looks for its answer without sleeping.
//! One thread at a time may do so: where more is going on, the cores are wanted elsewhere.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Somebody is looking already.
static LOOKING: AtomicBool = AtomicBool::new(false);

/// Wakes a thread that sleeps, and is seen by one that looks.
struct Bell {
    rung: AtomicBool,
    thread: Thread,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.rung.swap(true, Ordering::AcqRel) {
            self.thread.unpark();
        }
    }
}

/// Polls `future` on this thread for at most `moment`, the first `look` of it without sleeping.
pub(crate) fn within<F: Future>(
    mut future: Pin<&mut F>,
    moment: Duration,
    look: Duration,
) -> Option<F::Output> {
    let bell = Arc::new(Bell { rung: AtomicBool::new(false), thread: thread::current() });
    let waker = Waker::from(Arc::clone(&bell));
    let mut context = Context::from_waker(&waker);
    let begun = Instant::now();
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        look_for(&bell, begun, look);
        while !bell.rung.swap(false, Ordering::AcqRel) {
            let left = moment.checked_sub(begun.elapsed()).filter(|left| !left.is_zero())?;
            thread::park_timeout(left);
        }
    }
}

fn look_for(bell: &Bell, begun: Instant, look: Duration) {
    if look.is_zero() || LOOKING.swap(true, Ordering::AcqRel) {
        return;
    }
    while !bell.rung.load(Ordering::Acquire) && begun.elapsed() < look {
        // Whoever else wants this core has it.
        thread::yield_now();
    }
    LOOKING.store(false, Ordering::Release);
}
