//! What needs an answer of the client: by a request of ours in older revisions, by a result with
//! questions in the newest.

use std::collections::BTreeMap;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequiredResult,
    ProtocolVersion, ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};

use super::answers::text;
use super::{state, typed};

pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

type Answers = BTreeMap<String, Value>;
type Questions = Vec<(&'static str, Value)>;

fn elicit(message: &str, properties: &Value, required: &[&str]) -> Value {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } })
}

fn elicit_text(message: &str, field: &str) -> Value {
    elicit(message, &json!({ field: { "type": "string" } }), &[field])
}

fn sample(text: &str, tokens: u32) -> Value {
    json!({ "method": "sampling/createMessage", "params": {
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
        "maxTokens": tokens,
    }})
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

fn confirm() -> Questions {
    vec![("confirm", elicit("Please confirm", &json!({ "ok": { "type": "boolean" } }), &["ok"]))]
}

/// What each tool asks first.
fn questions(request: &CallToolRequestParams, client: &ClientCapabilities) -> Option<Questions> {
    let name = || ("user_name", elicit_text("What is your name?", "name"));
    Some(match &*request.name {
        "test_sampling" => vec![("answer", sample(&text(request, "prompt"), 100))],
        "test_elicitation" => {
            let fields = json!({
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            });
            vec![("answer", elicit(&text(request, "message"), &fields, &["username", "email"]))]
        }
        "test_elicitation_sep1034_defaults" => vec![("answer", defaults())],
        "test_elicitation_sep1330_enums" => vec![("answer", choices())],
        "test_roots" => vec![("answer", roots())],
        "test_streaming_elicitation" | "test_input_required_result_elicitation" => vec![name()],
        "test_input_required_result_sampling" => {
            vec![("capital_question", sample("What is the capital of France?", 100))]
        }
        "test_input_required_result_list_roots" => vec![("client_roots", roots())],
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => confirm(),
        "test_input_required_result_multiple_inputs" => {
            vec![name(), ("greeting", sample("Generate a greeting", 50)), ("client_roots", roots())]
        }
        "test_input_required_result_capabilities" => {
            let mut all = Vec::new();
            if client.elicitation.is_some() {
                all.push(name());
            }
            if client.sampling.is_some() {
                all.push(("greeting", sample("Generate a greeting", 50)));
            }
            all
        }
        _ => return None,
    })
}

fn defaults() -> Value {
    let fields = json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    });
    elicit("Please check these", &fields, &[])
}

fn choices() -> Value {
    let titled = |noun: &str| -> Vec<Value> {
        [("value1", "First"), ("value2", "Second"), ("value3", "Third")]
            .iter()
            .map(|(value, title)| json!({ "const": value, "title": format!("{title} {noun}") }))
            .collect()
    };
    let plain = json!(["option1", "option2", "option3"]);
    let fields = json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    });
    elicit("Please choose", &fields, &[])
}

/// Whether a tool gives its client something to be reminded of.
fn reminds(tool: &str) -> bool {
    ["_request_state", "_tampered_state", "_multiple_inputs"].iter().any(|end| tool.ends_with(end))
}

/// Calls a tool that asks something.
pub(super) async fn tool(
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let client = context.client_capabilities().unwrap_or_default();
    if request.name == "test_missing_capability" {
        if client.sampling.is_none() {
            let mut wanted = ClientCapabilities::default();
            wanted.sampling = Some(typed(json!({}))?);
            return Err(ErrorData::missing_required_client_capability(wanted));
        }
        return done("the client can sample");
    }
    if request.name == "test_input_required_result_multi_round" {
        return rounds(&request);
    }
    let Some(asked) = questions(&request, &client) else {
        let message = format!("there is no tool {:?}", request.name);
        return Err(ErrorData::invalid_params(message, None));
    };
    let answers = if is_modern(context) {
        let given = request.input_responses.unwrap_or_default();
        let reminder = reminds(&request.name).then(|| state::sealed(&request.name));
        if let Some(state) = &request.request_state
            && reminds(&request.name)
            && state::opened(state) != Some(&*request.name)
        {
            return Err(ErrorData::invalid_params("requestState was changed", None));
        }
        if !complete(&asked, &given) {
            return required(&asked, reminder).map(Into::into);
        }
        given
    } else {
        ask(asked, context).await?
    };
    let reminded = if reminds(&request.name) { "state-ok " } else { "" };
    done(&format!("{reminded}{}", json!(answers)))
}

/// Asks twice, with another reminder each time.
fn rounds(request: &CallToolRequestParams) -> Result<CallToolResponse, ErrorData> {
    let first = vec![("step1", elicit_text("Step 1: What is your name?", "name"))];
    let second = vec![("step2", elicit_text("Step 2: What is your favorite color?", "color"))];
    let given = request.input_responses.clone().unwrap_or_default();
    match request.request_state.as_deref().map(state::opened) {
        Some(None) => Err(ErrorData::invalid_params("requestState was changed", None)),
        Some(Some("2")) if complete(&second, &given) => done("both steps were answered"),
        Some(Some("1")) if complete(&first, &given) => {
            required(&second, Some(state::sealed("2"))).map(Into::into)
        }
        _ => required(&first, Some(state::sealed("1"))).map(Into::into),
    }
}

/// A prompt that asks something.
pub(super) async fn prompt(
    request: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let asked =
        vec![("user_context", elicit_text("What context should the prompt use?", "context"))];
    let answers = if is_modern(context) {
        let given = request.input_responses.unwrap_or_default();
        if !complete(&asked, &given) {
            return required(&asked, None).map(Into::into);
        }
        given
    } else {
        ask(asked, context).await?
    };
    let content = json!({ "type": "text", "text": json!(answers).to_string() });
    let result = json!({ "messages": [{ "role": "user", "content": content }] });
    typed::<GetPromptResult>(result).map(Into::into)
}

/// Asks a client of an older revision.
async fn ask(asked: Questions, context: &RequestContext<RoleServer>) -> Result<Answers, ErrorData> {
    let mut answers = Answers::new();
    for (key, question) in asked {
        let request: ServerRequest = typed(question)?;
        let answer = context.peer.send_request(request).await;
        let answer = answer.map_err(|no| ErrorData::internal_error(no.to_string(), None))?;
        answers.insert(key.to_owned(), json!(answer));
    }
    Ok(answers)
}

/// Whether every question has an answer that could be one.
fn complete(asked: &Questions, given: &Answers) -> bool {
    asked.iter().all(|(key, _)| given.get(*key).is_some_and(Value::is_object))
}

fn required(asked: &Questions, reminder: Option<String>) -> Result<InputRequiredResult, ErrorData> {
    let requests: Map<String, Value> =
        asked.iter().map(|(key, question)| ((*key).to_owned(), question.clone())).collect();
    let mut result = json!({ "resultType": "input_required", "inputRequests": requests });
    if let Some(reminder) = reminder {
        result["requestState"] = reminder.into();
    }
    typed(result)
}

fn done(text: &str) -> Result<CallToolResponse, ErrorData> {
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    typed::<CallToolResult>(result).map(Into::into)
}
