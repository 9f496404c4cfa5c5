//! Servers whose definitions are pinned, when they change.
//!
//! `untold.py` is the server.

use crate::listed;
use crate::tide::{Started, Tide};

const IMPORT: &str = "from servers.untold import list_orders\nlen((await list_orders())['orders'])";
const BY_NAME: &str = "len((await call_mcp_tool('untold', 'listOrders'))['orders'])";

/// The server with the definitions of this version.
fn pinned(tide: &Tide, version: &str) -> Started {
    let file = tide.file("version", version);
    Started {
        command: "python3".to_owned(),
        args: vec![listed::folder().join("untold.py").display().to_string()],
        env: [("VERSION".to_owned(), file.display().to_string())].into(),
        pin: true,
        ..Started::new("untold")
    }
}

/// What `tidegate` with these arguments says, and whether it succeeded.
fn said(tide: &Tide, server: &Started, arguments: &[&str]) -> (bool, String) {
    tide.said(std::slice::from_ref(server), "", arguments).unwrap()
}

#[test]
fn a_changed_tool_is_said_to_be_held_back_wherever_it_is_asked_for() {
    let tide = Tide::new();
    let before = pinned(&tide, "1");
    let (ok, words) = said(&tide, &before, &["run", "-c", IMPORT]);
    assert!(ok, "{words}");

    // What is remembered of it is older than what it offers now.
    let after = pinned(&tide, "2");
    for (program, options) in [
        (IMPORT, &[][..]),
        (IMPORT, &["--no-check"]),
        (BY_NAME, &[]),
        (BY_NAME, &["--no-check"]),
        ("import servers.untold.list_orders", &["--no-check"]),
        ("servers.untold.list_orders", &["--no-check"]),
    ] {
        let (ok, words) = said(&tide, &after, &[&["run", "-c", program], options].concat());
        assert!(!ok, "{words}");
        for part in [
            "untold.list_orders is held back because its definition changed",
            "`tidegate tools diff untold`",
            "`tidegate tools accept untold.list_orders`",
        ] {
            assert!(words.contains(part), "no {part:?} for {program:?} {options:?}: {words}");
        }
    }

    let (ok, words) = said(&tide, &after, &["tools", "accept", "untold.list_orders"]);
    assert!(ok, "{words}");
    let (ok, words) = said(&tide, &after, &["run", "-c", IMPORT]);
    assert!(ok, "{words}");
}

#[test]
fn a_tool_that_comes_later_is_new_in_the_differences_and_usable_once_it_is_accepted() {
    let tide = Tide::new();
    let server = pinned(&tide, "1");
    let (ok, words) = said(&tide, &server, &["tools", "list"]);
    assert!(ok && !words.contains("extra_orders"), "{words}");

    let server = pinned(&tide, "1 and more");
    let program = "from servers.untold import extra_orders\nawait extra_orders()";
    let (ok, words) = said(&tide, &server, &["tools", "diff"]);
    assert!(!ok && words.contains("untold.extra_orders is new"), "{words}");
    assert!(words.contains("1 difference;"), "{words}");
    let (ok, words) = said(&tide, &server, &["run", "-c", program]);
    assert!(!ok && words.contains("is held back because it is new"), "{words}");

    let (ok, words) = said(&tide, &server, &["tools", "accept", "untold.extra_ordres"]);
    assert!(!ok && words.contains("has no tool \"extra_ordres\""), "{words}");
    let (ok, words) = said(&tide, &server, &["tools", "accept", "untold", "extraOrders"]);
    assert!(ok, "{words}");
    let (ok, words) = said(&tide, &server, &["run", "-c", program]);
    assert!(ok, "{words}");
}

#[test]
fn a_tool_that_changes_between_showing_and_accepting_stays_held_back() {
    let tide = Tide::new();
    let (ok, words) = said(&tide, &pinned(&tide, "1"), &["tools", "list"]);
    assert!(ok, "{words}");
    let (ok, words) = said(&tide, &pinned(&tide, "2"), &["tools", "diff"]);
    assert!(!ok && words.contains("untold.list_orders changed"), "{words}");

    let server = pinned(&tide, "3");
    for what in ["untold", "untold.list_orders"] {
        let (ok, words) = said(&tide, &server, &["tools", "accept", what]);
        assert!(
            !ok && words.contains("not what `tidegate tools diff` showed: list_orders"),
            "{words}"
        );
        let (ok, words) = said(&tide, &server, &["run", "-c", IMPORT]);
        assert!(!ok && words.contains("is held back because its definition changed"), "{words}");
    }
    let (ok, words) = said(&tide, &server, &["tools", "diff"]);
    assert!(!ok, "{words}");
    let (ok, words) = said(&tide, &server, &["tools", "accept", "untold"]);
    assert!(ok, "{words}");
    let (ok, words) = said(&tide, &server, &["run", "-c", IMPORT]);
    assert!(ok, "{words}");
}

#[test]
fn what_is_accepted_without_having_been_shown_is_shown() {
    let tide = Tide::new();
    let (ok, words) = said(&tide, &pinned(&tide, "1"), &["tools", "list"]);
    assert!(ok, "{words}");
    let (ok, words) = said(&tide, &pinned(&tide, "2"), &["tools", "accept", "untold"]);
    assert!(ok && words.contains("untold.list_orders changed"), "{words}");
}

#[test]
fn a_server_that_was_only_tested_is_pinned_as_it_was_then() {
    for command in [&["test", "untold"][..], &["list", "--check"]] {
        let tide = Tide::new();
        let (ok, words) = said(&tide, &pinned(&tide, "1"), command);
        assert!(ok, "{words}");
        let (ok, words) = said(&tide, &pinned(&tide, "2"), &["run", "-c", IMPORT]);
        assert!(!ok && words.contains("is held back because its definition changed"), "{words}");
        let (ok, words) = said(&tide, &pinned(&tide, "2"), command);
        assert!(ok && words.contains("not what was first seen (1)"), "{words}");
    }
}
