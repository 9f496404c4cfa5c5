//! One of several shapes, in the form that [`Shape::Union`] promises.

use std::collections::HashSet;

use serde_json::Value;

use super::Shape;

/// A union of more different shapes helps nobody, and comparing them all would take long.
const MOST: usize = 256;

/// One of `shapes`: flat, without duplicates, `null` last. `None` for none at all.
#[must_use]
pub fn union(shapes: impl IntoIterator<Item = Shape>) -> Option<Shape> {
    let mut gathered = Gathered::default();
    for shape in shapes {
        gathered.add(shape);
    }
    gathered.finish()
}

#[derive(Default)]
struct Gathered {
    any: bool,
    null: bool,
    boolean: bool,
    members: Vec<Shape>,
    /// Where the literals go: where the first of them was seen.
    literals_at: Option<usize>,
    literals: Vec<Value>,
    known: HashSet<String>,
}

impl Gathered {
    fn add(&mut self, shape: Shape) {
        match shape {
            Shape::Any => self.any = true,
            Shape::Null => self.null = true,
            Shape::Union(shapes) => shapes.into_iter().for_each(|shape| self.add(shape)),
            Shape::Literal(values) => values.into_iter().for_each(|value| self.add_literal(value)),
            shape => {
                self.boolean |= shape == Shape::Boolean;
                if !self.members.contains(&shape) {
                    self.members.push(shape);
                }
                self.any |= self.members.len() > MOST;
            }
        }
    }

    fn add_literal(&mut self, value: Value) {
        match value {
            Value::Null => self.null = true,
            Value::Array(_) => self.add(Shape::List(Box::new(Shape::Any))),
            Value::Object(_) => self.add(Shape::Map(Box::new(Shape::Any))),
            value => {
                // 1 and 1.0 are the same to a schema.
                let spelling = match value.as_f64() {
                    Some(number) if value.is_f64() => number.to_string(),
                    _ => value.to_string(),
                };
                if self.known.insert(spelling) {
                    self.literals_at.get_or_insert(self.members.len());
                    self.literals.push(value);
                }
            }
        }
    }

    fn finish(mut self) -> Option<Shape> {
        if self.any {
            return Some(Shape::Any);
        }
        if self.members.contains(&Shape::Number) {
            self.members.retain(|shape| *shape != Shape::Integer);
        }
        let both = self.known.contains("true") && self.known.contains("false");
        if both || self.boolean {
            self.literals.retain(|value| !value.is_boolean());
        }
        if both && !self.boolean {
            self.insert(Shape::Boolean);
        }
        if !self.literals.is_empty() {
            let literals = std::mem::take(&mut self.literals);
            self.insert(Shape::Literal(literals));
        }
        if self.null {
            self.members.push(Shape::Null);
        }
        if self.members.len() > 1 { Some(Shape::Union(self.members)) } else { self.members.pop() }
    }

    /// Puts `shape` where the first literal was.
    fn insert(&mut self, shape: Shape) {
        let at = self.literals_at.unwrap_or_default().min(self.members.len());
        self.members.insert(at, shape);
    }
}
