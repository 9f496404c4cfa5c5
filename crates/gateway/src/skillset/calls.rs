//! What programs ask for: saving a skill, finding some, and counting one that was called.

use std::sync::Arc;

use engine::{CallError, CallResult, HostCall};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use skills::Name;

use super::view::scope_of;
use super::{Draft, SaveError, SkillView, Workshop};
use crate::behalf::Behalf;
use crate::judge::DENIED;
use crate::tools::Tools;

/// Saves a skill.
pub(crate) const SAVE: &str = "$save_skill";
/// Finds skills.
pub(crate) const SEARCH: &str = "$search_skills";
/// Counts that one was called.
pub(crate) const USED: &str = "$used_skill";

/// What saving fails with in a program.
const FAILED: &str = "SkillError";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default)]
    query: String,
    limit: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Called {
    skill: String,
}

/// Answers what takes no time.
pub(crate) fn at_once(tools: &Arc<Tools>, call: &HostCall, behalf: &Behalf) -> Option<CallResult> {
    let result = match call.name.as_str() {
        SEARCH => search(tools, &call.arguments, behalf),
        USED => used(tools, &call.arguments, behalf),
        _ => return None,
    };
    Some(CallResult { id: call.id, result })
}

fn search(
    tools: &Arc<Tools>,
    arguments: &RawValue,
    behalf: &Behalf,
) -> Result<Box<RawValue>, CallError> {
    let asked: Asked = serde_json::from_str(arguments.get())
        .map_err(|error| fault("ArgumentError", format!("search_skills(): {error}")))?;
    let Some(skillset) = tools.skillset() else {
        return raw(&json!({ "skills": [], "matching": 0 }));
    };
    let (found, matching) = skillset.find(&behalf.reader(), &asked.query, asked.limit);
    let shown: Vec<_> = found.iter().map(|kept| SkillView::new(skillset, tools, kept)).collect();
    raw(&json!({ "skills": shown, "matching": matching }))
}

fn used(
    tools: &Arc<Tools>,
    arguments: &RawValue,
    behalf: &Behalf,
) -> Result<Box<RawValue>, CallError> {
    let called: Called = serde_json::from_str(arguments.get())
        .map_err(|error| fault("ArgumentError", error.to_string()))?;
    if let Some(skillset) = tools.skillset()
        && let Ok((name, version)) = Name::with_version(&called.skill)
    {
        skillset.used(&behalf.reader(), &name, version);
    }
    Ok(RawValue::NULL.to_owned())
}

impl Workshop {
    /// Saves what a program wants saved.
    pub(crate) async fn save_for_program(
        &self,
        tools: &Arc<Tools>,
        arguments: &RawValue,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let draft: Draft = serde_json::from_str(arguments.get())
            .map_err(|error| fault("ArgumentError", format!("save_skill(): {error}")))?;
        let failed = |error: String| fault(FAILED, format!("save_skill(): {error}"));
        let scope = draft.scope.clone().unwrap_or_default();
        let scope = scope_of(&scope, &behalf.reader(), false).map_err(failed)?;
        let kept = self.save(draft, scope).await.map_err(|error| match error {
            error @ SaveError::Flow { .. } => fault(DENIED, format!("save_skill(): {error}")),
            error => failed(error.to_string()),
        })?;
        let Some(skillset) = tools.skillset() else { return Err(failed(NONE.to_owned())) };
        raw(&SkillView::new(skillset, tools, &kept))
    }
}

/// Where no skills are kept.
pub(crate) const NONE: &str = "skills are not kept here";

pub(crate) fn fault(kind: &str, message: String) -> CallError {
    CallError { kind: kind.to_owned(), message }
}

fn raw(value: &impl serde::Serialize) -> Result<Box<RawValue>, CallError> {
    to_raw_value(value).map_err(|error| fault("ServerError", error.to_string()))
}
