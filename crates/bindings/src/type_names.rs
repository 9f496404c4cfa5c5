//! What the types in one generated file are called, and in which order they are defined.

use std::collections::HashMap;

use catalog::schema::{Field, Object, Schema, Shape};

/// Longest name of a type, in characters. Deeply nested types lose words in the middle.
const LONGEST: usize = 80;

/// Names for the objects of a tool's two schemas, by their index there.
#[derive(Debug)]
pub(crate) struct TypeNames {
    /// The whole input: `CreateIssueInput`.
    pub input_root: String,
    /// The whole result: `CreateIssueResult`.
    pub output_root: String,
    /// Objects of the input schema: `CreateIssueLabelsItem`.
    pub input: Vec<String>,
    /// Objects of the output schema: `CreateIssueResultUser`.
    pub output: Vec<String>,
}

impl TypeNames {
    /// Chooses names that differ from each other and from those `taken`.
    pub(crate) fn choose(
        tool: &str,
        input: &Schema,
        output: Option<&Schema>,
        taken: &[&str],
    ) -> Self {
        let prefix = capitalised(tool.trim_end_matches('_'));
        let mut chosen = Chosen { names: taken.iter().map(|&name| (name.to_owned(), 2)).collect() };
        let output_root = chosen.free(&format!("{prefix}Result"));
        let input_root = chosen.free(&format!("{prefix}Input"));
        let mut objects = |schema: &Schema, root: &str, prefix: &str| -> Vec<String> {
            let objects = schema.definitions.iter().enumerate();
            let name = |(index, object): (usize, &Object)| match schema.root {
                Shape::Object(whole) if whole == index => root.to_owned(),
                _ => chosen.free(&bounded(prefix, &object.path)),
            };
            objects.map(name).collect()
        };
        let input = objects(input, &input_root, &prefix);
        let output = output.map(|output| objects(output, &output_root, &output_root));
        Self { input, output: output.unwrap_or_default(), input_root, output_root }
    }
}

/// Names that are in use, each with the number to try next after it.
struct Chosen {
    names: HashMap<String, usize>,
}

impl Chosen {
    /// `wanted`, or that with the first number that makes it new.
    fn free(&mut self, wanted: &str) -> String {
        let Some(mut number) = self.names.get(wanted).copied() else {
            self.names.insert(wanted.to_owned(), 2);
            return wanted.to_owned();
        };
        let name = loop {
            let name = format!("{wanted}{number}");
            number += 1;
            if !self.names.contains_key(&name) {
                break name;
            }
        };
        self.names.insert(wanted.to_owned(), number);
        self.names.insert(name.clone(), 2);
        name
    }
}

/// `prefix` and the words of `path` in one name, of which the last words matter most.
fn bounded(prefix: &str, path: &[String]) -> String {
    let words: Vec<String> = path.iter().map(|word| pascal(word)).collect();
    let mut name: String = prefix.chars().take(LONGEST).collect();
    let mut room = (LONGEST + 20).saturating_sub(name.len());
    let mut first = words.len();
    while first > 0 && words[first - 1].len() <= room {
        first -= 1;
        room -= words[first].len();
    }
    name.extend(words[first..].iter().map(String::as_str));
    name
}

/// The letters and digits of `word` in `PascalCase`. Others are left out: a name only has to
/// be readable, and whoever chooses it makes it unique.
fn pascal(word: &str) -> String {
    let parts = word.split(|character: char| !character.is_ascii_alphanumeric());
    parts.map(capitalised).collect()
}

fn capitalised(word: &str) -> String {
    let mut name = word.to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

/// The objects that `roots` lead to, each after those it refers to unless they refer to it.
pub(crate) fn in_order<'a>(
    definitions: &'a [Object],
    roots: impl IntoIterator<Item = &'a Shape>,
) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; definitions.len()];
    // What is still to be looked at, innermost last. Not recursion: a chain of references is
    // as long as its author likes.
    let mut waiting: Vec<Visit> = Vec::new();
    let mut found = Vec::new();
    roots.into_iter().for_each(|shape| references(shape, &mut found));
    waiting.extend(found.drain(..).rev().map(Visit::Enter));
    while let Some(visit) = waiting.pop() {
        match visit {
            Visit::Leave(index) => order.push(index),
            Visit::Enter(index) => {
                let Some(object) = definitions.get(index) else { continue };
                if std::mem::replace(&mut seen[index], true) {
                    continue;
                }
                waiting.push(Visit::Leave(index));
                shapes(object).for_each(|shape| references(shape, &mut found));
                waiting.extend(found.drain(..).rev().map(Visit::Enter));
            }
        }
    }
    order
}

enum Visit {
    Enter(usize),
    Leave(usize),
}

/// The shapes that an object's fields have.
fn shapes(object: &Object) -> impl Iterator<Item = &Shape> {
    object.fields.iter().map(|Field { shape, .. }| shape).chain(&object.extra)
}

/// Adds the objects that `shape` itself mentions.
pub(crate) fn references(shape: &Shape, found: &mut Vec<usize>) {
    match shape {
        Shape::Object(index) => found.push(*index),
        Shape::List(inner) | Shape::Map(inner) => references(inner, found),
        Shape::Tuple { items, rest } => {
            items.iter().chain(rest.as_deref()).for_each(|shape| references(shape, found));
        }
        Shape::Union(shapes) => shapes.iter().for_each(|shape| references(shape, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{field, object, schema};

    #[test]
    fn names_say_where_a_type_is_and_differ() {
        let input = schema(
            Shape::Object(0),
            vec![
                object(&[], vec![]),
                object(&["labels", "item"], vec![]),
                object(&["result"], vec![]),
                object(&["日本"], vec![]),
                object(&["$eq-all"], vec![]),
            ],
        );
        let output = schema(Shape::Object(0), vec![object(&[], vec![]), object(&["user"], vec![])]);
        let names = TypeNames::choose("make", &input, Some(&output), &["Make"]);
        assert_eq!(
            names.input,
            ["MakeInput", "MakeLabelsItem", "MakeResult2", "Make2", "MakeEqAll"]
        );
        assert_eq!(names.output, ["MakeResult", "MakeResultUser"]);
    }

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        let path: Vec<String> = (0..40).map(|number| format!("level{number}")).collect();
        let name = bounded("Tool", &path);
        assert!(name.starts_with("ToolLevel2") && name.ends_with("Level39"), "{name}");
        assert!(name.len() <= LONGEST + 20);
    }

    #[test]
    fn what_is_referred_to_comes_first_and_cycles_end() {
        let refer =
            |name: &str, index| field(name, Shape::List(Box::new(Shape::Object(index))), true);
        let definitions = [
            object(&[], vec![refer("a", 1), refer("b", 2)]),
            object(&["a"], vec![refer("b", 2), refer("self", 1)]),
            object(&["b"], vec![refer("a", 1), refer("gone", 9)]),
            object(&["unused"], vec![]),
        ];
        assert_eq!(in_order(&definitions, [&Shape::Object(0)]), [2, 1, 0]);
    }
}
