//! What a run's calls would have cost a model that had made them itself.
//!
//! A program does not wait for it. What a call was answered with is put into a line of its run as it came;
//! one thread works the line off, while the guest reads the same answer, which takes several times as long:
//!
//! ```text
//! answer ──► program
//!    └─shared, or copied as it was written─► line of the run ──► one thread ──► counts
//! ```
//!
//! * **Nothing is guessed and nothing is lost.** Every answer is counted once, whole, and a receipt waits for the
//!   last of them. They are added up, so that it does not matter which is counted first.
//! * **It is bounded.** A run has one thread at most, and all lines together have so many bytes: an answer for which
//!   there is no room is counted where it came, before the program has it.
//! * **A run that goes on elsewhere brings it along.** Its ledger has the calls and their answers, from which
//!   [`Offer::count_before`](crate::tools::Offer::count_before) counts what an earlier process had counted.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalog::{Listing, ServerName, Tool};
use serde_json::json;
use serde_json::value::RawValue;
use tokio_util::task::TaskTracker;
use upstream::ToolResult;

use crate::answer::{self, KeptAnswer};
use crate::minds::Budget;

/// Answers longer than this are counted on another thread.
const LONG: usize = 4 << 10;
/// How many bytes may wait for that, of all runs together.
const MOST_WAITING: usize = 64 << 20;

/// How many do.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Counts the calls of one run while they happen.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    shared: Arc<Shared>,
    counting: TaskTracker,
    is_unwanted: AtomicBool,
    /// What models have read and written for it.
    models: Budget,
}

/// What a thread that counts needs of it.
#[derive(Debug, Default)]
struct Shared {
    counts: Mutex<Counts>,
    line: Mutex<Line>,
}

/// Answers that are not counted yet.
#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<(Said, Room)>,
    /// A thread works it off, and looks at it once more before it ends.
    moves: bool,
}

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tokens of the arguments of all calls.
    pub(crate) argument_tokens: u64,
    /// Tokens of all texts and structured contents of answers, as a model would have read them.
    pub(crate) result_tokens: u64,
    /// Bytes of these, and of all else that answers had.
    pub(crate) result_bytes: u64,
    /// How often each tool was called, as `server.tool`.
    pub(crate) tools: BTreeMap<String, u64>,
}

/// What a call was answered with, for whoever counts it.
#[derive(Debug)]
pub(crate) enum Said {
    /// This text.
    Text(String),
    /// The texts of this result, which say all of it.
    Texts(Arc<ToolResult>),
    /// All parts of this result.
    Parts(Arc<ToolResult>),
}

impl Said {
    /// What `result` says, of which `value` was made for the program.
    pub(crate) fn by(result: &Arc<ToolResult>, value: &RawValue) -> Self {
        // Where nothing but structured content came, it has just been written as JSON.
        let written = value.get().strip_prefix("{\"v\":").and_then(|text| text.strip_suffix('}'));
        match written {
            Some(json) if result.structured.is_some() && result.content.is_empty() => {
                Self::Text(json.to_owned())
            }
            Some(_) => Self::Texts(Arc::clone(result)),
            None => Self::Parts(Arc::clone(result)),
        }
    }

    /// The same of an answer that was kept in the form a guest reads.
    pub(crate) fn kept(value: &RawValue) -> Self {
        match answer::kept(value) {
            KeptAnswer::Text(text) => Self::Text(text),
            KeptAnswer::Parts(result) => Self::Parts(Arc::new(result)),
        }
    }

    /// Its tokens and bytes.
    fn size(&self) -> (usize, usize) {
        let of = |text: &str| (budget::count(text), text.len());
        let of_texts =
            |result: &ToolResult| answer::texts(&result.content).map_or((0, 0), |text| of(&text));
        match self {
            Self::Text(text) => of(text),
            Self::Texts(result) => of_texts(result),
            Self::Parts(result) => {
                let texts = of_texts(result);
                let untold = answer::untold(result).map_or((0, 0), |json| of(&json));
                let other = answer::other_bytes(&result.content);
                (texts.0 + untold.0, texts.1 + untold.1 + other)
            }
        }
    }
}

/// Room for so many bytes that wait.
#[derive(Debug)]
struct Room(usize);

impl Room {
    fn of(bytes: usize) -> Option<Self> {
        // Made before it is looked at, so that it is given back where there was too little.
        let (before, room) = (WAITING.fetch_add(bytes, Ordering::Relaxed), Self(bytes));
        (before.saturating_add(bytes) <= MOST_WAITING).then_some(room)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        WAITING.fetch_sub(self.0, Ordering::Relaxed);
    }
}

impl Tally {
    /// Nobody wants to know tokens: no receipt will be written.
    pub(crate) fn is_unwanted(&self) {
        self.is_unwanted.store(true, Ordering::Relaxed);
    }

    /// What models have read and written, and still may.
    pub(crate) fn models(&self) -> &Budget {
        &self.models
    }

    /// Tokens of a call's arguments, where anybody wants to know.
    pub(crate) fn tokens(&self, arguments: &impl serde::Serialize) -> u64 {
        if self.is_unwanted.load(Ordering::Relaxed) {
            return 0;
        }
        serde_json::to_string(arguments).map_or(0, |text| budget::count(&text)) as u64
    }

    /// A call with so many tokens of arguments leaves. It was made, also if no answer ever comes.
    pub(crate) fn leaves(&self, tool: String, argument_tokens: u64) {
        let mut counts = self.shared.counts();
        counts.argument_tokens += argument_tokens;
        *counts.tools.entry(tool).or_default() += 1;
    }

    /// A call that was about to leave did not.
    pub(crate) fn stays(&self, tool: &str, argument_tokens: u64) {
        let mut counts = self.shared.counts();
        counts.argument_tokens -= argument_tokens.min(counts.argument_tokens);
        if let Some(times) = counts.tools.get_mut(tool) {
            *times -= 1;
            if *times == 0 {
                counts.tools.remove(tool);
            }
        }
    }

    /// A call that had left was answered, with about so many bytes.
    pub(crate) fn answered(&self, said: Said, bytes: usize) {
        if self.is_unwanted.load(Ordering::Relaxed) {
            return;
        }
        let room = (bytes >= LONG).then(|| Room::of(bytes)).flatten();
        let Some(room) = room else { return self.shared.count(&said) };
        if self.shared.lines_up(said, room) {
            let shared = Arc::clone(&self.shared);
            self.counting.spawn_blocking(move || shared.work_off());
        }
    }

    /// Everything, once all of it is counted.
    pub(crate) async fn settled(&self) -> Counts {
        self.counting.close();
        self.counting.wait().await;
        self.shared.counts().clone()
    }
}

impl Shared {
    /// Whether a thread has to begin.
    fn lines_up(&self, said: Said, room: Room) -> bool {
        let mut line = self.line();
        line.waiting.push_back((said, room));
        !std::mem::replace(&mut line.moves, true)
    }

    fn work_off(&self) {
        while let Some((said, _room)) = self.next() {
            self.count(&said);
        }
    }

    fn next(&self) -> Option<(Said, Room)> {
        let mut line = self.line();
        let next = line.waiting.pop_front();
        line.moves = next.is_some();
        next
    }

    fn count(&self, said: &Said) {
        let (tokens, bytes) = said.size();
        let mut counts = self.counts();
        counts.result_tokens += tokens as u64;
        counts.result_bytes += bytes as u64;
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens of the definitions of tools, counted once for each listing.
#[derive(Debug, Default)]
pub(crate) struct Definitions(Mutex<Counted>);

/// What was counted of each server, and of which listing.
type Counted = HashMap<ServerName, (Arc<Listing>, Arc<Sizes>)>;

/// Tokens of one server's definitions.
#[derive(Debug, Default)]
struct Sizes {
    all: u64,
    tools: HashMap<String, u64>,
}

/// Tokens of definitions that a model would have had to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DefinitionTokens {
    /// Of every tool that is known.
    pub(crate) all: u64,
    /// Of those that were called.
    pub(crate) used: u64,
}

impl Definitions {
    /// Tokens of all definitions in `listings`, and of the tools in `used` alone.
    pub(crate) async fn tokens(
        self: &Arc<Self>,
        listings: Vec<Arc<Listing>>,
        used: &BTreeMap<String, u64>,
    ) -> DefinitionTokens {
        let mut sum = DefinitionTokens::default();
        for listing in listings {
            let sizes = self.sizes(&listing).await;
            sum.all += sizes.all;
            let of_server = format!("{}.", listing.server);
            let called = used.keys().filter_map(|tool| tool.strip_prefix(&of_server));
            sum.used += called.filter_map(|tool| sizes.tools.get(tool)).sum::<u64>();
        }
        sum
    }

    /// Whether all of them are counted.
    pub(crate) fn knows(&self, listings: &[Arc<Listing>]) -> bool {
        let known = self.lock();
        let is_known = |listing: &Arc<Listing>| {
            known.get(&listing.server).is_some_and(|(known, _)| Arc::ptr_eq(known, listing))
        };
        listings.iter().all(is_known)
    }

    async fn sizes(self: &Arc<Self>, listing: &Arc<Listing>) -> Arc<Sizes> {
        let known = self.lock().get(&listing.server).cloned();
        if let Some((known, sizes)) = known
            && Arc::ptr_eq(&known, listing)
        {
            return sizes;
        }
        let counted = Arc::clone(listing);
        let sizes = tokio::task::spawn_blocking(move || {
            let tools = counted.tools.iter().map(|tool| (tool.name.0.clone(), tokens(tool)));
            let tools: HashMap<String, u64> = tools.collect();
            Arc::new(Sizes { all: tools.values().sum(), tools })
        });
        let sizes = sizes.await.unwrap_or_default();
        let entry = (Arc::clone(listing), Arc::clone(&sizes));
        self.lock().insert(listing.server.clone(), entry);
        sizes
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens of a definition as clients give it to a model: name, description, input schema.
fn tokens(tool: &Tool) -> u64 {
    let text = json!({
        "name": tool.name.0, "description": tool.description, "input_schema": tool.input_schema,
    });
    budget::count(&text.to_string()) as u64
}

#[cfg(test)]
mod tests;
