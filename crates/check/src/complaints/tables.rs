//! Values that come from a table of pandas.
//!
//! What is put into a table changes nothing about what it is: its column stays a column, the texts of
//! that stay texts. So the way from a table that is certain is as certain.

use ruff_python_ast::Expr;

use super::Judge;

/// Tables and their parts that have an attribute for each of their columns or labels.
pub(super) const TABLES: &[&str] =
    &["DataFrame", "DataFrameGroupBy", "Rolling", "Series", "SeriesGroupBy"];

impl Judge<'_, '_, '_> {
    /// Whether a value is a part of a table: `frame["name"]`, `frame["name"].str`, `frame.groupby("a")["b"]`.
    pub(super) fn is_of_a_table(&self, expression: &Expr) -> bool {
        let is_set = |name: &str| self.trust.sets_attribute(name);
        let whole = match expression {
            Expr::Subscript(one) => &one.value,
            Expr::Attribute(one) if !is_set(one.attr.as_str()) => &one.value,
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(method) if !is_set(method.attr.as_str()) => &method.value,
                _ => return false,
            },
            _ => return false,
        };
        let is_table = self.type_of(whole).is_some_and(|shown| TABLES.contains(&shown));
        is_table && self.trust.is_sure(whole) || self.is_of_a_table(whole)
    }
}
