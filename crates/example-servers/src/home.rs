//! The house and its week as tables: what was measured, what happened, and what can be switched.
//!
//! Measurements go into the table when a device is asked for the first time: all of them are a million rows.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::house::{self, Appliance, House, Kind, stamp};
use crate::life::Life;
use crate::store::{Store, Table};

const POINTS: &str = "SELECT json_group_array(json_object('time', time, 'value', value))
    FROM (SELECT time, value FROM points WHERE device = ?1 AND time >= ?2 AND time < ?3
          ORDER BY time LIMIT CAST(?4 AS INTEGER))";

const EVENTS: &str = "SELECT json_group_array(json_object('time', time, 'device_id', device,
        'entity_id', entity, 'room', room, 'event', event))
    FROM (SELECT * FROM events WHERE time >= ?1 AND time < ?2
            AND (?3 IS NULL OR event = ?3) AND (?4 IS NULL OR room = ?4)
            AND (?5 IS NULL OR device = ?5)
          ORDER BY time, device LIMIT CAST(?6 AS INTEGER))";

/// More rows than there are.
const ALL: &str = "1000000000";

/// From when until when.
pub(crate) type Span = (DateTime<Utc>, DateTime<Utc>);

/// Which events are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) event: Option<&'a str>,
    pub(crate) room: Option<&'a str>,
    pub(crate) device: Option<&'a str>,
    pub(crate) limit: Option<usize>,
}

/// A house with its store.
pub(crate) struct Home {
    pub(crate) house: House,
    store: OnceCell<Store>,
    /// Whether measurements are in a file; otherwise they are computed again.
    has_file: bool,
}

impl Home {
    pub(crate) async fn open(file: Option<&Path>, seed: u64) -> Result<Self, String> {
        let home =
            Self { house: House::new(seed), store: OnceCell::new(), has_file: file.is_some() };
        if file.is_some() {
            home.store.set(tables(&home.house, file).await?).ok();
        }
        Ok(home)
    }

    async fn store(&self) -> Result<&Store, String> {
        self.store.get_or_try_init(|| tables(&self.house, None)).await
    }

    /// What a device measured, oldest first.
    pub(crate) async fn points(
        &self,
        index: usize,
        (start, end): Span,
        limit: Option<usize>,
    ) -> Result<Value, String> {
        if !self.has_file {
            let limit = limit.unwrap_or(usize::MAX);
            return Ok(json!(self.house.history(index, start, end, limit)));
        }
        let store = self.store().await?;
        let id = &self.house.devices[index].id;
        let rows = || {
            let (start, end) = house::week();
            let points = self.house.history(index, start, end, usize::MAX).into_iter();
            points.map(|point| (id.clone(), stamp(point.time), point.value)).collect::<Vec<_>>()
        };
        store.add(self.house.seed(), ("points", id), rows).await?;
        let limit = limit.map(|limit| limit.to_string());
        let (start, end) = (stamp(start), stamp(end));
        let limit = limit.as_deref().unwrap_or(ALL);
        store.json(POINTS, &[Some(id), Some(&start), Some(&end), Some(limit)]).await
    }

    /// What happened, oldest first.
    pub(crate) async fn events(
        &self,
        (start, end): Span,
        wanted: Wanted<'_>,
    ) -> Result<Value, String> {
        let limit = wanted.limit.map_or_else(|| ALL.to_owned(), |limit| limit.to_string());
        let (start, end) = (stamp(start), stamp(end));
        let Wanted { event, room, device, .. } = wanted;
        let given = [Some(start.as_str()), Some(&end), event, room, device, Some(&limit)];
        self.store().await?.json(EVENTS, &given).await
    }
}

async fn tables(house: &House, file: Option<&Path>) -> Result<Store, String> {
    let row = |(time, index, what): &crate::life::Event| {
        let device = &house.devices[*index];
        (stamp(*time), device.id.clone(), entity(house, *index), device.room, what.name())
    };
    let events: Vec<_> = Life::new(house).events.iter().map(row).collect();
    let tables = [
        Table::new("events", "time TEXT, device TEXT, entity TEXT, room TEXT, event TEXT", &events),
        Table::new::<()>("points", "device TEXT, time TEXT, value REAL", &[])
            .with_index("device, time"),
    ];
    Store::open(file, house.seed(), &tables).await
}

/// What Home Assistant calls what a device switches or senses.
pub(crate) fn entity(house: &House, index: usize) -> String {
    let device = &house.devices[index];
    let room = device.room;
    match house.appliance(index) {
        Some(Appliance::Light) => format!("light.{room}_{index:02}"),
        Some(other) => format!("switch.{room}_{}_{index:02}", other.name()),
        None if device.kind == Kind::Motion => format!("binary_sensor.{room}_{}", device.id),
        None => format!("sensor.{room}_{}", device.id),
    }
}

/// A span of the week: what is not said is its beginning or its end.
pub(crate) fn span(start: Option<&str>, end: Option<&str>) -> Result<Span, String> {
    let (first, last) = house::week();
    let time = |name, given: Option<&str>, usual| match given {
        Some(text) => moment(name, text),
        None => Ok(usual),
    };
    Ok((time("start_time", start, first)?, time("end_time", end, last)?))
}

/// A time, or a day's beginning.
fn moment(name: &str, text: &str) -> Result<DateTime<Utc>, String> {
    let day = || {
        let day = text.parse::<chrono::NaiveDate>().ok()?;
        day.and_hms_opt(0, 0, 0).map(|day| day.and_utc())
    };
    let time = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    time.or_else(day).ok_or_else(|| {
        format!("`{name}` is {text:?}; write it as 2026-01-06 or 2026-01-06T12:00:00Z")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn measurements_in_a_file_are_those_of_the_seed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("home.db");
        let [kept, made] =
            [Home::open(Some(&file), 3).await.unwrap(), Home::open(None, 3).await.unwrap()];
        for limit in [None, Some(7)] {
            let of = |home: &'_ Home| json!(home.house.devices[0].id);
            assert_eq!(of(&kept), of(&made));
            let span = span(Some("2026-01-06"), None).unwrap();
            let [kept, made] =
                [kept.points(0, span, limit).await, made.points(0, span, limit).await];
            assert_eq!(kept.unwrap(), made.unwrap());
        }
    }

    #[tokio::test]
    async fn events_are_chosen_by_what_is_asked() {
        let home = Home::open(None, 1).await.unwrap();
        let all = span(None, None).unwrap();
        let count =
            async |wanted| home.events(all, wanted).await.unwrap().as_array().unwrap().len();
        let every = count(Wanted::default()).await;
        let motion = count(Wanted { event: Some("motion"), ..Wanted::default() }).await;
        assert!(motion > 5_000 && every > motion, "{motion} of {every}");
        assert_eq!(count(Wanted { limit: Some(5), ..Wanted::default() }).await, 5);
        assert_eq!(count(Wanted { room: Some("moon"), ..Wanted::default() }).await, 0);
    }
}
