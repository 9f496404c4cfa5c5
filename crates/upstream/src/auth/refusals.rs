//! Answers of an authorization server that mean no, however they are written.
//!
//! Some send `{"error": …}` with status 200, which reads like tokens that cannot be read. And of those that
//! say no properly, some mean the log-in and some only this moment.

use serde_json::{Map, Value};

/// What comes before the code in the words of the OAuth library.
const ANSWERED: &str = "Server returned error response: ";

/// Codes after which the same request never works again; only a new log-in helps.
const FINAL: [&str; 8] = [
    "invalid_client",
    "unauthorized_client",
    "invalid_grant",
    "invalid_scope",
    "unsupported_grant_type",
    // What GitHub says.
    "bad_refresh_token",
    "incorrect_client_credentials",
    // What Slack says.
    "invalid_refresh_token",
];

/// An error that came as a success, as the error it is; `None` for anything else.
pub(super) fn mended(body: &[u8]) -> Option<Vec<u8>> {
    let mut answer: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let is_error = answer.get("error")?.as_str().is_some_and(|code| !code.is_empty());
    if !is_error || answer.contains_key("access_token") || answer.contains_key("client_id") {
        return None;
    }
    // The library wants texts, or nothing.
    answer.retain(|key, value| key.starts_with("error") && value.is_string());
    serde_json::to_vec(&answer).ok()
}

/// What a failed renewal says about the log-in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It is over, with this code.
    Over(&'static str),
    /// The authorization server said no, perhaps only for now.
    Unclear,
    /// It said nothing.
    Nothing,
}

/// Finds out what a failed renewal means, by the library's words for it.
pub(super) fn meaning(words: &str) -> Meaning {
    let Some(said) = words.strip_prefix(ANSWERED) else { return Meaning::Nothing };
    let code = said.split([':', ' ']).next().unwrap_or_default();
    FINAL.into_iter().find(|known| *known == code).map_or(Meaning::Unclear, Meaning::Over)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_came_as_a_success_is_one() {
        let body =
            br#"{"error":"bad_refresh_token","error_description":null,"error_uri":"u","x":1}"#;
        let said: Value = serde_json::from_slice(&mended(body).unwrap()).unwrap();
        assert_eq!(said, serde_json::json!({"error": "bad_refresh_token", "error_uri": "u"}));
        for fine in [
            r#"{"access_token":"a","error":"none"}"#,
            r#"{"client_id":"a","error":"none"}"#,
            r#"{"access_token":"a"}"#,
            r#"{"error":""}"#,
            r#"{"error":null}"#,
            "[]",
            "no JSON",
        ] {
            assert_eq!(mended(fine.as_bytes()), None, "{fine}");
        }
    }

    #[test]
    fn what_passes_is_told_from_what_stays() {
        let of = |said: &str| meaning(&format!("Server returned error response: {said}"));
        assert_eq!(of("invalid_client"), Meaning::Over("invalid_client"));
        assert_eq!(of("bad_refresh_token: it is bad"), Meaning::Over("bad_refresh_token"));
        assert_eq!(of("invalid_scope (see u)"), Meaning::Over("invalid_scope"));
        assert_eq!(of("slow_down: not an invalid_client"), Meaning::Unclear);
        assert_eq!(meaning("Failed to parse server response"), Meaning::Nothing);
    }
}
