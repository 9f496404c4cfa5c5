//! The MCP servers that come with the product, for the demo and the examples.
//!
//! Real servers that speak over standard streams like any other, with data made from a seed: the
//! same on every machine, so that what a program makes of it can be checked to the last digit.
#![forbid(unsafe_code)]

mod archive;
mod automation;
mod chance;
mod data;
mod database;
mod device;
mod documents;
mod github;
mod habits;
mod home;
mod house;
mod life;
mod market;
mod posts;
mod repositories;
mod roads;
mod served;
mod store;
mod trading;
mod travel;

use std::path::PathBuf;

use rmcp::ServiceExt as _;
use tokio::net::TcpListener;

use self::automation::Automation;
pub use self::automation::mistakes;
use self::data::Data;
use self::device::Device;
use self::documents::Documents;
use self::github::Forge;
use self::served::{Served, Tools};
use self::trading::Trading;
use self::travel::Travel;

/// What the servers are called.
pub const NAMES: [&str; 7] =
    ["automation", "data", "device", "documents", "github", "trading", "travel"];

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

/// Which world a server shows, and where it keeps it.
#[derive(Clone, Default)]
pub struct World {
    /// Other data for another number, the same for the same.
    pub seed: u64,
    /// The `SQLite` file of servers that have one, in memory unless given; of `github`, the folder of
    /// its repositories.
    pub store: Option<PathBuf>,
    /// The address of the PostgreSQL in which `travel` keeps its rows, instead of in `SQLite`.
    pub database: Option<String>,
    /// The credential of servers that want one.
    pub token: Option<String>,
}

/// Where a server is offered.
pub enum Door {
    /// As an MCP server over standard input and output, until the client leaves.
    Streams,
    /// As endpoints, one for each tool, until the process ends.
    Posts(TcpListener),
}

/// Serves `name` there.
pub async fn serve(name: &str, world: &World, door: Door) -> Result<(), ServeError> {
    let broken = |reason: String| ServeError::Broken { name: name.to_owned(), reason };
    let World { seed, store, database, token } = world;
    let store = store.as_deref();
    let served = match name {
        "automation" => offer(Automation::new(store, *seed).await.map_err(broken)?, door).await,
        "data" => offer(Data::new(store, *seed).await.map_err(broken)?, door).await,
        "device" => offer(Device::new(*seed), door).await,
        "documents" => {
            let documents = Documents::new(store, *seed, token.clone()).await;
            offer(documents.map_err(broken)?, door).await
        }
        "github" => offer(Forge::new(store, *seed).await.map_err(broken)?, door).await,
        "trading" => offer(Trading::new(store, *seed).await.map_err(broken)?, door).await,
        "travel" => {
            let travel = Travel::new(database.as_deref(), store, *seed).await;
            Box::pin(offer(travel.map_err(broken)?, door)).await
        }
        _ => return Err(ServeError::Unknown { name: name.to_owned() }),
    };
    served.map_err(broken)
}

async fn offer<T: Tools>(tools: T, door: Door) -> Result<(), String> {
    let listener = match door {
        Door::Streams => return converse(tools).await,
        Door::Posts(listener) => listener,
    };
    posts::serve(tools, listener).await
}

async fn converse<T: Tools>(tools: T) -> Result<(), String> {
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    let running = Served(tools).serve(streams).await.map_err(|error| error.to_string())?;
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}
