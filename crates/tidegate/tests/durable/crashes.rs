//! A run that ends every process that goes on with it does not keep the gateway from starting.

use serde_json::json;

use crate::PATIENCE;
use crate::gateway::Gateway;

#[test]
fn a_run_in_whose_steps_one_process_after_the_other_ends_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let code = "print('begun')\nwhile True:\n    pass";
    let id = gateway.begin(&json!({ "code": code, "timeout": 600 })).unwrap();
    for _ in 0..4 {
        while gateway.run(&id).unwrap()["status"] != "running" {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        // Long enough to be at it.
        std::thread::sleep(std::time::Duration::from_millis(500));
        gateway.kill();
        gateway.start();
    }
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["error"]["type"], "GivenUp", "{run:#}");
    let hint = run["error"]["hint"].as_str().unwrap_or_default();
    assert!(hint.contains(&format!("resume_from=\"{id}\"")), "{run:#}");
    // It goes on with everything else.
    let other = gateway.ask("POST", "/execute", Some(&json!({ "code": "6 * 7" }))).unwrap();
    assert_eq!(other["return_value"], 42, "{other:#}");
}
