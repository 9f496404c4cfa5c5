//! Integers that would arrive as other numbers.
//!
//! Python's integers have any size, and JSON writes them all. Servers and what stands between read those
//! of more than 64 bits as floating-point numbers, so that an identifier of twenty digits comes out as another
//! one. Such a call is refused before it leaves. One that a floating-point number holds exactly, as `10**20`
//! is, arrives as the number it is.

use std::borrow::Cow;
use std::collections::BTreeMap;

use catalog::digits::{self, is_whole, is_wide};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Letters of a number that are shown.
const SHOWN: usize = 24;

/// The arguments of a call, unread.
#[derive(Default, Deserialize)]
struct Given<'call> {
    #[serde(borrow, default)]
    arguments: BTreeMap<Cow<'call, str>, &'call RawValue>,
}

/// What is wrong with a call that holds such an integer; the words of an `ArgumentError`.
pub(crate) fn too_large(function: &str, call: &RawValue) -> Option<String> {
    let number = first_too_large(call.get())?;
    let given: Given<'_> = serde_json::from_str(call.get()).unwrap_or_default();
    let mut named = given.arguments.into_iter();
    let holder = named.find(|(_, value)| first_too_large(value.get()).is_some());
    let place = match holder {
        Some((name, value)) if value.get() == number => format!("argument {name:?} is"),
        Some((name, _)) => format!("argument {name:?} holds"),
        None => "an argument holds".to_owned(),
    };
    let digits =
        if number.len() > SHOWN { format!("{}…", &number[..SHOWN]) } else { number.into() };
    if !is_whole(number) {
        return Some(format!(
            "{function}(): {place} the number {digits}, which is larger than floating-point numbers are; \
             send it as text if the tool takes text"
        ));
    }
    Some(format!(
        "{function}(): {place} the integer {digits}, which has more than 64 bits and which no floating-point \
         number holds exactly, so it would arrive as another number; send it as text, str(value), if the tool takes text"
    ))
}

/// The first number in a JSON text that would arrive as another one.
fn first_too_large(json: &str) -> Option<&str> {
    digits::numbers(json).find(|number| !arrives(number))
}

/// Whether what reads JSON holds a number: an integer exactly, any other as well as floating-point numbers do.
fn arrives(number: &str) -> bool {
    if is_whole(number) && !is_wide(number) {
        return true;
    }
    let Ok(read) = number.parse::<f64>() else { return false };
    read.is_finite() && (!is_whole(number) || format!("{read:.0}") == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(arguments: &str) -> Option<String> {
        let call =
            format!("{{\"server\": \"bank\", \"tool\": \"pay\", \"arguments\": {arguments}}}");
        too_large("pay", &RawValue::from_string(call).unwrap())
    }

    #[test]
    fn an_integer_of_more_than_64_bits_is_refused_by_name() {
        let words = said(r#"{"note": "x", "id": 18446744073709551617}"#).unwrap();
        assert!(
            words.starts_with("pay(): argument \"id\" is the integer 18446744073709551617, "),
            "{words}"
        );
        let words = said(r#"{"rows": [{"id": -9223372036854775809}]}"#).unwrap();
        assert!(
            words.contains("argument \"rows\" holds the integer -9223372036854775809,"),
            "{words}"
        );
        let words = said(&format!("{{\"n\": {}}}", "7".repeat(400))).unwrap();
        assert!(words.len() < 300, "{words}");
    }

    #[test]
    fn a_number_that_no_float_holds_is_refused_by_name() {
        let words = said(r#"{"v": 1e400}"#).unwrap();
        assert!(words.starts_with("pay(): argument \"v\" is the number 1e400, "), "{words}");
        let words = said(&format!("{{\"v\": 1{}}}", "0".repeat(400))).unwrap();
        assert!(words.starts_with("pay(): argument \"v\" is the integer 1000"), "{words}");
    }

    #[test]
    fn what_arrives_as_it_is_may_leave() {
        for arguments in [
            r#"{"a": 18446744073709551615, "b": -9223372036854775808, "c": -0}"#,
            r#"{"a": 1e30, "b": 0.10000000000000000000000001, "c": 123456789012345678901.5}"#,
            r#"{"18446744073709551616": "18446744073709551616 \" 18446744073709551616"}"#,
            r#"{"a": 100000000000000000000, "b": -18446744073709551616, "c": [10000000000000000000000]}"#,
            "{}",
            "null",
        ] {
            assert_eq!(said(arguments), None, "{arguments}");
        }
    }
}
