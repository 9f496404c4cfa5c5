//! The machine the figures are from, without saying whose it is.

use std::fmt;
use std::fs;
use std::process::Command;

use engine_wasm::install::BoxError;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// What one has to know to compare figures.
#[derive(Debug)]
pub(crate) struct Machine {
    cpu: String,
    cores: usize,
    memory_gib: f64,
    kernel: String,
    date: String,
}

impl Machine {
    /// The machine this runs on, today.
    pub(crate) fn describe() -> Self {
        let memory_kib = field("/proc/meminfo", "MemTotal")
            .and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        Self {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(0, Into::into),
            memory_gib: memory_kib.unwrap_or_default() / f64::from(1 << 20),
            kernel: said("uname", &["-sr"]).unwrap_or_else(unknown),
            date: said("date", &["-u", "+%F"]).unwrap_or_else(unknown),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores, memory_gib, kernel, date } = self;
        write!(f, "{cpu}, {cores} cores, {memory_gib:.0} GiB of memory, {kernel}, {date}")
    }
}

/// Makes every machine one with two cores, which is what the targets are about.
pub(crate) fn keep_to_two_cores() -> Result<(), BoxError> {
    let allowed = sched_getaffinity(None)?;
    let mut chosen = CpuSet::new();
    for core in (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).take(2) {
        chosen.set(core);
    }
    Ok(sched_setaffinity(None, &chosen)?)
}

/// Bytes of memory that are this process's alone.
pub(crate) fn private_bytes() -> Result<f64, BoxError> {
    let line = field("/proc/self/smaps_rollup", "Private_Dirty").ok_or("no smaps_rollup here")?;
    let kib: f64 = line.split_whitespace().next().unwrap_or_default().parse()?;
    Ok(kib * 1024.0)
}

/// The first value of `name` in a file of `name: value` lines.
fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
}

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn unknown() -> String {
    "unknown".into()
}
