//! What all runs together cost and saved.

use std::collections::BTreeMap;

use serde::Serialize;
use sqlx::Row as _;

use super::ids::SessionId;
use super::store::{Store, StoreError};
use super::{Caller, Refusal, Scope, Service};

/// Tools that are named.
const MOST_TOOLS: u32 = 50;
/// Days that are told apart.
const MOST_DAYS: u32 = 90;

/// Figures over runs that are over.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stats {
    /// Runs.
    pub total_executions: u64,
    /// The share of them that succeeded, from 0 to 1.
    pub success_rate: f64,
    /// Milliseconds a run took, on average.
    pub average_execution_time_ms: f64,
    /// Milliseconds a run waited for its turn, on average.
    pub average_queue_time_ms: f64,
    /// Tokens that were sent.
    pub tokens_sent: i64,
    /// Tokens that came back.
    pub tokens_received: i64,
    /// Tokens saved against having all tools in context.
    pub total_tokens_saved: i64,
    /// Tokens saved against having the tools that were used in context.
    pub total_tokens_saved_search: i64,
    /// What was saved, in money.
    pub total_cost_saved: f64,
    /// Bytes of answers that stayed in the sandbox.
    pub bytes_kept: i64,
    /// Calls of servers.
    pub tool_calls: u64,
    /// The tools that were called most, as `server.tool`.
    pub tools_called: Vec<ToolCalls>,
    /// Each day on its own, the latest first.
    pub days: Vec<Day>,
}

impl Stats {
    /// These and others together, as of gateways that keep their runs apart.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "weights")]
        let (own, others) = (self.total_executions as f64, other.total_executions as f64);
        let average = |own_value: f64, value: f64| {
            (own_value * own + value * others) / (own + others).max(1.0)
        };
        self.success_rate = average(self.success_rate, other.success_rate);
        self.average_execution_time_ms =
            average(self.average_execution_time_ms, other.average_execution_time_ms);
        self.average_queue_time_ms =
            average(self.average_queue_time_ms, other.average_queue_time_ms);
        self.total_executions += other.total_executions;
        self.tokens_sent += other.tokens_sent;
        self.tokens_received += other.tokens_received;
        self.total_tokens_saved += other.total_tokens_saved;
        self.total_tokens_saved_search += other.total_tokens_saved_search;
        self.total_cost_saved += other.total_cost_saved;
        self.bytes_kept += other.bytes_kept;
        self.tool_calls += other.tool_calls;
        let mut tools: BTreeMap<String, u64> = BTreeMap::new();
        for ToolCalls { tool, calls } in self.tools_called.into_iter().chain(other.tools_called) {
            *tools.entry(tool).or_default() += calls;
        }
        let tools = tools.into_iter().map(|(tool, calls)| ToolCalls { tool, calls });
        self.tools_called = tools.collect();
        self.tools_called.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
        let mut days: BTreeMap<String, Day> = BTreeMap::new();
        for day in self.days.into_iter().chain(other.days) {
            let empty = Day { day: day.day.clone(), ..Day::default() };
            let sum = days.entry(day.day).or_insert(empty);
            sum.executions += day.executions;
            sum.tokens_saved += day.tokens_saved;
            sum.cost_saved += day.cost_saved;
        }
        self.days = days.into_values().rev().collect();
        self
    }
}

/// How often a tool was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCalls {
    /// The tool, as `server.tool`.
    pub tool: String,
    /// How often.
    pub calls: u64,
}

/// One day's runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Day {
    /// The day, as 2026-11-15, in UTC.
    pub day: String,
    /// Runs.
    pub executions: u64,
    /// Tokens saved against having all tools in context.
    pub tokens_saved: i64,
    /// The same in money.
    pub cost_saved: f64,
}

const OVER: &str = "status NOT IN ('queued', 'running', 'waiting')
    AND (?1 IS NULL OR owner = ?1) AND (?2 IS NULL OR session = ?2)";

/// A call that was sent to somebody.
const MADE: &str =
    "json_extract(value, '$.unmade') IS NOT 1 AND json_extract(value, '$.reused') IS NOT 1";

impl Store {
    /// Figures over the runs of an owner, or of all; of one session, or of all.
    pub async fn stats(
        &self,
        owner: Option<&str>,
        session: Option<&SessionId>,
    ) -> Result<Stats, StoreError> {
        let of = |name: &str| format!("TOTAL(json_extract(ended, '$.receipt.{name}'))");
        let sums =
            ["sent", "received", "tokens_saved", "tokens_saved_search", "cost_saved", "bytes_kept"]
                .map(of)
                .join(", ");
        let whole = format!(
            "SELECT COUNT(*), TOTAL(status = 'succeeded'), AVG(json_extract(ended, '$.execution_time_ms')), {sums},
                AVG(started_at - created_at),
                (SELECT COUNT(*) FROM runs, json_each(runs.calls) WHERE {OVER} AND {MADE})
             FROM runs WHERE {OVER}"
        );
        let session = session.map(SessionId::as_str);
        let query = sqlx::query(sqlx::AssertSqlSafe(whole)).bind(owner).bind(session);
        let row = query.fetch_one(self.pool()).await?;
        let total = row.get::<i64, _>(0).unsigned_abs();
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let success_rate = row.get::<f64, _>(1) / total.max(1) as f64;
        let mut stats = Stats {
            total_executions: total,
            success_rate,
            average_execution_time_ms: row.get::<Option<f64>, _>(2).unwrap_or_default(),
            tokens_sent: whole_number(row.get(3)),
            tokens_received: whole_number(row.get(4)),
            total_tokens_saved: whole_number(row.get(5)),
            total_tokens_saved_search: whole_number(row.get(6)),
            total_cost_saved: row.get(7),
            bytes_kept: whole_number(row.get(8)),
            average_queue_time_ms: row.get::<Option<f64>, _>(9).unwrap_or_default(),
            tool_calls: row.get::<i64, _>(10).unsigned_abs(),
            ..Stats::default()
        };
        let tools = format!(
            "SELECT COALESCE(json_extract(value, '$.server') || '.', '') || json_extract(value, '$.tool'), COUNT(*)
             FROM runs, json_each(runs.calls) WHERE {OVER} AND {MADE} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST_TOOLS}"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(tools)).bind(owner).bind(session);
        for row in query.fetch_all(self.pool()).await? {
            let calls = row.get::<i64, _>(1).unsigned_abs();
            stats.tools_called.push(ToolCalls { tool: row.get(0), calls });
        }
        let days = format!(
            "SELECT date(created_at / 1000, 'unixepoch'), COUNT(*),
                TOTAL(json_extract(ended, '$.receipt.tokens_saved')), TOTAL(json_extract(ended, '$.receipt.cost_saved'))
             FROM runs WHERE {OVER} GROUP BY 1 ORDER BY 1 DESC LIMIT {MOST_DAYS}"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(days)).bind(owner).bind(session);
        for row in query.fetch_all(self.pool()).await? {
            stats.days.push(Day {
                day: row.get(0),
                executions: row.get::<i64, _>(1).unsigned_abs(),
                tokens_saved: whole_number(row.get(2)),
                cost_saved: row.get(3),
            });
        }
        Ok(stats)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a sum of whole numbers")]
fn whole_number(sum: f64) -> i64 {
    sum.round() as i64
}

impl Service {
    /// Figures over the caller's runs; over everybody's for who may see them.
    pub async fn stats(
        &self,
        caller: &Caller,
        session: Option<&SessionId>,
    ) -> Result<Stats, Refusal> {
        let owner = (!caller.may(Scope::Admin)).then_some(caller.owner.as_str());
        Ok(self.parts.store.stats(owner, session).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_gateways_ran_is_added_up() {
        let of = |total: u64, rate: f64, saved: i64, day: &str, tool: &str| Stats {
            total_executions: total,
            success_rate: rate,
            average_execution_time_ms: rate * 10.0,
            total_tokens_saved: saved,
            tool_calls: total,
            tools_called: vec![ToolCalls { tool: tool.to_owned(), calls: total }],
            days: vec![Day {
                day: day.to_owned(),
                executions: total,
                tokens_saved: saved,
                cost_saved: 0.5,
            }],
            ..Stats::default()
        };
        let first = of(3, 1.0, 500, "2026-11-17", "a.x").and(of(1, 0.0, -100, "2026-11-18", "a.y"));
        let all = first.and(of(4, 0.5, 7, "2026-11-17", "a.y"));
        assert_eq!((all.total_executions, all.total_tokens_saved, all.tool_calls), (8, 407, 8));
        assert!((all.success_rate - 0.625).abs() < 1e-12, "{all:?}");
        assert!((all.average_execution_time_ms - 6.25).abs() < 1e-12, "{all:?}");
        let tools: Vec<(&str, u64)> =
            all.tools_called.iter().map(|one| (one.tool.as_str(), one.calls)).collect();
        assert_eq!(tools, [("a.y", 5), ("a.x", 3)]);
        let days: Vec<(&str, u64, i64)> = all
            .days
            .iter()
            .map(|one| (one.day.as_str(), one.executions, one.tokens_saved))
            .collect();
        assert_eq!(days, [("2026-11-18", 1, -100), ("2026-11-17", 7, 507)]);
        assert_eq!(Stats::default().and(Stats::default()), Stats::default());
    }
}
