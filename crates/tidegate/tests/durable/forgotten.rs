//! What is known of a run when power, lines of its ledger or all of it are lost.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::again::ledger;
use crate::effects::slow;
use crate::gateway::Gateway;

/// A run whose one write was under way when its gateway was killed.
fn killed(gateway: &mut Gateway) -> String {
    let code = "from servers.desk import book\nawait book(key='once')";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    gateway.until_counted(1);
    std::thread::sleep(Duration::from_millis(500));
    gateway.kill();
    id
}

fn refuses_to_take_over(gateway: &Gateway, id: &str) {
    let refused = gateway.ask("POST", &format!("/api/v1/runs/{id}/resume"), Some(&json!({})));
    let refused = refused.unwrap();
    assert_eq!(refused["error"]["code"], "not_resumable", "{refused:#}");
    let said = refused["error"]["message"].to_string();
    assert!(said.contains("nobody knows"), "{said}");
}

#[test]
fn a_run_that_somebody_waits_for_is_not_forgotten_once_it_has_called_something() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--durable", "true", "--freeze-after", "600s"];
    let mut gateway = Gateway::new(folder.path(), 0.01, &options).with_power_cuts();
    gateway.start();
    let code = "import asyncio\nfrom servers.desk import look\nfound = await look(key='a')\nawait asyncio.sleep(4)\nfound['key']";
    let waits = gateway.send("", "POST", "/execute", Some(&json!({ "code": code })));
    gateway.until_counted(1);
    std::thread::sleep(Duration::from_millis(1_000));
    let runs = gateway.ask("GET", "/api/v1/runs", None).unwrap();
    let id = runs["runs"][0]["run_id"].as_str().unwrap_or_else(|| panic!("{runs:#}")).to_owned();
    gateway.kill();
    drop(waits);
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], "a", "{run:#}");
}

#[test]
fn a_run_whose_ledger_lost_its_beginning_ends_unknown_and_what_is_left_of_it_is_kept() {
    type Damage = fn(&Path);
    let changed: Damage = |path| {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[40] ^= 1;
        std::fs::write(path, bytes).unwrap();
    };
    let emptied: Damage = |path| std::fs::write(path, "").unwrap();
    let removed: Damage = |path| std::fs::remove_file(path).unwrap();
    for (damage, left) in [(changed, 1), (emptied, 0), (removed, 0)] {
        let folder = tempfile::tempdir().unwrap();
        let mut gateway = slow(folder.path(), "");
        gateway.start();
        let id = killed(&mut gateway);
        damage(&ledger(folder.path(), &id));
        gateway.start();
        let run = gateway.over(&id, PATIENCE);
        assert_eq!(run["error"]["type"], "Unknown", "{run:#}");
        let fates = run["calls"].as_array().unwrap().iter().map(|call| call["fate"].clone());
        assert_eq!(fates.collect::<Vec<Value>>(), vec![json!("unknown"); left], "{run:#}");
        let aside = gateway.data().join("service/damaged").join(&id);
        assert!(aside.join("image-1").exists(), "somebody may want to look at it");
        refuses_to_take_over(&gateway, &id);
        assert_eq!(gateway.counted(), ["book once"]);
    }
}

#[test]
fn a_run_that_cannot_be_read_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = slow(folder.path(), "");
    gateway.start();
    let id = killed(&mut gateway);
    let path = ledger(folder.path(), &id);
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    gateway.start();
    assert_eq!(gateway.run(&id).unwrap()["status"], "queued");
    gateway.runs(&["cancel", &id]);
    for _ in 0..2 {
        assert_eq!(gateway.run(&id).unwrap()["status"], "cancelled");
        refuses_to_take_over(&gateway, &id);
        gateway.kill();
        gateway.start();
    }
}

#[test]
fn a_run_that_succeeded_was_not_cancelled_by_who_came_too_late() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    // Its picture has nowhere to go, so that it is over and not stored.
    let runs = gateway.data().join("service/runs");
    std::fs::remove_dir(&runs).unwrap();
    std::fs::write(&runs, "").unwrap();
    let code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\n1";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    assert_eq!(gateway.over(&id, PATIENCE)["status"], "succeeded");
    let path = format!("/api/v1/runs/{id}/cancel");
    let answer = gateway.ask("POST", &path, Some(&json!({}))).unwrap();
    assert_eq!(answer["cancelled"], false, "{answer:#}");
}
