//! Programs in TypeScript that the user's own compiler checks as well: the real one, from npm.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::tide::{Said, User};

/// A call whose argument only types tell to be wrong.
const WRONG: &str = "import { meet } from \"servers/meeting\";\nconst count = \"3\".trim();\nconsole.log(\"began\");\nreturn await meet({ count });\n";

/// The folder with the compiler that npm installs for all test runs.
fn folder() -> PathBuf {
    let home = std::env::var_os("HOME").unwrap();
    let folder = PathBuf::from(home).join(".cache/tidegate-ci/node");
    let bin = folder.join("node_modules/.bin");
    if !bin.join("tsc").exists() {
        std::fs::create_dir_all(&folder).unwrap();
        let install =
            ["install", "--ignore-scripts", "--no-audit", "--no-fund", "typescript@7.0.2"];
        let npm = Command::new("npm").args(install).current_dir(&folder).status().unwrap();
        assert!(npm.success(), "npm could not install typescript");
    }
    bin
}

impl User {
    /// What `tidegate` says where a compiler is in `PATH`.
    fn beside_a_compiler(&self, arguments: &[&str]) -> Said {
        let before = std::env::var_os("PATH").unwrap();
        let all = std::iter::once(folder()).chain(std::env::split_paths(&before));
        let path = std::env::join_paths(all).unwrap();
        self.command(arguments).env("PATH", path).output().unwrap().into()
    }
}

fn with_meeting() -> User {
    let user = User::new();
    let folder = user.folder().join("config/tidegate");
    std::fs::create_dir_all(&folder).unwrap();
    let script =
        format!("{}/tests/servers/meeting.py", std::env::var("CARGO_MANIFEST_DIR").unwrap());
    let text = format!("[servers.meeting]\ncommand = \"python3\"\nargs = [{script:?}]\n");
    std::fs::write(folder.join("tidegate.toml"), text).unwrap();
    user
}

#[test]
fn what_only_types_tell_ends_a_run_before_anything_has_happened() {
    let user = with_meeting();
    let file = user.file("program.ts", WRONG);
    let file = file.to_str().unwrap();
    let said = user.beside_a_compiler(&["run", file]);
    assert!(said.stdout.starts_with("began"), "our own checks let it run: {said:?}");
    let said = user.beside_a_compiler(&["--set", "checker=tsc", "run", file]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{said:?}");
    let told = "line 4, column 21: wrong-type: meet(): \"count\" should be number, not string\n    return await meet({ count });";
    assert!(said.stderr.contains("CheckError") && said.stderr.contains(told), "{said:?}");
    assert!(said.stderr.contains("valid: count: int"), "{said:?}");
    let checked = user.beside_a_compiler(&["--set", "checker=tsc", "check", file, "--json"]);
    let report: Value = serde_json::from_str(&checked.stdout).unwrap();
    assert_eq!((&report["blocked"], &report["unchecked"]), (&json!(true), &Value::Null));
    assert_eq!(report["findings"][0]["code"], "wrong-type", "{report}");
}

#[test]
fn a_child_is_checked_as_well() {
    let user = with_meeting();
    let code = format!("return await spawn({WRONG:?}, {{}}, {{ language: \"typescript\" }})");
    let file = user.file("program.ts", &code);
    let said = user.beside_a_compiler(&["--set", "checker=tsc", "run", file.to_str().unwrap()]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stderr.contains("should be number, not string"), "{said:?}");
}

#[test]
fn every_variable_of_the_guests_own_is_declared() {
    let user = User::new();
    let names =
        user.value(&["--language", "typescript", "-c", "Object.getOwnPropertyNames(globalThis)"]);
    let names: Vec<&str> =
        names.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(names.len() > 100, "{names:?}");
    // What bindings call is theirs alone.
    let used = names.iter().filter(|name| **name != "__tidegate_call");
    let program = used.fold(String::new(), |text, name| text + "typeof " + name + ";\n");
    let file = user.file("names.ts", &format!("{program}nobody;\n"));
    let said = user.beside_a_compiler(&[
        "--set",
        "checker=tsc",
        "check",
        file.to_str().unwrap(),
        "--json",
    ]);
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    let found: Vec<&Value> = report["findings"].as_array().unwrap().iter().collect();
    assert_eq!(found.len(), 1, "{report}");
    assert!(found[0]["message"].to_string().contains("'nobody'"), "{report}");
}

#[test]
fn one_that_is_not_there_is_said_with_the_setting() {
    let user = User::new();
    let empty = user.folder();
    let run = |arguments: &[&str]| -> Said {
        let mut command = user.command(arguments);
        command.env("PATH", &empty).env("TIDEGATE_CHECKER", "tsgo").output().unwrap().into()
    };
    for arguments in
        [&["run", "--language", "typescript", "-c", "1"][..], &["serve", "--port", "0"]]
    {
        let said = run(arguments);
        assert_eq!(said.code, Some(2), "{said:?}");
        for word in
            ["`tsgo`", "`checker`", "PATH", "npm install --global @typescript/native-preview"]
        {
            assert!(said.stderr.contains(word), "{word}: {said:?}");
        }
    }
    let wrong = user.tidegate(&["--set", "checker=tcs", "run", "-c", "1"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("checker"), "{wrong:?}");
    let said = run(&["doctor", "--json"]);
    let doctor: Value = serde_json::from_str(&said.stdout).unwrap();
    let found = |doctor: &Value| {
        let all = doctor["findings"].as_array().unwrap();
        all.iter().find(|one| one["name"] == "ts compiler").unwrap().clone()
    };
    let missing = found(&doctor);
    assert_eq!(missing["state"], "bad", "{missing}");
    assert_eq!(missing["fix"], "npm install --global @typescript/native-preview");
    let said = user.beside_a_compiler(&["--set", "checker=tsc", "doctor", "--json"]);
    let there = found(&serde_json::from_str(&said.stdout).unwrap());
    let detail = there["detail"].as_str().unwrap();
    assert_eq!(there["state"], "good", "{there}");
    assert!(detail.contains("node_modules/.bin/tsc, version 7.0.2"), "{there}");
}
