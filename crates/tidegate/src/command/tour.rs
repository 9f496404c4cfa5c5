//! `tidegate tour`: what the engine does, step by step, measured on this machine.
//!
//! Every step says what it is about to show, runs it, and checks that it went as
//! promised. The milliseconds are those of this run.

mod freezing;
mod programs;
mod stage;
mod tools;

use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use engine::Engine;

use self::stage::Stage;
use crate::config::Config;
use crate::exit::Ending;
use crate::out::{self, BAD, GOOD};
use crate::{interrupt, runtime, units};

/// `tidegate tour` has no options.
#[derive(Debug, Args)]
pub(crate) struct Arguments {}

/// Runs `tidegate tour`.
pub(crate) async fn run(config: &Config, _: &Arguments) -> anyhow::Result<Ending> {
    let installed = runtime::ready(config).await?;
    let begun = Instant::now();
    let engine: Arc<dyn Engine> = Arc::new(runtime::open(installed)?);
    let opened = begun.elapsed();

    let mut stage = Stage::default();
    out::line(format_args!(
        "A full CPython with numpy and pandas, loaded in {:.1} ms. Every program below is untrusted.",
        units::millis(opened)
    ))?;
    let Some(played) = interrupt::unless_interrupted(play(config, &engine, &mut stage)).await?
    else {
        out::tell("cancelled");
        return Ok(Ending::Interrupted);
    };
    played?;
    conclude(&stage)
}

async fn play(config: &Config, engine: &Arc<dyn Engine>, stage: &mut Stage) -> anyhow::Result<()> {
    programs::fresh(engine, stage).await?;
    programs::frame(engine, stage).await?;
    tools::meters(config, engine, stage).await?;
    programs::context(engine, stage).await?;
    programs::session(engine, stage).await?;
    freezing::freeze_and_thaw(engine, stage).await?;
    programs::escape(engine, stage).await
}

fn conclude(stage: &Stage) -> anyhow::Result<Ending> {
    out::line("")?;
    if stage.failed() == 0 {
        out::line(format_args!("{GOOD}all {} steps went as promised{GOOD:#}", stage.steps()))?;
        return Ok(Ending::Success);
    }
    out::line(format_args!(
        "{BAD}{} of {} steps did not go as promised{BAD:#}; `tidegate doctor` looks for the cause",
        stage.failed(),
        stage.steps()
    ))?;
    Ok(Ending::Raised)
}
