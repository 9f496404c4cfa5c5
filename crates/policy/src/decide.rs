//! What is decided about one call, and by which rule.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::flow::Flow;
use crate::rule::{Hints, PolicyError, Rule};
use crate::settings::{Action, Annotation, Defaults, PolicySettings};

/// What rules call a program's question to a model.
pub const ASK_MODEL: &str = "tidegate.ask_model";

/// A call that somebody wants to make.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The server, by its configured name.
    pub server: &'a str,
    /// The tool, by the server's own name for it.
    pub tool: &'a str,
    /// What the server says about it.
    pub hints: Hints,
    /// Whether what makes it look harmless is believed.
    pub is_trusted: bool,
    /// Who wants to.
    pub owner: &'a str,
    /// What the agent is called whose program it is; empty where it has no name.
    pub agent: &'a str,
    /// The level of the session.
    pub level: &'a str,
    /// With what.
    pub arguments: &'a Map<String, Value>,
}

impl Question<'_> {
    /// As rules and people write it.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.server, self.tool)
    }
}

/// What is decided.
///
/// The later one is the stricter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is made.
    Allow,
    /// Somebody is asked.
    Ask,
    /// It is not made.
    Deny,
}

impl From<Action> for Verdict {
    fn from(action: Action) -> Self {
        match action {
            Action::Allow => Self::Allow,
            Action::Deny => Self::Deny,
            Action::Ask => Self::Ask,
        }
    }
}

/// What is decided about a call, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What.
    pub verdict: Verdict,
    /// By which rule: its name, or the setting that holds where none fits.
    pub rule: String,
    /// Why, in words.
    pub reason: String,
    /// How many such calls there may be.
    pub limits: Vec<Limit>,
    /// What wants it so, as it is written, where `rule` may be no more than a place in a file: who approves
    /// such calls for a whole session approves these and no others.
    #[serde(skip)]
    pub grounds: Vec<String>,
}

impl Decision {
    /// What two say of one call: the stricter of them, and where both ask, both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let (mut stricter, laxer) =
            if other.verdict > self.verdict { (other, self) } else { (self, other) };
        let both_ask = (stricter.verdict, laxer.verdict) == (Verdict::Ask, Verdict::Ask);
        let new: Vec<String> =
            laxer.grounds.into_iter().filter(|one| !stricter.grounds.contains(one)).collect();
        if both_ask && !new.is_empty() {
            stricter.rule = format!("{}, {}", stricter.rule, laxer.rule);
            stricter.reason = format!("{}; {}", stricter.reason, laxer.reason);
            stricter.grounds.extend(new);
        }
        for limit in laxer.limits {
            if !stricter.limits.contains(&limit) {
                stricter.limits.push(limit);
            }
        }
        stricter
    }
}

/// How often calls may be made that a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Limit {
    /// The rule.
    pub rule: String,
    /// In which time.
    pub per: Per,
    /// How often.
    pub most: u64,
}

/// What calls are counted over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// One run.
    Run,
    /// One owner, in a minute.
    Minute,
    /// One owner, in a day.
    Day,
}

impl Per {
    /// The setting's name.
    #[must_use]
    pub fn setting(self) -> &'static str {
        match self {
            Self::Run => "per-run",
            Self::Minute => "per-minute",
            Self::Day => "per-day",
        }
    }
}

/// A limit that was met.
pub type Limited = Limit;

/// Everything an operator decided beforehand.
#[derive(Debug, Clone)]
pub struct Policy {
    settings: PolicySettings,
    rules: Vec<Rule>,
    flow: Flow,
}

impl Policy {
    /// Reads rules. `levels` are the names of the levels that there are.
    ///
    /// # Errors
    /// When a rule cannot be read, does nothing, or can never decide.
    pub fn new(settings: PolicySettings, levels: &[&str]) -> Result<Self, PolicyError> {
        let mut rules: Vec<Rule> = Vec::with_capacity(settings.rules.len());
        for (at, written) in settings.rules.iter().enumerate() {
            let rule = Rule::new(at + 1, written, levels)?;
            if rules.iter().any(|before| before.name == rule.name) {
                return Err(PolicyError::SameName { name: rule.name });
            }
            // One that only counts does so wherever it stands.
            let hiding = rule.action.map_or_else(Vec::new, |_| rule.hidden_by(&rules, levels));
            if !hiding.is_empty() {
                let said = |one: &&Rule| {
                    format!("{} says \"{}\"", one.name, one.action.map_or("nothing", word))
                };
                let earlier = hiding.iter().map(said).collect::<Vec<_>>().join(", ");
                return Err(PolicyError::Unreached { rule: rule.name, earlier });
            }
            rules.push(rule);
        }
        let flow = Flow::new(&settings.flow)?;
        Ok(Self { settings, rules, flow })
    }

    /// As it is written.
    #[must_use]
    pub fn settings(&self) -> &PolicySettings {
        &self.settings
    }

    /// Where data may go.
    #[must_use]
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// What is decided about a call.
    #[must_use]
    pub fn decide(&self, question: &Question<'_>) -> Decision {
        let mut limits = Vec::new();
        let mut decided = None;
        for rule in &self.rules {
            let Some(fit) = rule.fits(question) else { continue };
            limits.extend(rule.limits.iter().cloned());
            if let (None, Some(action)) = (&decided, rule.action) {
                let said = reason(rule, action, &fit.unclear);
                decided = Some((action, rule.name.clone(), said, rule.written.clone()));
            }
        }
        let (action, rule, reason, ground) = decided.unwrap_or_else(|| {
            let (action, setting, why) = self.otherwise(question);
            (action, setting.clone(), why, setting)
        });
        Decision { verdict: action.into(), rule, reason, limits, grounds: vec![ground] }
    }

    /// What holds where no rule decides.
    fn otherwise(&self, question: &Question<'_>) -> (Action, String, String) {
        let Defaults { reads, writes, destructive, unannotated, models } =
            self.settings.defaults(question.level == "hardened");
        let said = |what| question.hints.say(what, question.is_trusted);
        let (action, setting, why) = if question.name() == ASK_MODEL {
            (models, "models", "it gives what the program says to a model")
        } else if said(Annotation::Destructive) {
            (destructive, "destructive", "its server says that it may destroy something")
        } else if said(Annotation::ReadOnly) {
            (reads, "reads", "it only reads, as its server, which is trusted, or the operator says")
        } else if said(Annotation::Unannotated) {
            (unannotated, "unannotated", "nothing that is believed is said about what it does")
        } else {
            (
                writes,
                "writes",
                "it changes something, as its server, which is trusted, or the operator says",
            )
        };
        (
            action,
            format!("policy.{setting}"),
            format!("{why}, and `{setting}` is \"{}\"", word(action)),
        )
    }
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Deny => "deny",
        Action::Ask => "ask",
    }
}

fn reason(rule: &Rule, action: Action, unclear: &[String]) -> String {
    let said =
        rule.reason.clone().unwrap_or_else(|| format!("{} says \"{}\"", rule.name, word(action)));
    if unclear.is_empty() {
        return said;
    }
    let unclear = unclear.join("`, `");
    format!("{said} (`{unclear}` cannot be judged of these arguments, and counts as met)")
}
