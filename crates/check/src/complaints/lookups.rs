//! Keys and positions that a literal does not have, and keys of a sort that are not named.

use ruff_python_ast::{
    AnyNodeRef, Expr, ExprCall, ExprDict, ExprList, ExprSubscript, Number, UnaryOp,
};
use ruff_text_size::Ranged as _;

use super::Judge;
use crate::finding::{Mistake, raises};
use crate::nearest::nearest;
use crate::tree::Id;

/// A key that can be compared without running anything.
#[derive(Debug, Clone, PartialEq)]
enum Key {
    Text(String),
    Number(i64),
}

impl<'a> Judge<'_, 'a, '_> {
    /// `{"a": 1}["b"]` and `[1, 2][5]`, also inside of another literal, and through a name that stands
    /// for nothing else.
    pub(super) fn missing_in_literal(&self, subscript: &'a ExprSubscript) -> Option<Mistake> {
        if !subscript.ctx.is_load() {
            return None;
        }
        let wanted = key(&subscript.slice)?;
        let literal = self.literal(&subscript.value)?;
        let mistake = match (literal, wanted) {
            (Expr::Dict(dict), wanted) => self.missing_key(subscript, dict, &wanted)?,
            (Expr::List(list), Key::Number(at)) => self.missing_item(subscript, list, at)?,
            _ => return None,
        };
        let is_certain = match (&*subscript.value, root(&subscript.value)) {
            (Expr::Name(name), _) => self.is_fixed(name.id.as_str()),
            (_, Some(name)) => self.is_untouched(name),
            (_, None) => true,
        };
        is_certain.then_some(mistake)
    }

    /// The literal that an expression is, or names, or is a part of.
    fn literal(&self, expression: &'a Expr) -> Option<&'a Expr> {
        match expression {
            Expr::Name(name) => self.reach.constant(name.id.as_str()),
            Expr::Subscript(one) => part(self.literal(&one.value)?, &key(&one.slice)?),
            other => Some(other),
        }
    }

    /// Whether a name always stands for the literal it is set to.
    fn is_fixed(&self, name: &str) -> bool {
        self.is_its_own(name) && self.reach.stands_for(name).is_some()
    }

    /// Whether a name is the program's own, and nobody else gives it a value.
    pub(super) fn is_its_own(&self, name: &str) -> bool {
        let is_given = self.given.is_none_or(|given| given.iter().any(|one| one == name));
        !is_given && !self.names.is_imported(name)
    }

    /// The same, and nothing inside of the literal is changed either: what is taken out of it holds
    /// nothing, or is only shown.
    fn is_untouched(&self, name: &str) -> bool {
        let loads = self.names.loads.get(name).map(Vec::as_slice).unwrap_or_default();
        self.is_its_own(name) && loads.iter().all(|load| self.only_reads(*load))
    }

    fn only_reads(&self, load: Id) -> bool {
        let AnyNodeRef::ExprName(name) = self.tree.node(load) else { return false };
        let mut held = self.reach.constant(name.id.as_str());
        let mut id = load;
        loop {
            let Some(parent) = self.tree.parent(id) else { return false };
            match self.tree.node(parent) {
                AnyNodeRef::ExprSubscript(one) if self.tree.is(id, &one.value) => {
                    if !one.ctx.is_load() {
                        return false;
                    }
                    // What is not there is the mistake, and what cannot be told could be anything.
                    let Some(wanted) = key(&one.slice) else { return false };
                    held = held.and_then(|held| part(held, &wanted));
                    id = parent;
                }
                around => {
                    let is_plain =
                        held.is_none_or(|held| held.is_literal_expr() || held.is_f_string_expr());
                    return id != load && is_plain || self.only_shows(parent, around);
                }
            }
        }
    }

    /// Whether what is given to a node is shown, or sent to a tool, and no more.
    fn only_shows(&self, parent: Id, around: AnyNodeRef<'a>) -> bool {
        let arguments = match around {
            AnyNodeRef::InterpolatedElement(_) | AnyNodeRef::ExprCompare(_) => return true,
            AnyNodeRef::Arguments(_) => Some(parent),
            AnyNodeRef::Keyword(_) => self.tree.parent(parent),
            _ => None,
        };
        let call = arguments.and_then(|one| self.tree.parent(one)).map(|one| self.tree.node(one));
        match call {
            Some(AnyNodeRef::ExprCall(call)) => {
                self.names.is_tool(&call.func)
                    || self
                        .own_of_python(&call.func)
                        .is_some_and(|name| ["len", "print", "repr", "str"].contains(&name))
            }
            _ => false,
        }
    }

    fn missing_item(
        &self,
        subscript: &'a ExprSubscript,
        list: &'a ExprList,
        at: i64,
    ) -> Option<Mistake> {
        let count = i64::try_from(list.elts.len()).ok()?;
        let is_there = -count <= at && at < count;
        let spread = list.elts.iter().any(Expr::is_starred_expr);
        let items = if count == 1 { "item" } else { "items" };
        (!is_there && !spread).then(|| {
            let message = format!("the list has {count} {items}, so there is no [{at}]");
            self.crash(subscript.slice.range(), message, raises::INDEX)
        })
    }

    fn missing_key(
        &self,
        subscript: &'a ExprSubscript,
        dict: &'a ExprDict,
        wanted: &Key,
    ) -> Option<Mistake> {
        // What is spread into it, or computed, could be any key.
        let keys: Option<Vec<Key>> =
            dict.items.iter().map(|item| item.key.as_ref().and_then(key)).collect();
        let keys = keys?;
        if keys.contains(wanted) {
            return None;
        }
        let texts: Vec<&str> = keys
            .iter()
            .filter_map(|key| match key {
                Key::Text(text) => Some(text.as_str()),
                Key::Number(_) => None,
            })
            .collect();
        let (shown, near) = match wanted {
            Key::Text(text) => (format!("\"{text}\""), nearest(text, texts.iter().copied())),
            Key::Number(number) => (number.to_string(), None),
        };
        Some(Mistake {
            nearest: near.map(|name| format!("\"{name}\"")),
            valid: texts.iter().map(|text| format!("\"{text}\"")).collect(),
            ..self.crash(
                subscript.slice.range(),
                format!("the dict has no key {shown}"),
                raises::KEY,
            )
        })
    }

    /// `sorted(rows, by_name)`: the key has to be named.
    pub(super) fn sorted_by_position(&self, call: &'a ExprCall) -> Option<Mistake> {
        let Expr::Name(name) = &*call.func else { return None };
        let name = name.id.as_str();
        let is_own = self.names.stores.contains_key(name) || self.names.is_imported(name);
        let [_, key, ..] = &call.arguments.args[..] else { return None };
        let spread = call.arguments.args.iter().any(Expr::is_starred_expr);
        (name == "sorted" && !is_own && !spread).then(|| {
            self.crash(
                key.range(),
                "sorted() takes its key by name; write key=...".to_owned(),
                raises::TYPE,
            )
        })
    }
}

/// The name that a chain of subscripts begins with.
fn root(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Subscript(one) => root(&one.value),
        _ => None,
    }
}

/// What a literal has under a key, where all its keys are written out.
fn part<'a>(literal: &'a Expr, wanted: &Key) -> Option<&'a Expr> {
    let at = |items: &'a [Expr]| {
        let Key::Number(number) = wanted else { return None };
        let count = i64::try_from(items.len()).ok()?;
        let number = if *number < 0 { number + count } else { *number };
        let spread = items.iter().any(Expr::is_starred_expr);
        items.get(usize::try_from(number).ok()?).filter(|_| !spread)
    };
    match literal {
        Expr::Dict(dict) => {
            let is_it = |item: &&ruff_python_ast::DictItem| {
                item.key.as_ref().and_then(key).as_ref() == Some(wanted)
            };
            let known = dict.items.iter().all(|item| item.key.as_ref().and_then(key).is_some());
            dict.items.iter().rev().find(is_it).map(|item| &item.value).filter(|_| known)
        }
        Expr::List(list) => at(&list.elts),
        Expr::Tuple(tuple) => at(&tuple.elts),
        _ => None,
    }
}

fn key(expression: &Expr) -> Option<Key> {
    match expression {
        Expr::StringLiteral(text) => Some(Key::Text(text.value.to_str().to_owned())),
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(number) => number.as_i64().map(Key::Number),
            _ => None,
        },
        Expr::UnaryOp(one) if one.op == UnaryOp::USub => match key(&one.operand)? {
            Key::Number(number) => number.checked_neg().map(Key::Number),
            Key::Text(_) => None,
        },
        _ => None,
    }
}
