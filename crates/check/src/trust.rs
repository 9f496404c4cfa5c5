//! Whether the type of an expression comes from something that nobody can have changed since.
//!
//! The type checker takes a list's items for what they were when it was made, an attribute for what
//! its class says, a variable's default for its value. A program may put anything else there, in
//! ways that are not worth following. So a type counts only where the way to it is plain: literals,
//! operators on them, what Python's own functions give, variables that hold such, and results of
//! tools. What is inside a container counts while the program puts nothing into any.

use std::cell::RefCell;
use std::collections::HashSet;

use ruff_python_ast::{
    AnyNodeRef, Arguments, CmpOp, Expr, ExprAttribute, ExprCall, ExprCompare, ExprName, ExprRef,
    Operator, UnaryOp,
};
use ruff_text_size::{Ranged as _, TextRange};

use crate::names::Names;
use crate::tree::{Id, Tree};

/// Functions that give back what is in their arguments, or what those say.
const OF_ARGUMENTS: &[&str] = &[
    "abs",
    "anext",
    "choice",
    "copy",
    "deepcopy",
    "divmod",
    "gather",
    "getattr",
    "heappop",
    "heappushpop",
    "heapreplace",
    "max",
    "min",
    "next",
    "pow",
    "reduce",
    "round",
    "run",
    "shield",
    "sum",
    "wait_for",
];

/// Methods that give back what is inside.
const OF_CONTENT: &[&str] = &[
    "__getitem__",
    "get",
    "get_nowait",
    "most_common",
    "pop",
    "popitem",
    "popleft",
    "result",
    "send",
    "setdefault",
];

/// Methods of texts that give a list of texts.
const SPLITS: &[&str] = &["partition", "rpartition", "rsplit", "split", "splitlines"];

/// Functions of Python's that give a text or a number, whatever they are given.
const PLAIN: &[&str] = &["bool", "float", "hash", "id", "int", "len", "ord", "repr", "str"];

/// Functions of Python's that give a container of their own kind, whatever they are given.
const CONTAINERS: &[&str] = &["dict", "frozenset", "list", "range", "set", "sorted", "tuple"];

/// Functions of `asyncio` that give a future.
const FUTURES: &[&str] = &["create_task", "ensure_future", "gather", "shield"];

/// What is asked of everything that a name is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quest {
    Sure,
    OfATool,
    MadeElsewhere,
    Future,
    Plain,
    Apart,
}

/// How many steps a way may have.
const LONGEST: usize = 40;
/// How often something may be made of something else.
const DEEPEST: usize = 6;

/// Functions of Python's that give the items of what they are given.
const KEEPERS: &[&str] = &["enumerate", "list", "reversed", "set", "sorted", "tuple", "zip"];

/// What is known of where values come from.
pub(crate) struct Trust<'t, 'a, 'c> {
    tree: &'t Tree<'a>,
    names: &'t Names<'a, 'c>,
    /// Something is put into some container.
    changes: bool,
    /// Attributes that the program sets.
    set: HashSet<&'a str>,
    /// Expressions that are known to be results, though they come through functions and lists.
    results: &'t HashSet<TextRange>,
    /// The names whose values are being looked at.
    met: RefCell<Vec<(&'a str, Quest)>>,
}

impl<'t, 'a, 'c> Trust<'t, 'a, 'c> {
    pub(crate) fn new(
        tree: &'t Tree<'a>,
        names: &'t Names<'a, 'c>,
        results: &'t HashSet<TextRange>,
    ) -> Self {
        let set = |(_, node)| match node {
            AnyNodeRef::ExprAttribute(one) if !one.ctx.is_load() => Some(one.attr.as_str()),
            _ => None,
        };
        Self {
            tree,
            names,
            changes: crate::rewrite::changes_containers(tree),
            set: tree.all().filter_map(set).collect(),
            results,
            met: RefCell::default(),
        }
    }

    /// Whether the program changes how something is called: `f.__defaults__ = (1,)`.
    pub(crate) fn changes_signatures(&self) -> bool {
        let names =
            ["__defaults__", "__kwdefaults__", "__init__", "__new__", "__call__", "__code__"];
        names.iter().any(|name| self.set.contains(name))
    }

    /// Whether the program sets an attribute of this name on anything.
    pub(crate) fn sets_attribute(&self, name: &str) -> bool {
        self.set.contains(name)
    }

    /// Whether the expression of exactly this range is certainly of the type it seems to have.
    pub(crate) fn is_sure_at(&self, range: TextRange) -> bool {
        let whole = |(_, node): (Id, AnyNodeRef<'a>)| {
            (node.range() == range).then(|| node.as_expr_ref()).flatten()
        };
        self.tree.all().filter_map(whole).all(|expression| self.is_sure_ref(expression))
    }

    pub(crate) fn is_sure(&self, expression: &Expr) -> bool {
        self.is_sure_ref(expression.into())
    }

    fn is_sure_ref(&self, expression: ExprRef<'_>) -> bool {
        if self.results.contains(&expression.range()) {
            return true;
        }
        match expression {
            ExprRef::Name(name) => self.every_value(name, Quest::Sure),
            ExprRef::Call(call) => self.is_sure_call(call),
            ExprRef::Attribute(attribute) => self.is_sure_attribute(attribute),
            ExprRef::Subscript(subscript) => self.is_content_sure(&subscript.value),
            ExprRef::Await(awaited) => self.is_sure_awaited(&awaited.value),
            ExprRef::BinOp(one) => {
                // `[1] * value` is what a class of the program's own says that it is.
                let is_own = one.op == Operator::Mult && self.names.stores.contains_key("__rmul__");
                !is_own && self.is_sure(&one.left) && self.is_sure(&one.right)
            }
            ExprRef::UnaryOp(one) => self.is_sure(&one.operand),
            ExprRef::BoolOp(one) => one.values.iter().all(|value| self.is_sure(value)),
            ExprRef::If(one) => self.is_sure(&one.body) && self.is_sure(&one.orelse),
            ExprRef::Named(one) => self.is_sure(&one.value),
            ExprRef::Starred(one) => self.is_content_sure(&one.value),
            ExprRef::Compare(one) => self.is_sure_comparison(one),
            ExprRef::Yield(_) | ExprRef::YieldFrom(_) | ExprRef::IpyEscapeCommand(_) => false,
            // Literals, displays, comprehensions, lambdas: what they are is written there.
            _ => true,
        }
    }

    /// Whether a comparison certainly gives True or False. What stands on the right may answer as it likes:
    /// `0 < array` is an array, though a number on the left would say True or False.
    fn is_sure_comparison(&self, one: &ExprCompare) -> bool {
        let asks = |op: &CmpOp| matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn);
        one.ops.iter().all(asks)
            || self.is_plain(&one.left) && one.comparators.iter().all(|one| self.is_plain(one))
    }

    /// Whether a value is certainly a text, a number, nothing or a container of Python's own, which compare to
    /// True or False with one another.
    fn is_plain(&self, expression: &Expr) -> bool {
        match expression {
            one if is_written_value(one) => true,
            Expr::Name(name) => {
                self.names.stores.contains_key(name.id.as_str())
                    && self.every_value(name, Quest::Plain)
            }
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) => {
                    let name = name.id.as_str();
                    PLAIN.contains(&name)
                        && !self.names.stores.contains_key(name)
                        && !self.names.imported.contains_key(name)
                }
                _ => self.is_of_a_tool(expression),
            },
            Expr::UnaryOp(one) => one.op == UnaryOp::Not || self.is_plain(&one.operand),
            Expr::BinOp(one) => self.is_plain(&one.left) && self.is_plain(&one.right),
            Expr::Compare(one) => self.is_sure_comparison(one),
            other => other.is_literal_expr() || self.is_of_a_tool(other),
        }
    }

    /// Whether what a value is has nothing to do with results of tools, whatever is put into those: it is
    /// written there, or made by a function or a class that gives the same kind of thing for anything.
    pub(crate) fn is_apart(&self, expression: &Expr) -> bool {
        let are_apart = |arguments: &Arguments| {
            arguments.args.iter().all(|one| self.is_apart(one))
                && arguments.keywords.iter().all(|one| self.is_apart(&one.value))
        };
        match expression {
            one if is_written_value(one) => true,
            Expr::Name(name) if self.names.stores.contains_key(name.id.as_str()) => {
                self.every_value(name, Quest::Apart)
            }
            Expr::Name(_) | Expr::Attribute(_) => self.is_module(expression),
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) => {
                    let name = name.id.as_str();
                    match self.names.stores.get(name).map(Vec::as_slice) {
                        None if self.names.imported.contains_key(name) => is_class(name),
                        None => PLAIN.contains(&name) || CONTAINERS.contains(&name),
                        Some([only]) => self.is_sure_definition(*only),
                        Some(_) => false,
                    }
                }
                Expr::Attribute(method) => {
                    !OF_CONTENT.contains(&method.attr.as_str())
                        && self.is_apart(&method.value)
                        && are_apart(&call.arguments)
                }
                _ => false,
            },
            other => other.is_literal_expr(),
        }
    }

    /// Whether a function is known by its definition, whatever results of tools hold: it is one of the
    /// program's own or of a module.
    pub(crate) fn is_callee_apart(&self, function: &Expr) -> bool {
        match function {
            Expr::Name(name) => {
                let places = self.names.stores.get(name.id.as_str()).map(Vec::as_slice);
                match places {
                    None => true,
                    Some([only]) => matches!(
                        self.tree.node(*only),
                        AnyNodeRef::StmtFunctionDef(_) | AnyNodeRef::StmtClassDef(_)
                    ),
                    Some(_) => false,
                }
            }
            Expr::Attribute(method) => self.is_apart(&method.value),
            _ => false,
        }
    }

    /// Whether the items of a container are certainly of the types they seem to have.
    fn is_content_sure(&self, container: &Expr) -> bool {
        if !self.changes || self.is_of_a_tool(container) {
            return self.is_sure(container);
        }
        match container {
            // Nobody else has these, so nobody puts anything into them.
            Expr::StringLiteral(_)
            | Expr::FString(_)
            | Expr::BytesLiteral(_)
            | Expr::List(_)
            | Expr::Tuple(_)
            | Expr::Dict(_)
            | Expr::Set(_) => true,
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) => name.id.as_str() == "range",
                Expr::Attribute(method) => {
                    SPLITS.contains(&method.attr.as_str()) && self.is_sure(&method.value)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a value is certainly a tool's result, or a part of one.
    pub(crate) fn is_result(&self, expression: ExprRef<'_>) -> bool {
        match expression {
            ExprRef::Name(name) => {
                self.names.stores.contains_key(name.id.as_str())
                    && self.every_value(name, Quest::OfATool)
            }
            ExprRef::Subscript(one) => self.is_of_a_tool(&one.value),
            ExprRef::Await(one) => self.is_of_a_tool(&one.value),
            _ => false,
        }
    }

    /// Whether a value is a tool's result, or a part of one.
    fn is_of_a_tool(&self, expression: &Expr) -> bool {
        if self.results.contains(&expression.range()) {
            return true;
        }
        match expression {
            Expr::Await(awaited) => self.is_of_a_tool(&awaited.value),
            Expr::Call(call) => match &*call.func {
                function if self.names.is_tool(function) => true,
                Expr::Attribute(method) => {
                    ["get", "items", "values"].contains(&method.attr.as_str())
                        && self.is_of_a_tool(&method.value)
                }
                Expr::Name(name)
                    if ["enumerate", "sorted", "reversed"].contains(&name.id.as_str()) =>
                {
                    call.arguments.args.first().is_some_and(|first| self.is_of_a_tool(first))
                }
                _ => false,
            },
            Expr::Subscript(subscript) => self.is_of_a_tool(&subscript.value),
            Expr::Name(name) => {
                self.names.stores.contains_key(name.id.as_str())
                    && self.every_value(name, Quest::OfATool)
            }
            _ => false,
        }
    }

    /// Whether what a loop goes over is what a tool gave, or is made of that.
    pub(crate) fn is_brought(&self, items: &Expr) -> bool {
        self.is_made_of_results(items, 0)
    }

    fn is_made_of_results(&self, items: &Expr, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        if self.is_of_a_tool(items) {
            return true;
        }
        let is_one = |one: &Expr| self.is_made_of_results(one, depth + 1);
        match items {
            Expr::ListComp(one) => one.generators.first().is_some_and(|first| is_one(&first.iter)),
            Expr::SetComp(one) => one.generators.first().is_some_and(|first| is_one(&first.iter)),
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) => {
                    let name = name.id.as_str();
                    KEEPERS.contains(&name)
                        && !self.names.stores.contains_key(name)
                        && call.arguments.args.iter().any(is_one)
                }
                Expr::Attribute(method) => {
                    ["items", "keys", "values"].contains(&method.attr.as_str())
                        && call.arguments.is_empty()
                        && is_one(&method.value)
                }
                _ => false,
            },
            Expr::Await(one) => self.gathers_results(&one.value),
            Expr::Name(name) => {
                let places = self.names.stores.get(name.id.as_str()).map(Vec::as_slice);
                let Some([only]) = places else { return false };
                match self.tree.parent(*only).map(|parent| self.tree.node(parent)) {
                    Some(AnyNodeRef::StmtAssign(one)) => is_one(&one.value),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// `gather(*[get(x) for x in xs])`, of tools.
    fn gathers_results(&self, call: &Expr) -> bool {
        let Expr::Call(call) = call else { return false };
        let is_gather = matches!(self.names.standard(&call.func), Some(("asyncio", "gather")));
        let is_tool = |one: &Expr| matches!(one, Expr::Call(one) if self.names.is_tool(&one.func));
        let gives = |one: &Expr| match one {
            Expr::Starred(one) => match &*one.value {
                Expr::ListComp(one) => is_tool(&one.elt),
                Expr::Generator(one) => is_tool(&one.elt),
                _ => false,
            },
            one => is_tool(one),
        };
        is_gather && call.arguments.args.iter().any(gives)
    }

    /// Whether a value is certainly a future: what makes it says so, whatever it is made of.
    pub(crate) fn is_future(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Call(call) => {
                let made = self.names.standard(&call.func);
                matches!(made, Some(("asyncio", function)) if FUTURES.contains(&function))
                    && !self.set.iter().any(|name| FUTURES.contains(name))
            }
            Expr::Name(name) => {
                self.names.stores.contains_key(name.id.as_str())
                    && self.every_value(name, Quest::Future)
            }
            _ => false,
        }
    }

    fn is_sure_call(&self, call: &ExprCall) -> bool {
        if self.names.is_tool(&call.func) {
            return true;
        }
        match &*call.func {
            // What these give is what somebody claims.
            Expr::Name(name) if name.id.as_str() == "cast" => false,
            Expr::Attribute(function) if function.attr.as_str() == "cast" => false,
            Expr::Name(name) => {
                let name = name.id.as_str();
                match self.names.stores.get(name).map(Vec::as_slice) {
                    None => !OF_ARGUMENTS.contains(&name) || self.are_sure(&call.arguments),
                    Some([only]) => self.is_sure_definition(*only),
                    Some(_) => false,
                }
            }
            Expr::Attribute(method) => {
                let name = method.attr.as_str();
                if self.set.contains(name) {
                    return false;
                }
                if self.is_module(&method.value) {
                    return !OF_ARGUMENTS.contains(&name) || self.are_sure(&call.arguments);
                }
                if OF_CONTENT.contains(&name) {
                    return self.is_content_sure(&method.value);
                }
                self.is_sure(&method.value)
            }
            _ => false,
        }
    }

    /// What a call of the program's own gives: a coroutine for certain, anything else perhaps.
    fn is_sure_definition(&self, definition: Id) -> bool {
        match self.tree.node(definition) {
            AnyNodeRef::StmtFunctionDef(function) => {
                function.is_async && function.decorator_list.is_empty()
            }
            AnyNodeRef::StmtClassDef(_) => true,
            _ => false,
        }
    }

    fn are_sure(&self, arguments: &Arguments) -> bool {
        arguments.args.iter().all(|one| self.is_sure(one) && self.is_content_sure(one))
            && arguments.keywords.iter().all(|one| self.is_sure(&one.value))
    }

    /// A module's, or one of a value that Python's own functions made.
    fn is_sure_attribute(&self, attribute: &ExprAttribute) -> bool {
        if self.set.contains(attribute.attr.as_str()) {
            return false;
        }
        self.is_module(&attribute.value)
            || self.is_made_elsewhere(&attribute.value) && self.is_sure(&attribute.value)
    }

    /// Whether a value is of a class that is not the program's.
    fn is_made_elsewhere(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Name(name) => {
                self.names.stores.contains_key(name.id.as_str())
                    && self.every_value(name, Quest::MadeElsewhere)
            }
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) => !self.names.stores.contains_key(name.id.as_str()),
                Expr::Attribute(method) => {
                    self.is_module(&method.value) || self.is_made_elsewhere(&method.value)
                }
                _ => false,
            },
            Expr::Attribute(attribute) => self.is_module(&attribute.value),
            Expr::BinOp(one) => {
                self.is_made_elsewhere(&one.left) && self.is_made_elsewhere(&one.right)
            }
            Expr::Await(awaited) => self.is_made_elsewhere(&awaited.value),
            other => other.is_literal_expr() || matches!(other, Expr::FString(_)),
        }
    }

    fn is_module(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Name(name) => {
                let name = name.id.as_str();
                !self.names.stores.contains_key(name)
                    && (self.names.modules.contains_key(name)
                        || self.names.imported.contains_key(name))
            }
            Expr::Attribute(attribute) => self.is_module(&attribute.value),
            _ => false,
        }
    }

    fn is_sure_awaited(&self, awaited: &Expr) -> bool {
        match awaited {
            Expr::Call(call) if self.names.is_tool(&call.func) => true,
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(function) => {
                    self.is_module(&function.value) && self.are_sure(&call.arguments)
                }
                _ => false,
            },
            Expr::Name(_) => self.is_of_a_tool(awaited),
            _ => false,
        }
    }

    /// Whether it holds for all that a name is bound to.
    fn every_value(&self, name: &ExprName, quest: Quest) -> bool {
        let Some((&known, places)) = self.names.stores.get_key_value(name.id.as_str()) else {
            return true;
        };
        if self.met.borrow().contains(&(known, quest)) {
            // A value that is made of itself is what the others are.
            return true;
        }
        if self.met.borrow().len() >= LONGEST {
            return false;
        }
        self.met.borrow_mut().push((known, quest));
        let all = places.iter().all(|place| self.holds_at(*place, quest));
        self.met.borrow_mut().pop();
        all
    }

    fn holds_at(&self, place: Id, quest: Quest) -> bool {
        match self.tree.node(place) {
            // The type checker does not claim to know what these are.
            AnyNodeRef::Parameter(_)
            | AnyNodeRef::ExceptHandlerExceptHandler(_)
            | AnyNodeRef::StmtFunctionDef(_)
            | AnyNodeRef::StmtClassDef(_) => return quest == Quest::Sure,
            AnyNodeRef::ExprName(name) if name.ctx.is_del() => return true,
            AnyNodeRef::ExprName(_) => {}
            _ => return false,
        }
        let Some(parent) = self.tree.parent(place) else { return false };
        match self.tree.node(parent) {
            AnyNodeRef::StmtAssign(assign) => self.holds(&assign.value, quest),
            AnyNodeRef::StmtAnnAssign(assign) => {
                assign.value.as_ref().is_none_or(|value| self.holds(value, quest))
            }
            AnyNodeRef::StmtAugAssign(assign) => self.holds(&assign.value, quest),
            AnyNodeRef::ExprNamed(named) => self.holds(&named.value, quest),
            AnyNodeRef::StmtFor(one) => self.holds_for_items(&one.iter, quest),
            AnyNodeRef::Comprehension(one) => self.holds_for_items(&one.iter, quest),
            AnyNodeRef::WithItem(item) => self.holds(&item.context_expr, quest),
            AnyNodeRef::ExprTuple(_) | AnyNodeRef::ExprList(_) => {
                self.holds_unpacked(parent, quest)
            }
            _ => false,
        }
    }

    fn holds(&self, value: &Expr, quest: Quest) -> bool {
        match quest {
            Quest::Sure => self.is_sure(value),
            Quest::OfATool => self.is_of_a_tool(value),
            Quest::MadeElsewhere => self.is_made_elsewhere(value),
            Quest::Future => self.is_future(value),
            Quest::Plain => self.is_plain(value),
            Quest::Apart => self.is_apart(value),
        }
    }

    fn holds_for_items(&self, container: &Expr, quest: Quest) -> bool {
        match quest {
            Quest::Sure => self.is_content_sure(container),
            Quest::OfATool => self.is_of_a_tool(container),
            Quest::Plain => is_range(container) || self.is_of_a_tool(container),
            Quest::MadeElsewhere | Quest::Future | Quest::Apart => false,
        }
    }

    /// `a, b = value` and `for a, b in value`.
    fn holds_unpacked(&self, target: Id, quest: Quest) -> bool {
        let whole = self.tree.above(target).find_map(|above| match self.tree.node(above) {
            AnyNodeRef::StmtAssign(assign) => Some(&*assign.value),
            AnyNodeRef::StmtFor(one) => Some(&*one.iter),
            AnyNodeRef::Comprehension(one) => Some(&one.iter),
            _ => None,
        });
        match whole {
            Some(Expr::Tuple(values)) => values.elts.iter().all(|value| self.holds(value, quest)),
            Some(value) => self.holds_for_items(value, quest),
            None => false,
        }
    }
}

/// Whether an expression writes a text or a container down, whatever is in it.
fn is_written_value(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::FString(_)
            | Expr::List(_)
            | Expr::Tuple(_)
            | Expr::Dict(_)
            | Expr::Set(_)
            | Expr::ListComp(_)
            | Expr::DictComp(_)
            | Expr::SetComp(_)
    )
}

/// `range(...)`.
fn is_range(expression: &Expr) -> bool {
    matches!(expression, Expr::Call(call)
        if matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "range"))
}

/// Whether something imported is a class, by its name.
fn is_class(name: &str) -> bool {
    ["date", "datetime", "defaultdict", "deque", "timedelta"].contains(&name)
        || name.starts_with(char::is_uppercase)
}
