//! Skills on disk.
//!
//! ```text
//! FOLDER/<scope>/<name>/<version>.json   what was saved; never changed afterwards
//! FOLDER/<scope>/<name>/state.json       which versions are stale, how often each was used
//! FOLDER/changed                         another file whenever any of the others is
//! ```
//!
//! Two processes may save the same skill at once: each gets a version of its own, because a version's
//! file is made and never replaced. Counts of use may lose some of another process's; nothing is
//! decided by them.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::name::{Name, Reader, Scope};
use crate::skill::{MAX_STORED, Skill, SkillError};

/// The most skills that one owner, team or everybody together keeps.
const MAX_SKILLS: usize = 500;
/// The most versions of one skill.
const MAX_VERSIONS: u32 = 1_000;
/// The most that all versions of all skills of one owner, team or everybody together have, in MiB.
const MAX_MIB: usize = 64;
/// The largest state that is read back.
const MAX_STATE: usize = 1 << 20;

/// Why a skill could not be kept or found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The skill itself is not one that can be kept.
    #[error(transparent)]
    Skill(#[from] SkillError),
    /// The disk did not do it.
    #[error("the skills in {} could not be {action}: {source}", path.display())]
    Disk {
        /// What was being done, as a participle: "read".
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There are as many as may be.
    #[error("there are already {allowed} {what}; remove one with `tidegate skill remove NAME`")]
    Full {
        /// What there are too many of.
        what: &'static str,
        /// How many there may be.
        allowed: usize,
    },
    /// There is none of that name.
    #[error("there is no skill called {name}{}", version.map(|it| format!(" with version {it}")).unwrap_or_default())]
    Unknown {
        /// What was asked for.
        name: Name,
        /// Which of its versions.
        version: Option<u32>,
    },
}

/// A skill as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Who sees it.
    pub scope: Scope,
    /// The skill.
    pub skill: Skill,
    /// What became of this version since.
    pub state: State,
    /// Every version there is, oldest first.
    pub versions: Vec<u32>,
}

/// What changes about a version after it was saved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// Why it may no longer do what it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<String>,
    /// The fingerprints it was last checked against, so that it is not checked again for nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub checked: BTreeMap<String, String>,
    /// How many programs called it.
    pub uses: u64,
    /// When one last did, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    scope: Scope,
    skill: Skill,
}

type States = BTreeMap<u32, State>;
/// Tells one `changed` from the next.
type Stamp = Option<(u64, SystemTime)>;
type Remembered = BTreeMap<Scope, Arc<Vec<Kept>>>;

/// Where skills are kept.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// What was read, as of which `changed`.
    read: Mutex<(Stamp, Remembered)>,
    /// One at a time writes what becomes of skills.
    writing: Mutex<()>,
}

impl Store {
    /// Keeps skills in `folder`, which is made when first written to.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        Self { folder, read: Mutex::default(), writing: Mutex::new(()) }
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Changes whenever a skill is saved, removed, used or found stale, by whichever process.
    #[must_use]
    pub fn stamp(&self) -> Option<(u64, SystemTime)> {
        let found = fs::metadata(self.folder.join("changed")).ok()?;
        Some((found.ino(), found.modified().ok()?))
    }

    /// The newest version of every skill that somebody sees, by name.
    #[must_use]
    pub fn visible(&self, to: &Reader) -> Vec<Kept> {
        let mut all: BTreeMap<Name, Kept> = BTreeMap::new();
        for scope in to.scopes() {
            for kept in self.in_scope(&scope).iter() {
                all.entry(kept.skill.name.clone()).or_insert_with(|| kept.clone());
            }
        }
        all.into_values().collect()
    }

    /// One skill that somebody sees, the newest version or the one that is asked for.
    pub fn find(&self, to: &Reader, name: &Name, version: Option<u32>) -> Result<Kept, StoreError> {
        let unknown = || StoreError::Unknown { name: name.clone(), version };
        let newest = to.scopes().iter().find_map(|scope| {
            self.in_scope(scope).iter().find(|kept| kept.skill.name == *name).cloned()
        });
        let newest = newest.ok_or_else(unknown)?;
        match version {
            Some(number) if number != newest.skill.version => {
                self.version(&newest, number).ok_or_else(unknown)
            }
            _ => Ok(newest),
        }
    }

    /// Another version of a skill.
    #[must_use]
    pub fn version(&self, of: &Kept, number: u32) -> Option<Kept> {
        let folder = self.folder_of(&of.scope, &of.skill.name);
        let skill = read_version(&folder, &of.scope, &of.skill.name, number)?;
        let state = states(&folder).remove(&number).unwrap_or_default();
        Some(Kept { scope: of.scope.clone(), skill, state, versions: of.versions.clone() })
    }

    /// Keeps a skill as the next version of its name. The same again is not a new version.
    pub fn save(&self, scope: &Scope, mut skill: Skill) -> Result<Kept, StoreError> {
        skill.check()?;
        let folder = self.folder_of(scope, &skill.name);
        let before = self.in_scope(scope);
        let newest = before.iter().find(|kept| kept.skill.name == skill.name);
        if newest.is_none() && before.len() >= MAX_SKILLS {
            return Err(StoreError::Full { what: "skills", allowed: MAX_SKILLS });
        }
        if let Some(kept) = newest.filter(|kept| kept.skill.is_like(&skill)) {
            return Ok(kept.clone());
        }
        let failed = |source| StoreError::Disk { action: "written", path: folder.clone(), source };
        // What tools answered is in the examples, and nobody else's on this machine.
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(failed)?;
        if stored_in(&self.folder.join(scope.folder())) > (MAX_MIB as u64) << 20 {
            return Err(StoreError::Full { what: "MiB of skills", allowed: MAX_MIB });
        }
        let mut version = versions(&folder).last().copied().unwrap_or(0);
        loop {
            version += 1;
            if version > MAX_VERSIONS {
                let allowed = MAX_VERSIONS as usize;
                return Err(StoreError::Full { what: "versions of this skill", allowed });
            }
            skill.version = version;
            let stored = Stored { scope: scope.clone(), skill };
            let bytes = serde_json::to_vec_pretty(&stored).map_err(|error| failed(error.into()))?;
            skill = stored.skill;
            if disk::create(&file_of(&folder, version), &bytes).map_err(failed)? {
                break;
            }
        }
        self.tell().map_err(failed)?;
        Ok(Kept {
            scope: scope.clone(),
            skill,
            state: State::default(),
            versions: versions(&folder),
        })
    }

    /// Removes a skill with all its versions.
    pub fn remove(&self, scope: &Scope, name: &Name) -> Result<(), StoreError> {
        let folder = self.folder_of(scope, name);
        let failed = |source| StoreError::Disk { action: "removed", path: folder.clone(), source };
        match fs::remove_dir_all(&folder) {
            Ok(()) => self.tell().map_err(failed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::Unknown { name: name.clone(), version: None })
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Changes what is known of one version since it was saved.
    pub fn note(
        &self,
        scope: &Scope,
        (name, version): (&Name, u32),
        change: impl FnOnce(&mut State),
    ) -> Result<(), StoreError> {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = self.folder_of(scope, name);
        if !file_of(&folder, version).exists() {
            return Err(StoreError::Unknown { name: name.clone(), version: Some(version) });
        }
        let mut all = states(&folder);
        let state = all.entry(version).or_default();
        let before = state.clone();
        change(state);
        if *state == before {
            return Ok(());
        }
        let failed = |source| StoreError::Disk { action: "written", path: folder.clone(), source };
        let bytes = serde_json::to_vec(&all).map_err(|error| failed(error.into()))?;
        disk::replace(&folder.join(STATE), &bytes).and_then(|()| self.tell()).map_err(failed)
    }

    /// The owners and teams that have skills, and everybody if there are some for everybody.
    #[must_use]
    pub fn scopes(&self) -> Vec<Scope> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut scopes: Vec<Scope> =
            entries.filter_map(|entry| scope_of(&entry.ok()?.path())).collect();
        scopes.sort();
        scopes
    }

    /// The teams that have skills.
    #[must_use]
    pub fn teams(&self) -> Vec<String> {
        let team = |scope| match scope {
            Scope::Team(team) => Some(team),
            Scope::Owner(_) | Scope::Global => None,
        };
        self.scopes().into_iter().filter_map(team).collect()
    }

    /// The newest version of every skill in one scope, by name.
    #[must_use]
    pub fn in_scope(&self, scope: &Scope) -> Arc<Vec<Kept>> {
        let stamp = self.stamp();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.0 != stamp {
            *read = (stamp, BTreeMap::new());
        }
        let of_scope = read.1.entry(scope.clone());
        Arc::clone(of_scope.or_insert_with(|| Arc::new(self.read_scope(scope))))
    }

    fn read_scope(&self, scope: &Scope) -> Vec<Kept> {
        let Ok(entries) = fs::read_dir(self.folder.join(scope.folder())) else { return Vec::new() };
        let names = entries.filter_map(|entry| Name::new(entry.ok()?.file_name().to_str()?).ok());
        let mut names: Vec<Name> = names.take(MAX_SKILLS).collect();
        names.sort();
        let newest = |name: Name| {
            let folder = self.folder_of(scope, &name);
            let versions = versions(&folder);
            let version = *versions.last()?;
            let skill = read_version(&folder, scope, &name, version)?;
            let state = states(&folder).remove(&version).unwrap_or_default();
            Some(Kept { scope: scope.clone(), skill, state, versions })
        };
        names.into_iter().filter_map(newest).collect()
    }

    fn folder_of(&self, scope: &Scope, name: &Name) -> PathBuf {
        self.folder.join(scope.folder()).join(name.as_str())
    }

    /// Says, to every process, that something is not as it was.
    fn tell(&self) -> io::Result<()> {
        disk::replace(&self.folder.join("changed"), b"")?;
        // Two changes within one tick of the file system's clock may look alike.
        self.read.lock().unwrap_or_else(PoisonError::into_inner).1.clear();
        Ok(())
    }
}

impl Skill {
    /// Whether the other one does the same and says the same.
    fn is_like(&self, other: &Self) -> bool {
        let Self { description, source, tools, examples, signature, .. } = self;
        (description, source, signature) == (&other.description, &other.source, &other.signature)
            && (tools, examples) == (&other.tools, &other.examples)
    }
}

const STATE: &str = "state.json";

fn file_of(folder: &Path, version: u32) -> PathBuf {
    folder.join(format!("{version}.json"))
}

/// Whose folder this is, as any of the skills in it says.
fn scope_of(folder: &Path) -> Option<Scope> {
    let skills = fs::read_dir(folder).ok()?;
    skills.filter_map(Result::ok).find_map(|skill| {
        let version = *versions(&skill.path()).last()?;
        let bytes = disk::read(&file_of(&skill.path(), version), 2 * MAX_STORED).ok()?;
        let scope = serde_json::from_slice::<Stored>(&bytes).ok()?.scope;
        // One that was copied here from elsewhere says nothing of this folder.
        folder.ends_with(scope.folder()).then_some(scope)
    })
}

/// The bytes of all skills in a scope's folder.
fn stored_in(scope: &Path) -> u64 {
    let files = |folder: fs::DirEntry| fs::read_dir(folder.path()).ok();
    let Ok(skills) = fs::read_dir(scope) else { return 0 };
    let all = skills.filter_map(|skill| files(skill.ok()?)).flatten();
    all.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum()
}

/// The versions there are, oldest first.
fn versions(folder: &Path) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let number = |entry: io::Result<fs::DirEntry>| {
        entry.ok()?.file_name().to_str()?.strip_suffix(".json")?.parse().ok()
    };
    let mut versions: Vec<u32> = entries.filter_map(number).collect();
    versions.sort_unstable();
    versions
}

/// One version, if its file is sound and in its place.
fn read_version(folder: &Path, scope: &Scope, name: &Name, version: u32) -> Option<Skill> {
    let bytes = disk::read(&file_of(folder, version), 2 * MAX_STORED).ok()?;
    let stored: Stored = serde_json::from_slice(&bytes).ok()?;
    let Stored { scope: of, skill } = stored;
    let in_place = of == *scope && skill.name == *name && skill.version == version;
    (in_place && skill.check().is_ok()).then_some(skill)
}

fn states(folder: &Path) -> States {
    let read = disk::read(&folder.join(STATE), MAX_STATE);
    read.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
