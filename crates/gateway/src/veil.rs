//! What stands between tools and whoever must not see what they answer.
//!
//! ```text
//! program ──arguments with tokens and handles──► Cover: values put back ──► server
//! program ◄──────── tokens and handles ──────── Cover: values taken out ◄─── answer
//! ```
//!
//! Personal data is replaced by tokens that belong to an owner; secrets are handles that belong to a
//! run. Three things hold throughout:
//!
//! * What cannot be replaced is not handed over: where values cannot be kept, the call fails.
//! * A token of one owner means nothing in a call of another.
//! * What was put back for a call is taken out of its answer, whatever its server is told to hide.
//!
//! Reading order: [`Veil`], then `cover` (one call), `request` (one to a host), `values` (what tokens stand for,
//! on disk), `secrets` (handles), `seen` and `records` (what is kept of runs).

mod cover;
mod echo;
mod percent;
mod records;
mod request;
mod secrets;
mod seen;
mod values;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use std::time::Duration;

use policy::Glob;
use privacy::{Detector, Key, SettingsError, Tokenizer, Vault};
use serde::{Deserialize, Serialize};

pub use self::cover::Cover;
pub(crate) use self::secrets::REFUSED as SECRET_REFUSED;
use self::secrets::Secrets;
pub use self::secrets::{Held, SecretError};
use self::seen::Seen;
use self::values::{Kept, Values};

/// Texts longer than this are looked through on another thread.
const LONG: usize = 256 << 10;

/// Who does not see the personal data that a tool answers with.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Pii {
    /// Nobody is kept from it.
    #[default]
    Off,
    /// Logs and what is stored of runs have tokens instead.
    Logs,
    /// Programs and models have tokens, too.
    Tokenize,
}

impl Pii {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Logs => "logs",
            Self::Tokenize => "tokenize",
        }
    }
}

/// What an operator decided about personal data and secrets.
#[derive(Debug, Clone)]
pub struct VeilSettings {
    /// What counts as personal.
    pub personal: privacy::Settings,
    /// How long a value is kept after it was last seen or put back.
    pub keep: Duration,
    /// Values that are kept of one owner.
    pub most: u64,
    /// The tools, as `server.tool`, that each secret may go to.
    pub allow: BTreeMap<String, Vec<Glob>>,
}

impl Default for VeilSettings {
    fn default() -> Self {
        Self {
            personal: privacy::Settings::default(),
            keep: Duration::from_secs(30 * 24 * 3600),
            most: 100_000,
            allow: BTreeMap::new(),
        }
    }
}

/// Why something could not be replaced or put back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VeilError {
    /// A file that is needed cannot be used.
    #[error("personal data cannot be replaced: {}: {source}; check the folder's permissions and free space", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The key is none.
    #[error("personal data cannot be replaced: {} is no key of 32 bytes; put it back from a copy, or remove its folder, after which earlier tokens mean nothing", .0.display())]
    Key(PathBuf),
    /// The database refused.
    #[error("personal data cannot be replaced: the database of values cannot be used: {0}")]
    Database(#[from] sqlx::Error),
    /// A text could not be looked through.
    #[error("personal data cannot be replaced: a text could not be looked through")]
    Unread,
    /// A secret may not go there.
    #[error(transparent)]
    Secret(#[from] SecretError),
}

/// Replaces personal data and secrets, and puts them back.
#[derive(Debug)]
pub struct Veil {
    detector: Arc<Detector>,
    values: Values,
    /// What was found in answers, for what is kept and logged.
    seen: Arc<RwLock<Seen>>,
    secrets: Secrets,
    /// For what no owner ever puts back: lines of logs.
    passing: Key,
}

impl Veil {
    /// Keeps what tokens stand for in `folder`, which is made when first needed; without one, in
    /// memory.
    ///
    /// # Errors
    /// When the settings make no sense.
    pub fn new(
        folder: Option<PathBuf>,
        settings: VeilSettings,
    ) -> Result<Arc<Self>, SettingsError> {
        let VeilSettings { personal, keep, most, allow } = settings;
        Ok(Arc::new(Self {
            detector: Arc::new(Detector::new(&personal)?),
            values: Values::new(folder, Kept { keep, most }),
            seen: Arc::default(),
            secrets: Secrets::new(allow),
            passing: values::fresh_key(),
        }))
    }

    /// One that has nothing on disk, with the usual settings.
    ///
    /// # Panics
    /// Never: the usual settings make sense.
    #[must_use]
    pub fn in_memory() -> Arc<Self> {
        Self::new(None, VeilSettings::default()).expect("the usual settings make sense")
    }

    /// What stands between one call and its server.
    #[must_use]
    pub fn over<'a>(&'a self, pii: Pii, owner: &'a str, run: &'a str) -> Cover<'a> {
        Cover::new(self, pii, owner, run)
    }

    /// A line for a log, without personal data. Its tokens cannot be put back.
    #[must_use]
    pub fn logged(&self, line: &str) -> String {
        let tokenizer = Tokenizer::new(Arc::clone(&self.detector), self.passing.clone());
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        let line = seen.logged(line, &self.passing);
        tokenizer.tokenize(&line, &mut Vault::new(usize::MAX)).into_owned()
    }

    /// Removes values that nobody has seen for long, and those that are too many.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn forget(&self) -> Result<u64, VeilError> {
        let gone = self.values.forget().await?;
        if gone > 0 {
            self.seen_now().forget();
        }
        Ok(gone)
    }

    fn seen_now(&self) -> RwLockWriteGuard<'_, Seen> {
        self.seen.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces what is personal in something, and keeps what it stands for.
    async fn replaced<T: Send + 'static>(
        &self,
        owner: &str,
        bytes: usize,
        replace: impl FnOnce(&Tokenizer, &mut Vault) -> T + Send + 'static,
    ) -> Result<T, VeilError> {
        let key = self.values.key(owner).await?;
        let tokenizer = Tokenizer::new(Arc::clone(&self.detector), key);
        let work = move || {
            let mut vault = Vault::new(usize::MAX);
            let done = replace(&tokenizer, &mut vault);
            (done, vault)
        };
        let (done, vault) = if bytes < LONG {
            work()
        } else {
            tokio::task::spawn_blocking(work).await.map_err(|_panicked| VeilError::Unread)?
        };
        self.values.keep(owner, &vault).await?;
        if !vault.is_empty() {
            self.seen_now().take(owner, &vault);
        }
        Ok(done)
    }

    /// What the tokens in a text stand for, as far as this owner has them.
    async fn known(&self, owner: &str, text: &str) -> Result<Option<Vault>, VeilError> {
        let possible = self.detector.possible_tokens(text);
        if possible.is_empty() {
            return Ok(None);
        }
        self.values.known(owner, &possible).await
    }
}

#[cfg(test)]
mod tests;
