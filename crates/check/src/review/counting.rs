//! How often a place is reached, as far as that can be counted without running.
//!
//! Loops over what is written out multiply; a branch counts as taken; a function counts as often as it
//! is called. Whatever only running would tell counts as one round, and is marked.

use std::collections::HashMap;

use ruff_python_ast::{AnyNodeRef, Comprehension, Expr, ExprCall, Number, Operator};

use crate::names::Names;
use crate::tree::{Id, Tree};

/// How deep expressions are read for their length.
const DEEPEST: usize = 16;

/// Methods that make a list longer.
const GROW: &[&str] =
    &["append", "extend", "insert", "add", "update", "setdefault", "appendleft", "extendleft"];

/// Functions that give as many items as they are given.
const SAME: &[&str] = &[
    "list",
    "tuple",
    "set",
    "frozenset",
    "sorted",
    "reversed",
    "iter",
    "enumerate",
    "dict",
    "filter",
    "tqdm",
];

/// How often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) number: u64,
    /// In a loop whose length only running would tell, which counts as one round.
    pub(super) unbounded: bool,
}

impl Count {
    pub(super) const NEVER: Self = Self { number: 0, unbounded: false };
    const ONCE: Self = Self { number: 1, unbounded: false };
    const UNKNOWN: Self = Self { number: 1, unbounded: true };

    fn times(self, other: Self) -> Self {
        let number = self.number.saturating_mul(other.number);
        Self { number, unbounded: number > 0 && (self.unbounded || other.unbounded) }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let number = self.number.saturating_add(other.number);
        Self { number, unbounded: self.unbounded || other.unbounded }
    }
}

/// Counts.
pub(super) struct Counting<'t, 'a, 'c> {
    tree: &'t Tree<'a>,
    names: &'t Names<'a, 'c>,
    /// How often functions are called; `None` while that is being counted.
    functions: HashMap<Id, Option<Count>>,
    /// Calls of methods, by name.
    methods: HashMap<&'a str, Vec<Id>>,
}

impl<'t, 'a, 'c> Counting<'t, 'a, 'c> {
    pub(super) fn new(tree: &'t Tree<'a>, names: &'t Names<'a, 'c>) -> Self {
        let mut methods: HashMap<&'a str, Vec<Id>> = HashMap::new();
        for (id, node) in tree.all() {
            if let AnyNodeRef::ExprAttribute(attribute) = node
                && attribute.ctx.is_load()
            {
                methods.entry(attribute.attr.as_str()).or_default().push(id);
            }
        }
        Self { tree, names, functions: HashMap::new(), methods }
    }

    /// How often a place is reached.
    pub(super) fn at(&mut self, place: Id) -> Count {
        let mut count = Count::ONCE;
        let mut child = place;
        for parent in self.tree.above(place).collect::<Vec<_>>() {
            if self.tree.is_body_of(child, parent) {
                return count.times(self.called(parent));
            }
            count = count.times(self.rounds(parent, child));
            child = parent;
        }
        count
    }

    /// How often something that is given away is used: `map(tool, rows)` uses it for every row.
    pub(super) fn given_away(&mut self, place: Id) -> Count {
        let call = self.tree.above(place).take(2).find_map(|above| match self.tree.node(above) {
            AnyNodeRef::ExprCall(call) => Some((above, call)),
            _ => None,
        });
        let Some((id, call)) = call else { return self.at(place).times(Count::UNKNOWN) };
        let rounds = match &*call.func {
            Expr::Name(name) if name.id.as_str() == "map" => {
                call.arguments.args.get(1).map_or(Count::UNKNOWN, |items| self.length(items))
            }
            _ => Count::UNKNOWN,
        };
        self.at(id).times(rounds)
    }

    /// How often a part of a node is reached, each time the node is.
    fn rounds(&self, node: Id, part: Id) -> Count {
        match self.tree.node(node) {
            AnyNodeRef::StmtFor(one) if self.tree.is_in(part, &one.body) => self.length(&one.iter),
            AnyNodeRef::StmtWhile(one) if !self.tree.is_in(part, &one.orelse) => Count::UNKNOWN,
            AnyNodeRef::ExprListComp(one) => self.within(part, &one.generators),
            AnyNodeRef::ExprSetComp(one) => self.within(part, &one.generators),
            AnyNodeRef::ExprGenerator(one) => self.within(part, &one.generators),
            AnyNodeRef::ExprDictComp(one) => self.within(part, &one.generators),
            AnyNodeRef::Comprehension(one) if !self.tree.is(part, &one.iter) => {
                self.length(&one.iter)
            }
            _ => Count::ONCE,
        }
    }

    /// How often a part of a comprehension is reached: the first loop once, the next for every item.
    fn within(&self, part: Id, generators: &[Comprehension]) -> Count {
        let own = |one: &Comprehension| {
            self.tree.id(one.into()).is_some_and(|generator| generator == part)
        };
        let outer = generators.iter().take_while(|one| !own(one));
        outer.fold(Count::ONCE, |count, one| count.times(self.length(&one.iter)))
    }

    /// How often a function is called.
    fn called(&mut self, function: Id) -> Count {
        match self.functions.get(&function) {
            Some(Some(known)) => return *known,
            // It calls itself.
            Some(None) => return Count::UNKNOWN,
            None => {}
        }
        self.functions.insert(function, None);
        let count = match self.tree.node(function) {
            AnyNodeRef::StmtFunctionDef(definition) => {
                let name = definition.name.as_str();
                let parent = self.tree.parent(function).map(|parent| self.tree.node(parent));
                if matches!(parent, Some(AnyNodeRef::StmtClassDef(_))) {
                    let places = self.methods.get(name).cloned().unwrap_or_default();
                    // Nobody writes out that these are called.
                    let unseen = name.starts_with("__") && places.is_empty();
                    if unseen { Count::UNKNOWN } else { self.used(&places) }
                } else {
                    let places = self.names.loads.get(name).cloned().unwrap_or_default();
                    self.used(&places)
                }
            }
            _ => self.lambda(function),
        };
        self.functions.insert(function, Some(count));
        count
    }

    fn lambda(&mut self, lambda: Id) -> Count {
        let parent = self.tree.parent(lambda).map(|parent| self.tree.node(parent));
        if let Some(AnyNodeRef::StmtAssign(assign)) = parent
            && let [Expr::Name(name)] = &assign.targets[..]
        {
            let places = self.names.loads.get(name.id.as_str()).cloned().unwrap_or_default();
            return self.used(&places);
        }
        self.given_away(lambda)
    }

    /// How often a function is called at all the places where it is mentioned.
    fn used(&mut self, places: &[Id]) -> Count {
        let mut count = Count::NEVER;
        for place in places {
            let parent = self.tree.parent(*place);
            let is_called = parent.is_some_and(|parent| match self.tree.node(parent) {
                AnyNodeRef::ExprCall(call) => self.tree.is(*place, &call.func),
                _ => false,
            });
            let more = if is_called { self.at(*place) } else { self.given_away(*place) };
            count = count.plus(more);
        }
        count
    }

    /// How many items there are to go through.
    fn length(&self, items: &Expr) -> Count {
        self.items(items, 0).map_or(Count::UNKNOWN, |number| Count { number, unbounded: false })
    }

    fn items(&self, expression: &Expr, depth: usize) -> Option<u64> {
        if depth > DEEPEST {
            return None;
        }
        let written = |parts: &[Expr]| {
            (!parts.iter().any(Expr::is_starred_expr)).then_some(parts.len() as u64)
        };
        let product = |generators: &[Comprehension]| {
            generators.iter().try_fold(1_u64, |count, one| {
                Some(count.saturating_mul(self.items(&one.iter, depth + 1)?))
            })
        };
        match expression {
            Expr::List(list) => written(&list.elts),
            Expr::Tuple(tuple) => written(&tuple.elts),
            Expr::Set(set) => written(&set.elts),
            Expr::Dict(dict) => {
                dict.items.iter().all(|item| item.key.is_some()).then_some(dict.items.len() as u64)
            }
            Expr::StringLiteral(text) => Some(text.value.chars().count() as u64),
            Expr::ListComp(one) => product(&one.generators),
            Expr::SetComp(one) => product(&one.generators),
            Expr::Generator(one) => product(&one.generators),
            Expr::DictComp(one) => product(&one.generators),
            Expr::BinOp(one) if one.op == Operator::Add => {
                let left = self.items(&one.left, depth + 1)?;
                Some(left.saturating_add(self.items(&one.right, depth + 1)?))
            }
            Expr::BinOp(one) if one.op == Operator::Mult => {
                let times = self.number(&one.right, depth + 1)?;
                Some(self.items(&one.left, depth + 1)?.saturating_mul(u64::try_from(times).ok()?))
            }
            Expr::Subscript(one) => {
                let Expr::Slice(slice) = &*one.slice else { return None };
                let end = |one: &Option<Box<Expr>>| self.number(one.as_deref()?, depth + 1);
                let from = if slice.lower.is_none() { 0 } else { end(&slice.lower)? };
                let most = u64::try_from(end(&slice.upper)?.checked_sub(from)?).ok();
                let all = self.items(&one.value, depth + 1);
                // Counted from the end, it is no more than all of it.
                let most = most.filter(|_| from >= 0);
                match (most, all) {
                    (Some(most), Some(all)) => Some(most.min(all)),
                    (most, all) => most.or(all),
                }
            }
            Expr::Name(name) => self.items(self.held(name.id.as_str())?, depth + 1),
            Expr::Call(call) => self.given(call, depth),
            Expr::Starred(one) => self.items(&one.value, depth + 1),
            Expr::Named(one) => self.items(&one.value, depth + 1),
            _ => None,
        }
    }

    /// How many items a call gives.
    fn given(&self, call: &ExprCall, depth: usize) -> Option<u64> {
        let arguments = &call.arguments.args;
        match &*call.func {
            Expr::Name(name) if name.id.as_str() == "range" => self.range(arguments, depth),
            Expr::Name(name) if name.id.as_str() == "zip" => {
                arguments.iter().filter_map(|one| self.items(one, depth + 1)).min()
            }
            Expr::Name(name) if SAME.contains(&name.id.as_str()) => {
                let at = usize::from(name.id.as_str() == "filter");
                self.items(arguments.get(at)?, depth + 1)
            }
            Expr::Name(name) if name.id.as_str() == "map" => {
                self.items(arguments.get(1)?, depth + 1)
            }
            Expr::Attribute(attribute) if arguments.is_empty() => match attribute.attr.as_str() {
                "items" | "keys" | "values" | "copy" => self.items(&attribute.value, depth + 1),
                _ => None,
            },
            _ => None,
        }
    }

    fn range(&self, arguments: &[Expr], depth: usize) -> Option<u64> {
        let number = |one: &Expr| self.number(one, depth + 1);
        let (from, to, step) = match arguments {
            [to] => (0, number(to)?, 1),
            [from, to] => (number(from)?, number(to)?, 1),
            [from, to, step] => (number(from)?, number(to)?, number(step)?),
            _ => return None,
        };
        let (way, step) = if step > 0 {
            (to.checked_sub(from)?, step)
        } else {
            (from.checked_sub(to)?, step.checked_neg()?)
        };
        if step == 0 {
            return None;
        }
        let rounds = way.max(0).checked_add(step - 1)? / step;
        u64::try_from(rounds).ok()
    }

    /// A number that is written out, held by a variable, or the length of what is.
    fn number(&self, expression: &Expr, depth: usize) -> Option<i64> {
        if depth > DEEPEST {
            return None;
        }
        match expression {
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(int) => int.as_i64(),
                _ => None,
            },
            Expr::UnaryOp(one) if one.op == ruff_python_ast::UnaryOp::USub => {
                self.number(&one.operand, depth + 1)?.checked_neg()
            }
            Expr::BinOp(one) => {
                let (left, right) =
                    (self.number(&one.left, depth + 1)?, self.number(&one.right, depth + 1)?);
                match one.op {
                    Operator::Add => left.checked_add(right),
                    Operator::Sub => left.checked_sub(right),
                    Operator::Mult => left.checked_mul(right),
                    Operator::Pow => left.checked_pow(u32::try_from(right).ok()?),
                    _ => None,
                }
            }
            Expr::Name(name) => self.number(self.held(name.id.as_str())?, depth + 1),
            Expr::Call(call) => match (&*call.func, &call.arguments.args[..]) {
                (Expr::Name(name), [of]) if name.id.as_str() == "len" => {
                    i64::try_from(self.items(of, depth + 1)?).ok()
                }
                (Expr::Name(name), some) if name.id.as_str() == "min" => {
                    some.iter().filter_map(|one| self.number(one, depth + 1)).min()
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What a variable holds that is set once, and never made longer.
    fn held(&self, name: &str) -> Option<&'a Expr> {
        let [place] = self.names.stores.get(name)?[..] else { return None };
        let AnyNodeRef::StmtAssign(assign) = self.tree.node(self.tree.parent(place)?) else {
            return None;
        };
        let [Expr::Name(_)] = &assign.targets[..] else { return None };
        let grows = |load: &Id| match self.tree.parent(*load).map(|parent| self.tree.node(parent)) {
            Some(AnyNodeRef::ExprAttribute(attribute)) => GROW.contains(&attribute.attr.as_str()),
            Some(AnyNodeRef::ExprSubscript(subscript)) => !subscript.ctx.is_load(),
            Some(AnyNodeRef::StmtAugAssign(_)) => true,
            _ => false,
        };
        let loads = self.names.loads.get(name).map(Vec::as_slice).unwrap_or_default();
        (!loads.iter().any(grows)).then_some(&*assign.value)
    }
}
