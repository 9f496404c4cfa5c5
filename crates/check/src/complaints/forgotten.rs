//! Calls of the program's own async functions that nobody awaits, where Python certainly refuses
//! them, and functions that nobody calls.
//!
//! The guest puts in no `await` here: it does that for tools, and for a call that stands alone.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, StmtAugAssign};
use ruff_text_size::Ranged as _;

use super::Judge;
use crate::finding::{Mistake, Weight, raises};
use crate::kinds::Kind;
use crate::names::Meaning;

/// Functions that go over their first argument, or make a number of it, at once.
const READERS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bytes",
    "chr",
    "dict",
    "enumerate",
    "float",
    "frozenset",
    "hex",
    "int",
    "iter",
    "len",
    "list",
    "next",
    "oct",
    "open",
    "ord",
    "range",
    "reversed",
    "round",
    "set",
    "sorted",
    "sum",
    "tuple",
];
/// Functions that do so with every argument.
const READERS_OF_ALL: &[&str] = &["range", "zip"];
/// Functions that go over all arguments but the first.
const APPLIERS: &[&str] = &["filter", "map"];
/// What `json.dumps` takes that has no say in what can be written.
const HARMLESS: &[&str] = &["indent", "sort_keys", "ensure_ascii", "separators"];
/// Functions that take anything, and show it as it is.
const SHOWS: &[&str] = &["bool", "print", "repr", "str"];
/// What pandas says of something it makes no table of.
const NO_TABLE: &[&str] = &["ValueError", "TypeError"];

impl<'a> Judge<'_, 'a, '_> {
    /// What is wrong with how a node uses a coroutine or a function.
    pub(super) fn forgotten_at(&self, node: AnyNodeRef<'a>) -> Option<Mistake> {
        self.unawaited_in(node).or_else(|| self.uncalled_in(node))
    }

    fn unawaited_in(&self, node: AnyNodeRef<'a>) -> Option<Mistake> {
        let mut raised = raises::TYPE;
        let (found, is_certain) = match node {
            AnyNodeRef::ExprCall(call) => {
                if let Some(("pandas", "DataFrame")) = self.names.standard(&call.func) {
                    raised = NO_TABLE;
                }
                self.unawaited_argument(call)?
            }
            AnyNodeRef::ExprDict(dict) => {
                let spread = dict.items.iter().filter(|item| item.key.is_none());
                (spread.map(|item| &item.value).find(|value| self.is_coroutine(value))?, true)
            }
            AnyNodeRef::StmtAugAssign(assign) if self.is_coroutine(&assign.value) => {
                (&*assign.value, self.is_plain(assign))
            }
            AnyNodeRef::InterpolatedElement(one) if self.is_coroutine(&one.expression) => {
                let is_formatted = super::formats::formatted(node).is_some();
                (&*one.expression, is_formatted)
            }
            AnyNodeRef::StmtIf(one) if self.is_coroutine(&one.test) => (&*one.test, false),
            AnyNodeRef::StmtWhile(one) if self.is_coroutine(&one.test) => (&*one.test, false),
            AnyNodeRef::ElifElseClause(one) => {
                (one.test.as_ref().filter(|test| self.is_coroutine(test))?, false)
            }
            _ => return None,
        };
        let mistake = Mistake { raises: raised, ..self.unawaited(found, &Kind::Coroutine) };
        Some(if is_certain { mistake } else { Mistake { weight: Weight::Advice, ..mistake } })
    }

    /// The argument that is a coroutine, and whether the call certainly raises.
    fn unawaited_argument(&self, call: &'a ExprCall) -> Option<(&'a Expr, bool)> {
        let arguments = &call.arguments.args;
        let first = arguments.first()?;
        let is_named = |names: &[&str]| {
            let mut keywords = call.arguments.keywords.iter();
            keywords.all(|one| one.arg.as_ref().is_some_and(|name| names.contains(&name.as_str())))
        };
        if let Some(name) = self.own_of_python(&call.func) {
            if SHOWS.contains(&name) {
                return arguments.iter().find(|one| self.is_coroutine(one)).map(|one| (one, false));
            }
            if name == "sum" && arguments.len() == 1 && self.holds_coroutines(first) {
                return Some((first, true));
            }
            let is_largest = ["max", "min"].contains(&name);
            // They are compared with one another.
            if (is_largest || name == "sorted") && arguments.len() == 1 && self.holds_two(first) {
                return Some((first, true));
            }
            if is_largest || name == "sorted" {
                let key = call.arguments.find_keyword("key").map(|one| &one.value);
                if let Some(key) = key.filter(|key| self.is_async_function(key)) {
                    return Some((key, true));
                }
            }
            if READERS_OF_ALL.contains(&name) || is_largest && is_named(&[]) {
                return arguments.iter().find(|one| self.is_coroutine(one)).map(|one| (one, true));
            }
            if APPLIERS.contains(&name) {
                let mut rest = arguments.iter().skip(1);
                return rest.find(|one| self.is_coroutine(one)).map(|one| (one, true));
            }
            // What has two arguments may be `iter(function, end)`.
            let reads = READERS.contains(&name) && (name != "iter" || arguments.len() == 1);
            return (reads && self.is_coroutine(first)).then_some((first, true));
        }
        let is_joined = matches!(&*call.func, Expr::Attribute(method)
            if method.attr.as_str() == "join" && method.value.is_string_literal_expr());
        if is_joined && self.holds_coroutines(first) {
            return Some((first, true));
        }
        if !self.is_coroutine(first) {
            return None;
        }
        let refuses = match self.names.standard(&call.func) {
            Some(("json", "dumps")) => is_named(HARMLESS),
            Some(("json", "loads") | ("pandas", "DataFrame")) => true,
            _ => is_joined,
        };
        refuses.then_some((first, true))
    }

    /// `[f(i) for i in range(3)]`.
    fn holds_coroutines(&self, list: &'a Expr) -> bool {
        match list {
            Expr::List(list) => list.elts.iter().any(|one| self.is_coroutine(one)),
            Expr::ListComp(one) => {
                let [only] = &one.generators[..] else { return false };
                self.is_coroutine(&one.elt)
                    && only.ifs.is_empty()
                    && !only.is_async
                    && self.reach.has_items(&only.iter)
            }
            _ => false,
        }
    }

    /// The same of two or more, which is how many it takes to compare them.
    fn holds_two(&self, list: &'a Expr) -> bool {
        match list {
            Expr::List(list) => list.elts.iter().filter(|one| self.is_coroutine(one)).count() >= 2,
            Expr::ListComp(one) => {
                let [only] = &one.generators[..] else { return false };
                let two = match &only.iter {
                    Expr::Name(name) => self.reach.stands_for(name.id.as_str()),
                    other => Some(other),
                };
                let count = match two {
                    Some(Expr::List(list)) => list.elts.len(),
                    Some(Expr::Tuple(tuple)) => tuple.elts.len(),
                    _ => 0,
                };
                count >= 2 && self.holds_coroutines(list)
            }
            _ => false,
        }
    }

    /// Whether an expression names an async function of the program's own.
    fn is_async_function(&self, expression: &'a Expr) -> bool {
        let Expr::Name(name) = expression else { return false };
        let places = self.names.stores.get(name.id.as_str()).map(Vec::as_slice);
        let Some([only]) = places else { return false };
        !self.names.is_imported(name.id.as_str())
            && self.is_plain_function(*only, true)
            && !self.reach.is_generator(*only)
    }

    /// Whether an expression calls an async function of the program's own.
    pub(super) fn is_coroutine(&self, expression: &'a Expr) -> bool {
        let Expr::Call(call) = expression else { return false };
        self.names
            .function(call)
            .is_some_and(|id| self.is_plain_function(id, true) && !self.reach.is_generator(id))
    }

    fn is_plain_function(&self, id: crate::tree::Id, is_async: bool) -> bool {
        matches!(self.tree.node(id), AnyNodeRef::StmtFunctionDef(one)
            if (one.is_async || !is_async) && one.decorator_list.is_empty())
    }

    /// Whether what something is added to is a number, a text or a list wherever it is set.
    fn is_plain(&self, assign: &'a StmtAugAssign) -> bool {
        let Expr::Name(name) = &*assign.target else { return false };
        let name = name.id.as_str();
        let places = self.names.stores.get(name).map(Vec::as_slice).unwrap_or_default();
        let is_given = self.given.is_none_or(|given| given.iter().any(|one| one == name));
        !is_given
            && !self.names.is_imported(name)
            && places.iter().all(|place| {
                match self.tree.parent(*place).map(|parent| self.tree.node(parent)) {
                    Some(AnyNodeRef::StmtAssign(one)) => {
                        one.value.is_literal_expr() || one.value.is_list_expr()
                    }
                    Some(AnyNodeRef::StmtAugAssign(_)) => true,
                    _ => false,
                }
            })
    }

    /// `await get_shares`, `len(get_shares)`, `for share in get_shares`.
    fn uncalled_in(&self, node: AnyNodeRef<'a>) -> Option<Mistake> {
        let (used, can) = match node {
            AnyNodeRef::ExprAwait(one) => (&*one.value, "awaited"),
            AnyNodeRef::StmtFor(one) if !one.is_async => (&*one.iter, "gone over"),
            AnyNodeRef::Comprehension(one) if !one.is_async => (&one.iter, "gone over"),
            AnyNodeRef::ExprSubscript(one) if one.ctx.is_load() => (&*one.value, "read by keys"),
            AnyNodeRef::ExprCall(call) => {
                let name = self.own_of_python(&call.func)?;
                let ([only], true) = (&call.arguments.args[..], READERS.contains(&name)) else {
                    return None;
                };
                (only, "read as a value")
            }
            _ => return None,
        };
        let (name, is_async) = match self.names.meaning(used) {
            Some(Meaning::Tool(tool)) => (tool.python().to_owned(), true),
            Some(_) => return None,
            None => {
                let Expr::Name(name) = used else { return None };
                let text = name.id.as_str();
                let [only] = self.names.stores.get(text)?[..] else { return None };
                let is_its = self.is_plain_function(only, false) && !self.names.is_imported(text);
                let is_async = self.is_plain_function(only, true) && !self.reach.is_generator(only);
                (text.to_owned(), is_its.then_some(is_async)?)
            }
        };
        let call = if is_async { format!("await {name}(...)") } else { format!("{name}(...)") };
        let message = format!("{name} is a function, which cannot be {can}; call it: `{call}`");
        Some(self.crash(used.range(), message, raises::TYPE))
    }
}
