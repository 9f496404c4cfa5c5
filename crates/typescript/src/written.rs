//! Expressions whose value is written down.

use std::collections::HashMap;

use oxc::ast::ast::{
    Argument, ArrayExpressionElement, BindingPattern, Expression, ObjectPropertyKind, PropertyKind,
    UnaryOperator, VariableDeclarator,
};
use oxc::semantic::Scoping;
use oxc::span::{GetSpan as _, Span};
use oxc::syntax::symbol::SymbolId;

use crate::reading::{Named, Part, Range, Written};

/// How deep literals are read.
const DEEPEST: usize = 32;

/// Variables that hold one text, number or truth value for good.
pub(crate) type Constants = HashMap<SymbolId, Written>;

pub(crate) fn range(span: Span) -> Range {
    Range { start: span.start, end: span.end }
}

/// Remembers a variable that never has another value than the one it is declared with.
pub(crate) fn remember(one: &VariableDeclarator<'_>, scoping: &Scoping, known: &mut Constants) {
    let (BindingPattern::BindingIdentifier(name), Some(init)) = (&one.id, &one.init) else {
        return;
    };
    let Some(symbol) = name.symbol_id.get().filter(|symbol| !scoping.symbol_is_mutated(*symbol))
    else {
        return;
    };
    let value = value(init, scoping, known, 0);
    // What others can change through the variable is not known later on.
    if !matches!(value, Written::Array(_) | Written::Object { .. } | Written::Unknown) {
        known.insert(symbol, value);
    }
}

/// What a call is given; `None` where there is a spread.
pub(crate) fn arguments(
    given: &[Argument<'_>],
    scoping: &Scoping,
    known: &Constants,
) -> Option<Vec<Part>> {
    given.iter().map(|one| Some(part(one.as_expression()?, scoping, known, 0))).collect()
}

fn part(expression: &Expression<'_>, scoping: &Scoping, known: &Constants, depth: usize) -> Part {
    Part { range: range(expression.span()), value: value(expression, scoping, known, depth) }
}

fn value(
    expression: &Expression<'_>,
    scoping: &Scoping,
    known: &Constants,
    depth: usize,
) -> Written {
    if depth > DEEPEST {
        return Written::Unknown;
    }
    match expression.get_inner_expression() {
        Expression::NullLiteral(_) => Written::Null,
        Expression::BooleanLiteral(literal) => Written::Boolean(literal.value),
        Expression::NumericLiteral(literal) => Written::Number(literal.value),
        Expression::StringLiteral(literal) if !literal.lone_surrogates => {
            Written::Text(literal.value.to_string())
        }
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
            let text = template.quasis.first().and_then(|one| one.value.cooked.as_ref());
            text.map_or(Written::Unknown, |text| Written::Text(text.to_string()))
        }
        Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::UnaryNegation => {
            match value(&unary.argument, scoping, known, depth + 1) {
                Written::Number(number) => Written::Number(-number),
                _ => Written::Unknown,
            }
        }
        Expression::Identifier(name) => {
            let symbol =
                name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
            match symbol {
                Some(symbol) => known.get(&symbol).cloned().unwrap_or(Written::Unknown),
                None if name.name.as_str() == "undefined" => Written::Undefined,
                None => Written::Unknown,
            }
        }
        Expression::ArrayExpression(array) => {
            let item = |one: &ArrayExpressionElement<'_>| {
                Some(part(one.as_expression()?, scoping, known, depth + 1))
            };
            // How many there are of a spread nobody knows, so neither where the others are.
            let items = array.elements.iter().map(item).collect::<Option<Vec<Part>>>();
            items.map_or(Written::Unknown, Written::Array)
        }
        Expression::ObjectExpression(object) => {
            let mut entries: Vec<(Named, Part)> = Vec::new();
            let mut is_open = false;
            for property in &object.properties {
                let ObjectPropertyKind::ObjectProperty(property) = property else {
                    // It may say something else about the keys before it.
                    is_open = true;
                    for (_, part) in &mut entries {
                        part.value = Written::Unknown;
                    }
                    continue;
                };
                let Some(name) = property.key.static_name() else {
                    is_open = true;
                    continue;
                };
                let key = Named { name: name.to_string(), range: range(property.key.span()) };
                let is_plain = property.kind == PropertyKind::Init && !property.method;
                let value = if is_plain {
                    part(&property.value, scoping, known, depth + 1)
                } else {
                    Part { range: range(property.span), value: Written::Unknown }
                };
                entries.retain(|(before, _)| before.name != key.name);
                entries.push((key, value));
            }
            Written::Object { entries, is_open }
        }
        _ => Written::Unknown,
    }
}
