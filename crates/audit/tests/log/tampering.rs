//! Whatever somebody without the key does to a log is found.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::common::{assert_ok, copy, lines, open, segments, verify, written};
use audit::{Anchor, Examination, Hash, Problem, verify_with};
use proptest::prelude::*;

/// A log of some segments, with redacted lines and a checkpoint: everything there is to tamper with.
static ORIGINAL: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = written(60);
    let log = open(folder.path());
    log.redact([30, 31, 45], "ann", "a name").unwrap();
    let rules = audit::Retention { max_bytes: Some(18_000), max_age: None };
    log.retain(&rules).unwrap().unwrap();
    drop(log);
    let verdict = assert_ok(folder.path());
    assert!(verdict.segments > 5 && verdict.redacted == 3 && verdict.removed_through.is_some());
    folder
});

/// The files that count, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = segments(folder);
    files.extend(["head", "checkpoint"].map(|name| folder.join(name)));
    files
}

fn all_lines(path: &Path) -> Vec<Vec<u8>> {
    fs::read(path).unwrap().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

thread_local! {
    /// A copy for each test, because copying takes longer than examining.
    static COPY: tempfile::TempDir = copy(ORIGINAL.path());
}

fn mine() -> PathBuf {
    COPY.with(|folder| folder.path().to_owned())
}

/// Whether something is wrong, and nothing is once the files are as they were.
fn found_and_restored(folder: &Path, changed: &[&PathBuf]) -> bool {
    let verdict = verify(folder);
    for path in changed {
        fs::copy(ORIGINAL.path().join(path.file_name().unwrap()), path).unwrap();
    }
    assert_ok(folder);
    !verdict.is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn any_changed_byte_is_found(which: prop::sample::Index, at: prop::sample::Index, by in 1_u8..) {
        let folder = mine();
        let files = files(&folder);
        let path = which.get(&files);
        let mut bytes = fs::read(path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= by;
        fs::write(path, bytes).unwrap();
        let is_found = found_and_restored(&folder, &[path]);
        prop_assert!(is_found, "{} byte {at}", path.display());
    }

    #[test]
    fn any_removed_line_is_found(which: prop::sample::Index, at: prop::sample::Index) {
        let folder = mine();
        let segments = segments(&folder);
        let path = which.get(&segments);
        let mut lines = all_lines(path);
        lines.remove(at.index(lines.len()));
        fs::write(path, lines.concat()).unwrap();
        prop_assert!(found_and_restored(&folder, &[path]));
    }

    #[test]
    fn any_two_swapped_lines_are_found(
        one: prop::sample::Index, other: prop::sample::Index,
        at: prop::sample::Index, other_at: prop::sample::Index,
    ) {
        let folder = mine();
        let segments = segments(&folder);
        let (one, other) = (one.get(&segments), other.get(&segments));
        let (mut lines, mut others) = (all_lines(one), all_lines(other));
        let (at, other_at) = (at.index(lines.len()), other_at.index(others.len()));
        prop_assume!(one != other || at != other_at);
        if one == other {
            lines.swap(at, other_at);
        } else {
            std::mem::swap(&mut lines[at], &mut others[other_at]);
            fs::write(other, others.concat()).unwrap();
        }
        fs::write(one, lines.concat()).unwrap();
        prop_assert!(found_and_restored(&folder, &[one, other]));
    }

    #[test]
    fn any_truncation_is_found(which: prop::sample::Index, at: prop::sample::Index) {
        let folder = mine();
        let files = files(&folder);
        let path = which.get(&files);
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..at.index(bytes.len())]).unwrap();
        prop_assert!(found_and_restored(&folder, &[path]));
    }
}

#[test]
fn any_removed_file_is_found() {
    for at in 0..files(ORIGINAL.path()).len() {
        let folder = copy(ORIGINAL.path());
        fs::remove_file(&files(folder.path())[at]).unwrap();
        let verdict = verify(folder.path());
        assert!(!verdict.is_ok(), "{at}: {verdict}");
    }
}

#[test]
fn every_byte_of_a_small_log_is_covered() {
    let original = written(3);
    for name in ["000001.jsonl", "head"] {
        let whole = fs::read(original.path().join(name)).unwrap();
        let folder = copy(original.path());
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x20;
            fs::write(folder.path().join(name), &bytes).unwrap();
            assert!(!verify(folder.path()).is_ok(), "{name} byte {at}");
            fs::write(folder.path().join(name), &whole[..at]).unwrap();
            assert!(!verify(folder.path()).is_ok(), "{name} cut at {at}");
        }
    }
}

#[test]
fn each_problem_is_named_with_its_line() {
    let original = written(12);
    let path = |folder: &Path| segments(folder)[1].clone();
    let first =
        audit::decode_line(all_lines(&path(original.path()))[0].trim_ascii_end()).unwrap().seq;

    let folder = copy(original.path());
    let text = fs::read_to_string(path(folder.path())).unwrap();
    fs::write(path(folder.path()), text.replacen("owner-", "0wner-", 1)).unwrap();
    assert_eq!(verify(folder.path()).problems, [Problem::ChangedEntry { seq: first }]);

    let folder = copy(original.path());
    let mut lines = all_lines(&path(folder.path()));
    lines.remove(1);
    fs::write(path(folder.path()), lines.concat()).unwrap();
    let (expected, found) = (first + 1, first + 2);
    assert_eq!(verify(folder.path()).problems, [Problem::WrongNumber { expected, found }]);

    let folder = copy(original.path());
    fs::remove_file(path(folder.path())).unwrap();
    assert_eq!(verify(folder.path()).problems, [Problem::MissingSegments { from: 2, to: 2 }]);

    let folder = copy(original.path());
    fs::remove_file(segments(folder.path()).pop().unwrap()).unwrap();
    let verdict = verify(folder.path());
    let (found, sealed) = (verdict.last, verdict.head.unwrap().seq);
    assert_eq!(verdict.problems, [Problem::Truncated { found, sealed }]);

    let folder = copy(original.path());
    fs::remove_file(folder.path().join("key")).unwrap();
    assert_eq!(verify(folder.path()).problems, [Problem::KeyMissing]);
}

#[test]
fn a_log_written_anew_under_another_key_is_found() {
    let (folder, other) = (written(12), written(12));
    for path in segments(folder.path()) {
        fs::remove_file(path).unwrap();
    }
    for path in segments(other.path()) {
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    assert_eq!(verify(folder.path()).problems, [Problem::Replaced { seq: 12 }]);
    fs::copy(other.path().join("head"), folder.path().join("head")).unwrap();
    assert_eq!(verify(folder.path()).problems, [Problem::HeadForged]);
    assert!(audit::Log::open(folder.path(), &crate::common::small()).is_err());
}

#[test]
fn an_entry_taken_away_by_hand_is_found() {
    let folder = written(12);
    let path = segments(folder.path()).remove(0);
    let mut lines = all_lines(&path);
    let line = String::from_utf8(lines.remove(1)).unwrap();
    let kept = line.split_once("\"entry\":").unwrap().0;
    let forged = format!("{kept}\"redacted\":{{\"at\":1,\"by\":\"me\",\"why\":\"so\"}}}}\n");
    lines.insert(1, forged.into_bytes());
    fs::write(&path, lines.concat()).unwrap();
    assert_eq!(verify(folder.path()).problems, [Problem::RedactedByNobody { from: 2, to: 2 }]);
}

#[test]
fn a_redacted_entry_that_is_put_back_is_found() {
    let folder = written(12);
    let before = copy(folder.path());
    open(folder.path()).redact([2, 3], "ann", "a name").unwrap();
    assert_ok(folder.path());
    let first = &segments(folder.path())[0];
    fs::copy(&segments(before.path())[0], first).unwrap();
    let verdict = verify(folder.path());
    assert_eq!(verdict.problems, [Problem::NotRedacted { from: 2, to: 3 }]);
}

#[test]
fn an_older_copy_of_everything_is_found_by_whoever_remembers_a_line() {
    let folder = written(12);
    let older = copy(folder.path());
    let log = open(folder.path());
    log.append(crate::common::call(99)).unwrap();
    let remembered = log.head();
    drop(log);
    assert_ok(older.path());
    let how = Examination { anchors: vec![remembered], key_file: None };
    assert!(verify_with(folder.path(), &how).unwrap().is_ok());
    let verdict = verify_with(older.path(), &how).unwrap();
    assert_eq!(verdict.problems, [Problem::AnchorLost { seq: 13 }]);
    let other = Anchor { seq: 5, hash: Hash::of(b"another") };
    let how = Examination { anchors: vec![other], key_file: None };
    assert_eq!(
        verify_with(folder.path(), &how).unwrap().problems,
        [Problem::AnchorLost { seq: 5 }]
    );
}

#[test]
fn a_key_elsewhere_keeps_who_can_write_to_the_folder_from_forging() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key_file = Some(elsewhere.path().join("audit.key"));
    let options = audit::Options { key_file: key_file.clone(), ..crate::common::small() };
    let log = audit::Log::open(folder.path(), &options).unwrap();
    log.append(crate::common::call(1)).unwrap();
    drop(log);
    assert!(!folder.path().join("key").exists());
    let how = Examination { key_file, anchors: Vec::new() };
    assert!(verify_with(folder.path(), &how).unwrap().is_ok());
    // A log that was removed whole is made anew, unless the key is where it would be remembered.
    assert_eq!(lines(folder.path()).len(), 1);
    fs::remove_file(folder.path().join("head")).unwrap();
    assert_eq!(verify_with(folder.path(), &how).unwrap().problems, [Problem::HeadMissing]);
    assert!(audit::Log::open(folder.path(), &options).is_err());
}

#[test]
fn a_damaged_log_is_set_aside_whole_and_another_begins() {
    let folder = written(12);
    fs::remove_file(segments(folder.path()).pop().unwrap()).unwrap();
    assert!(audit::Log::open(folder.path(), &crate::common::small()).is_err());
    let aside = audit::set_aside(folder.path()).unwrap();
    let log = open(folder.path());
    assert_eq!(log.append(crate::common::call(1)).unwrap(), 1);
    assert!(audit::set_aside(folder.path()).is_err(), "it is in use");
    drop(log);
    assert_ok(folder.path());
    assert!(matches!(verify(&aside).problems[..], [Problem::Truncated { .. }]));
}

#[test]
fn whoever_writes_notices_that_files_were_taken_away() {
    for name in ["head", "000001.jsonl"] {
        let folder = tempfile::tempdir().unwrap();
        let log = open(folder.path());
        log.append(crate::common::call(1)).unwrap();
        fs::remove_file(folder.path().join(name)).unwrap();
        let error = log.append(crate::common::call(2)).unwrap_err();
        assert!(matches!(error, audit::LogError::Damaged(_)), "{name}: {error}");
        assert!(log.trouble().is_some());
        drop(log);
        assert!(!verify(folder.path()).is_ok());
    }
}
