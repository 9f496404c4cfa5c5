//! Running a program: wait for its end, follow it, or come back for it.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use budget::Strategy;
use engine::Level;
use gateway::service::ids::{RunId, SessionId};
use gateway::service::{IfBusy, Record, Request, Started, TraceParent};
use http::{HeaderMap, StatusCode, header};
use metrics::counter;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::openapi::schema::{
    AdditionalProperties, Object, ObjectBuilder, Schema, SchemaType, Type,
};
use utoipa::{IntoParams, ToSchema};

use super::Door;
use super::access::Runner;
use super::given::{Body, Fields, Parameters};
use super::problem::Problem;
use super::shown::{RunShown, StatusShown};
use super::stream;
use super::tighter::LimitsGiven;

/// A program to run.
#[derive(Debug, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Execute)]
pub(crate) struct ExecuteBody {
    /// The program.
    #[schema(min_length = 1, pattern = "\\S", example = "return sum(range(10))")]
    code: String,
    /// What it is written in; if nothing is said, what its session is, and `python` for a fresh one.
    #[schema(value_type = Option<LanguageGiven>)]
    language: Option<String>,
    /// Variables it starts with, by name.
    #[schema(schema_with = variables, required = false)]
    context: engine::Context,
    /// The session to go on with; a fresh one if nothing is said.
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
    /// Limits that are no looser than the session's.
    limits: Option<LimitsGiven>,
    /// Tokens that value and output together may have; the rest can be fetched.
    #[schema(minimum = 50, maximum = 1_000_000_000)]
    max_output_tokens: Option<u64>,
    /// How they are made to fit.
    #[schema(value_type = Option<StrategyGiven>)]
    output_strategy: Option<Strategy>,
    /// What to do while another program runs in the session.
    if_busy: Option<IfBusyGiven>,
    /// A run that did not succeed: answers that it got are used again, and what it did is not done twice.
    #[schema(value_type = Option<String>, pattern = "^r_[0-9a-f]{32}$")]
    resume_from: Option<RunId>,
    /// What the agent is called whose program it is; as its session says if nothing is said. A fresh session
    /// gets the name.
    #[schema(pattern = "^[A-Za-z0-9_.-]{1,64}$")]
    agent: Option<String>,
}

/// What a program is written in.
#[derive(ToSchema)]
#[schema(as = Language, rename_all = "lowercase")]
#[expect(dead_code, reason = "says in the API's description what `engine::Language` is")]
pub(crate) enum LanguageGiven {
    /// Python 3.
    Python,
    /// TypeScript, or JavaScript.
    TypeScript,
}

/// How an answer is made to fit.
#[derive(ToSchema)]
#[schema(as = OutputStrategy, rename_all = "lowercase")]
#[expect(dead_code, reason = "says in the API's description what `budget::Strategy` is")]
pub(crate) enum StrategyGiven {
    /// Whatever fits stays; of what does not, the most informative part.
    Auto,
    /// Counts, shapes and figures instead of rows.
    Summarize,
    /// Fields and their types instead of values.
    Schema,
    /// Rows from everywhere, evenly.
    Sample,
    /// The beginning.
    Truncate,
    /// Everything, however much it is.
    None,
}

/// A named set of limits.
#[derive(ToSchema)]
#[schema(as = Level, rename_all = "lowercase")]
#[expect(dead_code, reason = "says in the API's description what `engine::Level` is")]
pub(crate) enum LevelGiven {
    /// Generous, for working on one's own machine.
    Development,
    /// For programs written by a model.
    Production,
    /// For programs nobody vouches for.
    Hardened,
}

/// What to do while another program runs in the session.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = IfBusy)]
pub(crate) enum IfBusyGiven {
    /// Queue behind it.
    Wait,
    /// Refuse.
    Refuse,
}

/// How the answer is wanted.
#[derive(Debug, Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Manner {
    /// Answer with server-sent events while the program runs.
    stream: Option<bool>,
    /// Answer at once with 202, and let the program run by itself; wins over `stream`.
    #[param(rename = "async")]
    detached: Option<bool>,
}

/// A run that goes on by itself.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Accepted {
    /// What the run is called.
    #[schema(pattern = "^r_[0-9a-f]{32}$")]
    run_id: String,
    /// The session it runs in.
    #[schema(pattern = "^s_[0-9a-f]{32}$")]
    session: String,
    /// Where it is.
    status: StatusShown,
    /// Where to go from here.
    links: Links,
}

/// Where to ask about a run.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Links {
    /// What is known of it.
    run: String,
    /// What happens in it.
    events: String,
    /// Ends it.
    cancel: String,
}

pub(super) fn variables() -> Object {
    let name = ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::String))
        .pattern(Some(r"^[^\W\d]\w*$"));
    let any = ObjectBuilder::new().schema_type(SchemaType::AnyValue).build();
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
        .description(Some("Variables it starts with, by name."))
        .property_names(Some(Schema::Object(name.build())))
        .additional_properties(Some(AdditionalProperties::RefOr(Schema::Object(any).into())))
        .build()
}

/// A time in seconds, if one is given.
pub(super) fn timeout(seconds: Option<f64>) -> Result<Option<Duration>, Problem> {
    let wrong = |_| Problem::invalid("`timeout` must be seconds, from 1 to 86400");
    seconds.map(Duration::try_from_secs_f64).transpose().map_err(wrong)
}

impl ExecuteBody {
    fn read(headers: &HeaderMap, body: &[u8]) -> Result<Self, Problem> {
        let mut fields = Fields::read(headers, body)?;
        let given = Self {
            code: fields.need("code")?,
            language: fields.take("language")?,
            context: context(fields.take::<Box<RawValue>>("context")?)?,
            session: fields.take("session")?,
            workspace_of: fields.take("workspace_of")?,
            timeout: fields.take("timeout")?,
            level: fields.take("level")?,
            limits: match fields.take::<Box<RawValue>>("limits")? {
                Some(raw) => Some(LimitsGiven::read(&raw)?),
                None => None,
            },
            max_output_tokens: fields.count("max_output_tokens")?,
            output_strategy: fields.take("output_strategy")?,
            if_busy: fields.take("if_busy")?,
            resume_from: fields.take("resume_from")?,
            agent: fields.take("agent")?,
        };
        fields.end()?;
        Ok(given)
    }

    fn request(self) -> Result<Request, Problem> {
        Ok(Request {
            code: self.code,
            language: self.language,
            context: self.context,
            session: self.session,
            workspace_of: self.workspace_of,
            timeout: timeout(self.timeout)?,
            level: self.level,
            limits: self.limits.map(|limits| limits.limits()),
            model_tokens: None,
            if_busy: match self.if_busy {
                Some(IfBusyGiven::Refuse) => IfBusy::Refuse,
                Some(IfBusyGiven::Wait) | None => IfBusy::Wait,
            },
            output_tokens: self.max_output_tokens,
            output_strategy: self.output_strategy.unwrap_or_default(),
            trace: None,
            resume_from: self.resume_from,
            agent: self.agent,
            mind: None,
        })
    }
}

/// Variables keep the very text they were sent as.
pub(super) fn context(given: Option<Box<RawValue>>) -> Result<engine::Context, Problem> {
    let Some(raw) = given else { return Ok(engine::Context::new()) };
    serde_json::from_str(raw.get())
        .map_err(|_| Problem::invalid("`context` must be an object of variables by name"))
}

/// Runs a program.
///
/// The answer is 200 also when the program failed: `success` says so. Closing the connection
/// before the answer has come cancels the run.
#[utoipa::path(
    post, path = "/execute", tag = "run", params(Manner), request_body = ExecuteBody,
    responses(
        (status = 200, description = "The program ended. With `stream`, events `status`, `output`, \
            `call`, `call_end` and at last `end`, whose data is the same object.",
         content((RunShown = "application/json"), (super::stream::EventShown = "text/event-stream"))),
        (status = 202, description = "The program runs by itself.", body = Accepted,
         headers(("Location" = String, description = "Where to ask about the run."))),
        (status = 403, description = "As many sessions as may be: `quota_exceeded`; or `scope_missing`.", body = super::problem::ErrorBody),
        (status = 404, description = "There is no such session.", body = super::problem::ErrorBody),
        (status = 409, description = "Another program runs in the session: `session_busy`; its language is another: `other_language`; a run rests in it, and this gateway keeps no runs: `run_paused`; or `resume_from` names a run that succeeded or has not ended: `not_resumable`.", body = super::problem::ErrorBody),
        (status = 410, description = "The session is no more.", body = super::problem::ErrorBody),
        (status = 429, description = "Too many requests wait.", body = super::problem::ErrorBody,
         headers(("Retry-After" = u64, description = "Seconds after which to try again."))),
    )
)]
pub(crate) async fn execute(
    State(door): State<Door>,
    Runner(caller): Runner,
    mut query: Parameters,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Response, Problem> {
    let manner = Manner { stream: query.take("stream")?, detached: query.take("async")? };
    query.end()?;
    let mut request = ExecuteBody::read(&headers, &body)?.request()?;
    request.trace = trace(&headers);
    counter!("tidegate_requests_total", "kind" => "code").increment(1);
    if manner.detached.unwrap_or_default() {
        let run = door.shared.service.start_detached(&caller, request).await?;
        return Ok(accepted(&run.record()));
    }
    let started = door.shared.service.start(&caller, request).await?;
    if manner.stream.unwrap_or_else(|| wants_events(&headers)) {
        return Ok(stream::of_started(started).into_response());
    }
    Ok(ended_or_asked(&door, started).await)
}

/// How a run ended; or, where somebody has to approve one of its calls, that it goes on by itself.
pub(super) async fn ended_or_asked(door: &Door, started: Started) -> Response {
    let run = std::sync::Arc::clone(started.run());
    tokio::select! {
        () = run.over() => {}
        // Whoever has to answer may take days.
        _ = door.shared.service.asked(&run) => return accepted(&started.detach().record()),
    }
    let record = started.ended().await;
    if !record.status.is_final() {
        // The gateway ends, and the run goes on with the next one.
        return accepted(&record);
    }
    Json(RunShown::new(&record)).into_response()
}

/// The trace that a request belongs to. One that makes no sense is none.
pub(crate) fn trace(headers: &HeaderMap) -> Option<TraceParent> {
    let parent = TraceParent::parse(headers.get("traceparent")?.to_str().ok()?)?;
    // A list may be written in several headers.
    let states = headers.get_all("tracestate").iter().filter_map(|state| state.to_str().ok());
    Some(parent.with_state(Some(&states.collect::<Vec<_>>().join(","))))
}

pub(super) fn accepted(record: &Record) -> Response {
    let at = format!("/api/v1/runs/{}", record.id);
    let answer = Accepted {
        run_id: record.id.to_string(),
        session: record.session.to_string(),
        status: record.status.into(),
        links: Links {
            run: at.clone(),
            events: format!("{at}/events"),
            cancel: format!("{at}/cancel"),
        },
    };
    (StatusCode::ACCEPTED, [(header::LOCATION, at)], Json(answer)).into_response()
}

/// Whether the client would rather have events than one answer.
pub(super) fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let mut kinds = accepted.unwrap_or_default().split(',');
    kinds.any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "text/event-stream"))
}
