//! Log-ins as files only their owner can read.
//!
//! One JSON file per log-in. Beside it lies a lock file that is never removed while others may
//! wait for it: whoever locks a removed file would be alone with it.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::store::{LoginKey, StoreError, StoreLock, StoredLogin, StoredTokens, TokenStore};
use crate::secret::Secret;

/// Bytes a stored log-in may have; what we write is far smaller.
const FILE_BYTES: u64 = 1 << 20;
/// How long to wait for another process that renews the same log-in.
const LOCK_WAIT: Duration = Duration::from_secs(60);
/// How often to see whether it is done.
const LOCK_POLL: Duration = Duration::from_millis(25);

/// Keeps log-ins in a folder.
#[derive(Debug, Clone)]
pub struct FileTokens {
    folder: PathBuf,
}

impl FileTokens {
    /// Uses a folder, which is made when something is first saved.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where a log-in is kept: readable for people, and distinct for every name and address.
    #[must_use]
    pub fn path(&self, key: &LoginKey) -> PathBuf {
        self.folder.join(format!("{}.json", stem(key)))
    }

    /// Makes the folder, or checks that nobody else can put files into it.
    fn prepare(&self) -> Result<(), StoreError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
            .map_err(|error| failed("kept", &self.folder, &error))?;
        let metadata =
            fs::metadata(&self.folder).map_err(|error| failed("kept", &self.folder, &error))?;
        check(&self.folder, &metadata, 0o700)
    }
}

#[async_trait]
impl TokenStore for FileTokens {
    async fn load(&self, key: &LoginKey) -> Result<Option<StoredLogin>, StoreError> {
        let path = self.path(key);
        let file = match OpenOptions::new().read(true).custom_flags(no_links()).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed("read", &path, &error)),
        };
        let metadata = file.metadata().map_err(|error| failed("read", &path, &error))?;
        check(&path, &metadata, 0o600)?;

        let mut text = String::new();
        file.take(FILE_BYTES)
            .read_to_string(&mut text)
            .map_err(|error| failed("read", &path, &error))?;
        let written: Written =
            serde_json::from_str(&text).map_err(|error| StoreError::Damaged {
                path: path.clone(),
                // The text around a mistake may be a token; only its place is told.
                reason: format!("line {}, column {}", error.line(), error.column()),
            })?;
        if written.server != key.server.0 || written.url != key.url.as_str() {
            return Err(StoreError::Damaged {
                path,
                reason: "it belongs to another server or address".into(),
            });
        }
        Ok(Some(written.login()))
    }

    async fn save(&self, key: &LoginKey, login: &StoredLogin) -> Result<(), StoreError> {
        self.prepare()?;
        let path = self.path(key);
        let text = serde_json::to_vec_pretty(&Written::of(key, login)).map_err(|error| {
            StoreError::Failed { action: "kept", path: path.clone(), reason: error.to_string() }
        })?;
        let write = || {
            let mut file = tempfile::Builder::new()
                .prefix(".login-")
                .permissions(fs::Permissions::from_mode(0o600))
                .tempfile_in(&self.folder)?;
            file.write_all(&text)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)
        };
        write().map_err(|error| failed("kept", &path, &error))?;
        Ok(())
    }

    async fn remove(&self, key: &LoginKey) -> Result<bool, StoreError> {
        let path = self.path(key);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed("removed", &path, &error)),
        }
    }

    async fn lock(&self, key: &LoginKey) -> Result<StoreLock, StoreError> {
        self.prepare()?;
        let path = self.folder.join(format!("{}.lock", stem(key)));
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .custom_flags(no_links())
            .open(&path)
            .map_err(|error| failed("locked", &path, &error))?;
        wait_for(file, path).await
    }
}

/// Asks again and again instead of blocking, so that whoever waits can be cancelled.
async fn wait_for(file: File, path: PathBuf) -> Result<StoreLock, StoreError> {
    let deadline = Instant::now() + LOCK_WAIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(StoreLock::new(file)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                tokio::time::sleep(LOCK_POLL).await;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Busy { path, waited: LOCK_WAIT });
            }
            Err(TryLockError::Error(error)) => return Err(failed("locked", &path, &error)),
        }
    }
}

/// A file name for a key. The readable part is only for people; the digest decides.
fn stem(key: &LoginKey) -> String {
    let readable: String = key
        .server
        .0
        .chars()
        .take(40)
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' })
        .collect();
    let digest = Sha256::new()
        .chain_update(&key.server.0)
        .chain_update([0])
        .chain_update(key.url.as_str())
        .finalize();
    // Half of it is enough to tell any two apart.
    let half = digest.iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    format!("{readable}-{half}")
}

/// Links are not followed: whoever could place one would choose what we read or overwrite.
fn no_links() -> i32 {
    OFlags::NOFOLLOW.bits().cast_signed()
}

/// Refuses what others own or may use.
fn check(path: &Path, metadata: &fs::Metadata, wanted: u32) -> Result<(), StoreError> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(StoreError::Foreign { path: path.to_path_buf() });
    }
    let mode = metadata.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(StoreError::Open { path: path.to_path_buf(), mode, wanted });
    }
    Ok(())
}

fn failed(action: &'static str, path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Failed { action, path: path.to_path_buf(), reason: error.to_string() }
}

/// The file's content. Separate from [`StoredLogin`], which nothing can serialize by accident.
#[derive(Serialize, Deserialize)]
struct Written {
    server: String,
    url: String,
    client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    auth_method: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    challenge: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<WrittenTokens>,
}

#[derive(Serialize, Deserialize)]
struct WrittenTokens {
    access: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refresh: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    renew_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
}

impl Written {
    fn of(key: &LoginKey, login: &StoredLogin) -> Self {
        let reveal = |secret: &Secret<String>| secret.reveal().clone();
        Self {
            server: key.server.0.clone(),
            url: key.url.to_string(),
            client_id: login.client_id.clone(),
            client_secret: login.client_secret.as_ref().map(reveal),
            auth_method: login.auth_method.clone(),
            issuer: login.issuer.clone(),
            scopes: login.scopes.clone(),
            challenge: login.challenge.clone(),
            tokens: login.tokens.as_ref().map(|tokens| WrittenTokens {
                access: reveal(&tokens.access),
                refresh: tokens.refresh.as_ref().map(reveal),
                renew_at: tokens.renew_at,
                expires_at: tokens.expires_at,
            }),
        }
    }

    fn login(self) -> StoredLogin {
        StoredLogin {
            client_id: self.client_id,
            client_secret: self.client_secret.map(Secret::new),
            auth_method: self.auth_method,
            issuer: self.issuer,
            scopes: self.scopes,
            challenge: self.challenge,
            tokens: self.tokens.map(|tokens| StoredTokens {
                access: Secret::new(tokens.access),
                refresh: tokens.refresh.map(Secret::new),
                renew_at: tokens.renew_at,
                expires_at: tokens.expires_at,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use catalog::ServerName;
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    fn key(server: &str, url: &str) -> LoginKey {
        LoginKey { server: ServerName(server.to_owned()), url: Url::parse(url).unwrap() }
    }

    proptest! {
        #[test]
        fn every_name_and_address_has_a_file_of_its_own_in_the_folder(one in ".{0,80}", other in ".{0,80}") {
            let store = FileTokens::new("/logins");
            let path = store.path(&key(&one, "https://a.example/mcp"));
            prop_assert_eq!(path.parent(), Some(Path::new("/logins")));
            prop_assert!(path.file_name().unwrap().len() < 100);
            prop_assert_ne!(&path, &store.path(&key(&one, "https://b.example/mcp")));
            if one != other {
                prop_assert_ne!(&path, &store.path(&key(&other, "https://a.example/mcp")));
            }
        }
    }

    #[tokio::test]
    async fn a_link_in_the_place_of_a_log_in_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileTokens::new(folder.path().join("logins"));
        let key = key("server", "https://a.example/mcp");
        store.save(&key, &StoredLogin::default()).await.unwrap();
        let path = store.path(&key);
        fs::rename(&path, folder.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &path).unwrap();
        assert!(matches!(store.load(&key).await, Err(StoreError::Failed { action: "read", .. })));
    }

    #[tokio::test]
    async fn a_folder_others_can_use_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let store = FileTokens::new(folder.path());
        let refusal = store
            .save(&key("server", "https://a.example/"), &StoredLogin::default())
            .await
            .unwrap_err();
        let wanted = format!("run `chmod 700 {}`", folder.path().display());
        assert!(refusal.to_string().ends_with(&wanted), "{refusal}");
    }

    #[tokio::test]
    async fn a_log_in_of_before_is_read_and_one_of_now_keeps_all() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileTokens::new(folder.path().join("logins"));
        let key = key("server", "https://a.example/mcp");
        let login = StoredLogin {
            client_id: "c".to_owned(),
            client_secret: Some(Secret::new("s".to_owned())),
            auth_method: Some("client_secret_post".to_owned()),
            ..StoredLogin::default()
        };
        store.save(&key, &login).await.unwrap();
        assert_eq!(store.load(&key).await.unwrap().as_ref(), Some(&login));

        let before = r#"{"server": "server", "url": "https://a.example/mcp", "client_id": "c",
            "client_secret": "s", "scopes": []}"#;
        fs::write(store.path(&key), before).unwrap();
        let before = StoredLogin { auth_method: None, ..login };
        assert_eq!(store.load(&key).await.unwrap(), Some(before));
    }

    #[tokio::test]
    async fn what_is_damaged_is_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileTokens::new(folder.path().join("logins"));
        let key = key("server", "https://a.example/mcp");
        store.save(&key, &StoredLogin::default()).await.unwrap();
        fs::write(store.path(&key), "{\"server\": hunter2").unwrap();
        let problem = store.load(&key).await.unwrap_err().to_string();
        assert!(problem.contains("line 1, column 12") && !problem.contains("hunter2"), "{problem}");
    }
}
