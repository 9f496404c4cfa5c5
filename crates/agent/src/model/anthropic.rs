//! Anthropic's messages.

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::draft::Draft;
use super::frames::Framing;
use super::message::{Message, Prompt, Reply, Stop, ToolCall, ToolResult, ToolSpec};
use super::wire::{Call, Reader, Wire, WireError, below, count, hidden, json, sum, text};
use crate::settings::ModelSettings;

/// The version of the format that this is.
const VERSION: &str = "2023-06-01";
/// Errors that may be over the next time.
const PASSING: [&str; 4] = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error"];

pub(super) struct Anthropic;

impl Wire for Anthropic {
    fn call(&self, settings: &ModelSettings, model: &str, prompt: &Prompt) -> Result<Call, String> {
        let mut headers = HeaderMap::new();
        let version = HeaderName::from_static("anthropic-version");
        headers.insert(version, HeaderValue::from_static(VERSION));
        if let Some(key) = &settings.key {
            headers.insert(HeaderName::from_static("x-api-key"), hidden(key.reveal())?);
        }
        let messages: Vec<Value> = prompt.messages.iter().map(said).collect();
        let mut body = json!({
            "model": model,
            "max_tokens": prompt.reply_tokens,
            "system": prompt.system,
            "messages": messages,
            "stream": true,
        });
        if !prompt.tools.is_empty() {
            body["tools"] = prompt.tools.iter().map(tool).collect();
        }
        Ok(Call { url: below(&settings.url, "v1/messages"), headers, body })
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<Events>::default()
    }
}

fn tool(tool: &ToolSpec) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
}

fn said(message: &Message) -> Value {
    match message {
        Message::User(text) => {
            json!({ "role": "user", "content": [{ "type": "text", "text": text }] })
        }
        Message::Model { text, calls } => {
            let words = (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }));
            let content: Vec<Value> = words.into_iter().chain(calls.iter().map(called)).collect();
            json!({ "role": "assistant", "content": content })
        }
        Message::Results(results) => {
            let content: Vec<Value> = results.iter().map(result).collect();
            json!({ "role": "user", "content": content })
        }
    }
}

fn called(call: &ToolCall) -> Value {
    json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments })
}

fn result(result: &ToolResult) -> Value {
    json!({ "type": "tool_result", "tool_use_id": result.id, "content": result.text,
        "is_error": result.failed })
}

#[derive(Default)]
struct Events {
    draft: Draft,
}

impl Reader for Events {
    fn take(&mut self, frame: &str, told: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        let event = json(frame)?;
        let index = count(&event["index"]);
        match text(&event["type"]) {
            "message_start" => {
                let usage = &event["message"]["usage"];
                let parts =
                    ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
                self.draft.usage().input = sum(parts.map(|part| count(&usage[part])));
                self.draft.usage().output = count(&usage["output_tokens"]);
            }
            "content_block_start" => {
                let block = &event["content_block"];
                match text(&block["type"]) {
                    "tool_use" => {
                        let call = self.draft.call(index)?;
                        text(&block["id"]).clone_into(&mut call.id);
                        text(&block["name"]).clone_into(&mut call.name);
                    }
                    "text" => self.draft.say(text(&block["text"]), told),
                    _ => {}
                }
            }
            "content_block_delta" => {
                let delta = &event["delta"];
                match text(&delta["type"]) {
                    "text_delta" => self.draft.say(text(&delta["text"]), told),
                    "input_json_delta" => {
                        self.draft.argue(index, text(&delta["partial_json"]))?;
                    }
                    _ => {}
                }
            }
            "message_delta" => {
                if let Some(output) = event["usage"]["output_tokens"].as_u64() {
                    self.draft.usage().output = output;
                }
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.draft.stop = Some(match reason {
                        "tool_use" => Stop::Tools,
                        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
                        "refusal" => Stop::Refused,
                        _ => Stop::End,
                    });
                }
            }
            "message_stop" => self.draft.whole = true,
            "error" => {
                let error = &event["error"];
                let passes = PASSING.contains(&text(&error["type"]));
                let words = error["message"].as_str().unwrap_or("no more is known").to_owned();
                return Err(WireError::Told { words, passes });
            }
            // The format says that there will be events that nobody knows yet.
            _ => {}
        }
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.draft.whole
    }

    fn reply(self: Box<Self>) -> Result<Reply, WireError> {
        self.draft.reply()
    }
}
