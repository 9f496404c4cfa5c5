//! Whatever a crash leaves opens again, verifies, and says that it was repaired.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{assert_ok, call, copy, count, lines, open, segments, verify, written};
use audit::{Entry, Kind, Log, Options, Retention};
use proptest::prelude::*;

/// A log as it lies on disk while somebody writes: so many lines are safe, so many are not.
///
/// Gives the folder and the length of the last segment that is safe.
fn torn(safe: usize, unsafe_lines: usize) -> (tempfile::TempDir, u64) {
    let folder = tempfile::tempdir().unwrap();
    let seal_after = Duration::from_secs(3600);
    let options = Options { seal_after, ..Options::default() };
    let log = Log::open(folder.path(), &options).unwrap();
    for _ in 0..safe {
        log.append(Entry::new(Kind::Login)).unwrap();
    }
    let length = segments(folder.path()).last().map_or(0, |path| fs::metadata(path).unwrap().len());
    for number in 0..unsafe_lines {
        log.note(Entry::new(Kind::Login)).unwrap();
        // The system has it when the thread has written it; that it is safe is not waited for.
        let until = Instant::now() + Duration::from_secs(10);
        while lines(folder.path()).len() <= safe + number && Instant::now() < until {
            std::thread::yield_now();
        }
    }
    (copy(folder.path()), length)
}

#[test]
fn a_crash_at_any_byte_leaves_a_log_that_opens_and_verifies() {
    for safe in [0, 3] {
        let (original, from) = torn(safe, 2);
        let path = segments(original.path()).pop().unwrap();
        let whole = fs::read(&path).unwrap();
        assert!(whole.len() as u64 > from);
        for length in usize::try_from(from).unwrap()..=whole.len() {
            let folder = copy(original.path());
            let path = folder.path().join(path.file_name().unwrap());
            fs::write(&path, &whole[..length]).unwrap();
            let left = &whole[usize::try_from(from).unwrap()..length];
            let kept = safe + left.split(|byte| *byte == b'\n').count() - 1;
            let is_torn = left.last().is_some_and(|byte| *byte != b'\n');

            let verdict = assert_ok(folder.path());
            assert_eq!(verdict.is_torn, is_torn);
            assert_eq!(verdict.unsealed, (kept - safe) as u64);
            drop(open(folder.path()));
            let verdict = assert_ok(folder.path());
            let repaired = usize::from(is_torn || kept > safe);
            assert_eq!(count(folder.path(), &Kind::Recovered), repaired, "{length}");
            assert_eq!(verdict.entries, (kept + repaired) as u64);
            assert_eq!((verdict.unsealed, verdict.is_torn), (0, false));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// A disk keeps pages in any order: what was not safe may be zeros, or old, anywhere.
    #[test]
    fn pages_that_were_lost_are_cut_and_what_was_safe_stays(
        from: prop::sample::Index, length in 1_usize..600,
    ) {
        let (folder, safe) = torn(2, 3);
        let path = segments(folder.path()).pop().unwrap();
        let mut bytes = fs::read(&path).unwrap();
        let safe = usize::try_from(safe).unwrap();
        let from = safe + from.index(bytes.len() - safe);
        let to = (from + length).min(bytes.len());
        bytes[from..to].fill(0);
        fs::write(&path, bytes).unwrap();
        let verdict = verify(folder.path());
        prop_assert!(verdict.is_ok() && verdict.is_torn);
        drop(open(folder.path()));
        let verdict = verify(folder.path());
        prop_assert!(verdict.is_ok() && !verdict.is_torn, "{}", verdict);
        prop_assert!(verdict.entries >= 3);
    }
}

#[test]
fn a_head_that_was_torn_is_made_good_from_its_other_copy() {
    for at in [0, 40, 511, 512, 700] {
        let folder = written(5);
        let path = folder.path().join("head");
        let mut bytes = fs::read(&path).unwrap();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert!(!verify(folder.path()).is_ok(), "nobody can tell this from tampering");
        drop(open(folder.path()));
        assert_ok(folder.path());
        assert_eq!(count(folder.path(), &Kind::Recovered), 1);
    }
}

#[test]
fn a_segment_that_was_begun_and_not_written_to_is_used() {
    let folder = written(8);
    let next = segments(folder.path()).len() + 1;
    fs::write(folder.path().join(format!("{next:06}.jsonl")), "{\"seq\":9,\"pr").unwrap();
    assert!(assert_ok(folder.path()).is_torn);
    let log = open(folder.path());
    assert_eq!(log.append(call(9)).unwrap(), 10);
    drop(log);
    assert_eq!(assert_ok(folder.path()).entries, 10);
}

#[test]
fn a_log_that_was_being_made_is_made() {
    let folder = written(0);
    for path in segments(folder.path()) {
        fs::remove_file(path).unwrap();
    }
    let with_key = copy(folder.path());
    fs::remove_file(folder.path().join("key")).unwrap();
    let log = open(folder.path());
    assert_eq!(log.append(call(1)).unwrap(), 1);
    drop(log);
    assert_ok(folder.path());
    drop(open(with_key.path()));
    assert_ok(with_key.path());
}

#[test]
fn a_redaction_that_was_interrupted_is_finished() {
    let before = written(20);
    let after = copy(before.path());
    open(after.path()).redact([2, 3, 9, 15], "ann", "a name").unwrap();
    let redacted_in = segments(before.path()).len() + 1;
    let changed: Vec<_> = segments(before.path())
        .into_iter()
        .filter(|path| {
            fs::read(path).unwrap()
                != fs::read(after.path().join(path.file_name().unwrap())).unwrap()
        })
        .collect();
    assert!(changed.len() >= 2);
    // The first so many segments were replaced when it crashed.
    for done in 0..=changed.len() {
        let folder = copy(after.path());
        for path in &changed[done..] {
            fs::copy(path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
        fs::write(folder.path().join("redacting"), format!("{redacted_in}\n")).unwrap();
        drop(open(folder.path()));
        let verdict = assert_ok(folder.path());
        assert_eq!(verdict.redacted, 4);
        assert!(!folder.path().join("redacting").exists());
    }
    // It crashed before the entry: nothing was redacted.
    fs::write(before.path().join("redacting"), format!("{redacted_in}\n")).unwrap();
    drop(open(before.path()));
    assert_eq!(assert_ok(before.path()).redacted, 0);
}

#[test]
fn a_removal_that_was_interrupted_is_finished() {
    let folder = written(20);
    let before = copy(folder.path());
    let log = open(folder.path());
    let removal = log.retain(&Retention { max_bytes: Some(4000), max_age: None }).unwrap().unwrap();
    drop(log);
    let kept = segments(folder.path()).len();
    for (path, _) in segments(before.path()).iter().zip(0..removal.segments) {
        fs::copy(path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    assert_eq!(assert_ok(folder.path()).removed_through, Some(removal.through));
    assert_eq!(lines(folder.path())[0].seq, removal.through + 1);
    drop(open(folder.path()));
    assert_eq!(segments(folder.path()).len(), kept);
    assert_ok(folder.path());
}

#[derive(Debug, Clone)]
enum Step {
    Append(usize),
    Note(usize),
    Redact(Vec<u64>),
    Retain(u64),
    Reopen,
    Crash(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..1000_usize).prop_map(Step::Append),
        4 => (0..1000_usize).prop_map(Step::Note),
        2 => prop::collection::vec(1_u64..60, 1..6).prop_map(Step::Redact),
        1 => (1000_u64..20_000).prop_map(Step::Retain),
        1 => Just(Step::Reopen),
        1 => any::<prop::sample::Index>().prop_map(Step::Crash),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_in_whatever_order_verifies(steps in prop::collection::vec(step(), 1..50)) {
        let mut folder = tempfile::tempdir().unwrap();
        let mut log = Some(open(folder.path()));
        for step in steps {
            let one = log.as_ref().unwrap();
            match step {
                Step::Append(number) => { one.append(call(number)).unwrap(); }
                Step::Note(number) => one.note(call(number)).unwrap(),
                Step::Redact(lines) => { one.redact(lines, "ann", "so").unwrap(); }
                Step::Retain(most) => {
                    one.retain(&Retention { max_bytes: Some(most), max_age: None }).unwrap();
                }
                Step::Reopen => {
                    drop(log.take());
                    log = Some(open(folder.path()));
                }
                Step::Crash(at) => {
                    let left = copy(folder.path());
                    drop(log.take());
                    crash(left.path(), at);
                    log = Some(open(left.path()));
                    folder = left;
                }
            }
            let verdict = verify(folder.path());
            prop_assert!(verdict.is_ok(), "{}", verdict);
        }
        drop(log);
        let verdict = verify(folder.path());
        prop_assert!(verdict.is_ok() && verdict.unsealed == 0 && !verdict.is_torn, "{}", verdict);
    }
}

/// Cuts what is not safe at some byte.
fn crash(folder: &Path, at: prop::sample::Index) {
    let path = segments(folder).pop().unwrap();
    let bytes = fs::read(&path).unwrap();
    let sealed = verify(folder).head.unwrap().seq;
    let safe: usize = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .take_while(|line| {
            audit::decode_line(line.trim_ascii_end()).is_some_and(|line| line.seq <= sealed)
        })
        .map(<[u8]>::len)
        .sum();
    fs::write(&path, &bytes[..safe + at.index(bytes.len() - safe + 1)]).unwrap();
}
