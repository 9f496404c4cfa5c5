//! `tidegate mcp`: an MCP server on standard input and output.

use std::path::PathBuf;

use clap::Args;
use server::mcp::Mcp;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::exit::Ending;
use crate::settings::{Given, Values};
use crate::{interrupt, service, units};

/// Options of `tidegate mcp`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Use the servers of this `mcpServers` file too, without importing them.
    #[arg(long, value_name = "FILE")]
    mcp_config: Vec<PathBuf>,
    #[command(flatten)]
    settings: Given,
}

/// Runs `tidegate mcp`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    let values = Values::resolve(config, &arguments.settings)?;
    let options = service::mcp_options(config, &values)?;
    let patience = values.read("stop-patience", units::parse_duration)?.unwrap_or_default();
    let place = service::Place::of_mcp(config)?;
    let shared = service::open(config, &values, &arguments.mcp_config, &place).await?;
    let running = std::sync::Arc::clone(&shared.service);
    let ending = CancellationToken::new();
    let serving =
        Mcp::new(shared, options).serve((tokio::io::stdin(), tokio::io::stdout()), ending.clone());
    let ended = Box::pin(interrupt::unless_interrupted(serving)).await?;
    ending.cancel();
    running.close(patience).await;
    match ended {
        Some(served) => served.map(|()| Ending::Success).map_err(Into::into),
        None => Ok(Ending::Interrupted),
    }
}
