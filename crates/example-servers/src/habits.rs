//! Habits in events: what follows what, what happens every day, what stays on.
//!
//! Nothing here knows what was planted. A habit needs most of the days that are looked at, and never
//! fewer than three of them (two nights).

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Timelike as _, Utc};
use serde::{Deserialize, Serialize};

use crate::life::Habit;

/// How long after a motion a light is switched on because of it.
const AFTER: TimeDelta = TimeDelta::seconds(60);
/// How many minutes of a day are the same time.
const SAME: u32 = 20;
/// Hours of the night, from midnight.
const NIGHT: TimeDelta = TimeDelta::hours(5);

/// Something that happened.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Seen {
    time: DateTime<Utc>,
    device_id: String,
    entity_id: String,
    room: String,
    event: String,
}

/// A habit that was found.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Found {
    pub(crate) pattern_type: &'static str,
    /// What comes before it, if anything does.
    pub(crate) trigger_id: Option<String>,
    pub(crate) device_id: String,
    entity_id: String,
    trigger_entity_id: Option<String>,
    room: String,
    occurrences: usize,
    /// The share of the times at which it could have been.
    confidence: f64,
    /// Within these hours of a day, or at this one.
    after: String,
    before: String,
}

/// The habits of these kinds in events that are in the order of time.
pub(crate) fn find(events: &[Seen], habits: &[Habit]) -> Vec<Found> {
    let lights = motion_then_light(events);
    let nights = left_on_at_night(events);
    // What is explained already is no routine.
    let explained: BTreeSet<&str> =
        lights.iter().chain(&nights).map(|found| found.device_id.as_str()).collect();
    let routines = daily_routine(events, &explained);
    let found = [lights, routines, nights].into_iter().flatten();
    found.filter(|found| habits.iter().any(|habit| habit.name() == found.pattern_type)).collect()
}

fn motion_then_light(events: &[Seen]) -> Vec<Found> {
    let mut followed: BTreeMap<(&str, &str), Vec<&Seen>> = BTreeMap::new();
    let lights = switched(events, "turned_on").filter(|one| one.entity_id.starts_with("light."));
    for on in lights.clone() {
        let first = events.partition_point(|one| one.time < on.time - AFTER);
        let before = events[first..].iter().take_while(|one| one.time <= on.time);
        let moved = before.filter(|one| one.event == "motion" && one.room == on.room);
        let sensors: BTreeSet<&str> = moved.map(|one| one.device_id.as_str()).collect();
        for sensor in sensors {
            followed.entry((&on.device_id, sensor)).or_default().push(on);
        }
    }
    let mut best: BTreeMap<&str, (&str, Vec<&Seen>)> = BTreeMap::new();
    for ((light, sensor), times) in followed {
        if best.get(light).is_none_or(|(_, known)| known.len() < times.len()) {
            best.insert(light, (sensor, times));
        }
    }
    let all = |light: &str| lights.clone().filter(|one| one.device_id == light).count();
    best.into_iter()
        .filter(|(light, (_, times))| {
            is_most(dates(times), dates(&all_of(events)), 3) && times.len() * 2 > all(light)
        })
        .map(|(light, (sensor, times))| {
            let trigger = events.iter().find(|one| one.device_id == sensor);
            Found {
                trigger_id: Some(sensor.to_owned()),
                trigger_entity_id: trigger.map(|one| one.entity_id.clone()),
                ..found(Habit::MotionThenLight, &times, all(light), hours(&times))
            }
        })
        .collect()
}

fn daily_routine(events: &[Seen], explained: &BTreeSet<&str>) -> Vec<Found> {
    let days = dates(&all_of(events));
    let mut devices: BTreeMap<&str, Vec<&Seen>> = BTreeMap::new();
    for on in switched(events, "turned_on") {
        if !explained.contains(on.device_id.as_str()) {
            devices.entry(&on.device_id).or_default().push(on);
        }
    }
    devices
        .into_values()
        .filter_map(|times| best_window(&times))
        .filter(|same| is_most(dates(same), days, 3))
        .map(|same| {
            let mut minutes: Vec<u32> = same.iter().map(|one| minute(one)).collect();
            minutes.sort_unstable();
            let usual = clock((minutes[minutes.len() / 2] + 2) / 5 * 5);
            found(Habit::DailyRoutine, &same, days, (usual.clone(), usual))
        })
        .collect()
}

/// Those within the part of the day that has most days.
fn best_window<'a>(times: &[&'a Seen]) -> Option<Vec<&'a Seen>> {
    let from = |start: &&Seen| -> Vec<&'a Seen> {
        let same = minute(start)..minute(start) + SAME;
        times.iter().copied().filter(|one| same.contains(&minute(one))).collect()
    };
    times.iter().map(from).rev().max_by_key(|same| dates(same))
}

fn left_on_at_night(events: &[Seen]) -> Vec<Found> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else { return Vec::new() };
    let midnights: Vec<DateTime<Utc>> = first
        .time
        .date_naive()
        .iter_days()
        .filter_map(|day| Some(day.and_hms_opt(0, 0, 0)?.and_utc()))
        .skip_while(|midnight| *midnight < first.time - TimeDelta::hours(1))
        .take_while(|midnight| *midnight + NIGHT <= last.time)
        .collect();
    let mut devices: BTreeMap<&str, (Option<&Seen>, Vec<&Seen>)> = BTreeMap::new();
    for one in events {
        let (on, nights) = devices.entry(&one.device_id).or_default();
        match one.event.as_str() {
            "turned_on" => *on = Some(one),
            "turned_off" => {
                let Some(since) = on.take() else { continue };
                let spans = |midnight: &DateTime<Utc>| {
                    since.time <= *midnight && *midnight + NIGHT <= one.time
                };
                nights.extend(midnights.iter().filter(|midnight| spans(midnight)).map(|_| since));
            }
            _ => {}
        }
    }
    devices
        .into_values()
        .map(|(_, nights)| nights)
        .filter(|nights| is_most(nights.len(), midnights.len().saturating_sub(1), 2))
        .map(|nights| {
            let hours = ("23:00:00".to_owned(), "05:00:00".to_owned());
            found(Habit::LeftOnAtNight, &nights, midnights.len().max(nights.len()), hours)
        })
        .collect()
}

fn all_of(events: &[Seen]) -> Vec<&Seen> {
    events.iter().collect()
}

fn switched<'a>(events: &'a [Seen], event: &'a str) -> impl Iterator<Item = &'a Seen> + Clone {
    events.iter().filter(move |one| one.event == event)
}

fn found(habit: Habit, times: &[&Seen], of: usize, hours: (String, String)) -> Found {
    let (first, (after, before)) = (times[0], hours);
    Found {
        pattern_type: habit.name(),
        trigger_id: None,
        device_id: first.device_id.clone(),
        entity_id: first.entity_id.clone(),
        trigger_entity_id: None,
        room: first.room.clone(),
        occurrences: times.len(),
        confidence: share(times.len(), of),
        after,
        before,
    }
}

/// Whether it is at least seven in ten, and at least so many.
fn is_most(count: usize, of: usize, least: usize) -> bool {
    count >= least && count * 10 >= of * 7
}

fn share(count: usize, of: usize) -> f64 {
    let whole = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    (whole(count) / whole(of.max(1)) * 100.0).round() / 100.0
}

/// On how many days.
fn dates(times: &[&Seen]) -> usize {
    times.iter().map(|one| one.time.date_naive()).collect::<BTreeSet<_>>().len()
}

/// The whole hours around nearly all of these times of the day.
fn hours(times: &[&Seen]) -> (String, String) {
    let mut minutes: Vec<u32> = times.iter().map(|one| minute(one)).collect();
    minutes.sort_unstable();
    // One in twenty at each end may be chance.
    let aside = minutes.len() / 20;
    let kept = &minutes[aside..minutes.len() - aside];
    let (first, last) = (kept.first().copied(), kept.last().copied());
    let until = last.unwrap_or_default() / 60 * 60 + 60;
    (clock(first.unwrap_or_default() / 60 * 60), clock(until))
}

fn minute(one: &Seen) -> u32 {
    one.time.hour() * 60 + one.time.minute()
}

fn clock(minutes: u32) -> String {
    // The day's last moment, where it would be the next day's first.
    if minutes >= 24 * 60 {
        return "23:59:59".to_owned();
    }
    format!("{:02}:{:02}:00", minutes / 60, minutes % 60)
}
