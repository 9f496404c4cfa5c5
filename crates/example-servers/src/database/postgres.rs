//! Tables in PostgreSQL: in a schema of their own, made from a seed once.
//!
//! The schema says in its comment that it is ours; one of that name that does not is somebody else's. Who
//! makes tables or changes rows holds a lock of the whole database meanwhile, so that two processes on one
//! database do not do so at the same time.

use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions, PgRow};
use sqlx::query::Query;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, PgPool, Postgres, Row as _};

use crate::store::Table;

const SCHEMA: &str = "tidegate_travel";
/// What our schema is known by.
const OURS: &str = "made by tidegate example-server travel";
/// The lock: "tide".
const LOCK: i64 = 0x7469_6465;
/// How long it may take until somebody answers.
const PATIENCE: Duration = Duration::from_secs(10);
/// Questions at the same time.
const CONNECTIONS: u32 = 4;

/// Opens the database at an address such as `postgres://user:password@host/name`, and sees to it that the
/// tables of `seed` are there.
pub(super) async fn open(address: &str, seed: u64, tables: &[Table]) -> Result<PgPool, String> {
    let wrong = |what: &str| {
        format!(
            "the PostgreSQL that TIDEGATE_TRAVEL_DATABASE names: {what}; it is given as postgres://USER:PASSWORD@HOST:PORT/NAME, and left out for SQLite"
        )
    };
    let is_one = ["postgres://", "postgresql://"].iter().any(|kind| address.starts_with(kind));
    let options = Some(address).filter(|_| is_one).and_then(|address| address.parse().ok());
    let options: PgConnectOptions = options.ok_or_else(|| wrong("this is no address of one"))?;
    let options = options
        .application_name("tidegate-travel")
        .options([("search_path", SCHEMA)])
        .disable_statement_logging();
    // Not from the pool, which would wait for one that refuses and then only say that it waited.
    let mut connection = tokio::time::timeout(PATIENCE, PgConnection::connect_with(&options))
        .await
        .map_err(|_| wrong(&format!("it did not answer within {} s", PATIENCE.as_secs())))?
        .map_err(|error| wrong(&error.to_string()))?;
    let is_ours = make(&mut connection, seed, tables).await;
    if !is_ours.map_err(|error| wrong(&error.to_string()))? {
        return Err(wrong(&format!("its schema {SCHEMA} was made by somebody else; name another")));
    }
    // The tables are there, whatever it says as it leaves.
    let _ = connection.close().await;
    let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(PATIENCE);
    Ok(pool.connect_lazy_with(options))
}

/// Runs a statement that changes rows while nobody else does.
pub(super) async fn alone(
    pool: &PgPool,
    statement: Query<'static, Postgres, PgArguments>,
) -> sqlx::Result<Vec<PgRow>> {
    let mut work = pool.begin().await?;
    lock(&mut work).await?;
    let rows = statement.fetch_all(&mut *work).await?;
    work.commit().await?;
    Ok(rows)
}

async fn lock(work: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(work).await.map(drop)
}

/// Makes what is not there yet; says whether the schema is ours. All in one transaction, as with SQLite.
async fn make(connection: &mut PgConnection, seed: u64, tables: &[Table]) -> sqlx::Result<bool> {
    let mut work = connection.begin().await?;
    lock(&mut work).await?;
    let said = sqlx::query(
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1",
    )
    .bind(SCHEMA)
    .fetch_optional(&mut *work)
    .await?;
    match said.map(|row| row.try_get::<Option<String>, _>(0)).transpose()? {
        Some(said) if said.as_deref() != Some(OURS) => return Ok(false),
        Some(_) => {}
        None => {
            let statements = format!(
                "CREATE SCHEMA {SCHEMA}; COMMENT ON SCHEMA {SCHEMA} IS '{OURS}';
                CREATE TABLE made (maker TEXT NOT NULL, name TEXT PRIMARY KEY)"
            );
            sqlx::raw_sql(sqlx::AssertSqlSafe(statements)).execute(&mut *work).await?;
        }
    }
    for table in tables {
        let made = table.maker(seed);
        let there = sqlx::query("SELECT 1 FROM made WHERE maker = $1 AND name = $2")
            .bind(made.as_str())
            .bind(table.name)
            .fetch_optional(&mut *work)
            .await?;
        if there.is_none() {
            fill(&mut work, table).await?;
            sqlx::query(
                "INSERT INTO made VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET maker = $1",
            )
            .bind(made.as_str())
            .bind(table.name)
            .execute(&mut *work)
            .await?;
        }
    }
    work.commit().await?;
    Ok(true)
}

/// The names are ours, from the source; the rows are a parameter.
async fn fill(work: &mut PgConnection, table: &Table) -> sqlx::Result<()> {
    let Table { name, columns, rows, index, .. } = table;
    let columns: Vec<(&str, &str)> = columns.split(", ").map(column).collect();
    let declared: Vec<String> = columns
        .iter()
        .map(|(name, kind)| match *kind {
            // As SQLite compares them.
            "TEXT" => format!("{name} TEXT COLLATE \"C\""),
            kind => format!("{name} {kind}"),
        })
        .collect();
    let index = index.map(|by| format!("CREATE INDEX {name}_index ON {name} ({by});"));
    let statements = format!(
        "DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({}); {}",
        declared.join(", "),
        index.unwrap_or_default()
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(statements)).execute(&mut *work).await?;
    let values: Vec<String> = columns
        .iter()
        .enumerate()
        .map(|(at, (_, kind))| format!("CAST(one ->> {at} AS {kind})"))
        .collect();
    let insert = format!(
        "INSERT INTO {name} SELECT {} FROM json_array_elements(CAST($1 AS json)) AS list(one)",
        values.join(", ")
    );
    sqlx::query(sqlx::AssertSqlSafe(insert)).bind(rows.as_str()).execute(work).await.map(drop)
}

/// The name of a column, and what PostgreSQL calls what SQLite keeps in it.
fn column(declared: &str) -> (&str, &str) {
    let (name, kind) = declared.split_once(' ').unwrap_or((declared, "TEXT"));
    let kind = match kind {
        "INTEGER" => "BIGINT",
        "REAL" => "DOUBLE PRECISION",
        other => other,
    };
    (name, kind)
}
