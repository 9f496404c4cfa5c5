//! The rules, one test each.

use super::*;
use crate::files::descriptors::APPEND;
use crate::files::{Given, Kind, NewTimes, Refusal, RefusalKind, Whence};

#[test]
fn what_is_written_can_be_read() {
    let mut files = files();
    files.make("a.txt", b"hello").unwrap();
    assert_eq!(files.content(WORKSPACE, "a.txt").unwrap(), b"hello");
    assert_eq!(files.usage(), (5, 1));
    assert_eq!(files.read_workspace("a.txt").unwrap().to_vec(), b"hello");
}

#[test]
fn a_path_never_leads_above_its_folder() {
    let mut files = files();
    files.create_folder(WORKSPACE, "inner", NOW).unwrap();
    files.make("secret", b"").unwrap();
    let inner = files.open(WORKSPACE, "inner", READ, NOW).unwrap();
    for (folder, path, expected) in [
        (WORKSPACE, "..", Errno::NotCapable),
        (WORKSPACE, "inner/../..", Errno::NotCapable),
        (WORKSPACE, "inner/./..//../workspace/secret", Errno::NotCapable),
        (WORKSPACE, "/workspace/secret", Errno::NotCapable),
        (inner, "../secret", Errno::NotCapable),
        (WORKSPACE, "secret\0", Errno::Invalid),
        (WORKSPACE, "secret/..", Errno::NotFolder),
        (WORKSPACE, "missing/../secret", Errno::NotFound),
        (WORKSPACE, "", Errno::NotFound),
        (WORKSPACE, "secret/", Errno::NotFolder),
        (99, "secret", Errno::BadDescriptor),
    ] {
        assert_eq!(files.stat_at(folder, path), Err(expected), "{path:?}");
    }
    assert!(files.stat_at(WORKSPACE, "inner/../secret").is_ok());
    assert_eq!(files.stat_at(inner, ".").unwrap().kind, Kind::Folder);
}

#[test]
fn names_paths_and_depth_have_limits() {
    let mut files = files();
    assert_eq!(files.make(&"n".repeat(256), b""), Err(Errno::NameTooLong));
    files.make(&"n".repeat(255), b"").unwrap();
    assert_eq!(files.stat_at(WORKSPACE, &"./".repeat(2049)), Err(Errno::NameTooLong));

    // One folder in the other through descriptors, so that no path is long.
    let mut folder = WORKSPACE;
    for _ in 0..64 {
        files.create_folder(folder, "d", NOW).unwrap();
        let inner = files.open(folder, "d", READ, NOW).unwrap();
        let _ = files.close(folder);
        folder = inner;
    }
    assert_eq!(files.create_folder(folder, "d", NOW), Err(Errno::NameTooLong));
    files.create_folder(WORKSPACE, "two", NOW).unwrap();
    files.create_folder(WORKSPACE, "two/levels", NOW).unwrap();
    let deep = ["d"; 63].join("/") + "/two";
    assert_eq!(files.rename((WORKSPACE, "two"), (WORKSPACE, &deep), NOW), Err(Errno::NameTooLong));
}

#[test]
fn each_part_of_the_quota_has_its_own_error_and_is_remembered() {
    let mut files = files();
    let refused = |files: &mut Files, errno: Errno, kind: RefusalKind, allowed: u64| {
        assert_eq!(kind.errno(), errno);
        assert_eq!(files.take_refusal(), Some(Refusal { kind, allowed }));
        assert_eq!(files.take_refusal(), None);
    };
    assert_eq!(files.make("large", &vec![1; 600_001]), Err(Errno::FileTooLarge));
    refused(&mut files, Errno::FileTooLarge, RefusalKind::FileBytes, 600_000);

    files.make("half", &vec![1; 600_000]).unwrap();
    assert_eq!(files.make("other", &vec![1; 400_001]), Err(Errno::NoSpace));
    refused(&mut files, Errno::NoSpace, RefusalKind::WorkspaceBytes, 1_000_000);
    files.make("other", &vec![1; 400_000]).unwrap();
    assert_eq!(files.usage(), (1_000_000, 3));

    (3..100).for_each(|number| files.make(&number.to_string(), b"").unwrap());
    assert_eq!(files.create_folder(WORKSPACE, "folder", NOW), Err(Errno::QuotaExceeded));
    refused(&mut files, Errno::QuotaExceeded, RefusalKind::Files, 100);

    (10..30).for_each(|fd| assert_eq!(files.open(WORKSPACE, "half", READ, NOW), Ok(fd)));
    assert_eq!(files.open(WORKSPACE, "half", READ, NOW), Err(Errno::TooManyOpen));
    refused(&mut files, Errno::TooManyOpen, RefusalKind::OpenFiles, 20);

    files.set_quota(Quota { writable: false, open_files: 100, ..QUOTA });
    assert_eq!(files.make("new", b""), Err(Errno::ReadOnly));
    refused(&mut files, Errno::ReadOnly, RefusalKind::NotWritable, 0);
}

#[test]
fn a_workspace_that_cannot_be_written_to_is_empty_until_it_can() {
    let mut files = files();
    files.make("kept", b"1").unwrap();
    let fd = files.open(WORKSPACE, "kept", READ, NOW).unwrap();
    files.set_quota(Quota { writable: false, open_files: 100, ..QUOTA });
    assert_eq!(files.open(WORKSPACE, "kept", READ, NOW), Err(Errno::NotFound));
    assert_eq!(files.take_refusal(), Some(Refusal { kind: RefusalKind::Hidden, allowed: 0 }));
    assert_eq!(files.remove_file(WORKSPACE, "kept", NOW), Err(Errno::NotFound));
    assert_eq!(files.rename((WORKSPACE, "kept"), (WORKSPACE, "moved"), NOW), Err(Errno::NotFound));
    assert_eq!(files.stat(fd).err(), Some(Errno::Stale));
    assert_eq!(files.remove_workspace("kept", NOW), Some(Err(Errno::ReadOnly)));
    files.set_quota(QUOTA);
    assert!(files.stat(fd).is_ok());
    assert!(files.open(WORKSPACE, "kept", READ, NOW).is_ok());
}

#[test]
fn sparse_growth_is_refused_before_it_is_allocated() {
    let mut files = files();
    let fd = files.open(WORKSPACE, "sparse", WRITE, NOW).unwrap();
    assert_eq!(files.set_len(fd, 1 << 40, NOW), Err(Errno::FileTooLarge));
    assert_eq!(files.write_at(fd, 1 << 40, b"x", NOW), Err(Errno::FileTooLarge));
    assert_eq!(files.write_at(fd, u64::MAX, b"x", NOW), Err(Errno::FileTooLarge));
    files.seek(fd, i64::MAX, Whence::Start).unwrap();
    assert_eq!(files.write(fd, b"x", NOW), Err(Errno::FileTooLarge));
    files.set_quota(Quota { workspace_bytes: u64::MAX, file_bytes: u64::MAX, ..QUOTA });
    assert_eq!(files.set_len(fd, 1 << 40, NOW), Err(Errno::FileTooLarge));
    files.set_len(fd, 1 << 30, NOW).unwrap();
    assert_eq!(files.usage().0, 1 << 30);
}

#[test]
fn a_lowered_quota_still_lets_files_shrink() {
    let mut files = files();
    files.make("a", &[1; 1000]).unwrap();
    files.set_quota(Quota { workspace_bytes: 10, ..QUOTA });
    let fd = files.open(WORKSPACE, "a", WRITE, NOW).unwrap();
    assert_eq!(files.set_len(fd, 1001, NOW), Err(Errno::NoSpace));
    files.write_at(fd, 500, b"in place", NOW).unwrap();
    files.set_len(fd, 900, NOW).unwrap();
    assert_eq!(files.usage().0, 900);
}

#[test]
fn a_removed_file_lives_and_counts_until_it_is_closed() {
    let mut files = files();
    let writer = files.open(WORKSPACE, "a", WRITE, NOW).unwrap();
    let reader = files.open(WORKSPACE, "a", READ, NOW).unwrap();
    files.write(writer, b"before", NOW).unwrap();
    files.remove_file(WORKSPACE, "a", NOW).unwrap();
    files.make("a", b"another").unwrap();
    files.write(writer, b" after", NOW).unwrap();

    let mut bytes = [0; 20];
    assert_eq!(files.read(reader, &mut bytes), Ok(12));
    assert_eq!(&bytes[..12], b"before after");
    assert_eq!(files.stat(reader).unwrap().links, 0);
    assert_eq!(files.usage(), (12 + 7, 2));
    files.close(writer).unwrap();
    assert_eq!(files.usage(), (12 + 7, 2));
    files.close(reader).unwrap();
    assert_eq!(files.usage(), (7, 1));
}

#[test]
fn nothing_can_be_made_in_a_removed_folder() {
    let mut files = files();
    files.create_folder(WORKSPACE, "gone", NOW).unwrap();
    files.make("a", b"").unwrap();
    let fd = files.open(WORKSPACE, "gone", READ, NOW).unwrap();
    files.remove_folder(WORKSPACE, "gone", NOW).unwrap();
    assert_eq!(files.create_folder(fd, "inner", NOW), Err(Errno::NotFound));
    assert_eq!(files.rename((WORKSPACE, "a"), (fd, "a"), NOW), Err(Errno::NotFound));
    assert_eq!(files.usage(), (0, 2));
    assert_eq!(files.some_names(fd, 0, 10).0, [""; 0]);
}

#[test]
fn appending_goes_to_the_end_wherever_the_descriptor_is() {
    let mut files = files();
    files.make("log", b"one ").unwrap();
    let fd = files.open(WORKSPACE, "log", How { flags: APPEND, ..WRITE }, NOW).unwrap();
    files.seek(fd, 0, Whence::Start).unwrap();
    files.write(fd, b"two ", NOW).unwrap();
    files.set_flags(fd, 0).unwrap();
    files.seek(fd, 0, Whence::Start).unwrap();
    files.write(fd, b"ONE", NOW).unwrap();
    assert_eq!(files.content(WORKSPACE, "log").unwrap(), b"ONE two ");
}

#[test]
fn renaming_follows_posix() {
    let mut files = files();
    for folder in ["full", "empty", "moved", "moved/inner"] {
        files.create_folder(WORKSPACE, folder, NOW).unwrap();
    }
    for file in ["full/file", "a", "b"] {
        files.make(file, file.as_bytes()).unwrap();
    }
    let mut rename = |from: &str, to: &str| files.rename((WORKSPACE, from), (WORKSPACE, to), NOW);
    assert_eq!(rename("missing", "x"), Err(Errno::NotFound));
    assert_eq!(rename("a", "missing/x"), Err(Errno::NotFound));
    assert_eq!(rename("a", "empty"), Err(Errno::IsFolder));
    assert_eq!(rename("a", "x/"), Err(Errno::NotFolder));
    assert_eq!(rename("empty", "a"), Err(Errno::NotFolder));
    assert_eq!(rename("empty", "full"), Err(Errno::NotEmpty));
    assert_eq!(rename("moved", "moved/inner/x"), Err(Errno::Invalid));
    assert_eq!(rename("moved", "moved/x"), Err(Errno::Invalid));
    assert_eq!(rename("moved/.", "x"), Err(Errno::Busy));
    assert_eq!(rename(".", "x"), Err(Errno::Busy));
    assert_eq!(rename("a", "a"), Ok(()));
    assert_eq!(rename("a", "b"), Ok(()));
    assert_eq!(rename("full", "empty"), Ok(()));
    assert_eq!(rename("empty", "moved/inner"), Ok(()));
    assert_eq!(rename("moved", "new/"), Ok(()));
    assert_eq!(files.rename((WORKSPACE, "b"), (6, "b"), NOW), Err(Errno::CrossDevice));
    assert_eq!(files.list_workspace(), [("b".to_owned(), 1), ("new/inner/file".to_owned(), 9)]);
    assert_eq!(files.usage(), (10, 4));
    assert_eq!(files.content(WORKSPACE, "b").unwrap(), b"a");
}

#[test]
fn folders_and_files_are_not_mistaken_for_each_other() {
    let mut files = files();
    files.create_folder(WORKSPACE, "folder", NOW).unwrap();
    files.make("file", b"").unwrap();
    assert_eq!(files.create_folder(WORKSPACE, "file", NOW), Err(Errno::Exists));
    assert_eq!(files.create_folder(WORKSPACE, ".", NOW), Err(Errno::Exists));
    assert_eq!(files.open(WORKSPACE, "folder", WRITE, NOW), Err(Errno::IsFolder));
    assert_eq!(
        files.open(WORKSPACE, "file", How { folder: true, ..READ }, NOW),
        Err(Errno::NotFolder)
    );
    assert_eq!(
        files.open(WORKSPACE, "file", How { exclusive: true, ..WRITE }, NOW),
        Err(Errno::Exists)
    );
    assert_eq!(files.remove_file(WORKSPACE, "folder", NOW), Err(Errno::IsFolder));
    assert_eq!(files.remove_folder(WORKSPACE, "file", NOW), Err(Errno::NotFolder));
    assert_eq!(files.remove_folder(WORKSPACE, ".", NOW), Err(Errno::NotEmpty));
    assert_eq!(files.stat_at(WORKSPACE, "file/below"), Err(Errno::NotFolder));
    let fd = files.open(WORKSPACE, "folder", READ, NOW).unwrap();
    assert_eq!(files.read(fd, &mut [0; 4]), Err(Errno::IsFolder));
    assert_eq!(files.write(fd, b"x", NOW), Err(Errno::IsFolder));
}

#[test]
fn a_descriptor_does_only_what_it_was_opened_for() {
    let mut files = files();
    let fd = files.open(WORKSPACE, "a", WRITE, NOW).unwrap();
    let write_only = files.open(WORKSPACE, "a", How { read: false, ..WRITE }, NOW).unwrap();
    let read_only = files.open(WORKSPACE, "a", READ, NOW).unwrap();
    assert_eq!((fd, write_only, read_only), (10, 11, 12));
    assert_eq!(files.read(write_only, &mut [0; 4]), Err(Errno::BadDescriptor));
    assert_eq!(files.write(read_only, b"x", NOW), Err(Errno::BadDescriptor));
    assert_eq!(files.set_len(read_only, 0, NOW), Err(Errno::BadDescriptor));
    files.close(fd).unwrap();
    assert_eq!(files.open(WORKSPACE, "a", READ, NOW), Ok(10));
    (3..10).for_each(|fd| assert_eq!(files.close(fd), Err(Errno::NotSupported)));
}

#[test]
fn listings_are_sorted_and_survive_deleting_what_was_listed() {
    let mut files = files();
    let expected: Vec<_> = (10..40).map(|number| format!("f{number}")).collect();
    for name in expected.iter().rev() {
        files.make(name, b"").unwrap();
    }
    let fd = files.open(WORKSPACE, ".", READ, NOW).unwrap();
    let (mut seen, mut cookie) = (Vec::new(), 0);
    loop {
        let (names, next) = files.some_names(fd, cookie, 7);
        if names.is_empty() {
            break;
        }
        for name in &names {
            files.remove_file(WORKSPACE, name, NOW).unwrap();
        }
        seen.extend(names);
        cookie = next;
    }
    assert_eq!(seen, expected);
    assert_eq!(files.usage(), (0, 0));
}

#[test]
fn a_listing_can_go_back() {
    let mut files = files();
    for name in ["a", "b", "c", "d"] {
        files.make(name, b"").unwrap();
    }
    let fd = files.open(WORKSPACE, ".", READ, NOW).unwrap();
    let (_, after_three) = files.some_names(fd, 0, 3);
    assert_eq!(files.some_names(fd, 0, 2), (vec!["a".into(), "b".into()], 2));
    assert_eq!(files.some_names(fd, after_three, 9).0, ["d"]);
    assert_eq!(files.some_names(fd, u64::MAX, 9).0, [""; 0]);
}

#[test]
fn the_library_and_what_the_host_gives_can_be_read_and_not_changed() {
    let mut files = files();
    let given = [("github/__init__.py".to_owned(), b"code".to_vec().into())];
    files.set_folder(Given::Servers, GivenFolder::new(given).unwrap());
    assert_eq!(files.names(3, ".").unwrap(), ["python315.zip"]);
    assert!(files.content(3, "python315.zip").unwrap().starts_with(b"PK"));
    assert_eq!(files.stat_at(3, "python315.zip/os.pyc"), Err(Errno::NotFolder));
    assert_eq!(files.names(4, ".").unwrap(), ["fonts", "matplotlibrc"]);
    assert_eq!(files.content(4, "fonts/ttf/a.ttf").unwrap(), b"a font");
    assert_eq!(files.content(6, "github/__init__.py").unwrap(), b"code");
    for (folder, path) in [(3, "python315.zip"), (4, "matplotlibrc"), (6, "github/__init__.py")] {
        assert_eq!(files.open(folder, path, WRITE, NOW), Err(Errno::ReadOnly));
        assert_eq!(
            files.open(folder, path, How { truncate: true, ..READ }, NOW),
            Err(Errno::ReadOnly)
        );
        assert_eq!(files.open(folder, "new", WRITE, NOW), Err(Errno::ReadOnly));
        assert_eq!(files.remove_file(folder, path, NOW), Err(Errno::ReadOnly));
        assert_eq!(files.rename((folder, path), (folder, "new"), NOW), Err(Errno::ReadOnly));
        assert_eq!(
            files.set_times_at(folder, path, NewTimes::default(), NOW),
            Err(Errno::ReadOnly)
        );
    }
}

#[test]
fn given_paths_must_be_plain() {
    let given = |paths: &[&str]| {
        let files = paths.iter().map(|&path| (path.to_owned(), Arc::from(&b""[..])));
        GivenFolder::new(files.collect::<Vec<_>>()).is_ok()
    };
    assert!(given(&["a", "b/c", "b/d"]));
    for wrong in [
        &["/a"][..],
        &["../a"],
        &["a//b"],
        &["a/"],
        &[""],
        &["a", "a"],
        &["a", "a/b"],
        &["a/b", "a"],
    ] {
        assert!(!given(wrong), "{wrong:?}");
    }
}

#[test]
fn a_clone_is_another_session() {
    let mut files = files();
    files.make("a", &vec![7; 200_000]).unwrap();
    let earlier = files.clone();
    let fd = files.open(WORKSPACE, "a", WRITE, NOW).unwrap();
    files.write(fd, b"changed", NOW).unwrap();
    files.remove_file(WORKSPACE, "a", NOW).unwrap();
    assert_eq!(earlier.list_workspace(), [("a".to_owned(), 200_000)]);
    assert_eq!(earlier.read_workspace("a").unwrap().to_vec(), vec![7; 200_000]);
    assert!(earlier.open_descriptors().is_empty());
}

#[test]
fn the_host_can_write_list_and_clear() {
    let mut files = files();
    files.write_workspace("in/put.csv", b"1,2", NOW).unwrap();
    files.write_workspace("in/put.csv", b"1,2,3", NOW).unwrap();
    assert_eq!(files.write_workspace("in", b"", NOW), Err(Errno::IsFolder));
    // A file that cannot be is not the reason for a folder.
    let before = files.usage();
    assert!(files.write_workspace("new/below/\0x", b"", NOW).is_err());
    assert!(files.write_workspace("in/new/large", &vec![0; 600_001], NOW).is_err());
    assert_eq!(files.usage(), before);
    assert_eq!(files.write_workspace("../out", b"", NOW), Err(Errno::NotCapable));
    assert_eq!(files.write_workspace("large", &vec![0; 600_001], NOW), Err(Errno::FileTooLarge));
    assert_eq!(files.list_workspace(), [("in/put.csv".to_owned(), 5)]);

    let fd = files.open(WORKSPACE, "in/put.csv", READ, NOW).unwrap();
    files.open(4, "fonts", READ, NOW).unwrap();
    assert_eq!(
        files.open_descriptors(),
        ["/workspace/in/put.csv", "/usr/local/lib/python315.zip/matplotlib/mpl-data/fonts",]
    );
    files.clear_workspace();
    assert_eq!(files.list_workspace(), []);
    assert_eq!(files.usage(), (5, 1));
    assert_eq!(files.read(fd, &mut [0; 9]), Ok(5));
    files.close(fd).unwrap();
    assert_eq!(files.usage(), (0, 0));
}

#[test]
fn times_come_from_the_guests_clock() {
    let mut files = files();
    files.make("a", b"").unwrap();
    let fd = files.open(WORKSPACE, "a", WRITE, 2_000).unwrap();
    files.write(fd, b"x", 3_000).unwrap();
    files.set_times(fd, NewTimes { accessed: Some(7), modified: None }, 4_000).unwrap();
    let times = files.stat(fd).unwrap().times;
    assert_eq!((times.accessed, times.modified, times.changed), (7, 3_000, 4_000));
}
