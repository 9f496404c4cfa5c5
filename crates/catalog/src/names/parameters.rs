//! Python parameter names for the keys of an object.
//!
//! A key that can be written as it is stays as it is, `pageSize` too: the model has read it in
//! the server's own documentation. In any other, each run of characters that cannot be written
//! becomes one underscore, none at either end: `If-Match` is `If_Match`, `$eq` is `eq`,
//! `@odata.type` is `odata_type`. A keyword gets an underscore: `class_`. Words that are
//! keywords only in places, `type` or `match`, are fine as parameters.

use std::collections::HashSet;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::{LONGEST, reserved, words};
use crate::schema::Field;

/// The parameter name for each of `fields`, in their order: valid and no two the same.
#[must_use]
pub fn parameters(fields: &[Field]) -> Vec<String> {
    let as_they_are: Vec<bool> = fields.iter().map(|field| is_parameter(&field.name)).collect();
    let mut taken: HashSet<String> = fields
        .iter()
        .zip(&as_they_are)
        .filter(|(_, as_it_is)| **as_it_is)
        .map(|(field, _)| field.name.clone())
        .collect();
    fields
        .iter()
        .zip(as_they_are)
        .map(|(field, as_it_is)| match as_it_is {
            true => field.name.clone(),
            false => free(rewritten(&field.name), &mut taken),
        })
        .collect()
}

/// `wanted`, or the first of `wanted_2`, `wanted_3` that nobody has.
fn free(wanted: String, taken: &mut HashSet<String>) -> String {
    let name = if taken.contains(&wanted) {
        (2_u64..)
            .map(|count| format!("{wanted}_{count}"))
            .find(|name| !taken.contains(name))
            .unwrap_or_default()
    } else {
        wanted
    };
    taken.insert(name.clone());
    name
}

fn is_parameter(key: &str) -> bool {
    key.starts_with(|first| first == '_' || words::is_start(first))
        && key.chars().all(|character| character == '_' || words::is_continue(character))
        // Python compares identifiers in this form, so any other spelling is another name.
        && is_nfkc_quick(key.chars()) == IsNormalized::Yes
        && key.chars().count() <= LONGEST
        && !reserved::is_python_keyword(key)
}

fn rewritten(key: &str) -> String {
    let written: String = key
        .chars()
        .take(LONGEST)
        .nfkc()
        .map(|character| if words::is_continue(character) { character } else { '_' })
        .collect();
    let mut name = written.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    name = name.nfkc().take(LONGEST - 4).collect();
    if name.is_empty() {
        name.push_str("parameter");
    } else if !name.starts_with(words::is_start) {
        name.insert(0, '_');
    }
    if reserved::is_python_keyword(&name) {
        name.push('_');
    }
    name
}
