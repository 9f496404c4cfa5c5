//! Nothing is done twice, nothing is lost: programs whose gateway is killed at any moment.
//!
//! `TIDEGATE_TEST_KILLS=300` kills as often as SPECIFICATION.md says; the usual number is smaller.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod again;
mod canaries;
mod children;
mod crashes;
mod effects;
mod forgotten;
mod gated;
mod gateway;
mod kills;
mod messages;
mod minds;
mod moving;
mod once;
mod order;
mod receipts;
mod resting;
mod swept;
mod trail;
mod truth;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::gateway::Gateway;

const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn a_run_that_sleeps_holds_no_guest_and_goes_on_in_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway =
        Gateway::new(folder.path(), 0.01, &["--durable", "true", "--freeze-after", "0.1s"]);
    gateway.start();
    let code = "import asyncio\nx = 40\nawait asyncio.sleep(10)\nprint('awake')\nx + 2";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    let begun = Instant::now();
    while gateway.ask("GET", "/api/v1/sessions", None).unwrap()["sessions"][0]["state"] == "alive"
        || gateway.run(&id).unwrap()["status"] != "waiting"
    {
        assert!(begun.elapsed() < PATIENCE, "it was not let go");
        std::thread::sleep(Duration::from_millis(20));
    }
    let waiting = gateway.run(&id).unwrap()["waiting"].clone();
    assert!(waiting["since"].is_string() && waiting["wakes_at"].is_string(), "{waiting}");
    assert!(gateway.runs(&["list", "--status", "waiting"]).contains(&id));
    gateway.kill();
    gateway.start();
    assert_eq!(gateway.run(&id).unwrap()["status"], "waiting");
    let shown = gateway.runs(&["show", &id]);
    assert!(shown.contains("waits for nothing but time since"), "{shown}");
    let run = gateway.over(&id, PATIENCE);
    assert_eq!((&run["return_value"], &run["stdout"]), (&json!(42), &json!("awake\n")));
    assert!(gateway.runs(&["follow", &id]).contains("42"));
    // Its session has what it left.
    let again = json!({ "code": "x", "session": run["session"] });
    assert_eq!(gateway.ask("POST", "/execute", Some(&again)).unwrap()["return_value"], 40);
}

#[test]
fn asked_to_end_it_freezes_what_waits_and_goes_on_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let code = "import asyncio\nfrom servers.desk import book\nawait book(key='once')\nawait asyncio.sleep(10)\n'done'";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    while gateway.counted().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(1_000));
    assert!(gateway.stop() < Duration::from_secs(60));
    gateway.start();
    assert_eq!(gateway.over(&id, PATIENCE)["return_value"], "done");
    assert_eq!(gateway.counted(), ["book once"]);
}

#[test]
fn a_program_run_again_repeats_no_write() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let code = |end: &str| {
        format!(
            "from servers.desk import book, look\na = await book(key='one')\nb = await look(key='two')\n{end}\nawait book(key='three')\n[a['key'], b['key']]"
        )
    };
    let first = gateway
        .ask("POST", "/execute", Some(&json!({ "code": code("int(\"x\".strip())") })))
        .unwrap();
    assert_eq!(first["error"]["type"], "ValueError");
    assert!(first["note"].as_str().unwrap_or_default().contains("desk.book"), "{first:#}");
    let again = json!({ "code": code(""), "resume_from": first["run_id"] });
    let second = gateway.ask("POST", "/execute", Some(&again)).unwrap();
    assert_eq!(second["return_value"], json!(["one", "two"]), "{second:#}");
    assert_eq!(gateway.counted(), ["book one", "look two", "book three"]);
    let third = gateway.runs(&["resume", first["run_id"].as_str().unwrap(), "--json"]);
    let third: Value = serde_json::from_str(&third).unwrap();
    let third = gateway.over(third["run_id"].as_str().unwrap(), PATIENCE);
    assert_eq!(third["error"]["type"], "ValueError");
    assert_eq!(gateway.counted().len(), 3);
}

#[test]
fn a_session_that_comes_back_from_disk_is_checked_against_what_its_programs_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &[]);
    gateway.start();
    let made = gateway.ask("POST", "/api/v1/sessions", Some(&json!({}))).unwrap();
    let session = made["id"].as_str().unwrap();
    let run = |gateway: &Gateway, code: &str| {
        let asked = json!({ "code": code, "session": session });
        gateway.ask("POST", "/execute", Some(&asked)).unwrap()
    };
    assert_eq!(run(&gateway, "import json as j\nrate = 3\nrate")["return_value"], 3);
    gateway.ask("POST", &format!("/api/v1/sessions/{session}/freeze"), Some(&json!({}))).unwrap();
    gateway.stop();
    gateway.start();
    let refused = run(&gateway, "print(j.dupms(rate))\nprint(raet)");
    let said = refused["error"].to_string();
    assert_eq!(refused["error"]["type"], "CheckError", "{refused:#}");
    assert!(said.contains("dupms") && said.contains("raet"), "{said}");
    assert_eq!(run(&gateway, "j.dumps([rate])")["return_value"], "[3]");
    let forked = gateway.ask("POST", &format!("/api/v1/sessions/{session}/fork"), Some(&json!({})));
    let fork = forked.unwrap()["id"].clone();
    gateway.stop();
    gateway.start();
    let asked = json!({ "code": "print(raet)", "session": fork });
    let refused = gateway.ask("POST", "/execute", Some(&asked)).unwrap();
    assert_eq!(refused["error"]["type"], "CheckError", "{refused:#}");
}
