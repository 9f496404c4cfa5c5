//! What a run that rests is said to wait for, and what it and its children hold meanwhile.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::PATIENCE;
use crate::gateway::Gateway;

const KEPT: [&str; 4] = ["--durable", "true", "--freeze-after", "0.1s"];

/// Runs that have a place, as the metrics say.
fn running(gateway: &Gateway) -> String {
    metric(gateway, "tidegate_running ")
}

/// What the metrics say of one thing.
fn metric(gateway: &Gateway, name: &str) -> String {
    let metrics = gateway.text("/metrics");
    let mut lines = metrics.lines().filter_map(|line| line.strip_prefix(name));
    lines.next().unwrap_or_default().trim().to_owned()
}

/// Comes back when so many runs have a place.
fn until_running(gateway: &Gateway, count: &str) {
    let begun = Instant::now();
    while running(gateway) != count {
        assert!(begun.elapsed() < PATIENCE, "{} run", running(gateway));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_keeps_its_place_while_its_child_computes_and_not_while_it_sleeps() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let child = "import asyncio, time\nawait asyncio.sleep(20)\nend = time.time() + 2\nwhile time.time() < end:\n    pass\nreturn 'slept'";
    let id = gateway.begin(&json!({ "code": format!("await spawn({child:?})") })).unwrap();
    let begun = Instant::now();
    while gateway.run(&id).unwrap()["waiting"]["for"] != json!(["$spawn"]) {
        assert!(begun.elapsed() < PATIENCE, "it never waited");
        std::thread::sleep(Duration::from_millis(20));
    }
    until_running(&gateway, "0");
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], "slept", "{run:#}");
    // For less than the child may compute, however idle the machine is.
    let busy = "import time\nend = time.time() + 5\nwhile time.time() < end:\n    pass";
    let id = gateway.begin(&json!({ "code": format!("await spawn({busy:?})\n'done'") })).unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(running(&gateway), "1", "its child would have no place");
    assert_eq!(gateway.over(&id, PATIENCE)["return_value"], "done");
    until_running(&gateway, "0");
}

/// A run that gave up waiting for six calls and sleeps, once it is said not to wait for them.
fn given_up(gateway: &Gateway) -> String {
    let code = "import asyncio\nfrom servers.desk import look\ntry:\n    await asyncio.wait_for(asyncio.gather(*[look(key=k) for k in 'abcdef']), 3)\nexcept (TimeoutError, asyncio.TimeoutError):\n    pass\nawait asyncio.sleep(600)";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    let begun = Instant::now();
    loop {
        let run = gateway.run(&id).unwrap();
        let is_made = run["calls"].as_array().is_some_and(|calls| calls.len() == 6);
        if is_made && run["waiting"]["for"] == json!([]) {
            return id;
        }
        assert!(begun.elapsed() < PATIENCE, "{run:#}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_run_does_not_wait_for_what_it_gave_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 30.0, &[]);
    gateway.start();
    let id = given_up(&gateway);
    gateway.runs(&["cancel", &id]);
}

#[test]
fn what_a_run_waits_for_and_since_when_is_the_same_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 30.0, &KEPT);
    gateway.start();
    let id = given_up(&gateway);
    // Then it lies in an image that knows of that.
    until_running(&gateway, "0");
    let waits = |gateway: &Gateway| gateway.run(&id).unwrap()["waiting"].clone();
    let before = waits(&gateway);
    gateway.kill();
    gateway.start();
    assert_eq!(waits(&gateway)["for"], json!([]));
    assert_eq!(waits(&gateway)["since"], before["since"]);
    gateway.runs(&["cancel", &id]);
}

#[test]
fn runs_are_listed_by_what_they_do_and_not_by_how_they_began() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let code = "import asyncio\nawait asyncio.sleep(600)";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    let begun = Instant::now();
    while gateway.run(&id).unwrap()["status"] != "waiting" {
        assert!(begun.elapsed() < PATIENCE, "it never waited");
        std::thread::sleep(Duration::from_millis(20));
    }
    let listed = |gateway: &Gateway| {
        ["queued", "running", "waiting"]
            .map(|status| gateway.runs(&["list", "--status", status]).contains(&id))
    };
    assert_eq!(listed(&gateway), [false, false, true]);
    gateway.kill();
    let mut other = Gateway::new(folder.path(), 0.01, &[]);
    other.start();
    assert_eq!(listed(&other), [false, false, true]);
    let run = other.run(&id).unwrap();
    assert_eq!((&run["status"], &run["waiting"]["paused"]), (&json!("waiting"), &json!(true)));
}

#[test]
fn many_that_wake_while_the_disk_is_slow_have_no_more_guests_than_may_run() {
    const RUNS: usize = 24;
    let folder = tempfile::tempdir().unwrap();
    let bounds = ["--max-running", "2", "--max-live", "3"];
    let arguments = [&KEPT[..], &bounds].concat();
    let mut gateway = Gateway::new(folder.path(), 0.01, &arguments).with_power_cuts();
    gateway.environment.push(("SHADOW_PAUSE".to_owned(), "60".to_owned()));
    gateway.start();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let code = "import asyncio, time\nawait asyncio.sleep(at - time.time())\n7";
    let at = now.as_secs_f64() + 40.0;
    let asked = json!({ "code": code, "context": { "at": at } });
    let ids: Vec<String> = (0..RUNS).map(|_| gateway.begin(&asked).unwrap()).collect();
    let begun = Instant::now();
    let is_open = |gateway: &Gateway| metric(gateway, "tidegate_open_runs ");
    assert_eq!(is_open(&gateway), RUNS.to_string(), "they were to sleep for longer");
    until_running(&gateway, "0");
    let mut most = 0.0_f64;
    while is_open(&gateway) != "0" {
        let alive = metric(&gateway, "tidegate_sessions{state=\"alive\"} ");
        most = most.max(alive.parse().unwrap());
        assert!(begun.elapsed() < PATIENCE, "{} are not over", is_open(&gateway));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(most <= 4.0, "{most} guests");
    for id in ids {
        assert_eq!(gateway.run(&id).unwrap()["return_value"], 7);
    }
}
