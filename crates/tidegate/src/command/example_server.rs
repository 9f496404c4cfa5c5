//! `tidegate example-server NAME`: one of the servers that come with the product.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use example_servers::{Door, World};
use tokio::net::TcpListener;

use crate::exit::{Ending, Misuse};
use crate::out;

/// What `tidegate example-server` is given.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which server.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(example_servers::NAMES))]
    name: String,
    /// Makes other data, the same for the same number.
    #[arg(long, default_value_t = example_servers::SEED)]
    seed: u64,
    /// The SQLite file of a server that keeps one, or the folder of `github`; made where it is not there yet. `travel` has its
    /// rows in PostgreSQL instead where `TIDEGATE_TRAVEL_DATABASE` names one: `postgres://USER:PASSWORD@HOST:PORT/NAME`
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Offer the tools as `POST /mcp/tools/NAME` at this port of this machine instead; 0 takes a free one.
    #[arg(long, value_name = "PORT")]
    posts: Option<u16>,
}

/// Runs `tidegate example-server`: speaks MCP over standard input and output, unless told otherwise.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let world = World {
        seed: arguments.seed,
        store: arguments.store.clone(),
        database: std::env::var("TIDEGATE_TRAVEL_DATABASE")
            .ok()
            .filter(|address| !address.is_empty()),
        token: std::env::var("DOCUMENTS_TOKEN").ok(),
    };
    let door = match arguments.posts {
        None => Door::Streams,
        Some(port) => Door::Posts(listener(port).await?),
    };
    let served = example_servers::serve(&arguments.name, &world, door).await;
    served.map_err(|error| Misuse::error(error.to_string()))?;
    Ok(Ending::Success)
}

async fn listener(port: u16) -> anyhow::Result<TcpListener> {
    let wrong = || format!("could not listen at port {port}; choose another with --posts");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.with_context(wrong)?;
    let address = listener.local_addr().with_context(wrong)?;
    out::tell(format_args!("tools at http://{address}/mcp/tools"));
    Ok(listener)
}
