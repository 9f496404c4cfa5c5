//! The server `data`: which devices a house has, and what they measured.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::house::{self, House};
use crate::served::{self, Tools};

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

impl Tools for Data {
    const NAME: &str = "tidegate-data";
    const ABOUT: &str = "Sensors and meters of a house, and what they measured in a week.";
    const DEFINITIONS: &str = include_str!("data.tools.json");

    async fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        match tool {
            "get_devices" => Ok(self.devices(&served::read(tool, arguments)?)),
            "query_device_history" => self.history(&served::read(tool, arguments)?),
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
        let data = Data::new(1);
        for tool in &tools {
            let arguments = json!({ "device_id": "power_00" });
            let answer = data.answer(&tool.name, arguments.as_object().unwrap().clone()).await;
            assert!(answer.is_ok(), "{}: {answer:?}", tool.name);
        }
    }

    #[tokio::test]
    async fn a_device_that_is_not_there_is_said_so() {
        let arguments = json!({ "device_id": "power_01" }).as_object().unwrap().clone();
        let reason = Data::new(1).answer("query_device_history", arguments).await.unwrap_err();
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
