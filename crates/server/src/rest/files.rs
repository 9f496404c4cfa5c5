//! The files of a session, in and out as they are.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use engine::{FileAnswer, FileTask};
use gateway::service::Caller;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::Door;
use super::access::{Follower, Runner};
use super::given::{At, Body};
use super::problem::{ErrorBody, Problem};
use super::runs::bytes_of;
use super::sessions::session_id;

/// The files of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Files {
    /// The files, by path.
    files: Vec<FileShown>,
}

/// Bytes as they are.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "says in the API's description what bodies are bytes")]
pub(crate) struct Content(Vec<u8>);

/// One file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = File)]
pub(crate) struct FileShown {
    /// Its path below `/workspace`.
    path: String,
    /// How long it is.
    bytes: u64,
}

/// Lists a session's files.
#[utoipa::path(
    get, path = "/api/v1/sessions/{id}/files", tag = "files",
    params(("id" = String, Path, description = "The session.", pattern = "^s_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The files.", body = Files),
        (status = 404, description = "There is no such session.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
        (status = 429, description = "Too many requests wait.", body = ErrorBody),
    )
)]
pub(crate) async fn list(
    State(door): State<Door>,
    Follower(caller): Follower,
    At(id): At<String>,
) -> Result<Json<Files>, Problem> {
    let answer = ask(&door, &caller, &id, FileTask::List).await?;
    let FileAnswer::Files(files) = answer else { return Err(unexpected()) };
    let shown = files.into_iter().map(|file| FileShown { path: file.path, bytes: file.bytes });
    Ok(Json(Files { files: shown.collect() }))
}

/// The content of a file.
#[utoipa::path(
    get, path = "/api/v1/sessions/{id}/files/{path}", tag = "files",
    params(
        ("id" = String, Path, description = "The session.", pattern = "^s_[0-9a-f]{32}$"),
        ("path" = String, Path, description = "The file's path below `/workspace`.", min_length = 1),
    ),
    responses(
        (status = 200, description = "The content.", body = Content, content_type = "application/octet-stream"),
        (status = 404, description = "There is no such session or file.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
        (status = 422, description = "The path leads elsewhere.", body = ErrorBody),
        (status = 429, description = "Too many requests wait.", body = ErrorBody),
    )
)]
pub(crate) async fn read(
    State(door): State<Door>,
    Follower(caller): Follower,
    At((id, path)): At<(String, String)>,
) -> Result<Response, Problem> {
    let answer = ask(&door, &caller, &id, FileTask::Read(path)).await?;
    let FileAnswer::Content(bytes) = answer else { return Err(unexpected()) };
    Ok(bytes_of("application/octet-stream", bytes))
}

/// Puts a file there, in place of one that may be there.
#[utoipa::path(
    put, path = "/api/v1/sessions/{id}/files/{path}", tag = "files",
    params(
        ("id" = String, Path, description = "The session.", pattern = "^s_[0-9a-f]{32}$"),
        ("path" = String, Path, description = "The file's path below `/workspace`.", min_length = 1),
    ),
    request_body(content = Option<Content>, description = "The content; without any, the file is empty.", content_type = "application/octet-stream"),
    responses(
        (status = 204, description = "It is there."),
        (status = 404, description = "There is no such session.", body = ErrorBody),
        (status = 409, description = "A run rests in the session, and this gateway keeps no runs: `run_paused`.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
        (status = 422, description = "The path leads elsewhere, or a limit is met.", body = ErrorBody),
        (status = 429, description = "Too many requests wait.", body = ErrorBody),
    )
)]
pub(crate) async fn write(
    State(door): State<Door>,
    Runner(caller): Runner,
    At((id, path)): At<(String, String)>,
    Body(body): Body,
) -> Result<StatusCode, Problem> {
    ask(&door, &caller, &id, FileTask::Write(path, body.to_vec())).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a file away.
#[utoipa::path(
    delete, path = "/api/v1/sessions/{id}/files/{path}", tag = "files",
    params(
        ("id" = String, Path, description = "The session.", pattern = "^s_[0-9a-f]{32}$"),
        ("path" = String, Path, description = "The file's path below `/workspace`.", min_length = 1),
    ),
    responses(
        (status = 204, description = "It is removed."),
        (status = 404, description = "There is no such session or file.", body = ErrorBody),
        (status = 409, description = "A run rests in the session, and this gateway keeps no runs: `run_paused`.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
        (status = 422, description = "The path leads elsewhere.", body = ErrorBody),
        (status = 429, description = "Too many requests wait.", body = ErrorBody),
    )
)]
pub(crate) async fn remove(
    State(door): State<Door>,
    Runner(caller): Runner,
    At((id, path)): At<(String, String)>,
) -> Result<StatusCode, Problem> {
    ask(&door, &caller, &id, FileTask::Remove(path)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn ask(
    door: &Door,
    caller: &Caller,
    id: &str,
    task: FileTask,
) -> Result<FileAnswer, Problem> {
    Ok(door.shared.service.session_files(caller, &session_id(id)?, task).await?)
}

fn unexpected() -> Problem {
    let message = "the sandbox answered something else than was asked";
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "sandbox_failed", message)
}
