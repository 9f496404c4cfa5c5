//! What reviews of programs lead to, at each level.

use check::review::{Action, Actions, Decided, Review, Verdict};
use engine::{Level, Outcome, ProgramError};

/// The class of the error of a program that is denied.
pub(crate) const DENIED: &str = "ReviewError";
/// The class of the error of a program that somebody has to approve.
pub(crate) const ASKED: &str = "ApprovalNeeded";

/// What is done about findings, for each level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewing {
    development: Actions,
    production: Actions,
    hardened: Actions,
}

impl Default for Reviewing {
    /// Findings are told and change nothing, but for hardened programs, which are denied for findings of
    /// high risk and for imports that their level does not list.
    fn default() -> Self {
        let lenient = |level: Level| Actions { level: level.name(), ..Actions::default() };
        Self {
            development: lenient(Level::Development),
            production: lenient(Level::Production),
            hardened: Actions {
                high: Action::Deny,
                imports: Action::Deny,
                ..lenient(Level::Hardened)
            },
        }
    }
}

impl Reviewing {
    /// What is done at a level.
    #[must_use]
    pub fn at(&self, level: Level) -> &Actions {
        match level {
            Level::Development => &self.development,
            Level::Production => &self.production,
            Level::Hardened => &self.hardened,
        }
    }

    /// The same, to be changed.
    pub fn at_mut(&mut self, level: Level) -> &mut Actions {
        match level {
            Level::Development => &mut self.development,
            Level::Production => &mut self.production,
            Level::Hardened => &mut self.hardened,
        }
    }

    /// What is decided about a program that runs at a level.
    #[must_use]
    pub fn verdict(&self, review: &Review, level: Level) -> Verdict {
        review.verdict(self.at(level))
    }
}

/// How a program ended that may not run for what its review found; `None` if it may. `said` is why nobody
/// approved it, where somebody was asked.
#[must_use]
pub fn review_refusal(verdict: &Verdict, said: Option<&str>) -> Option<Outcome> {
    let (kind, decided, hint) = match verdict {
        Verdict::Allow => return None,
        Verdict::Deny(decided) => {
            (DENIED, decided, "write it without that and run it again; nothing of it has happened")
        }
        Verdict::Ask(decided) => (
            ASKED,
            decided,
            "write it without that, or ask the user to have it approved; nothing of it has happened",
        ),
    };
    let Decided { violation, .. } = decided;
    let needs = if kind == ASKED { "needs an approval" } else { "was denied" };
    Some(Outcome::failed(ProgramError {
        kind: kind.to_owned(),
        message: match said {
            Some(said) => format!("the program was not approved before it ran: {decided}; {said}"),
            None => format!("the program {needs} before it ran: {decided}"),
        },
        line: Some(violation.line),
        column: Some(violation.column),
        source_line: Some(violation.source.clone()),
        hint: Some(hint.to_owned()),
        ..ProgramError::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_hardened_a_review_denies_by_default_and_elsewhere_it_tells() {
        let reviewing = Reviewing::default();
        let hardened = reviewing.at(Level::Hardened);
        assert_eq!((hardened.high, hardened.imports), (Action::Deny, Action::Deny));
        for level in [Level::Development, Level::Production] {
            let usual = reviewing.at(level);
            let all = [usual.low, usual.medium, usual.high, usual.imports];
            assert_eq!(all, [Action::Allow; 4], "{level:?}");
        }
    }
}
