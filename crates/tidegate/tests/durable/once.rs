//! What a program did to its session is not done again, whenever its gateway was killed.

use std::time::Duration;

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::Gateway;

/// Waiting for the disk takes this long, so that a kill can come between two things that are written.
const PAUSE: &str = "150";

fn value(answer: &Value) -> &Value {
    assert_eq!(answer["success"], true, "{answer:#}");
    &answer["return_value"]
}

#[test]
fn a_program_changes_its_session_once_however_late_the_gateway_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]).with_power_cuts();
    gateway.environment.push(("SHADOW_PAUSE".to_owned(), PAUSE.to_owned()));
    gateway.start();
    let session = gateway.ask("POST", "/api/v1/sessions", Some(&json!({}))).unwrap()["id"].clone();
    let asks = |code: &str| json!({ "code": code, "session": session });
    let first = gateway.ask("POST", "/execute", Some(&asks("total = 0"))).unwrap();
    assert_eq!(first["success"], true, "{first:#}");
    let read = "from servers.desk import look\nawait look(key='x')\n";
    for (at, delay) in [0, 100, 200, 300, 400, 500, 600, 700].into_iter().enumerate() {
        let begun = if at % 2 == 0 { "" } else { read };
        let code = format!("{begun}total += 1\nopen('/workspace/log', 'a').write('x')\ntotal");
        let id = gateway.begin(&asks(&code)).unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        gateway.kill();
        gateway.start();
        let run = gateway.over(&id, PATIENCE);
        assert_eq!(run["status"], "succeeded", "{run:#}");
        assert_eq!(run["return_value"], at + 1, "killed after {delay} ms: {run:#}");
        let now = asks("[total, len(open('/workspace/log').read())]");
        let now = gateway.ask("POST", "/execute", Some(&now)).unwrap();
        assert_eq!(*value(&now), json!([at + 1, at + 1]), "killed after {delay} ms: {now:#}");
    }
}

#[test]
fn a_session_that_cannot_be_written_any_more_is_what_it_was_before_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let made = |gateway: &Gateway| {
        gateway.ask("POST", "/api/v1/sessions", Some(&json!({}))).unwrap()["id"].clone()
    };
    let run = |gateway: &Gateway, session: &Value, code: &str| {
        let asked = json!({ "code": code, "session": session });
        gateway.ask("POST", "/execute", Some(&asked)).unwrap()
    };
    let (session, fresh) = (made(&gateway), made(&gateway));
    assert_eq!(*value(&run(&gateway, &session, "x = 6\nx")), 6);
    // No file can be written where a folder lies.
    let sessions = gateway.data().join("service/sessions");
    let obstacles = [&session, &fresh].map(|id| {
        let path = sessions.join(format!("{}.part", id.as_str().unwrap()));
        std::fs::create_dir(&path).unwrap();
        path
    });
    for (id, said) in [(&session, 7), (&session, 8), (&fresh, 1)] {
        let unwritten = run(&gateway, id, &format!("x = {said}\nx"));
        assert_eq!(*value(&unwritten), said);
        let note = unwritten["note"].as_str().unwrap_or_default();
        assert!(note.contains("could not be written to disk"), "{unwritten:#}");
    }
    gateway.kill();
    for path in &obstacles {
        std::fs::remove_dir(path).unwrap();
    }
    gateway.start();
    let gone = run(&gateway, &fresh, "x");
    assert_eq!(gone["error"]["code"], "session_gone", "{gone:#}");
    assert!(gone["error"]["message"].as_str().unwrap().contains("no room"), "{gone:#}");
    let before = run(&gateway, &session, "x");
    assert_eq!(*value(&before), 6);
    assert!(before["note"].as_str().unwrap_or_default().contains("went back"), "{before:#}");
    assert_eq!(*value(&run(&gateway, &session, "x += 1\nx")), 7);
    gateway.kill();
    gateway.start();
    let after = run(&gateway, &session, "x");
    assert_eq!((value(&after), &after["note"]), (&json!(7), &Value::Null), "{after:#}");
}
