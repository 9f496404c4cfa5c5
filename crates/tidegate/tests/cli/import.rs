//! Servers of other clients are found, shown, and taken over after a question.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::tide::{Said, User};

const CURSOR: &str = r#"{
  // Comments are fine.
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "files", "--api-key", "sesame"], "env": {"FILES_TOKEN": "open-sesame"}},
    "docs": {"url": "https://docs.example.com/mcp", "headers": {"Authorization": "Bearer ${DOCS}"}},
    "tidegate": {"command": "tidegate", "args": ["serve"]},
    "broken": {"type": "telepathy"},
  },
}"#;

#[test]
fn what_is_found_is_shown_and_written_after_a_yes() {
    let user = with_cursor();
    let said = import(&user, &[], "y\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    for words in [
        "files",
        "new",
        "--api-key ***",
        "Cursor (~/.cursor/mcp.json)",
        "https://docs.example.com/mcp",
    ] {
        assert!(said.stdout.contains(words), "no {words:?} in {}", said.stdout);
    }
    for words in [
        "Tidegate itself",
        "\"broken\"",
        "env.FILES_TOKEN is a secret in plain sight",
        "add 2 servers?",
    ] {
        assert!(said.stderr.contains(words), "no {words:?} in {}", said.stderr);
    }
    assert!(!said.stderr.contains("sesame") && !said.stdout.contains("sesame"), "{said:?}");
    insta::assert_snapshot!(std::fs::read_to_string(file(&user)).unwrap(), @r#"
        [servers.files]
        command = "npx"
        args = ["-y", "files", "--api-key", "sesame"]

        [servers.files.env]
        FILES_TOKEN = "open-sesame"

        [servers.docs]
        url = "https://docs.example.com/mcp"

        [servers.docs.headers]
        Authorization = "Bearer ${env:DOCS}"
    "#);

    let again = import(&user, &["--yes"], "");
    assert!(again.stdout.contains("same") && !again.stdout.contains("new"), "{again:?}");
    assert!(again.stderr.contains("nothing to add"), "{again:?}");
}

#[test]
fn nothing_is_written_after_a_no_a_dry_run_or_silence() {
    let user = with_cursor();
    assert_eq!(import(&user, &[], "n\n").code, Some(0));
    assert_eq!(import(&user, &["--dry-run"], "").code, Some(0));
    let silent = import(&user, &[], "");
    assert_eq!(silent.code, Some(2));
    assert!(silent.stderr.contains("--yes"), "{silent:?}");
    assert!(!file(&user).exists());
}

#[test]
fn a_server_that_differs_is_replaced_only_when_asked_to() {
    let user = with_cursor();
    std::fs::create_dir_all(file(&user).parent().unwrap()).unwrap();
    std::fs::write(
        file(&user),
        "# Mine.\n[servers.docs] # keep\nurl = \"https://mine.example.com/\"\n",
    )
    .unwrap();
    let said = import(&user, &["--yes"], "");
    assert!(said.stdout.contains("differs"), "{said:?}");
    let after = std::fs::read_to_string(file(&user)).unwrap();
    assert!(after.contains("mine.example.com") && after.contains("servers.files"), "{after}");

    import(&user, &["--yes", "--replace"], "");
    let replaced = std::fs::read_to_string(file(&user)).unwrap();
    assert!(replaced.starts_with("# Mine.\n[servers.docs]"), "{replaced}");
    assert!(!replaced.contains("mine.example.com"), "{replaced}");
    let backup = std::fs::read_to_string(file(&user).with_extension("toml.bak")).unwrap();
    assert_eq!(backup, after);
}

#[test]
fn the_same_server_in_two_clients_is_one_and_a_different_one_is_passed_over() {
    let user = with_cursor();
    put(
        &user,
        ".codeium/windsurf/mcp_config.json",
        r#"{"mcpServers": {
        "docs": {"serverUrl": "https://docs.example.com/mcp", "headers": {"Authorization": "Bearer ${env:DOCS}"}},
        "files": {"command": "other-files"}
    }}"#,
    );
    let said = import(&user, &["--yes"], "");
    assert!(said.stdout.contains("Cursor (~/.cursor/mcp.json), Windsurf"), "{said:?}");
    assert!(said.stdout.contains("passed over"), "{said:?}");
    assert!(!std::fs::read_to_string(file(&user)).unwrap().contains("other-files"));
}

#[test]
fn servers_whose_names_cannot_be_kept_are_imported_under_others() {
    let user = User::new();
    put(
        &user,
        ".cursor/mcp.json",
        r#"{"mcpServers": {
        "My Server": {"command": "one"},
        "My@Server": {"command": "two"},
        "日本": {"command": "three"}
    }}"#,
    );
    let said = import(&user, &["--yes"], "");
    for name in ["My-Server", "My-Server-b829e5ce", "server-9f26ee51"] {
        assert!(said.stderr.contains(&format!("`{name}`: it is called")), "{name}: {said:?}");
    }
    let file = std::fs::read_to_string(file(&user)).unwrap();
    for command in ["one", "two", "three"] {
        assert!(file.contains(&format!("command = \"{command}\"")), "{file}");
    }
    // The same servers have the same names next time.
    let said = import(&user, &["--yes"], "");
    assert!(said.stderr.contains("nothing to add"), "{said:?}");
}

#[test]
fn one_client_or_one_file_can_be_chosen() {
    let user = with_cursor();
    put(&user, "mine.json", r#"{"mcpServers": {"mine": {"command": "mine"}}}"#);
    let mine = user.folder().join("mine.json");
    let said = import(&user, &["--from", mine.to_str().unwrap(), "--yes"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = import(&user, &["--from", "gemini"], "");
    assert!(said.stderr.contains("nothing to import was found"), "{said:?}");
    let listed = user.ok(&["list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["name"], "mine");
}

fn with_cursor() -> User {
    let user = User::new();
    put(&user, ".cursor/mcp.json", CURSOR);
    user
}

fn put(user: &User, path: &str, text: &str) {
    let path = user.folder().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Imports in the user's home folder, where no project is.
fn import(user: &User, options: &[&str], answers: &str) -> Said {
    let mut command = user.command(&[&["import"], options].concat());
    command.env("HOME", user.folder()).current_dir(user.folder()).stdin(Stdio::piped());
    for other in ["APPDATA", "USERPROFILE", "CODEX_HOME", "CLAUDE_CONFIG_DIR"] {
        command.env_remove(other);
    }
    let mut child = command.spawn().unwrap();
    // Nobody reads the answers of a command that asks nothing.
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), answers.as_bytes());
    child.wait_with_output().unwrap().into()
}

fn file(user: &User) -> PathBuf {
    user.folder().join("config/tidegate/tidegate.toml")
}
