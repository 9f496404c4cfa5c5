//! What is kept of a log-in, and the promise of a place that keeps it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use catalog::ServerName;
use url::Url;

use crate::secret::Secret;
use crate::settings::Http;

/// Which log-in is meant. Both parts count, so that a server whose address is changed in the
/// configuration never gets the tokens of the old address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LoginKey {
    /// The server's name.
    pub server: ServerName,
    /// Its address, without the fragment, which is never sent.
    pub url: Url,
}

impl LoginKey {
    /// The key of a configured server.
    #[must_use]
    pub fn new(server: &ServerName, http: &Http) -> Self {
        let mut url = http.url.clone();
        url.set_fragment(None);
        Self { server: server.clone(), url }
    }
}

/// What is kept of a log-in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredLogin {
    /// The client we are to the authorization server.
    pub client_id: String,
    /// Its secret, if it was given one.
    pub client_secret: Option<Secret<String>>,
    /// How it was registered to say who it is (`client_secret_post`), if that was said.
    pub auth_method: Option<String>,
    /// The authorization server that issued the tokens; no other gets to see them.
    pub issuer: Option<String>,
    /// What was granted.
    pub scopes: Vec<String>,
    /// The server's last `WWW-Authenticate`, which says where its authorization server is and
    /// which scopes are missing.
    pub challenge: Option<String>,
    /// The tokens; none once the authorization server has refused them.
    pub tokens: Option<StoredTokens>,
}

/// The tokens of a log-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTokens {
    /// Sent with every request.
    pub access: Secret<String>,
    /// Gets the next access token.
    pub refresh: Option<Secret<String>>,
    /// When to get it, in seconds since 1970.
    pub renew_at: Option<u64>,
    /// When the access token ends, in seconds since 1970.
    pub expires_at: Option<u64>,
}

/// How long before its end a token is renewed, if it lives long enough for that.
const MARGIN: Duration = Duration::from_secs(60);

impl StoredTokens {
    /// Tokens that were received just now.
    #[must_use]
    pub fn received(
        access: Secret<String>,
        refresh: Option<Secret<String>>,
        lifetime: Option<Duration>,
    ) -> Self {
        let now = now();
        let margin = lifetime.map(|lifetime| MARGIN.min(lifetime / 2));
        let at = |after: Duration| now.saturating_add(after.as_secs());
        Self {
            access,
            refresh,
            renew_at: lifetime
                .zip(margin)
                .map(|(lifetime, margin)| at(lifetime.saturating_sub(margin))),
            expires_at: lifetime.map(at),
        }
    }

    /// Whether it is time for the next access token.
    pub(crate) fn is_due(&self) -> bool {
        self.renew_at.is_some_and(|at| now() >= at)
    }

    /// Whether the access token is of no use any more.
    pub(crate) fn is_over(&self) -> bool {
        self.expires_at.is_some_and(|at| now() >= at)
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Why a place could not keep or give a log-in.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Others could read or replace it.
    #[error("{} may be used by others (mode {mode:03o}); run `chmod {wanted:03o} {}`", .path.display(), .path.display())]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
        /// Those it must have.
        wanted: u32,
    },
    /// It belongs to somebody else.
    #[error("{} belongs to another user; remove it or use another folder", .path.display())]
    Foreign {
        /// The file or folder.
        path: PathBuf,
    },
    /// It is not what we wrote.
    #[error("{} is not a stored log-in ({reason}); remove it and log in again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The operating system refused.
    #[error("the log-in cannot be {action} ({}): {reason}", .path.display())]
    Failed {
        /// What was attempted: "read".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Another process keeps it locked.
    #[error("another process has been renewing the log-in for {} s ({}); try again", .waited.as_secs(), .path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
        /// How long we waited.
        waited: Duration,
    },
}

/// Held while a log-in is renewed or replaced; dropping it lets the next one in.
pub struct StoreLock {
    _held: Box<dyn Send + Sync>,
}

impl StoreLock {
    /// Wraps whatever must be held.
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        Self { _held: Box::new(held) }
    }
}

/// A place that keeps log-ins.
///
/// * **Exact.** A key finds only what was saved under an equal key.
/// * **Whole.** A reader sees the log-in before a `save` or after it, nothing in between.
/// * **Exclusive.** One [`StoreLock`] for a key exists at a time, across processes if what is
///   kept is shared across processes. `load` and `save` do not need it.
#[async_trait]
pub trait TokenStore: Send + Sync {
    /// What is kept under a key.
    async fn load(&self, key: &LoginKey) -> Result<Option<StoredLogin>, StoreError>;

    /// Keeps a log-in, in place of any other under the key.
    async fn save(&self, key: &LoginKey, login: &StoredLogin) -> Result<(), StoreError>;

    /// Forgets a log-in; says whether there was one.
    async fn remove(&self, key: &LoginKey) -> Result<bool, StoreError>;

    /// Waits for the exclusive right to replace the log-in.
    async fn lock(&self, key: &LoginKey) -> Result<StoreLock, StoreError>;
}

/// Keeps log-ins as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryTokens {
    logins: Mutex<HashMap<LoginKey, StoredLogin>>,
    locks: Mutex<HashMap<LoginKey, Arc<tokio::sync::Mutex<()>>>>,
}

#[async_trait]
impl TokenStore for MemoryTokens {
    async fn load(&self, key: &LoginKey) -> Result<Option<StoredLogin>, StoreError> {
        Ok(self.logins.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned())
    }

    async fn save(&self, key: &LoginKey, login: &StoredLogin) -> Result<(), StoreError> {
        self.logins
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key.clone(), login.clone());
        Ok(())
    }

    async fn remove(&self, key: &LoginKey) -> Result<bool, StoreError> {
        Ok(self.logins.lock().unwrap_or_else(PoisonError::into_inner).remove(key).is_some())
    }

    async fn lock(&self, key: &LoginKey) -> Result<StoreLock, StoreError> {
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(locks.entry(key.clone()).or_default())
        };
        Ok(StoreLock::new(lock.lock_owned().await))
    }
}
