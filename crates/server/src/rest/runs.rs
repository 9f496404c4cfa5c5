//! Runs that are under way or over.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gateway::service::ids::{RunId, SessionId};
use gateway::service::store::RunFilter;
use gateway::service::{Of, Status, Wanted};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::access::{Follower, Runner};
use super::execute::accepted;
use super::given::{At, Body, Fields, Parameters, cut};
use super::moment::{self, Written};
use super::problem::{ErrorBody, Problem};
use super::shown::{RunShown, RunSummary};
use super::{Door, stream};

/// Runs, the latest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Runs {
    /// The runs.
    runs: Vec<RunSummary>,
    /// Ask again with this as `before` for earlier ones; null when there are none.
    #[schema(format = DateTime)]
    next_before: Option<String>,
}

/// Whether a run was cancelled.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Cancelled {
    /// False if it had ended already.
    cancelled: bool,
    /// The run.
    run: RunShown,
}

/// Lists runs, the latest first.
#[utoipa::path(
    get, path = "/api/v1/runs", tag = "runs",
    params(
        ("session" = Option<String>, Query, description = "Only runs of this session.", pattern = "^s_[0-9a-f]{32}$"),
        ("status" = Option<super::shown::StatusShown>, Query, description = "Only runs that are there."),
        ("limit" = Option<u32>, Query, description = "How many at most; 50 if nothing is said.", minimum = 1, maximum = 1000),
        ("before" = Option<String>, Query, description = "Only runs asked for before this.", format = DateTime),
    ),
    responses((status = 200, description = "The runs.", body = Runs))
)]
pub(crate) async fn list(
    State(door): State<Door>,
    Follower(caller): Follower,
    mut query: Parameters,
) -> Result<Json<Runs>, Problem> {
    let filter = RunFilter {
        owner: None,
        session: query.take::<SessionId>("session")?,
        status: query.take::<Status>("status")?,
        before: query.take::<Written>("before")?.map(|written| written.0),
        limit: query.limit(50, 1_000)?,
    };
    query.end()?;
    let limit = filter.limit as usize;
    let found = door.shared.service.list_runs(&caller, filter).await?;
    let more = found.last().filter(|_| found.len() >= limit);
    let next_before = more.map(|last| moment::text(last.created_at));
    Ok(Json(Runs { runs: found.iter().map(RunSummary::from).collect(), next_before }))
}

/// One run, with its source.
#[utoipa::path(
    get, path = "/api/v1/runs/{id}", tag = "runs",
    params(("id" = String, Path, description = "The run.", pattern = "^r_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "What is known of it.", body = RunShown),
        (status = 404, description = "There is no such run.", body = ErrorBody),
    )
)]
pub(crate) async fn one(
    State(door): State<Door>,
    Follower(caller): Follower,
    At(id): At<String>,
) -> Result<Json<RunShown>, Problem> {
    let record = door.shared.service.run(&caller, &run_id(&id)?).await?;
    Ok(Json(RunShown::whole(&record)))
}

/// What happens in a run, as server-sent events.
///
/// A client that comes back with `Last-Event-ID` hears what it missed; where the gateway was started
/// again since, everything it knows. Of a run that is over only its `end` is told.
#[utoipa::path(
    get, path = "/api/v1/runs/{id}/events", tag = "runs",
    params(("id" = String, Path, description = "The run.", pattern = "^r_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "Events, until the run ends.", body = super::stream::EventShown, content_type = "text/event-stream"),
        (status = 404, description = "There is no such run.", body = ErrorBody),
    )
)]
pub(crate) async fn events(
    State(door): State<Door>,
    Follower(caller): Follower,
    At(id): At<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = run_id(&id)?;
    if let Some(run) = door.shared.service.live_run(&caller, &id) {
        let last = headers.get("last-event-id").and_then(|last| last.to_str().ok());
        return Ok(stream::of_run(run, last).into_response());
    }
    let record = door.shared.service.run(&caller, &id).await?;
    Ok(stream::of_record(&record).into_response())
}

/// Ends a run.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/cancel", tag = "runs",
    params(("id" = String, Path, description = "The run.", pattern = "^r_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "It is over.", body = Cancelled),
        (status = 404, description = "There is no such run.", body = ErrorBody),
        (status = 409, description = "It rests, and this gateway keeps no runs: `run_paused`.", body = ErrorBody),
    )
)]
pub(crate) async fn cancel(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(id): At<String>,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Json<Cancelled>, Problem> {
    Fields::none(&headers, &body)?;
    let id = run_id(&id)?;
    let cancelled = door.shared.service.cancel(&caller, &id).await?;
    let record = door.shared.service.run(&caller, &id).await?;
    Ok(Json(Cancelled { cancelled, run: RunShown::new(&record) }))
}

/// Runs the program of a run that did not succeed again, as it was asked for: with its variables, level and limits, and
/// in its session. What was done is not done twice.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/resume", tag = "runs",
    params(("id" = String, Path, description = "The run.", pattern = "^r_[0-9a-f]{32}$")),
    responses(
        (status = 202, description = "The program runs by itself, as another run.", body = super::execute::Accepted),
        (status = 403, description = "As many sessions as may be: `quota_exceeded`; or `scope_missing`.", body = ErrorBody),
        (status = 404, description = "There is no such run.", body = ErrorBody),
        (status = 409, description = "It succeeded, has not ended, or one that took it up has not: `not_resumable`.", body = ErrorBody),
        (status = 410, description = "Its session is no more.", body = ErrorBody),
        (status = 422, description = "Its language is not run here, or its program is longer than may be: `invalid_request`.", body = ErrorBody),
        (status = 429, description = "Too many requests wait.", body = ErrorBody),
    )
)]
pub(crate) async fn resume(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(id): At<String>,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Response, Problem> {
    Fields::none(&headers, &body)?;
    let run = door.shared.service.resume(&caller, &run_id(&id)?).await?;
    Ok(accepted(&run.record()))
}

/// Members that can be skipped.
const FURTHEST: usize = 1_000_000_000;
/// Bytes of a page.
const PAGE_BYTES: usize = 256 << 10;

/// A part of what a run returned.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResultPage {
    /// Members of the list, fields of the object or letters of the text that there are.
    total: usize,
    /// Where this part starts.
    offset: usize,
    /// The part: a list, an object, a text, or a single value.
    #[schema(value_type = Value)]
    value: Box<RawValue>,
}

/// What of a run is wanted.
#[derive(ToSchema)]
#[schema(as = Of, rename_all = "lowercase")]
#[expect(dead_code, reason = "says in the API's description what `gateway::service::Of` is")]
pub(crate) enum OfGiven {
    /// What it returned.
    Value,
    /// What it printed.
    Stdout,
    /// What it wrote to standard error.
    Stderr,
    /// Why it failed.
    Error,
}

/// What a run returned or printed, page by page.
///
/// All of it is here, also where the answer of the run was cut. A page has at most 256 KiB: it may
/// have fewer members than asked for, and a member that is too long by itself comes as
/// `{"$left_out": ..., "$pointer": ...}`, to be asked for with that `pointer`.
#[utoipa::path(
    get, path = "/api/v1/runs/{id}/result", tag = "runs",
    params(
        ("id" = String, Path, description = "The run.", pattern = "^r_[0-9a-f]{32}$"),
        ("of" = inline(Option<OfGiven>), Query, description = "What of the run; its value if nothing is said."),
        ("pointer" = Option<String>, Query, description = "Where in the value, such as /rows/3; the whole if nothing is said.", pattern = "^(/.*)?$"),
        ("offset" = Option<u64>, Query, description = "Members to skip.", minimum = 0, maximum = 1_000_000_000),
        ("limit" = Option<u32>, Query, description = "How many at most; 100 if nothing is said, of a text as many letters as a page has room for.", minimum = 1, maximum = 10000),
    ),
    responses(
        (status = 200, description = "The part.", body = ResultPage),
        (status = 404, description = "There is no such run, or nothing there in its result.", body = ErrorBody),
    )
)]
pub(crate) async fn result(
    State(door): State<Door>,
    Follower(caller): Follower,
    At(id): At<String>,
    mut query: Parameters,
) -> Result<Json<ResultPage>, Problem> {
    let pointer: String = query.take("pointer")?.unwrap_or_default();
    let of: Of = query.take("of")?.unwrap_or_default();
    let offset: u64 = query.take("offset")?.unwrap_or_default();
    let limit = query.limit_if_said(10_000)?;
    query.end()?;
    let offset = usize::try_from(offset).ok().filter(|offset| *offset <= FURTHEST);
    let offset = offset.ok_or_else(|| Problem::invalid("`offset` must be at most 1000000000"))?;
    let service = &door.shared.service;
    let (pointer, limit) = (pointer.as_str(), limit.map(|limit| limit as usize));
    let wanted = Wanted { of, pointer, offset, limit, most: PAGE_BYTES };
    let page = service.page(&caller, &run_id(&id)?, &wanted).await?;
    Ok(Json(ResultPage { total: page.total, offset: page.offset, value: page.part }))
}

/// The content of a file that a run produced.
#[utoipa::path(
    get, path = "/api/v1/runs/{id}/artifacts/{name}", tag = "runs",
    params(
        ("id" = String, Path, description = "The run.", pattern = "^r_[0-9a-f]{32}$"),
        ("name" = String, Path, description = "The file's name.", min_length = 1),
    ),
    responses(
        (status = 200, description = "The content, with its media type.", body = super::files::Content, content_type = "*/*"),
        (status = 404, description = "There is no such run or file.", body = ErrorBody),
    )
)]
pub(crate) async fn artifact(
    State(door): State<Door>,
    Follower(caller): Follower,
    At((id, name)): At<(String, String)>,
) -> Result<Response, Problem> {
    let (kind, bytes) = door.shared.service.artifact(&caller, &run_id(&id)?, &name).await?;
    Ok(bytes_of(&kind, bytes))
}

/// Bytes that somebody else made: never run or rendered as a page of ours.
pub(crate) fn bytes_of(kind: &str, bytes: Vec<u8>) -> Response {
    let plain = HeaderValue::from_static("application/octet-stream");
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(kind).unwrap_or(plain));
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
        (header::CONTENT_DISPOSITION, "attachment"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What cannot be a run is none.
pub(crate) fn run_id(given: &str) -> Result<RunId, Problem> {
    given.parse().map_err(|_| {
        let message = format!("there is no run {:?}", cut(given));
        Problem::new(StatusCode::NOT_FOUND, "unknown_run", message)
    })
}
