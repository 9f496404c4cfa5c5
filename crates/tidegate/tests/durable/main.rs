//! Nothing is done twice, nothing is lost: programs whose gateway is killed at any moment.
//!
//! `TIDEGATE_TEST_KILLS=300` kills as often as SPECIFICATION.md says; the usual number is smaller.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod again;
mod canaries;
mod children;
mod effects;
mod gated;
mod gateway;
mod minds;
mod moving;
mod once;
mod order;
mod receipts;
mod resting;
mod trail;
mod truth;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::gateway::Gateway;

const PATIENCE: Duration = Duration::from_secs(120);

/// Reads, writes that may be repeated and writes that may not, one after another and together.
fn program(name: &str) -> String {
    format!(
        r#"
import asyncio
from servers.desk import book, look, put
seen = []
for at in range(3):
    seen.append((await look(key=f"{name}-{{at}}"))["key"])
    seen.append((await book(key=f"{name}-{{at}}"))["key"])
    both = await asyncio.gather(book(key=f"{name}-{{at}}a"), put(key=f"{name}-{{at}}b"), book(key=f"{name}-{{at}}c"), look(key=f"{name}-{{at}}d"))
    seen += [one["key"] for one in both]
    await asyncio.sleep(0.02)
len(seen)
"#
    )
}

/// Reads and writes of several that go on independently, so that their order is another one after each
/// kill; each looks at whether it got its own answer.
fn branches(name: &str) -> String {
    format!(
        r#"
import asyncio
from servers.desk import book, look
async def branch(one):
    seen = 0
    for at in range(3):
        key = f"{name}-{{one}}{{at}}"
        assert (await look(key=key))["key"] == key
        seen += 1
    key = f"{name}-{{one}}"
    assert (await book(key=key)) == {{"tool": "book", "key": key}}
    assert (await look(key=key + "z"))["key"] == key + "z"
    return seen
sum(await asyncio.gather(*[branch(one) for one in "abcdef"]))
"#
    )
}

fn kills() -> usize {
    std::env::var("TIDEGATE_TEST_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(12)
}

/// Chance that repeats.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

#[test]
fn whenever_it_is_killed_no_run_is_lost_and_no_write_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway =
        Gateway::new(folder.path(), 0.03, &["--durable", "true", "--freeze-after", "0.1s"])
            .with_power_cuts();
    let mut chance = Chance(7);
    let mut accepted: Vec<String> = Vec::new();
    let (wanted, mut killed) = (kills(), 0);
    gateway.start();
    while killed < wanted {
        for _ in 0..3 {
            let name = format!("k{killed}-{}", accepted.len());
            let code =
                if accepted.len().is_multiple_of(2) { program(&name) } else { branches(&name) };
            accepted.extend(gateway.begin(&json!({ "code": code })));
        }
        std::thread::sleep(Duration::from_millis(20 + chance.below(500)));
        gateway.kill();
        killed += 1;
        gateway.start();
    }
    let mut unknown: Vec<String> = Vec::new();
    let (mut succeeded, mut failed) = (0, 0);
    let mut fates: HashMap<String, usize> = HashMap::new();
    for id in &accepted {
        let run = gateway.over(id, PATIENCE);
        for call in run["calls"].as_array().into_iter().flatten() {
            let fate =
                format!("{} {}", call["tool"].as_str().unwrap(), call["fate"].as_str().unwrap());
            *fates.entry(fate).or_default() += 1;
        }
        if run["success"] == true {
            assert_eq!(run["return_value"], 18, "{run}");
            succeeded += 1;
        } else {
            assert_eq!(run["error"]["type"], "Unknown", "{run:#}");
            unknown.extend(unknown_of(&run));
            failed += 1;
        }
    }
    let mut times: HashMap<String, usize> = HashMap::new();
    for call in gateway.counted() {
        *times.entry(call).or_default() += 1;
    }
    let booked = times.iter().filter(|(call, _)| call.starts_with("book "));
    let twice: Vec<_> = booked.clone().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "written twice: {twice:?}");
    // What the server counted is what the ledgers say: all that is committed, and some that is unknown.
    let (written, known) =
        (booked.clone().count(), |fate: &str| fates.get(fate).copied().unwrap_or(0));
    let (least, unsure) = (known("book committed"), known("book unknown"));
    assert!((least..=least + unsure).contains(&written), "{written} writes, {fates:?}");
    println!(
        "{killed} kills, {} runs accepted: {succeeded} succeeded, {failed} ended as unknown, {} writes, none twice",
        accepted.len(),
        booked.count()
    );
    assert!(!accepted.is_empty() && succeeded + failed == accepted.len());
    // Each that ended as unknown says which calls.
    assert!(failed == 0 || unknown.len() >= failed, "{unknown:?}");
}

/// Calls of a run whose fate is unknown.
fn unknown_of(run: &Value) -> Vec<String> {
    let calls = run["calls"].as_array().cloned().unwrap_or_default();
    let lost = calls.into_iter().filter(|call| call["fate"] == "unknown");
    lost.map(|call| call["tool"].as_str().unwrap_or_default().to_owned()).collect()
}

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
