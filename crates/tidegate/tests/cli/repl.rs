//! `tidegate repl` without a terminal: programs from the lines of standard input.

use serde_json::json;

use crate::tide::User;

#[test]
fn lines_are_programs_that_share_their_variables() {
    let said = User::new().tidegate_reading(&["repl"], "x = 20\nx + 1\n'text'\nNone\n");
    assert_eq!(said.stdout, "21\n\"text\"\n");
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_block_ends_with_a_blank_line_or_with_the_input() {
    let input =
        "def double(n):\n    return n * 2\n\ndouble(\n  4\n)\nfor n in range(2):\n    print(n)\n";
    assert_eq!(User::new().tidegate_reading(&["repl"], input).stdout, "8\n0\n1\n");
}

#[test]
fn an_exception_does_not_end_it() {
    let said =
        User::new().tidegate_reading(&["repl", "--no-check"], "x = 1\n1 / 0\nx\nexit()\n99\n");
    assert_eq!(said.stdout, "1\n");
    assert!(said.stderr.starts_with("ZeroDivisionError"), "{}", said.stderr);
}

#[test]
fn a_named_session_is_kept_after_every_program() {
    let user = User::new();
    user.tidegate_reading(&["repl", "--session", "s"], "x = 1\nx += 1\n");
    assert_eq!(user.value(&["--session", "s", "-c", "x"]), json!(2));
}
