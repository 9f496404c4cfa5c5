//! One request of a client, passed on to a server behind us and back.
//!
//! What the server says meanwhile goes to this client; what it asks, this client is asked. Both
//! are done within the client's request, so that over HTTP they travel on its stream. The two
//! ways to ask are translated where that is possible: a server of the newest revision answers
//! with a question, and a client of an older one is asked it while its request waits. The other
//! way round is refused, because a client of the newest revision has nobody listening.
#![expect(deprecated, reason = "what the newest revision deprecates is what all others use")]

use catalog::{ServerName, ToolName};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use gateway::service::Scope;
use rmcp::model::{
    ClientCapabilities, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProtocolVersion, ServerNotification, ServerRequest,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde_json::{Map, Value, json};
use upstream::{Event, PassFailure, Passing, Refused};

use super::covered::Covered;
use super::direct::Counted;
use super::{Mcp, caller};

/// How often one request is repeated for a server that has further questions.
const ROUNDS: usize = 8;

const INVALID_REQUEST: i32 = -32_600;
const METHOD_NOT_FOUND: i32 = -32_601;
pub(super) const INTERNAL: i32 = -32_603;

impl Mcp {
    /// Passes a request on and waits for its result.
    pub(super) async fn relay(
        &self,
        server: &ServerName,
        method: &'static str,
        params: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, PassFailure> {
        let reads = match method {
            "resources/read" => Some("$resource"),
            "prompts/get" => Some("$prompt"),
            "completion/complete" => Some("$completion"),
            _ => None,
        };
        self.is_permitted(server, reads, &params, context).await?;
        let owner = caller(context).owner;
        let tool = params.get("name").and_then(Value::as_str).filter(|_| method == "tools/call");
        let tool = tool.map(|tool| ToolName(tool.to_owned()));
        let tools = self.shared.service.tools();
        let cover = tools.cover(server, tool.as_ref(), &owner, "");
        let covered = Covered::new(cover, server, tool.clone());
        let mut params = covered.params(params).await?;
        let mut counted = tool.map(|tool| Counted::leaving(server, tool));
        for _ in 0..=ROUNDS {
            let passed = self.once(server, method, &params, &covered, context).await;
            if let Some(counted) = counted.as_mut().filter(|_| !context.ct.is_cancelled()) {
                counted.ended(&passed);
            }
            let value = covered.reply(passed).await?;
            if !asks(&value) || is_modern(context) {
                return Ok(value);
            }
            let answers = covered.given(answers(&value, context).await?).await?;
            params.insert("inputResponses".to_owned(), answers);
            params.remove("requestState");
            if let Some(state) = value.get("requestState") {
                params.insert("requestState".to_owned(), state.clone());
            }
        }
        let message = format!("the server asked for an answer more than {ROUNDS} times");
        Err(Refused { code: INTERNAL, message, data: None }.into())
    }

    /// Comes back when a caller may ask a server for something, of which rules speak as `what`.
    pub(super) async fn is_permitted(
        &self,
        server: &ServerName,
        what: Option<&str>,
        params: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), Refused> {
        let refused = |message| Refused { code: INVALID_REQUEST, message, data: None };
        let caller = caller(context);
        if !caller.may(Scope::Execute) {
            return Err(refused("this needs the scope execute".to_owned()));
        }
        let Some(what) = what else { return Ok(()) };
        self.shared.service.may_read(&caller, server, what, params).await.map_err(refused)
    }

    async fn once(
        &self,
        server: &ServerName,
        method: &'static str,
        params: &Map<String, Value>,
        covered: &Covered<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, PassFailure> {
        let (mut passing, mut heard) = Passing::new(method, params.clone());
        passing.meta.clone_from(&context.meta.0.0);
        passing.capabilities = capabilities(context);
        passing.log_level = self.log_level(context);
        let upstreams = self.shared.service.tools().upstreams();
        let passed = upstreams.pass(server, &passing);
        tokio::pin!(passed);
        let mut asked = FuturesUnordered::new();
        loop {
            tokio::select! {
                // In this order: what was said before the answer is heard before it.
                biased;
                Some(event) = heard.recv() => match event {
                    Event::Told { method, params } => {
                        // What cannot be looked through is not told.
                        if let Ok(params) = covered.told(params).await {
                            self.tell(method, params, context).await;
                        }
                    }
                    Event::Asked { method, params, answer } => asked.push(async move {
                        let answered = match covered.asked(params).await {
                            Ok(params) => ask(method, params, context).await,
                            Err(refused) => Err(refused),
                        };
                        let answered = match answered {
                            Ok(value) => covered.given(value).await,
                            refused => refused,
                        };
                        // Nobody may wait for it any more.
                        let _ = answer.send(answered);
                    }),
                },
                Some(()) = asked.next() => {}
                result = &mut passed => return result,
                // Dropping the request tells the server; the client no longer reads this.
                () = context.ct.cancelled() => {
                    let message = "the client cancelled this request".to_owned();
                    return Err(Refused { code: INVALID_REQUEST, message, data: None }.into());
                }
            }
        }
    }

    /// The least level of log messages that the client of this request wants.
    fn log_level(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        let level =
            if is_modern(context) { context.meta.log_level() } else { Some(self.client.level()) };
        serde_json::to_value(level?).ok()?.as_str().map(str::to_owned)
    }

    async fn tell(&self, method: &str, params: Value, context: &RequestContext<RoleServer>) {
        let told = match method {
            "notifications/progress" => progress(params, context).map(|params| {
                ServerNotification::ProgressNotification(rmcp::model::Notification::new(params))
            }),
            _ => self.log(params, context).map(|params| {
                let log = rmcp::model::Notification::new(params);
                ServerNotification::LoggingMessageNotification(log)
            }),
        };
        if let Some(told) = told {
            // A client that has gone will not miss it.
            let _ = context.peer.send_notification(told).await;
        }
    }

    fn log(
        &self,
        params: Value,
        context: &RequestContext<RoleServer>,
    ) -> Option<LoggingMessageNotificationParam> {
        let log: LoggingMessageNotificationParam = serde_json::from_value(params).ok()?;
        let least =
            if is_modern(context) { context.meta.log_level()? } else { self.client.level() };
        (log.level as u8 >= least as u8).then_some(log)
    }
}

fn progress(
    mut params: Value,
    context: &RequestContext<RoleServer>,
) -> Option<ProgressNotificationParam> {
    params["progressToken"] = serde_json::to_value(context.meta.get_progress_token()?).ok()?;
    serde_json::from_value(params).ok()
}

/// Whether the client speaks the revision in which servers cannot ask while a request is under way.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// What this client can be asked for. Nothing that we do not pass on.
fn capabilities(context: &RequestContext<RoleServer>) -> Value {
    let all = context.client_capabilities().unwrap_or_default();
    let passed = [
        ("elicitation", json!(all.elicitation)),
        ("roots", json!(all.roots)),
        ("sampling", json!(all.sampling)),
    ];
    passed
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.to_owned(), value))
        .collect::<Map<String, Value>>()
        .into()
}

/// Asks the client of a request something, as the server behind us wants to know it.
pub(super) async fn ask(
    method: &'static str,
    params: Value,
    context: &RequestContext<RoleServer>,
) -> Result<Value, Refused> {
    let no = |code, message: String| Refused { code, message, data: None };
    if is_modern(context) {
        let text = "the client speaks 2026-07-28, in which it cannot be asked during a request";
        return Err(no(METHOD_NOT_FOUND, text.to_owned()));
    }
    if !can(method, &context.client_capabilities().unwrap_or_default()) {
        return Err(no(METHOD_NOT_FOUND, format!("the client does not know {method}")));
    }
    let request: ServerRequest =
        serde_json::from_value(json!({ "method": method, "params": params }))
            .map_err(|problem| no(INVALID_REQUEST, problem.to_string()))?;
    match context.peer.send_request(request).await {
        Ok(answer) => {
            serde_json::to_value(answer).map_err(|problem| no(INTERNAL, problem.to_string()))
        }
        Err(ServiceError::McpError(ErrorData { code, message, data, .. })) => {
            Err(Refused { code: code.0, message: message.into_owned(), data })
        }
        Err(problem) => Err(no(INTERNAL, format!("the client did not answer: {problem}"))),
    }
}

fn can(method: &str, client: &ClientCapabilities) -> bool {
    match method {
        "sampling/createMessage" => client.sampling.is_some(),
        "elicitation/create" => client.elicitation.is_some(),
        "roots/list" => client.roots.is_some(),
        _ => false,
    }
}

/// Whether a result is a question.
pub(super) fn asks(value: &Value) -> bool {
    value.get("resultType").and_then(Value::as_str) == Some("input_required")
}

/// An older client's answers to all questions of a server of the newest revision.
async fn answers(value: &Value, context: &RequestContext<RoleServer>) -> Result<Value, Refused> {
    let questions = value.get("inputRequests").and_then(Value::as_object);
    let mut answers = Map::new();
    for (key, question) in questions.into_iter().flatten() {
        let method = match question.get("method").and_then(Value::as_str) {
            Some("sampling/createMessage") => "sampling/createMessage",
            Some("elicitation/create") => "elicitation/create",
            Some("roots/list") => "roots/list",
            _ => {
                let message = "the server asked for something that no client knows".to_owned();
                return Err(Refused { code: METHOD_NOT_FOUND, message, data: None });
            }
        };
        let params = question.get("params").cloned().unwrap_or_else(|| json!({}));
        answers.insert(key.clone(), ask(method, params, context).await?);
    }
    Ok(answers.into())
}

/// Parameters as they go on: without what belongs to this connection.
pub(super) fn params(given: &impl Serialize) -> Map<String, Value> {
    let Ok(Value::Object(mut params)) = serde_json::to_value(given) else { return Map::new() };
    params.remove("_meta");
    params
}

/// A failure as an error of the protocol: a server's own as it came.
pub(super) fn error(failure: PassFailure) -> ErrorData {
    match failure {
        PassFailure::Refused(no) => {
            ErrorData::new(rmcp::model::ErrorCode(no.code), no.message, no.data)
        }
        failure => ErrorData::internal_error(failure.to_string(), None),
    }
}

/// A result in the type that the protocol has for it. Absent, its kind is "complete".
pub(super) fn read<T: serde::de::DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    if let Value::Object(fields) = &mut value {
        fields.entry("resultType").or_insert_with(|| "complete".into());
    }
    serde_json::from_value(value).map_err(|problem| {
        ErrorData::internal_error(format!("the server's answer is not readable: {problem}"), None)
    })
}
