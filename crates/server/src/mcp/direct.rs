//! Tools of the servers behind us, passed through unchanged.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use catalog::{Listing, ServerName, ToolName};
use metrics::counter;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult,
    JsonObject, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use upstream::PassFailure;

use super::execute::failed;
use super::relay::{asks, error, params, read};
use super::widened::widened;
use super::{EXECUTE, Mcp, Mode, caller};

/// A tool that clients see as its server has it.
struct Passed {
    server: ServerName,
    tool: catalog::Tool,
    /// What clients call it: the same, unless two servers use one name.
    shown: String,
}

impl Mcp {
    /// The tools that are passed through, after asking all servers.
    pub(super) async fn passed_through(&self) -> Vec<Tool> {
        if self.options.mode == Mode::Code {
            return Vec::new();
        }
        self.shared.service.tools().know_all().await;
        self.known().iter().filter_map(|passed| self.defined(passed)).collect()
    }

    /// The definition of one, as far as its server is known.
    pub(super) fn passed_tool(&self, name: &str) -> Option<Tool> {
        self.defined(&self.find(name)?)
    }

    /// A tool as clients read it. Where answers may have tokens, what it says of them allows for these.
    fn defined(&self, passed: &Passed) -> Option<Tool> {
        let mut tool = passed.definition()?;
        if self.shared.service.tools().tokenizes() {
            tool.output_schema = tool.output_schema.map(|schema| Arc::new(widened(&schema)));
        }
        Some(tool)
    }

    /// The tool that clients call `name`, as far as its server is known.
    fn find(&self, name: &str) -> Option<Passed> {
        if self.options.mode == Mode::Code {
            return None;
        }
        let listings = self.shared.service.tools().offered();
        let all = || self.chosen(&listings);
        let taken = |plain: &str| {
            let owned = self.own().any(|tool| tool.name == *plain);
            owned || all().filter(|(_, tool)| tool.name.0 == plain).nth(1).is_some()
        };
        let (server, tool) = all().find(|(server, tool)| {
            let plain = tool.name.0.as_str();
            let after =
                name.strip_prefix(server.0.as_str()).and_then(|rest| rest.strip_prefix("__"));
            (plain == name && !taken(plain)) || (after == Some(plain) && taken(plain))
        })?;
        Some(Passed { server: server.clone(), tool: tool.clone(), shown: name.to_owned() })
    }

    /// Those of all tools that are passed through.
    fn chosen<'a>(
        &'a self,
        listings: &'a [Arc<Listing>],
    ) -> impl Iterator<Item = (&'a ServerName, &'a catalog::Tool)> {
        let all = listings
            .iter()
            .flat_map(|listing| listing.tools.iter().map(move |tool| (&listing.server, tool)));
        let options = &self.options;
        all.filter(|(server, tool)| {
            options.mode == Mode::Direct
                || options.direct.iter().any(|name| *name == format!("{server}.{}", tool.name))
        })
    }

    /// Why a tool cannot be called here, and what to do instead.
    fn no_such_tool(&self, name: &str) -> String {
        let tools = self.shared.service.tools();
        let catalog = tools.catalog();
        let in_programs = self.own().any(|tool| tool.name == EXECUTE);
        if let Some(tool) = catalog.resolve(None, name).ok().filter(|_| in_programs) {
            let (server, tool) = (tool.server_python(), tool.python());
            return format!(
                "there is no tool {name:?} here, but programs can call it: {EXECUTE} with \
                 `from servers.{server} import {tool}` and `await {tool}(...)`"
            );
        }
        let mut message = format!("there is no tool {name:?}; tools/list has those there are");
        for missing in tools.missing() {
            // Writing to a string does not fail.
            let _ = write!(message, "; {missing}");
        }
        message
    }

    /// The tools that are passed through. A name that two servers have gets the server's before it.
    fn known(&self) -> Vec<Passed> {
        let listings = self.shared.service.tools().offered();
        let chosen: Vec<_> = self.chosen(&listings).collect();
        let mut count: HashMap<&str, usize> = HashMap::new();
        for (_, tool) in &chosen {
            *count.entry(tool.name.0.as_str()).or_default() += 1;
        }
        let passed = chosen.iter().map(|(server, tool)| {
            let plain = &tool.name.0;
            let taken = count.get(plain.as_str()).is_some_and(|count| *count > 1)
                || self.own().any(|tool| tool.name == *plain);
            let shown = if taken { format!("{server}__{plain}") } else { plain.clone() };
            Passed { server: (*server).clone(), tool: (*tool).clone(), shown }
        });
        passed.collect()
    }

    /// Calls a tool that is passed through.
    pub(super) async fn pass(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = &*request.name;
        if self.options.mode != Mode::Code {
            // Whose tool it is depends on what the others have.
            self.shared.service.tools().know_all().await;
        }
        let Some(passed) = self.find(name) else {
            return Err(ErrorData::invalid_params(self.no_such_tool(name), None));
        };
        if let Err(words) = self.may_pass(&passed, &request, context).await {
            return Ok(failed(words).into());
        }
        let mut given = params(&request);
        given.insert("name".to_owned(), passed.tool.name.0.into());
        match self.relay(&passed.server, "tools/call", given, context).await {
            Ok(value) => answered(value),
            Err(failure @ PassFailure::Refused(_)) => Err(error(failure)),
            Err(failure) => Ok(failed(failure.to_string()).into()),
        }
    }
}

impl Mcp {
    /// Whether rules let a client call a tool that is passed through; the words say why not.
    async fn may_pass(
        &self,
        passed: &Passed,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), String> {
        let service = &self.shared.service;
        let none = JsonObject::new();
        let arguments = request.arguments.as_ref().unwrap_or(&none);
        service.may_pass(&caller(context), &passed.server, &passed.tool, arguments).await
    }
}

/// Counts a call that left for its server when it is over, however it ends.
pub(super) struct Counted {
    server: ServerName,
    tool: ToolName,
    outcome: &'static str,
}

impl Counted {
    /// A call that leaves now.
    pub(super) fn leaving(server: &ServerName, tool: ToolName) -> Self {
        Self { server: server.clone(), tool, outcome: "cancelled" }
    }

    /// What its server said.
    pub(super) fn ended(&mut self, passed: &Result<Value, PassFailure>) {
        self.outcome = match passed {
            Ok(value) if value.get("isError") != Some(&Value::Bool(true)) => "ok",
            _ => "error",
        };
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let (server, tool, outcome) = (self.server.0.clone(), self.tool.0.clone(), self.outcome);
        counter!("tidegate_host_calls_total", "server" => server, "tool" => tool, "outcome" => outcome)
            .increment(1);
    }
}

impl Passed {
    /// As a client reads it; one that no client could read is left out.
    fn definition(&self) -> Option<Tool> {
        definition(&self.tool, &self.shown)
    }
}

fn definition(tool: &catalog::Tool, name: &str) -> Option<Tool> {
    let schema = |value: &Value| value.as_object().cloned();
    let mut input = schema(&tool.input_schema).unwrap_or_default();
    // Clients that check this would drop the whole list over one tool.
    input.entry("type").or_insert_with(|| "object".into());
    let mut definition: Tool = serde_json::from_value(json!({
        "name": name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": {},
    }))
    .ok()?;
    if tool.annotations != catalog::Annotations::default() {
        definition.annotations = serde_json::from_value(json!(tool.annotations)).ok();
    }
    definition.input_schema = Arc::new(input);
    definition.output_schema = tool.output_schema.as_ref().and_then(schema).map(Arc::new);
    Some(definition)
}

fn answered(mut value: Value) -> Result<CallToolResponse, ErrorData> {
    if asks(&value) {
        return read::<InputRequiredResult>(value).map(Into::into);
    }
    if value.get("resultType").and_then(Value::as_str) == Some("task") {
        let message = "the server answered with a task, which is not passed on";
        return Err(ErrorData::internal_error(message, None));
    }
    if let Some(Value::Array(content)) = value.get_mut("content") {
        // A part that no revision has is left out.
        content.retain(|part| serde_json::from_value::<ContentBlock>(part.clone()).is_ok());
    }
    if !value.is_object() {
        value = json!({ "content": [], "structuredContent": value });
    }
    read::<CallToolResult>(value).map(Into::into)
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use upstream::Refused;

    use super::*;

    #[test]
    fn a_call_that_is_passed_on_is_counted_once_however_it_ends() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let call = || Counted::leaving(&ServerName("data".to_owned()), ToolName("look".to_owned()));
        let answered = |passed: Result<Value, PassFailure>| call().ended(&passed);
        metrics::with_local_recorder(&recorder, || {
            answered(Ok(json!({ "content": [] })));
            answered(Ok(json!({ "content": [], "isError": false })));
            answered(Ok(json!({ "content": [], "isError": true })));
            let refused = Refused { code: -32_602, message: "no".to_owned(), data: None };
            answered(Err(refused.into()));
            drop(call());
        });
        let counted = recorder.handle().render();
        for (outcome, count) in [("ok", 2), ("error", 2), ("cancelled", 1)] {
            let labels = format!("server=\"data\",tool=\"look\",outcome=\"{outcome}\"");
            let line = format!("tidegate_host_calls_total{{{labels}}} {count}\n");
            assert!(counted.contains(&line), "{line}{counted}");
        }
    }
}
