//! One call: what its server gets, and what of the answer may be seen.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::CallError;
use privacy::{Tokenizer, Vault};
use serde_json::{Map, Value};
use upstream::{Part, Prompt, Resource, ToolResult};

use super::echo::{self, Echo};
use super::secrets::{self, REFUSED};
use super::{Pii, Veil, VeilError};
use crate::hearing::{UNANSWERED, UNSENT};

/// What stands between one call and its server.
pub struct Cover<'a> {
    veil: &'a Veil,
    pii: Pii,
    owner: &'a str,
    run: &'a str,
    /// What was put back and must not come back.
    echoes: Mutex<Vec<Echo>>,
}

impl<'a> Cover<'a> {
    pub(super) fn new(veil: &'a Veil, pii: Pii, owner: &'a str, run: &'a str) -> Self {
        let echoes = Mutex::new(veil.secrets.echoes(run));
        Self { veil, pii, owner, run, echoes }
    }

    /// Arguments as the server gets them: values in the place of tokens and handles. `tool` is
    /// `server.tool`.
    ///
    /// # Errors
    /// When a secret may not go there, or values cannot be read.
    pub async fn take_off(&self, tool: &str, arguments: Value) -> Result<Value, VeilError> {
        if !may_stand_for_something(&arguments) {
            return Ok(arguments);
        }
        let mut arguments = self.with_values(arguments).await?;
        let mut refused = None;
        each_text(&mut arguments, &mut |text| {
            if refused.is_some() || !text.contains(secrets::PREFIX) {
                return;
            }
            match self.veil.secrets.put_in(self.run, tool, text) {
                Ok(Some(whole)) => *text = whole,
                Ok(None) => {}
                Err(error) => refused = Some(error),
            }
        });
        refused.map_or(Ok(arguments), |error| Err(error.into()))
    }

    /// Whether requests to hosts have values in the place of tokens: where the answers of hosts have tokens, too.
    /// Then a program has nothing else for what it read there.
    pub(super) fn fills_requests(&self) -> bool {
        self.pii == Pii::Tokenize
    }

    async fn with_values(&self, arguments: Value) -> Result<Value, VeilError> {
        let text = arguments.to_string();
        let Some(known) = self.values_for(&arguments).await? else { return Ok(arguments) };
        match known.restore_json(&text) {
            Ok(Cow::Borrowed(_)) => Ok(arguments),
            Ok(Cow::Owned(whole)) => {
                serde_json::from_str(&whole).map_err(|_not_json| VeilError::Unread)
            }
            Err(_nested_too_deep) => Ok(arguments),
        }
    }

    /// The values for the tokens in what is sent. From now on they do not come back.
    pub(super) async fn values_for(&self, sent: &Value) -> Result<Option<Vault>, VeilError> {
        let known = self.veil.known(self.owner, &sent.to_string()).await?;
        let Some(known) = known else { return Ok(None) };
        let mut glued = HashSet::new();
        each_text(&mut sent.clone(), &mut |text| {
            glued.extend(known.glued(text).map(str::to_owned));
        });
        let back = known.entries();
        let back =
            back.map(|(token, value, _)| Echo::of_token(value, token, glued.contains(token)));
        let mut back: Vec<Echo> = back.collect();
        // A value may be part of another one, which then is to be found whole.
        back.sort_by_key(|echo| std::cmp::Reverse(echo.length()));
        self.echoes().extend(back);
        Ok(Some(known))
    }

    /// One text as the server gets it, such as the address of a resource.
    ///
    /// # Errors
    /// As for [`take_off`](Self::take_off).
    pub async fn take_off_text(&self, tool: &str, text: &str) -> Result<String, VeilError> {
        let whole = self.take_off(tool, Value::String(text.to_owned())).await?;
        Ok(whole.as_str().map_or_else(|| text.to_owned(), str::to_owned))
    }

    /// A tool's answer, as whoever asked may see it.
    ///
    /// # Errors
    /// When what it stands for cannot be kept.
    pub async fn result(&self, mut result: ToolResult) -> Result<ToolResult, VeilError> {
        echo::in_result(&self.echoes(), &mut result);
        let replace = |tokenizer: &Tokenizer, vault: &mut Vault, mut result: ToolResult| {
            result.structured = result.structured.map(|value| json(tokenizer, vault, value));
            result.content.iter_mut().for_each(|one| part(tokenizer, vault, one));
            result
        };
        let bytes = result.content.iter().map(length).sum::<usize>()
            + result.structured.as_ref().map_or(0, size);
        self.hidden(bytes, result, replace).await
    }

    /// What a resource has.
    ///
    /// # Errors
    /// As for [`result`](Self::result).
    pub async fn resources(
        &self,
        mut resources: Vec<Resource>,
    ) -> Result<Vec<Resource>, VeilError> {
        {
            let echoes = self.echoes();
            for one in &mut resources {
                echo::in_resource(&echoes, one);
            }
        }
        let bytes = resources.iter().filter_map(|one| one.text.as_ref()).map(String::len).sum();
        let replace = |tokenizer: &Tokenizer, vault: &mut Vault, mut all: Vec<Resource>| {
            for one in &mut all {
                resource(tokenizer, vault, one);
            }
            all
        };
        self.hidden(bytes, resources, replace).await
    }

    /// A prompt, filled in.
    ///
    /// # Errors
    /// As for [`result`](Self::result).
    pub async fn prompt(&self, mut prompt: Prompt) -> Result<Prompt, VeilError> {
        {
            let echoes = self.echoes();
            let contents = prompt.messages.iter_mut().map(|message| &mut message.content);
            contents.for_each(|content| echo::in_part(&echoes, content));
        }
        let bytes = prompt.messages.iter().map(|message| length(&message.content)).sum();
        let replace = |tokenizer: &Tokenizer, vault: &mut Vault, mut prompt: Prompt| {
            for message in &mut prompt.messages {
                part(tokenizer, vault, &mut message.content);
            }
            if let Some(description) = &mut prompt.description {
                text(tokenizer, vault, description);
            }
            prompt
        };
        self.hidden(bytes, prompt, replace).await
    }

    /// Words, such as those of an error.
    ///
    /// # Errors
    /// As for [`result`](Self::result).
    pub async fn words(&self, mut words: String) -> Result<String, VeilError> {
        echo::in_text(&self.echoes(), &mut words);
        let bytes = words.len();
        self.hidden(bytes, words, |tokenizer, vault, mut words| {
            text(tokenizer, vault, &mut words);
            words
        })
        .await
    }

    /// The words of an error; where they cannot be looked through, others.
    pub async fn fault(&self, error: CallError) -> CallError {
        let CallError { kind, message } = error;
        let message = self.words(message).await.unwrap_or_else(|unseen| unseen.instead());
        CallError { kind, message }
    }

    /// Any data, such as a list.
    ///
    /// # Errors
    /// As for [`result`](Self::result).
    pub async fn data(&self, mut value: Value) -> Result<Value, VeilError> {
        echo::in_json(&self.echoes(), &mut value);
        self.hidden(size(&value), value, json).await
    }

    /// A reply as the protocol writes it: to a call, to the reading of a resource or of a prompt.
    /// What is no text is left as it is.
    ///
    /// # Errors
    /// As for [`result`](Self::result).
    pub async fn reply(&self, mut value: Value) -> Result<Value, VeilError> {
        echo::in_json(&self.echoes(), &mut value);
        self.hidden(size(&value), value, reply).await
    }

    fn echoes(&self) -> MutexGuard<'_, Vec<Echo>> {
        self.echoes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn hidden<T: Clone + Send + 'static>(
        &self,
        bytes: usize,
        value: T,
        replace: impl FnOnce(&Tokenizer, &mut Vault, T) -> T + Send + 'static,
    ) -> Result<T, VeilError> {
        let pii = self.pii;
        if pii == Pii::Off {
            return Ok(value);
        }
        let replace = move |tokenizer: &Tokenizer, vault: &mut Vault| {
            if pii == Pii::Tokenize {
                return replace(tokenizer, vault, value);
            }
            // It is handed over as it is, and what is found in it is not written down: later, nothing around it
            // says any more what it is.
            replace(tokenizer, vault, value.clone());
            value
        };
        self.veil.replaced(self.owner, bytes, replace).await
    }
}

impl VeilError {
    /// Why a call did not leave.
    pub(crate) fn before(&self) -> CallError {
        let kind = if matches!(self, Self::Secret(_)) { REFUSED } else { UNSENT };
        CallError { kind: kind.to_owned(), message: self.to_string() }
    }

    /// What is said in the place of words that cannot be looked through: these have no personal data.
    #[must_use]
    pub fn instead(&self) -> String {
        format!("the call failed, and why cannot be shown: {self}")
    }

    /// Why its answer cannot be handed over. What it did is done.
    pub(crate) fn after(&self) -> CallError {
        let message = format!("the call was carried out, and its answer cannot be shown: {self}");
        CallError { kind: UNANSWERED.to_owned(), message }
    }
}

/// Whether any text in it looks like a token or a handle, so that most arguments are passed on as they
/// are.
pub(super) fn may_stand_for_something(value: &Value) -> bool {
    let looks =
        |text: &str| {
            let bytes = text.as_bytes();
            let is_body = |one: &u8| one.is_ascii_lowercase() || one.is_ascii_digit();
            bytes.iter().enumerate().filter(|(_, one)| **one == b'_').any(|(at, _)| {
                bytes.get(at + 1..at + 13).is_some_and(|body| body.iter().all(is_body))
            })
        };
    match value {
        Value::String(text) => looks(text),
        Value::Array(items) => items.iter().any(may_stand_for_something),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| looks(key) || may_stand_for_something(value))
        }
        _ => false,
    }
}

/// Changes every text in a value, names of fields included.
fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(fields) => {
            let taken = std::mem::take(fields).into_iter();
            let changed = taken.map(|(mut key, mut value)| {
                change(&mut key);
                each_text(&mut value, change);
                (key, value)
            });
            *fields = changed.collect::<Map<_, _>>();
        }
        _ => {}
    }
}

/// About how long a part's text is.
fn length(part: &Part) -> usize {
    match part {
        Part::Text { text } => text.len(),
        Part::Resource(resource) => resource.text.as_ref().map_or(0, String::len),
        _ => 0,
    }
}

/// About how long a value is as JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(key, value)| key.len() + size(value)).sum(),
        _ => 4,
    }
}

fn text(tokenizer: &Tokenizer, vault: &mut Vault, text: &mut String) {
    if let Cow::Owned(replaced) = tokenizer.tokenize(text, vault) {
        *text = replaced;
    }
}

fn json(tokenizer: &Tokenizer, vault: &mut Vault, mut value: Value) -> Value {
    let written = value.to_string();
    match tokenizer.tokenize_json(&written, vault) {
        Ok(Cow::Borrowed(_)) => return value,
        Ok(Cow::Owned(replaced)) => {
            if let Ok(replaced) = serde_json::from_str(&replaced) {
                return replaced;
            }
        }
        Err(_nested_too_deep) => {}
    }
    each_text(&mut value, &mut |one| text(tokenizer, vault, one));
    value
}

fn part(tokenizer: &Tokenizer, vault: &mut Vault, one: &mut Part) {
    match one {
        Part::Text { text: words } => text(tokenizer, vault, words),
        Part::Resource(one) => resource(tokenizer, vault, one),
        Part::Link { uri, name, description, .. } => {
            for words in [uri, name].into_iter().chain(description) {
                text(tokenizer, vault, words);
            }
        }
        Part::Other { value } => *value = json(tokenizer, vault, value.take()),
        Part::Image { .. } | Part::Audio { .. } => {}
    }
}

fn resource(tokenizer: &Tokenizer, vault: &mut Vault, one: &mut Resource) {
    for words in [Some(&mut one.uri), one.text.as_mut()].into_iter().flatten() {
        text(tokenizer, vault, words);
    }
}

/// Fields of the protocol that say nothing about anybody, and what is no text.
const PLAIN: [&str; 11] = [
    "_meta",
    "resultType",
    "requestState",
    "isError",
    "type",
    "role",
    "mimeType",
    "annotations",
    "data",
    "blob",
    "size",
];

fn reply(tokenizer: &Tokenizer, vault: &mut Vault, mut value: Value) -> Value {
    let Value::Object(fields) = &mut value else { return json(tokenizer, vault, value) };
    for (key, value) in fields {
        match key.as_str() {
            plain if PLAIN.contains(&plain) => {}
            "content" | "contents" | "messages" | "resource" => {
                *value = match value.take() {
                    Value::Array(items) => {
                        items.into_iter().map(|item| reply(tokenizer, vault, item)).collect()
                    }
                    one => reply(tokenizer, vault, one),
                }
            }
            _ => match value {
                Value::String(words) => text(tokenizer, vault, words),
                _ => *value = json(tokenizer, vault, value.take()),
            },
        }
    }
    value
}
