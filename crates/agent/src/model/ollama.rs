//! Ollama's chat.

use http::{HeaderMap, header};
use serde_json::{Value, json};

use super::draft::Draft;
use super::frames::Framing;
use super::message::{Message, Prompt, Reply, Stop, ToolCall, ToolSpec};
use super::wire::{Call, Reader, Wire, WireError, below, count, hidden, json, text};
use crate::settings::ModelSettings;

pub(super) struct Ollama;

impl Wire for Ollama {
    fn call(&self, settings: &ModelSettings, model: &str, prompt: &Prompt) -> Result<Call, String> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &settings.key {
            headers.insert(header::AUTHORIZATION, hidden(&format!("Bearer {}", key.reveal()))?);
        }
        let mut messages = vec![json!({ "role": "system", "content": prompt.system })];
        prompt.messages.iter().for_each(|message| said(message, &mut messages));
        let mut body = json!({
            "model": model,
            "messages": messages,
            "stream": true,
            "options": { "num_predict": prompt.reply_tokens },
        });
        if !prompt.tools.is_empty() {
            body["tools"] = prompt.tools.iter().map(tool).collect();
        }
        Ok(Call { url: below(&settings.url, "api/chat"), headers, body })
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<Lines>::default()
    }
}

fn tool(tool: &ToolSpec) -> Value {
    json!({ "type": "function", "function": {
        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
    } })
}

fn said(message: &Message, all: &mut Vec<Value>) {
    match message {
        Message::User(text) => all.push(json!({ "role": "user", "content": text })),
        Message::Model { text, calls } => {
            let mut said = json!({ "role": "assistant", "content": text });
            if !calls.is_empty() {
                let called = |call: &ToolCall| json!({ "function": { "name": call.name, "arguments": call.arguments } });
                said["tool_calls"] = calls.iter().map(called).collect();
            }
            all.push(said);
        }
        Message::Results(results) => all.extend(results.iter().map(
            |result| json!({ "role": "tool", "tool_name": result.name, "content": result.text }),
        )),
    }
}

#[derive(Default)]
struct Lines {
    draft: Draft,
}

impl Reader for Lines {
    fn take(&mut self, frame: &str, told: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        let line = json(frame)?;
        if let Some(words) = line["error"].as_str().or(line["error"]["message"].as_str()) {
            return Err(WireError::Told { words: words.to_owned(), passes: true });
        }
        let message = &line["message"];
        self.draft.say(text(&message["content"]), told);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let called = &call["function"];
            self.draft.whole_call(ToolCall {
                id: text(&call["id"]).to_owned(),
                name: text(&called["name"]).to_owned(),
                arguments: called.get("arguments").cloned().unwrap_or_else(|| json!({})),
                ..ToolCall::default()
            })?;
        }
        if line["done"] == true {
            self.draft.whole = true;
            self.draft.stop = Some(match text(&line["done_reason"]) {
                "length" => Stop::Length,
                _ if self.draft.has_calls() => Stop::Tools,
                _ => Stop::End,
            });
            if line["eval_count"].is_u64() {
                self.draft.usage().input = count(&line["prompt_eval_count"]);
                self.draft.usage().output = count(&line["eval_count"]);
            }
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
