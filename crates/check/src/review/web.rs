//! Requests that a program makes by itself: `http_get` and `http_request`.

use std::collections::BTreeMap;

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall};
use ruff_text_size::{Ranged as _, TextRange};

use super::counting::{Count, Counting};
use super::{Found, Rule, ToolRisk, ToolUse};
use crate::names::Names;
use crate::tree::Tree;

/// What stands in the place of a server.
const SERVER: &str = "http";
/// What stands in the place of a method that only running would tell.
const ANY: &str = "any";

/// Finds them, each method in the place of a tool.
pub(super) fn find<'a>(
    tree: &Tree<'a>,
    names: &Names<'a, '_>,
    counting: &mut Counting<'_, 'a, '_>,
    found: &mut Vec<Found>,
) -> (Vec<ToolUse>, u64) {
    let mut seen: BTreeMap<String, (Count, TextRange)> = BTreeMap::new();
    let mut sites = 0;
    for (id, node) in tree.all() {
        let Some(function) = function(node, names) else { continue };
        let call = tree.parent(id).and_then(|parent| match tree.node(parent) {
            AnyNodeRef::ExprCall(call) if tree.is(id, &call.func) => Some(call),
            _ => None,
        });
        let (method, count) = match call {
            Some(call) => (method(function, call), counting.at(id)),
            None => (ANY.to_owned(), counting.given_away(id)),
        };
        sites += 1;
        let known = seen.entry(method).or_insert((Count::NEVER, node.range()));
        known.0 = known.0.plus(count);
    }
    let used = seen.into_iter().map(|(method, (count, range))| {
        let reads = ["GET", "HEAD", "OPTIONS"].contains(&method.as_str());
        let risk = if reads { ToolRisk::OpenWorld } else { ToolRisk::Write };
        if count.number > 0 {
            let message = "asks a host of the network by itself".to_owned();
            found.push(Found { rule: Rule::OpenWorldTool, range, message });
        }
        if !reads && count.unbounded {
            let message = format!("sends {method} requests in a loop of unknown length");
            found.push(Found { rule: Rule::WriteInLoop, range, message });
        }
        ToolUse {
            server: SERVER.to_owned(),
            tool: method,
            risk,
            trusted: true,
            calls: count.number,
            unbounded: count.unbounded,
        }
    });
    (used.collect(), sites)
}

/// Which of the two functions a name or an attribute is.
fn function(node: AnyNodeRef<'_>, names: &Names<'_, '_>) -> Option<&'static str> {
    let (name, is_ours) = match node {
        AnyNodeRef::ExprName(name) if name.ctx.is_load() => {
            let name = name.id.as_str();
            let module = names.imported.get(name);
            (name, !names.stores.contains_key(name) && module.is_none_or(|from| from == "tidegate"))
        }
        AnyNodeRef::ExprAttribute(attribute) => {
            let Expr::Name(root) = &*attribute.value else { return None };
            let module = names.modules.get(root.id.as_str());
            (attribute.attr.as_str(), module.is_some_and(|module| module == "tidegate"))
        }
        _ => return None,
    };
    ["http_get", "http_request"].into_iter().find(|known| is_ours && *known == name)
}

fn method(function: &str, call: &ExprCall) -> String {
    if function == "http_get" {
        return "GET".to_owned();
    }
    let named = call.arguments.keywords.iter();
    let named = named.filter(|one| one.arg.as_ref().is_some_and(|arg| arg.as_str() == "method"));
    let given = call.arguments.args.first().or_else(|| named.map(|one| &one.value).next());
    match given {
        Some(Expr::StringLiteral(text)) => {
            text.value.to_str().chars().take(16).collect::<String>().to_ascii_uppercase()
        }
        _ => ANY.to_owned(),
    }
}
