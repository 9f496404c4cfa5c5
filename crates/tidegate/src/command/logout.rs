//! `tidegate logout`: forgets a log-in, here and at the server.

use anyhow::Context as _;
use clap::Args;
use upstream::{FileTokens, LogoutDone};

use crate::config::Config;
use crate::exit::Ending;
use crate::{out, show};

/// Options of `tidegate logout`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The server.
    name: String,
}

/// Runs `tidegate logout`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let (name, http) = config.http_server(&arguments.name)?;
    let done = upstream::logout(&name, &http, &FileTokens::new(config.tokens()?)).await?;
    let said = match done {
        LogoutDone::NotLoggedIn => format!("nobody was logged in to `{name}`"),
        LogoutDone::Revoked => format!("logged out of `{name}`; the server has been told"),
        LogoutDone::Forgotten => format!("logged out of `{name}` here; the server cannot be told"),
        LogoutDone::NotRevoked { reason } => {
            format!(
                "logged out of `{name}` here; telling the server failed: {}",
                out::clean(&reason)
            )
        }
        _ => format!("logged out of `{name}`"),
    };
    out::line(said).context(show::LOST)?;
    Ok(Ending::Success)
}
