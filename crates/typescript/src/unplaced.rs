//! Statements that fail without saying where.
//!
//! QuickJS knows a line from names, calls and the beginnings of statements that are expressions. A constant is none
//! of these: `return null.x` fails, as far as it knows, where the function begins. A plain `0;` before such a
//! statement gives it the line. What takes something apart, `const { a } = b.c`, is none of these either, wherever it
//! stands.

use oxc::ast::ast::{
    ArrowFunctionExpression, BindingPattern, ComputedMemberExpression, Expression, ForOfStatement,
    ForStatementLeft, Function, Statement, StaticMemberExpression, VariableDeclarator,
};
use oxc::ast_visit::{Visit, walk};
use oxc::syntax::scope::ScopeFlags;

/// What gives a statement its line.
pub(crate) const PLACE: &str = "0;";

/// Whether something in a statement looks into a constant or takes something apart, where it may find nothing.
pub(crate) fn is_unplaced(statement: &Statement<'_>) -> bool {
    let mut found = Unplaced(false);
    found.visit_statement(statement);
    found.0
}

struct Unplaced(bool);

/// Whether an expression begins with a constant.
fn begins_with_a_constant(mut expression: &Expression<'_>) -> bool {
    loop {
        expression = match expression {
            Expression::StaticMemberExpression(member) => &member.object,
            Expression::ComputedMemberExpression(member) => &member.object,
            Expression::CallExpression(call) => &call.callee,
            Expression::ParenthesizedExpression(inner) => &inner.expression,
            Expression::AwaitExpression(awaited) => &awaited.argument,
            Expression::Identifier(name) => return name.name.as_str() == "undefined",
            other => {
                return other.is_literal()
                    || matches!(
                        other,
                        Expression::TemplateLiteral(_)
                            | Expression::ArrayExpression(_)
                            | Expression::ObjectExpression(_)
                    );
            }
        };
    }
}

fn is_taken_apart(pattern: &BindingPattern<'_>) -> bool {
    !matches!(pattern, BindingPattern::BindingIdentifier(_))
}

impl<'a> Visit<'a> for Unplaced {
    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.0 |= begins_with_a_constant(&it.object);
        walk::walk_static_member_expression(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.0 |= begins_with_a_constant(&it.object);
        walk::walk_computed_member_expression(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        self.0 |= it.init.is_some() && is_taken_apart(&it.id);
        walk::walk_variable_declarator(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        let takes_apart = match &it.left {
            ForStatementLeft::VariableDeclaration(left) => {
                left.declarations.iter().any(|one| is_taken_apart(&one.id))
            }
            _ => false,
        };
        self.0 |= takes_apart || begins_with_a_constant(&it.right);
        walk::walk_for_of_statement(self, it);
    }

    // What is inside of a function is not done here.
    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}
}
