//! What certainly does not come apart, or together, as the program wants it: keys taken for pairs, results
//! that are more or fewer than their names, items of what cannot be changed, sums of texts and the
//! largest of nothing.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, ExprDict, ExprSubscript, StmtAssign};
use ruff_text_size::Ranged as _;

use super::Judge;
use super::crashes::loop_of;
use crate::finding::{Mistake, raises};
use crate::flow;
use crate::kinds::Kind;
use crate::tree::Id;

impl<'a> Judge<'_, 'a, '_> {
    /// `for name, price in {"tea": 3}:`, which goes over the keys.
    pub(super) fn keys_unpacked(&self, id: Id, node: AnyNodeRef<'a>) -> Option<Mistake> {
        let above = self.tree.parent(id).map(|above| self.tree.node(above));
        let is_other = match node {
            AnyNodeRef::StmtFor(one) => one.is_async,
            // Nobody may ask a generator for what it gives.
            AnyNodeRef::Comprehension(one) => {
                one.is_async || matches!(above, Some(AnyNodeRef::ExprGenerator(_)))
            }
            _ => true,
        };
        let (target, items) = loop_of(node).filter(|_| !is_other)?;
        let names = names_of(target)?;
        let (shown, raises) = match self.written(items) {
            Some(Expr::Dict(dict)) => unfit_key(dict, names)?,
            _ => self.unfit_field(items, names)?,
        };
        let (nearest, words) = match items {
            Expr::Name(name) => (Some(format!("{}.items()", name.id)), String::new()),
            _ => (None, "; add .items() to have its values, too".to_owned()),
        };
        let message = format!(
            "going over a dict gives its keys, and {shown} does not come apart into {names} names{words}"
        );
        Some(Mistake { nearest, ..self.crash(items.range(), message, raises) })
    }

    /// A field of a result that is gone over as if it were pairs: all that it can have do not come apart
    /// so.
    fn unfit_field(
        &self,
        items: &'a Expr,
        names: usize,
    ) -> Option<(String, &'static [&'static str])> {
        let Kind::Typed(class) = self.kind(items)? else { return None };
        let fields = self.fields.of(&class)?;
        let is_certain = !bindings::is_learned(&class)
            && self.fields.is_closed(&class)
            && self.fields.needs_one(&class)
            && fields.iter().all(|field| field.chars().count() != names);
        let first = fields.first().filter(|_| is_certain)?;
        Some((format!("\"{first}\""), raises::VALUE))
    }

    /// `a, b, c = await asyncio.gather(one(), two())`.
    pub(super) fn gathered(&self, assign: &'a StmtAssign) -> Option<Mistake> {
        let [target] = &assign.targets[..] else { return None };
        let Expr::Await(awaited) = &*assign.value else { return None };
        let call = awaited.value.as_call_expr()?;
        let spread = call.arguments.args.iter().any(Expr::is_starred_expr)
            || call.arguments.keywords.iter().any(|one| one.arg.is_none());
        let is_gather = self.names.standard(&call.func) == Some(("asyncio", "gather"));
        if spread || !is_gather || self.trust.sets_attribute("gather") {
            return None;
        }
        let (names, count) = (names_of(target)?, call.arguments.args.len());
        (names != count).then(|| {
            let results = if count == 1 { "result" } else { "results" };
            let message =
                format!("gather() gives {count} {results} here, one for each call, and there are {names} names for them");
            self.crash(target.range(), message, raises::VALUE)
        })
    }

    /// `point[0] = 5`, where `point` is a tuple or a text.
    pub(super) fn set_in_fixed(&self, subscript: &'a ExprSubscript) -> Option<Mistake> {
        if subscript.ctx.is_load() {
            return None;
        }
        let (what, other) = match self.kind(&subscript.value)? {
            Kind::Tuple => ("a tuple", "make it a list, list(...), or a new tuple"),
            Kind::Str(_) => ("a str", "make a new text, with replace() or slices"),
            _ => return None,
        };
        let message = format!("the items of {what} cannot be changed; {other}");
        Some(self.crash(subscript.range, message, raises::TYPE))
    }

    /// `sum(["a", "b"])` and `max([])`.
    pub(super) fn of_no_use(&self, call: &'a ExprCall) -> Option<Mistake> {
        let name = self.own_of_python(&call.func)?;
        let [only] = &call.arguments.args[..] else { return None };
        let mut given = call.arguments.keywords.iter();
        let items = self.written(only)?;
        let (message, raises) = match name {
            "sum" if given.next().is_none() && self.begins_with_text(items) => {
                let hint = match items {
                    Expr::Dict(_) => "a dict gives its keys; write sum(....values())",
                    _ => "write \"\".join(...), or make numbers of them: sum(map(float, ...))",
                };
                (format!("sum() does not add texts; {hint}"), raises::TYPE)
            }
            "max" | "min"
                if given.all(|one| one.arg.as_deref() == Some("key")) && is_empty(items) =>
            {
                (
                    format!("{name}() finds nothing here; give it items, or default=..."),
                    raises::VALUE,
                )
            }
            _ => return None,
        };
        Some(self.crash(only.range(), message, raises))
    }

    /// The literal that an expression is, or that its name stands for wherever it is used.
    fn written(&self, expression: &'a Expr) -> Option<&'a Expr> {
        match expression {
            Expr::Name(name) if self.is_its_own(name.id.as_str()) => {
                self.reach.stands_for(name.id.as_str())
            }
            Expr::Name(_) => None,
            other => Some(other),
        }
    }

    /// Whether the first of some items is certainly a text, and there is one.
    fn begins_with_text(&self, items: &'a Expr) -> bool {
        let is_text = |one: &Expr| one.is_string_literal_expr() || one.is_f_string_expr();
        let makes_text = |one: &'a Expr| {
            is_text(one)
                || one
                    .as_call_expr()
                    .is_some_and(|call| self.own_of_python(&call.func) == Some("str"))
        };
        match items {
            Expr::List(list) => list.elts.first().is_some_and(is_text),
            Expr::Tuple(tuple) => tuple.elts.first().is_some_and(is_text),
            Expr::Set(set) => !set.elts.is_empty() && set.elts.iter().all(is_text),
            Expr::Dict(dict) => {
                dict.items.first().and_then(|item| item.key.as_ref()).is_some_and(is_text)
            }
            Expr::ListComp(one) => makes_text(&one.elt) && self.has_one(&one.generators),
            Expr::Generator(one) => makes_text(&one.elt) && self.has_one(&one.generators),
            _ => false,
        }
    }

    fn has_one(&self, generators: &'a [ruff_python_ast::Comprehension]) -> bool {
        flow::runs(generators, &|name| self.reach.meant(name))
    }
}

/// How many names a value is to come apart into, where that is one number.
fn names_of(target: &Expr) -> Option<usize> {
    let names = match target {
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::List(list) => &list.elts,
        _ => return None,
    };
    (!names.iter().any(Expr::is_starred_expr)).then_some(names.len())
}

/// The first key of a dict, if it does not come apart into so many names, and what that raises.
fn unfit_key(dict: &ExprDict, names: usize) -> Option<(String, &'static [&'static str])> {
    match dict.items.first()?.key.as_ref()? {
        Expr::StringLiteral(text) => {
            let text = text.value.to_str();
            (text.chars().count() != names).then(|| (format!("\"{text}\""), raises::VALUE))
        }
        Expr::Tuple(tuple) => {
            let spread = tuple.elts.iter().any(Expr::is_starred_expr);
            (tuple.elts.len() != names && !spread)
                .then(|| (format!("a tuple of {}", tuple.elts.len()), raises::VALUE))
        }
        Expr::NumberLiteral(_) => Some(("a number".to_owned(), raises::TYPE)),
        _ => None,
    }
}

fn is_empty(items: &Expr) -> bool {
    match items {
        Expr::List(list) => list.elts.is_empty(),
        Expr::Tuple(tuple) => tuple.elts.is_empty(),
        Expr::Dict(dict) => dict.items.is_empty(),
        Expr::StringLiteral(text) => text.value.is_empty(),
        _ => false,
    }
}
