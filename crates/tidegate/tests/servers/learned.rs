//! Types that are learned from results: shown to the next program, and never more than types.
//!
//! `untold.py` is the server.

use std::path::Path;

use crate::listed;
use crate::tide::{DEVELOPMENT, Started, Tide};

/// Of the values that the server returns, what must never be on disk.
const VALUES: [&str; 7] =
    ["ord_81f3", "customer0", "secret.example", "nobody else", "sk-live", "marguerite", "12.5"];

const CALL_TWICE: &str = r#"
from servers.untold import list_orders, count_orders
await list_orders()
await count_orders()
len((await list_orders())["orders"])
"#;

/// What a program can find out about the tool.
const LOOK: &str = r#"
from servers.untold import list_orders
[open("/servers/untold/list_orders.py").read(), list_orders.__doc__, open("/servers/untold/listOrders.ts").read()]
"#;

/// A server whose tools have the definition that the user's file names.
fn untold(tide: &Tide, version: &str) -> Started {
    let file = tide.file("version", version);
    Started {
        command: "python3".to_owned(),
        args: vec![listed::folder().join("untold.py").display().to_string()],
        env: [("VERSION".to_owned(), file.display().to_string())].into(),
        ..Started::new("untold")
    }
}

/// The value of a program that may call the server.
fn value(tide: &Tide, server: &Started, program: &str) -> serde_json::Value {
    let outcome = tide.outcome(std::slice::from_ref(server), DEVELOPMENT, &[], program).unwrap();
    assert_eq!(outcome["success"], true, "{outcome:#}");
    outcome["return_value"].clone()
}

/// What a program sees of the tool: its module, its docstring and its TypeScript.
fn look(tide: &Tide, server: &Started) -> [String; 3] {
    serde_json::from_value(value(tide, server, LOOK)).unwrap()
}

/// Every file below a folder, in one text.
fn everything(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all += &everything(&path);
        } else {
            all += &String::from_utf8_lossy(&std::fs::read(path).unwrap());
        }
    }
    all
}

fn assert_no_values(text: &str) {
    for value in VALUES {
        assert!(!text.contains(value), "{value:?} was kept: {text}");
    }
}

#[test]
fn the_next_program_knows_what_a_tool_returned() {
    let tide = Tide::new();
    let server = untold(&tide, "1");
    let [before, ..] = look(&tide, &server);
    assert!(before.contains("async def list_orders() -> Any"), "{before}");
    assert_eq!(value(&tide, &server, CALL_TWICE), 10);

    let [python, docstring, typescript] = look(&tide, &server);
    for words in [
        "class ListOrdersResultOrdersItem(TypedDict):",
        "    assignee: str\n    email: str\n    id: str\n    status: str\n    total: float\n",
        "    note: NotRequired[str]  # (in 18 of 20)\n",
        "class ListOrdersResult(TypedDict):",
        "    by_customer: dict[str, int]\n",
        "    orders: list[ListOrdersResultOrdersItem]\n",
        "async def list_orders() -> ListOrdersResult:",
    ] {
        assert!(python.contains(words), "no {words:?} in {python}");
    }
    assert!(
        docstring.contains("learned from 2 results; not promised by the server"),
        "{docstring}"
    );
    assert!(typescript.contains("by_customer: Record<string, number>;"), "{typescript}");
    assert!(typescript.contains("learned from 2 results"), "{typescript}");
    let kept = everything(&tide.data().join("servers"));
    assert!(kept.contains("api_token"), "nothing was learned: {kept}");
    let learned = everything(&tide.data().join("servers/learned"));
    assert_no_values(&learned);
    assert!(!learned.contains("count_orders"), "{learned}");
}

#[test]
fn a_category_shows_its_values_once_they_have_proved_stable() {
    let tide = Tide::new();
    let server = untold(&tide, "1");
    value(&tide, &server, CALL_TWICE);
    let [python, ..] = look(&tide, &server);
    assert!(python.contains("    status: str\n"), "{python}");
    value(&tide, &server, CALL_TWICE);
    let [python, ..] = look(&tide, &server);
    assert!(python.contains("    status: Literal[\"open\", \"shipped\"]\n"), "{python}");
    // Names are few and stable here too, and still nobody's business.
    assert!(python.contains("    assignee: str\n"), "{python}");
    assert_no_values(&everything(&tide.data()));
}

#[test]
fn a_changed_tool_starts_again() {
    let tide = Tide::new();
    value(&tide, &untold(&tide, "1"), CALL_TWICE);
    // The first program to meet the new definition began with the old one.
    let server = untold(&tide, "2");
    value(&tide, &server, CALL_TWICE);
    let [python, docstring, _] = look(&tide, &server);
    assert!(docstring.contains("version 2"), "{docstring}");
    assert!(python.contains("async def list_orders() -> Any"), "{python}");
    value(&tide, &server, CALL_TWICE);
    let [python, docstring, _] = look(&tide, &server);
    assert!(python.contains("-> ListOrdersResult:"), "{python}");
    assert!(docstring.contains("learned from 2 results"), "{docstring}");
}

#[test]
fn nothing_is_learned_where_that_is_switched_off() {
    let tide = Tide::new();
    let server = untold(&tide, "1");
    let program = tide.file("calls.py", CALL_TWICE);
    let run = ["run", program.to_str().unwrap()];
    let (worked, said) = tide.said(std::slice::from_ref(&server), "learn = false", &run).unwrap();
    assert!(worked, "{said}");
    assert!(!tide.data().join("servers/learned").exists());
    let learn = ["tools", "learn", "untold.list_orders"];
    let (worked, said) = tide.said(std::slice::from_ref(&server), "learn = false", &learn).unwrap();
    assert!(!worked && said.contains("`learn = false` is set"), "{said}");
}

#[test]
fn read_only_tools_are_called_on_purpose_and_others_are_not() {
    let tide = Tide::new();
    let server = untold(&tide, "1");
    let said =
        |arguments: &[&str]| tide.said(std::slice::from_ref(&server), "", arguments).unwrap();
    let (worked, told) = said(&["tools", "learn"]);
    assert!(worked && told.contains("untold: 3 tools skipped: only its server says"), "{told}");
    let (worked, told) = said(&["tools", "learn", "untold"]);
    assert!(worked, "{told}");
    for words in [
        "untold.list_orders: learned from 1 result",
        "async def list_orders() -> dict[str, ",
        "untold.get_order: learned from 1 result",
        "untold.find_order: skipped: it needs `q`, for which its schema has no example",
        "untold.delete_orders: skipped: its server does not say that it changes nothing",
        "untold.count_orders: skipped: its server says what it returns",
        "learned about 2, skipped 3",
    ] {
        assert!(told.contains(words), "no {words:?} in {told}");
    }
    let (worked, told) = said(&["tools", "learn", "untold.delete_orders"]);
    assert!(!worked && told.contains("--yes calls it all the same"), "{told}");
    let (worked, told) = said(&["tools", "learn", "untold.delete_orders", "--yes"]);
    assert!(worked && told.contains("async def delete_orders() -> list[int]"), "{told}");
    let (worked, told) = said(&["tools", "learn", "untold.find_order", "--args", r#"{"q": "x"}"#]);
    assert!(worked && told.contains("learned from 1 result"), "{told}");
    let (_, told) = said(&["tools", "show", "untold.delete_orders"]);
    assert!(told.contains("learned from 1 result; not promised by the server"), "{told}");

    let (_, told) = said(&["tools", "forget", "untold.delete_orders"]);
    assert!(told.contains("forgot what was learned about 1 tool"), "{told}");
    let (_, told) = said(&["tools", "forget", "untold"]);
    assert!(told.contains("forgot what was learned about 3 tools"), "{told}");
    let (_, told) = said(&["tools", "show", "untold.list_orders"]);
    assert!(told.contains("async def list_orders() -> Any"), "{told}");
    assert_no_values(&everything(&tide.data()));
}
