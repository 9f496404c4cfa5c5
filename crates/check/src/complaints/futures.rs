//! Loops over what `gather` gives before it is awaited.
//!
//! The type checker does not mind, because a future can be gone over: it gives itself, and raises
//! when asked for more. Once it is done it gives nothing, so a loop crashes for certain only if
//! nothing was awaited between the call and the end of the loop.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use super::Judge;
use crate::finding::{Mistake, Weight, raises};
use crate::flow;
use crate::kinds::Kind;
use crate::tree::Id;

/// Functions that go over all that they are given.
const CONSUMERS: &[&str] = &["frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"];
/// What may run other tasks.
const RUNNERS: &[&str] = &["run", "run_forever", "run_until_complete"];

impl<'a> Judge<'_, 'a, '_> {
    /// A future that something goes over.
    pub(super) fn looped_future(&self, id: Id, node: AnyNodeRef<'a>) -> Option<Mistake> {
        let (items, whole) = match node {
            AnyNodeRef::StmtFor(one) if !one.is_async => {
                let leaves = one.body.iter().any(flow::may_leave);
                (!leaves).then_some((&*one.iter, one.range))?
            }
            AnyNodeRef::Comprehension(one) if !one.is_async => (&one.iter, self.comprehended(id)?),
            // Unpacking asks for one more than there are names.
            AnyNodeRef::StmtAssign(one)
                if matches!(&one.targets[..], [Expr::Tuple(_) | Expr::List(_)]) =>
            {
                (&*one.value, one.range)
            }
            AnyNodeRef::ExprCall(call) if self.is_consumer(call) => {
                (call.arguments.args.first()?, call.range())
            }
            _ => return None,
        };
        let (future, is_certain) = self.future_in(items)?;
        let mistake = self.unawaited(future, &Kind::Future);
        let mistake = Mistake { raises: raises::FUTURE, ..mistake };
        if is_certain && self.is_pending(future, whole.end()) {
            return Some(mistake);
        }
        Some(Mistake { weight: Weight::Advice, ..mistake })
    }

    /// The future that is gone over, and whether all of it is.
    fn future_in(&self, items: &'a Expr) -> Option<(&'a Expr, bool)> {
        if self.trust.is_future(items) {
            return Some((items, true));
        }
        let Expr::Call(call) = items else { return None };
        let Expr::Name(function) = &*call.func else { return None };
        let arguments = &call.arguments.args;
        match function.id.as_str() {
            "enumerate" => {
                let first = arguments.first()?;
                self.trust.is_future(first).then_some((first, true))
            }
            // It ends with the first that ends.
            "zip" => {
                let future = arguments.iter().find(|one| self.trust.is_future(one))?;
                let has_two = |one: &'a Expr| self.trust.is_future(one) || self.has_two(one);
                Some((future, arguments.iter().all(has_two)))
            }
            _ => None,
        }
    }

    fn has_two(&self, items: &'a Expr) -> bool {
        let literal = match items {
            Expr::Name(name) => self.reach.stands_for(name.id.as_str()),
            other => Some(other),
        };
        let elements = match literal {
            Some(Expr::List(list)) => &list.elts,
            Some(Expr::Tuple(tuple)) => &tuple.elts,
            _ => return false,
        };
        elements.iter().filter(|one| !one.is_starred_expr()).count() >= 2
    }

    /// Where a comprehension stands, if somebody certainly wants all that it gives.
    fn comprehended(&self, id: Id) -> Option<TextRange> {
        let whole = self.tree.parent(id)?;
        if let AnyNodeRef::ExprGenerator(_) = self.tree.node(whole) {
            let call = self.tree.parent(self.tree.parent(whole)?)?;
            let AnyNodeRef::ExprCall(call) = self.tree.node(call) else { return None };
            let joins = matches!(&*call.func, Expr::Attribute(one) if one.attr.as_str() == "join");
            return (joins || self.is_consumer(call)).then_some(call.range());
        }
        Some(self.tree.node(whole).range())
    }

    fn is_consumer(&self, call: &ExprCall) -> bool {
        let Expr::Name(name) = &*call.func else { return false };
        let name = name.id.as_str();
        CONSUMERS.contains(&name)
            && !self.names.stores.contains_key(name)
            && !self.names.is_imported(name)
            && call.arguments.args.len() == 1
    }

    /// Whether a future is certainly not done before the program comes to `end`.
    fn is_pending(&self, future: &'a Expr, end: TextSize) -> bool {
        let from = match future {
            Expr::Name(name) => {
                let Some([place]) = self.names.stores.get(name.id.as_str()).map(Vec::as_slice)
                else {
                    return false;
                };
                let parent = self.tree.parent(*place).map(|parent| self.tree.node(parent));
                let used = self.tree.of(future).and_then(|id| self.tree.function(id));
                match parent {
                    Some(AnyNodeRef::StmtAssign(made)) if used == self.tree.function(*place) => {
                        made.range.end()
                    }
                    _ => return false,
                }
            }
            other => other.range().end(),
        };
        from <= end && !self.waits_within(TextRange::new(from, end))
    }

    /// Whether anything between two places may run other tasks.
    fn waits_within(&self, range: TextRange) -> bool {
        self.tree.all().any(|(_, node)| {
            range.contains_range(node.range())
                && match node {
                    AnyNodeRef::ExprAwait(_) => true,
                    AnyNodeRef::StmtFor(one) => one.is_async,
                    AnyNodeRef::StmtWith(one) => one.is_async,
                    AnyNodeRef::Comprehension(one) => one.is_async,
                    AnyNodeRef::ExprAttribute(one) => RUNNERS.contains(&one.attr.as_str()),
                    AnyNodeRef::ExprCall(call) => self.names.is_tool(&call.func),
                    _ => false,
                }
        })
    }
}
