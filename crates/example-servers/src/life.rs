//! A week of life in the house: what moved, what was switched, and the habits behind it.
//!
//! Habits are planted: lights that people switch on when they come in, machines that are switched on at
//! the same time every day, one that is left on at night. Around them there is everything else that
//! happens in a house, so that a habit has to be found.

use chrono::{DateTime, TimeDelta, Utc};

use crate::chance;
use crate::house::{self, Appliance, House, Kind};

/// Days in the week.
const DAYS: u32 = 7;

/// What kind of habit it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Habit {
    /// A light is switched on by hand soon after something moved in its room.
    MotionThenLight,
    /// A machine is switched on at the same time of the day.
    DailyRoutine,
    /// A machine stays on over night.
    LeftOnAtNight,
}

impl Habit {
    pub(crate) const ALL: [Self; 3] =
        [Self::MotionThenLight, Self::DailyRoutine, Self::LeftOnAtNight];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MotionThenLight => "motion_then_light",
            Self::DailyRoutine => "daily_routine",
            Self::LeftOnAtNight => "left_on_at_night",
        }
    }
}

/// A habit that was planted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Planted {
    pub(crate) habit: Habit,
    /// What comes before it, if anything does.
    pub(crate) trigger: Option<usize>,
    pub(crate) device: usize,
}

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happening {
    Motion,
    TurnedOn,
    TurnedOff,
}

impl Happening {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Motion => "motion",
            Self::TurnedOn => "turned_on",
            Self::TurnedOff => "turned_off",
        }
    }
}

/// When, which device, what.
pub(crate) type Event = (DateTime<Utc>, usize, Happening);

/// The week that belongs to a house.
pub(crate) struct Life {
    seed: u64,
    pub(crate) planted: Vec<Planted>,
    pub(crate) events: Vec<Event>,
}

impl Life {
    pub(crate) fn new(house: &House) -> Self {
        let mut life = Self { seed: house.seed(), planted: plant(house), events: Vec::new() };
        for planted in life.planted.clone() {
            match planted.habit {
                Habit::MotionThenLight => life.evenings(&planted),
                Habit::DailyRoutine => life.mornings(planted.device),
                Habit::LeftOnAtNight => life.nights(planted.device),
            }
        }
        life.everything_else(house);
        life.events.sort_by_key(|(time, device, _)| (*time, *device));
        life
    }

    /// Four times between two hours, somebody comes in and reaches for the switch.
    fn evenings(&mut self, planted: &Planted) {
        let Some(sensor) = planted.trigger else { return };
        let light = planted.device;
        let from = 17 + self.pick(1, light, 0, 3);
        for time in 0..DAYS * 4 {
            let into = self.pick(2, light, time, 2_700) + (time % 4) * 2_700;
            let moved = at(time / 4, from * 3_600 + into);
            let on = moved + seconds(5 + self.pick(3, light, time, 35));
            let off = on + seconds(300 + self.pick(4, light, time, 600));
            self.note(moved, sensor, Happening::Motion);
            self.note(on, light, Happening::TurnedOn);
            self.note(off, light, Happening::TurnedOff);
        }
    }

    /// At the same time every day, give or take five minutes.
    fn mornings(&mut self, device: usize) {
        let from = 6 * 3_600 + self.pick(5, device, 0, 12) * 900;
        for day in 0..DAYS {
            let on = at(day, from + self.pick(6, device, day, 600));
            self.note(on, device, Happening::TurnedOn);
            self.note(on + seconds(1_800), device, Happening::TurnedOff);
        }
    }

    /// On in the evening, off the next morning.
    fn nights(&mut self, device: usize) {
        for day in 0..DAYS {
            let on = at(day, 18 * 3_600 + self.pick(7, device, day, 10_800));
            let off = at(day + 1, 7 * 3_600 + self.pick(8, device, day, 3_600));
            self.note(on, device, Happening::TurnedOn);
            self.note(off, device, Happening::TurnedOff);
        }
    }

    fn everything_else(&mut self, house: &House) {
        let over_night = |life: &Self, device| {
            let mut left = life.planted.iter().filter(|one| one.habit == Habit::LeftOnAtNight);
            left.any(|one| one.device == device)
        };
        for (index, device) in house.devices.iter().enumerate() {
            match device.kind {
                Kind::Motion => {
                    for time in 0..DAYS * 30 {
                        let moved = at(time / 30, self.pick(9, index, time, 86_400));
                        self.note(moved, index, Happening::Motion);
                    }
                }
                Kind::Power if !over_night(self, index) => {
                    for time in 0..DAYS * 2 {
                        let on = at(time / 2, self.pick(10, index, time, 82_000));
                        let off = on + seconds(300 + self.pick(11, index, time, 3_300));
                        self.note(on, index, Happening::TurnedOn);
                        self.note(off, index, Happening::TurnedOff);
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes what happened within the week.
    fn note(&mut self, time: DateTime<Utc>, device: usize, what: Happening) {
        if time < house::week().1 {
            self.events.push((time, device, what));
        }
    }

    /// One of `count` numbers, for a kind of thing, a device and the how many-th time.
    fn pick(&self, what: u64, device: usize, time: u32, count: u32) -> u32 {
        let device = u64::try_from(device).unwrap_or(0);
        let place = 1 << 48 | what << 40 | device << 16 | u64::from(time);
        let chosen = chance::choice(self.seed, place, usize::try_from(count).unwrap_or(1));
        u32::try_from(chosen).unwrap_or(0)
    }
}

/// Lights in two or three rooms, two machines every day, one over night.
fn plant(house: &House) -> Vec<Planted> {
    let seed = house.seed();
    let mut planted: Vec<Planted> = Vec::new();
    let appliance = |index| house.appliance(index);
    let lights = (0..house::DEVICES).filter(|index| appliance(*index) == Some(Appliance::Light));
    let watched = lights.filter_map(|light| {
        let room = house.devices[light].room;
        let sensor =
            house.devices.iter().position(|one| one.room == room && one.kind == Kind::Motion)?;
        Some(Planted { habit: Habit::MotionThenLight, trigger: Some(sensor), device: light })
    });
    let rooms = 2 + chance::choice(seed, 5_000, 2);
    planted.extend(some_of(seed, 5_001, watched.collect(), rooms));
    let machines: Vec<usize> = (0..house::DEVICES)
        .filter(|index| appliance(*index).is_some_and(|one| one != Appliance::Light))
        .collect();
    let habits = [Habit::DailyRoutine, Habit::DailyRoutine, Habit::LeftOnAtNight];
    let chosen = some_of(seed, 5_002, machines, habits.len());
    let of = |(device, habit)| Planted { habit, trigger: None, device };
    planted.extend(chosen.into_iter().zip(habits).map(of));
    planted.sort();
    planted
}

/// So many of these, by chance.
fn some_of<T>(seed: u64, place: u64, mut all: Vec<T>, count: usize) -> Vec<T> {
    let mut chosen = Vec::new();
    for turn in (0_u64..).take(count.min(all.len())) {
        chosen.push(all.swap_remove(chance::choice(seed, place + (turn << 20), all.len())));
    }
    chosen
}

fn at(day: u32, second: u32) -> DateTime<Utc> {
    house::week().0 + TimeDelta::days(i64::from(day)) + seconds(second)
}

fn seconds(count: u32) -> TimeDelta {
    TimeDelta::seconds(i64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_has_its_habits_and_much_else_in_the_order_of_time() {
        let life = Life::new(&House::new(1));
        let lights = life.planted.iter().filter(|one| one.habit == Habit::MotionThenLight).count();
        assert!((2..=3).contains(&lights) && life.planted.len() == lights + 3);
        assert!(life.events.len() > 5_000, "{}", life.events.len());
        assert!(life.events.windows(2).all(|two| two[0].0 <= two[1].0));
        assert_ne!(life.planted, Life::new(&House::new(2)).planted);
    }
}
