//! Skills: functions that programs keep, find and import.
//!
//! ```text
//! save_skill ──$save_skill──► Workshop ──examples run in a fresh guest──► skills::Store
//! /skills    ◄── files ────── Skillset ◄── what its owner sees ──────────────┘
//! ```
//!
//! A skill is source that its caller's guest runs: its calls are the caller's, under the same rules. What
//! one owner saves, no other sees. Nothing is saved before its examples have run; see [`Workshop`].

mod calls;
mod changed;
mod fetching;
mod installing;
mod rehearsal;
mod shown;
mod view;
mod workshop;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use catalog::search::{Index, Query};
use catalog::{Annotations, Catalog, Listing, ServerName, Tool, ToolName};
use engine::{Folder, Language};
use serde_json::json;
use skills::{Kept, Name, Reader, Scope, Store};

use crate::tools::Tools;

pub(crate) use self::calls::{NONE, SAVE, at_once};
pub(crate) use self::changed::{changed, changed_in};
pub use self::fetching::{Sources, fetch, index_of};
pub use self::installing::install;
pub(crate) use self::view::written;
pub use self::view::{SkillView, scope_of};
pub(crate) use self::workshop::somebodys;
pub use self::workshop::{Draft, Rehearsed, SaveError, Workshop};

/// What the search calls the server of all skills, and programs the package.
pub(crate) const PACKAGE: &str = "skills";

/// Older versions of one skill that can be imported; the store has all.
pub(crate) const MOST_VERSIONS: usize = 50;
/// Readers whose skills are remembered.
const MOST_READERS: usize = 64;
/// How long uses are counted in memory before they are written.
const COUNTED_FOR: Duration = Duration::from_secs(10);

/// The skills of everybody, each seen by those whom it belongs to.
pub struct Skillset {
    store: Store,
    sources: Sources,
    shelves: Mutex<(Stamp, BTreeMap<Reader, Arc<Shelf>>)>,
    uses: Mutex<Uses>,
    /// What the tools of a version were when it was last tried here.
    seen: Mutex<BTreeMap<Version, BTreeMap<String, String>>>,
}

/// One version of a skill.
pub(crate) type Version = (Scope, Name, u32);
type Stamp = Option<(u64, SystemTime)>;

/// What one reader sees.
pub(crate) struct Shelf {
    /// The newest of each, by name.
    pub(crate) skills: Vec<Kept>,
    /// Their older versions, without examples.
    older: Vec<Kept>,
    index: Index,
    /// What programs see of it, with the tools as they are.
    shown: Mutex<Option<Shown>>,
}

/// A folder, and what was known when it was made.
struct Shown {
    catalog: Option<Arc<Catalog>>,
    /// Why each may be out of date.
    reasons: Vec<Option<String>>,
    folder: Arc<Folder>,
}

/// Uses that are not written yet.
#[derive(Default)]
struct Uses {
    counted: BTreeMap<Version, u64>,
    since: Option<Instant>,
}

impl Skillset {
    /// The skills that are kept in a folder, which is made when the first is saved.
    #[must_use]
    pub fn at(folder: PathBuf, sources: Sources) -> Arc<Self> {
        let (shelves, uses, seen) = (Mutex::default(), Mutex::default(), Mutex::default());
        Arc::new(Self { store: Store::at(folder), sources, shelves, uses, seen })
    }

    /// Where they are kept.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Where packs come from.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// What a reader's programs of a language find under `/skills`; nothing if there are none.
    pub(crate) fn folder(
        &self,
        reader: &Reader,
        tools: &Tools,
        language: Language,
    ) -> Option<Arc<Folder>> {
        let shelf = self.shelf(reader);
        if shelf.skills.is_empty() {
            return None;
        }
        let python = shelf.folder(tools);
        Some(match language {
            Language::Python => python,
            Language::TypeScript => Arc::new(shown::in_typescript(&python, &shelf.skills)),
        })
    }

    /// The same with one that is not saved yet.
    pub(crate) fn folder_with(&self, reader: &Reader, candidate: &skills::Skill) -> Arc<Folder> {
        let kept = Kept {
            scope: Scope::Owner(reader.owner.clone()),
            skill: candidate.clone(),
            state: skills::State::default(),
            versions: Vec::new(),
        };
        let shelf = self.shelf(reader);
        let others = |one: &&Kept| one.skill.name != candidate.name;
        let mut skills: Vec<Kept> = shelf.skills.iter().filter(others).cloned().collect();
        skills.push(kept);
        // The next version may call the one before it.
        let before = shelf.skills.iter().filter(|one| one.skill.name == candidate.name);
        let older: Vec<Kept> = shelf.older.iter().chain(before).cloned().collect();
        Arc::new(shown::folder(&skills, &older, &|kept| kept.state.stale.clone()))
    }

    /// The skills a reader sees that a text names.
    pub(crate) fn named_in(&self, reader: &Reader, text: &str) -> Vec<Kept> {
        if !text.contains(PACKAGE) {
            return Vec::new();
        }
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
        let words: std::collections::BTreeSet<&str> =
            text.split(|letter: char| !is_letter(letter)).collect();
        let shelf = self.shelf(reader);
        let named = words.into_iter().filter_map(|word| {
            let (name, version) = Name::with_version(word).ok()?;
            let at = shelf.skills.binary_search_by(|kept| kept.skill.name.cmp(&name)).ok()?;
            let kept = &shelf.skills[at];
            match version.filter(|version| *version != kept.skill.version) {
                Some(other) => self.store.version(kept, other),
                None => Some(kept.clone()),
            }
        });
        named.collect()
    }

    /// Skills that fit a few words, the best first; all of them where there are no words. The second
    /// is how many fit.
    #[must_use]
    pub fn find(&self, reader: &Reader, query: &str, limit: usize) -> (Vec<Kept>, usize) {
        let shelf = self.shelf(reader);
        if query.trim().is_empty() {
            let all = shelf.skills.iter().take(limit).cloned().collect();
            return (all, shelf.skills.len());
        }
        let query = Query { text: query, server: None, limit, meaning: None };
        let Ok(found) = shelf.index.search(&query) else { return (Vec::new(), 0) };
        let kept = |name: &str| shelf.skills.iter().find(|kept| kept.skill.name.as_str() == name);
        let hits = found.hits.iter().filter_map(|hit| kept(&hit.tool.0).cloned());
        (hits.collect(), found.matching)
    }

    /// Counts that a program called a skill.
    pub(crate) fn used(&self, reader: &Reader, name: &Name, version: Option<u32>) {
        let Ok(kept) = self.store.find(reader, name, version) else { return };
        let mut uses = self.uses();
        let key = (kept.scope, kept.skill.name, kept.skill.version);
        *uses.counted.entry(key).or_default() += 1;
        uses.since.get_or_insert_with(Instant::now);
    }

    /// Uses of a version that are counted and not written yet.
    pub(crate) fn unwritten(&self, kept: &Kept) -> u64 {
        let key = (kept.scope.clone(), kept.skill.name.clone(), kept.skill.version);
        self.uses().counted.get(&key).copied().unwrap_or_default()
    }

    /// Writes uses that were counted a while ago.
    pub(crate) fn keep_soon(&self) {
        if self.uses().since.is_some_and(|since| since.elapsed() > COUNTED_FOR) {
            self.keep_now();
        }
    }

    /// Writes all uses.
    pub(crate) fn keep_now(&self) {
        let uses = std::mem::take(&mut *self.uses());
        for ((scope, name, version), count) in uses.counted {
            let noted = self.store.note(&scope, (&name, version), |state| {
                state.uses += count;
                state.last_used = Some(now());
            });
            if let Err(error) = noted {
                tracing::debug!(skill = %name, error = %error, "uses of a skill are not counted");
            }
        }
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<Version, BTreeMap<String, String>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn shelf(&self, reader: &Reader) -> Arc<Shelf> {
        let stamp = self.store.stamp();
        let known = || self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut shelves = known();
            if shelves.0 != stamp || shelves.1.len() > MOST_READERS {
                *shelves = (stamp, BTreeMap::new());
            }
            if let Some(shelf) = shelves.1.get(reader) {
                return Arc::clone(shelf);
            }
        }
        // Read without the lock, so that nobody waits for somebody else's skills.
        let shelf = Arc::new(Shelf::new(&self.store, reader));
        let mut shelves = known();
        if shelves.0 == stamp {
            shelves.1.insert(reader.clone(), Arc::clone(&shelf));
        }
        shelf
    }
}

impl Shelf {
    fn new(store: &Store, reader: &Reader) -> Self {
        let skills = store.visible(reader);
        let listing = Listing {
            server: ServerName(PACKAGE.to_owned()),
            title: None,
            version: None,
            description: None,
            tools: skills.iter().map(as_tool).collect(),
        };
        let index = Index::default().refreshed(&Catalog::new(vec![Arc::new(listing)]));
        let older = skills.iter().flat_map(|kept| older(store, kept)).collect();
        Self { skills, older, index, shown: Mutex::default() }
    }

    /// What programs see of it, which says of each skill whether its tools are what they were.
    fn folder(&self, tools: &Tools) -> Arc<Folder> {
        let all = || self.skills.iter().chain(&self.older);
        // Where none calls a tool, nobody is asked what tools there are.
        let catalog = all().any(|kept| !kept.skill.tools.is_empty()).then(|| tools.catalog());
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &Shown| match (&known.catalog, &catalog) {
            (Some(known), Some(now)) => Arc::ptr_eq(known, now),
            (None, None) => true,
            _ => false,
        };
        if let Some(known) = shown.as_ref().filter(|known| is_same(known)) {
            return Arc::clone(&known.folder);
        }
        let why = |kept: &Kept| {
            let marked = kept.state.stale.clone();
            marked.or_else(|| changed_in(catalog.as_deref()?, &kept.skill))
        };
        let reasons: Vec<Option<String>> = all().map(why).collect();
        let folder = match shown.take() {
            Some(known) if known.reasons == reasons => known.folder,
            _ => Arc::new(shown::folder(&self.skills, &self.older, &why)),
        };
        *shown = Some(Shown { catalog, reasons, folder: Arc::clone(&folder) });
        folder
    }
}

/// The older versions of a skill that can be imported, without their examples.
fn older(store: &Store, kept: &Kept) -> Vec<Kept> {
    let numbers = kept.versions.iter().rev().take(MOST_VERSIONS);
    let numbers = numbers.filter(|number| **number != kept.skill.version);
    let mut older: Vec<Kept> = numbers.filter_map(|number| store.version(kept, *number)).collect();
    for one in &mut older {
        one.skill.examples = Vec::new();
    }
    older
}

/// A skill as the search knows tools.
fn as_tool(kept: &Kept) -> Tool {
    Tool {
        name: ToolName(kept.skill.name.to_string()),
        title: None,
        description: Some(kept.skill.description.clone()),
        input_schema: json!({ "type": "object" }),
        output_schema: None,
        annotations: Annotations::default(),
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
