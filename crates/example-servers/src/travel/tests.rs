//! What travellers are told, by a database in memory; `tests/travel` of the binary holds PostgreSQL to the same.

use super::*;

async fn in_memory() -> Travel {
    Travel::new(None, None, 1).await.unwrap()
}

async fn asked(travel: &Travel, tool: &str, arguments: Value) -> Result<Value, String> {
    travel.answer(tool, arguments.as_object().unwrap().clone()).await
}

#[tokio::test]
async fn nobody_has_the_rows_of_another_whatever_an_argument_says() {
    let travel = in_memory().await;
    let count = async |user: &str| {
        let answer = asked(&travel, "get_expenses", json!({ "user_id": user })).await.unwrap();
        answer["expenses"].as_array().unwrap().len()
    };
    assert_eq!(count("alice").await, 100_000);
    assert_eq!(count("bob").await, 400);
    assert_eq!(count("bob' OR '1'='1").await, 0);
    let stay = json!({ "user_id": "alice", "camp_id": "camp-001", "first_day": "2026-07-11", "nights": 2 });
    let booked = asked(&travel, "book_campground", stay).await.unwrap();
    assert_eq!(booked, json!({ "id": "B0001", "status": "pending" }));
    let of = |user: &str| json!({ "user_id": user, "booking_id": "B0001" });
    assert_eq!(asked(&travel, "get_booking", of("alice")).await.unwrap()["nights"], 2);
    for tool in ["get_booking", "cancel_booking"] {
        let reason = asked(&travel, tool, of("bob")).await.unwrap_err();
        assert_eq!(reason, "there is no booking \"B0001\" of yours");
    }
    let bookings = asked(&travel, "get_bookings", json!({ "user_id": "bob" })).await.unwrap();
    assert_eq!(bookings, json!({ "bookings": [] }));
    let hers = json!({ "user_id": "bob", "number": 1 });
    let reason = asked(&travel, "remove_expense", hers).await.unwrap_err();
    assert_eq!(reason, "there is no expense 1 of yours; get_expenses lists them");
}

#[tokio::test]
async fn an_expense_that_is_added_is_found_again_until_it_is_removed() {
    let travel = in_memory().await;
    let one = json!({ "user_id": "bob", "day": "2026-07-01", "category": "food", "vendor": "x'); DROP TABLE expenses; --", "amount": 12.0 });
    let added = asked(&travel, "add_expense", one).await.unwrap();
    assert_eq!(added, json!({ "number": 100_400, "day": "2026-07-01", "amount": 12.0 }));
    let july = json!({ "user_id": "bob", "start_date": "2026-07-01" });
    let found = asked(&travel, "get_expenses", july.clone()).await.unwrap();
    let row = json!({ "number": 100_400, "day": "2026-07-01", "category": "food", "vendor": "x'); DROP TABLE expenses; --", "amount": 12.0 });
    assert_eq!(found, json!({ "expenses": [row] }));
    let which = json!({ "user_id": "bob", "number": 100_400 });
    assert_eq!(asked(&travel, "remove_expense", which).await.unwrap(), row);
    assert_eq!(asked(&travel, "get_expenses", july).await.unwrap(), json!({ "expenses": [] }));
}

#[tokio::test]
async fn sums_come_to_what_the_rows_come_to() {
    let travel = in_memory().await;
    let rows = asked(&travel, "get_expenses", json!({ "user_id": "bob" })).await.unwrap();
    let rows = rows["expenses"].as_array().unwrap();
    let cents = |total: f64| (total * 100.0).round();
    let all: f64 = rows.iter().map(|row| row["amount"].as_f64().unwrap()).sum();
    for by in ["category", "vendor", "month"] {
        let asking = json!({ "user_id": "bob", "by": by });
        let sums = asked(&travel, "get_expense_summary", asking).await.unwrap();
        let groups = sums["groups"].as_array().unwrap();
        let total: f64 = groups.iter().map(|group| group["total"].as_f64().unwrap()).sum();
        assert!((cents(total) - cents(all)).abs() < 1.0, "{by}: {total} is not {all}");
        let count: u64 = groups.iter().map(|group| group["count"].as_u64().unwrap()).sum();
        assert_eq!(count, 400, "{by}");
        let names: Vec<_> = groups.iter().map(|group| group["name"].as_str().unwrap()).collect();
        assert!(names.is_sorted(), "{by}: {names:?}");
    }
    let june = json!({ "user_id": "bob", "by": "month", "start_date": "2026-06-01" });
    let june = asked(&travel, "get_expense_summary", june).await.unwrap();
    assert_eq!(june["groups"].as_array().unwrap().len(), 1);
    assert_eq!(june["groups"][0]["name"], "2026-06");
}

#[tokio::test]
async fn a_camp_ground_fills_up_and_has_room_again() {
    let travel = in_memory().await;
    let room = json!({ "camp_id": "camp-001", "first_day": "2026-07-11", "nights": 1 });
    let free = async || {
        let told = asked(&travel, "check_availability", room.clone()).await.unwrap();
        assert_eq!(told["nights"][0]["night"], "2026-07-11");
        let free = told["nights"][0]["free"].as_u64().unwrap();
        assert_eq!(told["available"], free > 0);
        free
    };
    let mut stay = room.clone();
    stay["user_id"] = json!("alice");
    let first = free().await;
    assert!(first > 0);
    for left in (0..first).rev() {
        asked(&travel, "book_campground", stay.clone()).await.unwrap();
        assert_eq!(free().await, left);
    }
    let reason = asked(&travel, "book_campground", stay.clone()).await.unwrap_err();
    assert_eq!(
        reason,
        "the camp ground \"camp-001\" is full in the night of 2026-07-11; check_availability says which are not"
    );
    let one = json!({ "user_id": "alice", "booking_id": "B0001" });
    let cancelled = asked(&travel, "cancel_booking", one.clone()).await.unwrap();
    assert_eq!(cancelled, json!({ "id": "B0001", "status": "cancelled" }));
    assert_eq!(asked(&travel, "get_booking", one).await.unwrap()["status"], "cancelled");
    assert_eq!(free().await, 1);
}

#[tokio::test]
async fn what_is_around_a_place_is_not_too_far_away() {
    let travel = in_memory().await;
    let around =
        json!({ "latitude": 59.91, "longitude": 10.75, "within_km": 40, "electricity": true });
    let camps = asked(&travel, "search_campgrounds", around).await.unwrap();
    let camps = camps["camps"].as_array().unwrap();
    assert!(!camps.is_empty());
    assert!(camps.iter().all(|one| one["electricity"] == true && one["km"].as_f64() <= Some(40.0)));
    let same = json!({ "camp_id": camps[0]["id"] });
    assert_eq!(asked(&travel, "get_campground", same).await.unwrap()["name"], camps[0]["name"]);
    let needed = json!({ "latitude": 59.91, "longitude": 10.75, "within_km": 60, "kind": "water" });
    let services = asked(&travel, "search_services", needed).await.unwrap();
    let services = services["services"].as_array().unwrap();
    assert!(!services.is_empty() && services.iter().all(|one| one["kind"] == "water"));
}

#[tokio::test]
async fn a_trip_that_is_planned_is_among_the_trips() {
    let travel = in_memory().await;
    let trip = |last: &str, to: &str| json!({ "user_id": "bob", "name": "North", "first_day": "2026-09-01", "last_day": last, "start": "Oslo", "destination": to });
    let added = asked(&travel, "add_trip", trip("2026-09-09", "Bergen")).await.unwrap();
    assert_eq!(added, json!({ "number": 5, "name": "North" }));
    let trips = asked(&travel, "get_trips", json!({ "user_id": "bob" })).await.unwrap();
    let names: Vec<_> =
        trips["trips"].as_array().unwrap().iter().map(|trip| &trip["name"]).collect();
    assert_eq!(names, ["Coast", "North"]);
    let reason = asked(&travel, "add_trip", trip("2026-08-09", "Bergen")).await.unwrap_err();
    assert_eq!(reason, "the trip ends on 2026-08-09, before it begins on 2026-09-01");
    let reason = asked(&travel, "add_trip", trip("soon", "Bergen")).await.unwrap_err();
    assert_eq!(reason, "\"soon\" is no day; write it as 2026-07-11");
    let reason = asked(&travel, "add_trip", trip("2026-09-09", "Atlantis")).await.unwrap_err();
    assert!(reason.starts_with("there is no way to \"Atlantis\""), "{reason}");
}

#[tokio::test]
async fn a_text_with_a_zero_is_refused_by_both_databases_alike() {
    let travel = in_memory().await;
    let reason = asked(&travel, "get_trips", json!({ "user_id": "a\0b" })).await.unwrap_err();
    assert_eq!(reason, "a text has the character U+0000 in it, which no table keeps; leave it out");
}

#[tokio::test]
async fn an_address_that_is_none_is_said_to_be_none_and_not_repeated() {
    for address in
        ["postgres://traveller:secret@host:port/name", "mysql://traveller:secret@host/name"]
    {
        let reason = Travel::new(Some(address), None, 1).await.err().unwrap();
        assert_eq!(
            reason,
            "the PostgreSQL that TIDEGATE_TRAVEL_DATABASE names: this is no address of one; it is given as postgres://USER:PASSWORD@HOST:PORT/NAME, and left out for SQLite"
        );
    }
}

#[tokio::test]
async fn every_tool_that_is_described_is_answered() {
    let travel = in_memory().await;
    let tools: Value = serde_json::from_str(Travel::DEFINITIONS).unwrap();
    let tools = tools.as_array().unwrap();
    assert_eq!(tools.len(), 15);
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let told = asked(&travel, name, json!({})).await;
        assert_ne!(told, Err(served::unknown(name)));
    }
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
