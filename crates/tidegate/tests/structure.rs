//! The shape of the repository: what the documents say about it is so.
//!
//! Nothing here runs a program. Each test reads files and says which one breaks which habit.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where `unsafe` may be.
const UNSAFE: [&str; 2] = ["crates/engine-wasm/src/code.rs", "crates/engine-wasm/src/memory.rs"];

/// Lines of a file written by hand, at most.
const MOST_LINES: usize = 800;

#[test]
fn crates_use_only_the_crates_that_the_architecture_allows() {
    let allowed = edges_in(&read("ARCHITECTURE.md"));
    let found = edges_in_cargo();
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        allowed.keys().collect::<Vec<_>>(),
        "the table in ARCHITECTURE.md has other crates than the workspace"
    );
    for (name, uses) in &found {
        assert_eq!(uses, &allowed[name], "{name} uses other crates than ARCHITECTURE.md allows");
    }
}

#[test]
fn every_source_file_opens_by_saying_what_it_is_for() {
    let silent = sources().into_iter().filter(|path| {
        let text = read(path);
        !text.lines().take(3).any(|line| line.starts_with("//!"))
    });
    none("open without `//!` in their first three lines", silent);
}

#[test]
fn no_source_file_is_too_long_to_read() {
    let long = tracked()
        .into_iter()
        .filter(|path| is_written_by_hand(path) && read(path).lines().count() > MOST_LINES);
    none(&format!("have more than {MOST_LINES} lines; look for the second idea"), long);
}

#[test]
fn nothing_names_one_machine_or_a_registry() {
    let told = tracked().into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(root().join(&path)).ok()?;
        let line = text.lines().find(|line| names_a_machine(line) || names_a_registry(line))?;
        Some(format!("{path}: {}", line.trim()))
    });
    none("name a folder of one machine, or a host that the package clients should know", told);
}

#[test]
fn every_page_of_the_manual_exists() {
    let summary = read("docs/src/SUMMARY.md");
    let pages: Vec<&str> = links(&summary).collect();
    assert!(pages.len() >= 8, "the summary lists only {pages:?}");
    let lost = pages.iter().filter(|page| !root().join("docs/src").join(page).is_file());
    none("are in SUMMARY.md and not there", lost);
}

#[test]
fn what_pages_link_to_is_there_and_every_picture_is_shown() {
    let is_page = |path: &String| Path::new(path).extension().is_some_and(|ending| ending == "md");
    let mut shown = BTreeSet::new();
    let mut lost = Vec::new();
    for page in tracked().into_iter().filter(is_page) {
        let text = read(&page);
        // Every second part stands between fences, where brackets mean something else.
        for link in text.split("```").step_by(2).flat_map(links) {
            let (target, part) = link.split_once('#').unwrap_or((link, ""));
            if target.contains("://") || target.contains(' ') {
                continue;
            }
            let here = root().join(&page);
            let file = if target.is_empty() { here } else { here.parent().unwrap().join(target) };
            let Ok(file) = file.canonicalize() else {
                lost.push(format!("{page}: {link}"));
                continue;
            };
            if is_page(&file.display().to_string())
                && !part.is_empty()
                && !parts(&file).contains(part)
            {
                lost.push(format!("{page}: {link}, a part that the page does not have"));
            }
            shown.insert(file);
        }
    }
    none("link to what is not there", lost.into_iter());
    let pictures = tracked().into_iter().filter(|path| path.starts_with("docs/src/pictures/"));
    none(
        "are shown on no page",
        pictures.filter(|path| !shown.contains(&root().join(path).canonicalize().unwrap())),
    );
}

#[test]
fn the_symptoms_of_the_page_about_troubles_are_in_the_words_that_are_said() {
    let is_source = |path: &String| {
        let within = path.contains("/src/") || path.contains("/guest");
        path.starts_with("crates/")
            && within
            && [".rs", ".py", ".ts"].iter().any(|end| path.ends_with(end))
    };
    let said: String = tracked().iter().filter(|path| is_source(path)).map(read).collect();
    let page = read("docs/src/troubleshooting.md");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    let symptoms = rows.filter_map(|row| row.split(" | ").next());
    let quoted = symptoms.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let words = quoted.flat_map(|text| text.split('…'));
    // Figures are of one moment.
    let words =
        words.map(|part| part.trim_matches(|c: char| " (),:%".contains(c) || c.is_ascii_digit()));
    let words: Vec<&str> = words.filter(|part| !part.is_empty()).collect();
    assert!(words.len() > 20, "the page shows only {words:?}");
    none(
        "are shown on the page, and nothing says so",
        words.into_iter().filter(|part| !said.contains(part)),
    );
}

#[test]
fn every_attack_of_the_manual_names_what_tries_it_and_that_is_there() {
    let page = read("docs/src/attacks.md");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    let mut lost = Vec::new();
    for row in rows.skip(1) {
        let tried = row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        let names: Vec<&str> = tried.split('`').skip(1).step_by(2).collect();
        let is_there = |name: &&str| {
            let places = [
                (*name).to_owned(),
                format!("scripts/attacks/{name}"),
                format!("crates/tidegate/tests/cli/{name}"),
                format!("fuzz/fuzz_targets/{name}.rs"),
            ];
            places.iter().any(|place| root().join(place).exists())
        };
        if names.is_empty() || !names.iter().all(is_there) {
            lost.push(row.to_owned());
        }
    }
    none("attacks name nothing that tries them, or what is not there", lost.into_iter());
}

#[test]
fn what_the_manual_takes_from_elsewhere_links_to_nothing_beside_it() {
    let mut lost = Vec::new();
    for page in tracked().into_iter().filter(|path| path.starts_with("docs/src/")) {
        let Ok(text) = std::fs::read_to_string(root().join(&page)) else { continue };
        for rest in text.split("{{#include ").skip(1) {
            let taken = rest.split("}}").next().unwrap();
            let taken = root().join(&page).parent().unwrap().join(taken);
            let prose = read(&taken);
            let beside = prose.split("```").step_by(2).flat_map(links);
            let beside = beside.filter(|link| !link.starts_with('#') && !link.contains("://"));
            lost.extend(beside.map(|link| format!("{}: {link}", taken.display())));
        }
    }
    none("would lead nowhere in the manual", lost.into_iter());
}

/// What the headings of a page are called in links, as mdBook and code hosts have it.
fn parts(page: &Path) -> BTreeSet<String> {
    let mut text = std::fs::read_to_string(page).unwrap();
    // A page of the manual may be a file of the repository.
    if let Some(rest) = text.trim().strip_prefix("{{#include ") {
        let other = page.parent().unwrap().join(rest.trim_end_matches("}}"));
        text = std::fs::read_to_string(other).unwrap();
    }
    let called = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let letters = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        letters.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    let prose = text.split("```").step_by(2);
    let lines = prose.flat_map(str::lines).filter(|line| line.starts_with('#'));
    lines.map(called).collect()
}

#[test]
fn ci_runs_the_second_command_of_the_readme() {
    let readme = read("README.md");
    let commands: Vec<&str> = commands(&readme).take(2).collect();
    assert_eq!(commands.len(), 2, "README.md does not show its two commands");
    let script = read(".ci/run");
    assert!(
        script.lines().any(|line| line == commands[1]),
        ".ci/run does not run `{}`",
        commands[1]
    );
}

#[test]
fn unsafe_code_stays_in_its_named_modules() {
    assert!(
        read("Cargo.toml").lines().any(|line| line == r#"unsafe_code = "deny""#),
        "the workspace does not deny unsafe code"
    );
    let manifests = tracked()
        .into_iter()
        .filter(|path| path.starts_with("crates/") && path.ends_with("/Cargo.toml"));
    none(
        "do not take the workspace's lints",
        manifests.filter(|path| !read(path).contains("[lints]\nworkspace = true")),
    );
    let excepts = |line: &str| line.contains("unsafe_code") && line != "#![forbid(unsafe_code)]";
    let excepted: BTreeSet<String> =
        sources().into_iter().filter(|path| read(path).lines().any(excepts)).collect();
    let named: BTreeSet<String> = UNSAFE.map(str::to_owned).into();
    assert_eq!(excepted, named, "other files than the named ones except themselves");
}

/// What cargo says: each crate, and the crates of the workspace it depends on in any way.
fn edges_in_cargo() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version=1", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap_or_default().to_owned();
    list(&metadata["packages"])
        .iter()
        .map(|package| {
            let dependencies = list(&package["dependencies"]);
            let ours = dependencies.iter().filter(|dependency| dependency["path"].is_string());
            (name(package), ours.map(name).collect())
        })
        .collect()
}

/// The table between the two markers: `| crate | may use |`, names in backticks.
fn edges_in(architecture: &str) -> BTreeMap<String, BTreeSet<String>> {
    let table = architecture
        .split_once("<!-- edges:begin -->")
        .and_then(|(_, rest)| rest.split_once("<!-- edges:end -->"))
        .expect("ARCHITECTURE.md marks its table of edges")
        .0;
    table
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.strip_prefix('|')?.split('|').collect();
            let name = names(cells[0]).next()?;
            Some((name, names(cells[1]).collect()))
        })
        .collect()
}

/// Everything in backticks.
fn names(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// The lines of a document's shell blocks.
fn commands(document: &str) -> impl Iterator<Item = &str> {
    document
        .split("```sh\n")
        .skip(1)
        .flat_map(|rest| rest.split_once("```").map_or("", |(block, _)| block).lines())
}

/// The targets of a document's links.
fn links(document: &str) -> impl Iterator<Item = &str> {
    document.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0))
}

/// Whether a line has an absolute path that exists on one machine only.
fn names_a_machine(line: &str) -> bool {
    // Split, so that this file does not name them. Below some of them only a user's folder counts.
    let folders = [
        (concat!("/wo", "rk/"), false),
        (concat!("/ro", "ot/"), false),
        (concat!("/ho", "me/"), true),
        (concat!("/Us", "ers/"), true),
    ];
    folders.iter().any(|&(folder, with_user)| {
        line.match_indices(folder).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let user = line[at + folder.len()..].split_once('/').map_or("", |(user, _)| user);
            let is_user = !user.is_empty() && user.chars().all(|c| c.is_ascii_lowercase());
            let starts = !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
            starts && (is_user || !with_user)
        })
    })
}

/// Whether a line names a host that packages are fetched from.
fn names_a_registry(line: &str) -> bool {
    let hosts = [
        concat!("py", "pi.org"),
        concat!("python", "hosted.org"),
        concat!("npm", "js.org"),
        concat!("npm", "js.com"),
        concat!("static.cra", "tes.io"),
        concat!("index.cra", "tes.io"),
    ];
    hosts.iter().any(|host| line.contains(host))
}

/// Fails with the list of what should not be.
fn none(what: &str, found: impl Iterator<Item = impl ToString>) {
    let found: Vec<String> = found.map(|one| one.to_string()).collect();
    assert!(found.is_empty(), "these {what}:\n{}", found.join("\n"));
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "rs")
}

/// Whether a file is code, and none that is written from openapi.json.
fn is_written_by_hand(path: &str) -> bool {
    let ending = Path::new(path).extension().unwrap_or_default();
    ["rs", "py", "ts", "js", "mjs"].iter().any(|one| ending == *one) && !path.contains("/models.")
}

/// Rust files of the crates' own source.
fn sources() -> Vec<String> {
    let is_source =
        |path: &String| path.starts_with("crates/") && path.contains("/src/") && is_rust(path);
    tracked().into_iter().filter(is_source).collect()
}

/// Files that are tracked or about to be, relative to the root.
fn tracked() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root())
        .output()
        .expect("the repository was cloned with git");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8(listed.stdout).unwrap();
    let there = |path: &&str| !path.is_empty() && root().join(path).is_file();
    listed.split('\0').filter(there).map(str::to_owned).collect()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn root() -> PathBuf {
    // Asked at run time: clones that share a target folder share the compiled test too.
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}
