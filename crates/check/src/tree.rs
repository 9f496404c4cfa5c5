//! A program's syntax tree with the way back up: every node knows what it is part of.

use std::collections::HashMap;

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{AnyNodeRef, Expr, ModModule, NodeKind, Stmt};
use ruff_text_size::{Ranged as _, TextRange};

/// A node's number. Numbers grow from outside in and from first to last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

/// The tree.
pub(crate) struct Tree<'a> {
    nodes: Vec<AnyNodeRef<'a>>,
    parents: Vec<Id>,
    ids: HashMap<(usize, NodeKind), Id>,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(module: &'a ModModule) -> Self {
        let mut building = Building {
            tree: Self { nodes: Vec::new(), parents: Vec::new(), ids: HashMap::new() },
            above: Vec::new(),
        };
        if building.enter_node(module.into()) == TraversalSignal::Traverse {
            for statement in &module.body {
                building.visit_stmt(statement);
            }
        }
        building.leave_node(module.into());
        building.tree
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (Id, AnyNodeRef<'a>)> + '_ {
        (0_u32..).map(Id).zip(self.nodes.iter().copied())
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: Id) -> AnyNodeRef<'a> {
        self.nodes[id.0 as usize]
    }

    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        (id.0 > 0).then(|| self.parents[id.0 as usize])
    }

    /// What a node is part of, innermost first.
    pub(crate) fn above(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    pub(crate) fn id(&self, node: AnyNodeRef<'_>) -> Option<Id> {
        self.ids.get(&key(node)).copied()
    }

    pub(crate) fn of(&self, expression: &Expr) -> Option<Id> {
        self.id(expression.into())
    }

    /// The smallest node around a range.
    pub(crate) fn around(&self, range: TextRange) -> Id {
        let last = self.nodes.iter().rposition(|node| node.range().contains_range(range));
        Id(last.and_then(|at| u32::try_from(at).ok()).unwrap_or(0))
    }

    /// The function or lambda in whose body a node is; `None` at top level.
    pub(crate) fn function(&self, id: Id) -> Option<Id> {
        let mut child = id;
        for parent in self.above(id) {
            if self.is_body_of(child, parent) {
                return Some(parent);
            }
            child = parent;
        }
        None
    }

    /// Whether `child` is in the body of `parent`, and that a function.
    pub(crate) fn is_body_of(&self, child: Id, parent: Id) -> bool {
        match self.node(parent) {
            AnyNodeRef::StmtFunctionDef(_) => self.node(child).is_statement(),
            AnyNodeRef::ExprLambda(lambda) => self.is(child, &lambda.body),
            _ => false,
        }
    }

    /// Whether a node is this very expression.
    pub(crate) fn is(&self, id: Id, expression: &Expr) -> bool {
        key(self.node(id)) == key(expression.into())
    }

    /// Whether a node is one of these statements.
    pub(crate) fn is_in(&self, id: Id, body: &[Stmt]) -> bool {
        body.iter().any(|statement| key(statement.into()) == key(self.node(id)))
    }
}

/// Two nodes can begin at the same address, but not if they are of the same kind.
fn key(node: AnyNodeRef<'_>) -> (usize, NodeKind) {
    (node.as_ptr().as_ptr() as usize, node.kind())
}

struct Building<'a> {
    tree: Tree<'a>,
    above: Vec<Id>,
}

impl<'a> SourceOrderVisitor<'a> for Building<'a> {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        let id = Id(u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX));
        self.tree.nodes.push(node);
        self.tree.parents.push(self.above.last().copied().unwrap_or(Id(0)));
        self.tree.ids.insert(key(node), id);
        self.above.push(id);
        TraversalSignal::Traverse
    }

    fn leave_node(&mut self, _: AnyNodeRef<'a>) {
        self.above.pop();
    }
}
