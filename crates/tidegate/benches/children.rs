//! What it gains to run children beside each other instead of one after another.
//!
//! `cargo bench --workspace --bench children` prints both times and their ratio; with `-- --write` they also go into
//! docs/benchmarks.md. One program starts the same four children in both ways, in turn, so that whatever else the
//! machine does is there for both.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "shared/mod.rs"]
#[expect(dead_code, unused_imports, reason = "this one starts no service")]
mod shared;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use engine::{Limits, NoHost, Program, Session, Start};
use engine_wasm::cache::Cache;
use engine_wasm::install::{Silent, Source, install};
use engine_wasm::{Builder, Options, WasmEngine, plan};
use gateway::{Behalf, Checks, Memory, Nursery, Reviewing, Tools};
use shared::Failure;
use upstream::Upstreams;

/// The most that four children together may take of what they take one after another, on two cores.
const MOST: f64 = 0.6;

/// Gives seconds of each round, one after another and together.
const PROGRAM: &str = "
from time import perf_counter
child = '''
total = 0
for n in range(item):
    total += n * n % 7
return total
'''
items = [3_000_000] * 4
rounds = []
for _ in range(5):
    begun = perf_counter()
    await spawn_map(child, items, parallel=1)
    between = perf_counter()
    await spawn_map(child, items, parallel=4)
    rounds.append([between - begun, perf_counter() - between])
return rounds
";

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let folder = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || {
            let home = std::env::var_os("HOME").unwrap_or_default();
            PathBuf::from(home).join(".cache/tidegate-ci/guest")
        },
        PathBuf::from,
    );
    let installed = install(&Cache::at(folder), &Source::Registry, &plan()?, &Builder, &Silent)?;
    let engine = Arc::new(WasmEngine::open(installed, Options::default())?);
    let upstreams = Upstreams::new(Vec::new(), upstream::Options::default());
    let tools = Tools::new(upstreams, BTreeMap::new(), Memory::none());
    let limits = Limits::of(engine::Level::Development);
    let mut session = Session::new(engine, Start { limits, ..Start::default() });
    let nursery = Nursery {
        engine: Arc::clone(session.engine()),
        others: gateway::Engines::default(),
        checks: None,
        reviews: Checks::new(),
        reviewing: Reviewing::default(),
        rests: None,
    };
    let offer = tools.offer(PROGRAM).await;
    let program = Program::new(PROGRAM);
    let (behalf, hearing) = (Behalf::default(), Arc::new(NoHost));
    let outcome =
        gateway::run_with(&mut session, program, offer, behalf, hearing, Some(nursery)).await?;
    if let Some(error) = outcome.error {
        return Err(format!("{}: {}", error.kind, error.message).into());
    }
    let rounds: Vec<(f64, f64)> = serde_json::from_str(outcome.return_value.get())?;
    let text = report(&rounds, std::thread::available_parallelism()?.get());
    println!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        shared::write_section("children", &text)?;
    }
    Ok(())
}

/// The rounds as Markdown, and whether the target is held: of seconds one after another, and together.
fn report(rounds: &[(f64, f64)], cores: usize) -> String {
    let mut text = format!(
        "## Children beside each other

Written by `cargo bench --workspace --bench children -- --write`, on {cores} cores. One program has four children of the same work, a loop of three million
steps each, with `spawn_map`: first with `parallel=1`, then with `parallel=4`, in turn. Target on two cores: together at most {MOST:.2} of the time.

| round | one after another | together | ratio |
| --- | --- | --- | --- |
"
    );
    for (round, (single, together)) in rounds.iter().enumerate() {
        let ratio = together / single;
        let _ = writeln!(text, "| {} | {single:.2} s | {together:.2} s | {ratio:.2} |", round + 1);
    }
    let mut ratios: Vec<f64> = rounds.iter().map(|(single, together)| together / single).collect();
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
    let held = if middle <= MOST { "held" } else { "NOT held" };
    let _ = writeln!(text, "\nMedian ratio {middle:.2}: {held}.");
    text
}
