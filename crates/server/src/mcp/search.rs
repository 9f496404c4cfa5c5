//! `search_tools`: words in, functions out.

use std::fmt::Write as _;

use engine::Language;
use gateway::service::Caller;
use gateway::{Detail, Found, FoundTool, Search};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::Value;

use super::Mcp;
use super::execute::{failed, plain};

/// Tools shown at once.
const MOST: usize = 100;

impl Mcp {
    pub(super) async fn search(&self, caller: &Caller, arguments: JsonObject) -> CallToolResult {
        let asked = match asked(arguments) {
            Ok(asked) => asked,
            Err(problem) => return failed(problem),
        };
        let tools = self.shared.service.tools();
        tools.know_all().await;
        let detail = asked.detail_level;
        let language = self.language();
        let asked = Search { language, ..asked };
        let found = {
            let (tools, reader) = (std::sync::Arc::clone(tools), caller.reader());
            // With a model for meaning this computes for a while.
            tokio::task::spawn_blocking(move || tools.find_for(&asked, &reader)).await
        };
        match found {
            Ok(Ok(found)) => {
                let most = self.shared.service.settings().output_tokens;
                shown(found, (detail, language), most)
            }
            Ok(Err(error)) => {
                let mut problem = error.to_string();
                for missing in tools.missing() {
                    // Writing to a string does not fail.
                    let _ = write!(problem, "\nmissing: {missing}");
                }
                failed(problem)
            }
            Err(error) => failed(format!("the search failed: {error}")),
        }
    }
}

/// What is asked; mistakes name the argument.
fn asked(arguments: JsonObject) -> Result<Search, String> {
    type Fits = fn(&Value) -> bool;
    const TAKES: &str = r#"search_tools takes {"query": "...", "detail_level"?: "name_only" | "with_description" | "full", "server"?: "...", "limit"?: 10}"#;
    let known: [(&str, &str, Fits); 4] = [
        ("query", "text", Value::is_string),
        ("server", "text", Value::is_string),
        ("limit", "a whole number from 1 to 100", |value| {
            value.as_u64().is_some_and(|limit| (1..=MOST as u64).contains(&limit))
        }),
        ("detail_level", "\"name_only\", \"with_description\" or \"full\"", |value| {
            serde_json::from_value::<Detail>(value.clone()).is_ok()
        }),
    ];
    let arguments = plain(arguments, &known.map(|(key, ..)| key), "limit");
    for (key, value) in &arguments {
        match known.iter().find(|(known, ..)| known == key) {
            None => return Err(format!("there is no argument `{key}`; {TAKES}")),
            Some((_, kind, fits)) if !fits(value) => {
                return Err(format!("`{key}` must be {kind}; {TAKES}"));
            }
            Some(_) => {}
        }
    }
    serde_json::from_value(Value::Object(arguments)).map_err(|error| format!("{error}; {TAKES}"))
}

/// As many as fit into `most` tokens, and at least one, which then is cut.
fn shown(mut found: Found, (detail, language): (Detail, Language), most: usize) -> CallToolResult {
    let mut used = 0;
    let fitting = found.tools.iter().take_while(|tool| {
        used += tokens(tool);
        used <= most
    });
    let fitting = fitting.count();
    let left_out = found.tools.len().saturating_sub(fitting.max(1));
    found.tools.truncate(fitting.max(1));
    if fitting == 0 {
        for tool in &mut found.tools {
            lessen(tool, most);
        }
    }
    let mut text = words(&found, detail, language);
    if fitting == 0 && !found.tools.is_empty() {
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n\ncut to {most} tokens; `{}` in a program has all of it",
            match language {
                Language::Python => "search_tools(..., detail_level=\"full\")",
                Language::TypeScript => "searchTools(..., \"full\")",
            }
        );
    }
    if left_out > 0 {
        let _ = write!(
            text,
            "\n\n{left_out} more were found, and left out to stay within {most} tokens; ask with a smaller `limit`, a lower `detail_level`, or `server`"
        );
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = serde_json::to_value(found).ok();
    result
}

fn tokens(tool: &FoundTool) -> usize {
    serde_json::to_string(tool).map_or(0, |text| budget::count(&text))
}

/// Makes a tool fit. Its signature says what its schema does, in fewer words, and comes before what
/// it is for.
fn lessen(tool: &mut FoundTool, most: usize) {
    tool.input_schema = None;
    let whole = tool.clone();
    let signature = whole.signature.as_deref().unwrap_or_default();
    let about = whole.description.as_deref().unwrap_or_default();
    let mut room = most;
    while tokens(tool) > most && room > 0 {
        // Lines of a text have more tokens in JSON.
        room = room * 9 / 10;
        let [signature, about] = budget::together([(signature, 3), (about, 1)], room);
        tool.signature = whole.signature.is_some().then_some(signature);
        tool.description = whole.description.is_some().then_some(about);
    }
}

fn words(found: &Found, detail: Detail, language: Language) -> String {
    let mut text = format!("{} of {} functions", found.tools.len(), found.total);
    for missing in &found.missing {
        // Writing to a string does not fail.
        let _ = write!(text, "\nmissing: {missing}");
    }
    for tool in &found.tools {
        text.push_str("\n\n");
        if tool.kind.is_some() {
            text.push_str(&tool.import(language));
            if let Some(signature) = &tool.signature {
                // Writing to a string does not fail.
                let _ = write!(text, "\n{signature}");
            }
        } else if let Some(signature) = &tool.signature {
            text.push_str(&tool.import(language));
            text.push('\n');
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
        text.push_str("\ntry other words, or an empty query for all");
    }
    text.replace("\n\nservers.", "\nservers.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked_for(arguments: Value) -> Result<Search, String> {
        let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
        asked(arguments)
    }

    #[test]
    fn what_is_null_was_not_said_and_a_whole_number_may_have_a_point() {
        let nothing = json!({ "query": null, "detail_level": null, "server": null, "limit": null });
        let usual = asked_for(nothing).unwrap();
        assert_eq!((usual.query.as_str(), usual.server, usual.limit), ("", None, 10));
        assert_eq!(usual.detail_level, Detail::NameOnly);
        assert_eq!(asked_for(json!({ "query": "x", "limit": 60.0 })).unwrap().limit, 60);
        for (wrong, words) in [
            (json!({ "limit": 60.5 }), "`limit` must be a whole number"),
            (json!({ "limit": 0.0 }), "`limit` must be a whole number"),
            (json!({ "query": 5 }), "`query` must be text"),
            (json!({ "queri": "x" }), "there is no argument `queri`; search_tools takes"),
        ] {
            let told = asked_for(wrong.clone()).unwrap_err();
            assert!(told.contains(words), "{wrong}: {told}");
        }
    }

    #[test]
    fn one_tool_that_is_too_long_by_itself_is_cut() {
        let tool = |words: usize| FoundTool {
            name: "create_issue".to_owned(),
            server: "tracker".to_owned(),
            kind: None,
            description: Some("Opens a ticket. ".repeat(words)),
            input_schema: Some(json!({ "properties": "a field ".repeat(words) })),
            signature: Some("    title: str\n".repeat(words)),
        };
        for most in [50, 100, 400, 2000] {
            for words in [1, 10, 100, 1000] {
                let tools = vec![tool(words), tool(1)];
                let found = Found { tools, matching: 2, total: 9, missing: Vec::new() };
                let result = shown(found, (Detail::Full, Language::Python), most);
                let shown = result.structured_content.unwrap();
                let first = &shown["tools"][0];
                assert_eq!(first["name"], "create_issue");
                let used = budget::count(&first.to_string());
                assert!(used <= most, "{used} of {most} at {words}: {first}");
                let text = result.content[0].as_text().unwrap().text.clone();
                assert!(text.contains("title: str"), "{text}");
                let is_cut = first["input_schema"].is_null();
                assert_eq!(is_cut, text.contains(&format!("cut to {most} tokens")), "{text}");
            }
        }
    }
}
