//! Recognising a server that is itself a gateway for programs.
//!
//! Programs that send programs to another gateway run, but neither side sees what the inner
//! calls do; whoever configured that should know. Judged by names and parameters only.

use catalog::{Listing, Tool};
use serde_json::Value;

/// Tools that run code, whatever else there is.
const RUNS: &[&str] = &[
    "execute",
    "execute_code",
    "execute_javascript",
    "execute_js",
    "execute_program",
    "execute_python",
    "execute_script",
    "execute_typescript",
    "run_code",
    "run_javascript",
    "run_js",
    "run_program",
    "run_python",
    "run_script",
    "run_typescript",
    "sandbox_execute",
    "eval_code",
    "code_execute",
    "code_execution",
];
/// Tools that exist only in gateways of this kind.
const GIVES_AWAY: &[&str] =
    &["codemode", "code_mode", "call_tool_chain", "execute_code_mode", "run_tool_code"];
/// Tools that say which functions such code may call.
const LOOKS_UP: &[&str] = &[
    "describe_function",
    "describe_functions",
    "describe_tool",
    "describe_tools",
    "find_tools",
    "get_function_info",
    "get_tool_definition",
    "get_tool_schema",
    "list_functions",
    "list_mcp_servers",
    "list_servers",
    "list_tools",
    "read_function",
    "search_docs",
    "search_functions",
    "search_tools",
    "tool_info",
    "tools_info",
];
/// Parameters that hold code.
const CODE: &[&str] = &["code", "program", "script", "source"];

/// Why a server looks like a gateway for programs, if it does.
pub(crate) fn recognise(listing: &Listing) -> Option<String> {
    let named = |names: &[&str]| {
        listing.tools.iter().find(|tool| names.contains(&plain(&tool.name.0).as_str()))
    };
    if let Some(tool) = named(GIVES_AWAY).filter(|tool| takes_code(tool)) {
        return Some(format!("its tool {:?} runs programs that call other tools", tool.name.0));
    }
    let runner = listing
        .tools
        .iter()
        .find(|tool| RUNS.contains(&plain(&tool.name.0).as_str()) && takes_code(tool))?;
    if let Some(finder) = named(LOOKS_UP) {
        return Some(format!(
            "its tool {:?} runs programs and {:?} says which functions they may call",
            runner.name.0, finder.name.0
        ));
    }
    let description = runner.description.as_deref().unwrap_or_default().to_lowercase();
    let speaks_of_tools = description.contains("mcp")
        && (description.contains("tool") || description.contains("server"));
    speaks_of_tools
        .then(|| format!("its tool {:?} runs programs that use other MCP servers", runner.name.0))
}

fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '-' | '.' | '/' | ' ' => plain.push('_'),
            upper if upper.is_ascii_uppercase() => {
                if plain.chars().last().is_some_and(|last| last.is_ascii_lowercase()) {
                    plain.push('_');
                }
                plain.push(upper.to_ascii_lowercase());
            }
            other => plain.push(other),
        }
    }
    plain
}

fn takes_code(tool: &Tool) -> bool {
    let Some(properties) = tool.input_schema.get("properties").and_then(Value::as_object) else {
        return false;
    };
    let is_text = |schema: &Value| schema.get("type").is_none_or(|kind| kind == "string");
    CODE.iter().any(|name| properties.get(*name).is_some_and(is_text))
}

#[cfg(test)]
mod tests {
    use catalog::{Annotations, ServerName, ToolName};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_runner_with_a_way_to_look_up_functions_is_a_gateway() {
        let found = recognise(&listing(&[("execute_code", "code"), ("search_tools", "query")]));
        insta::assert_snapshot!(found.unwrap(), @r#"its tool "execute_code" runs programs and "search_tools" says which functions they may call"#);
        assert!(
            recognise(&listing(&[("executeTypescript", "code"), ("list-functions", "x")]))
                .is_some()
        );
        assert!(recognise(&listing(&[("codemode", "code")])).is_some());
    }

    #[test]
    fn a_sandbox_alone_or_a_search_alone_is_none() {
        assert_eq!(recognise(&listing(&[("run_python", "code"), ("list_packages", "x")])), None);
        assert_eq!(recognise(&listing(&[("search_tools", "query")])), None);
        assert_eq!(recognise(&listing(&[("execute", "sql"), ("list_tools", "x")])), None);
    }

    fn listing(tools: &[(&str, &str)]) -> Listing {
        let tools = tools.iter().map(|(name, parameter)| Tool {
            name: ToolName((*name).to_owned()),
            title: None,
            description: None,
            input_schema: json!({"type": "object", "properties": {*parameter: {"type": "string"}}}),
            output_schema: None,
            annotations: Annotations::default(),
        });
        let server = ServerName("s".to_owned());
        Listing { server, title: None, version: None, description: None, tools: tools.collect() }
    }
}
