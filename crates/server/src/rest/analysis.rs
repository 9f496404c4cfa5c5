//! Prepared analyses over HTTP.

use axum::Json;
use axum::extract::State;
use budget::Strategy;
use gateway::service::Request;
use gateway::service::analysis::{Analysis, KINDS};
use gateway::service::ids::SessionId;
use http::HeaderMap;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::Door;
use super::access::Runner;
use super::execute::StrategyGiven;
use super::given::{Body, Fields};
use super::problem::{ErrorBody, Problem};
use super::shown::RunShown;

/// An analysis that needs no program.
#[derive(Debug, ToSchema)]
#[schema(as = Analysis)]
#[expect(dead_code, reason = "says in the API's description what is read by name")]
pub(crate) struct AnalysisBody {
    /// What kind: filter, aggregate, transform, validate, timeseries, correlate, describe, test, predict.
    #[schema(example = "filter")]
    analysis_type: String,
    /// The rows, or where they are: `{"file": …}`, `{"result": …}`, `{"tool": …, "arguments": …}`.
    #[schema(value_type = Value)]
    data: Box<RawValue>,
    /// What is wanted.
    #[schema(value_type = Option<Object>)]
    parameters: Option<Box<RawValue>>,
    /// The session whose files it may read; a fresh one if nothing is said.
    #[schema(value_type = Option<String>, pattern = "^s_[0-9a-f]{32}$")]
    session: Option<SessionId>,
    /// Tokens that the answer may have.
    #[schema(minimum = 50)]
    max_output_tokens: Option<u64>,
    /// How it is made to fit.
    #[schema(value_type = Option<StrategyGiven>)]
    output_strategy: Option<Strategy>,
}

fn read(headers: &HeaderMap, body: &[u8]) -> Result<Request, Problem> {
    let mut fields = Fields::read(headers, body)?;
    let kind: String = fields.need("analysis_type")?;
    if !KINDS.contains(&kind.as_str()) {
        let known = KINDS.join(", ");
        let message = format!("`analysis_type` is none of the kinds there are: {known}");
        return Err(Problem::invalid(&message));
    }
    let parameters: Option<Box<RawValue>> = fields.take("parameters")?;
    let empty = || RawValue::from_string("{}".to_owned()).unwrap_or_default();
    let analysis = Analysis {
        analysis_type: kind,
        data: fields.need("data")?,
        parameters: parameters.unwrap_or_else(empty),
    };
    let (code, context) = analysis.program();
    let request = Request {
        code,
        context,
        session: fields.take("session")?,
        output_tokens: fields.count("max_output_tokens")?,
        output_strategy: fields.take::<Strategy>("output_strategy")?.unwrap_or_default(),
        ..Request::default()
    };
    fields.end()?;
    Ok(request)
}

/// Filters, groups, reshapes, validates or describes rows without a program.
///
/// The answer is that of a run; its `return_value` has `rows_in`, `result` and `notes`.
#[utoipa::path(
    post, path = "/api/v1/analysis", tag = "run", request_body = AnalysisBody,
    responses(
        (status = 200, description = "It ended; `success` says how.", body = RunShown),
        (status = 404, description = "There is no such session.", body = ErrorBody),
        (status = 410, description = "The session is no more.", body = ErrorBody),
        (status = 429, description = "Too many requests wait.", body = ErrorBody),
    )
)]
pub(crate) async fn analyze(
    State(door): State<Door>,
    Runner(caller): Runner,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Json<RunShown>, Problem> {
    let request = read(&headers, &body)?;
    let started = door.shared.service.start(&caller, request).await?;
    Ok(Json(RunShown::new(&started.ended().await)))
}
