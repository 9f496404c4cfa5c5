//! Functions of the program's own that do nothing but call a tool.
//!
//! `async def one(n): return await get_issue("acme", "rocket", n)`: whatever `one` is given is given to
//! the tool, so what a tool does not take is told where the function is called. A function that
//! does anything else may do so because of what it was given, and is left alone.

use std::collections::HashMap;

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged as _;
use serde_json::{Map, Value};

use super::place::{self, Constants};
use super::{About, Judged, Question};
use crate::literal::Known;
use crate::names::{Meaning, Names};
use crate::tree::{Id, Tree};

/// The functions, and the calls that they are made of.
pub(super) type Wrappers<'a> = HashMap<Id, (&'a StmtFunctionDef, &'a ExprCall)>;

/// Finds the functions.
pub(super) fn find<'a>(tree: &Tree<'a>, names: &Names<'a, '_>) -> Wrappers<'a> {
    let of = |(id, node)| {
        let AnyNodeRef::StmtFunctionDef(function) = node else { return None };
        let is_method = matches!(tree.node(tree.parent(id)?), AnyNodeRef::StmtClassDef(_));
        let call = only_call(function).filter(|_| !is_method)?;
        let is_tool = matches!(names.meaning(&call.func), Some(Meaning::Tool(_)));
        (is_tool && function.decorator_list.is_empty()).then_some((id, (function, call)))
    };
    tree.all().filter_map(of).collect()
}

/// The one call that a function consists of.
fn only_call(function: &StmtFunctionDef) -> Option<&ExprCall> {
    let is_text = |one: &Stmt| matches!(one, Stmt::Expr(one) if one.value.is_string_literal_expr());
    let mut statements = function.body.iter().filter(|one| !is_text(one));
    let value = match (statements.next()?, statements.next()) {
        (Stmt::Return(one), None) => one.value.as_deref()?,
        (Stmt::Expr(one), None) => &*one.value,
        _ => return None,
    };
    match value {
        Expr::Await(one) => one.value.as_call_expr(),
        Expr::Call(call) => Some(call),
        _ => None,
    }
}

impl Judged {
    /// A call of such a function: what the tool is given through it.
    pub(super) fn wrapped<'a>(
        &mut self,
        call: &'a ExprCall,
        wrappers: &Wrappers<'a>,
        names: &Names<'a, '_>,
        constants: Constants<'_, 'a>,
    ) {
        let Some((function, inner)) = names.function(call).and_then(|id| wrappers.get(&id)) else {
            return;
        };
        let Some(Meaning::Tool(tool)) = names.meaning(&inner.func) else { return };
        let signature = bindings::python_parameters(tool);
        let about = About { tool, signature: &signature, call: inner };
        let Ok(placed) = place::place(inner, &signature, false, constants) else { return };
        for given in &placed.given {
            let Expr::Name(name) = given.value else { continue };
            let (Some(parameter), Some(argument)) =
                (about.parameter(&given.name), argument(function, call, name.id.as_str()))
            else {
                continue;
            };
            let mut known = Known::new(constants);
            let value = known.value(argument, &parameter.key);
            if let Some(value) =
                value.filter(|value| !(value.is_null() && parameter.none_is_absent))
            {
                let others = signature.parameters.iter().filter(|one| one.key != parameter.key);
                known.holes.extend(others.map(|one| one.key.clone()));
                let arguments = Map::from_iter([(parameter.key.clone(), value)]);
                let whole = |_: &str| argument.range();
                self.fitting(&about, &Value::Object(arguments), &known, whole);
            }
            self.questions.push(Question {
                range: argument.range(),
                function: tool.python().to_owned(),
                parameter: parameter.clone(),
            });
        }
    }
}

/// What a call of a function gives for one of its parameters.
pub(crate) fn argument<'a>(
    function: &StmtFunctionDef,
    call: &'a ExprCall,
    name: &str,
) -> Option<&'a Expr> {
    let spread = call.arguments.args.iter().any(Expr::is_starred_expr)
        || call.arguments.keywords.iter().any(|keyword| keyword.arg.is_none());
    let parameters = &function.parameters;
    let mut by_position = parameters.posonlyargs.iter().chain(&parameters.args);
    let at = by_position.position(|one| one.parameter.name.as_str() == name);
    let is_named = parameters.kwonlyargs.iter().any(|one| one.parameter.name.as_str() == name);
    if spread || at.is_none() && !is_named {
        return None;
    }
    let named = || {
        let is_it = |one: &&'a ruff_python_ast::Keyword| {
            one.arg.as_ref().is_some_and(|arg| arg.as_str() == name)
        };
        call.arguments.keywords.iter().find(is_it).map(|one| &one.value)
    };
    at.and_then(|at| call.arguments.args.get(at)).or_else(named)
}
