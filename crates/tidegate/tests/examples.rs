//! Every example under `examples/` runs with its one command, and shows what its README says.
//!
//! `expected.txt` beside an example is what it prints before its table of tokens. The table changes with every word
//! of our own definitions, so only what it has to reach is asserted.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What an example has to save: `row` of its table at least `percent`.
type Least = (&'static str, f64);

#[test]
fn trading_analyses_a_portfolio_and_keeps_its_rows_from_the_model() {
    let least = [
        ("filter", 96.5),
        ("aggregate", 96.5),
        ("transform", 96.5),
        ("validate", 96.5),
        ("all", 97.0),
    ];
    let (data, _) = example("trading", &least);
    let chart = std::fs::read(data.path().join("chart.png")).unwrap();
    assert!(chart.starts_with(b"\x89PNG\r\n"), "the chart is no picture");
    assert!(data.path().join("trading.db").is_file(), "the market is not in a file");
}

#[test]
fn documents_are_summarised_and_their_credential_is_in_no_file() {
    let (data, table) = example("documents", &[("payments", 99.0), ("all", 99.0)]);
    for row in ["summary", "payments", "login"] {
        assert!(
            table.contains(&format!("\n{row} ")),
            "{row} asks the server and is not in the sum: {table}"
        );
    }
    // A document of 50,000 tokens, and 500 about it.
    let counted = table.lines().find(|line| line.starts_with("the document: ")).unwrap();
    let figures = counted.split(|letter: char| !letter.is_ascii_digit() && letter != ',');
    let figures: Vec<u32> =
        figures.filter_map(|figure| figure.replace(',', "").parse().ok()).collect();
    assert!(figures.len() == 2 && figures[0] >= 50_000, "{counted}");
    assert!((250..=500).contains(&figures[1]), "{counted}");
    assert!(data.path().join("documents.db").is_file(), "the archive is not in a file");
}

#[test]
fn home_makes_automations_of_sentences_and_others_for_another_house() {
    let (data, _) = example("home", &[("power", 98.7), ("all", 98.7)]);
    let automation = |data: &tempfile::TempDir, name: &str| {
        let yaml = std::fs::read_to_string(data.path().join(name)).unwrap();
        assert_eq!(example_servers::mistakes(&yaml), Vec::<String>::new(), "{yaml}");
        yaml
    };
    let (lights, power) = (automation(&data, "lights.yaml"), automation(&data, "power.yaml"));
    let (other, _) = ran("home", &["--seed", "2"]);
    assert_ne!(lights, automation(&other, "lights.yaml"));
    assert_ne!(power, automation(&other, "power.yaml"));
}

#[test]
fn home_makes_the_same_automations_through_langchain() {
    let (_, yaml) = ran("home", &["langchain"]);
    assert_eq!(example_servers::mistakes(&yaml), Vec::<String>::new(), "{yaml}");
    let expected = std::fs::read_to_string(root().join("examples/home/expected.txt")).unwrap();
    let sections = expected.split("## ").filter_map(|section| section.split_once('\n'));
    let automations: Vec<&str> = sections
        .filter_map(|(title, text)| {
            title.strip_suffix(".yaml").is_some().then_some(text.trim_end())
        })
        .collect();
    assert_eq!(automations.len(), 2, "{expected}");
    for automation in automations {
        assert!(yaml.contains(automation), "{yaml}");
    }
    // What a week used is an answer of its own.
    assert!(yaml.contains("# Analyze power usage last week\n# points: 250000\n"), "{yaml}");
    assert!(yaml.contains("# kWh: 285.1\n"), "{yaml}");
}

#[test]
fn travel_keeps_each_traveller_to_their_own() {
    example("travel", &[("expenses", 97.6), ("all", 97.6)]);
}

#[test]
fn minds_has_a_planner_and_workers_that_ask_and_tell_each_other() {
    let (_, shown) = ran("minds", &[]);
    let expected = std::fs::read_to_string(root().join("examples/minds/expected.txt")).unwrap();
    assert_eq!(shown.trim(), expected.trim());
}

#[test]
fn the_main_program_of_each_is_there_in_typescript_and_says_the_same() {
    for (name, part) in
        [("trading", "statistics"), ("documents", "summary"), ("home", "week"), ("travel", "plan")]
    {
        let (_, shown) = ran(name, &["typescript"]);
        let expected = root().join("examples").join(name).join("expected.txt");
        let expected = std::fs::read_to_string(expected).unwrap();
        let head = format!("## {part}\n");
        let section = |text: &str| {
            let after = text.split_once(&head).unwrap().1;
            after.split("\n## ").next().unwrap().trim().to_owned()
        };
        // JavaScript writes a whole number without a point.
        assert_eq!(section(&shown), section(&expected).replace(".0\n", "\n"), "{name}");
    }
}

#[test]
fn every_example_has_a_readme_that_names_its_command() {
    let folders = std::fs::read_dir(root().join("examples")).unwrap();
    let names: Vec<String> = folders
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("run").is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert!(!names.is_empty());
    let map = std::fs::read_to_string(root().join("docs/src/examples.md")).unwrap();
    for name in names {
        let command = format!("examples/{name}/run");
        let readme = root().join("examples").join(&name).join("README.md");
        assert!(std::fs::read_to_string(readme).unwrap().contains(&command), "{name}");
        assert!(map.contains(&command), "docs/src/examples.md does not name {command}");
    }
}

#[test]
fn what_is_not_built_yet_is_built_and_a_failure_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let cargo = folder.path().join("cargo");
    // Where one is installed, it would be taken.
    let path = std::env::var_os("PATH").unwrap();
    let others = std::env::split_paths(&path).filter(|one| !one.join("tidegate").is_file());
    let path =
        std::env::join_paths(std::iter::once(folder.path().to_owned()).chain(others)).unwrap();
    let asked = |script: &str| {
        executable(&cargo, script);
        let output = staged("print(stage.binary())")
            .env("PATH", &path)
            .env("CARGO_TARGET_DIR", folder.path().join("target"))
            .env_remove("TIDEGATE")
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap(), said)
    };
    let (went, _, said) = asked("#!/bin/sh\necho broken >&2\nexit 101\n");
    assert!(!went && said.contains("broken") && said.contains("could not be built"), "{said}");
    let (went, command, said) = asked(
        "#!/bin/sh\ntest -f Cargo.lock && test \"$*\" = 'build --release --package tidegate' || exit 2\n\
         mkdir -p \"$CARGO_TARGET_DIR/release\" && touch \"$CARGO_TARGET_DIR/release/tidegate\"\n",
    );
    let built = folder.path().join("target/release/tidegate");
    assert!(went && command.trim() == built.to_str().unwrap(), "{command} {said}");
    // The second time it is there.
    let (went, again, said) = asked("#!/bin/sh\nexit 3\n");
    assert!(went && again == command && said.is_empty(), "{again} {said}");
}

#[test]
fn a_tidegate_of_any_name_is_used_and_one_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let next = folder.path().join("tidegate-next");
    executable(&next, "#!/bin/sh\necho \"next $*\"\n");
    std::fs::create_dir(folder.path().join("links")).unwrap();
    let link = folder.path().join("links/tidegate");
    std::os::unix::fs::symlink(&next, &link).unwrap();
    let program = "import subprocess; subprocess.run(['tidegate', 'serve'], check=True, env=stage.environment(pathlib.Path('example')))";
    let with = |tidegate: &Path| {
        let mut command = staged(program);
        // As a person would write it, who is in that folder.
        command.env("TIDEGATE", tidegate).env("TIDEGATE_DATA", "kept").current_dir(folder.path());
        command.output().unwrap()
    };
    for tidegate in [Path::new("./tidegate-next"), &next, &link] {
        let output = with(tidegate);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", tidegate.display());
        assert_eq!(output.stdout, b"next serve\n", "{}: {said}", tidegate.display());
        assert!(said.contains("next runtime install"), "{said}");
    }
    let output = with(&folder.path().join("none"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(said.starts_with("TIDEGATE is ") && said.contains("none'"), "{said}");
}

#[test]
fn a_service_that_does_not_start_is_heard_and_a_talkative_one_does_not_wait_for_ears() {
    let folder = tempfile::tempdir().unwrap();
    let tidegate = folder.path().join("tidegate");
    let asked = |serve: &str, program: &str| {
        executable(&tidegate, &format!("#!/bin/sh\ntest \"$1\" = serve || exit 0\n{serve}\n"));
        let mut command = staged(program);
        command.env("TIDEGATE", &tidegate).env("TIDEGATE_DATA", folder.path().join("data"));
        command.env_remove("TIDEGATE_LOG").output().unwrap()
    };
    let output = asked(
        "echo 'see http://docs: port is a text' >&2; exit 2",
        "stage.Service(pathlib.Path())",
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("port is a text"), "{said}");
    let output = asked(
        "echo 'listening on http://127.0.0.1:1 (x)' >&2; head -c 300000 /dev/zero | tr '\\0' '\\n' >&2",
        "gate = stage.Service(pathlib.Path()); print(gate.address, gate.process.wait(60))",
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"http://127.0.0.1:1 0\n", "{said}");
}

#[test]
fn what_travel_needs_is_said_before_anything_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let python = String::from_utf8(python.unwrap().stdout).unwrap();
    let output = Command::new(python.trim())
        .arg("-B")
        .arg(root().join("examples/travel/run"))
        .env("PATH", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("needs git and npx on the path"), "{said}");
}

/// Python that has what the examples share at hand.
fn staged(program: &str) -> Command {
    let mut command = Command::new("python3");
    let program =
        format!("import pathlib, sys; sys.path.insert(0, sys.argv[1]); import stage; {program}");
    command.args(["-B", "-c", &program]).arg(root().join("examples"));
    command
}

fn executable(path: &Path, script: &str) {
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs one, compares what it says, and gives the folder in which it kept things, and its table.
fn example(name: &str, least: &[Least]) -> (tempfile::TempDir, String) {
    let (data, shown) = ran(name, &[]);
    let (results, table) = shown.split_once("\ntokens ").unwrap();
    let expected = root().join("examples").join(name).join("expected.txt");
    let expected = std::fs::read_to_string(expected).unwrap();
    assert_eq!(results.trim(), expected.trim(), "{name} shows something else");
    for (row, percent) in least {
        let line = table.lines().find(|line| line.starts_with(&format!("{row} "))).unwrap();
        let saved: f64 = line.rsplit(' ').next().unwrap().trim_end_matches('%').parse().unwrap();
        assert!(saved >= *percent, "{name} saves less than {percent} %: {line}");
    }
    as_the_manual_has_it(name, table);
    let table = table.to_owned();
    (data, table)
}

/// Each row of what was printed is in the table of the manual, with the same figures but for some words of our
/// definitions, which all of them hold.
fn as_the_manual_has_it(name: &str, table: &str) {
    let page = std::fs::read_to_string(root().join("docs/src/examples.md")).unwrap();
    let mut system = "";
    let mut told = BTreeMap::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, of, _, step, through, ours, ..] = cells[..] else { continue };
        system = if of.is_empty() { system } else { of };
        if let (true, Some(through), Some(ours)) = (system == name, tokens(through), tokens(ours)) {
            told.insert(step.trim_matches('*'), [through, ours]);
        }
    }
    let mut printed = 0;
    for line in table.lines() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [step, through, ours, saved] = cells[..] else { continue };
        let (Some(through), Some(ours)) = (tokens(through), tokens(ours)) else { continue };
        let says = told.get(step).unwrap_or_else(|| panic!("the manual has no {step} of {name}"));
        for (told, now) in says.iter().zip([through, ours]) {
            assert!(
                // The house is built around today, and a few patterns more or less are a few words.
                told.abs_diff(now) * 10 <= now,
                "docs/src/examples.md has {told} where {name} has {now} now: {step} {through} {ours} {saved}"
            );
        }
        printed += 1;
    }
    assert_eq!(printed, told.len(), "the manual has other steps of {name}: {told:?}");
}

/// A figure as people write it: `1,234`.
fn tokens(text: &str) -> Option<u64> {
    text.replace(',', "").parse().ok()
}

/// Runs one; gives the folder in which it kept things, and what it printed.
fn ran(name: &str, arguments: &[&str]) -> (tempfile::TempDir, String) {
    let data = tempfile::tempdir().unwrap();
    let folder = root().join("examples").join(name);
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    let output = Command::new("python3")
        .arg("-B")
        .arg(folder.join("run"))
        .args(arguments)
        .env("TIDEGATE", env!("CARGO_BIN_EXE_tidegate"))
        .env("TIDEGATE_CACHE", cache)
        .env("TIDEGATE_DATA", data.path())
        .env("XDG_CONFIG_HOME", data.path())
        .env_remove("TIDEGATE_TRAVEL_DATABASE")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} ended with {}:\n{said}", output.status);
    let shown = String::from_utf8(output.stdout).unwrap();
    (data, shown)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
