//! Whether a loop certainly runs, and whether statements may leave before what follows them.

use ruff_python_ast::{Comprehension, ElifElseClause, Expr, ExprCall, Number, Stmt};

/// Functions that give as many items as they are given.
const KEEP: &[&str] =
    &["enumerate", "iter", "list", "reversed", "set", "sorted", "tuple", "frozenset"];

/// What a name means.
pub(crate) enum Meant<'a> {
    /// What Python means by it: the program does not bind it.
    Plain,
    /// Always this.
    Value(&'a Expr),
    /// Something else.
    Unknown,
}

/// Whether going over an expression certainly brings an item. `named` says what a name means.
pub(crate) fn has_items<'a>(expression: &'a Expr, named: &impl Fn(&'a str) -> Meant<'a>) -> bool {
    let has = |one: &'a Expr| has_items(one, named);
    match expression {
        Expr::List(list) => list.elts.iter().any(|one| !one.is_starred_expr()),
        Expr::Tuple(tuple) => tuple.elts.iter().any(|one| !one.is_starred_expr()),
        Expr::Set(set) => set.elts.iter().any(|one| !one.is_starred_expr()),
        Expr::Dict(dict) => dict.items.iter().any(|item| item.key.is_some()),
        Expr::StringLiteral(text) => !text.value.is_empty(),
        Expr::ListComp(one) => runs(&one.generators, named),
        Expr::Generator(one) => runs(&one.generators, named),
        // A name stands for a literal, which mentions no name that stands for it.
        Expr::Name(name) => match named(name.id.as_str()) {
            Meant::Value(value) => !value.is_name_expr() && has(value),
            Meant::Plain | Meant::Unknown => false,
        },
        Expr::Call(call) => match &*call.func {
            Expr::Name(name) if !matches!(named(name.id.as_str()), Meant::Plain) => false,
            Expr::Name(name) if name.id.as_str() == "range" => counts_up(call),
            Expr::Name(name) if name.id.as_str() == "zip" => {
                !call.arguments.args.is_empty() && call.arguments.args.iter().all(has)
            }
            Expr::Name(name) if name.id.as_str() == "map" => {
                call.arguments.args.len() > 1 && call.arguments.args.iter().skip(1).all(has)
            }
            Expr::Name(name) if KEEP.contains(&name.id.as_str()) => {
                call.arguments.args.first().is_some_and(has)
            }
            Expr::Attribute(attribute)
                if matches!(attribute.attr.as_str(), "items" | "keys" | "values")
                    && call.arguments.is_empty() =>
            {
                has(&attribute.value)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether a comprehension certainly makes something.
pub(crate) fn runs<'a>(
    generators: &'a [Comprehension],
    named: &impl Fn(&'a str) -> Meant<'a>,
) -> bool {
    generators.iter().all(|one| one.ifs.is_empty() && has_items(&one.iter, named))
}

/// `range(3)`, `range(1, 4)`.
fn counts_up(call: &ExprCall) -> bool {
    let numbers: Option<Vec<i64>> = call.arguments.args.iter().map(number).collect();
    match numbers.as_deref() {
        Some([end]) => *end > 0,
        Some([start, end]) => start < end,
        Some([start, end, step]) => *step > 0 && start < end || *step < 0 && start > end,
        _ => false,
    }
}

fn number(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(number) => number.as_i64(),
            _ => None,
        },
        Expr::UnaryOp(operation) if operation.op == ruff_python_ast::UnaryOp::USub => {
            number(&operation.operand).map(std::ops::Neg::neg)
        }
        _ => None,
    }
}

/// Whether a statement may leave what is around it in an orderly way: `if not rows: return`.
pub(crate) fn may_leave(statement: &Stmt) -> bool {
    leaves(statement, false)
}

fn leaves(statement: &Stmt, in_loop: bool) -> bool {
    let any = |body: &[Stmt], in_loop| body.iter().any(|one| leaves(one, in_loop));
    let clauses = |clauses: &[ElifElseClause]| clauses.iter().any(|one| any(&one.body, in_loop));
    match statement {
        Stmt::Return(_) => true,
        Stmt::Break(_) | Stmt::Continue(_) => !in_loop,
        Stmt::If(one) => any(&one.body, in_loop) || clauses(&one.elif_else_clauses),
        Stmt::For(one) => any(&one.body, true) || any(&one.orelse, in_loop),
        Stmt::While(one) => any(&one.body, true) || any(&one.orelse, in_loop),
        Stmt::With(one) => any(&one.body, in_loop),
        Stmt::Match(one) => one.cases.iter().any(|case| any(&case.body, in_loop)),
        Stmt::Try(one) => {
            let handled = one.handlers.iter().filter_map(|handler| handler.as_except_handler());
            [&one.body, &one.orelse, &one.finalbody].iter().any(|body| any(body, in_loop))
                || handled.into_iter().any(|handler| any(&handler.body, in_loop))
        }
        _ => false,
    }
}

/// Whether what follows a statement is never reached.
pub(crate) fn always_leaves(statement: &Stmt) -> bool {
    let any = |body: &[Stmt]| body.iter().any(always_leaves);
    match statement {
        Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_) => true,
        Stmt::If(one) => {
            let has_else = one.elif_else_clauses.last().is_some_and(|last| last.test.is_none());
            has_else && any(&one.body) && one.elif_else_clauses.iter().all(|one| any(&one.body))
        }
        Stmt::With(one) => any(&one.body),
        Stmt::Try(one) => {
            let mut handlers =
                one.handlers.iter().filter_map(|handler| handler.as_except_handler());
            any(&one.finalbody)
                || (any(&one.body) || any(&one.orelse)) && handlers.all(|one| any(&one.body))
        }
        Stmt::Expr(one) => matches!(&*one.value, Expr::Call(call) if ends_program(&call.func)),
        _ => false,
    }
}

/// `sys.exit`, `exit`, `quit`.
fn ends_program(function: &Expr) -> bool {
    match function {
        Expr::Name(name) => ["exit", "quit"].contains(&name.id.as_str()),
        Expr::Attribute(one) => {
            ["exit", "_exit"].contains(&one.attr.as_str())
                && matches!(&*one.value, Expr::Name(name) if ["os", "sys"].contains(&name.id.as_str()))
        }
        _ => false,
    }
}
