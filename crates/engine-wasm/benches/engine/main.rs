//! The engine's figures, beside those of what a user could pick instead.
//!
//! ```text
//! cargo build --release && cargo bench -p engine-wasm -- --write
//! ```
//!
//! Machines are noisy, so everybody is measured in every round, and what counts is
//! the ratio within one run. `--quick` takes few samples, `--rounds N` sets how
//! often, and `--write` puts the result into `docs/benchmarks.md`. The peers are
//! installed from the package registry on first use, into the cache of the tests.
//!
//! Reading order: [`ours`] and [`peers`] measure, [`rounds`] says who is measured
//! when, [`rows`] judges, [`report`] prints.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod computing;
mod machine;
mod options;
mod ours;
mod peers;
mod pool;
mod process;
mod promptness;
mod report;
mod resting;
mod rounds;
mod rows;
mod samples;

use std::path::Path;

use engine_wasm::install::BoxError;

use crate::machine::Machine;
use crate::options::Options;
use crate::ours::Ours;
use crate::peers::{Folders, Peers};
use crate::report::Report;

/// Where the sections of other benchmarks begin in docs/benchmarks.md.
const MARK: &str = "<!-- tools:begin -->";

fn main() -> Result<(), BoxError> {
    let options = Options::parse(std::env::args().skip(1))?;
    let machine = Machine::describe();
    // Before any thread starts, so that all of them, and the peers, inherit it.
    machine::keep_to_two_cores()?;

    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let report = runtime.block_on(measured(&options, machine))?;

    print!("{}", report.plain());
    if options.write {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks.md");
        // What other benchmarks wrote after the mark stays.
        let old = std::fs::read_to_string(&file).unwrap_or_default();
        let rest = old.find(MARK).map_or_else(String::new, |at| format!("\n{}", &old[at..]));
        std::fs::write(file, report.markdown() + &rest)?;
        eprintln!("wrote docs/benchmarks.md");
    }
    Ok(())
}

async fn measured(options: &Options, machine: Machine) -> Result<Report, BoxError> {
    let folders = Folders::find()?;
    let ours = Ours::open(&folders.runtime)?;
    let mut peers = Peers::start(&folders)?;
    let figures = rounds::measure(options, &folders, &ours, &mut peers).await?;
    Ok(Report {
        machine,
        rounds: options.rounds,
        quick: options.quick,
        ours: ours.versions().await?,
        peers: peers.versions()?,
        figures,
    })
}
