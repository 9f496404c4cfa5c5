//! Expressions whose value is known without running them, as JSON.

use ruff_python_ast::{Expr, ExprDict, Number, UnaryOp};
use serde_json::{Map, Value};

/// How deep literals are read.
const DEEPEST: usize = 32;

/// A value, and the places in it that are not known.
pub(crate) struct Known<'k, 'a> {
    /// Paths such as `filter.labels`, as `catalog` writes them.
    pub(crate) holes: Vec<String>,
    /// Paths of lists of which only one item is known, not how many there are.
    samples: Vec<String>,
    /// Finds the literal that a variable holds.
    constants: &'k dyn Fn(&Expr) -> Option<&'a Expr>,
}

impl<'k, 'a> Known<'k, 'a> {
    pub(crate) fn new(constants: &'k dyn Fn(&Expr) -> Option<&'a Expr>) -> Self {
        Self { holes: Vec::new(), samples: Vec::new(), constants }
    }

    /// The value of an expression; `None`, with a hole at `path`, when only running would tell.
    pub(crate) fn value(&mut self, expression: &Expr, path: &str) -> Option<Value> {
        let value = self.read(expression, path, 0);
        if value.is_none() {
            self.holes.push(path.to_owned());
        }
        value
    }

    fn read(&mut self, expression: &Expr, path: &str, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        match expression {
            Expr::StringLiteral(literal) => Some(literal.value.to_str().into()),
            Expr::BooleanLiteral(literal) => Some(literal.value.into()),
            Expr::NoneLiteral(_) => Some(Value::Null),
            Expr::NumberLiteral(literal) => number(&literal.value, false),
            Expr::UnaryOp(operation) if operation.op == UnaryOp::USub => {
                match &*operation.operand {
                    Expr::NumberLiteral(literal) => number(&literal.value, true),
                    _ => None,
                }
            }
            Expr::List(list) => self.items(&list.elts, path, depth),
            Expr::Tuple(tuple) => self.items(&tuple.elts, path, depth),
            // All its items are made in the same way.
            Expr::ListComp(list) => {
                self.samples.push(path.to_owned());
                self.items(std::slice::from_ref(&*list.elt), path, depth)
            }
            Expr::Dict(dict) => self.object(dict, path, depth),
            Expr::Name(_) => {
                let held = (self.constants)(expression)?;
                self.read(held, path, depth + 1)
            }
            _ => None,
        }
    }

    /// A list, with nothing in the places of items that are not known.
    fn items(&mut self, items: &[Expr], path: &str, depth: usize) -> Option<Value> {
        let mut values = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            // How many there are of these nobody knows, so neither where the others are.
            if item.is_starred_expr() {
                return None;
            }
            let value = self.value_within(item, &format!("{path}[{at}]"), depth);
            values.push(value.unwrap_or(Value::Null));
        }
        Some(Value::Array(values))
    }

    /// The value of a part, with a hole where it is not known.
    fn value_within(&mut self, part: &Expr, path: &str, depth: usize) -> Option<Value> {
        let value = self.read(part, path, depth + 1);
        if value.is_none() {
            self.holes.push(path.to_owned());
        }
        value
    }

    /// The same for a dict.
    pub(crate) fn dict(&mut self, dict: &ExprDict) -> Option<Value> {
        self.object(dict, "", 0)
    }

    /// An object, with nothing in the places of entries that are not known.
    fn object(&mut self, dict: &ExprDict, path: &str, depth: usize) -> Option<Value> {
        let mut object = Map::new();
        for item in &dict.items {
            let Some(Expr::StringLiteral(key)) = &item.key else { return None };
            let key = key.value.to_str();
            let inner = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            let value = self.value_within(&item.value, &inner, depth);
            object.insert(key.to_owned(), value.unwrap_or(Value::Null));
        }
        Some(Value::Object(object))
    }

    /// Whether nothing can be said about what is at `path`.
    pub(crate) fn is_open(&self, path: &str) -> bool {
        self.holes.iter().any(|hole| is_within(hole, path) || is_within(path, hole))
            || self.samples.iter().any(|sample| is_within(path, sample))
    }

    /// Whether even the keys of the object at `path` are not known.
    pub(crate) fn has_open_keys(&self, path: &str) -> bool {
        self.holes.iter().any(|hole| is_within(hole, path))
    }
}

/// Whether a path leads into another, or to the same place.
fn is_within(outer: &str, inner: &str) -> bool {
    outer.is_empty()
        || inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn number(number: &Number, negative: bool) -> Option<Value> {
    match number {
        Number::Int(int) => {
            let value = int.as_i64()?;
            Some(if negative { value.checked_neg()? } else { value }.into())
        }
        Number::Float(float) => {
            serde_json::Number::from_f64(if negative { -float } else { *float }).map(Value::Number)
        }
        Number::Complex { .. } => None,
    }
}
