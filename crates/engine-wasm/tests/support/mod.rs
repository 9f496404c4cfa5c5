//! One installed runtime and one engine for all tests of a process.
//!
//! The runtime is installed on first use into a cache that outlives the test run:
//! compiling it takes minutes and nothing about it changes from test to test.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use engine::{Engine, Outcome, Program, Session, Start};
use engine_wasm::cache::Cache;
use engine_wasm::install::{Installed, Silent, Source, install};
use engine_wasm::{Builder, Options, WasmEngine, plan};

/// Where tests keep the runtime.
pub(crate) fn cache() -> Cache {
    let folder = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    Cache::at(folder)
}

/// The runtime, installed if it was not.
pub(crate) fn installed() -> Installed {
    install(&cache(), &Source::Registry, &plan().unwrap(), &Builder, &Silent).unwrap()
}

/// An engine of one's own.
pub(crate) fn new_engine(options: Options) -> Arc<WasmEngine> {
    Arc::new(WasmEngine::open(installed(), options).unwrap())
}

/// The engine most tests share.
pub(crate) fn engine() -> Arc<dyn Engine> {
    static ENGINE: OnceLock<Arc<WasmEngine>> = OnceLock::new();
    Arc::clone(ENGINE.get_or_init(|| new_engine(Options::default()))) as Arc<dyn Engine>
}

/// A session of the shared engine.
pub(crate) fn session(start: Start) -> Session {
    Session::new(engine(), start)
}

/// Runs one program in a fresh session.
pub(crate) async fn run(source: &str) -> Outcome {
    let mut session = session(Start::default());
    session.run(Program::new(source), Arc::new(engine::NoCalls)).await.unwrap()
}
