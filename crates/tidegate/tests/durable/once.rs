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
    let mut gateway =
        Gateway::new(folder.path(), 0.01, &["--durable", "true"]).with_power_cuts();
    gateway.environment.push(("SHADOW_PAUSE".to_owned(), PAUSE.to_owned()));
    gateway.start();
    let session = gateway.ask("POST", "/api/v1/sessions", Some(&json!({}))).unwrap()["id"].clone();
    let asks = |code: &str| json!({ "code": code, "session": session });
    let first = gateway.ask("POST", "/execute", Some(&asks("total = 0"))).unwrap();
    assert_eq!(first["success"], true, "{first:#}");
    let read = "from servers.desk import look\nawait look(key='x')\n";
    for (at, delay) in [0, 100, 200, 300, 400, 500, 600, 700].into_iter().enumerate() {
        let begun = if at % 2 == 0 { "" } else { read };
        let code =
            format!("{begun}total += 1\nopen('/workspace/log', 'a').write('x')\ntotal");
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
