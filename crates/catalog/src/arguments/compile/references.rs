//! References by name or address, made into those by place.
//!
//! `$anchor`, `$id` and `$dynamicRef` find their targets in ways that differ from draft to draft,
//! and an address that is none makes a validator refuse the whole schema. So each is looked up
//! as the types of a tool's parameters are, and replaced by where that led.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::schema::document::{Document, percent_decoded};

/// Keywords that refer.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords that hold values, not schemas.
const VALUES: [&str; 5] = ["const", "default", "enum", "example", "examples"];
/// Keywords whose members have names that are nobody's keywords.
const BY_NAME: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Replaces every reference that is not one by place already.
pub(super) fn settle(schema: &mut Value) {
    for (place, keyword, target) in Walk::of(schema).changes() {
        let Some(Value::Object(map)) = schema.pointer_mut(&place) else { continue };
        replace(map, keyword, target);
    }
}

fn replace(map: &mut Map<String, Value>, keyword: &'static str, target: Option<String>) {
    if keyword == "$ref" {
        // What leads nowhere is dropped later, should it be in the way.
        map.extend(target.map(|target| (keyword.to_owned(), target.into())));
        return;
    }
    map.shift_remove(keyword);
    let Some(target) = target else { return };
    if !map.contains_key("$ref") {
        map.insert("$ref".to_owned(), target.into());
    } else if let Value::Array(all) = map.entry("allOf").or_insert_with(|| Value::Array(Vec::new()))
    {
        all.push(serde_json::json!({ "$ref": target }));
    }
}

/// One schema that is looked at, and where it stands.
struct Visit<'a> {
    value: &'a Value,
    place: String,
    /// The part with an address of its own that it belongs to.
    resource: &'a Value,
    /// Its members are named by an author, not by the language.
    is_named: bool,
}

struct Walk<'a> {
    root: &'a Value,
    document: Document<'a>,
    /// Where each schema stands, by its address in memory.
    places: HashMap<usize, String>,
    /// Places with what they refer to.
    references: Vec<(String, &'static str, Option<&'a Value>)>,
}

impl<'a> Walk<'a> {
    fn of(root: &'a Value) -> Self {
        let document = Document::new(root);
        let mut walk = Self { root, document, places: HashMap::new(), references: Vec::new() };
        let first = Visit { value: root, place: String::new(), resource: root, is_named: false };
        let mut waiting = vec![first];
        while let Some(visit) = waiting.pop() {
            walk.places.insert(std::ptr::from_ref(visit.value).addr(), visit.place.clone());
            waiting.extend(walk.visit(&visit));
        }
        walk
    }

    /// The references that need another target, each with its new one.
    fn changes(self) -> Vec<(String, &'static str, Option<String>)> {
        let placed = |target: Option<&Value>| {
            let place = self.places.get(&std::ptr::from_ref(target?).addr())?;
            Some(format!("#{}", percent_encoded(place)))
        };
        let all = self.references.iter();
        all.map(|(place, keyword, target)| (place.clone(), *keyword, placed(*target))).collect()
    }

    fn visit(&mut self, visit: &Visit<'a>) -> Vec<Visit<'a>> {
        let below = |name: &str, value: &'a Value, resource, is_named| {
            let name = name.replace('~', "~0").replace('/', "~1");
            Visit { value, place: format!("{}/{name}", visit.place), resource, is_named }
        };
        match visit.value {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items
                    .map(|(at, item)| below(&at.to_string(), item, visit.resource, false))
                    .collect()
            }
            Value::Object(map) if visit.is_named => {
                map.iter().map(|(name, one)| below(name, one, visit.resource, false)).collect()
            }
            Value::Object(map) => {
                let has_address = map.get("$id").and_then(Value::as_str);
                let is_resource = has_address.is_some_and(|id| !id.starts_with('#'));
                let resource = if is_resource { visit.value } else { visit.resource };
                self.note(map, &visit.place, resource);
                map.iter()
                    .filter(|(keyword, _)| !VALUES.contains(&keyword.as_str()))
                    .map(|(keyword, one)| {
                        below(keyword, one, resource, BY_NAME.contains(&keyword.as_str()))
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn note(&mut self, map: &'a Map<String, Value>, place: &str, resource: &'a Value) {
        for keyword in REFERENCES {
            let Some(reference) = map.get(keyword).and_then(Value::as_str) else { continue };
            let pointer = reference
                .strip_prefix('#')
                .filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
            let inside = pointer.and_then(|pointer| resource.pointer(&percent_decoded(pointer)));
            let is_plain = keyword == "$ref" && std::ptr::eq(resource, self.root);
            if is_plain && inside.is_some() {
                continue;
            }
            let found = || self.document.target(reference).map(|target| target.schema);
            self.references.push((place.to_owned(), keyword, inside.or_else(found)));
        }
    }
}

/// A place as a fragment of an address may have it.
fn percent_encoded(pointer: &str) -> String {
    let mut encoded = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~$/!&'()*+,;=:@".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
