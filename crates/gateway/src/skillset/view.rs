//! A skill as it is shown, and scopes as they are written.

use serde::Serialize;
use skills::{Kept, Reader, Scope, Used};

use super::{Skillset, changed};
use crate::tools::Tools;

/// What is said of a skill.
#[derive(Debug, Clone, Serialize)]
pub struct SkillView {
    /// What programs import.
    pub name: String,
    /// Which of its versions this is.
    pub version: u32,
    /// The versions there are.
    pub versions: Vec<u32>,
    /// How it is called.
    pub signature: String,
    /// What it does.
    pub description: String,
    /// How a program gets it.
    pub import: String,
    /// Who sees it: `own`, `team:NAME` or `global`.
    pub scope: String,
    /// The tools it calls, and what they were when it was saved.
    pub tools: Vec<Used>,
    /// How many examples run before it is saved.
    pub examples: usize,
    /// Programs that called this version.
    pub uses: u64,
    /// When one last did, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<u64>,
    /// Who saved it, or the pack it came in.
    pub author: String,
    /// When, in seconds since 1970.
    pub saved: u64,
    /// Why it may no longer do what it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<String>,
}

impl SkillView {
    /// What is said of a skill, now that the tools are what they are.
    #[must_use]
    pub fn new(skillset: &Skillset, tools: &Tools, kept: &Kept) -> Self {
        let skill = &kept.skill;
        let newest = kept.versions.last().is_none_or(|newest| *newest == skill.version);
        let import = if newest {
            format!("from skills import {}", skill.name)
        } else {
            format!("from skills import {}_v{}", skill.name, skill.version)
        };
        Self {
            name: skill.name.to_string(),
            version: skill.version,
            versions: kept.versions.clone(),
            signature: skill.signature.clone(),
            description: skill.description.clone(),
            import,
            scope: written(&kept.scope),
            tools: skill.tools.clone(),
            examples: skill.examples.len(),
            uses: kept.state.uses + skillset.unwritten(kept),
            last_used: kept.state.last_used,
            author: skill.author.clone(),
            saved: skill.saved,
            stale: kept.state.stale.clone().or_else(|| changed(tools, skill)),
        }
    }
}

pub(crate) fn written(scope: &Scope) -> String {
    match scope {
        Scope::Owner(_) => "own".to_owned(),
        Scope::Team(team) => format!("team:{team}"),
        Scope::Global => "global".to_owned(),
    }
}

/// The scope that a text names, if this reader may write there.
///
/// # Errors
/// What would be right instead.
pub fn scope_of(text: &str, reader: &Reader, may_all: bool) -> Result<Scope, String> {
    let teams = || match reader.teams.len() {
        0 => "you are in no team".to_owned(),
        _ => format!("your teams: {}", reader.teams.join(", ")),
    };
    match text {
        "" | "own" => Ok(Scope::Owner(reader.owner.clone())),
        "team" => match &reader.teams[..] {
            [team] => Ok(Scope::Team(team.clone())),
            _ => Err(format!("say which team, as team:NAME; {}", teams())),
        },
        "global" if may_all => Ok(Scope::Global),
        "global" => Err("skills for everybody are saved by whoever runs the gateway".to_owned()),
        other => match other.strip_prefix("team:") {
            Some("") => Err(format!("say which team, as team:NAME; {}", teams())),
            Some(team) if may_all || reader.teams.iter().any(|one| one == team) => {
                Ok(Scope::Team(team.to_owned()))
            }
            Some(team) => Err(format!("you are not in the team {team:?}; {}", teams())),
            None => Err(format!("the scope is own, team:NAME or global, not {other:?}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_writes_where_they_do_not_belong() {
        let ada = Reader { owner: "ada".to_owned(), teams: vec!["ops".to_owned()] };
        assert_eq!(scope_of("own", &ada, false), Ok(Scope::Owner("ada".to_owned())));
        assert_eq!(scope_of("team", &ada, false), Ok(Scope::Team("ops".to_owned())));
        assert_eq!(scope_of("team:ops", &ada, false), Ok(Scope::Team("ops".to_owned())));
        assert!(scope_of("team:", &ada, true).unwrap_err().contains("say which team"));
        assert!(scope_of("team:dev", &ada, false).unwrap_err().contains("your teams: ops"));
        assert!(scope_of("global", &ada, false).is_err());
        assert_eq!(scope_of("global", &ada, true), Ok(Scope::Global));
        assert!(scope_of("owner:bob", &ada, true).is_err());
    }
}
