//! Tools that a server offers and nobody may call before they were accepted.

use std::collections::HashSet;
use std::fmt;

use crate::names::{self, Kind, fold};
use crate::{Listing, ServerName, Tool, ToolName};

/// Why a tool may not be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It is not what was accepted.
    Changed,
    /// It came after the server's tools were accepted.
    New,
}

/// One such tool. What it displays says why, and how an operator lets it through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    /// Whose tool.
    pub server: ServerName,
    /// What the server calls it.
    pub tool: ToolName,
    /// Its identifiers in Python and TypeScript.
    pub identifiers: [String; 2],
    /// Why it may not be called.
    pub why: Why,
}

impl Withheld {
    /// Those tools of a listing that may not be called, with the names they would have.
    pub(crate) fn among(listing: &Listing, why: impl Fn(&Tool) -> Option<Why>) -> Vec<Self> {
        let mut known = HashSet::new();
        let tools: Vec<&Tool> =
            listing.tools.iter().filter(|tool| known.insert(&tool.name)).collect();
        let reasons: Vec<Option<Why>> = tools.iter().map(|tool| why(tool)).collect();
        if reasons.iter().all(Option::is_none) {
            return Vec::new();
        }
        let all: Vec<&str> = tools.iter().map(|tool| tool.name.0.as_str()).collect();
        let python = names::python(Kind::Tool, &all);
        let typescript = names::typescript(Kind::Tool, &all);
        let named = tools.into_iter().zip(reasons).zip(python.into_iter().zip(typescript));
        let withheld = named.filter_map(|((tool, why), (python, typescript))| {
            Some(Self {
                server: listing.server.clone(),
                tool: tool.name.clone(),
                identifiers: [python, typescript],
                why: why?,
            })
        });
        withheld.collect()
    }

    /// Every name that a program may call it by.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.tool.0.as_str()).chain(self.identifiers.iter().map(String::as_str))
    }

    /// A name that is harmless in a command line, which somebody may paste: the tool's own, or its
    /// identifier.
    fn shown(&self) -> &str {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
        if self.tool.0.chars().all(plain) { &self.tool.0 } else { &self.identifiers[0] }
    }

    pub(crate) fn is_called(&self, name: &str) -> bool {
        let name = fold(name);
        !name.is_empty() && self.spellings().any(|spelling| fold(spelling) == name)
    }
}

impl fmt::Display for Withheld {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (server, tool, why) = (&self.server, self.shown(), self.why);
        let (because, what) = match why {
            Why::Changed => ("its definition changed since it was accepted", "the change"),
            Why::New => ("it is new since the server's tools were accepted", "it"),
        };
        write!(
            formatter,
            "{server}.{tool} is held back because {because}; an operator sees {what} with `tidegate tools diff {server}` and accepts it with `tidegate tools accept {server}.{tool}`"
        )
    }
}
