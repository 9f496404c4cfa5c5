//! Integers that would arrive as other numbers.
//!
//! Python's integers have any size, and JSON writes them all. Servers and what stands between read those
//! of more than 64 bits as floating-point numbers, so that an identifier of twenty digits comes out as another
//! one. Such a call is refused before it leaves.

use std::borrow::Cow;
use std::collections::BTreeMap;

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
        "{function}(): {place} the integer {digits}, which has more than 64 bits and would arrive as another number; \
         send it as text, str(value), if the tool takes text"
    ))
}

/// The first integer in a JSON text that neither 64 bits with a sign nor without one can hold, or another
/// number that is larger than any floating-point number.
fn first_too_large(json: &str) -> Option<&str> {
    let bytes = json.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_text(bytes, at + 1),
            b'-' | b'0'..=b'9' => {
                let rest = &json[at..];
                let is_part = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
                let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
                let number = &rest[..end];
                let fits = if is_whole(number) {
                    number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok()
                } else {
                    number.parse::<f64>().is_ok_and(f64::is_finite)
                };
                if !fits {
                    return Some(number);
                }
                at += end;
            }
            _ => at += 1,
        }
    }
    None
}

fn is_whole(number: &str) -> bool {
    !number.contains(['.', 'e', 'E'])
}

/// Where the text that goes on here is over.
fn end_of_text(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    at
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
        let words = said(r#"{"note": "x", "id": 18446744073709551616}"#).unwrap();
        assert!(
            words.starts_with("pay(): argument \"id\" is the integer 18446744073709551616, "),
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
            "{}",
            "null",
        ] {
            assert_eq!(said(arguments), None, "{arguments}");
        }
    }
}
