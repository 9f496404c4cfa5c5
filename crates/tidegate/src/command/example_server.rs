//! `tidegate example-server NAME`: one of the servers that come with the product.

use std::path::PathBuf;

use clap::Args;
use example_servers::World;

use crate::exit::{Ending, Misuse};

/// What `tidegate example-server` is given.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which server.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(example_servers::NAMES))]
    name: String,
    /// Makes other data, the same for the same number.
    #[arg(long, default_value_t = example_servers::SEED)]
    seed: u64,
    /// The SQLite file of a server that keeps one; made where it is not there yet.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

/// Runs `tidegate example-server`: speaks MCP over standard input and output.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let world = World {
        seed: arguments.seed,
        store: arguments.store.clone(),
        token: std::env::var("DOCUMENTS_TOKEN").ok(),
    };
    let served = example_servers::serve(&arguments.name, &world).await;
    served.map_err(|error| Misuse::error(error.to_string()))?;
    Ok(Ending::Success)
}
