//! One tool as the writers of both languages see it.

use catalog::schema::Schema;
use catalog::{CatalogServer, CatalogTool, Learned, Listing, Tool};

/// A tool with its names and its schemas read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    /// What the server is called, as it must be sent.
    pub server: &'a str,
    /// The server's folder and package.
    pub package: &'a str,
    /// The tool in its server's words.
    pub tool: &'a Tool,
    /// Its identifier in Python.
    pub python: &'a str,
    /// Its identifier in TypeScript.
    pub typescript: &'a str,
    /// What it takes.
    pub input: &'a Schema,
    /// What it gives, if the server said so or it was learned.
    pub output: Option<&'a Schema>,
    /// How many results that was learned from; `None` when the server said so, or nobody did.
    pub learned: Option<u64>,
}

impl<'a> From<&'a CatalogTool> for Target<'a> {
    fn from(tool: &'a CatalogTool) -> Self {
        Self {
            server: &tool.server().0,
            package: tool.server_python(),
            tool: tool.tool(),
            python: tool.python(),
            typescript: tool.typescript(),
            input: tool.input(),
            output: tool.result(),
            learned: tool.learned().map(Learned::seen),
        }
    }
}

/// A server with its tools.
#[derive(Debug)]
pub(crate) struct Server<'a> {
    /// What it is called in the configuration.
    pub name: &'a str,
    /// Its folder and Python package.
    pub package: &'a str,
    /// What it says about itself.
    pub listing: &'a Listing,
    /// Its tools, in its order.
    pub tools: Vec<Target<'a>>,
}

impl<'a> From<&'a CatalogServer> for Server<'a> {
    fn from(server: &'a CatalogServer) -> Self {
        Self {
            name: &server.name().0,
            package: server.python(),
            listing: server.listing(),
            tools: server.tools().iter().map(Target::from).collect(),
        }
    }
}
