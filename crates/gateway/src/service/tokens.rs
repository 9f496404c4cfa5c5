//! Who somebody is: tokens, kept as hashes.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;
use uuid::Uuid;

use super::record::Moment;
use super::store::{Store, StoreError};

/// What every token starts with, so that scanners for leaked secrets know one.
const PREFIX: &str = "tgt_";

/// Something a token allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Run programs, and use one's own sessions.
    Execute,
    /// Look at runs, sessions, tools and servers.
    Read,
    /// Change servers, and see everybody's runs.
    Admin,
    /// Say of calls that somebody is asked about whether they may be made.
    Approve,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Execute, Self::Read, Self::Admin, Self::Approve];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Execute => "execute",
            Self::Read => "read",
            Self::Admin => "admin",
            Self::Approve => "approve",
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|scope| scope.name() == given).ok_or_else(|| {
            format!("there is no scope {given:?}; there are execute, read, admin and approve")
        })
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Whose sessions and runs these are.
    pub owner: String,
    /// The teams the owner belongs to.
    pub teams: Vec<String>,
    /// What may be asked.
    pub scopes: BTreeSet<Scope>,
}

impl Caller {
    /// Whoever is on this machine, where no token is asked for.
    #[must_use]
    pub fn local() -> Self {
        Self { owner: "local".to_owned(), teams: Vec::new(), scopes: Scope::ALL.into() }
    }

    /// The same where others have tokens: they share the service, so it is not this one's alone.
    #[must_use]
    pub fn guest() -> Self {
        Self { scopes: [Scope::Execute, Scope::Read].into(), ..Self::local() }
    }

    /// Whoever comes from elsewhere and says nothing about themselves: nobody's sessions are theirs.
    #[must_use]
    pub fn anonymous() -> Self {
        Self { owner: "anonymous".to_owned(), scopes: [Scope::Execute].into(), ..Self::guest() }
    }

    /// Whose skills they find.
    #[must_use]
    pub fn reader(&self) -> skills::Reader {
        skills::Reader { owner: self.owner.clone(), teams: self.teams.clone() }
    }

    /// Whether this may be asked. Who looks after everything may read everything.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope) || scope == Scope::Read && self.scopes.contains(&Scope::Admin)
    }
}

/// A token, without what makes it one.
#[derive(Debug, Clone, Serialize)]
pub struct TokenInfo {
    /// A short name for it.
    pub id: String,
    /// Whose it is.
    pub owner: String,
    /// The teams of its owner.
    pub teams: Vec<String>,
    /// What it allows.
    pub scopes: BTreeSet<Scope>,
    /// When it was made.
    pub created_at: Moment,
    /// When it ends.
    pub expires_at: Option<Moment>,
}

impl Store {
    /// Makes a token; it is shown once and kept as a hash.
    pub async fn create_token(
        &self,
        caller: &Caller,
        lasts: Option<Duration>,
    ) -> Result<(String, TokenInfo), StoreError> {
        let secret = format!("{PREFIX}{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let now = Moment::now();
        let info = TokenInfo {
            id: Uuid::new_v4().simple().to_string().chars().take(8).collect(),
            owner: caller.owner.clone(),
            teams: caller.teams.clone(),
            scopes: caller.scopes.clone(),
            created_at: now,
            expires_at: lasts.map(|lasts| now.after(lasts)),
        };
        sqlx::query("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?)")
            .bind(&info.id)
            .bind(hash(&secret))
            .bind(&info.owner)
            .bind(serde_json::to_string(&info.teams).unwrap_or_default())
            .bind(serde_json::to_string(&info.scopes).unwrap_or_default())
            .bind(info.created_at.0)
            .bind(info.expires_at.map(|moment| moment.0))
            .execute(&self.pool)
            .await?;
        Ok((secret, info))
    }

    /// Who this token belongs to; `None` if it is none of ours, or over.
    pub async fn caller(&self, secret: &str) -> Result<Option<Caller>, StoreError> {
        if !secret.starts_with(PREFIX) || secret.len() > 200 {
            return Ok(None);
        }
        // What is compared is a hash of it, so how long that takes says nothing about the token.
        let row = sqlx::query("SELECT * FROM tokens WHERE hash = ?")
            .bind(hash(secret))
            .fetch_optional(&self.pool)
            .await?;
        let info = row.map(|row| info(&row)).transpose()?;
        let lasting = info.filter(|info| info.expires_at.is_none_or(|end| end > Moment::now()));
        Ok(lasting.map(|info| Caller { owner: info.owner, teams: info.teams, scopes: info.scopes }))
    }

    /// Whether anybody has a token.
    pub async fn has_tokens(&self) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT 1 FROM tokens LIMIT 1").fetch_optional(&self.pool).await?;
        Ok(row.is_some())
    }

    /// Every token there is.
    pub async fn tokens(&self) -> Result<Vec<TokenInfo>, StoreError> {
        let rows =
            sqlx::query("SELECT * FROM tokens ORDER BY created_at").fetch_all(&self.pool).await?;
        rows.iter().map(info).collect()
    }

    /// Ends a token; false if there is none of that name.
    pub async fn remove_token(&self, id: &str) -> Result<bool, StoreError> {
        let done =
            sqlx::query("DELETE FROM tokens WHERE id = ?").bind(id).execute(&self.pool).await?;
        Ok(done.rows_affected() > 0)
    }
}

fn info(row: &sqlx::sqlite::SqliteRow) -> Result<TokenInfo, StoreError> {
    let wrong = |source| StoreError::Content { what: "a token", source };
    Ok(TokenInfo {
        id: row.get("id"),
        owner: row.get("owner"),
        teams: serde_json::from_str(row.get("teams")).map_err(wrong)?,
        scopes: serde_json::from_str(row.get("scopes")).map_err(wrong)?,
        created_at: Moment(row.get("created_at")),
        expires_at: row.get::<Option<i64>, _>("expires_at").map(Moment),
    })
}

fn hash(secret: &str) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in Sha256::digest(secret.as_bytes()) {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_token_is_known_by_what_was_shown_and_not_by_what_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let (secret, info) = store.create_token(&Caller::local(), None).await.unwrap();
        assert_eq!(store.caller(&secret).await.unwrap(), Some(Caller::local()));
        assert_eq!(store.caller(&hash(&secret)).await.unwrap(), None);
        let file = std::fs::read(folder.path().join("tidegate.db")).unwrap();
        let log = std::fs::read(folder.path().join("tidegate.db-wal")).unwrap_or_default();
        let kept = [file, log].concat();
        assert!(!kept.windows(secret.len()).any(|window| window == secret.as_bytes()));
        assert!(store.remove_token(&info.id).await.unwrap());
        assert_eq!(store.caller(&secret).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_token_that_is_over_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let over = Some(Duration::ZERO);
        let (secret, _) = store.create_token(&Caller::local(), over).await.unwrap();
        assert_eq!(store.caller(&secret).await.unwrap(), None);
    }
}
