//! The `tidegate` command: reads the command line, wires the crates together, says how it went.
//!
//! Reading order: [`cli`] (what can be typed), [`command`] (one module per command),
//! then what they share: [`config`] (the only reader of the environment), [`runtime`]
//! (the guest on disk), [`opened`] and [`store`] (sessions), [`show`] (outcomes for
//! people), [`out`] (the only writer to the two streams), [`exit`] (the codes).

#![forbid(unsafe_code)]

mod ask;
mod cli;
mod command;
mod config;
mod exit;
mod gatekeeper;
mod interrupt;
mod limits;
mod log;
mod opened;
mod out;
mod progress;
mod remote;
mod runtime;
mod sentences;
mod service;
mod settings;
mod show;
mod spans;
mod store;
mod tools;
mod units;
mod written;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::Cli;
use crate::config::Config;
use crate::exit::Ending;

/// Checks and requests allocate much, on many threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Two: one for the work, one that stays free to hear Ctrl-C. Programs run on
/// threads of the engine's own.
const WORKERS: usize = 2;

/// How long threads that are not done yet are waited for at the end.
const LEFT: std::time::Duration = std::time::Duration::from_millis(200);

/// Ends with what is wrong with the command line, as JSON too where that was asked for.
fn refuse(error: &clap::Error) -> ! {
    let mut typed = std::env::args().skip(1);
    let runs = typed.next().is_some_and(|command| command == "run");
    if error.use_stderr() && runs && typed.any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        // The exit code says it too, should nobody be there to read this.
        let _ = show::failure_json(&exit::Misuse::error(first));
        std::process::exit(Ending::Misused.code().into());
    }
    error.exit()
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse(&error));
    if let cli::Command::Supervise(arguments) = cli.command {
        return upstream::supervise(arguments.command);
    }
    let config = Config::from_environment(cli.config.as_deref(), &cli.set);
    let logging = log::begin(config.log(), config.log_format(), cli.command.uses_servers_aside());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = logging.and_then(|()| runtime.block_on(command::run(&config, cli)));
            // A thread that reads standard input may never come back; nobody waits for it.
            runtime.shutdown_timeout(LEFT);
            ended
        }
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
