//! `anyOf` and `oneOf`.

use serde_json::Value;

/// Keywords of an alternative that demands something and describes nothing.
const DEMANDS: [&str; 7] =
    ["$comment", "description", "maxProperties", "minProperties", "not", "required", "title"];

/// The longest title that is used as a name.
const LONGEST_LABEL: usize = 40;

/// One list of alternatives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'a> {
    /// In which of the parts it is.
    pub(super) part: usize,
    /// Stands for it among the choices of its part.
    pub(super) bit: u8,
    pub(super) alternatives: &'a [Value],
}

impl<'a> Choice<'a> {
    pub(super) const ANY_OF: u8 = 1;
    pub(super) const ONE_OF: u8 = 2;

    /// It is only about which keys must be there together. As types that would be several
    /// objects with the same keys, which says less than one sentence does.
    pub(super) fn only_requires(&self) -> bool {
        let demands = |alternative: &Value| {
            alternative
                .as_object()
                .is_some_and(|map| map.keys().all(|key| DEMANDS.contains(&key.as_str())))
        };
        self.alternatives.iter().all(demands)
            && self.alternatives.iter().any(|alternative| alternative.get("required").is_some())
    }

    /// For a choice that [`only_requires`](Self::only_requires).
    pub(super) fn in_words(&self) -> String {
        let groups: Vec<String> = self
            .alternatives
            .iter()
            .filter_map(|alternative| alternative.get("required")?.as_array())
            .map(|names| names.iter().map(super::facts::short).collect::<Vec<_>>().join(" with "))
            .filter(|group| !group.is_empty())
            .collect();
        let how_many = if self.bit == Self::ONE_OF { "exactly one" } else { "at least one" };
        format!("{how_many} of these is needed: {}", groups.join(", "))
    }

    /// The alternatives that are not just `null`.
    pub(super) fn beside_null(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.alternatives.iter().filter(|alternative| {
            let is = |key: &str, value: &Value| alternative.get(key) == Some(value);
            !is("type", &Value::from("null")) && !is("const", &Value::Null)
        })
    }

    /// A word for each alternative that tells it from the others. Empty where none is needed.
    pub(super) fn labels(&self) -> Vec<String> {
        let objects = self.alternatives.iter().filter(|alternative| is_object(alternative)).count();
        self.alternatives
            .iter()
            .enumerate()
            .map(|(position, alternative)| {
                if objects < 2 || !is_object(alternative) {
                    return String::new();
                }
                label(alternative).unwrap_or_else(|| format!("option{}", position + 1))
            })
            .collect()
    }
}

fn is_object(schema: &Value) -> bool {
    ["properties", "allOf", "$ref", "required"].iter().any(|key| schema.get(key).is_some())
        || schema.get("type") == Some(&Value::from("object"))
}

/// The title of an alternative, or the value of the key by which it is recognised.
fn label(schema: &Value) -> Option<String> {
    let usable = |text: &&str| text.len() <= LONGEST_LABEL && !crate::names::words(text).is_empty();
    if let Some(title) = schema.get("title").and_then(Value::as_str).filter(usable) {
        return Some(title.to_owned());
    }
    let properties = schema.get("properties")?.as_object()?;
    let constant = properties.values().find_map(|property| match property.get("enum") {
        Some(Value::Array(values)) if values.len() == 1 => values[0].as_str(),
        _ => property.get("const")?.as_str(),
    });
    constant.filter(usable).map(str::to_owned)
}
