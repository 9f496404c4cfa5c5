//! Programs that fail, and the same mended by what we say about them.
//!
//! Each file beside this one has the words that say what to do, the program that fails, and below
//! `# mended:` (`// mended:` in TypeScript) the one that somebody wrote who followed those words, with the value it gives.

use std::path::Path;

use serde_json::{Value, json};

use super::{Client, text};

/// One file.
struct Case {
    name: String,
    said: String,
    value: Value,
    failing: String,
    mended: String,
}

impl Case {
    /// One of a language in which a comment begins so.
    fn read(path: &Path, comment: &str) -> Self {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = std::fs::read_to_string(path).unwrap();
        let (failing, mended) = file.split_once(&format!("{comment} mended:\n")).expect(&name);
        let header = |key: &str| {
            failing.lines().find_map(|line| line.strip_prefix(&format!("{comment} {key}: ")))
        };
        Self {
            said: header("said").expect(&name).to_owned(),
            value: serde_json::from_str(header("value").expect(&name)).expect(&name),
            failing: failing.to_owned(),
            mended: mended.to_owned(),
            name,
        }
    }
}

fn cases(language: &str, comment: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mended");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|it| it == language))
        .map(|it| Case::read(&it, comment))
        .collect()
}

/// Runs each of them, as it fails and mended.
fn are_mended(client: &mut Client, tool: &str, cases: &[Case]) {
    for case in cases {
        let name = &case.name;
        let failed = client.run_with(tool, json!({ "code": case.failing }));
        assert_eq!(failed["isError"], json!(true), "{name}: {failed}");
        assert!(text(&failed).contains(&case.said), "{name}: {}", text(&failed));
        let ran = client.run_with(tool, json!({ "code": case.mended }));
        assert_eq!(ran["isError"], json!(false), "{name}: {}", text(&ran));
        assert_eq!(ran["structuredContent"]["return_value"], case.value, "{name}");
    }
}

#[test]
fn a_program_that_fails_is_mended_by_what_is_said_about_it() {
    let mut client = Client::initialized(&[]);
    let cases = cases("py", "#");
    are_mended(&mut client, "execute_python", &cases);
    assert!(cases.len() >= 20, "{}", cases.len());
}

#[test]
fn a_program_in_typescript_that_fails_is_mended_by_what_is_said_about_it() {
    let mut client = Client::initialized(&["--tools", "execute_typescript,search_tools"]);
    let cases = cases("ts", "//");
    are_mended(&mut client, "execute_typescript", &cases);
    assert!(cases.len() >= 6, "{}", cases.len());
}
