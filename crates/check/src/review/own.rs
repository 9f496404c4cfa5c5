//! Functions that every program has without importing them, where a program calls one or gives it away.

use std::collections::HashMap;

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall};
use ruff_text_size::{Ranged as _, TextRange};

use super::counting::{Count, Counting};
use super::touched::called_at;
use crate::names::Names;
use crate::tree::{Id, Tree};

/// Where they come from for whoever imports them.
const MODULE: &str = "tidegate";

/// One place that uses such a function.
pub(super) struct Use<'a> {
    /// By its own name.
    pub(super) function: &'static str,
    /// The call, where it is not given away.
    pub(super) call: Option<&'a ExprCall>,
    pub(super) count: Count,
    pub(super) range: TextRange,
}

/// Finds the places that use any of `known`.
pub(super) fn uses<'a>(
    tree: &Tree<'a>,
    names: &Names<'a, '_>,
    known: &[&'static str],
    counting: &mut Counting<'_, 'a, '_>,
) -> Vec<Use<'a>> {
    let called = called_here(tree, names, known);
    let mut uses = Vec::new();
    for (id, node) in tree.all() {
        let Some(function) = function(node, names, known, &called) else { continue };
        let call = called_at(tree, id);
        if call.is_none() && is_named_anew(tree, id, &called) {
            continue;
        }
        let count = if call.is_some() { counting.at(id) } else { counting.given_away(id) };
        uses.push(Use { function, call, count, range: node.range() });
    }
    uses
}

/// What they are called in this program: by their own names, by those that an import or one assignment gives them.
fn called_here<'a>(
    tree: &Tree<'a>,
    names: &Names<'a, '_>,
    known: &[&'static str],
) -> HashMap<&'a str, &'static str> {
    let find = |name: &str| known.iter().copied().find(|one| *one == name);
    // A tool of a server may have such a name, too.
    let is_free = |name: &str| !names.stores.contains_key(name) && names.named(name).is_none();
    let mut called: HashMap<&'a str, &'static str> = HashMap::new();
    for name in known.iter().copied() {
        if is_free(name) && names.imported.get(name).is_none_or(|from| from == MODULE) {
            called.insert(name, name);
        }
    }
    for (_, node) in tree.all() {
        let AnyNodeRef::StmtImportFrom(import) = node else { continue };
        if import.level > 0 || import.module.as_ref().is_none_or(|from| from.as_str() != MODULE) {
            continue;
        }
        for alias in &import.names {
            let local = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            if let Some(function) = find(alias.name.as_str()).filter(|_| is_free(local)) {
                called.insert(local, function);
            }
        }
    }
    let mut assigned = Vec::new();
    for (name, places) in &names.stores {
        let [place] = places[..] else { continue };
        let parent = tree.parent(place).map(|parent| tree.node(parent));
        if let Some(AnyNodeRef::StmtAssign(assign)) = parent
            && matches!(&assign.targets[..], [Expr::Name(_)])
            && let Some(function) = function((&*assign.value).into(), names, known, &called)
        {
            assigned.push((*name, function));
        }
    }
    called.extend(assigned);
    called
}

/// Which of the functions a name or an attribute is.
fn function(
    node: AnyNodeRef<'_>,
    names: &Names<'_, '_>,
    known: &[&'static str],
    called: &HashMap<&str, &'static str>,
) -> Option<&'static str> {
    match node {
        AnyNodeRef::ExprName(name) if name.ctx.is_load() => called.get(name.id.as_str()).copied(),
        AnyNodeRef::ExprAttribute(attribute) => {
            let Expr::Name(root) = &*attribute.value else { return None };
            let module = names.modules.get(root.id.as_str())?;
            let find = || known.iter().copied().find(|one| *one == attribute.attr.as_str());
            (module == MODULE).then(find).flatten()
        }
        _ => None,
    }
}

/// Whether a function only gets another name here, or something of it is asked for.
fn is_named_anew(tree: &Tree<'_>, place: Id, called: &HashMap<&str, &'static str>) -> bool {
    match tree.parent(place).map(|parent| tree.node(parent)) {
        Some(AnyNodeRef::StmtAssign(assign)) => {
            matches!(&assign.targets[..], [Expr::Name(name)] if called.contains_key(name.id.as_str()))
        }
        Some(AnyNodeRef::ExprAttribute(_)) => true,
        _ => false,
    }
}
