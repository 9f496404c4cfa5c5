//! Whether a place in a program is certainly reached, and whether its exception is caught.
//!
//! Certain means: on the main line of the program, with nothing before it that may leave. The body
//! of a loop counts if the loop certainly runs; a branch of an `if` does not. A function counts when
//! it is called on the main line.

mod dead;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use ruff_python_ast::{
    AnyNodeRef, CmpOp, Comprehension, ExceptHandler, Expr, ExprCall, Stmt, StmtClassDef, StmtTry,
};
use ruff_text_size::{Ranged as _, TextRange};

use crate::flow::{self, Meant};
use crate::names::Names;
use crate::tree::{Id, Tree};

/// Names of context managers that swallow exceptions.
const SWALLOW: &[&str] = &["suppress", "raises", "assertRaises", "ExitStack", "AsyncExitStack"];
/// Functions with which a program can define names that nobody sees.
/// or change what others mean.
const DYNAMIC: &[&str] = &[
    "exec",
    "globals",
    "locals",
    "vars",
    "setattr",
    "delattr",
    "mock",
    "patch",
    "__import__",
    "__builtins__",
    "builtins",
];

/// What ends a program from anywhere in it.
const ENDS: &[&str] = &["exit", "_exit", "quit", "abort", "SystemExit", "kill"];

/// Attributes through which names can be defined: `sys.modules[__name__].x = 1`.
const REACH_IN: &[&str] = &["modules", "__dict__", "f_globals", "f_locals", "_getframe"];

/// Functions that go over all that they are given.
const USERS: &[&str] =
    &["dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"];

/// Functions and methods that leave what they are given as it is.
const LOOK: &[&str] = &[
    "all",
    "any",
    "count",
    "dict",
    "enumerate",
    "get",
    "index",
    "items",
    "keys",
    "len",
    "list",
    "max",
    "min",
    "print",
    "range",
    "reversed",
    "set",
    "sorted",
    "sum",
    "tuple",
    "values",
    "zip",
    "str",
    "repr",
    "join",
];

/// What is known of a program's flow.
pub(crate) struct Reach<'t, 'a, 'c> {
    tree: &'t Tree<'a>,
    names: &'t Names<'a, 'c>,
    /// Functions that are certainly called.
    called: HashSet<Id>,
    /// Which names only ever stand for what they were set to, as far as somebody has asked.
    fixed: RefCell<HashMap<String, bool>>,
    /// What certainly has items, though that is not to be seen from how it is written,
    filled: HashSet<TextRange>,
    /// and what tools gave: a loop over that is there for what it brings.
    brought: HashSet<TextRange>,
    /// Attributes that the program sets: a method of such a name may be another by then.
    set: HashSet<&'a str>,
}

impl<'t, 'a, 'c> Reach<'t, 'a, 'c> {
    pub(crate) fn new(tree: &'t Tree<'a>, names: &'t Names<'a, 'c>) -> Self {
        let set = |(_, node)| match node {
            AnyNodeRef::ExprAttribute(one) if one.ctx.is_store() => Some(one.attr.as_str()),
            _ => None,
        };
        let mut reach = Self {
            tree,
            names,
            called: HashSet::new(),
            fixed: RefCell::default(),
            filled: HashSet::new(),
            brought: HashSet::new(),
            set: tree.all().filter_map(set).collect(),
        };
        reach.find_called();
        reach
    }

    /// Functions that call functions: as often as something new is found.
    fn find_called(&mut self) {
        loop {
            let more: Vec<Id> =
                self.tree.all().filter_map(|(id, node)| self.newly_called(id, node)).collect();
            if more.is_empty() {
                return;
            }
            self.called.extend(more);
        }
    }

    /// Takes note of what certainly has items, and of what tools gave.
    pub(crate) fn note_items(&mut self, filled: HashSet<TextRange>, brought: HashSet<TextRange>) {
        self.filled = filled;
        self.brought = brought;
        if !self.filled.is_empty() || !self.brought.is_empty() {
            self.find_called();
        }
    }

    pub(crate) fn has_items(&self, items: &'a Expr) -> bool {
        self.filled.contains(&items.range()) || flow::has_items(items, &|name| self.meant(name))
    }

    /// Whether the body of a loop over something is there to run: it has items, or a tool gave it.
    fn is_gone_over(&self, items: &'a Expr) -> bool {
        self.brought.contains(&items.range()) || self.has_items(items)
    }

    /// What a name means, as far as that is the same wherever it is used.
    pub(crate) fn meant(&self, name: &str) -> Meant<'a> {
        if !self.names.stores.contains_key(name) && !self.names.is_imported(name) {
            return Meant::Plain;
        }
        self.stands_for(name).map_or(Meant::Unknown, Meant::Value)
    }

    /// The function that a node calls, if that is certain and new.
    fn newly_called(&self, id: Id, node: AnyNodeRef<'a>) -> Option<Id> {
        let AnyNodeRef::ExprCall(call) = node else { return None };
        let definition = match &*call.func {
            Expr::Name(name) => match self.tree.node(self.only(name.id.as_str())?) {
                AnyNodeRef::StmtFunctionDef(_) => self.only(name.id.as_str())?,
                AnyNodeRef::StmtClassDef(_) => {
                    self.method(self.only(name.id.as_str())?, "__init__")?
                }
                _ => return None,
            },
            Expr::Attribute(attribute) if !self.set.contains(attribute.attr.as_str()) => {
                self.method(self.class_of(&attribute.value)?, attribute.attr.as_str())?
            }
            _ => return None,
        };
        let AnyNodeRef::StmtFunctionDef(function) = self.tree.node(definition) else { return None };
        // What is not awaited may never run, and what is called where exceptions are caught may be left.
        let is_awaited = self
            .tree
            .parent(id)
            .is_some_and(|parent| matches!(self.tree.node(parent), AnyNodeRef::ExprAwait(_)))
            || self.is_driven(id, call);
        let plain = function.decorator_list.is_empty()
            && !self.is_generator(definition)
            && (is_awaited || !function.is_async)
            && !self.is_tried(id);
        (plain && !self.called.contains(&definition) && self.is_reached(id)).then_some(definition)
    }

    /// Whether a call is carried out by `asyncio.run(...)` or a loop's `run_until_complete(...)`.
    fn is_driven(&self, id: Id, call: &ExprCall) -> bool {
        let is_asyncio = |name: &str| {
            name == "asyncio" || self.names.modules.get(name).is_some_and(|one| one == "asyncio")
        };
        self.tree.above(id).take(3).any(|above| match self.tree.node(above) {
            AnyNodeRef::ExprCall(outer) => {
                let drives = match &*outer.func {
                    Expr::Attribute(method) => match method.attr.as_str() {
                        "run" => matches!(&*method.value, Expr::Name(name) if is_asyncio(name.id.as_str())),
                        "run_until_complete" => true,
                        _ => false,
                    },
                    _ => false,
                };
                let first = outer.arguments.args.first();
                drives && first.is_some_and(|first| first.range() == call.range())
            }
            _ => false,
        })
    }

    /// Whether a place is in the body of a `try` that catches something.
    fn is_tried(&self, id: Id) -> bool {
        let mut child = id;
        self.tree.above(id).any(|parent| {
            let tried = matches!(self.tree.node(parent), AnyNodeRef::StmtTry(one)
                if !one.handlers.is_empty() && self.tree.is_in(child, &one.body));
            child = parent;
            tried
        })
    }

    /// The one place where a name is bound.
    fn only(&self, name: &str) -> Option<Id> {
        match self.names.stores.get(name)?[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The class of the program's own that an expression is an instance of.
    pub(crate) fn class_of(&self, expression: &Expr) -> Option<Id> {
        let made = match expression {
            Expr::Call(call) => call,
            Expr::Name(name) => {
                match self.tree.node(self.tree.parent(self.only(name.id.as_str())?)?) {
                    AnyNodeRef::StmtAssign(assign) => assign.value.as_call_expr()?,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let class = self.only(made.func.as_name_expr()?.id.as_str())?;
        matches!(self.tree.node(class), AnyNodeRef::StmtClassDef(_)).then_some(class)
    }

    /// A method of a class, if it has exactly one of this name.
    pub(crate) fn method(&self, class: Id, name: &str) -> Option<Id> {
        let AnyNodeRef::StmtClassDef(definition) = self.tree.node(class) else { return None };
        if makes_others(definition) {
            return None;
        }
        let mut methods = definition
            .body
            .iter()
            .filter_map(|statement| statement.as_function_def_stmt())
            .filter(|one| one.name.as_str() == name);
        match (methods.next(), methods.next()) {
            (Some(only), None) => self.tree.id(only.into()),
            _ => None,
        }
    }

    fn is_async(&self, function: Id) -> bool {
        matches!(self.tree.node(function), AnyNodeRef::StmtFunctionDef(one) if one.is_async)
    }

    pub(crate) fn is_generator(&self, function: Id) -> bool {
        self.tree.all().any(|(id, node)| {
            matches!(node, AnyNodeRef::ExprYield(_) | AnyNodeRef::ExprYieldFrom(_))
                && self.tree.function(id) == Some(function)
        })
    }

    /// Whether names may be defined in ways that nobody sees.
    pub(crate) fn is_dynamic(&self) -> bool {
        let reaches_in = |node| matches!(node, AnyNodeRef::ExprAttribute(one) if REACH_IN.contains(&one.attr.as_str()));
        self.names.unknown_star
            || DYNAMIC.iter().any(|name| self.names.loads.contains_key(name))
            || self.tree.all().any(|(_, node)| reaches_in(node))
    }

    /// Whether the program ends itself somewhere.
    pub(crate) fn may_end_anywhere(&self) -> bool {
        ENDS.iter().any(|name| self.names.loads.contains_key(name))
            || self.tree.all().any(|(_, node)| {
                matches!(node, AnyNodeRef::ExprAttribute(one) if ENDS.contains(&one.attr.as_str()))
            })
    }

    /// Whether a place is in an annotation, which nobody evaluates.
    pub(crate) fn is_annotation_at(&self, range: TextRange) -> bool {
        let id = self.tree.around(range);
        let is_in = |annotation: &Expr| annotation.range().contains_range(range);
        std::iter::once(id).chain(self.tree.above(id)).any(|id| match self.tree.node(id) {
            AnyNodeRef::StmtAnnAssign(one) => is_in(&one.annotation),
            AnyNodeRef::Parameter(one) => one.annotation.as_deref().is_some_and(is_in),
            AnyNodeRef::StmtFunctionDef(one) => one.returns.as_deref().is_some_and(is_in),
            _ => false,
        })
    }

    /// The value that a name is bound to, once and for all.
    pub(crate) fn constant(&self, name: &str) -> Option<&'a Expr> {
        match self.tree.node(self.tree.parent(self.only(name)?)?) {
            // What has two names could be changed through the other.
            AnyNodeRef::StmtAssign(assign) if assign.targets.len() == 1 => Some(&*assign.value),
            _ => None,
        }
    }

    /// Whether a place is on the main line of the program.
    pub(crate) fn is_reached_at(&self, range: TextRange) -> bool {
        self.is_reached(self.tree.around(range))
    }

    fn is_reached(&self, id: Id) -> bool {
        if self.may_end_anywhere() {
            return false;
        }
        let mut child = id;
        for parent in self.tree.above(id) {
            if self.may_be_left_before(child, parent) {
                return false;
            }
            if self.tree.is_body_of(child, parent) {
                if !self.called.contains(&parent) {
                    return false;
                }
                // Where it is called was looked at already; where it is defined was passed.
            } else if !self.is_unconditional(child, parent) {
                return false;
            }
            child = parent;
        }
        true
    }

    fn is_unconditional(&self, child: Id, parent: Id) -> bool {
        let tree = self.tree;
        match tree.node(parent) {
            AnyNodeRef::StmtIf(statement) => {
                tree.is(child, &statement.test)
                    || is_always(&statement.test) && tree.is_in(child, &statement.body)
            }
            AnyNodeRef::StmtWhile(statement) => {
                tree.is(child, &statement.test)
                    || is_always(&statement.test) && tree.is_in(child, &statement.body)
            }
            AnyNodeRef::StmtFor(statement) => {
                !tree.node(child).is_statement()
                    || tree.is_in(child, &statement.body)
                        && (self.brought.contains(&statement.iter.range())
                            || !statement.body.iter().any(flow::may_leave)
                                && self.has_items(&statement.iter))
            }
            AnyNodeRef::StmtTry(statement) => {
                let left = statement.finalbody.iter().any(flow::may_leave);
                tree.is_in(child, &statement.body) && !left
                    || tree.is_in(child, &statement.finalbody)
            }
            AnyNodeRef::StmtWith(statement) => {
                !tree.is_in(child, &statement.body)
                    || !statement.items.iter().any(|item| self.swallows(&item.context_expr))
            }
            AnyNodeRef::StmtMatch(statement) => tree.is(child, &statement.subject),
            AnyNodeRef::ExprBoolOp(operation) => {
                operation.values.first().is_some_and(|first| tree.is(child, first))
            }
            AnyNodeRef::ExprIf(choice) => tree.is(child, &choice.test),
            AnyNodeRef::ExprCompare(compare) => {
                tree.is(child, &compare.left)
                    || compare.comparators.first().is_some_and(|first| tree.is(child, first))
            }
            AnyNodeRef::Comprehension(one) => {
                tree.is(child, &one.iter) || self.is_gone_over(&one.iter)
            }
            AnyNodeRef::ExprListComp(one) => self.runs(child, &one.generators),
            AnyNodeRef::ExprSetComp(one) => self.runs(child, &one.generators),
            AnyNodeRef::ExprDictComp(one) => self.runs(child, &one.generators),
            // Nobody may ask for what it gives, or not for all of it.
            AnyNodeRef::ExprGenerator(one) => {
                matches!(tree.node(child), AnyNodeRef::Comprehension(first) if is_first(first, &one.generators))
                    || self.is_used_up(parent) && self.runs(child, &one.generators)
            }
            AnyNodeRef::StmtAssert(statement) => tree.is(child, &statement.test),
            AnyNodeRef::ElifElseClause(_)
            | AnyNodeRef::MatchCase(_)
            | AnyNodeRef::ExceptHandlerExceptHandler(_) => false,
            _ => true,
        }
    }

    /// Whether a part of a comprehension is certainly evaluated: what the first `for` goes over
    /// always is.
    fn runs(&self, child: Id, generators: &'a [Comprehension]) -> bool {
        matches!(self.tree.node(child), AnyNodeRef::Comprehension(one) if is_first(one, generators))
            || generators.iter().all(|one| one.ifs.is_empty() && self.is_gone_over(&one.iter))
    }

    /// Whether a generator is given to a function of Python's own that wants all that it gives.
    fn is_used_up(&self, generator: Id) -> bool {
        let arguments = self.tree.parent(generator);
        let call = arguments.and_then(|one| self.tree.parent(one)).map(|one| self.tree.node(one));
        let Some(AnyNodeRef::ExprCall(call)) = call else { return false };
        match &*call.func {
            Expr::Name(name) => {
                let name = name.id.as_str();
                let is_plain =
                    !self.names.stores.contains_key(name) && !self.names.is_imported(name);
                is_plain && USERS.contains(&name) && call.arguments.args.len() == 1
            }
            Expr::Attribute(method) => {
                method.attr.as_str() == "join" && method.value.is_string_literal_expr()
            }
            _ => false,
        }
    }

    /// What a name stands for wherever it is used: bound once, and only looked at.
    pub(crate) fn stands_for(&self, name: &str) -> Option<&'a Expr> {
        let value = self.constant(name)?;
        if let Some(known) = self.fixed.borrow().get(name) {
            return known.then_some(value);
        }
        let uses = self.names.loads.get(name)?;
        let is_fixed = uses.iter().all(|one| self.only_looks(*one));
        self.fixed.borrow_mut().insert(name.to_owned(), is_fixed);
        is_fixed.then_some(value)
    }

    /// Whether a use of a name leaves what it stands for as it is.
    fn only_looks(&self, id: Id) -> bool {
        let Some(parent) = self.tree.parent(id) else { return false };
        match self.tree.node(parent) {
            AnyNodeRef::StmtFor(_)
            | AnyNodeRef::Comprehension(_)
            | AnyNodeRef::ExprCompare(_)
            | AnyNodeRef::InterpolatedElement(_) => true,
            AnyNodeRef::ExprSubscript(one) => one.ctx.is_load(),
            AnyNodeRef::ExprAttribute(one) => LOOK.contains(&one.attr.as_str()),
            AnyNodeRef::Arguments(_) => {
                let call = self.tree.parent(parent).map(|call| self.tree.node(call));
                matches!(call, Some(AnyNodeRef::ExprCall(call)) if self.looks(call))
            }
            _ => false,
        }
    }

    /// Whether a call is of a function of Python's own that leaves what it is given as it is, and does
    /// not give it back.
    fn looks(&self, call: &ExprCall) -> bool {
        let Expr::Name(name) = &*call.func else { return false };
        let name = name.id.as_str();
        let is_plain = !self.names.stores.contains_key(name) && !self.names.is_imported(name);
        // The largest of several may be one of them as it is.
        let gives_back = ["max", "min", "sum"].contains(&name) && call.arguments.args.len() > 1;
        LOOK.contains(&name) && is_plain && !gives_back
    }

    /// Whether the program may leave before it comes to a statement: `if not rows: return`.
    fn may_be_left_before(&self, child: Id, parent: Id) -> bool {
        let bodies: [&[Stmt]; 2] = match self.tree.node(parent) {
            AnyNodeRef::ModModule(one) => [&one.body, &[]],
            AnyNodeRef::StmtFunctionDef(one) => [&one.body, &[]],
            AnyNodeRef::StmtIf(one) => [&one.body, &[]],
            AnyNodeRef::StmtFor(one) => [&one.body, &[]],
            AnyNodeRef::StmtWhile(one) => [&one.body, &[]],
            AnyNodeRef::StmtWith(one) => [&one.body, &[]],
            AnyNodeRef::StmtTry(one) => [&one.body, &one.finalbody],
            _ => return false,
        };
        // Whatever comes first in a `try` may raise what is caught.
        if let AnyNodeRef::StmtTry(one) = self.tree.node(parent)
            && !one.handlers.is_empty()
            && self.tree.is_in(child, &one.body)
        {
            return !self.tree.is_in(child, &one.body[..1]);
        }
        let start = self.tree.node(child).range().start();
        let Some(body) = bodies.into_iter().find(|body| self.tree.is_in(child, body)) else {
            return false;
        };
        body.iter().take_while(|one| one.range().end() <= start).any(flow::may_leave)
    }

    /// Whether an exception of one of these classes would be caught by the program.
    pub(crate) fn is_caught_at(&self, range: TextRange, classes: &[&str]) -> bool {
        self.is_caught(self.tree.around(range), classes, &mut HashSet::new())
    }

    fn is_caught(&self, id: Id, classes: &[&str], met: &mut HashSet<Id>) -> bool {
        let mut child = id;
        for parent in self.tree.above(id) {
            match self.tree.node(parent) {
                AnyNodeRef::StmtTry(statement)
                    if self.tree.is_in(child, &statement.body) && catches(statement, classes) =>
                {
                    return true;
                }
                AnyNodeRef::StmtWith(statement) => {
                    let inside = self.tree.is_in(child, &statement.body);
                    let mut items = statement.items.iter();
                    if inside && items.any(|item| self.swallows(&item.context_expr)) {
                        return true;
                    }
                }
                AnyNodeRef::ExprCall(call) if returns_exceptions(call) => return true,
                AnyNodeRef::StmtFunctionDef(function)
                    if self.tree.is_body_of(child, parent) && met.insert(parent) =>
                {
                    let uses = self
                        .names
                        .loads
                        .get(function.name.as_str())
                        .map(Vec::as_slice)
                        .unwrap_or_default();
                    let methods = self.methods_used(function.name.as_str());
                    if uses.iter().chain(&methods).any(|one| self.is_caught(*one, classes, met)) {
                        return true;
                    }
                }
                _ => {}
            }
            child = parent;
        }
        false
    }

    /// Where something of this name is used as an attribute.
    fn methods_used(&self, name: &str) -> Vec<Id> {
        let is_used = |node| matches!(node, AnyNodeRef::ExprAttribute(one) if one.ctx.is_load() && one.attr.as_str() == name);
        self.tree.all().filter(|(_, node)| is_used(*node)).map(|(id, _)| id).collect()
    }

    /// Whether a context manager may swallow exceptions: one of the program's own may do anything.
    fn swallows(&self, context: &Expr) -> bool {
        let Expr::Call(call) = context else { return true };
        match &*call.func {
            Expr::Name(name) => {
                let name = name.id.as_str();
                SWALLOW.contains(&name)
                    || self.names.stores.contains_key(name)
                    || self.names.is_from_nowhere(name)
            }
            Expr::Attribute(attribute) => {
                let is_own = match &*attribute.value {
                    Expr::Name(root) => {
                        let root = root.id.as_str();
                        self.names.stores.contains_key(root) || self.names.is_from_nowhere(root)
                    }
                    Expr::Attribute(_) => false,
                    _ => true,
                };
                is_own || SWALLOW.contains(&attribute.attr.as_str())
            }
            _ => true,
        }
    }

    /// Whether a call of a tool is handed on before it is awaited, in a program that catches what it
    /// awaits elsewhere: `await safe(get(...))`, `gather(*calls, return_exceptions=True)`.
    pub(crate) fn is_handed_on_at(&self, range: TextRange) -> bool {
        let id = self.tree.around(range);
        let call = std::iter::once(id).chain(self.tree.above(id)).find(|id| {
            matches!(self.tree.node(*id), AnyNodeRef::ExprCall(call)
                if self.names.is_tool(&call.func)
                    || self.names.partial(self.tree, call).is_some()
                    || self.names.function(call).is_some_and(|id| self.is_async(id)))
        });
        let parent = call.and_then(|call| self.tree.parent(call)).map(|id| self.tree.node(id));
        let is_awaited =
            matches!(parent, None | Some(AnyNodeRef::ExprAwait(_) | AnyNodeRef::StmtExpr(_)));
        !is_awaited && self.tree.all().any(|(id, node)| self.catches_what_it_is_given(id, node))
    }

    fn catches_what_it_is_given(&self, id: Id, node: AnyNodeRef<'a>) -> bool {
        match node {
            AnyNodeRef::ExprCall(call) => returns_exceptions(call),
            AnyNodeRef::ExprAttribute(attribute) => attribute.attr.as_str() == "exception",
            AnyNodeRef::ExprAwait(awaited) => {
                let hands_itself =
                    matches!(&*awaited.value, Expr::Call(call) if self.names.is_tool(&call.func));
                !hands_itself
                    && self
                        .tree
                        .above(id)
                        .any(|above| matches!(self.tree.node(above), AnyNodeRef::StmtTry(_)))
            }
            _ => false,
        }
    }

    /// Whether the program asks around a place if something has an attribute.
    pub(crate) fn is_asked_about_at(&self, range: TextRange) -> bool {
        let id = self.tree.around(range);
        let asks = |test: &Expr| {
            self.tree.all().any(|(_, node)| {
                test.range().contains_range(node.range())
                    && matches!(node, AnyNodeRef::ExprCall(call) if matches!(&*call.func,
                        Expr::Name(name) if ["hasattr", "getattr", "dir"].contains(&name.id.as_str())))
            })
        };
        self.tree.above(id).any(|parent| match self.tree.node(parent) {
            AnyNodeRef::StmtIf(one) => asks(&one.test),
            AnyNodeRef::ExprIf(one) => asks(&one.test),
            _ => false,
        })
    }

    /// Whether the program asks, anywhere around a place, if a key is there.
    pub(crate) fn is_guarded_at(&self, range: TextRange, key: &str) -> bool {
        let id = self.tree.around(range);
        self.tree.above(id).any(|parent| {
            let test: Option<TextRange> = match self.tree.node(parent) {
                AnyNodeRef::StmtIf(statement) => Some(statement.range),
                AnyNodeRef::StmtWhile(statement) => Some(statement.test.range()),
                AnyNodeRef::ExprIf(choice) => Some(choice.range),
                AnyNodeRef::ExprBoolOp(operation) => Some(operation.range),
                AnyNodeRef::ExprListComp(one) => Some(one.range),
                AnyNodeRef::ExprSetComp(one) => Some(one.range),
                AnyNodeRef::ExprDictComp(one) => Some(one.range),
                AnyNodeRef::ExprGenerator(one) => Some(one.range),
                _ => None,
            };
            test.is_some_and(|test| self.asks_within(test, key))
        })
    }

    /// Whether there is `"key" in x` or `x.get("key")` in a range.
    fn asks_within(&self, range: TextRange, key: &str) -> bool {
        self.tree.all().any(|(_, node)| {
            range.contains_range(node.range())
                && match node {
                    AnyNodeRef::ExprCompare(compare) => {
                        compare.ops.iter().any(|op| matches!(op, CmpOp::In | CmpOp::NotIn))
                            && is_text(&compare.left, key)
                    }
                    AnyNodeRef::ExprCall(call) => {
                        matches!(&*call.func, Expr::Attribute(attribute) if attribute.attr.as_str() == "get")
                            && call.arguments.args.first().is_some_and(|first| is_text(first, key))
                    }
                    _ => false,
                }
        })
    }

    /// Whether an `await` could stand at a place: at module scope or in an async function.
    pub(crate) fn is_awaitable_at(&self, range: TextRange) -> bool {
        let function = self.tree.function(self.tree.around(range));
        function.is_none_or(|function| {
            matches!(self.tree.node(function), AnyNodeRef::StmtFunctionDef(one) if one.is_async)
        })
    }

    /// Whether a place is in a function that may be anything but a coroutine.
    pub(crate) fn is_top_level_at(&self, range: TextRange) -> bool {
        let id = self.tree.around(range);
        let mut child = id;
        for parent in self.tree.above(id) {
            if self.tree.is_body_of(child, parent)
                || matches!(self.tree.node(parent), AnyNodeRef::StmtClassDef(_))
            {
                return false;
            }
            child = parent;
        }
        true
    }
}

/// Whether calling a class may make something else than an object with its methods: a metaclass says
/// how, or the class itself.
fn makes_others(class: &StmtClassDef) -> bool {
    let has = |name: &str| ["__getattribute__", "__new__"].contains(&name);
    class.arguments.as_ref().is_some_and(|given| !given.keywords.is_empty())
        || class.body.iter().any(|one| {
            one.as_function_def_stmt().is_some_and(|function| has(function.name.as_str()))
        })
}

fn is_text(expression: &Expr, text: &str) -> bool {
    matches!(expression, Expr::StringLiteral(literal) if literal.value.to_str() == text)
}

/// `if True:`, `while 1:` and `if __name__ == "__main__":`.
fn is_always(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(literal) => literal.value,
        Expr::NumberLiteral(literal) => {
            matches!(&literal.value, ruff_python_ast::Number::Int(number) if *number != 0)
        }
        Expr::Compare(compare) => {
            matches!(&*compare.left, Expr::Name(name) if name.id.as_str() == "__name__")
                && matches!(&compare.ops[..], [CmpOp::Eq])
                && matches!(&compare.comparators[..], [name] if is_text(name, "__main__"))
        }
        _ => false,
    }
}

fn is_first(one: &Comprehension, generators: &[Comprehension]) -> bool {
    generators.first().is_some_and(|first| first.range == one.range)
}

/// `if False:`, `if 0:` and `if TYPE_CHECKING:`.
fn is_never(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(literal) => !literal.value,
        Expr::NumberLiteral(literal) => {
            matches!(&literal.value, ruff_python_ast::Number::Int(number) if *number == 0)
        }
        Expr::Name(name) => name.id.as_str() == "TYPE_CHECKING",
        Expr::Attribute(attribute) => attribute.attr.as_str() == "TYPE_CHECKING",
        _ => false,
    }
}

/// `gather(..., return_exceptions=True)`.
fn returns_exceptions(call: &ExprCall) -> bool {
    call.arguments.keywords.iter().any(|keyword| {
        keyword.arg.as_ref().is_some_and(|name| name.as_str() == "return_exceptions")
            && !is_never(&keyword.value)
    })
}

fn catches(statement: &StmtTry, classes: &[&str]) -> bool {
    statement.handlers.iter().any(|handler| {
        let ExceptHandler::ExceptHandler(handler) = handler;
        // Raised again at once, it is as if nobody had caught it.
        let passes_on = matches!(&handler.body[..], [Stmt::Raise(raise)] if raise.exc.is_none());
        !passes_on && handler.type_.as_ref().is_none_or(|kind| names_one_of(kind, classes))
    })
}

fn names_one_of(kind: &Expr, classes: &[&str]) -> bool {
    match kind {
        Expr::Tuple(tuple) => tuple.elts.iter().any(|one| names_one_of(one, classes)),
        Expr::Name(name) => is_one_of(name.id.as_str(), classes),
        Expr::Attribute(attribute) => is_one_of(attribute.attr.as_str(), classes),
        // Whatever it is, it might be.
        _ => true,
    }
}

fn is_one_of(name: &str, classes: &[&str]) -> bool {
    const BUILT_IN: &[&str] = &[
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "BufferError",
        "EOFError",
        "FileExistsError",
        "FileNotFoundError",
        "ImportError",
        "IndexError",
        "IsADirectoryError",
        "JSONDecodeError",
        "KeyError",
        "KeyboardInterrupt",
        "LookupError",
        "MemoryError",
        "ModuleNotFoundError",
        "NameError",
        "NotImplementedError",
        "OSError",
        "OverflowError",
        "PermissionError",
        "RecursionError",
        "RuntimeError",
        "StopIteration",
        "SyntaxError",
        "SystemExit",
        "TimeoutError",
        "TypeError",
        "UnboundLocalError",
        "UnicodeDecodeError",
        "UnicodeError",
        "ValueError",
        "ZeroDivisionError",
        "ToolError",
        "ArgumentError",
        "UnknownTool",
        "ServerError",
        "PolicyError",
        "MissingAwait",
    ];
    match name {
        "Exception" | "BaseException" => true,
        name if BUILT_IN.contains(&name) => classes.contains(&name),
        // A class of the program's own, or a variable that holds several.
        _ => true,
    }
}
