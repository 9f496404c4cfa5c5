//! Questions over HTTP: wait for the answer, or follow how it comes about.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use agent::{
    Agent, Answer, Answering, Ask, AskError, Event, Form, Schema, Template, TemplateFormat, Watched,
};
use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use engine::Language;
use futures_util::stream;
use gateway::service::ids::ConversationId;
use http::{HeaderMap, StatusCode};
use metrics::counter;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::Door;
use super::access::Runner;
use super::conversations::TotalsShown;
use super::execute::{LanguageGiven, context, trace, variables, wants_events};
use super::given::{Body, Fields, Parameters};
use super::problem::{ErrorBody, Problem};

/// How often something is sent so that nobody in between gives up.
const ALIVE: Duration = Duration::from_secs(15);

/// A question in words.
#[derive(Debug, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Ask)]
#[expect(dead_code, reason = "says in the API's description what is read by name")]
pub(crate) struct AskBody {
    /// What is to be found out or done.
    #[schema(min_length = 1, pattern = "\\S", example = "Which device used most power last week?")]
    question: String,
    /// Variables that programs find; models never see their values.
    #[schema(schema_with = variables, required = false)]
    context: engine::Context,
    /// The conversation to go on with; a new one if nothing is said.
    #[schema(value_type = Option<String>, pattern = "^c_[0-9a-f]{32}$")]
    conversation: Option<ConversationId>,
    /// A JSON Schema that the answer is to fit.
    #[schema(value_type = Option<Object>)]
    schema: Option<Value>,
    /// A document with places such as `{{ name }}` that the answer fills.
    template: Option<String>,
    /// What that document is written in: `text`, `yaml` or `json`.
    #[schema(value_type = Option<FormatGiven>)]
    template_format: Option<String>,
    /// One of the models that the operator lists.
    model: Option<String>,
    /// Which of the caller's users asks.
    user: Option<String>,
    /// What programs are written in; what the operator says if nothing is said.
    #[schema(value_type = Option<LanguageGiven>)]
    language: Option<Language>,
}

/// What a template is written in.
#[derive(ToSchema)]
#[schema(as = TemplateFormat, rename_all = "lowercase")]
#[expect(dead_code, reason = "says in the API's description what `TemplateFormat` reads")]
pub(crate) enum FormatGiven {
    Text,
    Yaml,
    Yml,
    Json,
}

/// An answer.
#[derive(Debug, ToSchema)]
#[schema(as = Answer)]
#[expect(dead_code, reason = "says in the API's description what `agent::Answer` is")]
pub(crate) struct AnswerShown {
    /// In words; JSON or a document as text, where that was asked for.
    answer: String,
    /// The JSON that was asked for by a schema.
    #[schema(required = false)]
    value: Value,
    /// The conversation that it belongs to.
    #[schema(pattern = "^c_[0-9a-f]{32}$")]
    conversation: String,
    /// How it was answered: `code`, `hybrid` or `direct`.
    mode: String,
    /// Which part of the roll-out it was: `code` or `direct`.
    arm: String,
    /// The programs that ran for it.
    runs: Vec<String>,
    /// What each step used, and what all of it would have taken with tools instead of programs.
    #[schema(value_type = Object)]
    usage: Value,
    /// What the whole conversation used so far, this question included.
    totals: TotalsShown,
}

/// How the answer is wanted.
#[derive(Debug, Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AskManner {
    /// Answer with server-sent events while it comes about.
    stream: Option<bool>,
}

/// The agent, if there is one now.
pub(super) fn agent(answering: Option<&Answering>) -> Result<Arc<Agent>, Problem> {
    answering.and_then(Answering::now).ok_or_else(|| {
        let message = "this gateway answers no questions, because no model is set";
        Problem::new(StatusCode::CONFLICT, "no_model", message)
            .hint("an operator can set one with `[ask] provider` and `[ask] model`")
    })
}

/// The question in an object that somebody sent.
pub(super) fn read(mut fields: Fields) -> Result<Ask, Problem> {
    let ask = Ask {
        question: fields.need("question")?,
        context: context(fields.take::<Box<RawValue>>("context")?)?,
        conversation: fields.take("conversation")?,
        form: form(&mut fields)?,
        model: fields.take("model")?,
        user: fields.take("user")?,
        language: fields.take("language")?,
        trace: None,
    };
    fields.end()?;
    if ask.question.trim().is_empty() {
        let message = "`question` is empty; say what is to be found out or done";
        return Err(Problem::invalid(message));
    }
    Ok(ask)
}

fn form(fields: &mut Fields) -> Result<Form, Problem> {
    let schema: Option<Value> = fields.take("schema")?;
    let template: Option<String> = fields.take("template")?;
    let format: Option<String> = fields.take("template_format")?;
    let unfit = |field: &str, words: String| Problem::unfit(format!("`{field}`: {words}"));
    let format = format.as_deref().map(str::parse::<TemplateFormat>).transpose();
    let format = format.map_err(|words| Problem::invalid(format!("`template_format`: {words}")))?;
    match (schema, template) {
        (Some(_), Some(_)) => {
            Err(Problem::unfit("`schema` and `template` are two forms; send one of them"))
        }
        (Some(schema), None) => {
            Schema::new(&schema).map(Form::Json).map_err(|error| unfit("schema", error.to_string()))
        }
        (None, Some(template)) => Template::new(&template, format.unwrap_or_default())
            .map(Form::Document)
            .map_err(|error| unfit("template", error.to_string())),
        (None, None) => Ok(Form::Text),
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Gateway(refusal) => refusal.into(),
            other => told(other.code(), &other.to_string()),
        }
    }
}

/// A question that was not answered, as the door tells it.
fn told(code: &'static str, message: &str) -> Problem {
    let status = match code {
        "unknown_conversation" => StatusCode::NOT_FOUND,
        "conversation_busy" => StatusCode::CONFLICT,
        "too_many_requests" => StatusCode::TOO_MANY_REQUESTS,
        // What the API's description does not allow was told of before anybody was asked.
        "invalid_request" | "budget_exceeded" | "model_refused" | "programs_failed"
        | "reply_too_long" | "wrong_form" => StatusCode::UNPROCESSABLE_ENTITY,
        "model_failed" => StatusCode::BAD_GATEWAY,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    match agent::ask::parted(message) {
        (message, Some(next)) => Problem::new(status, code, message).hint(next),
        (message, None) => Problem::new(status, code, message),
    }
}

/// Answers a question in words.
///
/// A model writes a program, which runs like any other, and reads its small result. Closing the connection
/// before the answer has come cancels it.
#[utoipa::path(
    post, path = "/api/v1/ask", tag = "run", params(AskManner), request_body = AskBody,
    responses(
        (status = 200, description = "The answer. With `stream`, an event for each step and at last `answer` or `error`.",
         content((AnswerShown = "application/json"), (super::stream::EventShown = "text/event-stream"))),
        (status = 404, description = "There is no such conversation: `unknown_conversation`.", body = ErrorBody),
        (status = 409, description = "No model is set, `no_model`; another question of it is being answered, `conversation_busy`.", body = ErrorBody),
        (status = 422, description = "`budget_exceeded`, `model_refused`, `programs_failed`, `reply_too_long`, `wrong_form`; or a part cannot be as it is: `invalid_request`.", body = ErrorBody),
        (status = 429, description = "Too many questions are being answered.", body = ErrorBody),
        (status = 502, description = "The model did not reply: `model_failed`.", body = ErrorBody),
    )
)]
pub(crate) async fn ask(
    State(door): State<Door>,
    Runner(caller): Runner,
    mut query: Parameters,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Response, Problem> {
    let manner = AskManner { stream: query.take("stream")? };
    query.end()?;
    let agent = agent(door.options.agent.as_ref())?;
    let ask = read(Fields::read(&headers, &body)?)?;
    let ask = Ask { trace: trace(&headers), ..ask };
    counter!("tidegate_requests_total", "kind" => "ask").increment(1);
    let live = Watched(agent.begin(&caller, ask).await?);
    if manner.stream.unwrap_or_else(|| wants_events(&headers)) {
        return Ok(followed(live));
    }
    match live.0.ended().await {
        Some(Event::Answer(answer)) => Ok(Json::<Answer>(*answer).into_response()),
        Some(Event::Error { code, message }) => Err(told(code, &message)),
        _ => Err(told("cancelled", "the question was not answered")),
    }
}

struct Following {
    live: Watched,
    seen: usize,
    ready: VecDeque<Event>,
}

/// A question as server-sent events; it is cancelled when nobody reads them any more.
fn followed(live: Watched) -> Response {
    let following = Following { live, seen: 0, ready: VecDeque::new() };
    let events = stream::unfold(following, |mut following| async {
        if following.ready.is_empty() {
            following.ready.extend(following.live.0.events_after(following.seen).await);
        }
        let event = following.ready.pop_front()?;
        let text = serde_json::to_string(&event).unwrap_or_else(|_| "null".to_owned());
        let sent = Sent::default().event(event.name()).id(following.seen.to_string()).data(text);
        following.seen += 1;
        Some((Ok::<_, Infallible>(sent), following))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}
