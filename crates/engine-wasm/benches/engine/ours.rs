//! Our engine without standby: fresh guests, live sessions, crowds and their memory.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use engine::{Engine, Guest, Input, NoCalls, Program, Session, Start, Step};
use engine_wasm::cache::Cache;
use engine_wasm::install::{BoxError, Silent, Source, install};
use engine_wasm::{Builder, Options, WasmEngine, plan};

use crate::machine::private_bytes;
use crate::samples::Samples;

/// The small program.
pub(crate) const SUM: &str = "sum(range(100))";
/// What it ends with.
pub(crate) const SUM_VALUE: &str = "4950";

/// The program with a table. A peer gets `print(result)` after it.
pub(crate) const TABLE: &str = "import pandas as pd
df = pd.DataFrame({'a': range(100), 'b': [i % 7 for i in range(100)]})
result = int(df.groupby('b').a.sum().max())";
/// What it ends with.
pub(crate) const TABLE_VALUE: &str = "750";

const VERSIONS: &str = "import sys, numpy, pandas
f'CPython {sys.version.split()[0]}, numpy {numpy.__version__}, pandas {pandas.__version__}'";

/// Programs after the first in each session that is measured.
pub(crate) const NEXT: usize = 16;
/// Sessions alive while memory is measured.
const ALIVE: usize = 200;
/// Programs under way at the same time, so that two cores never wait.
const AT_ONCE: usize = 4;

/// An engine that makes each guest when it is asked for.
pub(crate) struct Ours {
    pub(crate) engine: Arc<WasmEngine>,
}

impl Ours {
    /// Opens the runtime in `folder`, installing it first if need be.
    pub(crate) fn open(folder: &Path) -> Result<Self, BoxError> {
        Ok(Self { engine: open(folder, Options::default())? })
    }

    /// What runs inside.
    pub(crate) async fn versions(&self) -> Result<String, BoxError> {
        let mut guest = self.engine.start(Start::default(), None).await?;
        Ok(serde_json::from_str(&value(&mut *guest, VERSIONS).await?)?)
    }

    /// Fresh guests that run `source`, until the value is in hand.
    pub(crate) async fn fresh(
        &self,
        source: &str,
        expect: &str,
        count: usize,
        into: &mut Samples,
    ) -> Result<(), BoxError> {
        for _ in 0..count {
            into.push(fresh(&self.engine, source, expect).await?);
        }
        Ok(())
    }

    /// The next programs of a live guest; the first of them, which touches memory that the
    /// guest has not used before, also apart.
    pub(crate) async fn next(
        &self,
        second: &mut Samples,
        into: &mut Samples,
    ) -> Result<(), BoxError> {
        let mut guest = self.engine.start(Start::default(), None).await?;
        expect(&value(&mut *guest, SUM).await?, SUM_VALUE)?;
        for number in 0..NEXT {
            let started = Instant::now();
            let said = value(&mut *guest, SUM).await?;
            let elapsed = started.elapsed().as_secs_f64();
            expect(&said, SUM_VALUE)?;
            into.push(elapsed);
            if number == 0 {
                second.push(elapsed);
            }
        }
        Ok(())
    }

    /// The same through a session, which keeps the state before each run safe.
    pub(crate) async fn next_in_session(
        &self,
        count: usize,
        into: &mut Samples,
    ) -> Result<(), BoxError> {
        for _ in 0..count {
            let engine = Arc::clone(&self.engine) as Arc<dyn Engine>;
            let mut session = Session::new(engine, Start::default());
            session.run(Program::new(SUM), Arc::new(NoCalls)).await?;
            for _ in 0..NEXT {
                let started = Instant::now();
                let outcome = session.run(Program::new(SUM), Arc::new(NoCalls)).await?;
                into.push(started.elapsed().as_secs_f64());
                expect(outcome.return_value.get(), SUM_VALUE)?;
            }
        }
        Ok(())
    }

    /// Fresh programs per second.
    pub(crate) async fn rate(&self, count: usize) -> Result<f64, BoxError> {
        let taken = Arc::new(AtomicUsize::new(0));
        let started = Instant::now();
        let tasks: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let (engine, taken) = (Arc::clone(&self.engine), Arc::clone(&taken));
                tokio::spawn(async move {
                    while taken.fetch_add(1, Ordering::Relaxed) < count {
                        fresh(&engine, SUM, SUM_VALUE).await?;
                    }
                    Ok::<_, BoxError>(())
                })
            })
            .collect();
        for task in tasks {
            task.await??;
        }
        Ok(f64::from(u32::try_from(count)?) / started.elapsed().as_secs_f64())
    }

    /// Private bytes per live session that has run the small program.
    pub(crate) async fn memory(&self) -> Result<f64, BoxError> {
        // What the first guest costs once, such as threads, is not a session's.
        fresh(&self.engine, SUM, SUM_VALUE).await?;
        let before = private_bytes()?;
        let mut alive = Vec::with_capacity(ALIVE);
        for _ in 0..ALIVE {
            let mut guest = self.engine.start(Start::default(), None).await?;
            expect(&value(&mut *guest, SUM).await?, SUM_VALUE)?;
            alive.push(guest);
        }
        let after = private_bytes()?;
        Ok((after - before) / f64::from(u32::try_from(alive.len())?))
    }
}

/// An engine on the runtime in `folder`.
pub(crate) fn open(folder: &Path, options: Options) -> Result<Arc<WasmEngine>, BoxError> {
    let cache = Cache::at(folder.to_owned());
    let installed = install(&cache, &Source::Registry, &plan()?, &Builder, &Silent)?;
    Ok(Arc::new(WasmEngine::open(installed, options)?))
}

/// Seconds from nothing to the value of `source`. Throwing the guest away is not counted.
pub(crate) async fn fresh(
    engine: &WasmEngine,
    source: &str,
    expected: &str,
) -> Result<f64, BoxError> {
    let program = Program::new(source);
    let started = Instant::now();
    let mut guest = engine.start(Start::default(), Some(&program)).await?;
    let step = guest.step(Input::Run(program)).await?;
    let elapsed = started.elapsed().as_secs_f64();
    expect(&ended(step)?, expected)?;
    Ok(elapsed)
}

/// The value `source` ends with, as JSON.
pub(crate) async fn value(guest: &mut dyn Guest, source: &str) -> Result<String, BoxError> {
    ended(guest.step(Input::Run(Program::new(source))).await?)
}

/// Refuses a figure that was measured on a wrong answer.
pub(crate) fn expect(said: &str, expected: &str) -> Result<(), BoxError> {
    if said == expected { Ok(()) } else { Err(format!("{said} instead of {expected}").into()) }
}

fn ended(step: Step) -> Result<String, BoxError> {
    match step {
        Step::Done(outcome) if outcome.success => Ok(outcome.return_value.get().to_owned()),
        Step::Done(outcome) => Err(format!("the program failed: {:?}", outcome.error).into()),
        Step::Waiting(_) => Err("the program waits for somebody".into()),
    }
}
