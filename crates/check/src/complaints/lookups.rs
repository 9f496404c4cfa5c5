//! Keys and positions that a literal does not have, and keys of a sort that are not named.

use ruff_python_ast::{Expr, ExprCall, ExprDict, ExprList, ExprSubscript, Number, UnaryOp};
use ruff_text_size::Ranged as _;

use super::Judge;
use crate::finding::{Mistake, raises};
use crate::nearest::nearest;

/// A key that can be compared without running anything.
#[derive(Debug, Clone, PartialEq)]
enum Key {
    Text(String),
    Number(i64),
}

impl<'a> Judge<'_, 'a, '_> {
    /// `{"a": 1}["b"]` and `[1, 2][5]`, also through a name that stands for nothing else.
    pub(super) fn missing_in_literal(&self, subscript: &'a ExprSubscript) -> Option<Mistake> {
        if !subscript.ctx.is_load() {
            return None;
        }
        let wanted = key(&subscript.slice)?;
        let (literal, name) = match &*subscript.value {
            Expr::Name(name) => (self.reach.constant(name.id.as_str())?, Some(name.id.as_str())),
            other => (other, None),
        };
        let mistake = match (literal, wanted) {
            (Expr::Dict(dict), wanted) => self.missing_key(subscript, dict, &wanted)?,
            (Expr::List(list), Key::Number(at)) => self.missing_item(subscript, list, at)?,
            _ => return None,
        };
        name.is_none_or(|name| self.is_fixed(name)).then_some(mistake)
    }

    /// Whether a name always stands for the literal it is set to.
    fn is_fixed(&self, name: &str) -> bool {
        let is_given = self.given.is_none_or(|given| given.iter().any(|one| one == name));
        !is_given && !self.names.is_imported(name) && self.reach.stands_for(name).is_some()
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
