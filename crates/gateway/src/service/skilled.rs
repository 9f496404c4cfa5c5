//! Skills of many owners: seen, saved, tried and taken away on behalf of a caller.

use std::sync::Arc;

use engine::{Engine, Language};
use skills::{Kept, Listed, Name, Pack, Skill, StoreError as KeptError};

use super::ids::RunId;
use super::{Caller, Refusal, Scope, Service};
use crate::behalf::Behalf;
use crate::skillset::{
    Draft, Rehearsed, SaveError, SkillView, Skillset, Workshop, fetch, index_of, install, scope_of,
    somebodys, written,
};

/// What was installed.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Installed {
    /// The pack.
    pub pack: String,
    /// Its version.
    pub version: String,
    /// Its skills, as they are here now.
    pub skills: Vec<SkillView>,
}

impl Service {
    fn skillset(&self) -> Result<&Arc<Skillset>, Refusal> {
        let none = || Refusal::Skill(crate::skillset::NONE.to_owned());
        self.parts.tools.skillset().ok_or_else(none)
    }

    /// Skills that a caller sees, the best first; all where there are no words.
    pub fn skills(
        &self,
        caller: &Caller,
        query: &str,
        limit: usize,
    ) -> Result<Vec<SkillView>, Refusal> {
        let skillset = self.skillset()?;
        let (found, _) = skillset.find(&caller.reader(), query, limit);
        Ok(found.iter().map(|kept| self.view(skillset, kept)).collect())
    }

    /// One skill, and all of it.
    pub fn skill(
        &self,
        caller: &Caller,
        name: &str,
        version: Option<u32>,
    ) -> Result<(SkillView, Skill), Refusal> {
        let (skillset, kept) = (self.skillset()?, self.kept(caller, name, version)?);
        Ok((self.view(skillset, &kept), kept.skill))
    }

    /// Saves a skill once its examples have run.
    pub async fn save_skill(&self, caller: &Caller, draft: Draft) -> Result<SkillView, Refusal> {
        let scope = Self::allowed_scope(caller, draft.scope.as_deref().unwrap_or_default())?;
        let skillset = self.skillset()?;
        let _pass = self.gate.ticket(&caller.owner)?.enter().await;
        let workshop = self.workshop(caller).await?;
        let kept = workshop.save(draft, scope).await.map_err(refused)?;
        Ok(self.view(skillset, &kept))
    }

    /// Runs the examples of a skill again, and marks it as they say.
    pub async fn test_skill(
        &self,
        caller: &Caller,
        name: &str,
        version: Option<u32>,
    ) -> Result<Rehearsed, Refusal> {
        let kept = self.kept(caller, name, version)?;
        let _pass = self.gate.ticket(&caller.owner)?.enter().await;
        let workshop = self.workshop(caller).await?;
        // What one caller may not write, one does not call stale for all others either.
        let marks = Self::allowed_scope(caller, &written(&kept.scope)).is_ok();
        workshop.test_now(&kept, marks).await.map_err(refused)
    }

    /// Takes a skill away, with all its versions.
    pub fn remove_skill(&self, caller: &Caller, name: &str, scope: &str) -> Result<(), Refusal> {
        let scope = Self::allowed_scope(caller, scope)?;
        let name = name_of(name)?;
        self.skillset()?.store().remove(&scope, &name).map_err(kept)
    }

    /// Packs that can be installed: those in the indexes that the operator named.
    pub async fn packs(&self) -> Result<Vec<Listed>, Refusal> {
        let mut all = Vec::new();
        for source in &self.skillset()?.sources().indexes {
            let index = index_of(source).await.map_err(Refusal::Skill)?;
            all.extend(index.into_iter().flat_map(|index| index.packs));
        }
        Ok(all)
    }

    /// Installs the skills of a pack from one of the indexes that the operator named, if it is signed
    /// by somebody whom the operator trusts.
    pub async fn install_pack(
        &self,
        caller: &Caller,
        (wanted, scope): (&str, &str),
    ) -> Result<Installed, Refusal> {
        let scope = Self::allowed_scope(caller, scope)?;
        somebodys(&scope).map_err(refused)?;
        let skillset = self.skillset()?;
        // Also for as long as it is fetched, so that nobody has us fetch without end.
        let _pass = self.gate.ticket(&caller.owner)?.enter().await;
        let sources = skillset.sources();
        let mut problem =
            "no index of packs is named (setting `indexes` under [skills])".to_owned();
        let mut found: Option<Pack> = None;
        for source in &sources.indexes {
            match fetch(source, Some(wanted), &sources.trust).await {
                Ok(pack) => {
                    found = Some(pack);
                    break;
                }
                Err(said) => problem = said,
            }
        }
        let pack = found.ok_or(Refusal::Skill(problem))?;
        let workshop = self.workshop(caller).await?;
        let installed = install(skillset, &workshop, &pack, &scope).await.map_err(refused)?;
        let skills = installed.iter().map(|kept| self.view(skillset, kept)).collect();
        let manifest = &pack.manifest;
        Ok(Installed { pack: manifest.name.to_string(), version: manifest.version.clone(), skills })
    }

    fn view(&self, skillset: &Skillset, kept: &Kept) -> SkillView {
        SkillView::new(skillset, &self.parts.tools, kept)
    }

    fn kept(&self, caller: &Caller, name: &str, version: Option<u32>) -> Result<Kept, Refusal> {
        let (name, numbered) =
            Name::with_version(name).map_err(|error| Refusal::NoSkill(error.to_string()))?;
        let store = self.skillset()?.store();
        store.find(&caller.reader(), &name, version.or(numbered)).map_err(kept)
    }

    fn allowed_scope(caller: &Caller, scope: &str) -> Result<skills::Scope, Refusal> {
        let problem = |problem| Refusal::Unfit { field: "scope", problem };
        scope_of(scope, &caller.reader(), caller.may(Scope::Admin)).map_err(problem)
    }

    /// On whose behalf skills are tried: counted, labelled and approved apart from all else that an owner does.
    pub(super) fn of_workshop(&self, owner: String, teams: Vec<String>) -> Behalf {
        let run = RunId::of_owner(&owner);
        let (session, level) = (format!("skills:{run}"), self.settings.level);
        let run = run.as_str().to_owned();
        Behalf { owner, teams, session, run, ..Behalf::local(level) }
    }

    async fn workshop(&self, caller: &Caller) -> Result<Workshop, Refusal> {
        // Skills are Python, whatever the programs of a session are.
        let engine: Arc<dyn Engine> = self.engine(Language::Python).await?;
        let behalf = self.of_workshop(caller.owner.clone(), caller.teams.clone());
        let (nursery, limits) = (self.nursery(&engine), self.settings.limits.clone());
        let none = || Refusal::Skill(crate::skillset::NONE.to_owned());
        Workshop::new(nursery, &self.parts.tools, behalf, limits).ok_or_else(none)
    }
}

fn name_of(name: &str) -> Result<Name, Refusal> {
    Name::new(name).map_err(|error| Refusal::NoSkill(error.to_string()))
}

fn kept(error: KeptError) -> Refusal {
    match error {
        KeptError::Unknown { .. } => Refusal::NoSkill(error.to_string()),
        other => Refusal::Skill(other.to_string()),
    }
}

fn refused(error: SaveError) -> Refusal {
    match error {
        SaveError::Store(error) => kept(error),
        SaveError::Sandbox(problem) => Refusal::Sandbox(problem),
        other => Refusal::Skill(other.to_string()),
    }
}
