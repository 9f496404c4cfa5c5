//! What the README and the first page of the manual tell people to type, typed.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::tide::{Said, User};

const CHECKLIST: &str = include_str!("../../../../docs/src/checklist.md");
const README: &str = include_str!("../../../../README.md");
const RECIPES: &str = include_str!("../../../../docs/src/recipes.md");
const START: &str = include_str!("../../../../docs/src/getting-started.md");

/// The files that their commands name.
const FILES: [(&str, &str); 5] = [
    ("program.py", "len(rows) if 'rows' in globals() else 'no rows'"),
    ("report.py", "'a report'"),
    ("rows.json", "{\"rows\": [1, 2]}"),
    ("warm.py", "import my_package"),
    ("my_package/__init__.py", "def answer():\n    return 42\n"),
];

#[test]
fn what_the_readme_says_about_its_usage_can_be_typed() {
    let user = user();
    let usage = README.split_once("\n## Usage\n").unwrap().1;
    let shown = typed(&user, usage);
    for part in ["4950\n", "\"success\":true", "{\"tea\": 4}\n", "trial", "42\n"] {
        assert!(shown.contains(part), "{part:?} is not in {shown}");
    }
    // The cache is that of other tests, too.
    user.ok(&["image", "remove", "--force", "mine"]);
}

#[test]
fn what_the_first_page_says_can_be_typed_and_shows_what_it_says() {
    let user = user();
    let shown = typed(&user, START);
    let told = START.split_once("```json\n").unwrap().1.split_once("\n```").unwrap().0;
    for part in [told, "trading.get_trades\n", "4950\n", "hello\n", "3\n2\n"] {
        assert!(shown.contains(part), "{part:?} is not in {shown}");
    }
}

#[test]
fn the_recipes_can_be_tried_as_their_page_says() {
    let user = user();
    let shown = |page: &str, fence: &str| {
        page.split_once(fence).unwrap().1.split_once("\n```").unwrap().0.to_owned()
    };
    user.file("recipe.py", &shown(RECIPES, "```python\n"));
    let head = RECIPES.split_once("\n## ").unwrap().0;
    let printed: Value = serde_json::from_str(typed(&user, head).lines().last().unwrap()).unwrap();
    let told: Value = serde_json::from_str(&shown(RECIPES, "```json\n")).unwrap();
    assert_eq!(printed, told);
}

#[test]
fn the_audit_finds_credentials_in_plain_sight_and_leaves_references_alone() {
    let user = user();
    let line = CHECKLIST.lines().find(|line| line.contains("`grep ")).unwrap();
    let command = line.split('`').find(|part| part.starts_with("grep ")).unwrap();
    let found = |text: &str| {
        user.file("tidegate.toml", text);
        shell(&user, command)
    };
    for plain in [
        "env = { DOCUMENTS_TOKEN = \"abc\", PLACE = \"${env:PLACE}\" }",
        "headers = { Authorization = \"Bearer abc\" }",
        "headers = { \"X-Api-Key\" = \"abc\" }",
        "key = \"abc\"",
    ] {
        let said = found(plain);
        assert_eq!(
            (said.code, said.stdout.trim_end()),
            (Some(0), &*format!("1:{plain}")),
            "{said:?}"
        );
    }
    let said = found(
        "[servers.a]\nauth = \"oauth\"\nenv = { TOKEN = \"${file:token.txt}\" }\n\
         headers = { Authorization = \"Bearer ${keyring:docs/token}\" }\n[ask]\nkey = \"${env:KEY}\"\n",
    );
    assert_eq!((said.code, &*said.stdout), (Some(1), ""), "{said:?}");
}

fn user() -> User {
    let user = User::new();
    std::fs::create_dir(user.folder().join("my_package")).unwrap();
    for (name, text) in FILES {
        user.file(name, text);
    }
    user
}

/// Types each block of commands in a shell, except for those that build; gives what was shown.
fn typed(user: &User, page: &str) -> String {
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split_once("```").unwrap().0);
    let mut shown = String::new();
    for block in blocks {
        let lines = block.lines().filter(|line| !line.starts_with("cargo "));
        let said = shell(user, &lines.collect::<Vec<_>>().join("\n"));
        assert_eq!(said.code, Some(0), "{block}: {said:?}");
        shown += &said.stdout;
    }
    shown
}

/// A shell of the user's, in their folder and with `tidegate` on the path.
fn shell(user: &User, script: &str) -> Said {
    let tidegate = user.command(&[]);
    let own = Path::new(env!("CARGO_BIN_EXE_tidegate")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path)));
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", script]).current_dir(user.folder());
    for (name, value) in tidegate.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("PATH", path.unwrap()).stdin(Stdio::null()).output().unwrap().into()
}
