//! Mailboxes: how programs of several agents tell each other something.
//!
//! ```text
//! post(box, message) ──rules──► the owner's box, first in first out ──► receive(box): one program, once
//!        │ labels of the sender's session                                    │
//!        └───────────────────────────────► travel along ────────────────────►┘ the receiver's session has them, too
//! ```
//!
//! A box belongs to an owner and has a name; nobody else's programs see it. It is there from its first message until
//! its last one is taken. Messages are kept where the service keeps everything ([`Boxes`]), else in memory. What a kept
//! run posted and took is noted with the message itself, so that it is done once however often its process dies.
//! Whoever waits may be gone when a message has been taken for it; then it goes back to where it stood ([`Taken`]).

mod memory;
mod taken;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use engine::{CallError, HostCall};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

pub(crate) use self::memory::InMemory;
pub(crate) use self::taken::Taken;
use crate::behalf::Behalf;
use crate::besides;
use crate::hearing::{UNANSWERED, UNSENT};
use crate::judge::{Judge, Wish};

/// The host calls.
pub(crate) const POST: &str = "$post";
pub(crate) const RECEIVE: &str = "$receive";
/// A guest says that the answer of a call of `$receive` has not reached its program.
pub(crate) const GIVE_BACK: &str = "$give_back";
/// What rules call them: `tidegate.post` and `tidegate.receive`.
pub(crate) const SERVER: &str = crate::minds::SERVER;
/// The same of sending and taking.
pub(crate) const SENDS: &str = "post";
pub(crate) const TAKES: &str = "receive";

/// Letters of a box's name.
const MOST_NAME: usize = 64;

/// What a message is refused with for which there is no room.
pub(crate) const FULL: &str = "MailboxFull";
/// What waiting for a message ends with that did not come in time.
const LATE: &str = "TimedOut";

/// What an owner's mailboxes may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailboxBounds {
    /// Boxes with messages.
    pub boxes: u64,
    /// Messages in one box.
    pub messages: u64,
    /// Bytes of all messages together.
    pub bytes: u64,
}

impl Default for MailboxBounds {
    fn default() -> Self {
        Self { boxes: 100, messages: 1_000, bytes: 16 << 20 }
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// What was posted, as JSON.
    pub(crate) value: String,
    /// Where what its sender had read came from, as far as rules care.
    pub(crate) labels: Vec<String>,
}

/// A message that was taken, and where it stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) message: Message,
    /// Nobody knows of one that an older version took; it goes to the front.
    pub(crate) stood: Option<Stood>,
}

/// Where a message stood among the others, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stood {
    pub(crate) place: i64,
    pub(crate) since: i64,
}

/// A call of a run that goes on after a crash: done once, however often it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) run: String,
    pub(crate) call: u64,
}

/// Why a message was not put into its box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PutError {
    /// There is as much as may be: of what, how much, and by which setting.
    Full { what: &'static str, most: u64, setting: &'static str },
    /// It could not be kept.
    Unkept(String),
}

/// Where messages are kept. Every implementation keeps four promises.
///
/// * **In order.** A box gives its messages in the order in which they were put into it.
/// * **Once.** A message is taken by one only; a deed is done once, and gives the same when it is done again.
/// * **Apart.** An owner never sees another's.
/// * **As before.** One that is put back stands where it stood, however full the box is, and its deed is undone. One
///   whose deed is undone is in its box already.
#[async_trait]
pub(crate) trait Boxes: Send + Sync {
    /// Puts a message into a box, unless there is no room.
    async fn put(
        &self,
        to: &Address,
        message: &Message,
        bounds: &MailboxBounds,
        deed: Option<&Deed>,
    ) -> Result<(), PutError>;

    /// Takes the first message of a box.
    async fn take(&self, from: &Address, deed: Option<&Deed>) -> Result<Option<Letter>, String>;

    /// Puts one back that was taken.
    async fn put_back(
        &self,
        to: &Address,
        letter: &Letter,
        deed: Option<&Deed>,
    ) -> Result<(), String>;

    /// Whether there is a message in a box.
    async fn has(&self, address: &Address) -> Result<bool, String>;
}

/// A box of an owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Address {
    pub(crate) owner: String,
    pub(crate) name: String,
}

/// The mailboxes of everybody.
pub(crate) struct Mailboxes {
    boxes: RwLock<Arc<dyn Boxes>>,
    bounds: RwLock<MailboxBounds>,
    /// Wakes those who wait at a box.
    waiting: Mutex<HashMap<Address, Arc<Notify>>>,
    /// Messages that are being taken, whoever waits for that,
    taking: TaskTracker,
    /// and those that are being put back.
    returning: TaskTracker,
}

impl Default for Mailboxes {
    fn default() -> Self {
        Self {
            boxes: RwLock::new(Arc::new(InMemory::default())),
            bounds: RwLock::default(),
            waiting: Mutex::default(),
            taking: idle(),
            returning: idle(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Posted {
    #[serde(rename = "box")]
    name: String,
    message: Box<RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(rename = "box")]
    name: String,
    #[serde(default)]
    timeout: Option<f64>,
}

impl Mailboxes {
    /// Keeps messages there from now on, as many as `bounds` say.
    pub(crate) fn are_kept_in(&self, boxes: Arc<dyn Boxes>, bounds: MailboxBounds) {
        *self.boxes.write().unwrap_or_else(PoisonError::into_inner) = boxes;
        *self.bounds.write().unwrap_or_else(PoisonError::into_inner) = bounds;
    }

    fn boxes(&self) -> Arc<dyn Boxes> {
        Arc::clone(&self.boxes.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn bounds(&self) -> MailboxBounds {
        *self.bounds.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Comes back when every message is in its box that goes back to it.
    pub(crate) async fn close(&self) {
        self.taking.wait().await;
        self.returned().await;
    }

    /// Puts a message back that a run took and its program never got; whoever waits for one looks again.
    pub(crate) async fn put_back(
        &self,
        to: &Address,
        letter: &Letter,
        deed: &Deed,
    ) -> Result<(), String> {
        self.boxes().put_back(to, letter, Some(deed)).await?;
        self.wake(to);
        Ok(())
    }

    /// The same of those that are on the way back.
    pub(crate) async fn returned(&self) {
        self.returning.wait().await;
    }

    /// Carries out a program's `post` that rules let be made.
    pub(crate) async fn post(
        &self,
        call: &HostCall,
        judge: &Judge,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let posted: Posted = serde_json::from_str(call.arguments.get())
            .map_err(|error| fault("ArgumentError", format!("post(): {error}")))?;
        let to = address(behalf, posted.name, "post")?;
        let labels = upstream::before_leaving(judge.carried(&behalf.session)).await?;
        let message = Message {
            value: posted.message.get().to_owned(),
            labels: labels.into_iter().collect(),
        };
        leaves().await?;
        let deed = deed(call, behalf);
        match self.boxes().put(&to, &message, &self.bounds(), deed.as_ref()).await {
            Ok(()) => {}
            Err(PutError::Full { what, most, setting }) => {
                return Err(fault(
                    FULL,
                    format!(
                        "post(): there is no room for the message: {what} at most {most} (setting `{setting}`). Receive some first, or post less"
                    ),
                ));
            }
            Err(PutError::Unkept(problem)) => {
                return Err(fault(
                    UNANSWERED,
                    format!("post(): the message could not be kept: {problem}"),
                ));
            }
        }
        self.wake(&to);
        Ok(RawValue::NULL.to_owned())
    }

    /// Those who wait at a box look again.
    fn wake(&self, at: &Address) {
        let waiting = self.waiting().get(at).cloned();
        if let Some(waiting) = waiting {
            waiting.notify_waiters();
        }
    }

    /// Carries out a program's `receive` that rules let be made; the message goes back unless the program has it.
    pub(crate) async fn receive(
        self: &Arc<Self>,
        call: &HostCall,
        judge: &Judge,
        behalf: &Behalf,
    ) -> Result<(Box<RawValue>, Taken), CallError> {
        let wanted: Wanted = serde_json::from_str(call.arguments.get())
            .map_err(|error| fault("ArgumentError", format!("receive(): {error}")))?;
        let from = address(behalf, wanted.name, "receive")?;
        let until = until(wanted.timeout)?;
        let deed = deed(call, behalf);
        let message = self.wait_for(&from, until, deed.as_ref()).await?;
        let Some((message, taken)) = message else {
            let seconds = wanted.timeout.unwrap_or_default();
            let name = from.name;
            return Err(fault(
                LATE,
                format!("receive(): nothing came into the box {name:?} within {seconds} seconds"),
            ));
        };
        judge.takes_on(&behalf.session, &message.labels).await?;
        let value = RawValue::from_string(format!("{{\"v\":{}}}", message.value));
        let value = value.map_err(|error| fault("ServerError", format!("receive(): {error}")))?;
        Ok((value, taken))
    }

    /// The next message of a box; nothing where none came in time.
    async fn wait_for(
        self: &Arc<Self>,
        from: &Address,
        until: Option<Instant>,
        deed: Option<&Deed>,
    ) -> Result<Option<(Message, Taken)>, CallError> {
        let place = Place::at(self, from);
        let (boxes, mut is_first) = (self.boxes(), true);
        let unread = |problem| {
            fault(UNSENT, format!("receive(): the box could not be looked into: {problem}"))
        };
        loop {
            // Registered before looking, so that a message between the two is not missed.
            let posted = place.notify.notified();
            tokio::pin!(posted);
            posted.as_mut().enable();
            // What this very call took before a crash is not in the box any more.
            if (is_first && deed.is_some()) || boxes.has(from).await.map_err(unread)? {
                leaves().await?;
                let taken = self.take(&boxes, from, deed).await;
                let taken = taken.map_err(|problem| {
                    fault(UNANSWERED, format!("receive(): a message could not be taken: {problem}"))
                })?;
                if taken.is_some() {
                    return Ok(taken);
                }
            }
            is_first = false;
            // Nobody has been asked for anything as long as it waits.
            if let Some(departure) = upstream::current() {
                departure.waits();
            }
            match until {
                None => posted.await,
                Some(until) => {
                    if tokio::time::timeout_at(until, posted).await.is_err() {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Takes the first message of a box. That is not cut short where whoever waits is gone meanwhile, so that the
    /// message is found again.
    async fn take(
        self: &Arc<Self>,
        boxes: &Arc<dyn Boxes>,
        from: &Address,
        deed: Option<&Deed>,
    ) -> Result<Option<(Message, Taken)>, String> {
        let (of, boxes) = (Arc::clone(self), Arc::clone(boxes));
        let (from, deed) = (from.clone(), deed.cloned());
        let taking = self.taking.spawn(async move {
            let letter = boxes.take(&from, deed.as_ref()).await?;
            Ok::<_, String>(letter.map(|letter| {
                let message = letter.message.clone();
                (message, Taken::new(of, boxes, from, letter, deed))
            }))
        });
        taking.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Address, Arc<Notify>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who waits at a box.
struct Place<'a> {
    of: &'a Mailboxes,
    address: &'a Address,
    notify: Arc<Notify>,
}

impl<'a> Place<'a> {
    fn at(of: &'a Mailboxes, address: &'a Address) -> Self {
        let notify = Arc::clone(of.waiting().entry(address.clone()).or_default());
        Self { of, address, notify }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut waiting = self.of.waiting();
        // The map's own and this one.
        if Arc::strong_count(&self.notify) <= 2 {
            waiting.remove(self.address);
        }
    }
}

/// Tasks that can be waited for at any time: a tracker that is closed takes new ones all the same.
fn idle() -> TaskTracker {
    let tasks = TaskTracker::new();
    tasks.close();
    tasks
}

/// A call as rules look at it.
pub(crate) fn wish<'a>(
    call: &HostCall,
    arguments: &'a Map<String, Value>,
    behalf: &'a Behalf,
) -> Wish<'a> {
    Wish {
        behalf,
        server: SERVER,
        tool: if call.name == POST { SENDS } else { TAKES },
        annotations: &besides::POSTS,
        is_trusted: true,
        arguments,
        shown: arguments,
    }
}

/// A call of a run's own program is done once. A child is never begun again once it has done anything.
fn deed(call: &HostCall, behalf: &Behalf) -> Option<Deed> {
    behalf.is_kept.then(|| Deed { run: behalf.run.clone(), call: call.id.0 })
}

/// Whether one more message fits, after which all of an owner's have so many `bytes`.
pub(crate) fn has_room(
    has_box: bool,
    boxes: u64,
    messages: u64,
    bytes: u64,
    bounds: &MailboxBounds,
) -> Result<(), PutError> {
    let full = |what, most, setting| Err(PutError::Full { what, most, setting });
    if !has_box && boxes >= bounds.boxes {
        return full("boxes of one owner that have messages are", bounds.boxes, "max-mailboxes");
    }
    if messages >= bounds.messages {
        return full("messages in one box are", bounds.messages, "max-messages");
    }
    if bytes > bounds.bytes {
        return full("bytes of one owner's messages are", bounds.bytes, "max-message-bytes");
    }
    Ok(())
}

async fn leaves() -> Result<(), CallError> {
    upstream::leaves().await.map_err(|error| {
        let message =
            format!("the call was not made, because it could not be written down first: {error}");
        fault(UNSENT, message)
    })
}

fn address(behalf: &Behalf, name: String, function: &str) -> Result<Address, CallError> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.:".contains(letter);
    if name.is_empty() || name.len() > MOST_NAME || !name.chars().all(fits) {
        let shown: String = name.chars().take(MOST_NAME).collect();
        return Err(fault(
            "ArgumentError",
            format!(
                "{function}(): {shown:?} is no name of a box; it has 1 to {MOST_NAME} letters, digits and - _ . :"
            ),
        ));
    }
    Ok(Address { owner: behalf.owner.clone(), name })
}

/// When waiting ends that lasts so many seconds at most.
fn until(timeout: Option<f64>) -> Result<Option<Instant>, CallError> {
    let Some(seconds) = timeout else { return Ok(None) };
    let Ok(time) = Duration::try_from_secs_f64(seconds) else {
        let message = format!("receive(): timeout is a number of seconds from 0 on, not {seconds}");
        return Err(fault("ArgumentError", message));
    };
    // What is too far away to be a moment is never.
    Ok(Instant::now().checked_add(time))
}

fn fault(kind: &str, message: impl Into<String>) -> CallError {
    CallError { kind: kind.to_owned(), message: message.into() }
}

#[cfg(test)]
mod tests;
