//! The calls of one run: started at once, answered as they come.
//!
//! A call leaves the moment the guest makes it, so calls made together run together. Short
//! ones are answered while the guest waits at the door; for the others the guest rests and
//! gets its answer with the next step. Either way each call is carried out once.

mod messages;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use engine::{CallError, CallId, CallResult, Calls, Host, HostCall, Rest, Stream};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use upstream::Departure;

use self::messages::Messages;
use crate::behalf::Behalf;
use crate::brief;
use crate::children::{self, Children};
use crate::hearing::{CallNote, Hearing, TOO_LARGE, UNANSWERED, reached_nobody};
use crate::mailboxes::{self, Taken};
use crate::skillset;
use crate::tools::Offer;

/// Who writes down what a desk does, so that nothing is done twice.
#[async_trait]
pub(crate) trait Books: Send + Sync {
    /// A call in the names that are written down.
    fn named<'call>(&self, call: &'call HostCall) -> Cow<'call, HostCall>;

    /// What a call was answered with before, if it was made before.
    fn known(&self, call: &HostCall) -> Option<(CallResult, CallNote)>;

    /// Whether a call has to wait until the run could go on after a crash.
    fn holds(&self, call: &HostCall) -> bool;

    /// A call is about to leave; refused if that cannot be written down.
    fn leaves(&self, call: &HostCall) -> Result<(), CallError>;

    /// Who hears when a call that was to leave has to wait, and when it really leaves.
    fn departure(&self, call: &HostCall) -> Option<Arc<dyn Departure>>;

    /// A call was answered; comes back when that is written down.
    async fn answered(&self, result: &CallResult, took: Duration);

    /// Nobody waits for a call any more.
    fn withdrawn(&self, id: CallId);

    /// The message that answers a call goes back to its box, as if the call had not left; comes back when that is
    /// written down.
    async fn goes_back(&self, id: CallId);
}

/// Carries out the calls of one run. Dropping it aborts those under way.
pub struct Desk {
    offer: Arc<Offer>,
    behalf: Arc<Behalf>,
    /// Nobody writes down what a run does that is not kept.
    books: Option<Arc<dyn Books>>,
    /// Runs the programs that the program starts, where it may start any.
    children: Option<Arc<Children>>,
    runtime: Handle,
    /// Bytes one answer may have on its way into a guest.
    answer_bytes: u64,
    hearing: Arc<dyn Hearing>,
    board: Arc<Board>,
    /// The last call that was waited for here was a short one.
    quick: AtomicBool,
    /// Calls that the program rests for.
    waited_for: AtomicUsize,
}

/// Where finished calls wait to be fetched.
#[derive(Default)]
struct Board {
    calls: Mutex<Under>,
    /// Wakes the guest's thread.
    came: Condvar,
    /// Wakes whoever waits for one call while the guest rests.
    told: Notify,
}

/// How long a call is carried out on the guest's own thread before it is left to itself.
const MOMENT: Duration = Duration::from_millis(10);

/// A call that took no longer than this lets the guest's thread look for the next answer
/// without sleeping.
const LOOK: Duration = Duration::from_micros(800);

#[derive(Default)]
struct Under {
    way: HashMap<CallId, AbortHandle>,
    done: HashMap<CallId, CallResult>,
    /// Calls that wait until the run could go on after a crash.
    held: Vec<HostCall>,
    /// The run is over: nothing leaves, and what is under way ends.
    closed: bool,
    /// Every call that has left, also those whose answer was fetched: none leaves twice.
    begun: HashSet<CallId>,
    /// Messages that the program has not got yet.
    messages: Messages,
}

/// The message that a call has taken, as long as the call is carried out.
type Slot = Arc<Mutex<Option<Taken>>>;

impl Under {
    /// Answers that go to the guest.
    fn fetched(&mut self) -> Vec<CallResult> {
        let done: Vec<CallResult> = self.done.drain().map(|(_, result)| result).collect();
        self.messages.go(&done);
        done
    }
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Under> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, result: CallResult) {
        let mut calls = self.lock();
        // A call that was withdrawn meanwhile has nobody to hear its answer.
        if calls.way.remove(&result.id).is_some() {
            calls.done.insert(result.id, result);
            drop(calls);
            self.came.notify_all();
            self.told.notify_waiters();
        } else {
            drop(calls.messages.take(result.id));
        }
    }

    /// Keeps the message that a call has taken until the program has it.
    fn keep(&self, call: CallId, slot: &Slot) {
        let Some(message) = slot.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        let mut calls = self.lock();
        if !calls.closed {
            calls.messages.keep(call, message);
        }
    }
}

impl Desk {
    /// A desk for one run. Must be made within a tokio runtime.
    #[must_use]
    pub fn new(
        offer: Arc<Offer>,
        behalf: Arc<Behalf>,
        answer_bytes: u64,
        hearing: Arc<dyn Hearing>,
    ) -> Self {
        let runtime = Handle::current();
        Self {
            offer,
            behalf,
            books: None,
            children: None,
            runtime,
            answer_bytes,
            hearing,
            board: Arc::default(),
            quick: AtomicBool::new(false),
            waited_for: AtomicUsize::new(0),
        }
    }

    /// The same, with somebody who writes down what it does.
    pub(crate) fn with_books(mut self, books: Arc<dyn Books>) -> Self {
        self.books = Some(books);
        self
    }

    /// The same, for a program that may start others.
    pub(crate) fn with_children(mut self, children: Children) -> Self {
        self.children = Some(Arc::new(children));
        self
    }

    /// Calls that wait until the run could go on after a crash.
    pub(crate) fn held(&self) -> Vec<HostCall> {
        std::mem::take(&mut self.board.lock().held)
    }

    /// Writes down that a held call is about to leave.
    pub(crate) fn note(&self, call: &HostCall) -> Result<(), CallError> {
        self.books.as_ref().map_or(Ok(()), |books| books.leaves(call))
    }

    /// Answers a call without making it.
    pub(crate) fn refuse(&self, result: CallResult) {
        self.deliver(result);
        self.board.told.notify_waiters();
    }

    /// Hands in an answer that came earlier.
    pub(crate) fn deliver(&self, result: CallResult) {
        let mut calls = self.board.lock();
        calls.begun.insert(result.id);
        calls.done.insert(result.id, result);
    }

    /// Ends a call that nobody waits for any more.
    pub(crate) fn withdraw(&self, id: CallId) {
        let mut calls = self.board.lock();
        calls.held.retain(|call| call.id != id);
        drop(calls);
        self.end(id);
        self.hearing.withdrawn(id.0);
        if let Some(books) = &self.books {
            books.withdrawn(id);
        }
    }

    /// Ends a call, and lets go of what came of it.
    fn end(&self, id: CallId) {
        let mut calls = self.board.lock();
        calls.done.remove(&id);
        let (call, message) = (calls.way.remove(&id), calls.messages.take(id));
        drop(calls);
        if let Some(call) = call {
            call.abort();
        }
        drop(message);
    }

    /// The program has every message that has gone to it.
    pub(crate) fn messages_are_had(&self) {
        self.board.lock().messages.are_had();
    }

    /// These answers go to the guest.
    pub(crate) fn messages_go(&self, results: &[CallResult]) {
        self.board.lock().messages.go(results);
    }

    /// A message that went to the guest has not reached the program.
    fn give_back(&self, call: &HostCall) -> CallResult {
        #[derive(Deserialize)]
        struct Given {
            call: u64,
        }
        if let Ok(Given { call }) = serde_json::from_str(call.arguments.get()) {
            let message = self.board.lock().messages.take(CallId(call));
            drop(message);
        }
        CallResult::ok(call.id, RawValue::NULL.to_owned())
    }

    /// Whether programs run that the program has started.
    pub(crate) fn has_children(&self) -> bool {
        self.children.as_ref().is_some_and(|children| children.are_running())
    }

    /// Whether any of them has a guest, and does not rest without one.
    pub(crate) fn has_children_awake(&self) -> bool {
        self.children.as_ref().is_some_and(|children| children.are_awake())
    }

    /// Says whether the program has a place: programs that it has started may begin in that one.
    pub(crate) fn has_place(&self, has: bool) {
        if let Some(children) = &self.children {
            children.are_in_a_place(has);
        }
    }

    /// Says that the program rests, as long as what this gives is there.
    pub(crate) fn resting(&self) -> Resting<'_> {
        Resting::new(self)
    }

    /// Waits for answers, while the program rests.
    pub(crate) async fn answers(&self) -> Vec<CallResult> {
        let _resting = Resting::new(self);
        loop {
            // Registered before looking, so that an answer between the two is not missed.
            let told = self.board.told.notified();
            tokio::pin!(told);
            told.as_mut().enable();
            let done = self.board.lock().fetched();
            if !done.is_empty() {
                return done;
            }
            told.await;
        }
    }

    /// What needs no waiting: what is known, and what has to be held.
    fn before(&self, call: &HostCall) -> Before {
        if call.name == mailboxes::GIVE_BACK {
            return Before::Answered(self.give_back(call));
        }
        // Asked for in the middle of anything.
        if let Some(result) = self.offer.at_once(call, &self.behalf) {
            return Before::Answered(result);
        }
        self.messages_are_had();
        let Some(books) = &self.books else { return Before::Free };
        if let Some((result, note)) = books.known(call) {
            self.hearing.calls(&note);
            self.hearing.called(&note);
            if !note.reused {
                // This run made it in an earlier process, which counted it and is gone.
                self.offer.count_before(std::iter::once((call, &result)), &self.behalf);
            }
            if !self.offer.is_watched() {
                return Before::Answered(result);
            }
            self.leave(&mut self.board.lock(), call.id, self.again(call, result));
            return Before::Held;
        }
        if books.holds(call) {
            self.board.lock().held.push(call.clone());
            return Before::Held;
        }
        Before::Free
    }

    /// Ends every call that is under way.
    pub fn close(&self) {
        let mut calls = self.board.lock();
        calls.closed = true;
        let under_way: Vec<AbortHandle> = calls.way.drain().map(|(_, call)| call).collect();
        let messages = std::mem::take(&mut calls.messages);
        drop(calls);
        under_way.iter().for_each(AbortHandle::abort);
        // Its program never got them.
        drop(messages);
    }

    fn named<'call>(&self, call: &'call HostCall) -> Cow<'call, HostCall> {
        self.books.as_ref().map_or(Cow::Borrowed(call), |books| books.named(call))
    }

    /// Sets a call going, once.
    pub(crate) fn begin(&self, call: &HostCall) {
        self.begin_named(&self.named(call));
    }

    fn begin_named(&self, call: &HostCall) {
        let mut calls = self.board.lock();
        if calls.begun.contains(&call.id) {
            return;
        }
        let work = self.work(call, false);
        self.leave(&mut calls, call.id, work);
    }

    /// Makes a call again that left in an earlier process and was not answered.
    pub(crate) fn begin_again(&self, call: &HostCall) {
        let call = &*self.named(call);
        let work = self.work(call, true);
        self.leave(&mut self.board.lock(), call.id, work);
    }

    fn work(
        &self,
        call: &HostCall,
        left_before: bool,
    ) -> impl Future<Output = CallResult> + Send + 'static {
        let (offer, hearing) = (Arc::clone(&self.offer), Arc::clone(&self.hearing));
        let (books, call, most) = (self.books.clone(), call.clone(), self.answer_bytes);
        let (behalf, children) = (Arc::clone(&self.behalf), self.children.clone());
        let (board, slot) = (Arc::clone(&self.board), Slot::default());
        let (id, taken, told) = (call.id, Arc::clone(&slot), books.clone());
        let errand = Errand { offer, behalf, children, call, most, left_before, taken, told };
        let carried_out = async move {
            let Some(books) = books else { return noted(errand, hearing).await };
            if let Err(error) = books.leaves(&errand.call) {
                return CallResult { id: errand.call.id, result: Err(error) };
            }
            let begun = Instant::now();
            // That it waits now does not mean that nobody has seen it.
            let departure = books.departure(&errand.call).filter(|_| !errand.left_before);
            let result = match departure {
                Some(departure) => upstream::departing(departure, noted(errand, hearing)).await,
                None => noted(errand, hearing).await,
            };
            books.answered(&result, begun.elapsed()).await;
            result
        };
        async move {
            let result = carried_out.await;
            board.keep(id, &slot);
            result
        }
    }

    /// An answer that came earlier, once it cannot be forgotten where it came from.
    fn again(
        &self,
        call: &HostCall,
        result: CallResult,
    ) -> impl Future<Output = CallResult> + Send + 'static {
        let (offer, behalf) = (Arc::clone(&self.offer), Arc::clone(&self.behalf));
        let call = call.clone();
        async move {
            match offer.has_read_again(&call, &result, &behalf).await {
                Ok(()) => result,
                Err(error) => CallResult { id: call.id, result: Err(error) },
            }
        }
    }

    /// Lets a call go on by itself.
    fn leave(
        &self,
        calls: &mut Under,
        id: CallId,
        work: impl Future<Output = CallResult> + Send + 'static,
    ) {
        if calls.closed {
            // Whoever drops it tells its server.
            let _inside = self.runtime.enter();
            drop(work);
            return;
        }
        let board = Arc::clone(&self.board);
        let task = self.runtime.spawn(async move { board.finish(work.await) });
        calls.begun.insert(id);
        calls.way.insert(id, task.abort_handle());
    }
}

/// One call, and all it takes to make it.
struct Errand {
    offer: Arc<Offer>,
    behalf: Arc<Behalf>,
    children: Option<Arc<Children>>,
    call: HostCall,
    /// Bytes its answer may have.
    most: u64,
    /// It left in an earlier process, and nobody knows whether it was carried out.
    left_before: bool,
    /// The message that it takes.
    taken: Slot,
    /// Who writes down that it goes back.
    told: Option<Arc<dyn Books>>,
}

impl Errand {
    /// Receives a message, which goes back unless somebody keeps it.
    async fn receive(&self) -> Result<Box<RawValue>, CallError> {
        let (value, message) = self.offer.receive(&self.call, &self.behalf).await?;
        let bytes = value.get().len() as u64;
        if bytes > self.most {
            let message = format!(
                "receive(): the message has {bytes} bytes, more than the {} a program may receive at once (limit `call-result-bytes`); it stays in its box, for a program that may, or for one in a session with a higher limit",
                self.most
            );
            return Err(CallError { kind: TOO_LARGE.to_owned(), message });
        }
        let message = match self.told.clone() {
            Some(books) => {
                let id = self.call.id;
                message.telling(async move { books.goes_back(id).await })
            }
            None => message,
        };
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
        Ok(value)
    }
}

/// What is to be done about a call before it is made.
enum Before {
    Answered(CallResult),
    /// Its answer comes by itself, or it waits.
    Held,
    Free,
}

/// The answer to a call that was made again: that it could not be says nothing of the first time.
fn still_unknown(CallResult { id, result }: CallResult) -> CallResult {
    let result = result.map_err(|error| {
        if !reached_nobody(&error.kind) {
            return error;
        }
        let message = format!(
            "this call had left when the gateway was ended, and nobody knows whether it was carried out; it could not be made again: {}",
            error.message
        );
        CallError { kind: UNANSWERED.to_owned(), message }
    });
    CallResult { id, result }
}

/// One call, from its name to the answer that a guest may have, told to who wants to know.
async fn noted(errand: Errand, hearing: Arc<dyn Hearing>) -> CallResult {
    if !hearing.notes_calls() {
        return work(errand).await;
    }
    let note = CallNote::leaving(&errand.call);
    hearing.calls(&note);
    let begun = Instant::now();
    let result = match hearing.span(note.id) {
        Some(span) => span.around(work(errand)).await,
        None => work(errand).await,
    };
    hearing.called(&note.with(&result, begun.elapsed()));
    result
}

async fn work(errand: Errand) -> CallResult {
    let received = if errand.call.name == mailboxes::RECEIVE {
        // Boxed, because what a desk holds for each call is moved about.
        Some(Box::pin(errand.receive()).await)
    } else {
        None
    };
    let Errand { offer, behalf, children, call, most, left_before, .. } = errand;
    let result = if let Some(result) = received {
        CallResult { id: call.id, result }
    } else if call.name == children::CALL {
        CallResult { id: call.id, result: children::carry_out(children, &call.arguments).await }
    } else if call.name == skillset::SAVE {
        CallResult { id: call.id, result: children::save_skill(children, &call.arguments).await }
    } else {
        offer.carry_out(&call, &behalf).await
    };
    let result = if left_before { still_unknown(result) } else { result };
    let bytes = result.result.as_ref().map_or(0, |value| value.get().len() as u64);
    if bytes <= most {
        return result;
    }
    let message = format!(
        "the answer has {bytes} bytes, more than the {most} a program may receive at once (limit `call-result-bytes`); ask for less: filter, page, or select fields"
    );
    CallResult { id: call.id, result: Err(CallError { kind: TOO_LARGE.to_owned(), message }) }
}

impl Host for Desk {
    fn answer(&self, call: &HostCall) -> Option<CallResult> {
        let call = &*self.named(call);
        match self.before(call) {
            Before::Answered(result) => return Some(result),
            Before::Held => {}
            Before::Free => self.begin_named(call),
        }
        None
    }

    /// Carries a call out on the guest's own thread for as long as that is quick: with nothing
    /// else to do, handing it to another and being woken again would double what it costs.
    fn answer_alone(&self, call: &HostCall) -> Option<CallResult> {
        let call = &*self.named(call);
        match self.before(call) {
            Before::Answered(result) => return Some(result),
            Before::Held => return None,
            Before::Free => {}
        }
        let mut work = Box::pin(self.work(call, false));
        let begun = Instant::now();
        let result = {
            let _inside = self.runtime.enter();
            let look = if self.quick.load(Ordering::Relaxed) { LOOK } else { Duration::ZERO };
            brief::within(work.as_mut(), MOMENT, look)
        };
        self.quick.store(begun.elapsed() < LOOK, Ordering::Relaxed);
        if result.is_none() {
            self.leave(&mut self.board.lock(), call.id, work);
        } else if call.name == mailboxes::RECEIVE {
            // The program goes on with it at once.
            let message = self.board.lock().messages.take(call.id);
            if let Some(message) = message {
                message.had();
            }
        }
        result
    }

    fn wait(&self, deadline: Instant) -> Vec<CallResult> {
        let mut calls = self.board.lock();
        calls.messages.are_had();
        loop {
            if !calls.done.is_empty() {
                return calls.fetched();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || calls.way.is_empty() {
                return Vec::new();
            }
            calls =
                self.board.came.wait_timeout(calls, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn wrote(&self, stream: Stream, bytes: &[u8]) {
        self.hearing.wrote(stream, bytes);
    }
}

#[async_trait]
impl Calls for Desk {
    fn withdrawn(&self, id: CallId) {
        self.end(id);
        self.hearing.withdrawn(id.0);
    }

    async fn rests(&self, rest: Rest<'_>) -> Vec<CallResult> {
        self.messages_are_had();
        let results = rest.await;
        self.messages_go(&results);
        results
    }

    fn sleeps(&self, asleep: bool) {
        self.hearing.rests(asleep);
    }

    async fn call(&self, call: HostCall) -> CallResult {
        self.begin(&call);
        let _resting = Resting::new(self);
        // Dropped when the program no longer wants the answer.
        let withdrawal = Withdrawal { board: &self.board, id: call.id };
        loop {
            // Registered before looking, so that an answer between the two is not missed.
            let told = self.board.told.notified();
            tokio::pin!(told);
            told.as_mut().enable();
            let result = self.board.lock().done.remove(&call.id);
            if let Some(result) = result {
                drop(withdrawal);
                return result;
            }
            told.await;
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.close();
    }
}

/// Says that the program rests as long as any of its calls is waited for.
pub(crate) struct Resting<'a>(&'a Desk);

impl<'a> Resting<'a> {
    fn new(desk: &'a Desk) -> Self {
        if desk.waited_for.fetch_add(1, Ordering::AcqRel) == 0 {
            desk.hearing.rests(true);
        }
        Self(desk)
    }
}

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        if self.0.waited_for.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.hearing.rests(false);
        }
    }
}

/// Ends a call whose answer nobody waits for any more.
struct Withdrawal<'a> {
    board: &'a Board,
    id: CallId,
}

impl Drop for Withdrawal<'_> {
    fn drop(&mut self) {
        let call = self.board.lock().way.remove(&self.id);
        if let Some(call) = call {
            call.abort();
        }
    }
}

#[cfg(test)]
mod tests;
