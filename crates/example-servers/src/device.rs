//! The server `device`: what a device of the house can do, in Home Assistant's words.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::home::entity;
use crate::house::{Appliance, House, Kind};
use crate::served::{self, Tools};

/// The server.
pub(crate) struct Device {
    house: House,
}

#[derive(Deserialize)]
struct Which {
    device_id: String,
}

impl Device {
    pub(crate) fn new(seed: u64) -> Self {
        Self { house: House::new(seed) }
    }

    fn capabilities(&self, id: &str) -> Result<Value, String> {
        let (index, device) = self
            .house
            .device(id)
            .ok_or_else(|| format!("there is no device {id:?}; get_devices lists them"))?;
        let appliance = self.house.appliance(index);
        let entity_id = entity(&self.house, index);
        let domain = entity_id.split('.').next().unwrap_or_default();
        let services: Vec<String> = match appliance {
            Some(_) => ["turn_on", "turn_off"].map(|one| format!("{domain}.{one}")).into(),
            None => Vec::new(),
        };
        let states = match (appliance, device.kind) {
            (Some(_), _) | (None, Kind::Motion) => json!(["on", "off"]),
            _ => json!("number"),
        };
        let meter = appliance.map(|_| format!("sensor.{}_{}", device.room, device.id));
        Ok(json!({
            "device_id": id,
            "name": device.name,
            "room": device.room,
            "domain": domain,
            "entity_id": entity_id,
            "appliance": appliance.map(Appliance::name),
            "services": services,
            "states": states,
            "meter_entity_id": meter,
        }))
    }
}

impl Tools for Device {
    const NAME: &str = "tidegate-device";
    const ABOUT: &str = "What each device of the house can do, in Home Assistant's words.";
    const DEFINITIONS: &str = include_str!("device.tools.json");

    async fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        match tool {
            "get_device_capabilities" => {
                self.capabilities(&served::read::<Which>(tool, arguments)?.device_id)
            }
            _ => Err(served::unknown(tool)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugs_can_be_switched_and_sensors_can_not() {
        let device = Device::new(1);
        let plug = device.capabilities("power_00").unwrap();
        assert_eq!(plug["services"].as_array().unwrap().len(), 2, "{plug}");
        assert!(plug["meter_entity_id"].as_str().unwrap().starts_with("sensor."), "{plug}");
        let sensor = device.capabilities("motion_03").unwrap();
        assert_eq!((&sensor["domain"], &sensor["services"]), (&json!("binary_sensor"), &json!([])));
        let reason = device.capabilities("power_01").unwrap_err();
        assert_eq!(reason, "there is no device \"power_01\"; get_devices lists them");
    }
}
