//! Saving and restoring: nothing is lost, and nothing is believed.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::files::{FilesMeta, Given, Whence};

/// Something a guest does. Numbers choose among few paths and descriptors, so that
/// operations meet each other.
#[derive(Debug, Clone)]
enum Operation {
    Open { folder: u8, path: u8, how: u8 },
    Close(u8),
    Read { fd: u8, length: u16 },
    Write { fd: u8, length: u16 },
    Seek { fd: u8, to: u16 },
    SetLen { fd: u8, len: u16 },
    List { fd: u8, cookie: u8 },
    CreateFolder(u8),
    RemoveFolder(u8),
    RemoveFile(u8),
    Rename(u8, u8),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(folder, path, how)| Operation::Open { folder, path, how }),
        1 => any::<u8>().prop_map(Operation::Close),
        2 => (any::<u8>(), 0..2000u16).prop_map(|(fd, length)| Operation::Read { fd, length }),
        3 => (any::<u8>(), 0..2000u16).prop_map(|(fd, length)| Operation::Write { fd, length }),
        1 => (any::<u8>(), any::<u16>()).prop_map(|(fd, to)| Operation::Seek { fd, to }),
        1 => (any::<u8>(), any::<u16>()).prop_map(|(fd, len)| Operation::SetLen { fd, len }),
        1 => (any::<u8>(), 0..4u8).prop_map(|(fd, cookie)| Operation::List { fd, cookie }),
        3 => any::<u8>().prop_map(Operation::CreateFolder),
        1 => any::<u8>().prop_map(Operation::RemoveFolder),
        2 => any::<u8>().prop_map(Operation::RemoveFile),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Operation::Rename(from, to)),
    ]
}

const PATHS: [&str; 9] = ["a", "b", "d", "d/a", "d/e", "d/e/a", "d/../b", "d/e/..", ".."];

fn path(choice: u8) -> &'static str {
    PATHS[usize::from(choice) % PATHS.len()]
}

fn fd(choice: u8) -> u32 {
    5 + u32::from(choice) % 10
}

/// Does it and tells everything the guest would see.
fn perform(files: &mut Files, operation: &Operation) -> String {
    match *operation {
        Operation::Open { folder, path: choice, how } => {
            let bit = |bit: u8| how & (1 << bit) != 0;
            let how = How {
                read: bit(0),
                write: bit(1),
                create: bit(2) || bit(3),
                truncate: bit(4) && bit(5),
                flags: u16::from(bit(6)),
                ..How::default()
            };
            let (folder, path) = match folder % 8 {
                0 => (fd(folder / 8), path(choice)),
                1 => (4, "matplotlibrc"),
                2 => (6, "given"),
                _ => (WORKSPACE, path(choice)),
            };
            format!("{:?}", files.open(folder, path, how, NOW))
        }
        Operation::Close(choice) => format!("{:?}", files.close(fd(choice))),
        Operation::Read { fd: choice, length } => {
            let mut bytes = vec![0; length.into()];
            let count = files.read(fd(choice), &mut bytes);
            format!("{count:?} {bytes:?} {:?}", files.stat(fd(choice)))
        }
        Operation::Write { fd: choice, length } => {
            format!("{:?}", files.write(fd(choice), &vec![choice; length.into()], NOW + 1))
        }
        Operation::Seek { fd: choice, to } => {
            format!("{:?}", files.seek(fd(choice), to.into(), Whence::End))
        }
        Operation::SetLen { fd: choice, len } => {
            format!("{:?}", files.set_len(fd(choice), len.into(), NOW + 2))
        }
        Operation::List { fd: choice, cookie } => {
            let mut seen = Vec::new();
            let result = files.list(fd(choice), cookie.into(), |listed| {
                seen.push((listed.next, listed.inode, listed.name.to_owned()));
                seen.len() < 2
            });
            format!("{result:?} {seen:?}")
        }
        Operation::CreateFolder(choice) => {
            format!("{:?}", files.create_folder(WORKSPACE, path(choice), NOW))
        }
        Operation::RemoveFolder(choice) => {
            format!("{:?}", files.remove_folder(WORKSPACE, path(choice), NOW))
        }
        Operation::RemoveFile(choice) => {
            format!("{:?}", files.remove_file(WORKSPACE, path(choice), NOW))
        }
        Operation::Rename(from, to) => {
            format!("{:?}", files.rename((WORKSPACE, path(from)), (WORKSPACE, path(to)), NOW + 3))
        }
    }
}

fn given() -> GivenFolder {
    GivenFolder::new([("given".to_owned(), b"by the host".to_vec().into())]).unwrap()
}

/// Saves, sends the description through JSON, and restores.
fn frozen_and_thawed(files: &Files) -> Files {
    let (meta, contents) = files.save();
    let meta = serde_json::from_slice(&serde_json::to_vec(&meta).unwrap()).unwrap();
    let contents: Vec<_> =
        contents.iter().map(|(inode, content)| (*inode, content.to_vec())).collect();
    let contents: Vec<_> = contents.iter().map(|(inode, bytes)| (*inode, &bytes[..])).collect();
    let library = Arc::clone(&files.library);
    let mut thawed =
        Files::restore(meta, &contents, library, QUOTA, &GivenFolder::default()).unwrap();
    thawed.set_folder(Given::Servers, given());
    thawed
}

proptest! {
    #[test]
    fn a_restored_session_behaves_like_one_that_never_rested(
        before in proptest::collection::vec(operation(), 0..60),
        after in proptest::collection::vec(operation(), 0..60),
    ) {
        let mut files = files();
        files.set_folder(Given::Servers, given());
        for operation in &before {
            perform(&mut files, operation);
        }
        let mut thawed = frozen_and_thawed(&files);
        prop_assert_eq!(files.usage(), thawed.usage());
        for operation in &after {
            prop_assert_eq!(perform(&mut files, operation), perform(&mut thawed, operation));
        }
        prop_assert_eq!(files.usage(), thawed.usage());
        prop_assert_eq!(files.open_descriptors(), thawed.open_descriptors());
        prop_assert_eq!(files.save().0, thawed.save().0);
    }

    #[test]
    fn bytes_and_files_are_counted_right(operations in proptest::collection::vec(operation(), 0..100)) {
        let mut files = files();
        for operation in &operations {
            perform(&mut files, operation);
        }
        let counted: u64 = files.save().1.iter().map(|(_, content)| content.len()).sum();
        prop_assert_eq!(files.usage().0, counted);
        for fd in 10..30 {
            let _ = files.close(fd);
        }
        let listed: u64 = files.list_workspace().iter().map(|(_, length)| length).sum();
        prop_assert_eq!(files.usage().0, listed);
    }
}

#[test]
fn a_descriptor_keeps_its_number_and_its_place() {
    let mut files = files();
    let first = files.open(WORKSPACE, "a", WRITE, NOW).unwrap();
    let second = files.open(WORKSPACE, "b", WRITE, NOW).unwrap();
    files.write(second, b"before ", NOW).unwrap();
    files.close(first).unwrap();
    let mut thawed = frozen_and_thawed(&files);
    assert_eq!(thawed.open(WORKSPACE, "c", WRITE, NOW), Ok(first));
    thawed.write(second, b"after", NOW).unwrap();
    assert_eq!(thawed.content(WORKSPACE, "b").unwrap(), b"before after");
}

#[test]
fn a_given_file_that_is_not_given_again_is_stale() {
    let mut files = files();
    files.set_folder(Given::Servers, given());
    let fd = files.open(6, "given", READ, NOW).unwrap();
    files.set_folder(Given::Servers, GivenFolder::default());
    assert_eq!(files.read(fd, &mut [0; 4]), Err(Errno::Stale));
    assert_eq!(files.open_descriptors(), ["/servers/given"]);
    let mut thawed = frozen_and_thawed(&files);
    assert_eq!(thawed.read(fd, &mut [0; 4]), Ok(4));
}

/// A session with one of everything, as JSON to be altered.
fn specimen() -> Value {
    let mut files = files();
    files.create_folder(WORKSPACE, "d", NOW).unwrap();
    files.make("d/a", b"").unwrap();
    files.open(WORKSPACE, "gone", WRITE, NOW).unwrap();
    files.remove_file(WORKSPACE, "gone", NOW).unwrap();
    serde_json::to_value(files.save().0).unwrap()
}

/// Tries to restore the specimen, altered, with empty files of the inodes 3 and 4.
fn restored(alter: impl FnOnce(&mut Value)) -> Result<(), &'static str> {
    let mut meta = specimen();
    alter(&mut meta);
    let meta: FilesMeta = serde_json::from_value(meta).map_err(|_| "unreadable")?;
    Files::restore(meta, &[(3, b""), (4, b"")], library(), QUOTA, &GivenFolder::default()).map(drop)
}

#[test]
fn altered_descriptions_are_refused() {
    assert_eq!(restored(|_| ()), Ok(()));
    let alterations: [(&str, Value, &str); 14] = [
        ("/nodes/1/entries/0/1", json!(1), "something has two names"),
        ("/nodes/1/entries/0/1", json!(2), "something has two names"),
        ("/nodes/1/entries/0/1", json!(99), "an entry leads to nothing"),
        ("/nodes/1/entries/0/0", json!("../a"), "a folder has an entry that is not a name"),
        ("/nodes/1/entries", json!([["a", 3], ["a", 4]]), "a folder has two entries of one name"),
        ("/nodes/1/entries", json!([]), "a file has no name and nobody has it open"),
        ("/nodes/1/inode", json!(1), "an inode is out of range or used twice"),
        ("/nodes/0/inode", json!(0), "an inode is out of range or used twice"),
        ("/nodes/0/entries", Value::Null, "a file has no content"),
        ("/next_inode", json!(3), "an inode is out of range or used twice"),
        ("/descriptors/0/target", json!({ "inode": 99 }), "a descriptor leads to nothing"),
        ("/descriptors/0/fd", json!(5), "a descriptor's number is out of range"),
        ("/descriptors/0/fd", json!(4_000_000), "a descriptor's number is out of range"),
        ("/descriptors/0/offset", json!(u64::MAX), "a descriptor's offset is out of range"),
    ];
    for (place, value, expected) in alterations {
        let shown = format!("{place} = {value}");
        assert_eq!(
            restored(|meta| *meta.pointer_mut(place).unwrap() = value),
            Err(expected),
            "{shown}"
        );
    }
}

#[test]
fn additions_that_do_not_fit_are_refused() {
    let add =
        |list: &str, value: Value| restored(|meta| meta[list].as_array_mut().unwrap().push(value));
    let times = json!({ "accessed": 0, "modified": 0, "changed": 0 });
    let circle = json!({ "inode": 5, "times": times, "entries": [["self", 5]] });
    let alter = |meta: &mut Value| {
        meta["next_inode"] = json!(6);
        meta["nodes"].as_array_mut().unwrap().push(circle.clone());
    };
    assert_eq!(restored(alter), Err("a file has no name and nobody has it open"));
    let held = |meta: &mut Value| {
        alter(meta);
        meta["descriptors"][0]["target"] = json!({ "inode": 5 });
        meta["descriptors"][0]["access"]["write"] = json!(false);
    };
    assert!(restored(held).is_err());

    let descriptor = specimen()["descriptors"][0].clone();
    assert_eq!(add("descriptors", descriptor), Err("two descriptors have the same number"));
    let library = json!({
        "fd": 11, "mount": "library", "target": { "path": "python315.zip" }, "offset": 0, "cursor": null,
        "access": { "read": true, "write": true, "flags": 0 },
    });
    assert_eq!(
        add("descriptors", library),
        Err("a descriptor claims to write what cannot be written")
    );
}

#[test]
fn contents_must_match_the_files() {
    let meta = || serde_json::from_value::<FilesMeta>(specimen()).unwrap();
    let restore = |contents: &[(u64, &[u8])]| {
        Files::restore(meta(), contents, library(), QUOTA, &GivenFolder::default()).map(drop)
    };
    assert_eq!(restore(&[(3, b"")]), Err("a file has no content"));
    assert_eq!(restore(&[(3, b""), (4, b""), (4, b"")]), Err("a file has two contents"));
    assert_eq!(restore(&[(3, b""), (4, b""), (2, b"")]), Err("a content belongs to no file"));
}
