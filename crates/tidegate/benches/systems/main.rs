//! How long the four example systems take, with programs and with tools called one by one.
//!
//! `cargo bench --workspace --bench systems` prints the figures; with `-- --write` they also go into
//! docs/benchmarks.md. Programs really run and their servers really answer. Which tools they called is noted, and the
//! same calls are made again by a plain MCP client, each in a message of its own, as a model does that has tools
//! alone. What the model itself would take is scripted, the same for both ways, and added: nobody sleeps.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod direct;
mod gate;
mod report;
#[path = "../shared/mod.rs"]
#[expect(dead_code, unused_imports, reason = "this one starts services of its own")]
mod shared;
mod worlds;

use std::time::Duration;

use direct::Direct;
use gate::Gate;
use report::Row;
use shared::Failure;
use worlds::{System, systems};

/// Times that each system does all its steps, both ways, in new folders.
const ROUNDS: usize = 3;

/// Until a model begins to speak.
const BEGINS: Duration = Duration::from_millis(500);
/// Tokens that it reads in a second, for the first time.
const READS: f64 = 10_000.0;
/// Tokens that it writes in a second.
const WRITES: f64 = 80.0;
/// What a message takes, however long it is, with a model that is scripted so.
const MESSAGE: Duration = Duration::from_secs(2);

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let mut rows = Vec::new();
    for system in systems()? {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push(Box::pin(measured(&system)).await?);
        }
        rows.push(Row::of(system.name, rounds));
    }
    let text = report::table(&rows);
    println!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        shared::write_section("systems", &text)?;
    }
    Ok(())
}

/// All steps of a system, one way.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Way {
    /// Messages of the model.
    pub(crate) messages: u32,
    /// The same where large answers come in parts.
    pub(crate) parts: u32,
    /// What its tools and programs really took.
    pub(crate) work: Duration,
    read: usize,
    written: usize,
}

impl Way {
    /// How long it all takes with a model that reads and writes at those speeds.
    pub(crate) fn at_speeds(&self) -> f64 {
        let tokens = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let begins = f64::from(self.messages) * BEGINS.as_secs_f64();
        let model = begins + tokens(self.read) / READS + tokens(self.written) / WRITES;
        self.work.as_secs_f64() + model
    }

    /// How long it takes with a model that takes the same for each of so many messages.
    pub(crate) fn at(&self, messages: u32) -> f64 {
        self.work.as_secs_f64() + f64::from(messages) * MESSAGE.as_secs_f64()
    }
}

/// Calls made directly, and programs.
pub(crate) type Both = (Way, Way);

async fn measured(system: &System) -> Result<Both, Failure> {
    let (ours, theirs) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let mut gate = Gate::start(system, ours.path()).await?;
    let mut direct = Direct::start(system, theirs.path()).await?;
    let (mut tools, mut programs) = (Way::default(), Way::default());
    for step in &system.steps {
        let done = gate.run(step).await?;
        // The program, and what is said of its result.
        programs.messages += 2;
        programs.parts += 2;
        programs.work += done.took;
        programs.written += done.sent + done.received;
        programs.read += done.own_definitions + done.received;
        let replayed = direct.replay(&done.calls, ours.path(), theirs.path()).await?;
        // Each call, and what is said of all of them: the same words.
        tools.messages += replayed.calls + 1;
        tools.parts += replayed.parts + 1;
        tools.work += replayed.took;
        tools.written += replayed.written + done.received;
        tools.read += done.inline;
    }
    Ok((tools, programs))
}
