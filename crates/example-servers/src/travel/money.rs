//! What was spent: row by row, and added up.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Travel, day, one};
use crate::database::Given;

const EXPENSES: &str = "SELECT number, day, category, vendor, amount FROM expenses
    WHERE traveller = $1 AND ($2 IS NULL OR day >= $2) AND ($3 IS NULL OR day <= $3)
        AND ($4 IS NULL OR category = $4)
    ORDER BY day, number";

/// A row that was just written may have its 12.0 as a 12 in SQLite, unless it is told what it is.
const ADD: &str = "INSERT INTO expenses
    SELECT coalesce(max(number), 0) + 1, $1, $2, $3, $4, $5 FROM expenses
    RETURNING number, day, CAST(amount AS DOUBLE PRECISION) AS amount";

const REMOVE: &str = "DELETE FROM expenses WHERE traveller = $1 AND number = $2
    RETURNING number, day, category, vendor, CAST(amount AS DOUBLE PRECISION) AS amount";

/// Sums by what a column, or the beginning of a day, says.
macro_rules! sums_by {
    ($what:literal) => {
        concat!(
            "SELECT ",
            $what,
            " AS name, count(*) AS count, sum(amount) AS total, max(amount) AS largest
            FROM expenses
            WHERE traveller = $1 AND ($2 IS NULL OR day >= $2) AND ($3 IS NULL OR day <= $3)
            GROUP BY ",
            $what,
            " ORDER BY 1"
        )
    };
}

#[derive(Deserialize)]
pub(super) struct Expenses {
    user_id: String,
    start_date: Option<String>,
    end_date: Option<String>,
    category: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Spent {
    user_id: String,
    day: String,
    category: String,
    vendor: String,
    amount: f64,
}

#[derive(Deserialize)]
pub(super) struct Sums {
    user_id: String,
    by: By,
    start_date: Option<String>,
    end_date: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum By {
    Category,
    Vendor,
    Month,
}

#[derive(Deserialize)]
pub(super) struct Expense {
    user_id: String,
    number: i64,
}

impl By {
    fn query(&self) -> &'static str {
        match self {
            Self::Category => sums_by!("category"),
            Self::Vendor => sums_by!("vendor"),
            Self::Month => sums_by!("substr(day, 1, 7)"),
        }
    }
}

impl Travel {
    pub(super) async fn expenses(&self, of: &Expenses) -> Result<Value, String> {
        let given: [Given<'_>; 4] = [
            (&of.user_id).into(),
            (&of.start_date).into(),
            (&of.end_date).into(),
            (&of.category).into(),
        ];
        Ok(json!({ "expenses": self.database.rows(EXPENSES, &given).await? }))
    }

    pub(super) async fn spend(&self, spent: &Spent) -> Result<Value, String> {
        let on = day(&spent.day)?.to_string();
        let given: [Given<'_>; 5] = [
            (&spent.user_id).into(),
            (&on).into(),
            (&spent.category).into(),
            (&spent.vendor).into(),
            spent.amount.into(),
        ];
        one(self.database.change(ADD, &given).await?)
    }

    pub(super) async fn summary(&self, of: &Sums) -> Result<Value, String> {
        let given: [Given<'_>; 3] =
            [(&of.user_id).into(), (&of.start_date).into(), (&of.end_date).into()];
        let mut groups = self.database.rows(of.by.query(), &given).await?;
        for group in &mut groups {
            // Each database adds up in an order of its own.
            let total = group["total"].as_f64().unwrap_or_default();
            group["total"] = json!((total * 100.0).round() / 100.0);
        }
        Ok(json!({ "groups": groups }))
    }

    pub(super) async fn remove(&self, which: &Expense) -> Result<Value, String> {
        let given: [Given<'_>; 2] = [(&which.user_id).into(), which.number.into()];
        let removed = self.database.change(REMOVE, &given).await?;
        removed.into_iter().next().ok_or_else(|| {
            format!("there is no expense {} of yours; get_expenses lists them", which.number)
        })
    }
}
