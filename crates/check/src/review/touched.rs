//! The tools that a program will call, what they may do, and how often.

use std::collections::BTreeMap;

use catalog::{Annotations, CatalogTool};
use ruff_python_ast::{AnyNodeRef, Expr, ExprCall};
use ruff_text_size::{Ranged as _, TextRange};

use super::counting::{Count, Counting};
use super::{Found, Rule, Rules, ToolRisk, ToolUse};
use crate::calls::{self, Named};
use crate::names::{Meaning, Names};
use crate::tree::{Id, Tree};

/// What a program will call.
pub(super) struct Touched {
    pub(super) tools: Vec<ToolUse>,
    /// Calls of tools whose names only running would tell.
    pub(super) others: Count,
    pub(super) sites: u64,
}

/// Finds every place that calls a tool, or gives one away.
pub(super) fn find<'a>(
    tree: &Tree<'a>,
    names: &Names<'a, '_>,
    rules: &Rules,
    counting: &mut Counting<'_, 'a, '_>,
    found: &mut Vec<Found>,
) -> Touched {
    let mut seen: BTreeMap<(&str, &str), Seen<'_>> = BTreeMap::new();
    let mut touched = Touched { tools: Vec::new(), others: Count::NEVER, sites: 0 };
    for (id, node) in tree.all() {
        let (expression, range) = match node {
            AnyNodeRef::ExprName(name) if name.ctx.is_load() => (Some(node), name.range()),
            AnyNodeRef::ExprAttribute(one) if one.ctx.is_load() => (Some(node), one.range()),
            _ => continue,
        };
        let meaning = expression.and_then(|node| meaning(node, names));
        let host_call = is_host_call(node, names);
        if meaning.is_none() && !host_call {
            continue;
        }
        let call = called_at(tree, id);
        let tool = match (meaning, call) {
            (Some(Meaning::Tool(tool)), _) => Target::Tool(tool),
            (Some(Meaning::Opaque), Some(_)) => Target::Opaque,
            (Some(Meaning::ByName("call_mcp_tool" | "callMCPTool")), Some(call)) => {
                match calls::named_tool(call, tree, names) {
                    Named::Tool(tool) => Target::Tool(tool),
                    Named::Unlisted => Target::Opaque,
                    Named::Unknown => Target::Any,
                }
            }
            (Some(Meaning::ByName("call_mcp_tool" | "callMCPTool")), None) => Target::Any,
            (None, _) if host_call => Target::Any,
            _ => continue,
        };
        if call.is_none() && !is_given_away(tree, names, id) {
            continue;
        }
        let count = if call.is_some() { counting.at(id) } else { counting.given_away(id) };
        touched.sites += 1;
        match tool {
            Target::Tool(tool) => {
                let key = (tool.server().0.as_str(), tool.name().0.as_str());
                let seen = seen.entry(key).or_insert(Seen { tool, count: Count::NEVER, range });
                seen.count = seen.count.plus(count);
            }
            Target::Opaque => {
                touched.others = touched.others.plus(count);
                let message = "calls a tool of a server that has not said what it offers";
                found.push(Found { rule: Rule::UnknownTool, range, message: message.to_owned() });
            }
            Target::Any => {
                touched.others = touched.others.plus(count);
                let message = "calls a tool whose name is made while it runs";
                found.push(Found { rule: Rule::AnyTool, range, message: message.to_owned() });
            }
        }
    }
    for one in seen.into_values() {
        touched.tools.push(one.judged(rules, found));
    }
    touched
}

enum Target<'c> {
    Tool(&'c CatalogTool),
    /// One of a server whose tools are not known.
    Opaque,
    /// Only running would tell.
    Any,
}

/// A tool, and where it is called first.
pub(super) struct Seen<'c> {
    pub(super) tool: &'c CatalogTool,
    pub(super) count: Count,
    pub(super) range: TextRange,
}

impl Seen<'_> {
    pub(super) fn judged(self, rules: &Rules, found: &mut Vec<Found>) -> ToolUse {
        let (server, tool) = (&self.tool.server().0, &self.tool.name().0);
        let said = rules.said.get(&(server.clone(), tool.clone()));
        let trusted = said.is_some() || rules.trusted.contains(server);
        let annotations = said.unwrap_or(&self.tool.tool().annotations);
        let risk = risk(annotations, trusted);
        let Count { number, unbounded } = self.count;
        let name = format!("{server}.{tool}");
        let rule = match (risk, unbounded) {
            (ToolRisk::Destructive, true) => Some((
                Rule::DestructiveInLoop,
                format!("calls `{name}`, which may destroy something, in a loop of unknown length"),
            )),
            (ToolRisk::Destructive, false) => Some((
                Rule::DestructiveTool,
                format!("calls `{name}`, which may destroy something"),
            )),
            (ToolRisk::Write, true) => Some((
                Rule::WriteInLoop,
                format!("calls `{name}`, which changes something, in a loop of unknown length"),
            )),
            (ToolRisk::Unannotated, true) => Some((
                Rule::UnannotatedInLoop,
                format!("calls `{name}`, of which nothing is known, in a loop of unknown length"),
            )),
            _ => None,
        };
        if let Some((rule, message)) = rule.filter(|_| number > 0) {
            found.push(Found { rule, range: self.range, message });
        }
        if annotations.open_world_hint == Some(true) && number > 0 {
            let message = format!("calls `{name}`, which reaches beyond its server's own data");
            found.push(Found { rule: Rule::OpenWorldTool, range: self.range, message });
        }
        let (server, tool) = (server.clone(), tool.clone());
        ToolUse { server, tool, risk, trusted, calls: number, unbounded }
    }
}

/// What a tool may do: what makes it look harmless is believed only of a server that is trusted; what
/// makes it look dangerous, of anybody.
fn risk(said: &Annotations, trusted: bool) -> ToolRisk {
    if said.destructive_hint == Some(true) && !(trusted && said.read_only_hint == Some(true)) {
        return ToolRisk::Destructive;
    }
    let says_something = said.read_only_hint.is_some()
        || said.idempotent_hint.is_some()
        || said.destructive_hint.is_some();
    match (trusted && says_something, said.read_only_hint, said.open_world_hint) {
        (false, ..) => ToolRisk::Unannotated,
        (true, Some(true), Some(true)) => ToolRisk::OpenWorld,
        (true, Some(true), _) => ToolRisk::ReadOnly,
        (true, ..) => ToolRisk::Write,
    }
}

fn meaning<'c>(node: AnyNodeRef<'_>, names: &Names<'_, 'c>) -> Option<Meaning<'c>> {
    match node {
        AnyNodeRef::ExprName(name) => names.named(name.id.as_str()),
        AnyNodeRef::ExprAttribute(attribute) => names.member(attribute),
        _ => None,
    }
}

/// `tidegate.call`, which takes the name of anything there is to call.
fn is_host_call(node: AnyNodeRef<'_>, names: &Names<'_, '_>) -> bool {
    match node {
        AnyNodeRef::ExprName(name) => {
            name.id.as_str() == "call"
                && names.imported.get("call").is_some_and(|module| module == "tidegate")
        }
        AnyNodeRef::ExprAttribute(attribute) => {
            let Expr::Name(root) = &*attribute.value else { return false };
            attribute.attr.as_str() == "call"
                && names.modules.get(root.id.as_str()).is_some_and(|module| module == "tidegate")
        }
        _ => false,
    }
}

/// The call whose function is at a place.
pub(super) fn called_at<'a>(tree: &Tree<'a>, place: Id) -> Option<&'a ExprCall> {
    match tree.node(tree.parent(place)?) {
        AnyNodeRef::ExprCall(call) if tree.is(place, &call.func) => Some(call),
        _ => None,
    }
}

/// Whether a tool is passed on here: not another name for it, and not a part of a longer name.
fn is_given_away(tree: &Tree<'_>, names: &Names<'_, '_>, place: Id) -> bool {
    let Some(parent) = tree.parent(place) else { return false };
    match tree.node(parent) {
        AnyNodeRef::StmtAssign(assign) => {
            // What it is called from then on has its meaning.
            !matches!(&assign.targets[..], [Expr::Name(name)] if names.named(name.id.as_str()).is_some())
        }
        AnyNodeRef::ExprAttribute(_) => false,
        _ => true,
    }
}
