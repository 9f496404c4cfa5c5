//! The images in the folder of a run, and how they are called.

use std::io;
use std::path::{Path, PathBuf};

/// Where an image lies whose line is in the ledger, and where it does before that.
pub(super) fn image_files(folder: &Path, number: u64) -> [PathBuf; 2] {
    [format!("image-{number}"), format!("image-{number}.new")].map(|name| folder.join(name))
}

pub(super) fn read_image(folder: &Path, number: u64) -> io::Result<Vec<u8>> {
    let [named, new] = image_files(folder, number);
    match std::fs::read(named) {
        // The process ended before it could be renamed, though its line was written.
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::fs::read(new),
        read => read,
    }
}

/// The names in a folder, but for those that are none of ours.
pub(super) fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    Ok(names)
}

/// The highest number of an image among these names whose line was in the ledger; 0 if there is none.
pub(super) fn last_image(names: &[String]) -> u64 {
    let numbers = names.iter().filter_map(|name| name.strip_prefix("image-")?.parse().ok());
    numbers.max().unwrap_or(0)
}
