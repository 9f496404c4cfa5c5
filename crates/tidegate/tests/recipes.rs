//! The recipes of the manual run, and give what the manual shows.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The servers that the page tells its reader to add.
const SERVERS: [&str; 2] = ["trading", "documents"];

#[test]
fn every_recipe_gives_what_the_manual_shows() {
    let page = include_str!("../../../docs/src/recipes.md");
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tidegate.toml");
    std::fs::write(&config, servers()).unwrap();
    let recipes = recipes(page);
    assert!(recipes.len() >= 10, "{} recipes", recipes.len());
    for (title, program, shown) in recipes {
        let outcome = run(&config, folder.path(), program);
        assert_eq!(outcome["success"], true, "{title}: {}", outcome["error"]);
        let shown: Value = serde_json::from_str(shown).unwrap();
        assert_eq!(outcome["return_value"], shown, "{title}");
    }
}

fn servers() -> String {
    let section = |name: &&str| {
        let command = env!("CARGO_BIN_EXE_tidegate");
        format!(
            "[servers.{name}]\ncommand = {command:?}\nargs = [\"example-server\", {name:?}]\n\
             env = {{ DOCUMENTS_TOKEN = \"any-word\" }}\n"
        )
    };
    SERVERS.iter().map(section).collect()
}

/// Title, program and value of each.
fn recipes(page: &str) -> Vec<(&str, &str, &str)> {
    page.split("\n## ")
        .skip(1)
        .map(|section| {
            let title = section.lines().next().unwrap();
            let inside = |fence: &str| {
                let text =
                    section.split_once(fence).unwrap_or_else(|| panic!("{title}: no {fence}")).1;
                text.split_once("\n```").unwrap().0
            };
            (title, inside("```python\n"), inside("```json\n"))
        })
        .collect()
}

fn run(config: &std::path::Path, data: &std::path::Path, program: &str) -> Value {
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(["run", "--json", "-", "--config"])
        .arg(config)
        .env("TIDEGATE_CACHE", cache)
        .env("TIDEGATE_DATA", data)
        .env("XDG_CONFIG_HOME", data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}
