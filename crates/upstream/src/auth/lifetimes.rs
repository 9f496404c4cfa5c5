//! Token answers whose lifetime is not written as the protocol has it.
//!
//! Some authorization servers send `"expires_in": "3600"`, `3600.0` or `-1`. Whoever reads it strictly
//! loses a log-in that has worked.

use serde_json::{Map, Value};

const LIFETIME: &str = "expires_in";
/// The longest lifetime that is believed: some hundred years.
const LONGEST: f64 = 3.2e9;

/// An answer whose lifetime is a whole number of seconds, or is not said; `None` where nothing has to be mended.
pub(super) fn mended(body: &[u8]) -> Option<Vec<u8>> {
    let mut answer: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let lifetime = answer.get(LIFETIME)?;
    if lifetime.is_u64() || lifetime.is_null() {
        return None;
    }
    let number = match lifetime {
        Value::String(text) => text.trim().parse::<f64>().ok(),
        other => other.as_f64(),
    };
    let seconds = number.filter(|seconds| (0.0..=LONGEST).contains(seconds));
    match seconds.and_then(|seconds| std::time::Duration::try_from_secs_f64(seconds).ok()) {
        Some(lifetime) => answer.insert(LIFETIME.to_owned(), lifetime.as_secs().into()),
        None => answer.remove(LIFETIME),
    };
    serde_json::to_vec(&answer).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lifetime_that_means_a_number_is_one() {
        for (theirs, ours) in [
            (r#""3600""#, json!(3600)),
            (r#"" 60 ""#, json!(60)),
            ("1e3", json!(1000)),
            ("59.9", json!(59)),
            ("-1", Value::Null),
            (r#""soon""#, Value::Null),
            (r#""NaN""#, Value::Null),
            ("1e300", Value::Null),
            ("[1]", Value::Null),
        ] {
            let body = format!(r#"{{"access_token":"a","expires_in":{theirs},"x":1}}"#);
            let answer = mended(body.as_bytes()).unwrap();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            assert_eq!(answer["expires_in"], ours, "{theirs}");
            assert_eq!((&answer["access_token"], &answer["x"]), (&json!("a"), &json!(1)));
        }
    }

    #[test]
    fn what_is_right_stays_as_it_came() {
        for body in [r#"{"expires_in":3600}"#, r#"{"access_token":"a"}"#, "[]", "no JSON"] {
            assert_eq!(mended(body.as_bytes()), None, "{body}");
        }
    }
}
