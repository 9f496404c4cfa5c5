//! The servers behind us: how they are doing, and which there are.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use serde::Serialize;
use serde_json::{Map, Value};
use upstream::{ServerState, ServerStatus};
use utoipa::ToSchema;

use super::Door;
use super::access::{Admin, Reader};
use super::given::{At, Body, Fields, Parameters, cut};
use super::moment;
use super::problem::{ErrorBody, Problem};
use super::shown::escaped;

/// The servers behind us.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Servers {
    /// The servers, by name.
    servers: Vec<ServerShown>,
}

/// How one server is doing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Server)]
pub(crate) struct ServerShown {
    /// What it is called.
    name: String,
    /// Whether it is connected.
    state: StateShown,
    /// Why it is not, if that is known.
    reason: Option<String>,
    /// Since when it is so.
    #[schema(format = DateTime)]
    since: String,
    /// How many tools it has, as far as is known.
    tools: Option<usize>,
    /// The revision of the protocol that was agreed on.
    protocol: Option<String>,
    /// What it calls itself.
    server: Option<String>,
}

/// Whether a server is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ServerState)]
pub(crate) enum StateShown {
    /// Nobody has asked for it, or its connection ended.
    NotConnected,
    /// It is being connected to.
    Connecting,
    /// It can be called.
    Connected,
    /// It could not be connected to; that is tried again.
    Failed,
    /// Somebody has to log in first.
    WantsLogin,
}

/// A server to add: its name, and what an entry of `mcpServers` has.
#[derive(Debug, ToSchema)]
#[expect(
    dead_code,
    reason = "says in the API's description what an entry has; the entry goes on as it came"
)]
pub(crate) struct NewServer {
    /// What it shall be called.
    #[schema(min_length = 1)]
    name: String,
    /// The program that speaks for it over its standard streams.
    #[schema(nullable = false)]
    command: Option<String>,
    /// The program's arguments.
    #[schema(nullable = false)]
    args: Option<Vec<String>>,
    /// The program's environment.
    #[schema(nullable = false)]
    env: Option<std::collections::BTreeMap<String, String>>,
    /// Where it listens, if it is no program of ours to start.
    #[schema(nullable = false)]
    url: Option<String>,
    /// Headers that it wants.
    #[schema(nullable = false)]
    headers: Option<std::collections::BTreeMap<String, String>>,
}

impl From<&ServerStatus> for ServerShown {
    fn from(status: &ServerStatus) -> Self {
        let (state, reason) = told(&status.state);
        // However often it was tried again, it is down since the first time.
        let since = match (&status.state, &status.failing) {
            (ServerState::Failed { .. }, Some((since, _))) => *since,
            _ => status.since,
        };
        Self {
            name: status.name.to_string(),
            state,
            reason,
            since: moment::of_system(since),
            tools: status.tools,
            protocol: status.protocol.clone(),
            server: status.server.clone(),
        }
    }
}

fn told(state: &ServerState) -> (StateShown, Option<String>) {
    match state {
        ServerState::Connecting => (StateShown::Connecting, None),
        ServerState::Connected => (StateShown::Connected, None),
        ServerState::Failed { reason, .. } => (StateShown::Failed, Some(reason.clone())),
        ServerState::WantsLogin { reason } => (StateShown::WantsLogin, Some(reason.clone())),
        ServerState::NotConnected { last } => (StateShown::NotConnected, last.clone()),
        _ => (StateShown::NotConnected, None),
    }
}

/// How every server is doing.
pub(crate) fn all(door: &Door) -> Vec<ServerShown> {
    let status = door.shared.service.tools().upstreams().status();
    status.iter().map(ServerShown::from).collect()
}

impl ServerShown {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it can be called.
    pub(crate) fn is_up(&self) -> bool {
        self.state == StateShown::Connected
    }

    /// Whether it is tried and does not answer.
    pub(crate) fn is_down(&self) -> bool {
        matches!(self.state, StateShown::Failed | StateShown::WantsLogin)
    }
}

/// Lists the servers and how they are doing.
#[utoipa::path(
    get, path = "/api/v1/servers", tag = "servers",
    responses((status = 200, description = "The servers.", body = Servers))
)]
pub(crate) async fn list(
    State(door): State<Door>,
    _: Reader,
    query: Parameters,
) -> Result<Json<Servers>, Problem> {
    query.end()?;
    Ok(Json(Servers { servers: all(&door) }))
}

/// Adds a server; its tools can be used from the next program on.
#[utoipa::path(
    post, path = "/api/v1/servers", tag = "servers", request_body = NewServer,
    responses(
        (status = 201, description = "It is added.", body = Added,
         headers(("Location" = String, description = "Where it is."))),
        (status = 409, description = "There is one of that name.", body = ErrorBody),
        (status = 422, description = "It cannot be used as it is described.", body = ErrorBody),
    )
)]
pub(crate) async fn add(
    State(door): State<Door>,
    _: Admin,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Response, Problem> {
    let mut fields = Fields::read(&headers, &body)?;
    let name: String = fields.need("name")?;
    let mut entry = Map::new();
    for (key, raw) in fields.rest() {
        let wrong = |error| Problem::invalid(format!("`{}`: {error}", cut(&key)));
        let value: Value = serde_json::from_str(raw.get()).map_err(wrong)?;
        let is_text = Value::is_string as fn(&Value) -> bool;
        let (fits, kind) = match key.as_str() {
            "command" | "url" | "cwd" | "type" | "transport" => (is_text(&value), "text"),
            "args" => {
                (value.as_array().is_some_and(|all| all.iter().all(is_text)), "a list of texts")
            }
            "env" | "headers" => (
                value.as_object().is_some_and(|all| all.values().all(is_text)),
                "an object of texts",
            ),
            _ => {
                let known = "name, command, args, env, cwd, url, transport, headers";
                let message = format!("there is no field `{}`; there are {known}", cut(&key));
                return Err(Problem::invalid(message));
            }
        };
        if !fits {
            return Err(Problem::invalid(format!("`{}` must be {kind}", cut(&key))));
        }
        entry.insert(key, value);
    }
    if all(&door).iter().any(|server| server.name == name) {
        let message = format!("there is a server {:?} already; remove it first", cut(&name));
        return Err(Problem::new(StatusCode::CONFLICT, "server_exists", message));
    }
    if !entry.contains_key("command") && !entry.contains_key("url") {
        return Err(Problem::invalid("`command` or `url` is missing"));
    }
    let added = door.shared.servers.add(&name, Value::Object(entry)).await;
    added.map_err(|why| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "server_refused", why))?;
    let at = format!("/api/v1/servers/{}", escaped(&name));
    Ok((StatusCode::CREATED, [(header::LOCATION, at)], Json(Added { name })).into_response())
}

/// A server that was added.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Added {
    /// What it is called.
    name: String,
}

/// Removes a server.
#[utoipa::path(
    delete, path = "/api/v1/servers/{name}", tag = "servers",
    params(("name" = String, Path, description = "What it is called.", min_length = 1)),
    responses(
        (status = 204, description = "It is removed."),
        (status = 404, description = "There is no such server.", body = ErrorBody),
        (status = 422, description = "It cannot be removed.", body = ErrorBody),
    )
)]
pub(crate) async fn remove(
    State(door): State<Door>,
    _: Admin,
    At(name): At<String>,
) -> Result<StatusCode, Problem> {
    let removed = door
        .shared
        .servers
        .remove(&name)
        .await
        .map_err(|why| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "server_refused", why))?;
    if removed {
        return Ok(StatusCode::NO_CONTENT);
    }
    let message = format!("there is no server {:?}", cut(&name));
    Err(Problem::new(StatusCode::NOT_FOUND, "unknown_server", message))
}
