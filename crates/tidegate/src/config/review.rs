//! `[review]`: what is done about what reviews of programs find.
//!
//! A key under `[review]` speaks of every level, and never loosens what a level does by itself; one
//! under `[review.LEVEL]` speaks of that level and has the last word.

use check::review::{Action, Actions};
use engine::Level;
use gateway::Reviewing;
use serde::Deserialize;

use super::places::Places;
use super::problem::ConfigError;

/// `[review]`
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ReviewSection {
    /// Findings of low risk.
    low: Option<Action>,
    /// Findings of medium risk.
    medium: Option<Action>,
    /// Findings of high risk, but for imports.
    high: Option<Action>,
    /// Imports that the level does not list.
    imports: Option<Action>,
    /// What holds for programs that run at this level.
    development: LevelSection,
    /// The same.
    production: LevelSection,
    /// The same.
    hardened: LevelSection,
}

/// `[review.hardened]`
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LevelSection {
    /// Findings of low risk.
    low: Option<Action>,
    /// Findings of medium risk.
    medium: Option<Action>,
    /// Findings of high risk, but for imports.
    high: Option<Action>,
    /// Imports that the level does not list.
    imports: Option<Action>,
}

impl LevelSection {
    /// These, with what `later` says in their place.
    fn under(self, later: Self) -> Self {
        Self {
            low: later.low.or(self.low),
            medium: later.medium.or(self.medium),
            high: later.high.or(self.high),
            imports: later.imports.or(self.imports),
        }
    }
}

/// What the files say; of several, the one whose servers count most has the last word.
pub(super) fn reviewing(places: &Places) -> Result<Reviewing, ConfigError> {
    let mut all = LevelSection::default();
    let mut own = [LevelSection::default(); 3];
    for (_, said) in super::servers::wholes(places)? {
        let ReviewSection { low, medium, high, imports, development, production, hardened } =
            said.review;
        all = all.under(LevelSection { low, medium, high, imports });
        let levels = [development, production, hardened];
        own = [0, 1, 2].map(|at| own[at].under(levels[at]));
    }
    let mut reviewing = Reviewing::default();
    let levels = [Level::Development, Level::Production, Level::Hardened];
    for (level, own) in levels.into_iter().zip(own) {
        settle(reviewing.at_mut(level), all, own);
    }
    Ok(reviewing)
}

fn settle(actions: &mut Actions, all: LevelSection, own: LevelSection) {
    let each = [
        (&mut actions.low, all.low, own.low),
        (&mut actions.medium, all.medium, own.medium),
        (&mut actions.high, all.high, own.high),
        (&mut actions.imports, all.imports, own.imports),
    ];
    for (action, all, own) in each {
        *action = own.unwrap_or_else(|| all.map_or(*action, |all| all.max(*action)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_all_levels_never_loosens_and_what_is_said_of_one_has_the_last_word() {
        let all = LevelSection {
            medium: Some(Action::Ask),
            high: Some(Action::Allow),
            ..LevelSection::default()
        };
        let mut hardened = Reviewing::default().at(Level::Hardened).clone();
        settle(&mut hardened, all, LevelSection::default());
        assert_eq!((hardened.medium, hardened.high), (Action::Ask, Action::Deny));
        let own = LevelSection { high: Some(Action::Allow), ..LevelSection::default() };
        settle(&mut hardened, all, own);
        assert_eq!((hardened.high, hardened.imports), (Action::Allow, Action::Deny));
        let mut production = Reviewing::default().at(Level::Production).clone();
        settle(
            &mut production,
            LevelSection { high: Some(Action::Deny), ..all },
            LevelSection::default(),
        );
        assert_eq!((production.high, production.low), (Action::Deny, Action::Allow));
    }
}
