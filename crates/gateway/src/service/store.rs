//! What outlives the process: sessions, runs and tokens, in SQLite.
//!
//! Reads go through a small pool. Everything that is written goes through one task, which
//! commits whatever has come together: under load, one commit serves many runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use check::Left;
use engine::{Language, Limits, Outcome, ProgramError};
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{Connection as _, Row as _, SqliteConnection, SqlitePool};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;
use tracing::error;

use super::durable::moved;
use super::durable::own::Own;
use super::ids::{RunId, SessionId};
use super::record::{Ended, Moment, Record};

/// Writes that one commit takes together.
const TOGETHER: usize = 256;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    level TEXT NOT NULL,
    limits TEXT NOT NULL,
    programs INTEGER NOT NULL,
    image_bytes INTEGER,
    in_memory INTEGER NOT NULL,
    passing INTEGER NOT NULL DEFAULT 0,
    agent TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT 'python',
    workspace TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE IF NOT EXISTS session_names (
    session TEXT PRIMARY KEY,
    programs INTEGER NOT NULL,
    names TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    owner TEXT NOT NULL,
    status TEXT NOT NULL,
    language TEXT NOT NULL,
    guidance TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    program TEXT NOT NULL,
    ended TEXT,
    calls TEXT NOT NULL,
    agent TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX IF NOT EXISTS runs_by_owner ON runs (owner, created_at);
CREATE INDEX IF NOT EXISTS runs_by_session ON runs (session, created_at);
CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    teams TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS labels (
    session TEXT NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (session, label)
) STRICT;
CREATE TABLE IF NOT EXISTS rule_counts (
    rule TEXT NOT NULL,
    owner TEXT NOT NULL,
    day INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (rule, owner)
) STRICT;
";

/// Adds what tables of an earlier version lack.
async fn added(pool: &SqlitePool) -> Result<(), sqlx::Error> {
    for (table, column, kind) in [
        ("sessions", "passing", "INTEGER NOT NULL DEFAULT 0"),
        ("sessions", "agent", "TEXT NOT NULL DEFAULT ''"),
        ("sessions", "language", "TEXT NOT NULL DEFAULT 'python'"),
        ("sessions", "workspace", "TEXT NOT NULL DEFAULT ''"),
        ("runs", "agent", "TEXT NOT NULL DEFAULT ''"),
        ("deeds", "owner", "TEXT"),
        ("deeds", "name", "TEXT"),
        ("deeds", "place", "INTEGER"),
        ("deeds", "posted_at", "INTEGER"),
        ("totals", "model_questions", "REAL NOT NULL DEFAULT 0"),
        ("totals", "model_input_tokens", "REAL NOT NULL DEFAULT 0"),
        ("totals", "model_output_tokens", "REAL NOT NULL DEFAULT 0"),
        ("totals", "model_cost", "REAL NOT NULL DEFAULT 0"),
    ] {
        let known = sqlx::query("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
        if known.bind(table).bind(column).fetch_optional(pool).await?.is_none() {
            let add = format!("ALTER TABLE {table} ADD COLUMN {column} {kind}");
            sqlx::query(sqlx::AssertSqlSafe(add)).execute(pool).await?;
        }
    }
    Ok(())
}

/// What we keep could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A folder or file could not be made or written.
    #[error("{}: {source}; check the folder's permissions and free space", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The database refused.
    #[error("the database could not be used: {0}")]
    Database(#[from] sqlx::Error),
    /// What was stored cannot be read by this version.
    #[error("{what} in the database cannot be read: {source}")]
    Content {
        /// What it is.
        what: &'static str,
        /// Why not.
        source: serde_json::Error,
    },
    /// The database refused what was to be written.
    #[error("the database could not be written: {0}; check the free space of the data folder")]
    Unwritten(Arc<sqlx::Error>),
    /// What is personal in it could not be replaced.
    #[error(transparent)]
    Uncovered(#[from] crate::veil::VeilError),
    /// The process is ending.
    #[error("the database is closed, because this process is ending")]
    Closed,
}

/// What SQLite says when it finds no room: itself, or as a write, a sync, or a file that cannot grow.
const NO_ROOM: [&str; 6] = ["13", "778", "1034", "1546", "4874", "5386"];

impl StoreError {
    /// Whether there is no room where things are kept.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match self {
            Self::File { source, .. } => is_no_room(source),
            Self::Database(error) => has_no_room(error),
            Self::Unwritten(error) => has_no_room(error),
            _ => false,
        }
    }
}

fn is_no_room(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

fn has_no_room(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => is_no_room(error),
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| NO_ROOM.contains(&code.as_ref()))
        }
        _ => false,
    }
}

/// A session, as it is stored.
#[derive(Debug, Clone)]
pub struct SessionRow {
    /// What it is called.
    pub id: SessionId,
    /// Whose it is.
    pub owner: String,
    /// When it began.
    pub created_at: Moment,
    /// When it was last used.
    pub used_at: Moment,
    /// What its programs are written in.
    pub language: Language,
    /// The level behind its limits.
    pub level: String,
    /// What its programs may use.
    pub limits: Limits,
    /// How many programs ran in it.
    pub programs: u64,
    /// The size of its image, if it is frozen.
    pub image_bytes: Option<u64>,
    /// Programs ran since it was last written to disk.
    pub in_memory: bool,
    /// Nobody asked to keep it.
    pub passing: bool,
    /// What the agent is called whose programs run in it; empty where it has no name.
    pub agent: String,
    /// What the sessions are called together that share their files; empty where it shares none.
    pub workspace: String,
    /// What its programs left, where that is known.
    pub left: Option<Left>,
}

/// Which runs to list.
#[derive(Debug, Clone, Default)]
pub struct RunFilter {
    /// Only those of this owner.
    pub owner: Option<String>,
    /// Only those of this session.
    pub session: Option<SessionId>,
    /// Only those that ended so.
    pub status: Option<super::Status>,
    /// Only those asked for before this.
    pub before: Option<Moment>,
    /// No more than this.
    pub limit: u32,
}

pub(super) enum Write {
    Session(Box<SessionRow>),
    NoSession(SessionId),
    /// A run that goes on by itself, unless it has ended already.
    Begun(Box<Record>),
    Run(Box<Record>),
}

type Job = (Write, oneshot::Sender<Result<(), Arc<sqlx::Error>>>);

/// The database and the files beside it.
#[derive(Debug)]
pub struct Store {
    pub(super) pool: SqlitePool,
    pub(super) folder: PathBuf,
    pub(super) kept: Arc<Own>,
    writer: mpsc::Sender<Job>,
    /// The last that was to be written was not.
    failing: Arc<AtomicBool>,
    /// Ends with the store; whoever writes waits for it, so nothing is lost then.
    _writing: AbortOnDropHandle<()>,
}

impl Store {
    /// Opens the database in `folder`, and makes both if they are not there.
    pub async fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::open_with(folder, SqliteSynchronous::Normal).await
    }

    /// The same; what is said to be stored survives not only the process but the machine.
    pub async fn open_synced(folder: &Path) -> Result<Self, StoreError> {
        Self::open_with(folder, SqliteSynchronous::Full).await
    }

    async fn open_with(folder: &Path, synced: SqliteSynchronous) -> Result<Self, StoreError> {
        let made = |path: PathBuf| {
            std::fs::create_dir_all(&path).map_err(|source| StoreError::File { path, source })
        };
        made(folder.join("sessions"))?;
        made(folder.join("runs"))?;
        let all = folder.join("kept");
        let kept = Own::new(all.clone());
        let kept = kept.map_err(|source| StoreError::File { path: all, source })?;
        let options = SqliteConnectOptions::new()
            .filename(folder.join("tidegate.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(synced)
            .auto_vacuum(SqliteAutoVacuum::Incremental)
            .busy_timeout(Duration::from_secs(10));
        let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
        let schema = [
            SCHEMA,
            super::approvals::SCHEMA,
            super::totals::SCHEMA,
            super::conversations::SCHEMA,
            super::mailboxes::SCHEMA,
        ];
        let schema = schema.join(";");
        for statement in schema.split(';').filter(|statement| !statement.trim().is_empty()) {
            sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&pool).await?;
        }
        added(&pool).await?;
        owner_only(folder);
        let (writer, jobs) = mpsc::channel(1024);
        let failing = Arc::new(AtomicBool::new(false));
        let writing = tokio::spawn(write(pool.clone(), jobs, Arc::clone(&failing)));
        let writing = AbortOnDropHandle::new(writing);
        let kept = Arc::new(kept);
        Ok(Self { pool, folder: folder.to_owned(), kept, writer, failing, _writing: writing })
    }

    /// Where everything lies.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a session's image lies.
    pub(super) fn image(&self, session: &SessionId) -> PathBuf {
        self.folder.join("sessions").join(format!("{session}.image"))
    }

    /// Where a run's files lie.
    pub(super) fn artifacts(&self, run: &RunId) -> PathBuf {
        self.folder.join("runs").join(run.as_str())
    }

    /// Whether what was last to be written was.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        !self.failing.load(Ordering::Relaxed)
    }

    /// Writes, and returns when it is committed.
    pub(super) async fn write(&self, what: Write) -> Result<(), StoreError> {
        let (send, done) = oneshot::channel();
        self.writer.send((what, send)).await.map_err(|_| StoreError::Closed)?;
        done.await.map_err(|_| StoreError::Closed)?.map_err(StoreError::Unwritten)
    }

    /// Every stored session.
    pub(super) async fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, owner, created_at, used_at, level, limits, sessions.programs, image_bytes, in_memory, passing, agent, language, workspace, names
             FROM sessions LEFT JOIN session_names
             ON session_names.session = sessions.id AND session_names.programs = sessions.programs
             ORDER BY used_at",
        )
        .fetch_all(&self.pool)
        .await?;
        let mut sessions = Vec::with_capacity(rows.len());
        for row in rows {
            let Ok(id) = row.get::<String, _>("id").parse() else { continue };
            // One of a language that this version does not know cannot be gone on with.
            let Ok(language) = row.get::<String, _>("language").parse() else { continue };
            sessions.push(SessionRow {
                id,
                owner: row.get("owner"),
                created_at: Moment(row.get("created_at")),
                used_at: Moment(row.get("used_at")),
                language,
                level: row.get("level"),
                limits: read("a session's limits", row.get("limits"))?,
                programs: row.get::<i64, _>("programs").unsigned_abs(),
                image_bytes: row.get::<Option<i64>, _>("image_bytes").map(i64::unsigned_abs),
                in_memory: row.get("in_memory"),
                passing: row.get("passing"),
                agent: row.get("agent"),
                workspace: row.get("workspace"),
                left: left_of(row.get("names")),
            });
        }
        Ok(sessions)
    }

    pub(super) fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// One stored run.
    pub async fn run(&self, id: &RunId) -> Result<Option<Record>, StoreError> {
        let row = sqlx::query("SELECT * FROM runs WHERE id = ?")
            .bind(id.as_str())
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| record(&row)).transpose()
    }

    /// Runs that were under way when an earlier process was killed have failed, but for those that
    /// go on.
    pub(super) async fn settle_runs(&self, going: &[String]) -> Result<(), StoreError> {
        let lost = Outcome::failed(ProgramError {
            kind: "Lost".to_owned(),
            message: "the gateway was ended while this ran; what it had done by then is done"
                .to_owned(),
            ..ProgramError::default()
        });
        // Ended while somebody was fetching them: they lie where they can be fetched.
        let left = std::fs::read_dir(self.folder.join("moved")).into_iter().flatten().flatten();
        let left: Vec<String> = left.filter_map(|run| run.file_name().into_string().ok()).collect();
        self.settle("cancelled", &moved(), "IN", &left).await?;
        self.settle("failed", &lost, "NOT IN", going).await
    }

    /// Says how runs ended that an earlier process did not end.
    async fn settle(
        &self,
        status: &str,
        outcome: &Outcome,
        which: &'static str,
        runs: &[String],
    ) -> Result<(), StoreError> {
        let ended = serde_json::to_string(&Ended::from(outcome)).unwrap_or_default();
        let runs = serde_json::to_string(runs).unwrap_or_default();
        let update = format!(
            "UPDATE runs SET status = ?, ended = ?, finished_at = ?
             WHERE status IN ('queued', 'running', 'waiting')
               AND id {which} (SELECT value FROM json_each(?))"
        );
        sqlx::query(sqlx::AssertSqlSafe(update))
            .bind(status)
            .bind(ended)
            .bind(Moment::now().0)
            .bind(runs)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Stored runs, the latest first.
    pub(super) async fn runs(&self, filter: &RunFilter) -> Result<Vec<Record>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM runs
             WHERE (?1 IS NULL OR owner = ?1) AND (?2 IS NULL OR session = ?2)
               AND (?3 IS NULL OR status = ?3) AND (?4 IS NULL OR created_at < ?4)
             ORDER BY created_at DESC LIMIT ?5",
        )
        .bind(filter.owner.as_deref())
        .bind(filter.session.as_ref().map(SessionId::as_str))
        .bind(filter.status.map(super::Status::name))
        .bind(filter.before.map(|moment| moment.0))
        .bind(filter.limit)
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(record).collect()
    }
}

fn record(row: &sqlx::sqlite::SqliteRow) -> Result<Record, StoreError> {
    let wrong = |_| sqlx::Error::RowNotFound;
    let ended: Option<String> = row.get("ended");
    Ok(Record {
        id: row.get::<String, _>("id").parse().map_err(wrong)?,
        session: row.get::<String, _>("session").parse().map_err(wrong)?,
        owner: row.get("owner"),
        agent: row.get("agent"),
        status: row.get::<String, _>("status").parse().map_err(|_| sqlx::Error::RowNotFound)?,
        language: row.get("language"),
        guidance: row.get("guidance"),
        created_at: Moment(row.get("created_at")),
        started_at: row.get::<Option<i64>, _>("started_at").map(Moment),
        finished_at: row.get::<Option<i64>, _>("finished_at").map(Moment),
        program: row.get::<String, _>("program").into(),
        answer: None,
        waiting: None,
        asks: 0,
        ended: ended.map(|text| read("a run's outcome", text)).transpose()?,
        calls: read("a run's calls", row.get("calls"))?,
    })
}

#[expect(clippy::needless_pass_by_value, reason = "it comes from a row and goes nowhere else")]
fn read<T: serde::de::DeserializeOwned>(what: &'static str, text: String) -> Result<T, StoreError> {
    serde_json::from_str(&text).map_err(|source| StoreError::Content { what, source })
}

/// Nobody else reads what programs did. Where this is refused, the folder decides.
fn owner_only(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
}

async fn write(pool: SqlitePool, mut jobs: mpsc::Receiver<Job>, failing: Arc<AtomicBool>) {
    let mut batch = Vec::with_capacity(TOGETHER);
    while jobs.recv_many(&mut batch, TOGETHER).await > 0 {
        let committed = commit(&pool, &batch).await.map_err(Arc::new);
        if let Err(problem) = &committed {
            error!(error = %problem, writes = batch.len(), "could not write to the database");
        }
        failing.store(committed.is_err(), Ordering::Relaxed);
        for (_, done) in batch.drain(..) {
            // Whoever asked may have gone.
            let _ = done.send(committed.clone());
        }
    }
}

async fn commit(pool: &SqlitePool, batch: &[Job]) -> Result<(), sqlx::Error> {
    let mut connection = pool.acquire().await?;
    let written = try_commit(&mut connection, batch).await;
    if written.is_err() {
        // What a full disk leaves of a transaction may keep everybody else out: this connection is
        // not used again.
        let _ = connection.detach().close_hard().await;
    }
    written
}

async fn try_commit(connection: &mut SqliteConnection, batch: &[Job]) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    for (write, _) in batch {
        apply(&mut transaction, write).await?;
    }
    transaction.commit().await
}

/// Writes the names that a session's programs left. They stand beside the count of those programs, so
/// that a version that does not write them leaves none that are not true any more.
async fn write_names(to: &mut SqliteConnection, row: &SessionRow) -> Result<(), sqlx::Error> {
    let names = row.left.as_ref().and_then(Left::to_stored);
    let Some(names) = names else {
        let none = sqlx::query("DELETE FROM session_names WHERE session = ?");
        none.bind(row.id.as_str()).execute(to).await?;
        return Ok(());
    };
    sqlx::query("INSERT OR REPLACE INTO session_names VALUES (?, ?, ?)")
        .bind(row.id.as_str())
        .bind(i64::try_from(row.programs).unwrap_or(i64::MAX))
        .bind(names)
        .execute(to)
        .await?;
    Ok(())
}

/// The names that stand there, if this version can read them.
fn left_of(stored: Option<String>) -> Option<Left> {
    stored.map(|names| Left::from_stored(&names)).filter(Left::is_known)
}

async fn apply(to: &mut SqliteConnection, write: &Write) -> Result<(), sqlx::Error> {
    match write {
        Write::Session(row) => {
            write_names(to, row).await?;
            sqlx::query(
                "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )
            .bind(row.id.as_str())
            .bind(&row.owner)
            .bind(row.created_at.0)
            .bind(row.used_at.0)
            .bind(&row.level)
            .bind(serde_json::to_string(&row.limits).unwrap_or_default())
            .bind(i64::try_from(row.programs).unwrap_or(i64::MAX))
            .bind(row.image_bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)))
            .bind(row.in_memory)
            .bind(row.passing)
            .bind(&row.agent)
            .bind(row.language.name())
            .bind(&row.workspace)
            .execute(to)
            .await?
        }
        Write::NoSession(id) => {
            for statement in [
                "DELETE FROM labels WHERE session = ?",
                "DELETE FROM grants WHERE session = ?",
                "DELETE FROM session_names WHERE session = ?",
            ] {
                sqlx::query(statement).bind(id.as_str()).execute(&mut *to).await?;
            }
            sqlx::query("DELETE FROM sessions WHERE id = ?").bind(id.as_str()).execute(to).await?
        }
        Write::Run(run) | Write::Begun(run) => {
            let how = if matches!(write, Write::Run(_)) { "REPLACE" } else { "IGNORE" };
            let insert =
                format!("INSERT OR {how} INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
            let ended = run.ended.as_ref().and_then(|ended| serde_json::to_string(ended).ok());
            sqlx::query(sqlx::AssertSqlSafe(insert))
                .bind(run.id.as_str())
                .bind(run.session.as_str())
                .bind(&run.owner)
                .bind(run.status.name())
                .bind(&run.language)
                .bind(&run.guidance)
                .bind(run.created_at.0)
                .bind(run.started_at.map(|moment| moment.0))
                .bind(run.finished_at.map(|moment| moment.0))
                .bind(&*run.program)
                .bind(ended)
                .bind(serde_json::to_string(&run.calls).unwrap_or_else(|_| "[]".to_owned()))
                .bind(&run.agent)
                .execute(to)
                .await?
        }
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_database_that_may_not_grow_is_full_and_one_that_is_asked_nonsense_is_not() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        for statement in ["CREATE TABLE t (text TEXT)", "PRAGMA max_page_count = 2"] {
            sqlx::query(statement).execute(&mut connection).await.unwrap();
        }
        let long = "x".repeat(100_000);
        let full = sqlx::query("INSERT INTO t VALUES (?)").bind(long).execute(&mut connection);
        assert!(StoreError::from(full.await.unwrap_err()).is_full());
        let nonsense = sqlx::query("SELECT nothing FROM t").execute(&mut connection).await;
        assert!(!StoreError::from(nonsense.unwrap_err()).is_full());
        let source = std::io::Error::from_raw_os_error(28);
        assert!(StoreError::File { path: PathBuf::new(), source }.is_full());
    }

    #[tokio::test]
    async fn a_session_of_an_earlier_version_has_python() {
        let folder = tempfile::tempdir().unwrap();
        let (id, store) = (SessionId::fresh(), Store::open(folder.path()).await.unwrap());
        // Another connection may still know the table as it was.
        let mut one = store.pool().acquire().await.unwrap();
        for statement in [
            "ALTER TABLE sessions DROP COLUMN language".to_owned(),
            "ALTER TABLE sessions DROP COLUMN agent".to_owned(),
            "ALTER TABLE sessions DROP COLUMN workspace".to_owned(),
            format!(
                "INSERT INTO sessions VALUES ('{id}', 'ann', 1, 2, 'development', '{}', 1, NULL, 0, 0)",
                serde_json::to_string(&Limits::default()).unwrap()
            ),
        ] {
            let statement = sqlx::query(sqlx::AssertSqlSafe(statement));
            statement.execute(&mut *one).await.unwrap();
        }
        drop((one, store));
        let store = Store::open(folder.path()).await.unwrap();
        let row = store.sessions().await.unwrap().remove(0);
        assert_eq!((row.id, row.language), (id, Language::Python));
    }

    #[tokio::test]
    async fn what_programs_left_comes_back_while_it_is_theirs_and_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let names = r#"{"version":1,"bound":{"imports":{"j":"import json as j"},"others":["x"],"used":[]}}"#;
        let left = Left::from_stored(names);
        assert!(left.is_known());
        let row = SessionRow {
            id: SessionId::fresh(),
            owner: "ann".to_owned(),
            created_at: Moment(1),
            used_at: Moment(2),
            language: Language::TypeScript,
            level: "development".to_owned(),
            limits: Limits::default(),
            programs: 3,
            image_bytes: Some(1),
            in_memory: false,
            passing: false,
            agent: "planner".to_owned(),
            workspace: "s_first".to_owned(),
            left: Some(left.clone()),
        };
        let store = Store::open(folder.path()).await.unwrap();
        store.write(Write::Session(Box::new(row.clone()))).await.unwrap();
        let read = async || store.sessions().await.unwrap().remove(0);
        let one = read().await;
        assert_eq!((one.left, one.agent), (Some(left.clone()), row.agent.clone()));
        assert_eq!(one.workspace, row.workspace);
        assert_eq!(one.language, Language::TypeScript);
        // One that does not know of names ran a fourth program.
        let run = "UPDATE sessions SET programs = 4";
        sqlx::query(run).execute(store.pool()).await.unwrap();
        assert_eq!((read().await.programs, read().await.left), (4, None));
        store.write(Write::Session(Box::new(row.clone()))).await.unwrap();
        assert_eq!(read().await.left, Some(left));
        for names in [names.replace("\"version\":1", "\"version\":0"), "{".to_owned()] {
            let other = sqlx::query("UPDATE session_names SET names = ?").bind(names);
            other.execute(store.pool()).await.unwrap();
            assert_eq!(read().await.left, None);
        }
        store
            .write(Write::Session(Box::new(SessionRow { left: None, ..row.clone() })))
            .await
            .unwrap();
        let count = sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM session_names");
        assert_eq!(count.fetch_one(store.pool()).await.unwrap(), 0);
    }
}
