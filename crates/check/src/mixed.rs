//! Whether a program puts something into results of tools that nobody can see from its text.
//!
//! `issue.update(extra)` gives a result fields that its schema does not have, `items += more` gives a
//! list members of another kind. From there on what is declared of results is no longer certain.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, Operator};

use crate::names::Names;
use crate::tree::{Id, Tree};

/// Methods that put something into what they are called on.
const PUT_IN: &[&str] = &["append", "extend", "insert", "update", "setdefault", "__setitem__"];
/// Functions that make a container of the program's own.
const OWN: &[&str] = &[
    "Counter",
    "OrderedDict",
    "bytearray",
    "defaultdict",
    "deque",
    "dict",
    "list",
    "set",
    "tuple",
];

/// Whether anything that may be a result, or a part of one, is changed in a way that cannot be read.
pub(crate) fn mixes(tree: &Tree<'_>, names: &Names<'_, '_>) -> bool {
    let of_a_result = |expression: &Expr| may_be_of_a_result(tree, names, expression, 0);
    tree.all().any(|(id, node)| match node {
        AnyNodeRef::ExprAttribute(method) if PUT_IN.contains(&method.attr.as_str()) => {
            let call = tree.parent(id).map(|parent| tree.node(parent));
            let is_plain = matches!(call, Some(AnyNodeRef::ExprCall(call)) if tree.is(id, &call.func) && is_written_out(call));
            // `dict.update(result, …)` is called on the class.
            let on_the_class = matches!(&*method.value, Expr::Name(name) if OWN.contains(&name.id.as_str()));
            !is_plain && (on_the_class || of_a_result(&method.value))
        }
        AnyNodeRef::StmtAugAssign(assign) if assign.op == Operator::Add => {
            of_a_result(&assign.target) && !assign.value.is_literal_expr()
        }
        AnyNodeRef::ExprSubscript(subscript) if subscript.ctx.is_store() => {
            let is_key = subscript.slice.is_string_literal_expr();
            !is_key && of_a_result(&subscript.value)
        }
        _ => false,
    })
}

/// Whether everything that a call puts in stands there: `{"key": value}`, `key=value`.
fn is_written_out(call: &ExprCall) -> bool {
    let written = |one: &Expr| match one {
        Expr::Dict(dict) => dict
            .items
            .iter()
            .all(|item| item.key.as_ref().is_some_and(Expr::is_string_literal_expr)),
        one => one.is_literal_expr(),
    };
    let is_setdefault =
        matches!(&*call.func, Expr::Attribute(method) if method.attr.as_str() == "setdefault");
    let mut arguments = call.arguments.args.iter();
    let all = if is_setdefault { arguments.take(1).all(written) } else { arguments.all(written) };
    all && call.arguments.keywords.iter().all(|keyword| keyword.arg.is_some())
}

fn may_be_of_a_result(
    tree: &Tree<'_>,
    names: &Names<'_, '_>,
    expression: &Expr,
    depth: usize,
) -> bool {
    match expression {
        Expr::Name(name) => {
            let places = names.stores.get(name.id.as_str()).map(Vec::as_slice).unwrap_or_default();
            depth > 8 || places.iter().any(|place| holds_one(tree, names, *place, depth))
        }
        Expr::Call(call) => {
            !matches!(&*call.func, Expr::Name(name) if OWN.contains(&name.id.as_str()))
        }
        Expr::Await(_) | Expr::Subscript(_) | Expr::Attribute(_) => true,
        _ => false,
    }
}

/// Whether what a name is bound to at a place may be a result.
fn holds_one(tree: &Tree<'_>, names: &Names<'_, '_>, place: Id, depth: usize) -> bool {
    let Some(parent) = tree.parent(place) else { return false };
    match tree.node(parent) {
        AnyNodeRef::StmtAssign(assign) => may_be_of_a_result(tree, names, &assign.value, depth + 1),
        AnyNodeRef::StmtAugAssign(_) => false,
        // What a loop goes over, a parameter, one of several.
        _ => true,
    }
}
