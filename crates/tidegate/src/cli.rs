//! What can be typed: the commands and where their options are defined.

use clap::{Parser, Subcommand};

use crate::command::{demo, doctor, image, repl, run, runtime, session};
use crate::exit;

/// Runs untrusted Python in a sandbox, in milliseconds, and keeps what it leaves behind.
#[derive(Debug, Parser)]
#[command(version, about, after_help = exit::help(), disable_help_subcommand = true)]
pub(crate) struct Cli {
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
    /// Type programs at a prompt; variables stay from one to the next.
    Repl(repl::Arguments),
    /// Look after the sessions kept on disk.
    Session(session::Arguments),
    /// Install, check or remove the Python runtime.
    Runtime(runtime::Arguments),
    /// Build and look after images of your own.
    Image(image::Arguments),
    /// Show the main job from end to end, measured on this machine.
    Demo(demo::Arguments),
    /// Say what is installed, what works, and what to fix.
    Doctor(doctor::Arguments),
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
