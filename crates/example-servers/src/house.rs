//! A house: its devices, and what each of them measured in one week.

use std::f64::consts::TAU;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde::{Serialize, Serializer};

use crate::chance;

/// How many devices there are.
pub(crate) const DEVICES: usize = 99;
/// How many points a device measures in the week.
pub(crate) const POINTS: u32 = 10_000;
/// The week begins here: Monday, 5 January 2026, in seconds since 1970.
const MONDAY: i64 = 1_767_571_200;
const WEEK_MILLIS: i64 = 7 * 24 * 3_600 * 1_000;

const ROOMS: [&str; 9] = [
    "kitchen",
    "living_room",
    "bedroom",
    "bathroom",
    "hall",
    "study",
    "garage",
    "cellar",
    "garden",
];

/// What a device measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Watts.
    Power,
    /// Degrees.
    Temperature,
    /// Percent.
    Humidity,
    /// 1 while something moves.
    Motion,
}

impl Kind {
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::Power => "W",
            Self::Temperature => "°C",
            Self::Humidity => "%",
            Self::Motion => "bool",
        }
    }
}

/// What a power meter sits in front of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appliance {
    Light,
    CoffeeMachine,
    Heater,
    Television,
    Washer,
}

impl Appliance {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::CoffeeMachine => "coffee_machine",
            Self::Heater => "heater",
            Self::Television => "television",
            Self::Washer => "washer",
        }
    }
}

/// One device.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Device {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) room: &'static str,
    pub(crate) kind: Kind,
    pub(crate) unit: &'static str,
    pub(crate) online: bool,
}

/// One measurement.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Point {
    #[serde(serialize_with = "to_the_millisecond")]
    pub(crate) time: DateTime<Utc>,
    pub(crate) value: f64,
}

/// The house that belongs to a seed.
#[derive(Debug, Clone)]
pub(crate) struct House {
    seed: u64,
    pub(crate) devices: Vec<Device>,
}

impl House {
    pub(crate) fn new(seed: u64) -> Self {
        let kinds = [Kind::Power, Kind::Temperature, Kind::Humidity, Kind::Motion];
        let devices = (0..DEVICES).map(|index| {
            let kind = kinds[index % kinds.len()];
            let place = u64::try_from(index).unwrap_or(0);
            let room = ROOMS[chance::choice(seed, place, ROOMS.len())];
            let word = match kind {
                Kind::Power => "power",
                Kind::Temperature => "temperature",
                Kind::Humidity => "humidity",
                Kind::Motion => "motion",
            };
            Device {
                id: format!("{word}_{index:02}"),
                name: format!("{} {word} {index}", room.replace('_', " ")),
                room,
                kind,
                unit: kind.unit(),
                online: chance::choice(seed, place + 1_000, 20) > 0,
            }
        });
        Self { seed, devices: devices.collect() }
    }

    /// What the plug behind a device switches. The first plug of each room has a light in it.
    pub(crate) fn appliance(&self, index: usize) -> Option<Appliance> {
        const OTHERS: [Appliance; 4] =
            [Appliance::CoffeeMachine, Appliance::Heater, Appliance::Television, Appliance::Washer];
        let is_plug = |device: &&Device| device.kind == Kind::Power;
        let device = self.devices.get(index).filter(is_plug)?;
        let before = self.devices.iter().take(index).filter(is_plug);
        let is_first = before.into_iter().all(|other| other.room != device.room);
        let place = u64::try_from(index).unwrap_or(0);
        let other = OTHERS[chance::choice(self.seed, place + 2_000, OTHERS.len())];
        Some(if is_first { Appliance::Light } else { other })
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn device(&self, id: &str) -> Option<(usize, &Device)> {
        self.devices.iter().enumerate().find(|(_, device)| device.id == id)
    }

    /// What a device measured from `start` until before `end`, at most `limit` points.
    pub(crate) fn history(
        &self,
        index: usize,
        start: DateTime<Utc>,
        end: DateTime<Utc>,
        limit: usize,
    ) -> Vec<Point> {
        let Some(device) = self.devices.get(index) else { return Vec::new() };
        (0..POINTS)
            .map(|point| (point, time(point)))
            .filter(|(_, time)| *time >= start && *time < end)
            .take(limit)
            .map(|(point, time)| Point { time, value: self.value(index, device.kind, point) })
            .collect()
    }

    fn value(&self, index: usize, kind: Kind, point: u32) -> f64 {
        let place = u64::try_from(index).unwrap_or(0);
        let noise = chance::fraction(self.seed, place, u64::from(point));
        let own = chance::fraction(self.seed, place, u64::MAX);
        // 1 in the evening, -1 in the morning.
        let day = f64::from(point) * 7.0 / f64::from(POINTS);
        let wave = ((day - 0.58) * TAU).sin();
        let value = match kind {
            Kind::Power => 4.0 + 60.0 * own + (40.0 + 120.0 * own) * wave.max(0.0) + 6.0 * noise,
            Kind::Temperature => 18.0 + 3.0 * own + 2.0 * wave + 0.4 * noise,
            Kind::Humidity => 42.0 + 12.0 * own - 4.0 * wave + 2.0 * noise,
            Kind::Motion => f64::from(u8::from(noise > 0.97 - 0.05 * wave)),
        };
        (value * 100.0).round() / 100.0
    }
}

/// When the week begins, and when it is over.
pub(crate) fn week() -> (DateTime<Utc>, DateTime<Utc>) {
    let start = DateTime::from_timestamp(MONDAY, 0).unwrap_or_default();
    (start, start + TimeDelta::milliseconds(WEEK_MILLIS))
}

/// A time as text. All are alike: some readers take the first for the pattern of the others.
pub(crate) fn stamp(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn to_the_millisecond<S: Serializer>(time: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&stamp(*time))
}

fn time(point: u32) -> DateTime<Utc> {
    let into = i64::from(point) * WEEK_MILLIS / i64::from(POINTS);
    week().0 + TimeDelta::milliseconds(into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_has_all_its_points_and_a_seed_always_the_same() {
        let (start, end) = week();
        assert_eq!(start.to_rfc3339(), "2026-01-05T00:00:00+00:00");
        let history = |seed| House::new(seed).history(0, start, end, usize::MAX);
        let sum = |seed| history(seed).iter().map(|point| point.value).sum::<f64>();
        assert_eq!(history(1).len(), 10_000);
        assert_eq!(sum(1).to_bits(), sum(1).to_bits());
        assert_ne!(sum(1).to_bits(), sum(2).to_bits());
    }

    #[test]
    fn a_part_of_the_week_is_that_part() {
        let (start, _) = week();
        let house = House::new(1);
        let hour = house.history(3, start, start + TimeDelta::hours(1), usize::MAX);
        assert_eq!(hour.len(), 60);
        assert_eq!(house.history(3, start, start + TimeDelta::hours(1), 7).len(), 7);
        assert!(house.history(DEVICES, start, start + TimeDelta::hours(1), 7).is_empty());
    }
}
