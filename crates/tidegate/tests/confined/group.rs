//! A control group of a test's own: what is in it gets so much memory and so much of the processors.
//!
//! Version 2 is one folder; of version 1, `memory` and `cpu` have one each.

use std::path::{Path, PathBuf};
use std::time::Duration;

const ROOT: &str = "/sys/fs/cgroup";
/// Microseconds by which shares of the processors are counted.
const PERIOD: u64 = 100_000;

/// A group that is removed with this.
pub(crate) struct Group {
    /// Where each of the two is set, which may be one folder.
    memory: PathBuf,
    cpu: PathBuf,
    is_second: bool,
}

impl Group {
    /// A new one, or why there cannot be one.
    pub(crate) fn new() -> Result<Self, String> {
        let name = format!("tidegate-test-{}", std::process::id());
        let root = Path::new(ROOT);
        let is_second = root.join("cgroup.controllers").is_file();
        let group = if is_second {
            give_on(root)?;
            Self { memory: root.join(&name), cpu: root.join(&name), is_second }
        } else {
            let [memory, cpu] = ["memory", "cpu"].map(|kind| root.join(kind).join(&name));
            Self { memory, cpu, is_second }
        };
        for folder in group.folders() {
            std::fs::create_dir(folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        Ok(group)
    }

    pub(crate) fn folders(&self) -> Vec<&Path> {
        let mut folders = vec![self.memory.as_path(), self.cpu.as_path()];
        folders.dedup();
        folders
    }

    /// Bytes that the processes in it hold: their own, and those of files that they have mapped.
    pub(crate) fn held(&self) -> u64 {
        let names = if self.is_second {
            ["anon", "file_mapped"]
        } else {
            ["total_rss", "total_mapped_file"]
        };
        let text = read(&self.memory.join("memory.stat"));
        names.iter().map(|name| figure(&text, name)).sum()
    }

    /// From now on at most so much memory, and no swap beside it, and so many hundredths of a processor.
    pub(crate) fn limit(&self, bytes: u64, hundredths: u64) {
        let quota = PERIOD * hundredths / 100;
        if self.is_second {
            write(&self.memory.join("memory.max"), &bytes.to_string());
            let swap = self.memory.join("memory.swap.max");
            if swap.exists() {
                write(&swap, "0");
            }
            write(&self.cpu.join("cpu.max"), &format!("{quota} {PERIOD}"));
        } else {
            write(&self.memory.join("memory.limit_in_bytes"), &bytes.to_string());
            let both = self.memory.join("memory.memsw.limit_in_bytes");
            if both.exists() {
                write(&both, &bytes.to_string());
            }
            write(&self.cpu.join("cpu.cfs_period_us"), &PERIOD.to_string());
            write(&self.cpu.join("cpu.cfs_quota_us"), &quota.to_string());
        }
    }

    /// How many processes were ended because there was no memory left.
    pub(crate) fn killed(&self) -> u64 {
        let name = if self.is_second { "memory.events" } else { "memory.oom_control" };
        figure(&read(&self.memory.join(name)), "oom_kill")
    }

    /// In how many periods somebody in it was on a processor while there was a limit.
    pub(crate) fn periods(&self) -> u64 {
        figure(&read(&self.cpu.join("cpu.stat")), "nr_periods")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Whoever was ended a moment ago may still be in it.
        for _ in 0..100 {
            if self
                .folders()
                .iter()
                .all(|folder| !folder.exists() || std::fs::remove_dir(folder).is_ok())
            {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Sees to it that groups below the first one have both of what is set.
fn give_on(root: &Path) -> Result<(), String> {
    let file = root.join("cgroup.subtree_control");
    let given = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
    let is_given = |name: &str| given.split_whitespace().any(|one| one == name);
    if is_given("memory") && is_given("cpu") {
        return Ok(());
    }
    std::fs::write(&file, "+memory +cpu").map_err(|error| format!("{}: {error}", file.display()))
}

fn figure(text: &str, name: &str) -> u64 {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let mut found = lines.filter(|(key, _)| *key == name);
    found.next().map_or(0, |(_, value)| value.trim().parse().unwrap())
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn write(file: &Path, value: &str) {
    let written = std::fs::write(file, value);
    written.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}
