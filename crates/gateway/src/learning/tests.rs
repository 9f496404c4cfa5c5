//! What is learned while tools are called, and what of it is shown and kept.

use serde_json::json;
use std::sync::Arc;

use catalog::{Catalog, CatalogTool, Listing};
use tempfile::TempDir;
use upstream::Part;

use super::*;

/// A server with two tools: only `said` says what it returns.
fn catalog(description: &str) -> Catalog {
    let listing = json!({"server": "s", "tools": [
        {"name": "open", "description": description, "inputSchema": {}},
        {"name": "said", "inputSchema": {}, "outputSchema": {"type": "object"}},
    ]});
    Catalog::new(vec![Arc::new(serde_json::from_value::<Listing>(listing).unwrap())])
}

fn tool<'a>(catalog: &'a Catalog, name: &str) -> &'a CatalogTool {
    catalog.resolve(Some("s"), name).unwrap()
}

fn learning(folder: &TempDir) -> Learning {
    let memory = Arc::new(Memory::at(folder.path().to_owned()));
    Learning::new(memory, BTreeMap::from([(ServerName("s".into()), String::new())]))
}

fn result(text: &str) -> Arc<ToolResult> {
    let content = vec![Part::Text { text: text.into() }];
    Arc::new(ToolResult { content, ..ToolResult::default() })
}

/// How many results were seen of `open`, as far as programs are shown.
fn shown(learning: &Learning) -> Option<u64> {
    let shown = learning.shown().remove(&ServerName("s".into()))?;
    shown.get(&ToolName("open".into())).map(|learned| learned.seen())
}

#[test]
fn what_one_process_learned_the_next_one_knows() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = catalog("a");
    for _ in 0..2 {
        let learning = learning(&folder);
        learning.saw(tool(&catalog, "open"), result(r#"{"token": "hunter2hunter2"}"#), 30, || true);
        learning.saw(tool(&catalog, "said"), result(r#"{"token": "x"}"#), 30, || true);
        drop(learning);
    }
    let learning = learning(&folder);
    let open = learning.about(&ServerName("s".into()), &ToolName("open".into())).unwrap();
    assert_eq!(open.seen(), 2);
    assert_eq!(open.schema().definitions[0].fields[0].name, "token");
    assert!(learning.about(&ServerName("s".into()), &ToolName("said".into())).is_none());
    assert!(!stored(&folder).contains("hunter"));
}

#[test]
fn two_processes_at_once_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = catalog("a");
    let (one, other) = (learning(&folder), learning(&folder));
    for learning in [&one, &other] {
        learning.saw(tool(&catalog, "open"), result("[1]"), 3, || true);
        learning.keep_now();
    }
    one.saw(tool(&catalog, "open"), result("[1.5]"), 3, || true);
    drop(one);
    let open = learning(&folder).about(&ServerName("s".into()), &ToolName("open".into())).unwrap();
    assert_eq!(open.seen(), 3);
    drop(other);
}

#[test]
fn a_tool_that_changed_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    let learning = learning(&folder);
    let (before, after) = (catalog("a"), catalog("b"));
    learning.saw(tool(&before, "open"), result(r#"{"a": 1}"#), 3, || true);
    learning.saw(tool(&before, "open"), result(r#"{"a": 1}"#), 3, || true);
    learning.keep_now();
    assert!(stored(&folder).contains("\"a\""));
    learning.saw(tool(&after, "open"), result("text"), 3, || true);
    learning.keep_now();
    assert_eq!(shown(&learning), Some(1));
    assert!(!stored(&folder).contains("\"a\""), "{}", stored(&folder));
}

#[test]
fn a_result_of_a_definition_that_is_no_longer_listed_teaches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let learning = learning(&folder);
    learning.saw(tool(&catalog("a"), "open"), result("[1]"), 3, || false);
    learning.keep_now();
    assert_eq!(shown(&learning), None);
}

#[test]
fn what_is_shown_stays_the_very_same_until_there_is_something_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let learning = learning(&folder);
    let catalog = catalog("a");
    let see = |text: &str, times: usize| {
        for _ in 0..times {
            learning.saw(tool(&catalog, "open"), result(text), 3, || true);
            learning.keep_now();
        }
    };
    see("[1]", 4);
    assert_eq!(shown(&learning), Some(4));
    see("[1]", 3);
    assert_eq!(shown(&learning), Some(4));
    see("[1]", 1);
    assert_eq!(shown(&learning), Some(8));
    see("[1.5]", 1);
    assert_eq!(shown(&learning), Some(9));
}

#[test]
fn a_settled_type_is_looked_at_now_and_then() {
    let folder = tempfile::tempdir().unwrap();
    let learning = learning(&folder);
    let catalog = catalog("a");
    for _ in 0..200 {
        learning.saw(tool(&catalog, "open"), result("[1]"), 3, || true);
        learning.keep_now();
    }
    let open = learning.about(&ServerName("s".into()), &ToolName("open".into())).unwrap();
    assert!((102..=110).contains(&open.seen()), "{} were looked at", open.seen());
}

#[test]
fn what_waits_is_bounded_in_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let learning = learning(&folder);
    learning.shared.waiting_bytes.store(MOST_WAITING_BYTES + 1, Ordering::Relaxed);
    learning.saw(tool(&catalog("a"), "open"), result("[1]"), 3, || true);
    learning.keep_now();
    assert_eq!(shown(&learning), None);
    assert_eq!(learning.shared.waiting_bytes.load(Ordering::Relaxed), MOST_WAITING_BYTES + 1);
}

#[test]
fn a_server_that_is_not_learned_about_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Arc::new(Memory::at(folder.path().to_owned()));
    let learning = Learning::new(memory, BTreeMap::new());
    learning.saw(tool(&catalog("a"), "open"), result("[1]"), 3, || true);
    drop(learning);
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn what_is_forgotten_is_gone_from_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let learning = learning(&folder);
    let (server, open) = (ServerName("s".into()), ToolName("open".into()));
    let catalog = catalog("a");
    learning.saw(tool(&catalog, "open"), result("[1]"), 3, || true);
    assert_eq!(learning.forget(&server, "", Some(&ToolName("other".into()))).unwrap(), 0);
    assert_eq!(learning.forget(&server, "", Some(&open)).unwrap(), 1);
    assert_eq!((shown(&learning), stored(&folder).as_str()), (None, "{}"));
    learning.saw(tool(&catalog, "open"), result("[1]"), 3, || true);
    assert_eq!(learning.forget(&server, "", None).unwrap(), 1);
    assert_eq!(std::fs::read_dir(folder.path().join("learned")).unwrap().count(), 0);
}

#[test]
fn a_file_that_was_tampered_with_costs_only_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let first = learning(&folder);
    first.saw(tool(&catalog("a"), "open"), result("[1]"), 3, || true);
    drop(first);
    let path = std::fs::read_dir(folder.path().join("learned")).unwrap().next().unwrap().unwrap();
    let good = stored(&folder);
    let odd = good.replacen('{', r#"{"odd": {"fingerprint": "x", "seen": -1}, "#, 1);
    std::fs::write(path.path(), odd).unwrap();
    assert_eq!(shown(&learning(&folder)), Some(1));
    std::fs::write(path.path(), &good[1..]).unwrap();
    assert_eq!(shown(&learning(&folder)), None);
}

/// The one file of learned types.
fn stored(folder: &TempDir) -> String {
    let mut files = std::fs::read_dir(folder.path().join("learned")).unwrap();
    std::fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap()
}
