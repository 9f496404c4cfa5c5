//! `tidegate mcp`: an MCP server on standard input and output.

use std::path::PathBuf;

use clap::Args;
use server::mcp::{Mcp, Parting};
use tokio_util::task::AbortOnDropHandle;

use crate::config::Config;
use crate::exit::Ending;
use crate::settings::{Given, Values};
use crate::{interrupt, service, units};

/// How long the last answers may take to be written.
const PARTING: std::time::Duration = std::time::Duration::from_secs(1);

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
    let parting = Parting::default();
    let mcp = Mcp::new(shared, options);
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    let serving = tokio::spawn(mcp.serve(streams, parting.clone()));
    let mut serving = AbortOnDropHandle::new(serving);
    let first = async {
        tokio::select! {
            served = &mut serving => Some(served),
            () = parting.gone.cancelled() => None,
        }
    };
    let first = Box::pin(interrupt::unless_interrupted(first)).await?;
    if let Some(Some(served)) = first {
        running.close(patience).await;
        return served?.map(|()| Ending::Success).map_err(Into::into);
    }
    // Calls under way may end, and are answered.
    let mut stopping = Box::pin(async {
        running.close(patience).await;
        parting.ending.cancel();
        let _ = tokio::time::timeout(PARTING, serving).await;
    });
    // Many clients that have gone send SIGTERM a moment later, which is not somebody's second Ctrl-C.
    if first.is_some() && Box::pin(interrupt::unless_interrupted(&mut stopping)).await?.is_some() {
        return Ok(Ending::Success);
    }
    // Whoever stops it in order has it end well, as `serve` does.
    let stopped = Box::pin(interrupt::unless_interrupted(stopping)).await?;
    Ok(stopped.map_or(Ending::Interrupted, |()| Ending::Success))
}
