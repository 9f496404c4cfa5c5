//! What servers send, in our types.
//!
//! Nothing is refused for being unusual: a part of an unknown kind is passed on as it came, and
//! an answer that is no object at all becomes a structured result.

use catalog::{Annotations, Tool, ToolName};
use serde_json::{Map, Value};

use crate::digits;
use crate::result::{Part, Prompt, PromptMessage, Resource, ToolResult};

/// The longest name of a tool that is taken seriously.
const NAME_BYTES: usize = 1 << 10;

/// The answer to a call.
pub(super) fn tool_result(mut value: Value) -> ToolResult {
    let digits = digits::take(&mut value);
    let Value::Object(mut fields) = value else {
        return ToolResult { structured: Some(value), ..ToolResult::default() };
    };
    let content = match fields.remove("content") {
        Some(Value::Array(parts)) => parts.into_iter().map(part).collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(single) => vec![part(single)],
    };
    let is_error = fields.get("isError").and_then(Value::as_bool).unwrap_or_default();
    if let Some(text) = digits.filter(|_| !is_error) {
        // Text beside structured content says the same again.
        let others = content.into_iter().filter(|part| !matches!(part, Part::Text { .. }));
        let content = std::iter::once(Part::Text { text }).chain(others).collect();
        return ToolResult { structured: None, content, is_error };
    }
    // Beside other parts, null is nothing; alone it is the value.
    let structured = fields.remove("structuredContent");
    let structured = structured.filter(|value| !value.is_null() || content.is_empty());
    ToolResult { structured, content, is_error }
}

/// One part of an answer.
pub(super) fn part(value: Value) -> Part {
    let Value::Object(mut fields) = value else {
        return match value {
            Value::String(text) => Part::Text { text },
            value => Part::Other { value },
        };
    };
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let known = match kind.as_str() {
        "text" => text(&mut fields, "text").map(|text| Part::Text { text }),
        "image" | "audio" => media(&mut fields, &kind),
        "resource" => embedded(&mut fields),
        "resource_link" => link(&mut fields),
        _ => None,
    };
    known.unwrap_or(Part::Other { value: Value::Object(fields) })
}

fn media(fields: &mut Map<String, Value>, kind: &str) -> Option<Part> {
    let data = text(fields, "data")?;
    let media_type =
        text(fields, "mimeType").unwrap_or_else(|| "application/octet-stream".to_owned());
    Some(if kind == "image" {
        Part::Image { data, media_type }
    } else {
        Part::Audio { data, media_type }
    })
}

fn embedded(fields: &mut Map<String, Value>) -> Option<Part> {
    fields.get("resource").filter(|inner| inner.get("uri").is_some_and(Value::is_string))?;
    resource(fields.remove("resource")?).map(Part::Resource)
}

fn link(fields: &mut Map<String, Value>) -> Option<Part> {
    let uri = text(fields, "uri")?;
    let name = text(fields, "name").unwrap_or_else(|| uri.clone());
    Some(Part::Link {
        name,
        description: text(fields, "description"),
        media_type: text(fields, "mimeType"),
        uri,
    })
}

/// Takes a text out of an object, and leaves anything else in it.
fn text(fields: &mut Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key).filter(|value| value.is_string())?;
    match fields.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// The content of a resource; nothing if it has no address.
pub(super) fn resource(value: Value) -> Option<Resource> {
    let Value::Object(mut fields) = value else { return None };
    Some(Resource {
        uri: text(&mut fields, "uri")?,
        media_type: text(&mut fields, "mimeType"),
        text: text(&mut fields, "text"),
        blob: text(&mut fields, "blob"),
    })
}

/// What an answer says that is not what was asked for: its texts, or all of it.
pub(super) fn said(value: &Value) -> String {
    let parts = value.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| part.get("text")?.as_str()).collect();
    let one = ["text", "message", "error"].iter().find_map(|key| value.get(key)?.as_str());
    match one {
        _ if !texts.is_empty() => texts.join("\n"),
        Some(one) => one.to_owned(),
        None => value.to_string(),
    }
}

/// A prompt, filled in.
pub(super) fn prompt(mut value: Value) -> Prompt {
    let messages = match value.get_mut("messages").map(Value::take) {
        Some(Value::Array(messages)) => messages.into_iter().map(prompt_message).collect(),
        _ => Vec::new(),
    };
    let description = value.get("description").and_then(Value::as_str).map(str::to_owned);
    Prompt { description, messages }
}

fn prompt_message(mut value: Value) -> PromptMessage {
    let role = value.get("role").and_then(Value::as_str).unwrap_or("user").to_owned();
    let content = part(value.get_mut("content").map(Value::take).unwrap_or_default());
    PromptMessage { role, content }
}

/// A tool as a server lists it, read as leniently as can be.
///
/// # Errors
/// What is wrong with it, where it cannot be one.
pub fn tool(value: Value) -> Result<Tool, String> {
    let Value::Object(mut fields) = value else {
        return Err("a tool that is no object".to_owned());
    };
    let name =
        text(&mut fields, "name").filter(|name| !name.is_empty()).ok_or("a tool without a name")?;
    if name.len() > NAME_BYTES {
        return Err(format!("a tool with a name of {} bytes", name.len()));
    }
    let annotations = fields.remove("annotations").unwrap_or_default();
    Ok(Tool {
        name: ToolName(name),
        title: text(&mut fields, "title"),
        description: text(&mut fields, "description"),
        input_schema: fields.remove("inputSchema").unwrap_or_default(),
        output_schema: fields.remove("outputSchema").filter(|schema| !schema.is_null()),
        annotations: Annotations {
            title: annotations.get("title").and_then(Value::as_str).map(str::to_owned),
            read_only_hint: annotations.get("readOnlyHint").and_then(Value::as_bool),
            destructive_hint: annotations.get("destructiveHint").and_then(Value::as_bool),
            idempotent_hint: annotations.get("idempotentHint").and_then(Value::as_bool),
            open_world_hint: annotations.get("openWorldHint").and_then(Value::as_bool),
        },
    })
}

/// What a server wants before it goes on, in words, if that is what it answered.
pub(super) fn wanted(value: &Value) -> Option<String> {
    if value.get("resultType")?.as_str()? != "input_required" {
        return None;
    }
    let methods = value.get("inputRequests").and_then(Value::as_object).into_iter().flatten();
    let mut words: Vec<&str> =
        methods.filter_map(|(_, request)| request.get("method")?.as_str()).map(in_words).collect();
    words.sort_unstable();
    words.dedup();
    Some(if words.is_empty() {
        "something it does not name".to_owned()
    } else {
        words.join(" and ")
    })
}

fn in_words(method: &str) -> &str {
    match method {
        "elicitation/create" => "a choice of the user (elicitation)",
        "sampling/createMessage" => "an answer of a model (sampling)",
        "roots/list" => "the roots of a workspace (roots)",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_debug_snapshot;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_part_arrives_and_unknown_ones_as_they_came() {
        let result = tool_result(json!({
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image", "data": "aa", "mimeType": "image/png"},
                {"type": "audio", "data": "bb", "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "x://1", "text": "t"}},
                {"type": "resource_link", "uri": "x://2", "name": "n"},
                {"type": "hologram", "beams": 3},
                {"type": "text", "text": 5},
                "bare",
            ],
            "structuredContent": [1, null],
            "isError": true,
        }));
        assert_eq!(result.structured, Some(json!([1, null])));
        assert!(result.is_error);
        assert_debug_snapshot!(result.content, @r#"
        [
            Text {
                text: "a",
            },
            Image {
                data: "aa",
                media_type: "image/png",
            },
            Audio {
                data: "bb",
                media_type: "audio/wav",
            },
            Resource(
                Resource {
                    uri: "x://1",
                    media_type: None,
                    text: Some(
                        "t",
                    ),
                    blob: None,
                },
            ),
            Link {
                uri: "x://2",
                name: "n",
                description: None,
                media_type: None,
            },
            Other {
                value: Object {
                    "type": String("hologram"),
                    "beams": Number(3),
                },
            },
            Other {
                value: Object {
                    "type": String("text"),
                    "text": Number(5),
                },
            },
            Text {
                text: "bare",
            },
        ]
        "#);
    }

    #[test]
    fn integers_beyond_64_bits_arrive_as_the_text_they_were_written_in() {
        let text = r#"{"structuredContent": {"id": 100000000000000000000001}, "content": [
            {"type": "text", "text": "Found one."}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]}"#;
        let mut answer = serde_json::from_str(text).unwrap();
        digits::keep(&mut answer, text);
        let result = tool_result(answer);
        assert_eq!(result.structured, None);
        let picture = Part::Image { data: "AAAA".into(), media_type: "image/png".into() };
        let words = Part::Text { text: r#"{"id": 100000000000000000000001}"#.into() };
        assert_eq!(result.content, [words, picture]);
    }

    #[test]
    fn a_structured_null_is_not_the_same_as_none() {
        assert_eq!(tool_result(json!({"structuredContent": null})).structured, Some(Value::Null));
        assert_eq!(tool_result(json!({"content": []})).structured, None);
        let beside = json!({"content": ["x"], "structuredContent": null});
        assert_eq!(tool_result(beside).structured, None);
        assert_eq!(tool_result(json!("x")).structured, Some(json!("x")));
    }

    #[test]
    fn a_tool_is_not_lost_over_its_schema() {
        for schema in [json!(true), json!(null), json!("nonsense"), json!([1])] {
            let read = tool(json!({"name": "t", "inputSchema": schema, "annotations": 7})).unwrap();
            assert_eq!(read.input_schema, schema);
        }
        assert!(tool(json!({"inputSchema": {}})).is_err());
        assert!(tool(json!({"name": "x".repeat(5_000)})).is_err());
    }

    #[test]
    fn what_an_odd_answer_says_is_found() {
        let content =
            json!({"type": "error", "content": [{"type": "text", "text": "no such thing"}]});
        assert_eq!(said(&content), "no such thing");
        assert_eq!(said(&json!({"message": "no"})), "no");
        assert_eq!(said(&json!({"contents": null})), r#"{"contents":null}"#);
    }

    #[test]
    fn what_a_server_wants_is_said_in_words() {
        let value = json!({"resultType": "input_required", "inputRequests": {
            "1": {"method": "elicitation/create"}, "2": {"method": "roots/list"}, "3": {"method": "elicitation/create"},
        }});
        insta::assert_snapshot!(wanted(&value).unwrap(), @"a choice of the user (elicitation) and the roots of a workspace (roots)");
        assert_eq!(wanted(&json!({"resultType": "complete"})), None);
        assert_eq!(wanted(&json!({})), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let key = prop_oneof![
            Just("content"),
            Just("type"),
            Just("text"),
            Just("resource"),
            Just("uri"),
            Just("name"),
            Just("resultType"),
            Just("inputRequests"),
            Just("messages"),
            Just("structuredContent"),
            Just("annotations"),
            Just("method"),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            prop_oneof![
                Just("text"),
                Just("image"),
                Just("resource"),
                Just("input_required"),
                Just("x")
            ]
            .prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec((key.clone(), inner), 0..6).prop_map(|fields| fields
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(value in any_json()) {
            tool_result(value.clone());
            prompt(value.clone());
            let _ = tool(value.clone());
            let _ = wanted(&value);
            resource(value);
        }
    }
}
