//! Crashes that are written there: what is raised that is no exception, numbers made of texts that
//! hold none, parameters that Python's own functions do not have, and async generators that are taken
//! for something else.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, StmtAssign, StmtAugAssign, StmtRaise};
use ruff_text_size::{Ranged as _, TextRange};

use super::{Judge, OURS};
use crate::finding::{Code, Mistake, Weight, raises};
use crate::kinds::Kind;
use crate::nearest::{is_slip, nearest};
use crate::run::BUILTINS;
use crate::tree::Id;

/// What some of Python's own functions take by name. The type checker only says that no way of
/// calling them fits.
const BY_NAME: &[(&str, &[&str])] = &[
    ("enumerate", &["iterable", "start"]),
    ("max", &["default", "key"]),
    ("min", &["default", "key"]),
    ("open", &["buffering", "closefd", "encoding", "errors", "file", "mode", "newline", "opener"]),
    ("print", &["end", "file", "flush", "sep"]),
    ("round", &["ndigits", "number"]),
    ("sorted", &["key", "reverse"]),
    ("sum", &["start"]),
    ("zip", &["strict"]),
];

/// Functions that go over what they are given at once.
const CONSUMERS: &[&str] =
    &["dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"];

impl<'a> Judge<'_, 'a, '_> {
    /// `raise "no devices"`.
    pub(super) fn raised(&self, raise: &'a StmtRaise) -> Option<Mistake> {
        let raised = raise.exc.as_deref()?;
        let is_none = raised.is_literal_expr()
            || matches!(raised, Expr::FString(_) | Expr::Dict(_) | Expr::List(_) | Expr::Tuple(_));
        is_none.then(|| {
            let message = "only exceptions can be raised; write raise RuntimeError(...)".to_owned();
            self.crash(raised.range(), message, raises::TYPE)
        })
    }

    /// `totl += 1`, where nothing else gives the name a value. In a loop the type checker believes that
    /// an earlier turn did.
    pub(super) fn unset(&self, assign: &'a StmtAugAssign) -> Option<Mistake> {
        let name = assign.target.as_name_expr()?.id.as_str();
        let is_grown = |place: &Id| {
            let parent = self.tree.parent(*place).map(|parent| self.tree.node(parent));
            matches!(parent, Some(AnyNodeRef::StmtAugAssign(_)))
        };
        let is_known = name.starts_with("__")
            || BUILTINS.contains(&name)
            || OURS.contains(&name)
            || !self.is_its_own(name)
            || self.names.named(name).is_some()
            || self.names.outer.values().flatten().any(|outer| *outer == name)
            || !self.names.stores.get(name)?.iter().all(is_grown)
            || self.imports_everything();
        if is_known {
            return None;
        }
        let others = self.names.stores.keys().copied().filter(|other| *other != name);
        let near = nearest(name, others).map(str::to_owned);
        let message = format!("the name '{name}' has no value here yet");
        let crash = self.crash(assign.target.range(), message, raises::NAME);
        Some(Mistake { code: Code::UndefinedName, nearest: near, ..crash })
    }

    /// Whether anything is imported with `*`.
    fn imports_everything(&self) -> bool {
        self.tree
            .all()
            .any(|(_, node)| matches!(node, AnyNodeRef::Alias(one) if one.name.as_str() == "*"))
    }

    /// `int("fifty")`.
    pub(super) fn no_number(&self, call: &'a ExprCall) -> Option<Mistake> {
        let name = self.own_of_python(&call.func)?;
        let ([Expr::StringLiteral(text)], []) =
            (&call.arguments.args[..], &call.arguments.keywords[..])
        else {
            return None;
        };
        let text = text.value.to_str();
        let plain = text.trim().replace('_', "");
        // Python reads digits of all scripts.
        let is_number = !text.is_ascii()
            || match name {
                "int" => {
                    !plain.is_empty() && !plain.contains(|one: char| !"+-0123456789".contains(one))
                }
                "float" => plain.parse::<f64>().is_ok(),
                _ => true,
            };
        (!is_number).then(|| {
            let message = format!("{name}() finds no number in the text \"{text}\"");
            self.crash(call.arguments.args[0].range(), message, raises::VALUE)
        })
    }

    /// `sorted(rows, descending=True)`.
    pub(super) fn unknown_keyword(&self, call: &'a ExprCall) -> Option<Mistake> {
        let name = self.own_of_python(&call.func)?;
        let (_, known) = BY_NAME.iter().find(|(one, _)| *one == name)?;
        let mut given = call.arguments.keywords.iter().filter_map(|one| one.arg.as_ref());
        let unknown = given.find(|one| !known.contains(&one.as_str()))?;
        let near = match (name, unknown.as_str()) {
            ("sorted", "descending" | "desc" | "ascending" | "asc") => Some("reverse"),
            (_, other) => nearest(other, known.iter().copied()),
        };
        Some(Mistake {
            nearest: near.map(str::to_owned),
            valid: known.iter().map(|one| (*one).to_owned()).collect(),
            ..self.crash(
                unknown.range,
                format!("{name}() has no parameter '{unknown}'"),
                raises::TYPE,
            )
        })
    }

    /// An async generator of the program's own that is awaited, or gone over without `async`.
    pub(super) fn misused_generator(&self, node: AnyNodeRef<'a>) -> Option<Mistake> {
        let (used, words) = match node {
            AnyNodeRef::ExprAwait(one) => (&*one.value, "cannot be awaited"),
            AnyNodeRef::StmtFor(one) if !one.is_async => (&*one.iter, "is no plain iterator"),
            AnyNodeRef::Comprehension(one) if !one.is_async => (&one.iter, "is no plain iterator"),
            AnyNodeRef::ExprCall(call) => {
                let name = self.own_of_python(&call.func)?;
                let first = call.arguments.args.first().filter(|_| CONSUMERS.contains(&name))?;
                (first, "is no plain iterator")
            }
            _ => return None,
        };
        let is_one = used.as_call_expr().is_some_and(|call| self.makes_async_generator(call));
        is_one.then(|| {
            let message = format!("an async generator {words}; write `async for item in ...`");
            self.crash(used.range(), message, raises::TYPE)
        })
    }

    fn makes_async_generator(&self, call: &'a ExprCall) -> bool {
        let Some(id) = self.names.function(call) else { return false };
        matches!(self.tree.node(id), AnyNodeRef::StmtFunctionDef(function)
            if function.is_async && function.decorator_list.is_empty())
            && self.reach.is_generator(id)
    }

    /// `columns, rows = await run_query(...)`, where the result is a dict with more keys than that.
    pub(super) fn unpacked_result(&self, assign: &'a StmtAssign) -> Option<Mistake> {
        let [Expr::Tuple(targets)] = &assign.targets[..] else { return None };
        let Kind::Typed(class) = self.kind(&assign.value)? else { return None };
        let has_rest = targets.elts.iter().any(Expr::is_starred_expr);
        if has_rest || bindings::is_learned(&class) {
            return None;
        }
        let (least, count) = (self.fields.needed(&class).count(), targets.elts.len());
        (least > count).then(|| Mistake {
            code: Code::CertainCrash,
            valid: self.fields.shown(&class),
            ..self.crash(
                assign.value.range(),
                format!("the result is a dict with {least} keys or more, which do not fit into {count} names; read its fields one by one"),
                raises::VALUE,
            )
        })
    }

    /// `sorted(deals, key=itemgetter("ammount"))`, where none of them has such a field.
    pub(super) fn unknown_item(&self, call: &'a ExprCall) -> Option<Mistake> {
        let rows = match &*call.func {
            Expr::Name(_)
                if ["sorted", "max", "min"].contains(&self.own_of_python(&call.func)?) =>
            {
                call.arguments.args.first()?
            }
            Expr::Attribute(method) if method.attr.as_str() == "sort" => &method.value,
            _ => return None,
        };
        let key = call.arguments.find_keyword("key")?.value.as_call_expr()?;
        let is_getter = matches!(self.names.standard(&key.func), Some(("operator", "itemgetter")));
        let ([Expr::StringLiteral(wanted)], true) = (&key.arguments.args[..], is_getter) else {
            return None;
        };
        let class = self.row_class(rows)?;
        let wanted_key = wanted.value.to_str();
        let fields = self.fields.of(&class)?;
        if fields.iter().any(|field| field == wanted_key) || bindings::is_learned(&class) {
            return None;
        }
        let near = nearest(wanted_key, fields.iter().map(String::as_str));
        let slips = near.is_some_and(|field| is_slip(wanted_key, field));
        let is_wrong = slips || self.fields.is_closed(&class) && !self.is_in_doubt(wanted.range);
        let certain = is_wrong && self.settled && !self.names.patched && !self.sets_key(wanted_key);
        Some(Mistake {
            code: Code::UnknownField,
            weight: if certain { Weight::Call } else { Weight::Advice },
            nearest: near.map(|name| format!("\"{name}\"")),
            valid: self.fields.shown(&class),
            ..self.crash(
                wanted.range,
                format!("the rows have no field \"{wanted_key}\""),
                raises::KEY,
            )
        })
    }

    /// The class of the objects in a list of results.
    fn row_class(&self, rows: &'a Expr) -> Option<String> {
        let shown = self.type_of(rows)?.strip_prefix("list[")?.strip_suffix(']')?;
        let is_certain = self.fields.of(shown).is_some() && self.trust.is_result(rows.into());
        is_certain.then(|| shown.to_owned())
    }

    /// The name of a function that is Python's own.
    pub(super) fn own_of_python(&self, function: &'a Expr) -> Option<&'a str> {
        let Expr::Name(name) = function else { return None };
        let name = name.id.as_str();
        let is_own = self.names.stores.contains_key(name) || self.names.is_imported(name);
        (!is_own).then_some(name)
    }
}

/// What is asked of the type checker for the sake of these.
pub(crate) fn asked_for((_, node): (Id, AnyNodeRef<'_>)) -> Option<TextRange> {
    match node {
        AnyNodeRef::StmtAssign(one) if matches!(&one.targets[..], [Expr::Tuple(_)]) => {
            Some(one.value.range())
        }
        AnyNodeRef::ExprSubscript(one) if !one.ctx.is_load() => Some(one.value.range()),
        AnyNodeRef::ExprCall(call) => {
            let key = call.arguments.find_keyword("key")?;
            key.value.as_call_expr()?;
            match &*call.func {
                Expr::Attribute(method) => Some(method.value.range()),
                _ => Some(call.arguments.args.first()?.range()),
            }
        }
        _ => None,
    }
}
