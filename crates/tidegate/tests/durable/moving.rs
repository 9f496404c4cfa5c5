//! Runs and sessions that go from one gateway to another, tasks that outlive it, and what is swept.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::Gateway;

const KEPT: [&str; 4] = ["--durable", "true", "--freeze-after", "0.1s"];

fn waits(gateway: &Gateway, id: &str) {
    let begun = Instant::now();
    while gateway.run(id).unwrap()["status"] != "waiting" {
        assert!(begun.elapsed() < PATIENCE, "it does not wait");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_frozen_in_an_await_finishes_on_a_gateway_with_another_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = Gateway::new(&folder.path().join("one"), 0.01, &KEPT);
    let mut other = Gateway::new(&folder.path().join("other"), 0.01, &KEPT);
    one.start();
    other.start();
    let before = one.ask("POST", "/execute", Some(&json!({ "code": "y = 2" }))).unwrap();
    let code = "import asyncio\nfrom servers.desk import book, look\nx = (await book(key='once'))['key']\nawait asyncio.sleep(2)\n(await look(key=x))['key'] * y";
    let body = json!({ "code": code, "session": before["session"] });
    let id = one.begin(&body).unwrap();
    while one.counted().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    waits(&one, &id);
    let file = folder.path().join("moved.run");
    let path = file.to_str().unwrap();
    one.runs(&["export", &id, "-o", path]);
    let left = one.run(&id).unwrap();
    assert_eq!((&left["status"], &left["error"]["type"]), (&json!("cancelled"), &json!("Moved")));
    // It can be fetched again, and does not go on after a restart either.
    let again = folder.path().join("again.run");
    one.kill();
    one.start();
    one.runs(&["export", &id, "-o", again.to_str().unwrap()]);
    assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(&again).unwrap());

    assert!(other.runs(&["import", path]).contains(&id));
    let run = other.over(&id, PATIENCE);
    assert_eq!(run["return_value"], "onceonce", "{run:#}");
    assert_eq!(
        (one.counted(), other.counted()),
        (vec!["book once".to_owned()], vec!["look once".to_owned()])
    );
    let refused = other.command("runs", &["import", path]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("here already"), "{refused:?}");
    // Its session is there as the run left it.
    let after = json!({ "code": "[x, y]", "session": run["session"] });
    let after = other.ask("POST", "/execute", Some(&after)).unwrap();
    assert_eq!(after["return_value"], json!(["once", 2]));
    assert_eq!(one.counted().len(), 1);
    assert_eq!(one.run(&id).unwrap()["status"], "cancelled");
}

#[test]
fn a_run_that_left_after_reading_is_not_run_again_where_it_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let code = "import asyncio\nfrom servers.desk import book, look\nawait look(key='a')\nawait asyncio.sleep(600)\nawait book(key='once')";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    waits(&gateway, &id);
    let file = folder.path().join("moved.run");
    gateway.runs(&["export", &id, "-o", file.to_str().unwrap()]);
    let body = json!({ "code": code, "resume_from": id });
    let refused = gateway.ask("POST", "/execute?async=true", Some(&body)).unwrap().to_string();
    assert!(refused.contains("goes on in another gateway"), "{refused}");
    assert_eq!(gateway.counted(), ["look a"]);
}

#[test]
fn a_run_does_not_leave_before_those_ahead_of_it_in_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let before = gateway.ask("POST", "/execute", Some(&json!({ "code": "x = 1" }))).unwrap();
    let asked =
        |code: &str| gateway.begin(&json!({ "code": code, "session": before["session"] })).unwrap();
    let first = asked("import asyncio\nawait asyncio.sleep(600)\nx = 2");
    waits(&gateway, &first);
    let second = asked("x");
    let file = folder.path().join("moved.run");
    let refused = gateway.command("runs", &["export", &second, "-o", file.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("waits for others"), "{said}");
    assert_eq!(gateway.run(&second).unwrap()["status"], "queued");
    for run in [&second, &first] {
        gateway.runs(&["cancel", run]);
    }
}

#[test]
fn what_was_cut_or_changed_on_its_way_is_not_imported() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let id = gateway.begin(&json!({ "code": "import asyncio\nawait asyncio.sleep(600)" })).unwrap();
    waits(&gateway, &id);
    let file = folder.path().join("moved.run");
    gateway.runs(&["export", &id, "-o", file.to_str().unwrap()]);
    let whole = std::fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for (broken, words) in
        [(&whole[..whole.len() / 2], "cut short"), (&flipped[..], "changed"), (b"run", "no run")]
    {
        std::fs::write(&file, broken).unwrap();
        let refused = gateway.command("runs", &["import", file.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && said.contains(words), "{said}");
    }
    // One that left may come back.
    std::fs::write(&file, whole).unwrap();
    let refused = gateway.command("runs", &["import", file.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("may go on elsewhere"));
    gateway.runs(&["import", file.to_str().unwrap(), "--again"]);
    assert_eq!(gateway.run(&id).unwrap()["status"], "waiting");
    gateway.runs(&["cancel", &id]);
}

#[test]
fn what_several_import_at_once_goes_on_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = Gateway::new(&folder.path().join("one"), 0.01, &KEPT);
    let mut other = Gateway::new(&folder.path().join("other"), 0.01, &KEPT);
    one.start();
    other.start();
    let code = "import asyncio\nfrom servers.desk import book\nawait asyncio.sleep(pause)\nawait book(key='once')";
    let asked = json!({ "code": code, "context": { "pause": 4 } });
    let id = one.begin(&asked).unwrap();
    waits(&one, &id);
    let file = folder.path().join("moved.run");
    one.runs(&["export", &id, "-o", file.to_str().unwrap()]);
    // By then it has nothing to wait for, so that it may be over before the next one comes.
    std::thread::sleep(Duration::from_secs(4));
    let said: Vec<_> = std::thread::scope(|scope| {
        let import = || other.command("runs", &["import", file.to_str().unwrap()]);
        let all: Vec<_> = (0..6).map(|_| scope.spawn(import)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let (imported, refused): (Vec<_>, Vec<_>) = said.iter().partition(|said| said.status.success());
    assert_eq!(imported.len(), 1, "{said:?}");
    for said in refused {
        assert!(String::from_utf8_lossy(&said.stderr).contains("cannot be moved"), "{said:?}");
    }
    assert_eq!(other.over(&id, PATIENCE)["status"], "succeeded");
    assert_eq!((one.counted(), other.counted()), (vec![], vec!["book once".to_owned()]));
}

#[test]
fn a_session_goes_from_a_gateway_to_another_and_to_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = Gateway::new(&folder.path().join("one"), 0.01, &[]);
    let mut other = Gateway::new(&folder.path().join("other"), 0.01, &[]);
    one.start();
    other.start();
    let code = json!({ "code": "x = 41\nopen('note.txt', 'w').write('kept')" });
    let session = one.ask("POST", "/execute", Some(&code)).unwrap()["session"].clone();
    let file = folder.path().join("session.tide");
    let path = file.to_str().unwrap();
    let exported = one.command("session", &["export", session.as_str().unwrap(), "-o", path]);
    assert!(exported.status.success(), "{exported:?}");
    let imported = other.command("session", &["import", path, "--json"]);
    let imported: Value = serde_json::from_slice(&imported.stdout).unwrap();
    let code = json!({ "code": "[x + 1, open('note.txt').read()]", "session": imported["id"] });
    let there = other.ask("POST", "/execute", Some(&code)).unwrap();
    assert_eq!(there["return_value"], json!([42, "kept"]));
    // And under a name of its own.
    assert!(other.command("session", &["import", path, "mine"]).status.success());
    let again = other.command("session", &["export", "mine", "-o", &format!("{path}.2")]);
    assert!(again.status.success(), "{again:?}");
    assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(format!("{path}.2")).unwrap());
}

#[test]
fn a_long_run_is_a_task_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let code = "import asyncio\nawait asyncio.sleep(8)\n'at last'";
    let call = json!({ "name": "execute_python", "arguments": { "code": code } });
    let task = gateway.mcp("tools/call", call)["result"].clone();
    assert_eq!(
        (&task["resultType"], &task["status"]),
        (&json!("task"), &json!("working")),
        "{task}"
    );
    let words = task["statusMessage"].as_str().unwrap_or_default();
    assert!(words.starts_with("sleeps since"), "{task}");
    gateway.kill();
    gateway.start();
    let id = json!({ "taskId": task["taskId"] });
    assert_eq!(gateway.mcp("tasks/get", id.clone())["result"]["status"], "working");
    gateway.over(task["taskId"].as_str().unwrap(), PATIENCE);
    let done = gateway.mcp("tasks/get", id)["result"].clone();
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["result"]["structuredContent"]["return_value"], "at last", "{done}");

    // A short one is answered at once, a long one can be ended.
    let call = json!({ "name": "execute_python", "arguments": { "code": "1 + 1" } });
    let result = gateway.mcp("tools/call", call)["result"].clone();
    assert_eq!(result["structuredContent"]["return_value"], 2, "{result}");
    let id = gateway.begin(&json!({ "code": "import asyncio\nawait asyncio.sleep(600)" })).unwrap();
    let id = json!({ "taskId": id });
    assert!(gateway.mcp("tasks/cancel", id.clone())["error"].is_null());
    assert_eq!(gateway.mcp("tasks/get", id)["result"]["status"], "cancelled");
    let unknown = gateway.mcp("tasks/get", json!({ "taskId": "r_0" }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn what_is_over_is_swept_by_age_and_size_and_what_waits_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let waiting =
        gateway.begin(&json!({ "code": "import asyncio\nawait asyncio.sleep(600)" })).unwrap();
    waits(&gateway, &waiting);
    let ran = |code: &str| {
        let answer = gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap();
        answer["run_id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (ran("'a' * 50_000"), ran("'b' * 50_000"));
    let swept = gateway.command("gc", &["--keep-runs-bytes", "80000", "--json"]);
    let swept: Value = serde_json::from_slice(&swept.stdout).unwrap();
    assert_eq!(swept["runs"], 1, "{swept}");
    assert_eq!(gateway.run(&first).unwrap()["error"]["code"], "unknown_run");
    assert_eq!(gateway.run(&second).unwrap()["status"], "succeeded");
    std::thread::sleep(Duration::from_millis(1_100));
    let swept = gateway.command("gc", &["--keep-runs", "1s", "--json"]);
    let swept: Value = serde_json::from_slice(&swept.stdout).unwrap();
    assert_eq!(swept["runs"], 1, "{swept}");
    assert_eq!(gateway.run(&waiting).unwrap()["status"], "waiting");
    gateway.kill();
    gateway.start();
    assert_eq!(gateway.run(&waiting).unwrap()["status"], "waiting");
}
