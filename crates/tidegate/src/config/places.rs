//! Where `tidegate.toml` is, and where everything else lives that belongs to the user.
//!
//! With `--config FILE`, or else `TIDEGATE_CONFIG`, that file is the only one. Otherwise there are
//! two, and both count: the project's, which is the nearest `tidegate.toml` from the current folder
//! up to the one with `.git` in it, and the user's, in their configuration folder. A server that
//! both have is the project's.

use std::env;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::keys::Said;
use super::problem::ConfigError;

/// What the file is called.
const FILE: &str = "tidegate.toml";
/// Names the only file to read.
const VARIABLE: &str = "TIDEGATE_CONFIG";

/// The folders of this user and this project.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// The only configuration file, when the user named one.
    pub(crate) explicit: Option<PathBuf>,
    /// The current folder and those above it, up to the project's root.
    pub(crate) project: Vec<PathBuf>,
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
    /// Where programs keep their configuration.
    pub(crate) config: Option<PathBuf>,
    /// The same on Windows, as seen from Linux under it.
    pub(crate) windows_config: Option<PathBuf>,
    /// The home folder there.
    pub(crate) windows_home: Option<PathBuf>,
    /// Where Codex keeps its things, if not in the home folder.
    pub(crate) codex: Option<PathBuf>,
    /// Where Claude Code keeps its things, if not in the home folder.
    pub(crate) claude: Option<PathBuf>,
    /// What variables and flags say, the one that counts most last.
    pub(crate) said: Vec<Said>,
}

impl Places {
    /// Reads the environment. Nothing can fail yet: a command that needs no file works without.
    /// `flags` are keys of the file and their values.
    pub(super) fn from_environment(named: Option<&Path>, flags: &[(String, String)]) -> Self {
        let usual = etcetera::choose_base_strategy().ok();
        let path = |variable| {
            let value = env::var_os(variable).filter(|value| !value.is_empty())?;
            std::path::absolute(value).ok()
        };
        let windows = |variable| env::var(variable).ok().and_then(|value| from_windows(&value));
        let current = env::current_dir().unwrap_or_default();
        Self {
            explicit: named
                .and_then(|file| std::path::absolute(file).ok())
                .or_else(|| path(VARIABLE)),
            project: up_to_root(&current),
            home: usual.as_ref().map(|usual| usual.home_dir().to_owned()),
            config: usual.as_ref().map(BaseStrategy::config_dir),
            windows_config: windows("APPDATA"),
            windows_home: windows("USERPROFILE"),
            codex: path("CODEX_HOME"),
            claude: path("CLAUDE_CONFIG_DIR"),
            said: Said::all(flags),
        }
    }

    /// The files to read, the one that counts more last.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, ConfigError> {
        if let Some(file) = &self.explicit {
            return Ok(vec![file.clone()]);
        }
        let mut files: Vec<PathBuf> =
            self.users_file().filter(|file| file.is_file()).into_iter().collect();
        if let Some(file) = self.projects_file().filter(|file| !files.contains(file)) {
            belongs_to_us(&file)?;
            files.push(file);
        }
        Ok(files)
    }

    /// The files that may say something, whether they are there or not.
    pub(crate) fn watched(&self) -> Vec<PathBuf> {
        if let Some(file) = &self.explicit {
            return vec![file.clone()];
        }
        let project = self.project.iter().map(|folder| folder.join(FILE));
        self.users_file().into_iter().chain(project).collect()
    }

    /// The file that a new server goes into.
    pub(crate) fn file_to_write(&self, project: bool) -> Option<PathBuf> {
        match (&self.explicit, project) {
            (Some(file), _) => Some(file.clone()),
            (None, true) => self.projects_file().or_else(|| Some(self.project.last()?.join(FILE))),
            (None, false) => self.users_file(),
        }
    }

    /// The project's topmost folder.
    pub(crate) fn root(&self) -> Option<&Path> {
        self.project.last().map(PathBuf::as_path)
    }

    /// A path as people like to read it.
    pub(crate) fn short(&self, path: &Path) -> String {
        let below_home = self.home.as_ref().and_then(|home| path.strip_prefix(home).ok());
        match below_home {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }

    fn users_file(&self) -> Option<PathBuf> {
        Some(self.config.as_ref()?.join("tidegate").join(FILE))
    }

    fn projects_file(&self) -> Option<PathBuf> {
        self.project.iter().map(|folder| folder.join(FILE)).find(|file| file.is_file())
    }
}

/// The folder and those above it, up to the one that holds a repository; only the folder itself
/// when none does, so that nothing above a project is taken for part of it.
fn up_to_root(current: &Path) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = current.ancestors().map(Path::to_owned).collect();
    let root = folders.iter().position(|folder| folder.join(".git").exists());
    folders.into_iter().take(root.map_or(1, |root| root + 1)).collect()
}

/// Refuses a file that somebody else may have put into a folder we happen to stand in: it can
/// name programs to start.
fn belongs_to_us(path: &Path) -> Result<(), ConfigError> {
    let metadata = std::fs::metadata(path)
        .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
    let owner = metadata.uid();
    let reason = if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        "belongs to another user"
    } else if metadata.mode() & 0o002 != 0 {
        "can be written by everybody"
    } else {
        return Ok(());
    };
    Err(ConfigError::NotYours { path: path.to_owned(), reason })
}

/// A folder of Windows as Linux under it sees it: `C:\a\b` is `/mnt/c/a/b`.
fn from_windows(path: &str) -> Option<PathBuf> {
    let mut letters = path.chars();
    match (letters.next(), letters.next()) {
        (Some(drive), Some(':')) if drive.is_ascii_alphabetic() => {
            let rest = letters.as_str().replace('\\', "/");
            Some(PathBuf::from(format!("/mnt/{}{rest}", drive.to_ascii_lowercase())))
        }
        (Some('/'), _) => Some(PathBuf::from(path)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_ends_where_its_repository_does() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        let deep = root.join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(up_to_root(&deep), std::slice::from_ref(&deep));
        std::fs::create_dir(root.join(".git")).unwrap();
        assert_eq!(up_to_root(&deep), [deep.clone(), root.join("a"), root.clone()]);
    }

    #[test]
    fn a_file_that_everybody_can_write_is_not_the_projects() {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
        let places = Places { project: vec![folder.path().to_owned()], ..Places::default() };
        let error = places.files().unwrap_err().to_string();
        assert!(error.contains("can be written by everybody"), "{error}");
        std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(places.files().unwrap(), [file]);
    }

    #[test]
    fn a_named_file_is_the_only_one() {
        let named = PathBuf::from("/x/servers.toml");
        let places = Places {
            explicit: Some(named.clone()),
            config: Some("/nowhere".into()),
            ..Places::default()
        };
        assert_eq!(places.files().unwrap(), std::slice::from_ref(&named));
        assert_eq!(places.file_to_write(true), Some(named));
    }

    #[test]
    fn folders_of_windows_are_found_from_linux() {
        let roaming = from_windows(r"C:\Someone\AppData\Roaming");
        assert_eq!(roaming, Some(PathBuf::from("/mnt/c/Someone/AppData/Roaming")));
        assert_eq!(from_windows("/mnt/d/x"), Some(PathBuf::from("/mnt/d/x")));
        assert_eq!(from_windows("relative"), None);
    }
}
