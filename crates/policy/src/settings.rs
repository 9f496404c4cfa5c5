//! Rules as an operator writes them.

use serde::{Deserialize, Serialize};

use crate::flow::FlowSettings;
use crate::glob::Glob;

/// What is done about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is made.
    Allow,
    /// It is not made.
    Deny,
    /// Somebody is asked, and the program rests until they have answered.
    Ask,
}

/// What a server says about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Annotation {
    /// It changes nothing. Believed only of servers that are trusted.
    ReadOnly,
    /// It may destroy something.
    Destructive,
    /// It reaches beyond its server's own data.
    OpenWorld,
    /// Making it twice does no more than making it once.
    Idempotent,
    /// The server says nothing, or nothing that is believed.
    Unannotated,
}

/// `[policy]`: what is decided where no rule says anything, and the rules.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PolicySettings {
    /// Tools that only read, by servers that are trusted.
    pub reads: Option<Action>,
    /// Tools that are annotated, and neither read-only nor destructive.
    pub writes: Option<Action>,
    /// Tools that are annotated as destructive.
    pub destructive: Option<Action>,
    /// Tools of which nothing is known.
    pub unannotated: Option<Action>,
    /// Questions of programs to a model.
    pub models: Option<Action>,
    /// Rules, of which the first that fits decides.
    pub rules: Vec<RuleSettings>,
    /// Where data may go.
    pub flow: Vec<FlowSettings>,
}

/// What is decided where no rule says anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defaults {
    /// Tools that only read.
    pub reads: Action,
    /// Tools that change something.
    pub writes: Action,
    /// Tools that may destroy something.
    pub destructive: Action,
    /// Tools of which nothing is known.
    pub unannotated: Action,
    /// Questions of programs to a model.
    pub models: Action,
}

impl PolicySettings {
    /// What is decided where no rule says anything; sessions that are hardened are asked for more.
    #[must_use]
    pub fn defaults(&self, is_hardened: bool) -> Defaults {
        let careful = if is_hardened { Action::Ask } else { Action::Allow };
        Defaults {
            reads: self.reads.unwrap_or(Action::Allow),
            writes: self.writes.unwrap_or(Action::Allow),
            destructive: self.destructive.unwrap_or(Action::Ask),
            unannotated: self.unannotated.unwrap_or(careful),
            models: self.models.unwrap_or(if is_hardened { Action::Deny } else { Action::Allow }),
        }
    }
}

/// One rule: whom it is about, and what is done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RuleSettings {
    /// What it is called where it is told of; `rule 3` if nothing is said.
    pub name: Option<String>,
    /// Tools as `server.tool`, with `*`; all if nothing is said.
    pub tools: Option<Several>,
    /// Any of these has to be said of the tool.
    pub annotations: Vec<Annotation>,
    /// Owners, with `*`; all if nothing is said.
    pub owners: Option<Several>,
    /// Names of agents, with `*`; all if nothing is said.
    pub agents: Option<Several>,
    /// Session levels: `production`, `hardened`, …; all if nothing is said.
    pub levels: Vec<String>,
    /// What has to hold of the arguments, all of it: `amount <= 1000`.
    pub when: Conditions,
    /// What is done.
    pub action: Option<Action>,
    /// Why, for whoever meets it.
    pub reason: Option<String>,
    /// Calls that fit, in one run, at most.
    pub per_run: Option<u64>,
    /// The same of one owner in a minute.
    pub per_minute: Option<u64>,
    /// The same of one owner in a day.
    pub per_day: Option<u64>,
}

/// One pattern or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Several {
    /// `"github.*"`.
    One(Glob),
    /// `["github.*", "gitlab.*"]`.
    Many(Vec<Glob>),
}

impl Several {
    /// Each of them.
    #[must_use]
    pub fn all(&self) -> &[Glob] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// One condition or several, all of which have to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Conditions {
    /// `"amount <= 1000"`.
    One(String),
    /// `["amount <= 1000", "repo in ['a', 'b']"]`.
    Many(Vec<String>),
}

impl Default for Conditions {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Conditions {
    /// Each of them.
    #[must_use]
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}
