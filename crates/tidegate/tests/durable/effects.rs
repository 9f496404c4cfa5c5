//! What an operator says of single tools decides what is made again after a crash.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::Gateway;

/// A gateway whose server takes ten seconds for every call, and of whose tools `settings` say something.
pub(crate) fn slow(folder: &Path, settings: &str) -> Gateway {
    let gateway = Gateway::new(folder, 10.0, &["--durable", "true", "--freeze-after", "0.1s"]);
    let config = folder.join("tidegate.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let slow = text.replace("\"10\"]", "\"10\", \"10\"]");
    assert_ne!(slow, text);
    std::fs::write(config, slow).unwrap();
    gateway.with_settings(settings)
}

/// The end of a run whose one call of `tool` was under way when its gateway was killed.
fn killed_during(gateway: &mut Gateway, tool: &str) -> Value {
    let code = format!("from servers.desk import {tool}\n(await {tool}(key='x'))['key']");
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    gateway.until_counted(1);
    // It is in an image, or will be made again from the beginning.
    std::thread::sleep(Duration::from_millis(500));
    gateway.kill();
    gateway.start();
    gateway.over(&id, PATIENCE)
}

#[test]
fn a_tool_that_is_said_to_be_idempotent_or_read_only_is_called_again() {
    for settings in ["idempotent = [\"book\"]", "read-only = [\"b*\"]"] {
        let folder = tempfile::tempdir().unwrap();
        let mut gateway = slow(folder.path(), settings);
        gateway.start();
        let run = killed_during(&mut gateway, "book");
        assert_eq!(run["return_value"], "x", "{settings}: {run:#}");
        assert_eq!(gateway.counted(), ["book x", "book x"], "{settings}");
    }
}

#[test]
fn a_tool_that_is_said_to_write_is_not_called_again_whatever_its_server_says() {
    for (settings, tool) in [("writes = [\"*\"]", "look"), ("writes = [\"put\"]", "put")] {
        let folder = tempfile::tempdir().unwrap();
        let mut gateway = slow(folder.path(), settings);
        gateway.start();
        let run = killed_during(&mut gateway, tool);
        assert_eq!(run["error"]["type"], "Unknown", "{settings}: {run:#}");
        assert_eq!(run["calls"][0]["fate"], "unknown", "{settings}: {run:#}");
        assert_eq!(gateway.counted(), [format!("{tool} x")], "{settings}");
    }
}

#[test]
fn a_run_that_ends_at_the_start_says_what_it_had_called() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = slow(folder.path(), "");
    gateway.start();
    let code = "from servers.desk import book, look\nawait look(key='a')\nawait book(key='b')";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    gateway.until_counted(2);
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["error"]["type"], "Unknown", "{run:#}");
    assert!(run["tools_called"].to_string().contains("look"), "{run:#}");
    assert_eq!(gateway.counted(), ["look a", "book b"]);
}

#[test]
fn what_is_said_counts_from_when_the_file_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = slow(folder.path(), "");
    gateway.start();
    let shown = |gateway: &Gateway| {
        let said = gateway.command("tools", &["show", "desk.book"]);
        String::from_utf8(said.stdout).unwrap()
    };
    assert!(shown(&gateway).contains("is not called twice"), "{}", shown(&gateway));
    let config = folder.path().join("tidegate.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}idempotent = [\"book\"]\n")).unwrap();
    assert!(
        shown(&gateway).contains("`servers.desk.idempotent` has \"book\""),
        "{}",
        shown(&gateway)
    );
    std::thread::sleep(Duration::from_secs(8));
    let run = killed_during(&mut gateway, "book");
    assert_eq!(run["return_value"], "x", "{run:#}");
}
