//! Skills of a pack, on their way in.

use std::sync::Arc;

use skills::{Kept, Pack, Scope, StoreError};

use super::workshop::somebodys;
use super::{SaveError, Skillset, Workshop, now};

/// What is said of a skill between its coming and the end of its examples.
const UNTRIED: &str =
    "installed, and its examples have not been tried here yet; run `tidegate skill test`";

/// Keeps the skills of a pack, and marks those whose examples do not pass here.
///
/// # Errors
/// When one cannot be kept.
pub async fn install(
    skillset: &Arc<Skillset>,
    workshop: &Workshop,
    pack: &Pack,
    scope: &Scope,
) -> Result<Vec<Kept>, SaveError> {
    somebodys(scope)?;
    let manifest = &pack.manifest;
    let mut installed = Vec::new();
    for skill in &pack.skills {
        // What does not fit is found before anything is kept.
        skill.check().map_err(StoreError::from)?;
    }
    for skill in &pack.skills {
        let mut skill = skill.clone();
        skill.author = format!("{} {}", manifest.name, manifest.version);
        skill.saved = now();
        let kept = skillset.store().save(scope, skill)?;
        // Whatever ends this half-way, nobody takes it for one that works here.
        skillset.store().note(scope, (&kept.skill.name, kept.skill.version), |state| {
            state.stale = Some(UNTRIED.to_owned());
        })?;
        installed.push(kept);
    }
    // Only now, because one may import another.
    for kept in &mut installed {
        kept.state.stale = workshop.test(kept, true).await?.stale;
    }
    Ok(installed)
}
