//! What the cache trusts, and what it refuses.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use engine::Digest;
use tempfile::TempDir;

use super::{Cache, CacheError, Glance, ImageLookupError, ImageName, ImageRecord, names};
use crate::Language;

const CONTENT: &[u8] = b"machine code, for example";

#[test]
fn what_was_put_comes_back() {
    let (_folder, cache, name) = with_one_file();
    let mut text = Vec::new();
    let checked = cache.open(&name).unwrap();
    checked.file().read_to_end(&mut text).unwrap();
    assert_eq!((text.as_slice(), checked.sha256()), (CONTENT, Digest::of(CONTENT)));
    assert_eq!(cache.glance(&name).unwrap(), Glance::Intact { bytes: CONTENT.len() as u64 });
}

#[test]
fn the_folder_is_for_its_owner_only() {
    let (_folder, cache, name) = with_one_file();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(cache.folder().to_owned()), 0o700);
    assert_eq!(mode(cache.path(&name)), 0o400);
}

#[test]
fn a_folder_that_others_can_write_to_is_refused() {
    let (_folder, cache, name) = with_one_file();
    fs::set_permissions(cache.folder(), Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(cache.open(&name), Err(CacheError::Exposed { .. })));
    assert!(matches!(cache.lock(&|| ()), Err(CacheError::Exposed { .. })));
}

#[test]
fn a_changed_byte_is_noticed() {
    let (_folder, cache, name) = with_one_file();
    change_a_byte(&cache.path(&name));
    assert!(matches!(cache.glance(&name), Ok(Glance::Unproven { .. })));
    let error = cache.open(&name).unwrap_err();
    assert!(matches!(&error, CacheError::Altered { wanted, .. } if *wanted == Digest::of(CONTENT)));
    assert!(error.to_string().contains("tidegate runtime install"));
}

#[test]
fn a_replaced_file_is_noticed() {
    let (_folder, cache, name) = with_one_file();
    let other = cache.folder().join("other");
    fs::write(&other, vec![b'x'; CONTENT.len()]).unwrap();
    fs::rename(&other, cache.path(&name)).unwrap();
    assert!(matches!(cache.open(&name), Err(CacheError::Altered { .. })));
}

#[test]
fn a_link_is_not_followed() {
    let (_folder, cache, name) = with_one_file();
    let elsewhere = cache.folder().join("elsewhere");
    fs::rename(cache.path(&name), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, cache.path(&name)).unwrap();
    assert!(matches!(cache.open(&name), Err(CacheError::Io { .. })));
}

#[test]
fn a_file_that_was_only_touched_or_copied_is_accepted_and_recorded_anew() {
    let (_folder, cache, name) = with_one_file();
    fs::File::open(cache.path(&name)).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    assert!(matches!(cache.glance(&name), Ok(Glance::Unproven { .. })));
    cache.open(&name).unwrap();
    assert!(matches!(cache.glance(&name), Ok(Glance::Intact { .. })));

    let copy = cache.folder().join("copy");
    fs::copy(cache.path(&name), &copy).unwrap();
    fs::rename(&copy, cache.path(&name)).unwrap();
    cache.lock(&|| ()).unwrap().open(&name).unwrap();
    assert!(matches!(cache.glance(&name), Ok(Glance::Intact { .. })));
}

#[test]
fn what_was_opened_stays_what_was_checked_when_the_name_is_given_to_another() {
    let (_folder, cache, name) = with_one_file();
    let checked = cache.open(&name).unwrap();
    let locked = cache.lock(&|| ()).unwrap();
    locked.put(b"something else", |_| name.clone()).unwrap();
    let mut text = Vec::new();
    checked.file().read_to_end(&mut text).unwrap();
    assert_eq!(text, CONTENT);
}

#[test]
fn a_file_without_a_record_counts_as_absent() {
    let (_folder, cache, name) = with_one_file();
    fs::remove_file(cache.record_path(&name)).unwrap();
    assert_eq!(cache.glance(&name).unwrap(), Glance::Absent);
    assert!(matches!(cache.open(&name), Err(CacheError::Missing { .. })));
    assert!(cache.lock(&|| ()).unwrap().open_or_discard(&name).unwrap().is_none());
    assert!(!cache.path(&name).exists());
}

#[test]
fn a_record_that_makes_no_sense_proves_nothing() {
    let (_folder, cache, name) = with_one_file();
    fs::write(cache.record_path(&name), "{").unwrap();
    assert!(matches!(cache.open(&name), Err(CacheError::Record { .. })));
    assert_eq!(cache.glance(&name).unwrap(), Glance::Absent);
}

#[test]
fn a_record_whose_digest_was_changed_is_found_out() {
    let (_folder, cache, _) = with_one_file();
    let image = cache.lock(&|| ()).unwrap().put(CONTENT, names::image).unwrap();
    let name = names::image(&image.sha256());
    let record = fs::read_to_string(cache.record_path(&name)).unwrap();
    let forged = record.replace(&image.sha256().to_string(), &Digest::of(b"forged").to_string());
    fs::write(cache.record_path(&name), forged).unwrap();
    assert!(matches!(cache.open(&name), Err(CacheError::Record { .. })));
}

#[test]
fn what_a_crash_left_behind_is_swept_and_nothing_else() {
    let (_folder, cache, name) = with_one_file();
    fs::write(cache.folder().join(".tmp-abc"), "half").unwrap();
    fs::create_dir(cache.folder().join(".tmp-dir")).unwrap();
    fs::write(cache.folder().join("mine.txt"), "the user's").unwrap();
    cache.lock(&|| ()).unwrap().sweep().unwrap();
    assert_eq!(
        listing(&cache),
        ["images", "lock", "mine.txt", &name, &format!("{name}.json")].map(String::from).sorted()
    );
}

#[test]
fn removing_everything_leaves_files_of_others_alone() {
    let (_folder, cache, _) = with_one_file();
    fs::write(cache.folder().join("mine.txt"), "the user's").unwrap();
    let freed = cache.lock(&|| ()).unwrap().remove_all().unwrap();
    assert_eq!(freed, CONTENT.len() as u64);
    assert_eq!(listing(&cache), ["mine.txt"]);
}

#[test]
fn what_is_removed_stays_whole_for_whoever_uses_it() {
    let (_folder, cache, name) = with_one_file();
    let checked = cache.open(&name).unwrap();
    cache.lock(&|| ()).unwrap().remove_all().unwrap();
    let mut text = Vec::new();
    checked.file().read_to_end(&mut text).unwrap();
    assert_eq!(text, CONTENT, "a file that is mapped must never be made shorter");
}

#[test]
fn a_dropped_draft_leaves_nothing() {
    let (_folder, cache, _) = with_one_file();
    let before = listing(&cache);
    let locked = cache.lock(&|| ()).unwrap();
    drop(locked.draft().unwrap());
    drop(locked.scratch().unwrap());
    assert_eq!(listing(&cache), before);
}

#[test]
fn a_second_writer_is_told_once_and_waits() {
    let (_folder, cache, _) = with_one_file();
    let told = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let first = cache.lock(&|| ()).unwrap();
        let second = scope.spawn(|| cache.lock(&|| count(&told)).map(drop));
        while told.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        assert!(!second.is_finished());
        drop(first);
        second.join().unwrap().unwrap();
    });
    assert_eq!(told.into_inner(), 1);
}

#[test]
fn a_lock_survives_the_removal_of_the_folder_by_whoever_held_it() {
    let (_folder, cache, _) = with_one_file();
    let told = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let first = cache.lock(&|| ()).unwrap();
        let second = scope.spawn(|| {
            let locked = cache.lock(&|| count(&told)).unwrap();
            locked.put(CONTENT, names::image).map(drop)
        });
        while told.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        first.remove_all().unwrap();
        second.join().unwrap().unwrap();
    });
    cache.open(&names::image(&Digest::of(CONTENT))).unwrap();
}

#[test]
fn a_name_given_to_a_new_image_leaves_the_old_one_findable() {
    let (_folder, cache, _) = with_one_file();
    let (old, new) = (add_image(&cache, "mine", b"old"), add_image(&cache, "mine", b"new"));
    assert_eq!(cache.image(&new.name).unwrap().record, new);
    assert_eq!(cache.images().unwrap(), std::slice::from_ref(&new));
    assert_eq!(cache.find_image_by_digest(&old.digest).unwrap().record, old);

    cache.remove_superseded(&|digest| *digest == old.digest).unwrap();
    cache.find_image_by_digest(&old.digest).unwrap();
    assert_eq!(cache.remove_superseded(&|_| false).unwrap(), 3);
    assert!(matches!(
        cache.find_image_by_digest(&old.digest),
        Err(ImageLookupError::UnknownDigest { .. })
    ));
    cache.image(&new.name).unwrap();
}

#[test]
fn removing_a_name_keeps_a_file_that_another_name_needs() {
    let (_folder, cache, _) = with_one_file();
    let (one, two) = (add_image(&cache, "one", b"same"), add_image(&cache, "two", b"same"));
    assert_eq!(cache.remove_image(&one.name).unwrap(), 0);
    cache.image(&two.name).unwrap();
    assert_eq!(cache.remove_image(&two.name).unwrap(), 4);
    assert!(matches!(cache.remove_image(&two.name), Err(ImageLookupError::Unknown { .. })));
}

#[test]
fn built_in_images_cannot_be_removed() {
    let (_folder, cache, _) = with_one_file();
    for name in ImageName::BUILT_IN {
        let name = name.parse().unwrap();
        assert!(matches!(cache.remove_image(&name), Err(ImageLookupError::BuiltIn { .. })));
    }
}

#[test]
fn an_altered_image_of_the_users_own_says_how_to_make_it_again() {
    let (_folder, cache, _) = with_one_file();
    let mine = add_image(&cache, "mine", b"memory");
    change_a_byte(&cache.path(&names::image(&mine.digest)));
    let error = cache.image(&mine.name).unwrap_err();
    assert!(error.to_string().contains("tidegate image build mine"));
}

#[test]
fn a_broken_image_record_hides_no_other_and_can_be_removed() {
    let (_folder, cache, _) = with_one_file();
    let (one, two) = (add_image(&cache, "one", b"1"), add_image(&cache, "two", b"2"));
    fs::write(cache.image_path(&one.name), "{").unwrap();
    assert_eq!(cache.images().unwrap(), [two]);
    assert!(cache.image(&one.name).is_err());
    cache.remove_image(&one.name).unwrap();
    assert!(matches!(cache.image(&one.name), Err(ImageLookupError::Unknown { .. })));
}

#[test]
fn hot_pages_outside_the_image_are_refused() {
    let (_folder, cache, _) = with_one_file();
    let mut mine = add_image(&cache, "mine", b"memory");
    mine.hot_pages = vec![(u32::MAX, 1)];
    cache.lock(&|| ()).unwrap().name_image(&mine).unwrap();
    assert!(matches!(
        cache.image(&mine.name),
        Err(ImageLookupError::Cache(CacheError::Record { .. }))
    ));
}

/// A cache with one file in it, in a folder that goes away with the first value.
fn with_one_file() -> (TempDir, Cache, String) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path().join("deep/cache"));
    let name = names::code(Language::Python, &Digest::of(b"key"));
    cache.lock(&|| ()).unwrap().put(CONTENT, |_| name.clone()).unwrap();
    (folder, cache, name)
}

fn add_image(cache: &Cache, name: &str, memory: &[u8]) -> ImageRecord {
    let locked = cache.lock(&|| ()).unwrap();
    let file = locked.put(memory, names::image).unwrap();
    let record = ImageRecord {
        name: name.parse().unwrap(),
        digest: file.sha256(),
        bytes: file.bytes(),
        runtime: Digest::of(b"runtime"),
        parent: None,
        built_from: Digest::of(memory),
        guest: Digest::of(b"guest"),
        warm: String::new(),
        packages: None,
        imports: Vec::new(),
        hot_pages: Vec::new(),
        entry: 0,
        created: 0,
    };
    locked.name_image(&record).unwrap();
    record
}

fn change_a_byte(path: &PathBuf) {
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(2)).unwrap();
    file.write_all(b"#").unwrap();
}

fn count(told: &AtomicUsize) {
    told.fetch_add(1, Ordering::SeqCst);
}

fn listing(cache: &Cache) -> Vec<String> {
    let entries = fs::read_dir(cache.folder()).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect::<Vec<_>>()
        .sorted()
}

trait Sorted {
    fn sorted(self) -> Vec<String>;
}

impl<T: Into<Vec<String>>> Sorted for T {
    fn sorted(self) -> Vec<String> {
        let mut all = self.into();
        all.sort();
        all
    }
}
