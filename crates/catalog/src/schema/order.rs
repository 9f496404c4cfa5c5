//! The order of definitions: each before those it refers to, where that is possible.

use super::{Field, Object, Schema, Shape};

/// Puts `objects` in order and leaves out those that nothing refers to.
pub(super) fn in_order(mut root: Shape, objects: Vec<Object>, notes: Vec<String>) -> Schema {
    let order = reversed_postorder(&root, &objects);
    let mut new_index = vec![usize::MAX; objects.len()];
    for (position, index) in order.iter().enumerate() {
        new_index[*index] = position;
    }
    let mut objects: Vec<Option<Object>> = objects.into_iter().map(Some).collect();
    let mut definitions: Vec<Object> =
        order.iter().filter_map(|index| objects[*index].take()).collect();
    renumber(&mut root, &new_index);
    for object in &mut definitions {
        object.fields.iter_mut().for_each(|field| renumber(&mut field.shape, &new_index));
        object.extra.iter_mut().for_each(|shape| renumber(shape, &new_index));
    }
    Schema { root, definitions, notes }
}

/// Of a graph without cycles this is an order in which every object precedes what it refers to.
/// Without recursion, since a chain of objects may be long.
fn reversed_postorder(root: &Shape, objects: &[Object]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut met = vec![false; objects.len()];
    let mut waiting: Vec<(usize, bool)> = Vec::new();
    let mut first = Vec::new();
    referred_to(root, &mut first);
    waiting.extend(first.into_iter().map(|index| (index, false)));
    while let Some((index, finished)) = waiting.pop() {
        if finished {
            order.push(index);
        } else if !std::mem::replace(&mut met[index], true) {
            waiting.push((index, true));
            let mut next = Vec::new();
            objects[index].fields.iter().for_each(|field| referred_to(&field.shape, &mut next));
            objects[index].extra.iter().for_each(|shape| referred_to(shape, &mut next));
            // The last is visited first, so that after reversing the first comes first.
            waiting
                .extend(next.into_iter().filter(|index| !met[*index]).map(|index| (index, false)));
        }
    }
    order.reverse();
    order
}

fn referred_to(shape: &Shape, found: &mut Vec<usize>) {
    match shape {
        Shape::Object(index) => found.push(*index),
        Shape::List(item) | Shape::Map(item) => referred_to(item, found),
        Shape::Tuple { items, rest } => {
            items.iter().chain(rest.as_deref()).for_each(|shape| referred_to(shape, found));
        }
        Shape::Union(shapes) => shapes.iter().for_each(|shape| referred_to(shape, found)),
        _ => {}
    }
}

fn renumber(shape: &mut Shape, new_index: &[usize]) {
    match shape {
        Shape::Object(index) => *index = new_index[*index],
        Shape::List(item) | Shape::Map(item) => renumber(item, new_index),
        Shape::Tuple { items, rest } => {
            items
                .iter_mut()
                .chain(rest.as_deref_mut())
                .for_each(|shape| renumber(shape, new_index));
        }
        Shape::Union(shapes) => shapes.iter_mut().for_each(|shape| renumber(shape, new_index)),
        _ => {}
    }
}

impl Field {
    /// A field of which only the name is known.
    pub(super) fn unknown(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            shape: Shape::Any,
            required: false,
            description: None,
            default: None,
            examples: Vec::new(),
            rules: Vec::new(),
        }
    }
}
