//! `generateContent`: what requests must be, and how a reply is streamed.

use http::request::Parts;
use serde_json::{Value, json};

use crate::look::{Complaints, items};
use crate::turn::{Piece, Turn, event, torn};
use crate::{KEY, MODEL};

/// What must come back with a call.
const SIGNATURE: &str = "c2lnbmVk";

pub(crate) fn look(parts: &Parts, body: &Value, wrong: &mut Complaints) {
    wrong.path(parts, &format!("/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"));
    wrong.header(parts, "x-goog-api-key", KEY);
    wrong.text(&body["systemInstruction"]["parts"][0]["text"], "`systemInstruction`");
    let most = body["generationConfig"]["maxOutputTokens"].as_u64();
    wrong.unless(most.is_some_and(|most| most > 0), || "there is no limit of tokens".to_owned());
    for tool in items(&body["tools"][0]["functionDeclarations"]) {
        wrong.tool(&tool["name"], &tool["description"], &tool["parametersJsonSchema"]);
    }
    let contents = items(&body["contents"]);
    let mut open: Vec<String> = Vec::new();
    for (at, content) in contents.iter().enumerate() {
        let (role, place) = (if at % 2 == 0 { "user" } else { "model" }, format!("contents[{at}]"));
        wrong.unless(content["role"] == role, || format!("{place} is not of the {role}"));
        let parts = items(&content["parts"]);
        wrong.unless(!parts.is_empty(), || format!("{place} has no parts"));
        let answered = parts.iter().filter_map(|part| part["functionResponse"]["name"].as_str());
        let answered: Vec<&str> = answered.collect();
        wrong.unless(answered == open, || format!("{place} answers {answered:?}, not {open:?}"));
        open.clear();
        for part in parts {
            if let Some(call) = part.get("functionCall") {
                open.push(call["name"].as_str().unwrap_or_default().to_owned());
                let signed = part["thoughtSignature"] == SIGNATURE;
                wrong.unless(signed, || format!("{place}: a call has lost its signature"));
            } else if part.get("functionResponse").is_none() {
                wrong.text(&part["text"], &place);
            }
        }
    }
    wrong.unless(contents.len() % 2 == 1, || "the last content is the model's".to_owned());
}

pub(crate) fn pieces(turn: &Turn) -> Vec<Piece> {
    let response = |parts: Value, reason: Option<&str>| {
        let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
        if let Some(reason) = reason {
            candidate["finishReason"] = json!(reason);
        }
        event(&json!({ "candidates": [candidate], "modelVersion": MODEL,
            "usageMetadata": { "promptTokenCount": 100, "candidatesTokenCount": 15,
                "thoughtsTokenCount": 5 } }))
    };
    let mut all = vec![response(json!([{ "text": "hm", "thought": true }]), None)];
    match turn {
        Turn::Nonsense => return vec![Piece::Text("data: {\"candidates\"\n\n".to_owned())],
        Turn::Flood => return vec![Piece::Text("data: ".to_owned()), Piece::Flood],
        Turn::Refuse(_) => {
            return vec![event(&json!({ "promptFeedback": { "blockReason": "SAFETY" } }))];
        }
        Turn::Fail(words) => {
            all.push(event(&json!({ "error": { "code": 503, "message": words } })));
            return all;
        }
        _ => {}
    }
    let said = torn(turn.words());
    all.extend(said.iter().map(|part| response(json!([{ "text": part }]), None)));
    if let Some(rest) = turn.breaks() {
        all.extend(rest);
        return all;
    }
    for (name, arguments) in turn.calls() {
        // In this format arguments come whole.
        let given: Value = serde_json::from_str(&arguments).unwrap_or_default();
        let call = json!({ "functionCall": { "name": name, "args": given },
            "thoughtSignature": SIGNATURE });
        all.push(response(json!([call]), None));
    }
    let reason = if matches!(turn, Turn::Length(_)) { "MAX_TOKENS" } else { "STOP" };
    all.push(response(json!([{ "text": "" }]), Some(reason)));
    all
}
