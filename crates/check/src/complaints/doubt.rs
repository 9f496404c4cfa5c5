//! Branches of which nobody knows whether they are taken.
//!
//! A field that a result does not have is a mistake wherever it is read, but a program that never
//! comes there runs. What depends on a result is a branch like any other; what depends on a switch, or
//! on the shape that a result may turn out to have, may be there just for the case that never comes.

use ruff_python_ast::{AnyNodeRef, CmpOp, Expr};
use ruff_text_size::{Ranged as _, TextRange};

use super::Judge;

/// Functions that ask what something is.
const ASK: &[&str] = &["callable", "dir", "getattr", "hasattr", "isinstance", "type"];

impl<'a> Judge<'_, 'a, '_> {
    /// Whether a place is in such a branch.
    pub(super) fn is_in_doubt(&self, range: TextRange) -> bool {
        if self.reach.may_end_anywhere() {
            return true;
        }
        let id = self.tree.around(range);
        let mut child = id;
        for parent in self.tree.above(id) {
            let of = |test: &'a Expr| (!self.tree.is(child, test)).then_some(test);
            let test = match self.tree.node(parent) {
                // `answer.get("temperature") or answer["temp"]`.
                AnyNodeRef::ExprBoolOp(one) => {
                    let mut before = one.values.iter().take_while(|one| !self.tree.is(child, one));
                    if before.any(|one| self.asks_within(one)) {
                        return true;
                    }
                    None
                }
                AnyNodeRef::StmtIf(one) => of(&one.test),
                AnyNodeRef::StmtWhile(one) => of(&one.test),
                AnyNodeRef::ExprIf(one) => of(&one.test),
                AnyNodeRef::StmtMatch(one) => of(&one.subject),
                AnyNodeRef::ElifElseClause(one) => one.test.as_ref().and_then(of),
                AnyNodeRef::ExceptHandlerExceptHandler(_) => return true,
                _ => None,
            };
            if test.is_some_and(|test| !self.is_about_a_result(test)) {
                return true;
            }
            child = parent;
        }
        false
    }

    /// Whether a test is about what a result says, and not about what it is.
    fn is_about_a_result(&self, test: &'a Expr) -> bool {
        let within = self.within(test);
        let is_result =
            |node: &AnyNodeRef<'a>| node.as_expr_ref().is_some_and(|one| self.trust.is_result(one));
        !within.iter().any(|node| asks_for_shape(*node)) && within.iter().any(is_result)
    }

    fn asks_within(&self, test: &'a Expr) -> bool {
        self.within(test).into_iter().any(asks_for_shape)
    }

    /// All that an expression is made of.
    fn within(&self, expression: &'a Expr) -> Vec<AnyNodeRef<'a>> {
        let range = expression.range();
        let nodes = self.tree.all().map(|(_, node)| node);
        nodes.filter(|node| range.contains_range(node.range())).collect()
    }
}

/// `"error" in answer`, `answer.get("error")`, `isinstance(answer, dict)`.
fn asks_for_shape(node: AnyNodeRef<'_>) -> bool {
    match node {
        AnyNodeRef::ExprCompare(one) => {
            let asks_in = |operator: &CmpOp| matches!(operator, CmpOp::In | CmpOp::NotIn);
            one.ops.iter().any(asks_in) && one.left.is_string_literal_expr()
        }
        AnyNodeRef::ExprAttribute(one) => one.attr.as_str() == "get",
        AnyNodeRef::ExprName(name) => ASK.contains(&name.id.as_str()),
        _ => false,
    }
}
