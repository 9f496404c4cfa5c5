//! `OpenAI`'s chat completions, and whoever else speaks them.

use http::{HeaderMap, header};
use serde_json::{Value, json};

use super::draft::Draft;
use super::frames::Framing;
use super::message::{Message, Prompt, Reply, Stop, ToolCall, ToolSpec};
use super::wire::{Call, Reader, Wire, WireError, below, count, hidden, json, text};
use crate::settings::{ModelSettings, ProviderName};

/// What the last event says.
const DONE: &str = "[DONE]";

pub(super) struct OpenAi;

impl Wire for OpenAi {
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
            "stream_options": { "include_usage": true },
        });
        // Others know only the older name, and `OpenAI`'s newer models only the newer one.
        let most = match settings.provider {
            ProviderName::OpenAi => "max_completion_tokens",
            _ => "max_tokens",
        };
        body[most] = json!(prompt.reply_tokens);
        if !prompt.tools.is_empty() {
            body["tools"] = prompt.tools.iter().map(tool).collect();
        }
        Ok(Call { url: below(&settings.url, "chat/completions"), headers, body })
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<Chunks>::default()
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
                said["tool_calls"] = calls.iter().map(called).collect();
            }
            all.push(said);
        }
        Message::Results(results) => all.extend(results.iter().map(
            |result| json!({ "role": "tool", "tool_call_id": result.id, "content": result.text }),
        )),
    }
}

fn called(call: &ToolCall) -> Value {
    let arguments = call.broken.clone().unwrap_or_else(|| call.arguments.to_string());
    json!({ "id": call.id, "type": "function",
        "function": { "name": call.name, "arguments": arguments } })
}

#[derive(Default)]
struct Chunks {
    draft: Draft,
    refusal: String,
}

impl Reader for Chunks {
    fn take(&mut self, frame: &str, told: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        if frame.trim() == DONE {
            self.draft.whole = true;
            return Ok(());
        }
        let chunk = json(frame)?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            let words = error["message"].as_str().or(error.as_str()).unwrap_or("no more is known");
            return Err(WireError::Told { words: words.to_owned(), passes: true });
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.draft.usage().input = count(&usage["prompt_tokens"]);
            self.draft.usage().output = count(&usage["completion_tokens"]);
        }
        let choice = &chunk["choices"][0];
        // Some reply all at once, whatever they are asked for.
        let part = if choice["message"].is_object() { "message" } else { "delta" };
        let delta = &choice[part];
        self.draft.say(text(&delta["content"]), told);
        self.refusal.push_str(text(&delta["refusal"]));
        for (at, call) in delta["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let index = call["index"].as_u64().unwrap_or(at as u64);
            let begun = self.draft.call(index)?;
            for (part, into) in
                [(&call["id"], &mut begun.id), (&call["function"]["name"], &mut begun.name)]
            {
                if into.is_empty() {
                    text(part).clone_into(into);
                }
            }
            self.draft.argue(index, text(&call["function"]["arguments"]))?;
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.draft.stop = Some(match reason {
                "length" => Stop::Length,
                "content_filter" => Stop::Refused,
                _ if self.draft.has_calls() => Stop::Tools,
                _ => Stop::End,
            });
        }
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.draft.whole
    }

    fn reply(mut self: Box<Self>) -> Result<Reply, WireError> {
        if !self.refusal.is_empty() {
            self.draft.stop = Some(Stop::Refused);
            self.draft.text = self.refusal;
        }
        // Some who speak this format never say that they are done, and end after the reason.
        self.draft.whole |= self.draft.stop.is_some();
        self.draft.reply()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_that_comes_all_at_once_is_one() {
        let call = json!({ "id": "c1", "type": "function", "function": { "name": "lookup", "arguments": "{\"a\":1}" } });
        let message = json!({ "role": "assistant", "content": "Well.", "tool_calls": [call] });
        let whole = json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
            "usage": { "prompt_tokens": 7, "completion_tokens": 3 } });
        let mut reader = Box::<Chunks>::default();
        reader.take(&whole.to_string(), &mut |_| {}).unwrap();
        let reply = reader.reply().unwrap();
        assert_eq!((reply.text.as_str(), reply.stop, reply.usage.input), ("Well.", Stop::Tools, 7));
        assert_eq!(reply.calls[0].arguments, json!({ "a": 1 }));
    }
}
