//! What every wire format is: how a prompt is sent, and how what comes back is read.

use http::{HeaderMap, HeaderValue};
use serde_json::Value;
use url::Url;

use super::frames::Framing;
use super::message::{Prompt, Reply};
use crate::settings::ModelSettings;

/// A request as it goes out.
pub(super) struct Call {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

/// Why a reply cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WireError {
    /// It is not what the format says.
    Invalid(String),
    /// The provider itself says that something went wrong.
    Told {
        /// In its own words.
        words: String,
        /// It may go well the next time.
        passes: bool,
    },
    /// It ended before its end.
    Cut,
}

/// A wire format. Every one keeps two promises:
///
/// * **The end is known.** A reply that broke off is [`WireError::Cut`], never a short answer.
/// * **Nothing is believed.** Whatever comes is read without panicking, in bounded memory.
pub(super) trait Wire: Send + Sync {
    /// The request that a prompt is.
    fn call(&self, settings: &ModelSettings, model: &str, prompt: &Prompt) -> Result<Call, String>;

    /// How replies are cut into frames.
    fn framing(&self) -> Framing;

    /// Reads one reply.
    fn reader(&self) -> Box<dyn Reader>;
}

/// Reads one reply, frame by frame.
pub(super) trait Reader: Send {
    /// Takes a frame; words in it are told at once.
    fn take(&mut self, frame: &str, told: &mut dyn FnMut(&str)) -> Result<(), WireError>;

    /// Whether nothing more is to come.
    fn is_whole(&self) -> bool;

    /// What all of them together are.
    fn reply(self: Box<Self>) -> Result<Reply, WireError>;
}

/// A frame as JSON.
pub(super) fn json(frame: &str) -> Result<Value, WireError> {
    serde_json::from_str(frame)
        .map_err(|error| WireError::Invalid(format!("a part of it is no JSON ({error})")))
}

/// An address below the configured one.
pub(super) fn below(url: &Url, path: &str) -> Url {
    let mut whole = url.clone();
    whole.set_query(None);
    let base = whole.path().trim_end_matches('/').to_owned();
    whole.set_path(&format!("{base}/{path}"));
    whole
}

/// A header that is shown nowhere.
pub(super) fn hidden(value: &str) -> Result<HeaderValue, String> {
    let mut header = HeaderValue::from_str(value)
        .map_err(|_| "the key has letters that no header can have; check `[ask] key`".to_owned())?;
    header.set_sensitive(true);
    Ok(header)
}

/// A number that may be missing.
pub(super) fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// Numbers of somebody else's together, whose sum need not be one.
pub(super) fn sum(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0, u64::saturating_add)
}

/// A text that may be missing.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
