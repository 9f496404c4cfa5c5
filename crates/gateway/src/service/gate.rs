//! Who may run now: so many at a time, the others in a queue that is fair to owners.
//!
//! ```text
//! Ticket (admitted) ──enter──► Pass (running) ──dropped──► the next owner's first
//! ```
//!
//! An owner with a hundred waiting requests and one with a single request take turns. A queue
//! that is full refuses at once: waiting longer than a client does helps nobody. Some wait for
//! their session and not for a place, so that no owner fills the queue alone: as long as places are free,
//! whoever has nothing waiting is let in.
//!
//! A run that only waits lets others have its place. Its guest stays in memory meanwhile, so that only so
//! many do: those that run and those aside are together no more than guests may be in memory.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// How many may run and wait.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Runs at the same time.
    pub running: usize,
    /// Requests that wait for their turn, of all owners together.
    pub waiting: usize,
    /// The same, of one owner.
    pub waiting_per_owner: usize,
    /// Bytes of those that wait: their programs, variables and files, of all owners together, and no more
    /// than half of it of one owner. One that waits alone may have more.
    pub waiting_bytes: usize,
}

/// There is no place in the queue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{waiting}, and no more than {most} may (setting `{setting}`); try again in {} s",
    retry_after.as_secs()
)]
pub struct Full {
    /// What there is already, as the beginning of a sentence.
    waiting: String,
    most: usize,
    setting: &'static str,
    /// When another attempt makes sense.
    pub retry_after: Duration,
}

/// Lets runs in.
#[derive(Debug)]
pub(crate) struct Gate {
    room: Room,
    /// Runs that may rest beside those with a place.
    aside: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    waiting: usize,
    /// What those have together.
    bytes: usize,
    /// Admitted and not yet running, by owner.
    admitted: HashMap<String, Admitted>,
    queues: HashMap<String, VecDeque<oneshot::Sender<()>>>,
    /// Owners with a queue, in the order of their turns.
    turns: VecDeque<String>,
}

/// What one owner has waiting.
#[derive(Debug, Clone, Copy, Default)]
struct Admitted {
    requests: usize,
    bytes: usize,
}

impl Gate {
    /// Lets runs in, of which `guests` may be in memory.
    pub(crate) fn new(room: Room, guests: usize) -> Arc<Self> {
        let room = Room { running: room.running.min(guests).max(1), ..room };
        let aside = guests.saturating_sub(room.running).min(Semaphore::MAX_PERMITS);
        Arc::new(Self { room, aside: Arc::new(Semaphore::new(aside)), state: Mutex::default() })
    }

    /// How many run, and how many wait.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = self.lock();
        (state.running, state.waiting)
    }

    /// A place in the queue, if there is one.
    pub(crate) fn ticket(self: &Arc<Self>, owner: &str) -> Result<Ticket, Full> {
        self.ticket_for(owner, 0)
    }

    /// The same, for a request that holds so many bytes while it waits.
    pub(crate) fn ticket_for(self: &Arc<Self>, owner: &str, bytes: usize) -> Result<Ticket, Full> {
        let mut state = self.lock();
        let own = state.admitted.get(owner).copied().unwrap_or_default();
        let is_free = state.running < self.room.running;
        if is_free && own.requests == 0 {
            return Ok(self.ticket_in(&mut state, owner, bytes));
        }
        let limits = [
            (state.waiting, self.room.waiting, "max-queued"),
            (own.requests, self.room.waiting_per_owner, "max-queued-per-owner"),
        ];
        let retry_after = Duration::from_secs(1);
        for (waiting, most, setting) in limits {
            if waiting >= most {
                let waiting = format!("{waiting} requests are waiting already");
                return Err(Full { waiting, most, setting, retry_after });
            }
        }
        let all = self.room.waiting_bytes;
        let limits = [("requests", state.bytes, all), ("your requests", own.bytes, all / 2)];
        for (what, held, most) in limits {
            let with_it = held.saturating_add(bytes);
            // One that is larger than all may be would otherwise never be let in.
            if held > 0 && bytes > 0 && with_it > most {
                let waiting = format!("with this one, {what} of {with_it} bytes would wait");
                return Err(Full { waiting, most, setting: "max-queued-bytes", retry_after });
            }
        }
        Ok(self.ticket_in(&mut state, owner, bytes))
    }

    fn ticket_in(self: &Arc<Self>, state: &mut State, owner: &str, bytes: usize) -> Ticket {
        state.waiting += 1;
        state.bytes = state.bytes.saturating_add(bytes);
        let own = state.admitted.entry(owner.to_owned()).or_default();
        own.requests += 1;
        own.bytes = own.bytes.saturating_add(bytes);
        Ticket { gate: Arc::clone(self), owner: owner.to_owned(), bytes }
    }

    /// A place in the queue for a run that gave its place away while it rested: it was admitted before,
    /// so that it is not refused now.
    pub(crate) fn again(self: &Arc<Self>, owner: &str) -> Ticket {
        self.ticket_in(&mut self.lock(), owner, 0)
    }

    /// Gives a free place to whoever's turn it is.
    fn release(&self) {
        let mut state = self.lock();
        while let Some(owner) = state.turns.pop_front() {
            let Some(queue) = state.queues.get_mut(&owner) else { continue };
            let next = queue.pop_front();
            if queue.is_empty() {
                state.queues.remove(&owner);
            } else {
                state.turns.push_back(owner);
            }
            // One who has gone away does not take the place.
            if next.is_some_and(|next| next.send(()).is_ok()) {
                return;
            }
        }
        state.running -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue. Dropping it leaves the queue.
#[derive(Debug)]
pub(crate) struct Ticket {
    gate: Arc<Gate>,
    owner: String,
    bytes: usize,
}

impl Ticket {
    /// Waits for its turn.
    pub(crate) async fn enter(self) -> Pass {
        let turn = {
            let mut state = self.gate.lock();
            if state.running < self.gate.room.running {
                state.running += 1;
                None
            } else {
                let (send, receive) = oneshot::channel();
                let queue = state.queues.entry(self.owner.clone()).or_default();
                queue.push_back(send);
                if queue.len() == 1 {
                    state.turns.push_back(self.owner.clone());
                }
                Some(Called { gate: Arc::clone(&self.gate), receive, taken: false })
            }
        };
        if let Some(mut turn) = turn {
            // The sender is dropped only with the gate, which we hold.
            turn.taken = (&mut turn.receive).await.is_ok();
        }
        Pass { gate: Arc::clone(&self.gate) }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        state.waiting -= 1;
        state.bytes = state.bytes.saturating_sub(self.bytes);
        if let Some(own) = state.admitted.get_mut(&self.owner) {
            own.requests -= 1;
            own.bytes = own.bytes.saturating_sub(self.bytes);
            if own.requests == 0 {
                state.admitted.remove(&self.owner);
            }
        }
    }
}

/// Waiting to be called; a call that came too late is passed on.
struct Called {
    gate: Arc<Gate>,
    receive: oneshot::Receiver<()>,
    taken: bool,
}

impl Drop for Called {
    fn drop(&mut self) {
        self.receive.close();
        if !self.taken && self.receive.try_recv().is_ok() {
            self.gate.release();
        }
    }
}

/// May run. Dropping it lets the next one in.
#[derive(Debug)]
pub(crate) struct Pass {
    gate: Arc<Gate>,
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.gate.release();
    }
}

/// How often a run that rests looks whether others wait for its place.
const LOOK: Duration = Duration::from_millis(50);

/// The place of one run, which it lets others have while it rests.
pub(crate) struct Turn {
    gate: Arc<Gate>,
    owner: String,
    pass: Mutex<Option<Pass>>,
}

impl Turn {
    pub(crate) fn new(owner: &str, pass: Pass) -> Self {
        let gate = Arc::clone(&pass.gate);
        Self { gate, owner: owner.to_owned(), pass: Mutex::new(Some(pass)) }
    }

    /// Comes back when others wait for the place and this run may rest without one, as long as `may` says
    /// so too.
    pub(crate) async fn wanted(&self, may: impl Fn() -> bool) -> OwnedSemaphorePermit {
        loop {
            tokio::time::sleep(LOOK).await;
            if self.gate.counts().1 > 0
                && may()
                && let Ok(aside) = Arc::clone(&self.gate.aside).try_acquire_owned()
            {
                return aside;
            }
        }
    }

    /// Lets others have the place.
    pub(crate) fn give_away(&self) {
        drop(self.pass().take());
    }

    /// Has a place again, when there is one.
    pub(crate) async fn take_again(&self) {
        let pass = self.gate.again(&self.owner).enter().await;
        *self.pass() = Some(pass);
    }

    fn pass(&self) -> MutexGuard<'_, Option<Pass>> {
        self.pass.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const ROOM: Room = Room { running: 1, waiting: 4, waiting_per_owner: 3, waiting_bytes: 100 };

    #[tokio::test]
    async fn owners_take_turns_whoever_has_more_waiting() {
        let gate = Gate::new(ROOM, 1);
        let first = gate.ticket("a").unwrap().enter().await;
        let mut waiting: Vec<_> = ["a", "a", "b"]
            .map(|owner| Box::pin(gate.ticket(owner).unwrap().enter()))
            .into_iter()
            .collect();
        for one in &mut waiting {
            assert!(one.now_or_never().is_none());
        }
        drop(first);
        let [a2, a3, b1] = waiting.try_into().ok().unwrap();
        let pass = a2.await;
        drop(pass);
        let pass = b1.await;
        drop(pass);
        drop(a3.await);
        assert_eq!(gate.counts(), (0, 0));
    }

    #[tokio::test]
    async fn a_full_queue_refuses_and_says_which_setting() {
        let gate = Gate::new(ROOM, 1);
        let _running = gate.ticket("a").unwrap().enter().await;
        let held: Vec<_> = (0..3).map(|_| gate.ticket("a").unwrap()).collect();
        let full = gate.ticket("a").unwrap_err().to_string();
        assert!(full.contains("max-queued-per-owner"), "{full}");
        let _other = gate.ticket("b").unwrap();
        let full = gate.ticket("c").unwrap_err().to_string();
        assert!(full.contains("`max-queued`"), "{full}");
        drop(held);
        assert!(gate.ticket("a").is_ok());
    }

    #[tokio::test]
    async fn those_that_wait_hold_so_many_bytes_and_one_alone_may_hold_more() {
        let gate = Gate::new(ROOM, 1);
        let before = gate.ticket("a").unwrap().enter().await;
        let alone = gate.ticket_for("a", 1_000).unwrap();
        let full = gate.ticket_for("b", 1).unwrap_err().to_string();
        assert!(full.contains("1001 bytes") && full.contains("`max-queued-bytes`"), "{full}");
        assert!(full.contains("no more than 100 may") && full.contains("try again"), "{full}");
        // What holds nothing is let in as before.
        drop(gate.ticket("b").unwrap());
        // One that runs does not wait any more.
        drop(before);
        let running = alone.enter().await;
        let (first, second) =
            (gate.ticket_for("b", 60).unwrap(), gate.ticket_for("c", 40).unwrap());
        assert!(gate.ticket_for("d", 1).is_err());
        drop(first);
        let third = gate.ticket_for("d", 60).unwrap();
        drop((second, third, running));
        assert_eq!((gate.counts(), gate.lock().bytes), ((0, 0), 0));
    }

    #[tokio::test]
    async fn one_owner_alone_never_fills_the_queue() {
        let gate = Gate::new(Room { running: 2, ..ROOM }, 2);
        let running = gate.ticket("a").unwrap().enter().await;
        // They wait for their session, not for a place.
        let held = [gate.ticket_for("a", 30).unwrap(), gate.ticket_for("a", 20).unwrap()];
        let full = gate.ticket_for("a", 1).unwrap_err().to_string();
        assert!(full.contains("your requests of 51 bytes"), "{full}");
        assert!(
            full.contains("no more than 50 may") && full.contains("max-queued-bytes"),
            "{full}"
        );
        let others = [gate.ticket_for("b", 40).unwrap(), gate.ticket("c").unwrap()];
        // The queue is full, and there is a place all the same.
        let last = gate.ticket_for("d", 40).unwrap();
        assert!(gate.ticket("d").is_err());
        let second = last.enter().await;
        // Now there is none.
        assert!(gate.ticket("d").is_err());
        drop((running, held, others, second));
        assert_eq!((gate.counts(), gate.lock().bytes), ((0, 0), 0));
        assert!(gate.lock().admitted.is_empty());
    }

    #[tokio::test]
    async fn one_who_goes_away_gives_the_place_to_the_next() {
        let gate = Gate::new(ROOM, 1);
        let running = gate.ticket("a").unwrap().enter().await;
        let mut gone = Box::pin(gate.ticket("a").unwrap().enter());
        assert!((&mut gone).now_or_never().is_none());
        let mut stays = Box::pin(gate.ticket("a").unwrap().enter());
        assert!((&mut stays).now_or_never().is_none());
        // Its turn comes, and it is dropped before it hears of it.
        drop(running);
        drop(gone);
        drop(stays.await);
        assert_eq!(gate.counts(), (0, 0));
    }

    #[tokio::test]
    async fn one_that_rests_lets_others_in_as_long_as_guests_fit_into_memory() {
        let gate = Gate::new(ROOM, 2);
        let turn = async |owner: &str| Turn::new(owner, gate.ticket(owner).unwrap().enter().await);
        let first = turn("a").await;
        let mut second = Box::pin(turn("b"));
        assert!((&mut second).now_or_never().is_none());
        let aside = first.wanted(|| true).await;
        first.give_away();
        let second = second.await;
        let mut third = Box::pin(turn("c"));
        assert!((&mut third).now_or_never().is_none());
        // One more guest would not fit.
        assert_eq!(gate.aside.available_permits(), 0);
        // The first goes on when it is its turn, after the one that came before.
        let mut again = Box::pin(first.take_again());
        assert!((&mut again).now_or_never().is_none());
        drop(second);
        drop(third.await);
        again.await;
        drop(aside);
        assert_eq!(gate.counts(), (1, 0));
    }
}
