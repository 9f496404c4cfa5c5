//! The server `travel`: expenses, trips, camp grounds and bookings of people on the road.
//!
//! Every question goes to the database with parameters. Whose rows they are is an argument; that nobody
//! gives another's is the gateway's rule. A booking takes its time, as some services do: it is asked
//! after until it is confirmed.

mod bookings;
mod camps;
mod money;
#[cfg(test)]
mod tests;

use std::path::Path;

use chrono::NaiveDate;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::database::{Database, Given};
use crate::roads;
use crate::served::{self, Tools};
use crate::store::Table;

const TRIPS: &str = "SELECT number, name, first_day, last_day, start, destination
    FROM trips WHERE traveller = $1 ORDER BY first_day, number";

const ADD_TRIP: &str = "INSERT INTO trips
    SELECT coalesce(max(number), 0) + 1, $1, $2, $3, $4, $5, $6 FROM trips
    RETURNING number, name";

/// What a litre costs, and how many a hundred kilometres take.
const FUEL: (f64, f64) = (1.82, 11.5);
/// Roads are longer than the way a bird flies.
const BENDS: f64 = 1.3;

/// The server.
pub(crate) struct Travel {
    database: Database,
    seed: u64,
}

#[derive(Deserialize)]
struct User {
    user_id: String,
}

#[derive(Deserialize)]
struct Trip {
    user_id: String,
    name: String,
    first_day: String,
    last_day: String,
    start: String,
    destination: String,
}

#[derive(Deserialize)]
struct Route {
    start: String,
    destination: String,
}

impl Travel {
    /// One whose rows are in the PostgreSQL at `address`, or else in `file`, or else in memory.
    pub(crate) async fn new(
        address: Option<&str>,
        file: Option<&Path>,
        seed: u64,
    ) -> Result<Self, String> {
        let database = Database::open((address, file), seed, &tables(seed)).await?;
        Ok(Self { database, seed })
    }

    async fn trips(&self, of: &User) -> Result<Value, String> {
        Ok(json!({ "trips": self.database.rows(TRIPS, &[(&of.user_id).into()]).await? }))
    }

    async fn plan(&self, trip: &Trip) -> Result<Value, String> {
        let (first, last) = (day(&trip.first_day)?, day(&trip.last_day)?);
        if last < first {
            return Err(format!("the trip ends on {last}, before it begins on {first}"));
        }
        let (start, destination) = (place(&trip.start)?, place(&trip.destination)?);
        let [start, destination] = [start, destination].map(|at| roads::PLACES[at].0);
        let (first, last) = (first.to_string(), last.to_string());
        let given: [Given<'_>; 6] = [
            (&trip.user_id).into(),
            (&trip.name).into(),
            (&first).into(),
            (&last).into(),
            start.into(),
            destination.into(),
        ];
        one(self.database.change(ADD_TRIP, &given).await?)
    }
}

fn tables(seed: u64) -> [Table; 5] {
    [
        Table::new(
            "expenses",
            "number INTEGER, traveller TEXT, day TEXT, category TEXT, vendor TEXT, amount REAL",
            &roads::expenses(seed),
        )
        .with_index("traveller, day"),
        Table::new(
            "trips",
            "number INTEGER, traveller TEXT, name TEXT, first_day TEXT, last_day TEXT, start TEXT, destination TEXT",
            &roads::TRIPS,
        ),
        Table::new(
            "camps",
            "id TEXT, name TEXT, latitude REAL, longitude REAL, night REAL, electricity INTEGER, rating REAL, pitches INTEGER",
            &roads::camps(seed),
        ),
        Table::new(
            "services",
            "id TEXT, kind TEXT, name TEXT, latitude REAL, longitude REAL, price REAL",
            &roads::services(seed),
        ),
        Table::new::<()>(
            "bookings",
            "number INTEGER, traveller TEXT, camp TEXT, first_day TEXT, nights INTEGER, ready TEXT, cancelled INTEGER",
            &[],
        ),
    ]
}

/// The row that a statement about one row returned.
fn one(rows: Vec<Value>) -> Result<Value, String> {
    rows.into_iter().next().ok_or_else(|| "the store did not say what it made of it".to_owned())
}

/// A day as people write it.
fn day(text: &str) -> Result<NaiveDate, String> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d")
        .map_err(|_| format!("{text:?} is no day; write it as 2026-07-11"))
}

/// Which of the places it is.
fn place(name: &str) -> Result<usize, String> {
    roads::PLACES.iter().position(|place| place.0 == name).ok_or_else(|| {
        let names = roads::PLACES.map(|place| place.0).join(", ");
        format!("there is no way to {name:?}; there are {names}")
    })
}

/// The way between two places, by way of those that lie between them.
fn route(of: &Route) -> Result<Value, String> {
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
            "get_expense_summary" => self.summary(&served::read(tool, arguments)?).await,
            "remove_expense" => self.remove(&served::read(tool, arguments)?).await,
            "get_trips" => self.trips(&served::read(tool, arguments)?).await,
            "add_trip" => self.plan(&served::read(tool, arguments)?).await,
            "search_campgrounds" => self.camps(&served::read(tool, arguments)?).await,
            "get_campground" => self.camp(&served::read(tool, arguments)?).await,
            "check_availability" => self.availability(&served::read(tool, arguments)?).await,
            "search_services" => self.services(&served::read(tool, arguments)?).await,
            "get_route" => route(&served::read(tool, arguments)?),
            "book_campground" => self.book(&served::read(tool, arguments)?).await,
            "get_booking" => self.booking(&served::read(tool, arguments)?).await,
            "get_bookings" => self.bookings(&served::read(tool, arguments)?).await,
            "cancel_booking" => self.cancel(&served::read(tool, arguments)?).await,
            _ => Err(served::unknown(tool)),
        }
    }
}
