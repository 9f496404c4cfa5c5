//! What runs cost and saved that are no longer kept, by day and owner: totals do not fall when old runs
//! are removed.
//!
//! A run is counted in one place at a time: from its own row while that is there, and from here once it
//! was removed. Both change in one transaction.

use sqlx::SqliteConnection;

/// The tables.
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS totals (
    owner TEXT NOT NULL,
    day TEXT NOT NULL,
    executions INTEGER NOT NULL,
    succeeded REAL NOT NULL,
    milliseconds REAL NOT NULL,
    timed INTEGER NOT NULL,
    queue_milliseconds REAL NOT NULL,
    queued INTEGER NOT NULL,
    sent REAL NOT NULL,
    received REAL NOT NULL,
    tokens_saved REAL NOT NULL,
    tokens_saved_search REAL NOT NULL,
    cost_saved REAL NOT NULL,
    bytes_kept REAL NOT NULL,
    tool_calls INTEGER NOT NULL,
    model_questions REAL NOT NULL DEFAULT 0,
    model_input_tokens REAL NOT NULL DEFAULT 0,
    model_output_tokens REAL NOT NULL DEFAULT 0,
    model_cost REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, day)
) STRICT;
CREATE TABLE IF NOT EXISTS total_tools (
    owner TEXT NOT NULL,
    tool TEXT NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (owner, tool)
) STRICT;
";

/// What is added up of each day, in the order of the table.
pub(super) const SUMS: [&str; 17] = [
    "executions",
    "succeeded",
    "milliseconds",
    "timed",
    "queue_milliseconds",
    "queued",
    "sent",
    "received",
    "tokens_saved",
    "tokens_saved_search",
    "cost_saved",
    "bytes_kept",
    "tool_calls",
    "model_questions",
    "model_input_tokens",
    "model_output_tokens",
    "model_cost",
];

/// The same of runs that are still there, from rows grouped by owner and day.
pub(super) const OF_RUNS: &str = "
    COUNT(*) AS executions, TOTAL(status = 'succeeded') AS succeeded,
    TOTAL(json_extract(ended, '$.execution_time_ms')) AS milliseconds,
    COUNT(json_extract(ended, '$.execution_time_ms')) AS timed,
    TOTAL(started_at - created_at) AS queue_milliseconds, COUNT(started_at) AS queued,
    TOTAL(json_extract(ended, '$.receipt.sent')) AS sent,
    TOTAL(json_extract(ended, '$.receipt.received')) AS received,
    TOTAL(json_extract(ended, '$.receipt.tokens_saved')) AS tokens_saved,
    TOTAL(json_extract(ended, '$.receipt.tokens_saved_search')) AS tokens_saved_search,
    TOTAL(json_extract(ended, '$.receipt.cost_saved')) AS cost_saved,
    TOTAL(json_extract(ended, '$.receipt.bytes_kept')) AS bytes_kept,
    SUM((SELECT COUNT(*) FROM json_each(runs.calls) WHERE json_extract(value, '$.unmade') IS NOT 1
        AND json_extract(value, '$.reused') IS NOT 1
        AND json_extract(value, '$.kind') IS NOT 'besides')) AS tool_calls,
    TOTAL(json_extract(ended, '$.receipt.models.questions')) AS model_questions,
    TOTAL(json_extract(ended, '$.receipt.models.input_tokens')) AS model_input_tokens,
    TOTAL(json_extract(ended, '$.receipt.models.output_tokens')) AS model_output_tokens,
    TOTAL(json_extract(ended, '$.receipt.models.cost')) AS model_cost";

/// The day a run was asked for.
pub(super) const DAY: &str = "date(created_at / 1000, 'unixepoch')";

/// A call of a tool that was sent to somebody; searches, listings and children are none.
pub(super) const MADE: &str = "json_extract(value, '$.unmade') IS NOT 1
    AND json_extract(value, '$.reused') IS NOT 1 AND json_extract(value, '$.kind') IS NOT 'besides'";

/// What a call is called, as `server.tool`.
pub(super) const TOOL: &str =
    "COALESCE(json_extract(value, '$.server') || '.', '') || json_extract(value, '$.tool')";

/// Adds runs, named by a JSON list of their ids, to the totals. They are removed in the same transaction.
pub(super) async fn add(to: &mut SqliteConnection, runs: &str) -> Result<(), sqlx::Error> {
    let which = "runs.id IN (SELECT value FROM json_each(?))";
    let days = format!(
        "INSERT INTO totals SELECT owner, {DAY} AS day, {OF_RUNS} FROM runs WHERE {which}
         GROUP BY 1, 2 {}",
        more("owner, day", &SUMS)
    );
    let tools = format!(
        "INSERT INTO total_tools SELECT owner, {TOOL} AS tool, COUNT(*) AS calls
         FROM runs, json_each(runs.calls) WHERE {which} AND {MADE} GROUP BY 1, 2 {}",
        more("owner, tool", &["calls"])
    );
    for statement in [days, tools] {
        sqlx::query(sqlx::AssertSqlSafe(statement)).bind(runs).execute(&mut *to).await?;
    }
    Ok(())
}

/// Takes the totals of the database `other` over, which has none afterwards.
pub(super) async fn take_over(to: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let days = more("owner, day", &SUMS);
    let tools = more("owner, tool", &["calls"]);
    for statement in [
        "BEGIN IMMEDIATE".to_owned(),
        format!("INSERT INTO main.totals SELECT * FROM other.totals WHERE true {days}"),
        format!("INSERT INTO main.total_tools SELECT * FROM other.total_tools WHERE true {tools}"),
        "DELETE FROM other.totals".to_owned(),
        "DELETE FROM other.total_tools".to_owned(),
        "COMMIT".to_owned(),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut *to).await?;
    }
    Ok(())
}

/// What is there already becomes more by what comes.
fn more(key: &str, columns: &[&str]) -> String {
    let sums: Vec<String> =
        columns.iter().map(|name| format!("{name} = {name} + excluded.{name}")).collect();
    format!("ON CONFLICT ({key}) DO UPDATE SET {}", sums.join(", "))
}
