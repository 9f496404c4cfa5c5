//! The server `travel`: expenses, trips, camp grounds and bookings of people on the road.
//!
//! Every question goes to the store with parameters. Whose rows they are is an argument; that nobody
//! gives another's is the gateway's rule. A booking takes its time, as some services do: it is asked
//! after until it is confirmed.

use std::path::Path;

use chrono::{TimeDelta, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::house::stamp;
use crate::roads;
use crate::served::{self, Tools};
use crate::store::{Store, Table};

const EXPENSES: &str = "SELECT json_group_array(json_object('number', number, 'day', day,
        'category', category, 'vendor', vendor, 'amount', amount))
    FROM (SELECT * FROM expenses WHERE user = ?1
            AND (?2 IS NULL OR day >= ?2) AND (?3 IS NULL OR day <= ?3)
            AND (?4 IS NULL OR category = ?4)
          ORDER BY day, number)";

const ADD_EXPENSE: &str = "INSERT INTO expenses
    SELECT max(number) + 1, ?1, ?2, ?3, ?4, CAST(?5 AS REAL) FROM expenses
    RETURNING json_object('number', number, 'day', day, 'amount', amount)";

const TRIPS: &str = "SELECT json_group_array(json_object('number', number, 'name', name,
        'first_day', first_day, 'last_day', last_day, 'start', start, 'destination', destination))
    FROM (SELECT * FROM trips WHERE user = ?1 ORDER BY first_day)";

const CAMPS: &str = "SELECT json_group_array(json_object('id', id, 'name', name,
        'latitude', latitude, 'longitude', longitude, 'night', night,
        'electricity', json(iif(electricity, 'true', 'false')), 'rating', rating))
    FROM (SELECT * FROM camps WHERE ?1 IS NULL OR id = ?1 ORDER BY id)";

const BOOK: &str = "INSERT INTO bookings
    SELECT printf('B%04d', count(*) + 1), ?1, ?2, ?3, CAST(?4 AS INTEGER), ?5 FROM bookings
    RETURNING json_object('id', id, 'status', 'pending')";

const BOOKING: &str = "SELECT coalesce((SELECT json_object('id', id, 'camp', camp,
        'first_day', first_day, 'nights', nights,
        'status', iif(ready <= ?3, 'confirmed', 'pending'))
    FROM bookings WHERE user = ?1 AND id = ?2), 'null')";

/// How long a booking takes.
const SLOW: TimeDelta = TimeDelta::milliseconds(1_200);
/// What a litre costs, and how many a hundred kilometres take.
const FUEL: (f64, f64) = (1.82, 11.5);
/// Roads are longer than the way a bird flies.
const BENDS: f64 = 1.3;

/// The server.
pub(crate) struct Travel {
    store: Store,
}

#[derive(Deserialize)]
struct Expenses {
    user_id: String,
    start_date: Option<String>,
    end_date: Option<String>,
    category: Option<String>,
}

#[derive(Deserialize)]
struct Spent {
    user_id: String,
    day: String,
    category: String,
    vendor: String,
    amount: f64,
}

#[derive(Deserialize)]
struct User {
    user_id: String,
}

#[derive(Deserialize)]
struct Around {
    latitude: f64,
    longitude: f64,
    within_km: f64,
    electricity: Option<bool>,
}

#[derive(Deserialize)]
struct Route {
    start: String,
    destination: String,
}

#[derive(Deserialize)]
struct Stay {
    user_id: String,
    camp_id: String,
    first_day: String,
    nights: u32,
}

#[derive(Deserialize)]
struct Booking {
    user_id: String,
    booking_id: String,
}

impl Travel {
    pub(crate) async fn new(file: Option<&Path>, seed: u64) -> Result<Self, String> {
        let tables = [
            Table::new(
                "expenses",
                "number INTEGER, user TEXT, day TEXT, category TEXT, vendor TEXT, amount REAL",
                &roads::expenses(seed),
            )
            .with_index("user, day"),
            Table::new(
                "trips",
                "number INTEGER, user TEXT, name TEXT, first_day TEXT, last_day TEXT, start TEXT, destination TEXT",
                &roads::TRIPS,
            ),
            Table::new(
                "camps",
                "id TEXT, name TEXT, latitude REAL, longitude REAL, night REAL, electricity INTEGER, rating REAL",
                &roads::camps(seed),
            ),
            Table::new::<()>(
                "bookings",
                "id TEXT, user TEXT, camp TEXT, first_day TEXT, nights INTEGER, ready TEXT",
                &[],
            ),
        ];
        Ok(Self { store: Store::open(file, seed, &tables).await? })
    }

    async fn expenses(&self, of: &Expenses) -> Result<Value, String> {
        let [start, end, category] =
            [&of.start_date, &of.end_date, &of.category].map(|given| given.as_deref());
        let given = [Some(of.user_id.as_str()), start, end, category];
        Ok(json!({ "expenses": self.store.json(EXPENSES, &given).await? }))
    }

    async fn spend(&self, one: &Spent) -> Result<Value, String> {
        let amount = one.amount.to_string();
        let given = [&one.user_id, &one.day, &one.category, &one.vendor, &amount];
        self.store.json(ADD_EXPENSE, &given.map(|text| Some(text.as_str()))).await
    }

    async fn camps(&self, around: &Around) -> Result<Value, String> {
        let all = self.store.json(CAMPS, &[None]).await?;
        let here = (around.latitude, around.longitude);
        let near = |camp: &Value| {
            let place = (camp["latitude"].as_f64()?, camp["longitude"].as_f64()?);
            let away = roads::distance(here, place);
            let fits = around.electricity.is_none_or(|wanted| camp["electricity"] == wanted);
            let mut camp = camp.clone();
            camp["km"] = json!((away * 10.0).round() / 10.0);
            (away <= around.within_km && fits).then_some(camp)
        };
        let camps: Vec<Value> = all.as_array().into_iter().flatten().filter_map(near).collect();
        Ok(json!({ "camps": camps }))
    }

    async fn book(&self, stay: &Stay) -> Result<Value, String> {
        let known = self.store.json(CAMPS, &[Some(&stay.camp_id)]).await?;
        if known[0].is_null() {
            return Err(format!(
                "there is no camp ground {:?}; search_campgrounds finds them",
                stay.camp_id
            ));
        }
        let (nights, ready) = (stay.nights.to_string(), stamp(Utc::now() + SLOW));
        let given = [&stay.user_id, &stay.camp_id, &stay.first_day, &nights, &ready];
        self.store.json(BOOK, &given.map(|text| Some(text.as_str()))).await
    }

    async fn booking(&self, of: &Booking) -> Result<Value, String> {
        let now = stamp(Utc::now());
        let given = [of.user_id.as_str(), &of.booking_id, &now].map(Some);
        match self.store.json(BOOKING, &given).await? {
            Value::Null => Err(format!("there is no booking {:?} of yours", of.booking_id)),
            found => Ok(found),
        }
    }
}

/// The way between two places, by way of those that lie between them.
fn route(of: &Route) -> Result<Value, String> {
    let place = |name: &str| {
        roads::PLACES.iter().position(|place| place.0 == name).ok_or_else(|| {
            let names = roads::PLACES.map(|place| place.0).join(", ");
            format!("there is no way to {name:?}; there are {names}")
        })
    };
    let (from, to) = (place(&of.start)?, place(&of.destination)?);
    let mut stops: Vec<_> = roads::PLACES[from.min(to)..=from.max(to)].to_vec();
    if from > to {
        stops.reverse();
    }
    let legs =
        stops.windows(2).map(|two| roads::distance((two[0].1, two[0].2), (two[1].1, two[1].2)));
    let km = (legs.sum::<f64>() * BENDS).round();
    let stops: Vec<Value> = stops
        .iter()
        .map(|(name, latitude, longitude)| {
            json!({ "place": name, "latitude": latitude, "longitude": longitude })
        })
        .collect();
    let fuel = (km / 100.0 * FUEL.1 * FUEL.0 * 100.0).round() / 100.0;
    Ok(json!({ "km": km, "fuel_cost": fuel, "stops": stops }))
}

impl Tools for Travel {
    const NAME: &str = "tidegate-travel";
    const ABOUT: &str = "Expenses, trips, camp grounds and bookings of people on the road.";
    const DEFINITIONS: &str = include_str!("travel.tools.json");

    async fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        match tool {
            "get_expenses" => self.expenses(&served::read(tool, arguments)?).await,
            "add_expense" => self.spend(&served::read(tool, arguments)?).await,
            "get_trips" => {
                let of: User = served::read(tool, arguments)?;
                Ok(json!({ "trips": self.store.json(TRIPS, &[Some(&of.user_id)]).await? }))
            }
            "search_campgrounds" => self.camps(&served::read(tool, arguments)?).await,
            "get_route" => route(&served::read(tool, arguments)?),
            "book_campground" => self.book(&served::read(tool, arguments)?).await,
            "get_booking" => self.booking(&served::read(tool, arguments)?).await,
            _ => Err(served::unknown(tool)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(travel: &Travel, tool: &str, arguments: Value) -> Result<Value, String> {
        travel.answer(tool, arguments.as_object().unwrap().clone()).await
    }

    #[tokio::test]
    async fn nobody_has_the_rows_of_another_whatever_an_argument_says() {
        let travel = Travel::new(None, 1).await.unwrap();
        let count = async |user: &str| {
            let answer = asked(&travel, "get_expenses", json!({ "user_id": user })).await.unwrap();
            answer["expenses"].as_array().unwrap().len()
        };
        assert_eq!(count("alice").await, 100_000);
        assert_eq!(count("bob").await, 400);
        assert_eq!(count("bob' OR '1'='1").await, 0);
        let stay = json!({ "user_id": "alice", "camp_id": "camp-001", "first_day": "2026-07-11", "nights": 2 });
        let booked = asked(&travel, "book_campground", stay).await.unwrap();
        assert_eq!(booked["status"], "pending");
        let of = |user: &str| json!({ "user_id": user, "booking_id": booked["id"] });
        assert_eq!(asked(&travel, "get_booking", of("alice")).await.unwrap()["nights"], 2);
        let reason = asked(&travel, "get_booking", of("bob")).await.unwrap_err();
        assert_eq!(reason, "there is no booking \"B0001\" of yours");
    }

    #[tokio::test]
    async fn an_expense_that_is_added_is_found_again() {
        let travel = Travel::new(None, 1).await.unwrap();
        let one = json!({ "user_id": "bob", "day": "2026-07-01", "category": "food", "vendor": "x'); DROP TABLE expenses; --", "amount": 12.5 });
        asked(&travel, "add_expense", one).await.unwrap();
        let july = json!({ "user_id": "bob", "start_date": "2026-07-01" });
        let found = asked(&travel, "get_expenses", july).await.unwrap();
        assert_eq!(found["expenses"][0]["amount"], 12.5);
        assert_eq!(found["expenses"][0]["vendor"], "x'); DROP TABLE expenses; --");
    }

    #[test]
    fn a_way_has_its_stops_in_order() {
        let of = |start: &str, destination: &str| {
            route(&Route { start: start.into(), destination: destination.into() })
        };
        let way = of("Hamburg", "Oslo").unwrap();
        let stops: Vec<_> =
            way["stops"].as_array().unwrap().iter().map(|stop| stop["place"].clone()).collect();
        assert_eq!(stops, ["Hamburg", "Copenhagen", "Gothenburg", "Oslo"]);
        assert!(of("Oslo", "Atlantis").unwrap_err().contains("Atlantis"));
    }
}
