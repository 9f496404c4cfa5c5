//! The guest runtime, found on disk or installed on first use.

use std::sync::Arc;

use anyhow::Context as _;
use engine::Engine;
use engine_wasm::cache::{Cache, CacheError};
use engine_wasm::install::{self, Installed, Plan, Source};
use engine_wasm::{Builder, Options, WasmEngine};

use crate::config::Config;
use crate::progress::Bar;
use crate::{interrupt, out, units};

/// Guests of one command that run at the same time.
const THREADS: usize = 4;

const INTERRUPTED: &str =
    "interrupted; what is finished is kept, and `tidegate runtime install` continues from there";

/// What this version of the program needs.
pub(crate) fn plan() -> anyhow::Result<Plan> {
    engine_wasm::plan().map_err(anyhow::Error::from_boxed).context(
        "could not set up the WebAssembly engine; this processor or system may not be supported",
    )
}

/// An engine, after installing the runtime if that is missing.
pub(crate) async fn engine(config: &Config) -> anyhow::Result<Arc<dyn Engine>> {
    Ok(Arc::new(open(ready(config).await?)?))
}

/// An engine on an installed runtime.
pub(crate) fn open(installed: Installed) -> anyhow::Result<WasmEngine> {
    WasmEngine::open(installed, Options { standby: 0, threads: THREADS })
        .map_err(anyhow::Error::from_boxed)
        .context("could not load the Python runtime; `tidegate runtime verify` checks it")
}

/// The runtime, installed first if that is missing.
pub(crate) async fn ready(config: &Config) -> anyhow::Result<Installed> {
    let (cache, plan) = (config.cache()?, plan()?);
    match install::find(&cache, &plan) {
        Ok(Some(installed)) => return Ok(installed),
        Ok(None) if !install::needs_compiling(&cache, &plan) => out::tell(format_args!(
            "making the Python runtime in {} complete, which takes seconds: it is needed to run programs",
            cache.folder().display(),
        )),
        Ok(None) => out::tell(format_args!(
            "installing the Python runtime ({}, compiled once, about two minutes) in {}: it is needed to run programs and is not complete",
            units::size(plan.pins.wheel_bytes),
            cache.folder().display(),
        )),
        // Most of it is there, so this is a matter of seconds unless the code itself is concerned.
        Err(CacheError::Altered { file, .. } | CacheError::Record { file, .. }) => {
            out::tell(format_args!(
                "{} of the Python runtime was altered and is not used; making it again",
                file.display()
            ));
        }
        Err(error @ CacheError::Missing { .. }) => {
            out::tell(format_args!("{error}; making what is missing of the Python runtime"));
        }
        Err(error) => return Err(error).context("the Python runtime cannot be used"),
    }
    install(cache, Source::Registry, plan).await
}

/// Makes whatever is missing of the runtime, with a progress bar. Ctrl-C ends the
/// process; the cache trusts nothing that is not finished.
pub(crate) async fn install(cache: Cache, source: Source, plan: Plan) -> anyhow::Result<Installed> {
    let work = move || install::install(&cache, &source, &plan, &Builder, &Bar::new());
    interrupt::or_exit(INTERRUPTED, work).await?.context("could not install the Python runtime")
}
