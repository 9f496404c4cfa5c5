//! What a run's calls would have cost a model is with the run, not with the process.

use serde_json::json;

use crate::PATIENCE;
use crate::gateway::Gateway;

#[test]
fn a_run_that_goes_on_after_a_kill_has_the_receipt_of_one_that_was_not_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway =
        Gateway::new(folder.path(), 0.01, &["--durable", "true", "--freeze-after", "0.1s"]);
    gateway.start();
    // The long answer is counted beside the program.
    let code = |seconds: u64| {
        format!(
            "import asyncio\nfrom servers.desk import book, look\nawait book(key='a key of many words ' * 2000)\nawait look(key='short')\nawait asyncio.sleep({seconds})\nawait look(key='last')\n'done'"
        )
    };
    let whole = gateway.ask("POST", "/execute", Some(&json!({ "code": code(0) }))).unwrap();
    assert!(whole["receipt"]["search"].as_u64() > Some(8_000), "{whole:#}");
    let id = gateway.begin(&json!({ "code": code(4) })).unwrap();
    gateway.settles(&id, 2);
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], "done", "{run:#}");
    assert_eq!(gateway.counted().len(), 6);
    assert_eq!(run["tools_called"], whole["tools_called"]);
    for part in ["inline", "search", "received", "bytes_kept"] {
        assert_eq!(run["receipt"][part], whole["receipt"][part], "{part}: {run:#}");
    }
}

#[test]
fn answers_of_an_earlier_run_are_not_counted_again_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway =
        Gateway::new(folder.path(), 0.01, &["--durable", "true", "--freeze-after", "0.1s"]);
    gateway.start();
    let failing =
        "from servers.desk import book\na = await book(key='one')\nint('x'.strip())\na['key']";
    let first = gateway.ask("POST", "/execute", Some(&json!({ "code": failing }))).unwrap();
    assert_eq!(first["error"]["type"], "ValueError", "{first:#}");
    let body = |key: &str, seconds: u64| {
        let code = format!(
            "import asyncio\nfrom servers.desk import book, look\na = await book(key='one')\nawait look(key='{key}')\nawait asyncio.sleep({seconds})\na['key']"
        );
        json!({ "code": code, "resume_from": first["run_id"] })
    };
    let whole = gateway.ask("POST", "/execute", Some(&body("new 1", 0))).unwrap();
    assert_eq!(whole["tools_called"], json!(["desk.look"]), "{whole:#}");
    let id = gateway.begin(&body("new 2", 4)).unwrap();
    gateway.settles(&id, 2);
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], "one", "{run:#}");
    assert_eq!(gateway.counted(), ["book one", "look new 1", "look new 2"]);
    assert_eq!(run["tools_called"], whole["tools_called"], "{run:#}");
    assert_eq!(run["receipt"]["search"], whole["receipt"]["search"], "{run:#}");
}

#[test]
fn a_run_that_begins_again_after_a_kill_counts_the_calls_it_had_made() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing is frozen while it runs, so that there is no image to go on from.
    let mut gateway =
        Gateway::new(folder.path(), 0.01, &["--durable", "true", "--freeze-after", "60s"]);
    gateway.start();
    let body = |seconds: u64| {
        let code = format!(
            "import asyncio\nfrom servers.desk import look\nawait look(key='one')\nawait asyncio.sleep({seconds})\n'done'"
        );
        json!({ "code": code })
    };
    let whole = gateway.ask("POST", "/execute", Some(&body(0))).unwrap();
    assert_eq!(whole["tools_called"], json!(["desk.look"]), "{whole:#}");
    let id = gateway.begin(&body(4)).unwrap();
    gateway.made(&id, 1, |_| true);
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], "done", "{run:#}");
    assert_eq!(run["tools_called"], whole["tools_called"], "{run:#}");
    assert_eq!(run["receipt"]["search"], whole["receipt"]["search"], "{run:#}");
}
