//! What all runs together cost and saved.

use std::collections::BTreeMap;

use serde::Serialize;
use sqlx::Row as _;

use super::ids::SessionId;
use super::store::{Store, StoreError};
use super::totals::{DAY, MADE, OF_RUNS, SUMS, TOOL};
use super::{Caller, Refusal, Scope, Service};
use crate::minds::ModelUse;

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
    /// Calls of tools that left.
    pub tool_calls: u64,
    /// What programs asked models, and what that took.
    pub models: ModelUse,
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
        self.models.add(&other.models);
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

/// Totals of runs that are no longer kept belong to no session.
const GONE: &str = "(?1 IS NULL OR owner = ?1) AND ?2 IS NULL";

impl Store {
    /// Figures over the runs of an owner, or of all; of one session, or of all. Of a session only runs
    /// count that are still kept.
    pub async fn stats(
        &self,
        owner: Option<&str>,
        session: Option<&SessionId>,
    ) -> Result<Stats, StoreError> {
        let names = SUMS.join(", ");
        let all = format!(
            "SELECT {DAY} AS day, {OF_RUNS} FROM runs WHERE {OVER} GROUP BY 1
             UNION ALL SELECT day, {names} FROM totals WHERE {GONE}"
        );
        let sums = SUMS.map(|name| format!("TOTAL({name}) AS {name}")).join(", ");
        let session = session.map(SessionId::as_str);
        let whole = format!("SELECT {sums} FROM ({all})");
        let query = sqlx::query(sqlx::AssertSqlSafe(whole)).bind(owner).bind(session);
        let row = query.fetch_one(self.pool()).await?;
        let sum = |name: &str| row.get::<f64, _>(name);
        let average = |sums: &str, count: &str| sum(sums) / sum(count).max(1.0);
        let mut stats = Stats {
            total_executions: whole_number(sum("executions")).unsigned_abs(),
            success_rate: average("succeeded", "executions"),
            average_execution_time_ms: average("milliseconds", "timed"),
            average_queue_time_ms: average("queue_milliseconds", "queued"),
            tokens_sent: whole_number(sum("sent")),
            tokens_received: whole_number(sum("received")),
            total_tokens_saved: whole_number(sum("tokens_saved")),
            total_tokens_saved_search: whole_number(sum("tokens_saved_search")),
            total_cost_saved: sum("cost_saved"),
            bytes_kept: whole_number(sum("bytes_kept")),
            tool_calls: whole_number(sum("tool_calls")).unsigned_abs(),
            models: ModelUse {
                questions: whole_number(sum("model_questions")).unsigned_abs(),
                input_tokens: whole_number(sum("model_input_tokens")).unsigned_abs(),
                output_tokens: whole_number(sum("model_output_tokens")).unsigned_abs(),
                cost: sum("model_cost"),
            },
            ..Stats::default()
        };
        let tools = format!(
            "SELECT tool, SUM(calls) FROM (
                SELECT {TOOL} AS tool, COUNT(*) AS calls FROM runs, json_each(runs.calls)
                WHERE {OVER} AND {MADE} GROUP BY 1
                UNION ALL SELECT tool, calls FROM total_tools WHERE {GONE})
             GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST_TOOLS}"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(tools)).bind(owner).bind(session);
        for row in query.fetch_all(self.pool()).await? {
            let calls = row.get::<i64, _>(1).unsigned_abs();
            stats.tools_called.push(ToolCalls { tool: row.get(0), calls });
        }
        let days = format!(
            "SELECT day, TOTAL(executions), TOTAL(tokens_saved), TOTAL(cost_saved)
             FROM ({all}) GROUP BY 1 ORDER BY 1 DESC LIMIT {MOST_DAYS}"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(days)).bind(owner).bind(session);
        for row in query.fetch_all(self.pool()).await? {
            stats.days.push(Day {
                day: row.get(0),
                executions: whole_number(row.get(1)).unsigned_abs(),
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
    use std::time::Duration;

    use engine::{CallId, HostCall, Outcome, ProgramError};

    use super::super::ids::RunId;
    use super::super::receipt::Receipt;
    use super::super::record::{Ended, Moment, Record, Status};
    use super::super::store::Write;
    use super::*;
    use crate::hearing::{CallKind, CallNote};

    fn record(owner: &str, status: Status, day: i64, saved: i64) -> Record {
        let mut ended = Ended::from(&Outcome::failed(ProgramError::default()));
        ended.execution_time_ms = 4.0;
        let (sent, received, bytes_kept, cost_saved) = (7, 3, 1000, 0.5);
        ended.receipt = Some(Receipt {
            sent,
            received,
            bytes_kept,
            cost_saved,
            tokens_saved: saved,
            models: ModelUse { questions: 1, input_tokens: 30, output_tokens: 4, cost: 0.25 },
            ..Receipt::default()
        });
        let arguments = serde_json::value::to_raw_value(&serde_json::json!({
            "server": "data", "tool": "look", "arguments": {},
        }));
        let call = HostCall {
            id: CallId(1),
            name: "$call".to_owned(),
            arguments: arguments.unwrap_or_default(),
        };
        let created_at = Moment(day * 86_400_000);
        Record {
            id: RunId::fresh(),
            session: SessionId::fresh(),
            owner: owner.to_owned(),
            agent: String::new(),
            status,
            language: "python".to_owned(),
            guidance: "1".to_owned(),
            created_at,
            started_at: Some(created_at.after(Duration::from_millis(6))),
            finished_at: Some(created_at.after(Duration::from_millis(10))),
            program: "1".into(),
            ended: Some(ended),
            calls: vec![CallNote::leaving(&call)],
            answer: None,
            waiting: None,
            asks: 0,
        }
    }

    #[tokio::test]
    async fn totals_do_not_fall_when_old_runs_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("one")).await.unwrap();
        let runs = [
            record("ann", Status::Succeeded, 20_000, 500),
            record("ann", Status::Failed, 20_001, -40),
            record("bob", Status::Succeeded, 20_001, 7),
        ];
        for run in runs {
            store.write(Write::Run(Box::new(run))).await.unwrap();
        }
        let (all, anns) =
            (store.stats(None, None).await.unwrap(), store.stats(Some("ann"), None).await.unwrap());
        assert_eq!((all.total_executions, all.total_tokens_saved, all.tool_calls), (3, 467, 3));
        assert_eq!((anns.total_executions, anns.total_tokens_saved), (2, 460));
        assert!((anns.success_rate - 0.5).abs() < 1e-12, "{anns:?}");
        let times = (all.average_execution_time_ms, all.average_queue_time_ms);
        assert!((times.0 - 4.0).abs() < 1e-9 && (times.1 - 6.0).abs() < 1e-9, "{times:?}");
        let gone = store.collect(Duration::ZERO, 0).await.unwrap();
        assert_eq!(gone.runs, 3);
        assert_eq!(store.stats(None, None).await.unwrap(), all);
        assert_eq!(store.stats(Some("ann"), None).await.unwrap(), anns);
        // What comes later is added to it, and another's totals with it.
        let other = Store::open(&folder.path().join("two")).await.unwrap();
        let late = record("bob", Status::Succeeded, 20_001, 3);
        other.write(Write::Run(Box::new(late))).await.unwrap();
        other.collect(Duration::ZERO, 0).await.unwrap();
        drop(other);
        store.adopt(&folder.path().join("two")).await.unwrap();
        let both = store.stats(None, None).await.unwrap();
        assert_eq!((both.total_executions, both.total_tokens_saved), (4, 470));
        assert_eq!(both.tools_called, [ToolCalls { tool: "data.look".to_owned(), calls: 4 }]);
        let days: Vec<(&str, u64)> =
            both.days.iter().map(|day| (day.day.as_str(), day.executions)).collect();
        assert_eq!(days, [("2024-10-05", 3), ("2024-10-04", 1)]);
        assert_eq!(store.stats(Some("nobody"), None).await.unwrap(), Stats::default());
    }

    #[tokio::test]
    async fn only_calls_of_tools_that_left_are_tool_calls() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let mut run = record("ann", Status::Succeeded, 20_000, 500);
        let call = run.calls.remove(0);
        let spawned = CallNote {
            server: None,
            tool: "$spawn".to_owned(),
            kind: CallKind::Besides,
            ..call.clone()
        };
        let unmade = CallNote { unmade: true, ..call.clone() };
        let reused = CallNote { reused: true, ..call.clone() };
        run.calls = vec![call, spawned, unmade, reused];
        store.write(Write::Run(Box::new(run))).await.unwrap();
        let kept = store.stats(None, None).await.unwrap();
        assert_eq!(kept.tool_calls, 1);
        assert_eq!(kept.tools_called, [ToolCalls { tool: "data.look".to_owned(), calls: 1 }]);
        assert_eq!(store.collect(Duration::ZERO, 0).await.unwrap().runs, 1);
        assert_eq!(store.stats(None, None).await.unwrap(), kept);
    }

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
