//! A child's writes are not made twice, and are told of after a kill.

use std::time::Duration;

use serde_json::json;

use crate::PATIENCE;
use crate::gateway::Gateway;

#[test]
fn a_child_that_was_under_way_when_the_gateway_died_is_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let child = "import asyncio\nfrom servers.desk import book\nawait book(key='by child')\nawait asyncio.sleep(30)";
    let code = format!("done = await spawn(\"return 'first'\")\nawait spawn({child:?})");
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    gateway.until_counted(1);
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["error"]["type"], "Unknown", "{run:#}");
    assert!(run["error"]["message"].as_str().unwrap().contains("$spawn"), "{run:#}");
    assert_eq!(gateway.counted(), ["book by child"]);
    // Whoever resumes it has what the first one returned, and is told of the other.
    let again = json!({ "code": code, "resume_from": id });
    let again = gateway.ask("POST", "/execute", Some(&again)).unwrap();
    assert_eq!(again["success"], false, "{again:#}");
    assert_eq!(gateway.counted(), ["book by child"]);
}

#[test]
fn what_a_child_returned_is_still_known_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let child = "from servers.desk import book\nreturn (await book(key='by child'))['key']";
    let code =
        format!("import asyncio\nfirst = await spawn({child:?})\nawait asyncio.sleep(10)\nfirst");
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    gateway.until_counted(1);
    std::thread::sleep(Duration::from_millis(1_500));
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], "by child", "{run:#}");
    assert_eq!(gateway.counted(), ["book by child"]);
}

#[test]
fn a_child_that_has_only_read_is_run_again_by_the_next_process() {
    for is_killed in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let mut gateway =
            Gateway::new(folder.path(), 0.01, &["--durable", "true", "--freeze-after", "0.1s"]);
        gateway.start();
        let child = "import asyncio\nfrom servers.desk import book, look\nawait look(key='read')\nawait asyncio.sleep(20)\nreturn (await book(key='written'))['key']";
        let id = gateway.begin(&json!({ "code": format!("await spawn({child:?})") })).unwrap();
        gateway.until_counted(1);
        std::thread::sleep(Duration::from_millis(700));
        if is_killed {
            gateway.kill();
        } else {
            gateway.stop();
        }
        gateway.start();
        let run = gateway.over(&id, PATIENCE);
        assert_eq!(run["return_value"], "written", "killed: {is_killed}: {run:#}");
        assert_eq!(gateway.counted(), ["look read", "look read", "book written"]);
    }
}

#[test]
fn whoever_takes_over_does_not_start_a_child_again_that_failed_after_a_write() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let resumed = |code: &str| {
        let first = gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap();
        assert_eq!(first["success"], false, "{first:#}");
        let again = json!({ "code": code, "resume_from": first["run_id"] });
        let second = gateway.ask("POST", "/execute", Some(&again)).unwrap();
        assert_eq!(second["success"], false, "{second:#}");
        let third = json!({ "code": code, "resume_from": second["run_id"] });
        gateway.ask("POST", "/execute", Some(&third)).unwrap();
        (first, second)
    };
    let child = |key: &str| {
        format!("from servers.desk import book\nawait book(key='{key}')\nopen('/nope')")
    };
    let (first, second) = resumed(&format!("await spawn({:?})", child("a")));
    let note = first["note"].as_str().unwrap_or_default();
    assert!(note.contains("had begun to change something"), "{first:#}");
    let said = second["error"]["message"].as_str().unwrap_or_default();
    assert!(said.contains("not started again"), "{second:#}");
    // Also where the program had gone on without it.
    let caught = format!("try:\n    await spawn({:?})\nexcept ToolError:\n    pass", child("b"));
    let code = format!("from tidegate import ToolError\n{caught}\nint('x'.strip())");
    resumed(&code);
    let each = "from servers.desk import book\nawait book(key=item)\nopen('/nope')";
    resumed(&format!("await spawn_map({each:?}, ['c'])"));
    let mut counted = gateway.counted();
    counted.sort();
    assert_eq!(counted, ["book a", "book b", "book c"]);
    // One that changed nothing may go well the next time.
    let code =
        "await spawn(\"from servers.desk import look\\nawait look(key='r')\\nopen('/nope')\")";
    resumed(code);
    assert_eq!(gateway.counted().len(), 6, "{:?}", gateway.counted());
}

#[test]
fn what_a_child_had_called_is_told_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--durable", "true"]);
    gateway.start();
    let done = "from servers.desk import book\nreturn (await book(key='one'))['key']";
    let child = "import asyncio\nfrom servers.desk import book, look\nawait look(key='read')\nawait book(key='two')\nawait asyncio.sleep(30)";
    let code = format!("await spawn({done:?})\nawait spawn({child:?})");
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    gateway.until_counted(3);
    std::thread::sleep(Duration::from_millis(500));
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    let calls = run["calls"].as_array().unwrap();
    let fate_of = |tool: &str| -> Vec<&str> {
        let own = calls.iter().filter(|call| call["tool"] == tool);
        own.map(|call| call["fate"].as_str().unwrap()).collect()
    };
    assert_eq!(fate_of("book"), ["committed", "committed"], "{run:#}");
    assert_eq!(fate_of("look"), ["committed"], "{run:#}");
    let note = run["note"].as_str().unwrap_or_default();
    assert!(note.contains("\"one\"") && note.contains("\"two\""), "{run:#}");
}
