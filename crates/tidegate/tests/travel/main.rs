//! Travellers' rows in a real PostgreSQL: the same answers as from SQLite, and the same example.
//!
//! Where no PostgreSQL is installed these tests say so and are skipped; `.ci/run` installs it, and says that they
//! must not be.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod client;
mod cluster;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use client::{Travel, VARIABLE, server};
use cluster::{Cluster, PASSWORD};
use policy::{Hints, Policy, PolicySettings, Question, Verdict};
use serde_json::{Value, json};

/// A vendor whose name would like to be SQL.
const VENDOR: &str = "Ærø's \"Pump\"; DROP TABLE expenses; -- \\ $1 ?1";

#[test]
fn both_databases_give_the_same_answers() {
    let Some(cluster) = Cluster::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut ours = Travel::in_file(&folder.path().join("travel.db"));
    let mut theirs = Travel::at(&cluster.address(PASSWORD));
    for (tool, arguments) in looks() {
        let (one, other) = (ours.call(tool, &arguments), theirs.call(tool, &arguments));
        assert!(one.is_ok(), "{tool} {arguments}: {one:?}");
        // What is not the same may be large.
        assert!(one == other, "{tool} {arguments}:\n{}\nis not\n{}", brief(&one), brief(&other));
    }
    for (tool, arguments, reason) in refusals() {
        for travel in [&mut ours, &mut theirs] {
            let told = travel.call(tool, &arguments).unwrap_err();
            assert!(told.contains(reason), "{tool} {arguments}: {told}");
        }
    }
}

#[test]
fn what_was_written_is_there_for_the_next_server() {
    let Some(cluster) = Cluster::start() else { return };
    let address = cluster.address(PASSWORD);
    let one = json!({ "user_id": "bob", "day": "2026-07-02", "category": "fuel", "vendor": VENDOR, "amount": 40.25 });
    let added = Travel::at(&address).call("add_expense", &one).unwrap();
    assert_eq!(added, json!({ "number": 100_400, "day": "2026-07-02", "amount": 40.25 }));
    let july = json!({ "user_id": "bob", "start_date": "2026-07-01" });
    let found = Travel::at(&address).call("get_expenses", &july).unwrap();
    assert_eq!(found["expenses"][0]["vendor"], VENDOR);
    let count = "SELECT count(*) FROM tidegate_travel.expenses WHERE traveller = 'bob'";
    assert_eq!(cluster.tell(count), "401");
}

#[test]
fn a_schema_of_somebody_else_is_left_alone() {
    let Some(cluster) = Cluster::start() else { return };
    cluster.tell("CREATE SCHEMA tidegate_travel CREATE TABLE expenses (mine TEXT)");
    let said = refused(&cluster.address(PASSWORD));
    assert!(said.contains("schema tidegate_travel was made by somebody else"), "{said}");
    assert_eq!(cluster.tell("SELECT count(*) FROM tidegate_travel.expenses"), "0");
}

#[test]
fn a_wrong_password_is_said_and_not_shown() {
    let Some(cluster) = Cluster::start() else { return };
    let said = refused(&cluster.address("not-this-one"));
    assert!(said.contains("password authentication failed"), "{said}");
    assert!(said.contains(VARIABLE), "{said}");
    assert!(!said.contains("not-this-one"), "{said}");
}

#[test]
fn the_example_shows_the_same_with_its_rows_in_postgresql() {
    let Some(cluster) = Cluster::start() else { return };
    let data = tempfile::tempdir().unwrap();
    let output = run(data.path(), &cluster.address(PASSWORD));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}:\n{said}", output.status);
    let shown = String::from_utf8(output.stdout).unwrap();
    let (results, _) = shown.split_once("\ntokens ").unwrap();
    let expected = std::fs::read_to_string(example().join("expected.txt")).unwrap();
    assert_eq!(results.trim(), expected.trim());
    assert!(!data.path().join("travel.db").exists(), "the rows are in SQLite");
    assert_eq!(cluster.tell("SELECT count(*) FROM tidegate_travel.expenses"), "100400");
    assert_eq!(cluster.tell("SELECT count(*) FROM tidegate_travel.bookings"), "1");
}

#[test]
fn the_example_says_at_once_why_its_database_is_not_to_be_had() {
    let data = tempfile::tempdir().unwrap();
    let output = run(data.path(), "postgres://alice:not-this-one@127.0.0.1:1/none");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains(VARIABLE) && said.contains("could not go on"), "{said}");
    assert!(!said.contains("not-this-one"), "{said}");
}

#[test]
fn everybody_reaches_rows_of_their_own_and_callers_without_a_rule_none() {
    let policy = rules();
    let tools = tools_about_somebody();
    assert_eq!(tools.len(), 10, "{tools:?}");
    for tool in &tools {
        // What cannot be undone is asked about.
        let own = if tool == "remove_expense" { Verdict::Ask } else { Verdict::Allow };
        for owner in ["alice", "bob", "carol", "local", "Alice", "alic\u{435}"] {
            let asked = |user: &str| decided(&policy, tool, owner, &json!({ "user_id": user }));
            for user in ["alice", "bob", "carol", "Alice", "alice ", ""] {
                let has_rows = ["alice", "bob"].contains(&owner);
                let expected = if user == owner && has_rows { own } else { Verdict::Deny };
                // Who is asked sees what is meant; a name that is only alike is asked about, too.
                if own == Verdict::Ask && has_rows && user.trim().eq_ignore_ascii_case(owner) {
                    assert_eq!(asked(user), Verdict::Ask, "{owner} calls {tool} for {user:?}");
                    continue;
                }
                assert_eq!(asked(user), expected, "{owner} calls {tool} for {user:?}");
            }
            for unclear in
                [json!({}), json!({ "user_id": ["alice", "bob"] }), json!({ "USER_ID": owner })]
            {
                let verdict = decided(&policy, tool, owner, &unclear);
                let is_asked = own == Verdict::Ask && verdict == Verdict::Ask;
                assert!(
                    is_asked || verdict == Verdict::Deny,
                    "{owner} calls {tool} with {unclear}"
                );
            }
        }
    }
}

#[test]
fn what_is_about_nobody_is_free_for_everybody() {
    let policy = rules();
    for owner in ["alice", "carol"] {
        let around = json!({ "latitude": 59.91, "longitude": 10.75, "within_km": 60 });
        assert_eq!(decided(&policy, "search_campgrounds", owner, &around), Verdict::Allow);
    }
}

/// Runs the example with its rows at an address.
fn run(data: &Path, address: &str) -> Output {
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    Command::new("python3")
        .arg("-B")
        .arg(example().join("run"))
        .env("TIDEGATE", env!("CARGO_BIN_EXE_tidegate"))
        .env("TIDEGATE_CACHE", cache)
        .env("TIDEGATE_DATA", data)
        .env("XDG_CONFIG_HOME", data)
        .env(VARIABLE, address)
        .output()
        .unwrap()
}

/// The rules of the example.
fn rules() -> Policy {
    let settings = std::fs::read_to_string(example().join("tidegate.toml")).unwrap();
    let mut settings: toml::Table = settings.parse().unwrap();
    let settings: PolicySettings = settings.remove("policy").unwrap().try_into().unwrap();
    Policy::new(settings, &["development", "production", "hardened"]).unwrap()
}

/// What they decide about a call of the server `travel`.
fn decided(policy: &Policy, tool: &str, owner: &str, arguments: &Value) -> Verdict {
    let question = Question {
        agent: "",
        server: "travel",
        tool,
        hints: Hints {
            read_only: Some(tool.starts_with("search_")),
            destructive: Some(tool == "remove_expense"),
            ..Hints::default()
        },
        is_trusted: true,
        owner,
        level: "production",
        arguments: arguments.as_object().unwrap(),
    };
    policy.decide(&question).verdict
}

/// The tools that have a parameter for whose rows they are about.
fn tools_about_somebody() -> Vec<String> {
    let file = root().join("crates/example-servers/src/travel.tools.json");
    let tools: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let personal = tools.as_array().unwrap().iter().filter(|tool| {
        let parameters = &tool["inputSchema"]["properties"];
        !parameters["user_id"].is_null()
    });
    personal.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// What can be asked, and then written and asked again, one after another.
fn looks() -> Vec<(&'static str, Value)> {
    let around = json!({ "latitude": 59.91, "longitude": 10.75, "within_km": 60 });
    let mut wired = around.clone();
    wired["electricity"] = json!(false);
    let mut water = around.clone();
    water["kind"] = json!("water");
    let room = json!({ "camp_id": "camp-017", "first_day": "2026-07-10", "nights": 14 });
    let mut stay = room.clone();
    stay["user_id"] = json!("bob");
    let of = |user: &str| json!({ "user_id": user });
    let july = json!({ "user_id": "bob", "start_date": "2026-07-01" });
    let spent = |amount: f64| json!({ "user_id": "bob", "day": "2026-07-02", "category": "fuel", "vendor": VENDOR, "amount": amount });
    let sums = |by: &str| json!({ "user_id": "alice", "by": by, "end_date": "2026-06-15" });
    let trip = json!({ "user_id": "bob", "name": VENDOR, "first_day": "2026-09-01", "last_day": "2026-09-09", "start": "Oslo", "destination": "Bergen" });
    let booking = json!({ "user_id": "bob", "booking_id": "B0001" });
    vec![
        ("get_expenses", of("alice")),
        ("get_expenses", of("bob")),
        ("get_expenses", of("bob' OR '1'='1")),
        (
            "get_expenses",
            json!({ "user_id": "alice", "start_date": "2026-06-01", "end_date": "2026-06-30", "category": "tolls" }),
        ),
        ("get_expense_summary", sums("category")),
        ("get_expense_summary", sums("vendor")),
        ("get_expense_summary", sums("month")),
        ("add_expense", spent(12.0)),
        ("add_expense", spent(0.1)),
        ("get_expenses", july.clone()),
        ("remove_expense", json!({ "user_id": "bob", "number": 100_400 })),
        ("get_expenses", july),
        ("get_trips", of("alice")),
        ("add_trip", trip),
        ("get_trips", of("bob")),
        ("search_campgrounds", around.clone()),
        ("search_campgrounds", wired),
        ("get_campground", json!({ "camp_id": "camp-017" })),
        ("check_availability", room.clone()),
        ("book_campground", stay),
        ("check_availability", room),
        ("cancel_booking", booking.clone()),
        ("get_booking", booking),
        ("get_bookings", of("bob")),
        ("search_services", around),
        ("search_services", water),
        ("get_route", json!({ "start": "Bergen", "destination": "Lyon" })),
    ]
}

/// What is refused, and with which words.
fn refusals() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("get_booking", json!({ "user_id": "alice", "booking_id": "B0001" }), "\"B0001\" of yours"),
        ("get_booking", json!({ "user_id": "bob", "booking_id": "B1" }), "\"B1\" of yours"),
        ("cancel_booking", json!({ "user_id": "bob", "booking_id": "B0000" }), "of yours"),
        ("remove_expense", json!({ "user_id": "bob", "number": 1 }), "there is no expense 1"),
        ("get_campground", json!({ "camp_id": "camp-1" }), "there is no camp ground \"camp-1\""),
        ("get_trips", json!({ "user_id": "a\0b" }), "U+0000"),
        ("get_expense_summary", json!({ "user_id": "bob", "by": "amount" }), "unknown variant"),
    ]
}

/// What a server says that does not start with this database.
fn refused(address: &str) -> String {
    let output = server().env(VARIABLE, address).stdin(Stdio::null()).output().unwrap();
    assert!(!output.status.success(), "it started");
    String::from_utf8(output.stderr).unwrap()
}

fn brief(answer: &Result<Value, String>) -> String {
    format!("{answer:?}").chars().take(2_000).collect()
}

fn example() -> PathBuf {
    root().join("examples/travel")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
