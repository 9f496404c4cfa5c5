//! Places that a program never comes to: behind a `return`, in a branch that is switched off, in a
//! function that nothing calls.

use std::collections::HashSet;

use ruff_python_ast::{
    AnyNodeRef, BoolOp, CmpOp, Expr, ExprCompare, Stmt, StmtFunctionDef, UnaryOp,
};
use ruff_text_size::TextRange;

use super::{Reach, is_always, is_never};
use crate::flow;
use crate::tree::Id;

impl Reach<'_, '_, '_> {
    /// Whether a place is never reached.
    pub(crate) fn is_dead_at(&self, range: TextRange) -> bool {
        self.is_dead(self.tree.around(range), &mut HashSet::new())
    }

    /// The same for a node. `met` are the functions that are being looked at: one that only they
    /// call is not called.
    fn is_dead(&self, id: Id, met: &mut HashSet<Id>) -> bool {
        let mut child = id;
        for parent in self.tree.above(id) {
            let is_uncalled = match self.tree.node(parent) {
                AnyNodeRef::StmtFunctionDef(function) => {
                    self.tree.is_body_of(child, parent) && self.is_uncalled(function, parent, met)
                }
                _ => false,
            };
            if is_uncalled || self.is_cut_off(child, parent) || self.is_off(child, parent) {
                return true;
            }
            child = parent;
        }
        false
    }

    /// Whether a place is in a function that nobody may ever run though it is not dead: a method that is
    /// not certainly called, or an async function whose calls are only kept.
    pub(crate) fn may_never_run_at(&self, range: TextRange) -> bool {
        let mut inner = self.tree.function(self.tree.around(range));
        while let Some(id) = inner {
            if let AnyNodeRef::StmtFunctionDef(function) = self.tree.node(id) {
                let parent = self.tree.parent(id).map(|parent| self.tree.node(parent));
                let is_method = matches!(parent, Some(AnyNodeRef::StmtClassDef(_)));
                if is_method && !self.called.contains(&id) || self.is_only_kept(function) {
                    return true;
                }
            }
            inner = self.tree.function(id);
        }
        false
    }

    /// `task = f()`, of an async function, and no more.
    fn is_only_kept(&self, function: &StmtFunctionDef) -> bool {
        let uses = self.names.loads.get(function.name.as_str()).map(Vec::as_slice);
        let is_kept = |one: &Id| {
            let call = self.tree.parent(*one).filter(|call| {
                matches!(self.tree.node(*call), AnyNodeRef::ExprCall(call) if self.tree.is(*one, &call.func))
            });
            let around = call.and_then(|call| self.tree.parent(call));
            matches!(around.map(|id| self.tree.node(id)), Some(AnyNodeRef::StmtAssign(_)))
        };
        let is_used = uses.is_some_and(|uses| !uses.is_empty());
        function.is_async && is_used && uses.unwrap_or_default().iter().all(is_kept)
    }

    /// Whether a statement before this one always leaves.
    fn is_cut_off(&self, child: Id, parent: Id) -> bool {
        let bodies: [&[Stmt]; 3] = match self.tree.node(parent) {
            AnyNodeRef::ModModule(one) => [&one.body, &[], &[]],
            AnyNodeRef::StmtFunctionDef(one) => [&one.body, &[], &[]],
            AnyNodeRef::StmtClassDef(one) => [&one.body, &[], &[]],
            AnyNodeRef::StmtIf(one) => [&one.body, &[], &[]],
            AnyNodeRef::ElifElseClause(one) => [&one.body, &[], &[]],
            AnyNodeRef::StmtFor(one) => [&one.body, &one.orelse, &[]],
            AnyNodeRef::StmtWhile(one) => [&one.body, &one.orelse, &[]],
            AnyNodeRef::StmtWith(one) => [&one.body, &[], &[]],
            AnyNodeRef::StmtTry(one) => [&one.body, &one.orelse, &one.finalbody],
            AnyNodeRef::ExceptHandlerExceptHandler(one) => [&one.body, &[], &[]],
            AnyNodeRef::MatchCase(one) => [&one.body, &[], &[]],
            _ => return false,
        };
        let body = bodies.into_iter().find(|body| self.tree.is_in(child, body));
        let mut before = body.into_iter().flatten().take_while(|one| {
            self.tree.id((*one).into()).is_some_and(|statement| statement < child)
        });
        before.any(flow::always_leaves)
    }

    /// Whether a part is of a branch that is never taken.
    fn is_off(&self, child: Id, parent: Id) -> bool {
        let tree = self.tree;
        match tree.node(parent) {
            AnyNodeRef::StmtIf(one) => {
                if tree.is_in(child, &one.body) {
                    return self.never(&one.test);
                }
                let mut earlier = one.elif_else_clauses.iter().take_while(|clause| {
                    tree.id((*clause).into()).is_some_and(|clause| clause < child)
                });
                let is_test = tree.is(child, &one.test);
                !is_test
                    && (self.always(&one.test)
                        || earlier.any(|one| one.test.as_ref().is_some_and(|it| self.always(it))))
            }
            AnyNodeRef::ElifElseClause(one) => {
                tree.is_in(child, &one.body) && one.test.as_ref().is_some_and(|it| self.never(it))
            }
            AnyNodeRef::StmtWhile(one) => {
                tree.is_in(child, &one.body) && self.never(&one.test)
                    || tree.is_in(child, &one.orelse) && self.always(&one.test)
            }
            AnyNodeRef::ExprIf(one) => {
                tree.is(child, &one.body) && self.never(&one.test)
                    || tree.is(child, &one.orelse) && self.always(&one.test)
            }
            AnyNodeRef::ExprBoolOp(one) => {
                let mut before = one.values.iter().take_while(|value| !tree.is(child, value));
                before.any(|value| match one.op {
                    BoolOp::And => self.never(value),
                    BoolOp::Or => self.always(value),
                })
            }
            // What is said only if it fails.
            AnyNodeRef::StmtAssert(one) => !tree.is(child, &one.test),
            _ => false,
        }
    }

    /// Whether a test certainly fails.
    fn never(&self, test: &Expr) -> bool {
        match test {
            Expr::Name(name) => is_never(test) || self.stands_for_literal(name.id.as_str(), false),
            Expr::NoneLiteral(_) => true,
            Expr::StringLiteral(text) => text.value.is_empty(),
            Expr::UnaryOp(one) => one.op == UnaryOp::Not && self.always(&one.operand),
            Expr::BoolOp(one) => match one.op {
                BoolOp::And => one.values.iter().any(|value| self.never(value)),
                BoolOp::Or => one.values.iter().all(|value| self.never(value)),
            },
            Expr::Compare(one) => is_of_version(one, &[CmpOp::Lt, CmpOp::LtE]),
            other => is_never(other),
        }
    }

    /// Whether a test certainly holds.
    fn always(&self, test: &Expr) -> bool {
        match test {
            Expr::Name(name) => self.stands_for_literal(name.id.as_str(), true),
            Expr::UnaryOp(one) => one.op == UnaryOp::Not && self.never(&one.operand),
            Expr::BoolOp(one) => match one.op {
                BoolOp::And => one.values.iter().all(|value| self.always(value)),
                BoolOp::Or => one.values.iter().any(|value| self.always(value)),
            },
            Expr::Compare(one) => is_always(test) || is_of_version(one, &[CmpOp::Gt, CmpOp::GtE]),
            other => is_always(other),
        }
    }

    /// Whether a name is set once, to a literal that counts as this.
    fn stands_for_literal(&self, name: &str, holds: bool) -> bool {
        let Some(value) = self.constant(name) else { return false };
        match value {
            Expr::BooleanLiteral(one) => one.value == holds,
            Expr::NumberLiteral(_) => is_never(value) != holds,
            Expr::NoneLiteral(_) => !holds,
            Expr::StringLiteral(text) => text.value.is_empty() != holds,
            _ => false,
        }
    }

    /// Whether nothing that runs calls a function.
    fn is_uncalled(&self, function: &StmtFunctionDef, id: Id, met: &mut HashSet<Id>) -> bool {
        if !function.decorator_list.is_empty() || self.is_dynamic() {
            return false;
        }
        if !met.insert(id) {
            return true;
        }
        let name = function.name.as_str();
        let parent = self.tree.parent(id).map(|parent| self.tree.node(parent));
        let uses = match parent {
            Some(AnyNodeRef::StmtClassDef(class)) => {
                // What a class is made from may call its methods, and so may Python itself.
                let has_bases = class.arguments.as_ref().is_some_and(|given| !given.is_empty());
                let by_name = self.names.loads.contains_key("getattr");
                if has_bases || by_name || name.starts_with("__") {
                    return false;
                }
                self.methods_used(name)
            }
            _ => self.names.loads.get(name).cloned().unwrap_or_default(),
        };
        uses.into_iter().all(|one| self.is_dead(one, met))
    }
}

/// `sys.version_info < (3, 8)`: Python there is newer than anything that programs ask for.
fn is_of_version(compare: &ExprCompare, operators: &[CmpOp]) -> bool {
    let is_version =
        matches!(&*compare.left, Expr::Attribute(one) if one.attr.as_str() == "version_info");
    is_version && matches!(&compare.ops[..], [operator] if operators.contains(operator))
}
