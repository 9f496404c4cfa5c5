//! Whether SQL only reads.
//!
//! Only what is known to: statements and functions that are listed here, in a text that every database
//! reads in the same way. Everything else is not sure to. A view, an operator or a function of
//! somebody's own that is called like one of these may still do anything that its database lets it:
//! whoever needs to be sure gives the server a user who may only read.

mod functions;
mod plain;

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, ObjectName, Query, Select, SetExpr, Statement, TableFactor, Visit as _, Visitor,
};
use sqlparser::dialect::{
    Dialect, GenericDialect, MsSqlDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::parser::Parser;

/// The longest SQL that is looked at.
const MOST_BYTES: usize = 256 << 10;

/// Whether every statement in `text` is sure to read only, in whatever dialect can read it.
pub(crate) fn only_reads(text: &str) -> bool {
    if text.len() > MOST_BYTES || !plain::is_plain(text) {
        return false;
    }
    let dialects: [&dyn Dialect; 5] = [
        &GenericDialect {},
        &PostgreSqlDialect {},
        &MySqlDialect {},
        &SQLiteDialect {},
        &MsSqlDialect {},
    ];
    let mut parsed = dialects
        .iter()
        .filter_map(|dialect| {
            Parser::new(*dialect)
                .with_recursion_limit(50)
                .try_with_sql(text)
                .ok()?
                .parse_statements()
                .ok()
        })
        .peekable();
    // Where dialects disagree, each of them has to find nothing that changes anything.
    parsed.peek().is_some()
        && parsed.all(|statements| !statements.is_empty() && statements.iter().all(reads))
}

fn reads(statement: &Statement) -> bool {
    let is_reading = match statement {
        // What is explained may be carried out for that.
        Statement::Explain { statement, .. } => reads(statement),
        Statement::Query(_)
        | Statement::ExplainTable { .. }
        | Statement::ShowTables { .. }
        | Statement::ShowColumns { .. }
        | Statement::ShowDatabases { .. }
        | Statement::ShowSchemas { .. }
        | Statement::ShowVariable { .. } => true,
        _ => false,
    };
    is_reading && statement.visit(&mut Reading).is_continue()
}

/// Goes on as long as everything is known to read.
struct Reading;

impl Visitor for Reading {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let is_more = query.settings.is_some()
            || query.format_clause.is_some()
            || !query.pipe_operators.is_empty();
        go_on(query.locks.is_empty() && !is_more && body_reads(&query.body))
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        go_on(select.into.is_none() && select.optimizer_hints.is_empty())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        match expression {
            Expr::Function(function) => go_on(is_known(&function.name)),
            Expr::CompoundIdentifier(parts) => go_on(!parts.last().is_some_and(is_next)),
            // Calls of something that has no name here.
            Expr::Lambda(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        go_on(match table {
            TableFactor::Table { name, args, with_hints, .. } => {
                // A function can stand where a table does.
                let is_function = args.is_some();
                with_hints.is_empty() && (!is_function || is_known(name)) && is_name(name)
            }
            TableFactor::Function { name, .. } => is_known(name),
            TableFactor::Derived { .. }
            | TableFactor::NestedJoin { .. }
            | TableFactor::UNNEST { .. }
            | TableFactor::JsonTable { .. }
            | TableFactor::OpenJsonTable { .. } => true,
            _ => false,
        })
    }
}

fn go_on(reads: bool) -> ControlFlow<()> {
    if reads { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

fn body_reads(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) | SetExpr::Table(_) => true,
        SetExpr::SetOperation { left, right, .. } => body_reads(left) && body_reads(right),
        _ => false,
    }
}

/// Whether a function is one of those that only compute. One of a schema is somebody's own.
fn is_known(name: &ObjectName) -> bool {
    let [only] = name.0.as_slice() else { return false };
    let Some(name) = only.as_ident() else { return false };
    functions::only_computes(&name.value.to_lowercase())
}

/// What Oracle, DB2, H2 and Snowflake advance a sequence with: `seq.nextval`.
fn is_next(name: &Ident) -> bool {
    name.value.eq_ignore_ascii_case("nextval")
}

/// Whether a table's name is one, and no file that somebody wants read.
fn is_name(name: &ObjectName) -> bool {
    name.0.iter().all(|part| {
        part.as_ident().is_some_and(|part| {
            part.quote_style != Some('\'') && !part.value.contains(['/', '\\', ':', '.', '*'])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_is_told_from_what_does_not() {
        for text in [
            "SELECT * FROM expenses WHERE amount > 100",
            "select 1; select 2;",
            "WITH x AS (SELECT 1 AS a) SELECT a FROM x ORDER BY a LIMIT 3",
            "EXPLAIN SELECT * FROM t",
            "SELECT name FROM a UNION ALL SELECT name FROM b",
            "SHOW TABLES",
            "-- a comment\nSELECT count(*) FROM t",
            "SELECT lower(a), sum(b) OVER (PARTITION BY c), CASE WHEN d THEN 1 ELSE 2 END FROM s.t",
            "SELECT replace(a, 'x', 'DROP TABLE'), CAST(b AS text) FROM \"My Table\" WHERE c LIKE '%;%'",
            "SELECT date_trunc('month', d), count(*) FROM t GROUP BY 1 HAVING count(*) > 2",
            "EXPLAIN ANALYZE SELECT 1",
            "SELECT * FROM generate_series(1, 3) AS n",
            "SELECT TOP 5 [a b] FROM dbo.t",
        ] {
            assert!(only_reads(text), "{text}");
        }
        for text in [
            "",
            "DROP TABLE t",
            "SELECT 1; DELETE FROM t",
            "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
            "WITH new AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM new",
            "SELECT * INTO copy FROM t",
            "SELECT * FROM t FOR UPDATE",
            "EXPLAIN ANALYZE DELETE FROM t",
            "INSERT INTO t SELECT * FROM u",
            "SELECT pg_terminate_backend(1)",
            "SELECT pg_catalog.\"pg_read_file\"('/etc/passwd')",
            "SELECT * FROM dblink('x', 'DROP TABLE t')",
            "SELECT 1 /*! ; DROP TABLE t */",
            "SELECT setval('s', 1)",
            "SELECT lo_import('/etc/passwd')",
            "SELECT load_extension('x')",
            "SELECT load_file('/etc/passwd')",
            "SELECT pg_ls_dir('/')",
            "SELECT public.lower('x')",
            "SELECT my_own_function(1)",
            "SELECT query_to_xml('DELETE FROM t', true, true, '')",
            "SELECT * FROM my_own_function(1)",
            "SELECT * FROM OPENROWSET('x', 'y', 'z')",
            "SELECT * FROM '/etc/passwd'",
            "SELECT * FROM \"/etc/passwd.csv\"",
            "SELECT * FROM t WITH (UPDLOCK)",
            "SELECT * FROM t FOR SHARE",
            "SELECT * FROM t LOCK IN SHARE MODE",
            "SELECT a FROM t INTO OUTFILE '/tmp/x'",
            "SELECT a INTO DUMPFILE '/tmp/x' FROM t",
            "EXPLAIN (ANALYZE) DELETE FROM t",
            "EXPLAIN (ANALYZE, VERBOSE) UPDATE t SET a = 1",
            "EXPLAIN ANALYZE INSERT INTO t VALUES (1)",
            "SELECT 1 DELETE FROM t",
            "SELECT 1 FROM t EXEC(\"x\")",
            "SELECT (SELECT pg_sleep(10))",
            "SELECT 1 WHERE EXISTS (SELECT nextval('s'))",
            "SELECT a FROM t ORDER BY pg_sleep(1)",
            "SELECT count(*) FILTER (WHERE setval('s', 1) > 0) FROM t",
            "VALUES (nextval('s'))",
            "select seq.nextval from dual",
            "SELECT s.seq.NEXTVAL",
            "SELECT \"seq\".\"NEXTVAL\" FROM dual",
            "SELECT a FROM t WHERE b = seq.NextVal",
            "WITH x AS (SELECT setval('s', 1)) SELECT * FROM x",
            r"SELECT 'a\' OR setval(1,2) -- '",
            "SELECT $$a$$",
            "DO $$ BEGIN DELETE FROM t; END $$",
            "REPLACE INTO t VALUES (1)",
            "LOAD DATA INFILE 'x' INTO TABLE t",
            "HANDLER t OPEN",
            "MERGE INTO t USING u ON a = b WHEN MATCHED THEN DELETE",
            "TRUNCATE t",
            "BEGIN; SELECT 1; COMMIT",
            "PRAGMA table_info(t)",
            "COPY t TO PROGRAM 'sh'",
            "PRAGMA writable_schema = 1",
            "ATTACH DATABASE 'x' AS y",
            "CALL proc()",
            "SET ROLE admin",
            "VACUUM",
            "not sql at all",
        ] {
            assert!(!only_reads(text), "{text}");
        }
    }

    #[test]
    fn deep_and_long_sql_is_refused_and_not_fatal() {
        assert!(!only_reads(&format!("SELECT {}1{}", "(".repeat(10_000), ")".repeat(10_000))));
        assert!(!only_reads(&"SELECT 1;".repeat(100_000)));
    }
}
