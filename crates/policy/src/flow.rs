//! Where data may go: what came from one server may not reach another.
//!
//! Coarse on purpose. A session that has read from a server carries that server's label from then on,
//! in its variables, its files and every fork of it; nobody follows single values. So a rule can only
//! be too strict, never too lax.

use serde::{Deserialize, Serialize};

use crate::decide::{ASK_MODEL, Decision, Verdict};
use crate::glob::Glob;
use crate::rule::PolicyError;
use crate::settings::{Action, Several};

/// The label of what comes from nobody knows where: it may have read everything.
pub const ANYWHERE: &str = "*";

/// How rules name whatever model answers programs, as a place that data may not go to.
pub const MODEL: &str = "model";

/// `[[policy.flow]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FlowSettings {
    /// Tools whose answers are meant, as `server.tool` with `*`.
    pub from: Several,
    /// Tools that must not get them.
    pub to: Several,
    /// `deny` or `ask`.
    pub action: Action,
    /// Why, for whoever meets it.
    #[serde(default)]
    pub reason: Option<String>,
}

/// All rules about where data may go.
#[derive(Debug, Clone, Default)]
pub struct Flow(Vec<FlowSettings>);

impl Flow {
    pub(crate) fn new(settings: &[FlowSettings]) -> Result<Self, PolicyError> {
        for (at, rule) in settings.iter().enumerate() {
            let name = format!("flow rule {}", at + 1);
            if rule.action == Action::Allow {
                return Err(PolicyError::Idle { rule: name });
            }
            for (key, list) in [("from", &rule.from), ("to", &rule.to)] {
                if list.all().is_empty() {
                    return Err(PolicyError::Empty { rule: name, key });
                }
            }
            let to = rule.to.all().iter().filter(|glob| glob.as_str() != MODEL);
            let globs = rule.from.all().iter().chain(to);
            let wrong = |glob: &&Glob| glob.as_str() != "*" && !glob.as_str().contains('.');
            if let Some(pattern) = globs.clone().find(wrong) {
                return Err(PolicyError::Pattern {
                    rule: name,
                    pattern: pattern.as_str().to_owned(),
                });
            }
        }
        Ok(Self(settings.to_vec()))
    }

    /// Whether there is any rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether what a tool answers is to be remembered.
    #[must_use]
    pub fn labels(&self, tool: &str) -> bool {
        self.0.iter().any(|rule| rule.from.all().iter().any(|glob| glob.matches(tool)))
    }

    /// What is decided about a call to `tool` by a session that has read from `seen`; `None` if no rule
    /// is about it.
    #[must_use]
    pub fn decide<'a>(
        &self,
        seen: &(impl Iterator<Item = &'a str> + Clone),
        tool: &str,
    ) -> Option<Decision> {
        let mut asked: Option<Decision> = None;
        for (at, rule) in self.0.iter().enumerate() {
            let is_to =
                |glob: &Glob| glob.matches(tool) || (glob.as_str() == MODEL && tool == ASK_MODEL);
            if !rule.to.all().iter().any(is_to) {
                continue;
            }
            let is_from = |one: &&str| {
                *one == ANYWHERE || rule.from.all().iter().any(|glob| glob.matches(one))
            };
            let from: Vec<&str> = seen.clone().filter(is_from).collect();
            if from.is_empty() {
                continue;
            }
            let named = from.iter().map(|one| if *one == ANYWHERE { "elsewhere" } else { one });
            let named = named.collect::<Vec<_>>().join(", ");
            let written = serde_json::to_string(rule).unwrap_or_default();
            let name = format!("flow rule {}", at + 1);
            let why = rule.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            let decision = Decision {
                verdict: if rule.action == Action::Deny { Verdict::Deny } else { Verdict::Ask },
                reason: format!(
                    "this session has read from {named}, and what comes from there may not reach {tool}{why}"
                ),
                rule: name,
                limits: Vec::new(),
                grounds: from.iter().map(|from| format!("{written} after {from}")).collect(),
            };
            if decision.verdict == Verdict::Deny {
                return Some(decision);
            }
            asked = Some(match asked {
                Some(before) => before.and(decision),
                None => decision,
            });
        }
        asked
    }
}
