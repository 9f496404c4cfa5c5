//! Sessions: made, looked at, frozen, forked, removed.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use engine::{Language, Level, Limits};
use gateway::service::ids::SessionId;
use gateway::service::{SessionState, SessionView};
use http::{HeaderMap, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

use super::Door;
use super::access::{Follower, Runner};
use super::execute::{LanguageGiven, LevelGiven};
use super::given::{At, Body, Fields, Parameters, cut};
use super::moment;
use super::problem::{ErrorBody, Problem};

/// A session.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionShown {
    /// What it is called.
    #[schema(pattern = "^s_[0-9a-f]{32}$")]
    id: String,
    /// Whose it is.
    owner: String,
    /// What the agent is called whose programs run in it; empty where it has no name.
    agent: String,
    /// When it began.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last used.
    #[schema(format = DateTime)]
    used_at: String,
    /// When it ends unless it is used.
    #[schema(format = DateTime)]
    expires_at: String,
    /// What all its programs are written in.
    #[schema(value_type = LanguageGiven)]
    language: Language,
    /// The level behind its limits.
    #[schema(value_type = LevelGiven)]
    level: Level,
    /// How many programs ran in it.
    programs: u64,
    /// Where it is: `new`, `alive` in memory, or `frozen` on disk until it is used.
    #[schema(value_type = StateShown)]
    state: SessionState,
    /// Whether a program runs in it now.
    busy: bool,
    /// Other sessions that have the same files in `/workspace`.
    shares_with: Vec<String>,
    /// Bytes of it on disk.
    image_bytes: u64,
    /// What its programs may use.
    limits: LimitsShown,
}

/// Where a session is.
#[derive(ToSchema)]
#[schema(as = SessionState, rename_all = "lowercase")]
#[expect(dead_code, reason = "says in the API's description what `SessionState` is")]
pub(crate) enum StateShown {
    /// Nothing has run in it.
    New,
    /// Its guest is in memory.
    Alive,
    /// It is on disk.
    Frozen,
}

/// What a session's programs may use.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Limits)]
pub(crate) struct LimitsShown {
    /// Seconds of a run, not counting rest.
    wall: f64,
    /// Seconds of CPU time of a run.
    cpu_time: f64,
    /// Bytes of memory beyond the base image.
    memory_bytes: u64,
    /// Bytes of each output stream.
    output_bytes: u64,
    /// Bytes of the value a program returns.
    value_bytes: u64,
    /// Calls of servers in one run.
    calls: u64,
    /// Bytes of all files.
    workspace_bytes: u64,
    /// Bytes of one file.
    file_bytes: u64,
}

/// Sessions, the last used first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Sessions {
    /// The sessions.
    sessions: Vec<SessionShown>,
}

/// A session to make.
#[derive(Debug, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSession {
    /// What its programs are written in; `python` if nothing is said, where that is run.
    #[schema(value_type = Option<LanguageGiven>)]
    language: Option<String>,
    /// A level that is no looser than the operator's.
    #[schema(value_type = Option<LevelGiven>)]
    level: Option<Level>,
    /// What the agent is called whose programs run in it, for rules and in what is told of them.
    #[schema(pattern = "^[A-Za-z0-9_.-]{1,64}$")]
    agent: Option<String>,
    /// A session of the same owner, of any language, whose files in `/workspace` it is to have: what programs
    /// of one write, those of the other find.
    #[schema(value_type = Option<String>, pattern = "^s_[0-9a-f]{32}$")]
    workspace_of: Option<SessionId>,
}

/// A session that is made from another.
#[derive(Debug, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFork {
    /// What the agent is called whose programs run in it; as in the other if nothing is said.
    #[schema(pattern = "^[A-Za-z0-9_.-]{1,64}$")]
    agent: Option<String>,
}

impl From<SessionView> for SessionShown {
    fn from(view: SessionView) -> Self {
        Self {
            id: view.id.to_string(),
            owner: view.owner,
            agent: view.agent,
            created_at: moment::text(view.created_at),
            used_at: moment::text(view.used_at),
            expires_at: moment::text(view.expires_at),
            language: view.language,
            level: view.level,
            programs: view.programs,
            state: view.state,
            busy: view.busy,
            shares_with: view.shares_with.iter().map(ToString::to_string).collect(),
            image_bytes: view.image_bytes,
            limits: LimitsShown::from(&view.limits),
        }
    }
}

impl From<&Limits> for LimitsShown {
    fn from(limits: &Limits) -> Self {
        Self {
            wall: limits.wall.as_secs_f64(),
            cpu_time: limits.cpu_time.as_secs_f64(),
            memory_bytes: limits.memory_bytes,
            output_bytes: limits.output_bytes,
            value_bytes: limits.value_bytes,
            calls: limits.calls,
            workspace_bytes: limits.workspace_bytes,
            file_bytes: limits.file_bytes,
        }
    }
}

/// Lists one's sessions, the last used first.
#[utoipa::path(
    get, path = "/api/v1/sessions", tag = "sessions",
    responses((status = 200, description = "The sessions.", body = Sessions))
)]
pub(crate) async fn list(
    State(door): State<Door>,
    Follower(caller): Follower,
    query: Parameters,
) -> Result<Json<Sessions>, Problem> {
    query.end()?;
    let views = door.shared.service.list_sessions(&caller);
    Ok(Json(Sessions { sessions: views.into_iter().map(SessionShown::from).collect() }))
}

/// Makes a session, to be named when programs are run.
#[utoipa::path(
    post, path = "/api/v1/sessions", tag = "sessions", request_body = Option<NewSession>,
    responses(
        (status = 201, description = "The session.", body = SessionShown,
         headers(("Location" = String, description = "Where it is."))),
        (status = 403, description = "As many sessions as may be: `quota_exceeded`; or `scope_missing`.", body = ErrorBody),
        (status = 404, description = "There is no such session as `workspace_of` names.", body = ErrorBody),
        (status = 410, description = "The session that `workspace_of` names is no more.", body = ErrorBody),
    )
)]
pub(crate) async fn create(
    State(door): State<Door>,
    Runner(caller): Runner,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Response, Problem> {
    let mut fields = Fields::read(&headers, &body)?;
    let wanted = NewSession {
        language: fields.take("language")?,
        level: fields.take("level")?,
        agent: fields.take("agent")?,
        workspace_of: fields.take("workspace_of")?,
    };
    fields.end()?;
    let NewSession { language, level, agent, workspace_of } = wanted;
    let (service, language) = (&door.shared.service, language.as_deref());
    let view =
        service.create_session(&caller, language, level, agent, workspace_of.as_ref()).await?;
    Ok(created(view))
}

/// One session.
#[utoipa::path(
    get, path = "/api/v1/sessions/{id}", tag = "sessions",
    params(("id" = String, Path, description = "The session.", pattern = "^s_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The session.", body = SessionShown),
        (status = 404, description = "There is no such session.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
    )
)]
pub(crate) async fn one(
    State(door): State<Door>,
    Follower(caller): Follower,
    At(id): At<String>,
) -> Result<Json<SessionShown>, Problem> {
    Ok(Json(door.shared.service.session(&caller, &session_id(&id)?)?.into()))
}

/// Removes a session and everything of it; a program that runs in it is cancelled.
#[utoipa::path(
    delete, path = "/api/v1/sessions/{id}", tag = "sessions",
    params(("id" = String, Path, description = "The session.", pattern = "^s_[0-9a-f]{32}$")),
    responses(
        (status = 204, description = "It is removed."),
        (status = 404, description = "There is no such session.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
    )
)]
pub(crate) async fn remove(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(id): At<String>,
) -> Result<StatusCode, Problem> {
    door.shared.service.delete_session(&caller, &session_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes a second session that starts from where this one is.
#[utoipa::path(
    post, path = "/api/v1/sessions/{id}/fork", tag = "sessions", request_body = Option<NewFork>,
    params(("id" = String, Path, description = "The session.", pattern = "^s_[0-9a-f]{32}$")),
    responses(
        (status = 201, description = "The new session.", body = SessionShown,
         headers(("Location" = String, description = "Where it is."))),
        (status = 403, description = "As many sessions as may be: `quota_exceeded`; or `scope_missing`.", body = ErrorBody),
        (status = 404, description = "There is no such session.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
    )
)]
pub(crate) async fn fork(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(id): At<String>,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Response, Problem> {
    let mut fields = Fields::read(&headers, &body)?;
    let wanted = NewFork { agent: fields.take("agent")? };
    fields.end()?;
    let service = &door.shared.service;
    Ok(created(service.fork_session(&caller, &session_id(&id)?, wanted.agent).await?))
}

/// Writes a session to disk and frees its memory; its next use brings it back.
#[utoipa::path(
    post, path = "/api/v1/sessions/{id}/freeze", tag = "sessions",
    params(("id" = String, Path, description = "The session.", pattern = "^s_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The session.", body = SessionShown),
        (status = 404, description = "There is no such session.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
    )
)]
pub(crate) async fn freeze(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(id): At<String>,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Json<SessionShown>, Problem> {
    Fields::none(&headers, &body)?;
    Ok(Json(door.shared.service.freeze_session(&caller, &session_id(&id)?).await?.into()))
}

pub(crate) fn created(view: SessionView) -> Response {
    let at = format!("/api/v1/sessions/{}", view.id);
    let shown = Json(SessionShown::from(view));
    (StatusCode::CREATED, [(header::LOCATION, at)], shown).into_response()
}

/// What cannot be a session is none.
pub(crate) fn session_id(given: &str) -> Result<SessionId, Problem> {
    given.parse().map_err(|_| {
        let message = format!("there is no session {:?}", cut(given));
        Problem::new(StatusCode::NOT_FOUND, "unknown_session", message)
    })
}
