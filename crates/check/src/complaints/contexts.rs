//! What is no context manager: `with 5:`, `with asyncio.Lock():`.

use ruff_python_ast::{AnyNodeRef, Expr};
use ruff_text_size::Ranged as _;

use super::Judge;
use super::crashes::described;
use crate::finding::{Mistake, raises};
use crate::kinds::Kind;
use crate::typed::Complaint;

impl<'a> Judge<'_, 'a, '_> {
    pub(super) fn no_context(&self, complaint: &Complaint) -> Option<Mistake> {
        let (entered, is_async) = self.entered_at(complaint)?;
        let kind = self.kind(entered)?;
        match kind {
            Kind::Coroutine | Kind::Future => return Some(self.unawaited(entered, &kind)),
            Kind::Other | Kind::Class(_) | Kind::Function | Kind::Module => return None,
            _ => {}
        }
        let shown = self.type_of(entered)?;
        let hint = match (&kind, is_async) {
            (Kind::Known(_), true) => "; write `with`, if it is for threads",
            (Kind::Known(_), false) => "; write `async with`, if it is of asyncio",
            _ => "",
        };
        let keyword = if is_async { "async with" } else { "with" };
        let message = format!("{} cannot be used with `{keyword}`{hint}", described(&kind, shown));
        Some(self.crash(entered.range(), message, raises::TYPE))
    }

    /// What is entered at the place of a complaint, and whether that is `async with`.
    fn entered_at(&self, complaint: &Complaint) -> Option<(&'a Expr, bool)> {
        self.tree.all().find_map(|(_, node)| match node {
            AnyNodeRef::StmtWith(one) => one
                .items
                .iter()
                .map(|item| &item.context_expr)
                .find(|entered| entered.range() == complaint.range)
                .map(|entered| (entered, one.is_async)),
            _ => None,
        })
    }
}
