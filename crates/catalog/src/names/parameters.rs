//! Python parameter names for the keys of an object.
//!
//! A key that can be written as it is stays as it is, `pageSize` too: the model has read it in
//! the server's own documentation. In any other, each run of characters that cannot be written
//! becomes one underscore, none at either end: `If-Match` is `If_Match`, `$eq` is `eq`,
//! `@odata.type` is `odata_type`. A keyword gets an underscore: `class_`. Words that are
//! keywords only in places, `type` or `match`, are fine as parameters.

use std::collections::HashMap;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::{LONGEST, reserved, words};
use crate::schema::Field;

/// The parameter name for each of `fields`, in their order: valid and no two the same.
#[must_use]
pub fn parameters(fields: &[Field]) -> Vec<String> {
    // How many want each name, those that have it as they are first.
    let mut taken: HashMap<String, u64> = fields
        .iter()
        .filter(|field| is_parameter(&field.name))
        .map(|field| (field.name.clone(), 1))
        .collect();
    fields
        .iter()
        .map(|field| {
            if is_parameter(&field.name) {
                return field.name.clone();
            }
            free(rewritten(&field.name), &mut taken)
        })
        .collect()
}

/// `wanted`, or the first of `wanted_2`, `wanted_3` that nobody has.
fn free(wanted: String, taken: &mut HashMap<String, u64>) -> String {
    let Some(mut count) = taken.get(&wanted).copied() else {
        taken.insert(wanted.clone(), 1);
        return wanted;
    };
    loop {
        count += 1;
        let name = format!("{wanted}_{count}");
        if !taken.contains_key(&name) {
            taken.insert(name.clone(), 1);
            taken.insert(wanted, count);
            return name;
        }
    }
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
