//! What a program changes where the type checker does not see it.
//!
//! A list that something is appended to, a field that is set anew, a variable that a function sets
//! with `global`: their types are those of what was there first, and would be wrong later. Here
//! they lose them.

use std::collections::HashSet;

use ruff_python_ast::{AnyNodeRef, Expr, Identifier};
use ruff_text_size::Ranged as _;

use super::Wrap;
use crate::names::Names;
use crate::tree::Tree;

const LIST: &str = "__tidegate_list__(";
const DICT: &str = "__tidegate_dict__(";
const SET: &str = "__tidegate_set__(";
pub(super) const ANY: &str = "__tidegate_any__(";

/// Methods that change what they are called on.
const CHANGERS: &[&str] = &[
    "__setitem__",
    "add",
    "append",
    "appendleft",
    "extend",
    "extendleft",
    "insert",
    "put",
    "put_nowait",
    "send",
    "set",
    "set_result",
    "setdefault",
    "update",
    "writerow",
];

/// Functions that change what they are given, whatever they are imported as.
const CHANGING: &[&str] =
    &["heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right", "setitem"];

/// The expressions whose types are not to be believed.
pub(super) fn wraps(tree: &Tree<'_>, names: &Names<'_, '_>) -> Vec<Wrap> {
    let keys = set_keys(tree);
    let outer: HashSet<&str> = names.outer.values().flatten().copied().collect();
    let changes = changes_containers(tree);
    let mut wraps = Vec::new();
    for (_, node) in tree.all() {
        let with = match node {
            AnyNodeRef::ExprList(list) if list.ctx.is_load() && changes => LIST,
            AnyNodeRef::ExprListComp(_) if changes => LIST,
            AnyNodeRef::ExprDict(_) | AnyNodeRef::ExprDictComp(_) if changes => DICT,
            AnyNodeRef::ExprSet(_) | AnyNodeRef::ExprSetComp(_) if changes => SET,
            AnyNodeRef::ExprSubscript(subscript)
                if subscript.ctx.is_load()
                    && text(&subscript.slice).is_some_and(|key| keys.contains(key)) =>
            {
                ANY
            }
            AnyNodeRef::StmtAssign(assign) => {
                let is_outer = |target: &Expr| matches!(target, Expr::Name(name) if outer.contains(name.id.as_str()));
                if assign.targets.iter().any(is_outer) {
                    wraps.push(Wrap { range: assign.value.range(), with: ANY.into() });
                }
                continue;
            }
            _ => continue,
        };
        wraps.push(Wrap { range: node.range(), with: with.into() });
    }
    wraps
}

/// The keys that something is set under anywhere.
fn set_keys<'a>(tree: &Tree<'a>) -> HashSet<&'a str> {
    let mut keys = HashSet::new();
    for (_, node) in tree.all() {
        match node {
            AnyNodeRef::ExprSubscript(subscript) if !subscript.ctx.is_load() => {
                keys.extend(text(&subscript.slice));
            }
            AnyNodeRef::ExprCall(call) => {
                let Expr::Attribute(method) = &*call.func else { continue };
                match method.attr.as_str() {
                    "setdefault" => keys.extend(call.arguments.args.first().and_then(text)),
                    "update" => {
                        keys.extend(
                            call.arguments
                                .keywords
                                .iter()
                                .filter_map(|one| one.arg.as_ref())
                                .map(Identifier::as_str),
                        );
                        if let Some(Expr::Dict(dict)) = call.arguments.args.first() {
                            keys.extend(
                                dict.items
                                    .iter()
                                    .filter_map(|item| item.key.as_ref())
                                    .filter_map(text),
                            );
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    keys
}

fn text(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::StringLiteral(literal) => Some(literal.value.to_str()),
        _ => None,
    }
}

/// Whether anything is put into a container after it was made.
pub(crate) fn changes_containers(tree: &Tree<'_>) -> bool {
    tree.all().any(|(_, node)| match node {
        AnyNodeRef::ExprSubscript(subscript) => subscript.ctx.is_store(),
        AnyNodeRef::StmtAugAssign(_) => true,
        AnyNodeRef::ExprCall(call) => {
            match &*call.func {
                // `event.set()` changes no content.
                Expr::Attribute(method) if CHANGERS.contains(&method.attr.as_str()) => {
                    !call.arguments.is_empty()
                }
                Expr::Attribute(function) => CHANGING.contains(&function.attr.as_str()),
                Expr::Name(function) => CHANGING.contains(&function.id.as_str()),
                _ => false,
            }
        }
        _ => false,
    })
}
