//! `tidegate prompt`: the text that agents are given.

use anyhow::Context as _;
use clap::Args;

use crate::config::Config;
use crate::exit::Ending;
use crate::settings::{Given, Values};
use crate::{out, service, show};

/// Options of `tidegate prompt`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print only which version it is.
    #[arg(long)]
    version_only: bool,
}

/// Runs `tidegate prompt`.
pub(crate) fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let guidance = service::guidance(&Values::resolve(config, &Given::default())?)?;
    let text = if arguments.version_only { &guidance.version } else { &*guidance.text };
    out::line(text).context(show::LOST)?;
    Ok(Ending::Success)
}
