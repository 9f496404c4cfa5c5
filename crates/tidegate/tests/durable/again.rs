//! Whoever takes over from a run repeats nothing that was done, wherever and however often that is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::Gateway;

const KEPT: [&str; 4] = ["--durable", "true", "--freeze-after", "0.1s"];

/// Two writes with a rest between them, and an end that is none.
const PROGRAM: &str = "import asyncio\nfrom servers.desk import book\nawait book(key='a')\nawait asyncio.sleep(pause)\nawait book(key='b')\nraise ValueError('later')";

fn asks(pause: f64, from: Option<&str>) -> Value {
    let mut asked = json!({ "code": PROGRAM, "context": { "pause": pause } });
    if let Some(from) = from {
        asked["resume_from"] = json!(from);
    }
    asked
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The ledger of a run that has not ended.
pub(crate) fn ledger(folder: &Path, run: &str) -> PathBuf {
    let inside = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in inside(&folder).filter(|entry| entry.path().is_dir()) {
            if entry.file_name().to_str() == Some(run) && entry.path().join("ledger").exists() {
                return entry.path().join("ledger");
            }
            folders.push(entry.path());
        }
    }
    panic!("there is no ledger of {run}")
}

fn waits_after_a_write(gateway: &Gateway, id: &str) {
    while gateway.run(id).unwrap()["status"] != "waiting" || gateway.counted().is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    // Long enough to have been let go.
    std::thread::sleep(Duration::from_millis(500));
}

#[test]
fn a_run_that_took_over_goes_elsewhere_and_through_kills_with_all_it_must_not_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = Gateway::new(&folder.path().join("one"), 0.01, &KEPT);
    let mut other = Gateway::new(&folder.path().join("other"), 0.01, &KEPT);
    one.start();
    other.start();
    let first = one.ask("POST", "/execute", Some(&asks(0.0, None))).unwrap();
    assert_eq!((text(&first["error"]["message"]), one.counted().len()), ("later", 2), "{first:#}");
    // Chains of them are no different.
    let second = one.ask("POST", "/execute", Some(&asks(0.0, Some(text(&first["run_id"])))));
    let second = text(&second.unwrap()["run_id"]).to_owned();
    let third = one.begin(&asks(3.0, Some(&second))).unwrap();
    waits_after_a_write(&one, &third);
    one.kill();
    one.start();
    let file = folder.path().join("moved.run");
    one.runs(&["export", &third, "-o", file.to_str().unwrap()]);
    other.runs(&["import", file.to_str().unwrap()]);
    let run = other.over(&third, PATIENCE);
    assert_eq!(text(&run["error"]["message"]), "later", "{run:#}");
    let reused: Vec<&Value> =
        run["calls"].as_array().unwrap().iter().map(|call| &call["reused"]).collect();
    assert_eq!(reused, [true, true], "{run:#}");
    assert_eq!((one.counted(), other.counted()), (vec!["book a".into(), "book b".into()], vec![]));
}

#[test]
fn a_run_is_said_to_be_taken_up_before_there_is_one_that_takes_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let first = gateway.ask("POST", "/execute", Some(&asks(0.0, None))).unwrap();
    let first = text(&first["run_id"]).to_owned();
    // As when the process ends in between: the one that takes over cannot be written down.
    let kept = gateway.data().join("service/kept");
    let mut own = std::fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path());
    let own = own.find(|path| path.join("lock").exists()).unwrap();
    let aside = folder.path().join("aside");
    std::fs::rename(&own, &aside).unwrap();
    std::fs::write(&own, "").unwrap();
    let refused = gateway.ask("POST", "/execute?async=true", Some(&asks(0.0, Some(&first))));
    assert_eq!(text(&refused.unwrap()["error"]["code"]), "storage_failed");
    let said = std::fs::read_to_string(kept.join("over").join(&first)).unwrap();
    assert!(said.contains("taken_up"), "{said}");
    // One that came to nothing stands in nobody's way.
    std::fs::remove_file(&own).unwrap();
    std::fs::rename(&aside, &own).unwrap();
    let again = gateway.begin(&asks(0.0, Some(&first))).unwrap();
    assert_eq!(text(&gateway.over(&again, PATIENCE)["error"]["message"]), "later");
    assert_eq!(gateway.counted(), ["book a", "book b"]);
}

#[test]
fn nobody_takes_over_from_a_run_whose_ledger_was_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let id = gateway.begin(&asks(600.0, None)).unwrap();
    waits_after_a_write(&gateway, &id);
    gateway.kill();
    let path = ledger(folder.path(), &id);
    let mut bytes = std::fs::read(&path).unwrap();
    let second = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 20;
    bytes[second] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(text(&run["error"]["type"]), "Unknown", "{run:#}");
    let refused = gateway.ask("POST", "/execute", Some(&asks(0.0, Some(&id)))).unwrap();
    assert_eq!(text(&refused["error"]["code"]), "not_resumable", "{refused:#}");
    assert_eq!(gateway.counted(), ["book a"]);
}

#[test]
fn whoever_takes_up_the_first_of_very_many_knows_what_the_last_of_them_did() {
    /// Runs in between, which are refused before they begin: that is quick.
    const BETWEEN: usize = 1_001;
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.0, &KEPT);
    gateway.start();
    let attempt = |code: &str, keys: &[&str], from: Option<&Value>| {
        let mut asked = json!({ "code": code, "context": { "keys": keys } });
        if let Some(from) = from {
            asked["resume_from"] = from.clone();
        }
        let run = gateway.ask("POST", "/execute", Some(&asked)).unwrap();
        assert_eq!(run["success"], false, "{run:#}");
        run
    };
    let books = "from servers.desk import book\nfor key in keys:\n    await book(key=key)\nraise ValueError('later')";
    let first = attempt(books, &["one"], None)["run_id"].clone();
    let mut last = first.clone();
    for _ in 0..BETWEEN {
        let run = attempt("print(no_such_name)", &[], Some(&last));
        assert_eq!(text(&run["error"]["type"]), "CheckError", "{run:#}");
        last = run["run_id"].clone();
    }
    attempt(books, &["one", "two"], Some(&last));
    for _ in 0..2 {
        let run = attempt(books, &["one", "two"], Some(&first));
        assert_eq!(text(&run["error"]["type"]), "ValueError", "{run:#}");
    }
    assert_eq!(gateway.counted(), ["book one", "book two"]);
}
