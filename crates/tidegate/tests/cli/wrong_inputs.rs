//! What was typed wrongly is named, with what to do; the exit code is 2.

use crate::tide::User;

/// Each row: the arguments, and words its message must have.
const WRONG: &[(&[&str], &[&str])] = &[
    (&["run"], &["FILE", "required"]),
    (&["run", "no-such-file.py"], &["no-such-file.py", "check the path"]),
    (&["run", "/"], &["it is a folder"]),
    (&["run", "-c", "1", "file.py"], &["cannot be used with"]),
    (&["run", "-c", "1", "--context", "{rows: 1}"], &["--context is not JSON", "@FILE"]),
    (&["run", "-c", "1", "--context", "[1]"], &["--context wants a JSON object"]),
    (&["run", "-c", "1", "--context", "@no-such.json"], &["no-such.json", "check the path"]),
    (&["run", "-c", "1", "--level", "lax"], &["lax", "development", "production", "hardened"]),
    (&["run", "-c", "1", "--session", "../evil"], &["cannot name a session"]),
    (&["run", "-c", "1", "--session", ".hidden"], &["cannot name a session"]),
    (&["run", "-c", "1", "--timeout", "5 parsecs"], &["is not a duration", "500ms"]),
    (&["run", "-c", "1", "--memory", "lots"], &["is not a size", "256MB"]),
    (&["run", "-c", "1", "--cpu", "0"], &["is not a share of a core"]),
    (&["run", "-c", "1", "--image", "no-such-image"], &["no-such-image", "tidegate image list"]),
    (&["session", "show", "nobody"], &["there is no session `nobody`", "tidegate session list"]),
    (&["session", "delete", "nobody"], &["there is no session `nobody`"]),
    (&["session", "fork", "nobody", "new"], &["there is no session `nobody`"]),
    (&["image", "show", "nothing"], &["there is no image nothing"]),
    (&["image", "build", "mine", "--warm", "none.py"], &["none.py", "check --warm"]),
    (&["add", "a b", "https://h/"], &["cannot name a server"]),
    (&["add", "a", "npx"], &["is not an address", "after `--`"]),
    (&["add", "a"], &["none of `command`, `url`", "cannot be added"]),
    (&["add", "a", "ftp://h/"], &["https://"]),
    (&["add", "a", "https://h/", "--env", "X=1"], &["`env` goes with `command`"]),
    (&["add", "a", "https://h/", "--header", "sesame"], &["NAME: VALUE"]),
    (&["add", "a", "https://h/", "--", "x"], &["cannot be used with"]),
    (&["remove", "nobody"], &["there is no server `nobody`", "tidegate list"]),
    (&["test", "nobody"], &["there is no server `nobody`"]),
    (&["login", "nobody"], &["there is no server `nobody`"]),
    (&["import", "--from", "emacs"], &["emacs", "neither a file nor one of", "claude-desktop"]),
    (&["list", "--config", "no-such.toml"], &["no-such.toml", "check the path"]),
    (&["secret", "set", "alone"], &["SERVICE/USER"]),
    (&["frobnicate"], &["frobnicate"]),
];

#[test]
fn wrong_inputs_are_named_with_what_to_do() {
    let user = User::new();
    for (arguments, words) in WRONG {
        let said = user.tidegate(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {said:?}");
        assert_eq!(said.stdout, "", "{arguments:?}");
        for word in *words {
            assert!(
                said.stderr.contains(word),
                "{arguments:?} does not say {word:?}: {}",
                said.stderr
            );
        }
    }
}

#[test]
fn help_lists_the_exit_codes() {
    for arguments in [&["--help"][..], &["run", "--help"]] {
        let said = User::new().tidegate(arguments);
        assert_eq!(said.code, Some(0));
        assert!(said.stdout.contains("130  Ctrl-C"), "{}", said.stdout);
    }
}
