//! Calls of tools that nobody awaits.
//!
//! Where there is no doubt the guest puts the `await` in itself; the rules are those of its
//! `awaits.py`. Here they serve two ends: the mistake is told, and the types that follow are
//! those of the result, because that is what the program will see.

use std::collections::HashSet;

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, Keyword};
use ruff_text_size::{Ranged as _, TextRange};

use crate::finding::{Code, Mistake, Weight, raises};
use crate::names::Names;
use crate::scopes::Scopes;
use crate::tree::{Id, Tree};

/// A call whose result is used as a value although nobody awaits it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forgotten {
    pub(crate) range: TextRange,
    /// `await` is allowed there, so the guest puts it in. Otherwise the call waits where it
    /// is used, if it can.
    pub(crate) can_await: bool,
}

/// Functions that want values, and those that only put them into another container.
const READERS: &[&str] = &[
    "print",
    "len",
    "sum",
    "min",
    "max",
    "any",
    "all",
    "str",
    "int",
    "float",
    "bool",
    "bytes",
    "repr",
    "format",
    "round",
    "abs",
    "isinstance",
    "type",
    "hash",
    "range",
    "divmod",
    "pow",
    "getattr",
    "hasattr",
    "ord",
    "chr",
    "hex",
    "bin",
    "oct",
    "open",
];
const COLLECTORS: &[&str] = &[
    "list",
    "tuple",
    "dict",
    "set",
    "frozenset",
    "sorted",
    "reversed",
    "enumerate",
    "zip",
    "iter",
    "next",
    "filter",
    "map",
];
const METHODS: &[&str] = &[
    "extend",
    "update",
    "join",
    "format",
    "write",
    "writelines",
    "writerow",
    "writerows",
    "startswith",
    "endswith",
    "merge",
    "get",
    "pop",
    "index",
    "count",
    "remove",
    "union",
    "intersection",
    "difference",
    "issubset",
    "issuperset",
    "split",
    "replace",
    "strip",
    "loads",
    "dumps",
    "fromisoformat",
    "strptime",
];
const MODULES: &[&str] = &[
    "json",
    "pandas",
    "numpy",
    "math",
    "statistics",
    "re",
    "datetime",
    "csv",
    "pprint",
    "textwrap",
    "collections",
    "itertools",
    "copy",
    "random",
    "base64",
    "hashlib",
    "decimal",
    "fractions",
    "uuid",
    "io",
    "os",
    "string",
    "html",
    "urllib",
    "operator",
    "functools",
];
/// What can await a call that was kept somewhere.
const SCHEDULERS: &[&str] = &[
    "gather",
    "wait",
    "wait_for",
    "as_completed",
    "create_task",
    "ensure_future",
    "TaskGroup",
    "shield",
    "run",
    "run_until_complete",
    "iscoroutine",
    "isawaitable",
    "iscoroutinefunction",
];
const ADDERS: &[&str] = &["append", "add", "insert", "setdefault", "appendleft"];
/// A call's own attributes.
const OWN: &[&str] = &["send", "throw", "close", "__await__"];

/// Finds the calls.
pub(crate) fn forgotten(tree: &Tree<'_>, names: &Names<'_, '_>) -> Vec<Forgotten> {
    let calls: Vec<(Id, &ExprCall)> = tree
        .all()
        .filter_map(|(id, node)| match node {
            AnyNodeRef::ExprCall(call) if names.is_tool(&call.func) => Some((id, call)),
            _ => None,
        })
        .collect();
    if calls.is_empty() {
        return Vec::new();
    }
    let scopes = Scopes::new(tree, names);
    let uses = Uses { tree, names, scopes, keeps: keeps_calls(tree, names) };
    calls
        .into_iter()
        .filter(|(id, _)| !uses.is_in_annotation(*id) && uses.is_value(*id, &mut HashSet::new()))
        .map(|(id, call)| Forgotten { range: call.range(), can_await: uses.can_await(id) })
        .collect()
}

/// What is said about them.
pub(crate) fn advice(forgotten: &[Forgotten], text: &str) -> Vec<Mistake> {
    let said = |one: &Forgotten| {
        let call = &text[one.range];
        let call = call.split('(').next().unwrap_or_default();
        let message = if one.can_await {
            format!("the call of {call}() is not awaited; write `await {call}(...)`")
        } else {
            format!(
                "{call}() is called in a plain function, which can only wait for quick answers; make the function async and write `await {call}(...)`"
            )
        };
        Mistake {
            range: one.range,
            code: Code::MissingAwait,
            weight: Weight::Advice,
            message,
            valid: Vec::new(),
            nearest: None,
            raises: raises::NOTHING,
            usage: None,
        }
    };
    forgotten.iter().map(said).collect()
}

/// Whether anything here could await a call that was put somewhere first.
fn keeps_calls(tree: &Tree<'_>, names: &Names<'_, '_>) -> bool {
    let awaits_itself = |value: &Expr| {
        let Expr::Call(call) = value else { return false };
        names.is_tool(&call.func)
            || match &*call.func {
                Expr::Name(name) => names.stores.contains_key(name.id.as_str()),
                Expr::Attribute(attribute) => attribute.attr.as_str() == "sleep",
                _ => false,
            }
    };
    tree.all().any(|(_, node)| match node {
        AnyNodeRef::ExprName(name) => SCHEDULERS.contains(&name.id.as_str()),
        AnyNodeRef::ExprAttribute(attribute) => SCHEDULERS.contains(&attribute.attr.as_str()),
        AnyNodeRef::StmtImportFrom(import) => {
            import.names.iter().any(|alias| SCHEDULERS.contains(&alias.name.as_str()))
        }
        AnyNodeRef::ExprAwait(awaited) => !awaits_itself(&awaited.value),
        AnyNodeRef::StmtFor(statement) => statement.is_async,
        AnyNodeRef::Comprehension(comprehension) => comprehension.is_async,
        _ => false,
    })
}

struct Uses<'t, 'a, 'c> {
    tree: &'t Tree<'a>,
    names: &'t Names<'a, 'c>,
    scopes: Scopes<'t, 'a, 'c>,
    /// A call that was kept somewhere may still be awaited.
    keeps: bool,
}

/// A name in the scope it belongs to.
type Met<'a> = HashSet<(&'a str, Option<Id>)>;

impl<'a> Uses<'_, 'a, '_> {
    /// Whether `await` is allowed where a node is: top level, or an async function.
    fn can_await(&self, id: Id) -> bool {
        let mut child = id;
        for parent in self.tree.above(id) {
            match self.tree.node(parent) {
                AnyNodeRef::StmtFunctionDef(function) if self.tree.is_body_of(child, parent) => {
                    return function.is_async;
                }
                AnyNodeRef::ExprLambda(_) if self.tree.is_body_of(child, parent) => return false,
                AnyNodeRef::StmtClassDef(_) => return false,
                AnyNodeRef::ExprGenerator(generator) => {
                    let first = generator.generators.first();
                    let in_first = first.is_some_and(|first| {
                        first.iter.range().contains_range(self.tree.node(id).range())
                    });
                    if !in_first {
                        return false;
                    }
                }
                _ => {}
            }
            child = parent;
        }
        true
    }

    fn is_in_annotation(&self, id: Id) -> bool {
        let range = self.tree.node(id).range();
        self.tree.above(id).any(|parent| match self.tree.node(parent) {
            AnyNodeRef::Parameter(parameter) => {
                parameter.annotation.as_ref().is_some_and(|one| one.range().contains_range(range))
            }
            AnyNodeRef::StmtFunctionDef(function) => {
                function.returns.as_ref().is_some_and(|one| one.range().contains_range(range))
            }
            AnyNodeRef::StmtAnnAssign(assign) => assign.annotation.range().contains_range(range),
            AnyNodeRef::TypeParams(_) | AnyNodeRef::StmtTypeAlias(_) => true,
            _ => false,
        })
    }

    /// Whether what an expression gives is used as a value wherever it goes.
    fn is_value(&self, id: Id, met: &mut Met<'a>) -> bool {
        let Some(parent) = self.tree.parent(id) else { return false };
        match self.tree.node(parent) {
            AnyNodeRef::ExprAttribute(attribute) => !OWN.contains(&attribute.attr.as_str()),
            AnyNodeRef::ExprBinOp(_)
            | AnyNodeRef::ExprUnaryOp(_)
            | AnyNodeRef::ExprCompare(_)
            | AnyNodeRef::InterpolatedElement(_)
            | AnyNodeRef::ExprSubscript(_)
            | AnyNodeRef::ExprSlice(_)
            | AnyNodeRef::StmtIf(_)
            | AnyNodeRef::ElifElseClause(_)
            | AnyNodeRef::StmtWhile(_)
            | AnyNodeRef::StmtAssert(_)
            | AnyNodeRef::StmtAugAssign(_)
            | AnyNodeRef::StmtExpr(_)
            | AnyNodeRef::StmtMatch(_)
            | AnyNodeRef::ExprStarred(_) => true,
            // What a plain function returns may be awaited by whoever calls it.
            AnyNodeRef::StmtReturn(_) => self.can_await(id),
            AnyNodeRef::StmtFor(statement) => !statement.is_async,
            AnyNodeRef::Comprehension(comprehension) => !comprehension.is_async,
            AnyNodeRef::ExprBoolOp(operation) => {
                let last = operation.values.last().is_some_and(|last| self.tree.is(id, last));
                !last || self.is_value(parent, met)
            }
            AnyNodeRef::ExprIf(choice) => {
                self.tree.is(id, &choice.test) || self.is_value(parent, met)
            }
            AnyNodeRef::ExprNamed(named) => {
                self.is_value(parent, met) && self.are_values(&[&named.target], met)
            }
            AnyNodeRef::StmtAssign(assign) => {
                self.tree.is(id, &assign.value)
                    && self.assigned(&assign.targets.iter().collect::<Vec<_>>(), met)
            }
            AnyNodeRef::StmtAnnAssign(assign) => {
                assign.value.as_ref().is_some_and(|value| self.tree.is(id, value))
                    && self.assigned(&[&assign.target], met)
            }
            AnyNodeRef::Arguments(_) => {
                self.callee(parent).is_some_and(|callee| self.reads(callee, COLLECTORS))
            }
            AnyNodeRef::Keyword(keyword) => self.named_is_value(keyword, parent),
            node if is_display(node) => self.kept(parent, met),
            _ => false,
        }
    }

    fn named_is_value(&self, keyword: &Keyword, id: Id) -> bool {
        let callee = self.tree.parent(id).and_then(|arguments| self.callee(arguments));
        keyword.arg.is_none() || callee.is_some_and(|callee| self.reads(callee, COLLECTORS))
    }

    /// The function whose arguments these are; classes have arguments too.
    fn callee(&self, arguments: Id) -> Option<&'a Expr> {
        match self.tree.node(self.tree.parent(arguments)?) {
            AnyNodeRef::ExprCall(call) => Some(&call.func),
            _ => None,
        }
    }

    /// Whether the members of a list or dict are used as values.
    fn kept(&self, display: Id, met: &mut Met<'a>) -> bool {
        let Some(parent) = self.tree.parent(display) else { return false };
        match self.tree.node(parent) {
            node if is_display(node) => self.kept(parent, met),
            AnyNodeRef::ExprIf(choice) if !self.tree.is(display, &choice.test) => {
                self.kept(parent, met)
            }
            AnyNodeRef::StmtAssign(assign) => {
                if let (AnyNodeRef::ExprTuple(tuple), [Expr::Tuple(target)]) =
                    (self.tree.node(display), &assign.targets[..])
                    && tuple.elts.len() == target.elts.len()
                {
                    return self.are_values(&target.elts.iter().collect::<Vec<_>>(), met);
                }
                !self.keeps
            }
            // A program's own value is waited for at its end, all calls in it at once.
            AnyNodeRef::StmtReturn(_) | AnyNodeRef::StmtExpr(_) => {
                self.tree.function(parent).is_some()
            }
            AnyNodeRef::InterpolatedElement(_) => true,
            AnyNodeRef::Arguments(_) => {
                self.callee(parent).is_some_and(|callee| self.reads(callee, &[]))
            }
            AnyNodeRef::Keyword(keyword) => {
                let callee = self.tree.parent(parent).and_then(|arguments| self.callee(arguments));
                keyword.arg.is_some() && callee.is_some_and(|callee| self.reads(callee, &[]))
            }
            AnyNodeRef::StmtAnnAssign(_)
            | AnyNodeRef::StmtFor(_)
            | AnyNodeRef::Comprehension(_)
            | AnyNodeRef::ExprSubscript(_) => !self.keeps,
            _ => false,
        }
    }

    fn assigned(&self, targets: &[&'a Expr], met: &mut Met<'a>) -> bool {
        if targets.iter().any(|target| matches!(target, Expr::Tuple(_) | Expr::List(_))) {
            return true; // Unpacking reads it.
        }
        if !targets.iter().all(|target| matches!(target, Expr::Name(_))) {
            return !self.keeps; // `found[key] = f()`
        }
        self.are_values(targets, met)
    }

    fn are_values(&self, targets: &[&'a Expr], met: &mut Met<'a>) -> bool {
        targets.iter().all(|target| {
            let Expr::Name(name) = target else { return !self.keeps };
            let name = name.id.as_str();
            let scope = self.tree.of(target).and_then(|id| self.scopes.of(id, name));
            if !met.insert((name, scope)) {
                return true;
            }
            let loads = self.names.loads.get(name).map(Vec::as_slice).unwrap_or_default();
            loads
                .iter()
                .all(|load| self.scopes.of(*load, name) != scope || self.is_value(*load, met))
        })
    }

    /// Whether a function that is called wants values for its arguments.
    fn reads(&self, function: &Expr, collectors: &[&str]) -> bool {
        if self.names.is_tool(function) {
            return true;
        }
        match function {
            Expr::Name(name) => {
                let name = name.id.as_str();
                if let Some(module) = self.names.imported.get(name) {
                    return MODULES.contains(&module.as_str());
                }
                if self.names.stores.contains_key(name) {
                    return !self.keeps; // One of the program's own, and nothing here awaits.
                }
                READERS.contains(&name) || collectors.contains(&name)
            }
            Expr::Attribute(attribute) => {
                let method = attribute.attr.as_str();
                if let Expr::Name(root) = root(&attribute.value)
                    && let Some(module) = self.names.modules.get(root.id.as_str())
                    && !self.names.stores.contains_key(root.id.as_str())
                {
                    return MODULES.contains(&module.as_str());
                }
                METHODS.contains(&method) || !self.keeps && ADDERS.contains(&method)
            }
            _ => false,
        }
    }
}

fn root(expression: &Expr) -> &Expr {
    match expression {
        Expr::Attribute(attribute) => root(&attribute.value),
        other => other,
    }
}

fn is_display(node: AnyNodeRef<'_>) -> bool {
    matches!(
        node,
        AnyNodeRef::ExprList(_)
            | AnyNodeRef::ExprTuple(_)
            | AnyNodeRef::ExprSet(_)
            | AnyNodeRef::ExprDict(_)
            | AnyNodeRef::ExprListComp(_)
            | AnyNodeRef::ExprSetComp(_)
            | AnyNodeRef::ExprDictComp(_)
    )
}
