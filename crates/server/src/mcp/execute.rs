//! `execute_python` and `execute_typescript`: a program in, words for the model out.

use std::fmt::Write as _;
use std::time::Duration;

use budget::Strategy;
use engine::{Context, Language};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use gateway::service::analysis::{Analysis, KINDS};
use gateway::service::ids::RunId;
use gateway::service::run::{Event, Run};
use gateway::service::{Record, Refusal, Request, Started, Status, TraceParent};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
    ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::{Peer, RequestContext};
use serde::Deserialize;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

use super::approve::Next;
use super::lines::Placing;
use super::sampling::Line;
use super::{Mcp, caller, words};
use crate::rest::{given, moment};

/// How long a call may take; clients give up on longer ones.
const TIMEOUTS: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(1)..=Duration::from_secs(120);

/// How long a program rests before it is told what it waits for, and how often after that.
const RESTS: Duration = Duration::from_secs(2);
const STILL: Duration = Duration::from_secs(15);

/// What a program does without if nothing is said.
const OPTIONAL: [&str; 8] = [
    "session",
    "workspace_of",
    "context",
    "timeout",
    "max_output_tokens",
    "output_strategy",
    "resume_from",
    "agent",
];
/// What an analysis takes besides its request.
const OTHERS: [&str; 5] =
    ["session", "workspace_of", "timeout", "max_output_tokens", "output_strategy"];
/// Where a client says in the metadata of a call which agent's program it is.
const AGENT: &str = "tidegate/agent";
/// The strategies there are, in words.
const STRATEGIES: &str = "one of auto, summarize, schema, sample, truncate, none";

/// What a client may send. Wrong types name the argument.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    code: String,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    workspace_of: Option<String>,
    #[serde(default)]
    context: Option<Context>,
    #[serde(default)]
    timeout: Option<f64>,
    #[serde(default)]
    max_output_tokens: Option<u64>,
    #[serde(default)]
    output_strategy: Option<Strategy>,
    #[serde(default)]
    resume_from: Option<RunId>,
    #[serde(default)]
    agent: Option<String>,
}

impl Mcp {
    pub(super) async fn execute(
        &self,
        call: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        self.begin(call, python, context).await
    }

    /// The same of a program in TypeScript.
    pub(super) async fn execute_script(
        &self,
        call: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        self.begin(call, typescript, context).await
    }

    /// A prepared analysis, carried out by a program of ours.
    pub(super) async fn analyze(
        &self,
        call: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        self.begin(call, analysis, context).await
    }

    /// Runs what was asked for, or goes on with a run that waited for an answer.
    async fn begin(
        &self,
        call: CallToolRequestParams,
        read: fn(JsonObject) -> Result<Request, String>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let (state, responses) = (call.request_state.as_deref(), call.input_responses.as_ref());
        if let Some(id) = self.answered_call(state, responses, context).await {
            return self.go_on(&id, context).await;
        }
        match read(call.arguments.unwrap_or_default()) {
            Ok(request) => self.run(request, context).await,
            Err(problem) => failed(problem).into(),
        }
    }

    /// Waits for a run that somebody was asked about.
    async fn go_on(&self, id: &RunId, context: &RequestContext<RoleServer>) -> CallToolResponse {
        let (service, caller) = (&self.shared.service, caller(context));
        if let Some(run) = service.live_run(&caller, id) {
            return self.follow(&run, None, context).await;
        }
        match service.answered(&caller, id).await {
            Ok((record, artifacts)) => {
                words::result(&record, &artifacts, knows_links(context)).into()
            }
            Err(refusal) => refused(&refusal).into(),
        }
    }

    /// Whether a call means a run that has not ended, or that succeeded since.
    async fn means(
        &self,
        request: &Request,
        context: &RequestContext<RoleServer>,
    ) -> Option<RunId> {
        let id = request.resume_from.as_ref()?;
        let record = self.shared.service.run(&caller(context), id).await.ok()?;
        let is_same = *record.program == *request.code;
        let goes_on = !record.status.is_final() || record.status == Status::Succeeded;
        (is_same && goes_on).then(|| id.clone())
    }

    async fn run(
        &self,
        mut request: Request,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        request.trace = trace(context);
        let named = context.meta.get(AGENT).and_then(Value::as_str);
        request.agent = request.agent.or_else(|| named.map(str::to_owned));
        if let Some(id) = self.means(&request, context).await {
            return self.go_on(&id, context).await;
        }
        let line = Self::line(context);
        request.mind = line.as_ref().map(Line::mind);
        if self.takes_tasks(context) {
            return self.run_as_task(request, line, context).await;
        }
        // Clients wait for an answer, also while the program does.
        let usual = self.shared.service.settings().limits.wall;
        request.timeout.get_or_insert(usual.max(*TIMEOUTS.end()));
        let started = self.shared.service.start(&caller(context), request).await;
        placed(context);
        let started = match started {
            Ok(started) => started,
            Err(refusal) => return refused(&refusal).into(),
        };
        let run = std::sync::Arc::clone(started.run());
        if let Some(line) = &line {
            self.lines.keep(run.id(), line);
        }
        self.follow(&run, Some(started), context).await
    }

    /// Waits for the end of a run, and asks about what it may not do unasked. One that was started by this
    /// call ends with it, unless somebody has to answer first.
    async fn follow(
        &self,
        run: &std::sync::Arc<Run>,
        mut started: Option<Started>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let telling = tell(run, context.meta.get_progress_token(), &context.peer);
        let over = async { tokio::join!(run.over(), telling) };
        tokio::pin!(over);
        let line = self.lines.of(run.id());
        let _open = line.as_ref().map(Line::open);
        let mut asking = FuturesUnordered::new();
        loop {
            tokio::select! {
                _ = &mut over => {
                    return words::result(&run.record(), &run.artifacts(), knows_links(context)).into();
                }
                // Dropping the run cancels it; the client no longer reads what is said here.
                () = context.ct.cancelled() => return failed(self.stopped()).into(),
                Some(()) = asking.next() => {}
                Some(line) = asks(line.as_deref()) => {
                    if let Some(told) = self.model_questions(run.id(), line).await {
                        if let Some(started) = started.take() {
                            drop(started.detach());
                        }
                        return told;
                    }
                    asking.extend(Self::to_ask(line).into_iter().map(|one| Self::ask_model(line, one, context)));
                }
                groups = self.shared.service.asked(run) => {
                    if let Some(started) = started.take() {
                        drop(started.detach());
                    }
                    let next = tokio::select! {
                        next = self.ask_about(run, &groups, context) => next,
                        // Somebody answered elsewhere, or gave up.
                        _ = &mut over => {
                            return words::result(&run.record(), &run.artifacts(), knows_links(context)).into();
                        }
                        () = context.ct.cancelled() => return failed(self.stopped()).into(),
                    };
                    if let Next::Tell(told) = next {
                        return *told;
                    }
                }
            }
        }
    }
}

/// Comes back when a run wants to know something of its client's model; never where that cannot be asked.
pub(super) async fn asks(line: Option<&Line>) -> Option<&Line> {
    match line {
        Some(line) => line.asks().await,
        None => std::future::pending().await,
    }
    line
}

/// Whether the client's revision of the protocol has links to resources in results.
pub(super) fn knows_links(context: &RequestContext<RoleServer>) -> bool {
    let client = context.peer.peer_info();
    client.is_none_or(|client| client.protocol_version >= ProtocolVersion::V_2025_06_18)
}

/// Says that a call has its place in the row of its session.
pub(super) fn placed(context: &RequestContext<RoleServer>) {
    if let Some(placing) = context.extensions.get::<Placing>() {
        placing.done();
    }
}

impl Mcp {
    /// Why a call was not carried out to its end.
    pub(super) fn stopped(&self) -> String {
        if self.shared.service.is_ending() {
            return Refusal::Draining.to_string();
        }
        "the client cancelled this call".to_owned()
    }
}

/// The same without what was left out by saying `null`, and with `whole` as whole numbers are written:
/// many clients send 60.0 for 60.
pub(super) fn plain(mut arguments: JsonObject, optional: &[&str], whole: &str) -> JsonObject {
    arguments.retain(|key, value| !(value.is_null() && optional.contains(&key.as_str())));
    if let Some(Value::Number(number)) = arguments.get_mut(whole)
        && let Some(same) = given::whole(number)
    {
        *number = same.into();
    }
    arguments
}

fn python(arguments: JsonObject) -> Result<Request, String> {
    request(arguments, Language::Python)
}

fn typescript(arguments: JsonObject) -> Result<Request, String> {
    request(arguments, Language::TypeScript)
}

fn request(arguments: JsonObject, language: Language) -> Result<Request, String> {
    let arguments = plain(arguments, &OPTIONAL, "max_output_tokens");
    let example = format!(
        r#"execute_{language} takes {{"code": "...", "session"?: "s_...", "context"?: {{...}}, "timeout"?: 30}}"#
    );
    for (key, kind, fits) in [
        ("code", "text", Value::is_string as fn(&Value) -> bool),
        ("session", "text", Value::is_string),
        ("workspace_of", "the id of a session, s_...", Value::is_string),
        ("agent", "text", Value::is_string),
        ("context", "an object", Value::is_object),
        ("timeout", "a number of seconds", Value::is_number),
        ("max_output_tokens", "a whole number", Value::is_u64),
        ("resume_from", "the id of a run, r_...", |value| {
            value.as_str().is_some_and(|id| id.parse::<RunId>().is_ok())
        }),
        ("output_strategy", STRATEGIES, |value| {
            value.as_str().is_some_and(|name| name.parse::<Strategy>().is_ok())
        }),
    ] {
        if arguments.get(key).is_some_and(|value| !fits(value)) {
            return Err(format!("`{key}` must be {kind}; {example}"));
        }
    }
    let given: Arguments = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| format!("{error}; {example}"))?;
    let session = given.session.filter(|session| !session.is_empty());
    let session = session.map(|session| session.parse()).transpose();
    let session =
        session.map_err(|error| format!("`session`: {error}; leave it out for a fresh one"))?;
    let shared = given.workspace_of.filter(|shared| !shared.is_empty());
    let workspace_of = shared.map(|shared| shared.parse()).transpose();
    let workspace_of = workspace_of.map_err(|error| {
        format!("`workspace_of`: {error}; it takes a session whose files a fresh one is to have")
    })?;
    let timeout = given.timeout.map(Duration::try_from_secs_f64).transpose();
    let timeout = timeout.ok().filter(|timeout| timeout.is_none_or(|one| TIMEOUTS.contains(&one)));
    let timeout = timeout.ok_or("`timeout` must be between 1 and 120 seconds")?;
    Ok(Request {
        code: given.code,
        language: Some(language.name().to_owned()),
        session,
        workspace_of,
        context: given.context.unwrap_or_default(),
        timeout,
        output_tokens: given.max_output_tokens,
        output_strategy: given.output_strategy.unwrap_or_default(),
        resume_from: given.resume_from,
        agent: given.agent,
        ..Request::default()
    })
}

fn analysis(mut arguments: JsonObject) -> Result<Request, String> {
    let kinds = KINDS.join(", ");
    let kind = arguments.remove("analysis_type").and_then(|kind| kind.as_str().map(str::to_owned));
    let kind = kind.filter(|kind| KINDS.contains(&kind.as_str()));
    let kind = kind.ok_or_else(|| format!("`analysis_type` must be one of {kinds}"))?;
    let raw = |value: &Value| to_raw_value(value).map_err(|error| error.to_string());
    let data = arguments.remove("data").ok_or(
        r#"`data` is missing: rows, {"file": ...}, {"result": ...} or {"tool": ..., "arguments": ...}"#,
    )?;
    let parameters = arguments.remove("parameters").filter(|given| !given.is_null());
    let parameters = parameters.unwrap_or_else(|| Value::Object(Map::new()));
    let analysis =
        Analysis { analysis_type: kind, data: raw(&data)?, parameters: raw(&parameters)? };
    let (code, context) = analysis.program();
    if let Some(unknown) = arguments.keys().find(|key| !OTHERS.contains(&key.as_str())) {
        return Err(format!(
            "there is no argument `{unknown}`; there are analysis_type, data, parameters, {}",
            OTHERS.join(", ")
        ));
    }
    arguments.insert("code".to_owned(), Value::String(code));
    let request = python(arguments).map_err(|error| {
        // What it says of programs does not help here.
        error.split("; execute_python takes").next().unwrap_or_default().to_owned()
    })?;
    Ok(Request { context, ..request })
}

/// What could not even begin, in words for the model.
pub(super) fn refused(refusal: &Refusal) -> CallToolResult {
    failed(refusal.to_string())
}

pub(super) fn failed(problem: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(problem)])
}

/// Tells the client what the program prints while it runs and what it waits for, if it wants to know.
pub(super) async fn tell(run: &Run, token: Option<ProgressToken>, peer: &Peer<RoleServer>) {
    let Some(token) = token else { return };
    let mut seen = 0;
    let mut told = 0.0;
    let mut patience = RESTS;
    loop {
        let Ok(events) = tokio::time::timeout(patience, run.events_after(seen)).await else {
            patience = STILL;
            if let Some(text) = waits(&run.record()) {
                told += 1.0;
                let note = ProgressNotificationParam::new(token.clone(), told).with_message(text);
                if peer.notify_progress(note).await.is_err() {
                    return;
                }
            }
            continue;
        };
        patience = RESTS;
        if events.is_empty() {
            return;
        }
        seen += events.len();
        let mut text = String::new();
        for event in events {
            match event {
                Event::Output(_, output) => text.push_str(&output),
                Event::Calls(note) => {
                    let server = note.server.unwrap_or_default();
                    // Writing to a string does not fail.
                    let _ = writeln!(text, "calls {server}.{}", note.tool);
                }
                Event::Status(_) | Event::Called(_) => {}
            }
        }
        if text.is_empty() {
            continue;
        }
        told += 1.0;
        let note = ProgressNotificationParam::new(token.clone(), told).with_message(text);
        if peer.notify_progress(note).await.is_err() {
            // Nobody hears us; the run's end is told to whoever waits for it.
            return;
        }
    }
}

/// The trace that a request belongs to: as it says itself, or as the headers do that brought it.
fn trace(context: &RequestContext<RoleServer>) -> Option<TraceParent> {
    let said = |key: &str| context.meta.get(key).and_then(Value::as_str);
    if let Some(parent) = said("traceparent").and_then(TraceParent::parse) {
        return Some(parent.with_state(said("tracestate")));
    }
    crate::rest::trace(&context.extensions.get::<http::request::Parts>()?.headers)
}

/// What a run that rests waits for.
pub(super) fn waits(record: &Record) -> Option<String> {
    let rest = record.waiting?;
    let names = record.waits_for();
    let what = match names.as_slice() {
        names if record.asks > 0 => {
            format!("waits for somebody's approval of {}", names.join(", "))
        }
        [] => "sleeps".to_owned(),
        names => format!("waits for {}", names.join(", ")),
    };
    let mut text = format!("{what} since {}", moment::text(rest.since));
    if let Some(until) = rest.wakes_at {
        let _ = write!(text, ", until {} at the latest", moment::text(until));
    }
    match crate::rest::paused(record) {
        Some(paused) => Some(format!("{text}; {paused}")),
        None => Some(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked_for(read: fn(JsonObject) -> Result<Request, String>, arguments: Value) -> Request {
        let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
        read(arguments).unwrap()
    }

    #[test]
    fn what_is_null_was_not_said_and_a_whole_number_may_have_a_point() {
        let nothing: JsonObject =
            OPTIONAL.iter().map(|key| ((*key).to_owned(), Value::Null)).collect();
        let mut arguments = nothing;
        arguments.insert("code".to_owned(), json!("1"));
        let usual = asked_for(python, Value::Object(arguments));
        assert!(usual.session.is_none() && usual.timeout.is_none(), "{usual:?}");
        assert!(usual.output_tokens.is_none() && usual.resume_from.is_none(), "{usual:?}");
        let wanted = json!({ "code": "1", "max_output_tokens": 60.0, "timeout": 30 });
        assert_eq!(asked_for(typescript, wanted.clone()).language.as_deref(), Some("typescript"));
        let wanted = asked_for(python, wanted);
        assert_eq!(
            (wanted.output_tokens, wanted.timeout),
            (Some(60), Some(Duration::from_secs(30)))
        );
        assert!(python(json!({ "code": null }).as_object().unwrap().clone()).is_err());
        // What is not known is named, whatever it says.
        let unknown = json!({ "code": "1", "seesion": null }).as_object().unwrap().clone();
        assert!(python(unknown).unwrap_err().contains("unknown field `seesion`"));
        let analyzed = json!({
            "analysis_type": "describe", "data": [], "parameters": null, "session": null,
            "max_output_tokens": 200.0,
        });
        assert_eq!(asked_for(analysis, analyzed).output_tokens, Some(200));
        let other = format!("s_{}", "0".repeat(32));
        let beside =
            json!({ "analysis_type": "describe", "data": [], "workspace_of": other.clone() });
        let shared = asked_for(analysis, beside).workspace_of.unwrap();
        assert_eq!(shared.to_string(), other);
    }
}
