//! Messages that a run took and its program never had.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::again::ledger;
use crate::effects::slow;
use crate::gateway::Gateway;

/// A write that takes long, and a message.
const BOTH: &str = "import asyncio\nfrom servers.desk import book\nfound = await asyncio.gather(book(key='once'), receive('work'), return_exceptions=True)\nfound[1]";

/// A message that nobody waits for any more, and a rest.
const GIVEN_UP: &str = "import asyncio\ntask = asyncio.create_task(receive('work'))\nawait asyncio.sleep(0.3)\ntask.cancel()\nawait asyncio.sleep(3)\nreturn 'done'";

/// Makes the database of a gateway that does not run what it is when the process ends between the moment at which a
/// run's `receive` took a message and the one at which the ledger says so.
fn takes(gateway: &Gateway, run: &str, message: &str) {
    let lines = std::fs::read_to_string(ledger(&gateway.folder, run)).unwrap();
    let calls = lines.lines().map(|line| serde_json::from_str(&line[9..]).unwrap());
    let mut calls = calls.map(|line: Value| line["calls"]["call"].clone());
    let call = calls.find(|call| call["name"] == "$receive").unwrap()["id"].clone();
    let code = "import sqlite3, sys\n_, file, run, call, value = sys.argv\ndb = sqlite3.connect(file)\n((owner,),) = db.execute('SELECT owner FROM runs WHERE id = ?', (run,)).fetchall()\ndb.execute(\"INSERT INTO deeds (run, call, labels, value, owner, name, place, posted_at) VALUES (?, ?, '[]', ?, ?, 'work', 1, 1)\", (run, int(call), value, owner))\ndb.commit()";
    let mut python = Command::new("python3");
    python.args(["-c", code]).arg(gateway.data().join("service/tidegate.db"));
    python.args([run, &call.to_string(), &json!(message).to_string()]);
    assert!(python.status().unwrap().success());
}

/// What somebody else finds in the box.
fn next(gateway: &Gateway) -> Value {
    let code = json!({ "code": "await receive('work', timeout=0.2)" });
    gateway.ask("POST", "/execute", Some(&code)).unwrap()["return_value"].clone()
}

#[test]
fn a_message_that_was_taken_for_a_run_which_ends_at_the_start_is_there_for_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = slow(folder.path(), "");
    gateway.start();
    let id = gateway.begin(&json!({ "code": BOTH })).unwrap();
    gateway.until_counted(1);
    std::thread::sleep(Duration::from_millis(500));
    gateway.kill();
    takes(&gateway, &id, "letter");
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["error"]["type"], "Unknown", "{run:#}");
    let calls = run["calls"].as_array().unwrap();
    let received = calls.iter().find(|call| call["tool"] == "$receive").unwrap();
    assert_eq!(received["fate"], "not_attempted", "{run:#}");
    assert_eq!(next(&gateway), "letter");
    // Whoever takes over may ask for one.
    let posted = json!({ "code": "await post('work', 'another')" });
    gateway.ask("POST", "/execute", Some(&posted)).unwrap();
    let again = json!({ "code": BOTH, "resume_from": id });
    let again = gateway.ask("POST", "/execute", Some(&again)).unwrap();
    assert_eq!(again["return_value"], "another", "{again:#}");
    assert_eq!(gateway.counted(), ["book once"]);
}

#[test]
fn a_message_for_a_call_that_was_given_up_is_in_its_box_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--durable", "true", "--freeze-after", "0.1s"];
    let mut gateway = Gateway::new(folder.path(), 0.01, &options);
    gateway.start();
    let id = gateway.begin(&json!({ "code": GIVEN_UP })).unwrap();
    gateway.made(&id, 0, |run| run["status"] == "waiting" && run["waiting"]["for"] == json!([]));
    std::thread::sleep(Duration::from_millis(700));
    gateway.kill();
    takes(&gateway, &id, "letter");
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], "done", "{run:#}");
    assert_eq!(next(&gateway), "letter");
}
