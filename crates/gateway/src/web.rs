//! Requests of programs to hosts that an operator named: `http_get` and `http_request`.

use std::borrow::Cow;

use engine::{CallError, CallResult, HostCall};
use metrics::counter;
use serde::Deserialize;
use upstream::{OnTheWay, Web, WebAnswer, WebError, WebRequest};

use crate::hearing::{NOT_ALLOWED, UNANSWERED, UNSENT};
use crate::service::durable::Effect;

/// The host call.
pub(crate) const CALL: &str = "$http";
/// What such calls are called where calls are told of, in the place of a server.
pub(crate) const SERVER: &str = "http";

#[derive(Deserialize)]
struct Asked<'call> {
    #[serde(borrow)]
    method: Cow<'call, str>,
    #[serde(borrow)]
    url: Cow<'call, str>,
}

impl<'call> Asked<'call> {
    fn of(call: &'call HostCall) -> Option<Self> {
        serde_json::from_str(call.arguments.get()).ok()
    }
}

/// What such a call is called, in the place of a tool: `GET api.example.com`. Paths and queries are left
/// out, because they may hold what is nobody's business.
pub(crate) fn named(call: &HostCall) -> Option<String> {
    if call.name != CALL {
        return None;
    }
    let asked = Asked::of(call)?;
    Some(name_of(&asked.method, &asked.url))
}

/// The same of a method and an address.
pub(crate) fn name_of(method: &str, url: &str) -> String {
    let host = upstream::host_of(url).unwrap_or_else(|| "nowhere".to_owned());
    let method: String = method.chars().take(16).collect();
    format!("{} {host}", method.to_ascii_uppercase())
}

/// The same of where an answer came from, if redirects led somewhere else: with which method is not known any
/// more.
pub(crate) fn answered_by(call: &HostCall, answer: &CallResult) -> Vec<String> {
    #[derive(Deserialize)]
    struct From<'answer> {
        #[serde(borrow)]
        url: Cow<'answer, str>,
    }
    let value = answer.result.as_ref().ok();
    let from = value.and_then(|value| serde_json::from_str::<From<'_>>(value.get()).ok());
    let Some(From { url }) = from else { return Vec::new() };
    if Asked::of(call).is_some_and(|asked| name_of("GET", &asked.url) == name_of("GET", &url)) {
        return Vec::new();
    }
    ["GET", "POST", "PUT", "PATCH", "DELETE"].map(|method| name_of(method, &url)).to_vec()
}

/// What a request may do out there.
pub(crate) fn effect(call: &HostCall) -> Effect {
    named(call).map_or(Effect::Write, |name| effect_of(&name))
}

/// The same of what it is called.
pub(crate) fn effect_of(name: &str) -> Effect {
    match name.split(' ').next() {
        Some("GET" | "HEAD" | "OPTIONS") => Effect::Read,
        _ => Effect::Write,
    }
}

/// Makes a request, and others where it is sent on and `way` lets them be made.
pub(crate) async fn fetch(
    web: &Web,
    arguments: &str,
    way: &dyn OnTheWay,
) -> Result<WebAnswer, CallError> {
    let fault = |kind: &str, message: String| CallError { kind: kind.to_owned(), message };
    let request: WebRequest = serde_json::from_str(arguments)
        .map_err(|error| fault("ArgumentError", format!("http_request(): {error}")))?;
    let method = match request.method.to_ascii_uppercase().as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        _ => "other",
    };
    let fetched = web.fetch(request, way).await;
    let outcome = if fetched.is_ok() { "ok" } else { "error" };
    counter!("tidegate_host_calls_total", "server" => SERVER, "tool" => method, "outcome" => outcome)
        .increment(1);
    fetched.map_err(|error| {
        let kind = match &error {
            WebError::Wrong(_) => "ArgumentError",
            WebError::NotAllowed(_) => NOT_ALLOWED,
            WebError::NotSent(_) => UNSENT,
            WebError::NotAnswered(_) => UNANSWERED,
            _ => "ServerError",
        };
        fault(kind, error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use engine::CallId;
    use serde_json::value::to_raw_value;

    use super::*;

    fn call(method: &str, url: &str) -> HostCall {
        let arguments = to_raw_value(&serde_json::json!({ "method": method, "url": url })).unwrap();
        HostCall { id: CallId(1), name: CALL.to_owned(), arguments }
    }

    #[test]
    fn a_call_is_named_by_its_method_and_host_and_nothing_that_may_be_secret() {
        let of = |method, url| named(&call(method, url)).unwrap();
        assert_eq!(of("get", "https://api.example.com/a?token=x"), "GET api.example.com");
        assert_eq!(of("POST", "http://user:pw@h.example:8080/a"), "POST h.example:8080");
        assert_eq!(of("GET", "no address"), "GET nowhere");
    }

    #[test]
    fn an_answer_is_of_the_host_that_gave_it() {
        let value = serde_json::json!({ "status": 200, "url": "https://last.example/x?a=b" });
        let answer = CallResult { id: CallId(1), result: Ok(to_raw_value(&value).unwrap()) };
        let first = call("GET", "https://first.example/");
        assert!(answered_by(&first, &answer).contains(&"GET last.example".to_owned()));
        assert!(answered_by(&call("GET", "https://last.example/"), &answer).is_empty());
        let failed = CallResult::failed(CallId(1), "no".to_owned());
        assert!(answered_by(&first, &failed).is_empty());
    }

    #[test]
    fn only_what_reads_is_a_read() {
        assert_eq!(effect(&call("get", "https://h/")), Effect::Read);
        assert_eq!(effect(&call("HEAD", "https://h/")), Effect::Read);
        for method in ["POST", "PUT", "PATCH", "DELETE", "GETX"] {
            assert_eq!(effect(&call(method, "https://h/")), Effect::Write, "{method}");
        }
    }
}
