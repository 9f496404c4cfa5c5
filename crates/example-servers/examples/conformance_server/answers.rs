//! What needs nobody's answer: texts, pictures, resources, progress.
#![expect(deprecated, reason = "older revisions log")]

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, GetPromptRequestParams, GetPromptResult, ListResourceTemplatesResult,
    ListResourcesResult, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
    ReadResourceResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::asks::is_modern;
use super::typed;

/// One red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of no length.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
/// Between two things that a client should hear one after the other.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn listed<T: DeserializeOwned>(text: &str) -> Result<T, ErrorData> {
    serde_json::from_str(text)
        .map_err(|problem| ErrorData::internal_error(problem.to_string(), None))
}

/// An argument that is text.
pub(super) fn text(request: &CallToolRequestParams, name: &str) -> String {
    let given = request.arguments.as_ref().and_then(|arguments| arguments.get(name)?.as_str());
    given.unwrap_or_default().to_owned()
}

/// What a tool always returns.
pub(super) fn tool(name: &str) -> Option<Value> {
    let picture = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
    let content = match name {
        "test_simple_text" => {
            json!([{ "type": "text", "text": "This is a simple text response for testing." }])
        }
        "test_image_content" => json!([picture]),
        "test_audio_content" => json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => json!([{ "type": "resource", "resource": {
            "uri": "test://embedded-resource", "mimeType": "text/plain",
            "text": "This is an embedded resource content.",
        }}]),
        "test_multiple_content_types" => json!([
            { "type": "text", "text": "Multiple content types test:" },
            picture,
            { "type": "resource", "resource": {
                "uri": "test://mixed-content-resource", "mimeType": "application/json",
                "text": r#"{"test":"data","value":123}"#,
            }},
        ]),
        "test_error_handling" => {
            let text = "This tool intentionally returns an error for testing";
            return Some(json!({ "isError": true, "content": [{ "type": "text", "text": text }] }));
        }
        "test_one_more" | "test_reconnection" | "json_schema_2020_12_tool" => {
            json!([{ "type": "text", "text": "ok" }])
        }
        _ => return None,
    };
    Some(json!({ "content": content }))
}

pub(super) async fn progress(context: &RequestContext<RoleServer>) -> Value {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, done).with_total(100.0);
            let _ = context.peer.notify_progress(progress).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
    json!({ "content": [{ "type": "text", "text": "progress was told" }] })
}

pub(super) async fn logging(context: &RequestContext<RoleServer>) -> Value {
    let wanted = !is_modern(context) || context.meta.log_level().is_some();
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        if wanted {
            let log = LoggingMessageNotificationParam::new(LoggingLevel::Info, text.into());
            let _ = context.peer.notify_logging_message(log).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
    json!({ "content": [{ "type": "text", "text": "logged" }] })
}

pub(super) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let given = |name: &str| {
        let arguments = request.arguments.as_ref();
        arguments.and_then(|all| all.get(name)).and_then(Value::as_str).unwrap_or_default()
    };
    let said = |text: &str| json!({ "type": "text", "text": text });
    let contents = match request.name.as_str() {
        "test_simple_prompt" => vec![said("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => vec![said(&format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            given("arg1"),
            given("arg2")
        ))],
        "test_prompt_with_embedded_resource" => vec![
            json!({ "type": "resource", "resource": {
                "uri": given("resourceUri"), "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            }}),
            said("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![
            json!({ "type": "image", "data": PNG, "mimeType": "image/png" }),
            said("Please analyze the image above."),
        ],
        name => {
            return Err(ErrorData::invalid_params(format!("there is no prompt {name:?}"), None));
        }
    };
    let messages: Vec<Value> =
        contents.iter().map(|content| json!({ "role": "user", "content": content })).collect();
    typed(json!({ "messages": messages }))
}

pub(super) fn resources() -> Result<ListResourcesResult, ErrorData> {
    typed(json!({ "resources": [
        { "uri": "test://static-text", "name": "text", "description": "A text.", "mimeType": "text/plain" },
        { "uri": "test://static-binary", "name": "picture", "description": "A picture.", "mimeType": "image/png" },
        { "uri": "test://watched-resource", "name": "watched", "description": "One to watch.", "mimeType": "text/plain" },
    ]}))
}

pub(super) fn templates() -> Result<ListResourceTemplatesResult, ErrorData> {
    typed(json!({ "resourceTemplates": [{
        "uriTemplate": "test://template/{id}/data", "name": "data",
        "description": "Data by number.", "mimeType": "application/json",
    }]}))
}

pub(super) fn resource(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let number = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let content = match (uri, number) {
        (_, Some(id)) => json!({ "uri": uri, "mimeType": "application/json", "text":
            json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") }).to_string() }),
        ("test://static-text", _) => json!({ "uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource." }),
        ("test://static-binary", _) => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        ("test://watched-resource", _) => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "watched" })
        }
        _ => {
            let data = json!({ "uri": uri });
            return Err(ErrorData::resource_not_found("Resource not found", Some(data)));
        }
    };
    typed(json!({ "contents": [content] }))
}
