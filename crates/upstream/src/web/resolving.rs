//! Names to addresses, for connections that may only go to public ones.

use std::error::Error as StdError;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::is_public;

/// A host leads to this machine, its networks or its cloud.
#[derive(Debug)]
pub(super) struct NotPublic {
    pub(super) host: String,
    pub(super) address: IpAddr,
}

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, address } = self;
        write!(
            f,
            "{host} leads to {address}, which is not a public address; an operator can name it under `allow-private` of [network] in tidegate.toml"
        )
    }
}

impl StdError for NotPublic {}

impl NotPublic {
    /// What a failed request is about, if it is about this.
    pub(super) fn within(error: &reqwest::Error) -> Option<&Self> {
        let mut source = error.source();
        while let Some(cause) = source {
            if let Some(found) = cause.downcast_ref() {
                return Some(found);
            }
            source = cause.source();
        }
        None
    }
}

/// Gives the addresses of a name if all of them are public; a connection goes to one of these.
#[derive(Debug)]
pub(super) struct Guarded;

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        Box::pin(async move {
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            match found.iter().map(SocketAddr::ip).find(|address| !is_public(*address)) {
                None => Ok(Box::new(found.into_iter()) as Addrs),
                Some(address) => Err(NotPublic { host, address }.into()),
            }
        })
    }
}
