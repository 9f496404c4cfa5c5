//! Requests that a program makes by itself: `http_get` and `http_request`.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, ExprCall};
use ruff_text_size::TextRange;

use super::counting::{Count, Counting};
use super::own;
use super::{Found, Rule, ToolRisk, ToolUse};
use crate::names::Names;
use crate::tree::Tree;

/// The two functions.
const GET: &str = "http_get";
const REQUEST: &str = "http_request";
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
    let uses = own::uses(tree, names, &[GET, REQUEST], counting);
    let sites = uses.len() as u64;
    let mut seen: BTreeMap<String, (Count, TextRange)> = BTreeMap::new();
    for one in uses {
        let method = one.call.map_or_else(|| ANY.to_owned(), |call| method(one.function, call));
        let known = seen.entry(method).or_insert((Count::NEVER, one.range));
        known.0 = known.0.plus(one.count);
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

fn method(function: &str, call: &ExprCall) -> String {
    if function == GET {
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
