//! Finding and reading tools from the command line.

use serde_json::Value;

use crate::tide::User;

/// A user with the example server.
fn user() -> User {
    let user = User::new();
    user.ok(&["add", "data", "--", env!("CARGO_BIN_EXE_tidegate"), "example-server", "data"]);
    user
}

#[test]
fn a_search_says_more_the_more_is_asked_for() {
    let user = user();
    let search = |level: &str| -> Value {
        let said =
            user.ok(&["tools", "search", "history of a device", "--detail-level", level, "--json"]);
        serde_json::from_str(&said).unwrap()
    };
    let keys = |answer: &Value| -> Vec<String> {
        assert_eq!(answer[0]["name"], "query_device_history", "{answer}");
        answer[0].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&search("name_only")), ["name", "server"]);
    assert_eq!(keys(&search("with_description")), ["name", "server", "description"]);
    let full = keys(&search("full"));
    assert!(
        full.contains(&"input_schema".into()) && full.contains(&"signature".into()),
        "{full:?}"
    );
}

#[test]
fn a_tool_is_shown_as_a_program_would_import_it() {
    let user = user();
    let shown = user.ok(&["tools", "show", "data.query_device_history"]);
    assert!(shown.contains("async def query_device_history("), "{shown}");
    assert!(shown.contains("device_id: The device's id"), "{shown}");
    let missed = user.tidegate(&["tools", "show", "data.query_device_histori"]);
    assert_eq!(missed.code, Some(2), "{missed:?}");
    assert!(missed.stderr.contains("did you mean \"query_device_history\"?"), "{missed:?}");
}
