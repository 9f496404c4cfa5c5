//! Whether SQL only reads.
//!
//! Whatever cannot be parsed does not. A function may still do anything that its database lets it:
//! those that are known to are listed here, and whoever needs to be sure gives the server a user who
//! may only read.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, ObjectName, Query, Select, SetExpr, Statement, Visit as _, Visitor};
use sqlparser::dialect::{
    Dialect, GenericDialect, MsSqlDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::parser::Parser;

/// The longest SQL that is looked at.
const MOST_BYTES: usize = 256 << 10;

/// Functions that do something, or let somebody else's words do it.
const FUNCTIONS: [&str; 22] = [
    "dblink",
    "dblink_exec",
    "lo_export",
    "lo_import",
    "lo_unlink",
    "load_extension",
    "load_file",
    "nextval",
    "pg_advisory_lock",
    "pg_cancel_backend",
    "pg_notify",
    "pg_read_binary_file",
    "pg_read_file",
    "pg_reload_conf",
    "pg_rotate_logfile",
    "pg_sleep",
    "pg_terminate_backend",
    "query_to_xml",
    "set_config",
    "setval",
    "sys_exec",
    "xp_cmdshell",
];

/// Whether every statement in `text` only reads, in whatever dialect can read it.
pub(crate) fn only_reads(text: &str) -> bool {
    if text.len() > MOST_BYTES {
        return false;
    }
    let dialects: [&dyn Dialect; 5] = [
        &GenericDialect {},
        &PostgreSqlDialect {},
        &MySqlDialect {},
        &SQLiteDialect {},
        &MsSqlDialect {},
    ];
    // Comments that one database executes and another does not are nothing that we can judge.
    if text.contains("/*!") || text.contains("/*+") {
        return false;
    }
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
        Statement::Explain { analyze, statement, .. } => !analyze || reads(statement),
        Statement::Query(_)
        | Statement::ExplainTable { .. }
        | Statement::ShowTables { .. }
        | Statement::ShowColumns { .. }
        | Statement::ShowDatabases { .. }
        | Statement::ShowSchemas { .. }
        | Statement::ShowVariable { .. } => true,
        _ => false,
    };
    is_reading && statement.visit(&mut Writes).is_continue()
}

/// Looks for anything inside a query that does more than read.
struct Writes;

impl Visitor for Writes {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if query.locks.is_empty() && body_reads(&query.body) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if select.into.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        match expression {
            Expr::Function(function) if does_something(&function.name) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        // A function can stand where a table does.
        if does_something(relation) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn body_reads(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) | SetExpr::Table(_) => true,
        SetExpr::SetOperation { left, right, .. } => body_reads(left) && body_reads(right),
        _ => false,
    }
}

fn does_something(name: &ObjectName) -> bool {
    let last = name.0.last().map(ToString::to_string).unwrap_or_default().to_lowercase();
    let last = last.trim_matches(['"', '`', '[', ']']);
    FUNCTIONS.contains(&last)
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
