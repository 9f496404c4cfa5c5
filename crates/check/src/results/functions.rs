//! The program's own functions: what they return, and what they are given.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::{
    AnyNodeRef, Expr, ExprCall, ExprLambda, ExprName, Stmt, StmtFunctionDef, StmtReturn,
};
use ruff_text_size::Ranged as _;

use super::{Results, item_of, same};
use crate::calls::argument;
use crate::names::Names;
use crate::tree::{Id, Tree};

/// The functions of a program.
#[derive(Default)]
pub(super) struct Functions<'a> {
    definitions: HashMap<Id, &'a StmtFunctionDef>,
    returns: HashMap<Id, Vec<&'a StmtReturn>>,
    generators: HashSet<Id>,
}

impl<'a> Functions<'a> {
    pub(super) fn of(tree: &Tree<'a>) -> Self {
        let mut functions = Self::default();
        for (id, node) in tree.all() {
            match node {
                AnyNodeRef::StmtFunctionDef(function) => {
                    let parent = tree.parent(id).map(|parent| tree.node(parent));
                    let is_method = matches!(parent, Some(AnyNodeRef::StmtClassDef(_)));
                    if function.decorator_list.is_empty() && !is_method {
                        functions.definitions.insert(id, function);
                    }
                }
                AnyNodeRef::StmtReturn(one) => {
                    if let Some(function) = tree.function(id) {
                        functions.returns.entry(function).or_default().push(one);
                    }
                }
                AnyNodeRef::ExprYield(_) | AnyNodeRef::ExprYieldFrom(_) => {
                    functions.generators.extend(tree.function(id));
                }
                _ => {}
            }
        }
        functions
    }

    /// The function that a call is of.
    pub(super) fn called(&self, call: &ExprCall, names: &Names<'a, '_>) -> Option<Id> {
        names.function(call).filter(|id| self.definitions.contains_key(id))
    }

    pub(super) fn is_async(&self, function: Id) -> bool {
        self.definitions.get(&function).is_some_and(|one| one.is_async)
    }

    /// All that a function returns; `None` when it may come to its end without.
    pub(super) fn returns(&self, function: Id) -> Option<&[&'a StmtReturn]> {
        let definition = self.definitions.get(&function)?;
        if self.generators.contains(&function) || !ends(&definition.body) {
            return None;
        }
        self.returns.get(&function).map(Vec::as_slice)
    }
}

impl<'a> Results<'_, 'a, '_> {
    /// A parameter where it is used, if it is the only thing of its name there.
    pub(super) fn parameter(&self, id: Id, name: &'a ExprName) -> Option<String> {
        let scope = self.scopes.of(id, name.id.as_str())?;
        let parameters = match self.tree.node(scope) {
            AnyNodeRef::ExprLambda(one) => one.parameters.as_deref()?,
            _ => &*self.functions.definitions.get(&scope)?.parameters,
        };
        let mut parameters = parameters.iter_non_variadic_params();
        parameters.find(|one| one.parameter.name.as_str() == name.id.as_str())?;
        let spelling = self.held(name);
        self.is_ours.set(true);
        spelling
    }

    /// What a parameter is given, if that is the same in all calls of its function, and these are
    /// all that the program does with it.
    pub(super) fn given(&self, place: Id, name: &'a str) -> Option<String> {
        let scope = self.scopes.of(place, name)?;
        if let AnyNodeRef::ExprLambda(lambda) = self.tree.node(scope) {
            return self.given_at_once(scope, lambda);
        }
        let function = *self.functions.definitions.get(&scope)?;
        let uses = self.names.loads.get(function.name.as_str())?;
        same(uses.iter().map(|one| {
            let AnyNodeRef::ExprCall(call) = self.tree.node(self.tree.parent(*one)?) else {
                return None;
            };
            let is_it = self.functions.called(call, self.names) == Some(scope);
            let is_callee = self.tree.is(*one, &call.func);
            let given = (is_it && is_callee).then(|| argument(function, call, name))??;
            self.value(given)
        }))
    }

    /// What a lambda is given that is written where it is used: `max(rows, key=lambda row: row["price"])`.
    /// Of these the type checker forgets what they are over, depending on what is around them.
    fn given_at_once(&self, scope: Id, lambda: &'a ExprLambda) -> Option<String> {
        if lambda.parameters.as_ref()?.len() != 1 {
            return None;
        }
        let mut around = self.tree.above(scope).take(3).map(|id| self.tree.node(id));
        let call = around.find_map(|node| match node {
            AnyNodeRef::ExprCall(call) => Some(call),
            _ => None,
        })?;
        let name = call.func.as_name_expr()?.id.as_str();
        if self.names.stores.contains_key(name) || self.names.is_imported(name) {
            return None;
        }
        let is_it = |one: &Expr| one.range() == lambda.range;
        let is_key =
            || call.arguments.find_keyword("key").is_some_and(|keyword| is_it(&keyword.value));
        let items = match (name, &call.arguments.args[..]) {
            ("max" | "min", [items]) if is_key() => items,
            ("filter", [first, items]) if is_it(first) => items,
            _ => return None,
        };
        self.value(items).map(|spelling| item_of(&spelling))
    }
}

/// Whether statements certainly end in `return` or `raise`.
fn ends(body: &[Stmt]) -> bool {
    match body.last() {
        Some(Stmt::Return(_) | Stmt::Raise(_)) => true,
        Some(Stmt::If(one)) => {
            let has_else = one.elif_else_clauses.last().is_some_and(|last| last.test.is_none());
            has_else
                && ends(&one.body)
                && one.elif_else_clauses.iter().all(|clause| ends(&clause.body))
        }
        Some(Stmt::With(one)) => ends(&one.body),
        Some(Stmt::Try(one)) => {
            let mut handlers =
                one.handlers.iter().filter_map(|handler| handler.as_except_handler());
            let body = if one.orelse.is_empty() { &one.body } else { &one.orelse };
            ends(body) && handlers.all(|handler| ends(&handler.body))
        }
        _ => false,
    }
}
