//! Models that programs ask: `ask_model`.
//!
//! ```text
//! program ──$ask_model──► rules, flow ──► budget of the run ──► Mind ──► answer, or its JSON by a schema
//!                                                               ├── the client of the run, where it can be asked (MCP sampling)
//!                                                               └── the provider of `[ask]`
//! ```
//!
//! A question goes out as the program wrote it: tokens for personal data and handles of secrets stay what they are.
//! What a run and its children ask is counted in its tally, and so in its receipt. A question that was answered is
//! in the run's ledger and never asked again; one that was under way when the process ended is asked again.

mod answering;
mod budget;
mod schema;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use async_trait::async_trait;
use engine::{CallError, HostCall};
use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use self::answering::used_before;
pub(crate) use self::budget::Budget;
pub use self::budget::ModelUse;
pub use self::schema::{Schema, SchemaError};
use crate::behalf::Behalf;
use crate::besides;
use crate::hearing::UNSENT;
use crate::judge::Wish;

/// The host call.
pub(crate) const CALL: &str = "$ask_model";
/// What rules call it: `tidegate.ask_model`.
pub(crate) const SERVER: &str = "tidegate";
pub(crate) const TOOL: &str = "ask_model";

/// What a question fails with that a model did not answer.
pub(crate) const FAILED: &str = "ModelError";
/// What one fails with whose answer does not fit the schema.
pub(crate) const UNFIT: &str = "SchemaError";

/// A model that can be asked. Every mind keeps three promises.
///
/// * **One question, one answer.** It may ask its provider again where that passes, and never answers twice.
/// * **It says what was used**, or counts it.
/// * **Dropping is ending.** A dropped question costs nothing more.
#[async_trait]
pub trait Mind: Send + Sync {
    /// Who answers, for figures: `client` or `provider`.
    fn name(&self) -> &'static str;

    /// Whether it can be asked now.
    fn is_there(&self) -> bool {
        true
    }

    /// Tokens that one reply may have.
    fn reply_tokens(&self) -> u64;

    /// Answers what was said last.
    async fn reply(&self, prompt: &Prompt) -> Result<Reply, MindError>;
}

/// What a model is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// How it answers; empty where nothing is said.
    pub system: String,
    /// What was said so far, by the program and the model in turn; the first and the last are the program's.
    pub said: Vec<String>,
    /// Tokens that its reply may have.
    pub reply_tokens: u64,
    /// Tokens that may be used for it, however often it is asked; as many as it takes if nothing is said.
    pub left: Option<u64>,
}

/// What a model replied.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Its words.
    pub text: String,
    /// Why it stopped.
    pub end: End,
    /// Tokens that it read,
    pub input: u64,
    /// and wrote.
    pub output: u64,
    /// What they cost.
    pub cost: f64,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It had said all.
    Whole,
    /// It had no more tokens.
    Cut,
    /// It would not.
    Refused,
}

/// Why a model did not reply. What matters is whether another may be asked, and what was used all the same.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MindError {
    /// It is not there any more, and has not seen the question.
    #[error("{0}")]
    Gone(String),
    /// It did not answer, or did not want to.
    #[error("{0}")]
    Failed(String),
    /// It did not answer to the end, and what it read and wrote is paid for.
    #[error("{reason}")]
    Lost {
        /// Why not.
        reason: String,
        /// Tokens that it read,
        input: u64,
        /// and wrote.
        output: u64,
        /// What they cost.
        cost: f64,
    },
}

/// Finds the provider when it is first needed, and again when its settings have changed: its key may have to be
/// unlocked. The words say what is wrong with it.
pub type Provider = dyn Fn() -> Result<Option<Arc<dyn Mind>>, String> + Send + Sync;

/// The provider as it was found; empty as long as nobody has looked.
type Found = tokio::sync::OnceCell<Option<Arc<dyn Mind>>>;

/// Who answers the programs of everybody.
#[derive(Default)]
pub struct Minds {
    provider: OnceLock<Arc<Provider>>,
    found: Mutex<Arc<Found>>,
    /// Those of runs whose clients can be asked, by run.
    clients: Mutex<HashMap<String, Arc<dyn Mind>>>,
}

/// A client that can be asked on behalf of the run that it started.
#[derive(Clone)]
pub struct ClientMind(pub Arc<dyn Mind>);

impl fmt::Debug for ClientMind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientMind")
    }
}

impl Minds {
    /// Says who finds the provider. Said once.
    pub fn are_provided_by(&self, provider: Arc<Provider>) {
        // What was said first holds: runs may have asked already.
        let _ = self.provider.set(provider);
    }

    /// The client of a run can be asked.
    pub(crate) fn attach(&self, run: &str, mind: ClientMind) {
        self.lock().insert(run.to_owned(), mind.0);
    }

    /// A run is over.
    pub(crate) fn detach(&self, run: &str) {
        self.lock().remove(run);
    }

    fn client(&self, run: &str) -> Option<Arc<dyn Mind>> {
        self.lock().get(run).filter(|mind| mind.is_there()).cloned()
    }

    /// The configured provider.
    async fn provider(&self) -> Result<Arc<dyn Mind>, CallError> {
        let unset = || {
            let message = "ask_model(): there is no model to ask: the client of this run offers none (MCP sampling), and no provider is \
                           configured. Whoever runs tidegate names one under [ask] in tidegate.toml: `provider`, `model` and `key`";
            CallError { kind: UNSENT.to_owned(), message: message.to_owned() }
        };
        let Some(find) = self.provider.get() else { return Err(unset()) };
        let cell = Arc::clone(&*lock(&self.found));
        let found = cell.get_or_try_init(|| found_by(find)).await;
        let found = found.map_err(|problem| CallError {
            kind: UNSENT.to_owned(),
            message: format!(
                "ask_model(): the model of the provider cannot be asked: {problem}. Whoever runs tidegate mends the settings under [ask]"
            ),
        })?;
        found.clone().ok_or_else(unset)
    }

    /// Settings of the provider have changed: it is found anew, and questions from now on go to that one.
    ///
    /// # Errors
    /// When it cannot be asked with those settings; then the one that was there stays.
    pub async fn look_again(&self) -> Result<(), String> {
        let Some(find) = self.provider.get() else { return Ok(()) };
        let is_asked = matches!(lock(&self.found).get(), Some(Some(_)));
        // One that nobody has asked yet is found when somebody does, so that no key is unlocked before.
        let cell =
            if is_asked { Found::new_with(Some(found_by(find).await?)) } else { Found::new() };
        *lock(&self.found) = Arc::new(cell);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<dyn Mind>>> {
        lock(&self.clients)
    }
}

/// Looks for the provider, which may have to wait for somebody to unlock a keyring.
async fn found_by(find: &Arc<Provider>) -> Result<Option<Arc<dyn Mind>>, String> {
    let find = Arc::clone(find);
    let found = tokio::task::spawn_blocking(move || find()).await;
    found.unwrap_or_else(|error| Err(error.to_string()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a program asks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    prompt: String,
    #[serde(default)]
    schema: Option<Value>,
}

/// Arguments of a question, as rules look at them.
pub(crate) fn given(call: &HostCall) -> Map<String, Value> {
    serde_json::from_str(call.arguments.get()).unwrap_or_default()
}

/// A question as rules look at it.
pub(crate) fn wish<'a>(arguments: &'a Map<String, Value>, behalf: &'a Behalf) -> Wish<'a> {
    Wish {
        behalf,
        server: SERVER,
        tool: TOOL,
        annotations: &besides::LEAVES,
        is_trusted: true,
        arguments,
        shown: arguments,
    }
}

fn fault(kind: &str, message: impl Into<String>) -> CallError {
    CallError { kind: kind.to_owned(), message: message.into() }
}

#[cfg(test)]
mod tests;
