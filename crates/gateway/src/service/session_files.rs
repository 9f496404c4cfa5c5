//! What lies on disk of sessions, as it is found at the start.

use std::collections::HashMap;
use std::path::Path;

use super::session::{HALF, OLDER};
use super::store::{Store, StoreError};

/// Bytes of the files of sessions, by the session's name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SessionFiles {
    /// What they are.
    pub(super) images: HashMap<String, u64>,
    /// What they were before they could not be written any more.
    pub(super) older: HashMap<String, u64>,
}

impl Store {
    /// What lies on disk of sessions.
    pub(super) async fn session_files(&self) -> Result<SessionFiles, StoreError> {
        let path = self.folder().join("sessions");
        let folder = path.clone();
        let found = tokio::task::spawn_blocking(move || SessionFiles::read(&folder)).await;
        let found = found.map_err(std::io::Error::other).and_then(|found| found);
        found.map_err(|source| StoreError::File { path, source })
    }
}

impl SessionFiles {
    /// Looks at the folder of sessions once. What was being written when the process ended is removed: whoever
    /// opens a service has its folder to itself.
    fn read(folder: &Path) -> std::io::Result<Self> {
        let mut found = Self::default();
        for file in std::fs::read_dir(folder)? {
            let file = file?;
            let path = file.path();
            let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
            let kind = match path.extension().and_then(|ending| ending.to_str()) {
                Some("image") => &mut found.images,
                Some(OLDER) => &mut found.older,
                Some(HALF) => {
                    let _ = std::fs::remove_file(&path);
                    continue;
                }
                _ => continue,
            };
            kind.insert(name.to_owned(), file.metadata()?.len());
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_sessions_are_found_and_what_was_half_written_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = folder.path();
        for (name, text) in [("s_1.image", "one"), ("s_1.part", "o"), ("s_2.older", ""), ("x", "x")]
        {
            std::fs::write(sessions.join(name), text).unwrap();
        }
        let found = SessionFiles::read(sessions).unwrap();
        assert_eq!(found.images, HashMap::from([("s_1".to_owned(), 3)]));
        assert_eq!(found.older, HashMap::from([("s_2".to_owned(), 0)]));
        let is_there = |name: &str| sessions.join(name).exists();
        assert!(!is_there("s_1.part") && is_there("s_2.older") && is_there("x"));
    }
}
