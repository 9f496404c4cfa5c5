//! The fields of results, out of the stubs that describe them.

use std::collections::HashMap;

use ruff_python_ast::{Expr, PySourceType, Stmt};
use ruff_python_parser::parse_unchecked_source;

/// Fields by the name of their class. Two classes of one name are one with the fields of both.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    classes: HashMap<String, Vec<String>>,
}

impl Fields {
    /// The fields of a class; `None` when it is not the result of a tool.
    pub(crate) fn of(&self, class: &str) -> Option<&[String]> {
        self.classes.get(class).map(Vec::as_slice)
    }

    /// Takes up the classes of a stub.
    pub(super) fn read(&mut self, stub: &str) {
        if !stub.contains("(TypedDict") && !stub.contains("TypedDict(") {
            return;
        }
        let parsed = parse_unchecked_source(stub, PySourceType::Stub);
        for statement in parsed.suite() {
            match statement {
                Stmt::ClassDef(class) => {
                    let fields = class.body.iter().filter_map(|statement| match statement {
                        Stmt::AnnAssign(field) => {
                            field.target.as_name_expr().map(|name| name.id.to_string())
                        }
                        _ => None,
                    });
                    self.add(class.name.as_str(), fields);
                }
                Stmt::Assign(assign) => {
                    if let (Some(Expr::Name(name)), Expr::Call(call)) =
                        (assign.targets.first(), &*assign.value)
                        && let Some(Expr::Dict(dict)) = call.arguments.args.get(1)
                    {
                        let keys = dict.items.iter().filter_map(|item| match &item.key {
                            Some(Expr::StringLiteral(key)) => Some(key.value.to_str().to_owned()),
                            _ => None,
                        });
                        self.add(name.id.as_str(), keys);
                    }
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, class: &str, fields: impl Iterator<Item = String>) {
        let known = self.classes.entry(class.to_owned()).or_default();
        for field in fields {
            if !known.contains(&field) {
                known.push(field);
            }
        }
    }
}
