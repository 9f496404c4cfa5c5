//! What the tests of the log have in common.

use std::fs;
use std::path::Path;

use audit::{Entry, Hit, Kind, Log, Options, Outcome, Verdict};
use serde_json::json;

/// Segments so small that a few entries fill one.
pub(crate) fn small() -> Options {
    Options { segment_bytes: 1500, ..Options::default() }
}

pub(crate) fn open(folder: &Path) -> Log {
    Log::open(folder, &small()).unwrap()
}

/// An entry that differs from every other.
pub(crate) fn call(number: usize) -> Entry {
    Entry {
        owner: format!("owner-{}", number % 3),
        session: format!("session-{}", number % 7),
        run: format!("run-{number}"),
        subject: ["crm.search", "crm.delete", "mail.send"][number % 3].to_owned(),
        outcome: Some(Outcome::Ok),
        details: json!({ "took_ms": number, "text": "ä\"\\\n" }),
        ..Entry::new(Kind::Call)
    }
}

/// A log with so many entries, all safe, and nobody who has it open.
pub(crate) fn written(entries: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    for number in 0..entries {
        log.note(call(number)).unwrap();
        // One batch may be longer than a segment; several make several.
        if number % 4 == 3 {
            log.sync().unwrap();
        }
    }
    drop(log);
    folder
}

pub(crate) fn verify(folder: &Path) -> Verdict {
    audit::verify(folder).unwrap()
}

#[track_caller]
pub(crate) fn assert_ok(folder: &Path) -> Verdict {
    let verdict = verify(folder);
    assert!(verdict.is_ok(), "{verdict}");
    verdict
}

/// All lines, oldest first.
pub(crate) fn lines(folder: &Path) -> Vec<Hit> {
    let filter = audit::Filter { order: audit::Order::OldestFirst, ..audit::Filter::default() };
    audit::search(folder, &filter).unwrap().collect::<Result<_, _>>().unwrap()
}

/// How many entries of a kind there are.
pub(crate) fn count(folder: &Path, kind: &Kind) -> usize {
    let hits = lines(folder);
    hits.iter().filter_map(Hit::entry).filter(|entry| entry.kind == *kind).count()
}

pub(crate) fn segments(folder: &Path) -> Vec<std::path::PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    files
}

/// Another folder with the same files.
pub(crate) fn copy(folder: &Path) -> tempfile::TempDir {
    let other = tempfile::tempdir().unwrap();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            fs::copy(file.path(), other.path().join(file.file_name())).unwrap();
        }
    }
    other
}
