//! What an operator says of the effects of single tools, whatever their server says.
//!
//! ```text
//! read-only = ["get_*"]   writes = ["get_lock"]      get_user: read-only   get_lock: a write
//! ```
//!
//! Of several patterns that fit one tool the narrowest counts, and where none is narrower than the other
//! the one that promises least: a tool is never taken for more harmless than any of them says.

use std::borrow::Cow;

use catalog::{Annotations, ToolName};
use policy::Glob;

use crate::service::durable::Effect;

/// What an operator says of single tools of one server, each by patterns of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// They change nothing.
    pub read_only: Vec<Glob>,
    /// They change something, and twice is as good as once.
    pub idempotent: Vec<Glob>,
    /// They change something, and must not be repeated.
    pub writes: Vec<Glob>,
}

/// What counts about the effects of one tool.
#[derive(Debug, Clone)]
pub struct Said<'a> {
    /// In the words of annotations.
    pub annotations: Cow<'a, Annotations>,
    /// Whether it is believed when it makes the tool look harmless.
    pub is_believed: bool,
}

impl Said<'_> {
    /// What a call of the tool may do.
    #[must_use]
    pub fn effect(&self) -> Effect {
        if self.is_believed { Effect::of(&self.annotations) } else { Effect::Write }
    }
}

impl Effects {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// What is said of a tool, and by which pattern.
    #[must_use]
    pub fn of(&self, tool: &ToolName) -> Option<(Effect, &Glob)> {
        let fitting: Vec<_> = self.all().filter(|(_, glob)| glob.matches(&tool.0)).collect();
        let is_wider = |wide: &Glob, narrow: &Glob| wide.covers(narrow) && !narrow.covers(wide);
        let is_narrowest =
            |(_, glob): &&(Effect, &Glob)| !fitting.iter().any(|(_, other)| is_wider(glob, other));
        fitting.iter().filter(is_narrowest).max_by_key(|(effect, _)| *effect).copied()
    }

    /// What counts about a tool of which its server says `said`; `None` if that is up to the server.
    #[must_use]
    pub fn over(&self, tool: &ToolName, said: &Annotations) -> Option<Annotations> {
        let said = said.clone();
        let (read_only_hint, idempotent_hint) = match self.of(tool)?.0 {
            Effect::Read => {
                // Whoever says that it changes nothing says that it destroys nothing.
                let destructive_hint = None;
                return Some(Annotations { read_only_hint: Some(true), destructive_hint, ..said });
            }
            Effect::Idempotent => (Some(false), Some(true)),
            Effect::Write => (Some(false), Some(false)),
        };
        Some(Annotations { read_only_hint, idempotent_hint, ..said })
    }

    /// A pattern that is said to be two things.
    #[must_use]
    pub fn contradiction(&self) -> Option<(&Glob, Effect, Effect)> {
        let mut all = self.all().enumerate();
        all.find_map(|(at, (effect, glob))| {
            let mut later = self.all().skip(at + 1);
            let (other, _) = later.find(|(other, same)| *other != effect && *same == glob)?;
            Some((glob, effect, other))
        })
    }

    /// Patterns that fit none of these tools.
    #[must_use]
    pub fn unfitting<'a>(&self, tools: impl Iterator<Item = &'a ToolName>) -> Vec<(Effect, &Glob)> {
        let tools: Vec<&ToolName> = tools.collect();
        let fits_none =
            |(_, glob): &(Effect, &Glob)| !tools.iter().any(|tool| glob.matches(&tool.0));
        self.all().filter(fits_none).collect()
    }

    /// Every pattern.
    fn all(&self) -> impl Iterator<Item = (Effect, &Glob)> {
        let read_only = self.read_only.iter().map(|glob| (Effect::Read, glob));
        let idempotent = self.idempotent.iter().map(|glob| (Effect::Idempotent, glob));
        read_only.chain(idempotent).chain(self.writes.iter().map(|glob| (Effect::Write, glob)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(patterns: &[&str]) -> Vec<Glob> {
        patterns.iter().map(|pattern| Glob::new(*pattern)).collect()
    }

    fn effects(read_only: &[&str], idempotent: &[&str], writes: &[&str]) -> Effects {
        Effects {
            read_only: globs(read_only),
            idempotent: globs(idempotent),
            writes: globs(writes),
        }
    }

    fn said(effects: &Effects, tool: &str) -> Option<Effect> {
        effects.of(&ToolName(tool.to_owned())).map(|(effect, _)| effect)
    }

    #[test]
    fn the_narrowest_pattern_counts_and_otherwise_the_most_careful() {
        let some = effects(&["get_*", "a_*"], &["get_all_*", "*_b"], &["get_lock"]);
        assert_eq!(said(&some, "get_user"), Some(Effect::Read));
        assert_eq!(said(&some, "get_all_users"), Some(Effect::Idempotent));
        assert_eq!(said(&some, "get_lock"), Some(Effect::Write));
        // Neither is narrower.
        assert_eq!(said(&some, "a_b"), Some(Effect::Idempotent));
        assert_eq!(said(&some, "put"), None);
        let none_but = effects(&["get_*"], &[], &["*"]);
        assert_eq!(said(&none_but, "get_user"), Some(Effect::Read));
        assert_eq!(said(&none_but, "put"), Some(Effect::Write));
    }

    #[test]
    fn what_is_said_counts_instead_of_what_the_server_says() {
        let lying = Annotations {
            read_only_hint: Some(true),
            destructive_hint: Some(true),
            ..Annotations::default()
        };
        let over = |effects: &Effects| effects.over(&ToolName("x".to_owned()), &lying);
        let as_said = |annotations: &Annotations| {
            (annotations.read_only_hint, annotations.idempotent_hint, annotations.destructive_hint)
        };
        let read = over(&effects(&["x"], &[], &[])).unwrap();
        assert_eq!(as_said(&read), (Some(true), None, None));
        let idempotent = over(&effects(&[], &["x"], &[])).unwrap();
        // That it may destroy something is believed of anybody.
        assert_eq!(as_said(&idempotent), (Some(false), Some(true), Some(true)));
        let write = over(&effects(&[], &[], &["x"])).unwrap();
        assert_eq!(Effect::of(&write), Effect::Write);
        assert_eq!(over(&effects(&["y"], &[], &[])), None);
    }

    #[test]
    fn a_pattern_in_two_lists_and_one_that_fits_nothing_are_found() {
        let both = effects(&["a", "get_*"], &[], &["b", "get_*"]);
        let (glob, one, other) = both.contradiction().unwrap();
        assert_eq!((glob.as_str(), one, other), ("get_*", Effect::Read, Effect::Write));
        let twice = effects(&["a", "a"], &[], &["get_*"]);
        assert_eq!(twice.contradiction(), None);
        let tools = [ToolName("get_user".to_owned())];
        let unfitting = twice.unfitting(tools.iter());
        assert_eq!(unfitting.len(), 2);
        assert!(
            unfitting.iter().all(|(effect, glob)| *effect == Effect::Read && glob.as_str() == "a")
        );
    }
}
