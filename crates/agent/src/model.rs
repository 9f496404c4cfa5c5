//! Models: one request in one of four wire formats, made again where that may help.
//!
//! A provider is somebody else's machine: what it sends is bounded, what it says is shown without the key,
//! and it is sent nowhere that it redirects to. Reading order: this file, [`message`] (what is said),
//! `wire` (what a format is), then one file for each format.

mod anthropic;
mod draft;
mod fault;
mod frames;
mod gemini;
pub mod message;
mod ollama;
mod openai;
mod wire;

use std::borrow::Cow;
use std::time::Duration;

use http::header;
use metrics::counter;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::Value;
use tracing::debug;
use upstream::Secret;

use self::fault::Failure;
pub use self::fault::ModelError;
use self::frames::Frames;
use self::message::{Prompt, Reply, Usage};
use self::wire::{Wire, WireError};
use crate::settings::{ModelSettings, ProviderName};

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(15);
/// The longest that is waited before a request is made again.
const MOST_WAIT: Duration = Duration::from_secs(30);
/// Bytes of an error that are read,
const ERROR_BYTES: usize = 64 << 10;
/// and letters that are shown.
const ERROR_LETTERS: usize = 500;

/// What is told of a reply while it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told<'a> {
    /// More words.
    Text(&'a str),
    /// What was told does not count: it broke off and is asked for again.
    Anew,
    /// A reply broke off, or cannot be used, and had taken so much. Providers count it all the same.
    Lost(Usage),
}

/// What came of a reply.
#[derive(Default)]
struct Came {
    /// The provider began to reply, so that it has read the prompt.
    has_begun: bool,
    /// Its words.
    text: String,
}

/// Hears a reply while it comes.
pub type Listener<'a> = dyn FnMut(Told<'_>) + Send + 'a;

/// A model that can be asked.
pub struct Model {
    client: Client,
    settings: ModelSettings,
    wire: Box<dyn Wire>,
}

impl Model {
    /// A model, of which nothing is known yet.
    pub fn new(settings: ModelSettings) -> Result<Self, ModelError> {
        let client = Client::builder()
            // Whoever is redirected to would get the key, too.
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECT)
            .user_agent(concat!("tidegate/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| ModelError::Settings(reason(&error)))?;
        let wire: Box<dyn Wire> = match settings.provider {
            ProviderName::Anthropic => Box::new(anthropic::Anthropic),
            ProviderName::OpenAi | ProviderName::Compatible => Box::new(openai::OpenAi),
            ProviderName::Gemini => Box::new(gemini::Gemini),
            ProviderName::Ollama => Box::new(ollama::Ollama),
        };
        Ok(Self { client, settings, wire })
    }

    /// Asks `model` of this provider, and again where that may help, as long as there are tokens left for it.
    pub async fn complete(
        &self,
        model: &str,
        prompt: &Prompt,
        told: &mut Listener<'_>,
    ) -> Result<Reply, ModelError> {
        let mut prompt = Cow::Borrowed(prompt);
        let mut tries = 0;
        loop {
            tries += 1;
            let mut came = Came::default();
            let failure = match self.once(model, &prompt, told, &mut came).await {
                Ok(reply) => {
                    outcome("ok");
                    return Ok(counted(&prompt, reply));
                }
                Err(failure) => failure,
            };
            let mut has_more = true;
            if let Some(used) = came.used(&prompt) {
                told(Told::Lost(used));
                has_more = prompt.to_mut().has_more_after(used);
            }
            if !failure.passes || tries > self.settings.retries || !has_more {
                outcome("failed");
                return Err(match failure.error {
                    ModelError::Cut { provider, .. } => ModelError::Cut { provider, tries },
                    other => other,
                });
            }
            let doubled = self.settings.retry_after * 2_u32.saturating_pow(tries - 1);
            let wait = failure.wait.unwrap_or_else(|| doubled.min(MOST_WAIT));
            if wait > MOST_WAIT {
                outcome("failed");
                return Err(ModelError::Busy { provider: self.provider(), wait, most: MOST_WAIT });
            }
            outcome("again");
            debug!(provider = self.provider(), tries, error = %failure.error, "a model is asked again");
            if !came.text.is_empty() {
                told(Told::Anew);
            }
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(
        &self,
        model: &str,
        prompt: &Prompt,
        told: &mut Listener<'_>,
        came: &mut Came,
    ) -> Result<Reply, Failure> {
        let most = self.settings.timeout;
        let asked = self.asked(model, prompt, told, came);
        tokio::time::timeout(most, asked).await.unwrap_or_else(|_| {
            Err(Failure::lasting(ModelError::TooSlow { provider: self.provider(), most }))
        })
    }

    async fn asked(
        &self,
        model: &str,
        prompt: &Prompt,
        told: &mut Listener<'_>,
        came: &mut Came,
    ) -> Result<Reply, Failure> {
        let call = self.wire.call(&self.settings, model, prompt);
        let call = call.map_err(|words| Failure::lasting(ModelError::Settings(words)))?;
        let request = self.client.post(call.url).headers(call.headers).json(&call.body);
        let mut response = request.send().await.map_err(|error| self.unreachable(error))?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        came.has_begun = true;
        let mut frames = Frames::new(self.wire.framing());
        let mut reader = self.wire.reader();
        let mut tell = |text: &str| {
            came.text.push_str(text);
            told(Told::Text(text));
        };
        while !reader.is_whole() {
            let Some(piece) = response.chunk().await.map_err(|_| self.cut())? else { break };
            let whole = frames.push(&piece);
            for frame in whole.map_err(|error| self.unreadable(error.to_string()))? {
                reader.take(&frame, &mut tell).map_err(|error| self.wrong(error))?;
            }
        }
        let is_stream = frames.is_stream();
        if !reader.is_whole() {
            for frame in frames.end() {
                if let Some(words) = error_in(&frame).filter(|_| !is_stream) {
                    return Err(self.wrong(WireError::Told { words, passes: true }));
                }
                // What broke off in the middle of a frame is no mistake of the format.
                reader.take(&frame, &mut tell).map_err(|error| match error {
                    WireError::Invalid(_) => self.cut(),
                    other => self.wrong(other),
                })?;
            }
        }
        reader.reply().map_err(|error| match error {
            WireError::Cut if !is_stream => {
                self.unreadable("it is one JSON text, and no stream of events".to_owned())
            }
            other => self.wrong(other),
        })
    }

    fn provider(&self) -> &'static str {
        self.settings.provider.name()
    }

    fn unreachable(&self, error: reqwest::Error) -> Failure {
        Failure::passing(ModelError::Unreachable {
            provider: self.provider(),
            host: self.settings.url.host_str().unwrap_or_default().to_owned(),
            reason: self.without_key(&reason(&error.without_url())),
        })
    }

    fn cut(&self) -> Failure {
        Failure::passing(ModelError::Cut { provider: self.provider(), tries: 1 })
    }

    fn unreadable(&self, problem: String) -> Failure {
        Failure::lasting(ModelError::Unreadable { provider: self.provider(), problem })
    }

    fn wrong(&self, error: WireError) -> Failure {
        match error {
            WireError::Invalid(problem) => self.unreadable(problem),
            WireError::Cut => self.cut(),
            WireError::Told { words, passes } => {
                let said = self.without_key(&words);
                let error = ModelError::Told { provider: self.provider(), said };
                Failure { error, passes, wait: None }
            }
        }
    }

    /// What an answer that is no reply says.
    async fn refused(&self, mut response: Response) -> Failure {
        let status = response.status().as_u16();
        let wait = response.headers().get(header::RETRY_AFTER);
        let wait = wait.and_then(|wait| wait.to_str().ok()?.trim().parse::<f64>().ok());
        let wait = wait.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let mut body = Vec::new();
        while let Ok(Some(piece)) = response.chunk().await {
            body.extend_from_slice(&piece);
            if body.len() >= ERROR_BYTES {
                break;
            }
        }
        let next = match status {
            401 | 403 => "check `[ask] key`",
            404 => "check `[ask] model` and `[ask] url`",
            429 => "try again later, or ask less at once",
            400..=499 => "check `[ask] model` and the other settings of `[ask]`",
            300..=399 => "name the address that it leads to as `[ask] url`",
            _ => "try again later",
        };
        let said = self.without_key(&told_in(&body));
        let error = ModelError::Status { provider: self.provider(), status, said, next };
        let passes = matches!(status, 408 | 409 | 429 | 500..=599);
        Failure { error, passes, wait }
    }

    /// Words of somebody else's, cut, and without the key that some repeat.
    fn without_key(&self, words: &str) -> String {
        let key = self.settings.key.as_ref().map(Secret::reveal).filter(|key| !key.is_empty());
        let words = match key {
            Some(key) => words.replace(key.as_str(), "***"),
            None => words.to_owned(),
        };
        let seen = |letter: char| if letter.is_control() { ' ' } else { letter };
        words.chars().map(seen).take(ERROR_LETTERS).collect()
    }
}

impl Came {
    /// What it took, where there is no reply that says so.
    fn used(&self, prompt: &Prompt) -> Option<Usage> {
        let output = || budget::count(&self.text) as u64;
        let used = || Usage { input: prompt.tokens(), output: output(), estimated: true };
        self.has_begun.then(used)
    }
}

/// What a body says that is an error, whatever its status is.
fn error_in(body: &str) -> Option<String> {
    let read: Value = serde_json::from_str(body).ok()?;
    let first = read.get(0).unwrap_or(&read);
    first.get("error").filter(|error| !error.is_null())?;
    Some(told_in(body.as_bytes()))
}

/// What the body of an error says.
fn told_in(body: &[u8]) -> String {
    let read: Option<Value> = serde_json::from_slice(body).ok();
    // One format sends a list of one.
    let read = read.map(|value| value.get(0).cloned().unwrap_or(value));
    let words = read.as_ref().and_then(|value| {
        let error = &value["error"];
        error["message"].as_str().or(error.as_str()).or(value["message"].as_str())
    });
    match words {
        Some(words) => words.to_owned(),
        None if body.is_empty() => "nothing more".to_owned(),
        None => String::from_utf8_lossy(body).into_owned(),
    }
}

/// What was behind an error.
fn reason(error: &reqwest::Error) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        words = format!("{words}: {next}");
        cause = next.source();
    }
    words
}

/// A reply with its tokens, counted here if the provider did not.
fn counted(prompt: &Prompt, mut reply: Reply) -> Reply {
    if reply.usage.estimated {
        reply.usage.input = prompt.tokens();
        reply.usage.output = reply.tokens();
    }
    reply
}

fn outcome(outcome: &'static str) {
    counter!("tidegate_model_requests_total", "outcome" => outcome).increment(1);
}
