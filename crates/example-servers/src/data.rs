//! The server `data`: which devices a house has, and what they measured.

use chrono::{DateTime, NaiveDate, Utc};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::house::{self, House};

const TOOLS: &str = include_str!("data.tools.json");

/// The server.
pub(crate) struct Data {
    house: House,
}

#[derive(Deserialize)]
struct Which {
    room: Option<String>,
    kind: Option<String>,
}

#[derive(Deserialize)]
struct History {
    device_id: String,
    start_time: Option<String>,
    end_time: Option<String>,
    limit: Option<usize>,
}

/// A time, or a day's beginning.
fn moment(name: &str, text: &str) -> Result<DateTime<Utc>, String> {
    let day = || text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|day| day.and_utc());
    let time = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    time.or_else(day).ok_or_else(|| {
        format!("`{name}` is {text:?}; write it as 2026-01-06 or 2026-01-06T12:00:00Z")
    })
}

impl Data {
    pub(crate) fn new(seed: u64) -> Self {
        Self { house: House::new(seed) }
    }

    fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        let arguments = Value::Object(arguments);
        let wrong = |error: serde_json::Error| format!("{tool}: {error}");
        match tool {
            "get_devices" => Ok(self.devices(&serde_json::from_value(arguments).map_err(wrong)?)),
            "query_device_history" => {
                self.history(&serde_json::from_value(arguments).map_err(wrong)?)
            }
            _ => Err(format!("there is no tool {tool:?}")),
        }
    }

    fn devices(&self, which: &Which) -> Value {
        let devices: Vec<_> = self
            .house
            .devices
            .iter()
            .filter(|device| which.room.as_deref().is_none_or(|room| room == device.room))
            .filter(|device| which.kind.is_none() || json!(device.kind) == json!(which.kind))
            .collect();
        json!({ "count": devices.len(), "devices": devices })
    }

    fn history(&self, asked: &History) -> Result<Value, String> {
        let (index, device) = self.house.device(&asked.device_id).ok_or_else(|| {
            format!("there is no device {:?}; get_devices lists them", asked.device_id)
        })?;
        let (start, end) = house::week();
        let time = |name, given: &Option<String>, usual| match given {
            Some(text) => moment(name, text),
            None => Ok(usual),
        };
        let points = self.house.history(
            index,
            time("start_time", &asked.start_time, start)?,
            time("end_time", &asked.end_time, end)?,
            asked.limit.unwrap_or(usize::MAX),
        );
        Ok(json!({ "device_id": device.id, "unit": device.unit, "points": points }))
    }
}

impl ServerHandler for Data {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("tidegate-data", env!("CARGO_PKG_VERSION")))
            .with_instructions("Sensors and meters of a house, and what they measured in a week.")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools: Vec<Tool> = serde_json::from_str(TOOLS)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.answer(&request.name, request.arguments.unwrap_or_default());
        let result = match answer {
            Ok(value) => CallToolResult::structured(value),
            Err(reason) => CallToolResult::error(vec![ContentBlock::text(reason)]),
        };
        Ok(result.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_definitions_can_be_read_and_each_has_an_answer() {
        let tools: Vec<Tool> = serde_json::from_str(TOOLS).unwrap();
        let data = Data::new(1);
        for tool in &tools {
            let arguments = json!({ "device_id": "power_00" });
            let answer = data.answer(&tool.name, arguments.as_object().unwrap().clone());
            assert!(answer.is_ok(), "{}: {answer:?}", tool.name);
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_said_so() {
        let arguments = json!({ "device_id": "power_01" }).as_object().unwrap().clone();
        let reason = Data::new(1).answer("query_device_history", arguments).unwrap_err();
        assert_eq!(reason, "there is no device \"power_01\"; get_devices lists them");
    }

    #[test]
    fn a_room_or_a_kind_narrows_the_list() {
        let data = Data::new(1);
        let all = data.devices(&Which { room: None, kind: None });
        let power = data.devices(&Which { room: None, kind: Some("power".into()) });
        assert_eq!((all["count"].as_u64(), power["count"].as_u64()), (Some(99), Some(25)));
    }
}
