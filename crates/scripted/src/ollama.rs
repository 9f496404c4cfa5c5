//! `/api/chat`: what requests must be, and how a reply is streamed.

use http::request::Parts;
use serde_json::{Value, json};

use crate::MODEL;
use crate::look::{Complaints, items};
use crate::turn::{Piece, Turn, torn};

pub(crate) fn look(parts: &Parts, body: &Value, wrong: &mut Complaints) {
    wrong.path(parts, "/api/chat");
    wrong.unless(body["model"] == MODEL, || format!("there is no model {}", body["model"]));
    wrong.unless(body["stream"] == true, || "`stream` is not true".to_owned());
    for tool in items(&body["tools"]) {
        let function = &tool["function"];
        wrong.tool(&function["name"], &function["description"], &function["parameters"]);
    }
    let messages = items(&body["messages"]);
    let mut called = 0;
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let place = format!("messages[{at}] ({role})");
        wrong.unless(message["content"].is_string(), || format!("{place} has no text"));
        match role {
            "system" => wrong.unless(at == 0, || format!("{place} is not the first")),
            "user" => wrong.text(&message["content"], &place),
            "assistant" => {
                for call in items(&message["tool_calls"]) {
                    let given = call["function"]["arguments"].is_object();
                    wrong.unless(given, || format!("{place}: arguments are no object"));
                    called += 1;
                }
            }
            "tool" => {
                wrong.unless(called > 0, || format!("{place}: nothing was called"));
                wrong.text(&message["tool_name"], &place);
                called -= i64::from(called > 0);
            }
            _ => wrong.unless(false, || format!("{place} has no role that there is")),
        }
    }
    wrong.unless(called == 0, || format!("{called} calls have no results"));
    let last = messages.last().map_or(&Value::Null, |last| &last["role"]);
    wrong.unless(last == "user" || last == "tool", || format!("the last message is of {last}"));
}

pub(crate) fn pieces(turn: &Turn) -> Vec<Piece> {
    let line = |value: &Value| Piece::Text(format!("{value}\n"));
    let said = |message: Value| line(&json!({ "model": MODEL, "message": message, "done": false }));
    let mut all = Vec::new();
    match turn {
        Turn::Nonsense => return vec![Piece::Text("{\"message\": \n".to_owned())],
        Turn::Flood => return vec![Piece::Flood],
        Turn::Fail(words) => return vec![line(&json!({ "error": words }))],
        _ => {}
    }
    let parts = torn(turn.words());
    all.extend(parts.iter().map(|part| said(json!({ "role": "assistant", "content": part }))));
    if let Some(rest) = turn.breaks() {
        all.extend(rest);
        return all;
    }
    for (name, arguments) in turn.calls() {
        // In this format arguments come whole.
        let given: Value = serde_json::from_str(&arguments).unwrap_or_default();
        let call = json!({ "function": { "name": name, "arguments": given } });
        all.push(said(json!({ "role": "assistant", "content": "", "tool_calls": [call] })));
    }
    let reason = if matches!(turn, Turn::Length(_)) { "length" } else { "stop" };
    all.push(line(&json!({ "model": MODEL, "message": { "role": "assistant", "content": "" },
        "done": true, "done_reason": reason, "prompt_eval_count": 100, "eval_count": 20 })));
    all
}
