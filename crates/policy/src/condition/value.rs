//! Values: as conditions write them, and compared with those of a call.

use std::cmp::Ordering;

use serde_json::Value;

use super::Holds;
use crate::alike::{alike, folded};

/// How a value is compared with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Is,
    IsNot,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Comparison {
    fn fits(self, order: Ordering) -> bool {
        match self {
            Self::Is => order == Ordering::Equal,
            Self::IsNot => order != Ordering::Equal,
            Self::Less => order == Ordering::Less,
            Self::AtMost => order != Ordering::Greater,
            Self::More => order == Ordering::Greater,
            Self::AtLeast => order != Ordering::Less,
        }
    }
}

/// Whether a value compares with the one that a rule names. One of another kind may be turned into it
/// by whoever reads it: `"1000"` into a number, `1` into `true`, an object into its only field.
pub(super) fn compared(value: &Value, how: Comparison, wanted: &Value) -> Holds {
    match how {
        Comparison::Is => same(value, wanted),
        Comparison::IsNot => same(value, wanted).not(),
        how => match (value, wanted) {
            (Value::String(own), Value::String(other)) => {
                let exact = how.fits(own.cmp(other));
                let loose = how.fits(folded(own).cmp(&folded(other)));
                if exact == loose { Holds::known(exact) } else { Holds::Unclear }
            }
            _ => order(value, wanted).map_or(Holds::Unclear, |order| Holds::known(how.fits(order))),
        },
    }
}

/// Whether a value is one of those that a rule names.
pub(super) fn is_one_of(value: &Value, wanted: &[Value]) -> Holds {
    let mut holds = Holds::No;
    for one in wanted {
        match same(value, one) {
            Holds::Yes => return Holds::Yes,
            Holds::No => {}
            unclear => holds = unclear,
        }
    }
    holds
}

/// Whether two values are the same; 1 and 1.0 are.
fn same(value: &Value, wanted: &Value) -> Holds {
    match (value, wanted) {
        (Value::String(own), Value::String(other)) if own == other => Holds::Yes,
        (Value::String(own), Value::String(other)) if alike(own, other) => Holds::Unclear,
        (Value::String(_), Value::String(_)) => Holds::No,
        (Value::Number(_), Value::Number(_)) => order(value, wanted)
            .map_or(Holds::Unclear, |order| Holds::known(order == Ordering::Equal)),
        (Value::Bool(own), Value::Bool(other)) => Holds::known(own == other),
        (_, Value::Null) => Holds::known(value.is_null()),
        _ => Holds::Unclear,
    }
}

pub(super) fn order(value: &Value, wanted: &Value) -> Option<Ordering> {
    match (value, wanted) {
        (Value::Number(own), Value::Number(other)) => match (own.as_i128(), other.as_i128()) {
            (Some(own), Some(other)) => Some(own.cmp(&other)),
            _ => own.as_f64()?.partial_cmp(&other.as_f64()?),
        },
        _ => None,
    }
}

/// A list of values.
pub(super) fn list(text: &str) -> Result<Vec<Value>, String> {
    match value(text)? {
        Value::Array(values) if !values.iter().any(|one| one.is_array() || one.is_object()) => {
            Ok(values)
        }
        _ => Err("needs a list of values such as ['a', 'b'] after `in`".into()),
    }
}

/// A value, with texts in either kind of quotes.
pub(super) fn value(text: &str) -> Result<Value, String> {
    let text = text.trim();
    let json = if text.contains('\'') { double_quoted(text)? } else { text.to_owned() };
    serde_json::from_str(&json)
        .map_err(|_| format!("has {text:?}, which is no number, text, list, true, false or null"))
}

/// The same with every text in double quotes.
fn double_quoted(text: &str) -> Result<String, String> {
    let mut whole = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\'' && letter != '"' {
            whole.push(letter);
            continue;
        }
        let mut inside = String::new();
        loop {
            match letters.next() {
                None => return Err("has a text that does not end".into()),
                Some('\\') if letter == '"' => {
                    inside.push('\\');
                    inside.extend(letters.next());
                }
                Some(one) if one == letter => break,
                Some(one) => inside.push(one),
            }
        }
        if letter == '"' {
            whole.push('"');
            whole.push_str(&inside);
            whole.push('"');
        } else {
            whole.push_str(&Value::String(inside).to_string());
        }
    }
    Ok(whole)
}
