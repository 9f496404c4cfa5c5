//! What can be typed: the commands and where their options are defined.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::command::{
    add, analyze, approvals, ask, audit, bindings, check, config, demo, doctor, example_server, gc,
    image, import, list, login, logout, mcp, policy, prompt, remove, repl, review, run, runs,
    runtime, secret, serve, session, setup, skill, stats, test, token, tools, tour,
};
use crate::config::keys;
use crate::exit;

/// Runs untrusted Python in a sandbox, in milliseconds, and keeps what it leaves behind.
#[derive(Debug, Parser)]
#[command(version, about, after_help = exit::help(), disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// The only configuration file to use, instead of the project's and your own tidegate.toml.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A key of that file and its value, such as network.allow=api.example.com.
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = keys::parse)]
    pub(crate) set: Vec<(String, String)>,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a program and print what it returns.
    #[command(after_help = exit::help())]
    Run(run::Arguments),
    /// Check a program without running it; exit code 1 if it would be blocked.
    Check(check::Arguments),
    /// Say what a program could do, without running it; exit code 1 if it would not simply run.
    Review(review::Arguments),
    /// Answer a question in words: a model writes a program, it runs, the model reads the result.
    #[command(after_help = exit::help())]
    Ask(ask::Arguments),
    /// Filter, group or describe the rows of a file, without a program.
    Analyze(analyze::Arguments),
    /// Type programs at a prompt; variables stay from one to the next.
    Repl(repl::Arguments),
    /// Look after the sessions kept on disk.
    Session(session::Arguments),
    /// Install, check or remove the Python runtime.
    Runtime(runtime::Arguments),
    /// Build and look after images of your own.
    Image(image::Arguments),
    /// Add a server whose tools programs can call.
    Add(add::Arguments),
    /// Remove a server from the configuration.
    Remove(remove::Arguments),
    /// List the configured servers.
    List(list::Arguments),
    /// Connect to a server and show its tools.
    Test(test::Arguments),
    /// Take over the servers of other MCP clients.
    Import(import::Arguments),
    /// Log in to a server that wants it.
    Login(login::Arguments),
    /// Forget a log-in.
    Logout(logout::Arguments),
    /// Keep secrets in the operating system's keyring.
    Secret(secret::Arguments),
    /// Look at what the servers offer, and at what has changed about it.
    Tools(tools::Arguments),
    /// Write typed functions for tools, in Python or TypeScript.
    Bindings(bindings::Arguments),
    /// Serve REST and MCP over HTTP, for many clients.
    Serve(serve::Arguments),
    /// Serve one MCP client on standard input and output.
    Mcp(mcp::Arguments),
    /// Write Tidegate into an MCP client's configuration, after showing the change.
    Setup(setup::Arguments),
    /// Look after skills, functions that programs keep: save, test, publish, install.
    Skill(skill::Arguments),
    /// List, show, follow, end, resume and move the runs of a gateway.
    Runs(runs::Arguments),
    /// Say which calls may be made, and by which rule.
    Policy(policy::Arguments),
    /// Say what waits for an approval, and answer.
    Approvals(approvals::Arguments),
    /// Say what happened, whether anybody changed what is said of it, and what was refused.
    Audit(audit::Arguments),
    /// Remove what is kept of old runs.
    Gc(gc::Arguments),
    /// Say what the runs of `serve` and `mcp` cost and saved.
    Stats(stats::Arguments),
    /// Make and end tokens for `serve`.
    Token(token::Arguments),
    /// Print the guidance that agents are given.
    Prompt(prompt::Arguments),
    /// Show the settings of `serve` and `mcp`, and where each comes from.
    Config(config::Arguments),
    /// Show the main job: a question in words becomes a program, and that an automation for a house.
    Demo(demo::Arguments),
    /// Show what the engine does, step by step, measured on this machine.
    Tour(tour::Arguments),
    /// Say what is installed, what works, and what to fix.
    Doctor(doctor::Arguments),
    /// Serve example data as an MCP server on standard input and output, or as plain endpoints.
    ExampleServer(example_server::Arguments),
    /// Run a server as long as the process that asked for it lives.
    #[command(hide = true)]
    Supervise(Supervise),
}

impl Command {
    /// Whether it uses servers without being about them, so that it has to say what went wrong
    /// with them beside its own results.
    pub(crate) fn uses_servers_aside(&self) -> bool {
        matches!(
            self,
            Self::Run(_)
                | Self::Ask(_)
                | Self::Repl(_)
                | Self::Demo(_)
                | Self::Tour(_)
                | Self::Serve(_)
                | Self::Mcp(_)
        )
    }
}

/// What the supervisor of a server is started with.
#[derive(Debug, Args)]
pub(crate) struct Supervise {
    /// The process that asked for it, the command and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub(crate) command: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Cli;

    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        Cli::command().debug_assert();
    }
}
