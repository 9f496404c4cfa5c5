//! Chat completions: what requests must be, and how a reply is streamed.

use http::request::Parts;
use serde_json::{Value, json};

use crate::look::{Complaints, items};
use crate::turn::{Piece, Turn, event, torn};
use crate::{KEY, MODEL};

pub(crate) fn look(parts: &Parts, body: &Value, wrong: &mut Complaints) {
    wrong.path(parts, "/v1/chat/completions");
    wrong.header(parts, "authorization", &format!("Bearer {KEY}"));
    wrong.unless(body["model"] == MODEL, || format!("there is no model {}", body["model"]));
    wrong.unless(body["stream"] == true, || "`stream` is not true".to_owned());
    let usage = &body["stream_options"]["include_usage"];
    wrong.unless(usage == true, || "nobody asks what was used".to_owned());
    let most = body.get("max_completion_tokens").or_else(|| body.get("max_tokens"));
    let most = most.and_then(Value::as_u64);
    wrong.unless(most.is_some_and(|most| most > 0), || "there is no limit of tokens".to_owned());
    for tool in items(&body["tools"]) {
        wrong.unless(tool["type"] == "function", || format!("{tool} is no function"));
        let function = &tool["function"];
        wrong.tool(&function["name"], &function["description"], &function["parameters"]);
    }
    order(items(&body["messages"]), wrong);
}

fn order(messages: &[Value], wrong: &mut Complaints) {
    wrong.unless(!messages.is_empty(), || "there are no messages".to_owned());
    let mut open: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let place = format!("messages[{at}] ({role})");
        if role != "tool" {
            wrong.unless(open.is_empty(), || format!("{place}: calls {open:?} have no results"));
            open.clear();
        }
        match role {
            "system" => wrong.unless(at == 0, || format!("{place} is not the first")),
            "user" => wrong.text(&message["content"], &place),
            "assistant" => {
                for call in items(&message["tool_calls"]) {
                    wrong.text(&call["id"], &format!("{place}: the name of a call"));
                    let arguments = call["function"]["arguments"].is_string();
                    wrong.unless(arguments, || format!("{place}: arguments are no text"));
                    open.push(call["id"].as_str().unwrap_or_default().to_owned());
                }
                if open.is_empty() {
                    wrong.text(&message["content"], &place);
                }
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                let known = open.iter().position(|one| one == id);
                wrong.unless(known.is_some(), || format!("{place}: nobody called {id:?}"));
                if let Some(known) = known {
                    open.remove(known);
                }
                wrong.unless(message["content"].is_string(), || format!("{place} has no text"));
            }
            _ => wrong.unless(false, || format!("{place} has no role that there is")),
        }
    }
    wrong.unless(open.is_empty(), || format!("calls {open:?} have no results"));
    let last = messages.last().map_or(&Value::Null, |last| &last["role"]);
    wrong.unless(last == "user" || last == "tool", || format!("the last message is of {last}"));
}

pub(crate) fn pieces(turn: &Turn) -> Vec<Piece> {
    let chunk = |delta: Value, reason: Option<&str>| {
        event(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": MODEL,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] }))
    };
    let mut all = vec![chunk(json!({ "role": "assistant", "content": "" }), None)];
    match turn {
        Turn::Nonsense => return vec![Piece::Text("data: {\"choices\": [}\n\n".to_owned())],
        Turn::Flood => return vec![Piece::Text("data: ".to_owned()), Piece::Flood],
        Turn::Refuse(words) => {
            all.extend(torn(words).iter().map(|part| chunk(json!({ "refusal": part }), None)));
        }
        Turn::Fail(words) => {
            all.push(event(&json!({ "error": { "message": words, "type": "server_error" } })));
            return all;
        }
        turn => {
            let parts = torn(turn.words());
            all.extend(parts.iter().map(|part| chunk(json!({ "content": part }), None)));
        }
    }
    if let Some(rest) = turn.breaks() {
        all.extend(rest);
        return all;
    }
    let calls = turn.calls();
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let begun = json!({ "index": index, "id": format!("call_{index}x"), "type": "function",
            "function": { "name": name, "arguments": "" } });
        all.push(chunk(json!({ "tool_calls": [begun] }), None));
        for part in torn(arguments) {
            let more = json!({ "index": index, "function": { "arguments": part } });
            all.push(chunk(json!({ "tool_calls": [more] }), None));
        }
    }
    let reason = match turn {
        Turn::Length(_) => "length",
        _ if calls.is_empty() => "stop",
        _ => "tool_calls",
    };
    all.push(chunk(json!({}), Some(reason)));
    all.push(event(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 } })));
    all.push(Piece::Text("data: [DONE]\n\n".to_owned()));
    all
}
