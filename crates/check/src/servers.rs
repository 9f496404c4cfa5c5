//! The servers a program can import, as the guest names them.

use catalog::names::fold;
use catalog::{Catalog, CatalogServer, CatalogTool};

use crate::modules;

/// What the package `servers` has besides servers and [`BY_NAME`].
const PUBLIC: &[&str] = &[
    "tool",
    "lazy",
    "UNSET",
    "ToolError",
    "ArgumentError",
    "UnknownTool",
    "ServerError",
    "PolicyError",
    "MissingAwait",
];

/// Functions that call a tool, or ask a server, by name.
pub(crate) const BY_NAME: &[&str] = &[
    "call_mcp_tool",
    "callMCPTool",
    "list_resources",
    "read_resource",
    "list_prompts",
    "get_prompt",
];

/// Everything that can be imported from servers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Servers<'c> {
    pub(crate) catalog: &'c Catalog,
    /// Python names of servers whose tools are not known, so that nothing is wrong there.
    pub(crate) opaque: &'c [String],
    /// Whether any other server could be there without being known.
    pub(crate) partial: bool,
}

impl<'c> Servers<'c> {
    /// The server that a package is.
    pub(crate) fn server(self, package: &str) -> Option<&'c CatalogServer> {
        let by = |of: fn(&CatalogServer) -> &str| {
            self.catalog.servers().find(|server| of(server) == package)
        };
        by(CatalogServer::python).or_else(|| by(|server| &server.name().0))
    }

    /// Whether nothing is known of a package that may well be a server.
    pub(crate) fn is_opaque(self, package: &str) -> bool {
        self.opaque.iter().any(|name| name == package)
    }

    /// The same for a name in any spelling, as a call by name has it.
    pub(crate) fn could_be_opaque(self, name: &str) -> bool {
        self.opaque.iter().any(|package| fold(package) == fold(name))
    }

    /// Whether a call by name may be of a server whose tools are not known, also where the server is named
    /// within the tool's name.
    pub(crate) fn may_be_unlisted(self, server: Option<&str>, tool: &str) -> bool {
        match server {
            Some(server) => self.could_be_opaque(server),
            None => catalog::server_parts(tool).any(|server| self.could_be_opaque(server)),
        }
    }

    /// Whether `import name` means the server of that name: nothing else may have it.
    pub(crate) fn is_free(self, name: &str) -> bool {
        (self.server(name).is_some() || self.is_opaque(name)) && !modules::is_there(name)
    }

    pub(crate) fn names(self) -> impl Iterator<Item = &'c str> {
        self.catalog
            .servers()
            .map(CatalogServer::python)
            .chain(self.opaque.iter().map(String::as_str))
    }

    /// The servers that have a tool of this name.
    pub(crate) fn having(self, name: &str) -> Vec<&'c CatalogTool> {
        self.catalog.servers().filter_map(|server| tool(server, name)).collect()
    }
}

/// The tool that a name in a server's package is: its identifier, its own name, or the other
/// language's identifier.
pub(crate) fn tool<'c>(server: &'c CatalogServer, name: &str) -> Option<&'c CatalogTool> {
    let tools = server.tools();
    let by = |of: fn(&CatalogTool) -> &str| tools.iter().find(|tool| of(tool) == name);
    by(CatalogTool::python)
        .or_else(|| by(|tool| &tool.name().0))
        .or_else(|| by(CatalogTool::typescript))
}

/// Whether the package `servers` has this besides servers.
pub(crate) fn is_public(name: &str) -> bool {
    PUBLIC.contains(&name) || BY_NAME.contains(&name) || name.starts_with("__")
}
