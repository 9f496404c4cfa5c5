//! On whose behalf calls are made.
//!
//! Every call of a program carries it from the desk to the server, because who asks decides what may be
//! asked and what is shown: rules name owners and levels, tokens for personal data belong to an owner.

use engine::Level;
use skills::Reader;

/// How sessions are called in which no program runs; no other has such a name.
const DIRECT: &str = "direct:";

/// Whose program it is that makes a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behalf {
    /// The owner of the session.
    pub owner: String,
    /// The teams that the owner is in.
    pub teams: Vec<String>,
    /// What the agent is called whose program it is; empty where it has no name.
    pub agent: String,
    /// The names of those that started it, whose rules hold for it too.
    pub started_by: Vec<String>,
    /// Which child of its run it is, from 1; 0 is the program itself.
    pub child: u64,
    /// Its calls are written down, and made again after a crash where nobody knows what became of them.
    pub is_kept: bool,
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
        Self {
            owner: "local".to_owned(),
            teams: Vec::new(),
            agent: String::new(),
            started_by: Vec::new(),
            child: 0,
            is_kept: false,
            session: String::new(),
            run: String::new(),
            level,
        }
    }

    /// Whoever uses tools without a program: all that one owner does this way is one run, which never ends.
    #[must_use]
    pub fn without_program(self, run: &str) -> Self {
        let session = format!("{DIRECT}{}", self.owner);
        Self { session, run: run.to_owned(), ..self }
    }

    /// Whether no program makes these calls.
    #[must_use]
    pub fn is_without_program(&self) -> bool {
        self.session.starts_with(DIRECT)
    }

    /// The child of this number, which may have a name of its own.
    #[must_use]
    pub fn of_child(&self, number: u64, agent: Option<String>) -> Self {
        let mut child = Self { child: number, is_kept: false, ..self.clone() };
        if let Some(agent) = agent.filter(|agent| *agent != self.agent) {
            let before = std::mem::replace(&mut child.agent, agent);
            child.started_by.push(before);
        }
        child
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
