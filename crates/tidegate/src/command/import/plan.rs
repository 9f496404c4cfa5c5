//! What an import would do with each server.

use crate::config::mcp_json::{Imported, Origin};
use crate::config::servers::Server;

/// Everything that was found, and what would be done with it.
#[derive(Debug)]
pub(super) struct Plan {
    /// One row for each different server.
    pub(super) rows: Vec<Row>,
}

/// One server.
#[derive(Debug)]
pub(super) struct Row {
    /// As it was found first.
    pub(super) server: Imported,
    /// Everywhere it was found.
    pub(super) origins: Vec<Origin>,
    /// How it stands to what we have.
    pub(super) state: State,
}

/// How a server stands to what we have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// No server has that name.
    New,
    /// We have exactly that.
    Same,
    /// We have another of that name.
    Differs,
    /// Another client has another of that name, which comes first.
    Second,
}

impl State {
    /// For the table.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Same => "same",
            Self::Differs => "differs",
            Self::Second => "passed over: another of that name is first",
        }
    }
}

impl Plan {
    /// Compares what was found with what we have.
    pub(super) fn new(found: Vec<Imported>, ours: &[Server]) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        for server in found {
            let same = |row: &&mut Row| {
                row.server.name == server.name && row.server.section == server.section
            };
            if let Some(row) = rows.iter_mut().find(same) {
                row.origins.push(server.origin);
                continue;
            }
            let state = if rows.iter().any(|row| row.server.name == server.name) {
                State::Second
            } else {
                match ours.iter().find(|own| own.name == server.name) {
                    None => State::New,
                    Some(own) if own.section == server.section => State::Same,
                    Some(_) => State::Differs,
                }
            };
            rows.push(Row { origins: vec![server.origin.clone()], server, state });
        }
        Self { rows }
    }

    /// The rows in this state.
    pub(super) fn of(&self, state: State) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.state == state)
    }
}
