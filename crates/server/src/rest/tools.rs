//! What programs can call: tools found, listed and described.

use std::str::FromStr;

use axum::Json;
use axum::extract::State;
use catalog::CatalogTool;
use engine::Language;
use gateway::service::Caller;
use gateway::{Detail, Found, FoundTool, MissingServer, MissingState, Search};
use http::StatusCode;
use metrics::counter;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::Door;
use super::access::Follower;
use super::execute::LanguageGiven;
use super::given::{At, Parameters};
use super::problem::{ErrorBody, Problem};

/// No search shows more tools.
const MOST: u32 = 1_000;

/// How much is told about each tool.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "says in the API's description what `gateway::Detail` is")]
pub(crate) enum DetailLevel {
    /// What it is called.
    NameOnly,
    /// And what it does.
    WithDescription,
    /// And how it is called.
    Full,
}

/// What was found.
#[derive(Serialize, ToSchema)]
#[schema(as = FoundTools)]
pub(crate) struct FoundShown {
    /// The best first.
    tools: Vec<FoundToolShown>,
    /// How many tools fit.
    matching: usize,
    /// How many there are to choose from.
    total: usize,
    /// Servers whose tools are not among them, because they have not said what they offer.
    missing: Vec<MissingShown>,
}

/// A server that has not said what it offers.
#[derive(Serialize, ToSchema)]
#[schema(as = MissingServer)]
pub(crate) struct MissingShown {
    /// What it is called.
    server: String,
    /// What became of it.
    state: MissingStateShown,
    /// Since when.
    #[schema(format = DateTime)]
    since: String,
    /// Why, where that is known.
    reason: Option<String>,
}

/// What became of a server that has not said what it offers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MissingState)]
pub(crate) enum MissingStateShown {
    /// It was asked, and its answer has not come yet.
    Connecting,
    /// It did not answer, and is tried again now and then.
    Failed,
    /// Somebody has to log in first.
    WantsLogin,
}

/// One tool that was found; what was not asked for is left out.
#[derive(Serialize, ToSchema)]
#[schema(as = FoundTool)]
pub(crate) struct FoundToolShown {
    /// Its function.
    name: String,
    /// The package that has it; `skills` for a skill, which `from skills import NAME` gets.
    server: String,
    /// `skill` where it is one; nothing for a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    input_schema: Option<Value>,
    /// How it is called, and what it returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// The tools of every server.
#[derive(Serialize, ToSchema)]
pub(crate) struct AllTools {
    /// The servers whose tools are known.
    servers: Vec<ServerTools>,
    /// The others, and why.
    missing: Vec<MissingShown>,
}

/// The tools of one server.
#[derive(Serialize, ToSchema)]
pub(crate) struct ServerTools {
    /// What it is called in the configuration.
    server: String,
    /// The package that programs import.
    package: String,
    /// What it is for.
    description: Option<String>,
    /// Its tools.
    tools: Vec<ToolName>,
}

/// A tool in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ToolName {
    /// Its function.
    name: String,
    /// What the server calls it.
    original_name: String,
    /// What it does.
    description: Option<String>,
}

/// All about one tool.
#[derive(Serialize, ToSchema)]
#[schema(as = Tool)]
pub(crate) struct ToolShown {
    /// Its function.
    name: String,
    /// What the server calls it.
    original_name: String,
    /// What the server is called in the configuration.
    server: String,
    /// The package that programs import.
    package: String,
    /// What it does.
    description: Option<String>,
    /// How it is called, and what it returns.
    signature: Option<String>,
    /// The JSON Schema of its arguments.
    #[schema(value_type = Value)]
    input_schema: Value,
    /// The JSON Schema of its result, if the server says it.
    #[schema(value_type = Value)]
    output_schema: Option<Value>,
}

/// A [`Detail`] that somebody wrote.
struct Written(Detail);

impl FromStr for Written {
    type Err = &'static str;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match given {
            "name_only" => Ok(Self(Detail::NameOnly)),
            "with_description" => Ok(Self(Detail::WithDescription)),
            "full" => Ok(Self(Detail::Full)),
            _ => Err("there are name_only, with_description and full"),
        }
    }
}

/// Finds tools by a few words, a name or a task.
#[utoipa::path(
    get, path = "/api/v1/mcp/tools/search", tag = "tools",
    params(
        ("query" = Option<String>, Query, description = "A few words, a name or a task; everything if it is empty."),
        ("detail_level" = Option<DetailLevel>, Query, description = "How much is told about each; `name_only` if nothing is said."),
        ("limit" = Option<u32>, Query, description = "How many at most; 10 if nothing is said.", minimum = 1, maximum = 1000),
        ("server" = Option<String>, Query, description = "Only tools of this server."),
        ("language" = Option<LanguageGiven>, Query, description = "What names and signatures are written in; `python` if nothing is said."),
    ),
    responses(
        (status = 200, description = "What was found.", body = FoundShown),
        (status = 404, description = "There is no such server.", body = ErrorBody),
    )
)]
pub(crate) async fn search(
    State(door): State<Door>,
    Follower(caller): Follower,
    mut query: Parameters,
) -> Result<Json<FoundShown>, Problem> {
    let search = Search {
        query: query.take::<String>("query")?.unwrap_or_default(),
        detail_level: query.take::<Written>("detail_level")?.map(|it| it.0).unwrap_or_default(),
        limit: query.limit(10, MOST)? as usize,
        server: query.take::<String>("server")?,
        language: query.take::<Language>("language")?.unwrap_or_default(),
    };
    query.end()?;
    find(&door, search, Some(&caller)).await.map(|found| Json(found.into()))
}

/// Looking for meaning computes, so it is done where it may.
async fn find(door: &Door, search: Search, caller: Option<&Caller>) -> Result<Found, Problem> {
    let caller = caller.cloned();
    let tools = door.shared.service.tools().clone();
    tools.know_all().await;
    counter!("tidegate_requests_total", "kind" => "search").increment(1);
    let found = tokio::task::spawn_blocking(move || match caller {
        Some(caller) => tools.find_for(&search, &caller.reader()),
        None => tools.find(&search),
    })
    .await;
    let broke = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the search broke");
    found.map_err(broke)?.map_err(|error| unknown(door, "unknown_server", &error.to_string()))
}

/// That there is no such thing among what is known, and which servers have not said what they offer.
fn unknown(door: &Door, code: &'static str, message: &str) -> Problem {
    let missing = door.shared.service.tools().missing();
    let problem = Problem::new(StatusCode::NOT_FOUND, code, message);
    if missing.is_empty() {
        return problem;
    }
    let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
    problem.hint(format!("it may be of a server that is missing: {}", missing.join("; ")))
}

/// Lists every tool, by server.
#[utoipa::path(
    get, path = "/api/v1/tools", tag = "tools",
    responses((status = 200, description = "The tools.", body = AllTools))
)]
pub(crate) async fn list(
    State(door): State<Door>,
    _: Follower,
    query: Parameters,
) -> Result<Json<AllTools>, Problem> {
    query.end()?;
    let tools = door.shared.service.tools();
    tools.know_all().await;
    let catalog = tools.catalog();
    let servers = catalog.servers().map(|server| ServerTools {
        server: server.name().to_string(),
        package: server.python().to_owned(),
        description: server.listing().description.clone(),
        tools: server.tools().iter().map(ToolName::from).collect(),
    });
    let missing = tools.missing().into_iter().map(MissingShown::from).collect();
    Ok(Json(AllTools { servers: servers.collect(), missing }))
}

/// All about one tool.
#[utoipa::path(
    get, path = "/api/v1/tools/{server}/{tool}", tag = "tools",
    params(
        ("server" = String, Path, description = "The server, by any of its names.", min_length = 1),
        ("tool" = String, Path, description = "The tool, by any of its names.", min_length = 1),
    ),
    responses(
        (status = 200, description = "The tool.", body = ToolShown),
        (status = 404, description = "There is no such tool or server.", body = ErrorBody),
    )
)]
pub(crate) async fn one(
    State(door): State<Door>,
    _: Follower,
    At((server, tool)): At<(String, String)>,
) -> Result<Json<ToolShown>, Problem> {
    let tools = door.shared.service.tools();
    tools.know_all().await;
    let catalog = tools.catalog();
    let tool = catalog
        .resolve(Some(&server), &tool)
        .map_err(|error| unknown(&door, "unknown_tool", &error.to_string()))?;
    let signature = signature(&door, tool).await;
    Ok(Json(ToolShown { signature, ..ToolShown::from(tool) }))
}

/// How a tool is called, as a search would tell it.
async fn signature(door: &Door, tool: &CatalogTool) -> Option<String> {
    let search = Search {
        query: tool.python().to_owned(),
        detail_level: Detail::Full,
        server: Some(tool.server().to_string()),
        limit: MOST as usize,
        language: Language::default(),
    };
    let found = find(door, search, None).await.ok()?;
    found.tools.into_iter().find(|found| found.name == tool.python())?.signature
}

impl From<Found> for FoundShown {
    fn from(found: Found) -> Self {
        let tools = found.tools.into_iter().map(FoundToolShown::from);
        let missing = found.missing.into_iter().map(MissingShown::from).collect();
        let (matching, total) = (found.matching, found.total);
        Self { tools: tools.collect(), matching, total, missing }
    }
}

impl From<MissingServer> for MissingShown {
    fn from(missing: MissingServer) -> Self {
        let MissingServer { server, state, since, reason } = missing;
        let state = match state {
            MissingState::Connecting => MissingStateShown::Connecting,
            MissingState::Failed => MissingStateShown::Failed,
            MissingState::WantsLogin => MissingStateShown::WantsLogin,
        };
        Self { server, state, since, reason }
    }
}

impl From<FoundTool> for FoundToolShown {
    fn from(tool: FoundTool) -> Self {
        Self {
            name: tool.name,
            server: tool.server,
            kind: tool.kind,
            description: tool.description,
            input_schema: tool.input_schema,
            signature: tool.signature,
        }
    }
}

impl From<&CatalogTool> for ToolName {
    fn from(tool: &CatalogTool) -> Self {
        Self {
            name: tool.python().to_owned(),
            original_name: tool.name().to_string(),
            description: tool.tool().description.clone(),
        }
    }
}

impl From<&CatalogTool> for ToolShown {
    fn from(tool: &CatalogTool) -> Self {
        Self {
            name: tool.python().to_owned(),
            original_name: tool.name().to_string(),
            server: tool.server().to_string(),
            package: tool.server_python().to_owned(),
            description: tool.tool().description.clone(),
            signature: None,
            input_schema: tool.tool().input_schema.clone(),
            output_schema: tool.tool().output_schema.clone(),
        }
    }
}
