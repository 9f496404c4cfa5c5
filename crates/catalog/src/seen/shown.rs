//! The differences that somebody was shown, so that nothing is accepted but what they have seen: a server
//! may say something else again between the two.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Change;
use crate::{Fingerprint, ServerName, ToolName};

/// Definitions as they were last shown, by server and tool; `None` where a tool was gone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shown {
    servers: BTreeMap<ServerName, BTreeMap<ToolName, Option<Fingerprint>>>,
}

/// How a difference compares with what was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// It is what was shown.
    Same,
    /// Something else was shown, or other differences of that server and not this one.
    Other,
    /// Nothing of that server was shown.
    Nothing,
}

impl Shown {
    /// Remembers all that was shown of a server, in place of what was shown before.
    pub fn show(&mut self, server: &ServerName, changes: &[Change]) {
        let shown = changes.iter().map(|change| (change.tool.clone(), change.fingerprint()));
        self.servers.insert(server.clone(), shown.collect());
        self.servers.retain(|_, tools| !tools.is_empty());
    }

    /// Whether a difference is one that was shown.
    #[must_use]
    pub fn sight(&self, change: &Change) -> Sight {
        let Some(tools) = self.servers.get(&change.server) else { return Sight::Nothing };
        match tools.get(&change.tool) {
            Some(shown) if *shown == change.fingerprint() => Sight::Same,
            _ => Sight::Other,
        }
    }

    /// Forgets a difference, as when it was accepted.
    pub fn forget(&mut self, change: &Change) {
        if let Some(tools) = self.servers.get_mut(&change.server) {
            tools.remove(&change.tool);
        }
        self.servers.retain(|_, tools| !tools.is_empty());
    }
}
