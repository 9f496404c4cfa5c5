//! What is told of a run after a crash is what happened.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::Gateway;

const KEPT: [&str; 4] = ["--durable", "true", "--freeze-after", "0.1s"];

/// A gateway whose server takes so long for every call, and one call at a time.
fn one_at_a_time(folder: &Path, seconds: f64) -> Gateway {
    let gateway = Gateway::new(folder, seconds, &KEPT);
    let config = folder.join("tidegate.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let slow = text.replace(&format!("\"{seconds}\"]"), &format!("\"{seconds}\", \"{seconds}\"]"));
    assert_ne!(slow, text);
    std::fs::write(config, format!("{slow}concurrency = 1\n")).unwrap();
    gateway
}

fn fates(run: &Value) -> Vec<(&str, &str)> {
    let calls = run["calls"].as_array().unwrap();
    calls.iter().map(|one| (text(&one["tool"]), text(&one["fate"]))).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn a_call_that_waits_for_its_turn_has_not_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = one_at_a_time(folder.path(), 3.0);
    gateway.start();
    let code = "import asyncio\nfrom servers.desk import book\nreturn [type(one).__name__ for one in await asyncio.gather(*[book(key=k) for k in 'abc'], return_exceptions=True)]";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    while gateway.counted().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(500));
    gateway.kill();
    let sent = gateway.counted();
    assert_eq!(sent.len(), 1, "{sent:?}");
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["error"]["type"], "Unknown", "{run:#}");
    let mut known = fates(&run);
    known.sort_unstable();
    let (not, unknown) = (("book", "not_attempted"), ("book", "unknown"));
    assert_eq!(known, [not, not, unknown], "{run:#}");
    let told = text(&run["error"]["message"]).matches("desk.book").count();
    assert_eq!(told, 1, "{run:#}");
    // Whoever takes over makes the two that never left, and not the other.
    let again = json!({ "code": code, "resume_from": id });
    let second = gateway.ask("POST", "/execute", Some(&again)).unwrap();
    let mut kinds: Vec<&str> =
        second["return_value"].as_array().unwrap().iter().map(text).collect();
    kinds.sort_unstable();
    assert_eq!(kinds[1..], ["dict", "dict"], "{second:#}");
    let mut keys = gateway.counted();
    keys.sort_unstable();
    assert_eq!(keys, ["book a", "book b", "book c"]);
    let run = gateway.run(text(&second["run_id"])).unwrap();
    let reused = |one: &&Value| one["reused"] == true;
    assert_eq!(run["calls"].as_array().unwrap().iter().filter(reused).count(), 1, "{run:#}");
}

#[test]
fn what_was_before_a_crash_is_told_with_what_came_after() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let code = "import asyncio\nfrom servers.desk import look, book\nawait book(key='one')\nawait look(key='two')\nawait asyncio.sleep(3)\nawait look(key='three')\nint('x'.strip())";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    let since = |gateway: &Gateway| gateway.run(&id).unwrap()["waiting"]["since"].clone();
    std::thread::sleep(Duration::from_millis(1500));
    let before = since(&gateway);
    assert!(before.is_string(), "{:#}", gateway.run(&id).unwrap());
    gateway.kill();
    gateway.start();
    assert_eq!(since(&gateway), before);
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(
        fates(&run),
        [("book", "committed"), ("look", "committed"), ("look", "committed")],
        "{run:#}"
    );
    assert_eq!(run["tools_called"], json!(["desk.book", "desk.look"]), "{run:#}");
    let followed = gateway.command("runs", &["follow", &id]);
    assert_eq!(followed.status.code(), Some(1), "{followed:?}");
}

#[test]
fn whoever_takes_over_from_one_that_took_over_knows_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let run = |code: &str, from: &Value| {
        let code = format!("import asyncio\nfrom servers.desk import book, look\n{code}");
        let body = json!({ "code": code, "resume_from": from });
        gateway.ask("POST", "/execute", Some(&body)).unwrap()
    };
    let first = run("await book(key='a')\nawait book(key='b')\nint('x'.strip())", &Value::Null);
    let second = run("await book(key='a')\nint('y'.strip())", &first["run_id"]);
    assert_eq!(second["error"]["type"], "ValueError", "{second:#}");
    // This one is stopped before it does anything.
    let third = run("await book(key='a')\nawait book(wrong=1)", &second["run_id"]);
    assert_eq!(third["success"], false);
    let last = run("await book(key='a')\nawait book(key='b')\nreturn 7", &third["run_id"]);
    assert_eq!(last["return_value"], 7, "{last:#}");
    assert_eq!(gateway.counted(), ["book a", "book b"]);
}

#[test]
fn a_run_that_takes_over_and_is_thawed_after_a_kill_still_repeats_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let code = |before: &str, end: &str| {
        format!(
            "import asyncio\nfrom servers.desk import book\n{before}\nawait book(key='a')\n{end}"
        )
    };
    let first = json!({ "code": code("", "int('x'.strip())") });
    let first = gateway.ask("POST", "/execute", Some(&first)).unwrap();
    let again = json!({ "code": code("await asyncio.sleep(2)", "return 7"), "resume_from": first["run_id"] });
    let id = gateway.begin(&again).unwrap();
    std::thread::sleep(Duration::from_millis(800));
    gateway.kill();
    gateway.start();
    assert_eq!(gateway.over(&id, PATIENCE)["return_value"], 7);
    assert_eq!(gateway.counted(), ["book a"]);
}

#[test]
fn a_write_that_was_not_answered_in_time_is_unknown_and_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = one_at_a_time(folder.path(), 2.0);
    let config = folder.path().join("tidegate.toml");
    let before = std::fs::read_to_string(&config).unwrap();
    std::fs::write(config, format!("{before}timeout = \"1s\"\n")).unwrap();
    gateway.start();
    let code = "from servers.desk import book\nreturn await book(key='a')";
    let first = gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap();
    assert_eq!(first["error"]["type"], "ServerError", "{first:#}");
    let run = gateway.run(text_of(&first)).unwrap();
    assert_eq!(fates(&run), [("book", "unknown")], "{run:#}");
    assert!(text(&run["note"]).contains("nobody knows"), "{run:#}");
    let again = json!({ "code": code, "resume_from": first["run_id"] });
    let again = gateway.ask("POST", "/execute", Some(&again)).unwrap();
    assert!(text(&again["error"]["message"]).contains("not made again"), "{again:#}");
    assert_eq!(gateway.counted(), ["book a"]);
}

fn text_of(answer: &Value) -> &str {
    text(&answer["run_id"])
}
