//! What is removed by itself, and that nothing of it is in use.

use std::time::Duration;

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::Gateway;

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn swept(gateway: &Gateway, arguments: &[&str]) -> Value {
    let said = gateway.command("gc", &[arguments, &["--json"]].concat());
    serde_json::from_slice(&said.stdout).unwrap()
}

#[test]
fn no_run_goes_before_the_one_that_it_took_over_from() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let resumed = |from: Option<&Value>| {
        let code = "from servers.desk import book\nawait book(key='a')\nif goes_on:\n    await book(key='b')\n    print('x' * 50_000)\nraise ValueError('later')";
        let mut asked = json!({ "code": code, "context": { "goes_on": from.is_some() } });
        if let Some(from) = from {
            asked["resume_from"] = from.clone();
        }
        gateway.ask("POST", "/execute", Some(&asked)).unwrap()
    };
    let first = resumed(None);
    let second = resumed(Some(&first["run_id"]));
    assert_eq!(text(&second["error"]["message"]), "later", "{second:#}");
    // There would be room for the first one, which does not know what the second one did.
    assert_eq!(swept(&gateway, &["--keep-runs-bytes", "30000"])["runs"], 2);
    let third = resumed(Some(&first["run_id"]));
    assert_eq!(third["error"]["code"], "unknown_run", "{third:#}");
    assert_eq!(gateway.counted(), ["book a", "book b"]);
}

#[test]
fn a_session_whose_run_waits_for_another_gateway_is_not_swept() {
    let folder = tempfile::tempdir().unwrap();
    let kept = ["--durable", "true", "--freeze-after", "0.1s"];
    let mut gateway = Gateway::new(folder.path(), 0.01, &kept);
    gateway.start();
    let made = || {
        let made = gateway.ask("POST", "/api/v1/sessions", Some(&json!({}))).unwrap();
        let session = text(&made["id"]).to_owned();
        let asked = json!({ "code": "x = 41", "session": session });
        assert_eq!(gateway.ask("POST", "/execute", Some(&asked)).unwrap()["success"], true);
        session
    };
    let (session, unused) = (made(), made());
    let begin = |code: &str| gateway.begin(&json!({ "code": code, "session": session })).unwrap();
    let first = begin("import asyncio\nx = 0\nawait asyncio.sleep(600)");
    gateway.settles(&first, 0);
    let second = begin("x + 1");
    gateway.kill();

    let mut other = Gateway::new(folder.path(), 0.01, &["--session-lasts", "1s"]);
    other.start();
    let there = |gateway: &Gateway| {
        let all = gateway.ask("GET", "/api/v1/sessions", None).unwrap();
        let all = all["sessions"].as_array().unwrap().iter().map(|one| text(&one["id"]).to_owned());
        all.collect::<Vec<_>>()
    };
    let begun = std::time::Instant::now();
    while there(&other).contains(&unused) {
        assert!(begun.elapsed() < PATIENCE, "what nobody uses is swept");
        std::thread::sleep(Duration::from_millis(50));
    }
    // Both are as old, and swept in no order.
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(there(&other), [session.as_str()]);
    other.kill();

    gateway.start();
    gateway.runs(&["cancel", &first]);
    let run = gateway.over(&second, PATIENCE);
    assert_eq!(run["return_value"], 42, "{run:#}");
}

#[test]
fn a_session_whose_file_is_gone_is_told_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let session = gateway.ask("POST", "/api/v1/sessions", Some(&json!({}))).unwrap()["id"].clone();
    let run = |gateway: &Gateway| {
        let asked = json!({ "code": "x = 1", "session": session });
        gateway.ask("POST", "/execute", Some(&asked)).unwrap()
    };
    assert_eq!(run(&gateway)["success"], true);
    gateway.stop();
    let file = gateway.data().join(format!("service/sessions/{}.image", text(&session)));
    std::fs::remove_file(file).unwrap();
    gateway.start();
    let gone = run(&gateway);
    assert_eq!(gone["error"]["code"], "session_gone", "{gone:#}");
    assert!(text(&gone["error"]["message"]).contains("its file is not there"), "{gone:#}");
}
