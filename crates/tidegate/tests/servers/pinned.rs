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

    let after = pinned(&tide, "2");
    said(&tide, &after, &["tools", "list"]);
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
