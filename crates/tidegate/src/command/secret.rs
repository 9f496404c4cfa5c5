//! `tidegate secret`: secrets in the operating system's keyring, for `${keyring:SERVICE/USER}`.

use anyhow::Context as _;
use clap::{Args, Subcommand};

use crate::config::secrets::{Entry, KeyringError};
use crate::exit::{Ending, Misuse};
use crate::{ask, out, show};

/// Options of `tidegate secret`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Store a secret, typed without being shown or piped in.
    Set {
        /// What settings call it in ${keyring:SERVICE/USER}.
        #[arg(value_name = "SERVICE/USER")]
        entry: Entry,
    },
    /// Remove a secret.
    Remove {
        /// What settings call it.
        #[arg(value_name = "SERVICE/USER")]
        entry: Entry,
    },
}

/// Runs `tidegate secret`.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    match &arguments.action {
        Action::Set { entry } => {
            let secret = ask::secret(&format!("secret for {entry}"))?;
            entry.keep(&secret)?;
            out::line(format_args!("stored; settings name it ${{keyring:{entry}}}"))
                .context(show::LOST)?;
        }
        Action::Remove { entry } => {
            entry.remove().map_err(|error| match error {
                KeyringError::NoEntry { .. } => Misuse::error(error.to_string()),
                error => error.into(),
            })?;
            out::line(format_args!("removed {entry}")).context(show::LOST)?;
        }
    }
    Ok(Ending::Success)
}
