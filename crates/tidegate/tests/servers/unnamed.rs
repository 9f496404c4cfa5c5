//! Tools that a program calls without saying whose they are.
//!
//! `untold.py` is the server.

use crate::listed;
use crate::tide::{Started, Tide};

#[test]
fn a_tool_that_is_called_without_an_import_is_found_on_the_servers_that_have_it() {
    let tide = Tide::new();
    let version = tide.file("version", "1");
    let server = |name: &str| Started {
        command: "python3".to_owned(),
        args: vec![listed::folder().join("untold.py").display().to_string()],
        env: [("VERSION".to_owned(), version.display().to_string())].into(),
        ..Started::new(name)
    };
    let program = ["run", "-c", "print(await list_orders())"];
    let (ok, words) = tide.said(&[server("untold")], "", &program).unwrap();
    assert!(!ok && words.contains("add `from servers.untold import list_orders`"), "{words}");

    let both = [server("untold"), server("told-too")];
    let (ok, words) = tide.said(&both, "", &program).unwrap();
    assert!(!ok, "{words}");
    for line in ["servers.untold import list_orders", "servers.told_too import list_orders"] {
        assert!(words.contains(&format!("`from {line}`")), "no {line:?} in {words}");
    }
}
