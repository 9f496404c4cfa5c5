//! Nights at camp grounds: booked, confirmed after a while, and given back.

use chrono::{TimeDelta, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Travel, User, day, one};
use crate::database::Given;
use crate::house::stamp;

const BOOK: &str = "INSERT INTO bookings
    SELECT coalesce(max(number), 0) + 1, $1, $2, $3, $4, $5, 0 FROM bookings
    RETURNING number";

const BOOKINGS: &str = "SELECT number, camp, first_day, nights, ready, cancelled FROM bookings
    WHERE traveller = $1 AND ($2 = 0 OR number = $2) ORDER BY number";

const CANCEL: &str = "UPDATE bookings SET cancelled = 1 WHERE traveller = $1 AND number = $2
    RETURNING number";

/// How long a booking takes.
const SLOW: TimeDelta = TimeDelta::milliseconds(1_200);
/// In place of a number: all of them.
const ALL: i64 = 0;

#[derive(Deserialize)]
pub(super) struct Stay {
    user_id: String,
    camp_id: String,
    first_day: String,
    nights: u32,
}

#[derive(Deserialize)]
pub(super) struct Booking {
    user_id: String,
    booking_id: String,
}

impl Booking {
    /// What the table knows it by.
    fn number(&self) -> Option<i64> {
        let number = self.booking_id.strip_prefix('B')?.parse().ok()?;
        (number > ALL && id(number) == self.booking_id).then_some(number)
    }

    fn is_not_there(&self) -> String {
        format!("there is no booking {:?} of yours", self.booking_id)
    }
}

impl Travel {
    pub(super) async fn book(&self, stay: &Stay) -> Result<Value, String> {
        let first = day(&stay.first_day)?;
        let nights = self.free(&stay.camp_id, first, stay.nights).await?;
        if let Some((full, _)) = nights.iter().find(|(_, free)| *free == 0) {
            return Err(format!(
                "the camp ground {:?} is full in the night of {full}; check_availability says which are not",
                stay.camp_id
            ));
        }
        let (first, ready) = (first.to_string(), stamp(Utc::now() + SLOW));
        let given: [Given<'_>; 5] = [
            (&stay.user_id).into(),
            (&stay.camp_id).into(),
            (&first).into(),
            i64::from(stay.nights).into(),
            (&ready).into(),
        ];
        let booked = one(self.database.change(BOOK, &given).await?)?;
        Ok(json!({ "id": id(booked["number"].as_i64().unwrap_or(ALL)), "status": "pending" }))
    }

    pub(super) async fn booking(&self, which: &Booking) -> Result<Value, String> {
        let number = which.number().ok_or_else(|| which.is_not_there())?;
        let given: [Given<'_>; 2] = [(&which.user_id).into(), number.into()];
        let found = self.database.rows(BOOKINGS, &given).await?;
        found.first().map(shown).ok_or_else(|| which.is_not_there())
    }

    pub(super) async fn bookings(&self, of: &User) -> Result<Value, String> {
        let found = self.database.rows(BOOKINGS, &[(&of.user_id).into(), ALL.into()]).await?;
        Ok(json!({ "bookings": found.iter().map(shown).collect::<Vec<_>>() }))
    }

    /// The booking stays, and says that it was cancelled.
    pub(super) async fn cancel(&self, which: &Booking) -> Result<Value, String> {
        let number = which.number().ok_or_else(|| which.is_not_there())?;
        let given: [Given<'_>; 2] = [(&which.user_id).into(), number.into()];
        let cancelled = self.database.change(CANCEL, &given).await?;
        let told = json!({ "id": which.booking_id, "status": "cancelled" });
        cancelled.first().map(|_| told).ok_or_else(|| which.is_not_there())
    }
}

fn id(number: i64) -> String {
    format!("B{number:04}")
}

/// A booking as it is told: whether it is confirmed depends on the time.
fn shown(row: &Value) -> Value {
    let status = if row["cancelled"] != 0 {
        "cancelled"
    } else if row["ready"].as_str() <= Some(stamp(Utc::now()).as_str()) {
        "confirmed"
    } else {
        "pending"
    };
    json!({
        "id": id(row["number"].as_i64().unwrap_or(ALL)),
        "camp": row["camp"],
        "first_day": row["first_day"],
        "nights": row["nights"],
        "status": status,
    })
}
