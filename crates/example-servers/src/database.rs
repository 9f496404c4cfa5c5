//! Rows in PostgreSQL where one is named, and in SQLite where none is: the same SQL, the same answers.
//!
//! A query is a text of the source, and what is asked reaches it as `$1`, `$2` and so on, which both
//! understand. What both take for the same is seen to here and in [`postgres`]: texts compare byte by byte,
//! whole numbers have 64 bits, others are double.

mod postgres;

use std::path::Path;

use serde_json::{Map, Value, json};
use sqlx::query::Query;
use sqlx::{
    Column as _, ColumnIndex, Decode, Encode, PgPool, Row, Type, TypeInfo as _, ValueRef as _,
};

use crate::store::{Store, Table};

/// Where the rows are.
pub(crate) enum Database {
    Sqlite(Store),
    Postgres(PgPool),
}

/// What a query is asked with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Given<'a> {
    /// A text, or NULL.
    Text(Option<&'a str>),
    Whole(i64),
    Real(f64),
}

impl Database {
    /// The PostgreSQL at `address`, or else the SQLite `file`, or else memory, with the tables of `seed`.
    pub(crate) async fn open(
        (address, file): (Option<&str>, Option<&Path>),
        seed: u64,
        tables: &[Table],
    ) -> Result<Self, String> {
        match address {
            Some(address) => postgres::open(address, seed, tables).await.map(Self::Postgres),
            None => Store::open(file, seed, tables).await.map(Self::Sqlite),
        }
    }

    /// What a query selects: an object for each row, with a field for each column.
    pub(crate) async fn rows(
        &self,
        query: &'static str,
        given: &[Given<'_>],
    ) -> Result<Vec<Value>, String> {
        check(given)?;
        match self {
            Self::Sqlite(store) => {
                let mut connection = store.connection().await;
                objects(bound(query, given).fetch_all(&mut *connection).await)
            }
            Self::Postgres(pool) => objects(bound(query, given).fetch_all(pool).await),
        }
    }

    /// What a statement that changes rows returns. One after another, whoever asks, so that no number is
    /// given to two new rows.
    pub(crate) async fn change(
        &self,
        statement: &'static str,
        given: &[Given<'_>],
    ) -> Result<Vec<Value>, String> {
        let Self::Postgres(pool) = self else { return self.rows(statement, given).await };
        check(given)?;
        objects(postgres::alone(pool, bound(statement, given)).await)
    }
}

impl<'a> From<&'a str> for Given<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<&'a String> for Given<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<&'a Option<String>> for Given<'a> {
    fn from(text: &'a Option<String>) -> Self {
        Self::Text(text.as_deref())
    }
}

impl From<i64> for Given<'_> {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

impl From<f64> for Given<'_> {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

/// PostgreSQL keeps no text with a zero in it, so neither of them is given one.
fn check(given: &[Given<'_>]) -> Result<(), String> {
    let has_zero = |one: &Given<'_>| matches!(one, Given::Text(Some(text)) if text.contains('\0'));
    if given.iter().any(has_zero) {
        return Err(
            "a text has the character U+0000 in it, which no table keeps; leave it out".into()
        );
    }
    Ok(())
}

fn bound<'a, D>(query: &'static str, given: &[Given<'a>]) -> Query<'static, D, D::Arguments>
where
    D: sqlx::Database,
    Option<&'a str>: Encode<'a, D> + Type<D>,
    i64: Encode<'a, D> + Type<D>,
    f64: Encode<'a, D> + Type<D>,
{
    given.iter().fold(sqlx::query(query), |asked, one| match *one {
        Given::Text(text) => asked.bind(text),
        Given::Whole(number) => asked.bind(number),
        Given::Real(number) => asked.bind(number),
    })
}

fn objects<R>(rows: sqlx::Result<Vec<R>>) -> Result<Vec<Value>, String>
where
    R: Row,
    usize: ColumnIndex<R>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> f64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
{
    let objects = rows.and_then(|rows| rows.iter().map(object).collect());
    objects.map_err(|error| format!("the store could not answer: {error}"))
}

fn object<R>(row: &R) -> sqlx::Result<Value>
where
    R: Row,
    usize: ColumnIndex<R>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> f64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
{
    let mut object = Map::new();
    for (at, column) in row.columns().iter().enumerate() {
        let raw = row.try_get_raw(at)?;
        let value = match raw.type_info().name() {
            _ if raw.is_null() => Value::Null,
            "INTEGER" | "INT8" => json!(row.try_get::<i64, _>(at)?),
            "REAL" | "FLOAT8" => json!(row.try_get::<f64, _>(at)?),
            _ => json!(row.try_get::<String, _>(at)?),
        };
        object.insert(column.name().to_owned(), value);
    }
    Ok(Value::Object(object))
}
