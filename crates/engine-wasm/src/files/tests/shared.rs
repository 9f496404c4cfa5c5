//! A workspace that goes from one session to another.

use super::*;
use crate::files::Whence;

/// Files as another session has them that took those of this one.
fn taken_by(mut other: Files, files: &Files) -> Files {
    other.take_workspace(&files.share_workspace());
    other
}

#[test]
fn another_session_finds_the_files_and_goes_its_own_way() {
    let mut first = files();
    first.create_folder(WORKSPACE, "d", NOW).unwrap();
    first.make("d/a", b"one").unwrap();
    let mut own = files();
    own.make("own", b"gone").unwrap();
    let mut second = taken_by(own, &first);
    assert_eq!(second.content(WORKSPACE, "d/a").unwrap(), b"one");
    assert_eq!(second.content(WORKSPACE, "own").unwrap_err(), Errno::NotFound);
    second.make("d/a", b"two").unwrap();
    assert_eq!(first.content(WORKSPACE, "d/a").unwrap(), b"one");
    assert_eq!((first.usage().0, second.usage().0), (3, 3));
}

#[test]
fn what_is_open_is_found_again_by_its_path_or_is_stale() {
    let mut own = files();
    own.make("a", b"mine").unwrap();
    own.make("b", b"mine").unwrap();
    own.make("c", b"mine").unwrap();
    let kept = own.open(WORKSPACE, "a", READ, NOW).unwrap();
    let lost = own.open(WORKSPACE, "b", WRITE, NOW).unwrap();
    let folder = own.open(WORKSPACE, "c", WRITE, NOW).unwrap();
    let removed = own.open(WORKSPACE, "c", READ, NOW).unwrap();
    let listed = own.open(WORKSPACE, ".", How { folder: true, ..READ }, NOW).unwrap();
    let mut first = files();
    first.make("a", b"theirs").unwrap();
    first.create_folder(WORKSPACE, "c", NOW).unwrap();
    let mut own = taken_by(own, &first);
    own.seek(kept, 0, Whence::Start).unwrap();
    let mut bytes = [0; 10];
    assert_eq!(own.read(kept, &mut bytes).unwrap(), 6);
    assert_eq!(&bytes[..6], b"theirs");
    for stale in [lost, folder] {
        assert_eq!(own.write(stale, b"x", NOW).unwrap_err(), Errno::Stale);
    }
    // It leads to the folder of that name, from which nothing is read.
    assert_eq!(own.read(removed, &mut bytes).unwrap_err(), Errno::IsFolder);
    assert_eq!(own.some_names(listed, 0, 10).0, ["a", "c"]);
    // All of it survives being frozen, and what is there again is still stale.
    let (meta, contents) = own.save();
    let contents: Vec<_> = contents.iter().map(|(at, one)| (*at, one.to_vec())).collect();
    let contents: Vec<_> = contents.iter().map(|(at, one)| (*at, one.as_slice())).collect();
    let packages = GivenFolder::default();
    let mut thawed = Files::restore(meta, &contents, library(), QUOTA, &packages).unwrap();
    thawed.make("b", b"again").unwrap();
    assert_eq!(thawed.write(lost, b"x", NOW).unwrap_err(), Errno::Stale);
    thawed.close(lost).unwrap();
    thawed.close(folder).unwrap();
}

#[test]
fn what_was_removed_and_is_open_does_not_come_along() {
    let mut first = files();
    first.make("a", &[1; 1000]).unwrap();
    let open = first.open(WORKSPACE, "a", READ, NOW).unwrap();
    first.remove_file(WORKSPACE, "a", NOW).unwrap();
    let second = taken_by(files(), &first);
    assert_eq!(second.usage(), (0, 0));
    let (meta, contents) = second.save();
    assert!(contents.is_empty());
    assert!(Files::restore(meta, &[], library(), QUOTA, &GivenFolder::default()).is_ok());
    // The one that has it open reads it still, until it takes files itself.
    let mut bytes = [0; 10];
    assert_eq!(first.read(open, &mut bytes).unwrap(), 10);
    let mut first = taken_by(first, &second);
    assert_eq!(first.read(open, &mut bytes).unwrap_err(), Errno::Stale);
}

#[test]
fn more_than_the_quota_can_only_become_less() {
    let mut first = files();
    first.make("a", &[1; 1000]).unwrap();
    let mut small = files();
    small.set_quota(Quota { workspace_bytes: 500, ..QUOTA });
    let mut small = taken_by(small, &first);
    assert_eq!(small.content(WORKSPACE, "a").unwrap().len(), 1000);
    small.make("b", b"x").unwrap_err();
    small.make("a", &[1; 100]).unwrap();
    small.make("b", b"x").unwrap();
}
