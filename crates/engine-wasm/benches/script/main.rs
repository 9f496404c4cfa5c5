//! The TypeScript guest's figures, beside `node -e`, `quickjs-emscripten` in Node, and our Python.
//!
//! ```text
//! cargo bench -p engine-wasm --bench script -- --write
//! ```
//!
//! Everybody is measured in every round, and what counts is the ratio within one run. `--quick` takes few
//! samples, `--rounds N` sets how often, and `--write` puts the result into its section of
//! `docs/benchmarks.md`. Node has to be there; `quickjs-emscripten` is installed with npm on first use.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

#[path = "../engine/machine.rs"]
mod machine;
mod ours;
mod peers;
#[path = "../engine/samples.rs"]
#[expect(dead_code, reason = "the other benchmark uses all of it")]
mod samples;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use engine::Language;
use engine_wasm::install::BoxError;

use crate::machine::Machine;
use crate::ours::Ours;
use crate::peers::Peers;
use crate::samples::{Samples, bytes, per_second, seconds, times};

const USAGE: &str =
    "usage: cargo bench -p engine-wasm --bench script -- [--quick] [--rounds N] [--write]";

/// The section of docs/benchmarks.md.
const SECTION: &str = "typescript";

/// Sessions alive while memory is measured.
const ALIVE: usize = 500;

/// One invocation.
#[derive(Debug, Clone, Copy)]
struct Options {
    rounds: usize,
    quick: bool,
    write: bool,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, BoxError> {
        let mut options = Self { rounds: 0, quick: false, write: false };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--write" => options.write = true,
                "--rounds" => options.rounds = arguments.next().ok_or(USAGE)?.parse()?,
                // Cargo says this to every benchmark.
                "--bench" => {}
                _ => return Err(USAGE.into()),
            }
        }
        if options.rounds == 0 {
            options.rounds = if options.quick { 2 } else { 5 };
        }
        Ok(options)
    }

    /// So many samples, or few.
    fn count(self, usual: usize) -> usize {
        if self.quick { usual.div_ceil(10) } else { usual }
    }
}

/// What was measured.
#[derive(Debug, Default)]
struct Figures {
    fresh: Samples,
    python: Samples,
    node: Samples,
    emscripten: Samples,
    rate: Samples,
    memory: Samples,
    rested: Samples,
    freeze: Samples,
    thaw: Samples,
    image: Samples,
    call: Samples,
    python_call: Samples,
}

fn main() -> Result<(), BoxError> {
    let options = Options::parse(std::env::args().skip(1))?;
    let machine = Machine::describe();
    // Before any thread starts, so that all of them, and the peers, inherit it.
    machine::keep_to_two_cores()?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (figures, versions) = runtime.block_on(measured(options))?;
    let text = shown(&figures, &machine, &versions, options);
    print!("{text}");
    if options.write {
        write_section(&text)?;
        eprintln!("wrote docs/benchmarks.md");
    }
    Ok(())
}

async fn measured(options: Options) -> Result<(Figures, String), BoxError> {
    let cache = cache()?;
    let script = Ours::open(&guest()?, Language::TypeScript)?;
    let python = Ours::open(&guest()?, Language::Python)?;
    let peers = Peers::install(&cache)?;
    let mut figures = Figures::default();
    for round in 0..options.rounds {
        eprintln!("round {} of {}", round + 1, options.rounds);
        script.fresh(options.count(200), &mut figures.fresh).await?;
        python.fresh(options.count(100), &mut figures.python).await?;
        peers.node(options.count(20), &mut figures.node)?;
        peers.emscripten(options.count(200), &mut figures.emscripten)?;
        figures.rate.push(script.rate(options.count(4_000)).await?);
        let (freeze, thaw, image) = (&mut figures.freeze, &mut figures.thaw, &mut figures.image);
        script.rest(options.count(30), (freeze, thaw, image)).await?;
        figures.call.push(script.call().await?);
        figures.python_call.push(python.call().await?);
        let [memory, rested] = script.memory(ALIVE).await?;
        figures.memory.push(memory);
        figures.rested.push(rested);
    }
    Ok((figures, peers.versions()?))
}

/// The guest runtime, shared with the tests.
fn guest() -> Result<PathBuf, BoxError> {
    match std::env::var_os("TIDEGATE_TEST_CACHE") {
        Some(folder) => Ok(folder.into()),
        None => Ok(cache()?.join("guest")),
    }
}

/// Where the peers are.
fn cache() -> Result<PathBuf, BoxError> {
    let home = std::env::var_os("HOME").ok_or("set HOME")?;
    Ok(PathBuf::from(home).join(".cache/tidegate-ci"))
}

fn shown(figures: &Figures, machine: &Machine, versions: &str, options: Options) -> String {
    let middle = |samples: &Samples| samples.p50().unwrap_or(f64::NAN);
    let mut out = format!(
        "## The second guest\n\nWritten by `cargo bench -p engine-wasm --bench script -- --write`; do not edit. {machine}; {versions}; {} rounds{}.\n\n\
         | what | figure | must reach |\n| --- | --- | --- |\n",
        options.rounds,
        if options.quick { ", few samples" } else { "" },
    );
    let fresh = middle(&figures.fresh);
    let rows = [
        ("fresh guest, value in hand, p50", seconds(fresh), "under 0.3 ms"),
        ("the same, p99", figures.fresh.p99().map_or_else(String::new, seconds), ""),
        ("under `node -e`", times(middle(&figures.node) / fresh), "50x"),
        (
            "under a fresh context of `quickjs-emscripten`",
            times(middle(&figures.emscripten) / fresh),
            "",
        ),
        ("under our Python", times(middle(&figures.python) / fresh), ""),
        ("`node -e`, p50", seconds(middle(&figures.node)), ""),
        ("a fresh context of `quickjs-emscripten`, p50", seconds(middle(&figures.emscripten)), ""),
        (
            "private memory per live session, 500 alive",
            bytes(middle(&figures.rested)),
            "under 0.4 MB",
        ),
        ("the same, in the second after its program", bytes(middle(&figures.memory)), ""),
        ("freeze mid-await, p50", seconds(middle(&figures.freeze)), "under 2 ms"),
        ("thaw mid-await, p50", seconds(middle(&figures.thaw)), "under 0.5 ms"),
        ("its image, p50", bytes(middle(&figures.image)), "under 300 kB"),
        ("fresh programs per second, two cores", per_second(middle(&figures.rate)), "over 4,000"),
        (
            "one tool call, in times of the Python guest's",
            times(middle(&figures.call) / middle(&figures.python_call)),
            "1.2x",
        ),
    ];
    for (what, figure, target) in rows {
        // Writing to a text cannot fail.
        let _ = writeln!(out, "| {what} | {figure} | {target} |");
    }
    out
}

/// Puts the section where the last one of its name was.
fn write_section(text: &str) -> Result<(), BoxError> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks.md");
    let (begin, end) = (format!("<!-- {SECTION}:begin -->"), format!("<!-- {SECTION}:end -->"));
    let old = std::fs::read_to_string(&file)?;
    let (before, after) = match old.split_once(&begin) {
        Some((before, rest)) => (before, rest.split_once(&end).map_or("", |(_, after)| after)),
        None => (old.as_str(), "\n"),
    };
    let before = before.trim_end();
    std::fs::write(file, format!("{before}\n\n{begin}\n{text}\n{end}{after}"))?;
    Ok(())
}
