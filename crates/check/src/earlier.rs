//! What earlier programs of a session left, as far as their texts tell.
//!
//! Of every name that a program may have bound at its top level it is known whether that is something
//! imported, and what, or anything else. Nothing here depends on whether a program came to its end: what it
//! may have done is enough. A later program is then read as if it began with those imports, and its other
//! names as if they came from a module that nobody knows.
//!
//! Where nobody can tell what a program did to names, nothing is known from then on.

mod leaves;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use ruff_python_ast::{AnyNodeRef, Stmt};
use ruff_text_size::{Ranged as _, TextRange, TextSize};
use serde::{Deserialize, Serialize};

use crate::checker::Known;
use crate::names::Names;
use crate::scopes::Scopes;
use crate::tree::{Id, Tree};

/// The module that names come from of which nothing is known.
const NOWHERE: &str = "_left_by_earlier_programs";

/// What the names of a session mean where they were written down. A reader that means something else by
/// them counts on.
const VERSION: u32 = 1;

/// What earlier programs left. By default nobody knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left(Option<Arc<Bound>>);

/// The names of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    /// The lines that bind those that stand for what they were imported as.
    imports: BTreeMap<String, String>,
    /// Those that may be anything.
    others: BTreeSet<String>,
    /// Those that functions and generators use that are still there.
    used: BTreeSet<String>,
}

/// The same in the store of a gateway.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored<B> {
    version: u32,
    bound: B,
}

impl Left {
    /// What there is where nothing ran before.
    #[must_use]
    pub fn nothing() -> Self {
        Self(Some(Arc::default()))
    }

    /// Whether anything is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// What is known as text that [`Self::from_stored`] reads; `None` where nobody knows. It is as long as
    /// the names that it holds, and those are bounded.
    #[must_use]
    pub fn to_stored(&self) -> Option<String> {
        let bound = self.0.as_deref()?;
        serde_json::to_string(&Stored { version: VERSION, bound }).ok()
    }

    /// What an earlier process wrote down. What another version wrote, or nobody, says nothing.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        let read = serde_json::from_str::<Stored<Bound>>(text).ok();
        let known = read.filter(|one| one.version == VERSION && !one.bound.is_too_large());
        Self(known.map(|one| Arc::new(one.bound)))
    }

    /// The imports of earlier programs that a program relies on, in lines.
    #[must_use]
    pub fn imports_for(&self, source: &str) -> String {
        let all = self.0.iter().flat_map(|bound| &bound.imports);
        let used = all.filter(|(name, _)| source.contains(name.as_str()));
        used.fold(String::new(), |text, (_, line)| text + line + "\n")
    }
}

/// What a program finds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The names it is given of which only this is known; `None` when there may be any.
    pub(crate) given: Option<Vec<String>>,
    /// The imports that it relies on, in lines.
    pub(crate) imports: String,
    /// Those of the names that it relies on that may be anything.
    pub(crate) others: Vec<String>,
    /// All names that earlier programs left.
    pub(crate) left: Vec<String>,
    /// Nothing ran before it.
    pub(crate) is_first: bool,
    /// Nothing of earlier programs can run while it does.
    pub(crate) is_alone: bool,
}

impl Found {
    /// What a program with this tree finds.
    pub(crate) fn by(known: &Known, tree: &Tree<'_>, names: &Names<'_, '_>) -> Self {
        let any = Self::default();
        match known {
            Known::Any => any,
            Known::These(given) => Self {
                given: Some(given.clone()),
                is_first: true,
                is_alone: true,
                ..Self::default()
            },
            Known::After(given, left) => match &left.0 {
                Some(bound) => Reading { tree, names, scopes: Scopes::new(tree, names) }
                    .found(given, bound)
                    .unwrap_or(any),
                None => any,
            },
        }
    }
}

/// A program, read for what it takes from earlier ones.
struct Reading<'t, 'a, 'c> {
    tree: &'t Tree<'a>,
    names: &'t Names<'a, 'c>,
    scopes: Scopes<'t, 'a, 'c>,
}

impl<'a> Reading<'_, 'a, '_> {
    /// `None` where what it takes cannot be told.
    fn found(&self, given: &[String], bound: &Bound) -> Option<Found> {
        let imported = self.imported();
        let taken = |name: &str| self.is_taken(name, imported.get(name));
        let is_given = |name: &&String| given.contains(name);
        let others: Vec<&String> =
            bound.others.iter().filter(|name| !is_given(name) && taken(name)).collect();
        let lines: Vec<(&String, &String)> =
            bound.imports.iter().filter(|(name, _)| !is_given(name) && taken(name)).collect();
        // What is imported somewhere and comes from before may be either.
        let mut all = others.iter().chain(lines.iter().map(|(name, _)| name));
        if all.any(|name| imported.contains_key(name.as_str())) {
            return None;
        }
        // A function of an earlier program may change what this one believes its own.
        let is_own = |name: &String| self.names.stores.contains_key(name.as_str());
        if !others.is_empty() && bound.used.iter().any(is_own) {
            return None;
        }
        let is_future = |(_, node)| {
            matches!(node, AnyNodeRef::StmtImportFrom(one)
            if one.module.as_ref().is_some_and(|module| module.as_str() == "__future__"))
        };
        let mut imports: String =
            lines.iter().fold(String::new(), |text, (_, line)| text + line + "\n");
        for name in &others {
            let _ = writeln!(imports, "from {NOWHERE} import {name}");
        }
        if !imports.is_empty() && self.tree.all().any(is_future) {
            return None;
        }
        Some(Found {
            given: Some(given.iter().chain(others.iter().copied()).cloned().collect()),
            imports,
            others: others.iter().copied().cloned().collect(),
            left: bound.imports.keys().chain(&bound.others).cloned().collect(),
            is_first: false,
            is_alone: others.is_empty(),
        })
    }

    /// Names that imports bind, with where they certainly do so first; that is no place where the import
    /// may not be reached.
    fn imported(&self) -> BTreeMap<&'a str, Option<TextSize>> {
        let mut found: BTreeMap<&str, Option<TextSize>> = BTreeMap::new();
        for (id, node) in self.tree.all() {
            let aliases = match node {
                AnyNodeRef::StmtImport(one) => &one.names,
                AnyNodeRef::StmtImportFrom(one) => &one.names,
                _ => continue,
            };
            let certain = self.is_on_top(id).then_some(node.range().start());
            for alias in aliases {
                let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                let name = name.split('.').next().unwrap_or(name);
                found.entry(name).or_insert(certain);
            }
        }
        found
    }

    /// Whether a statement is one of the program's own, in nothing else.
    fn is_on_top(&self, id: Id) -> bool {
        self.tree.parent(id).is_some_and(|parent| self.tree.parent(parent).is_none())
    }

    /// Whether a program may use what an earlier one left under a name: it speaks of it before it
    /// certainly gives it a value of its own.
    fn is_taken(&self, name: &str, imported: Option<&Option<TextSize>>) -> bool {
        let places = |all: Option<&Vec<Id>>| all.cloned().unwrap_or_default();
        let loads = places(self.names.loads.get(name));
        let stores = places(self.names.stores.get(name));
        let is_outer = |id: &Id| self.scopes.of(*id, name).is_none();
        let loads: Vec<Id> = loads.into_iter().filter(is_outer).collect();
        let is_declared = self.names.outer.values().flatten().any(|outer| *outer == name);
        let stores: Vec<Id> = stores.into_iter().filter(|id| is_declared || is_outer(id)).collect();
        let bindings = stores.iter().filter_map(|id| self.binding(*id));
        let certain = bindings.chain(imported.copied().flatten().map(TextRange::empty));
        let first = certain.min_by_key(ruff_text_size::Ranged::start);
        let Some(first) = first else {
            return !loads.is_empty() || !stores.is_empty() || imported.is_some();
        };
        let is_before = |id: &Id| self.tree.node(*id).range().start() < first.end();
        let is_value = |id: &&Id| !self.is_in_function(**id, first);
        loads.iter().filter(is_value).any(is_before)
            || stores.iter().any(|id| self.tree.node(*id).range().end() < first.start())
    }

    /// Whether a place is in the body of the function that a binding makes: it runs when the name is bound.
    fn is_in_function(&self, id: Id, binding: TextRange) -> bool {
        self.tree.above(id).any(|above| {
            matches!(self.tree.node(above), AnyNodeRef::StmtFunctionDef(one)
            if one.range == binding && one.body.iter().any(|statement: &Stmt| {
                statement.range().contains_range(self.tree.node(id).range())
            }))
        })
    }

    /// The statement with which a name certainly gets a value.
    fn binding(&self, store: Id) -> Option<TextRange> {
        let mut id = store;
        loop {
            let node = self.tree.node(id);
            match node {
                AnyNodeRef::StmtAssign(_)
                | AnyNodeRef::StmtFunctionDef(_)
                | AnyNodeRef::StmtClassDef(_) => {
                    return self.is_on_top(id).then(|| node.range());
                }
                AnyNodeRef::ExprName(_) | AnyNodeRef::ExprTuple(_) | AnyNodeRef::ExprList(_) => {
                    id = self.tree.parent(id)?;
                }
                _ => return None,
            }
        }
    }
}

/// Names of the program that functions, lambdas and generators use besides their own.
fn used_later<'a>(
    tree: &Tree<'a>,
    names: &Names<'a, '_>,
    scopes: &Scopes<'_, 'a, '_>,
) -> HashSet<&'a str> {
    let is_later = |id: Id| {
        let is_generator = |above| matches!(tree.node(above), AnyNodeRef::ExprGenerator(_));
        tree.function(id).is_some() || tree.above(id).any(is_generator)
    };
    let loads = names.loads.iter().filter(|(name, places)| {
        places.iter().any(|id| is_later(*id) && scopes.of(*id, name).is_none())
    });
    loads.map(|(name, _)| *name).chain(names.outer.values().flatten().copied()).collect()
}
