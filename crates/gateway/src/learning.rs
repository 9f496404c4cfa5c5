//! What tools return, learned while programs use them.
//!
//! A result goes to the program first. Then, if its tool has no output schema, it is handed to
//! one thread that looks at it, with nobody waiting:
//!
//! ```text
//! answer ──► program
//!    └─shared, if it is wanted and there is room─► thread ──► types ──► file, when a run ends
//! ```
//!
//! * **Calls do not get slower.** The result is handed on, not copied; a full line, or too many bytes
//!   in it, and it is left out. A type that has settled is looked at now and then only.
//! * **A type is shown when it says something new.** Programs get files with the types; these are
//!   made again when a type has changed or twice as many results were seen, not at every call.
//! * **Processes add up.** What is written is what the file has by then, and what this process
//!   saw since it last wrote. Of two that write at the very same time one may lose what it
//!   saw in that run, which will be seen again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use catalog::{CatalogTool, Fingerprint, Learned, LearnedTools, ServerName, ToolName};
use tracing::warn;
use upstream::ToolResult;

use crate::answer::sight;
use crate::memory::{Memory, MemoryError};

/// How many results may wait to be looked at,
const MOST_WAITING: usize = 64;
/// and how many bytes they may have together.
const MOST_WAITING_BYTES: usize = 64 << 20;
/// Of a type that has settled, one result in so many is looked at.
const NOW_AND_THEN: u64 = 16;
/// How many tools of one server are learned about.
const MOST_TOOLS: usize = 2_000;

/// Learns from results, for all servers whose results may be learned from.
pub(crate) struct Learning {
    shared: Arc<Shared>,
    line: Mutex<Option<Line>>,
}

/// The way to the thread, and the thread.
struct Line {
    sender: SyncSender<Message>,
    thread: JoinHandle<()>,
}

enum Message {
    /// Look at this.
    Result(Box<Received>),
    /// Write down what was learned; then say so, if anybody waits.
    Keep(Option<SyncSender<()>>),
}

struct Received {
    server: ServerName,
    tool: ToolName,
    fingerprint: Fingerprint,
    result: Arc<ToolResult>,
    bytes: usize,
}

struct Shared {
    memory: Arc<Memory>,
    /// How each server is reached, which is part of where its types are kept.
    identities: BTreeMap<ServerName, String>,
    /// Held for a moment at every call, so apart from what takes longer.
    gates: Mutex<BTreeMap<ServerName, BTreeMap<ToolName, Gate>>>,
    known: Mutex<BTreeMap<ServerName, Known>>,
    waiting_bytes: AtomicUsize,
}

/// Decides which results of a tool are worth a look.
#[derive(Default)]
struct Gate {
    calls: u64,
    settled: bool,
}

/// What is known about the tools of one server.
#[derive(Default)]
struct Known {
    whole: BTreeMap<ToolName, Learned>,
    /// The part of it that is not in the file.
    fresh: BTreeMap<ToolName, Learned>,
    /// What programs are shown.
    shown: Arc<LearnedTools>,
}

impl Learning {
    /// Learns about these servers; `identities` says how each is reached.
    pub(crate) fn new(memory: Arc<Memory>, identities: BTreeMap<ServerName, String>) -> Self {
        let mut gates = BTreeMap::new();
        let mut known = BTreeMap::new();
        for (server, identity) in &identities {
            let whole = memory.learned(server, identity);
            let gate = |(tool, learned): (&ToolName, &Learned)| {
                (tool.clone(), Gate { calls: 0, settled: learned.is_settled() })
            };
            gates.insert(server.clone(), whole.iter().map(gate).collect());
            known.insert(server.clone(), Known { whole, ..Known::default() });
        }
        let shared = Shared {
            memory,
            identities,
            gates: Mutex::new(gates),
            known: Mutex::new(known),
            waiting_bytes: AtomicUsize::new(0),
        };
        Self { shared: Arc::new(shared), line: Mutex::new(None) }
    }

    /// Whether results of this server are learned from.
    pub(crate) fn is_on(&self, server: &ServerName) -> bool {
        self.shared.identities.contains_key(server)
    }

    /// Takes a result that was answered with so many bytes, unless it is one too many or came
    /// from a definition of the tool that is not the current one.
    pub(crate) fn saw(
        &self,
        tool: &CatalogTool,
        result: Arc<ToolResult>,
        bytes: usize,
        is_current: impl FnOnce() -> bool,
    ) {
        let shared = &self.shared;
        if tool.tool().output_schema.is_some()
            || !shared.wants(tool.server(), tool.name())
            || !is_current()
        {
            return;
        }
        let waiting = shared.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        let received = Box::new(Received {
            server: tool.server().clone(),
            tool: tool.name().clone(),
            fingerprint: tool.fingerprint().clone(),
            result,
            bytes,
        });
        if waiting > MOST_WAITING_BYTES || !self.send(Message::Result(received)) {
            shared.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Writes down what was learned, without waiting for it.
    pub(crate) fn keep(&self) {
        let begun = lock(&self.line).is_some();
        // A full line will be told again, at the latest at the end.
        let _told = begun && self.send(Message::Keep(None));
    }

    /// Writes down what was learned, and returns when all that was seen is in.
    pub(crate) fn keep_now(&self) {
        let sender = lock(&self.line).as_ref().map(|line| line.sender.clone());
        let Some(sender) = sender else { return };
        let (done, told) = mpsc::sync_channel(1);
        if sender.send(Message::Keep(Some(done))).is_ok() {
            // An error means that the thread has ended, so nothing is left to wait for.
            let _ = told.recv();
        }
    }

    /// What was learned about a tool, however its definition may have changed since.
    pub(crate) fn about(&self, server: &ServerName, tool: &ToolName) -> Option<Learned> {
        lock(&self.shared.known).get(server)?.whole.get(tool).cloned()
    }

    /// Forgets what was learned about one tool of a server, or all; how many that were.
    pub(crate) fn forget(
        &self,
        server: &ServerName,
        identity: &str,
        tool: Option<&ToolName>,
    ) -> Result<usize, MemoryError> {
        self.keep_now();
        if let Some(known) = lock(&self.shared.known).get_mut(server) {
            match tool {
                Some(tool) => drop(known.whole.remove(tool)),
                None => known.whole.clear(),
            }
        }
        if let Some(gates) = lock(&self.shared.gates).get_mut(server) {
            gates.clear();
        }
        self.shared.memory.forget_learned(server, identity, tool)
    }

    /// The types that programs are shown. The very same for a server as long as nothing has
    /// changed that is worth making its files again.
    pub(crate) fn shown(&self) -> BTreeMap<ServerName, Arc<LearnedTools>> {
        let mut known = lock(&self.shared.known);
        let servers = known.iter_mut().map(|(server, known)| {
            known.show();
            (server.clone(), Arc::clone(&known.shown))
        });
        servers.collect()
    }

    /// Sends to the thread, which the first message starts; whether there was room.
    fn send(&self, message: Message) -> bool {
        let mut line = lock(&self.line);
        if line.is_none() {
            *line = start(&self.shared);
        }
        line.as_ref().is_some_and(|line| line.sender.try_send(message).is_ok())
    }
}

impl Drop for Learning {
    fn drop(&mut self) {
        let line = lock(&self.line).take();
        if let Some(Line { sender, thread }) = line {
            drop(sender);
            // A thread that panicked has nothing more to write.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn wants(&self, server: &ServerName, tool: &ToolName) -> bool {
        let mut gates = lock(&self.gates);
        let Some(gates) = gates.get_mut(server) else { return false };
        let Some(gate) = gates.get_mut(tool) else {
            let room = gates.len() < MOST_TOOLS;
            if room {
                gates.insert(tool.clone(), Gate { calls: 1, settled: false });
            }
            return room;
        };
        let wanted = !gate.settled || gate.calls.is_multiple_of(NOW_AND_THEN);
        gate.calls = gate.calls.wrapping_add(1);
        wanted
    }

    /// What the thread does, until nobody can send any more.
    fn listen(&self, messages: &Receiver<Message>) {
        while let Ok(message) = messages.recv() {
            match message {
                Message::Result(received) => self.look(*received),
                Message::Keep(done) => {
                    self.write();
                    // Whoever waited may have given up.
                    let _ = done.map(|done| done.send(()));
                }
            }
        }
        self.write();
    }

    fn look(&self, received: Received) {
        let Received { server, tool, fingerprint, result, bytes } = received;
        let one = Learned::from_one(fingerprint, &sight(&result));
        drop(result);
        self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
        let settled = {
            let mut known = lock(&self.known);
            let Some(known) = known.get_mut(&server) else { return };
            add(&mut known.fresh, &tool, &one);
            add(&mut known.whole, &tool, &one)
        };
        if let Some(gate) = lock(&self.gates).get_mut(&server).and_then(|all| all.get_mut(&tool)) {
            gate.settled = settled;
        }
    }

    /// Adds what is not in the files yet to what they have by now.
    fn write(&self) {
        let fresh: Vec<(ServerName, BTreeMap<ToolName, Learned>)> = lock(&self.known)
            .iter_mut()
            .filter(|(_, known)| !known.fresh.is_empty())
            .map(|(server, known)| (server.clone(), std::mem::take(&mut known.fresh)))
            .collect();
        for (server, fresh) in fresh {
            let Some(identity) = self.identities.get(&server) else { continue };
            let mut all = self.memory.learned(&server, identity);
            for (tool, learned) in &fresh {
                add(&mut all, tool, learned);
            }
            if let Err(error) = self.memory.keep_learned(&server, identity, &all) {
                warn!(server = %server, error = %error, "what was learned about results is lost");
            }
        }
    }
}

impl Known {
    /// Renews what programs are shown where it has something new to say.
    fn show(&mut self) {
        let is_new = |tool: &ToolName, now: &Learned| {
            self.shown.get(tool).is_none_or(|shown| {
                shown.fingerprint() != now.fingerprint()
                    || now.changed_at() > shown.seen()
                    || now.seen() >= shown.seen().saturating_mul(2)
            })
        };
        let gone = self.shown.keys().any(|tool| !self.whole.contains_key(tool));
        if !gone && !self.whole.iter().any(|(tool, now)| is_new(tool, now)) {
            return;
        }
        let renewed = self.whole.iter().map(|(tool, now)| {
            let shown = self.shown.get(tool).filter(|_| !is_new(tool, now));
            (tool.clone(), shown.map_or_else(|| Arc::new(now.clone()), Arc::clone))
        });
        self.shown = Arc::new(renewed.collect());
    }
}

/// Adds one tool's part; a tool whose definition is another one starts again. Whether its type
/// has settled.
fn add(all: &mut BTreeMap<ToolName, Learned>, tool: &ToolName, part: &Learned) -> bool {
    let learned = all
        .entry(tool.clone())
        .and_modify(|known| {
            if known.fingerprint() != part.fingerprint() {
                *known = Learned::new(part.fingerprint().clone());
            }
        })
        .or_insert_with(|| Learned::new(part.fingerprint().clone()));
    learned.merge(part);
    learned.is_settled()
}

/// Starts the thread; `None` when this machine has none left.
fn start(shared: &Arc<Shared>) -> Option<Line> {
    let (sender, messages) = mpsc::sync_channel(MOST_WAITING);
    let shared = Arc::clone(shared);
    let work = move || shared.listen(&messages);
    let thread = thread::Builder::new().name("learning".into()).spawn(work).ok()?;
    Some(Line { sender, thread })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
