//! What the store promises: whole files, private files, one writer.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc;
use std::thread;

use engine::image::Header;

use super::*;

struct Shop {
    folder: tempfile::TempDir,
    store: Store,
}

fn shop() -> Shop {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("sessions"));
    Shop { folder, store }
}

fn name(text: &str) -> SessionName {
    text.parse().unwrap()
}

fn image(body: &[u8]) -> Image {
    let base = Digest::of(b"base");
    let header = Header { engine: "test".into(), base, body_bytes: 0, waiting: false };
    Image::new(header, body.to_vec())
}

fn details() -> Details {
    let base = Digest::of(b"base");
    Details {
        created: 1,
        last_run: 2,
        runs: 3,
        image: "base".into(),
        base,
        level: "hardened".into(),
    }
}

fn never() {
    panic!("nobody else holds the session");
}

#[test]
fn a_saved_session_is_found_again() {
    let shop = shop();
    assert!(shop.store.image(&name("a")).unwrap().is_none());
    shop.store.hold(&name("a"), never).unwrap().save(&image(b"x"), &details()).unwrap();
    assert_eq!(shop.store.image(&name("a")).unwrap(), Some(image(b"x")));
    let listed = shop.store.list().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].details, Some(details()));
}

#[test]
fn nobody_else_can_read_a_session() {
    let shop = shop();
    shop.store.hold(&name("a"), never).unwrap().save(&image(b"x"), &details()).unwrap();
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(shop.folder.path().join("sessions")), 0o700);
    for ending in [IMAGE, DETAILS, LOCK] {
        assert_eq!(mode(shop.store.path(&name("a"), ending)), 0o600, "{ending}");
    }
}

#[test]
fn a_damaged_session_names_its_file_and_how_to_be_rid_of_it() {
    let shop = shop();
    shop.store.hold(&name("a"), never).unwrap().save(&image(b"x"), &details()).unwrap();
    std::fs::write(shop.store.file(&name("a")), "nonsense").unwrap();
    let error = shop.store.image(&name("a")).unwrap_err().to_string();
    assert!(error.contains("a.tide") && error.contains("tidegate session delete a"), "{error}");
}

#[test]
fn a_lost_description_does_not_lose_the_session() {
    let shop = shop();
    shop.store.hold(&name("a"), never).unwrap().save(&image(b"x"), &details()).unwrap();
    std::fs::write(shop.store.path(&name("a"), DETAILS), "{").unwrap();
    assert_eq!(shop.store.existing(&name("a")).unwrap().details, None);
    assert!(shop.store.image(&name("a")).unwrap().is_some());
}

#[test]
fn a_second_writer_waits_for_the_first() {
    let shop = shop();
    let first = shop.store.hold(&name("a"), never).unwrap();
    let (told, hear) = mpsc::channel();
    let store = shop.store.clone();
    let second = thread::spawn(move || {
        let held = store.hold(&name("a"), || told.send(()).unwrap()).unwrap();
        held.store().image(held.name()).unwrap()
    });
    hear.recv().unwrap();
    first.save(&image(b"from the first"), &details()).unwrap();
    drop(first);
    assert_eq!(second.join().unwrap(), Some(image(b"from the first")));
}

#[test]
fn a_deleted_session_leaves_nothing_behind() {
    let shop = shop();
    let held = shop.store.hold(&name("a"), never).unwrap();
    held.save(&image(b"x"), &details()).unwrap();
    assert!(held.delete().unwrap() > 0);
    assert_eq!(std::fs::read_dir(shop.folder.path().join("sessions")).unwrap().count(), 0);
    assert!(shop.store.existing(&name("a")).is_err());
}
