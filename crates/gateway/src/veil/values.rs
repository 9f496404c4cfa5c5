//! What tokens stand for: a key and a database that nobody but the owner of the folder can read.
//!
//! ```text
//! FOLDER/key         32 bytes of chance, made once; each owner's key is derived from it
//! FOLDER/values.db   owner, token, value, and when it was last seen
//! ```
//!
//! A value is on disk before its token is handed to anybody. Processes share the folder: whoever
//! comes first makes the key, and tokens of one are known to the others.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use privacy::{Key, Vault};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Row as _, SqlitePool};
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::VeilError;
use crate::service::Moment;

const KEY: &str = "key";
const DATABASE: &str = "values.db";

/// Values of all owners that are remembered in memory at most,
const MOST_REMEMBERED: usize = 200_000;
/// and for how long: what is seen again after that is said to have been seen.
const REMEMBERED: Duration = Duration::from_secs(3600);

const SCHEMA: [&str; 2] = [
    "CREATE TABLE IF NOT EXISTS personal (
        owner TEXT NOT NULL,
        token TEXT NOT NULL,
        value TEXT NOT NULL,
        is_number INTEGER NOT NULL,
        seen_at INTEGER NOT NULL,
        PRIMARY KEY (owner, token)
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS personal_by_age ON personal (owner, seen_at)",
];

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    /// For how long after a value was last seen.
    pub(super) keep: Duration,
    /// How many of one owner.
    pub(super) most: u64,
}

/// Everything that tokens stand for.
#[derive(Debug)]
pub(super) struct Values {
    folder: Option<PathBuf>,
    kept: Kept,
    opened: OnceCell<Opened>,
    remembered: Mutex<Remembered>,
}

#[derive(Debug)]
struct Opened {
    key: Key,
    pool: SqlitePool,
}

/// What is in the database, as far as this process has seen it lately.
#[derive(Debug)]
struct Remembered {
    owners: HashMap<String, Vault>,
    count: usize,
    /// Values that were added since the oldest were last looked for.
    added: u64,
    since: Instant,
}

/// A key that nobody has.
pub(super) fn fresh_key() -> Key {
    Key::new(&chance())
}

/// Two names that nobody has are 244 bits of chance.
fn chance() -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(Uuid::new_v4().as_bytes());
    bytes[16..].copy_from_slice(Uuid::new_v4().as_bytes());
    bytes
}

impl Values {
    pub(super) fn new(folder: Option<PathBuf>, kept: Kept) -> Self {
        let (opened, remembered) = (OnceCell::new(), Mutex::new(Remembered::new()));
        Self { folder, kept, opened, remembered }
    }

    /// The key of one owner.
    pub(super) async fn key(&self, owner: &str) -> Result<Key, VeilError> {
        Ok(self.opened().await?.key.derived(owner))
    }

    /// Keeps what tokens stand for that were just made.
    pub(super) async fn keep(&self, owner: &str, vault: &Vault) -> Result<(), VeilError> {
        if vault.is_empty() {
            return Ok(());
        }
        let unknown: Vec<(&str, &str, bool)> = {
            let remembered = self.remembered();
            let known = remembered.owners.get(owner);
            let is_new = |token: &str| known.is_none_or(|known| !known.contains(token));
            vault.entries().filter(|(token, ..)| is_new(token)).collect()
        };
        if unknown.is_empty() {
            return Ok(());
        }
        let rows = serde_json::to_string(&unknown).map_err(|_| VeilError::Unread)?;
        let opened = self.opened().await?;
        // A value whose token another has already keeps its place; among a million values none do.
        sqlx::query(
            "INSERT INTO personal
             SELECT ?1, value ->> 0, value ->> 1, value ->> 2, ?3 FROM json_each(?2) WHERE true
             ON CONFLICT (owner, token) DO UPDATE SET seen_at = excluded.seen_at",
        )
        .bind(owner)
        .bind(rows)
        .bind(Moment::now().0)
        .execute(&opened.pool)
        .await?;
        let many = self.remembered().take(owner, unknown.into_iter(), self.kept.most);
        if many {
            self.forget_most(&opened.pool, owner).await?;
        }
        Ok(())
    }

    /// What these tokens stand for, as far as the owner has them; `None` if there is nothing.
    pub(super) async fn known(
        &self,
        owner: &str,
        tokens: &BTreeSet<&str>,
    ) -> Result<Option<Vault>, VeilError> {
        if !self.is_there() {
            return Ok(None);
        }
        let mut found = Vault::new(usize::MAX);
        let mut unknown: Vec<&str> = Vec::new();
        {
            let remembered = self.remembered();
            let known = remembered.owners.get(owner);
            for token in tokens {
                match known.and_then(|known| known.get(token)) {
                    Some((value, is_number)) => found.put(token, value, is_number),
                    None => unknown.push(token),
                }
            }
        }
        if !unknown.is_empty() {
            let opened = self.opened().await?;
            let asked = serde_json::to_string(&unknown).map_err(|_| VeilError::Unread)?;
            let rows = sqlx::query(
                "UPDATE personal SET seen_at = ?3
                 WHERE owner = ?1 AND token IN (SELECT value FROM json_each(?2))
                 RETURNING token, value, is_number",
            )
            .bind(owner)
            .bind(asked)
            .bind(Moment::now().0)
            .fetch_all(&opened.pool)
            .await?;
            let read = |row: &sqlx::sqlite::SqliteRow| {
                (row.get::<String, _>("token"), row.get::<String, _>("value"), row.get("is_number"))
            };
            let rows: Vec<(String, String, bool)> = rows.iter().map(read).collect();
            let new = rows.iter().map(|(token, value, is)| (token.as_str(), value.as_str(), *is));
            self.remembered().take(owner, new, u64::MAX);
            for (token, value, is_number) in &rows {
                found.put(token, value, *is_number);
            }
        }
        Ok((!found.is_empty()).then_some(found))
    }

    /// What was kept of an owner since a moment, by token, the newest first and no more than `most`; and up to
    /// when that goes.
    pub(super) async fn kept_since(
        &self,
        owner: &str,
        since: i64,
        most: usize,
    ) -> Result<(Vec<(String, String)>, i64), VeilError> {
        if !self.is_there() {
            return Ok((Vec::new(), since));
        }
        let rows = sqlx::query(
            "SELECT token, value, seen_at FROM personal WHERE owner = ?1 AND seen_at >= ?2
             ORDER BY seen_at DESC LIMIT ?3",
        )
        .bind(owner)
        .bind(since)
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .fetch_all(&self.opened().await?.pool)
        .await?;
        let until = rows.first().map_or(since, |row| row.get("seen_at"));
        Ok((rows.iter().map(|row| (row.get("token"), row.get("value"))).collect(), until))
    }

    /// Removes what nobody has seen for long, and of each owner what is too much.
    pub(super) async fn forget(&self) -> Result<u64, VeilError> {
        if !self.is_there() {
            return Ok(0);
        }
        let pool = &self.opened().await?.pool;
        *self.remembered() = Remembered::new();
        let keep = i64::try_from(self.kept.keep.as_millis()).unwrap_or(i64::MAX);
        let oldest = Moment::now().0.saturating_sub(keep);
        let old = sqlx::query("DELETE FROM personal WHERE seen_at < ?").bind(oldest);
        let mut gone = old.execute(pool).await?.rows_affected();
        let many: Vec<String> =
            sqlx::query_scalar("SELECT owner FROM personal GROUP BY owner HAVING count(*) > ?")
                .bind(i64::try_from(self.kept.most).unwrap_or(i64::MAX))
                .fetch_all(pool)
                .await?;
        for owner in many {
            gone += self.forget_most(pool, &owner).await?;
        }
        if gone > 0 {
            // What was removed is not left beside the file either.
            sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(pool).await?;
        }
        Ok(gone)
    }

    /// Removes the oldest values of an owner that has too many.
    async fn forget_most(&self, pool: &SqlitePool, owner: &str) -> Result<u64, VeilError> {
        let removed = sqlx::query(
            "DELETE FROM personal WHERE owner = ?1 AND token IN (
                SELECT token FROM personal WHERE owner = ?1 ORDER BY seen_at DESC LIMIT -1 OFFSET ?2
            )",
        )
        .bind(owner)
        .bind(i64::try_from(self.kept.most).unwrap_or(i64::MAX))
        .execute(pool)
        .await?;
        // What is gone is not remembered either.
        *self.remembered() = Remembered::new();
        Ok(removed.rows_affected())
    }

    /// Whether anything was ever kept: nobody makes a key only to find no token.
    fn is_there(&self) -> bool {
        let on_disk = || self.folder.as_ref().is_some_and(|folder| folder.join(DATABASE).is_file());
        self.opened.initialized() || on_disk()
    }

    async fn opened(&self) -> Result<&Opened, VeilError> {
        self.opened.get_or_try_init(|| open(self.folder.as_deref())).await
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remembered {
    fn new() -> Self {
        Self { owners: HashMap::new(), count: 0, added: 0, since: Instant::now() }
    }

    /// Remembers values; says whether so many were added that the oldest may have to go.
    fn take<'v>(
        &mut self,
        owner: &str,
        values: impl Iterator<Item = (&'v str, &'v str, bool)>,
        most: u64,
    ) -> bool {
        if self.count > MOST_REMEMBERED || self.since.elapsed() > REMEMBERED {
            *self = Self { added: self.added, ..Self::new() };
        }
        let known = self.owners.entry(owner.to_owned());
        let known = known.or_insert_with(|| Vault::new(usize::MAX));
        for (token, value, is_number) in values {
            known.put(token, value, is_number);
            self.count += 1;
            self.added += 1;
        }
        let many = self.added > most / 10;
        if many && most < u64::MAX {
            self.added = 0;
        }
        many
    }
}

async fn open(folder: Option<&Path>) -> Result<Opened, VeilError> {
    let options = SqliteConnectOptions::new()
        .busy_timeout(Duration::from_secs(10))
        // What was removed is not left in the file.
        .pragma("secure_delete", "ON");
    let (key, pool) = match folder {
        None => {
            // One connection that never ends: the values end with it.
            let one = SqlitePoolOptions::new().max_connections(1);
            let one = one.idle_timeout(None).max_lifetime(None);
            (fresh_key(), one.connect_with(options.in_memory(true)).await?)
        }
        Some(folder) => {
            let wrong = |source| VeilError::File { path: folder.to_owned(), source };
            let key = prepared(folder).map_err(wrong)?;
            let key = <[u8; 32]>::try_from(key).map_err(|_| VeilError::Key(folder.join(KEY)))?;
            let options = options
                .filename(folder.join(DATABASE))
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Normal);
            let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
            (Key::new(&key), pool)
        }
    };
    for statement in SCHEMA {
        sqlx::query(statement).execute(&pool).await?;
    }
    Ok(Opened { key, pool })
}

/// Makes the folder and what is in it, as far as it is not there, and gives the key.
fn prepared(folder: &Path) -> std::io::Result<Vec<u8>> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    let own = |path: &Path| OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    own(&folder.join(DATABASE))?;
    let path = folder.join(KEY);
    if !path.exists() {
        // Written aside and linked, so that nobody reads half of it and the first one stays.
        let aside = folder.join(format!("{KEY}-{}", Uuid::new_v4().simple()));
        let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&aside)?;
        file.write_all(&chance())?;
        file.sync_all()?;
        let linked = fs::hard_link(&aside, &path);
        fs::remove_file(&aside)?;
        if let Err(error) = linked
            && error.kind() != ErrorKind::AlreadyExists
        {
            return Err(error);
        }
    }
    fs::read(&path)
}
