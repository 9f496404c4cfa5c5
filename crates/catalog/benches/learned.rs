//! How long it takes to learn from one result: reading its shape, and adding that to what is known.
#![expect(clippy::print_stdout, reason = "the figures are the point")]

use std::time::Instant;

use catalog::learned::Sight;
use catalog::{Fingerprint, Learned, Tool};
use serde_json::{Value, json};

/// Rounds, of which the quickest counts.
const ROUNDS: usize = 100;

fn main() {
    for bytes in [1_000, 100_000, 1_000_000, 10_000_000] {
        measure(bytes);
    }
}

/// Times a list of records with about so many bytes of JSON.
fn measure(bytes: usize) {
    let mut records = Vec::new();
    let mut size = 0;
    while size < bytes {
        let record = record(records.len());
        size += record.to_string().len() + 1;
        records.push(record);
    }
    let count = records.len();
    let text = Value::Array(records).to_string();
    let tool = json!({"name": "list_issues"});
    let tool: Tool = serde_json::from_value(tool).expect("a tool");
    let fingerprint = Fingerprint::of(&tool);
    let mut known = Learned::new(fingerprint.clone());
    let (mut looking, mut adding) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let one = Learned::from_one(fingerprint.clone(), &Sight::Json(&text));
        looking = looking.min(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        known.merge(&one);
        adding = adding.min(start.elapsed().as_secs_f64() * 1e3);
    }
    let stored = serde_json::to_string(&known).map_or(0, |stored| stored.len());
    println!(
        "{} bytes, {count} records: {looking:.2} ms to look at, {adding:.2} ms to add ({stored} bytes stored)",
        text.len(),
    );
}

/// A record as a tracker of issues returns it.
fn record(number: usize) -> Value {
    json!({
        "id": number,
        "node_id": format!("MDU6SXNzdWU{number}"),
        "title": "Something does not work as the manual says",
        "state": if number.is_multiple_of(3) { "open" } else { "closed" },
        "user": {"login": format!("user{number}"), "id": number, "site_admin": false},
        "labels": [{"name": "bug", "color": "f29513"}, {"name": "help", "color": "a2eeef"}],
        "assignee": null,
        "comments": number % 7,
        "created_at": "2024-01-31T09:00:00Z",
        "body": "It happens every time. ".repeat(number % 9),
        "reactions": {"total": 3, "heart": 1, "confused": 0},
    })
}
