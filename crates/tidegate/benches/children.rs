//! What it gains to run children beside each other instead of one after another.
//!
//! `cargo bench -p tidegate --bench children` prints both times and their ratio. One program starts the same four
//! children in both ways, in turn, so that whatever else the machine does is there for both.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use engine::{Limits, NoHost, Program, Session, Start};
use engine_wasm::cache::Cache;
use engine_wasm::install::{Silent, Source, install};
use engine_wasm::{Builder, Options, WasmEngine, plan};
use gateway::{Behalf, Checks, Memory, Nursery, Reviewing, Tools};
use upstream::Upstreams;

type Failure = Box<dyn Error + Send + Sync>;

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
    let mut ratios: Vec<f64> = rounds.iter().map(|(single, both)| both / single).collect();
    ratios.sort_by(f64::total_cmp);
    for (single, together) in &rounds {
        println!("four children: {single:.2} s one after another, {together:.2} s together");
    }
    let cores = std::thread::available_parallelism()?;
    println!(
        "median ratio {:.2} on {cores} cores (goal on two: at most 0.60)",
        ratios[ratios.len() / 2]
    );
    Ok(())
}
