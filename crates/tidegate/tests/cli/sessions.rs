//! Sessions outlive the process, fork, and survive what goes wrong in them.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::tide::User;

#[test]
fn variables_files_and_functions_persist_across_processes() {
    let user = User::new();
    user.value(&[
        "--session",
        "s",
        "-c",
        "def f(): return open('note').read()\nopen('note', 'w').write('kept')\nx = 41",
    ]);
    assert_eq!(user.value(&["--session", "s", "-c", "[f(), x + 1]"]), json!(["kept", 42]));
}

#[test]
fn a_hardened_run_finds_an_empty_workspace_and_leaves_it_as_it_was() {
    let user = User::new();
    user.value(&["--session", "s", "-c", "open('note', 'w').write('kept')"]);
    let hardened = ["run", "--session", "s", "--level", "hardened", "-c"];
    for source in ["open('note').read()", "open('/workspace/note').read()"] {
        let said = user.tidegate(&[&hardened[..], &[source]].concat());
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.stderr.contains("FileNotFoundError"), "{}", said.stderr);
        assert!(said.stderr.contains("`workspace-writable` is false here"), "{}", said.stderr);
    }
    assert_eq!(user.value(&["--session", "s", "-c", "open('note').read()"]), json!("kept"));
}

#[test]
fn an_exception_keeps_what_came_before_it() {
    let user = User::new();
    assert_eq!(
        user.tidegate(&["run", "--session", "s", "-c", "x = 1\nint('x'.strip())"]).code,
        Some(1)
    );
    assert_eq!(user.value(&["--session", "s", "-c", "x"]), json!(1));
}

#[test]
fn a_stopped_run_leaves_the_file_untouched() {
    let user = User::new();
    user.value(&["--session", "s", "-c", "x = 1"]);
    let before = std::fs::read(user.session_file("s")).unwrap();
    for source in ["x = 2\nwhile True: pass", "x = 2\nimport os\nos._exit(1)"] {
        let said = user.tidegate(&["run", "--session", "s", "--timeout", "300ms", "-c", source]);
        assert!(matches!(said.code, Some(3 | 4)), "{said:?}");
        assert!(said.stderr.contains("as they were before"), "{}", said.stderr);
    }
    assert_eq!(std::fs::read(user.session_file("s")).unwrap(), before);
    assert_eq!(user.value(&["--session", "s", "-c", "x"]), json!(1));
}

#[test]
fn a_first_run_that_is_stopped_leaves_no_session() {
    let user = User::new();
    let code = user
        .tidegate(&["run", "--session", "s", "--timeout", "200ms", "-c", "while True: pass"])
        .code;
    assert_eq!(code, Some(3));
    assert_eq!(listed(&user), json!([]));
}

#[test]
fn a_fork_goes_its_own_way() {
    let user = User::new();
    user.value(&["--session", "a", "-c", "x = [1]"]);
    assert_eq!(user.tidegate(&["session", "fork", "a", "b"]).code, Some(0));
    user.value(&["--session", "b", "-c", "x.append(2)\nx"]);
    assert_eq!(user.value(&["--session", "a", "-c", "x"]), json!([1]));
    assert_eq!(user.value(&["--session", "b", "-c", "x"]), json!([1, 2]));
    assert_eq!(user.tidegate(&["session", "fork", "a", "b"]).code, Some(2));
}

#[test]
fn a_session_is_listed_shown_and_deleted() {
    let user = User::new();
    user.value(&["--session", "s", "--level", "hardened", "-c", "x = 1"]);
    user.value(&["--session", "s", "-c", "x"]);
    let all = listed(&user);
    assert_eq!(all[0]["name"], "s");
    assert_eq!(all[0]["details"]["runs"], 2);
    assert_eq!(all[0]["details"]["image"], "base");
    assert_eq!(all[0]["details"]["level"], "production");
    assert!(user.tidegate(&["session", "list"]).stdout.contains("base"));
    assert!(user.tidegate(&["session", "show", "s"]).stdout.contains("s.tide"));
    assert_eq!(user.tidegate(&["session", "delete", "s"]).code, Some(0));
    assert_eq!(listed(&user), json!([]));
    assert_eq!(user.tidegate(&["session", "show", "s"]).code, Some(2));
}

#[test]
fn nobody_else_can_read_a_session() {
    let user = User::new();
    user.value(&["--session", "s", "-c", "secret = 1"]);
    let mode = std::fs::metadata(user.session_file("s")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn two_invocations_take_turns() {
    let user = User::new();
    user.value(&["--session", "s", "-c", "log = []"]);
    let append = |n: &str| {
        let source = format!("import time\ntime.sleep(0.3)\nlog.append({n})");
        user.start(&["run", "--session", "s", "-c", &source])
    };
    let children = [append("1"), append("2"), append("3")];
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(user.value(&["--session", "s", "-c", "sorted(log)"]), json!([1, 2, 3]));
}

#[test]
fn a_damaged_session_names_its_file_and_the_way_out() {
    let user = User::new();
    user.value(&["--session", "s", "-c", "x = 1"]);
    let mut bytes = std::fs::read(user.session_file("s")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(user.session_file("s"), bytes).unwrap();
    let said = user.tidegate(&["run", "--session", "s", "-c", "x"]);
    assert_eq!(said.code, Some(5));
    assert!(
        said.stderr.contains("s.tide") && said.stderr.contains("tidegate session delete s"),
        "{}",
        said.stderr
    );
    assert_eq!(user.tidegate(&["session", "delete", "s"]).code, Some(0));
}

#[test]
fn a_session_cannot_change_its_image() {
    let user = User::new();
    user.value(&["--session", "s", "-c", "x = 1"]);
    let said = user.tidegate(&["run", "--session", "s", "--image", "science", "-c", "x"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("base"), "{}", said.stderr);
}

fn listed(user: &User) -> Value {
    serde_json::from_str(&user.tidegate(&["session", "list", "--json"]).stdout).unwrap()
}
