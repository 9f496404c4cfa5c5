//! The front doors: MCP over stdio and HTTP, and REST.
//!
//! Both speak for one [`gateway::service::Service`]; neither decides anything by itself. Reading
//! order: [`guidance`] (what agents are told), [`arriving`] (bodies of requests), [`mcp`], [`rest`].
#![forbid(unsafe_code)]

pub mod arriving;
pub mod guidance;
pub mod mcp;
pub mod rest;

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use gateway::service::Service;

use crate::guidance::Guidance;

/// What every door needs.
#[derive(Clone)]
pub struct Shared {
    /// Sessions and runs.
    pub service: Arc<Service>,
    /// What agents are told.
    pub guidance: Arc<Guidance>,
    /// Who adds and removes servers while we run.
    pub servers: Arc<dyn Servers>,
    /// Where people reach us, once we listen: `http://127.0.0.1:8030`.
    pub address: Arc<OnceLock<String>>,
}

/// Adds and removes upstream servers while we run.
#[async_trait]
pub trait Servers: Send + Sync {
    /// Adds a server, given as an entry of `mcpServers` has it; or says what is wrong with it.
    async fn add(&self, name: &str, entry: serde_json::Value) -> Result<(), String>;

    /// Removes a server; false if there is none of that name.
    async fn remove(&self, name: &str) -> Result<bool, String>;
}
