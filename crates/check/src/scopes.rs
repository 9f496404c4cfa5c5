//! Which function or comprehension a name belongs to.

use std::cell::RefCell;
use std::collections::HashMap;

use ruff_python_ast::{AnyNodeRef, Comprehension, Expr};

use crate::names::Names;
use crate::tree::{Id, Tree};

/// The scopes of a program's names.
pub(crate) struct Scopes<'t, 'a, 'c> {
    tree: &'t Tree<'a>,
    names: &'t Names<'a, 'c>,
    /// What was found out before: programs mention the same names again and again.
    bound: RefCell<HashMap<(Id, String), bool>>,
}

impl<'t, 'a, 'c> Scopes<'t, 'a, 'c> {
    pub(crate) fn new(tree: &'t Tree<'a>, names: &'t Names<'a, 'c>) -> Self {
        Self { tree, names, bound: RefCell::default() }
    }

    /// The function or comprehension that a name belongs to where it stands; `None` for the
    /// program's own.
    pub(crate) fn of(&self, id: Id, name: &str) -> Option<Id> {
        // A parameter belongs to the function it is of, in whose body it does not stand.
        if let AnyNodeRef::Parameter(_) = self.tree.node(id) {
            return self.tree.above(id).find(|above| {
                matches!(
                    self.tree.node(*above),
                    AnyNodeRef::StmtFunctionDef(_) | AnyNodeRef::ExprLambda(_)
                )
            });
        }
        let mut child = id;
        for parent in self.tree.above(id) {
            let binds = match self.tree.node(parent) {
                AnyNodeRef::ExprListComp(one) => comprehended(&one.generators, name),
                AnyNodeRef::ExprSetComp(one) => comprehended(&one.generators, name),
                AnyNodeRef::ExprDictComp(one) => comprehended(&one.generators, name),
                AnyNodeRef::ExprGenerator(one) => comprehended(&one.generators, name),
                _ => self.tree.is_body_of(child, parent) && self.binds(parent, name),
            };
            if binds {
                return Some(parent);
            }
            child = parent;
        }
        None
    }

    /// Whether a name is a function's own.
    fn binds(&self, function: Id, name: &str) -> bool {
        let key = (function, name.to_owned());
        if let Some(known) = self.bound.borrow().get(&key) {
            return *known;
        }
        let binds = self.looks_bound(function, name);
        self.bound.borrow_mut().insert(key, binds);
        binds
    }

    fn looks_bound(&self, function: Id, name: &str) -> bool {
        if self.names.outer.get(&function).is_some_and(|outer| outer.contains(&name)) {
            return false;
        }
        let places = self.names.stores.get(name).map(Vec::as_slice).unwrap_or_default();
        places.iter().any(|place| match self.tree.node(*place) {
            AnyNodeRef::Parameter(_) => {
                self.tree.above(*place).any(|above| above == function)
                    && self.tree.function(*place) != Some(function)
            }
            _ => self.tree.function(*place) == Some(function),
        })
    }
}

/// Whether a comprehension binds a name.
fn comprehended(generators: &[Comprehension], name: &str) -> bool {
    fn names(target: &Expr, name: &str) -> bool {
        match target {
            Expr::Name(one) => one.id.as_str() == name,
            Expr::Tuple(tuple) => tuple.elts.iter().any(|one| names(one, name)),
            Expr::List(list) => list.elts.iter().any(|one| names(one, name)),
            Expr::Starred(starred) => names(&starred.value, name),
            _ => false,
        }
    }
    generators.iter().any(|one| names(&one.target, name))
}
