//! The commands, one module each.

pub(crate) mod demo;
pub(crate) mod doctor;
mod explain;
pub(crate) mod image;
pub(crate) mod repl;
pub(crate) mod run;
pub(crate) mod runtime;
pub(crate) mod session;

use crate::cli::{Cli, Command};
use crate::config::Config;
use crate::exit::Ending;

/// Does what the command line asks for.
pub(crate) async fn run(config: &Config, cli: Cli) -> anyhow::Result<Ending> {
    match cli.command {
        Command::Run(arguments) => run::run(config, arguments).await,
        Command::Repl(arguments) => repl::run(config, &arguments).await,
        Command::Session(arguments) => session::run(config, &arguments),
        Command::Runtime(arguments) => runtime::run(config, arguments).await,
        Command::Image(arguments) => image::run(config, arguments).await,
        Command::Demo(arguments) => demo::run(config, &arguments).await,
        Command::Doctor(arguments) => doctor::run(config, &arguments).await,
    }
}
