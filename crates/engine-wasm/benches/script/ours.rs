//! Our engine, in either language.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use engine::{
    CallResult, Engine, Host, HostCall, Image, Input, Language, Level, Limits, Program, Start, Step,
};
use engine_wasm::cache::Cache;
use engine_wasm::install::{BoxError, Silent, Source, install};
use engine_wasm::{Builder, Options, WasmEngine, plan_of};
use serde_json::value::RawValue;

use crate::machine::private_bytes;
use crate::samples::Samples;

/// The small program, which `node` runs too.
pub(crate) const SUM: &str = "[...Array(100).keys()].reduce((a, b) => a + b)";
/// What it ends with.
pub(crate) const SUM_VALUE: &str = "4950";

/// A program that waits with something in hand.
const WAITS: &str = "const rows = Array.from({ length: 1000 }, (_, id) => ({ id, name: `row ${id}` }));\n\
    const answer = await callMCPTool('later', {});\nrows.length + answer";

/// Tool calls of one program.
const CALLS: u32 = 1_000;
/// Programs under way at the same time, so that two cores never wait.
const AT_ONCE: usize = 4;

/// An engine that makes each guest when it is asked for.
pub(crate) struct Ours {
    engine: Arc<WasmEngine>,
}

/// Answers every call at once.
struct Prompt;

impl Host for Prompt {
    fn answer(&self, call: &HostCall) -> Option<CallResult> {
        let answer = RawValue::from_string(r#"{"v":1}"#.to_owned()).ok()?;
        Some(CallResult::ok(call.id, answer))
    }
}

impl Ours {
    /// Opens the runtime in `folder`, installing it first if need be.
    pub(crate) fn open(folder: &Path, language: Language) -> Result<Self, BoxError> {
        let (cache, plan) = (Cache::at(folder.to_owned()), plan_of(language)?);
        let installed = install(&cache, &Source::Registry, &plan, &Builder, &Silent)?;
        Ok(Self { engine: Arc::new(WasmEngine::open(installed, Options::default())?) })
    }

    fn sum(&self) -> &'static str {
        match self.engine.language() {
            Language::Python => "sum(range(100))",
            Language::TypeScript => SUM,
        }
    }

    /// Fresh guests, until the value is in hand.
    pub(crate) async fn fresh(&self, count: usize, into: &mut Samples) -> Result<(), BoxError> {
        for _ in 0..count {
            into.push(fresh(&self.engine, self.sum()).await?);
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
                let sum = self.sum();
                tokio::spawn(async move {
                    while taken.fetch_add(1, Ordering::Relaxed) < count {
                        fresh(&engine, sum).await?;
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

    /// Private bytes per live session that has run the small program: at once, and when it has rested for a second,
    /// after which the gateway asks each to give memory back.
    pub(crate) async fn memory(&self, count: usize) -> Result<[f64; 2], BoxError> {
        // What the first guest costs once, such as threads, is not a session's.
        fresh(&self.engine, self.sum()).await?;
        let before = private_bytes()?;
        let mut alive = Vec::with_capacity(count);
        for _ in 0..count {
            let mut guest = self.engine.start(Start::default(), None).await?;
            let step = guest.step(Input::Run(Program::new(self.sum()))).await?;
            expect(&ended(step)?, SUM_VALUE)?;
            alive.push(guest);
        }
        let after = private_bytes()?;
        for guest in &mut alive {
            guest.lighten().await;
        }
        let rested = private_bytes()?;
        let each = f64::from(u32::try_from(alive.len())?);
        Ok([after, rested].map(|bytes| (bytes - before) / each))
    }

    /// Freezes programs that wait, and thaws them.
    pub(crate) async fn rest(
        &self,
        count: usize,
        (freeze, thaw, image): (&mut Samples, &mut Samples, &mut Samples),
    ) -> Result<(), BoxError> {
        for _ in 0..count {
            let mut guest = self.engine.start(Start::default(), None).await?;
            let Step::Waiting(waiting) = guest.step(Input::Run(Program::new(WAITS))).await? else {
                return Err("the program does not wait".into());
            };
            let call = waiting.calls.first().ok_or("it waits for no call")?.id;
            let started = Instant::now();
            let frozen = guest.freeze().await?;
            let stored = frozen.as_bytes().to_vec();
            freeze.push(started.elapsed().as_secs_f64());
            image.push(f64::from(u32::try_from(stored.len())?));
            drop(guest);
            let started = Instant::now();
            let frozen = Image::decode(stored)?;
            let mut guest = self.engine.thaw(&frozen, Start::default()).await?;
            thaw.push(started.elapsed().as_secs_f64());
            let answer = RawValue::from_string(r#"{"v":1}"#.to_owned())?;
            let results = vec![CallResult::ok(call, answer)];
            expect(&ended(guest.step(Input::Results(results)).await?)?, "1001")?;
        }
        Ok(())
    }

    /// Seconds of one tool call among many, one after another.
    pub(crate) async fn call(&self) -> Result<f64, BoxError> {
        let source = match self.engine.language() {
            Language::Python => format!(
                "total = 0\nfor at in range({CALLS}):\n    total += await call_mcp_tool('server', 'tool', {{'at': at}})\ntotal"
            ),
            Language::TypeScript => format!(
                "let total = 0;\nfor (let at = 0; at < {CALLS}; at++) total += await callMCPTool('server', 'tool', {{ at }});\ntotal"
            ),
        };
        let limits = Limits::of(Level::Development);
        let start = Start { host: Arc::new(Prompt), limits, ..Start::default() };
        let mut guest = self.engine.start(start, None).await?;
        // The first one also pays for pages and for what the language does once.
        for _ in 0..2 {
            let step = guest.step(Input::Run(Program::new(source.clone()))).await?;
            expect(&ended(step)?, &CALLS.to_string())?;
        }
        let started = Instant::now();
        let step = guest.step(Input::Run(Program::new(source))).await?;
        let elapsed = started.elapsed().as_secs_f64();
        expect(&ended(step)?, &CALLS.to_string())?;
        Ok(elapsed / f64::from(CALLS))
    }
}

/// Seconds from nothing to the value. Throwing the guest away is not counted.
async fn fresh(engine: &WasmEngine, source: &str) -> Result<f64, BoxError> {
    let program = Program::new(source);
    let started = Instant::now();
    let mut guest = engine.start(Start::default(), Some(&program)).await?;
    let step = guest.step(Input::Run(program)).await?;
    let elapsed = started.elapsed().as_secs_f64();
    expect(&ended(step)?, SUM_VALUE)?;
    Ok(elapsed)
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
