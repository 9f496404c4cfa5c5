//! Prepared analyses over HTTP.

use axum::extract::State;
use axum::response::Response;
use budget::Strategy;
use engine::{Language, Level};
use gateway::service::Request;
use gateway::service::analysis::{Analysis, KINDS};
use gateway::service::ids::SessionId;
use http::HeaderMap;
use metrics::counter;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

use super::Door;
use super::access::Runner;
use super::execute::{Accepted, LevelGiven, StrategyGiven, ended_or_asked, trace};
use super::given::{Body, Fields, Parameters};
use super::problem::{ErrorBody, Problem};
use super::shown::RunShown;

/// An analysis that needs no program.
#[derive(Debug, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Analysis)]
#[expect(dead_code, reason = "says in the API's description what is read by name")]
pub(crate) struct AnalysisBody {
    /// What kind.
    #[schema(value_type = AnalysisType)]
    analysis_type: String,
    /// The rows, or where they are: `{"file": …}`, `{"result": …}`, `{"tool": …, "arguments": …}`.
    #[schema(schema_with = rows)]
    data: Box<RawValue>,
    /// What is wanted.
    #[schema(value_type = Option<Object>)]
    parameters: Option<Box<RawValue>>,
    /// The session whose files it may read; a fresh one if nothing is said.
    #[schema(value_type = Option<String>, pattern = "^s_[0-9a-f]{32}$")]
    session: Option<SessionId>,
    /// For a fresh session: one of the same owner, of any language, whose files in `/workspace` it is to have.
    #[schema(value_type = Option<String>, pattern = "^s_[0-9a-f]{32}$")]
    workspace_of: Option<SessionId>,
    /// Seconds it may take; never longer than the operator allows.
    #[schema(minimum = 1, maximum = 86400)]
    timeout: Option<f64>,
    /// A level that is no looser than the operator's.
    #[schema(value_type = Option<LevelGiven>)]
    level: Option<Level>,
    /// Tokens that the answer may have.
    #[schema(minimum = 50, maximum = 1_000_000_000)]
    max_output_tokens: Option<u64>,
    /// How it is made to fit.
    #[schema(value_type = Option<StrategyGiven>)]
    output_strategy: Option<Strategy>,
}

/// The kinds of analyses.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "says in the API's description what `KINDS` has")]
pub(crate) enum AnalysisType {
    Filter,
    Aggregate,
    Transform,
    Validate,
    Timeseries,
    Correlate,
    Describe,
    Test,
    Predict,
}

fn rows() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Array, Type::Object, Type::String]))
        .description(Some("The rows, or where they are: a file, an earlier result, a tool."))
        .build()
}

/// Whether a value is JSON of one of these beginnings.
fn begins(value: &RawValue, with: &[char]) -> bool {
    value.get().starts_with(with)
}

fn read(headers: &HeaderMap, body: &[u8]) -> Result<Request, Problem> {
    let mut fields = Fields::read(headers, body)?;
    // What is there is taken first, so that only what nobody knows is taken for a slip.
    let given: Option<Box<RawValue>> = fields.take("data")?;
    let parameters: Option<Box<RawValue>> = fields.take("parameters")?;
    let request = Request {
        session: fields.take("session")?,
        workspace_of: fields.take("workspace_of")?,
        timeout: super::execute::timeout(fields.take("timeout")?)?,
        level: fields.take("level")?,
        output_tokens: fields.count("max_output_tokens")?,
        output_strategy: fields.take::<Strategy>("output_strategy")?.unwrap_or_default(),
        ..Request::default()
    };
    let kind: String = fields.need("analysis_type")?;
    if !KINDS.contains(&kind.as_str()) {
        let (kind, known): (String, String) = (kind.chars().take(40).collect(), KINDS.join(", "));
        let message =
            format!("`analysis_type` is {kind:?}, which is none of the kinds there are: {known}");
        return Err(Problem::invalid(&message));
    }
    if parameters.as_ref().is_some_and(|given| !begins(given, &['{'])) {
        return Err(Problem::invalid("`parameters` must be an object"));
    }
    let data = match given {
        Some(data) => data,
        None => fields.need("data")?,
    };
    if !begins(&data, &['[', '{', '"']) {
        return Err(Problem::invalid("`data` must be rows, or say where they are"));
    }
    let empty = || RawValue::from_string("{}".to_owned()).unwrap_or_default();
    let analysis =
        Analysis { analysis_type: kind, data, parameters: parameters.unwrap_or_else(empty) };
    let (code, context) = analysis.program();
    fields.end()?;
    // The program that does it is ours, and Python.
    let language = Some(Language::Python.name().to_owned());
    Ok(Request { code, language, context, ..request })
}

/// Filters, groups, reshapes, validates or describes rows without a program.
///
/// The answer is that of a run; its `return_value` has `rows_in`, `result` and `notes`.
#[utoipa::path(
    post, path = "/api/v1/analysis", tag = "run", request_body = AnalysisBody,
    responses(
        (status = 200, description = "It ended; `success` says how.", body = RunShown),
        (status = 202, description = "Somebody has to approve a call; it goes on by itself.", body = Accepted,
         headers(("Location" = String, description = "Where to ask about the run."))),
        (status = 404, description = "There is no such session.", body = ErrorBody),
        (status = 409, description = "The session has another language than analyses, which are Python: `other_language`; `workspace_of` takes it.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
        (status = 429, description = "Too many requests wait.", body = ErrorBody),
    )
)]
pub(crate) async fn analyze(
    State(door): State<Door>,
    Runner(caller): Runner,
    headers: HeaderMap,
    query: Parameters,
    Body(body): Body,
) -> Result<Response, Problem> {
    query.end()?;
    let mut request = read(&headers, &body)?;
    request.trace = trace(&headers);
    counter!("tidegate_requests_total", "kind" => "analysis").increment(1);
    let started = door.shared.service.start(&caller, request).await?;
    Ok(ended_or_asked(&door, started).await)
}
