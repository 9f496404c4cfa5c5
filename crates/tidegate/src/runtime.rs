//! The guest runtime, found on disk or installed on first use.

use std::sync::Arc;

use anyhow::Context as _;
use engine::{Engine, Language};
use engine_wasm::cache::{Cache, CacheError};
use engine_wasm::install::{self, Installed, Plan, Source};
use engine_wasm::{Builder, Options, WasmEngine};
use gateway::{Engines, OnDemand};

use crate::config::Config;
use crate::progress::Bar;
use crate::{interrupt, out, units};

/// Guests of one command that run at the same time.
const THREADS: usize = 4;

const INTERRUPTED: &str =
    "interrupted; what is finished is kept, and `tidegate runtime install` continues from there";

/// What this version of the program needs to run Python.
pub(crate) fn plan() -> anyhow::Result<Plan> {
    plan_of(Language::Python)
}

/// The same for programs of a language.
pub(crate) fn plan_of(language: Language) -> anyhow::Result<Plan> {
    engine_wasm::plan_of(language).map_err(anyhow::Error::from_boxed).context(
        "could not set up the WebAssembly engine; this processor or system may not be supported",
    )
}

/// An engine for Python, after installing the runtime if that is missing.
pub(crate) async fn engine(config: &Config) -> anyhow::Result<Arc<dyn Engine>> {
    engine_of(config, Language::Python).await
}

/// The same for programs of a language.
pub(crate) async fn engine_of(
    config: &Config,
    language: Language,
) -> anyhow::Result<Arc<dyn Engine>> {
    Ok(Arc::new(open(ready_in(config, language).await?)?))
}

/// Engines for the children of a program, which may be in other languages: each is made when the first child
/// asks for it.
pub(crate) fn engines(config: &Config) -> Engines {
    Language::ALL.into_iter().fold(Engines::default(), |engines, language| {
        let config = config.clone();
        let begin = move || crate::service::begin(&config, language, 0, THREADS);
        engines.with(language, OnDemand::new(begin))
    })
}

/// An engine on an installed runtime.
pub(crate) fn open(installed: Installed) -> anyhow::Result<WasmEngine> {
    let title = installed.language().title();
    WasmEngine::open(installed, Options { standby: 0, threads: THREADS })
        .map_err(anyhow::Error::from_boxed)
        .with_context(|| {
            format!("could not load the {title} runtime; `tidegate runtime verify` checks it")
        })
}

/// The runtime of Python, installed first if that is missing.
pub(crate) async fn ready(config: &Config) -> anyhow::Result<Installed> {
    ready_in(config, Language::Python).await
}

/// How long the runtime of a language takes to be made.
pub(crate) fn takes(language: Language) -> &'static str {
    match language {
        Language::Python => "compiled once, about two minutes",
        Language::TypeScript => "compiled once",
    }
}

/// The same of a language.
async fn ready_in(config: &Config, language: Language) -> anyhow::Result<Installed> {
    let (cache, plan, title) = (config.cache()?, plan_of(language)?, language.title());
    match install::find(&cache, &plan) {
        Ok(Some(installed)) => return Ok(installed),
        Ok(None) if !install::needs_compiling(&cache, &plan) => out::tell(format_args!(
            "making the {title} runtime in {} complete, which takes seconds: it is needed to run programs",
            cache.folder().display(),
        )),
        Ok(None) => out::tell(format_args!(
            "installing the {title} runtime ({}, {}) in {}: it is needed to run programs and is not complete",
            units::size(plan.pins.wheel_bytes),
            takes(language),
            cache.folder().display(),
        )),
        // Most of it is there, so this is a matter of seconds unless the code itself is concerned.
        Err(CacheError::Altered { file, .. } | CacheError::Record { file, .. }) => {
            out::tell(format_args!(
                "{} of the {title} runtime was altered and is not used; making it again",
                file.display()
            ));
        }
        Err(error @ CacheError::Missing { .. }) => {
            out::tell(format_args!("{error}; making what is missing of the {title} runtime"));
        }
        Err(error) => {
            return Err(error).with_context(|| format!("the {title} runtime cannot be used"));
        }
    }
    install(cache, Source::Registry, plan).await
}

/// Makes whatever is missing of the runtime, with a progress bar. Ctrl-C ends the
/// process; the cache trusts nothing that is not finished.
pub(crate) async fn install(cache: Cache, source: Source, plan: Plan) -> anyhow::Result<Installed> {
    let title = plan.pins.language.title();
    let work = move || install::install(&cache, &source, &plan, &Builder, &Bar::new());
    let installed = interrupt::or_exit(INTERRUPTED, work).await?;
    installed.with_context(|| format!("could not install the {title} runtime"))
}
