//! Gets a package from an npm registry, with the machine's own npm.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Running, last_lines, share, size_of};

/// The package to fetch.
#[derive(Debug, Clone, Copy)]
pub struct Archive<'a> {
    /// What npm is asked for: `name@version`.
    pub requirement: &'a str,
    /// About how many bytes it has, to say how far the download is.
    pub bytes: u64,
}

/// Why there is no package.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// There is nothing on this machine to fetch a package with.
    #[error("no npm was found")]
    NoNpm,
    /// npm is there and did not bring the package.
    #[error("`{command}` failed. It said:\n{said}")]
    NpmFailed {
        /// What was run.
        command: String,
        /// The last lines of its complaint.
        said: String,
    },
    /// A file or a process would not cooperate.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Downloads a package into `folder`, which is for this alone; `progress` hears which share is there.
/// Nothing of the package runs.
pub fn pack(
    archive: Archive<'_>,
    folder: &Path,
    progress: &dyn Fn(f64),
) -> Result<PathBuf, PackError> {
    let (target, errors) = (folder.join("package"), folder.join("errors"));
    std::fs::create_dir_all(&target).map_err(io_error("make", &target))?;
    let said = File::create(&errors).map_err(io_error("write", &errors))?;
    let mut command = Command::new("npm");
    command
        .args(["pack", "--ignore-scripts", "--pack-destination"])
        .arg(&target)
        .arg(archive.requirement)
        // npm looks for a project from where it is started.
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said);
    let child = match command.spawn() {
        Ok(child) => Running(child),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(PackError::NoNpm),
        Err(error) => return Err(io_error("start", Path::new("npm"))(error)),
    };
    let status = child.watch(&mut || progress(share(size_of(&target), archive.bytes)));
    let status = status.map_err(io_error("wait for", Path::new("npm")))?;
    match archive_in(&target) {
        Some(package) if status.success() => Ok(package),
        _ => {
            let said = std::fs::read(&errors).map_err(io_error("read", &errors))?;
            let said = last_lines(&String::from_utf8_lossy(&said));
            let said =
                if said.is_empty() { format!("(nothing, and ended with {status})") } else { said };
            let command = format!("npm pack {}", archive.requirement);
            Err(PackError::NpmFailed { command, said })
        }
    }
}

fn archive_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "tgz"))
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PackError {
    let path = path.to_owned();
    move |source| PackError::Io { action, path, source }
}
