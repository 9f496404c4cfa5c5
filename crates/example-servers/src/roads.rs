//! What two people on the road have: expenses, trips, camp grounds, other places to stop, and places to drive to.

use chrono::{Datelike as _, NaiveDate, TimeDelta};

use crate::chance;

/// Expenses of the first; the other has few.
pub(crate) const EXPENSES: u32 = 100_000;
/// Expenses of the second.
pub(crate) const FEW: u32 = 400;
/// Camp grounds.
pub(crate) const CAMPS: u32 = 300;
/// Places where a van gets what it needs.
const SERVICES: u32 = 240;
/// Days in which money was spent, up to the last of June 2026.
const DAYS: u32 = 900;

/// A place: its name, latitude and longitude.
pub(crate) const PLACES: [(&str, f64, f64); 8] = [
    ("Bergen", 60.39, 5.32),
    ("Oslo", 59.91, 10.75),
    ("Gothenburg", 57.71, 11.97),
    ("Copenhagen", 55.68, 12.57),
    ("Hamburg", 53.55, 9.99),
    ("Amsterdam", 52.37, 4.90),
    ("Paris", 48.86, 2.35),
    ("Lyon", 45.76, 4.84),
];

const VENDORS: [(&str, [&str; 3]); 5] = [
    ("fuel", ["Circle Stop", "North Fuel", "Last Pump"]),
    ("food", ["Harbour Market", "Roadside Kitchen", "Green Grocer"]),
    ("camping", ["Fjord Camp", "Lake Side", "Forest Pitch"]),
    ("tolls", ["Bridge Office", "Ferry Line", "Tunnel Pass"]),
    ("repairs", ["Van Doctor", "Tyre House", "Glass and Door"]),
];

/// Number, user, day, category, vendor, amount.
pub(crate) type Expense = (u32, &'static str, String, &'static str, &'static str, f64);

/// Number, user, name, first day, last day, from, to.
pub(crate) type Trip =
    (u32, &'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

/// Id, name, latitude, longitude, price of a night, whether there is electricity, rating, pitches.
pub(crate) type Camp = (String, String, f64, f64, f64, u8, f64, usize);

/// Id, kind, name, latitude, longitude, price.
pub(crate) type Service = (String, &'static str, String, f64, f64, f64);

/// What a van needs on the way, what a place that has it is called, and what it costs there at least.
const KINDS: [(&str, &str, f64); 4] = [
    ("dump_station", "Waste point", 3.0),
    ("fuel", "Pump", 1.6),
    ("repair", "Workshop", 55.0),
    ("water", "Tap", 1.0),
];

pub(crate) const TRIPS: [Trip; 4] = [
    (1, "alice", "Fjords", "2025-06-02", "2025-06-20", "Bergen", "Oslo"),
    (2, "alice", "To the south", "2026-07-10", "2026-07-24", "Oslo", "Hamburg"),
    (3, "bob", "Coast", "2026-08-01", "2026-08-09", "Amsterdam", "Paris"),
    (4, "alice", "Rivers", "2025-09-01", "2025-09-10", "Paris", "Lyon"),
];

/// All expenses, day by day.
pub(crate) fn expenses(seed: u64) -> Vec<Expense> {
    let of = |number: u32| {
        let (user, place, count) = match number.checked_sub(EXPENSES) {
            None => ("alice", number, EXPENSES),
            Some(other) => ("bob", other, FEW),
        };
        let pick = |what, count| choice(seed, what, number, count);
        let last = NaiveDate::from_ymd_opt(2026, 6, 30).unwrap_or_default();
        let before = u64::from(DAYS - 1) - u64::from(place) * u64::from(DAYS) / u64::from(count);
        let day = last - TimeDelta::days(i64::try_from(before).unwrap_or(0));
        let (category, vendors) = VENDORS[pick(1, VENDORS.len())];
        let part = chance::fraction(seed, 7_000, u64::from(number));
        // Three in a hundred are large.
        let amount = if pick(2, 100) < 3 { 80.0 + 320.0 * part } else { 1.0 + 70.0 * part };
        let vendor = vendors[pick(3, vendors.len())];
        (number, user, day.to_string(), category, vendor, cents(amount))
    };
    (0..EXPENSES + FEW).map(of).collect()
}

/// Camp grounds around the places.
pub(crate) fn camps(seed: u64) -> Vec<Camp> {
    let of = |number: u32| {
        let part = |what| chance::fraction(seed, what, u64::from(number));
        let (place, latitude, longitude) = PLACES[choice(seed, 4, number, PLACES.len())];
        let kind = ["Pines", "Meadow", "Shore", "Hill", "Mill"][choice(seed, 5, number, 5)];
        let near = |middle: f64, what| ((middle + part(what) - 0.5) * 1e4).round() / 1e4;
        (
            format!("camp-{number:03}"),
            format!("{kind} of {place}"),
            near(latitude, 7_001),
            near(longitude, 7_002),
            (18.0 + 40.0 * part(7_003)).round(),
            u8::from(choice(seed, 6, number, 3) > 0),
            (20.0 + 30.0 * part(7_004)).round() / 10.0,
            12 + choice(seed, 7, number, 40),
        )
    };
    (0..CAMPS).map(of).collect()
}

/// Places around the places where a van gets what it needs.
pub(crate) fn services(seed: u64) -> Vec<Service> {
    let of = |number: u32| {
        let part = |what| chance::fraction(seed, what, u64::from(number));
        let (place, latitude, longitude) = PLACES[choice(seed, 8, number, PLACES.len())];
        let (kind, name, least) = KINDS[choice(seed, 9, number, KINDS.len())];
        let near = |middle: f64, what| ((middle + part(what) - 0.5) * 1e4).round() / 1e4;
        (
            format!("stop-{number:03}"),
            kind,
            format!("{name} {number} at {place}"),
            near(latitude, 7_005),
            near(longitude, 7_006),
            cents(least * (1.0 + part(7_007))),
        )
    };
    (0..SERVICES).map(of).collect()
}

/// How many pitches of a camp ground others have taken for a night. One is always left.
pub(crate) fn taken(seed: u64, camp: &str, night: NaiveDate, pitches: i64) -> i64 {
    let number: u64 =
        camp.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or(0);
    let day = u64::try_from(night.num_days_from_ce()).unwrap_or(0);
    let place = 1 << 53 | number << 32 | day;
    let taken = chance::choice(seed, place, usize::try_from(pitches).unwrap_or(1));
    i64::try_from(taken).unwrap_or(0)
}

/// Kilometres between two points of the earth.
pub(crate) fn distance(from: (f64, f64), to: (f64, f64)) -> f64 {
    let [(a, b), (c, d)] =
        [from, to].map(|(latitude, longitude)| (latitude.to_radians(), longitude.to_radians()));
    let half = |angle: f64| (angle / 2.0).sin().powi(2);
    let part = half(c - a) + a.cos() * c.cos() * half(d - b);
    2.0 * 6_371.0 * part.sqrt().asin()
}

fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

fn choice(seed: u64, what: u64, number: u32, count: usize) -> usize {
    chance::choice(seed, 1 << 52 | what << 40 | u64::from(number), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expenses_end_with_june_and_are_of_two_users() {
        let expenses = expenses(1);
        assert_eq!(expenses.len(), 100_400);
        let of = |user: &str| expenses.iter().filter(|one| one.1 == user).count();
        assert_eq!((of("alice"), of("bob")), (100_000, 400));
        assert!(expenses.iter().all(|one| one.2.as_str() <= "2026-06-30"));
        assert_eq!(expenses[99_999].2, "2026-06-30");
    }

    #[test]
    fn a_camp_ground_has_room_for_one_more_in_every_night() {
        let night = NaiveDate::from_ymd_opt(2026, 7, 10).unwrap();
        let counts: Vec<i64> = (0..400)
            .map(|after| taken(1, "camp-017", night + TimeDelta::days(after), 12))
            .collect();
        assert_eq!(counts.iter().min(), Some(&0));
        assert_eq!(counts.iter().max(), Some(&11));
        assert_ne!(
            counts,
            (0..400)
                .map(|after| taken(1, "camp-018", night + TimeDelta::days(after), 12))
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn distances_are_those_of_the_earth() {
        let [oslo, hamburg] = [1, 4].map(|at| (PLACES[at].1, PLACES[at].2));
        assert!((distance(oslo, hamburg) - 709.0).abs() < 5.0, "{}", distance(oslo, hamburg));
    }
}
