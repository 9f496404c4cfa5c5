//! On whose behalf calls are made.
//!
//! Every call of a program carries it from the desk to the server, because who asks decides what may be
//! asked and what is shown: rules name owners and levels, tokens for personal data belong to an owner.

use engine::Level;
use skills::Reader;

/// Whose program it is that makes a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behalf {
    /// The owner of the session.
    pub owner: String,
    /// The teams that the owner is in.
    pub teams: Vec<String>,
    /// The session; empty where there is none.
    pub session: String,
    /// The run; empty where nobody counts them.
    pub run: String,
    /// The level that the program runs at.
    pub level: Level,
}

impl Behalf {
    /// Whoever sits at this machine.
    #[must_use]
    pub fn local(level: Level) -> Self {
        let (owner, teams) = ("local".to_owned(), Vec::new());
        Self { owner, teams, session: String::new(), run: String::new(), level }
    }

    /// Whose skills they find.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader { owner: self.owner.clone(), teams: self.teams.clone() }
    }
}

impl Default for Behalf {
    fn default() -> Self {
        Self::local(Level::default())
    }
}
