//! Whether the tools of a skill are still what they were.

use std::collections::BTreeMap;

use catalog::{Catalog, CatalogServer, CatalogTool};
use skills::{Kept, Skill};

use super::{MOST_VERSIONS, Skillset};
use crate::tools::Tools;

/// The server and the tool that `server.tool` names, as far as they are known.
pub(crate) fn named<'c>(
    catalog: &'c Catalog,
    name: &str,
) -> Option<(&'c CatalogServer, Option<&'c CatalogTool>)> {
    // The name of a server may itself have a dot, so the longest that fits is meant.
    let fits = |server: &&CatalogServer| {
        name.strip_prefix(&server.name().0).is_some_and(|rest| rest.starts_with('.'))
    };
    let server = catalog.servers().filter(fits).max_by_key(|server| server.name().0.len())?;
    let tool = &name[server.name().0.len() + 1..];
    Some((server, server.tools().iter().find(|one| one.name().0 == tool)))
}

/// What the tools of a skill are now.
pub(crate) fn fingerprints(catalog: &Catalog, skill: &Skill) -> BTreeMap<String, String> {
    let now = skill.tools.iter().filter_map(|used| {
        let tool = named(catalog, &used.tool)?.1?;
        Some((used.tool.clone(), tool.fingerprint().to_string()))
    });
    now.collect()
}

/// Why a skill may no longer do what it did, from its tools alone.
pub(crate) fn changed(tools: &Tools, skill: &Skill) -> Option<String> {
    (!skill.tools.is_empty()).then(|| tools.catalog()).and_then(|known| changed_in(&known, skill))
}

/// The same for what is known of tools.
pub(crate) fn changed_in(catalog: &Catalog, skill: &Skill) -> Option<String> {
    let reasons: Vec<String> = skill
        .tools
        .iter()
        .filter_map(|used| {
            let then = used.fingerprint.as_ref()?;
            // Of a server that has not said what it offers nothing is certain.
            let (server, tool) = named(catalog, &used.tool)?;
            let Some(tool) = tool else {
                let name = &used.tool[server.name().0.len() + 1..];
                let is_withheld = catalog.withheld_tool(server.name(), name).is_some();
                let why = if is_withheld {
                    "changed, and waits to be accepted"
                } else {
                    "is not there any more"
                };
                return Some(format!("{} {why}", used.tool));
            };
            let same = tool.fingerprint().as_str() == then;
            (!same).then(|| format!("{} is not what it was when this was saved", used.tool))
        })
        .collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

impl Skillset {
    /// Versions of skills whose tools are not what they were when their examples last ran.
    pub(crate) fn due(&self, catalog: &Catalog) -> Vec<Kept> {
        let mut due = Vec::new();
        for scope in self.store.scopes() {
            for kept in self.store.in_scope(&scope).iter() {
                let older = kept.versions.iter().rev().take(MOST_VERSIONS);
                let older = older.filter(|version| **version != kept.skill.version);
                let older = older.filter_map(|version| self.store.version(kept, *version));
                let all = std::iter::once(kept.clone()).chain(older);
                due.extend(all.filter(|one| self.is_due(catalog, one)));
            }
        }
        due
    }

    fn is_due(&self, catalog: &Catalog, kept: &Kept) -> bool {
        let (skill, state) = (&kept.skill, &kept.state);
        if skill.tools.is_empty() {
            return false;
        }
        let saved = skill
            .tools
            .iter()
            .filter_map(|used| Some((used.tool.clone(), used.fingerprint.clone()?)));
        // What this process has seen says more than what is written: another one may know other servers.
        let last = self.seen().get(&key(kept)).cloned();
        let last = last.unwrap_or_else(|| {
            if state.checked.is_empty() { saved.collect() } else { state.checked.clone() }
        });
        skill.tools.iter().any(|used| match named(catalog, &used.tool) {
            // Of a server that has not said what it offers nothing is certain.
            None => false,
            Some((_, tool)) => {
                tool.map(|tool| tool.fingerprint().as_str())
                    != last.get(&used.tool).map(String::as_str)
            }
        })
    }

    /// Remembers what the tools of a version were when its examples ran.
    pub(crate) fn has_tried(&self, kept: &Kept, catalog: &Catalog) {
        self.seen().insert(key(kept), fingerprints(catalog, &kept.skill));
    }
}

fn key(kept: &Kept) -> super::Version {
    (kept.scope.clone(), kept.skill.name.clone(), kept.skill.version)
}
