//! What lies at the road: camp grounds, whether they have room, and what else a van needs.

use chrono::{Days, NaiveDate};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Travel, day};
use crate::database::Given;
use crate::roads;

const CAMPS: &str = "SELECT id, name, latitude, longitude, night, electricity, rating, pitches
    FROM camps WHERE $1 IS NULL OR id = $1 ORDER BY id";

const SERVICES: &str = "SELECT id, kind, name, latitude, longitude, price
    FROM services WHERE $1 IS NULL OR kind = $1 ORDER BY id";

const BOOKED: &str = "SELECT first_day, nights FROM bookings WHERE camp = $1 AND cancelled = 0";

/// The most nights that are asked about at once.
const NIGHTS: u32 = 60;

#[derive(Deserialize)]
pub(super) struct Around {
    latitude: f64,
    longitude: f64,
    within_km: f64,
    electricity: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct Camp {
    camp_id: String,
}

#[derive(Deserialize)]
pub(super) struct Stay {
    camp_id: String,
    first_day: String,
    nights: u32,
}

#[derive(Deserialize)]
pub(super) struct Needed {
    latitude: f64,
    longitude: f64,
    within_km: f64,
    kind: Option<String>,
}

impl Travel {
    pub(super) async fn camps(&self, around: &Around) -> Result<Value, String> {
        let all = self.database.rows(CAMPS, &[Given::Text(None)]).await?;
        let fits =
            |camp: &Value| around.electricity.is_none_or(|wanted| camp["electricity"] == wanted);
        let camps = all.into_iter().map(with_electricity).filter(fits);
        Ok(json!({ "camps": near((around.latitude, around.longitude), around.within_km, camps) }))
    }

    pub(super) async fn camp(&self, which: &Camp) -> Result<Value, String> {
        let found = self.database.rows(CAMPS, &[(&which.camp_id).into()]).await?;
        found.into_iter().next().map(with_electricity).ok_or_else(|| {
            format!("there is no camp ground {:?}; search_campgrounds finds them", which.camp_id)
        })
    }

    pub(super) async fn availability(&self, stay: &Stay) -> Result<Value, String> {
        let nights = self.free(&stay.camp_id, day(&stay.first_day)?, stay.nights).await?;
        let is_free = nights.iter().all(|(_, free)| *free > 0);
        let nights: Vec<Value> = nights
            .into_iter()
            .map(|(night, free)| json!({ "night": night.to_string(), "free": free }))
            .collect();
        Ok(json!({ "camp_id": stay.camp_id, "available": is_free, "nights": nights }))
    }

    pub(super) async fn services(&self, needed: &Needed) -> Result<Value, String> {
        let all = self.database.rows(SERVICES, &[(&needed.kind).into()]).await?;
        let here = (needed.latitude, needed.longitude);
        Ok(json!({ "services": near(here, needed.within_km, all.into_iter()) }))
    }

    /// How many pitches are free in each of these nights: all, less those of others, less those that were
    /// booked here.
    pub(super) async fn free(
        &self,
        camp_id: &str,
        first: NaiveDate,
        nights: u32,
    ) -> Result<Vec<(NaiveDate, i64)>, String> {
        if !(1..=NIGHTS).contains(&nights) {
            return Err(format!("{nights} nights cannot be asked for; 1 to {NIGHTS} can"));
        }
        let camp = self.camp(&Camp { camp_id: camp_id.to_owned() }).await?;
        let pitches = camp["pitches"].as_i64().unwrap_or(0);
        let booked = self.database.rows(BOOKED, &[camp_id.into()]).await?;
        let spans: Vec<_> = booked.iter().filter_map(span).collect();
        let of = |night: NaiveDate| {
            let ours = spans.iter().filter(|(from, to)| (*from..*to).contains(&night)).count();
            let ours = i64::try_from(ours).unwrap_or(i64::MAX);
            let others = roads::taken(self.seed, camp_id, night, pitches);
            (night, (pitches - others - ours).max(0))
        };
        let days =
            (0..u64::from(nights)).filter_map(|after| first.checked_add_days(Days::new(after)));
        Ok(days.map(of).collect())
    }
}

/// From which night up to before which one a booking goes.
fn span(booking: &Value) -> Option<(NaiveDate, NaiveDate)> {
    let first = day(booking["first_day"].as_str()?).ok()?;
    let nights = booking["nights"].as_u64()?;
    Some((first, first.checked_add_days(Days::new(nights))?))
}

/// A number in the table, as neither database needs a word for it.
fn with_electricity(mut camp: Value) -> Value {
    camp["electricity"] = json!(camp["electricity"] != 0);
    camp
}

/// Those that are not too far away, with how far they are.
fn near(here: (f64, f64), within_km: f64, all: impl Iterator<Item = Value>) -> Vec<Value> {
    all.filter_map(|mut one| {
        let place = (one["latitude"].as_f64()?, one["longitude"].as_f64()?);
        let away = roads::distance(here, place);
        one["km"] = json!((away * 10.0).round() / 10.0);
        (away <= within_km).then_some(one)
    })
    .collect()
}
