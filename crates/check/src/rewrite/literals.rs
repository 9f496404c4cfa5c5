//! Literals that are too large or too deep to have a type.
//!
//! The type checker looks at the parts of a list again for each list around it, so a few lines of
//! brackets can keep it busy for minutes. What nests deeper than programs do, or has more parts than
//! anybody writes by hand, is emptied before it sees it: such a literal may hold anything.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::AnyNodeRef;
use ruff_text_size::{Ranged as _, TextRange};

use crate::tree::{Id, Tree};

/// How deep displays may nest,
const DEEPEST: usize = 8;
/// and how many parts one may have, all that is inside of its parts among them.
const MOST_PARTS: usize = 3_000;

/// What is known of a display that is in no other.
#[derive(Default)]
struct Whole {
    deepest: usize,
    parts: usize,
    /// A name is bound inside, which others may use.
    binds: bool,
}

/// The displays that are not to be looked at. None is inside another.
pub(super) fn too_large(tree: &Tree<'_>) -> Vec<TextRange> {
    // For each node inside a display: the outermost one, and how many are around it.
    let mut inside: HashMap<Id, (Id, usize)> = HashMap::new();
    let mut wholes: HashMap<Id, Whole> = HashMap::new();
    for (id, node) in tree.all() {
        let around = tree.parent(id).and_then(|parent| inside.get(&parent).copied());
        let is_display = is_display(node);
        let (whole, depth) = match around {
            Some((whole, depth)) => (whole, depth + usize::from(is_display)),
            None if is_display => (id, 1),
            None => continue,
        };
        inside.insert(id, (whole, depth));
        let known = wholes.entry(whole).or_default();
        known.deepest = known.deepest.max(depth);
        known.parts += 1;
        known.binds |= matches!(node, AnyNodeRef::ExprNamed(_));
    }
    let is_too_large = |one: &Whole| one.deepest > DEEPEST || one.parts > MOST_PARTS;
    let too_large = wholes.iter().filter(|(_, one)| is_too_large(one) && !one.binds);
    too_large.map(|(id, _)| tree.node(*id).range()).collect()
}

/// Whether a program has displays that are too large and cannot be emptied.
pub(crate) fn has_endless(tree: &Tree<'_>) -> bool {
    let emptied: HashSet<TextRange> = too_large(tree).into_iter().collect();
    let depth = |id: Id| tree.above(id).filter(|above| is_display(tree.node(*above))).count();
    tree.all().any(|(id, node)| {
        let is_bound = matches!(node, AnyNodeRef::ExprNamed(_)) && depth(id) > DEEPEST;
        is_bound && !emptied.iter().any(|range| range.contains_range(node.range()))
    })
}

/// Lists, dicts and sets; the brackets around a tuple are not part of it, so one counts only inside of
/// those.
fn is_display(node: AnyNodeRef<'_>) -> bool {
    match node {
        AnyNodeRef::ExprList(list) => list.ctx.is_load(),
        AnyNodeRef::ExprDict(_) | AnyNodeRef::ExprSet(_) => true,
        _ => false,
    }
}
