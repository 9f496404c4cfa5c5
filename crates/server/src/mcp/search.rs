//! `search_tools`: words in, functions out.

use std::fmt::Write as _;

use catalog::ServerName;
use gateway::{Detail, Found, Search};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::Value;

use super::Mcp;
use super::execute::failed;

/// Tools shown at once.
const MOST: usize = 100;

impl Mcp {
    pub(super) async fn search(&self, arguments: JsonObject) -> CallToolResult {
        const TAKES: &str = r#"search_tools takes {"query": "...", "detail_level"?: "name_only" | "with_description" | "full", "server"?: "...", "limit"?: 10}"#;
        for (key, kind, fits) in [
            ("query", "text", Value::is_string as fn(&Value) -> bool),
            ("server", "text", |value| value.is_string() || value.is_null()),
            ("limit", "a whole number from 1 to 100", |value| {
                value.as_u64().is_some_and(|limit| (1..=MOST as u64).contains(&limit))
            }),
            ("detail_level", "\"name_only\", \"with_description\" or \"full\"", |value| {
                serde_json::from_value::<Detail>(value.clone()).is_ok()
            }),
        ] {
            if arguments.get(key).is_some_and(|value| !fits(value)) {
                return failed(format!("`{key}` must be {kind}; {TAKES}"));
            }
        }
        let asked = serde_json::from_value::<Search>(Value::Object(arguments));
        let asked = match asked {
            Ok(asked) => asked,
            Err(error) => return failed(format!("{error}; {TAKES}")),
        };
        let tools = self.shared.service.tools();
        tools.know_all().await;
        let detail = asked.detail_level;
        let found = {
            let tools = std::sync::Arc::clone(tools);
            // With a model for meaning this computes for a while.
            tokio::task::spawn_blocking(move || tools.find(&asked)).await
        };
        match found {
            Ok(Ok(found)) => {
                let most = self.shared.service.settings().output_tokens;
                shown(found, detail, &self.shared.service.tools().unheard(), most)
            }
            Ok(Err(error)) => failed(error.to_string()),
            Err(error) => failed(format!("the search failed: {error}")),
        }
    }
}

/// As many as fit into `most` tokens, and at least one.
fn shown(mut found: Found, detail: Detail, unheard: &[ServerName], most: usize) -> CallToolResult {
    let mut used = 0;
    let fitting = found.tools.iter().take_while(|tool| {
        used += serde_json::to_string(tool).map_or(0, |text| budget::count(&text));
        used <= most
    });
    let fitting = fitting.count().max(1);
    let left_out = found.tools.len().saturating_sub(fitting);
    found.tools.truncate(fitting);
    let mut text = words(&found, detail, unheard);
    if left_out > 0 {
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n\n{left_out} more were found, and left out to stay within {most} tokens; ask with a smaller `limit`, a lower `detail_level`, or `server`"
        );
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = serde_json::to_value(found).ok();
    result
}

fn words(found: &Found, detail: Detail, unheard: &[ServerName]) -> String {
    let mut text = format!("{} of {} functions", found.tools.len(), found.total);
    if !unheard.is_empty() {
        let names: Vec<&str> = unheard.iter().map(|server| server.0.as_str()).collect();
        // Writing to a string does not fail.
        let _ = write!(
            text,
            ", without those of {}, which have not answered yet: search again in a moment",
            names.join(", ")
        );
    }
    for tool in &found.tools {
        text.push_str("\n\n");
        if let Some(signature) = &tool.signature {
            // Writing to a string does not fail.
            let _ = writeln!(text, "from servers.{} import {}", tool.server, tool.name);
            text.push_str(signature.trim_end());
        } else {
            let _ = write!(text, "servers.{}.{}", tool.server, tool.name);
        }
        let about = tool.description.as_deref().filter(|_| detail != Detail::NameOnly);
        if let Some(about) = about.map(str::trim).filter(|about| !about.is_empty()) {
            text.push_str("\n    ");
            text.push_str(&about.replace('\n', "\n    "));
        }
    }
    if found.tools.is_empty() {
        text.push_str("; try other words, or an empty query for all");
    }
    text.replace("\n\nservers.", "\nservers.")
}
