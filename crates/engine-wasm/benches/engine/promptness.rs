//! How prompt the host stays: stopping a guest, its own timers, and the CPU share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Engine, Input, Limits, Program, Start, Step};
use engine_wasm::WasmEngine;
use engine_wasm::install::BoxError;

use crate::samples::Samples;

/// Programs that never look up by themselves, with 200 MB in hand where that is possible.
const STUBBORN: &[&str] = &[
    "10**10**8",
    "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')",
    "x = bytearray(200_000_000)\nwhile True: x.find(b'1')",
    "import numpy as np\nx = np.ones(20_000_000)\nwhile True: x.sort()",
];

/// Busy guests while the host's timers are watched.
const BUSY: usize = 8;

/// What was measured.
#[derive(Debug, Default)]
pub(crate) struct Promptness {
    /// From dropping a step until nothing of the guest runs.
    pub(crate) stop: Samples,
    /// The latest timer of each watch.
    pub(crate) late: Samples,
    /// CPU time by wall time at `cpu_share` 0.5, over five seconds.
    pub(crate) share: Samples,
}

impl Promptness {
    pub(crate) async fn measure(&mut self, engine: &Arc<WasmEngine>) -> Result<(), BoxError> {
        for source in STUBBORN {
            self.stop.push(stop(engine, source).await?);
        }
        self.late.push(lateness(engine).await?);
        self.share.push(share(engine).await?);
        Ok(())
    }
}

fn patient(wall: u64) -> Limits {
    let wall = Duration::from_secs(wall);
    Limits { wall, cpu_time: wall, ..Limits::default() }
}

async fn stop(engine: &Arc<WasmEngine>, source: &str) -> Result<f64, BoxError> {
    let start = Start { limits: patient(30), ..Start::default() };
    let mut guest = engine.start(start, None).await?;
    let step = guest.step(Input::Run(Program::new(source)));
    if tokio::time::timeout(Duration::from_millis(300), step).await.is_ok() {
        return Err(format!("{source:?} ended by itself").into());
    }
    // The time-out dropped the step a moment ago; what is measured is the rest.
    let dropped = Instant::now();
    while engine.running() > 0 {
        std::thread::sleep(Duration::from_micros(100));
    }
    Ok(dropped.elapsed().as_secs_f64())
}

async fn lateness(engine: &Arc<WasmEngine>) -> Result<f64, BoxError> {
    let mut guests = tokio::task::JoinSet::new();
    for _ in 0..BUSY {
        let engine = Arc::clone(engine);
        guests.spawn(async move {
            let start = Start { limits: patient(30), ..Start::default() };
            let mut guest = engine.start(start, None).await?;
            guest.step(Input::Run(Program::new("while True: pass"))).await?;
            Ok::<_, BoxError>(())
        });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let millisecond = Duration::from_millis(1);
    let mut latest = Duration::ZERO;
    for _ in 0..1_000 {
        let asked = Instant::now();
        tokio::time::sleep(millisecond).await;
        latest = latest.max(asked.elapsed().saturating_sub(millisecond));
    }
    guests.shutdown().await;
    Ok(latest.as_secs_f64())
}

async fn share(engine: &Arc<WasmEngine>) -> Result<f64, BoxError> {
    let limits = Limits { cpu_share: 0.5, ..patient(30) };
    let mut guest = engine.start(Start { limits, ..Start::default() }, None).await?;
    let source = "import time\nend = time.monotonic() + 5\nwhile time.monotonic() < end: pass";
    match guest.step(Input::Run(Program::new(source))).await? {
        Step::Done(outcome) => {
            Ok(outcome.usage.cpu.as_secs_f64() / outcome.usage.wall.as_secs_f64())
        }
        Step::Waiting(_) => Err("a busy program waits".into()),
    }
}
