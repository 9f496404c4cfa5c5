//! The `tidegate` command: reads the command line, wires the crates together, says how it went.
//!
//! Reading order: [`cli`] (what can be typed), [`command`] (one module per command),
//! then what they share: [`config`] (the only reader of the environment), [`runtime`]
//! (the guest on disk), [`opened`] and [`store`] (sessions), [`show`] (outcomes for
//! people), [`out`] (the only writer to the two streams), [`exit`] (the codes).

#![forbid(unsafe_code)]

mod cli;
mod command;
mod config;
mod exit;
mod interrupt;
mod limits;
mod opened;
mod out;
mod progress;
mod runtime;
mod show;
mod store;
mod units;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::Cli;
use crate::config::Config;
use crate::exit::Ending;

/// Two: one for the work, one that stays free to hear Ctrl-C. Programs run on
/// threads of the engine's own.
const WORKERS: usize = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(command::run(&Config::from_environment(), cli)),
        Err(error) => Err(anyhow::Error::new(error).context(
            "could not start threads; close other programs or raise the limit of `ulimit -u`",
        )),
    };
    let ending = ended.unwrap_or_else(|error| {
        out::problem(&error);
        Ending::of_error(&error)
    });
    ExitCode::from(ending.code())
}
