//! Programs that are checked before they run, and `tidegate check`.

use serde_json::Value;

use crate::tide::User;

#[test]
fn a_mistake_that_is_certain_ends_a_run_before_anything_has_happened() {
    let user = User::new();
    let said = user.tidegate(&["run", "-c", "print('first')\ntotal = 1\nprint(totl)"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!(said.stderr, @"
    CheckError: the program was not run: 1 mistake was found before anything happened

    line 3, column 7: undefined-name: the name 'totl' is not defined
        print(totl)
              ^^^^
        did you mean: total
    hint: did you mean total? mend the program and run it again; nothing of it has happened
    ");
    let said = user.tidegate(&["run", "--no-check", "-c", "print('first')\nprint(totl)"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), "first\n"));
}

#[test]
fn a_setting_turns_it_off() {
    let user = User::new();
    let file = user.file("off.toml", "check = \"off\"\n");
    let config = file.to_str().unwrap();
    let said = user.tidegate(&["--config", config, "run", "-c", "print('first')\nprint(totl)"]);
    assert_eq!(said.stdout, "first\n");
}

#[test]
fn a_session_remembers_names_that_no_check_can_know() {
    let user = User::new();
    user.value(&["--session", "s", "-c", "x = 41"]);
    assert_eq!(user.value(&["--session", "s", "-c", "x + 1"]), Value::from(42));
}

#[test]
fn a_program_is_checked_without_running_it() {
    let user = User::new();
    let good = user.file("good.py", "open('made', 'w').write('x')\nlen('abc')\n");
    let said = user.tidegate(&["check", good.to_str().unwrap()]);
    assert_eq!((said.code, said.stdout.trim()), (Some(0), "nothing found"));

    let bad = user.file("bad.py", "from servers.nowhere import tool\nrows + 1\n");
    let said = user.tidegate(&["check", bad.to_str().unwrap(), "--name", "rows", "--json"]);
    assert_eq!(said.code, Some(1));
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(report["blocked"], true);
    assert_eq!(report["findings"].as_array().unwrap().len(), 1);
    assert_eq!(report["findings"][0]["code"], "unknown-server");
}
