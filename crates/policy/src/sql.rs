//! Whether SQL only reads.
//!
//! Only what is known to: statements and functions that are listed here, in a text that every database
//! reads in the same way. Everything else is not sure to. A view, an operator or a function of
//! somebody's own that is called like one of these may still do anything that its database lets it:
//! whoever needs to be sure gives the server a user who may only read.

mod dots;
mod functions;
mod plain;

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, ObjectName, Query, Select, SetExpr, Statement, TableFactor,
    Visit as _, Visitor,
};
use sqlparser::dialect::{
    Dialect, GenericDialect, MsSqlDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::parser::Parser;

use self::dots::Given;

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
        && parsed.all(|statements| {
            !statements.is_empty() && statements.iter().all(|statement| reads(statement, text))
        })
}

fn reads(statement: &Statement, text: &str) -> bool {
    let is_reading = match statement {
        // What is explained may be carried out for that.
        Statement::Explain { statement, .. } => reads(statement, text),
        Statement::Query(_)
        | Statement::ExplainTable { .. }
        | Statement::ShowTables { .. }
        | Statement::ShowColumns { .. }
        | Statement::ShowDatabases { .. }
        | Statement::ShowSchemas { .. } => true,
        // All that is left of it is its words: `SHOW INDEX FROM t WHERE f(1)` has lost its call.
        Statement::ShowVariable { .. } => !text.contains('('),
        _ => false,
    };
    is_reading && statement.visit(&mut Reading { given: Given::by(statement) }).is_continue()
}

/// Goes on as long as everything is known to read.
struct Reading {
    given: Given,
}

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
        go_on(match expression {
            Expr::Function(function) => is_known(&function.name),
            Expr::CompoundIdentifier(parts) => {
                self.given.is_column(&parts.iter().map(|part| &*part.value).collect::<Vec<_>>())
            }
            Expr::CompoundFieldAccess { root, access_chain } => {
                self.given.is_place(root, access_chain)
            }
            // An operator of somebody's own is a function of theirs.
            Expr::BinaryOp { op, .. } => !matches!(
                op,
                BinaryOperator::Custom(_)
                    | BinaryOperator::PGCustomBinaryOperator(_)
                    | BinaryOperator::Assignment
            ),
            expression => only_holds_others(expression),
        })
    }

    /// To SQLite a pragma is a table, too, wherever a table's name can stand: `1 IN pragma_optimize`.
    fn pre_visit_ident(&mut self, name: &Ident) -> ControlFlow<()> {
        let name = name.value.to_ascii_lowercase();
        // The others are files.
        let is_table_of_sqlite = matches!(name.as_str(), "fsdir" | "zipfile" | "sqlite_dbpage");
        go_on(!is_table_of_sqlite && !name.starts_with("pragma_"))
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
        SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) => true,
        SetExpr::Table(table) => {
            let is_inside = |letter: char| letter.is_alphanumeric() || letter == '_';
            let parts = [&table.schema_name, &table.table_name];
            parts.into_iter().flatten().all(|part| part.chars().all(is_inside))
        }
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

/// Whether an expression calls nothing that its parts do not call. Calls of what has no name here, such as
/// `x -> f(x)`, and all that there may be one day are not among them.
fn only_holds_others(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Identifier(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotUnknown(_)
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::IsJson { .. }
            | Expr::IsNormalized { .. }
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::InUnnest { .. }
            | Expr::Between { .. }
            | Expr::Like { .. }
            | Expr::ILike { .. }
            | Expr::SimilarTo { .. }
            | Expr::RLike { .. }
            | Expr::AnyOp { .. }
            | Expr::AllOp { .. }
            | Expr::UnaryOp { .. }
            | Expr::Convert { .. }
            | Expr::Cast { .. }
            | Expr::AtTimeZone { .. }
            | Expr::Extract { .. }
            | Expr::Ceil { .. }
            | Expr::Floor { .. }
            | Expr::Position { .. }
            | Expr::Substring { .. }
            | Expr::Trim { .. }
            | Expr::Overlay { .. }
            | Expr::Collate { .. }
            | Expr::Nested(_)
            | Expr::Value(_)
            | Expr::Prefixed { .. }
            | Expr::TypedString(_)
            | Expr::Case { .. }
            | Expr::Exists { .. }
            | Expr::Subquery(_)
            | Expr::GroupingSets(_)
            | Expr::Cube(_)
            | Expr::Rollup(_)
            | Expr::Tuple(_)
            | Expr::Struct { .. }
            | Expr::Named { .. }
            | Expr::Array(_)
            | Expr::Interval(_)
            | Expr::MatchAgainst { .. }
            | Expr::Wildcard(_)
            | Expr::QualifiedWildcard(..)
            | Expr::OuterJoin(_)
            | Expr::MemberOf(_)
    )
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
mod tests;
