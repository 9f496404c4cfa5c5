//! Values that are formatted as something they are not: `f"{title:.2f}"`.

use ruff_python_ast::{AnyNodeRef, Expr, InterpolatedElement};
use ruff_text_size::Ranged as _;

use super::Judge;
use super::crashes::described;
use crate::finding::{Mistake, raises};
use crate::kinds::Kind;

/// What is formatted in a way of which only some types know.
pub(crate) fn formatted(node: AnyNodeRef<'_>) -> Option<&Expr> {
    match node {
        AnyNodeRef::InterpolatedElement(element) => spec(element).map(|_| &*element.expression),
        _ => None,
    }
}

/// What stands behind the colon, if that is written out.
fn spec(element: &InterpolatedElement) -> Option<&str> {
    if !element.conversion.is_none() {
        return None;
    }
    let mut parts = element.format_spec.as_ref()?.elements.iter();
    let text: &str = &parts.next()?.as_literal()?.value;
    parts.next().is_none().then_some(text)
}

impl<'a> Judge<'_, 'a, '_> {
    pub(super) fn misformatted(&self, element: &'a InterpolatedElement) -> Option<Mistake> {
        let spec = spec(element)?;
        let last = spec.chars().last()?;
        let kind = self.kind(&element.expression)?;
        let raises = match kind {
            Kind::Str(_) if "bcdeEfFgGnoxX%".contains(last) => raises::VALUE,
            Kind::Int(_) | Kind::Float if last == 's' => raises::VALUE,
            // These know no way but the plain one.
            Kind::None | Kind::List | Kind::Dict | Kind::Typed(_) | Kind::Tuple | Kind::Set => {
                raises::TYPE
            }
            _ => return None,
        };
        let shown = self.type_of(&element.expression)?;
        let message = format!("{} cannot be formatted as ':{spec}'", described(&kind, shown));
        Some(self.crash(element.expression.range(), message, raises))
    }
}
