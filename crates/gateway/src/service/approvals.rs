//! Calls that somebody has to approve: asked about once, answered once, used once.
//!
//! ```text
//! pending ──► approved ──► used          the call leaves
//!    ├──────► denied                     the program is told
//!    │           └────► heard            so is a client without a program, once
//!    ├──────► expired                    nobody answered in time
//!    └──────► withdrawn                  the run ended first
//! ```
//!
//! An approval is bound to a run and to the very arguments that were shown: a call that differs in one
//! letter is another question. They are rows of the database, so that they outlive processes and can be
//! answered by another one; whoever waits looks again after a moment, and at once where the answer was
//! given in this process.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use policy::Decision;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteRow};
use sqlx::{Row as _, SqlitePool};
use tokio::sync::{Mutex as AsyncMutex, Notify};
use uuid::Uuid;

use super::lock;
use super::record::Moment;
use super::store::StoreError;
use crate::hearing::CallNote;
use crate::judge::Wish;

/// How often an answer that another process gave is looked for.
const LOOK: Duration = Duration::from_millis(300);

/// Questions of one run that may wait at the same time.
const MOST_OF_A_RUN: i64 = 10_000;

/// The longest reason that is kept.
const MOST_LETTERS: usize = 1_000;

pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS approvals (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    session TEXT NOT NULL,
    owner TEXT NOT NULL,
    tool TEXT NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    arguments TEXT NOT NULL,
    digest TEXT NOT NULL,
    state TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    answered_at INTEGER,
    answered_by TEXT,
    answer TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS approvals_by_run ON approvals (run, digest);
CREATE INDEX IF NOT EXISTS approvals_by_state ON approvals (state, asked_at);
CREATE TABLE IF NOT EXISTS grants (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    tool TEXT NOT NULL,
    rule TEXT NOT NULL,
    conditions TEXT NOT NULL,
    granted_at INTEGER NOT NULL,
    granted_by TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS grants_by_session ON grants (session, tool);
CREATE TABLE IF NOT EXISTS approval_notes (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    number INTEGER NOT NULL,
    done TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS approval_notes_by_run ON approval_notes (run, number);
CREATE TABLE IF NOT EXISTS approval_grounds (
    id TEXT PRIMARY KEY,
    grounds TEXT NOT NULL
) STRICT;
";

/// Questions with what is shown beside them.
const QUESTIONS: &str = "SELECT approvals.*, approval_notes.number, approval_notes.done,
    approval_grounds.grounds
    FROM approvals LEFT JOIN approval_notes ON approval_notes.id = approvals.id
    LEFT JOIN approval_grounds ON approval_grounds.id = approvals.id";

/// One call that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// What the question is called.
    pub id: String,
    /// Which question of its run it is, from 1. It stays the same, whatever else is asked and answered.
    pub number: u64,
    /// With what the tool would be called.
    pub arguments: Value,
    /// When it was asked.
    pub asked_at: Moment,
}

/// Calls of one run to one tool that wait for an answer: one question to a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// The run that waits.
    pub run: String,
    /// Its session.
    pub session: String,
    /// Whose it is.
    pub owner: String,
    /// As `server.tool`.
    pub tool: String,
    /// The rule that wants somebody asked.
    pub rule: String,
    /// Why, in words.
    pub reason: String,
    /// The rules that want somebody asked as they are written, with what the session has read.
    #[serde(skip)]
    pub grounds: Vec<String>,
    /// Since when the first of them waits.
    pub asked_at: Moment,
    /// When the first of them is over.
    pub expires_at: Moment,
    /// The calls.
    pub items: Vec<Item>,
    /// What the run had done when the last of them was asked about: calls that were answered, by tool.
    pub done: BTreeMap<String, u64>,
}

/// Calls that were answered with a value, by tool.
#[must_use]
pub fn done(calls: &[CallNote]) -> BTreeMap<String, u64> {
    let mut done = BTreeMap::new();
    for call in calls.iter().filter(|call| call.ok == Some(true)) {
        *done.entry(call.name()).or_default() += 1;
    }
    done
}

/// That a call was not approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unapproved {
    /// Why not.
    pub(super) words: String,
    /// Nobody answered in time.
    pub(super) is_expired: bool,
}

impl From<String> for Unapproved {
    fn from(words: String) -> Self {
        Self { words, is_expired: false }
    }
}

/// What somebody answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Whether the calls may be made.
    pub approves: bool,
    /// Which calls; all that wait now if nothing is said.
    pub items: Option<Vec<String>>,
    /// Only those of this tool, as `server.tool`.
    pub tool: Option<String>,
    /// Later calls of the session to the same tools need not be asked about, as long as these
    /// conditions hold of their arguments.
    pub pattern: Option<Vec<String>>,
    /// Why, for the program and the log.
    pub reason: Option<String>,
    /// Who answers.
    pub by: String,
}

/// What came of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Answered {
    /// Calls it was about, as `server.tool`, with how many there were.
    pub calls: BTreeMap<String, u64>,
    /// How many still wait.
    pub left: u64,
}

/// Questions to people, and their answers.
#[derive(Debug)]
pub struct Approvals {
    pool: SqlitePool,
    /// How long a question can be answered.
    lasts: Duration,
    /// Questions that a call of this process waits for.
    claimed: Arc<Mutex<HashSet<String>>>,
    /// One call at a time looks for a question that is already asked.
    claiming: AsyncMutex<()>,
    changed: Notify,
}

/// A question that one call waits for.
struct Claim {
    id: String,
    claimed: Arc<Mutex<HashSet<String>>>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        lock(&self.claimed).remove(&self.id);
    }
}

impl Approvals {
    pub(super) fn new(pool: SqlitePool, lasts: Duration) -> Self {
        let (claimed, claiming, changed) = Default::default();
        Self { pool, lasts, claimed, claiming, changed }
    }

    /// The questions of a service that another process runs; `None` if there never was one.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn of_folder(folder: &Path) -> Result<Option<Self>, StoreError> {
        let file = folder.join("tidegate.db");
        if !file.is_file() {
            return Ok(None);
        }
        let options =
            SqliteConnectOptions::new().filename(file).busy_timeout(Duration::from_secs(10));
        let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
        prepare(&pool).await?;
        Ok(Some(Self::new(pool, Duration::ZERO)))
    }

    /// Waits until somebody has approved a call, who is shown what its run has done. What `asked` gives is there
    /// from when the question can be answered until it is.
    pub(super) async fn ask<T>(
        &self,
        wish: &Wish<'_>,
        decision: &Decision,
        done: &BTreeMap<String, u64>,
        asked: impl FnOnce() -> T,
    ) -> Result<(), Unapproved> {
        let broken = |error: sqlx::Error| format!("it could not be asked about: {error}");
        if self.is_granted(wish, decision).await.map_err(broken)? {
            return Ok(());
        }
        let claim = self.claim(wish, decision, done).await?;
        let _asked = asked();
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let row = sqlx::query("SELECT * FROM approvals WHERE id = ?").bind(&claim.id);
            let row = row.fetch_optional(&self.pool).await.map_err(broken)?;
            let Some(row) = row else { return Err("the question was removed".to_owned().into()) };
            match row.get::<String, _>("state").as_str() {
                "pending" if Moment(row.get("expires_at")) <= Moment::now() => {
                    self.set(&claim.id, "pending", "expired").await.map_err(broken)?;
                }
                "pending" => {
                    let granted = self.is_granted(wish, decision).await.map_err(broken)?;
                    if granted && self.set(&claim.id, "pending", "used").await.map_err(broken)? {
                        return Ok(());
                    }
                }
                "approved" => {
                    if self.set(&claim.id, "approved", "used").await.map_err(broken)? {
                        return Ok(());
                    }
                }
                _ => {
                    self.is_heard(wish, &claim.id).await.map_err(broken)?;
                    return Err(why_not(&row));
                }
            }
            let many = u32::try_from(lock(&self.claimed).len()).unwrap_or(u32::MAX);
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(LOOK.saturating_mul(1 + many / 50)) => {}
            }
        }
    }

    /// Finds the question that a call is about, or asks it.
    async fn claim(
        &self,
        wish: &Wish<'_>,
        decision: &Decision,
        done: &BTreeMap<String, u64>,
    ) -> Result<Claim, Unapproved> {
        let broken = |error: sqlx::Error| format!("it could not be asked about: {error}");
        let digest = digest(&wish.name(), wish.shown);
        let _one_at_a_time = self.claiming.lock().await;
        let grounds = serde_json::to_string(&decision.grounds).unwrap_or_default();
        let known = sqlx::query(sqlx::AssertSqlSafe(format!(
            "{QUESTIONS} WHERE approvals.run = ? AND digest = ?
             AND state IN ('pending', 'approved', 'denied') ORDER BY asked_at, approvals.rowid"
        )))
        .bind(&wish.behalf.run)
        .bind(&digest)
        .fetch_all(&self.pool)
        .await
        .map_err(broken)?;
        let mut denied = None;
        for row in &known {
            let id: String = row.get("id");
            if row.get::<String, _>("state") == "denied" {
                denied = Some(row);
            } else if lock(&self.claimed).insert(id.clone()) {
                let claim = Claim { id, claimed: Arc::clone(&self.claimed) };
                // One that an older version asked has none.
                let same = row.get::<Option<String>, _>("grounds").is_none_or(|own| own == grounds);
                if same {
                    return Ok(claim);
                }
                // Asked for other reasons than those there are now: nobody was shown these.
                let state: String = row.get("state");
                self.set(&claim.id, &state, "withdrawn").await.map_err(broken)?;
            }
        }
        // Who was told no once need not be asked again by the same program.
        if let Some(row) = denied {
            self.is_heard(wish, row.get("id")).await.map_err(broken)?;
            return Err(why_not(row));
        }
        let waiting: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM approvals WHERE run = ? AND state = 'pending'",
        )
        .bind(&wish.behalf.run)
        .fetch_one(&self.pool)
        .await
        .map_err(broken)?;
        if waiting >= MOST_OF_A_RUN {
            return Err(format!(
                "{waiting} calls of this run wait for an approval already; do the work in parts"
            )
            .into());
        }
        let id = format!("a_{}", Uuid::new_v4().simple());
        let now = Moment::now();
        lock(&self.claimed).insert(id.clone());
        let claim = Claim { id, claimed: Arc::clone(&self.claimed) };
        let arguments = serde_json::to_string(wish.shown).unwrap_or_default();
        sqlx::query("INSERT INTO approval_grounds VALUES (?, ?)")
            .bind(&claim.id)
            .bind(grounds)
            .execute(&self.pool)
            .await
            .map_err(broken)?;
        sqlx::query(
            "INSERT INTO approval_notes SELECT ?1, ?2, COALESCE(MAX(number), 0) + 1, ?3
             FROM approval_notes WHERE run = ?2",
        )
        .bind(&claim.id)
        .bind(&wish.behalf.run)
        .bind(serde_json::to_string(done).unwrap_or_default())
        .execute(&self.pool)
        .await
        .map_err(broken)?;
        sqlx::query(
            "INSERT INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, NULL, NULL, NULL)",
        )
        .bind(&claim.id)
        .bind(&wish.behalf.run)
        .bind(&wish.behalf.session)
        .bind(&wish.behalf.owner)
        .bind(wish.name())
        .bind(&decision.rule)
        .bind(&decision.reason)
        .bind(arguments)
        .bind(digest)
        .bind(now.0)
        .bind(now.after(self.lasts).0)
        .execute(&self.pool)
        .await
        .map_err(broken)?;
        self.changed.notify_waiters();
        Ok(claim)
    }

    /// Whoever made a call was told no. Where no program did, that counts once: its run never ends, and nobody
    /// would ever be asked again.
    async fn is_heard(&self, wish: &Wish<'_>, id: &str) -> Result<(), sqlx::Error> {
        if wish.behalf.is_without_program() {
            self.set(id, "denied", "heard").await?;
        }
        Ok(())
    }

    async fn set(&self, id: &str, from: &str, to: &str) -> Result<bool, sqlx::Error> {
        let set = sqlx::query("UPDATE approvals SET state = ? WHERE id = ? AND state = ?");
        let done = set.bind(to).bind(id).bind(from).execute(&self.pool).await?;
        Ok(done.rows_affected() == 1)
    }

    /// Whether somebody has approved such calls for the whole session, whatever wants somebody asked.
    async fn is_granted(&self, wish: &Wish<'_>, decision: &Decision) -> Result<bool, sqlx::Error> {
        let grants: Vec<(String, String)> = sqlx::query_as(
            "SELECT rule, conditions FROM grants
             WHERE session = ? AND tool = ? AND expires_at > ?",
        )
        .bind(&wish.behalf.session)
        .bind(wish.name())
        .bind(Moment::now().0)
        .fetch_all(&self.pool)
        .await?;
        let holds = |conditions: &str| {
            let conditions: Option<Vec<String>> = serde_json::from_str(conditions).ok();
            conditions.is_some_and(|conditions| {
                policy::all_hold(&conditions, wish.arguments).unwrap_or(false)
            })
        };
        let is_granted = |ground: &String| {
            grants.iter().any(|(granted, conditions)| granted == ground && holds(conditions))
        };
        Ok(!decision.grounds.is_empty() && decision.grounds.iter().all(is_granted))
    }

    /// What waits for an answer: of one run or of all, of one owner or of all.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn waiting(
        &self,
        run: Option<&str>,
        owner: Option<&str>,
    ) -> Result<Vec<Group>, StoreError> {
        let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
            "{QUESTIONS} WHERE state = 'pending' AND expires_at > ?1
             AND (?2 IS NULL OR approvals.run = ?2) AND (?3 IS NULL OR owner = ?3)
             ORDER BY asked_at, approvals.rowid LIMIT 10000"
        )))
        .bind(Moment::now().0)
        .bind(run)
        .bind(owner)
        .fetch_all(&self.pool)
        .await?;
        let mut groups: Vec<Group> = Vec::new();
        for row in &rows {
            let of_row = group(row);
            let same = |one: &&mut Group| {
                (&one.run, &one.tool, &one.rule, &one.grounds)
                    == (&of_row.run, &of_row.tool, &of_row.rule, &of_row.grounds)
            };
            match groups.iter_mut().find(same) {
                Some(known) => {
                    known.items.extend(of_row.items);
                    known.done = of_row.done;
                }
                None => groups.push(of_row),
            }
        }
        Ok(groups)
    }

    /// Takes somebody's answer about calls of a run.
    ///
    /// # Errors
    /// When the database cannot be used, or when there is nothing of that kind to be answered.
    pub async fn answer(&self, run: &str, answer: &Answer) -> Result<Answered, AnswerError> {
        let groups = self.waiting(Some(run), None).await?;
        if groups.is_empty() {
            return Err(AnswerError::Nothing);
        }
        let conditions = answer.pattern.as_deref().unwrap_or_default();
        policy::all_hold(conditions, &Map::new()).map_err(AnswerError::Condition)?;
        let all = groups.iter().flat_map(|group| &group.items).map(|item| item.id.as_str());
        let all: HashSet<&str> = all.collect();
        let wanted: Option<HashSet<&str>> =
            answer.items.as_ref().map(|items| items.iter().map(String::as_str).collect());
        if let Some(unknown) = wanted.iter().flatten().find(|id| !all.contains(**id)) {
            return Err(AnswerError::Unknown((*unknown).to_owned()));
        }
        let mut answered = Answered::default();
        let reason = answer.reason.as_ref().map(|reason| cut(reason));
        for group in &groups {
            if answer.tool.as_ref().is_some_and(|tool| *tool != group.tool) {
                continue;
            }
            let mut decided = false;
            for item in &group.items {
                if wanted.as_ref().is_some_and(|wanted| !wanted.contains(item.id.as_str())) {
                    continue;
                }
                if self.decide(&item.id, answer, reason.as_deref()).await? {
                    *answered.calls.entry(group.tool.clone()).or_default() += 1;
                    decided = true;
                }
            }
            // Who approved none of its calls has not approved more of them.
            if decided && answer.approves && answer.pattern.is_some() {
                self.grant(group, conditions, &answer.by).await?;
            }
        }
        // The rest of what waits may be covered by what was granted.
        self.changed.notify_waiters();
        let left = self.waiting(Some(run), None).await?;
        answered.left = left.iter().map(|group| group.items.len() as u64).sum();
        Ok(answered)
    }

    async fn decide(
        &self,
        id: &str,
        answer: &Answer,
        reason: Option<&str>,
    ) -> Result<bool, sqlx::Error> {
        let done = sqlx::query(
            "UPDATE approvals SET state = ?, answered_at = ?, answered_by = ?, answer = ?
             WHERE id = ? AND state = 'pending'",
        )
        .bind(if answer.approves { "approved" } else { "denied" })
        .bind(Moment::now().0)
        .bind(&answer.by)
        .bind(reason)
        .bind(id)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    async fn grant(
        &self,
        group: &Group,
        conditions: &[String],
        by: &str,
    ) -> Result<(), sqlx::Error> {
        let now = Moment::now();
        for ground in &group.grounds {
            sqlx::query("INSERT INTO grants VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
                .bind(format!("g_{}", Uuid::new_v4().simple()))
                .bind(&group.session)
                .bind(&group.tool)
                .bind(ground)
                .bind(serde_json::to_string(conditions).unwrap_or_default())
                .bind(now.0)
                .bind(by)
                // As long as the question itself could have been answered.
                .bind(now.0 + (group.expires_at.0 - group.asked_at.0))
                .execute(&self.pool)
                .await?;
        }
        Ok(())
    }

    /// A run is over: nothing that it asked can be answered any more.
    pub(super) async fn withdraw(&self, run: &str) {
        let withdrawn = sqlx::query(
            "UPDATE approvals SET state = 'withdrawn'
             WHERE run = ? AND state IN ('pending', 'approved')",
        )
        .bind(run)
        .execute(&self.pool)
        .await;
        if let Err(error) = withdrawn {
            tracing::warn!(run, error = %error, "questions of a run that is over could not be withdrawn");
        }
    }

    /// Removes what was answered before `before`, and what nobody can answer any more.
    pub(super) async fn sweep(&self, before: Moment) -> Result<(), sqlx::Error> {
        for (statement, moment) in [
            ("DELETE FROM approvals WHERE state <> 'pending' AND asked_at < ?", before),
            ("DELETE FROM grants WHERE expires_at < ?", Moment::now()),
        ] {
            sqlx::query(statement).bind(moment.0).execute(&self.pool).await?;
        }
        let _nobody_asks = self.claiming.lock().await;
        for orphans in [
            "DELETE FROM approval_notes WHERE id NOT IN (SELECT id FROM approvals)",
            "DELETE FROM approval_grounds WHERE id NOT IN (SELECT id FROM approvals)",
        ] {
            sqlx::query(orphans).execute(&self.pool).await?;
        }
        Ok(())
    }
}

/// Why an answer was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// Nothing waits for one.
    #[error("no call of this run waits for an approval; it may have been answered, or be over")]
    Nothing,
    /// Something is named that does not wait.
    #[error("{0:?} does not wait for an answer; it may have been answered already")]
    Unknown(String),
    /// What is to hold of later calls cannot be read.
    #[error("the condition {0}")]
    Condition(String),
    /// What we keep could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for AnswerError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Makes the tables, if they are not there.
async fn prepare(pool: &SqlitePool) -> Result<(), sqlx::Error> {
    for statement in SCHEMA.split(';').filter(|statement| !statement.trim().is_empty()) {
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(pool).await?;
    }
    Ok(())
}

fn group(row: &SqliteRow) -> Group {
    let arguments: String = row.get("arguments");
    // One that an older version asked has neither.
    let number: Option<i64> = row.get("number");
    let done: Option<String> = row.get("done");
    let grounds: Option<String> = row.get("grounds");
    let item = Item {
        id: row.get("id"),
        number: number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0),
        arguments: serde_json::from_str(&arguments).unwrap_or_default(),
        asked_at: Moment(row.get("asked_at")),
    };
    Group {
        run: row.get("run"),
        session: row.get("session"),
        owner: row.get("owner"),
        tool: row.get("tool"),
        rule: row.get("rule"),
        reason: row.get("reason"),
        grounds: grounds.and_then(|all| serde_json::from_str(&all).ok()).unwrap_or_default(),
        asked_at: Moment(row.get("asked_at")),
        expires_at: Moment(row.get("expires_at")),
        items: vec![item],
        done: done.and_then(|done| serde_json::from_str(&done).ok()).unwrap_or_default(),
    }
}

fn why_not(row: &SqliteRow) -> Unapproved {
    let is_expired = row.get::<String, _>("state") == "expired";
    Unapproved { words: why(row), is_expired }
}

fn why(row: &SqliteRow) -> String {
    let by: Option<String> = row.get("answered_by");
    let said: Option<String> = row.get("answer");
    match row.get::<String, _>("state").as_str() {
        "denied" | "heard" => {
            let by = by.unwrap_or_else(|| "somebody".to_owned());
            match said {
                Some(said) => format!("{by} said no: {said}"),
                None => format!("{by} said no"),
            }
        }
        "expired" => "nobody answered in time (setting `approval-lasts`)".to_owned(),
        state => format!("the question is {state}"),
    }
}

/// A call, as short as it can be told from every other one.
fn digest(tool: &str, arguments: &Map<String, Value>) -> String {
    use std::fmt::Write as _;
    let mut hash = Sha256::new();
    hash.update((tool.len() as u64).to_be_bytes());
    hash.update(tool);
    hash.update(sorted(&Value::Object(arguments.clone())).to_string());
    let mut text = String::new();
    for byte in hash.finalize() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The same value with the fields of every object in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(fields) => {
            let fields: BTreeMap<&String, &Value> = fields.iter().collect();
            fields.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        other => other.clone(),
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_LETTERS).collect()
}

#[cfg(test)]
mod tests;
