//! Messages: what requests must be, and how a reply is streamed.

use http::request::Parts;
use serde_json::{Value, json};

use crate::look::{Complaints, items};
use crate::turn::{Piece, Turn, torn};
use crate::{KEY, MODEL};

pub(crate) fn look(parts: &Parts, body: &Value, wrong: &mut Complaints) {
    wrong.path(parts, "/v1/messages");
    wrong.header(parts, "x-api-key", KEY);
    wrong.header(parts, "anthropic-version", "2023-06-01");
    wrong.unless(body["model"] == MODEL, || format!("there is no model {}", body["model"]));
    wrong.unless(body["stream"] == true, || "`stream` is not true".to_owned());
    let most = body["max_tokens"].as_u64().is_some_and(|most| most > 0);
    wrong.unless(most, || "`max_tokens` is missing".to_owned());
    wrong.text(&body["system"], "`system`");
    for tool in items(&body["tools"]) {
        wrong.tool(&tool["name"], &tool["description"], &tool["input_schema"]);
    }
    let messages = items(&body["messages"]);
    let mut open: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        let place = format!("messages[{at}]");
        wrong.unless(message["role"] == role, || format!("{place} is not of the {role}"));
        let content = items(&message["content"]);
        wrong.unless(!content.is_empty(), || format!("{place} has no content"));
        let results: Vec<&str> =
            content.iter().filter_map(|block| block["tool_use_id"].as_str()).collect();
        wrong.unless(results == open, || format!("{place} has results {results:?} of {open:?}"));
        open.clear();
        for block in content {
            match block["type"].as_str().unwrap_or_default() {
                "text" => wrong.text(&block["text"], &place),
                "tool_use" => {
                    wrong.unless(block["input"].is_object(), || format!("{place}: no input"));
                    open.push(block["id"].as_str().unwrap_or_default().to_owned());
                }
                "tool_result" => {
                    wrong.unless(block["content"].is_string(), || format!("{place}: no text"));
                }
                kind => wrong.unless(false, || format!("{place}: there is no block {kind:?}")),
            }
        }
    }
    let last = messages.last().map_or(&Value::Null, |last| &last["role"]);
    wrong.unless(last == "user", || format!("the last message is of {last}"));
}

fn event(data: &Value) -> Piece {
    let name = data["type"].as_str().unwrap_or_default();
    Piece::Text(format!("event: {name}\ndata: {data}\n\n"))
}

pub(crate) fn pieces(turn: &Turn) -> Vec<Piece> {
    let usage = json!({ "input_tokens": 100, "output_tokens": 1 });
    let mut all = vec![
        event(&json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message",
            "role": "assistant", "content": [], "model": MODEL, "stop_reason": null,
            "usage": usage } })),
        event(&json!({ "type": "ping" })),
    ];
    match turn {
        Turn::Nonsense => return vec![Piece::Text("data: {\"type\": }\n\n".to_owned())],
        Turn::Flood => return vec![Piece::Text("data: ".to_owned()), Piece::Flood],
        Turn::Fail(words) => {
            let error = json!({ "type": "overloaded_error", "message": words });
            all.push(event(&json!({ "type": "error", "error": error })));
            return all;
        }
        _ => {}
    }
    let mut index = 0;
    if !turn.words().is_empty() {
        let block = json!({ "type": "text", "text": "" });
        all.push(event(
            &json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        ));
        for part in torn(turn.words()) {
            let delta = json!({ "type": "text_delta", "text": part });
            all.push(event(&json!({ "type": "content_block_delta", "index": 0, "delta": delta })));
        }
        if let Some(rest) = turn.breaks() {
            all.extend(rest);
            return all;
        }
        all.push(event(&json!({ "type": "content_block_stop", "index": 0 })));
        index = 1;
    }
    let calls = turn.calls();
    for (at, (name, arguments)) in calls.iter().enumerate() {
        let (index, id) = (index + at, format!("toolu_{at}"));
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        all.push(event(
            &json!({ "type": "content_block_start", "index": index, "content_block": block }),
        ));
        for part in torn(arguments) {
            let delta = json!({ "type": "input_json_delta", "partial_json": part });
            all.push(event(
                &json!({ "type": "content_block_delta", "index": index, "delta": delta }),
            ));
        }
        all.push(event(&json!({ "type": "content_block_stop", "index": index })));
    }
    let reason = match turn {
        Turn::Length(_) => "max_tokens",
        Turn::Refuse(_) => "refusal",
        _ if calls.is_empty() => "end_turn",
        _ => "tool_use",
    };
    all.push(event(&json!({ "type": "message_delta",
        "delta": { "stop_reason": reason, "stop_sequence": null },
        "usage": { "output_tokens": 20 } })));
    all.push(event(&json!({ "type": "message_stop" })));
    all
}
