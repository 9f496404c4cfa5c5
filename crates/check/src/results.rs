//! Results of tools that come through the program's own functions and lists.
//!
//! The type checker does not look into functions without annotations, nor does it follow what is
//! appended to a list. Where such a value can only be a tool's result, or a part of one, it is
//! spelt out here: `await load()` as `__tidegate_result__(servers.shop.list_orders)["orders"]`, if
//! that is what `load` returns. `rewrite` puts the spelling beside the value, and the type checker
//! takes the type from there.
//!
//! One spelling for all: where a value may come from two places that are spelt differently,
//! nothing is known of it.

mod filled;
mod functions;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use catalog::CatalogTool;
use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, ExprName, Number};
use ruff_text_size::{Ranged as _, TextRange};

use crate::awaits::Forgotten;
use crate::calls;
use crate::names::{Meaning, Names};
use crate::scopes::Scopes;
use crate::tree::{Id, Tree};
use functions::Functions;

/// How far a value is followed,
const FARTHEST: usize = 16;
/// and the longest spelling.
const LONGEST: usize = 400;

/// What is beside what.
#[derive(Debug, Default)]
pub(crate) struct Spelt {
    /// Expressions, and how their values are spelt.
    pub(crate) spellings: Vec<(TextRange, String)>,
    /// Those of them that are what they are spelt as wherever they are used. A parameter is that
    /// only inside of its function.
    pub(crate) sure: HashSet<TextRange>,
    /// The packages of the servers in spellings.
    pub(crate) packages: HashSet<String>,
}

/// Finds what can be spelt. Where the program is not `alone`, functions of earlier ones may put
/// something into its variables.
pub(crate) fn spelt(
    tree: &Tree<'_>,
    names: &Names<'_, '_>,
    forgotten: &[Forgotten],
    alone: bool,
) -> Spelt {
    let calls_tools = tree
        .all()
        .any(|(_, node)| matches!(node, AnyNodeRef::ExprCall(call) if names.is_tool(&call.func)));
    let is_taken = names.stores.contains_key("servers") || names.imported.contains_key("servers");
    if !calls_tools || is_taken || names.patched {
        return Spelt::default();
    }
    let results = Results {
        tree,
        names,
        scopes: Scopes::new(tree, names),
        functions: Functions::of(tree),
        forgotten: forgotten.iter().map(|one| one.range).collect(),
        alone,
        returned: RefCell::default(),
        held: RefCell::default(),
        packages: RefCell::default(),
        depth: Cell::new(0),
        is_ours: Cell::new(false),
    };
    results.all()
}

/// A name in the scope it belongs to.
type Variable<'a> = (&'a str, Option<Id>);

/// What is known while spellings are looked for.
struct Results<'t, 'a, 'c> {
    tree: &'t Tree<'a>,
    names: &'t Names<'a, 'c>,
    scopes: Scopes<'t, 'a, 'c>,
    functions: Functions<'a>,
    /// Calls that are awaited although nobody wrote it.
    forgotten: HashSet<TextRange>,
    /// Nothing ran before.
    alone: bool,
    /// What functions return, and variables hold. `None` also while that is being found out: what
    /// is made of itself has no spelling.
    returned: RefCell<HashMap<Id, Option<String>>>,
    held: RefCell<HashMap<Variable<'a>, Option<String>>>,
    packages: RefCell<HashSet<String>>,
    depth: Cell<usize>,
    /// Something was met that the type checker would not have followed.
    is_ours: Cell<bool>,
}

impl<'a> Results<'_, 'a, '_> {
    fn all(&self) -> Spelt {
        let mut spelt = Spelt::default();
        for (id, node) in self.tree.all() {
            self.is_ours.set(false);
            let spelling = match node {
                AnyNodeRef::ExprAwait(one) => self.awaited(&one.value),
                AnyNodeRef::ExprCall(call) if self.is_of_lists(call) => self.becomes(id),
                AnyNodeRef::ExprCall(call) => self.made(call),
                AnyNodeRef::ExprList(list) if list.elts.is_empty() && list.ctx.is_load() => {
                    self.becomes(id)
                }
                AnyNodeRef::ExprDict(dict) if dict.items.is_empty() => self.becomes(id),
                AnyNodeRef::ExprName(name) if name.ctx.is_load() => self.parameter(id, name),
                _ => None,
            };
            let Some(spelling) = spelling.filter(|_| self.is_ours.get()) else { continue };
            if !matches!(node, AnyNodeRef::ExprName(_)) {
                spelt.sure.insert(node.range());
            }
            spelt.spellings.push((node.range(), spelling));
        }
        spelt.packages = self.packages.take();
        spelt
    }

    /// How the value of an expression is spelt.
    fn value(&self, expression: &'a Expr) -> Option<String> {
        if self.depth.get() >= FARTHEST {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let spelling = self.plain_value(expression);
        self.depth.set(self.depth.get() - 1);
        spelling.filter(|spelling| spelling.len() <= LONGEST)
    }

    fn plain_value(&self, expression: &'a Expr) -> Option<String> {
        match expression {
            Expr::Await(one) => self.awaited(&one.value),
            Expr::Call(call) => self.called(call),
            Expr::Subscript(one) => {
                let value = self.value(&one.value)?;
                let key = key(&one.slice).or_else(|| any_key(&value))?;
                Some(format!("{value}[{key}]"))
            }
            Expr::Name(name) => self.held(name),
            Expr::Named(one) => self.value(&one.value),
            Expr::ListComp(one) => Some(format!("[{}]", self.value(&one.elt)?)),
            Expr::If(one) => {
                let (first, second) = (self.value(&one.body)?, self.value(&one.orelse)?);
                (first == second).then_some(first)
            }
            _ => None,
        }
    }

    /// What a call gives without waiting for it.
    fn called(&self, call: &'a ExprCall) -> Option<String> {
        let copies = match &*call.func {
            Expr::Name(name) => {
                let name = name.id.as_str();
                ["list", "sorted"].contains(&name) && !self.names.stores.contains_key(name)
            }
            _ => false,
        };
        match &call.arguments.args[..] {
            [of] if copies => Some(format!("[{}]", item_of(&self.value(of)?))),
            _ => self.made(call),
        }
    }

    /// The same of a function of the program's own, or of a tool where the wait is put in.
    fn made(&self, call: &'a ExprCall) -> Option<String> {
        if self.forgotten.contains(&call.range()) {
            return self.tool(call);
        }
        let function = self.functions.called(call, self.names)?;
        if self.functions.is_async(function) { None } else { self.returned(function) }
    }

    /// What waiting for an expression gives.
    fn awaited(&self, expression: &'a Expr) -> Option<String> {
        match expression {
            Expr::Call(call) => {
                if let Some(spelling) = self.tool(call) {
                    return Some(spelling);
                }
                if let Some(function) = self.functions.called(call, self.names) {
                    let is_async = self.functions.is_async(function);
                    return if is_async { self.returned(function) } else { None };
                }
                match self.names.standard(&call.func)? {
                    ("asyncio", "gather") => self.gathered(call),
                    ("asyncio", "wait_for" | "shield" | "create_task" | "ensure_future") => {
                        self.awaited(call.arguments.args.first()?)
                    }
                    _ => None,
                }
            }
            // A call or a task that was kept.
            Expr::Name(name) => match self.only_store(name)? {
                value @ Expr::Call(_) => self.awaited(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// `gather(*[get(x) for x in xs])`, `gather(a(), b())`.
    fn gathered(&self, call: &'a ExprCall) -> Option<String> {
        if !call.arguments.keywords.is_empty() {
            return None;
        }
        if let [Expr::Starred(one)] = &call.arguments.args[..] {
            let each = match &*one.value {
                Expr::ListComp(one) => &*one.elt,
                Expr::Generator(one) => &*one.elt,
                _ => return None,
            };
            return Some(format!("[{}]", self.awaited(each)?));
        }
        let each: Option<Vec<String>> =
            call.arguments.args.iter().map(|one| self.awaited(one)).collect();
        let each = each.filter(|each| !each.is_empty())?;
        Some(format!("({},)", each.join(", ")))
    }

    /// A call of a tool, by its function or by its name.
    fn tool(&self, call: &'a ExprCall) -> Option<String> {
        let tool: &CatalogTool = match self.names.meaning(&call.func)? {
            Meaning::Tool(tool) => tool,
            Meaning::ByName("call_mcp_tool" | "callMCPTool") => {
                let tool = calls::tool_by_name(call, self.tree, self.names)?;
                self.is_ours.set(true);
                tool
            }
            _ => return None,
        };
        self.packages.borrow_mut().insert(tool.server_python().to_owned());
        let (server, function) = (tool.server_python(), tool.python());
        Some(format!("__tidegate_result__(servers.{server}.{function})"))
    }

    /// What a function of the program's own returns.
    fn returned(&self, function: Id) -> Option<String> {
        self.is_ours.set(true);
        if let Some(known) = self.returned.borrow().get(&function) {
            return known.clone();
        }
        self.returned.borrow_mut().insert(function, None);
        let spelling = self
            .functions
            .returns(function)
            .and_then(|returns| same(returns.iter().map(|one| self.value(one.value.as_deref()?))));
        self.returned.borrow_mut().insert(function, spelling.clone());
        self.is_ours.set(true);
        spelling
    }

    /// What a variable holds, if that is the same wherever it is set.
    fn held(&self, name: &'a ExprName) -> Option<String> {
        let id = self.tree.id(name.into())?;
        let key = (name.id.as_str(), self.scopes.of(id, name.id.as_str()));
        if self.names.is_imported(key.0) {
            return None;
        }
        if let Some(known) = self.held.borrow().get(&key) {
            self.is_ours.set(true);
            return known.clone();
        }
        self.held.borrow_mut().insert(key, None);
        let places = self.stores(key.0, key.1);
        let spelling = same(places.iter().map(|place| self.stored(*place, key.0)));
        self.held.borrow_mut().insert(key, spelling.clone());
        spelling
    }

    /// Where a name is bound in a scope.
    fn stores(&self, name: &'a str, scope: Option<Id>) -> Vec<Id> {
        let places = self.names.stores.get(name).map(Vec::as_slice).unwrap_or_default();
        places.iter().copied().filter(|place| self.scopes.of(*place, name) == scope).collect()
    }

    /// What is put under a name at the one place that does so.
    fn only_store(&self, name: &'a ExprName) -> Option<&'a Expr> {
        let id = self.tree.id(name.into())?;
        let name = name.id.as_str();
        let [place] = self.stores(name, self.scopes.of(id, name))[..] else { return None };
        self.assigned(place)
    }

    /// The value of `name = value`.
    fn assigned(&self, place: Id) -> Option<&'a Expr> {
        match self.tree.node(self.tree.parent(place)?) {
            AnyNodeRef::StmtAssign(one) if matches!(&one.targets[..], [Expr::Name(_)]) => {
                Some(&one.value)
            }
            AnyNodeRef::StmtAnnAssign(one) => one.value.as_deref(),
            AnyNodeRef::ExprNamed(one) => Some(&one.value),
            _ => None,
        }
    }

    /// What a name holds after it was bound at a place.
    fn stored(&self, place: Id, name: &'a str) -> Option<String> {
        if let AnyNodeRef::Parameter(_) = self.tree.node(place) {
            return self.given(place, name);
        }
        if let Some(value) = self.assigned(place) {
            return match value {
                Expr::List(list) if list.elts.is_empty() => self.filled(place, name, true),
                Expr::Dict(dict) if dict.items.is_empty() => self.filled(place, name, false),
                Expr::Call(call) if self.is_of_lists(call) => self.filled(place, name, false),
                value => self.value(value),
            };
        }
        let (target, items) = crate::complaints::loop_of(self.tree.node(self.tree.parent(place)?))?;
        self.tree.is(place, target).then(|| Some(item_of(&self.value(items)?)))?
    }
}

/// The one spelling that all have.
fn same(mut spellings: impl Iterator<Item = Option<String>>) -> Option<String> {
    let first = spellings.next()??;
    spellings.all(|one| one.as_ref() == Some(&first)).then_some(first)
}

/// One item of what is spelt so.
fn item_of(spelling: &str) -> String {
    format!("__tidegate_item__({spelling})")
}

/// The same for a list or a dict of the program's own, where all that is in it is alike.
fn any_key(spelling: &str) -> Option<String> {
    match spelling.chars().next()? {
        '[' => Some("0".to_owned()),
        '{' => Some("__tidegate_any__(0)".to_owned()),
        _ => None,
    }
}

/// What stands in brackets after a value: a field's name, a number, or `:` for a slice.
fn key(slice: &Expr) -> Option<String> {
    match slice {
        Expr::StringLiteral(text) => {
            let text = text.value.to_str();
            let is_plain = |letter: char| letter.is_alphanumeric() || "_-. ".contains(letter);
            text.chars().all(is_plain).then(|| format!("\"{text}\""))
        }
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(number) => Some(number.to_string()),
            _ => None,
        },
        Expr::UnaryOp(one) if one.op == ruff_python_ast::UnaryOp::USub => key(&one.operand)
            .filter(|_| one.operand.is_number_literal_expr())
            .map(|text| format!("-{text}")),
        Expr::Slice(_) => Some(":".to_owned()),
        _ => None,
    }
}
