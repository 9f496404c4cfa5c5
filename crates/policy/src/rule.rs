//! One rule, read and ready.

use serde_json::{Map, Value};

use crate::condition::{Condition, Holds, Takes, at_odds};
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
        "{rule} is never reached: of every call that it fits, what comes before it has decided ({earlier}); put it first, or remove one of them"
    )]
    Unreached {
        /// The rule.
        rule: String,
        /// Those before it, with what they do.
        earlier: String,
    },
    /// A rule that is about no call.
    #[error(
        "{rule} fits no call: `{one}` and `{other}` never hold of the same argument; all conditions of a rule have to hold, so write two rules for one or the other"
    )]
    AtOdds {
        /// The rule.
        rule: String,
        /// A condition, as it is written.
        one: String,
        /// One that does not go with it.
        other: String,
    },
    /// A list that names nothing.
    #[error(
        "{rule}: `{key} = []` names nothing; leave `{key}` out where the rule is about all, or write which (`\"*\"` is all of them)"
    )]
    Empty {
        /// The rule.
        rule: String,
        /// The key.
        key: &'static str,
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
        let lists = [
            ("tools", &settings.tools),
            ("owners", &settings.owners),
            ("agents", &settings.agents),
        ];
        let is_empty = |(_, list): &(&str, &Option<Several>)| {
            list.as_ref().is_some_and(|several| several.all().is_empty())
        };
        if let Some((key, _)) = lists.into_iter().find(is_empty) {
            return Err(PolicyError::Empty { rule: name, key });
        }
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
        let when = conditions(&name, settings.when.all())?;
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

    /// Whether this decides about every call that a part of a later rule is about.
    fn hides(&self, later: &Self, part: &Part<'_>) -> bool {
        let covers = |globs: &[Glob], one: Option<&Glob>| {
            globs.is_empty() || one.is_some_and(|one| globs.iter().any(|glob| glob.covers(one)))
        };
        let annotation = || part.annotation.is_some_and(|one| self.annotations.contains(one));
        let level = || part.level.is_some_and(|one| self.levels.iter().any(|level| level == one));
        self.action.is_some()
            && covers(&self.tools, part.tool)
            && covers(&self.owners, part.owner)
            && covers(&self.agents, part.agent)
            && (self.levels.is_empty() || level())
            && (self.annotations.is_empty() || annotation())
            && self.conditions_hide(later)
    }

    /// Whatever the later one is about has to fit all of its conditions. What cannot be judged fits where a
    /// rule denies or asks, and not where it allows: then the later one may still be about it.
    fn conditions_hide(&self, later: &Self) -> bool {
        let says = |one: &Condition, own| one.says(later.takes(), (own, self.takes()));
        self.when.iter().all(|own| later.when.iter().any(|one| says(one, own)))
    }

    fn takes(&self) -> Takes {
        if self.action == Some(Action::Allow) { Takes::Known } else { Takes::Unclear }
    }

    /// What it is about, in parts of which each is one tool, one level and so on.
    fn parts<'a>(&'a self, levels: &'a [&'a str]) -> Vec<Part<'a>> {
        let own: Vec<&str> = self.levels.iter().map(String::as_str).collect();
        let levels = if own.is_empty() { levels.to_vec() } else { own };
        let mut parts = vec![Part::default()];
        parts = split(parts, &self.tools, |part, tool| part.tool = Some(tool));
        parts = split(parts, &self.owners, |part, owner| part.owner = Some(owner));
        parts = split(parts, &self.agents, |part, agent| part.agent = Some(agent));
        parts = split(parts, &self.annotations, |part, one| part.annotation = Some(one));
        let of =
            |part: Part<'a>| levels.iter().map(move |level| Part { level: Some(*level), ..part });
        parts.into_iter().flat_map(of).collect()
    }

    /// Those of the rules before this one that have decided about every call that it is about; none, if it may
    /// still decide about any.
    pub(crate) fn hidden_by<'a>(&self, before: &'a [Self], levels: &[&str]) -> Vec<&'a Self> {
        let lists = [&self.tools, &self.owners, &self.agents].map(|list| list.len().max(1));
        let count = lists.into_iter().product::<usize>() * self.annotations.len().max(1);
        if count > MOST_PARTS {
            return Vec::new();
        }
        let mut hiding: Vec<&Self> = Vec::new();
        for part in self.parts(levels) {
            let Some(one) = before.iter().find(|one| one.hides(self, &part)) else {
                return Vec::new();
            };
            if !hiding.iter().any(|known| known.name == one.name) {
                hiding.push(one);
            }
        }
        hiding
    }
}

/// Rules with longer lists are not looked at part by part.
const MOST_PARTS: usize = 10_000;

/// Calls of one tool on one level, and so on: a part of what a rule is about. Nothing is everything.
#[derive(Debug, Clone, Copy, Default)]
struct Part<'a> {
    tool: Option<&'a Glob>,
    owner: Option<&'a Glob>,
    agent: Option<&'a Glob>,
    annotation: Option<&'a Annotation>,
    level: Option<&'a str>,
}

/// Each part once for each of what a list names.
fn split<'a, T>(
    parts: Vec<Part<'a>>,
    list: &'a [T],
    set: impl Fn(&mut Part<'a>, &'a T),
) -> Vec<Part<'a>> {
    if list.is_empty() {
        return parts;
    }
    let mut all = Vec::with_capacity(parts.len() * list.len());
    for part in parts {
        for one in list {
            let mut part = part;
            set(&mut part, one);
            all.push(part);
        }
    }
    all
}

/// Conditions that can hold together.
fn conditions(rule: &str, written: &[String]) -> Result<Vec<Condition>, PolicyError> {
    let mut when = Vec::with_capacity(written.len());
    for condition in written {
        when.push(Condition::parse(condition).map_err(|problem| PolicyError::Condition {
            rule: rule.to_owned(),
            condition: condition.clone(),
            problem,
        })?);
    }
    if let Some((one, other)) = at_odds(&when) {
        let (rule, one, other) = (rule.to_owned(), one.to_owned(), other.to_owned());
        return Err(PolicyError::AtOdds { rule, one, other });
    }
    Ok(when)
}

/// That a rule is about a call.
pub(crate) struct Fit {
    /// Conditions that could not be judged, and were taken to hold.
    pub(crate) unclear: Vec<String>,
}
