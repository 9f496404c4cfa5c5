//! Tools that a server offers and nobody may call before they were accepted.

use std::collections::HashSet;
use std::fmt;

use crate::names::{self, Kind, fold};
use crate::{Listing, ServerName, ToolName};

/// One such tool. What it displays says why, and how an operator lets it through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    /// Whose tool.
    pub server: ServerName,
    /// What the server calls it.
    pub tool: ToolName,
    /// Its identifiers in Python and TypeScript.
    pub identifiers: [String; 2],
}

impl Withheld {
    /// Those tools of a listing that `is_withheld`, with the names they would have.
    pub(crate) fn among(listing: &Listing, is_withheld: impl Fn(&ToolName) -> bool) -> Vec<Self> {
        let mut known = HashSet::new();
        let mut tools: Vec<&ToolName> = listing.tools.iter().map(|tool| &tool.name).collect();
        tools.retain(|tool| known.insert(*tool));
        if !tools.iter().any(|tool| is_withheld(tool)) {
            return Vec::new();
        }
        let all: Vec<&str> = tools.iter().map(|tool| tool.0.as_str()).collect();
        let python = names::python(Kind::Tool, &all);
        let typescript = names::typescript(Kind::Tool, &all);
        let named = tools.into_iter().zip(python.into_iter().zip(typescript));
        let withheld = named.filter(|(tool, _)| is_withheld(tool));
        let withheld = withheld.map(|(tool, (python, typescript))| Self {
            server: listing.server.clone(),
            tool: tool.clone(),
            identifiers: [python, typescript],
        });
        withheld.collect()
    }

    /// Every name that a program may call it by.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.tool.0.as_str()).chain(self.identifiers.iter().map(String::as_str))
    }

    pub(crate) fn is_called(&self, name: &str) -> bool {
        let name = fold(name);
        !name.is_empty() && self.spellings().any(|spelling| fold(spelling) == name)
    }
}

impl fmt::Display for Withheld {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, tool, .. } = self;
        write!(
            formatter,
            "{server}.{tool} is held back because its definition changed since it was accepted; an operator sees the change with `tidegate tools diff {server}` and accepts it with `tidegate tools accept {server}.{tool}`"
        )
    }
}
