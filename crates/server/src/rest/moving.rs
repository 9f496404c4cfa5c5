//! Runs and sessions that go from one gateway to another, as bytes.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode};

use super::Door;
use super::access::Runner;
use super::files::Content;
use super::given::{At, Body, Brought, Fields, Parameters};
use super::problem::{ErrorBody, Problem};
use super::runs::{bytes_of, run_id};
use super::sessions::{SessionShown, created, session_id};
use super::shown::RunShown;

const BYTES: &str = "application/octet-stream";

/// Takes a run that waits out of this gateway, to go on in another.
///
/// It is not gone on with here any more. The answer can be asked for again for as long as finished runs are kept.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/export", tag = "runs",
    params(("id" = String, Path, description = "The run.", pattern = "^r_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The run.", body = Content, content_type = "application/octet-stream"),
        (status = 404, description = "There is no such run.", body = ErrorBody),
        (status = 409, description = "It has ended, or is running: `not_movable`.", body = ErrorBody),
    )
)]
pub(crate) async fn export_run(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(id): At<String>,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Response, Problem> {
    Fields::none(&headers, &body)?;
    let bytes = door.shared.service.export_run(&caller, &run_id(&id)?).await?;
    Ok(bytes_of(BYTES, bytes))
}

/// Goes on with a run that another gateway exported.
#[utoipa::path(
    post, path = "/api/v1/runs/import", tag = "runs",
    params(("again" = Option<bool>, Query, description = "Go on with a run that left from here, which goes on nowhere else.")),
    request_body(content = Content, description = "What was exported.", content_type = "application/octet-stream"),
    responses(
        (status = 202, description = "It goes on.", body = RunShown),
        (status = 403, description = "As many sessions as may be: `quota_exceeded`; or `scope_missing`.", body = ErrorBody),
        (status = 409, description = "It is no run, is here already, or cannot be gone on with here: `not_movable`; or its session is in use.", body = ErrorBody),
        (status = 413, description = "It has more than 1 GiB: `too_large`.", body = ErrorBody),
    )
)]
pub(crate) async fn import_run(
    State(door): State<Door>,
    Runner(caller): Runner,
    mut query: Parameters,
    Brought { body, turn }: Brought,
) -> Result<Response, Problem> {
    let again = query.take("again")?.unwrap_or(false);
    query.end()?;
    let record = door.shared.service.import_run(&caller, &body, again).await?;
    drop((body, turn));
    Ok((StatusCode::ACCEPTED, Json(RunShown::new(&record))).into_response())
}

/// Everything a session is; `tidegate run` and other gateways go on with it.
#[utoipa::path(
    get, path = "/api/v1/sessions/{id}/export", tag = "sessions",
    params(("id" = String, Path, description = "The session.", pattern = "^s_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The session.", body = Content, content_type = "application/octet-stream"),
        (status = 404, description = "There is no such session.", body = ErrorBody),
        (status = 409, description = "A program runs in it: `session_busy`; or nothing has: `not_movable`.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
    )
)]
pub(crate) async fn export_session(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(id): At<String>,
) -> Result<Response, Problem> {
    let bytes = door.shared.service.export_session(&caller, &session_id(&id)?).await?;
    Ok(bytes_of(BYTES, bytes))
}

/// A new session that goes on from one that was exported.
#[utoipa::path(
    post, path = "/api/v1/sessions/import", tag = "sessions",
    request_body(content = Content, description = "What was exported.", content_type = "application/octet-stream"),
    responses(
        (status = 201, description = "The session.", body = SessionShown,
         headers(("Location" = String, description = "Where it is."))),
        (status = 403, description = "As many sessions as may be: `quota_exceeded`; or `scope_missing`.", body = ErrorBody),
        (status = 409, description = "It is no session, or cannot be gone on with here: `not_movable`.", body = ErrorBody),
        (status = 413, description = "It has more than 1 GiB: `too_large`.", body = ErrorBody),
    )
)]
pub(crate) async fn import_session(
    State(door): State<Door>,
    Runner(caller): Runner,
    Brought { body, turn }: Brought,
) -> Result<Response, Problem> {
    let session = door.shared.service.import_session(&caller, body.into()).await?;
    drop(turn);
    Ok(created(session))
}
