//! What is done about a program, given what its review found.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Review, Risk, Rule, Violation};

/// What is done about a finding. The stricter is the greater.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The program runs.
    #[default]
    Allow,
    /// It runs when somebody has approved it.
    Ask,
    /// It does not run.
    Deny,
}

impl Action {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What is done about each kind of finding, at one level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actions {
    /// The level, as settings name it.
    pub level: &'static str,
    /// Findings of low risk.
    pub low: Action,
    /// Findings of medium risk.
    pub medium: Action,
    /// Findings of high risk, but for imports.
    pub high: Action,
    /// Imports that the level does not list.
    pub imports: Action,
}

impl Actions {
    /// Whether every program may run, whatever is found.
    #[must_use]
    pub fn allow_all(&self) -> bool {
        [self.low, self.medium, self.high, self.imports].iter().all(|one| *one == Action::Allow)
    }

    fn of(&self, violation: &Violation) -> (Action, &'static str) {
        match (violation.rule, violation.severity) {
            (Rule::ImportNotAllowed, _) => (self.imports, "imports"),
            (_, Risk::High) => (self.high, "high"),
            (_, Risk::Medium) => (self.medium, "medium"),
            (_, Risk::Low) => (self.low, "low"),
        }
    }
}

/// What is decided about a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Allow,
    /// It runs when somebody has approved it; why they are asked.
    Ask(Decided),
    /// It does not run, and why.
    Deny(Decided),
}

impl Verdict {
    /// As it is written.
    #[must_use]
    pub fn action(&self) -> Action {
        match self {
            Self::Allow => Action::Allow,
            Self::Ask(_) => Action::Ask,
            Self::Deny(_) => Action::Deny,
        }
    }

    /// Why it does not simply run.
    #[must_use]
    pub fn decided(&self) -> Option<&Decided> {
        match self {
            Self::Allow => None,
            Self::Ask(decided) | Self::Deny(decided) => Some(decided),
        }
    }
}

/// Which finding decided, and which setting says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// The first finding of those that weigh most.
    pub violation: Violation,
    /// The setting: `[review.hardened] high = "deny"`.
    pub setting: String,
    /// How many other findings would have decided the same.
    pub others: usize,
}

impl fmt::Display for Decided {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { rule, severity, message, line, .. } = &self.violation;
        let setting = &self.setting;
        write!(formatter, "line {line} {message} (rule `{rule}`, {severity} risk; `{setting}`)")?;
        match self.others {
            0 => Ok(()),
            1 => write!(formatter, "; 1 other finding says the same"),
            others => write!(formatter, "; {others} other findings say the same"),
        }
    }
}

impl Review {
    /// What is done about the program where `actions` hold: the strictest that any finding asks for.
    #[must_use]
    pub fn verdict(&self, actions: &Actions) -> Verdict {
        let strictest = self.violations.iter().map(|one| actions.of(one).0).max();
        let Some(action) = strictest.filter(|action| *action > Action::Allow) else {
            return Verdict::Allow;
        };
        let mut deciding = self.violations.iter().filter(|one| actions.of(one).0 == action);
        let Some(violation) = deciding.next() else { return Verdict::Allow };
        let setting =
            format!("[review.{}] {} = \"{action}\"", actions.level, actions.of(violation).1);
        let decided = Decided { violation: violation.clone(), setting, others: deciding.count() };
        match action {
            Action::Deny => Verdict::Deny(decided),
            _ => Verdict::Ask(decided),
        }
    }
}
