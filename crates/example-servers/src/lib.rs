//! The MCP servers that come with the product, for the demo and the examples.
//!
//! Real servers that speak over standard streams like any other, with data made from a seed: the
//! same on every machine, so that what a program makes of it can be checked to the last digit.
#![forbid(unsafe_code)]

mod chance;
mod data;
mod house;

use rmcp::ServiceExt as _;

/// What the servers are called.
pub const NAMES: [&str; 1] = ["data"];

/// The seed unless somebody wants another world.
pub const SEED: u64 = 1;

/// Why a server ended otherwise than by being left.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// There is no such server.
    #[error("there is no example server {name:?}; there are: {}", NAMES.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The conversation broke off.
    #[error("the example server {name:?} could not go on: {reason}")]
    Broken {
        /// Which server.
        name: String,
        /// What happened.
        reason: String,
    },
}

/// Serves `name` over standard input and output until the client leaves.
pub async fn serve(name: &str, seed: u64) -> Result<(), ServeError> {
    let broken = |reason: String| ServeError::Broken { name: name.to_owned(), reason };
    let server = match name {
        "data" => data::Data::new(seed),
        _ => return Err(ServeError::Unknown { name: name.to_owned() }),
    };
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    let running = server.serve(streams).await.map_err(|error| broken(error.to_string()))?;
    running.waiting().await.map(drop).map_err(|error| broken(error.to_string()))
}
