//! What was refused, and what met a limit.

use axum::Json;
use axum::extract::State;
use gateway::service::Moment;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::Door;
use super::access::Admin;
use super::given::Parameters;
use super::moment::{self, Written};
use super::problem::{ErrorBody, Problem};

/// How far a report goes back where nobody says how far.
const USUAL: i64 = 24 * 3600 * 1000;

/// Violations and denials of some time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SecurityReport)]
pub(crate) struct ReportShown {
    /// Not before this moment.
    #[schema(format = DateTime)]
    since: String,
    /// Before this moment.
    #[schema(format = DateTime)]
    until: String,
    /// Entries of that time.
    entries: u64,
    /// Runs that began.
    runs: u64,
    /// Calls of tools.
    calls: u64,
    /// Violations and denials: everything counted below.
    violations: u64,
    /// By type: `denied`, `limit_hit`, `access_refused`, `anomaly`, …
    by_type: Vec<CountShown>,
    /// By owner, most first.
    by_owner: Vec<CountShown>,
    /// By session, most first.
    by_session: Vec<CountShown>,
    /// By tool, setting or limit, most first.
    by_subject: Vec<CountShown>,
    /// By hour, or by day if the time is longer than two months.
    by_time: Vec<CountShown>,
}

/// How often something occurred.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Count)]
pub(crate) struct CountShown {
    /// What, or when.
    name: String,
    /// How often.
    count: u64,
}

/// What was refused and what met a limit, from the audit log; for administrators.
#[utoipa::path(
    get, path = "/api/v1/security/report", tag = "runs",
    params(
        ("since" = Option<String>, Query, description = "Not before this; a day ago if nothing is said.", format = DateTime),
        ("until" = Option<String>, Query, description = "Before this; now if nothing is said.", format = DateTime),
    ),
    responses(
        (status = 200, description = "The report.", body = ReportShown),
        (status = 403, description = "Only administrators may see it: `scope_missing`.", body = ErrorBody),
        (status = 409, description = "No audit log is kept here: `no_audit`.", body = ErrorBody),
    )
)]
pub(crate) async fn report(
    State(door): State<Door>,
    _: Admin,
    mut query: Parameters,
) -> Result<Json<ReportShown>, Problem> {
    // What was noted in this very millisecond is part of a report that has no end.
    let now = || Moment(Moment::now().0.saturating_add(1));
    let until = query.take::<Written>("until")?.map_or_else(now, |written| written.0);
    let since = query.take::<Written>("since")?.map(|written| written.0);
    let since = since.unwrap_or(Moment(until.0.saturating_sub(USUAL)));
    query.end()?;
    let Some(trail) = door.shared.service.trail().cloned() else {
        let message = "no audit log is kept here";
        return Err(Problem::new(StatusCode::CONFLICT, "no_audit", message)
            .hint("an operator can keep one with the setting `audit`"));
    };
    let millis = |moment: Moment| u64::try_from(moment.0).unwrap_or_default();
    let (from, to) = (millis(since), millis(until));
    let report = tokio::task::spawn_blocking(move || trail.report(from, to)).await;
    let report = report.map_err(std::io::Error::other).and_then(|report| report);
    let report = report.map_err(|error| {
        let message = format!("the audit log cannot be read: {error}");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    })?;
    let counts = |counts: Vec<audit::Count>| {
        counts.into_iter().map(|one| CountShown { name: one.name, count: one.count }).collect()
    };
    Ok(Json(ReportShown {
        since: moment::text(since),
        until: moment::text(until),
        entries: report.entries,
        runs: report.runs,
        calls: report.calls,
        violations: report.violations,
        by_type: counts(report.by_type),
        by_owner: counts(report.by_owner),
        by_session: counts(report.by_session),
        by_subject: counts(report.by_subject),
        by_time: report
            .by_time
            .into_iter()
            .map(|slot| CountShown { name: slot.begins, count: slot.count })
            .collect(),
    }))
}
