//! The commands, one module each.

pub(crate) mod add;
pub(crate) mod analyze;
pub(crate) mod approvals;
pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod bindings;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod example_server;
mod explain;
pub(crate) mod gc;
pub(crate) mod image;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod mcp;
pub(crate) mod policy;
pub(crate) mod prompt;
mod reference;
pub(crate) mod remove;
pub(crate) mod repl;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod runtime;
pub(crate) mod secret;
pub(crate) mod serve;
pub(crate) mod session;
pub(crate) mod setup;
pub(crate) mod skill;
pub(crate) mod stats;
pub(crate) mod test;
pub(crate) mod token;
pub(crate) mod tools;
pub(crate) mod tour;

use crate::cli::{Cli, Command};
use crate::config::Config;
use crate::exit::Ending;

/// Does what the command line asks for.
pub(crate) async fn run(config: &Config, cli: Cli) -> anyhow::Result<Ending> {
    match cli.command {
        Command::Run(arguments) => run::run(config, arguments).await,
        Command::Ask(arguments) => Box::pin(ask::run(config, arguments)).await,
        Command::Analyze(arguments) => Box::pin(analyze::run(config, arguments)).await,
        Command::Repl(arguments) => repl::run(config, &arguments).await,
        Command::Session(arguments) => session::run(config, &arguments).await,
        Command::Runtime(arguments) => runtime::run(config, arguments).await,
        Command::Image(arguments) => image::run(config, arguments).await,
        Command::Add(arguments) => add::run(config, arguments),
        Command::Remove(arguments) => remove::run(config, &arguments),
        Command::List(arguments) => list::run(config, &arguments).await,
        Command::Test(arguments) => test::run(config, &arguments).await,
        Command::Import(arguments) => import::run(config, &arguments),
        Command::Login(arguments) => Box::pin(login::run(config, arguments)).await,
        Command::Logout(arguments) => logout::run(config, &arguments).await,
        Command::Secret(arguments) => secret::run(&arguments),
        Command::Tools(arguments) => tools::run(config, arguments).await,
        Command::Check(arguments) => check::run(config, arguments).await,
        Command::Review(arguments) => review::run(config, arguments).await,
        Command::Bindings(arguments) => bindings::run(&arguments),
        Command::Serve(arguments) => serve::run(config, &arguments).await,
        Command::Mcp(arguments) => Box::pin(mcp::run(config, &arguments)).await,
        Command::Setup(arguments) => setup::run(config, &arguments),
        Command::Skill(arguments) => Box::pin(skill::run(config, arguments)).await,
        Command::Runs(arguments) => runs::run(&arguments).await,
        Command::Policy(arguments) => Box::pin(policy::run(config, arguments)).await,
        Command::Approvals(arguments) => approvals::run(config, &arguments).await,
        Command::Audit(arguments) => audit::run(config, &arguments),
        Command::Gc(arguments) => gc::run(config, &arguments).await,
        Command::Stats(arguments) => stats::run(config, &arguments).await,
        Command::Token(arguments) => token::run(config, arguments).await,
        Command::Prompt(arguments) => prompt::run(config, &arguments),
        Command::Config(arguments) => Box::pin(config::run(config, &arguments)).await,
        Command::Demo(arguments) => demo::run(config, &arguments).await,
        Command::Tour(arguments) => tour::run(config, &arguments).await,
        Command::Doctor(arguments) => doctor::run(config, &arguments).await,
        Command::ExampleServer(arguments) => example_server::run(&arguments).await,
        // Ended before there was a runtime; see `main`.
        Command::Supervise(_) => Ok(Ending::Misused),
    }
}
