//! Facts into shapes.
//!
//! An object is given its number when it is met and read when its turn comes. So one that contains
//! itself, by whatever detour, is no special case.
//!
//! Whatever the schema, reading it ends: nesting is bounded, every step costs something of one
//! budget, and what cannot be looked at any more is [`Shape::Any`].

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::choice::Choice;
use super::document::Document;
use super::facts::{Facts, Key, Part, Type};
use super::order::in_order;
use super::rules::rules;
use super::union::union;
use super::{Field, Object, Schema, Shape};
use crate::names::fold;

/// How deep values may be nested.
const DEEPEST: usize = 64;
/// How much may be looked at. The largest real schemas need a tenth of it.
pub(super) const BUDGET: usize = 60_000;
/// How many notes are kept.
const MOST_NOTES: usize = 20;
/// How many characters of a note are kept.
const LONGEST_NOTE: usize = 300;
/// How many characters of a key are part of a path.
const LONGEST_SEGMENT: usize = 60;
/// How many examples are kept.
const MOST_EXAMPLES: usize = 3;

/// Reads one schema.
pub(super) struct Reader<'a> {
    document: Document<'a>,
    budget: usize,
    depth: usize,
    /// Shapes of what was read; `None` for what nothing can fit.
    done: HashMap<Key, Option<Shape>>,
    /// What is being read.
    open: HashSet<Key>,
    objects: Vec<Object>,
    object_of: HashMap<Key, usize>,
    /// Objects whose fields are not read yet.
    waiting: VecDeque<Waiting<'a>>,
    /// Paths of objects, and the number that the next one with the same path gets.
    paths: HashMap<String, u64>,
    notes: Vec<String>,
}

/// An object that was met.
struct Waiting<'a> {
    index: usize,
    facts: Facts<'a>,
    depth: usize,
}

/// Where in the schema something is: within an object or another place.
#[derive(Clone, Copy)]
enum Place<'p> {
    Object(&'p [String]),
    Within(&'p Place<'p>, &'p str),
}

impl Place<'_> {
    const ROOT: Self = Self::Object(&[]);

    fn path(&self) -> Vec<String> {
        match self {
            Self::Object(path) => path.to_vec(),
            Self::Within(place, segment) => {
                let mut path = place.path();
                path.push(segment.chars().take(LONGEST_SEGMENT).collect());
                path
            }
        }
    }

    fn is_root(&self) -> bool {
        matches!(self, Self::Object([]))
    }

    fn child<'c>(&'c self, segment: &'c str) -> Place<'c> {
        Place::Within(self, segment)
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(schema: &'a Value, budget: usize) -> Self {
        Self {
            document: Document::new(schema),
            budget,
            depth: 0,
            done: HashMap::new(),
            open: HashSet::new(),
            objects: Vec::new(),
            object_of: HashMap::new(),
            waiting: VecDeque::new(),
            paths: HashMap::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn read(mut self) -> Schema {
        let schema = self.document.root();
        let root = match schema {
            // Not given at all.
            Value::Null => Shape::Any,
            schema => self.certain(&[Part::new(schema)], &Place::ROOT),
        };
        while let Some(waiting) = self.waiting.pop_front() {
            self.complete(waiting);
        }
        if self.budget == 0 {
            self.notes.insert(0, "the schema is too large; parts of it are Any".to_owned());
        }
        in_order(root, self.objects, self.notes)
    }

    /// The shape of what `parts` describe; what nothing can fit is anything, with a note.
    fn certain(&mut self, parts: &[Part<'a>], place: &Place<'_>) -> Shape {
        let facts = self.facts(parts, place);
        self.shape(&facts, place).unwrap_or_else(|| {
            self.note(place, "no value can fit");
            Shape::Any
        })
    }

    fn facts(&mut self, parts: &[Part<'a>], place: &Place<'_>) -> Facts<'a> {
        let facts = Facts::gather(&self.document, parts, &mut self.budget);
        for remark in &facts.remarks {
            self.note(place, remark);
        }
        facts
    }

    fn shape(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Option<Shape> {
        if facts.impossible {
            return None;
        }
        if facts.parts.is_empty() || self.budget == 0 {
            return Some(Shape::Any);
        }
        let key = facts.key();
        if let Some(done) = self.done.get(&key) {
            self.budget = self.budget.saturating_sub(done.as_ref().map_or(1, weight));
            return done.clone();
        }
        if self.open.contains(&key) {
            self.note(place, "it contains itself");
            return Some(Shape::Any);
        }
        if self.depth >= DEEPEST {
            self.note(place, &format!("it is nested deeper than {DEEPEST} levels"));
            return Some(Shape::Any);
        }
        self.open.insert(key.clone());
        self.depth += 1;
        let shape = self.fresh(facts, place);
        self.depth -= 1;
        self.open.remove(&key);
        self.done.insert(key, shape.clone());
        shape
    }

    fn fresh(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Option<Shape> {
        let named: Vec<String> = facts.name().into_iter().map(str::to_owned).collect();
        let named_place = Place::Object(&named);
        let place = if place.is_root() || named.is_empty() { place } else { &named_place };

        let (hints, choices): (Vec<&Choice<'a>>, Vec<&Choice<'a>>) =
            facts.choices.iter().partition(|choice| choice.only_requires());
        for hint in hints {
            self.note(place, &hint.in_words());
        }
        let shape = match choices.first() {
            Some(choice) => self.chosen(facts, choice, place),
            None => self.plain(facts, place),
        };
        if facts.nullable { union(shape.into_iter().chain([Shape::Null])) } else { shape }
    }

    /// One shape for each alternative, each together with everything else that is said.
    fn chosen(
        &mut self,
        facts: &Facts<'a>,
        choice: &Choice<'a>,
        place: &Place<'_>,
    ) -> Option<Shape> {
        let mut base = facts.parts.clone();
        base[choice.part].made |= choice.bit;
        if base[choice.part].says_no_more() {
            base.remove(choice.part);
        }
        let mut shapes = Vec::new();
        for (alternative, label) in choice.alternatives.iter().zip(choice.labels()) {
            let mut parts = base.clone();
            parts.push(Part::new(alternative));
            let child = place.child(&label);
            let place = if label.is_empty() { place } else { &child };
            let facts = self.facts(&parts, place);
            shapes.extend(self.shape(&facts, place));
            if self.budget == 0 {
                return Some(Shape::Any);
            }
        }
        union(shapes)
    }

    fn plain(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Option<Shape> {
        if let Some(values) = &facts.values {
            return self.literal(values, facts, place);
        }
        let types = match &facts.types {
            Some(types) => types.clone(),
            None => facts.implied_types(),
        };
        if types.is_empty() {
            return Some(Shape::Any);
        }
        let shapes: Vec<Shape> = types
            .into_iter()
            .map(|one| match one {
                Type::Null => Shape::Null,
                Type::Boolean => Shape::Boolean,
                Type::Integer => Shape::Integer,
                Type::Number => Shape::Number,
                Type::String => Shape::String,
                Type::Array => self.array(facts, place),
                Type::Object => self.object(facts, place),
            })
            .collect();
        union(shapes)
    }

    fn literal(
        &mut self,
        values: &[&Value],
        facts: &Facts<'a>,
        place: &Place<'_>,
    ) -> Option<Shape> {
        self.budget = self.budget.saturating_sub(values.len());
        let fitting: Vec<Value> = values
            .iter()
            .filter(|value| {
                facts.types.as_ref().is_none_or(|types| types.iter().any(|one| one.fits(value)))
            })
            .map(|value| (*value).clone())
            .collect();
        if !fitting.is_empty() {
            return union([Shape::Literal(fitting)]);
        }
        self.note(place, "the listed values are not of the given type");
        union([Shape::Literal(values.iter().map(|value| (*value).clone()).collect())])
    }

    fn array(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Shape {
        let none = facts.items.contains(&&Value::Bool(false));
        if facts.leading_items.is_empty() {
            if none || facts.items.is_empty() {
                return Shape::List(Box::new(Shape::Any));
            }
            return Shape::List(Box::new(self.certain(&parts(&facts.items), &place.child("item"))));
        }
        let items = facts
            .leading_items
            .iter()
            .enumerate()
            .map(|(position, schemas)| {
                self.certain(&parts(schemas), &place.child(&format!("item{}", position + 1)))
            })
            .collect();
        let rest = (!none && !facts.items.is_empty())
            .then(|| Box::new(self.certain(&parts(&facts.items), &place.child("rest"))));
        Shape::Tuple { items, rest }
    }

    fn object(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Shape {
        let key = facts.key();
        if let Some(index) = self.object_of.get(&key) {
            return Shape::Object(*index);
        }
        let known_keys = !facts.properties.is_empty()
            || !facts.required.is_empty()
            || !facts.conditional.is_empty();
        let nothing_fits = facts.no_further_keys && facts.patterns.is_empty();
        // A tool that lists its parameters, and lists none, has none.
        let lists_none = place.is_root()
            && facts.first("properties").is_some_and(Value::is_object)
            && facts.further_keys.is_empty()
            && facts.patterns.is_empty();
        if !known_keys && !lists_none && !nothing_fits {
            return Shape::Map(Box::new(self.extra(facts, place).unwrap_or(Shape::Any)));
        }
        let index = self.objects.len();
        let description = text(facts.first("description"));
        self.charge(description.as_deref(), [].iter());
        let path = self.unique_path(place);
        self.objects.push(Object {
            path,
            description,
            fields: Vec::new(),
            extra: None,
            closed: nothing_fits,
        });
        self.object_of.insert(key, index);
        self.waiting.push_back(Waiting { index, facts: facts.clone(), depth: self.depth });
        Shape::Object(index)
    }

    /// Reads what an object contains.
    fn complete(&mut self, Waiting { index, facts, depth }: Waiting<'a>) {
        self.depth = depth;
        let path = self.objects[index].path.clone();
        let place = Place::Object(&path);
        self.objects[index].fields = self.fields(&facts, &place);
        self.objects[index].extra = self.extra(&facts, &place);
    }

    /// What keys that are not known may hold, if anything was said about them.
    fn extra(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Option<Shape> {
        let mut shapes = Vec::new();
        if !facts.no_further_keys && !facts.further_keys.is_empty() {
            shapes.push(self.certain(&parts(&facts.further_keys), &place.child("value")));
        }
        for pattern in &facts.patterns {
            shapes.push(self.certain(&[Part::new(pattern)], &place.child("value")));
        }
        union(shapes)
    }

    fn fields(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Vec<Field> {
        let required: HashSet<&str> = facts.required.iter().copied().collect();
        let mut known: HashSet<&str> = HashSet::new();
        let mut fields = Vec::new();
        for (name, schemas) in &facts.properties {
            known.insert(name);
            fields.extend(self.field(name, schemas, required.contains(name), place));
        }
        for name in &facts.required {
            if known.insert(name) {
                fields.push(Field { required: true, ..Field::unknown(name) });
            }
        }
        for (name, schema) in &facts.conditional {
            if known.insert(name) {
                fields.extend(self.field(name, &[schema], false, place));
            }
        }
        // Stable, so that otherwise the schema's order stays.
        fields.sort_by_key(|field| !field.required);
        fields
    }

    fn field(
        &mut self,
        name: &str,
        schemas: &[&'a Value],
        required: bool,
        place: &Place<'_>,
    ) -> Option<Field> {
        let place = place.child(name);
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 {
            return Some(Field { required, ..Field::unknown(name) });
        }
        let facts = self.facts(&parts(schemas), &place);
        let required = required || facts.first("required") == Some(&Value::Bool(true));
        let shape = match self.shape(&facts, &place) {
            Some(shape) => shape,
            // A key that must not be there.
            None if !required => return None,
            None => {
                self.note(&place, "no value can fit");
                Shape::Any
            }
        };
        // What is said within the only alternative beside `null` is said of the field.
        let inner = self.only_alternative(&facts);
        let said = |key: &str| {
            facts.first(key).or_else(|| inner.as_ref().and_then(|inner| inner.first(key)))
        };
        let (description, default) = (text(said("description")), said("default").cloned());
        let mut examples: Vec<Value> = match said("examples") {
            Some(Value::Array(examples)) => examples.iter().take(MOST_EXAMPLES).cloned().collect(),
            _ => said("example").cloned().into_iter().collect(),
        };
        self.charge(description.as_deref(), default.iter().chain(&examples));
        if self.budget == 0 {
            examples.clear();
        }
        let mut limits = rules(&facts.said);
        limits.extend(inner.iter().flat_map(|inner| rules(&inner.said)));
        limits.extend(self.item_rules(inner.as_ref().unwrap_or(&facts)));
        let mut known = HashSet::new();
        limits.retain(|rule| known.insert(rule.clone()));
        Some(Field {
            name: name.to_owned(),
            shape,
            required,
            description,
            default,
            examples,
            rules: limits,
        })
    }

    fn only_alternative(&mut self, facts: &Facts<'a>) -> Option<Facts<'a>> {
        let [choice] = facts.choices[..] else { return None };
        let mut others = choice.beside_null();
        let (Some(only), None) = (others.next(), others.next()) else { return None };
        Some(Facts::gather(&self.document, &[Part::new(only)], &mut self.budget))
    }

    /// The rules for each item of a list of simple things.
    fn item_rules(&mut self, facts: &Facts<'a>) -> Vec<String> {
        if facts.items.is_empty() || !facts.leading_items.is_empty() {
            return Vec::new();
        }
        let items = Facts::gather(&self.document, &parts(&facts.items), &mut self.budget);
        let simple = items
            .types
            .as_ref()
            .is_some_and(|types| !types.contains(&Type::Object) && !types.contains(&Type::Array));
        if !simple {
            return Vec::new();
        }
        rules(&items.said).into_iter().map(|rule| format!("each item {rule}")).collect()
    }

    /// Pays for text and values that are copied: the same ones may be referred to many times.
    fn charge<'v>(&mut self, text: Option<&str>, values: impl Iterator<Item = &'v Value>) {
        let size: usize = text.map_or(0, str::len) + values.map(size).sum::<usize>();
        self.budget = self.budget.saturating_sub(size / 512);
    }

    /// The path of an object at `place`. Paths that would make the same name of a type count as
    /// the same.
    fn unique_path(&mut self, place: &Place<'_>) -> Vec<String> {
        let mut path = place.path();
        let folded = fold(&path.concat());
        let Some(mut count) = self.paths.insert(folded.clone(), 2) else { return path };
        while self.paths.contains_key(&format!("{folded}{count}")) {
            count += 1;
        }
        self.paths.insert(format!("{folded}{count}"), 2);
        self.paths.insert(folded, count + 1);
        match path.last_mut() {
            Some(last) => last.push_str(&count.to_string()),
            None => path.push(format!("object{count}")),
        }
        path
    }

    fn note(&mut self, place: &Place<'_>, what: &str) {
        if self.notes.len() >= MOST_NOTES {
            return;
        }
        let what: String = what.chars().take(LONGEST_NOTE).collect();
        let mut place = place.path().join(".");
        if !place.is_empty() {
            place.push_str(": ");
        }
        let note = place + &what;
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// How much of the budget it costs to copy a shape.
fn weight(shape: &Shape) -> usize {
    1 + match shape {
        Shape::Literal(values) => values.len(),
        Shape::List(item) | Shape::Map(item) => weight(item),
        Shape::Tuple { items, rest } => {
            items.iter().map(weight).sum::<usize>() + rest.as_deref().map_or(0, weight)
        }
        Shape::Union(shapes) => shapes.iter().map(weight).sum(),
        _ => 0,
    }
}

/// About how many bytes a value takes.
fn size(value: &Value) -> usize {
    8 + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + size(value)).sum(),
        _ => 0,
    }
}

fn parts<'a>(schemas: &[&'a Value]) -> Vec<Part<'a>> {
    schemas.iter().map(|schema| Part::new(schema)).collect()
}

fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}
