//! What cannot be written as JSON: `json.dumps({"tags": {"a", "b"}})`.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall};
use ruff_text_size::{Ranged as _, TextRange};

use super::Judge;
use super::crashes::described;
use crate::finding::{Mistake, raises};
use crate::kinds::{self, Kind};

/// What `json.dumps` takes that has no say in what can be written.
const HARMLESS: &[&str] = &[
    "allow_nan",
    "check_circular",
    "ensure_ascii",
    "indent",
    "separators",
    "skipkeys",
    "sort_keys",
];
/// And what has.
const TELLING: &[&str] = &["cls", "default"];
/// How deep a literal is looked into.
const DEEPEST: usize = 8;
/// Classes whose objects JSON does not have.
const FOREIGN: &[&str] = &[
    "DataFrame",
    "Decimal",
    "Fraction",
    "Match",
    "Path",
    "PosixPath",
    "Series",
    "UUID",
    "date",
    "datetime",
    "deque",
    "dict_items",
    "dict_keys",
    "dict_values",
    "ndarray",
    "range",
    "time",
    "timedelta",
];

/// What is asked of the type checker for the sake of this.
pub(crate) fn asked_in_json(node: AnyNodeRef<'_>) -> Vec<TextRange> {
    let AnyNodeRef::ExprCall(call) = node else { return Vec::new() };
    let name = match &*call.func {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(function) => function.attr.as_str(),
        _ => return Vec::new(),
    };
    let mut asked = Vec::new();
    if let (Some(value), "dump" | "dumps") = (call.arguments.args.first(), name) {
        leaves(value, 0, &mut |leaf| asked.push(leaf.range()));
    }
    asked
}

/// The values that a literal is made of.
fn leaves<'a>(value: &'a Expr, depth: usize, take: &mut impl FnMut(&'a Expr)) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Expr::Dict(dict) => {
            for item in dict.items.iter().filter(|item| item.key.is_some()) {
                leaves(&item.value, depth + 1, take);
            }
        }
        Expr::List(list) => {
            for one in &list.elts {
                leaves(one, depth + 1, take);
            }
        }
        Expr::Tuple(tuple) => {
            for one in &tuple.elts {
                leaves(one, depth + 1, take);
            }
        }
        Expr::Starred(_) => {}
        leaf => take(leaf),
    }
}

fn spreads(call: &ExprCall) -> bool {
    call.arguments.keywords.iter().any(|one| one.arg.is_none())
}

impl<'a> Judge<'_, 'a, '_> {
    /// A value in a call of `json.dumps` that raises, or a parameter that it does not have.
    pub(super) fn no_json(&self, call: &'a ExprCall) -> Option<Mistake> {
        let ("json", function @ ("dump" | "dumps")) = self.names.standard(&call.func)? else {
            return None;
        };
        if self.trust.sets_attribute(function) {
            return None;
        }
        let mut named = call.arguments.keywords.iter();
        let is_known = |one: &str| HARMLESS.contains(&one) || ["fp", "obj"].contains(&one);
        if let Some(unknown) =
            named.find(|one| one.arg.as_ref().is_none_or(|one| !is_known(one.as_str())))
        {
            let name = unknown.arg.as_ref()?;
            // A class of its own may take anything more.
            let has_class = call.arguments.find_keyword("cls").is_some();
            if has_class || TELLING.contains(&name.as_str()) || spreads(call) {
                return None;
            }
            let all = HARMLESS.iter().chain(TELLING).copied();
            let near = crate::nearest::nearest(name.as_str(), all.clone()).map(str::to_owned);
            let message = format!("{function}() has no parameter '{name}'");
            let crash = self.crash(name.range, message, raises::TYPE);
            let crash = self.apart(crash, true);
            return Some(Mistake {
                nearest: near,
                valid: all.map(str::to_owned).collect(),
                ..crash
            });
        }
        let value = call.arguments.args.first()?;
        let mut found = None;
        leaves(value, 0, &mut |leaf| {
            found = found.take().or_else(|| self.unwritable(leaf));
        });
        found
    }

    fn unwritable(&self, value: &'a Expr) -> Option<Mistake> {
        if self.is_coroutine(value) {
            return Some(self.unawaited(value, &Kind::Coroutine));
        }
        let kind = self.kind(value)?;
        let hint = match &kind {
            Kind::Coroutine | Kind::Future => return Some(self.unawaited(value, &kind)),
            Kind::Set => "; write sorted(...) or list(...) around it",
            Kind::Bytes => "; make it text: .decode()",
            Kind::Known(class) if kinds::is_iterator(class) => "; write list(...) around it",
            Kind::Known(class) if FOREIGN.contains(&class.as_str()) => {
                "; make it text or a number, or write default=str"
            }
            _ => return None,
        };
        let shown = self.type_of(value)?;
        let message = format!("{} cannot be written as JSON{hint}", described(&kind, shown));
        Some(self.crash(value.range(), message, raises::TYPE))
    }
}
