//! Gets a wheel, or an npm package, from a package registry, with the machine's own client.
//!
//! pip and npm know what this program must not guess: which registry this machine uses, through which
//! proxy, with which certificates. So no host is named here. Whether the wheel is the one that was
//! meant is for the caller to check.
#![forbid(unsafe_code)]

mod npm;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

pub use crate::npm::{Archive, PackError, pack};

const CLIENTS: [&[&str]; 4] =
    [&["python3", "-m", "pip"], &["pip3"], &["pip"], &["python", "-m", "pip"]];

// A wheel may want a newer Python than this pip runs on. Nothing of it runs there, so pip is told to
// ignore that, and if it will not, that the wheel is for another Python.
const FOR_ANY_PYTHON: [&str; 1] = ["--ignore-requires-python"];
const FOR_ANOTHER_PYTHON: [&str; 8] =
    ["--python-version", "3.11", "--platform", "any", "--implementation", "py", "--abi", "none"];

const LOOK_EVERY: Duration = Duration::from_millis(100);
const LINES_SHOWN: usize = 8;

/// The wheel to fetch.
#[derive(Debug, Clone, Copy)]
pub struct Wheel<'a> {
    /// What pip is asked for: `name==version`.
    pub requirement: &'a str,
    /// About how many bytes it has, to say how far the download is.
    pub bytes: u64,
}

/// Why there is no wheel.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// There is nothing on this machine to fetch a wheel with.
    #[error("no pip was found (tried python3 -m pip, pip3, pip, python -m pip)")]
    NoPip,
    /// pip is there and did not bring the wheel.
    #[error("`{command}` failed. It said:\n{said}")]
    PipFailed {
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

/// Downloads a wheel into `folder`, which is for this alone; `progress` hears which share is there.
pub fn fetch(
    wheel: Wheel<'_>,
    folder: &Path,
    progress: &dyn Fn(f64),
) -> Result<PathBuf, FetchError> {
    for client in CLIENTS {
        let mut attempt = download(client, &FOR_ANY_PYTHON, wheel, folder, progress)?;
        if matches!(&attempt, Attempt::Failed(said) if is_about_the_python(said))
            && let done @ Attempt::Done(_) =
                download(client, &FOR_ANOTHER_PYTHON, wheel, folder, progress)?
        {
            attempt = done;
        }
        match attempt {
            Attempt::Done(wheel) => return Ok(wheel),
            Attempt::NoClient => {}
            // A client that is there and cannot reach the registry speaks for the others too.
            Attempt::Failed(said) => {
                return Err(FetchError::PipFailed {
                    command: format!("{} download {}", client.join(" "), wheel.requirement),
                    said: last_lines(&said),
                });
            }
        }
    }
    Err(FetchError::NoPip)
}

enum Attempt {
    Done(PathBuf),
    NoClient,
    Failed(String),
}

fn download(
    client: &[&str],
    extra: &[&str],
    wheel: Wheel<'_>,
    folder: &Path,
    progress: &dyn Fn(f64),
) -> Result<Attempt, FetchError> {
    let (target, errors) = (folder.join("wheel"), folder.join("errors"));
    let said = File::create(&errors).map_err(io_error("write", &errors))?;
    let mut command = Command::new(client[0]);
    command
        .args(&client[1..])
        .args(["download", "--no-deps", "--only-binary=:all:", "--no-input"])
        .arg("--disable-pip-version-check")
        .args(extra)
        .arg("--dest")
        .arg(&target)
        .arg(wheel.requirement)
        // pip downloads to its temporary folder first. Here its progress can be
        // seen, and what an interruption leaves is cleared away with the rest.
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said);

    let child = match command.spawn() {
        Ok(child) => Running(child),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Attempt::NoClient),
        Err(error) => return Err(io_error("start", Path::new(client[0]))(error)),
    };
    let status = child.watch(&mut || progress(share(size_of(folder), wheel.bytes)));
    let status = status.map_err(io_error("wait for", Path::new(client[0])))?;
    let said = std::fs::read(&errors).map_err(io_error("read", &errors))?;
    let said = String::from_utf8_lossy(&said).into_owned();

    match wheel_in(&target) {
        Some(wheel) if status.success() => Ok(Attempt::Done(wheel)),
        _ if said.contains("No module named pip") => Ok(Attempt::NoClient),
        // Its words go to a file in the same folder: where there is no room, there are none.
        _ if said.trim().is_empty() => Ok(Attempt::Failed(format!(
            "(nothing, and ended with {status}; is there room left on the disk of {}?)",
            folder.display()
        ))),
        _ => Ok(Attempt::Failed(said)),
    }
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FetchError {
    let path = path.to_owned();
    move |source| FetchError::Io { action, path, source }
}

/// A client that does not outlive the download, whatever ends that.
struct Running(Child);

impl Running {
    fn watch(mut self, look: &mut dyn FnMut()) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            look();
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both do nothing to a process that has ended and was waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn is_about_the_python(said: &str) -> bool {
    ["Requires-Python", "requires a different Python", "No matching distribution"]
        .iter()
        .any(|hint| said.contains(hint))
}

fn wheel_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
}

/// Bytes of all files in a folder, as far as they can be seen while it changes.
fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// How much of a job is done, for a progress bar: from 0 to 1.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a progress bar is not read to the byte")]
pub fn share(done: u64, all: u64) -> f64 {
    if all == 0 { 1.0 } else { (done as f64 / all as f64).min(1.0) }
}

fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::{is_about_the_python, last_lines};

    #[test]
    fn only_the_end_of_what_pip_said_is_shown() {
        let said: Vec<String> = (0..20).map(|line| format!("line {line}\n")).collect();
        let said = said.join("\n");
        assert_eq!(last_lines(&said).lines().next(), Some("line 12"));
        assert_eq!(last_lines(""), "");
    }

    #[test]
    fn an_old_python_is_told_from_a_missing_network() {
        assert!(is_about_the_python(
            "ERROR: Ignored the following versions that Requires-Python >=3.11"
        ));
        assert!(!is_about_the_python("ERROR: Could not connect to the registry"));
    }
}
