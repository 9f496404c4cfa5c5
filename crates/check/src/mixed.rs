//! Whether a program puts something into results of tools that nobody can see from its text.
//!
//! `issue.update(extra)` gives a result fields that its schema does not have, `items += more` gives a
//! list members of another kind. From there on what is declared of results is no longer certain.

use ruff_python_ast::{AnyNodeRef, Expr, ExprAttribute, ExprCall, Operator};

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

/// With these an attribute is set where nobody sees it, or answered by something else.
const OPENING: &[&str] = &[
    "__dict__",
    "__getattr__",
    "__getattribute__",
    "__set_name__",
    "__setattr__",
    "__setstate__",
    "setattr",
    "vars",
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
        // What an earlier program's class does with it was written without knowing of it.
        AnyNodeRef::StmtAssign(assign) => {
            let is_handed = |target: &Expr| is_attribute_from_before(names, target);
            assign.targets.iter().any(is_handed) && !makes_new(&assign.value)
        }
        AnyNodeRef::ExprSubscript(subscript) if subscript.ctx.is_store() => {
            let is_key = subscript.slice.is_string_literal_expr();
            !is_key && of_a_result(&subscript.value)
        }
        _ => false,
    })
}

/// Whether this is an attribute of something that an earlier program of the session left.
fn is_attribute_from_before(names: &Names<'_, '_>, target: &Expr) -> bool {
    let Expr::Attribute(attribute) = target else { return false };
    let Expr::Name(root) = &*attribute.value else { return false };
    !names.stores.contains_key(root.id.as_str())
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
        Expr::Call(call) => match &*call.func {
            Expr::Name(name) => !OWN.contains(&name.id.as_str()),
            // `found.setdefault(key, []).append(one)`.
            Expr::Attribute(method) if method.attr.as_str() == "setdefault" => {
                !has_own_items(tree, names, &method.value)
            }
            _ => true,
        },
        Expr::Subscript(subscript) => !has_own_items(tree, names, &subscript.value),
        Expr::Attribute(attribute) => !is_own_attribute(tree, names, attribute),
        Expr::Await(_) => true,
        _ => false,
    }
}

/// Whether `self.rows` is a container or a value that the class itself made: wherever the program sets an
/// attribute of this name, it is to something new. `self.total += x` then changes no result.
pub(crate) fn is_own_attribute(
    tree: &Tree<'_>,
    names: &Names<'_, '_>,
    attribute: &ExprAttribute,
) -> bool {
    let name = attribute.attr.as_str();
    let is_self =
        matches!(&*attribute.value, Expr::Name(one) if ["cls", "self"].contains(&one.id.as_str()));
    if !is_self || OPENING.iter().any(|one| names.loads.contains_key(one)) {
        return false;
    }
    let parent = |id: Id| tree.parent(id).map(|parent| tree.node(parent));
    let is_opening = |node| match node {
        AnyNodeRef::ExprAttribute(one) => OPENING.contains(&one.attr.as_str()),
        AnyNodeRef::StmtFunctionDef(one) => OPENING.contains(&one.name.as_str()),
        _ => false,
    };
    let (mut is_set, mut is_new) = (false, true);
    for (id, node) in tree.all() {
        match node {
            AnyNodeRef::ExprAttribute(one) if one.attr.as_str() == name && !one.ctx.is_load() => {
                let (set, new) = match parent(id) {
                    Some(AnyNodeRef::StmtAssign(assign)) => (true, makes_new(&assign.value)),
                    Some(AnyNodeRef::StmtAnnAssign(assign)) => {
                        (true, assign.value.as_deref().is_none_or(makes_new))
                    }
                    // What it is before is told where it is set.
                    Some(AnyNodeRef::StmtAugAssign(_) | AnyNodeRef::StmtDelete(_)) => (false, true),
                    _ => (false, false),
                };
                is_set |= set;
                is_new &= new;
            }
            node => is_new &= !is_opening(node),
        }
    }
    // A class may have something else of this name: a property, a field that is given when it is made.
    let places = names.stores.get(name).map(Vec::as_slice).unwrap_or_default();
    let is_of_a_class = |place: &Id| {
        let above = tree.above(*place).map(|id| tree.node(id)).take(2);
        above.into_iter().any(|node| matches!(node, AnyNodeRef::StmtClassDef(_)))
    };
    is_set && is_new && !places.iter().any(is_of_a_class)
}

/// Whether what an expression gives is new: a container that it makes, with nothing in it that was there
/// before, or a plain value.
fn makes_new(expression: &Expr) -> bool {
    match expression {
        Expr::UnaryOp(one) => one.operand.is_number_literal_expr(),
        // `deque(maxlen=100)`.
        Expr::Call(call) if call.arguments.args.is_empty() => {
            matches!(&*call.func, Expr::Name(name) if OWN.contains(&name.id.as_str()))
        }
        one => makes_own_items(one) || is_fresh(one),
    }
}

/// Whether an expression names a container of the program's own, whose items are its own as well:
/// what `totals[key] += 1` and `groups[key].append(row)` change is no result.
fn has_own_items(tree: &Tree<'_>, names: &Names<'_, '_>, expression: &Expr) -> bool {
    let is_root = |one: &Expr| match (expression, one) {
        (Expr::Name(root), Expr::Name(name)) => name.id == root.id,
        (Expr::Attribute(root), Expr::Attribute(one)) => one.attr.id == root.attr.id,
        _ => false,
    };
    let is_item = |one: &Expr| matches!(one, Expr::Subscript(item) if is_root(&item.value));
    let is_made_here = |place: &Id| {
        let parent = tree.parent(*place).map(|parent| tree.node(parent));
        matches!(parent, Some(AnyNodeRef::StmtAssign(assign)) if makes_own_items(&assign.value))
    };
    let puts_in_its_own = |(id, node): (Id, AnyNodeRef<'_>)| match node {
        AnyNodeRef::StmtAssign(assign) => {
            !assign.targets.iter().any(is_item) || is_fresh(&assign.value)
        }
        AnyNodeRef::ExprAttribute(method)
            if is_root(&method.value) && PUT_IN.contains(&method.attr.as_str()) =>
        {
            let keys = usize::from(method.attr.as_str() == "setdefault");
            let call = tree.parent(id).map(|parent| tree.node(parent));
            matches!(call, Some(AnyNodeRef::ExprCall(call))
                if call.arguments.keywords.is_empty() && call.arguments.args.iter().skip(keys).all(is_fresh))
        }
        _ => true,
    };
    let is_own = match expression {
        Expr::Name(root) => {
            let places = names.stores.get(root.id.as_str()).map(Vec::as_slice).unwrap_or_default();
            !places.is_empty() && places.iter().all(is_made_here)
        }
        Expr::Attribute(root) => is_own_attribute(tree, names, root),
        _ => false,
    };
    is_own && tree.all().all(puts_in_its_own)
}

/// Whether an expression makes a container with nothing in it that was there before.
fn makes_own_items(expression: &Expr) -> bool {
    match expression {
        Expr::Dict(dict) => dict.items.iter().all(|one| one.key.is_some() && is_fresh(&one.value)),
        Expr::List(list) => list.elts.iter().all(is_fresh),
        Expr::DictComp(made) => is_fresh(&made.value),
        Expr::ListComp(made) => is_fresh(&made.elt),
        // `defaultdict(list)` and `dict()`, but not `dict(result)`.
        Expr::Call(call) => match &*call.func {
            Expr::Name(name) if name.id.as_str() == "defaultdict" => call.arguments.len() <= 1,
            Expr::Name(name) if name.id.as_str() == "Counter" => true,
            Expr::Name(name) => OWN.contains(&name.id.as_str()) && call.arguments.is_empty(),
            _ => false,
        },
        _ => false,
    }
}

/// Whether what an expression gives was made by it: nothing that a name or a call may hand over.
fn is_fresh(expression: &Expr) -> bool {
    const MAKERS: &[&str] = &["float", "int", "len", "round", "str"];
    match expression {
        Expr::List(list) => list.elts.is_empty(),
        Expr::Dict(dict) => dict.items.is_empty(),
        Expr::Call(call) => {
            makes_own_items(expression)
                || matches!(&*call.func, Expr::Name(name) if MAKERS.contains(&name.id.as_str()))
        }
        Expr::BinOp(_) | Expr::Compare(_) | Expr::FString(_) => true,
        one => one.is_literal_expr(),
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
