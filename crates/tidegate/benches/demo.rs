//! How long `tidegate demo` takes, from a cold cache and from a warm one.
//!
//! `cargo bench --workspace --bench demo` prints the figures; with `-- --write` they also go into docs/benchmarks.md,
//! and `-- --short` leaves out the cold cache, which is an installation of the runtime, some two minutes, and needs
//! a package registry. Whole processes, start to end, with recorded answers of a model.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "shared/mod.rs"]
#[expect(dead_code, unused_imports, reason = "this one starts no service")]
mod shared;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use shared::Failure;

/// Times that each kind of warm start is measured.
const ROUNDS: usize = 15;
/// The most that one may take whose runtime is there.
const MOST: Duration = Duration::from_secs(3);

/// What it has to end with.
const PARTS: [&str; 4] =
    ["\nautomation\n", "\nvalid for Home Assistant", "\nreceipt,", "\ntry next\n"];

fn main() -> Result<(), Failure> {
    let says = |what: &str| std::env::args().any(|argument| argument == what);
    let mut rows = Vec::new();
    if !says("--short") {
        let (cache, data) = (tempfile::tempdir()?, tempfile::tempdir()?);
        rows.push((
            "nothing is there: the runtime is fetched and compiled first",
            vec![demo(cache.path(), data.path())?],
            None,
        ));
    }
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE")
        .map_or_else(|| std::env::temp_dir().join("tidegate-bench"), PathBuf::from);
    // Whoever comes first may have to install.
    demo(&cache, tempfile::tempdir()?.path())?;
    let (mut new, mut known) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let data = tempfile::tempdir()?;
        new.push(demo(&cache, data.path())?);
        known.push(demo(&cache, data.path())?);
    }
    rows.push(("the runtime is there, and the house is built first", new, Some(MOST)));
    rows.push(("the same once more: runtime and house are there", known, Some(MOST)));
    let text = report(rows);
    println!("{text}");
    if says("--write") {
        shared::write_section("demo", &text)?;
    }
    Ok(())
}

/// How long one takes; an error where it does not end with what it should.
fn demo(cache: &Path, data: &Path) -> Result<Duration, Failure> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .args(["demo", "--recorded"])
        .env("TIDEGATE_CACHE", cache)
        .env("TIDEGATE_DATA", data)
        .env("XDG_CONFIG_HOME", data)
        .env_remove("TIDEGATE_CONFIG")
        .current_dir(data)
        .stdin(Stdio::null());
    let begun = Instant::now();
    let output = command.output()?;
    let took = begun.elapsed();
    let shown = String::from_utf8_lossy(&output.stdout);
    let missing = PARTS.iter().find(|part| !shown.contains(*part));
    if let (true, None) = (output.status.success(), missing) {
        return Ok(took);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("the demo ended with {} and without {missing:?}: {said}", output.status).into())
}

/// What was measured, how often and what it must reach.
type Row = (&'static str, Vec<Duration>, Option<Duration>);

fn report(rows: Vec<Row>) -> String {
    let mut text = String::from(
        "## The demo

Written by `cargo bench --workspace --bench demo -- --write`: `tidegate demo --recorded` as a process, from its start to its end, with the YAML, the receipt and what to try next
checked in each. The first row includes a package registry over the network.

| before it | times | median | slowest | target |
| --- | --- | --- | --- | --- |
",
    );
    for (what, mut times, most) in rows {
        times.sort();
        let middle = times.get(times.len() / 2).copied().unwrap_or_default();
        let slowest = times.last().copied().unwrap_or_default();
        let target = most.map_or_else(String::new, |most| {
            let held = if slowest < most { "held" } else { "NOT held" };
            format!("each under {} s: {held}", most.as_secs())
        });
        let _ = writeln!(
            text,
            "| {what} | {} | {:.2} s | {:.2} s | {target} |",
            times.len(),
            middle.as_secs_f64(),
            slowest.as_secs_f64(),
        );
    }
    text
}
