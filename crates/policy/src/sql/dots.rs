//! Dots that call a function.
//!
//! To PostgreSQL, `(x).f` is `f(x)` wherever `x` has no field of that name, and `s.f` is `f(s)` where `s` is
//! what a function in `FROM` gave: `SELECT s.lo_unlink FROM generate_series(1, 9) AS s`. A row of a table
//! fits no function that comes with the database and does something, so `t.f` is a column; what somebody
//! has written for rows of that table stands with their other functions.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use sqlparser::ast::{
    AccessExpr, Expr, Ident, Statement, TableAlias, TableFactor, Value, Visit as _, Visitor,
};

use super::functions;

/// What the columns of functions in `FROM` are called where nobody calls them anything.
const COLUMNS: [&str; 14] = [
    "atom",
    "fullkey",
    "id",
    "json",
    "key",
    "ordinal",
    "ordinality",
    "parent",
    "path",
    "root",
    "start",
    "stop",
    "type",
    "value",
];

/// What calls without parentheses, also where a table stands.
const BARE: [&str; 12] = [
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
    "system_user",
    "user",
];

/// What functions in `FROM` gave, with the names that are its columns.
#[derive(Debug, Default)]
pub(super) struct Given(BTreeMap<String, Vec<String>>);

impl Given {
    /// Everything that functions give anywhere in a statement.
    pub(super) fn by(statement: &Statement) -> Self {
        let mut given = Self::default();
        // It never stops early.
        let _all: ControlFlow<()> = statement.visit(&mut given);
        given
    }

    /// Whether a name with dots is a column, and no call.
    pub(super) fn is_column(&self, parts: &[&str]) -> bool {
        let [.., of, last] = parts else { return true };
        let last = last.to_lowercase();
        if calls_by_name(&last) {
            return false;
        }
        let is_known = |columns: &Vec<String>| {
            columns.contains(&last)
                || COLUMNS.contains(&last.as_str())
                || functions::only_computes(&last)
        };
        self.0.get(&of.to_lowercase()).is_none_or(is_known)
    }

    /// Whether what follows a value is a place in it, and no call.
    pub(super) fn is_place(&self, root: &Expr, chain: &[AccessExpr]) -> bool {
        let mut names: Vec<&str> = match root {
            Expr::CompoundIdentifier(names) => names.iter().map(|one| &*one.value).collect(),
            root => name(root).into_iter().collect(),
        };
        if !names.is_empty() {
            names.extend(chain.iter().map_while(dotted));
        }
        let rest = chain.iter().skip_while(|one| !names.is_empty() && dotted(one).is_some());
        self.is_column(&names)
            && rest.into_iter().all(|one| matches!(one, AccessExpr::Subscript(_)))
    }

    fn note(&mut self, name: &Ident, alias: Option<&TableAlias>) {
        let columns = alias.map_or(&[][..], |alias| alias.columns.as_slice());
        let name = alias.map_or(name, |alias| &alias.name).value.to_lowercase();
        let mut columns: Vec<String> =
            columns.iter().map(|column| column.name.value.to_lowercase()).collect();
        if columns.is_empty() {
            columns.push(name.clone());
        }
        // Where two are called the same, only what is a column of both is sure to be one.
        self.0
            .entry(name)
            .and_modify(|known| known.retain(|one| columns.contains(one)))
            .or_insert(columns);
    }
}

impl Visitor for Given {
    type Break = ();

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        match table {
            TableFactor::Table { name, alias, args, .. } => {
                let last = name.0.last().and_then(|part| part.as_ident());
                let is_bare = |name: &Ident| BARE.contains(&name.value.to_lowercase().as_str());
                if let Some(last) = last.filter(|last| args.is_some() || is_bare(last)) {
                    self.note(last, alias.as_ref());
                }
            }
            TableFactor::Function { name, alias, .. } => {
                if let Some(last) = name.0.last().and_then(|part| part.as_ident()) {
                    self.note(last, alias.as_ref());
                }
            }
            TableFactor::UNNEST { alias, .. } => self.note(&Ident::new("unnest"), alias.as_ref()),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn dotted(access: &AccessExpr) -> Option<&str> {
    match access {
        AccessExpr::Dot(expression) => name(expression),
        AccessExpr::Subscript(_) => None,
    }
}

/// A name by itself. What is in double quotes is one to a database that takes them for texts elsewhere.
fn name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Identifier(name) => Some(&name.value),
        Expr::Value(value) => match &value.value {
            Value::DoubleQuotedString(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a name is never a column's: what Oracle, DB2, H2 and Snowflake advance a sequence with
/// (`seq.nextval`), and what PostgreSQL's own functions that do something are called.
fn calls_by_name(name: &str) -> bool {
    matches!(name, "nextval" | "setval" | "set_config")
        || name.starts_with("pg_")
        || name.starts_with("dblink")
        || LARGE_OBJECTS.contains(&name)
}

/// PostgreSQL's functions of large objects.
const LARGE_OBJECTS: [&str; 19] = [
    "lo_close",
    "lo_creat",
    "lo_create",
    "lo_export",
    "lo_from_bytea",
    "lo_get",
    "lo_import",
    "lo_lseek",
    "lo_lseek64",
    "lo_manage",
    "lo_open",
    "lo_put",
    "lo_tell",
    "lo_tell64",
    "lo_truncate",
    "lo_truncate64",
    "lo_unlink",
    "loread",
    "lowrite",
];
