//! Secrets: values that a run may send and never see.
//!
//! Inside the program a secret is a handle, `tgsecret_` and 24 letters. The letters come from the
//! owner's key, the secret's name and its value, so that a run which takes over from another asks in
//! the same words. They are good for nothing but the run that was given the secret: the value is in
//! memory, for as long as that run lasts, and nowhere else.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::Context;
use policy::Glob;
use privacy::Key;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};
use upstream::Secret;

use super::echo::Echo;
use super::{Veil, VeilError};

/// What every handle starts with, so that scanners for leaked secrets know one.
pub(super) const PREFIX: &str = "tgsecret_";
/// How many letters follow.
const LETTERS: usize = 24;
/// The variable that programs find their handles in.
const VARIABLE: &str = "secrets";
/// The shortest secret: one that is shorter would be found everywhere in answers.
const SHORTEST: usize = 4;
/// What a call fails with that would have taken a secret where it may not go.
pub(crate) const REFUSED: &str = "SecretRefused";

/// Why a secret cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// It is written in a way that makes no sense.
    #[error("has the secret {name:?} {problem}")]
    Given {
        /// The secret.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A variable has the name under which programs find their secrets.
    #[error("has a variable `secrets`, where a program finds its secrets; rename it")]
    Taken,
    /// Two of them would be called the same.
    #[error(
        "has two secrets that are called {0:?}, after where they are; rename one of the fields"
    )]
    Twice(String),
    /// A variable that may hold one cannot be looked through.
    #[error(
        "has the variable {0:?}, which may hold a secret and is nested too deep to be looked through; pass the secret as a variable of its own"
    )]
    Unread(String),
    /// The operator does not let it go there.
    #[error(
        "the secret {name:?} may not be sent to {tool}, and nothing was sent; whoever runs the gateway can allow it in \
         tidegate.toml with `[secrets] allow = {{ {} = [{tool:?}] }}`",
        key_of(name)
    )]
    NotAllowed {
        /// The secret.
        name: String,
        /// The tool, as `server.tool`.
        tool: String,
    },
    /// The run does not have it.
    #[error(
        "{handle} stands for no secret of this run, and nothing was sent to {tool}: a secret is kept in memory for the run that was \
         given it, and not after a restart; run the program again with the secret in `context`, and with \
         `resume_from` if it had done something already"
    )]
    Unknown {
        /// The handle.
        handle: String,
        /// The tool, as `server.tool`.
        tool: String,
    },
}

/// Secrets of one run, by handle.
#[derive(Debug, Clone, Default)]
pub struct Held(BTreeMap<String, One>);

#[derive(Debug, Clone)]
struct One {
    name: String,
    value: Secret<String>,
}

impl Held {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// All secrets, and where they may go.
#[derive(Debug)]
pub(super) struct Secrets {
    allow: BTreeMap<String, Vec<Glob>>,
    runs: Mutex<HashMap<String, Held>>,
}

/// The field of a value that is a secret: `{"$secret": "value"}`.
const MARK: &str = "$secret";

impl Secrets {
    pub(super) fn new(allow: BTreeMap<String, Vec<Glob>>) -> Self {
        Self { allow, runs: Mutex::default() }
    }

    /// Puts values in the place of handles, where they may go.
    pub(super) fn put_in(
        &self,
        run: &str,
        tool: &str,
        text: &str,
    ) -> Result<Option<String>, SecretError> {
        let mut rest = text;
        let mut whole = String::new();
        while let Some(at) = rest.find(PREFIX) {
            let body = rest[at + PREFIX.len()..].bytes();
            let length = body.take(LETTERS).take_while(u8::is_ascii_alphanumeric).count();
            let end = at + PREFIX.len() + length;
            if length < LETTERS {
                // Somebody writes about handles.
                whole.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            let handle = &rest[at..end];
            let unknown =
                || SecretError::Unknown { handle: handle.to_owned(), tool: tool.to_owned() };
            let runs = self.runs();
            let one = runs.get(run).and_then(|held| held.0.get(handle)).ok_or_else(unknown)?;
            let globs = self.allow.get(&one.name).map(Vec::as_slice).unwrap_or_default();
            if !globs.iter().any(|glob| glob.matches(tool)) {
                let (name, tool) = (one.name.clone(), tool.to_owned());
                return Err(SecretError::NotAllowed { name, tool });
            }
            whole.push_str(&rest[..at]);
            whole.push_str(one.value.reveal());
            rest = &rest[end..];
        }
        if whole.is_empty() && rest.len() == text.len() {
            return Ok(None);
        }
        whole.push_str(rest);
        Ok(Some(whole))
    }

    /// What must not come back to a run: every secret it has.
    pub(super) fn echoes(&self, run: &str) -> Vec<Echo> {
        let runs = self.runs();
        let held = runs.get(run).into_iter().flat_map(|held| &held.0);
        held.map(|(handle, one)| Echo::of_secret(one.value.reveal(), handle)).collect()
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Veil {
    /// Takes what is marked as a secret out of a program's variables. It finds handles in `secrets`, and
    /// where they were within lists and objects; those are called after their place: `config.password`,
    /// `keys.0`. They can be sent once they are [held](Self::hold).
    ///
    /// # Errors
    /// When one of them makes no sense, or there is no key to make handles with.
    pub async fn take_secrets(
        &self,
        owner: &str,
        context: &mut Context,
    ) -> Result<Held, VeilError> {
        let mut marked = BTreeMap::new();
        let mut looked = BTreeMap::new();
        for (name, value) in context.iter().filter(|(_, value)| may_hold_one(value.get())) {
            let value: Value = serde_json::from_str(value.get())
                .map_err(|_nested_too_deep| SecretError::Unread(name.clone()))?;
            find(name, &value, &mut marked)?;
            looked.insert(name.clone(), value);
        }
        if !marked.is_empty() && context.contains_key(VARIABLE) {
            return Err(SecretError::Taken.into());
        }
        let (mut held, mut handles) = (Held::default(), BTreeMap::new());
        if !marked.is_empty() {
            let key = self.values.key(owner).await?;
            for (name, value) in marked {
                let handle = handle(&key, &name, value.reveal());
                handles.insert(name.clone(), handle.clone());
                held.0.insert(handle, One { name, value });
            }
        }
        for (name, mut value) in looked {
            // One that is nothing but a secret is found under `secrets`.
            if handles.contains_key(&name) {
                context.remove(&name);
                continue;
            }
            put_handles(&name, &mut value, &handles);
            context.insert(name, to_raw_value(&value).map_err(|_| VeilError::Unread)?);
        }
        if !handles.is_empty() {
            let handles = to_raw_value(&handles).map_err(|_| VeilError::Unread)?;
            context.insert(VARIABLE.to_owned(), handles);
        }
        Ok(held)
    }

    /// Lets a run send its secrets, until they are [dropped](Self::drop_secrets).
    pub fn hold(&self, run: &str, held: Held) {
        if !held.is_empty() {
            self.secrets.runs().insert(run.to_owned(), held);
        }
    }

    /// Forgets the secrets of a run that is over.
    pub fn drop_secrets(&self, run: &str) {
        self.secrets.runs().remove(run);
    }
}

/// A secret's name as a key of a table in TOML.
fn key_of(name: &str) -> String {
    let is_bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if is_bare { name.to_owned() } else { format!("{name:?}") }
}

fn handle(key: &Key, name: &str, value: &str) -> String {
    format!("{PREFIX}{}", key.mark(name, value))
}

/// Whether a variable may hold a secret, however its name is written.
fn may_hold_one(json: &str) -> bool {
    // Its letters may be escaped: `$`, and those of `secret`.
    [MARK, "\\u002", "\\u006", "\\u007"].iter().any(|part| json.contains(part))
}

/// Every secret in a value, by its place.
fn find(
    place: &str,
    value: &Value,
    marked: &mut BTreeMap<String, Secret<String>>,
) -> Result<(), SecretError> {
    match value {
        Value::Object(fields) if fields.contains_key(MARK) => {
            if marked.insert(place.to_owned(), checked(place, fields)?).is_some() {
                return Err(SecretError::Twice(place.to_owned()));
            }
            Ok(())
        }
        Value::Object(fields) => {
            fields.iter().try_for_each(|(key, value)| find(&within(place, key), value, marked))
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(at, value)| find(&within(place, &at.to_string()), value, marked)),
        _ => Ok(()),
    }
}

/// Puts handles where secrets are.
fn put_handles(place: &str, value: &mut Value, handles: &BTreeMap<String, String>) {
    match value {
        Value::Object(fields) if fields.contains_key(MARK) => {
            // Every one was found before.
            *value = handles.get(place).cloned().map_or(Value::Null, Value::String);
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                put_handles(&within(place, key), value, handles);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter_mut().enumerate() {
                put_handles(&within(place, &at.to_string()), value, handles);
            }
        }
        _ => {}
    }
}

fn within(place: &str, name: &str) -> String {
    format!("{place}.{name}")
}

fn checked(name: &str, fields: &Map<String, Value>) -> Result<Secret<String>, SecretError> {
    let wrong = |problem| SecretError::Given { name: name.to_owned(), problem };
    if fields.len() > 1 {
        return Err(wrong(r#"with more than `$secret` in it; write {"$secret": "value"}"#));
    }
    match fields.get(MARK) {
        Some(Value::String(value)) if value.chars().count() >= SHORTEST => {
            Ok(Secret::new(value.clone()))
        }
        Some(Value::String(_)) => {
            Err(wrong("with fewer than 4 letters, which would be found everywhere"))
        }
        _ => Err(wrong(r#"that is no text; write {"$secret": "value"}"#)),
    }
}
