//! A child's writes are not made twice, and are told of after a kill.

use std::time::{Duration, Instant};

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

#[test]
fn children_that_are_begun_again_at_a_start_are_no_more_at_a_time_than_programs_may_run() {
    const RUNS: usize = 12;
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--durable", "true", "--freeze-after", "0.1s", "--max-running", "2"];
    let mut gateway = Gateway::new(folder.path(), 0.0, &arguments);
    gateway.start();
    // It says so once it has had its guest for a second.
    let child = "import asyncio, time\nfrom servers.desk import look\nend = time.time() + 1\nwhile time.time() < end:\n    pass\nawait look(key='here')\nawait asyncio.sleep(600)";
    let asked = json!({ "code": format!("await spawn({child:?})") });
    let ids: Vec<String> = (0..RUNS).map(|_| gateway.begin(&asked).unwrap()).collect();
    gateway.until_counted(RUNS);
    std::thread::sleep(Duration::from_millis(1_000));
    for id in &ids {
        gateway.settles(id, 0);
    }
    gateway.kill();
    gateway.start();
    gateway.until_counted(RUNS + 1);
    let first = Instant::now();
    gateway.until_counted(2 * RUNS);
    // Two at a time, a second each; all at once they would be there together.
    assert!(first.elapsed() > Duration::from_secs(3), "{:?}", first.elapsed());
    for id in &ids {
        assert_eq!(gateway.run(id).unwrap()["status"], "waiting");
        gateway.runs(&["cancel", id]);
    }
}
