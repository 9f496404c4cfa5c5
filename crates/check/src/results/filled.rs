//! Lists and dicts that begin empty and into which the program puts results, one by one.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall};

use super::{Results, item_of, same};
use crate::tree::Id;

/// Methods that put nothing in.
const HARMLESS: &[&str] = &[
    "clear", "copy", "count", "get", "index", "items", "keys", "pop", "remove", "reverse", "sort",
    "values",
];
/// Functions that leave what they are given as it is.
const LOOK: &[&str] = &[
    "all",
    "any",
    "enumerate",
    "len",
    "list",
    "max",
    "min",
    "print",
    "reversed",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
];

/// What the program does with a list or a dict.
enum Use {
    /// It puts something in that is spelt so, or cannot be spelt.
    Puts(Option<String>),
    /// It looks at it.
    Looks,
    /// It takes something out that may be a list, and may put anything into that.
    Takes,
    /// It may do anything.
    Unknown,
}

impl<'a> Results<'_, 'a, '_> {
    /// What an empty list or dict becomes that a variable is set to.
    pub(super) fn becomes(&self, empty: Id) -> Option<String> {
        let target = match self.tree.node(self.tree.parent(empty)?) {
            AnyNodeRef::StmtAssign(one) => match &one.targets[..] {
                [Expr::Name(name)] => name,
                _ => return None,
            },
            AnyNodeRef::StmtAnnAssign(one) => one.target.as_name_expr()?,
            _ => return None,
        };
        let spelling = self.held(target);
        self.is_ours.set(true);
        spelling
    }

    /// What that is filled with, which is bound to a name at a place.
    pub(super) fn filled(&self, place: Id, name: &'a str, is_list: bool) -> Option<String> {
        let scope = self.scopes.of(place, name);
        if scope.is_none() && !self.alone {
            return None;
        }
        let loads = self.names.loads.get(name)?;
        let (mut put, mut takes) = (Vec::new(), false);
        for load in loads.iter().filter(|load| self.scopes.of(**load, name) == scope) {
            match self.used(*load, is_list) {
                Use::Puts(spelling) => put.push(spelling),
                Use::Looks => {}
                Use::Takes => takes = true,
                Use::Unknown => return None,
            }
        }
        let item = same(put.into_iter()).filter(|item| !(takes && item.starts_with('[')))?;
        Some(if is_list { format!("[{item}]") } else { format!("{{__tidegate_any__(0): {item}}}") })
    }

    fn used(&self, load: Id, is_list: bool) -> Use {
        let Some(parent) = self.tree.parent(load) else { return Use::Unknown };
        match self.tree.node(parent) {
            AnyNodeRef::StmtFor(_)
            | AnyNodeRef::Comprehension(_)
            | AnyNodeRef::ExprCompare(_)
            | AnyNodeRef::ExprUnaryOp(_)
            | AnyNodeRef::InterpolatedElement(_)
            | AnyNodeRef::StmtIf(_)
            | AnyNodeRef::StmtWhile(_)
            | AnyNodeRef::StmtExpr(_)
            | AnyNodeRef::StmtReturn(_)
            | AnyNodeRef::ExprDict(_) => Use::Looks,
            AnyNodeRef::ExprSubscript(one) if one.ctx.is_load() && is_list => Use::Looks,
            AnyNodeRef::ExprSubscript(one) if one.ctx.is_load() => self.put_in_list(parent),
            AnyNodeRef::ExprSubscript(one) if one.ctx.is_store() && !is_list => {
                self.tree.parent(parent).map_or(Use::Unknown, |assign| self.set(assign))
            }
            AnyNodeRef::ExprAttribute(method) => self.method_used(parent, method.attr.as_str()),
            AnyNodeRef::Arguments(_) => self.given_to(parent),
            AnyNodeRef::Keyword(_) => {
                self.tree.parent(parent).map_or(Use::Unknown, |arguments| self.given_to(arguments))
            }
            _ => Use::Unknown,
        }
    }

    /// `found[key] = value`.
    fn set(&self, assign: Id) -> Use {
        match self.tree.node(assign) {
            // A list that is filled later.
            AnyNodeRef::StmtAssign(one) if one.targets.len() == 1 && is_empty_list(&one.value) => {
                Use::Looks
            }
            AnyNodeRef::StmtAssign(one) if one.targets.len() == 1 => {
                Use::Puts(self.value(&one.value))
            }
            _ => Use::Unknown,
        }
    }

    fn method_used(&self, attribute: Id, name: &str) -> Use {
        let call = self.tree.parent(attribute).map(|call| self.tree.node(call));
        let Some(AnyNodeRef::ExprCall(call)) = call else { return Use::Unknown };
        if !self.tree.is(attribute, &call.func) {
            return Use::Unknown;
        }
        match (name, &call.arguments.args[..]) {
            // `groups.setdefault(key, []).append(item)`.
            ("setdefault", [_, empty]) if is_empty_list(empty) => {
                self.tree.parent(attribute).map_or(Use::Unknown, |call| self.put_in_list(call))
            }
            ("append", [item]) => Use::Puts(self.value(item)),
            ("extend", [items]) => Use::Puts(self.value(items).map(|items| item_of(&items))),
            (name, _) if HARMLESS.contains(&name) => Use::Looks,
            _ => Use::Unknown,
        }
    }

    /// `defaultdict(list)`.
    pub(super) fn is_of_lists(&self, call: &ExprCall) -> bool {
        let is_it = self.names.standard(&call.func) == Some(("collections", "defaultdict"));
        is_it
            && call.arguments.keywords.is_empty()
            && matches!(&call.arguments.args[..], [Expr::Name(list)]
                if list.id.as_str() == "list" && !self.names.stores.contains_key("list"))
    }

    /// What the program puts into a list that it took out of a dict: `groups[key].append(item)`.
    fn put_in_list(&self, list: Id) -> Use {
        let Some(around) = self.tree.parent(list) else { return Use::Takes };
        let method = match self.tree.node(around) {
            AnyNodeRef::ExprAttribute(method) => method,
            AnyNodeRef::ExprSubscript(one) if one.ctx.is_load() => return Use::Looks,
            AnyNodeRef::StmtFor(_)
            | AnyNodeRef::StmtIf(_)
            | AnyNodeRef::StmtWhile(_)
            | AnyNodeRef::Comprehension(_)
            | AnyNodeRef::ExprCompare(_)
            | AnyNodeRef::ExprUnaryOp(_)
            | AnyNodeRef::InterpolatedElement(_) => return Use::Looks,
            AnyNodeRef::Arguments(_) => {
                return if matches!(self.given_to(around), Use::Looks) {
                    Use::Looks
                } else {
                    Use::Takes
                };
            }
            _ => return Use::Takes,
        };
        let call = self.tree.parent(around).map(|id| self.tree.node(id));
        let Some(AnyNodeRef::ExprCall(call)) = call else { return Use::Takes };
        let in_list = |item: Option<String>| Use::Puts(item.map(|item| format!("[{item}]")));
        match (method.attr.as_str(), &call.arguments.args[..]) {
            ("append", [item]) | ("insert", [_, item]) => in_list(self.value(item)),
            ("extend", [items]) => in_list(self.value(items).map(|items| item_of(&items))),
            (name, _) if HARMLESS.contains(&name) => Use::Looks,
            _ => Use::Takes,
        }
    }

    /// Whether a function that is given the list only looks at it.
    fn given_to(&self, arguments: Id) -> Use {
        let call = self.tree.parent(arguments).map(|call| self.tree.node(call));
        let Some(AnyNodeRef::ExprCall(call)) = call else { return Use::Unknown };
        let looks = match &*call.func {
            function if self.names.is_tool(function) => true,
            Expr::Name(name) => {
                let name = name.id.as_str();
                LOOK.contains(&name) && !self.names.stores.contains_key(name)
            }
            function => matches!(self.names.standard(function), Some(("json", "dumps"))),
        };
        if looks { Use::Looks } else { Use::Unknown }
    }
}

fn is_empty_list(value: &Expr) -> bool {
    matches!(value, Expr::List(list) if list.elts.is_empty())
}
