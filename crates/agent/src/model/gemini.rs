//! Google's `generateContent`, streamed.

use http::{HeaderMap, HeaderName};
use serde_json::{Value, json};

use super::draft::Draft;
use super::frames::Framing;
use super::message::{Message, Prompt, Reply, Stop, ToolCall, ToolResult, ToolSpec};
use super::wire::{Call, Reader, Wire, WireError, below, count, hidden, json, sum, text};
use crate::settings::ModelSettings;

pub(super) struct Gemini;

impl Wire for Gemini {
    fn call(&self, settings: &ModelSettings, model: &str, prompt: &Prompt) -> Result<Call, String> {
        let name = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
        if model.is_empty() || !model.chars().all(name) {
            return Err(format!("{model:?} is no name of a model; check `[ask] model`"));
        }
        let mut headers = HeaderMap::new();
        if let Some(key) = &settings.key {
            headers.insert(HeaderName::from_static("x-goog-api-key"), hidden(key.reveal())?);
        }
        let contents: Vec<Value> = prompt.messages.iter().map(said).collect();
        let mut body = json!({
            "systemInstruction": { "parts": [{ "text": prompt.system }] },
            "contents": contents,
            "generationConfig": { "maxOutputTokens": prompt.reply_tokens },
        });
        if !prompt.tools.is_empty() {
            let tools: Vec<Value> = prompt.tools.iter().map(tool).collect();
            body["tools"] = json!([{ "functionDeclarations": tools }]);
        }
        let path = format!("v1beta/models/{model}:streamGenerateContent");
        let mut url = below(&settings.url, &path);
        url.set_query(Some("alt=sse"));
        Ok(Call { url, headers, body })
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<Responses>::default()
    }
}

fn tool(tool: &ToolSpec) -> Value {
    json!({ "name": tool.name, "description": tool.description,
        "parametersJsonSchema": tool.parameters })
}

fn said(message: &Message) -> Value {
    match message {
        Message::User(text) => json!({ "role": "user", "parts": [{ "text": text }] }),
        Message::Model { text, calls } => {
            let words = (!text.is_empty()).then(|| json!({ "text": text }));
            let parts: Vec<Value> = words.into_iter().chain(calls.iter().map(called)).collect();
            json!({ "role": "model", "parts": parts })
        }
        Message::Results(results) => {
            let parts: Vec<Value> = results.iter().map(result).collect();
            json!({ "role": "user", "parts": parts })
        }
    }
}

fn called(call: &ToolCall) -> Value {
    let mut part = json!({ "functionCall": { "name": call.name, "args": call.arguments } });
    if let Some(signature) = &call.signature {
        part["thoughtSignature"] = json!(signature);
    }
    part
}

fn result(result: &ToolResult) -> Value {
    let key = if result.failed { "error" } else { "output" };
    json!({ "functionResponse": { "name": result.name, "response": { key: result.text } } })
}

#[derive(Default)]
struct Responses {
    draft: Draft,
}

impl Reader for Responses {
    fn take(&mut self, frame: &str, told: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        let response = json(frame)?;
        if let Some(error) = response.get("error").filter(|error| error.is_object()) {
            let passes = matches!(count(&error["code"]), 429 | 500..=599);
            let words = error["message"].as_str().unwrap_or("no more is known").to_owned();
            return Err(WireError::Told { words, passes });
        }
        if let Some(reason) = response["promptFeedback"]["blockReason"].as_str() {
            self.draft.stop = Some(Stop::Refused);
            self.draft.whole = true;
            self.draft.text = format!("the question was blocked ({reason})");
        }
        let usage = &response["usageMetadata"];
        if usage.is_object() {
            self.draft.usage().input = count(&usage["promptTokenCount"]);
            self.draft.usage().output =
                sum(["candidatesTokenCount", "thoughtsTokenCount"].map(|part| count(&usage[part])));
        }
        let candidate = &response["candidates"][0];
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            if part["functionCall"].is_object() {
                let called = &part["functionCall"];
                self.draft.whole_call(ToolCall {
                    id: text(&called["id"]).to_owned(),
                    name: text(&called["name"]).to_owned(),
                    arguments: called.get("args").cloned().unwrap_or_else(|| json!({})),
                    broken: None,
                    signature: part["thoughtSignature"].as_str().map(str::to_owned),
                })?;
            } else if part["thought"] != true {
                self.draft.say(text(&part["text"]), told);
            }
        }
        if let Some(reason) = candidate["finishReason"].as_str() {
            self.draft.whole = true;
            self.draft.stop = Some(match reason {
                "MAX_TOKENS" => Stop::Length,
                "STOP" if self.draft.has_calls() => Stop::Tools,
                "STOP" => Stop::End,
                "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => {
                    let words = format!("the model's call cannot be read ({reason})");
                    return Err(WireError::Told { words, passes: true });
                }
                _ => Stop::Refused,
            });
        }
        Ok(())
    }

    fn is_whole(&self) -> bool {
        // What was used may come after the reason.
        false
    }

    fn reply(self: Box<Self>) -> Result<Reply, WireError> {
        self.draft.reply()
    }
}
