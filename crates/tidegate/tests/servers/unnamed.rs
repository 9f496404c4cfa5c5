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

#[test]
fn a_tool_that_nobody_has_is_not_waited_for_again_and_the_servers_that_said_nothing_are_named() {
    let tide = Tide::new();
    let version = tide.file("version", "1");
    let servers = [
        Started {
            command: "python3".to_owned(),
            args: vec![listed::folder().join("untold.py").display().to_string()],
            env: [("VERSION".to_owned(), version.display().to_string())].into(),
            ..Started::new("untold")
        },
        Started {
            command: "python3".to_owned(),
            args: vec!["-c".to_owned(), "import sys; sys.stdin.read()".to_owned()],
            ..Started::new("mute")
        },
    ];
    // Before it runs, the program is given a moment in which servers may say what they have.
    let program = "import time
before = time.monotonic()
for _ in range(40):
    try:
        await call_mcp_tool('no_such_tool', {})
    except UnknownTool as error:
        last = error
print(last)
print('at once' if time.monotonic() - before < 30 else 'late')";
    // From then on what this one has is known, however slow the machine is.
    let known = ["run", "-c", "from servers.untold import list_orders"];
    assert!(tide.said(&servers, "", &known).unwrap().0);
    let (ok, said) = tide.said(&servers, "", &["run", "--no-check", "-c", program]).unwrap();
    assert!(ok && said.contains("at once"), "{said}");
    let missing = "(what other servers have is not known: \"mute\" has not answered yet)";
    assert_eq!(said.matches(missing).count(), 1, "{said}");

    let (ok, said) =
        tide.said(&servers, "", &["run", "-c", "await call_mcp_tool('no_such_tool', {})"]).unwrap();
    assert!(!ok && said.contains("CheckError") && said.contains(missing), "{said}");
}
