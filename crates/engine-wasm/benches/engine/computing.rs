//! What is measured inside a guest: host calls, and the CPU-bound set.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use engine::{CallResult, Engine, Host, HostCall, Level, Limits, Start};
use engine_wasm::WasmEngine;
use engine_wasm::install::BoxError;

use crate::ours::value;

/// Calls, and only their JSON, in turns; the difference is the call. The median of many
/// short turns, because noise during one of two long loops would pass for a difference.
const CALLS: &str = "from statistics import median
from time import perf_counter
from tidegate import call
from _tidegate import runtime, values
costs = []
for _ in range(40):
    started = perf_counter()
    for _ in range(50):
        await call('echo', a=1, b='x')
    called = perf_counter()
    for _ in range(50):
        runtime._loads(values.encode({'a': 1, 'b': 'x'})[0].encode())
    costs.append(((called - started) - (perf_counter() - called)) / 50)
median(costs)";

/// Seconds of each part of the CPU-bound set.
pub(crate) type Parts = BTreeMap<String, f64>;

/// Answers every call with its own arguments.
struct Echo;

impl Host for Echo {
    fn answer(&self, call: &HostCall) -> Option<CallResult> {
        Some(CallResult::ok(call.id, call.arguments.clone()))
    }
}

/// The CPU-bound set, which CPython runs too.
pub(crate) fn cpu_bound_file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/cpu_bound.py")
}

/// Seconds a host call costs beyond its JSON.
pub(crate) async fn call(engine: &WasmEngine) -> Result<f64, BoxError> {
    let limits = Limits::of(Level::Development);
    let start = Start { host: Arc::new(Echo), limits, ..Start::default() };
    let mut guest = engine.start(start, None).await?;
    // The first loop also pays for pages and specialisation; a tool call in a
    // long program does not.
    value(&mut *guest, CALLS).await?;
    Ok(serde_json::from_str(&value(&mut *guest, CALLS).await?)?)
}

/// Runs the CPU-bound set in a fresh guest.
pub(crate) async fn cpu_bound(engine: &WasmEngine) -> Result<Parts, BoxError> {
    let source = std::fs::read_to_string(cpu_bound_file())?;
    let start = Start { limits: Limits::of(Level::Development), ..Start::default() };
    let mut guest = engine.start(start, None).await?;
    Ok(serde_json::from_str(&value(&mut *guest, &source).await?)?)
}
