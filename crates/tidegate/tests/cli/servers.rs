//! Servers are added, listed, tried and removed.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::tide::User;

#[test]
fn a_server_is_added_listed_and_removed() {
    let user = User::new();
    let said = user.tidegate(&[
        "add",
        "files",
        "--env",
        "LEVEL=info",
        "--env",
        "HOME",
        "--",
        "npx",
        "-y",
        "files",
        "--x",
    ]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("npx -y files --x"), "{said:?}");
    user.ok(&[
        "add",
        "docs",
        "https://docs.example.com/mcp?key=sesame",
        "--header",
        "X: ${env:NOT_SET_ANYWHERE}",
    ]);
    insta::assert_snapshot!(std::fs::read_to_string(file(&user)).unwrap(), @r#"
        [servers.files]
        command = "npx"
        args = ["-y", "files", "--x"]

        [servers.files.env]
        HOME = "${env:HOME}"
        LEVEL = "info"

        [servers.docs]
        url = "https://docs.example.com/mcp?key=sesame"

        [servers.docs.headers]
        X = "${env:NOT_SET_ANYWHERE}"
    "#);

    let table = user.ok(&["list"]);
    for words in
        ["files", "stdio", "npx -y files --x", "docs", "key=***", "lacks ${env:NOT_SET_ANYWHERE}"]
    {
        assert!(table.contains(words), "no {words:?} in {table}");
    }
    assert!(!table.contains("sesame"), "{table}");
    let listed = listed(&user);
    assert_eq!(listed[0]["name"], "docs");
    assert_eq!(listed[0]["missing"][0]["setting"], "headers.X");
    assert_eq!(listed[1]["env"], json!(["HOME", "LEVEL"]));
    assert_eq!(listed[1]["enabled"], true);

    user.ok(&["remove", "docs"]);
    assert_eq!(self::listed(&user).as_array().unwrap().len(), 1);
    assert_eq!(user.tidegate(&["remove", "docs"]).code, Some(2));
}

#[test]
fn a_name_is_given_once_unless_it_is_replaced() {
    let user = User::new();
    user.ok(&["add", "a", "--", "one"]);
    let said = user.tidegate(&["add", "a", "--", "two"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("already a server `a`") && said.stderr.contains("--replace"),
        "{said:?}"
    );
    user.ok(&["add", "a", "--replace", "--", "two"]);
    assert_eq!(listed(&user)[0]["place"], "two");
}

#[test]
fn a_secret_in_plain_sight_is_warned_of_and_kept_private() {
    let user = User::new();
    let said = user.tidegate(&["add", "a", "--env", "API_TOKEN=sesame", "--", "x"]);
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.contains("env.API_TOKEN is a secret in plain sight"), "{said:?}");
    assert!(!said.stderr.contains("sesame") && !said.stdout.contains("sesame"), "{said:?}");
    let mode = std::fs::metadata(file(&user)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_projects_file_and_the_users_both_count() {
    let user = User::new();
    let project = user.folder().join("project");
    std::fs::create_dir_all(project.join("deep")).unwrap();
    std::fs::create_dir(project.join(".git")).unwrap();
    let run = |arguments: &[&str]| {
        let output = user.command(arguments).current_dir(project.join("deep")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["add", "own", "--", "own"]);
    run(&["add", "both", "--", "own"]);
    run(&["add", "both", "--project", "--", "project"]);
    assert!(project.join("tidegate.toml").is_file());
    let servers: Value = serde_json::from_str(&run(&["list", "--json"])).unwrap();
    assert_eq!(servers[0]["place"], "project");
    assert_eq!(servers[1]["place"], "own");
    // From elsewhere only the user's own counts.
    assert_eq!(listed(&user)[0]["place"], "own");
}

#[test]
fn a_mistake_in_the_file_is_named_with_its_line() {
    let user = User::new();
    let path = user.file("wrong.toml", "[servers.a]\ncommand = 'x'\ntime-out = 3\n");
    let said = user.tidegate(&["--config", path.to_str().unwrap(), "list"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("wrong.toml:3") && said.stderr.contains("did you mean `timeout`"),
        "{said:?}"
    );
}

#[test]
fn a_log_in_is_for_servers_with_an_address() {
    let user = User::new();
    user.ok(&["add", "a", "--", "x"]);
    let said = user.tidegate(&["login", "a"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("only servers with a `url`"), "{said:?}");
    user.ok(&["add", "b", "https://b.example.com/mcp"]);
    assert!(user.ok(&["logout", "b"]).contains("nobody was logged in"));
}

fn listed(user: &User) -> Value {
    serde_json::from_str(&user.ok(&["list", "--json"])).unwrap()
}

fn file(user: &User) -> PathBuf {
    user.folder().join("config/tidegate/tidegate.toml")
}

#[test]
fn a_server_is_tried_with_its_secrets() {
    let user = User::new();
    let script = server_script();
    user.ok(&["add", "small", "--env", "VERSION=${env:SMALL_VERSION}", "--", "python3", &script]);
    user.ok(&["add", "lost", "--", "no-such-program-anywhere"]);
    let try_it = |arguments: &[&str]| {
        let output = user.command(arguments).env("SMALL_VERSION", "1.2.3").output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, said, _) = try_it(&["test", "small"]);
    assert_eq!(code, Some(0), "{said}");
    for words in ["connected", "smallest", "1.2.3", "2 tools", "add", "Adds two numbers."] {
        assert!(said.contains(words), "no {words:?} in {said}");
    }
    let (_, said, _) = try_it(&["test", "small", "--json"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["tools"][0]["name"], "add");

    let (code, _, said) = try_it(&["test", "lost"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("no-such-program-anywhere"), "{said}");

    // One that is broken takes nothing from the others.
    let (code, said, _) = try_it(&["list", "--check", "--json"]);
    assert_eq!(code, Some(1));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said[0]["check"]["connected"], false);
    assert_eq!(said[1]["check"]["tools"], 2);
}

#[test]
fn what_a_server_says_unasked_is_shown_where_it_is_tried() {
    let user = User::new();
    user.ok(&["add", "loud", "--env", "NOISE=1", "--", "python3", &server_script()]);
    let said = user.tidegate(&["test", "loud"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("2 tools"), "{said:?}");
    for words in ["it printed what is no message: Welcome to a noisy server", "note: it lists "] {
        assert_eq!(said.stderr.matches(words).count(), 1, "{words}: {said:?}");
    }
    let notes: Value = serde_json::from_str(&user.ok(&["test", "loud", "--json"])).unwrap();
    assert_eq!(notes["notes"][0]["kind"], "stray", "{notes}");
}

#[test]
fn a_server_whose_secret_is_missing_says_which() {
    let user = User::new();
    user.ok(&[
        "add",
        "small",
        "--env",
        "VERSION=${env:NOT_SET_ANYWHERE}",
        "--",
        "python3",
        &server_script(),
    ]);
    let said = user.tidegate(&["test", "small"]);
    assert_eq!(said.code, Some(1));
    for words in ["`small`", "env.VERSION", "NOT_SET_ANYWHERE is not set"] {
        assert!(said.stderr.contains(words), "no {words:?} in {}", said.stderr);
    }
}

#[test]
fn a_server_that_does_not_start_repeats_none_of_its_secrets() {
    let user = User::new();
    let says = r#"echo "started with $1, $2 and $TOKEN" >&2; exit 3"#;
    let shell = ["--", "sh", "-c", says, "--api-key", "hunter2hunter2", "--db=u:passw0rd@db/x"];
    let given = ["add", "broken", "--env", "TOKEN=sesame-sesame"];
    user.tidegate(&given.iter().chain(&shell).copied().collect::<Vec<_>>());
    let said = user.tidegate(&["test", "broken"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let all = format!("{}{}", said.stdout, said.stderr);
    assert!(all.contains("started with ***, --db=u:***@db/x and ***"), "{all}");
    for secret in ["hunter2", "passw0rd", "sesame"] {
        assert!(!all.contains(secret), "{secret}: {all}");
    }
}

fn server_script() -> String {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    format!("{folder}/tests/servers/server.py")
}

#[test]
fn children_die_with_a_parent_that_is_killed() {
    let user = User::new();
    let pipe = user.folder().join("alive");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // The server and what it starts hold the pipe open until both are gone.
    let script = format!("exec 3>'{}'; echo started >&3; sleep 1000; true", pipe.display());
    user.ok(&["add", "silent", "--", "sh", "-c", &script]);

    let mut parent = user.start(&["test", "silent"]);
    let mut alive = BufReader::new(File::open(&pipe).unwrap());
    let mut line = String::new();
    alive.read_line(&mut line).unwrap();
    assert_eq!(line, "started\n");
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_eq!(alive.read_line(&mut line).unwrap(), 0);
}
