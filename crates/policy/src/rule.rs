//! One rule, read and ready.

use serde_json::{Map, Value};

use crate::condition::{Condition, Holds};
use crate::decide::{Limit, Per, Question};
use crate::glob::Glob;
use crate::settings::{Action, Annotation, RuleSettings, Several};

/// Why a policy cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyError {
    /// A condition cannot be read.
    #[error("{rule}: the condition `{condition}` {problem}")]
    Condition {
        /// The rule.
        rule: String,
        /// As it is written.
        condition: String,
        /// What is wrong with it, and what to write.
        problem: String,
    },
    /// A rule that does nothing.
    #[error(
        "{rule} says neither what is done (`action = \"allow\"`, `\"deny\"` or `\"ask\"`) nor how many calls there may be (`per-run`, `per-minute`, `per-day`); add one, or remove the rule"
    )]
    Idle {
        /// The rule.
        rule: String,
    },
    /// A rule that can never decide.
    #[error(
        "{rule} is never reached: {earlier} before it fits every call that it fits and says {said}; put it first, or remove one of them"
    )]
    Unreached {
        /// The rule.
        rule: String,
        /// The one before it.
        earlier: String,
        /// What that one does.
        said: &'static str,
    },
    /// Two rules of one name.
    #[error("two rules are called {name:?}; what is told of a call must say which one it was")]
    SameName {
        /// The name.
        name: String,
    },
    /// A pattern that stands for no tool.
    #[error(
        "{rule}: the pattern {pattern:?} fits no tool: a tool is written `server.tool`, so write `{pattern}.*` for all of a server or `*.{pattern}` for that tool of any server"
    )]
    Pattern {
        /// The rule.
        rule: String,
        /// As it is written.
        pattern: String,
    },
    /// A level that there is not.
    #[error("{rule}: there is no level {level:?}; there are {known}")]
    Level {
        /// The rule.
        rule: String,
        /// As it is written.
        level: String,
        /// Those there are.
        known: String,
    },
}

/// What a server says about a tool, as far as it says anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Making it twice does no more than making it once.
    pub idempotent: Option<bool>,
    /// It reaches beyond its server's own data.
    pub open_world: Option<bool>,
}

impl Hints {
    /// Whether this is said of a tool. What makes a call look harmless is believed only of a server
    /// that is trusted; what makes it look dangerous, of anybody.
    pub(crate) fn say(self, what: Annotation, is_trusted: bool) -> bool {
        let yes = |hint: Option<bool>| hint == Some(true);
        match what {
            Annotation::ReadOnly => is_trusted && yes(self.read_only),
            Annotation::Idempotent => is_trusted && yes(self.idempotent),
            Annotation::Destructive => yes(self.destructive),
            Annotation::OpenWorld => yes(self.open_world),
            Annotation::Unannotated => {
                let says_something = is_trusted
                    && (self.read_only.is_some()
                        || self.idempotent.is_some()
                        || self.destructive.is_some());
                !says_something && !yes(self.destructive)
            }
        }
    }
}

/// A rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) name: String,
    /// All of it, as it is written.
    pub(crate) written: String,
    tools: Vec<Glob>,
    owners: Vec<Glob>,
    agents: Vec<Glob>,
    annotations: Vec<Annotation>,
    levels: Vec<String>,
    when: Vec<Condition>,
    pub(crate) action: Option<Action>,
    pub(crate) reason: Option<String>,
    pub(crate) limits: Vec<Limit>,
}

impl Rule {
    /// Reads the rule that stands at `at`, from 1.
    pub(crate) fn new(
        at: usize,
        settings: &RuleSettings,
        levels: &[&str],
    ) -> Result<Self, PolicyError> {
        let name = settings.name.clone().unwrap_or_else(|| format!("rule {at}"));
        let all = |several: &Option<Several>| {
            several.as_ref().map_or_else(Vec::new, |some| some.all().to_vec())
        };
        let tools = all(&settings.tools);
        if let Some(pattern) =
            tools.iter().find(|tool| tool.as_str() != "*" && !tool.as_str().contains('.'))
        {
            return Err(PolicyError::Pattern { rule: name, pattern: pattern.as_str().to_owned() });
        }
        if let Some(level) = settings.levels.iter().find(|level| !levels.contains(&level.as_str()))
        {
            let known = levels.join(", ");
            return Err(PolicyError::Level { rule: name, level: level.clone(), known });
        }
        let mut when = Vec::new();
        for condition in settings.when.all() {
            when.push(Condition::parse(condition).map_err(|problem| PolicyError::Condition {
                rule: name.clone(),
                condition: condition.clone(),
                problem,
            })?);
        }
        let limits = [
            (Per::Run, settings.per_run),
            (Per::Minute, settings.per_minute),
            (Per::Day, settings.per_day),
        ];
        let limits: Vec<Limit> = limits
            .into_iter()
            .filter_map(|(per, most)| Some(Limit { rule: name.clone(), per, most: most? }))
            .collect();
        if settings.action.is_none() && limits.is_empty() {
            return Err(PolicyError::Idle { rule: name });
        }
        let written = serde_json::to_string(settings).unwrap_or_else(|_| name.clone());
        Ok(Self {
            name,
            written,
            tools,
            owners: all(&settings.owners),
            agents: all(&settings.agents),
            annotations: settings.annotations.clone(),
            levels: settings.levels.clone(),
            when,
            action: settings.action,
            reason: settings.reason.clone(),
            limits,
        })
    }

    /// Whether it is about a call; and in which words, where it is for want of knowing better.
    pub(crate) fn fits(&self, question: &Question<'_>) -> Option<Fit> {
        let name = question.name();
        let any = |globs: &[Glob], name: &str| {
            globs.is_empty() || globs.iter().any(|glob| glob.matches(name))
        };
        let said = |what: &Annotation| question.hints.say(*what, question.is_trusted);
        let is_about = any(&self.tools, &name)
            && any(&self.owners, question.owner)
            && any(&self.agents, question.agent)
            && (self.levels.is_empty() || self.levels.iter().any(|level| level == question.level))
            && (self.annotations.is_empty() || self.annotations.iter().any(said));
        if is_about { self.conditions_fit(question.arguments) } else { None }
    }

    fn conditions_fit(&self, arguments: &Map<String, Value>) -> Option<Fit> {
        // What only counts, counts what it cannot judge.
        let takes_unclear = self.action != Some(Action::Allow);
        let mut unclear = Vec::new();
        for condition in &self.when {
            match condition.holds(arguments) {
                Holds::Yes => {}
                // One element that fits is enough to be careful, and not to be careless.
                Holds::Partly if takes_unclear => {}
                Holds::Unclear if takes_unclear => unclear.push(condition.text().to_owned()),
                Holds::No | Holds::Partly | Holds::Unclear => return None,
            }
        }
        Some(Fit { unclear })
    }

    /// Whether every call that `later` is about is also one that this decides about.
    pub(crate) fn hides(&self, later: &Self) -> bool {
        let globs = |wide: &[Glob], narrow: &[Glob]| {
            wide.is_empty()
                || (!narrow.is_empty()
                    && narrow.iter().all(|one| wide.iter().any(|glob| glob.covers(one))))
        };
        let lists = |wide: &[String], narrow: &[String]| {
            wide.is_empty() || (!narrow.is_empty() && narrow.iter().all(|one| wide.contains(one)))
        };
        let annotations = self.annotations.is_empty()
            || (!later.annotations.is_empty()
                && later.annotations.iter().all(|one| self.annotations.contains(one)));
        // Whatever the later one is about has to fit all of its conditions. What cannot be judged fits where a
        // rule denies or asks, and not where it allows: then the later one may still be about it.
        let is_wider = self.when.is_empty()
            || self.action != Some(Action::Allow)
            || later.action == Some(Action::Allow);
        let conditions = is_wider
            && self.when.iter().all(|own| later.when.iter().any(|one| one.text() == own.text()));
        self.action.is_some()
            && conditions
            && globs(&self.tools, &later.tools)
            && globs(&self.owners, &later.owners)
            && globs(&self.agents, &later.agents)
            && lists(&self.levels, &later.levels)
            && annotations
    }
}

/// That a rule is about a call.
pub(crate) struct Fit {
    /// Conditions that could not be judged, and were taken to hold.
    pub(crate) unclear: Vec<String>,
}
