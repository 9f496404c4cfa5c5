//! Every case of the contract suite, against this engine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod support;

use std::path::Path;

use engine::contract::{Canaries, check, load};

const ENVIRONMENT_CANARY: &str = "tide-canary-env-5b0f2c";
const FILE_CANARY: &str = "tide-canary-file-9d41aa";

/// Runs the cases of one folder and reports all that fail, not only the first.
fn all_hold(group: &str, at_least: usize) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("canary.txt"), FILE_CANARY).unwrap();
    let canaries = Canaries(vec![ENVIRONMENT_CANARY.into(), FILE_CANARY.into()]);
    let cases = load(
        &Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
            .join("../engine/cases")
            .join(group),
    )
    .unwrap();
    assert!(cases.len() >= at_least, "{group} has only {} cases", cases.len());

    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let only = std::env::var("TIDEGATE_CASE").ok();
    let failures: Vec<String> = runtime.block_on(async {
        let engine = support::engine();
        let mut failures = Vec::new();
        for case in cases
            .iter()
            .filter(|case| only.as_ref().is_none_or(|only| case.name.contains(only.as_str())))
        {
            if let Err(problem) = check(&engine, case, &canaries).await {
                failures.push(problem);
            }
        }
        failures
    });
    assert!(
        failures.is_empty(),
        "{} of {} cases failed:\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
}

#[test]
fn language() {
    all_hold("language", 20);
}

#[test]
fn values() {
    all_hold("values", 20);
}

#[test]
fn asynchrony() {
    all_hold("async", 20);
}

#[test]
fn state() {
    all_hold("state", 15);
}

#[test]
fn limits() {
    all_hold("limits", 15);
}

#[test]
fn escape() {
    all_hold("escape", 60);
}

#[test]
fn tools() {
    all_hold("tools", 40);
}
