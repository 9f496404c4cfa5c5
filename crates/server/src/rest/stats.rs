//! What all runs together cost and saved.

use axum::Json;
use axum::extract::State;
use gateway::service::ids::SessionId;
use gateway::service::stats::Stats;
use serde::Serialize;
use utoipa::ToSchema;

use super::Door;
use super::access::Follower;
use super::given::Parameters;
use super::problem::Problem;
use super::shown::ModelsShown;

/// Figures over runs that are over.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Stats)]
pub(crate) struct StatsShown {
    /// Runs.
    total_executions: u64,
    /// The share of them that succeeded, from 0 to 1.
    success_rate: f64,
    /// Milliseconds a run took, on average.
    average_execution_time_ms: f64,
    /// Milliseconds a run waited for its turn, on average.
    average_queue_time_ms: f64,
    /// Tokens that were sent.
    tokens_sent: i64,
    /// Tokens that came back.
    tokens_received: i64,
    /// Tokens saved against having all tools in context.
    total_tokens_saved: i64,
    /// Tokens saved against having the tools that were used in context.
    total_tokens_saved_search: i64,
    /// What was saved, in money, at the operator's `token-price`.
    total_cost_saved: f64,
    /// Bytes of answers that stayed in the sandbox.
    bytes_kept: i64,
    /// Calls of tools that left for their servers.
    tool_calls: u64,
    /// What programs asked models, and what that took.
    models: ModelsShown,
    /// The tools that were called most.
    tools_called: Vec<ToolCallsShown>,
    /// Each day on its own, the latest first.
    days: Vec<DayShown>,
}

/// How often a tool was called.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ToolCalls)]
pub(crate) struct ToolCallsShown {
    /// The tool, as `server.tool`.
    tool: String,
    /// How often.
    calls: u64,
}

/// One day's runs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Day)]
pub(crate) struct DayShown {
    /// The day, in UTC.
    day: String,
    /// Runs.
    executions: u64,
    /// Tokens saved against having all tools in context.
    tokens_saved: i64,
    /// The same in money.
    cost_saved: f64,
}

impl From<Stats> for StatsShown {
    fn from(stats: Stats) -> Self {
        let tools = stats.tools_called.into_iter();
        let days = stats.days.into_iter();
        Self {
            total_executions: stats.total_executions,
            success_rate: stats.success_rate,
            average_execution_time_ms: stats.average_execution_time_ms,
            average_queue_time_ms: stats.average_queue_time_ms,
            tokens_sent: stats.tokens_sent,
            tokens_received: stats.tokens_received,
            total_tokens_saved: stats.total_tokens_saved,
            total_tokens_saved_search: stats.total_tokens_saved_search,
            total_cost_saved: stats.total_cost_saved,
            bytes_kept: stats.bytes_kept,
            tool_calls: stats.tool_calls,
            models: ModelsShown::from(&stats.models),
            tools_called: tools
                .map(|one| ToolCallsShown { tool: one.tool, calls: one.calls })
                .collect(),
            days: days
                .map(|day| DayShown {
                    day: day.day,
                    executions: day.executions,
                    tokens_saved: day.tokens_saved,
                    cost_saved: day.cost_saved,
                })
                .collect(),
        }
    }
}

/// What one's runs cost and saved; everybody's for administrators.
#[utoipa::path(
    get, path = "/api/v1/stats", tag = "runs",
    params(("session" = Option<String>, Query, description = "Only runs of this session.", pattern = "^s_[0-9a-f]{32}$")),
    responses((status = 200, description = "The figures.", body = StatsShown))
)]
pub(crate) async fn stats(
    State(door): State<Door>,
    Follower(caller): Follower,
    mut query: Parameters,
) -> Result<Json<StatsShown>, Problem> {
    let session = query.take::<SessionId>("session")?;
    query.end()?;
    let stats = door.shared.service.stats(&caller, session.as_ref()).await?;
    Ok(Json(stats.into()))
}
