//! Tables in SQLite: made from a seed once, asked with parameters ever after.
//!
//! The file remembers which seed it was made from and with which tables. Another seed, another version
//! or other columns make it anew; nobody else's file is touched.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, Row as _, SqliteConnection};
use tokio::sync::{Mutex, MutexGuard};

/// Marks files that are ours: "tide".
const MARK: i64 = 0x7469_6465;

/// A table, and all that is in it.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Its columns, as SQL declares them.
    pub(crate) columns: &'static str,
    /// A JSON list of rows, each a list of values.
    pub(crate) rows: String,
    width: usize,
    /// The columns by which it is searched.
    pub(crate) index: Option<&'static str>,
}

impl Table {
    pub(crate) fn new<R: Serialize>(name: &'static str, columns: &'static str, rows: &[R]) -> Self {
        let rows = serde_json::to_string(rows).unwrap_or_default();
        Self { name, columns, rows, width: columns.split(", ").count(), index: None }
    }

    pub(crate) fn with_index(self, columns: &'static str) -> Self {
        Self { index: Some(columns), ..self }
    }

    /// Who made it: this version, from this seed, with these columns.
    pub(crate) fn maker(&self, seed: u64) -> String {
        format!("{} ({})", maker(seed), self.columns)
    }
}

/// An open database.
pub(crate) struct Store {
    connection: Mutex<SqliteConnection>,
}

impl Store {
    /// Opens a file, or memory, and sees to it that the tables of `seed` are there.
    pub(crate) async fn open(
        file: Option<&Path>,
        seed: u64,
        tables: &[Table],
    ) -> Result<Self, String> {
        let options = SqliteConnectOptions::new().create_if_missing(true);
        let options = match file {
            Some(file) => options.filename(file),
            None => options.in_memory(true),
        };
        let place = file.map_or_else(|| "memory".to_owned(), |file| file.display().to_string());
        if let Some(folder) = file.and_then(Path::parent) {
            std::fs::create_dir_all(folder).map_err(|error| {
                format!("the folder of the store {place}: {error}; check --store")
            })?;
        }
        let wrong = |error: sqlx::Error| format!("the store {place}: {error}; check --store");
        let mut connection = SqliteConnection::connect_with(&options).await.map_err(wrong)?;
        let foreign = is_foreign(&mut connection).await.map_err(wrong)?;
        if foreign {
            return Err(format!(
                "the store {place} is a database of somebody else; name another file with --store"
            ));
        }
        make(&mut connection, seed, tables).await.map_err(wrong)?;
        Ok(Self { connection: Mutex::new(connection) })
    }

    /// Adds rows to a table that was made before, unless this part of it is there already.
    pub(crate) async fn add<R: Serialize>(
        &self,
        seed: u64,
        (table, part): (&'static str, &str),
        rows: impl FnOnce() -> Vec<R> + Send,
    ) -> Result<(), String> {
        let mut connection = self.connection.lock().await;
        let added = add(&mut connection, seed, (table, part), rows).await;
        added.map_err(|error| format!("the store could not be filled: {error}"))
    }

    /// The connection, for whoever asks in another way than by [`json`](Self::json).
    pub(crate) async fn connection(&self) -> MutexGuard<'_, SqliteConnection> {
        self.connection.lock().await
    }

    /// The one JSON value that a query selects. What is not given is NULL.
    pub(crate) async fn json(
        &self,
        query: &'static str,
        parameters: &[Option<&str>],
    ) -> Result<Value, String> {
        let mut asked = sqlx::query(query);
        for parameter in parameters {
            asked = asked.bind(*parameter);
        }
        let row = asked.fetch_one(&mut *self.connection.lock().await).await;
        let text: String = row
            .and_then(|row| row.try_get(0))
            .map_err(|error| format!("the store could not answer: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("the store answered oddly: {error}"))
    }
}

async fn number(connection: &mut SqliteConnection, query: &'static str) -> sqlx::Result<i64> {
    sqlx::query(query).fetch_one(connection).await?.try_get(0)
}

/// Whether somebody else made it.
async fn is_foreign(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    let tables = number(&mut *connection, "SELECT count(*) FROM sqlite_schema").await?;
    let mark = number(connection, "PRAGMA application_id").await?;
    Ok(tables > 0 && mark != MARK)
}

/// All in one transaction: a server that is ended in the middle leaves nothing half made.
async fn make(connection: &mut SqliteConnection, seed: u64, tables: &[Table]) -> sqlx::Result<()> {
    let mut work = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query("CREATE TABLE IF NOT EXISTS made (by TEXT NOT NULL, name TEXT PRIMARY KEY) STRICT")
        .execute(&mut *work)
        .await?;
    for table in tables {
        let made = table.maker(seed);
        if is_there(&mut work, &made, table.name).await? {
            continue;
        }
        let Table { name, columns, rows, width, index } = table;
        let index = index.map(|by| format!("CREATE INDEX {name}_index ON {name} ({by});"));
        let statements = format!(
            "DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({columns}) STRICT; {} PRAGMA application_id = {MARK};",
            index.unwrap_or_default()
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(statements)).execute(&mut *work).await?;
        insert(&mut work, name, rows, *width).await?;
        // Parts that were added to it went with it.
        sqlx::query("DELETE FROM made WHERE name LIKE ?1 || '/%'")
            .bind(*name)
            .execute(&mut *work)
            .await?;
        note(&mut work, &made, name).await?;
    }
    work.commit().await
}

async fn add<R: Serialize>(
    connection: &mut SqliteConnection,
    seed: u64,
    (table, part): (&'static str, &str),
    rows: impl FnOnce() -> Vec<R> + Send,
) -> sqlx::Result<()> {
    let (made, name) = (maker(seed), format!("{table}/{part}"));
    if is_there(connection, &made, &name).await? {
        return Ok(());
    }
    let mut work = connection.begin_with("BEGIN IMMEDIATE").await?;
    // Another process may have been quicker.
    if !is_there(&mut work, &made, &name).await? {
        let text = serde_json::to_value(rows()).unwrap_or_default();
        let width = text[0].as_array().map_or(0, Vec::len);
        insert(&mut work, table, &text.to_string(), width).await?;
        note(&mut work, &made, &name).await?;
    }
    work.commit().await
}

/// Who made a part of a table: this version, from this seed.
fn maker(seed: u64) -> String {
    format!("{} {seed}", env!("CARGO_PKG_VERSION"))
}

async fn is_there(work: &mut SqliteConnection, made: &str, name: &str) -> sqlx::Result<bool> {
    let there: i64 = sqlx::query("SELECT count(*) FROM made WHERE by = ?1 AND name = ?2")
        .bind(made)
        .bind(name)
        .fetch_one(work)
        .await?
        .try_get(0)?;
    Ok(there > 0)
}

async fn note(work: &mut SqliteConnection, made: &str, name: &str) -> sqlx::Result<()> {
    let noted = sqlx::query("INSERT OR REPLACE INTO made VALUES (?1, ?2)");
    noted.bind(made).bind(name).execute(work).await.map(drop)
}

/// The names are ours, from the source; the rows are a parameter.
async fn insert(
    work: &mut SqliteConnection,
    table: &str,
    rows: &str,
    width: usize,
) -> sqlx::Result<()> {
    let values: Vec<String> = (0..width).map(|at| format!("value ->> {at}")).collect();
    let insert = format!("INSERT INTO {table} SELECT {} FROM json_each(?1)", values.join(", "));
    sqlx::query(sqlx::AssertSqlSafe(insert)).bind(rows).execute(work).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: &str = "SELECT json_array(count(*), sum(n)) FROM numbers";

    async fn counted(file: &Path, seed: u64, rows: &[(u32, &str)]) -> Result<Value, String> {
        let table = Table::new("numbers", "n INTEGER, word TEXT", rows);
        Store::open(Some(file), seed, &[table]).await?.json(COUNT, &[]).await
    }

    #[tokio::test]
    async fn a_file_is_made_once_for_a_seed_and_anew_for_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("not/there/yet/store.db");
        assert_eq!(counted(&file, 1, &[(1, "a"), (2, "b")]).await.unwrap().to_string(), "[2,3]");
        assert_eq!(counted(&file, 1, &[(9, "z")]).await.unwrap().to_string(), "[2,3]");
        assert_eq!(counted(&file, 2, &[(9, "z")]).await.unwrap().to_string(), "[1,9]");
    }

    #[tokio::test]
    async fn a_table_that_has_other_columns_now_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.db");
        assert_eq!(counted(&file, 1, &[(1, "a"), (2, "b")]).await.unwrap().to_string(), "[2,3]");
        let wider = Table::new("numbers", "n INTEGER, word TEXT, at REAL", &[(7, "c", 0.5)]);
        let store = Store::open(Some(&file), 1, &[wider]).await.unwrap();
        assert_eq!(store.json(COUNT, &[]).await.unwrap().to_string(), "[1,7]");
    }

    #[tokio::test]
    async fn a_part_is_added_once_and_goes_with_its_table() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.db");
        let added = async |seed| {
            let table = Table::new("numbers", "n INTEGER, word TEXT", &[(1, "a")]);
            let store = Store::open(Some(&file), seed, &[table]).await?;
            for _ in 0..2 {
                store.add(seed, ("numbers", "more"), || vec![(10, "x"), (20, "y")]).await?;
            }
            store.json(COUNT, &[]).await
        };
        for seed in [1, 1, 2, 1] {
            assert_eq!(added(seed).await.unwrap().to_string(), "[3,31]", "seed {seed}");
        }
    }

    #[tokio::test]
    async fn a_database_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("theirs.db");
        let options = SqliteConnectOptions::new().filename(&file).create_if_missing(true);
        let mut theirs = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::query("CREATE TABLE numbers (n INTEGER)").execute(&mut theirs).await.unwrap();
        let reason = counted(&file, 1, &[]).await.unwrap_err();
        assert!(reason.contains("somebody else"), "{reason}");
    }
}
