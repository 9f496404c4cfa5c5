//! Tools of the servers behind us, passed through unchanged.

use std::collections::HashMap;
use std::sync::Arc;

use catalog::{ServerName, ToolName};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde_json::{Map, Value, json};
use upstream::{Part, ToolResult};

use super::execute::failed;
use super::{Mcp, Mode};

/// A tool that clients see as its server has it.
pub(super) struct Passed {
    server: ServerName,
    tool: ToolName,
    pub(super) definition: Tool,
}

impl Mcp {
    /// The tools that are passed through. A name that two servers have gets the server's before it.
    pub(super) async fn passed_through(&self) -> Vec<Passed> {
        let options = &self.options;
        if options.mode == Mode::Code {
            return Vec::new();
        }
        let tools = self.shared.service.tools();
        tools.know_all().await;
        let listings = tools.listings();
        let all = listings
            .iter()
            .flat_map(|listing| listing.tools.iter().map(move |tool| (&listing.server, tool)));
        let chosen = all.filter(|(server, tool)| {
            options.mode == Mode::Direct
                || options.direct.iter().any(|name| *name == format!("{server}.{}", tool.name))
        });
        let chosen: Vec<_> = chosen.collect();
        let mut count: HashMap<&str, usize> = HashMap::new();
        for (_, tool) in &chosen {
            *count.entry(tool.name.0.as_str()).or_default() += 1;
        }
        let passed = chosen.iter().filter_map(|(server, tool)| {
            let plain = &tool.name.0;
            let taken = count.get(plain.as_str()).is_some_and(|count| *count > 1)
                || self.own().any(|tool| tool.name == *plain);
            let name = if taken { format!("{server}__{plain}") } else { plain.clone() };
            let definition = definition(tool, &name)?;
            Some(Passed { server: (*server).clone(), tool: tool.name.clone(), definition })
        });
        passed.collect()
    }

    /// Calls a tool that is passed through.
    pub(super) async fn pass(
        &self,
        name: &str,
        arguments: JsonObject,
    ) -> Result<CallToolResult, ErrorData> {
        let passed = self.passed_through().await;
        let Some(passed) = passed.into_iter().find(|passed| passed.definition.name == name) else {
            let message = format!("there is no tool {name:?}; tools/list has those there are");
            return Err(ErrorData::invalid_params(message, None));
        };
        let upstreams = self.shared.service.tools().upstreams();
        Ok(match upstreams.call(&passed.server, &passed.tool, arguments).await {
            Ok(result) => answered(result),
            Err(failure) => failed(failure.to_string()),
        })
    }
}

/// A definition as a client reads it; one that no client could read is left out.
fn definition(tool: &catalog::Tool, name: &str) -> Option<Tool> {
    let schema = |value: &Value| value.as_object().cloned().map(Arc::new);
    let input = schema(&tool.input_schema).unwrap_or_else(|| Arc::new(Map::new()));
    let mut definition: Tool = serde_json::from_value(json!({
        "name": name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": {},
        "annotations": tool.annotations,
    }))
    .ok()?;
    definition.input_schema = input;
    definition.output_schema = tool.output_schema.as_ref().and_then(schema);
    Some(definition)
}

fn answered(result: ToolResult) -> CallToolResult {
    let content = result.content.into_iter().filter_map(|part| {
        // A part that this revision cannot say is left out.
        serde_json::from_value(part_json(part)).ok()
    });
    let mut answer = CallToolResult::success(content.collect());
    answer.is_error = result.is_error.then_some(true);
    answer.structured_content = result.structured;
    answer
}

fn part_json(part: Part) -> Value {
    match part {
        Part::Text { text } => json!({ "type": "text", "text": text }),
        Part::Image { data, media_type } => {
            json!({ "type": "image", "data": data, "mimeType": media_type })
        }
        Part::Audio { data, media_type } => {
            json!({ "type": "audio", "data": data, "mimeType": media_type })
        }
        Part::Resource(resource) => {
            let mut inner = json!({ "uri": resource.uri });
            if let Some(media_type) = resource.media_type {
                inner["mimeType"] = media_type.into();
            }
            if let Some(text) = resource.text {
                inner["text"] = text.into();
            }
            if let Some(blob) = resource.blob {
                inner["blob"] = blob.into();
            }
            json!({ "type": "resource", "resource": inner })
        }
        Part::Link { uri, name, description, media_type } => json!({
            "type": "resource_link", "uri": uri, "name": name,
            "description": description, "mimeType": media_type,
        }),
        Part::Other { value } => value,
    }
}
