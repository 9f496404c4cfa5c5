//! Where references lead. Only ever to another place in the same document.

use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::Value;

/// How many values are looked at for names. More than any real document has.
const LOOKED_AT: usize = 200_000;

/// A whole schema, in which references are looked up.
pub(crate) struct Document<'a> {
    root: &'a Value,
    names: OnceCell<Names<'a>>,
}

/// What parts of a document are called.
#[derive(Default)]
struct Names<'a> {
    /// The folder of the document's own address.
    base: &'a str,
    ids: HashMap<&'a str, &'a Value>,
    anchors: HashMap<&'a str, &'a Value>,
    definitions: HashMap<&'a str, &'a Value>,
}

/// What a reference leads to.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) schema: &'a Value,
    /// What its author called it, when that says something.
    pub(crate) name: Option<&'a str>,
}

impl<'a> Document<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root, names: OnceCell::new() }
    }

    pub(crate) fn root(&self) -> &'a Value {
        self.root
    }

    pub(crate) fn target(&self, reference: &'a str) -> Option<Target<'a>> {
        let (id, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if id.is_empty() { self.root } else { self.names().addressed(id)? };
        if fragment.is_empty() {
            return Some(Target { schema: resource, name: None });
        }
        if !fragment.starts_with('/') {
            let schema = self.names().anchors.get(fragment).copied()?;
            return Some(Target { schema, name: telling(fragment) });
        }
        let name = definition_name(fragment);
        let schema = resource
            .pointer(&percent_decoded(fragment))
            // Generators move definitions about and forget the references to them.
            .or_else(|| self.names().definitions.get(name?).copied())?;
        Some(Target { schema, name: name.and_then(telling) })
    }

    fn names(&self) -> &Names<'a> {
        self.names.get_or_init(|| Names::of(self.root))
    }
}

impl<'a> Names<'a> {
    fn of(root: &'a Value) -> Self {
        let mut names = Self::default();
        // What addresses in it are relative to.
        let base = root.get("$id").and_then(Value::as_str).unwrap_or_default();
        names.base = base.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut waiting = vec![root];
        for _ in 0..LOOKED_AT {
            let Some(value) = waiting.pop() else { break };
            match value {
                Value::Array(items) => waiting.extend(items.iter().rev()),
                Value::Object(map) => {
                    names.note(value, map);
                    waiting.extend(map.values().rev());
                }
                _ => {}
            }
        }
        names
    }

    /// The part with this address, whole or relative to the document's own.
    fn addressed(&self, id: &str) -> Option<&'a Value> {
        let relative = |id: &'a str| id.strip_prefix(self.base)?.strip_prefix('/');
        let whole = || {
            let (base, name) = id.rsplit_once('/')?;
            if base == self.base { self.ids.get(name).copied() } else { None }
        };
        let by_name = || {
            let mut all = self.ids.iter();
            all.find(|(known, _)| relative(known) == Some(id)).map(|(_, part)| *part)
        };
        self.ids.get(id).copied().or_else(whole).or_else(by_name)
    }

    fn note(&mut self, value: &'a Value, map: &'a serde_json::Map<String, Value>) {
        for key in ["$id", "id"] {
            let Some(id) = map.get(key).and_then(Value::as_str) else { continue };
            match id.strip_prefix('#') {
                Some(anchor) => self.anchors.entry(anchor).or_insert(value),
                None => self.ids.entry(id.trim_end_matches('#')).or_insert(value),
            };
        }
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = map.get(key).and_then(Value::as_str) {
                self.anchors.entry(anchor).or_insert(value);
            }
        }
        for key in ["$defs", "definitions", "schemas"] {
            let Some(Value::Object(definitions)) = map.get(key) else { continue };
            for (name, definition) in definitions {
                self.definitions.entry(name).or_insert(definition);
            }
        }
    }
}

/// `Issue` of `/$defs/Issue`.
fn definition_name(pointer: &str) -> Option<&str> {
    let (holder, name) = pointer.rsplit_once('/')?;
    let holder = holder.rsplit('/').next()?;
    ["$defs", "definitions", "schemas"].contains(&holder).then_some(name)
}

/// Names that a generator counted up say nothing: `def12`, `__schema0`.
fn telling(name: &str) -> Option<&str> {
    let letters =
        name.trim_matches(|character: char| character.is_ascii_digit() || character == '_');
    (!["", "def", "schema", "ref", "type"].contains(&letters)).then_some(name)
}

/// Undoes `%24`, which some generators write in place of `$`.
pub(crate) fn percent_decoded(pointer: &str) -> String {
    if !pointer.contains('%') {
        return pointer.to_owned();
    }
    let bytes = pointer.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut position = 0;
    while position < bytes.len() {
        let escaped = pointer
            .get(position + 1..position + 3)
            .filter(|_| bytes[position] == b'%')
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(escaped.unwrap_or(bytes[position]));
        position += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
