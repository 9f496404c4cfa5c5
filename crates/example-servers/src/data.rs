//! The server `data`: which devices a house has, what they measured, and what happened.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::home::{self, Home, Wanted};
use crate::served::{self, Tools};

/// The server.
pub(crate) struct Data {
    home: Home,
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

#[derive(Deserialize)]
struct Events {
    event: Option<String>,
    room: Option<String>,
    device_id: Option<String>,
    start_time: Option<String>,
    end_time: Option<String>,
    limit: Option<usize>,
}

impl Data {
    pub(crate) async fn new(file: Option<&Path>, seed: u64) -> Result<Self, String> {
        Ok(Self { home: Home::open(file, seed).await? })
    }

    fn devices(&self, which: &Which) -> Value {
        let devices: Vec<_> = self
            .home
            .house
            .devices
            .iter()
            .filter(|device| which.room.as_deref().is_none_or(|room| room == device.room))
            .filter(|device| which.kind.is_none() || json!(device.kind) == json!(which.kind))
            .collect();
        json!({ "count": devices.len(), "devices": devices })
    }

    async fn history(&self, asked: &History) -> Result<Value, String> {
        let (index, device) = self.home.house.device(&asked.device_id).ok_or_else(|| {
            format!("there is no device {:?}; get_devices lists them", asked.device_id)
        })?;
        let span = home::span(asked.start_time.as_deref(), asked.end_time.as_deref())?;
        let points = self.home.points(index, span, asked.limit).await?;
        Ok(json!({ "device_id": device.id, "unit": device.unit, "points": points }))
    }

    async fn events(&self, asked: &Events) -> Result<Value, String> {
        let wanted = Wanted {
            event: asked.event.as_deref(),
            room: asked.room.as_deref(),
            device: asked.device_id.as_deref(),
            limit: asked.limit,
        };
        let span = home::span(asked.start_time.as_deref(), asked.end_time.as_deref())?;
        let events = self.home.events(span, wanted).await?;
        Ok(json!({ "count": events.as_array().map_or(0, Vec::len), "events": events }))
    }
}

impl Tools for Data {
    const NAME: &str = "tidegate-data";
    const ABOUT: &str =
        "Sensors and meters of a house, and what they measured and what happened in a week.";
    const DEFINITIONS: &str = include_str!("data.tools.json");

    async fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        match tool {
            "get_devices" => Ok(self.devices(&served::read(tool, arguments)?)),
            "query_device_history" => self.history(&served::read(tool, arguments)?).await,
            "search_events" => self.events(&served::read(tool, arguments)?).await,
            _ => Err(served::unknown(tool)),
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::Tool;

    use super::*;

    #[tokio::test]
    async fn its_definitions_can_be_read_and_each_has_an_answer() {
        let tools: Vec<Tool> = serde_json::from_str(Data::DEFINITIONS).unwrap();
        let data = Data::new(None, 1).await.unwrap();
        for tool in &tools {
            let arguments = json!({ "device_id": "power_00" });
            let answer = data.answer(&tool.name, arguments.as_object().unwrap().clone()).await;
            assert!(answer.is_ok(), "{}: {answer:?}", tool.name);
        }
    }

    #[tokio::test]
    async fn a_device_that_is_not_there_is_said_so() {
        let arguments = json!({ "device_id": "power_01" }).as_object().unwrap().clone();
        let data = Data::new(None, 1).await.unwrap();
        let reason = data.answer("query_device_history", arguments).await.unwrap_err();
        assert_eq!(reason, "there is no device \"power_01\"; get_devices lists them");
    }

    #[tokio::test]
    async fn a_room_or_a_kind_narrows_the_list() {
        let data = Data::new(None, 1).await.unwrap();
        let all = data.devices(&Which { room: None, kind: None });
        let power = data.devices(&Which { room: None, kind: Some("power".into()) });
        assert_eq!((all["count"].as_u64(), power["count"].as_u64()), (Some(99), Some(25)));
    }
}
