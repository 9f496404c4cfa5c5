//! The fields of results, out of the stubs that describe them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use ruff_python_ast::{Arguments, Expr, PySourceType, Stmt};
use ruff_python_parser::parse_unchecked_source;
use ruff_text_size::Ranged as _;

/// Fields of an object inside another that are shown,
const MOST_INNER: usize = 8;
/// and the longest text about one field.
const LONGEST: usize = 160;

/// Fields by the name of their class. Two classes of one name are one with the fields of both.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    classes: HashMap<String, Vec<String>>,
    /// What fields hold, as the stub says it.
    annotations: HashMap<(String, String), String>,
    /// Classes that may have further fields.
    open: HashSet<String>,
    /// Names that stand for several classes, of which nothing is always there.
    mixed: HashSet<String>,
}

impl Fields {
    /// The fields of a class; `None` when it is not the result of a tool.
    pub(crate) fn of(&self, class: &str) -> Option<&[String]> {
        self.classes.get(class).map(Vec::as_slice)
    }

    /// The fields of a class with what they hold: `"items": list[{id, name}]`.
    pub(crate) fn shown(&self, class: &str) -> Vec<String> {
        let fields = self.of(class).unwrap_or_default().iter();
        fields
            .map(|field| match self.annotation(class, field) {
                Some(annotation) => format!("\"{field}\": {annotation}"),
                None => format!("\"{field}\""),
            })
            .collect()
    }

    /// What a field holds, with the fields of an object in place of the name of its class.
    pub(crate) fn annotation(&self, class: &str, field: &str) -> Option<String> {
        let written = self.annotations.get(&(class.to_owned(), field.to_owned()))?;
        let optional = written.strip_prefix("NotRequired[").and_then(|one| one.strip_suffix(']'));
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut out = String::new();
        let mut rest = optional.unwrap_or(written).trim_matches('"');
        while !rest.is_empty() {
            let word = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            let (name, others) = rest.split_at(word);
            match self.of(name) {
                Some(fields) => {
                    let more = if fields.len() > MOST_INNER { ", ..." } else { "" };
                    let named = fields.iter().take(MOST_INNER).map(String::as_str);
                    let named = named.collect::<Vec<_>>().join(", ");
                    let _ = write!(out, "{{{named}{more}}}");
                }
                None => out.push_str(name),
            }
            let sign = others.chars().next().map_or(0, char::len_utf8);
            out.push_str(&others[..sign]);
            rest = &others[sign..];
        }
        if bindings::is_learned(class) {
            out = structure_of(&out)?;
        }
        (out.len() <= LONGEST).then_some(out)
    }

    /// Whether the server said that there are no further fields.
    pub(crate) fn is_closed(&self, class: &str) -> bool {
        !self.open.contains(class)
    }

    /// Whether an object of a class always has a field.
    pub(crate) fn needs_one(&self, class: &str) -> bool {
        self.needed(class).next().is_some()
    }

    /// The fields that an object of a class always has.
    pub(crate) fn needed(&self, class: &str) -> impl Iterator<Item = &str> {
        let is_one = !self.mixed.contains(class);
        let is_needed = move |field: &&String| {
            let written = self.annotations.get(&(class.to_owned(), (*field).clone()));
            is_one && written.is_some_and(|written| !written.starts_with("NotRequired["))
        };
        self.of(class).unwrap_or_default().iter().filter(is_needed).map(String::as_str)
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
                            let name = field.target.as_name_expr()?.id.to_string();
                            Some((name, stub.get(field.annotation.range().to_std_range())))
                        }
                        _ => None,
                    });
                    self.add(class.name.as_str(), class.arguments.as_deref(), fields);
                }
                Stmt::Assign(assign) => {
                    if let (Some(Expr::Name(name)), Expr::Call(call)) =
                        (assign.targets.first(), &*assign.value)
                        && let Some(Expr::Dict(dict)) = call.arguments.args.get(1)
                    {
                        let keys = dict.items.iter().filter_map(|item| match &item.key {
                            Some(Expr::StringLiteral(key)) => Some((
                                key.value.to_str().to_owned(),
                                stub.get(item.value.range().to_std_range()),
                            )),
                            _ => None,
                        });
                        self.add(name.id.as_str(), Some(&call.arguments), keys);
                    }
                }
                _ => {}
            }
        }
    }

    fn add<'s>(
        &mut self,
        class: &str,
        arguments: Option<&Arguments>,
        fields: impl Iterator<Item = (String, Option<&'s str>)>,
    ) {
        if arguments.is_none_or(|arguments| arguments.find_keyword("closed").is_none()) {
            self.open.insert(class.to_owned());
        }
        let before = self.classes.get(class).map(Vec::len);
        let known = self.classes.entry(class.to_owned()).or_default();
        let (mut count, mut is_same) = (0, true);
        for (field, annotation) in fields {
            count += 1;
            if let Some(annotation) = annotation {
                let place = (class.to_owned(), field.clone());
                let other = self.annotations.insert(place, annotation.to_owned());
                is_same &= other.as_deref() == Some(annotation);
            }
            if !known.contains(&field) {
                known.push(field);
            }
        }
        if before.is_some_and(|before| !is_same || before != count) {
            self.mixed.insert(class.to_owned());
        }
    }
}

/// What is left of a learned annotation without its "or anything else"; `None` where that is all it says.
fn structure_of(annotation: &str) -> Option<String> {
    let structure = annotation.replace(" | Any", "").replace("[Any]", "").replace("[str, Any]", "");
    (structure != "Any").then_some(structure)
}

#[cfg(test)]
mod tests {
    use super::structure_of;

    #[test]
    fn what_is_not_known_of_a_learned_field_is_left_out() {
        assert_eq!(structure_of("Any"), None);
        assert_eq!(structure_of("Any | Any | Any"), None);
        assert_eq!(structure_of("list[Any | Any] | Any").as_deref(), Some("list"));
        assert_eq!(
            structure_of("list[{id, title} | Any] | Any").as_deref(),
            Some("list[{id, title}]")
        );
        assert_eq!(structure_of("dict[str, Any] | Any").as_deref(), Some("dict"));
    }
}
